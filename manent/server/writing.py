"""The way in for notes: planned, judged, shown to a person where that is possible, kept.

One write at a time, on a thread of its own, so that each is planned over what the one
before it left. Nothing touches the disk before the gate has said yes.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from manent.errors import ManentError, Refused
from manent.finding import Severity
from manent.gate.admit import ChangeRefused, Moved
from manent.gate.verdict import Verdict
from manent.server.answer import Question
from manent.server.approval import Approval, Asking
from manent.server.brain import Brain
from manent.server.draft import APPEND, Drafted, WriteRefused, Written
from manent.server.drafting import Drafting, Planned
from manent.server.form import KEY, SCHEMA, answered, fingerprint_of, message_of
from manent.server.ground import Ground, Kept, ground_of
from manent.server.pushing import Pushing
from manent.server.refusal import refused
from manent.server.tool import Call
from manent.vault.glimpse import Stale

if TYPE_CHECKING:
    from manent.server.lane import Lane

log = logging.getLogger("manent.server")

Report = Callable[[str, str, str], None]
"""(kind, what happened, identity)"""

TRIES = 10
"""How often a note is made anew because pushes keep moving the branch meanwhile."""
_REMARKS = 5
_SMALL = 1 << 16
"""Characters of a body that may stand wherever it is written."""

AWAITS = "it is in quarantine and awaits promotion by an owner"
NOT_COMMITTED = "written, but not committed yet: the next write's commit takes it along"
NOT_PUSHED = "written and committed, but not yet at the remote"


class Writing:
    """Writes notes into what a brain serves.

    git: each write is a commit; of a bare repository it always is. push: pushes each
    on. report: told of what failed after a write: what kind of thing, in words, and
    whose write it was (``Audit.event``).
    Raises EnvironmentFault where git, or the remote, is not as that needs it.
    """

    def __init__(
        self,
        brain: Brain,
        git: bool = False,
        push: bool = False,
        approval: Approval | None = None,
        report: Report = lambda kind, said, identity: None,
    ) -> None:
        served = brain.served
        self._report = report
        self._brain = brain
        self._ground: Ground = ground_of(served, git or push)
        self._approval = approval or Approval(served.state)
        self._pushing: Pushing | None = None
        if push and served.repository is not None:
            branch = served.branch if served.is_brain else ""
            self._pushing = Pushing(served.repository, branch, served.environment)
        self._thread = ThreadPoolExecutor(1, "manent-write")
        self._thread.submit(self._quietly, self._mend)

    def write(self, call: Call, draft: Drafted) -> Written | Question:
        """Judge a draft and keep it, or ask a person first.

        Raises WriteRefused (the gate), Refused, NotFound, UsageError, EnvironmentFault:
        then nothing was written.
        """
        done = self._thread.submit(self._write, call, draft).result()
        if isinstance(done, Written) and done.commit and self._pushing is not None:
            return self._pushed(self._pushing, call, done)
        return done

    def close(self) -> None:
        """Finish what is under way."""
        self._thread.shutdown(wait=True)
        if self._pushing is not None:
            self._pushing.close()

    # -- on the thread that writes ------------------------------------------------

    def _mend(self) -> None:
        """End what an earlier process left half done."""
        with self._ground.entered():
            pass
        self._ground.after()

    def _quietly(self, task: Callable[[], None]) -> None:
        try:
            task()
        except (ManentError, OSError) as error:
            said = error.message if isinstance(error, ManentError) else str(error)
            log.warning("beside a write: %s", said, extra={"event": "write-aside"})

    def _write(self, call: Call, draft: Drafted) -> Written | Question:
        agreed: set[str] = set()
        for attempt in range(1, TRIES + 1):
            try:
                return self._attempt(call, draft, agreed)
            except Moved:
                if attempt == TRIES:
                    raise
            except Stale as stale:
                # A note beside it was edited since: looked at again, then judged again.
                if attempt == TRIES:
                    raise
                self._brain.reload([stale.path])
        raise AssertionError("unreachable")

    def _attempt(self, call: Call, draft: Drafted, agreed: set[str]) -> Written | Question:
        with self._ground.entered():
            self._check_size(draft)
            if self._brain.served.is_brain:
                self._brain.reload()
            with self._brain.lease() as lane:
                one = _One(self._ground, lane, call)
                planned = one.plan(draft)
                if planned.status == "unchanged":
                    return _unchanged(planned)
                if call.asked.form:
                    asked = self._ask(call, one, planned, agreed)
                    if asked is not None:
                        return asked
                if call.cancelled():
                    raise Refused("the call was cancelled: nothing was written")
                kept = one.keep(planned)
        self._brain.reload([planned.proposal.path])
        if self._brain.served.is_brain:
            with contextlib.suppress(RuntimeError):  # the server is being stopped
                self._thread.submit(self._quietly, self._ground.after)
        if kept.fault:
            log.warning("not committed: %s", kept.fault, extra={"event": "commit-failed"})
            self._report("commit-failed", kept.fault, call.identity.name)
        return _written(call, planned, kept)

    def _check_size(self, draft: Drafted) -> None:
        """Refuse a body that is larger than any note may be, before anybody reads it.

        In the gate's words; a megabyte of brackets costs seconds to be parsed. Raises
        WriteRefused.
        """
        size = len(draft.body.encode()) if len(draft.body) > _SMALL else 0
        if size and size > (limit := self._ground.policy().max_note_bytes):
            said = f"{size} bytes are over the limit of {limit} (manent.maxNoteBytes)"
            row = {"rule": "file-size", "in": "body", "message": said, "fix": "split the note"}
            raise WriteRefused([row], {}, 0)

    def _ask(
        self, call: Call, one: _One, planned: Planned, agreed: set[str]
    ) -> Written | Question | None:
        """Return the question, or what a no comes to; None once the person has said yes."""
        shown = fingerprint_of(planned)
        if shown in agreed:
            return None
        asking = Asking(call.identity.name, call.tool, shown)
        said, state = answered(call.asked), call.asked.state
        if said is not None and self._approval.use(state, asking, call.now):
            if not said:
                path = planned.proposal.path
                return Written(planned.draft.name, path, "declined", message="nothing was written")
            agreed.add(shown)
            return None
        one.judge(planned)
        message = message_of(planned, call.fence)
        return Question(KEY, message, SCHEMA, self._approval.seal(asking, call.now))

    def _pushed(self, pushing: Pushing, call: Call, done: Written) -> Written:
        fault = pushing.push()
        if not fault:
            return done
        self._report("push-failed", fault, call.identity.name)
        remark = f"{NOT_PUSHED}: {fault}" if call.is_owner else NOT_PUSHED
        return Written(
            done.name, done.path, done.status, done.commit, done.message, (*done.remarks, remark)
        )


class _One:
    """One draft under way: over the vault as the lane shows it."""

    def __init__(self, ground: Ground, lane: Lane, call: Call) -> None:
        self._ground = ground
        self._vault = lane.vault
        self._call = call
        self._drafting = Drafting(
            call.identity, lane.view(call.identity), ground.standing, call.now.date()
        )

    def plan(self, draft: Drafted) -> Planned:
        """Return what the draft comes to, checked for where it goes."""
        planned = self._drafting.plan(draft)
        if planned.status != "unchanged":
            self._ground.check(planned.proposal, planned.draft.mode == APPEND)
        return planned

    def judge(self, planned: Planned) -> Verdict:
        """Return the verdict, nothing being written. Raises WriteRefused."""
        verdict = self._ground.judge(self._vault, planned.proposal, self._call.now.date())
        if not verdict.accepted:
            raise self._refused(planned, verdict)
        return verdict

    def keep(self, planned: Planned) -> Kept:
        """Put the note in. Raises WriteRefused."""
        try:
            return self._ground.keep(self._vault, planned.proposal, self._call.now)
        except ChangeRefused as no:
            raise self._refused(planned, no.verdict) from None

    def _refused(self, planned: Planned, verdict: Verdict) -> WriteRefused:
        def judge(draft: Drafted) -> tuple[Planned, Verdict]:
            anew = self.plan(draft)
            today = self._call.now.date()
            return anew, self._ground.judge(self._vault, anew.proposal, today)

        return refused(planned, verdict, self._ground.policy(), judge)


def _unchanged(planned: Planned) -> Written:
    path = planned.proposal.path
    return Written(planned.draft.name, path, "unchanged", message="it says that already")


def _written(call: Call, planned: Planned, kept: Kept) -> Written:
    proposal = planned.proposal
    message = f"{planned.status} {proposal.path}"
    if not proposal.identity.is_owner:
        message += f": {AWAITS}"
    remarks = _warnings(kept.verdict) if call.is_owner else []
    if kept.fault:
        remarks.append(f"{NOT_COMMITTED} ({kept.fault})" if call.is_owner else NOT_COMMITTED)
    return Written(
        planned.draft.name, proposal.path, planned.status, kept.commit, message, tuple(remarks)
    )


def _warnings(verdict: Verdict) -> list[str]:
    """Return what the gate let pass but would rather not have."""
    found = [f for f in verdict.findings if f.severity is Severity.WARNING]
    return [f"{f.rule}: {f.message}" for f in found[:_REMARKS]]
