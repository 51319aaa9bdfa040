"""Where accepted notes go: files of a folder, perhaps with a commit each, or a brain's branch."""

from __future__ import annotations

import contextlib
import datetime
import logging
import time
from collections.abc import Iterator, Mapping
from typing import Protocol

from manent.access import OWNER, Identity
from manent.change import Change
from manent.errors import EnvironmentFault, ManentError, NotFound, Refused
from manent.gate import carrying
from manent.gate.admit import ChangeRefused, admit, judge_change
from manent.gate.allowing import Person, person
from manent.gate.index import catch_up, check_out
from manent.gate.notes import (
    Proposal,
    commit_note,
    free,
    ignored_by_git,
    judge_note,
    sweep,
    unsaved,
)
from manent.gate.policy import Policy
from manent.gate.verdict import Verdict
from manent.repo.git_tree import GitTree
from manent.repo.locks import drop_left
from manent.repo.open import Repository, state_folder
from manent.repo.placing import read, refuse_symlinks
from manent.server.pending import FILE, Due, Pending
from manent.server.served import Served
from manent.tree import Kind, blob_oid
from manent.values import dataclass, replace
from manent.vault.vault import Vault

log = logging.getLogger("manent.server")

_LANDING = "landing"
"""Stands in the folder of derived data while a note is landed on a branch."""

COMMIT_SECONDS = 60
"""How long git, its hooks and a signature may take for one commit."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A note that was let in.

    commit: "" where none was made. fault: why there is none although one was due.
    """

    verdict: Verdict
    commit: str = ""
    fault: str = ""


class Ground(Protocol):
    """Where notes are put. One write at a time, inside ``entered``."""

    def entered(self) -> contextlib.AbstractContextManager[None]:
        """Hold the vault against other writers, with nothing half done in it."""

    def policy(self) -> Policy:
        """Return what the repository says of itself."""

    def standing(self, path: str) -> bytes | None:
        """Return what stands at a path now, None for nothing. Raises Refused."""

    def check(self, proposal: Proposal, appends: bool) -> None:
        """Refuse what cannot be put there, whatever it says. Raises Refused."""

    def judge(self, vault: Vault, proposal: Proposal, today: datetime.date) -> Verdict:
        """Return the gate's verdict, nothing being written."""

    def keep(self, vault: Vault, proposal: Proposal, now: datetime.datetime) -> Kept:
        """Judge a note and put it in. Raises ChangeRefused, Moved, EnvironmentFault."""

    def after(self) -> None:
        """Do what need not be waited for."""


def ground_of(served: Served, git: bool) -> Ground:
    """Return where the notes of what is served go. Raises EnvironmentFault.

    git: each write becomes a commit; of a brain it always does.
    """
    if served.is_brain:
        return Branch(served)
    if git and served.repository is None:
        raise EnvironmentFault(f"{served.root} is in no git repository", "git init it first")
    if git:
        committer_of(served)
    return InFolder(served, git)


def committer_of(served: Served) -> Person:
    """Return who the server's git user is. Raises EnvironmentFault when git does not know."""
    assert served.repository is not None
    given = {
        f"GIT_AUTHOR_{part}": served.environment.get(f"GIT_COMMITTER_{part}", "")
        for part in ("NAME", "EMAIL")
    }
    return person(served.repository.git, given)


def author_of(name: str) -> Person:
    """Return the author of an identity's commits."""
    return Person(name, f"{name}@manent")


# -- a folder --------------------------------------------------------------------------


