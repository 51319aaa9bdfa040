"""An audit for people and machines: text, JSON, SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manent.finding import inert, json_text
from manent.lint import sarif
from manent.lint.page import page_of
from manent.memfile.doctor import Audit, workspace_json, workspace_text
from manent.memfile.flaw import Flaw, Level
from manent.memfile.rules import RULES


def as_text(audit: Audit) -> Iterator[str]:
    """Yield two lines a finding, then what is loaded, counted and compiled."""
    for flaw in audit.flaws:
        yield flaw.as_text()
    if audit.flaws:
        yield ""
    yield from summary(audit)


def terse(audit: Audit) -> Iterator[str]:
    """Yield one line a finding, and the closing ones: for a log."""
    for flaw in audit.flaws:
        yield flaw.as_text().split("\n")[0]
    yield from summary(audit)


def summary(audit: Audit) -> Iterator[str]:
    """Yield the closing lines."""
    counts = ", ".join(f"{number} {label}" for label, number in audit.counts.items())
    yield f"findings: {counts}"
    prefixes = audit.survey.prefixes()
    hosts = ", ".join(f"{host} {tokens}" for host, tokens in prefixes.items())
    by_host = f" ({hosts})" if len(prefixes) > 1 else ""
    loaded = sum(file.always for file in audit.survey.files)
    yield (
        f"prefix: {audit.prefix_tokens} tokens{by_host} · files: {len(audit.survey.files)}"
        f" ({loaded} always loaded) · budget: {audit.survey.budget} · tokenizer: {audit.tokenizer}"
    )
    yield from workspace_text(audit.survey)


def as_json(audit: Audit) -> str:
    """Return the one JSON document of the command line's contract."""
    return json_text(document(audit))


def document(audit: Audit) -> dict[str, Any]:
    """Return the audit as JSON spells it. Paths of roots and outside files are absolute."""
    survey = audit.survey
    return {
        "version": 1,
        "root": inert(str(survey.root)),
        "tokenizer": audit.tokenizer,
        "budget": survey.budget,
        "prefixTokens": audit.prefix_tokens,
        "prefixes": survey.prefixes(),
        "counts": audit.counts,
        "files": [
            {
                "file": inert(file.name),
                "role": file.role,
                "hosts": sorted(file.hosts),
                "alwaysLoaded": file.always,
                "tokens": survey.whole(file),
                "prefixTokens": survey.tokens(file) if file.always else 0,
                "importedBy": inert(file.by) if file.by else None,
            }
            for file in survey.files
        ],
        "findings": [flaw.as_json() for flaw in audit.flaws],
        "workspace": workspace_json(survey),
    }


_SARIF_LEVEL = {Level.HIGH: "error", Level.MED: "warning", Level.LOW: "note"}


def as_sarif(audit: Audit) -> str:
    """Return a SARIF 2.1.0 log, paths relative to the root."""
    return sarif.log(RULES, _SARIF_LEVEL, map(_sarif_result, audit.flaws))


def _sarif_result(flaw: Flaw) -> dict[str, Any]:
    first = max(1, flaw.line)
    region = {"startLine": first, "endLine": max(first, flaw.end_line)}
    return {
        "ruleId": flaw.rule,
        "ruleIndex": [rule.ID for rule in RULES].index(flaw.rule),
        "level": _SARIF_LEVEL[flaw.severity],
        "message": {"text": inert(f"{flaw.message}: {flaw.hint}")},
        "locations": [sarif.location(flaw.file, region)],
        "partialFingerprints": {"manent/v1": flaw.fingerprint},
    }


def rules_text() -> Iterator[str]:
    """Yield a line a rule: id, severity, what it is about."""
    for rule in RULES:
        yield f"{rule.ID}  {rule.SEVERITY.label:<4}  {page_of(rule).title}"


def rules_json() -> str:
    """Return the rules as one JSON document."""
    rows = [
        {"id": rule.ID, "severity": rule.SEVERITY.label, "title": page_of(rule).title}
        for rule in RULES
    ]
    return json_text({"version": 1, "rules": rows})
