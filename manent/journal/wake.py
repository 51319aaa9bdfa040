"""Waking: the document of constant size, its parts, and one block opened."""

from __future__ import annotations

from manent.errors import Refused, UsageError
from manent.journal import blocks, sleep
from manent.sizes import BYTE_BUDGET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from manent.journal.store import Store

AWAKE = "You are awake."


class Unready(Refused):
    """The document needs a summary that is not built; ``prompt`` asks for the next one."""

    def __init__(self, message: str, prompt: str) -> None:
        super().__init__(message)
        self.prompt = prompt


def document(store: Store, total: int) -> list[str]:
    """Return the lines of the document as of ``total`` memories, oldest first.

    Raises Unready when a summary is missing, EnvironmentFault when one is
    damaged. A journal that sets WAKE_CHARS gets the most lines that fit it.
    """
    budget = store.size("WAKE_LINES")
    lines = _lines(store, total, budget)
    most = store.set_sizes.get(BYTE_BUDGET)
    if most is None:
        return lines
    room = max(most - _room_after(store, total), store.size("ENTRY_CHARS"))
    while budget > 1 and sum(len(_bytes(line)) + 1 for line in lines) > room:
        budget -= 1
        lines = _lines(store, total, budget)
    return lines


def _bytes(line: str) -> bytes:
    return line.encode("utf-8", "surrogateescape")


def _room_after(store: Store, total: int) -> int:
    prompt = sleep.prompt(store, total)
    return len(AWAKE) + 1 + (len(_bytes(prompt)) + 2 if prompt else 0)


def _lines(store: Store, total: int, budget: int) -> list[str]:
    lines: list[str] = []
    raw: list[int] = []
    for lo, hi in blocks.cover(total, budget):
        if hi - lo == 1:
            raw.append(lo)
            continue
        lines += _memories(store, raw)
        raw = []
        lines.append(f"#{blocks.name((lo, hi))} {_summary(store, lo, hi, total)}")
    return lines + _memories(store, raw)


def _memories(store: Store, numbers: list[int]) -> list[str]:
    """Read a run of neighbours in one seek: they stand together in the log."""
    return store.lines(numbers[0], numbers[-1] + 1) if numbers else []


def _summary(store: Store, lo: int, hi: int, total: int) -> str:
    found = store.summary(lo, hi)
    if found:
        return found
    if store.level_length(hi - lo) > lo // (hi - lo):
        # Another session may have built it since; else it is there, and blank.
        found = store.summary(lo, hi)
        if found:
            return found
        raise sleep.blank(store, lo, hi)
    _, waiting = sleep.due(store, total)
    raise Unready(
        f"Not awake: this memory needs a summary of #{lo}-{hi - 1} first.\n"
        f"Do {sleep.counted(waiting, 'compression')}, then run: {store.command} wake",
        sleep.prompt(store, total),
    )


def parts(store: Store, lines: list[str]) -> list[list[str]]:
    """Cut the document into parts within PART_CHARS bytes and PART_LINES lines each."""
    most_bytes, most_lines = store.size("PART_CHARS"), store.size("PART_LINES")
    found: list[list[str]] = []
    room = 0
    for line in lines:
        cost = len(_bytes(line)) + 1
        if not found or len(found[-1]) >= most_lines or cost > room:
            found.append([])
            room = most_bytes
        found[-1].append(line)
        room -= cost
    return found


def moment(store: Store, text: str | None) -> int:
    """Return the T of ``wake part T``: how many memories the document is as of."""
    now = store.length()
    if text is None:
        return now
    total = number(text, "T")
    if not 1 <= total <= now:
        held = sleep.counted(now, "memory")
        raise UsageError(f"T is {total}, but the journal holds {held}. Run: {store.command} wake")
    return total


def number(text: str, what: str) -> int:
    """Return a whole number from the command line. Raises UsageError."""
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise UsageError(f"{what} is a whole number, not {text!r}")
    return int(text)


def halves(store: Store, block: blocks.Block) -> list[tuple[int, int, str | None]]:
    """Open a block: (lo, hi, line) of each half that has begun.

    The line is a raw memory ``#<i> <date> <text>`` where a half is one memory,
    else its summary, None while it is not built.
    """
    lo, hi = block
    total = store.length()
    if lo >= total:
        raise UsageError(
            f"#{blocks.name(block)} is yet to come: the journal holds "
            f"{sleep.counted(total, 'memory')}. Run: {store.command} wake"
        )
    middle = (lo + hi) // 2
    found: list[tuple[int, int, str | None]] = []
    for a, b in ((lo, middle), (middle, hi)):
        if a < total:
            found.append((a, b, store.lines(a, b)[0] if b - a == 1 else _built(store, a, b)))
    return found


def _built(store: Store, lo: int, hi: int) -> str | None:
    """Return the summary of a half, None while it is not built; one that is blank is told."""
    found = store.summary(lo, hi)
    if found is None and store.whole_summaries_of(hi - lo) > lo // (hi - lo):
        raise sleep.blank(store, lo, hi)
    return found


def check_part(part: int, count: int, store: Store) -> None:
    """Raise UsageError unless the document has that part."""
    if not 1 <= part <= count:
        held = sleep.counted(count, "part")
        raise UsageError(
            f"there is no part {part}: the document has {held}. Run: {store.command} wake"
        )
