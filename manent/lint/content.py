"""What the scanners said, in the words of a rule. The gate says it in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from manent.facts.derive import Mark
from manent.finding import Severity
from manent.lint.subject import Fault, Policy
from manent.tree import Entry
from manent.vault.sync import context_key
from manent.vault.vault import Vault

_WHAT = {
    "pii": "personal data",
    "secret": "a secret",
    "injection": "text aimed at a model",
}
_HINT = {
    "pii": "remove it, or write a reserved form such as name@example.org or 555-0142",
    "secret": "remove it and rotate it; name the variable that holds it instead",
    "injection": "remove it, or say what it does in your own words",
}


def marked(vault: Vault, policy: Policy) -> list[Entry]:
    """Return the files in which the scanners saw anything at all."""
    return vault.marked_files({context_key(policy.context(p)) for p in ("", *policy.addressed)})


def content_faults(family: str, marks: Iterable[Mark]) -> Iterator[Fault]:
    """Yield a fault for each mark of the family; soft signs only inform."""
    for mark in marks:
        if mark.family == family:
            severity = Severity.INFO if mark.weak else None
            yield Fault(
                _message(mark),
                _HINT[family],
                mark.line,
                mark.column,
                mark.kind,
                mark.digest,
                severity,
            )


def _message(mark: Mark) -> str:
    through = "" if mark.layer == "plain" else f", read through {mark.layer}"
    quoted = ", quoted" if mark.mention else ""
    return f"{_WHAT[mark.family]}: {mark.kind} {mark.masked}{quoted}{through}"
