"""Write an allowance: one line of ``.manent-allow``, as a commit."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from manent import late
from manent.change import Change
from manent.errors import EnvironmentFault, UsageError
from manent.gate import allow
from manent.gate.allow import Allowance
from manent.gate.policy import read_policy
from manent.gate.staged import opened
from manent.gate.verdict import FOR_NOBODY
from manent.gate.verdicts import passing
from manent.repo.command import Git
from manent.repo.git_tree import GitTree
from manent.repo.landing import Person as Person
from manent.repo.landing import land
from manent.repo.open import Environment, Repository

_FINGERPRINT = late.pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*:[0-9a-f]{16}\Z")


def add_allowances(
    folder: Path,
    environment: Environment,
    fingerprints: Sequence[str],
    reason: str,
    until: datetime.date | None,
    salt: str,
    now: datetime.datetime,
) -> str:
    """Allow findings on the current branch, or on a brain's protected one, in one commit.

    salt: fresh random hex, for a vault that has none. In a working tree the commit is
    made by ``git commit``, with the person's hooks and signature. Returns its id.
    Raises UsageError for what would never count.
    """
    for fingerprint in fingerprints:
        if not _FINGERPRINT.match(fingerprint):
            known = "copy it from the finding: rule:hex"
            raise UsageError(f"{fingerprint} is no fingerprint", known)
        rule = fingerprint.partition(":")[0]
        if rule in FOR_NOBODY:
            raise UsageError(f"no allowance ever covers {rule}", "mend what was refused")
    if until is not None and until < now.date():
        raise UsageError(f"--until {until} is over: it would never count", "name a day to come")
    if not reason.strip() or "\n" in reason:
        raise UsageError("the reason must be one line", "say why it may stand")
    repository = opened(folder, environment)
    try:
        branch = _branch(repository)
        tip = repository.ref(f"refs/heads/{branch}")
        before = _standing(repository, tip)
        who = person(repository.git, None if repository.is_bare else environment)
        lines = [
            Allowance(fingerprint, fingerprint.partition(":")[0], reason.strip(), who.name, until)
            for fingerprint in dict.fromkeys(fingerprints)
        ]
        edits: dict[str, bytes | None] = {allow.FILE: allow.with_lines(before or b"", lines, salt)}
        change = Change(edits, f"{_subject(lines)}\n\n{reason.strip()}", who.name)
        if repository.is_bare:
            return land(
                repository, branch, change, who, int(now.timestamp()), tip,
                sign=True, passing=partial(passing, repository),
            )  # fmt: skip
        return _committed(repository, change, before, environment, who, now)
    finally:
        repository.close()


def not_taken_below(folder: Path, environment: Environment, commit: str) -> int:
    """Return how many commits below ``commit`` the branch's upstream has not.

    An allowance counts from accepted history, so that one on top of what it allows
    helps nobody. 0 in a brain and where there is no upstream.
    """
    repository = opened(folder, environment)
    try:
        if repository.is_bare:
            return 0
        asked = ("rev-list", "--count", f"@{{upstream}}..{commit}~1")
        status, out, _ = repository.git.attempt(*asked)
        return 0 if status else int(out)
    finally:
        repository.close()


def _subject(lines: Sequence[Allowance]) -> str:
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"Allow {lines[0].fingerprint}{more}"


def _committed(
    repository: Repository,
    change: Change,
    before: bytes | None,
    environment: Environment,
    who: Person,
    now: datetime.datetime,
) -> str:
    """Make the change a commit of the person's own, in their working tree."""
    from manent.gate.carrying import Folder, alone, commit

    assert repository.workdir is not None
    folder = Folder(repository.workdir, repository)
    standing = {allow.FILE: before}
    with alone(folder.state):
        made = list(commit(folder, [change], standing, environment, now.date(), own=who.email))
    return made[-1]


def person(git: Git, environment: Environment | None = None, role: str = "AUTHOR") -> Person:
    """Return who git says the user is. Raises EnvironmentFault when it does not know.

    environment: the user's own, where they may have told git otherwise. role: as
    whom, AUTHOR or COMMITTER.
    """
    found = []
    for key, variable in (("user.name", "NAME"), ("user.email", "EMAIL")):
        said = (environment or {}).get(f"GIT_{role}_{variable}", "").strip()
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


def _standing(repository: Repository, tip: str) -> bytes | None:
    if not tip:
        return None
    return allow.standing(GitTree(repository, tip))
