"""What --fix mends, what it leaves, and how it writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from vaults import note, vault_of, write

from manent.errors import EnvironmentFault
from manent.lint import fix
from manent.lint.fix import diff, fixed, fixes
from manent.vault.record import Conventions


def head(*lines: str, body: str = "Text.\n") -> bytes:
    return ("---\n" + "".join(f"{line}\n" for line in lines) + "---\n" + body).encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("created: 2026/3/9", "created: 2026-03-09"),
        ("created: '2026.03.09' # when", "created: '2026-03-09' # when"),
        ("updated: 2026-3-9", "updated: 2026-03-09"),
        ("tags: alpha, beta", "tags: [alpha, beta]"),
        ('tags: ["#alpha", beta]', 'tags: ["alpha", beta]'),
        ("tags:\n- '#alpha'\n- beta  # kept", "tags:\n- 'alpha'\n- beta  # kept"),
        ("created: 20240105", "created: 2024-01-05"),
        ("updated:  20240105  # the day", "updated:  2024-01-05  # the day"),
        ("created: '20240105'", "created: '2024-01-05'"),
        (
            'tags: [ "one" , \'two\', 3, "two words", one, "#four" ] # all',
            'tags: [ "one" , \'two\', 3, "two words", one, "four" ] # all',
        ),
        (
            "tags:\n  # why\n  - '#a'  # first\n  - \"b\"",
            "tags:\n  # why\n  - 'a'  # first\n  - \"b\"",
        ),
        ("tags: ['#a', a, b]", "tags: [a, b]"),
        ("tags: ['#a #b', c]", "tags: ['a', 'b', c]"),
    ],
)
def test_what_is_safe_is_mended(before: str, after: str) -> None:
    assert fixed(head("# a", before, "z: 1")) == head("# a", after, "z: 1")


@pytest.mark.parametrize(
    "line",
    [
        "created: 2026-03-09",
        "created: 2026/3/9 08:30",
        "created: 2026-03-09T08:30:00+02:00",
        "created: 9.3.2026",
        "created: 2026-02-31",
        "created: soon",
        "tags: [a, b]",
        "tags: [[a], b]",
        "tags: {a: b}",
        "title: 2026/3/9",
        "title: blank at the end ",
    ],
)
def test_what_could_be_meant_is_left(line: str) -> None:
    assert fixed(head(line)) == head(line)


@pytest.mark.parametrize(
    "content",
    [
        b"---\na: [\n---\ntext \n",
        b"---\na: 1\na: 2\n---\ntext \n",
        b"caf\xe9 \r\n\n",
        b"---\nname: a\ntext \n",
    ],
)
def test_what_nobody_can_read_is_not_touched(content: bytes) -> None:
    assert fixed(content, "a") == content


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("text ", "text"),
        ("text\t", "text"),
        ("text  ", "text  "),
        ("text    ", "text    "),
        ("   ", ""),
        ("    code ", "    code "),
        ("- [ ] ", "- [ ] "),
        ("- ", "- "),
        ("1. ", "1. "),
        ("> - [x] ", "> - [x] "),
        ("- item ", "- item"),
    ],
)
def test_blanks_at_the_end_of_a_line(before: str, after: str) -> None:
    assert fixed(f"{before}\nx\n".encode()) == f"{after}\nx\n".encode()


def test_code_is_left_as_it_is() -> None:
    code = (
        b"```\ncode \n```py\nstill code \n```\n~~~\ncode \n```\ncode \n~~~\n"
        b"> ```\n> code \n> ```\n- ~~~~\n  code \n  ~~~\n  code \n  ~~~~\n"
    )
    assert fixed(code + b"text \n") == code + b"text\n"
    assert fixed(b"``` a`b\ntext \n") == b"``` a`b\ntext\n"
    assert fixed(b"\xef\xbb\xbf    code \n") == b"\xef\xbb\xbf    code \n"


def test_mixed_line_endings_become_the_more_frequent() -> None:
    assert fixed(b"a\r\nb\nc\r\n") == b"a\r\nb\r\nc\r\n"
    assert fixed(b"a\nb\r\nc\n") == b"a\nb\nc\n"
    assert fixed(b"a\r\nb\r\n") == b"a\r\nb\r\n"
    assert fixed(b"a\rb\n") == b"a\rb\n"


def mended(root: Path, files: dict[str, str], conventions: Conventions | None = None) -> list[str]:
    return list(fixes(vault_of(root, files, conventions)))


def test_a_name_is_taken_from_the_file(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"port-map.md": note("old"), "new.md": "---\ntype: retro\n---\n"})
    found = fixes(vault)
    assert (
        found["port-map.md"][1] == note("port-map").replace("About port-map", "About old").encode()
    )
    assert found["new.md"][1] == b"---\ntype: retro\nname: new\n---\n"


def test_a_name_is_left_where_taking_it_would_break_something(tmp_path: Path) -> None:
    files = {
        "linked.md": note("old"),
        "from.md": note("from", "[[old]]"),
        "a/twin.md": note("one"),
        "b/twin.md": note("twin"),
        "My Note.md": note("mine"),
        "Bare Note.md": "---\ntype: retro\n---\n",
        "README.md": "---\ntitle: Read me\n---\n",
        "MEMORY.md": note("the-index"),
        "none.md": "No header.",
    }
    assert mended(tmp_path, files) == []


def test_a_name_that_becomes_free_is_taken_at_once(tmp_path: Path) -> None:
    files = {"a.md": note("x"), "b.md": note("a"), "c.md": note("b"), "x.md": note("y")}
    vault = vault_of(tmp_path, files)
    assert [b"name: %s\n" % p[:1].encode() in new for p, (_, new) in fixes(vault).items()] == [
        True
    ] * 4
    # Two that bear each other's are left to a person.
    assert mended(tmp_path / "two", {"a.md": note("b"), "b.md": note("a")}) == []


def test_a_name_that_becomes_free_is_given_to_a_note_without_one(tmp_path: Path) -> None:
    nameless = note("lamp", type="reference").replace("name: lamp\n", "")
    files = {"a.md": note("lamp", type="reference"), "sub/lamp.md": nameless}
    assert mended(tmp_path, files) == ["a.md", "sub/lamp.md"]


def test_where_frontmatter_is_optional_no_name_is_added(tmp_path: Path) -> None:
    """It could open to readers what was private for want of one."""
    files = {"a.md": "---\ndescription: A\ntype: retro\naudience: [team]\n---\n"}
    assert mended(tmp_path, files, Conventions(frontmatter_optional=True)) == []
    assert mended(tmp_path, files) == ["a.md"]


@pytest.mark.parametrize("path", ["a.md", "sp ace/b c.md", "città.md", "quo'te.md"])
def test_git_applies_the_diff(tmp_path: Path, path: str) -> None:
    for n, content in enumerate((b"text \nx\n", b"text ", b"a\r\nb\n", b"x\n\n   \ny")):
        root = write(tmp_path / str(n), {path: content})
        patch = diff(path, content, fixed(content))
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=root, check=True, input=patch)
        assert (root / path).read_bytes() == fixed(content) != content


def test_a_file_is_replaced_at_once_and_keeps_its_mode(tmp_path: Path) -> None:
    place = write(tmp_path, {"a.md": "old"}) / "a.md"
    place.chmod(0o640)
    fix.write(tmp_path, "a.md", b"old", b"new")
    assert place.read_bytes() == b"new"
    assert place.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("what", ["changed", "gone", "a symlink", "a folder"])
def test_a_file_that_is_no_longer_what_was_read_is_left(tmp_path: Path, what: str) -> None:
    place = tmp_path / "a.md"
    if what == "changed":
        place.write_bytes(b"newer")
    elif what == "a symlink":
        (tmp_path / "b.md").write_bytes(b"old")
        place.symlink_to("b.md")
    elif what == "a folder":
        place.mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(EnvironmentFault):
        fix.write(tmp_path, "a.md", b"old", b"new")
    assert sorted(tmp_path.iterdir()) == before
