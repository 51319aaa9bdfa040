"""Metrics: worked by hand, and against the library everybody uses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.evaluate.metrics import METRICS, judged


def of(found: list[str], gains: dict[str, int]) -> dict[str, float]:
    return dict(zip(METRICS, judged(found, gains), strict=True))


def test_worked_by_hand() -> None:
    found = ["x", "a", "y", "b", *"stuvw", "z", "c"]
    got = of(found, {"a": 1, "b": 1, "c": 1, "d": 1})
    assert got["hit@1"] == 0 and got["hit@3"] == 1
    assert got["recall@5"] == 2 / 4 and got["recall@10"] == 2 / 4
    assert got["mrr"] == 1 / 2
    ideal = 1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert got["ndcg@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


def test_grades_are_linear_gains() -> None:
    got = of(["low", "high"], {"high": 3, "low": 1})
    assert got["ndcg@10"] == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert of(["high", "low"], {"high": 3, "low": 1})["ndcg@10"] == 1


def test_nothing_found_is_nothing() -> None:
    assert set(of([], {"a": 1}).values()) == {0.0}
    assert set(of(["a"], {"a": 1}).values()) == {1.0}


@settings(max_examples=60, deadline=None)
@given(st.permutations([f"d{n}" for n in range(30)]), st.data())
def test_equal_to_the_library(found: list[str], data: st.DataObject) -> None:
    import ir_measures
    from ir_measures import RR, R, Success, nDCG

    keys = [f"d{n}" for n in range(34)]
    gains = data.draw(st.dictionaries(st.sampled_from(keys), st.integers(1, 3), min_size=1))
    theirs = {
        Success @ 1: "hit@1",
        Success @ 3: "hit@3",
        R @ 5: "recall@5",
        R @ 10: "recall@10",
        RR: "mrr",
        nDCG @ 10: "ndcg@10",
    }
    run = {"q": {key: float(100 - place) for place, key in enumerate(found)}}
    want = ir_measures.calc_aggregate(list(theirs), {"q": gains}, run)
    got = of(found, gains)
    for measure, name in theirs.items():
        assert got[name] == pytest.approx(want[measure], abs=1e-9), name
