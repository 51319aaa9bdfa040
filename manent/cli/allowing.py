"""Allowances as a reading command applies them: the file as it stands in the vault."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from manent.cli.opening import Opened
from manent.errors import NotFound
from manent.finding import Finding
from manent.gate.allow import FILE, Allowances, parse


@dataclass(frozen=True, slots=True)
class Sieve:
    """Lets allowed findings through, on a given day."""

    allowances: Allowances
    today: datetime.date

    @property
    def salt(self) -> bytes:
        """The key of the vault's fingerprints."""
        return self.allowances.salt

    def sift(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[str]]:
        """Return the findings that are not allowed, and the fingerprints that match none."""
        kept: list[Finding] = []
        matched: set[str] = set()
        for finding in findings:
            # An allowance past its day still has its finding: it is late, not idle.
            matched.update((finding.fingerprint(self.salt), finding.fingerprint()))
            if not self.allowances.allows(finding, self.today):
                kept.append(finding)
        unused = [a.fingerprint for a in self.allowances.lines if a.fingerprint not in matched]
        return kept, unused


def allowances(found: Opened) -> Sieve:
    """Read the vault's own allowances; a vault without the file allows nothing."""
    try:
        content = found.vault.tree.read(FILE)
    except NotFound:
        content = b""
    today = datetime.datetime.now(datetime.UTC).date()
    return Sieve(parse(content), today)
