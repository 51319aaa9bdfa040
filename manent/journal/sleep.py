"""Sleeping: the compressions that are due, smallest block first, and their prompts."""

from __future__ import annotations

from manent import record
from manent.errors import EnvironmentFault, Refused, UsageError
from manent.journal import blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from manent.journal.blocks import Block
    from manent.journal.store import Store

RAW_MOST = 16
"""A block of up to so many memories is compressed from them, a larger one from its halves."""

PLACE = "<your line>"
"""Stands in a printed command where the line goes; nobody means it as a memory."""


def due(store: Store, total: int) -> tuple[Block | None, int]:
    """Return the next block to compress as of ``total`` memories, and how many wait."""
    return blocks.pending(store.levels(total), total)


def prompt(store: Store, total: int) -> str:
    """Return the text that asks for the next compression, "" when none is due."""
    block, waiting = due(store, total)
    if block is None:
        return ""
    lines = "".join(f"  {line}\n" for line in source(store, block))
    name = blocks.name(block)
    return (
        f"Compress #{name} into one line of at most {store.size('ENTRY_CHARS')} bytes.\n"
        "Keep names, numbers, dates, decisions and outcomes; drop the wording; invent nothing.\n"
        f"\n{lines}\n{remaining(waiting - 1)}\n"
        f'Run: {store.command} sleep {name} "{PLACE}"'
    )


def remaining(waiting: int) -> str:
    """Say how many compressions wait behind the one at hand."""
    return f"{counted(waiting, 'compression') if waiting else 'None'} left after this one."


def source(store: Store, block: Block) -> list[str]:
    """Return the lines that a block is compressed from."""
    lo, hi = block
    if hi - lo <= RAW_MOST:
        return store.lines(lo, hi)
    middle = (lo + hi) // 2
    return [_half(store, lo, middle), _half(store, middle, hi)]


def _half(store: Store, lo: int, hi: int) -> str:
    found = store.summary(lo, hi)
    if found is None:
        # Only a settled half makes its whole due: the record is there, and blank.
        raise blank(store, lo, hi)
    return f"#{blocks.name((lo, hi))} {found}"


def blank(store: Store, lo: int, hi: int) -> EnvironmentFault:
    """Return the error for a summary that is there but holds nothing."""
    name = blocks.name((lo, hi))
    return EnvironmentFault(
        f"the summary of #{name} is blank. To build it again, run: {store.command} forget {name}"
    )


def settle(store: Store, block: Block, text: str) -> tuple[bool, str]:
    """Save one summary; return whether it was written, and the answer.

    Raises Refused when the block is not due, UsageError for a line that cannot be
    stored. The caller holds the lock.
    """
    name = blocks.name(block)
    store.mend_tree()
    total = store.length()
    first, _ = due(store, total)
    if block != first:
        if store.summary(*block) is not None:
            return False, f"{name} is settled already."
        raise Refused(f"{name} is not due, nothing was saved: {_instead(store, first, total)}")
    if not store.append_summary(*block, checked(store, text)):
        return False, f"{name} was settled or forgotten meanwhile."
    return True, f"{name} saved."


def _instead(store: Store, first: Block | None, total: int) -> str:
    if first is None:
        return f"the journal holds {counted(total, 'memory')}, and nothing is left to compress"
    return (
        f"blocks are built in order, and the next is {blocks.name(first)}. "
        f"Run: {store.command} sleep"
    )


def handed(store: Store, block: Block | None) -> dict[str, object] | None:
    """Return the compression ``block`` as a JSON document has it; None where there is none."""
    if block is None:
        return None
    return {
        "block": blocks.name(block),
        "limit_bytes": store.size("ENTRY_CHARS"),
        "lines": source(store, block),
    }


def checked(store: Store, text: str) -> str:
    """Return the line to store, without blanks at its ends. Raises UsageError."""
    line = text.strip()
    if line in (PLACE, "<one line>"):
        raise UsageError(f"put the line itself in place of {line}")
    fault = record.text_fault(line, store.size("ENTRY_CHARS"))
    if fault:
        raise UsageError(f"this line {fault}")
    return line


def forget(store: Store, block: Block) -> int:
    """Cut the block's level and every level above back to it; return how many went.

    The caller holds the lock. Raises Refused when the block has no summary.
    """
    lo, size = block[0], block[1] - block[0]
    # Every level there can be, also one the log no longer reaches: 62 stats.
    keep = {size << i: lo // (size << i) for i in range(63 - size.bit_length())}
    gone = sum(count for _, count in store.cut(keep))
    if not gone:
        raise Refused(f"there is no summary of #{blocks.name(block)} to forget")
    return gone


def counted(number: int, word: str) -> str:
    """Return ``1 memory``, ``2 memories``: the number with its word."""
    if number == 1:
        return f"1 {word}"
    if word.endswith("y"):
        return f"{number} {word[:-1]}ies"
    return f"{number} {word}{'es' if word.endswith(('s', 'h', 'x')) else 's'}"
