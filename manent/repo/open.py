"""Find a repository, and ask it what it is, what it holds and how it is set."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from manent.errors import EnvironmentFault, NotAVault
from manent.repo.command import Git, clean
from manent.repo.objects import Header, Library, MissingObject, Objects, Pipe
from manent.tree import RACY_NS

Environment = Mapping[str, str]


class Repository:
    """One git repository, bare or not.

    path: its git folder. workdir: its working tree, None where bare.
    objects: reads objects; through libgit2, or through ``git`` when ``light``,
    which starts faster and is what a hook wants.
    given: the ``GIT_*`` variables that git is to see all the same.
    """

    def __init__(
        self,
        path: Path,
        workdir: Path | None,
        environment: Environment | None = None,
        *,
        light: bool = False,
        given: Environment | None = None,
    ) -> None:
        self.path = path
        self.workdir = workdir
        self.environment = clean(environment, **(given or {}))
        self.git = Git(str(path), workdir or path, self.environment)
        self._light = light
        self._objects: Objects | None = None
        self._config: dict[str, list[str]] | None = None

    @property
    def is_bare(self) -> bool:
        """Whether it has no working tree."""
        return self.workdir is None

    @property
    def objects(self) -> Objects:
        """The reader of its objects, opened on first use."""
        if self._objects is None:
            if self._light:
                self._objects = Pipe(self.git, self._folders())
            else:
                self._objects = Library(common_folder(self.path) / "objects")
        return self._objects

    def reader(self) -> Objects:
        """Return another reader of the same objects, for whoever has questions open while
        more are asked; to be closed."""
        return Pipe(self.git, self._folders())

    def _folders(self) -> list[str]:
        """Return the folders of objects git reads first: a push's own, then the repository's."""
        own = str(common_folder(self.path) / "objects")
        return list(dict.fromkeys([self.environment.get("GIT_OBJECT_DIRECTORY", own), own]))

    @property
    def has_settings(self) -> bool:
        """Whether ``settings`` answers without git."""
        return self._config is not None

    def settings(self) -> Mapping[str, list[str]]:
        """Return the repository's own config: lower-case ``section.key`` to its values.

        Only what stands in the repository's files (and what they include): the
        policy of a brain does not depend on who runs git.
        """
        if self._config is None:
            status, out, said = self.git.attempt(*SETTINGS)
            if status:
                raise EnvironmentFault(f"the config of {self.path} is unreadable: {said}", _MEND)
            self._config = {}
            for line in out.decode("utf-8", "surrogateescape").split("\0"):
                if line:
                    key, _, value = line.partition("\n")
                    self._config.setdefault(key, []).append(value)
        return self._config

    def kept_settings(self, now_ns: int) -> Kept | None:
        """Return the settings for ``recall``, None where files do not tell whether they hold.

        They do where the config includes nothing but the file of a brain's own beside it,
        and where none of both was written just now.
        """
        included = [
            v for k, v in self.settings().items() if k.startswith(("include.", "includeif."))
        ]
        beside = {name for values in included for name in values}
        if not beside <= {BESIDE} or common_folder(self.path) != self.path:
            return None
        files = _written(self.path)
        settled = bool(files) and all(now_ns - mtime > RACY_NS for _, mtime, *_ in files)
        return Kept(self.path, files, dict(self.settings())) if settled else None

    def recall(self, kept: Kept | None) -> None:
        """Take the settings from ``kept`` where the files are still those they stood in."""
        if kept is not None and kept.path == self.path and kept.files == _written(self.path):
            self._config = dict(kept.settings)

    def forget_settings(self) -> None:
        """Read the config again when it is next asked for: it was changed."""
        self._config = None

    def section(self, name: str = "manent") -> dict[str, list[str]]:
        """Return one section of ``settings``: lower-case key to its values."""
        start = name.lower() + "."
        return {k[len(start) :]: v for k, v in self.settings().items() if k.startswith(start)}

    @property
    def head_ref(self) -> str:
        """The full name of the ref HEAD points at, born or not; "" when detached."""
        status, out, _ = self.git.attempt("symbolic-ref", "-q", "HEAD")
        return "" if status else _text(out)

    @property
    def head_branch(self) -> str:
        """The branch HEAD points at (``main``), or ""."""
        return self.head_ref.removeprefix("refs/heads/")

    def refs(self) -> dict[str, str]:
        """Return every ref with the id it points at, in byte order."""
        out = self.git.run("for-each-ref", "--format=%(objectname) %(refname)")
        lines = [line.split(" ", 1) for line in _text(out).splitlines()]
        return {name: oid for oid, name in lines}

    def ref(self, name: str) -> str:
        """Return the id the full ref ``name`` points at, or ""."""
        loose = self._loose(name)
        if loose:
            return loose
        status, out, _ = self.git.attempt("rev-parse", "-q", "--verify", "--end-of-options", name)
        return "" if status else _text(out)

    def _loose(self, name: str) -> str:
        """Return what the file of a branch says, "" where only git can tell.

        A branch that was just pushed to is such a file; starting git to read it costs
        a hook 4 ms each time (``python -m eval.bench.push --sizes 1000``).
        """
        if not name.startswith("refs/heads/") or ".." in name:
            return ""
        try:
            said = (common_folder(self.path) / name).read_bytes().rstrip(b"\n")
        except (OSError, ValueError):
            return ""
        plain = len(said) == 40 and all(c in b"0123456789abcdef" for c in said)
        return said.decode("ascii") if plain else ""

    def resolve(self, rev: str = "HEAD") -> tuple[str, str]:
        """Return (commit id or "", tree id) of any commit, tag, tree, branch or short id.

        Raises NotAVault when ``rev`` names nothing, or a file.
        """
        if not rev or "\0" in rev or "\n" in rev:
            raise NotAVault(f"no revision {rev!r}", "name a commit, a tag or a branch")
        if len(rev) == 40 and all(c in "0123456789abcdef" for c in rev):
            return self.peel(rev)
        status, out, _ = self.git.attempt("rev-parse", "-q", "--verify", "--end-of-options", rev)
        if status:
            raise NotAVault(self._absent(rev), "name a commit, a tag or a branch that exists")
        return self.peel(_text(out))

    def peel(self, oid: str) -> tuple[str, str]:
        """Return (commit id or "", tree id) for the full id of a commit, tag or tree."""
        first, commit = oid, ""
        for _ in range(_TAG_DEPTH):
            try:
                kind, raw = _small(self.objects, oid)
            except MissingObject as error:
                raise NotAVault(f"no object {oid} in {self.path}", "fetch it first") from error
            if kind == "tree":
                return commit, oid
            if kind == "commit":
                commit, oid = oid, _header_field(raw, b"tree")
            elif kind == "tag":
                oid = _header_field(raw, b"object")
            else:
                break
        raise NotAVault(f"{first} is no commit, tag or tree of files", "name a commit or a tree")

    def close(self) -> None:
        """End helper processes."""
        self.git.close()
        if self._objects is not None:
            self._objects.close()

    def _absent(self, rev: str) -> str:
        if rev == "HEAD" or rev == self.head_branch:
            return f"{self.path} has no commit yet"
        return f"no revision {rev} in {self.path}"


class Kept(NamedTuple):
    """Settings of the repository at ``path``, and what the file system says of their files."""

    path: Path
    files: tuple[tuple[int, ...], ...]
    settings: dict[str, list[str]]


BESIDE = "manent-hooks.config"
"""The one file that a brain's own config includes (``manent.gate.install``)."""


