"""A journal from lines and back to lines: ``YYYY-MM-DD text``, one memory each."""

from __future__ import annotations

from manent import record
from manent.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from manent.journal.store import Store

_RUN = 4096


def dated_lines(
    lines: Iterable[bytes], name: str, limit: int, after: str
) -> Iterator[tuple[str, str]]:
    """Yield (date, text) of each line that is not blank.

    name: of the source, for messages. limit: bytes of a text. after: the date
    of the newest memory, or "". Raises UsageError at the first bad line.
    """
    last = after
    for number, raw in enumerate(lines, 1):
        line = _decoded(raw, f"{name}, line {number}: ", first=number == 1)
        if not line.strip():
            continue
        date, _, text = line.partition(" ")
        fault = _fault(date, text.strip(), limit, last)
        if fault:
            raise UsageError(f"{name}, line {number}: {fault}; nothing was imported")
        yield date, text.strip()
        last = date


def _decoded(raw: bytes, where: str, *, first: bool) -> str:
    try:
        return raw.decode("utf-8-sig" if first else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise UsageError(f"{where}is not UTF-8 text; nothing was imported") from None


def _fault(date: str, text: str, limit: int, last: str) -> str:
    if not record.real_date(date.encode()):
        return "does not begin with a day of the calendar, as in '2026-01-31 what happened'"
    if date < last:
        return f"is dated {date}, before the {last} of the memory in front of it"
    return record.text_fault(text, limit) or ""


def exported(store: Store) -> Iterator[tuple[int, str, str]]:
    """Yield number, date and text of each memory, oldest first, in constant memory."""
    width, number = record.LOG_BYTES, 0
    for raw in store.memories(_RUN):
        for i in range(0, len(raw) - len(raw) % width, width):
            yield record.split_line(store.line(raw[i : i + width], number))
            number += 1
