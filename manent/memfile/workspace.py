"""The folder beside a compiled file, ``.memory/``: reading it, and replacing it whole.

A new state is built in a folder of its own and takes the old one's place by two
renames; the memory file itself is replaced last, by one. Whenever a writer dies,
the memory file holds either its old bytes or its new ones, and a workspace that
rebuilds it stands under one of two names, of which the next reader finds the right one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from manent.errors import EnvironmentFault, NotFound, Refused
from manent.memfile.entries import from_json, is_json
from manent.memfile.manifest import (
    ALWAYS,
    MANIFEST,
    ON_DEMAND,
    ORIGINAL,
    PREVIOUS,
    WORKSPACE,
    Manifest,
    is_listable,
    load,
)
from manent.memfile.places import is_file, is_symlink

_COMING = f"{WORKSPACE}.manent-new"
_GOING = f"{WORKSPACE}.manent-old"
_LARGEST = 64 << 20
"""Bytes of a file that are read at most: a memory file of 64 MB is none."""

_IGNORED = b"# Verbatim copies, kept on this machine alone.\n/original/\n"
_ATTRIBUTES = b"# The parts rebuild a file byte for byte: no line end is converted.\n* -text\n"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A compiled workspace, opened. root: the folder of the memory file."""

    root: Path
    folder: Path
    manifest: Manifest

    @property
    def source(self) -> Path:
        """Where the compiled file stood, and its stub stands."""
        return self.root / self.manifest.source.name

    def read(self, path: str) -> bytes:
        """Return ``always.md`` or an on-demand file.

        Raises EnvironmentFault when it is missing, a symlink, or lies elsewhere.
        """
        return read_inside(self.folder, path)

    def on_demand(self) -> list[str]:
        """Return the paths of the files that lie in ``on-demand/``, sorted, known or not.

        What cannot stand in a list is left out: ``aside`` has it.
        """
        known = {entry.path for entry in self.manifest.files}
        paths = _files_in(self.folder / ON_DEMAND)
        return [path for path in paths if path in known or not _fault(self.folder, path)]

    def aside(self) -> list[tuple[str, str]]:
        """Return what in ``on-demand/`` no list can hold: (path, why), sorted."""
        known = {entry.path for entry in self.manifest.files}
        found = [(path, _fault(self.folder, path)) for path in _files_in(self.folder / ON_DEMAND)]
        return [(path, why) for path, why in found if why and path not in known]


def _files_in(folder: Path) -> list[str]:
    """Return the paths of the Markdown files and logs that lie in ``on-demand/``, sorted."""
    if not folder.is_dir() or folder.is_symlink():
        return []
    names = [p.name for p in folder.iterdir() if p.is_file() and not p.is_symlink()]
    return sorted(f"{ON_DEMAND}/{n}" for n in names if n.endswith((".md", ".json")))


def _fault(folder: Path, path: str) -> str:
    """Return why a file of ``on-demand/`` cannot stand in a list, "" where it can."""
    if not is_listable(path):
        return "its name is hidden, or holds signs that no line of a list can"
    try:
        data = read_inside(folder, path)
        if is_json(path):
            from_json(data, path)
    except EnvironmentFault as fault:
        return str(fault).removeprefix(f"{path} ")
    return ""


def folder_of(root: Path) -> Path | None:
    """Return the workspace folder beside a memory file, or None where there is none."""
    for name in (WORKSPACE, _GOING):
        if is_file(root / name / MANIFEST):
            return root / name
    return None


_BELOW = ("", ".claude", ".github")
"""Where, from a project's folder, memory files stand with a workspace beside them."""


def nearest(root: Path) -> Path:
    """Return the folder that holds a project's workspace: the project's, or one hosts use."""
    for name in _BELOW:
        if folder_of(root / name) is not None:
            return root / name
    return root


def exists(root: Path) -> bool:
    """Whether anything stands where a workspace would."""
    return os.path.lexists(root / WORKSPACE) or os.path.lexists(root / _GOING)


