"""Carry out a person's Changes on a working tree: as files, or as their own commits.

What is judged is judged before the first write. The files of one Change are
replaced together; a commit is made by ``git commit`` on exactly the Change's
paths, so that what the user has staged or left modified stays as it is.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from manent.access import OWNER, Identity
from manent.change import Change
from manent.errors import EnvironmentFault
from manent.finding import Finding
from manent.gate import allow
from manent.gate.admit import (
    ChangeRefused,
    identity_faults,
    judge_series,
    merged,
    message_faults,
)
from manent.gate.allow import Allowances
from manent.gate.laying import JOURNAL, Edits, Laying, recorded
from manent.gate.policy import Policy, read_policy
from manent.gate.receive import allowances_at, counted, heard
from manent.gate.staged import TextJudge
from manent.gate.structure import lint_policy, strictness
from manent.gate.texts import Texts
from manent.gate.verdict import Verdict
from manent.lint.engine import Lint
from manent.repo.committing import (
    commit_paths,
    drop_locks,
    index_rows,
    landed,
    refuse_unsaved,
    settle,
    unsettle,
)
from manent.repo.landing import message_of
from manent.repo.open import Environment, Repository, state_folder
from manent.repo.running import outlive
from manent.tree import Overlay
from manent.values import dataclass, replace
from manent.vault.ignore import IGNORE_FILE
from manent.vault.sync import sync
from manent.vault.vault import Vault

LOCK = "carrying.lock"


@dataclass(frozen=True, slots=True)
class Folder:
    """A vault's folder, perhaps below the root of a repository's working tree.

    root: the vault. repository: None where there is none. prefix: the vault's
    folder within the repository, "" where it is its root.
    """

    root: Path
    repository: Repository | None
    prefix: str = ""

    @property
    def state(self) -> Path:
        """Where the record of an edit under way is kept."""
        if self.repository is None:
            return self.root / ".manent"
        return state_folder(self.repository)

    @property
    def policy(self) -> Policy:
        """What the repository says of itself; the defaults where there is none."""
        return read_policy(self.repository.section()) if self.repository else Policy()

    def within(self, path: str) -> str:
        """Return a path of the vault as the repository names it."""
        return f"{self.prefix}/{path}" if self.prefix else path

    def whole(self, change: Change) -> Change:
        """Return the Change with its paths as the repository names them."""
        return replace(change, edits={self.within(p): c for p, c in change.edits.items()})


@contextlib.contextmanager
def alone(state: Path) -> Iterator[None]:
    """Hold the lock that lets one command at a time carry something out here."""
    if not state.parent.is_dir():
        raise EnvironmentFault(f"{state.parent} is gone", "put it back where it was")
    state.mkdir(mode=0o700, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    try:
        descriptor = os.open(state / LOCK, flags, 0o600)
    except OSError as error:
        raise EnvironmentFault(f"cannot lock {state / LOCK}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def introduced(vault: Vault, edits: Edits, policy: Policy) -> list[Finding]:
    """Return what the edits would put at fault in a vault that stands at its files.

    Everything but the contents is judged; the vault is left as it was.
    """
    tree = vault.tree
    assert tree is not None
    lint = Lint(vault, lint_policy(policy), content=False)
    lint.update()
    anew = IGNORE_FILE in edits
    held = {f.identity for f in lint.findings()} if anew else set()
    overlay = Overlay(tree, edits)
    differences = [(path, tree.get(path), overlay.get(path)) for path in sorted(edits)]
    try:
        with vault.store.transaction(keep=False):
            sync(vault, overlay, "", differences)
            come = lint.update().come
            found = list(lint.findings()) if anew else come
    finally:
        vault.tree = tree
    return [strictness(policy).grade(f) for f in found if f.identity not in held]


def judge(
    folder: Folder,
    changes: Sequence[Change],
    today: datetime.date,
    own: str = "",
    structure: Sequence[Finding] = (),
    identity: Identity = OWNER,
    standing: Collection[str] = (),
) -> Verdict:
    """Judge what the Changes say, as a push of them would be. Raises ChangeRefused.

    own: the address of the person whose Changes they are. structure: what they
    put at fault in the vault as a whole (``introduced``). identity: whose Changes
    they are; no allowance covers an agent's. standing: paths where a file stands.
    """
    repository = folder.repository
    policy = folder.policy
    tip = repository.ref("HEAD") if repository else ""
    accepted = allowances_at(repository, tip) if repository else _allowances(folder.root)
    texts, judged = Texts(policy), TextJudge(policy)
    within = list(heard(identity, structure))
    if not identity.is_owner:
        within += [f for change in changes for f in identity_faults(change, identity, None)]
    found = [replace(f, path=folder.within(f.path)) for f in within]
    for change in changes:
        found += message_faults(change, texts, own)
        for path in change.paths:
            content = change.edits[path]
            if content is not None:
                found += judged.findings(content, folder.within(path), path not in standing)
    kept = counted(found, accepted if identity.is_owner else Allowances(), today)
    verdict = Verdict((), kept, salt=accepted.salt, may_allow=identity.is_owner)
    _refuse(verdict)
    return verdict


def write(folder: Folder, changes: Sequence[Change], before: Mapping[str, bytes | None]) -> None:
    """Make the Changes in the files, all of them together, and commit nothing.

    before: what stands at each of their paths. Raises EnvironmentFault when
    something else stands there by now.
    """
    edits = merged(changes)
    standing = {path: before[path] for path in edits}
    laying = Laying(folder.root, folder.state / JOURNAL, standing, edits)
    laying.lay()
    laying.forget()


def commit(
    folder: Folder,
    changes: Sequence[Change],
    before: Mapping[str, bytes | None],
    environment: Environment,
    today: datetime.date,
    own: str = "",
) -> Iterator[str]:
    """Make each Change in the files and a commit of it; yield the commits' ids.

    Everything is judged before the first is made. Raises ChangeRefused, or
    Refused: when a path has unsaved edits, or git or a hook says no to a commit,
    which is then undone; those before it stand.
    """
    repository = folder.repository
    if repository is None:
        raise EnvironmentFault(f"{folder.root} is in no git repository", "leave --commit out")
    whole = [folder.whole(change) for change in changes]
    edits = merged(whole)
    refuse_unsaved(repository, sorted(edits))
    tip = repository.ref("HEAD")
    policy = read_policy(repository.section())
    _refuse(judge_series(repository, tip, whole, policy, today, own=own))
    standing = {folder.within(path): content for path, content in before.items()}
    return _commits(folder, repository, whole, standing, environment)


def _commits(
    folder: Folder,
    repository: Repository,
    changes: Sequence[Change],
    standing: dict[str, bytes | None],
    environment: Environment,
) -> Iterator[str]:
    assert repository.workdir is not None
    for change in changes:
        laying = Laying(
            repository.workdir,
            folder.state / JOURNAL,
            {path: standing[path] for path in change.paths},
            change.edits,
            index_rows(repository, change.paths),
            repository.ref("HEAD") or "none",
        )
        yield _one(repository, laying, change, environment)
        standing.update(change.edits)


def _one(repository: Repository, laying: Laying, change: Change, environment: Environment) -> str:
    laying.lay()
    # What git never knew of leaves with its file: there is nothing to commit there.
    paths = [p for p in change.paths if change.edits[p] is not None or p in laying.index]
    try:
        made = commit_paths(repository, paths, message_of(change), environment, laying.made_by)
    except BaseException:
        _resolve(repository, laying)
        raise
    laying.forget()
    return made


def _resolve(repository: Repository, laying: Laying) -> list[str]:
    """End an edit whose commit was broken off: on to the commit if it is there, else back.

    The process that was to make it has ended. Returns the paths put back.
    """
    paths = sorted(laying.after)
    if landed(repository, laying.tip, paths):
        settle(repository, paths, laying.index)
        laying.forget()
        return []
    laying.undo()
    unsettle(repository, paths, laying.index)
    laying.forget()
    return paths


def interrupted(folder: Folder) -> bool:
    """Tell whether a command was killed here, or is at work, while it wrote files."""
    return (folder.state / JOURNAL).exists()


def mend(folder: Folder, waiting: Callable[[str], None] = lambda number: None) -> list[str]:
    """End what a killed command left half done; return the paths put back.

    Its ``git commit`` may still run, with a hook that takes its time: that one ends
    first. waiting: told its number.
    """
    laying = recorded(folder.state / JOURNAL)
    if laying is None:
        return []
    repository = folder.repository
    if repository is None or not laying.tip:
        laying.undo()
        laying.forget()
        return sorted(laying.after)
    outlive(laying.maker, waiting)
    drop_locks(repository, laying.maker)
    return _resolve(repository, laying)


def _allowances(root: Path) -> Allowances:
    place = root / allow.FILE
    if not os.path.lexists(place):
        return Allowances()
    if place.is_symlink() or not place.is_file():
        raise allow.no_file("symlink" if place.is_symlink() else "folder")
    return allow.parse(place.read_bytes())


def _refuse(verdict: Verdict) -> None:
    if not verdict.accepted:
        raise ChangeRefused(verdict)
