"""What a folder shows of itself, and what it never shows."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vaults import write

from manent.change import Change
from manent.errors import EnvironmentFault, NotFound
from manent.tree import RACY_NS, Entry, Kind, Overlay, WorkTree, blob_oid, is_secret


def paths(tree: WorkTree | Overlay) -> list[str]:
    return [entry.path for entry in tree.entries()]


def test_paths_come_in_the_byte_order_of_git(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("a.md", "a-b/c.md", "a/b.md", "a0.md", "B.md", "é.md"), "x"))
    assert paths(WorkTree(tmp_path)) == ["B.md", "a-b/c.md", "a.md", "a/b.md", "a0.md", "é.md"]


def test_an_id_is_that_of_git(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b"caf\xe9\0\r\n", "empty": b""})
    for entry in WorkTree(tmp_path).entries():
        said = subprocess.run(
            ["git", "hash-object", "--no-filters", entry.path],
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        assert entry.oid == said.stdout.decode().strip()


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        "sub/.GIT/config",
        "secrets/key.md",
        "Secrets/key.md",
        "a/b/SECRETS/key.md",
        "\u017fecrets/key.md",
        "a/secrets",
        ".manent/vault.sqlite",
        ".Manent/x",
    ],
)
def test_hidden_places_are_neither_listed_nor_read(tmp_path: Path, path: str) -> None:
    write(tmp_path, {"seen.md": "x"})
    write(tmp_path, {path: "hidden"})
    for tree in (WorkTree(tmp_path), Overlay(WorkTree(tmp_path), {path: b"hidden"})):
        assert paths(tree) == ["seen.md"]
        assert tree.get(path) is None
        with pytest.raises(NotFound):
            tree.read(path)


def test_what_only_looks_hidden_is_shown(tmp_path: Path) -> None:
    names = ["a/.manent/x", "mysecrets/a.md", "secrets.md", "secretsx/a.md", ".gitignore"]
    write(tmp_path, dict.fromkeys(names, "x"))
    assert sorted(paths(WorkTree(tmp_path))) == sorted(names)
    assert not any(map(is_secret, names))


def test_symlinks_are_shown_and_never_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"key.md": "theirs"})
    root = write(tmp_path / "vault", {"a.md": "x"})
    (root / "file.md").symlink_to(outside / "key.md")
    (root / "folder").symlink_to(outside)
    (root / "dangling.md").symlink_to("nowhere")
    (root / "round").symlink_to(root)
    tree = WorkTree(root)
    shown = {entry.path: entry.kind for entry in tree.entries()}
    links = ["dangling.md", "file.md", "folder", "round"]
    assert shown == {"a.md": Kind.FILE} | dict.fromkeys(links, Kind.SYMLINK)
    for path in (*links, "folder/key.md", "round/a.md", "../outside/key.md", str(outside)):
        with pytest.raises(NotFound):
            tree.read(path)


def test_a_folder_swapped_for_a_symlink_leads_nowhere(tmp_path: Path) -> None:
    """Between listing and reading a folder can change."""
    outside = write(tmp_path / "outside", {"key.md": "theirs"})
    root = write(tmp_path / "vault", {"a/key.md": "ours", "b.md": "ours"})
    tree = WorkTree(root)
    assert paths(tree) == ["a/key.md", "b.md"]
    (root / "a" / "key.md").unlink()
    (root / "a").rmdir()
    (root / "a").symlink_to(outside)
    (root / "b.md").unlink()
    (root / "b.md").symlink_to(outside / "key.md")
    for path in ("a/key.md", "b.md"):
        with pytest.raises(NotFound):
            tree.read(path)


def test_a_pipe_is_odd_and_nobody_waits_for_it(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "x", "b.md": "x"})
    os.mkfifo(tmp_path / "pipe.md")
    tree = WorkTree(tmp_path)
    assert list(tree.entries())[-1] == Entry("pipe.md", "", Kind.ODD)
    (tmp_path / "b.md").unlink()
    os.mkfifo(tmp_path / "b.md")
    for path in ("pipe.md", "b.md"):
        with pytest.raises(NotFound):
            tree.read(path)


def test_a_repository_inside_is_a_submodule(tmp_path: Path) -> None:
    """As git adds it; a folder named .git that is no repository is only hidden."""
    write(tmp_path, {"a.md": "x", "inner/b.md": "x", "worktree/c.md": "x", "odd/.git/x": "x"})
    write(tmp_path, {"odd/d.md": "x", "worktree/.git": "gitdir: elsewhere"})
    subprocess.run(["git", "init", "-q", "inner"], cwd=tmp_path, check=True)
    shown = {entry.path: entry.kind for entry in WorkTree(tmp_path).entries()}
    assert shown == {
        "a.md": Kind.FILE,
        "inner": Kind.SUBMODULE,
        "odd/d.md": Kind.FILE,
        "worktree": Kind.SUBMODULE,
    }


def test_names_that_are_no_utf8_survive(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"x")
    tree = WorkTree(tmp_path)
    assert paths(tree) == ["caf\udce9.md"]
    assert tree.read("caf\udce9.md") == b"x"


def test_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("a.md", "b.log", "build/x.md", "build.md"), "x"))
    tree = WorkTree(tmp_path, ignored={"b.log", "build/"})
    assert paths(tree) == ["a.md", "build.md"]
    with pytest.raises(NotFound):
        tree.read("build/x.md")


def test_no_folder_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="is not a folder"):
        WorkTree(tmp_path / "nowhere")


UNREADABLE = """
import os, sys
from pathlib import Path
from manent.errors import EnvironmentFault
from manent.tree import WorkTree
if os.geteuid() == 0:
    os.setegid(65534); os.seteuid(65534)
