"""The figures that a change may not make worse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

TOLERANCE = 0.005
"""How far a rate may fall (or a rate of false alarms rise) before the check fails.

The sets are fixed, so the figures do not vary by chance; the tolerance lets one
line in two hundred go where a rule is made simpler.
"""

KEPT = ("guilty", "clean", "recall", "precision", "false_positive_rate")


def save(figures: dict[str, Any], path: Path) -> None:
    """Write the rates of every set, and the documents refused, to ``path``."""
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    kept = {name: {key: s[key] for key in KEPT} for name, s in figures["sets"].items()}
    read = figures["documents"]
    name = "shared documents" if read.get("shared") else "own documents"
    out = {"version": 1, "sets": {**before.get("sets", {}), **kept}}
    out["documents"] = {**before.get("documents", {}), name: _documents(read)}
    path.write_text(json.dumps(out, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _documents(read: dict[str, Any]) -> dict[str, int]:
    return {"documents": read["documents"], "refused": read["refused"]}


def check(figures: dict[str, Any], path: Path, out: TextIO) -> int:
    """Return 1 and say why when a figure is worse than in ``path``, else 0.

    Sets that were not measured now (the shared ones, where they are absent) are
    not compared; a set that the baseline does not know is.
    """
    kept = json.loads(path.read_text("utf-8"))
    drops = list(_drops(figures, kept))
    for drop in drops:
        print(f"worse than {path}: {drop}", file=out)
    return 1 if drops else 0


def _drops(figures: dict[str, Any], kept: dict[str, Any]) -> Iterator[str]:
    for name, before in kept["sets"].items():
        now = figures["sets"].get(name)
        if now is None:
            continue
        for key in ("recall", "precision", "false_positive_rate"):
            worse = _worse(key, before[key], now[key])
            if worse:
                yield f"{name}: {key} {before[key]} -> {now[key]}"
        if now["guilty"] + now["clean"] < before["guilty"] + before["clean"]:
            yield f"{name}: fewer lines than before"
    name = "shared documents" if figures["documents"].get("shared") else "own documents"
    before = kept["documents"].get(name)
    if before and figures["documents"]["refused"] > before["refused"]:
        yield f"{name}: refused {before['refused']} -> {figures['documents']['refused']}"


def _worse(key: str, before: float | None, now: float | None) -> bool:
    if before is None or now is None:
        return before != now
    change = now - before if key == "false_positive_rate" else before - now
    return change > TOLERANCE
