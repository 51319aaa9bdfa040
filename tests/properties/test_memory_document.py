"""Laws of a memory file's structure: nothing is lost, nothing overlaps, time is linear."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manent.memfile.document import Document, decoded, encoded, parse

_PARTS = st.sampled_from(
    [
        *("# A", "## B", "Title\n===", "Sub\n---", "text", "- item", "  - nested", "1. one"),
        *("```py", "```", "~~~", "> quote", "| a | b |", "|---|---|", "<div>", "<!-- c", "-->"),
        *("---", "    code", "\t", "", "", "\ufeff", "\x0c", "\x85", "\u2028", "`x", "[a]: b"),
    ]
)
_ENDS = st.sampled_from(["\n", "\r\n", "\r", ""])
_FILES = st.lists(st.tuples(_PARTS, _ENDS)).map(lambda p: "".join(a + b for a, b in p).encode())


def _tiles(doc: Document) -> str:
    return "".join(doc.own(section) for section in doc.sections())


@settings(max_examples=300, deadline=None)
@given(data=_FILES | st.binary(max_size=200))
@example(data=b"\xef\xbb\xbf---\ntitle: x\n---\n# A\r\nx\r# B")
def test_sections_joined_are_the_file(data: bytes) -> None:
    doc = parse(data)
    assert encoded(decoded(data)) == data
    assert encoded(doc.text) == data
    assert encoded(_tiles(doc)) == data


@settings(max_examples=300, deadline=None)
@given(data=_FILES)
def test_blocks_and_sections_nest_and_never_overlap(data: bytes) -> None:
    doc = parse(data)
    for one, other in zip(doc.blocks, doc.blocks[1:], strict=False):
        assert one.start <= one.end < other.start
    for block in doc.blocks:
        for one, other in zip(block.items, block.items[1:], strict=False):
            assert block.start <= one.start <= one.end < other.start <= block.end
    for section in doc.root.walk():
        assert section.start <= section.own_end + 1 <= section.end + 1
        for child in section.children:
            assert child.level > section.level
            assert section.own_end < child.start <= child.end <= section.end
    for cut in doc.cuts():
        assert 1 <= cut <= len(doc.lines)


def test_every_shared_memory_file_is_tiled(data: Path) -> None:
    found = 0
    for root in ("agent-files", "memory-dirs"):
        for path in sorted((data / root).rglob("*.md*")):
            if path.is_file():
                found += 1
                assert encoded(_tiles(parse(path.read_bytes()))) == path.read_bytes(), path
    assert found > 96


@pytest.mark.parametrize(
    "part",
    ["`", "> ", "[", "- ", "| a ", "*", "<!-- ", "# a\n", "- a\n", "> a\n", "a\n", "```\n", "\t"],
)
def test_time_is_linear_in_a_part_repeated(part: str) -> None:
    def spent(times: int) -> float:
        began = time.process_time()
        parse(part * times)
        return time.process_time() - began

    spent(100)
    small = min(spent(4_000) for _ in range(3))
    assert min(spent(32_000) for _ in range(2)) < 8 * small * 3 + 0.05


def test_ten_thousand_nested_quotes_are_one_block() -> None:
    (block,) = parse(">" * 10_000 + " x\n").blocks
    assert (block.kind, block.start, block.end) == ("quote", 1, 1)
