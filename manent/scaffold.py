"""A new vault: its layout, its templates, its settings, in a git repository.

Nothing that stands already is touched, whatever its case: where ``Home.md`` is,
no ``HOME.md`` is laid beside it. What is written comes from ``fixture-vault/``,
so that the empty vault and the example cannot differ in their settings.
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from manent import data
from manent.errors import EnvironmentFault, ManentError, UsageError
from manent.links.resolve import fold
from manent.repo.command import Git, clean

TEMPLATES = ("empty", "example")

_FOLDERS = (
    "memory",
    "projects",
    "moc",
    "people",
    "library",
    "wiki/entities",
    "wiki/concepts",
    "wiki/queries",
    "knowledge",
    "quarantine",
)
_SETTINGS = (".gitattributes", ".gitignore", ".manentignore", ".obsidian", "templates")
_LABEL = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")

_MEMORY = """\
---
name: MEMORY
description: Every note of the vault, one line each
type: index
created: {day}
---
# Memory

One line a note: its link and what it is for. This list is private: an index is
as private as the most private note on it, so give each audience its own.

- [[HOME]]: where a reader begins
"""

_HOME = """\
---
name: HOME
description: Where a reader begins
type: moc
created: {day}
---
# Home

The maps and notes worth knowing, each with the reason to open it. The list of
everything is [[MEMORY]].
"""

InstallHooks = Callable[[Path], Sequence[str]]
"""Puts the local hooks into the repository at a folder; returns what it did, for people."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What kind of vault is wanted.

    template: ``empty``, or ``example`` for a copy of the fixture vault.
    audiences: the closed set of labels, () leaves it open.
    frontmatter: ``required`` or ``optional``; None keeps what the repository
    says, else ``required``.
    salt: hexadecimal text that keys the vault's fingerprints; random, and new.
    """

    template: str
    audiences: tuple[str, ...]
    frontmatter: str | None
    salt: str
    today: datetime.date

    def check(self) -> None:
        """Raise UsageError when it asks for what no vault can be."""
        if self.template not in TEMPLATES:
            raise UsageError(f"no template {self.template}", f"one of {', '.join(TEMPLATES)}")
        for label in self.audiences:
            if not _LABEL.fullmatch(label):
                raise UsageError(f"{label!r} is no label", "small letters, digits, - and _")
            if label == "private":
                raise UsageError("private is no audience", "leave it out: it is never granted")


@dataclass(slots=True)
class Outcome:
    """What was done. made, kept: paths, sorted: new ones, and ones that stood already."""

    made: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    initialised: bool = False
    hooks: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def scaffold(
    root: Path,
    plan: Plan,
    environment: Mapping[str, str],
    install_hooks: InstallHooks | None = None,
) -> Outcome:
    """Make ``root`` a vault in a git repository, and keep all that stands there.

    environment: the caller's, for git (HOME, PATH).
    Raises UsageError for an impossible plan, EnvironmentFault when something
    cannot be written; what was written by then stays, and a second run goes on.
    """
    plan.check()
    _refuse_bare(root)
    outcome = Outcome()
    ground = _Ground(root)
    for path, content in sorted(_files(plan)):
        (outcome.made if ground.lay(path, content) else outcome.kept).append(path)
    _repository(root, plan, environment, outcome)
    if install_hooks is not None:
        _hooks(root, install_hooks, outcome)
    if ".gitignore" in outcome.kept:
        _remark_unignored(root, environment, outcome)
    return outcome


def _refuse_bare(root: Path) -> None:
    if root.exists() and not root.is_dir():
        raise EnvironmentFault(f"{root} is a file", "name a folder")
    if (root / "HEAD").is_file() and (root / "objects").is_dir():
        raise EnvironmentFault(
            f"{root} is a bare repository", "a brain is made by `manent brain create`"
        )


def _files(plan: Plan) -> Iterator[tuple[str, bytes]]:
    """Yield (path, content) of all the vault is to have."""
    source = data.path("fixture-vault")
    for path in _source_paths(source):
        if plan.template == "example" or path.split("/")[0] in _SETTINGS:
            yield path, (source / path).read_bytes()
    yield ".manent-allow", json.dumps({"salt": plan.salt}).encode() + b"\n"
    if plan.template == "empty":
        day = plan.today.isoformat()
        yield "MEMORY.md", _MEMORY.format(day=day).encode()
        yield "HOME.md", _HOME.format(day=day).encode()
        for folder in _FOLDERS:
            yield f"{folder}/.gitkeep", b""


def _source_paths(source: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if name not in (".git", ".manent"))
        for name in files:
            yield (Path(folder) / name).relative_to(source).as_posix()


class _Ground:
    """The folder being filled: knows what stands there, in whatever case."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._listed: dict[Path, dict[str, str]] = {}

    def lay(self, path: str, content: bytes) -> bool:
        """Write a file where nothing stands; return whether it was written."""
        if self._is_taken(path):
            return False
        target = self.root / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "xb") as file:
                file.write(content)
        except FileExistsError:
            return False
        except OSError as error:
            raise EnvironmentFault(f"cannot write {target}: {error.strerror}") from error
        self._add(path)
        return True

    def _is_taken(self, path: str) -> bool:
        """Tell whether the path, or something in the way of it, stands there already.

        A folder of another spelling, a file and a symlink are in the way: writing
        would make colliding paths, fail, or land outside the vault.
        """
        folder = self.root
        *parents, last = path.split("/")
        for part in parents:
            standing = self._names(folder).get(fold(part))
            if standing is None:
                return False
            folder = folder / standing
            if standing != part or folder.is_symlink() or not folder.is_dir():
                return True
        return fold(last) in self._names(folder)

    def _names(self, folder: Path) -> dict[str, str]:
        if folder not in self._listed:
            try:
                names = [entry.name for entry in folder.iterdir()]
            except FileNotFoundError:
                names = []
            except OSError as error:
                raise EnvironmentFault(f"cannot read {folder}: {error.strerror}") from error
            self._listed[folder] = {fold(name): name for name in names}
        return self._listed[folder]

    def _add(self, path: str) -> None:
        folder = self.root
        for part in path.split("/"):
            self._names(folder).setdefault(fold(part), part)
            folder = folder / part


