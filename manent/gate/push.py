"""A push under judgement, and the word for what is wrong with it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from manent.access import OWNER, Identity
from manent.finding import Finding, Severity
from manent.gate.policy import Policy
from manent.repo.incoming import RefUpdate
from manent.repo.open import Repository
from manent.values import dataclass, field


@dataclass(slots=True)
class Push:
    """A push under judgement.

    allowing: a commit whose allowances count although no history has accepted it yet:
    of a vault that its owner makes a brain of.
    """

    repository: Repository
    updates: Sequence[RefUpdate]
    policy: Policy
    identity: Identity = OWNER
    today: datetime.date = datetime.date.min
    processes: int = 1
    protected: str = "main"
    allowing: str = ""
    tips: dict[str, str] = field(default_factory=dict)
    """By ref: the commit it is to lead to, tags followed."""


def refusal(path: str, rule: str, message: str, hint: str) -> Finding:
    """Return what is wrong with a whole file, object or ref."""
    return Finding(rule, Severity.ERROR, path, 0, 0, message, hint)
