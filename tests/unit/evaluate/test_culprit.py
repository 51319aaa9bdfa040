"""Halving a history."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from manent.evaluate.culprit import find


@given(st.integers(2, 300), st.data())
def test_the_commit_that_dropped_it_is_found_in_few_steps(size: int, data: st.DataObject) -> None:
    fell = data.draw(st.integers(1, size - 1))
    figures = {str(n): 0.9 if n < fell else 0.5 for n in range(size)}
    found = find(list(figures), figures.__getitem__, 0.005)
    assert found is not None
    assert (found.commit, found.before, found.after) == (str(fell), 0.9, 0.5)
    assert len(found.tried) <= 3 + math.ceil(math.log2(size))


def test_no_drop_is_no_commit() -> None:
    assert find(["a", "b"], lambda _: 0.7, 0.0) is None
    assert find(["a", "b"], {"a": 0.7, "b": 0.6961}.__getitem__, 0.005) is None
