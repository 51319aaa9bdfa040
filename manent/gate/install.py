"""Put the hooks into a repository, say whether they work, take them out again."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from manent import data
from manent.errors import EnvironmentFault, Refused
from manent.repo.judged import adopt
from manent.repo.open import BESIDE, Repository, common_folder
from manent.values import dataclass

SERVER = ("pre-receive", "post-receive", "reference-transaction")
LOCAL = ("pre-commit", "post-merge", "post-rewrite")
_MARK = "manent.cli.hook"
_TRANSACTION_MARK = "manent: $ref moves"


@dataclass(frozen=True, slots=True)
class HookState:
    """One hook as it stands: ``installed``, ``missing``, ``foreign``, ``not executable``
    or ``stale`` (an older text of ours)."""

    name: str
    state: str
    chained: bool


def hooks_folder(repository: Repository, allow_outside: bool = False) -> Path:
    """Return the folder git takes hooks from. Raises Refused when it is another's.

    allow_outside: a ``core.hooksPath`` that leads out of the repository was named
    by the caller on purpose.
    """
    named = _named(repository)
    if not named:
        return common_folder(repository.path) / "hooks"
    folder = Path(named).expanduser()
    # git resolves it from where hooks run: the git folder, or the working tree.
    folder = Path(os.path.normpath((repository.workdir or repository.path) / folder))
    inside = (repository.path, repository.workdir or repository.path)
    if not allow_outside and not any(folder.is_relative_to(root) for root in inside):
        raise Refused(
            f"core.hooksPath leads out of the repository, to {folder}",
            f"other repositories may share it; name it: --hooks-path {folder}",
        )
    return folder


def _named(repository: Repository) -> str:
    """Return what ``core.hooksPath`` says, wherever it is said, "" where nowhere.

    Set for a user or a machine it moves the hooks of every repository: what
    stands in the repository's own folder is then ignored without a word.
    """
    values = repository.settings().get("core.hookspath")
    if values:
        return values[-1]
    status, out, _ = repository.git.attempt("config", "--get", "core.hooksPath")
    return "" if status else out.decode("utf-8", "surrogateescape").removesuffix("\n")


PIN = BESIDE
"""The file that says where a brain's hooks lie, as long as the brain lies there too."""


_RELATIVE = "hooks"


def pin(repository: Repository) -> list[str]:
    """Make git look for a brain's hooks in the brain, whatever a user's own config says.

    A plain ``core.hooksPath`` with a full path would turn the gate off without a word
    once the brain is moved, and a relative one counts from wherever git is started:
    that is the brain itself for a push. So the relative one stands in the config, for
    a brain that was moved, and the full one before it, in a file that git includes
    only while the brain is at this place.
    A hooks path of the brain's own is left alone. Returns what was done, a line each.
    """
    if not repository.is_bare:
        return []
    unpin(repository)
    if repository.settings().get("core.hookspath"):
        return []
    named = _named(repository)
    root = common_folder(repository.path)
    place = os.fspath(root / "hooks")
    if "\n" in place:  # no name of a section can hold it
        return []
    repository.git.run("config", "--local", "core.hooksPath", _RELATIVE)
    _pin_to(repository, root)
    here = f"here hooks are taken from {place}"
    return [f"core.hooksPath is {named} for this user: {here}"] if named else []


def _pin_to(repository: Repository, root: Path) -> None:
    place = os.fspath(root / "hooks")
    repository.git.run("config", "--file", os.fspath(root / PIN), "core.hooksPath", place)
    for condition in _conditions(root):
        repository.git.run("config", "--local", f"{condition}.path", PIN)
    repository.forget_settings()


def unpin(repository: Repository) -> None:
    """Take out what ``pin`` wrote, here or where the brain stood before."""
    root = common_folder(repository.path)
    pinned = _pins(repository)
    _remove(repository, pinned)
    if pinned:
        repository.git.attempt("config", "--local", "--unset-all", "core.hooksPath", "^hooks$")
    (root / PIN).unlink(missing_ok=True)
    repository.forget_settings()


def _pins(repository: Repository) -> list[str]:
    """Return the settings by which a place of the brain, this or an older one, is pinned."""
    start = _CONDITION.lower()
    return [k for k, v in repository.settings().items() if k.startswith(start) and v == [PIN]]


def _remove(repository: Repository, pins: Iterable[str]) -> None:
    for key in pins:
        # As it was written: git wants a section's name letter by letter here.
        section = _CONDITION + key[len(_CONDITION) :].removesuffix(".path")
        repository.git.run("config", "--local", "--remove-section", section)


def pin_again(repository: Repository) -> str:
    """Pin a brain that was moved since, as soon as anything of ours sees it there.

    Until then its hooks count from the folder git is started in. At no moment is it
    without a pin: other pushes may come in meanwhile. Returns what was done, or "".
    """
    root = common_folder(repository.path)
    pinned, here = _pins(repository), {_pinned_by(one) for one in _conditions(root)}
    if not pinned or here == set(pinned):
        return ""
    moved = here.isdisjoint(pinned)
    _pin_to(repository, root)
    _remove(repository, [key for key in pinned if key not in here])
    repository.forget_settings()
    return f"the brain was moved: its hooks are now taken from {root / 'hooks'}" if moved else ""


