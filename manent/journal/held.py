"""A log held in memory, as git's objects give it: read like a journal on disk."""

from __future__ import annotations

from manent import record
from manent.errors import EnvironmentFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Held:
    """A log by its bytes. name: what to call it in messages."""

    __slots__ = ("_log", "_name")

    def __init__(self, log: bytes, name: str) -> None:
        self._log = log
        self._name = name

    def memories(self, records: int) -> Iterator[bytes]:
        """Stream the log in runs of whole ``records``, as ``Store.memories`` does."""
        step = records * record.LOG_BYTES
        return (self._log[at : at + step] for at in range(0, len(self._log), step))

    def line(self, raw: bytes, number: int) -> str:
        """Return the line of one record. Raises EnvironmentFault that names the log."""
        try:
            return record.log_line(raw, number)
        except EnvironmentFault as damaged:
            raise EnvironmentFault(f"{self._name}: {damaged.message}") from None
