"""The laws that gate and journal share: what a commit may do to a log and its tree."""

from __future__ import annotations

import pytest

from manent import record
from manent.errors import EnvironmentFault


def log_of(*contents: str) -> bytes:
    """A log of these ``<date> <text>``, numbered from 0."""
    return b"".join(
        record.log_record(i, content[:10], content[11:]) for i, content in enumerate(contents)
    )


A, B, C = "2026-01-01 went out", "2026-01-02 came back", "2026-01-02 went to bed"
OLD = log_of(A, B, C)


def patched(log: bytes, number: int, old: bytes, new: bytes) -> bytes:
    at = number * record.LOG_BYTES
    raw = log[at : at + record.LOG_BYTES]
    assert old in raw
    changed = raw[:-1].replace(old, new, 1).rstrip().ljust(record.LOG_BYTES - 1) + b"\n"
    return log[:at] + changed + log[at + record.LOG_BYTES :]


def test_a_record_reads_as_it_was_written() -> None:
    raw = record.log_record(7, "2026-01-31", "perché no: 10 €")
    assert len(raw) == 320 and raw.endswith(b" \n")
    assert record.log_record_fault(raw, 7) is None
    line = record.log_line(raw, 7)
    assert line == "#7 2026-01-31 perché no: 10 €"
    assert record.split_line(line) == (7, "2026-01-31", "perché no: 10 €")


def test_the_longest_text_fits_the_millionth_record_and_one_byte_more_is_said() -> None:
    assert record.log_record_fault(record.log_record(10**6, "2026-01-01", "x" * 280), 10**6) is None
    assert record.tree_record_fault(record.tree_record("y" * 280)) is None
    assert record.text_fault("è" * 141) == (
        "is 282 bytes long, the limit is 280; an accented letter costs two"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("two\nlines", "is 2 lines"),
        ("two\u2028lines", "is 2 lines"),
        ("two\x0blines", "is 2 lines"),
        (" led by a blank", "begins or ends with blanks"),
        ("esc \x1b[31m", "control character U+001B"),
        ("nul \0", "control character U+0000"),
        ("csi \x9b31m", "control character U+009B"),
        ("half \ud83d", "is not UTF-8"),
    ],
)
def test_a_text_is_one_clean_line(text: str, said: str) -> None:
    fault = record.text_fault(text)
    assert fault is not None and said in fault


@pytest.mark.parametrize(
    "text", ["tab\there", "👩‍🚀 landed", "می‌خواهم", "שלום", "a  b", "#0 2026-01-01 x"]
)
def test_real_lines_of_any_script_are_clean(text: str) -> None:
    assert record.text_fault(text) is None


@pytest.mark.parametrize("date", [b"2024-02-29", b"2000-02-29", b"0001-01-01", b"9999-12-31"])
def test_days_of_the_calendar(date: bytes) -> None:
    assert record.real_date(date)


@pytest.mark.parametrize(
    "date",
    [b"2023-02-29", b"1900-02-29", b"2026-13-01", b"2026-00-01", b"2026-04-31", b"0000-01-01",
     b"2026-1-01 ", b"20260101", b"2026/01/01", b"\xd9\xa2\xd9\xa0-01-01x", b""],
)  # fmt: skip
def test_days_that_no_calendar_has(date: bytes) -> None:
    assert not record.real_date(date)


def test_a_log_may_only_grow() -> None:
    assert record.log_fault(None, OLD) is None
    assert record.log_fault(None, b"") is None
    assert record.log_fault(OLD, OLD) is None
    assert record.log_fault(OLD, OLD + record.log_record(3, "2026-01-02", "slept")) is None


