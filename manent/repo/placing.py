"""Single files of a working tree: read, put in place at once, taken away."""

from __future__ import annotations

import os
from pathlib import Path

from manent.errors import EnvironmentFault, NotAVault, Refused


def read(path: Path) -> bytes | None:
    """Return a file's content, None where there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise NotAVault(f"cannot read {path}: {error.strerror}") from error


def place(root: Path, path: str, content: bytes | None) -> None:
    """Put one file where it belongs at once, or take it away with the folders it empties."""
    target = root / path
    try:
        if content is None:
            target.unlink(missing_ok=True)
            _drop_empty(root, target.parent)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, content, target.stat().st_mode & 0o7777 if target.exists() else None)
    except OSError as error:
        raise EnvironmentFault(f"cannot write {path}: {error.strerror}") from error


def refuse_symlinks(root: Path, path: str) -> None:
    """Raise Refused when a step of ``path`` below ``root`` is a symlink."""
    step = root
    for part in path.split("/"):
        step = step / part
        if step.is_symlink():
            raise Refused(f"{path} leads through a symlink", "remove the symlink")


def replace(target: Path, content: bytes, mode: int | None) -> None:
    """Write a file beside ``target`` and put it there at once. mode: None for the umask's."""
    # Opened by hand rather than by tempfile, so that a new file gets the user's umask.
    draft = target.with_name(f".manent-{os.getpid()}-{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(draft, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            draft.chmod(mode)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _drop_empty(root: Path, folder: Path) -> None:
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