def _written(folder: Path) -> tuple[tuple[int, ...], ...]:
    """Return what tells that config or the file beside it was written: nothing for none."""
    found: list[tuple[int, ...]] = []
    for number, name in enumerate(("config", BESIDE)):
        try:
            told = (folder / name).stat()
        except OSError:
            continue
        found.append((number, told.st_mtime_ns, told.st_ctime_ns, told.st_size, told.st_ino))
    return tuple(found)


SETTINGS = ("config", "--local", "--includes", "-z", "--list")
"""How git is asked for ``settings``."""

_MEND = "see git config --local --list"
_TAG_DEPTH = 64


def discover(
    start: Path, environment: Environment | None = None, *, light: bool = False
) -> Repository | None:
    """Return the repository that ``start`` is, or stands in; None where there is none.

    environment: the caller's; HOME counts (git's ``safe.directory`` lives there),
    ``GIT_*`` does not. Raises NotAVault for a repository that cannot be read.
    """
    if not start.is_dir():
        return None
    git = Git("", start, clean(environment))
    status, out, said = git.attempt(
        "rev-parse",
        "--is-bare-repository",
        "--is-inside-work-tree",
        "--show-object-format",
        "--absolute-git-dir",
    )
    if status:
        if "not a git repository" in said or "must be run in a work tree" in said:
            return None
        raise NotAVault(f"git does not open {start}: {said}", "see git -C FOLDER status")
    _bare, inside, object_format, path = _text(out).split("\n", 3)
    if object_format != "sha1":
        raise NotAVault(
            f"{path} stores objects in {object_format} format, which manent does not read",
            "make the repository with git init --object-format=sha1",
        )
    workdir = Path(_text(git.run("rev-parse", "--show-toplevel"))) if inside == "true" else None
    return Repository(Path(path), workdir, environment, light=light)


def common_folder(git_dir: Path) -> Path:
    """Return the folder that holds the objects: another one for a linked worktree."""
    try:
        named = (git_dir / "commondir").read_text(encoding="utf-8").strip()
    except OSError:
        return git_dir
    return Path(os.path.normpath(git_dir / named))


def state_folder(repository: Repository) -> Path:
    """Return ``<git dir>/manent``, made with mode 0700 where missing.

    Raises EnvironmentFault when it is a symlink or no folder: derived data must
    not be written where somebody else points; or when it is closed to this user.
    """
    return _made(repository.path / "manent")


def shared_folder(repository: Repository) -> Path:
    """Return the ``state_folder`` of the repository that a linked worktree belongs to."""
    return _made(common_folder(repository.path) / "manent")


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        pass
    except OSError as error:
        raise EnvironmentFault(f"cannot make {folder}: {error.strerror}", _PERMIT) from error
    if not stat.S_ISDIR(folder.lstat().st_mode):
        raise EnvironmentFault(f"{folder} is no plain folder", "remove it: it is rebuilt")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise EnvironmentFault(f"{folder} is closed to this user", _PERMIT)
    return folder


_PERMIT = "the user who runs manent must own the repository"


def _small(objects: Objects, oid: str) -> tuple[str, bytes]:
    header: Header = objects.header(oid)
    # The content of a tree or a file is not needed to know that it is one.
    return objects.read(oid) if header.kind in ("commit", "tag") else (header.kind, b"")


def _header_field(raw: bytes, key: bytes) -> str:
    """Return the value of the first header line, which git writes as ``key``."""
    line = raw.split(b"\n", 1)[0]
    found, _, value = line.partition(b" ")
    if found != key:
        raise NotAVault(f"an object lacks its {key.decode()} line", "see git fsck")
    return value.decode("ascii", "replace")


def _text(out: bytes) -> str:
    return out.decode("utf-8", "surrogateescape").removesuffix("\n")
