"""A refused write, said so that one more call mends it.

Each fault names the argument, the line in it, the rule and what to change, and the
text comes back with what offended masked: sent again as it is, it passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manent.errors import Refused
from manent.facts.derive import scanner
from manent.finding import Finding, Severity, inert
from manent.gate.policy import Policy
from manent.gate.verdict import FOR_NOBODY, SHOWN, Verdict
from manent.note import read
from manent.scan.span import Context, Family, Span
from manent.server.draft import APPEND, Drafted, WriteRefused
from manent.server.drafting import Planned
from manent.values import replace

_CONTENT = {str(family) for family in Family}
_TELLS = {
    "duplicate-name", "link-unresolved", "edge-unresolved", "audience-leak", "supersedes-active",
    "path-collision",
}  # fmt: skip
"""Rules whose words name other notes."""
_UNSEEN, _ASK = "it does not go with a note that you do not see", "ask an owner who sees all"
_ROUNDS = 3
_GONE = "[removed]"

Judge = Callable[[Drafted], tuple[Planned, Verdict]]
"""From a draft to what it comes to and what the gate says of it."""


def refused(planned: Planned, verdict: Verdict, policy: Policy, judge: Judge) -> WriteRefused:
    """Return the refusal of a note, with the text that passes in its place."""
    errors = verdict.errors
    rows = [_row(f, planned, verdict) for f in errors[:SHOWN]]
    return WriteRefused(rows, _again(planned, verdict, policy, judge), len(errors) - len(rows))


def _row(finding: Finding, planned: Planned, verdict: Verdict) -> dict[str, Any]:
    field, line = _place(finding, planned)
    identity = planned.proposal.identity
    if finding.rule in _TELLS and identity.is_owner and not identity.sees_all:
        return {"rule": finding.rule, "in": "body", "message": _UNSEEN, "fix": _ASK}
    row: dict[str, Any] = {"rule": finding.rule, "in": field}
    if line:
        row |= {"line": line, "column": finding.column}
    row |= {"message": inert(finding.message), "fix": _fix(finding, field)}
    if verdict.may_allow and finding.rule not in FOR_NOBODY:
        row["fingerprint"] = finding.fingerprint(verdict.salt)
    return row


def _fix(finding: Finding, field: str) -> str:
    if field == "name":
        return "choose another name"
    return inert(finding.hint) or "change it and send it again"


def _place(finding: Finding, planned: Planned) -> tuple[str, int]:
    """Return the argument a finding is in, and the line within it, 0 for the whole."""
    path = planned.proposal.path
    if finding.path.startswith("("):
        return "name", 0
    if not finding.path.endswith(path):
        return inert(finding.path), finding.line  # another note, which this one puts at fault
    if not finding.line:
        named = finding.rule in _CONTENT or finding.rule.startswith("path-")
        return ("name" if named else "body"), 0
    text = planned.proposal.content.decode("utf-8", "replace")
    first = text.count("\n", 0, planned.lead) + 1
    if finding.line >= first:
        return "body", finding.line - first + 1
    if planned.draft.mode == APPEND:
        return "the note as it stands", finding.line
    key = next(
        (k for k, at in read(planned.proposal.content).key_lines.items() if at == finding.line), ""
    )
    return (key if key in ("name", "description", "type") else "the header"), 0


# -- masking -------------------------------------------------------------------------


def _again(planned: Planned, verdict: Verdict, policy: Policy, judge: Judge) -> dict[str, str]:
    """Return the arguments to send again, masked; {} where that would not do."""
    draft = planned.draft
    for _ in range(_ROUNDS):
        if any(f.rule not in _CONTENT for f in verdict.errors):
            return {}
        changed = _masked(planned, policy)
        if changed == planned.draft:
            changed = _without_lines(planned, verdict)
        if changed == planned.draft:
            return {}
        try:
            planned, verdict = judge(changed)
        except Refused:
            return {}
        if verdict.accepted:
            pairs = (("description", draft.description), ("body", draft.body))
            return {k: getattr(changed, k) for k, old in pairs if getattr(changed, k) != old}
    return {}


def _instead(span: Span, text: str) -> str:
    """Return what stands in a span's place: of text aimed at a model, what can be seen."""
    if span.family is not Family.INJECTION:
        return span.masked
    found = text[span.start : span.end]
    seen = "".join(c for c in found if c.isprintable() or c in "\n\t")
    return seen if seen != found else "[left out]"


def _masked(planned: Planned, policy: Policy) -> Drafted:
    """Return the draft with all that the scanners find in it masked."""
    path = planned.proposal.path
    scan = scanner(Context(policy.phone_regions, path in policy.addressed, policy.locations))
    text = planned.proposal.content.decode("utf-8", "replace")
    spans = [
        (max(s.start, planned.lead) - planned.lead, s.end - planned.lead, _instead(s, text))
        for s in scan(text)
        if not s.weak and s.end > planned.lead
    ]
    body = _over(planned.draft.body, spans)
    said = planned.draft.description
    own = [(s.start, s.end, _instead(s, said)) for s in scan(said) if not s.weak]
    return replace(planned.draft, body=body, description=_over(said, own))


def _over(text: str, spans: list[tuple[int, int, str]]) -> str:
    """Return ``text`` with the spans masked, those that overlap as one."""
    parts: list[str] = []
    at = 0
    for start, end, masked in sorted(spans, key=lambda s: (s[0], -s[1])):
        if start >= at:
            parts += [text[at:start], masked]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _without_lines(planned: Planned, verdict: Verdict) -> Drafted:
    """Return the draft with each line taken out that still offends."""
    lines = planned.draft.body.split("\n")
    description = planned.draft.description
    for finding in verdict.errors:
        field, line = _place(finding, planned)
        if finding.severity is Severity.ERROR and field == "body" and 0 < line <= len(lines):
            lines[line - 1] = _GONE
        elif field == "description":
            description = _GONE
    return replace(planned.draft, body="\n".join(lines), description=description)
