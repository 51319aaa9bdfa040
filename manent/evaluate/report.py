"""Outcomes as people and machines read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.evaluate.chance import difference, interval
from manent.evaluate.judge import Judge, Outcome
from manent.evaluate.metrics import METRICS
from manent.finding import inert

NOISE = 0.05
"""A difference that chance alone brings more often than this is called noise."""

_DIGITS = 4


def figures(outcome: Outcome, rows: Mapping[str, NDArray[np.int64]]) -> dict[str, Any]:
    """Return ``{source: {"queries", metric: mean}}``."""
    return {source: _means(outcome.values[places]) for source, places in rows.items()}


def _means(values: NDArray[np.float64]) -> dict[str, Any]:
    means = values.mean(axis=0) if len(values) else np.zeros(len(METRICS))
    rounded = (round(float(mean), _DIGITS) for mean in means)
    return {"queries": len(values), **dict(zip(METRICS, rounded, strict=True))}


def intervals(outcome: Outcome, rows: Mapping[str, NDArray[np.int64]]) -> dict[str, Any]:
    """Return ``{source: {metric: [low, high]}}``: 95% bootstrap intervals of the means."""
    return {
        source: {
            metric: [round(end, _DIGITS) for end in interval(outcome.column(metric)[places])]
            for metric in METRICS
        }
        for source, places in rows.items()
        if places.size
    }


def comparisons(outcomes: Sequence[Outcome], metrics: Sequence[str] = METRICS) -> list[Any]:
    """Return each pair of rankers with the difference of means and what chance has to say."""
    found = []
    for first, second in combinations(outcomes, 2):
        for metric in metrics:
            a, b = first.column(metric), second.column(metric)
            if not a.size:
                continue
            chance = difference(a, b)
            row: dict[str, Any] = {"first": first.name, "second": second.name, "metric": metric}
            apart = round(float(a.mean() - b.mean()), _DIGITS)
            row |= {"difference": apart, "p": round(chance, _DIGITS), "noise": chance > NOISE}
            found.append(row)
    return found


def document(judge: Judge, outcomes: Sequence[Outcome], tree: str | None) -> dict[str, Any]:
    """Return what ``manent eval --json`` prints, but for its version."""
    rows, kinds = judge.rows_of(), judge.kinds()
    found: dict[str, Any] = {
        "tree": tree,
        "golden": judge.golden.name,
        "retrievers": {o.name: figures(o, rows) for o in outcomes},
        "intervals": {o.name: intervals(o, rows) for o in outcomes},
        "comparisons": comparisons(outcomes),
        "missing": [
            {"query": m.query, "expected": m.expected, "line": m.line} for m in judge.missing
        ],
    }
    if kinds:
        found["kinds"] = {o.name: figures(o, kinds) for o in outcomes}
    return found


def lines(judge: Judge, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the report as text: a table a ranker, then how they compare."""
    rows = judge.rows_of()
    kinds = {f"kind {kind}": places for kind, places in judge.kinds().items()}
    width = max((len(name) for name in rows | kinds), default=0)
    for outcome in outcomes:
        yield f"{outcome.name:{width + 10}}" + "".join(f"{metric:>18}" for metric in METRICS)
        ends = intervals(outcome, rows | kinds)
        for source, means in figures(outcome, rows | kinds).items():
            cells = (_cell(means[m], ends.get(source, {}).get(m)) for m in METRICS)
            yield f"  {source:{width}} {means['queries']:6d} " + "".join(
                f"{cell:>18}" for cell in cells
            )
    yield from _compared(outcomes)


def _cell(mean: float, ends: Sequence[float] | None) -> str:
    return f"{mean:.3f}" if ends is None else f"{mean:.3f} {ends[0]:.3f}-{ends[1]:.3f}"


def _compared(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for row in comparisons(outcomes, ("ndcg@10",)):
        chance = f"p = {row['p']:.3f}" + (", which is noise" if row["noise"] else "")
        yield f"{row['first']} - {row['second']}: ndcg@10 {row['difference']:+.4f} ({chance})"


Revision = tuple[str, Judge, Sequence[Outcome]]
"""A revision as named, and what was made of it."""


def across(before: Sequence[Outcome], after: Sequence[Outcome]) -> list[Any]:
    """Return what each ranker gained from one revision to another, and whether it is noise."""
    found = []
    for old, new in zip(before, after, strict=False):
        for metric in METRICS:
            chance = difference(new.column(metric), old.column(metric))
            apart = float(new.column(metric).mean() - old.column(metric).mean())
            row = {"retriever": new.name, "metric": metric, "difference": round(apart, _DIGITS)}
            found.append(row | {"p": round(chance, _DIGITS), "noise": chance > NOISE})
    return found


def across_lines(revisions: Sequence[Revision]) -> Iterator[str]:
    """Yield a table of revisions, then how the last differs from the first."""
    for rev, judge, outcomes in revisions:
        for outcome in outcomes:
            means = figures(outcome, judge.rows_of())["overall"]
            cells = "  ".join(f"{metric} {means[metric]:.4f}" for metric in METRICS)
            yield f"{rev}  {outcome.name}  {cells}"
    for row in across(revisions[0][2], revisions[-1][2]):
        if row["metric"] == "ndcg@10":
            chance = f"p = {row['p']:.3f}" + (", which is noise" if row["noise"] else "")
            yield f"{row['retriever']}: ndcg@10 {row['difference']:+.4f} ({chance})"
    yield from _worse(revisions[0], revisions[-1])


def _worse(first: Revision, last: Revision) -> Iterator[str]:
    """Yield the queries that got worse, worst first."""
    for old, new in zip(first[2], last[2], strict=False):
        apart = new.column("ndcg@10") - old.column("ndcg@10")
        for place in np.argsort(apart, kind="stable")[:10].tolist():
            if apart[place] < 0:
                query = inert(first[1].golden.queries[place].query)
                yield f"  {new.name} {apart[place]:+.3f}  {query}"