@pytest.mark.parametrize(
    ("new", "index", "said"),
    [
        (patched(OLD, 1, b"came", b"went"), 1, "record #1 was edited"),
        (patched(OLD, 1, b"01-02", b"01-01"), 1, "record #1 was edited"),
        (OLD[:640], 2, "record #2 was dropped"),
        (b"", 0, "record #0 was dropped"),
        (log_of(A, C), 1, "record #1 was dropped"),
        (log_of(A, C, B), 1, "record #1 was moved"),
        (log_of(A, "2026-01-01 between", B, C), 1, "record #1 was moved back"),
        (patched(OLD, 0, b"#0", b"#1"), 0, "record #0 was renumbered"),
        (OLD + record.log_record(4, "2026-01-03", "x"), 3, "does not begin with #3"),
        (OLD + record.log_record(3, "2026-01-01", "x"), 3, "before the 2026-01-02 of the record"),
        (OLD + record.log_record(3, "2026-02-30", "x"), 3, "no real date"),
        (OLD + b"#3 2026", 3, "is torn: 7 of 320 bytes"),
        (OLD + record.log_record(3, "2026-01-03", "x")[:-1] + b" ", 3, "end with a newline"),
        (OLD + record.log_record(3, "2026-01-03", "  "), 3, "is empty"),
        (OLD + record.log_record(3, "2026-01-03", "y\x1bz"), 3, "control character"),
        (OLD + patched(record.log_record(3, "2026-01-03", "yy"), 0, b"yy", b"\xff"), 3, "UTF-8"),
        (OLD + b"\n" + record.log_record(3, "2026-01-03", "x"), 3, "newline: it, or one"),
        (OLD + b"\0" * 320, 3, "does not end with a newline"),
    ],
)
def test_every_other_change_of_a_log_names_its_record(new: bytes, index: int, said: str) -> None:
    fault = record.log_fault(OLD, new)
    assert fault is not None
    assert fault[0] == index and said in fault[1], fault


def test_a_torn_record_that_history_already_holds_may_go() -> None:
    torn = OLD + b"#3 2026-01"
    assert record.log_fault(torn, OLD) is None
    assert record.log_fault(torn, OLD + record.log_record(3, "2026-01-02", "x")) is None


def level_of(*texts: str) -> bytes:
    return b"".join(map(record.tree_record, texts))


def test_a_level_grows_at_its_end_or_is_cut_back() -> None:
    old = level_of("one", "two")
    assert record.tree_fault(None, old, 2, 4) is None
    assert record.tree_fault(old, old + level_of("three"), 2, 6) is None
    assert record.tree_fault(old, level_of("one"), 2, 4) is None
    assert record.tree_fault(old, b"", 2, 4) is None


@pytest.mark.parametrize(
    ("new", "memories", "index", "said"),
    [
        (level_of("one", "new"), 4, 1, "the summary of #2-3 was edited"),
        (level_of("new"), 4, 0, "the summary of #0-1 was edited"),
        (level_of("one", "two", "three"), 5, 2, "#4-5 summarises memories that the log of 5"),
        (level_of("one", "two") + b"x" * 100, 9, 2, "is torn: 100 of 288"),
        (level_of("one", "two", " "), 9, 2, "is empty"),
        (level_of("one", "two", "a\rb"), 9, 2, "is 2 lines"),
    ],
)
def test_every_other_change_of_a_level_names_its_block(
    new: bytes, memories: int, index: int, said: str
) -> None:
    fault = record.tree_fault(level_of("one", "two"), new, 2, memories)
    assert fault is not None and fault[0] == index and said in fault[1], fault


def test_the_names_of_levels_are_powers_of_two() -> None:
    assert [record.level_size(n) for n in ("2", "4", "1048576")] == [2, 4, 1048576]
    for name in ("1", "0", "3", "02", "-2", "2.txt", "", "²", "٢", "9" * 40):
        assert record.level_size(name) is None


def test_the_files_that_are_judged() -> None:
    assert record.journal_file("journal/LOG.txt") == ("journal", 0)
    assert record.journal_file("journal/ada/TREE/64") == ("journal/ada", 64)
    assert record.journal_file("logs/LOG.txt", ["logs"]) == ("logs", 0)
    for path in ("LOG.txt", "notes/LOG.txt", "journals/LOG.txt", "journal/TREE/3", "journal/4",
                 "journal/config", "journal/TREE/2/x", "journal/ada/64", ""):  # fmt: skip
        assert record.journal_file(path) is None


def test_a_tree_stands_on_memories_and_halves() -> None:
    assert record.shape_fault({2: 2, 4: 1}, 5) is None
    assert record.shape_fault({}, 0) is None
    for levels, memories in (({2: 3}, 5), ({4: 1}, 9), ({2: 1, 4: 1}, 9)):
        assert record.shape_fault(levels, memories) is not None


# ------------------------------------------------------------------ merges

OURS, THEIRS = (
    log_of(A, B, "2026-01-04 ours"),
    log_of(A, B, "2026-01-03 theirs", "2026-01-04 tie"),
)


def test_a_merge_goes_by_date_and_ours_goes_first_on_the_same_day() -> None:
    merged, common = record.merge_logs(log_of(A, B), OURS, THEIRS)
    assert common == 2
    assert merged == log_of(A, B, "2026-01-03 theirs", "2026-01-04 ours", "2026-01-04 tie")
    assert record.log_fault(log_of(A, B), merged) is None


