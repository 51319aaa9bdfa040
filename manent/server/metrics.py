"""Figures for whoever operates the server, as Prometheus reads them."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Callable, Mapping
from typing import Any

from manent.server.answer import Answer, Question
from manent.values import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds of the classes of times, in seconds; 0.05 is what calls are held to."""

MOST_SERIES = 500
"""Kinds of a figure that are kept apart; what comes later is counted as ``other``."""

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Times:
    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    total: float = 0.0


@dataclass(slots=True)
class _Family:
    kind: str
    help: str
    values: dict[Labels, Any] = field(default_factory=dict)


class Metrics:
    """Counts and times, by kind. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._families: dict[str, _Family] = {}
        self._gauges: dict[str, tuple[str, Callable[[], float]]] = {}

    def count(self, name: str, help: str, by: int = 1, **labels: str) -> None:
        """Add to a count that only grows."""
        with self._lock:
            values = self._family(name, "counter", help).values
            key = _key(values, labels)
            values[key] = values.get(key, 0) + by

    def time(self, name: str, help: str, seconds: float, **labels: str) -> None:
        """Count how long something took."""
        with self._lock:
            values = self._family(name, "histogram", help).values
            times = values.setdefault(_key(values, labels), _Times())
            times.counts[bisect.bisect_left(BUCKETS, seconds)] += 1
            times.total += seconds

    def gauge(self, name: str, help: str, read: Callable[[], float]) -> None:
        """Show a figure that is read when somebody looks."""
        with self._lock:
            self._gauges[name] = (help, read)

    def called(
        self,
        identity: Any,
        tool: str,
        arguments: Mapping[str, Any],
        answer: Answer | Question,
        elapsed_ms: float,
    ) -> None:
        """Count a call, as the dispatcher tells of it; never what was in it."""
        outcome = "asked" if isinstance(answer, Question) else "failed" if answer.failed else "ok"
        self.count("manent_calls_total", "Calls of tools.", tool=tool, outcome=outcome)
        self.time(
            "manent_call_seconds", "How long calls of tools took.", elapsed_ms / 1000, tool=tool
        )

    def reloaded(self, good: bool, seconds: float) -> None:
        """Count a reload."""
        outcome = "ok" if good else "failed"
        self.count("manent_reloads_total", "Reloads of what is served.", outcome=outcome)
        self.time("manent_reload_seconds", "How long reloads took.", seconds)

    def render(self) -> str:
        """Return all figures as text."""
        lines: list[str] = []
        with self._lock:
            for name, family in sorted(self._families.items()):
                lines += [f"# HELP {name} {family.help}", f"# TYPE {name} {family.kind}"]
                for labels, value in sorted(family.values.items()):
                    lines += _rows(name, labels, value)
            gauges = sorted(self._gauges.items())
        for name, (help, read) in gauges:
            try:
                value = read()
            except Exception:
                # A figure that cannot be had now is left out; the others are shown.
                continue
            lines += [f"# HELP {name} {help}", f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _family(self, name: str, kind: str, help: str) -> _Family:
        return self._families.setdefault(name, _Family(kind, help))


def _key(values: Mapping[Labels, Any], labels: Mapping[str, str]) -> Labels:
    key = tuple(sorted(labels.items()))
    if key in values or len(values) < MOST_SERIES:
        return key
    return tuple((name, "other") for name, _ in key)


def _rows(name: str, labels: Labels, value: Any) -> list[str]:
    if not isinstance(value, _Times):
        return [f"{name}{_braced(labels)} {value}"]
    rows, reached = [], 0
    for bound, count in zip((*BUCKETS, float("inf")), value.counts, strict=True):
        reached += count
        limit = "+Inf" if bound == float("inf") else f"{bound:g}"
        rows.append(f"{name}_bucket{_braced((*labels, ('le', limit)))} {reached}")
    rows.append(f"{name}_sum{_braced(labels)} {value.total:.6f}")
    rows.append(f"{name}_count{_braced(labels)} {reached}")
    return rows


def _braced(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
