"""The resolution order, step by step, and what stays unresolved."""

from __future__ import annotations

import pytest

from manent.links.link import LinkKind
from manent.links.resolve import Resolution, fold, is_attachment, last_component, resolve
from manent.links.table import NameTable


def table(*paths: str, **names: str) -> NameTable:
    """A vault of these paths; names maps a stem to the name of its note."""
    from manent.links.resolve import stem_of

    return NameTable((path, names.get(stem_of(path), "")) for path in paths)


@pytest.mark.parametrize(
    ("target", "source", "paths", "found"),
    [
        ("a", "x.md", ["memory/a.md"], "memory/a.md"),
        ("a.md", "x.md", ["memory/a.md"], "memory/a.md"),
        ("a.MD", "x.md", ["memory/a.md"], "memory/a.md"),
        ("a", "x.md", ["memory/a.MD"], "memory/a.MD"),
        ("m/a", "x.md", ["m/a.MD"], "m/a.MD"),
        ("", "d/x.md", [], "d/x.md"),
        ("v1.2", "x.md", ["d/v1.2.md"], "d/v1.2.md"),
        # 1: the name, wherever the note is
        ("real", "x.md", ["d/other.md"], "d/other.md"),
        # 2: relative, for targets with a slash
        ("b/a", "d/x.md", ["b/a.md", "d/b/a.md"], "d/b/a.md"),
        ("../a", "d/e/x.md", ["a.md", "d/a.md"], "d/a.md"),
        ("./a", "d/x.md", ["a.md", "d/a.md"], "d/a.md"),
        ("../../a", "d/e/x.md", ["a.md", "d/a.md"], "a.md"),
        ("b/../a", "d/x.md", ["d/a.md", "a.md"], "d/a.md"),
        # 3: from the root
        ("b/a", "d/x.md", ["b/a.md", "c/b/a.md"], "b/a.md"),
        ("/b/a", "d/x.md", ["b/a.md", "d/b/a.md"], "b/a.md"),
        ("a", "d/x.md", ["a.md", "b/a.md", "d/a.md"], "a.md"),
        # 4: file name or suffix
        ("b/a", "x.md", ["c/b/a.md", "c/d/a.md"], "c/b/a.md"),
        ("b/a", "c/b/x.md", ["c/b/a.md", "d/b/a.md"], "c/b/a.md"),
        ("a", "c/x.md", ["b/a.md", "c/a.md"], "c/a.md"),
        # 5: folded
        ("CACHE", "x.md", ["d/Cache.md"], "d/Cache.md"),
        ("B/A", "d/x.md", ["b/a.md"], "b/a.md"),
        ("citta\u0300", "x.md", ["citt\u00e0.md"], "citt\u00e0.md"),
        ("D/STRASSE", "x.md", ["c/d/stra\u00dfe.md"], "c/d/stra\u00dfe.md"),
        ("../A", "d/x.md", ["a.md"], "a.md"),
        ("a", "x.md", ["A.md", "a.md"], "a.md"),
    ],
)
def test_found(target: str, source: str, paths: list[str], found: str) -> None:
    assert resolve(target, source, table(*paths, other="real")) == Resolution(found)


@pytest.mark.parametrize(
    ("target", "source", "paths", "candidates", "obsidian"),
    [
        ("a", "x.md", ["long/a.md", "b/c/a.md"], ("b/c/a.md", "long/a.md"), "b/c/a.md"),
        ("b/a", "x.md", ["c/b/a.md", "dd/b/a.md"], ("c/b/a.md", "dd/b/a.md"), "c/b/a.md"),
        ("a", "x.md", ["b/A.md", "c/A.md"], ("b/A.md", "c/A.md"), "b/A.md"),
        # An exact tie is not broken by a folded match.
        ("a", "x.md", ["A.md", "b/a.md", "c/a.md"], ("b/a.md", "c/a.md"), "b/a.md"),
    ],
)
def test_ambiguous(
    target: str, source: str, paths: list[str], candidates: tuple[str, ...], obsidian: str
) -> None:
    assert resolve(target, source, table(*paths)) == Resolution(None, candidates, obsidian)


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("b", "x.md"), ("../a", "x.md"), ("../../d/a", "d/x.md"), ("./d/a", "d/x.md"),
        ("/a/", "x.md"), ("d/", "x.md"), (".", "x.md"), ("..", "d/x.md"), ("d/..", "x.md"),
        ("/", "x.md"), (".md", "x.md"), ("e/a", "x.md"), ("da", "x.md"), ("/../a", "x.md"),
        ("d/../../a", "x.md"), ("alias", "x.md"),
    ],
)  # fmt: skip
def test_nowhere(target: str, source: str) -> None:
    assert resolve(target, source, table("d/a.md", "q/ad/a.md")) == Resolution(None)


