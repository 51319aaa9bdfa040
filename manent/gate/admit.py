"""Let a Change become a commit: the door for everything that is no push."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from manent.access import OWNER, Identity
from manent.change import Change
from manent.errors import Refused
from manent.finding import Finding
from manent.gate.allow import Allowances
from manent.gate.blobs import Blobs
from manent.gate.identity import agent_faults, append_fault, stamp_faults
from manent.gate.journals import Journals, of_a_journal
from manent.gate.policy import Policy, read_policy
from manent.gate.receive import allowances_at, counted, entries, heard, passed, store_place
from manent.gate.structure import Structure
from manent.gate.texts import MESSAGE, Texts
from manent.gate.verdict import Verdict
from manent.gate.verdicts import passing
from manent.repo.git_tree import GitTree
from manent.repo.incoming import Addition
from manent.repo.landing import Moved as Moved
from manent.repo.landing import Person, land, land_series
from manent.repo.landing import message_of as message_of
from manent.repo.open import Repository
from manent.tree import Overlay, Tree
from manent.values import dataclass

TRIES = 5
"""How often a Change is judged again because the branch moved meanwhile."""


class ChangeRefused(Refused):
    """The gate says no to a Change. verdict: why."""

    def __init__(self, verdict: Verdict) -> None:
        first = verdict.errors[0]
        more = f" and {len(verdict.errors) - 1} more" if len(verdict.errors) > 1 else ""
        super().__init__(f"{first.path}: {first.message} [{first.rule}]{more}", first.hint)
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of a Change: the commit, and what the gate thought of it."""

    commit: str
    verdict: Verdict


def admit(
    repository: Repository,
    branch: str,
    change: Change,
    author: Person,
    now: datetime.datetime,
    identity: Identity = OWNER,
    *,
    committer: Person | None = None,
    tip: str | None = None,
    sign: bool = False,
) -> Landed:
    """Judge ``change`` against the branch's tip and land it there.

    committer: who makes the commit, where it is not the author. tip: the commit the
    Change was made from: when the branch has left it Moved is raised, and the caller
    makes the Change anew; None for a Change that holds whatever came between.
    sign: a person's commit, made by git so that it is signed as they configured.
    Raises ChangeRefused, or Refused when a path has unsaved edits.
    """
    policy = read_policy(repository.section())
    for attempt in range(1, TRIES + 1):
        at = repository.ref(f"refs/heads/{branch}") if tip is None else tip
        verdict = judge_change(repository, at, change, policy, now.date(), identity)
        if not verdict.accepted:
            raise ChangeRefused(verdict)
        try:
            commit = land(
                repository, branch, change, author, int(now.timestamp()), at,
                committer=committer, sign=sign, passing=partial(passing, repository),
            )  # fmt: skip
        except Moved:
            if attempt == TRIES or tip is not None:
                raise
            continue
        return Landed(commit, verdict)
    raise Moved(branch)


def admit_series(
    repository: Repository,
    branch: str,
    changes: Sequence[Change],
    author: Person,
    now: datetime.datetime,
    tip: str,
    committer: Person | None = None,
) -> list[str]:
    """Land a person's Changes, each a commit on the one before, or none of them.

    tip: the commit they were made from. As with a push, every text of every
    Change is judged, and the vault as the last of them leaves it. The commits are
    made by git, signed as the person has configured; no hook runs.
    committer: where it is not the author.
    Raises ChangeRefused, or Moved when the branch is no longer at ``tip``: what
    was read there may be stale, so the caller reads again.
    """
    policy = read_policy(repository.section())
    verdict = judge_series(repository, tip, changes, policy, now.date(), own=author.email)
    if not verdict.accepted:
        raise ChangeRefused(verdict)
    return land_series(
        repository, branch, changes, author, int(now.timestamp()), tip,
        committer=committer, sign=True, passing=partial(passing, repository),
    )  # fmt: skip


def judge_change(
    repository: Repository,
    tip: str,
    change: Change,
    policy: Policy,
    today: datetime.date,
    identity: Identity = OWNER,
) -> Verdict:
    """Return the verdict on ``change`` laid over the commit ``tip`` ("" for none)."""
    return judge_series(repository, tip, [change], policy, today, identity)


def judge_series(
    repository: Repository,
    tip: str,
    changes: Sequence[Change],
    policy: Policy,
    today: datetime.date,
    identity: Identity = OWNER,
    *,
    own: str = "",
) -> Verdict:
    """Return the verdict on Changes laid over ``tip`` one after the other.

    own: the address of the person whose commits they become: in their messages
    it says no more than each commit's head does.
    """
    blobs = Blobs(policy, Texts(policy))
    base = GitTree(repository, tip) if tip else None
    found = [finding for change in changes for finding in _content(change, blobs, base, own)]
    if not identity.is_owner:
        found += [f for change in changes for f in identity_faults(change, identity, base)]
    edits = merged(changes)
    overlay = Overlay(base or GitTree(repository, _empty(repository)), edits)
    journals = Journals(repository, blobs.texts, blobs.read)
    found += journals.tree(overlay, [base] if base else [], [], tuple(sorted(edits)))
    structure = Structure(repository, policy, store_place(repository))
    introduced = structure.proposed(tip, overlay, sorted(edits))
    found += heard(identity, introduced)
    accepted = allowances_at(repository, tip)
    kept = counted(found, accepted if identity.is_owner else Allowances(), today)
    return Verdict(
        (), blobs.texts.quiet(found, kept), passed(found, kept), blobs.read, accepted.salt,
        identity=identity.name, hidden=blobs.texts.hidden,
        may_allow=identity.is_owner,
    )  # fmt: skip


def merged(changes: Iterable[Change]) -> dict[str, bytes | None]:
    """Return what a series of Changes comes to: the last word on each path."""
    edits: dict[str, bytes | None] = {}
    for change in changes:
        edits.update(change.edits)
    return edits


def _empty(repository: Repository) -> str:
    return repository.git.run("mktree").decode().strip()


def message_faults(change: Change, texts: Texts, own: str) -> Iterator[Finding]:
    """Yield what a Change's message is at fault for. own: as for ``judge_series``."""
    message = message_of(change)
    yield from texts.text(message.replace(f"<{own}>", "<>") if own else message, MESSAGE)


def _content(change: Change, blobs: Blobs, base: Tree | None, own: str = "") -> Iterator[Finding]:
    yield from message_faults(change, blobs.texts, own)
    added = list(_additions(change, base))
    yield from entries(added, blobs.texts)
    for addition in added:
        path = addition.path.decode("utf-8", "surrogateescape")
        if of_a_journal(path):
            continue
        content = change.edits[path]
        blobs.read.blobs += 1
        blobs.read.bytes += len(content or b"")
        yield from blobs.one(addition, content or b"")


def _additions(change: Change, base: Tree | None) -> Iterator[Addition]:
    for path in change.paths:
        if change.edits[path] is not None:
            new = base is None or base.get(path) is None
            yield Addition("", path.encode("utf-8", "surrogateescape"), "100644", "", new)


def identity_faults(change: Change, identity: Identity, base: Tree | None) -> Iterator[Finding]:
    """Yield what an agent's Change touches or says that is not its own to touch or say.

    base: the tree the Change is laid over, None for nothing.
    """
    removed = [path for path in change.paths if change.edits[path] is None]
    yield from agent_faults(identity, _additions(change, base), removed)
    for path in change.paths:
        content = change.edits[path]
        if content is not None:
            yield from stamp_faults(identity, path, content)
            before = base.read(path) if base is not None and base.get(path) else b""
            fault = append_fault(identity, path, before, content)
            if fault is not None:
                yield fault
