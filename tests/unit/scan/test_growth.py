"""The measurement of time against size: its texts, its table and its plot."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from eval.scan import growth
from manent.scan.scanner import Scanner
from tests.growth import grows_within

DENSE = ("numbers", "labelled numbers", "names of secrets", "passwords nearly", "tags", "entities")


@pytest.mark.parametrize("name", DENSE)
def test_candidates_on_every_line_cost_no_more_than_their_number(name: str) -> None:
    scan = Scanner().scan
    holds, ratios = grows_within(
        scan, lambda size: growth.made(name, size / 1e6), (10_000, 40_000), 8
    )
    assert holds, ratios


def test_a_text_has_the_size_asked_for() -> None:
    for name in growth.INPUTS:
        assert abs(len(growth.made(name, 0.1).encode()) - 100_000) < 40


def test_the_plot_holds_a_line_a_kind_and_the_table_a_row() -> None:
    measured = {"numbers": [(1.0, 2.0), (4.0, 8.0)], "brackets": [(1.0, 0.5)]}
    shown = ElementTree.fromstring(growth.drawing(measured))
    assert sum(part.tag.endswith("polyline") for part in shown.iter()) == 2
    lines = growth.table(measured, 4.0).splitlines()
    assert lines[2].endswith("| 2.00, 2.00 |") and len(lines) == 4
