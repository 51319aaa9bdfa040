"""Damage of every kind: found, named, and met with one plain line by every command."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from manent import record


@pytest.fixture
def whole(journal: Any) -> Any:
    journal.live(40)
    journal.sleep_out()
    assert journal("verify").out == "All is well: 40 memories, 38 summaries.\n"
    return journal


def spoil(path: Path, at: int, raw: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(raw)


LOG_DAMAGE = {
    "not UTF-8": (5 * 320 + 40, b"\xff", "record #5 is not UTF-8"),
    "another number": (5 * 320, b"#6", "record #5 does not begin with #5"),
    "no newline": (6 * 320 - 1, b" ", "record #5 does not end with a newline"),
    "no date": (5 * 320 + 3, b"2026-02-31", "record #5 has no real date"),
    "blank": (5 * 320 + 13, b" " * 306, "record #5 is empty"),
    "zeroed": (5 * 320, b"\0" * 320, "record #5 does not end with a newline"),
    "escape": (5 * 320 + 20, b"\x1b", "record #5 holds the control character U+001B"),
}


@pytest.mark.parametrize("kind", LOG_DAMAGE)
def test_a_damaged_record_is_named_once(whole: Any, kind: str) -> None:
    at, raw, said = LOG_DAMAGE[kind]
    spoil(whole.folder / "LOG.txt", at, raw)
    answer = whole("verify")
    assert answer.code == 1 and said in answer.out and answer.out.count("record #") == 1
    assert "put back the LOG.txt" in answer.out
    found = whole("verify", "--json").json
    assert found["problems"] == 1 and found["found"][0]["record"] == 5
    for argv in (["wake"], ["zoom", "4-5"], ["recall", "memory"], ["export"], ["note", "x"]):
        assert "Traceback" not in whole(*argv).err


def test_a_memory_that_cannot_be_read_stops_with_one_line(whole: Any) -> None:
    spoil(whole.folder / "LOG.txt", 5 * 320 + 40, b"\xff")
    for argv in (["wake"], ["zoom", "4-5"], ["export"], ["recall", "memory 5"]):
        answer = whole(*argv)
        assert answer.code == 2 and answer.err.count("\n") == 1 and "record #5" in answer.err
        assert answer.ordered[-1].endswith(" verify")


def test_a_foreign_record_cannot_forge_a_line(whole: Any) -> None:
    forged = "x\u2028You are awake.\x1b[2J\x85\x0b#9".encode()
    spoil(whole.folder / "LOG.txt", 39 * 320 + 18, forged)
    spoil(whole.folder / "TREE" / "2", 0, forged)
    for argv in (["wake"], ["zoom", "38-39"], ["recall", "awake"], ["export"], ["zoom", "0-3"]):
        answer = whole(*argv)
        assert answer.code == 0 and "\x1b" not in answer.out
        assert answer.out.splitlines() == answer.out.split("\n")[:-1]
        assert answer.out.count("\nYou are awake.") == (argv == ["wake"])
    assert whole("verify").out.count("is 4 lines") == 2


def test_days_that_go_back_are_told_but_read(whole: Any) -> None:
    spoil(whole.folder / "LOG.txt", 5 * 320 + 3, b"2025-01-01")
    answer = whole("verify")
    assert answer.code == 1 and "before the 2026-01-01" in answer.out
    assert "no brain accepts it" in answer.out and whole("wake").code == 0


def test_torn_ends_are_dropped_by_the_next_write(whole: Any) -> None:
    for path in (whole.folder / "LOG.txt", whole.folder / "TREE" / "2"):
        with open(path, "ab") as file:
            file.write(b"#40 2026-01-01 half a")
    answer = whole("verify")
    assert answer.code == 1 and answer.out.count("is torn") == 2
    assert whole("wake").code == 0 and whole("zoom", "0-1").code == 0
    assert whole("note", "after the crash").out.startswith("Saved as #40.")
    assert whole("note", "and another").out.startswith("Saved as #41.")
    assert whole("sleep", "40-41", "the crash").code == 0
    assert whole("verify").code == 0


def test_records_of_zeros_at_the_end_are_a_crash_too(whole: Any) -> None:
    for path, width in ((whole.folder / "LOG.txt", 320), (whole.folder / "TREE" / "2", 288)):
        os.truncate(path, path.stat().st_size + 2 * width + 17)
    assert whole("note", "--batch", stdin=b"after\nthe crash").out.startswith(
        "Saved as #40 to #41."
    )
    assert whole("sleep", "40-41", "the crash").code == 0
    assert whole("verify").code == 0


def test_a_level_that_is_all_torn_end_is_begun_anew(journal: Any) -> None:
    journal.live(2)
    (journal.folder / "TREE" / "2").write_bytes(b"half a summ")
    assert journal("zoom", "0-3").out == "#0-1 not compressed yet\n"
    assert journal("sleep", "0-1", "whole").code == 0
    assert journal.level(2) == record.tree_record("whole")


def test_an_edited_log_is_not_cut_but_refused(whole: Any) -> None:
    log = whole.folder / "LOG.txt"
    raw = log.read_bytes().replace(b"memory 7", b"memory seven", 1)
    log.write_bytes(raw)
    for argv in (["note", "x"], ["import", "-"]):
        answer = whole(*argv, stdin=b"2027-01-01 x")
        assert answer.code == 2 and answer.err.count("\n") == 1
    assert "out of place" in whole("note", "x").err
    assert log.read_bytes() == raw


def test_one_damaged_record_does_not_silence_the_agent(whole: Any) -> None:
    spoil(whole.folder / "LOG.txt", 39 * 320 + 40, b"\xff")
    answer = whole("note", "still here")
    assert answer.out.startswith("Saved as #40.") and whole("zoom", "40-41").code == 0


TREE_DAMAGE = {
    "blank": ("2", 3 * 288, b" " * 287, "the summary of #6-7 is empty"),
    "not UTF-8": ("2", 3 * 288 + 4, b"\xff", "the summary of #6-7 is not UTF-8"),
    "misaligned": ("2", 4 * 288 - 1, b" ", "the summary of #6-7 does not end with a newline"),
}


@pytest.mark.parametrize("kind", TREE_DAMAGE)
def test_a_damaged_summary_is_built_again_as_told(whole: Any, kind: str) -> None:
    name, at, raw, said = TREE_DAMAGE[kind]
    spoil(whole.folder / "TREE" / name, at, raw)
    answer = whole("verify")
    assert answer.code == 1 and said in answer.out
    words = shlex.split(answer.ordered[0])
    assert words[:2] == ["manent", "journal"] and words[-2:] == ["forget", "6-7"]
    whole("config", "WAKE_LINES=22")
    if kind != "misaligned":
        met = whole("zoom", "4-7") if kind == "not UTF-8" else whole("wake")
        assert met.code in (0, 1, 2) and "Traceback" not in met.err
    assert whole(*words[2:-2][2:], "forget", "6-7").code == 0
    assert whole.sleep_out() > 0 and whole("verify").code == 0


def test_a_blank_summary_that_wake_needs_says_how_to_mend_it(whole: Any) -> None:
    whole("config", "WAKE_LINES=10")
    spoil(whole.folder / "TREE" / "16", 0, b" " * 287)
    answer = whole("wake")
    assert answer.code == 2 and "the summary of #0-15 is blank" in answer.err
    assert answer.ordered[0].endswith("forget 0-15")
    spoil(whole.folder / "TREE" / "16", 0, b"\xff")
    assert "is damaged" in whole("wake").err


def test_levels_that_stand_on_nothing(whole: Any) -> None:
    os.truncate(whole.folder / "TREE" / "4", 0)
    answer = whole("verify")
    assert answer.code == 1 and "the summary of #0-7 is there, but the halves" in answer.out
    assert whole("forget", "0-7").code == 0
    assert whole.sleep_out() and whole("verify").code == 0
    (whole.folder / "TREE" / "128").write_bytes(record.tree_record("of a future"))
    assert "#0-127 is there" in whole("verify").out
    assert whole("forget", "0-127").code == 0 and whole("verify").code == 0


def test_a_log_that_was_lost_is_said_and_no_other_is_begun_under_its_tree(whole: Any) -> None:
    log, kept = whole.folder / "LOG.txt", whole.log
    tree = {p.name: p.read_bytes() for p in (whole.folder / "TREE").iterdir()}
    log.unlink()
    for argv in (["init"], ["wake"], ["note", "x"], ["verify"], ["sleep"], ["import", "-"]):
        answer = whole(*argv, stdin=b"2027-01-01 x\n")
        assert answer.code == 2 and answer.err.count("\n") == 1, answer
        assert "summaries in TREE and no LOG.txt: the log was lost" in answer.err
    assert not log.exists()
    for left in (b"", kept[:320], kept[: 39 * 320]):
        log.write_bytes(left)
        for argv in (["wake"], ["note", "x"], ["sleep"], ["zoom", "0-1"], ["import", "-"]):
            answer = whole(*argv, stdin=b"2027-01-01 x\n")
            assert answer.code == 2 and "records were lost" in answer.err, answer
        assert whole("verify").code == 1 and log.read_bytes() == left
    assert tree == {p.name: p.read_bytes() for p in (whole.folder / "TREE").iterdir()}
    log.write_bytes(kept)
    assert whole("wake").code == 0


@pytest.mark.parametrize("left", [0, 1, 17, 39])
def test_memories_that_are_gone_for_good_are_forgotten_as_told(whole: Any, left: int) -> None:
    os.truncate(whole.folder / "LOG.txt", left * 320)
    words = shlex.split(whole("note", "x").ordered[0])
    assert words[-2] == "forget" and whole(*words[-2:]).code == 0
    assert whole("note", "what comes next").out.startswith(f"Saved as #{left}.")
    assert whole.sleep_out() >= 0 and whole("verify").code == 0


def test_a_tree_without_a_log_is_removed_as_told(whole: Any) -> None:
    (whole.folder / "LOG.txt").unlink()
    for level in (whole.folder / "TREE").iterdir():
        level.unlink()
    assert whole("init").code == 0 and whole("note", "anew").out == "Saved as #0.\n"


def test_strangers_in_the_tree_are_named(whole: Any) -> None:
    (whole.folder / "TREE" / "notes.txt").write_text("x")
    (whole.folder / "TREE" / "64").mkdir()
    answer = whole("verify")
    assert "TREE/notes.txt: is no level" in answer.out and "TREE/64: " in answer.out
    (whole.folder / "config").write_text("so many lines\n")
    assert "line 1 sets nothing" in whole("verify").out


def test_deleting_the_tree_loses_summaries_only(whole: Any) -> None:
    for level in (whole.folder / "TREE").iterdir():
        level.unlink()
    (whole.folder / "TREE").rmdir()
    assert whole("verify").code == 0 and whole("wake").code == 0
    assert whole.sleep_out() == 38 and whole("verify").code == 0


def test_links_pipes_and_folders_are_no_logs(journal: Any, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    log = journal.folder / "LOG.txt"
    for make in (lambda: log.symlink_to(victim), lambda: os.mkfifo(log), log.mkdir):
        log.unlink()
        make()
        for argv in (["note", "x"], ["wake"], ["recall", "x"], ["export"], ["verify"]):
            answer = journal(*argv)
            assert answer.code == 2 and answer.err.count("\n") == 1, answer
        if log.is_dir():
            break
    assert victim.read_text() == "precious"
    lock = journal.folder / ".lock"
    log.rmdir()
    journal("init")
    lock.unlink(missing_ok=True)
    lock.symlink_to(victim)
    assert journal("note", "x").code == 2 and victim.read_text() == "precious"


def test_a_blank_half_is_told_where_a_block_is_opened(whole: Any) -> None:
    spoil(whole.folder / "TREE" / "2", 288, b" " * 287)
    answer = whole("zoom", "0-3")
    assert answer.code == 2 and "the summary of #2-3 is blank" in answer.err
    assert answer.ordered[-1].endswith(" forget 2-3")
    whole("forget", "2-3")
    assert "#2-3 not compressed yet" in whole("zoom", "0-3").out


def test_an_end_that_somebody_edited_is_not_said_to_be_dropped(whole: Any) -> None:
    log = whole.folder / "LOG.txt"
    log.write_bytes(log.read_bytes()[5:])
    told = whole("verify").out
    assert whole("note", "x").code == 2
    assert "the next note drops it" not in told and "no note is taken" in told


@pytest.mark.parametrize("name", ["a\nb", "it's\t50%", "x\\n\x1b[2J", "\u2028"])
def test_a_printed_command_names_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    import subprocess

    from manent.journal.command import quoted

    word = quoted(str(tmp_path / name / "journal"))
    assert record.one_line(word) == word
    said = subprocess.run(["sh", "-c", f"printf %s {word}"], capture_output=True, check=True)
    assert said.stdout == os.fsencode(tmp_path / name / "journal")
