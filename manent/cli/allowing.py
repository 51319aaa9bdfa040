"""Allowances as a reading command applies them: the file as it stands in the vault."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from manent.cli.opening import Opened
from manent.errors import NotFound
from manent.finding import Finding
from manent.gate.allow import FILE, Allowance, Allowances, no_file, parse
from manent.tree import Kind


@dataclass(frozen=True, slots=True)
class Sieve:
    """Lets allowed findings through, on a given day."""

    allowances: Allowances
    today: datetime.date

    @property
    def salt(self) -> bytes:
        """The key of the vault's fingerprints."""
        return self.allowances.salt

    def sift(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Allowance]]:
        """Return the findings that are not allowed, and the allowances that match none."""
        kept: list[Finding] = []
        matched: set[str] = set()
        for finding in findings:
            # An allowance past its day still has its finding: it is late, not idle.
            matched.update((finding.fingerprint(self.salt), finding.fingerprint()))
            if not self.allowances.allows(finding, self.today):
                kept.append(finding)
        return kept, [a for a in self.allowances.lines if a.fingerprint not in matched]


def idle(found: Opened, unmatched: Iterable[Allowance], rules: Collection[str]) -> list[str]:
    """Return a line for each allowance that may be dropped.

    unmatched: those that match none of the findings of ``rules``, in the files as they
    stand. Of other rules nothing is said, nor of one whose finding came with a commit
    that is still part of the history: the gate meets it there.
    """
    left = [one for one in unmatched if one.rule in rules]
    repository = found.place.repository
    if repository is None:
        return [f"the allowance {one.fingerprint} matches nothing any more" for one in left]
    at = found.commit or repository.ref("HEAD")
    held: set[str] = set()
    if at and any(one.commit for one in left):
        held.update(repository.git.run("rev-list", at).decode("ascii").split())
    return [
        f"the allowance {one.fingerprint} matches no file as it stands; "
        "drop it unless a commit or an attachment holds what it is for"
        for one in left
        if one.commit not in held
    ]


def allowances(found: Opened) -> Sieve:
    """Read the vault's own allowances; a vault without the file allows nothing.

    Raises EnvironmentFault where something else stands at its place.
    """
    for entry in found.vault.files_below(FILE):
        if entry.path != FILE or entry.kind is not Kind.FILE:
            raise no_file("folder" if entry.path != FILE else str(entry.kind))
    try:
        content = found.vault.tree.read(FILE)
    except NotFound:
        content = b""
    today = datetime.datetime.now(datetime.UTC).date()
    return Sieve(parse(content), today)
