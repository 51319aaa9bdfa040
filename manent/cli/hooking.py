"""The work of each hook, wherever it is done: in git's own process or in a worker.

This is an edge: it reads the environment and the clock, prints, and turns every
failure of a judging hook into a refusal with one plain line.
"""

from __future__ import annotations

import datetime
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from manent.cli.machine import of_the_machine
from manent.errors import ManentError, Refused
from manent.finding import inert

if TYPE_CHECKING:
    from manent.repo.open import Kept, Repository

BEFORE_POLICY_SECONDS = 60
"""How long the gate may take to read its own policy."""


Leave = Callable[[str, int], None]
"""Leaves a worker behind: for the repository at a path, for so many seconds."""


def run(name: str, lines: bytes, leave: Leave | None = None) -> int:
    """Do the work of the hook ``name``; lines: what git wrote on its stdin.

    leave: asked while a push is judged; a worker itself leaves no other.
    """
    if name == "pre-receive":
        return guarded_pre_receive(lines, leave=leave)
    if name == "post-receive":
        return post_receive(lines)
    if name == "pre-commit":
        return _guarded(pre_commit)
    say([f"manent: no hook {name!r}: reinstall with manent hooks install"])
    return 2


def guarded_pre_receive(lines: bytes, as_json: bool = False, leave: Leave | None = None) -> int:
    """Judge a push; whatever fails on the way refuses it."""
    return _guarded(lambda: pre_receive(lines, as_json, leave), as_json)


def _guarded(judging: Callable[[], int], as_json: bool = False) -> int:
    try:
        return judging()
    except KeyboardInterrupt:
        say(["manent: interrupted: refused"])
        return 130
    except BaseException as bug:
        # A gate that cannot decide refuses; what broke is the operator's to read.
        return _refused(bug, _why(bug), as_json)


def _why(fault: BaseException) -> str:
    """Return in words what went wrong: what the operator can mend, else what it is called."""
    known = of_the_machine(fault) if isinstance(fault, OSError) else None
    if known or isinstance(fault, ManentError):
        return str(known or fault)
    return f"the gate failed ({type(fault).__name__}); its log has more"


def _refused(fault: BaseException, why: str, as_json: bool) -> int:
    """Say in one line, and to a machine in its document, why no verdict was reached."""
    say([f"manent: refused: {inert(why)}"])
    if as_json:
        document = {"version": 1, "accepted": False, "refs": [], "findings": []}
        sys.stdout.write(json.dumps(document | {"error": {"message": why, "hint": ""}}) + "\n")
    _keep(fault)
    return 1


def pre_receive(lines: bytes, as_json: bool = False, leave: Leave | None = None) -> int:
    """Judge a push; 0 lets it in."""
    from manent.repo.incoming import ask_ahead, read_updates, receiving

    began = time.monotonic()
    _limit(BEFORE_POLICY_SECONDS)
    updates = read_updates(lines)
    git_dir = _brain()
    now = datetime.datetime.now(datetime.UTC)
    owns = git_dir.stat().st_uid == os.geteuid()
    repository = receiving(git_dir, os.environ, os.environ.get("GIT_QUARANTINE_PATH", ""))
    try:
        repository.recall(_kept)
        ask_ahead(repository, updates)
        from manent.gate.policy import read_policy
        from manent.gate.receive import pre_receive as judged
        from manent.gate.verdicts import record

        if leave is not None:
            keep_settings(repository)
            leave(os.fspath(git_dir), read_policy(repository.section()).worker_seconds)
        verdict = judged(repository, updates, os.environ, owns, now, _processors(), _limit)
    finally:
        repository.close()
        # Whatever the verdict: git has found these hooks, wherever the brain stands now.
        _pin_again(repository)
    verdict.seconds = time.monotonic() - began
    _log(git_dir, verdict.log_line(now.strftime("%Y-%m-%dT%H:%M:%SZ")))
    status = 0 if verdict.accepted else 1
    if verdict.accepted:
        # All that can still refuse comes first: nothing is called accepted before it is.
        status = _chained("pre-receive", repository, lines)
        if status == 0:
            record(repository, updates)
    if as_json:
        document = verdict.as_json() | {"accepted": status == 0}
        sys.stdout.write(json.dumps(document) + "\n")
    elif status and verdict.accepted:
        say([f"manent: refused by the hook that stood here before (it ended with {status})"])
    else:
        say(verdict.lines())
    return status


