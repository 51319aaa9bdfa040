"""A task of the tasks extension, as it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manent.values import dataclass, field

WORKING, ASKING = "working", "input_required"
COMPLETED, FAILED, CANCELLED = "completed", "failed", "cancelled"
UNDER_WAY = (WORKING, ASKING)


@dataclass(frozen=True, slots=True)
class Task:
    """A task as it stands.

    owner: whose it is. payload: what was asked. outcome: the result when it completed,
    the error when it failed. requests: what its person is asked still, by key.
    responses: what they answered. Times in milliseconds since 1970.
    """

    id: str
    owner: str
    payload: Mapping[str, Any]
    status: str
    created_ms: int
    updated_ms: int
    expires_ms: int
    outcome: Mapping[str, Any] = field(default_factory=dict)
    requests: Mapping[str, Any] = field(default_factory=dict)
    responses: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether it has ended; then it never changes again."""
        return self.status not in UNDER_WAY