def find(root: Path) -> Workspace | None:
    """Open the workspace of a folder; None where there is none.

    Raises EnvironmentFault when there is one that cannot be read.
    """
    folder = folder_of(root)
    if folder is None:
        return None
    if folder.is_symlink():
        raise EnvironmentFault(f"{folder} is a symlink", "a workspace is a folder of its own")
    data = read_inside(folder, MANIFEST)
    return Workspace(root, folder, load(data, f"{WORKSPACE}/{MANIFEST}"))


def opened(path: Path) -> Workspace:
    """Open the workspace of a folder, of a stub, or ``.memory`` itself.

    Raises NotFound where there is none.
    """
    root = path.parent if path.name == WORKSPACE or is_file(path) else path
    found = find(nearest(root))
    if found is None:
        raise NotFound(f"{root} holds no compiled memory", "manent memory compile makes one")
    return found


def read_file(path: Path) -> bytes:
    """Return the bytes of a regular file, never through a symlink."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        opened = os.open(path, flags)
    except OSError as fault:
        if is_symlink(path):
            raise Refused(f"{path} is a symlink", "name the file it points to") from None
        raise EnvironmentFault(f"{path} cannot be read: {fault.strerror}") from None
    with os.fdopen(opened, "rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise EnvironmentFault(f"{path} is no file")
        if found.st_size > _LARGEST:
            raise EnvironmentFault(f"{path} is larger than {_LARGEST >> 20} MB")
        return stream.read()


def read_inside(folder: Path, path: str) -> bytes:
    """Return a file under a folder, none of whose parts is a symlink or leads out."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or any(part in ("..", ".") for part in parts):
        raise EnvironmentFault(f"{path} leads out of {folder.name}")
    at = folder
    for part in parts[:-1]:
        at = at / part
        if is_symlink(at):
            raise EnvironmentFault(f"{at} is a symlink", "a workspace holds none")
    target = at / parts[-1]
    if is_symlink(target):
        raise EnvironmentFault(f"{target} is a symlink", "a workspace holds none")
    return read_file(target)


def refuse_symlinks(root: Path, name: str) -> None:
    """Raise Refused when the memory file, or anything of its workspace, is a symlink."""
    for path in (root / name, root / WORKSPACE, root / _COMING, root / _GOING):
        if path.is_symlink():
            raise Refused(f"{path} is a symlink", "compile the file it points to, where it stands")
    for folder, folders, files in os.walk(root / WORKSPACE):
        for entry in (*folders, *files):
            if (path := Path(folder) / entry).is_symlink():
                raise Refused(f"{path} is a symlink", "a workspace holds none")


@contextlib.contextmanager
def writing(root: Path) -> Iterator[None]:
    """Hold the folder of a memory file against other writers, and tidy what one left."""
    import fcntl

    held = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        _recover(root)
        yield
    except PermissionError as fault:
        raise EnvironmentFault(f"cannot write in {root}: {fault.strerror}") from None
    finally:
        os.close(held)


def _recover(root: Path) -> None:
    """Finish or undo what a writer that died left behind."""
    coming, going, folder = root / _COMING, root / _GOING, root / WORKSPACE
    if coming.is_dir() and not coming.is_symlink():
        shutil.rmtree(coming)
    if going.is_dir() and not going.is_symlink():
        if folder.exists():
            shutil.rmtree(going)
        else:
            going.rename(folder)


def replace(
    root: Path, files: Mapping[str, bytes], name: str, stub: bytes, keep: Mapping[str, bytes]
) -> None:
    """Make ``files`` the workspace of a folder and ``stub`` its memory file.

    files: path in the workspace to bytes; on-demand files that are not among
    them go to ``previous/``. keep: what else goes there. ``original/`` and
    ``previous/`` stay. Call it inside ``writing``.
    """
    folder, coming, going = root / WORKSPACE, root / _COMING, root / _GOING
    load(files[MANIFEST])  # a state that no reader takes is never written
    try:
        _built(folder, coming, files, keep)
        _shield(coming, root / name)
    except BaseException:
        shutil.rmtree(coming, ignore_errors=True)
        raise
    if folder.exists():
        folder.rename(going)
    coming.rename(folder)
    try:
        replace_file(root / name, stub)
    except BaseException:
        folder.rename(coming)
        if going.exists():
            going.rename(folder)
        shutil.rmtree(coming)
        raise
    shutil.rmtree(going, ignore_errors=True)


