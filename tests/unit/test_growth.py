"""The judge of growth lets linear work pass and catches quadratic work."""

from __future__ import annotations

from growth import grows_within


def _make(size: int) -> str:
    return "x" * size


def _linear(text: str) -> int:
    return sum(1 for c in text for _ in range(4) if c == "x")


def _quadratic(text: str) -> int:
    return sum(1 for _ in text for c in text if c == "x")


def test_linear_work_passes() -> None:
    assert grows_within(_linear, _make, (40_000, 160_000), 10)[0]


def test_quadratic_work_is_caught() -> None:
    held, ratios = grows_within(_quadratic, _make, (500, 2_000), 10)
    assert not held, ratios
