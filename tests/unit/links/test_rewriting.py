"""A link gets another target, and no other byte changes; or nothing does."""

from __future__ import annotations

import pytest

from manent.errors import Refused
from manent.links.markdown import outline
from manent.links.rewriting import retargeted
from manent.note import read

HEAD = "---\nname: n\n{}---\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[old]]", "[[new]]"),
        ("[[ old #H|a [b] c ]]", "[[ new #H|a [b] c ]]"),
        ("![[old#^b]] [[old^b]]", "![[new#^b]] [[new^b]]"),
        ("| a |\n|---|\n| [[old\\|x]] |", "| a |\n|---|\n| [[new\\|x]] |"),
        ("[t](old.md#H 'a ](b)')", "[t](new.md#H 'a ](b)')"),
        ("[t](<old.md>)", "[t](<new.md>)"),
        ("[a \\](x](old.md)", "[a \\](x](new.md)"),
        ("[![i](i.png)](old.md)", "[![i](i.png)](new.md)"),
        ("[t][R s]\n\n[r  S]: old.md 'x'", "[t][R s]\n\n[r  S]: new.md 'x'"),
        ("[t] and [t][]\n\n[T]: <old.md>", "[t] and [t][]\n\n[T]: <new.md>"),
        ("é日 `[[old]]` [[old]]\r\n", "é日 `[[old]]` [[new]]\r\n"),
        ("[t](o%6Cd.md#%48)", "[t](new.md#%48)"),
        ("[x]([[old]])", "[x]([[new]])"),
        ("<p>\n[[old]] [t](old.md#H)\n</p>", "<p>\n[[new]] [t](new.md#H)\n</p>"),
        ("%%[[old]]%% <!-- [[old]] --> [[old]]", "%%[[old]]%% <!-- [[old]] --> [[new]]"),
    ],
)
def test_every_link_to_old_in_a_body(before: str, after: str) -> None:
    assert everywhere(HEAD.format("") + before) == HEAD.format("") + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('up: "[[old|x]]"', 'up: "[[new|x]]"'),
        ("up: '[[old]] it''s'  # [[old]]", "up: '[[new]] it''s'  # [[old]]"),
        ("up: [[old]]", "up: [[new]]"),
        ("provenance: [old, 'old', \"[[old]]\"]", "provenance: [new, 'new', \"[[new]]\"]"),
        ("supersedes:\n  - old  # one\n  - \"old\"", "supersedes:\n  - new  # one\n  - \"new\""),
        ('up: "see [c](old.md#H) and [d](<old.md>)"', 'up: "see [c](new.md#H) and [d](<new.md>)"'),
        ("up: '[![i](i.png)](old.md \"t\")'", "up: '[![i](i.png)](new.md \"t\")'"),
        ('provenance: ["[s](old.md)", old]', 'provenance: ["[s](new.md)", new]'),
        ("contradicts:\r\n- old\r", "contradicts:\r\n- new\r"),
    ],
)  # fmt: skip
def test_every_link_to_old_in_a_header(before: str, after: str) -> None:
    assert everywhere(HEAD.format(before + "\n")) == HEAD.format(after + "\n")


def test_dendron_writes_the_label_first() -> None:
    text = HEAD.format("") + "[[label|old#H]] [[old]]"
    note = retargeted(text.encode(), {0: "new", 1: "new"}, dendron=True)
    assert note.decode().endswith("[[label|new#H]] [[new]]")


@pytest.mark.parametrize(
    ("body", "target", "written"),
    [
        ("[t](old.md)", "a b/(c) #d%.md", "[t](a%20b/%28c%29%20%23d%25.md)"),
        ("[t](<old.md>)", "größe <x>.md", "[t](<größe%20%3Cx%3E.md>)"),
        ("[[old]]", "Größe (neu)", "[[Größe (neu)]]"),
    ],
)
def test_a_target_is_written_as_its_place_needs(body: str, target: str, written: str) -> None:
    text = HEAD.format("") + body
    assert retargeted(text.encode(), {0: target}).decode() == HEAD.format("") + written


def test_a_plain_item_is_quoted_where_it_must_be() -> None:
    text = HEAD.format("provenance: [old]\n")
    edited = retargeted(text.encode(), {0: "a, b: c"}).decode()
    assert edited == HEAD.format('provenance: ["a, b: c"]\n')
    text = HEAD.format("up: '[[old]]'\n")
    assert "'[[it''s]]'" in retargeted(text.encode(), {0: "it's"}).decode()


@pytest.mark.parametrize("target", ["a]]b", "a|b", "a#b", "x\ny", "", "a^b"])
def test_what_cannot_be_written_exactly_is_refused(target: str) -> None:
    with pytest.raises(Refused):
        retargeted((HEAD.format("") + "[[old]]").encode(), {0: target})


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(Refused):
        retargeted(b"[[old]] \xff", {0: "new"})


def everywhere(text: str) -> str:
    links = outline(read(text.encode())).links
    wanted = {
        n: ("new.md" if link.target.endswith(".md") else "new")
        for n, link in enumerate(links)
        if link.target in ("old", "old.md")
    }
    assert wanted
    return retargeted(text.encode(), wanted).decode()
