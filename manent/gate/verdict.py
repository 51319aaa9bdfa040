"""What the gate decided, and how it says so: to a pusher, to a machine, to the log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from manent.finding import NO_SALT, Finding, Severity, inert
from manent.gate.blobs import Read
from manent.values import dataclass, field

SHOWN = 20
"""Findings printed in full; of the others the number."""
NAMED = 3
"""Fingerprints that the advice spells out; more are to be copied from the findings."""

_KEPT = {"push": ", nothing was kept", "commit": ", nothing was committed", "range": ""}

FOR_NOBODY = frozenset(
    {"ref-forbidden", "ref-target", "history-rewrite", "identity", "stray-object", "tree-malformed"}
    | {"text-size"}
    | {"path-secret", "path-derived", "path-forbidden", "symlink", "submodule", "entry-mode"}
    | {"allow-malformed"}
)
"""Rules about what a push does, not what it says, and what is refused whatever the
policy: no allowance covers them."""


_IN_TAGS = ("(tag message)", "(tagger name)")
"""Where findings stand that no other commit mends."""


@dataclass(slots=True)
class Verdict:
    """A decision. findings: those that count, allowed ones left out, most severe first.

    allowed: how many an allowance let pass. salt: keys their fingerprints.
    hidden: names that must not be printed, with what stands for them.
    may_allow: an allowance would count: not for an agent's text.
    act: what was judged, a ``push``, a ``commit`` yet to be made, or a ``range``.
    """

    refs: Sequence[str] = ()
    findings: list[Finding] = field(default_factory=list)
    allowed: int = 0
    read: Read = field(default_factory=Read)
    salt: bytes = NO_SALT
    seconds: float = 0.0
    identity: str = ""
    hidden: Mapping[str, str] = field(default_factory=dict)
    may_allow: bool = True
    act: str = "push"

    @property
    def accepted(self) -> bool:
        """Whether nothing found is an error."""
        return not self.errors

    @property
    def errors(self) -> list[Finding]:
        """What refuses."""
        return [f for f in self.findings if f.severity is Severity.ERROR]

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as the command line's contract spells it."""
        return {
            "version": 1,
            "accepted": self.accepted,
            "refs": [self._safe(inert(ref)) for ref in self.refs],
            "findings": [self._safe_row(f.as_json(self.salt)) for f in self.findings],
        }

    def lines(self) -> Iterator[str]:
        """Yield what a pusher sees, each line inert on a terminal."""
        errors = self.errors
        if errors:
            yield f"manent: refused{_KEPT[self.act]}: {_count(len(errors), 'finding')}"
            for finding in errors[:SHOWN]:
                yield from self._safe(finding.as_text(self.salt)).split("\n")
            if len(errors) > SHOWN:
                yield f"and {len(errors) - SHOWN} more"
            yield from self._advice()
        yield f"manent: read {self._extent()}{'' if errors else ': accepted'}"

    def _safe(self, text: str) -> str:
        """Return printed text with the names masked that must not be printed."""
        for name, masked in self.hidden.items():
            text = text.replace(inert(name), inert(masked))
        return text

    def _safe_row(self, row: dict[str, Any]) -> dict[str, Any]:
        return {k: self._safe(v) if isinstance(v, str) else v for k, v in row.items()}

    def _advice(self) -> Iterator[str]:
        in_tags = [f.path.startswith(_IN_TAGS) for f in self.errors if f.commit]
        if any(in_tags):
            yield "write the tag anew without it: git tag -f -a NAME"
        if not all(in_tags):
            yield (
                f"it must leave every commit of the {self.act}: mend it, then "
                "git commit --amend, or git rebase -i for an older commit"
            )
        if self.may_allow:
            prints = dict.fromkeys(
                f.fingerprint(self.salt) for f in self.errors if f.rule not in FOR_NOBODY
            )
            if prints:
                before = "push" if self.act == "push" else "commit"
                named = " ".join(prints) if len(prints) <= NAMED else "FINGERPRINT…"
                yield (
                    f"if a finding is wrong, an owner can allow it, in a {before} before this one: "
                    f"manent gate allow {named} --reason TEXT"
                )

    def _extent(self) -> str:
        read = self.read
        parts = [_count(read.commits, "commit"), _count(read.blobs, "file")]
        if read.tags:
            parts.append(_count(read.tags, "tag"))
        allowed = f", {self.allowed} allowed" if self.allowed else ""
        return f"{', '.join(parts)}, {_size(read.bytes)} in {self.seconds:.2f} s{allowed}"

    def log_line(self, when: str) -> str:
        """Return one JSON line for the operator's log: what and where, never the text."""
        row = {
            "time": when,
            "identity": self.identity,
            "accepted": self.accepted,
            "refs": [self._safe(inert(ref)) for ref in self.refs],
            "commits": self.read.commits,
            "files": self.read.blobs,
            "bytes": self.read.bytes,
            "seconds": round(self.seconds, 3),
            "findings": len(self.errors),
            "rules": sorted({f.rule for f in self.errors}),
            "first": [f.fingerprint(self.salt) for f in self.errors[:SHOWN]],
        }
        return json.dumps(row, ensure_ascii=True)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _size(count: int) -> str:
    if count < 10_000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 10_000_000 else f"{count / 1_000_000:.0f} MB"
