"""The block that `journal init` prints, to paste into AGENTS.md or CLAUDE.md."""

from __future__ import annotations

_BLOCK = """\
## Journal

What you live through is kept in {directory}, one line at a time. It
outlasts sessions, context windows and models; without it you start empty.

- First of all, before any other action, run: {command} wake
  Run every further part it orders, until it prints `You are awake.`
- When something new, important and lasting happens, run: {command} note "<one line>"
  A decision, a result, a fact about people or plans. Never what you know already.
- When an answer asks for a compression, do it before your next action.
- When a memory is vague, search with `{command} recall "<regex>"` or open a
  line `#a-b` with `{command} zoom a-b`.
- Before your context ends, run `{command} sleep` and answer until nothing is left.
- Correct a wrong memory with a new note. Nothing is edited, ever.
- Never write under that folder by hand.
- Parallel sessions are one identity: they share this journal.
- Sub-agents must not use it. Open their brief with:
  "You are a sub-agent: do not run manent journal."
"""


def block(directory: str, command: str) -> str:
    """Return the block with its paths filled in: some 300 tokens with short paths."""
    return _BLOCK.format(directory=directory, command=command)
