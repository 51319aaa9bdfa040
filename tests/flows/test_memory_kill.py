"""A writer that dies leaves the memory file whole: SIGKILL before each step, one by one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from memories import LONG, MEMORY, compiled

from manent.memfile import restore
from manent.memfile.compile import Options
from manent.memfile.compiling import Asked, carried_out, prepared
from manent.memfile.operations import BACKUP, operations
from manent.memfile.reorganize import recovered, reorganized

ORIGINAL = (MEMORY + LONG).encode()
ADDED = b"\n## Deployment\n\nThe blue host.\n"
STEPS = ("fsync", "mkdir", "rename", "replace", "unlink", "rmdir")
"""The calls that change what lies on the disk; those before and between them change nothing."""


def carry_out(folder: Path, **asked: bool) -> None:
    wanted = Asked(Options(), **asked)
    job = prepared(folder, wanted)
    carried_out(job, lambda: prepared(folder, wanted))


def killed(at: int, action: Callable[[], None]) -> bool:
    """Run an action in a process of its own that is killed before its step ``at``."""
    child = os.fork()
    if child == 0:
        left = [at]
        for name in STEPS:
            setattr(os, name, _counted(getattr(os, name), left))
        try:
            action()
        except BaseException:
            os._exit(3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _counted(real: Callable[..., object], left: list[int]) -> Callable[..., object]:
    def call(*arguments: object, **given: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **given)

    return call


def at_each_step(
    tmp_path: Path, begin: Callable[[Path], None], action: Callable[[Path], None]
) -> int:
    """Kill the action at every step; check after each that file and memory are there."""
    for at in range(1, 400):
        folder = tmp_path / str(at)
        folder.mkdir()
        begin(folder)
        file = folder / "CLAUDE.md"
        before = file.read_bytes()
        if not killed(at, lambda folder=folder: action(folder)):
            return at
        standing = file.read_bytes()
        done = b"manent:memory begin" in standing or standing == ORIGINAL
        assert standing == before or done, f"step {at}: half a file"
        check_kept(folder, standing, before)
    raise AssertionError("it never came to its end")


def check_kept(folder: Path, standing: bytes, before: bytes) -> None:
    """What was there can be had again: from the file itself, or from the workspace."""
    if standing == ORIGINAL:
        return
    restore.restored(folder)
    text = (folder / "CLAUDE.md").read_bytes()
    assert text.startswith(ORIGINAL)


def test_a_first_compile(tmp_path: Path) -> None:
    steps = at_each_step(
        tmp_path,
        lambda folder: (folder / "CLAUDE.md").write_bytes(ORIGINAL) and None,
        lambda folder: carry_out(folder),
    )
    assert steps > 10
    # Whatever a dead writer left, the same command brings it to its end.
    for folder in sorted(tmp_path.iterdir()):
        if (folder / "CLAUDE.md").read_bytes() == ORIGINAL:
            carry_out(folder)
            assert restore.restored(folder).data == ORIGINAL
            assert not list(folder.glob(".memory.manent-*"))


def test_a_compile_afresh(tmp_path: Path) -> None:
    def begin(folder: Path) -> None:
        compiled(folder, ORIGINAL)

    assert at_each_step(tmp_path, begin, lambda folder: carry_out(folder, force=True)) > 10


def test_an_update(tmp_path: Path) -> None:
    def begin(folder: Path) -> None:
        compiled(folder, ORIGINAL)
        file = folder / "CLAUDE.md"
        file.write_bytes(file.read_bytes() + ADDED)

    def action(folder: Path) -> None:
        carry_out(folder, update=True)

    for at in range(1, 400):
        folder = tmp_path / str(at)
        begin(folder)
        if not killed(at, lambda folder=folder: action(folder)):
            break
        action(folder)  # the same command again takes what was appended in once, not twice
        assert restore.restored(folder).data == ORIGINAL + ADDED, f"step {at}"
    assert at > 10


def test_a_restore(tmp_path: Path) -> None:
    def begin(folder: Path) -> None:
        compiled(folder, ORIGINAL)

    assert at_each_step(tmp_path, begin, lambda folder: restore.restored(folder) and None) > 2


@pytest.mark.parametrize("fails", range(1, 24))
def test_a_full_disk(tmp_path: Path, fails: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails undoes what came before it."""
    (tmp_path / "CLAUDE.md").write_bytes(ORIGINAL)
    left = [fails]

    def full(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **given: object) -> object:
            left[0] -= 1
            if left[0] == 0:
                raise OSError(28, "No space left on device")
            return real(*arguments, **given)

        return call

    with monkeypatch.context() as patched:
        for name in ("fsync", "rename", "replace"):
            patched.setattr(os, name, full(getattr(os, name)))
        try:
            carry_out(tmp_path)
        except OSError:
            assert (tmp_path / "CLAUDE.md").read_bytes() == ORIGINAL
            assert not (tmp_path / ".memory").exists()
        else:
            assert b"manent:memory begin" in (tmp_path / "CLAUDE.md").read_bytes()
    if (tmp_path / "CLAUDE.md").read_bytes() == ORIGINAL:
        carry_out(tmp_path)
    assert restore.restored(tmp_path).data == ORIGINAL


def _tree(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if BACKUP not in path.parts
    }


def _memories(folder: Path) -> dict[str, bytes | None]:
    for name in ("a.md", "b.md", "sub/c.md", "MEMORY.md", "note.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n")
    return _tree(folder)


OPS = [
    {"op": "write_file", "path": "new/deep/d.md", "content": "# D\n"},
    {"op": "rename_file", "path": "a.md", "to": "z.md"},
    {"op": "write_file", "path": "b.md", "content": "# Other\n"},
    {"op": "rename_file", "path": "sub/c.md", "to": "a.md"},
    {"op": "delete_file", "path": "MEMORY.md"},
    {"op": "write_file", "path": "MEMORY.md", "content": "# Again\n"},
]


def test_operations_broken_off_anywhere_are_undone_by_the_next_writer(tmp_path: Path) -> None:
    for at in range(1, 200):
        folder = tmp_path / str(at)
        before = _memories(folder)
        if not killed(at, lambda folder=folder: reorganized(folder, operations(OPS), "m")):
            break
        recovered(folder)
        after = _tree(folder)
        assert after == before or after["MEMORY.md"] == b"# Again\n", f"step {at}: half of it"
        assert not list((folder / BACKUP).glob("*/.undo.json"))
        reorganized(folder, operations(OPS[:1]), "n") if after == before else None
    assert at > 20


def test_what_somebody_wrote_since_is_kept(tmp_path: Path) -> None:
    for at in range(1, 200):
        folder = tmp_path / str(at)
        before = _memories(folder)
        killed(at, lambda folder=folder: reorganized(folder, operations(OPS), "m"))
        if (folder / "z.md").exists():
            break
    (folder / "b.md").write_text("# Mine\n")
    assert recovered(folder)
    assert _tree(folder) == before | {"b.md": b"# Mine\n"}
    assert not recovered(folder)
