"""Figures as Prometheus reads them."""

from __future__ import annotations

import re

from manent.access import OWNER
from manent.server.answer import Answer, Question
from manent.server.metrics import MOST_SERIES, Metrics

ROW = re.compile(r'[a-z_]+(\{[a-z_]+="([^"\\\n]|\\.)*"(,[a-z_]+="([^"\\\n]|\\.)*")*\})? [0-9.e+-]+')


def test_calls_are_counted_by_tool_and_outcome() -> None:
    metrics = Metrics()
    for answer in (Answer(), Answer(), Answer(failed=True), Question("k", "m", {}, "s")):
        metrics.called(OWNER, "brain_search", {"query": "secret"}, answer, 30.0)
    text = metrics.render()
    assert 'manent_calls_total{outcome="ok",tool="brain_search"} 2\n' in text
    assert 'manent_calls_total{outcome="failed",tool="brain_search"} 1\n' in text
    assert 'manent_calls_total{outcome="asked",tool="brain_search"} 1\n' in text
    assert 'manent_call_seconds_bucket{tool="brain_search",le="0.02"} 0\n' in text
    assert 'manent_call_seconds_bucket{tool="brain_search",le="0.05"} 4\n' in text
    assert 'manent_call_seconds_bucket{tool="brain_search",le="+Inf"} 4\n' in text
    assert 'manent_call_seconds_count{tool="brain_search"} 4\n' in text
    assert "secret" not in text


def test_every_line_is_well_formed() -> None:
    metrics = Metrics()
    metrics.count("manent_odd_total", "Odd ones.", reason='a"b\\c\nd')
    metrics.time("manent_reload_seconds", "Reloads.", 99.0)
    metrics.reloaded(False, 0.001)
    metrics.gauge("manent_notes", "Notes.", lambda: 20_000)
    metrics.gauge("manent_broken", "Raises.", lambda: 1 / 0)
    for line in metrics.render().splitlines():
        assert line.startswith(("# HELP manent_", "# TYPE manent_")) or ROW.fullmatch(line), line
    assert "manent_notes 20000\n" in metrics.render()
    assert "manent_broken" not in metrics.render()


def test_kinds_are_bounded() -> None:
    metrics = Metrics()
    for n in range(3 * MOST_SERIES):
        metrics.count("manent_calls_total", "Calls.", tool=f"t{n}")
    rows = [line for line in metrics.render().splitlines() if not line.startswith("#")]
    assert len(rows) == MOST_SERIES + 1
    assert f'manent_calls_total{{tool="other"}} {2 * MOST_SERIES}' in rows