def post_receive(lines: bytes) -> int:
    """Index what was accepted. Always 0: git has already moved the refs."""
    from manent.repo.incoming import read_updates
    from manent.repo.open import Repository

    repository = Repository(_brain(), None, os.environ, light=True)
    repository.recall(_kept)
    try:
        from manent.gate.index import catch_up, check_out
        from manent.gate.policy import read_policy
        from manent.gate.verdicts import forget

        forget(repository, read_updates(lines), time.time())
        policy = read_policy(repository.section())
        catch_up(repository, policy, _processors())
        check_out(repository, policy)
    except Refused as stays:
        say([f"manent: accepted; {inert(str(stays))}"])
    except Exception as fault:
        # The push stands; the next one, or the next search, catches up.
        say([f"manent: accepted, but not indexed yet ({inert(_why(fault))})"])
        _keep(fault)
    repository.close()
    _pin_again(repository)
    _chained("post-receive", repository, lines)
    return 0


_kept: Kept | None = None
"""The settings this process has read, for the worker it leaves behind: git takes 8 ms
to say them again."""


def keep_settings(repository: Repository) -> None:
    """Keep what the repository's config says, for the hooks that this process answers."""
    global _kept
    _kept = repository.kept_settings(time.time_ns())


def _pin_again(repository: Repository) -> None:
    """See to it that a brain that was moved is as sure of its hooks as before."""
    from manent.gate.install import pin_again

    try:
        pin_again(repository)
    except ManentError as fault:
        _keep(fault)


def pre_commit() -> int:
    """Judge the index against HEAD; 0 lets the commit be made."""
    from manent.cli.hook_journal import settle_staged
    from manent.gate.staged import staged

    settle_staged()
    now = datetime.datetime.now(datetime.UTC)
    verdict = staged(Path.cwd(), os.environ, now.date(), os.environ.get("GIT_INDEX_FILE", ""))
    if not verdict.accepted:
        say(verdict.lines())
        return 1
    from manent.repo.open import Repository

    return _chained("pre-commit", Repository(_git_dir(), None, os.environ, light=True), b"")


def say(lines: Iterable[str]) -> None:
    """Write lines to stderr as UTF-8, whatever the locale says."""
    text = "".join(f"{line}\n" for line in lines)
    try:
        os.write(2, text.encode("utf-8", "backslashreplace"))
    except OSError:
        # The client has gone; the exit status still decides.
        pass


def _git_dir() -> Path:
    """Return the repository git called the hook for: GIT_DIR, relative to where we are.

    Before a commit git names none: the hook runs at the top of the work tree.
    """
    named = os.environ.get("GIT_DIR")
    if named:
        return Path(named).resolve()
    from manent.repo.open import discover

    found = discover(Path.cwd(), os.environ, light=True)
    return Path.cwd() if found is None else found.path


def _brain() -> Path:
    """Return the repository that takes a push, where that goes to a linked worktree of it."""
    from manent.repo.open import common_folder

    return common_folder(_git_dir())


def time_out() -> int:
    """Return how many seconds the brain's policy gives a push."""
    from manent.gate.policy import read_policy
    from manent.repo.open import Repository

    try:
        repository = Repository(_brain(), None, os.environ, light=True)
        return read_policy(repository.section()).timeout_seconds
    except ManentError:
        return BEFORE_POLICY_SECONDS


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _limit(seconds: int) -> None:
    """Refuse when judging takes longer than ``seconds`` from now on."""

    def over(number: int, frame: FrameType | None) -> None:
        hint = "push in smaller parts, or ask an operator to set git config manent.timeout higher"
        raise Refused(f"judging took over {seconds} s (manent.timeout)", hint)

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    # Python runs no handler inside one long call into C: the processor time of
    # that is bounded by the kernel, which kills, and git takes that as a refusal.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds * 2 + 10)


def _chained(name: str, repository: Repository, lines: bytes) -> int:
    """Run the hook that stood here before ours; its exit status counts."""
    from manent.gate.install import hooks_folder

    hook = hooks_folder(repository, allow_outside=True) / f"{name}.chained"
    if not os.access(hook, os.X_OK):
        return 0
    done = subprocess.run([os.fspath(hook)], input=lines, check=False, env=dict(os.environ))
    return done.returncode


LOG = "gate.log"
LOG_BYTES = 4 << 20


def _log(git_dir: Path, line: str) -> None:
    """Append to the operator's log; one older file is kept beside it."""
    from manent.repo.open import Repository, state_folder

    try:
        folder = state_folder(Repository(git_dir, None, os.environ, light=True))
        log = folder / LOG
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(folder / f"{LOG}.1")
        descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "a", encoding="utf-8") as file:
            file.write(line + "\n")
    except (OSError, ManentError):
        # A verdict does not depend on whether it could be written down.
        pass


def _keep(fault: BaseException) -> None:
    import traceback

    text = "".join(traceback.format_exception(fault))
    when = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        _log(_git_dir(), json.dumps({"time": when, "failed": type(fault).__name__, "trace": text}))
    except (OSError, ManentError):
        pass
