"""Each command of the journal: what it answers, refuses and leaves on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from manent import record
from manent.journal import agents
from manent.journal.command import quoted
from manent.journal.verbs import VERBS


def test_only_init_creates_a_journal(journal: Any, tmp_path: Path) -> None:
    typo = type(journal)(tmp_path / "jurnal")
    for argv in (["wake"], ["note", "x"], ["sleep"], ["recall", "x"], ["zoom", "0-1"], ["verify"],
                 ["forget", "0-1"], ["config"], ["export"], ["import", "-"]):  # fmt: skip
        answer = typo(*argv)
        assert answer.code == 2 and answer.err.count("\n") == 1
        assert answer.ordered == [f"manent journal --dir {tmp_path}/jurnal init"]
        assert not typo.folder.exists()
    (tmp_path / "jurnal").mkdir()
    assert "it has no LOG.txt" in typo("note", "x").err
    assert list(typo.folder.iterdir()) == []


def test_init_is_safe_to_repeat_and_writes_every_size_commented_out(journal: Any) -> None:
    journal("note", "kept")
    journal("config", "WAKE_LINES=7")
    before = {p.name: p.read_bytes() for p in journal.folder.iterdir() if p.is_file()}
    answer = journal("init")
    assert answer.code == 0 and "Found" in answer.out and "1 memory." in answer.out
    assert before == {p.name: p.read_bytes() for p in journal.folder.iterdir() if p.is_file()}
    assert before[".gitignore"] == b"/.lock*\n"
    journal("config", "WAKE_LINES=")
    lines = (journal.folder / "config").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == []
    for name in ("WAKE_LINES", "ENTRY_CHARS", "PART_CHARS", "PART_LINES"):
        assert any(line.startswith(f"# {name}") for line in lines)


def test_the_block_to_paste_says_all_that_an_agent_must_know() -> None:
    block = agents.block("/v/journal", "manent journal --dir /v/journal")
    # 281 tokens with the vocabularies of today; no vocabulary makes two of every three letters.
    assert len(block) < 430 * 3.5
    for needed in ("manent journal --dir /v/journal wake", "You are awake.", 'note "<one line>"',
                   "compression", "recall", "zoom", "sleep", "new note", "by hand",
                   "one identity", "You are a sub-agent"):  # fmt: skip
        assert needed in block


def test_a_note_is_one_line_of_at_most_280_bytes(journal: Any) -> None:
    assert journal("note", "x" * 280).out == "Saved as #0.\n"
    for text, said in [("x" * 281, "281 bytes"), ("è" * 141, "an accented letter costs two"),
                       ("a\nb", "2 lines"), ("  ", "empty"), ("<one line>", "place")]:  # fmt: skip
        answer = journal("note", text)
        assert answer.code == 2 and said in answer.err and answer.err.count("\n") == 1
    assert journal("note", "two", "words").code == 2
    assert journal("note").code == 2
    assert len(journal.log) == 320
    assert journal("note", "  trimmed\n").code == 0
    assert journal.log[320:] == record.log_record(1, "2026-11-30", "trimmed")


def test_text_that_looks_like_an_option(journal: Any) -> None:
    assert journal("note", "-5 degrees").code == 0
    assert journal("note", "--verbose was added to the tool").code == 0
    assert journal("note", "--", "--verbose").code == 0
    assert journal("note", "--verbose").code == 2
    assert journal("recall", "verbose").out.count("#") == 2


def test_a_clock_that_went_back_does_not_back_date(journal: Any) -> None:
    journal("note", "later", today="2026-11-30")
    journal("note", "earlier by the clock", today="2026-11-29")
    assert journal.log[320:] == record.log_record(1, "2026-11-30", "earlier by the clock")
    assert journal("verify").code == 0


def test_a_batch_is_one_write_of_all_or_none(journal: Any) -> None:
    answer = journal("note", "--batch", stdin=b"one\n\ntwo\r\nthree")
    assert answer.code == 0 and answer.out.startswith("Saved as #0 to #2.")
    for bad in (b"four\n" + b"x" * 281, b"", b"\n", b"\xff\n"):
        assert journal("note", "--batch", stdin=bad).code == 2
    assert len(journal.log) == 3 * 320
    assert journal("note", "--batch", "one").code == 2


def test_compressions_come_one_at_a_time_smallest_first(journal: Any) -> None:
    journal("note", "first")
    answer = journal("note", "second")
    assert "Compress #0-1 into one line of at most 280 bytes." in answer.out
    assert "  #0 2026-11-30 first\n  #1 2026-11-30 second\n" in answer.out
    assert "None left after this one." in answer.out
    for text in ("third", "fourth"):
        answer = journal("note", text)
    assert "Compress #0-1" in answer.out and "2 compressions left after this one." in answer.out
    assert "sleep 0-1" in answer.ordered[0]
    wrong = journal("sleep", "2-3", "third and fourth")
    assert wrong.code == 1 and "the next is 0-1" in wrong.err
    assert journal("sleep", "0-1", "first two").out.startswith("0-1 saved.\n\nCompress #2-3")
    assert journal("nap", "0-1", "again").out.startswith("0-1 is settled already.\n\nCompress #2-3")
    assert "Compress #0-3" in journal("sleep", "2-3", "last two").out
    assert journal("sleep", "0-3", "all four").out == "0-3 saved.\nNothing left to compress.\n"
    assert journal("sleep").out == "Nothing left to compress.\n"
    settled = "0-1 is settled already.\nNothing left to compress.\n"
    assert journal("sleep", "0-1", "again").out == settled
    assert journal.level(2) == record.tree_record("first two") + record.tree_record("last two")
    for block in ("0-2", "1-2", "x"):
        assert journal("sleep", block, "x").code == 2
    assert journal("sleep", "0-1").code == 2
    assert journal("sleep", "0-1", "<your line>").out == settled


@pytest.mark.parametrize("block", ["4-5", "0-7", "1024-2047"])
def test_a_line_for_a_block_that_is_not_due_is_not_dropped_in_silence(
    journal: Any, block: str
) -> None:
    journal.live(4)
    for _ in range(4):
        for how in ([], ["--json"]):
            answer = journal("sleep", block, "what it says", *how)
            said = answer.json["error"]["message"] if how else answer.err
            assert answer.code == 1 and f"{block} is not due, nothing was saved" in said
        due = journal("sleep", "--json").json["next"]
        if due:
            journal("sleep", due["block"], "done")
    assert journal("verify").code == 0


def test_what_wakes_as_json_hands_over_the_compression_too(journal: Any) -> None:
    assert journal("wake", "--json").json["next"] is None
    journal.live(100)
    asked = journal("sleep", "--json").json["next"]
    refused = journal("wake", "--json")
    assert refused.code == 1 and refused.json["next"] == asked
    assert asked["block"] == "0-1" and asked["limit_bytes"] == 280 and len(asked["lines"]) == 2
    journal.sleep_out()
    assert journal("wake", "--json").json["next"] is None
    journal("config", "PART_LINES=40")
    for i in range(4):
        journal("note", f"more {i}", today="2027-01-01")
    awake = [journal("wake", part, "--json").json for part in ("1", "2", "3")]
    assert [one["next"] and one["next"]["block"] for one in awake] == [None, None, "100-101"]


@pytest.mark.parametrize(
    "argv",
    [["recall", "("], ["recall"], ["zoom", "0-2"], ["zoom", "0-1"], ["wake", "9"], ["sleep", "x"],
     ["verify", "x"], ["note", "--commit"], ["dream"]],
)  # fmt: skip
def test_a_command_that_fails_prints_its_document_too(journal: Any, argv: list[str]) -> None:
    journal("note", "one")
    if argv == ["zoom", "0-1"]:
        (journal.folder / "LOG.txt").unlink()
    answer = journal(*argv, "--json")
    assert answer.code == 2 and answer.json["version"] == 1
    assert answer.json["error"]["message"] in answer.err and answer.json["error"]["hint"] == ""


def test_numbers_agree_with_their_words(journal: Any) -> None:
    journal.live(2)
    said = journal("wake", "1", "1001").err
    assert "T is 1001, but the journal holds 2 memories." in said


def test_a_bad_line_for_a_due_block_is_refused(journal: Any) -> None:
    journal.live(2)
    for text in ("", "x" * 281, "a\nb", "<your line>"):
        assert journal("sleep", "0-1", text).code == 2
    assert not (journal.folder / "TREE" / "2").exists()


def test_blocks_over_sixteen_show_their_halves(journal: Any) -> None:
    journal.live(32)
    seen = {}
    while due := journal("sleep", "--json").json["next"]:
        seen[due["block"]] = due["lines"]
        journal("sleep", due["block"], f"summary of {due['block']}")
    assert len(seen["0-15"]) == 16 and seen["0-15"][15] == "#15 2026-01-01 memory 15"
    assert seen["0-31"] == ["#0-15 summary of 0-15", "#16-31 summary of 16-31"]
    assert next(iter(seen)) == "0-1" and list(seen)[-1] == "0-31" and len(seen) == 31


def test_waking_empty_raw_unready_and_condensed(journal: Any) -> None:
    answer = journal("wake")
    assert answer.code == 0 and answer.out.endswith("You are awake.\n")
    assert 'note "<one line>"' in answer.out
    journal.live(96)
    answer = journal("wake")
    assert answer.out.splitlines()[:97] == [
        *(f"#{i} 2026-01-{1 + i // 40:02} memory {i}" for i in range(96)), "You are awake."
    ]  # fmt: skip
    assert "Compress #0-1" in answer.out, "work the document does not need comes after the read"
    journal("note", "one more")
    answer = journal("wake")
    assert answer.code == 1 and "You are awake" not in answer.out
    assert "needs a summary of #0-1" in answer.out and "sleep 0-1" in answer.out
    assert journal("wake", "--json").json["awake"] is False
    journal.sleep_out()
    lines = journal("wake").out.splitlines()
    assert lines[0] == "#0-1 summary of 0-1" and lines[1].startswith("#2 ") and len(lines) == 97
    assert lines[-1] == "You are awake."


def test_parts_order_the_next_and_are_as_of_T(journal: Any) -> None:
    journal("config", "PART_LINES=40")
    journal.live(100)
    journal.sleep_out()
    whole = journal("wake", "--json").json
    assert whole["parts"] == 3 and len(whole["lines"]) == 96 and whole["pending"] == 0
    first = journal("wake")
    assert first.out.startswith("Your memory, part 1 of 3, oldest first, as of 100 memories.\n")
    assert first.ordered == [f"manent journal --dir {journal.folder} wake 2 100"]
    journal("note", "in between", today="2027-01-01")
    read = [line for k in (1, 2, 3) for line in journal("wake", str(k), "100").out.splitlines()]
    assert [line for line in read if line.startswith("#")] == whole["lines"]
    assert read[-1] == "You are awake."
    for argv in (["4", "100"], ["0"], ["1", "999"], ["1", "0"], ["x"], ["1", "2", "3"]):
        assert journal("wake", *argv).code == 2


def test_a_part_fits_its_bytes_too(journal: Any) -> None:
    journal("config", "PART_CHARS=1000")
    journal("note", "--batch", stdin=("é" * 140 + "\n").encode() * 9)
    answer = journal("wake", "--json").json
    assert answer["parts"] == 3
    for k in range(1, 4):
        body = [x for x in journal("wake", str(k)).out.splitlines() if x.startswith("#")]
        assert sum(len(x.encode()) + 1 for x in body) <= 1000


def test_the_byte_budget_of_newer_stores_is_kept(journal: Any) -> None:
    (journal.folder / "config").write_text("WAKE_CHARS = 2000\n")
    journal.live(200)
    journal.sleep_out()
    lines = journal("wake", "--json").json["lines"]
    assert 40 < len(lines) < 96 and sum(len(x) + 1 for x in lines) <= 2000
    journal("config", "WAKE_LINES=50")
    assert "WAKE_CHARS = 2000" in (journal.folder / "config").read_text()


def test_zooming_walks_down_to_any_memory(journal: Any) -> None:
    journal.live(100)
    journal.sleep_out()
    assert journal("zoom", "0-3").out == "#0-1 summary of 0-1\n#2-3 summary of 2-3\n"
    assert journal("zoom", "#98-99").out.splitlines()[0] == "#98 2026-01-03 memory 98"
    assert journal("zoom", "64-127").out == "#64-95 summary of 64-95\n#96-127 not compressed yet\n"
    journal("note", "the hundredth", today="2027-01-01")
    assert journal("zoom", "100-101").out == "#100 2027-01-01 the hundredth\n"
    answer = journal("zoom", "128-255")
    assert answer.code == 2 and "yet to come" in answer.err
    assert journal("zoom", "64-127", "--json").json["halves"][1] == {
        "block": "96-127", "memories": 32, "line": None
    }  # fmt: skip


def test_forgetting_cuts_a_level_and_all_above(journal: Any) -> None:
    journal.live(32)
    journal.sleep_out()
    log = journal.log
    answer = journal("forget", "16-19")
    # TREE/4 loses 16-19 to 28-31, TREE/8 two, TREE/16 one, TREE/32 one.
    assert "Forgot 8 summaries, from #16-19 up." in answer.out
    assert [len(journal.level(s)) // 288 for s in (2, 4, 8, 16, 32)] == [16, 4, 2, 1, 0]
    assert journal.log == log
    again = journal("forget", "16-19")
    assert again.code == 1 and "no summary of #16-19" in again.err
    assert journal.sleep_out() == 8
    assert journal("verify").code == 0


def test_a_block_forgotten_meanwhile_gets_a_plain_answer(journal: Any) -> None:
    from manent.journal.store import Store

    journal.live(4)
    journal("sleep", "0-1", "x")
    journal("sleep", "2-3", "y")
    store = Store(str(journal.folder))
    journal("forget", "2-3")
    with store.locked():
        assert not store.append_summary(0, 4, "stands on nothing")
    assert journal("sleep", "0-3", "z").code == 1


def test_sizes_are_refused_with_file_and_line(journal: Any) -> None:
    config = journal.folder / "config"
    for text, said in [("\nWAKE_LNES = 9\n", "line 2: 'WAKE_LNES' is no size"),
                       ("WAKE_LINES = 0", "line 1: WAKE_LINES must be"),
                       ("WAKE_LINES = ٣", "line 1: WAKE_LINES must be"),
                       ("\n\nWAKE_LINES 50", "line 3: it names WAKE_LINES and sets nothing; "
                        "write WAKE_LINES = 50"),
                       ("part_lines: 9 # x", "line 1: it names PART_LINES and sets nothing"),
                       ("WAKE_CHARS", "line 1: it names WAKE_CHARS"),
                       ("# ok\nENTRY_CHARS = 281", "line 2: ENTRY_CHARS is at most")]:  # fmt: skip
        config.write_text(text)
        answer = journal("wake")
        assert answer.code == 2 and f"{config}, {said}" in answer.err
    config.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in journal("wake").err
    config.write_text("wake_lines = 5 # mine\njust words\n")
    assert "WAKE_LINES   5" in journal("config").out
    config.unlink()
    assert journal("wake").code == 0


def test_config_sets_and_restores_and_leaves_the_rest(journal: Any) -> None:
    (journal.folder / "config").write_text("# mine\nPART_LINES = 9\nPART_LINES = 8\n")
    answer = journal("config", "wake_lines=12", "PART_LINES=7")
    assert answer.code == 0 and "(default 96)" in answer.out
    text = (journal.folder / "config").read_text()
    assert text.startswith("# mine\nPART_LINES   = 7") and text.count("PART_LINES") == 1
    assert journal("config", "--json").json["set"] == ["PART_LINES", "WAKE_LINES"]
    journal("config", "PART_LINES=", "WAKE_LINES=")
    assert journal("config", "--json").json["set"] == []
    for bad in ("WAKE_LINES", "X=1", "WAKE_LINES=x", "ENTRY_CHARS=281", "PART_LINES=0"):
        assert journal("config", bad).code == 2


def test_an_import_is_checked_whole_before_it_is_written(journal: Any, tmp_path: Path) -> None:
    journal("note", "first", today="2026-02-01")
    for lines, said in [
        (b"2026-02-01 ok\n2026-01-31 back\n", "line 2: is dated 2026-01-31, before"),
        (b"2026-01-31 before the log\n", "line 1: is dated"),
        (b"2026-02-30 no day\n", "line 1: does not begin with a day"),
        (b"2026-03-01 " + b"x" * 281, "line 1: is 281 bytes"),
        (b"2026-03-01\n", "line 1: is empty"),
        (b"hello\n", "line 1: does not begin"),
        (b"2026-03-01 \xff\n", "line 1: is not UTF-8"),
        (b"\n\n", "holds no memory"),
    ]:
        answer = journal("import", "-", stdin=lines)
        assert answer.code == 2 and said in answer.err, answer.err
        assert len(journal.log) == 320
    source = tmp_path / "life.txt"
    source.write_bytes(b"\xef\xbb\xbf2026-02-01 one\r\n\n2026-02-02 two\n")
    answer = journal("import", str(source))
    assert answer.out.startswith("Imported 2 memories, #1 to #2.\n1 compression pending.")
    one = journal("import", "-", stdin=b"2026-02-03 three\n")
    assert one.out.startswith("Imported 1 memory, #3.\n3 compressions pending.")
    assert journal("import", str(tmp_path / "none")).code == 2


def test_what_is_exported_imports_to_the_same_log(journal: Any, tmp_path: Path) -> None:
    journal.live(5000)
    copy = type(journal)(tmp_path / "copy")
    copy("init")
    lines = journal("export").out
    assert copy("import", "-", stdin=lines.encode()).code == 0
    assert copy.log == journal.log
    objects = journal("export", "--json").out.splitlines()
    assert len(objects) == 5000 and '"number": 4999' in objects[-1]


@pytest.mark.parametrize("name", [*VERBS, "nap"])
def test_each_command_has_a_page(journal: Any, name: str) -> None:
    for flag in ("--help", "-h"):
        answer = journal(name, flag)
        assert answer.code == 0 and answer.out.startswith("Usage: manent journal")
        assert "Example: manent journal" in answer.out and "--dir DIR" in answer.out


def test_wrong_use_is_exit_2_in_one_line(journal: Any) -> None:
    assert journal("--help").code == 0
    assert journal().code == 2
    for argv in (["dream"], ["wake", "--jsn"], ["zoom"], ["forget"], ["merge"], ["export", "x"]):
        answer = journal(*argv)
        assert answer.code == 2 and answer.err.count("\n") == 1, answer


@pytest.mark.parametrize("word", ["plain", "with blank", "it's", "$HOME", "", "è", "a\nb", "-x"])
def test_words_are_quoted_for_a_shell(word: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"printf %s {quoted(word)}"], capture_output=True, check=True
    )
    assert done.stdout.decode() == word


def test_the_fast_path_imports_neither_click_nor_anything_heavy(journal: Any) -> None:
    code = (
        "import sys; from manent.__main__ import main; sys.argv[1:] = sys.argv[1:]; main();"
        "print(sorted({'click','typing','pathlib','subprocess','json','argparse','datetime',"
        "'re2','numpy','pygit2','yaml','re'} & set(sys.modules)), file=sys.stderr)"
    )
    journal("note", "x")
    for argv in (["wake"], ["note", "one more"], ["zoom", "0-1"], ["sleep"]):
        done = subprocess.run(
            [sys.executable, "-S", "-c",
             f"import sys; sys.path[:0] = {[str(Path(record.__file__).parent.parent)]!r}; {code}",
             "journal", "--dir", str(journal.folder), *argv],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr.strip() == "[]", argv
