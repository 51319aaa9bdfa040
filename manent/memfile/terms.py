"""What is said to somebody at a command line, said to the client of a server's tools.

Messages and hints name commands and their options. A client has neither: it has the
tools that were registered, and a person who may type. ``tests/unit/memfile/test_terms.py``
holds that nothing this room says is left over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from manent import late

_LINE = "on the command line"


@dataclass(frozen=True, slots=True)
class Terms:
    """How to say things to the client of these tools."""

    tools: frozenset[str]

    @property
    def audit(self) -> str:
        """What audits."""
        return self._one("check", "doctor") or f"`manent memory doctor` {_LINE}"

    @property
    def plan(self) -> str:
        """What shows a plan."""
        return self._one("check", "plan") or f"`manent memory compile` {_LINE}"

    @property
    def split(self) -> str:
        """What compiles a file."""
        return self._one("optimize", "apply") or f"`manent memory compile --write` {_LINE}"

    @property
    def reapply(self) -> str:
        """What re-applies a compiled file."""
        by_hand = f"`manent memory compile --update --write` {_LINE}"
        return self._one("sync", "update", "optimize") or by_hand

    @property
    def tend(self) -> str:
        """What reorganises a folder."""
        return self._one("optimize", "reorganize") or "a server launched with --allow-write"

    @property
    def forced(self) -> str:
        """How somebody insists."""
        return "force: true" if self.tools & {"sync", "optimize"} else f"--force {_LINE}"

    def _one(self, *names: str) -> str:
        return next((f"`{name}`" for name in names if name in self.tools), "")

    def say(self, text: str) -> str:
        """Return a message, a hint, or a report of them, in terms of the tools."""
        for pattern, said in _SAYINGS:
            text = pattern.sub(partial(said, self), text)
        return text

    def say_all(self, document: Any) -> Any:
        """Return a JSON document whose hints and reasons are in terms of the tools."""
        if isinstance(document, list):
            return [self.say_all(each) for each in document]
        if not isinstance(document, dict):
            return document
        return {
            key: self._told(value) if key in _TOLD else self.say_all(value)
            for key, value in document.items()
        }

    def _told(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._told(each) for each in value]
        return self.say(value) if isinstance(value, str) else value


def terms(tools: Collection[str]) -> Terms:
    """Return the terms for the tools that are registered, by their names."""
    return Terms(frozenset(tools))


_TOLD = frozenset(
    {"hint", "mend", "message", "reason", "refused", "remarks", "planUnavailableReason"}
)
"""Keys of JSON documents under which something is said rather than quoted."""

_SAYINGS: tuple[tuple[re.Pattern[str], Callable[[Terms, re.Match[str]], str]], ...] = (
    (late.pattern(r", or pass --allow-secrets"), lambda t, m: ""),
    (
        late.pattern(r"--update re-applies it, --force compiles afresh"),
        lambda t, m: f"{t.reapply} re-applies it",
    ),
    (late.pattern(r"compile it without --update"), lambda t, m: f"{t.split} splits it"),
    (late.pattern(r"without --file all are searched"), lambda t, m: "without a file all are"),
    (late.pattern(r"--rules lists them"), lambda t, m: "there are MM001 to MM010"),
    (
        late.pattern(r"compile again with --force, or bring the file back from history"),
        lambda t, m: f"bring the file back from history, or compile again with --force {_LINE}",
    ),
    (
        late.pattern(r"manent memory compile (?:'[^'\n]*'|\S)+ --update --write"),
        lambda t, m: f"{t.reapply} re-applies it",
    ),
    (
        late.pattern(r"see what a split gives: manent memory compile ([^\n]+)"),
        lambda t, m: f"see what a split gives: {t.plan} with target {m[1]}",
    ),
    (
        late.pattern(r"--force compiles it afresh as it stands; restore rebuilds the old text"),
        lambda t, m: f"bring the markers back from history, or compile it with --force {_LINE}",
    ),
    (late.pattern(r"or --force takes "), lambda t, m: f"or {t.forced} takes "),
    (
        late.pattern(r"(?<!`)manent memory compile makes one"),
        lambda t, m: f"{t.split} makes one",
    ),
    (
        late.pattern(r"`manent memory doctor` audits it; the server's `optimize` tends it"),
        lambda t, m: f"{t.audit} audits it, {t.tend} tends it",
    ),
    (
        late.pattern(r"`manent memory doctor` says more"),
        lambda t, m: f"{t.audit} says more",
    ),
    (
        late.pattern(r"`manent memory compile --write --force` starts anew"),
        lambda t, m: f"`manent memory compile --write --force` {_LINE} starts anew",
    ),
    (late.pattern(r"would write \(add --write\):"), lambda t, m: "would write:"),
)
