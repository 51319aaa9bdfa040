"""Figures kept to be held to: saved, read back, and compared.

A saved file holds means, and each query's figures by place in the set: numbers
alone, so it may be published beside a set whose names are digests. ``full``
adds the questions and the notes found, which are as private as the vault.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manent.errors import EnvironmentFault
from manent.evaluate.judge import Judge, Outcome
from manent.evaluate.metrics import METRICS
from manent.evaluate.report import figures

TOLERANCE = 0.005
"""How far a mean may drop: below it two orders of equal worth differ."""

_VERSION = 1
_ROUNDED = 4
_SLACK = 5e-5
"""Means are saved with four digits."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A mean that fell. worse: (query, before, after) of the queries that did, worst first."""

    retriever: str
    source: str
    metric: str
    before: float
    after: float
    worse: tuple[tuple[str, float, float], ...] = ()


def saved(judge: Judge, outcomes: Sequence[Outcome], full: bool = False) -> str:
    """Return the file for ``--save``: one line a ranker, source or query."""
    rows = judge.rows_of()
    document: dict[str, Any] = {
        "version": _VERSION,
        "golden": judge.golden.name,
        "retrievers": {o.name: figures(o, rows) for o in outcomes},
        "each": {o.name: _columns(o) for o in outcomes},
    }
    if full:
        document["queries"] = [_query(judge, outcomes, n) for n in range(len(rows["overall"]))]
    return _spelled(document)


def _columns(outcome: Outcome) -> dict[str, list[float]]:
    return {m: [round(float(v), _ROUNDED) for v in outcome.column(m)] for m in METRICS}


def _query(judge: Judge, outcomes: Sequence[Outcome], place: int) -> dict[str, Any]:
    query = judge.golden.queries[place]
    found = {o.name: list(o.found[place]) for o in outcomes}
    row = {"query": query.query, "source": query.source, "expected": list(query.expected)}
    return {**row, "found": found}


def _spelled(document: dict[str, Any]) -> str:
    """Return JSON in which every list of numbers and every small object is one line."""
    return "\n".join(_laid_out(document, 0)) + "\n"


def _laid_out(value: Any, depth: int) -> list[str]:
    flat = json.dumps(value, ensure_ascii=False)
    nested = isinstance(value, dict) and any(isinstance(v, dict | list) for v in value.values())
    nested = nested or (isinstance(value, list) and any(isinstance(v, dict) for v in value))
    if not nested or (depth and isinstance(value, dict) and "query" in value):
        return [flat]
    opened, closed = ("{", "}") if isinstance(value, dict) else ("[", "]")
    items = value.items() if isinstance(value, dict) else ((None, v) for v in value)
    parts = []
    for key, item in items:
        inner = _laid_out(item, depth + 1)
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        parts.append([f"  {name}{inner[0]}", *(f"  {line}" for line in inner[1:])])
    rows = [opened]
    for place, part in enumerate(parts):
        rows += [*part[:-1], part[-1] + ("," if place < len(parts) - 1 else "")]
    return [*rows, closed]


def load(text: str, source: str) -> dict[str, Any]:
    """Read a saved file. Raises EnvironmentFault when it is none."""
    try:
        document = json.loads(text)
        if document["version"] != _VERSION:
            raise EnvironmentFault(f"{source} has version {document['version']}, not {_VERSION}")
        for figures_of in document["retrievers"].values():
            for means in figures_of.values():
                float(means["queries"]) + sum(float(means[m]) for m in METRICS if m in means)
        return dict(document)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise EnvironmentFault(f"{source} is no saved evaluation", "see --save") from error


def drops(
    judge: Judge, outcomes: Sequence[Outcome], before: dict[str, Any], tolerance: float | None
) -> list[Drop]:
    """Return the means that fell below those saved by more than the tolerance.

    tolerance: None takes the file's own (``"tolerance": {metric: share}``), else ``TOLERANCE``.
    Raises EnvironmentFault when nothing saved can be compared.
    """
    found: list[Drop] = []
    known = [o for o in outcomes if o.name in before["retrievers"]]
    if not known:
        asked = ", ".join(o.name for o in outcomes)
        raise EnvironmentFault(f"the baseline says nothing of {asked}", "save one that does")
    for outcome in known:
        now = figures(outcome, judge.rows_of())
        for source, means in before["retrievers"][outcome.name].items():
            for metric in METRICS:
                allowed = _allowed(before, metric, tolerance)
                if metric not in means or source not in now:
                    continue
                if now[source][metric] < float(means[metric]) - allowed - _SLACK:
                    worse = _worse(judge, outcome, before, source, metric)
                    fell = (float(means[metric]), now[source][metric])
                    found.append(Drop(outcome.name, source, metric, *fell, worse))
    return found


def _allowed(before: dict[str, Any], metric: str, tolerance: float | None) -> float:
    if tolerance is not None:
        return tolerance
    own = before.get("tolerance")
    said = own.get(metric) if isinstance(own, dict) else own
    return float(said) if isinstance(said, int | float) else TOLERANCE


def _worse(
    judge: Judge, outcome: Outcome, before: dict[str, Any], source: str, metric: str
) -> tuple[tuple[str, float, float], ...]:
    """Return the queries that got worse, where the file knows the same queries."""
    try:
        old = before["each"][outcome.name][metric]
    except (KeyError, TypeError):
        return ()
    queries = judge.golden.queries
    if not isinstance(old, list) or len(old) != len(queries):
        return ()
    new = outcome.column(metric)
    fell = [
        (queries[n].query, float(old[n]), float(new[n]))
        for n in judge.rows_of()[source].tolist()
        if float(new[n]) < float(old[n]) - _SLACK
    ]
    return tuple(sorted(fell, key=lambda row: (row[2] - row[1], row[0])))