def _repository(root: Path, plan: Plan, environment: Mapping[str, str], outcome: Outcome) -> None:
    git = Git("", root, clean(environment))
    if not os.path.lexists(root / ".git"):
        _remark_nested(root, git, outcome)
        undecided, _, _ = git.attempt("config", "--get", "init.defaultBranch")
        git.run("init", "--quiet", *(["--initial-branch=main"] if undecided else []))
        outcome.initialised = True
    if plan.audiences:
        git.run("config", "--local", "manent.audiences", ",".join(plan.audiences))
    unset, _, _ = git.attempt("config", "--local", "--get", "manent.frontmatter")
    if plan.frontmatter or unset:
        git.run("config", "--local", "manent.frontmatter", plan.frontmatter or "required")


def _remark_nested(root: Path, git: Git, outcome: Outcome) -> None:
    """Say so where the new repository stands inside another, which will not follow its files."""
    absent, said, _ = git.attempt("rev-parse", "--show-toplevel")
    if not absent:
        around = os.fsdecode(said).rstrip("\n")
        outcome.remarks.append(
            f"{root} lies inside the repository {around}: it is a repository of its own now, "
            "whose notes the outer one does not record"
        )


def _hooks(root: Path, install_hooks: InstallHooks, outcome: Outcome) -> None:
    """Install the hooks; a vault is of use without them, so a refusal is a remark."""
    try:
        outcome.hooks.extend(install_hooks(root))
    except ManentError as refused:
        outcome.remarks.append(f"no local hook: {refused}")


def _remark_unignored(root: Path, environment: Mapping[str, str], outcome: Outcome) -> None:
    """Say so where git would track derived data, asked of git itself: its rules are many."""
    asked = Git("", root, clean(environment, GIT_LITERAL_PATHSPECS="0"))
    tracked, _, _ = asked.attempt("check-ignore", "-q", "--no-index", "--", ".manent/x")
    if tracked:
        outcome.remarks.append(
            "add the line /.manent/ to .gitignore: derived data is never tracked"
        )