def test_markdown_links_are_relative_first() -> None:
    names = table("a.md", "d/a.md")
    assert resolve("a.md", "d/x.md", names, LinkKind.MARKDOWN).path == "d/a.md"
    assert resolve("a.md", "d/x.md", names, LinkKind.WIKILINK).path == "a.md"


def test_two_notes_of_one_name_are_ambiguous_until_a_path_tells() -> None:
    names = NameTable([("b/one.md", "same"), ("c/two.md", "same")])
    assert resolve("same", "x.md", names) == Resolution(None, ("b/one.md", "c/two.md"), "b/one.md")
    assert resolve("same", "c/x.md", names).path == "c/two.md"
    assert resolve("b/one", "x.md", names).path == "b/one.md"


def test_a_name_comes_before_a_path() -> None:
    assert resolve("a", "x.md", NameTable([("a.md", "b"), ("d/c.md", "a")])).path == "d/c.md"


def test_notes_outside_quarantine_are_preferred() -> None:
    names = NameTable(
        [("quarantine/bot/a.md", ""), ("memory/a.md", ""), ("memory/b.md", "")], ["memory/b.md"]
    )
    assert resolve("a", "x.md", names).path == "memory/a.md"
    assert resolve("a", "quarantine/bot/x.md", names).path == "memory/a.md"
    assert resolve("A", "x.md", names).path == "memory/a.md"
    assert resolve("bot/a", "x.md", names).path == "quarantine/bot/a.md"
    assert resolve("b", "x.md", names).path == "memory/b.md"
    two = NameTable([("quarantine/bot/a.md", ""), ("quarantine/cat/a.md", "")])
    assert resolve("a", "x.md", two).candidates == ("quarantine/bot/a.md", "quarantine/cat/a.md")
    assert resolve("a", "quarantine/cat/x.md", two).path == "quarantine/cat/a.md"


@pytest.mark.parametrize(
    ("target", "last"),
    [("a", "a"), ("b/a.md", "a"), ("../a", "a"), ("a.md.md", "a.md"), ("a/", ""), ("..", ""),
     ("", "")],
)  # fmt: skip
def test_last_component(target: str, last: str) -> None:
    assert last_component(target) == last


def test_fold_is_settled() -> None:
    for text in ("A", "Å", "A\u030a", "ſt", "ß", "İ", "ΌΣΟΣ", "\u1e9e", "ﬀ", "\u0345\u03b1", "ǰ"):
        assert fold(fold(text)) == fold(text)
    assert fold("ﬁ") == "fi"
    assert fold("①") != fold("1")


@pytest.mark.parametrize("target", ["a.png", "d/a.PDF", "x.tar.gz", "a b.canvas", "a.base"])
def test_attachments(target: str) -> None:
    assert is_attachment(target)
    assert is_attachment(target, LinkKind.MARKDOWN)


@pytest.mark.parametrize(
    "target", ["a", "a.md", "a.MD", "v1.2", "Node.js", "2024.01.05", "", ".png"]
)
def test_no_attachments(target: str) -> None:
    assert not is_attachment(target)


def test_markdown_links_have_files_of_any_extension() -> None:
    assert is_attachment("src/main.zig", LinkKind.MARKDOWN)
    assert not is_attachment("v1.2", LinkKind.MARKDOWN)
    assert not is_attachment("a.md", LinkKind.MARKDOWN)