class InFolder:
    """Files of a vault's folder. git: each write is committed, exactly its own path."""

    def __init__(self, served: Served, git: bool) -> None:
        assert served.root is not None
        self._root = served.root
        self._environment: Mapping[str, str] = served.environment
        self._repository = served.reopened()
        self._folder = carrying.Folder(served.root, self._repository, served.prefix)
        self._git = git
        self._pending = Pending(served.state / FILE)
        self._fresh = True

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Hold the lock; put back what a killed process left, commit what is due."""
        if self._repository is not None:
            self._repository.forget_settings()
        with _plainly(), carrying.alone(self._folder.state):
            self._mend()
            yield

    def _mend(self) -> None:
        left = [*carrying.mend(self._folder)]
        if self._git:
            for due in self._pending.rows():
                left.append(due.path)
                self._sweep_up(due)
        for place in {(self._root / path).parent for path in left}:
            sweep(place)
        if self._fresh:
            sweep(self._folder.state)
            self._fresh = False

    def policy(self) -> Policy:
        """Return what the repository says of itself; the defaults where there is none."""
        return self._folder.policy

    def standing(self, path: str) -> bytes | None:
        """Return the file at a path as it is on disk."""
        refuse_symlinks(self._root, path)
        place = self._root / path
        if place.exists() and not place.is_file():
            raise Refused(f"{path} is no file", "choose another name")
        return read(place)

    def check(self, proposal: Proposal, appends: bool) -> None:
        """Refuse a path git leaves out of sight, and to replace what no commit holds."""
        if proposal.standing is None and ignored_by_git(self._folder, proposal.path):
            raise Refused(f"{proposal.path} is ignored by git", "ask an owner: .gitignore says so")
        if self._git and not appends and self._would_lose(proposal):
            said = f"{proposal.path} has edits that are not committed"
            raise Refused(said, "replacing it would lose them: have them committed first")

    def _would_lose(self, proposal: Proposal) -> bool:
        """Tell whether what stands there is in no commit, and no write of ours."""
        if proposal.standing is None or not unsaved(self._folder, proposal.path):
            return False
        oid = blob_oid(proposal.standing)
        return not any(d.path == proposal.path and d.oid == oid for d in self._pending.rows())

    def judge(self, vault: Vault, proposal: Proposal, today: datetime.date) -> Verdict:
        """Return the gate's verdict, nothing being written."""
        try:
            return judge_note(self._folder, vault, proposal, today)
        except ChangeRefused as refused:
            return refused.verdict

    def keep(self, vault: Vault, proposal: Proposal, now: datetime.datetime) -> Kept:
        """Judge the note, put the file in place at once, and commit it where asked."""
        verdict = judge_note(self._folder, vault, proposal, now.date())
        path = proposal.path
        author = proposal.identity.name
        due = Due(path, author, proposal.message, blob_oid(proposal.content), time.time_ns())
        if self._git:
            self._pending.note(due)
        try:
            carrying.write(self._folder, [proposal.change], {path: proposal.standing})
        except BaseException:
            if self._git:
                with contextlib.suppress(OSError, ManentError):
                    self._pending.drop(path)
            raise
        if not self._git:
            return Kept(verdict)
        try:
            return Kept(verdict, self._commit(due, now))
        except (ManentError, OSError) as error:
            return Kept(verdict, fault=_said(error))

    def after(self) -> None:
        """Do nothing."""

    def _commit(self, due: Due, now: datetime.datetime) -> str:
        def begun(maker: str) -> None:
            self._pending.made_by(due.path, maker)

        commit = commit_note(
            self._folder, due.path, due.message, author_of(due.author),
            self._environment, now, COMMIT_SECONDS, begun,
        )  # fmt: skip
        with contextlib.suppress(OSError, ManentError):  # found to be committed next time
            self._pending.drop(due.path)
        return commit

    def _sweep_up(self, due: Due) -> None:
        """Commit a write whose own commit failed, or was never made."""
        try:
            content = self.standing(due.path)
            if content is None or not unsaved(self._folder, due.path):
                self._pending.drop(due.path)
            elif free(self._folder, due.maker, due.since_ns):
                now = datetime.datetime.now(datetime.UTC)
                if blob_oid(content) != due.oid:
                    # Somebody has edited it since: what they wrote is judged as theirs.
                    self._judge_edited(due, content, now.date())
                self._commit(due, now)
        except (ManentError, OSError) as error:
            log.warning("still not committed: %s", _said(error), extra={"event": "commit-failed"})

    def _judge_edited(self, due: Due, content: bytes, today: datetime.date) -> None:
        proposal = Proposal(due.path, content, None, due.message, OWNER)
        carrying.judge(self._folder, [proposal.change], today, standing=[due.path])


