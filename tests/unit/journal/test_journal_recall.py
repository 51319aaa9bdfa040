"""Recalling: the same lines as asking each one, whatever the pattern."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from manent import journal as room
from manent.errors import UsageError
from manent.journal.recall import Pattern

LINES = [
    b"#0 2026-01-01 Tea with Ada at the caf\xc3\xa9",
    b"#1 2026-01-02 the CAF\xc3\x89 is closed",
    b"#2 2026-01-02 nothing",
    b"#3 2026-01-03 tab\there",
    b"#4 2026-01-03 ends with 10 \xe2\x82\xac",
    b"#5 2026-01-04 broken \xff byte",
] * 40

PATTERNS = {
    "tea": 40, "CAFÉ": 80, "^#1 ": 40, "closed$": 40, "^nothing$": 0, "2026-01-0[34]": 120,
    ".": 240, "^": 240, "$": 240, r"\s$": 0, "[^x]{200}": 0, r"nothing\n#": 0, r"\A#5": 40,
    r"closed\z": 40, "(?-i)tea": 0, "(?i:TEA)|€": 80, r"\bhere\b": 40, "(?s)nothing.#": 0,
    r"\d$": 0, "broken": 40, r"(?-m:^#2)": 40, "a|b": 160, r"\pN+ €": 40, r"\Qwith 10": 40,
}  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_it_matches_line_by_line(pattern: str) -> None:
    asked = Pattern(pattern)
    found = asked.matching(LINES)
    assert found == [i for i, line in enumerate(LINES) if asked.matching([line])]
    assert len(found) == PATTERNS[pattern]


@pytest.mark.parametrize(
    "pattern", ["(", "a)|(b", "[z-a]", "(?=x)", r"(a)\1", "(a{1000}){1000}", "\udcff"]
)
def test_what_is_no_pattern_is_said_in_a_line(journal: Any, pattern: str) -> None:
    with pytest.raises(UsageError):
        Pattern(pattern)
    if "\udcff" not in pattern:
        answer = journal("recall", pattern)
        assert answer.code == 2 and answer.err.count("\n") == 1


def test_no_pattern_can_hang_it(journal: Any) -> None:
    journal("note", "--batch", stdin=(b"a" * 280 + b"\n") * 5000)
    started = time.process_time()
    assert journal("recall", "(a*)*(a|aa)*b$").code == 1
    assert journal("recall", "(x+x+)+y").code == 1
    assert time.process_time() - started < 5


def test_the_newest_that_fit_and_how_many_there_were(journal: Any) -> None:
    assert journal("recall", "x").out == "No match.\n"
    journal.live(500)
    answer = journal("recall", "memory 7$")
    assert (answer.code, answer.out) == (0, "#7 2026-01-01 memory 7\n1 match.\n")
    assert journal("recall", "2026-01-02").out.endswith("40 matches.\n")
    journal("config", "PART_CHARS=250")
    answer = journal("recall", "memory", "--json").json
    assert answer["matches"] == 500 and answer["lines"][-1].endswith("memory 499")
    assert sum(len(line) + 1 for line in answer["lines"]) <= 250
    assert "The newest 9 of 500 matches" in journal("recall", "MEMORY").out
    journal("config", "PART_CHARS=5")
    assert "The newest 0 of 500 matches" in journal("recall", "MEMORY").out


def test_runs_of_the_log_have_no_seam(journal: Any) -> None:
    records = ((b"#%d 2026-01-01 m" % i).ljust(319) + b"\n" for i in range(9001))
    (journal.folder / "LOG.txt").write_bytes(b"".join(records))
    assert journal("recall", "^#(4095|4096|4097|8191|8192|9000) ").out.count("#") == 6


def test_finding_for_a_search_beside_notes(journal: Any, tmp_path: Path) -> None:
    journal.live(50)
    journal("note", "Ada moved to Turin", today="2026-03-01")
    journal("note", "turin again, with ADA", today="2026-03-02")
    found = room.find(str(journal.folder), "ada TURIN", 8)
    assert [hit.number for hit in found] == [51, 50]
    assert found[1].line == "#50 2026-03-01 Ada moved to Turin" and found[1].date == "2026-03-01"
    assert [hit.number for hit in room.find(str(journal.folder), "memory", 3)] == [49, 48, 47]
    assert room.find(str(journal.folder), "2026-03-01 a.a", 8) == []
    assert len(room.find(str(journal.folder), "^#4[0-9] ", 20, regex=True)) == 10
    assert room.find(str(journal.folder), " ", 8) == []
