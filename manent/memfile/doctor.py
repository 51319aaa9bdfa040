"""The audit of memory files: run the rules, count, and say what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from manent.errors import UsageError
from manent.finding import inert
from manent.memfile.audited import Survey
from manent.memfile.flaw import Flaw, Level
from manent.memfile.rules import RULES
from manent.memfile.rules.mm010_drift import drift, mends


@dataclass(frozen=True, slots=True)
class Audit:
    """What the doctor says. flaws: in order of place. tokenizer: which one counted."""

    survey: Survey
    flaws: Sequence[Flaw]
    tokenizer: str

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity, the gravest first."""
        found = Counter(flaw.severity for flaw in self.flaws)
        return {level.label: found[level] for level in sorted(Level, reverse=True)}

    @property
    def prefix_tokens(self) -> int:
        """What the host that loads most pays on every turn."""
        return max(self.survey.prefixes().values(), default=0)

    def fails(self, threshold: Level) -> bool:
        """Tell whether a finding is as grave as the threshold."""
        return any(flaw.severity >= threshold for flaw in self.flaws)


def chosen(only: Iterable[str] = (), ignore: Iterable[str] = ()) -> list[ModuleType]:
    """Return the rules to run. Raises UsageError for an id that is none."""
    known = {rule.ID for rule in RULES}
    wanted, unwanted = {i.upper() for i in only}, {i.upper() for i in ignore}
    if unknown := (wanted | unwanted) - known:
        raise UsageError(f"no rule {', '.join(sorted(unknown))}", "--rules lists them")
    return [r for r in RULES if (not wanted or r.ID in wanted) and r.ID not in unwanted]


def audit(
    survey: Survey, rules: Iterable[ModuleType] = RULES, tokenizer: str = "estimate"
) -> Audit:
    """Run rules over a survey."""
    found = [flaw for rule in rules for flaw in rule.check(survey)]
    return Audit(survey, sorted(set(found), key=lambda flaw: flaw.order), tokenizer)


def workspace_json(survey: Survey) -> dict[str, Any] | None:
    """Return what is said of a compiled workspace, None where there is none."""
    if survey.workspace is None:
        return None
    drifted = drift(survey.workspace)
    return {
        "source": survey.workspace.manifest.source.name,
        "onDemandFiles": len(survey.workspace.manifest.files),
        "drift": [{"file": inert(name), "what": what} for name, what in drifted],
        "mend": mends(survey.workspace) if drifted else None,
    }


def workspace_text(survey: Survey) -> list[str]:
    """Return the lines that close a report on a compiled workspace."""
    if survey.workspace is None:
        return []
    drifted = drift(survey.workspace)
    files = len(survey.workspace.manifest.files)
    said = f"compiled: {files} on-demand files"
    if not drifted:
        return [f"{said}; nothing to re-apply"]
    names = ", ".join(inert(name) for name, _ in drifted[:5]) + (" …" if len(drifted) > 5 else "")
    return [f"{said}; {len(drifted)} drifted ({names})", f"    {mends(survey.workspace)}"]
