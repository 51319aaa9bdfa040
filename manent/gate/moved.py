"""Summaries whose memories a rebase or a pick has moved away from beneath them.

A level of TREE says nothing of the memories it was made of. A rebase puts other
memories in front, and the summary that comes after it appends as cleanly as it
did before: by the laws of one commit nothing is wrong. What tells is the line
that `manent journal sleep --commit` ends its message with, a fingerprint of the
block, which comes along. Only what stands in the end counts: a rebase that was
settled has cut in a later commit what an earlier one carried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from manent import record
from manent.repo.incoming import CommitText

Place = tuple[str, int, int]
"""Path of the level, number of the summary in it, size of the level."""

Reader = Callable[[str], bytes]
"""Returns the content of a path in one commit, nothing where there is no file."""


class Moved:
    """The summaries of a push that stand on other memories than they were made of."""

    def __init__(self) -> None:
        self._suspect: dict[Place, set[bytes]] = {}
        self._proven: dict[Place, set[bytes]] = {}

    def heard(self, commit: CommitText, paths: Iterable[str], read: Reader) -> None:
        """Compare what the message of ``commit`` tells with what stands in it."""
        told = record.summaries_told(commit.message)
        for path in paths if told else ():
            where = record.journal_file(path)
            for lo, hi, fingerprint in told:
                if where and where[1] == hi - lo:
                    k = lo // (hi - lo)
                    summary = _summary(read(path), k)
                    log = read(f"{where[0]}/LOG.txt") if summary else b""
                    if summary and len(log) < hi * record.LOG_BYTES:
                        # Of memories that the commit does not hold: `tree_fault` says so.
                        continue
                    right = record.stands_on(log, lo, hi, fingerprint)
                    kind = self._proven if right else self._suspect
                    kind.setdefault((path, k, hi - lo), set()).add(summary)

    def standing(
        self, tips: Callable[[], Iterable[str]], at: Callable[[str], Reader]
    ) -> Iterator[tuple[str, int, int, str]]:
        """Yield path, number, size and tip of each moved summary that a tip still has.

        tips: the commits that no other of the push comes after; asked for only
        where there is something to look for.
        """
        found = [
            (place, wrong)
            for place, heard in sorted(self._suspect.items())
            if (wrong := heard - self._proven.get(place, set()) - {b""})
        ]
        for tip in tips() if found else ():
            for (path, k, size), wrong in found:
                if _summary(at(tip)(path), k) in wrong:
                    yield path, k, size, tip

    @staticmethod
    def said(path: str, k: int, size: int) -> str:
        """Return what is wrong with such a summary, and the command that mends it."""
        block = f"{k * size}-{(k + 1) * size - 1}"
        folder = path.partition("/TREE/")[0]
        return (
            f"the summary of #{block} was made of other memories than stand there now: a rebase "
            "or a pick has moved them; cut it back with: manent journal --dir "
            f"{folder} forget {block} --commit"
        )


def _summary(level: bytes, k: int) -> bytes:
    return level[k * record.TREE_BYTES : (k + 1) * record.TREE_BYTES]
