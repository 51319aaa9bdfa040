"""What a rule says of a place: rule, severity, path, line, message.

A Finding never carries the matched text; where the match matters for telling
two findings apart it carries a digest of it, and prints only a keyed
fingerprint.
"""

from __future__ import annotations

import enum
import hashlib
import json
import re
import unicodedata
from typing import Any

from manent.values import dataclass, replace

NO_SALT = b"manent"
"""The key of fingerprints in a vault that has no salt yet."""


class Severity(enum.IntEnum):
    """How much a finding weighs. Only errors refuse a push or fail a run."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word for it: ``error``, ``warning`` or ``info``."""
        return self.name.lower()

    @classmethod
    def of(cls, label: str) -> Severity:
        """Return the severity named ``label``. Raises KeyError for another word."""
        return cls[label.upper()]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or worth knowing, at one place.

    path: relative to the vault, ``/`` between components; bytes that are no
    UTF-8 stand as surrogate escapes.
    line, column: count from 1, columns in code points; 0 means the whole file.
    kind: what the rule found, where it knows several (``email``, ``iban``).
    digest: hex digest of what matched; goes into the fingerprint, never out.
    commit: full object id of the commit that brought it, "" where none did.
    """

    rule: str
    severity: Severity
    path: str
    line: int
    column: int
    message: str
    hint: str = ""
    kind: str = ""
    digest: str = ""
    commit: str = ""

    @property
    def order(self) -> tuple[str, int, int, str, str, str]:
        """Sort key: by place, then rule, so that output never depends on who found it first."""
        return (self.path, self.line, self.column, self.rule, self.kind, self.message)

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What makes two findings the same fault although lines have moved."""
        return (self.rule, self.path, self.kind, self.digest or self.message)

    def at(self, severity: Severity) -> Finding:
        """Return the same finding with another severity."""
        return replace(self, severity=severity)

    def fingerprint(self, salt: bytes = NO_SALT) -> str:
        """Return ``<rule>:<16 hex>``, the same wherever in its file the match stands.

        salt: the vault's random key. Without it the digest of a phone number
        could be found by trying all numbers.
        """
        text = "\0".join(self.identity).encode("utf-8", "surrogateescape")
        import hmac

        return f"{self.rule}:{hmac.new(salt, text, hashlib.sha256).hexdigest()[:16]}"

    def as_json(self, salt: bytes = NO_SALT) -> dict[str, Any]:
        """Return the finding as the command line's contract spells it.

        There lines count from 1, so what concerns the whole file stands at its beginning.
        """
        out: dict[str, Any] = {
            "rule": self.rule,
            "severity": self.severity.label,
            "path": inert(self.path),
            "line": max(1, self.line),
            "column": max(1, self.column),
            "message": self.message,
            "hint": self.hint,
            "fingerprint": self.fingerprint(salt),
        }
        if self.commit:
            out["commit"] = self.commit
        return out

    def as_text(self, salt: bytes | None = None) -> str:
        """Return one line (two with a hint) for people, inert on any terminal.

        salt: when given, the fingerprint is printed too.
        """
        where = f"{inert(self.path)}:{self.line}:{self.column}" if self.line else inert(self.path)
        if self.commit:
            where = f"{self.commit[:10]} {where}"
        mark = f" [{self.fingerprint(salt)}]" if salt is not None else ""
        head = f"{where}: {self.severity.label}: {inert(self.message)} [{self.rule}]{mark}"
        return f"{head}\n    {inert(self.hint)}" if self.hint else head


def json_text(document: Any) -> str:
    """Return one JSON document as UTF-8 can carry it.

    The bytes of a path that are no UTF-8 stand as lone surrogates, which only an
    escape (``\\udce9``) gets through: reading it gives the very path back.
    """
    text = json.dumps(document, ensure_ascii=False, default=str)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_SURROGATE = re.compile("[\ud800-\udfff]")


def counted(number: int, noun: str) -> str:
    """Return ``1 note`` or ``7 notes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def digest_of(text: str) -> str:
    """Return a hex digest of a match, for ``Finding.digest`` and ``Span.digest``."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def inert(text: str) -> str:
    r"""Return ``text`` with everything a terminal could obey spelled as an escape.

    Control, format and unassigned characters become ``\x1b``, ``\u202e`` and the
    like; bytes that were no UTF-8 become ``\xff``. Printing it is always safe.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) for c in text)


def _escape(c: str) -> str:
    code = ord(c)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if c == " " or unicodedata.category(c)[0] not in "CZ":
        return c
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
