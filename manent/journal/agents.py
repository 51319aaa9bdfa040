"""The block that `journal init` prints, to paste into AGENTS.md or CLAUDE.md."""

from __future__ import annotations

_BLOCK = """\
## Journal

What you live through is kept in a journal, one line at a time. It outlasts
sessions, context windows and models; without it you start empty.

- First of all, before any other action, run: {command} wake
  Run every further part it orders, until it prints `You are awake.`
- When something new, important and lasting happens, run: {command} note "<one line>"
  A decision, a result, a fact about people or plans. Never what you know already.
- When an answer asks for a compression, do it before your next action.
- When a memory is vague, put `recall "<regex>"` in place of `wake` to search
  every memory, or `zoom a-b` to open a line `#a-b`.
- Before your context ends, put `sleep` there, and answer until nothing is left.
- Correct a wrong memory with a new note. Nothing is edited, ever.
- Never write under {directory} by hand.
- Parallel sessions are one identity: they share this journal.
- Sub-agents must not use it. Open their brief with:
  "You are a sub-agent: do not run manent journal."
"""


def block(directory: str, command: str) -> str:
    """Return the block, paths filled in: 281 tokens, 382 where paths are 100 letters long."""
    return _BLOCK.format(directory=directory, command=command)
