"""JSON as the standard has it, and no more of it than a call needs."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.server.json_text import MOST_VALUES, loads, too_many

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(VALUES, st.booleans())
def test_what_is_json_is_read_as_it_is(value: Any, plain: bool) -> None:
    assert loads(json.dumps(value, ensure_ascii=plain)) == value


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a":-Infinity}', "", "{", "nan", "1 1"])
def test_what_python_alone_reads_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)


@pytest.mark.parametrize("piece", [b"[],", b"{},", b"1,", b'"a":1,', b'",",', b"[["])
def test_values_are_counted_and_characters_are_not(piece: bytes) -> None:
    assert too_many(b"[" + piece * (MOST_VALUES + 1) + b"1]")
    assert not too_many(b"[" + piece * 100 + b"1]")
    assert not too_many(json.dumps('[{,\\"' * 500_000).encode())


@pytest.mark.parametrize("piece", [b'"', b"\\", b'\\"', b'"\\', b"[", b"\xff", b'",', b'"a'])
def test_counting_takes_linear_time(piece: bytes) -> None:
    began = time.process_time()
    too_many(piece * ((8 << 20) // len(piece)))
    assert time.process_time() - began < 3
