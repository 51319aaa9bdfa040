"""Findings for people and machines: text, JSON, SARIF 2.1.0, CI annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from manent.finding import NO_SALT, Finding, Severity, counted, inert, json_text
from manent.lint import sarif
from manent.lint.rules import RULES
from manent.schema import SPEC_VERSION


@dataclass(frozen=True, slots=True)
class Report:
    """What a lint run says. findings: graded, ordered by place."""

    findings: Sequence[Finding]
    notes: int
    tree: str | None = None
    salt: bytes = NO_SALT
    allowed: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity."""
        found = Counter(f.severity.label for f in self.findings)
        return {s.label: found[s.label] for s in sorted(Severity, reverse=True)}


def as_text(report: Report, quiet: bool = False) -> Iterator[str]:
    """Yield a line or two a finding, then a line that counts."""
    for finding in report.findings:
        yield finding.as_text()
    if not quiet:
        yield summary(report)


def summary(report: Report) -> str:
    """Return the closing line: how many notes, how many findings of each weight."""
    counts = report.counts
    parts = [counted(n, label) if label != "info" else f"{n} info" for label, n in counts.items()]
    allowed = f", {report.allowed} allowed" if report.allowed else ""
    return f"{counted(report.notes, 'note')}: {', '.join(parts)}{allowed}"


def as_json(report: Report) -> str:
    """Return the one JSON document of the command line's contract."""
    return json_text(
        {
            "version": 1,
            "spec": SPEC_VERSION,
            "tree": report.tree,
            "notes": report.notes,
            "counts": report.counts,
            "findings": [f.as_json(report.salt) for f in report.findings],
        }
    )


_SARIF_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def as_sarif(report: Report) -> str:
    """Return a SARIF 2.1.0 log, paths relative to the vault."""
    ids = [rule.ID for rule in RULES]
    results = (_sarif_result(f, report.salt, ids) for f in report.findings)
    return sarif.log(RULES, _SARIF_LEVEL, results)


def _sarif_result(finding: Finding, salt: bytes, ids: list[str]) -> dict[str, Any]:
    # What concerns the whole file stands at its first line: viewers show nothing without one.
    region = {"startLine": max(1, finding.line), "startColumn": max(1, finding.column)}
    said = f"{finding.message}: {finding.hint}" if finding.hint else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": _SARIF_LEVEL[finding.severity],
        "message": {"text": inert(said)},
        "locations": [sarif.location(finding.path, region)],
        "partialFingerprints": {"manent/v1": finding.fingerprint(salt)},
    }
    if finding.rule in ids:
        result["ruleIndex"] = ids.index(finding.rule)
    return result


_ANNOTATION = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_github(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield a workflow command a finding, which CI shows beside the line."""
    for f in findings:
        where = f"file={_property(inert(f.path))}"
        if f.line:
            where += f",line={f.line},col={max(1, f.column)}"
        said = f"{f.message}: {f.hint}" if f.hint else f.message
        yield f"::{_ANNOTATION[f.severity]} {where},title={_property(f.rule)}::{_data(inert(said))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
