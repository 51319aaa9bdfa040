"""Laws of reading and editing notes."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manent.errors import Refused
from manent.note import Header, edit, read, strict

# Headers made of the pieces that readers disagree on.

WORDS = (
    "a no on 012 1:30 12 -3 1.50 1e3 true Null 2026-03-09 é 日本 it's a#b a:b http://x.org x,y ½ _x"
    " x_ x- - ... ? x? %x @x `x !x &x *x | > {x} [x x] \\ 🙂 \ue000 = << ~ +1 .5 5. 0 -0 1_0 0x1f"
    " 99999999999999999999"
)
words = st.sampled_from(
    [*WORDS.split(" "), "x y", "x  y", "a #b", "\u00a0", "\u2028", "\x85", "", "\t"]
)
quoted = st.one_of(
    words,
    words.map(lambda word: f'"{word}"'),
    words.map(lambda word: f"'{word}'"),
    words.map(lambda word: f"[[{word}]]"),
)
flow = st.lists(quoted, max_size=4).map(lambda items: f"[{', '.join(items)}]")
values = st.one_of(quoted, flow, flow.map(lambda text: text.replace(", ", " ,")))
KEYS = "a|b|tags|date created|a b|é|1|null|\"q\"|'q'|k-|k_|_k|a |-k|?|<<"
keys = st.sampled_from([*KEYS.split("|"), "k" * 70])
lines = st.one_of(
    st.tuples(keys, st.sampled_from([": ", ":", ":  ", ":\t", " : "]), values).map("".join),
    keys.map(lambda key: key + ":"),
    st.tuples(st.sampled_from(["", " ", "  ", "\t"]), st.just("- "), values).map("".join),
    st.tuples(st.sampled_from(["# x", "", " ", "  # y", "#", "  x", "\t"]), st.just("")).map(
        "".join
    ),
    st.tuples(keys, st.just(": "), values, st.sampled_from([" # r", " ", "\r", "#r"])).map("".join),
)
headers = st.lists(lines, max_size=7).map(lambda parts: "".join(part + "\n" for part in parts))
fenced = headers.map(lambda header: f"---\n{header}---\nBody.\n")


@settings(deadline=None)
@given(st.one_of(st.binary(), fenced.map(str.encode), st.text().map(str.encode)))
@example(b"---\n")
@example(b"---\na: \xff\n---\n")
@example(b"\xef\xbb\xbf---\n---")
def test_reading_never_raises_and_loses_no_text(data: bytes) -> None:
    note = read(data)
    assert note.text.endswith(note.body)
    head = note.text[: len(note.text) - len(note.body)]
    assert note.body_line == head.count("\n") + 1
    assert json.loads(json.dumps(note.frontmatter, allow_nan=False)) == note.frontmatter
    assert note.frontmatter == {} or note.state is Header.VALID
    assert note.key_lines.keys() == note.frontmatter.keys()
    assert (note.state is Header.INVALID) == (
        "frontmatter-invalid" in {problem.rule for problem in note.problems}
    )
    assert all(problem.line >= 1 and problem.column >= 1 for problem in note.problems)


def load(header: str) -> object:
    try:
        return strict.load_events(header)
    except strict.Fault as fault:
        return fault.message


def same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


@settings(max_examples=200, deadline=None)
@given(headers)
def test_simple_lines_read_like_yaml(header: str) -> None:
    quick = strict._plain_lines(header)
    if quick is not None:
        full = load(header)
        assert isinstance(full, strict.Loaded), full
        assert same(quick.data, full.data)
        assert quick.lines == full.lines


@settings(max_examples=200, deadline=None)
@given(headers)
def test_what_is_read_has_the_shape_other_readers_see(header: str) -> None:
    loaded = load(header)
    if isinstance(loaded, strict.Loaded) and "[[" not in header and "?" not in header:
        assert shape(loaded.data) == shape(yaml.load(header, yaml.CBaseLoader) or {})


def shape(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: shape(value) for key, value in data.items()}
    if isinstance(data, list):
        return [shape(item) for item in data]
    return "scalar"


@settings(max_examples=200, deadline=None)
@given(headers)
def test_line_endings_change_nothing_that_is_read(header: str) -> None:
    unix = f"---\n{header}---\nBody.\n".replace("\r", "")
    one, other = read(unix.encode()), read(unix.replace("\n", "\r\n").encode())
    assert (one.state, one.frontmatter, dict(one.key_lines)) == (
        other.state,
        other.frontmatter,
        dict(other.key_lines),
    )
    assert other.body == "Body.\r\n"


plain = st.one_of(
    st.text(max_size=8), st.integers(-999, 999), st.booleans(), words,
    st.floats(-99, 99).map(lambda number: round(number, 3) + 0.0),
)  # fmt: skip
settable = st.one_of(plain, st.lists(plain, max_size=4), st.dictionaries(words, plain, max_size=2))
changes = st.dictionaries(
    st.one_of(st.sampled_from(["a", "b", "tags", "é", "1", "q", "new", "date created"]), st.text()),
    st.one_of(st.none(), settable),
    max_size=3,
)


@settings(max_examples=250, deadline=None)
@given(st.one_of(fenced, st.just("Body.\n")), changes, st.booleans(), st.booleans())
def test_an_edit_changes_what_it_names_or_is_refused(
    text: str, changes: dict[str, Any], crlf: bool, mark: bool
) -> None:
    if crlf:
        text = text.replace("\r", "").replace("\n", "\r\n")
    data = ("\ufeff" * mark + text).encode()
    before = read(data)
    try:
        edited = edit(data, changes)
    except Refused:
        return
    after = read(edited)
    assert after.body == before.body
    assert edited.startswith(b"\xef\xbb\xbf") == mark
    kept = {key: value for key, value in before.frontmatter.items() if key not in changes}
    assert same({k: v for k, v in after.frontmatter.items() if k not in changes}, kept)
    for key, value in changes.items():
        assert (
            key not in after.frontmatter if value is None else same(after.frontmatter[key], value)
        )
    assert edit(edited, changes) == edited
    assert _subsequence(_lines_of_others(before, set(changes)), edited.decode().splitlines(True))


def _lines_of_others(note: Any, changed: set[str]) -> list[str]:
    """The lines of the header that belong to keys not in ``changed``."""
    lines = note.text[: len(note.text) - len(note.body)].split("\n")
    owner = {line: key for key, line in note.key_lines.items()}
    kept, key = [], ""
    for number, line in enumerate(lines[:-1], 1):
        key = owner.get(number, key)
        if key not in changed:
            kept.append(line + "\n")
    return kept


def _subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter("".join(whole).split("\n"))
    return all(line.rstrip("\n") in rest for line in part)
