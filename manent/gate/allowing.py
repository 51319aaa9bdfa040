"""Write an allowance: one line of ``.manent-allow``, as a commit."""

from __future__ import annotations

import datetime
from functools import partial
from pathlib import Path

from manent import late
from manent.change import Change
from manent.errors import EnvironmentFault, NotFound, UsageError
from manent.gate import allow
from manent.gate.allow import Allowance
from manent.gate.policy import read_policy
from manent.gate.staged import opened
from manent.gate.verdicts import passing
from manent.repo.command import Git
from manent.repo.git_tree import GitTree
from manent.repo.landing import Person as Person
from manent.repo.landing import land
from manent.repo.open import Environment, Repository

_FINGERPRINT = late.pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*:[0-9a-f]{16}\Z")


def add_allowance(
    folder: Path,
    environment: Environment,
    fingerprint: str,
    reason: str,
    until: datetime.date | None,
    salt: str,
    now_seconds: int,
) -> str:
    """Allow a finding on the current branch, or on a brain's protected one.

    salt: fresh random hex, for a vault that has none. Returns the commit's id.
    Raises UsageError for what is no fingerprint.
    """
    if not _FINGERPRINT.match(fingerprint):
        raise UsageError(f"{fingerprint} is no fingerprint", "copy it from the finding: rule:hex")
    if not reason.strip() or "\n" in reason:
        raise UsageError("the reason must be one line", "say why it may stand")
    repository = opened(folder, environment)
    try:
        branch = _branch(repository)
        tip = repository.ref(f"refs/heads/{branch}")
        content = _standing(repository, tip)
        who = person(repository.git)
        rule = fingerprint.partition(":")[0]
        line = Allowance(fingerprint, rule, reason.strip(), who.name, until)
        edits = {allow.FILE: allow.with_line(content, line, salt)}
        change = Change(edits, f"Allow {fingerprint}\n\n{reason.strip()}", who.name)
        return land(
            repository, branch, change, who, now_seconds, tip,
            sign=True, passing=partial(passing, repository),
        )  # fmt: skip
    finally:
        repository.close()


def person(git: Git, environment: Environment | None = None) -> Person:
    """Return who git says the user is. Raises EnvironmentFault when it does not know.

    environment: the user's own, where they may have told git otherwise.
    """
    found = []
    for key, variable in (("user.name", "NAME"), ("user.email", "EMAIL")):
        said = (environment or {}).get(f"GIT_AUTHOR_{variable}", "").strip()
        if said:
            found.append(said)
            continue
        status, out, _ = git.attempt("config", key)
        if status or not out.strip():
            raise EnvironmentFault(f"git does not know your {key}", f"git config {key} …")
        found.append(out.decode("utf-8", "replace").strip())
    return Person(*found)


def _branch(repository: Repository) -> str:
    policy = read_policy(repository.section())
    branch = repository.head_branch
    if repository.is_bare and policy.protected_branch:
        branch = policy.protected_branch
    if not branch:
        raise EnvironmentFault("HEAD is detached", "git switch to a branch first")
    return branch


def _standing(repository: Repository, tip: str) -> bytes:
    if not tip:
        return b""
    try:
        return GitTree(repository, tip).read(allow.FILE)
    except NotFound:
        return b""
