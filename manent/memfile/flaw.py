"""What a rule of the doctor says: rule, severity, file, lines, message, what to do."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from manent.finding import digest_of, inert


class Level(enum.IntEnum):
    """How much a finding weighs: low, med or high."""

    LOW = 1
    MED = 2
    HIGH = 3

    @property
    def label(self) -> str:
        """The word for it."""
        return self.name.lower()

    @classmethod
    def of(cls, label: str) -> Level:
        """Return the level named ``label``. Raises KeyError for another word."""
        return cls[label.upper()]


@dataclass(frozen=True, slots=True)
class Flaw:
    """One finding. line, end_line: from 1, inclusive; 0 for the whole file."""

    rule: str
    severity: Level
    file: str
    line: int
    end_line: int
    message: str
    hint: str

    @property
    def order(self) -> tuple[str, int, str, str]:
        """Sort key: by place, then rule."""
        return (self.file, self.line, self.rule, self.message)

    @property
    def fingerprint(self) -> str:
        """Return what stays the same when lines above it move."""
        return digest_of("\0".join((self.rule, self.file, self.message)))[:16]

    def as_json(self) -> dict[str, Any]:
        """Return the finding as the command line's contract spells it."""
        return {
            "rule": self.rule,
            "severity": self.severity.label,
            "file": inert(self.file),
            "line": self.line,
            "endLine": self.end_line,
            "message": self.message,
            "hint": self.hint,
        }

    def as_text(self) -> str:
        """Return two lines for people, inert on any terminal."""
        where = f"{inert(self.file)}:{self.line}" if self.line else inert(self.file)
        if self.end_line > self.line > 0:
            where += f"-{self.end_line}"
        return (
            f"{where}: {self.severity.label}: {inert(self.message)} [{self.rule}]"
            f"\n    {inert(self.hint)}"
        )
