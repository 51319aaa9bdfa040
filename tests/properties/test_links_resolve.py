"""Laws of resolution."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from manent.links.link import LinkKind
from manent.links.resolve import Names, Resolution, fold, last_component, resolve, stem_of
from manent.links.table import NameTable

NAMES = ("a", "A", "b", "a.b", "b.md", "e\u0301", "\u00e9", "\u00c9", "ss", "\u00df", "x y")
names = st.sampled_from(NAMES)
folders = st.lists(st.sampled_from(["d", "D", "e", "a", "quarantine"]), max_size=3)
endings = st.sampled_from([".md", ".md", ".md", ".MD"])
paths = st.tuples(folders, names, endings).map(lambda p: "/".join([*p[0], p[1]]) + p[2])
notes = st.dictionaries(paths, st.one_of(st.just(""), names), max_size=7)
prefixes = st.sampled_from(
    ["", "", "", "./", "../", "../../", "/", "d/", "D/e/", "d/../", "x/../../"]
)
targets = st.tuples(prefixes, folders, names, st.sampled_from(["", "", ".md", ".MD", "/"])).map(
    lambda t: t[0] + "/".join([*t[1], t[2]]) + t[3]
)
kinds = st.sampled_from([LinkKind.WIKILINK, LinkKind.MARKDOWN])


def table(notes: dict[str, str]) -> NameTable:
    return NameTable(notes.items())


class Watched:
    """Names that record what was asked, and know nothing else."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.asked: set[tuple[str, str]] = set()

    def is_note(self, path: str) -> bool:
        self.asked.add(("stem", stem_of(path)))
        return self.names.is_note(path)

    def named(self, name: str) -> Sequence[str]:
        self.asked.add(("name", name))
        return self.names.named(name)

    def filed(self, stem: str) -> Sequence[str]:
        self.asked.add(("stem", stem))
        return self.names.filed(stem)

    def folded(self, key: str) -> Sequence[str]:
        self.asked.add(("key", key))
        return self.names.folded(key)

    def quarantined(self, path: str) -> bool:
        return self.names.quarantined(path)


@settings(max_examples=200, deadline=None)
@given(targets, paths, notes, kinds)
def test_only_keys_of_the_last_component_are_asked(
    target: str, source: str, notes: dict[str, str], kind: LinkKind
) -> None:
    watched = Watched(table(notes))
    resolve(target, source, watched, kind)
    last = last_component(target)
    assert watched.asked <= {("stem", last), ("name", last), ("key", fold(last))}


@settings(max_examples=200, deadline=None)
@given(targets, paths, notes, notes, kinds)
def test_notes_of_other_keys_change_no_resolution(
    target: str, source: str, notes: dict[str, str], others: dict[str, str], kind: LinkKind
) -> None:
    key = fold(last_component(target))
    unrelated = {
        path: name
        for path, name in others.items()
        if path not in notes and key not in (fold(name or stem_of(path)), fold(stem_of(path)))
    }
    before = resolve(target, source, table(notes), kind)
    after = resolve(target, source, table(notes | unrelated), kind)
    assert before == after


@settings(max_examples=200, deadline=None)
@given(targets, paths, notes, kinds)
def test_what_is_found_carries_the_target(
    target: str, source: str, notes: dict[str, str], kind: LinkKind
) -> None:
    found = resolve(target, source, table(notes), kind)
    key = fold(last_component(target))
    for path in (*found.candidates, *filter(None, (found.path, found.obsidian))):
        assert path in notes
        assert key in (fold(notes[path] or stem_of(path)), fold(stem_of(path)))
    assert (found.obsidian in found.candidates) == bool(found.candidates)
    assert not (found.path and found.candidates)
    assert list(found.candidates) == sorted(found.candidates)
    assert len(found.candidates) != 1


@settings(max_examples=100, deadline=None)
@given(notes, paths, kinds)
def test_a_path_from_the_root_is_never_mistaken(
    notes: dict[str, str], source: str, kind: LinkKind
) -> None:
    for path in notes:
        # `.md` and `.MD` may both stand there; `.md` is what a link means first.
        if path.endswith(".md") or path[:-3] + ".md" not in notes:
            assert resolve("/" + path, source, table(notes), kind) == Resolution(path)


@settings(max_examples=100, deadline=None)
@given(targets, paths, notes, kinds)
def test_a_trailing_md_is_not_part_of_the_target(
    target: str, source: str, notes: dict[str, str], kind: LinkKind
) -> None:
    if not target.lower().endswith(".md"):
        bare = resolve(target, source, table(notes), kind)
        assert target.endswith("/") or bare == resolve(target + ".md", source, table(notes), kind)


@settings(max_examples=100, deadline=None)
@given(names, paths, notes)
def test_case_only_matters_where_it_tells(target: str, source: str, notes: dict[str, str]) -> None:
    """Where nothing carries a bare name to the letter, its case does not matter."""
    names = table(notes)

    def carried(target: str) -> bool:
        last = last_component(target)
        return bool(names.named(last) or names.filed(last))

    if carried(target):
        return
    for other in (target.swapcase(), fold(target)):
        if not carried(other) and fold(other) == fold(target):
            assert resolve(target, source, names) == resolve(other, source, names)


@settings(max_examples=200, deadline=None)
@given(targets, paths, notes, kinds)
def test_a_quarantined_note_takes_over_no_link(
    target: str, source: str, notes: dict[str, str], kind: LinkKind
) -> None:
    every = table(notes)
    accepted = table({path: name for path, name in notes.items() if not every.quarantined(path)})
    without = resolve(target, source, accepted, kind)
    if without != Resolution(None):
        assert resolve(target, source, every, kind) == without


@given(st.text())
def test_folding_is_settled(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(text.upper().lower()) == fold(fold(text.upper().lower()))
