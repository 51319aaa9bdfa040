"""Allowances: findings an owner has looked at and lets pass, by fingerprint.

``.manent-allow`` counts as it stands in history already accepted. Each line is
one JSON object; the first carries the random salt that keys the fingerprints.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from typing import Any, Protocol

from manent.errors import EnvironmentFault
from manent.finding import NO_SALT, Finding
from manent.tree import Entry, Kind
from manent.values import dataclass, field

FILE = ".manent-allow"
MAX_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Allowance:
    """One line. until: last day it counts, None: for ever. commit: the one that brought
    what it allows, where that is known, else ""."""

    fingerprint: str
    rule: str
    reason: str
    who: str
    until: datetime.date | None = None
    commit: str = ""

    def holds(self, today: datetime.date) -> bool:
        """Whether it has not expired."""
        return self.until is None or today <= self.until


@dataclass(frozen=True, slots=True)
class Allowances:
    """What one version of the file says. salt: the key of fingerprints."""

    salt: bytes = NO_SALT
    lines: tuple[Allowance, ...] = ()
    _by_fingerprint: dict[str, Allowance] = field(default_factory=dict, compare=False)

    def allows(self, finding: Finding, today: datetime.date) -> bool:
        """Whether a line that still counts names the finding."""
        # A fingerprint printed before the file had a salt was keyed by the fixed one.
        keys = (self.salt, NO_SALT) if self.salt != NO_SALT else (NO_SALT,)
        found = (self._by_fingerprint.get(finding.fingerprint(key)) for key in keys)
        return any(line is not None and line.holds(today) for line in found)


class Holder(Protocol):
    """A Tree that knows of its folders too."""

    def get(self, path: str) -> Entry | None:
        """Return the entry at ``path``, or None."""

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``."""

    def is_folder(self, path: str) -> bool:
        """Tell whether a folder stands at ``path``."""


def standing(tree: Holder) -> bytes | None:
    """Return the file as it stands in a tree, None where nothing does.

    Raises EnvironmentFault where something else stands at its place: taken for no
    file, it would end every allowance, and the salt with them, without a word.
    """
    entry = tree.get(FILE)
    if entry is None and not tree.is_folder(FILE):
        return None
    if entry is None or entry.kind is not Kind.FILE:
        raise no_file("folder" if entry is None else str(entry.kind))
    return tree.read(FILE)


def no_file(what: str) -> EnvironmentFault:
    """Return what is said of a ``what`` at the place of the file."""
    return EnvironmentFault(
        f"{FILE} is a {what}, not a file", f"git rm -r {FILE}, or put the file back"
    )


def left_behind(before: Allowances, after: Allowances) -> int:
    """Return how many allowances stay in the file but lose the salt they were made under."""
    if before.salt in (NO_SALT, after.salt):
        return 0
    kept = {line.fingerprint for line in after.lines}
    return sum(line.fingerprint in kept for line in before.lines)


def unsalted(count: int) -> str:
    """Return what is said of ``count`` allowances that lost their salt."""
    noun = "allowance was" if count == 1 else "allowances were"
    return f"its salt is not the one under which {count} {noun} made: none would count any more"


def parse(content: bytes) -> Allowances:
    """Read the file. Raises EnvironmentFault for a line that is no allowance."""
    if len(content) > MAX_BYTES:
        raise EnvironmentFault(f"{FILE} is larger than {MAX_BYTES} bytes", "drop old lines")
    salt, lines = NO_SALT, []
    for number, raw in enumerate(content.splitlines(), start=1):
        if not raw.strip():
            continue
        row = _row(raw, number)
        if "salt" in row and "fingerprint" not in row:
            salt = _salt(row["salt"], number)
        else:
            lines.append(_allowance(row, number))
    # Of two lines for one finding the later counts: that is how one is renewed.
    return Allowances(salt, tuple(lines), {line.fingerprint: line for line in lines})


def with_line(content: bytes, line: Allowance, salt: str) -> bytes:
    """Return the file with one more allowance, and a salt first where it has none.

    salt: a fresh random hex text, used only in a file without one.
    """
    return with_lines(content, [line], salt)


def with_lines(content: bytes, lines: Iterable[Allowance], salt: str) -> bytes:
    """As ``with_line``, for several."""
    if parse(content).salt == NO_SALT:
        content = _line({"salt": salt}) + content
    if not content.endswith(b"\n"):
        content += b"\n"
    return content + b"".join(_line(_fields(line)) for line in lines)


def _fields(line: Allowance) -> dict[str, Any]:
    row = {"fingerprint": line.fingerprint, "rule": line.rule, "reason": line.reason}
    row["who"] = line.who
    if line.until is not None:
        row["until"] = line.until.isoformat()
    if line.commit:
        row["commit"] = line.commit
    return row


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _row(raw: bytes, number: int) -> dict[str, Any]:
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _wrong(number, "is no JSON") from error
    if not isinstance(row, dict):
        raise _wrong(number, "is no JSON object")
    return row


def _salt(value: object, number: int) -> bytes:
    if not isinstance(value, str) or not value:
        raise _wrong(number, "has a salt that is no text")
    return value.encode()


def _allowance(row: dict[str, Any], number: int) -> Allowance:
    texts = [row.get(key, "") for key in ("fingerprint", "rule", "reason", "who", "commit")]
    if not all(isinstance(text, str) for text in texts) or ":" not in texts[0]:
        raise _wrong(number, "lacks a fingerprint")
    until = row.get("until")
    try:
        day = None if until is None else datetime.date.fromisoformat(until)
    except (ValueError, TypeError) as error:
        raise _wrong(number, "has an `until` that is no date") from error
    return Allowance(texts[0], texts[1], texts[2], texts[3], day, texts[4])


def _wrong(number: int, what: str) -> EnvironmentFault:
    return EnvironmentFault(f"line {number} of {FILE} {what}", "an owner must mend that line")