def test_one_sided_and_equal_merges_are_that_side() -> None:
    assert record.merge_logs(OLD, OLD, OLD)[0] == OLD
    more = OLD + record.log_record(3, "2026-01-05", "x")
    assert record.merge_logs(OLD, OLD, more)[0] == more
    assert record.merge_logs(OLD, more, OLD)[0] == more
    assert record.merge_logs(None, b"", OLD)[0] == OLD


def test_twins_noted_apart_are_two_memories() -> None:
    twin = log_of(A, B)
    assert record.merge_logs(log_of(A), twin, twin[:320] + twin[320:])[0] == twin
    other = log_of(A, "2026-01-01 first", B)
    assert record.merge_logs(log_of(A), twin, other)[0] == log_of(A, "2026-01-01 first", B, B)


def test_a_criss_cross_takes_each_memory_once() -> None:
    base, a, b = log_of(A), log_of(A, "2026-01-02 a"), log_of(A, "2026-01-02 b")
    one, _ = record.merge_logs(base, a, b)
    other, _ = record.merge_logs(base, b, a)
    assert one != other
    ancestor = record.merge_bases([a, b])
    assert record.merge_logs(ancestor, one, other)[0] == one
    assert record.merge_fault([a, b], [one, other], one) is None


def test_a_pick_adds_only_what_its_commit_added() -> None:
    base, theirs = log_of(A, "2026-01-02 one"), log_of(A, "2026-01-02 one", "2026-01-02 two")
    picked, _ = record.merge_logs(base, log_of(A), theirs, picked=True)
    assert picked == log_of(A, "2026-01-02 two")
    rebased, _ = record.merge_logs(
        base, log_of(A, "2026-01-02 up", "2026-01-02 one"), theirs, picked=True
    )
    assert rebased == log_of(A, "2026-01-02 up", "2026-01-02 one", "2026-01-02 two")


def test_a_side_that_edited_its_past_cannot_be_merged() -> None:
    edited = patched(OLD, 1, b"came", b"went")
    for ours, theirs in ((edited, OLD + b""), (OLD, edited)):
        with pytest.raises(EnvironmentFault, match="edited or dropped"):
            record.merge_logs(OLD, ours, theirs)
    with pytest.raises(EnvironmentFault, match="no whole number"):
        record.merge_logs(OLD, OLD + b"x", OLD)
    with pytest.raises(EnvironmentFault, match="record #2 on their side"):
        record.merge_logs(OLD, OLD, OLD[:640] + b"x" * 320)


def test_a_merge_commit_holds_what_the_driver_makes_and_nothing_else() -> None:
    merged, _ = record.merge_logs(log_of(A, B), OURS, THEIRS)
    parents = [OURS, THEIRS]
    assert record.merge_fault([log_of(A, B)], parents, merged) is None
    evil = merged + record.log_record(5, "2026-01-05", "slipped in")
    for new, at in ((evil, 5), (merged[:-320], 4), (OURS, 2), (b"", 0)):
        fault = record.merge_fault([log_of(A, B)], parents, new)
        assert fault is not None and fault[0] == at
    assert record.merge_fault([], [OURS, patched(OURS, 0, b"#0", b"#1")], OURS) is not None


def test_a_merged_level_keeps_what_both_have_and_the_memories_under_it() -> None:
    base = level_of("old")
    assert record.merge_level(base, level_of("old", "x"), level_of("old", "x")) == base
    assert record.merge_level(base, level_of("old", "x"), level_of("old", "y")) == base
    assert record.merge_level(base, b"", level_of("old")) == b""
    assert record.merge_level(None, level_of("x"), level_of("x")) == b""


def test_a_merge_commit_has_no_summary_of_moved_memories() -> None:
    merged, _ = record.merge_logs(log_of(A, B), OURS, THEIRS)
    theirs_level = level_of("out and back", "theirs and tie")
    parents = [(OURS, level_of("out and back")), (THEIRS, theirs_level)]
    assert record.tree_merge_fault(2, merged, parents, level_of("out and back")) is None
    assert record.tree_merge_fault(2, merged, parents, b"") is None
    fault = record.tree_merge_fault(2, merged, parents, theirs_level)
    assert fault is not None and fault[0] == 1 and "moved" in fault[1]
    assert record.tree_merge_fault(2, merged, parents, level_of("forged")) is not None