# -- a brain -----------------------------------------------------------------------------


class Branch:
    """The branch of a brain: a write is a commit, landed on the very one it was made from."""

    def __init__(self, served: Served) -> None:
        repository = served.reopened()
        assert repository is not None
        self._repository: Repository = repository
        self._branch = served.branch
        self._prefix = served.prefix
        self._processes = served.processes
        self._committer = committer_of(served)
        self._tip = ""
        self._mark = served.state / _LANDING

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Hold the lock that commands share; pushes are compared with when landing."""
        self._repository.forget_settings()
        with _plainly(), carrying.alone(state_folder(self._repository)):
            self._mend()
            self._tip = self._repository.ref(f"refs/heads/{self._branch}")
            yield

    def _mend(self) -> None:
        """Take away the lock that a killed landing left on the branch."""
        if self._mark.exists() and drop_left(self._repository, self._mark.stat().st_mtime_ns):
            self._mark.unlink(missing_ok=True)

    def policy(self) -> Policy:
        """Return what the brain says of itself."""
        return carrying.Folder(self._repository.path, self._repository).policy

    def standing(self, path: str) -> bytes | None:
        """Return the file at a path of the branch's tip."""
        if not self._tip:
            return None
        try:
            tree = GitTree(self._repository, self._tip, self._prefix)
        except ManentError:  # the vault's folder is not there yet
            return None
        entry = tree.get(path)
        if entry is not None and entry.kind is not Kind.FILE:
            raise Refused(f"{path} is no file", "choose another name")
        try:
            return None if entry is None else tree.read(path)
        except NotFound:
            return None

    def check(self, proposal: Proposal, appends: bool) -> None:
        """Let everything pass: the gate says it all."""

    def judge(self, vault: Vault, proposal: Proposal, today: datetime.date) -> Verdict:
        """Return the gate's verdict, nothing being written."""
        change, identity = self._whole(proposal)
        return judge_change(
            self._repository, self._tip, change, self.policy(), today, identity
        )  # fmt: skip

    def keep(self, vault: Vault, proposal: Proposal, now: datetime.datetime) -> Kept:
        """Land the note by compare-and-swap, through the gate a push goes through."""
        change, identity = self._whole(proposal)
        self._mark.touch()
        landed = admit(
            self._repository, self._branch, change, author_of(proposal.identity.name), now,
            identity, committer=self._committer, tip=self._tip,
        )  # fmt: skip
        self._mark.unlink(missing_ok=True)
        return Kept(landed.verdict, landed.commit)

    def after(self) -> None:
        """Bring stores and checkout to the branch, as after a push."""
        policy = self.policy()
        catch_up(self._repository, policy, self._processes)
        check_out(self._repository, policy)

    def _whole(self, proposal: Proposal) -> tuple[Change, Identity]:
        """Return Change and identity with paths as the repository names them."""
        folder = carrying.Folder(self._repository.path, self._repository, self._prefix)
        identity = proposal.identity
        if self._prefix and not identity.is_owner:
            identity = replace(identity, write=folder.within(identity.write))
        return folder.whole(proposal.change), identity


@contextlib.contextmanager
def _plainly() -> Iterator[None]:
    """Turn what the file system says into an error that a caller can be told."""
    try:
        yield
    except OSError as error:
        said = f"the vault cannot be written: {error.strerror}"
        raise EnvironmentFault(said, "is the disk full or read-only?") from error


def _said(error: Exception) -> str:
    return error.message if isinstance(error, ManentError) else str(error)