try:
    list(WorkTree(Path(sys.argv[1])).entries())
except EnvironmentFault as fault:
    print(fault)
tree = WorkTree(Path(sys.argv[1]), leaves_out=True)
print([entry.path for entry in tree.entries()], tree.unread)
"""


@pytest.mark.parametrize(
    ("what", "mode", "left", "unread"),
    [
        ("a.md", 0, ["folder/b.md"], "a.md"),
        ("folder", 0, ["a.md"], "folder"),
        ("folder", 0o444, ["a.md"], "folder/b.md"),  # listed, and not entered
    ],
)
def test_what_cannot_be_read_is_named(what: str, mode: int, left: list[str], unread: str) -> None:
    """Nothing is skipped in silence: a vault read by half would be judged by half. Who
    only answers from it may have it left out, and is told what was."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:  # where another user can look
        root = write(Path(place), {"a.md": "x", "folder/b.md": "x"})
        root.chmod(0o755)
        (root / what).chmod(mode)
        done = subprocess.run(
            [sys.executable, "-c", UNREADABLE, str(root)], capture_output=True, text=True
        )
        (root / what).chmod(0o755)
    assert f"{unread}: Permission denied\n" in done.stdout, done.stderr
    assert f"{left} {{{unread!r}: 'Permission denied'}}\n" in done.stdout


# -- signatures -------------------------------------------------------------


def settled(root: Path) -> WorkTree:
    return WorkTree(root, now_ns=time.time_ns() + 2 * RACY_NS)


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "x"})
    first = next(settled(tmp_path).entries())
    assert first.signature
    known = {"a.md": (first.signature, "an id that only the scan before knew")}
    assert next(WorkTree(tmp_path, known=known).entries()).oid == known["a.md"][1]


def test_a_young_file_is_not_trusted(tmp_path: Path) -> None:
    """Within one tick of the clock it could change again and look the same."""
    write(tmp_path, {"a.md": "x"})
    for now in (0, time.time_ns(), time.time_ns() - RACY_NS):
        assert next(WorkTree(tmp_path, now_ns=now).entries()).signature == ""
    known = {"a.md": ("", "stale")}
    assert next(WorkTree(tmp_path, known=known).entries()).oid == blob_oid(b"x")


@pytest.mark.parametrize("how", ["content", "size", "replaced", "dated back"])
def test_a_changed_file_is_read_again(tmp_path: Path, how: str) -> None:
    place = write(tmp_path, {"a.md": "xx"}) / "a.md"
    first = next(settled(tmp_path).entries())
    status = place.stat()
    time.sleep(0.02)  # the clock of ctime ticks
    if how == "size":
        place.write_bytes(b"yyy")
    elif how == "replaced":
        (tmp_path / "b").write_bytes(b"yy")
        (tmp_path / "b").replace(place)
    else:
        place.write_bytes(b"yy")
    if how == "dated back":
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))
    known = {"a.md": (first.signature, first.oid)}
    assert next(WorkTree(tmp_path, known=known).entries()).oid == blob_oid(place.read_bytes())


# -- changes ----------------------------------------------------------------


def test_a_change_laid_over_a_tree(tmp_path: Path) -> None:
    base = WorkTree(write(tmp_path, {"a.md": "a", "b.md": "b", "c.md": "c"}))
    change = Change({"b.md": None, "c.md": b"C", "a/d.md": b"d", "gone.md": None}, "edit", "owner")
    tree = change.onto(base)
    assert change.paths == ("a/d.md", "b.md", "c.md", "gone.md")
    assert paths(tree) == ["a.md", "a/d.md", "c.md"]
    assert [tree.read(path) for path in paths(tree)] == [b"a", b"d", b"C"]
    assert tree.get("b.md") is None and tree.id == ""
    assert paths(base) == ["a.md", "b.md", "c.md"]
