"""The journal: what an agent lives through, one line at a time, never edited.

A folder with an append-only log and a tree of one-line summaries of it, read
back at wake in a document of constant size. The format is ``spec/JOURNAL.md``,
the laws are ``manent.record``; every command starts in ``command``. This room
imports nothing heavy: `journal note` has 80 ms, interpreter included.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from manent.journal.recall import Found


def find(directory: str, words: str, limit: int = 8, *, regex: bool = False) -> list[Found]:
    """Return the newest memories of the journal in ``directory`` that hold ``words``.

    words: blank-separated, each of which must occur in the line ``#<i> <date>
    <text>``, letter case aside; with ``regex`` one RE2 pattern instead. At most
    ``limit``, newest first, in constant memory and linear time. Raises
    EnvironmentFault when there is no journal, UsageError for a bad pattern.
    Whoever calls it has checked that the asker may see this journal.
    """
    from manent.journal.recall import newest
    from manent.journal.store import Store

    return newest(Store(directory), words, limit, regex=regex)


def find_in(
    log: bytes, words: str, limit: int = 8, *, regex: bool = False, name: str = "the log"
) -> list[Found]:
    """Return what ``find`` returns, of a log given by its bytes. name: for messages."""
    from manent.journal.held import Held
    from manent.journal.recall import newest

    return newest(Held(log, name), words, limit, regex=regex)