_CONDITION = "includeIf.gitdir:"


def _conditions(root: Path) -> list[str]:
    """Return when the full path holds: in the brain, and in linked worktrees of it."""
    return [f"{_CONDITION}{_escaped(root)}", f"{_CONDITION}{_escaped(root)}/worktrees/"]


def _pinned_by(condition: str) -> str:
    """Return a condition's setting as git names it."""
    return f"{_CONDITION.lower()}{condition[len(_CONDITION) :]}.path"


def _escaped(path: Path) -> str:
    """Return ``path`` as a pattern of git's that matches it alone."""
    return re.sub(r"([*?\[\\])", r"\\\1", os.fspath(path.resolve()))


def install(
    repository: Repository,
    names: tuple[str, ...],
    python: str = sys.executable,
    allow_outside: bool = False,
) -> list[str]:
    """Put the hooks ``names`` in place and return what was done, a line each.

    A hook that stands there already is kept as ``NAME.chained`` and run after
    ours. Raises EnvironmentFault when the interpreter cannot run the gate.
    """
    _check(python)
    done = pin(repository)
    folder = hooks_folder(repository, allow_outside)
    folder.mkdir(parents=True, exist_ok=True)
    if _GUARD in names and not _is_ours(folder / _GUARD):
        done += _unguarded(repository)
    for name in names:
        place = folder / name
        if _is_foreign(place):
            chained = folder / f"{name}.chained"
            if chained.exists():
                raise Refused(f"{chained} exists already", f"remove it, or {place}")
            runs = os.access(place, os.X_OK)
            place.rename(chained)
            # Git ran none without its run bit: to set it would switch on what was off.
            kept = "runs after ours" if runs else f"was off (no run bit) and stays so, {chained}"
            done.append(f"{name}: the hook that stood there {kept}")
        _write(place, text_of(name, repository.git.program, python))
        done.append(f"{name}: installed in {folder}")
    return done


_GUARD = "reference-transaction"


def _unguarded(repository: Repository) -> list[str]:
    """Take what the protected branch leads to as judged, and say of which refs it is not."""
    others = adopt(repository)
    if not others:
        return []
    what = f"{len(others)} other branches or tags" if len(others) > 1 else others[0]
    return [f"no gate has judged what {what} leads to: it is when it is pushed elsewhere"]


def uninstall(repository: Repository, allow_outside: bool = False) -> list[str]:
    """Take our hooks out and put a chained one back; return what was done."""
    folder = hooks_folder(repository, allow_outside)
    done = []
    for name in (*SERVER, *LOCAL):
        place, chained = folder / name, folder / f"{name}.chained"
        if place.exists() and not _is_foreign(place):
            place.unlink()
            done.append(f"{name}: removed")
            if chained.exists():
                chained.rename(place)
                done.append(f"{name}: the hook that stood there is back")
    if repository.is_bare:
        unpin(repository)
    return done


def states(repository: Repository, names: tuple[str, ...]) -> list[HookState]:
    """Return how each of the hooks ``names`` stands."""
    folder, git = hooks_folder(repository, allow_outside=True), repository.git.program
    return [
        HookState(name, _state(folder / name, git), (folder / f"{name}.chained").exists())
        for name in names
    ]


def text_of(name: str, git: str, python: str = sys.executable) -> str:
    """Return the text of a hook with the interpreter and the search path filled in.

    git: the program git itself, found by whoever installs.
    """
    template = data.path(f"hooks/{name}").read_text(encoding="utf-8")
    return template.replace("@PYTHON@", shlex.quote(python)).replace("@PATH@", _search_path(git))


def _search_path(git: str) -> str:
    """Return where a hook finds git and the shell's tools, whatever PATH it is given."""
    folders = [str(Path(git).resolve().parent), "/usr/local/bin", "/usr/bin", "/bin"]
    return shlex.quote(":".join(dict.fromkeys(folders)))


def _check(python: str) -> None:
    """Raise EnvironmentFault unless ``python -I`` finds this package, in bare surroundings."""
    bare: Mapping[str, str] = {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [python, "-I", "-c", "import manent.cli.hooking, manent.gate.receive, manent.scan.scanner"],
        capture_output=True,
        env=dict(bare),
        cwd="/",
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise EnvironmentFault(
            f"{python} cannot run the gate: {said[-1] if said else 'it fails'}",
            "install manent into that interpreter's environment",
        )


def _write(place: Path, text: str) -> None:
    """Write a hook with its run bit, in one step: never half a hook under its name."""
    draft = place.with_name(f".{place.name}.new")
    draft.write_text(text, encoding="utf-8")
    draft.chmod(0o755)
    draft.replace(place)


def _is_foreign(place: Path) -> bool:
    return place.exists() and not _is_ours(place)


def _is_ours(place: Path) -> bool:
    try:
        text = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return _MARK in text or _TRANSACTION_MARK in text


def _state(place: Path, git: str) -> str:
    if not place.exists():
        return "missing"
    if not _is_ours(place):
        return "foreign"
    if not os.access(place, os.X_OK):
        return "not executable"
    return "installed" if place.read_text(encoding="utf-8") == text_of(place.name, git) else "stale"
