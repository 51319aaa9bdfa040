"""A late pattern behaves as the pattern it stands for."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from manent import late


def test_it_answers_as_the_real_one() -> None:
    lazy, real = (
        late.pattern(r"(\w+)-(?P<n>\d+)", re.IGNORECASE),
        re.compile(r"(\w+)-(?P<n>\d+)", 2),
    )
    text = "ab-12 CD-3 x"
    assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in real.finditer(text)]
    assert lazy.sub("-", text) == real.sub("-", text)
    assert lazy.fullmatch("ab-1") is not None
    assert lazy.groupindex == real.groupindex
    assert lazy.pattern == real.pattern


def test_bytes() -> None:
    assert late.bytes_pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_nothing_is_compiled_before_use() -> None:
    broken = late.pattern("(")
    with pytest.raises(re.error):
        broken.search("x")


def test_an_unknown_method_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        late.pattern("x").nothing  # type: ignore[attr-defined] # noqa: B018


def test_reading_the_gate_compiles_little() -> None:
    code = (
        "import re, sys; count = 0; real = re.compile\n"
        "import manent.gate.receive, manent.scan.scanner\n"
        "print(len(re._cache))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(out.stdout) < 60