def _built(
    folder: Path, coming: Path, files: Mapping[str, bytes], keep: Mapping[str, bytes]
) -> None:
    """Write a new state out beside the one it takes the place of."""
    coming.mkdir(mode=0o700)
    kept = dict(keep)
    if folder.is_dir():
        kept |= _dropped(folder, files)
        _carry(folder, coming, files)
    for path, data in files.items():
        if not (path.startswith(f"{ORIGINAL}/") and (coming / path).exists()):
            _write(coming / path, data)
    _keep(coming, kept)
    _settle(coming)


def _shield(folder: Path, source: Path) -> None:
    """Let nobody read a part who may not read the memory file. The folder itself comes last."""
    mode = stat.S_IMODE(source.stat().st_mode) if source.exists() else 0o644
    allowed = mode & 0o666 | 0o600
    for place, _, files in os.walk(folder, topdown=False):
        for path in (Path(place) / name for name in files):
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & (allowed | 0o100))
        Path(place).chmod(0o755 & (allowed | (allowed & 0o444) >> 2))


_OURS = frozenset({MANIFEST, ALWAYS, ON_DEMAND, ".gitignore", ".gitattributes"})


def _carry(folder: Path, coming: Path, files: Mapping[str, bytes]) -> None:
    """Take along what is no part of the state: copies, and whatever somebody put there."""
    held = [path for path in folder.iterdir() if path.name not in _OURS]
    if (folder / ON_DEMAND).is_dir():
        held += [path for path in (folder / ON_DEMAND).iterdir() if _is_foreign(folder, path)]
    for path in held:
        if path.relative_to(folder).as_posix() in files:
            continue
        target = coming / path.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target, symlinks=True)
        elif path.is_file():
            shutil.copy2(path, target)


def _is_foreign(folder: Path, path: Path) -> bool:
    return not path.is_file() or bool(_fault(folder, f"{ON_DEMAND}/{path.name}"))


def _dropped(folder: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the on-demand files that the new state has no more, or has otherwise."""
    dropped = {}
    for path in sorted((folder / ON_DEMAND).glob("*")):
        name = f"{ON_DEMAND}/{path.name}"
        stays = name not in files and _is_foreign(folder, path)
        if path.is_file() and not stays and files.get(name) != (data := read_file(path)):
            dropped[name] = data
    return dropped


def _keep(folder: Path, kept: Mapping[str, bytes]) -> None:
    """Put what is replaced under the next number of ``previous/``."""
    if not kept:
        return
    numbers = [int(p.name) for p in (folder / PREVIOUS).glob("*") if p.name.isdecimal()]
    place = folder / PREVIOUS / f"{max(numbers, default=0) + 1:04d}"
    for path, data in sorted(kept.items()):
        _write(place / path, data)


def keep_copy(folder: Path, kept: Mapping[str, bytes]) -> None:
    """Put copies under the next number of ``previous/`` of a workspace that stays as it is."""
    _keep(folder, kept)


def _write(path: Path, data: bytes, mode: int = 0o666) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _settle(folder: Path) -> None:
    """Make the names in a folder last before anything points to it."""
    for place, _, _ in os.walk(folder):
        _flush_names(Path(place))


def _flush_names(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def draft(path: Path) -> Path:
    """Return where the new content of a file is written before it takes the file's place."""
    return path.with_name(f".{path.name}.manent-new")


def replace_file(path: Path, data: bytes) -> None:
    """Put ``data`` in place of a file in one step; its permissions stay."""
    if is_symlink(path):
        raise Refused(f"{path} is a symlink", "name the file it points to")
    fresh = draft(path)
    fresh.unlink(missing_ok=True)
    try:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
        _write(fresh, data, 0o666 if mode is None else 0o600)
        if mode is not None:
            fresh.chmod(mode)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # it is done: nothing after it may undo what came before
        _flush_names(path.parent)


def git_files() -> dict[str, bytes]:
    """Return what keeps the verbatim copy out of git, and git from changing line ends."""
    return {".gitignore": _IGNORED, ".gitattributes": _ATTRIBUTES}
