"""The labelled lines of secrets, and the harness that counts over them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random

from eval.scan import baseline, lines, measure, table
from eval.scan.make_secrets import lines as secret_lines


def test_the_made_lines_depend_on_their_seed_alone() -> None:
    once, again = list(secret_lines(5)), list(secret_lines(5))
    assert once == again != list(secret_lines(6))
    assert len(once) >= 1500
    assert len({row["id"] for row in once}) == len(once)
    halves = [row["split"] for row in once]
    assert abs(halves.count("rules") - halves.count("report")) < 200


def test_another_seed_reaches_the_targets() -> None:
    chosen = [line for line in lines.own("secret", seed=99) if Random(line.id).random() < 0.5]
    figures = measure.tally(chosen)
    assert figures["recall"] >= 0.95, figures["missed"]
    assert figures["precision"] >= 0.98, figures["false"]


def line(number: int, guilty: bool, kind: str = "k") -> lines.Line:
    return lines.Line(str(number), "refuse" if number % 2 else "pass", guilty, kind, "it")


def test_rates_are_counted_per_kind_and_policy_stands_apart() -> None:
    rows = [line(n, n < 6) for n in range(10)] + [line(11, False, "masked_card")]
    figures = measure.tally(rows, lambda text: text == "refuse")
    assert (figures["guilty"], figures["clean"]) == (6, 4)
    assert figures["recall"] == 0.5 and figures["precision"] == 0.6
    assert figures["kinds"]["k"] == {"guilty": 6, "found": 3, "clean": 4, "alarms": 2}
    assert figures["apart"]["masked_card"]["alarms"] == 1
    assert figures["missed"] == ["0", "2", "4"] and figures["false"] == ["7", "9"]


def test_a_drop_below_the_baseline_fails_and_is_named(tmp_path: Path) -> None:
    rows = [line(n, n % 2 == 1) for n in range(200)]
    good = {"sets": {"own x": measure.tally(rows, lambda text: text == "refuse")}}
    good["documents"] = measure.documents(rows[::2], lambda text: text == "refuse")
    kept = tmp_path / "baseline.json"
    baseline.save(good, kept)
    out = io.StringIO()
    assert baseline.check(good, kept, out) == 0 and not out.getvalue()
    worse = {"sets": {"own x": measure.tally(rows, lambda text: False)}}
    worse["documents"] = measure.documents(rows[::2], lambda text: True)
    assert baseline.check(worse, kept, out) == 1
    assert "own x: recall 1.0 -> 0.0" in out.getvalue()
    assert "own documents: refused 0 -> 100" in out.getvalue()


def test_saving_keeps_what_was_not_measured_now(tmp_path: Path) -> None:
    kept = tmp_path / "baseline.json"
    rows = [line(n, n % 2 == 1) for n in range(4)]
    for name in ("own x", "shared x"):
        figures = {"sets": {name: measure.tally(rows, lambda text: True)}}
        figures["documents"] = measure.documents(rows, lambda text: False)
        baseline.save(figures, kept)
    assert set(json.loads(kept.read_text())["sets"]) == {"own x", "shared x"}


def test_the_tables_show_every_figure() -> None:
    rows = [line(n, n < 6) for n in range(10)]
    report = {"sets": {"own x": measure.tally(rows, lambda text: True)}, "speed": {"all": 5.04}}
    report["documents"] = measure.documents(rows, lambda text: False)
    shown = table.show(report)
    assert "100.0%" in shown and "60.0%" in shown and "5.0" in shown and "6/6" in shown
    assert table.percent(None) == "-"
