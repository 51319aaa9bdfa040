"""The lexical store: what is found, what survives damage, who may look meanwhile."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from manent.errors import StoreDamaged
from manent.search.constants import Constants
from manent.search.lexical import LexicalStore, Scored
from manent.search.postings import Document

NOTES = {
    1: ("rollback-procedure", "How we roll a deployment back", "Steps", "Stop the rollout first."),
    2: ("deploy-freeze", "No deploys on Fridays", "", "The deployment window closes on Thursday."),
    3: ("postgres-tuning", "Memory settings", "Config", "Raise shared_buffers; see node.js too."),
    4: ("ricetta-pane", "Come si fa il pane in casa", "", "La farina e il lievito, e poi acqua."),
    5: ("kubernetes-basics", "Pods and nodes", "", "A cluster runs containers in pods."),
    6: ("tokyo-trip", "旅行の計画", "", "東京都で会議をします。猫がいる。"),
    7: ("emoji", "Launch day", "", "We ship it 🚀 today and the celebration follows."),
}


def document(number: int, note: tuple[str, str, str, str] | None = None) -> Document:
    return Document(number, *(note or NOTES[number]))


@pytest.fixture
def store(tmp_path: Path) -> LexicalStore:
    made = LexicalStore(tmp_path / "index")
    made.rebuild(map(document, NOTES), "tree-1")
    return made


def ids(hits: list[Scored]) -> list[int]:
    return [hit.id for hit in hits]


@pytest.mark.parametrize(
    ("query", "want"),
    [
        ("deployments", [2, 1]),  # the stem; the name weighs more than the description
        ("shared buffers", [3]),
        ("sharedBuffers", [3]),
        ("shared_buffers", [3]),
        ("node.js", [3, 5]),  # the whole of it, and a part of it
        ("pane", [4]),
        ("farine", [4]),  # Italian stems for an Italian note
        ("kubern", [5]),  # begun
        ("kubernettes", [5]),  # one slip
        ("ukbernetes", [5]),  # a swap
        ("contaieners", [5]),
        ("celebratio", [7]),  # begun, and longer than the stem
        ("東京", [6]),
        ("猫", [6]),
        ("🚀", [7]),
        ("zanzibar", []),
        ("kub", []),  # too short to be a beginning
        ("podz", []),  # too short to be a slip
        ("come", [4]),  # grammar in Italian, but there is nothing else to look for
    ],
)
def test_what_is_found(store: LexicalStore, query: str, want: list[int]) -> None:
    assert ids(store.search(query, 10)) == want


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        '"',
        "'; DROP",
        "NOT (",
        "a AND",
        "*",
        "name:",
        "-",
        "\x00",
        "\ud800",
        "¿?",
        "٣",
        "()[]{}",
    ],
)
def test_no_query_is_a_fault(store: LexicalStore, query: str) -> None:
    assert all(hit.score > 0 for hit in store.search(query, 5))


def test_operators_are_words(store: LexicalStore) -> None:
    assert ids(store.search('"pods" AND -cluster OR (name:xyzzy*', 5)) == [5]


def test_only_words_of_grammar_are_looked_for_when_there_is_nothing_else(
    store: LexicalStore,
) -> None:
    assert 4 in ids(store.search("il e la", 9))
    assert set(ids(store.search("the pods", 9))) == {5}


def test_a_megabyte_is_answered_soon(store: LexicalStore) -> None:
    for query in (
        "pods " * 200_000,
        "x" * 2**20,
        "漢字" * 2**19,
        " ".join(map(str, range(160_000))),
    ):
        start = time.process_time()
        store.search(query, 5)
        assert time.process_time() - start < 5


def test_right_to_left_text_is_found(store: LexicalStore) -> None:
    store.update([], [document(8, ("shalom", "", "", "הַשָּׁלוֹם בא אל العَرَبِيَّة"))], "t")
    assert ids(store.search("השלום", 5)) == [8]
    assert ids(store.search("العربية", 5)) == [8]


def test_k_bounds_and_order_breaks_ties(store: LexicalStore) -> None:
    twins = [document(i, ("twin", "", "", "same words")) for i in (20, 21, 22, 23)]
    store.update([], twins, "t")
    ranks = np.zeros(40, int)
    ranks[[20, 21, 22, 23]] = [3, 1, 2, 0]
    assert ids(store.search("twin", 2, order=ranks)) == [23, 21]
    assert ids(store.search("twin", 3, order=lambda found: ranks[found])) == [23, 21, 22]
    assert ids(store.search("twin", 9)) == [20, 21, 22, 23]
    assert store.search("twin", 0) == store.search("twin", -1) == []


def test_demotion_halves_and_reorders(store: LexicalStore) -> None:
    plain = store.search("deployment", 9)
    factors = np.ones(10)
    factors[plain[0].id] = 0.25
    demoted = store.search("deployment", 9, demotion=factors)
    assert ids(demoted) == ids(plain)[::-1]
    assert demoted[1].score == plain[0].score * 0.25
    assert demoted[1].relevance == plain[0].score


def test_weights_are_the_callers_to_choose(store: LexicalStore) -> None:
    body_only = Constants(weights=(0, 0, 0, 1))
    assert ids(store.search("rollback", 9, weights=body_only)) == []
    assert ids(store.search("rollout", 9, weights=body_only)) == [1]


def test_an_explanation_names_fields_and_figures(store: LexicalStore) -> None:
    (hit,) = store.search("kuberntes", 1, explain=True)
    (line,) = hit.explanation
    assert (line.word, line.term, line.kind, line.df) == ("kuberntes", "kubernet", "fuzzy", 1)
    assert line.counts == {"name": 1}
    assert line.documents == len(NOTES)
    assert line.score * hit.lift == hit.score


def test_a_language_only_hidden_notes_are_in_does_not_show(tmp_path: Path) -> None:
    """An Italian stem once served as a probe for English words: a hidden note could be sensed."""
    english = document(1, ("a", "", "", "The process of the saints is in the town square."))
    italian = document(2, ("b", "", "", "Il gatto di casa non è una volpe, ma la cosa che si fa."))
    hidden = LexicalStore(tmp_path / "both")
    hidden.rebuild([english, italian], "t")
    alone = LexicalStore(tmp_path / "one")
    alone.rebuild([english], "t")
    mask = np.array([False, True, False])
    words = ["prosessare", "processioni", "saintes", "squarare", "santissime", "towne", "volpi"]
    assert alone.search("prosess", 5) and not alone.search("prosessare", 5)
    for query in [*words, "gatto", "che si fa", "il"]:
        assert hidden.search(query, 5, mask) == alone.search(query, 5), query


def test_hidden_counts_do_not_choose_what_stands_in(tmp_path: Path) -> None:
    words = {1: "zorbano", 2: "zorbelo", 3: "zorbelo"} | dict.fromkeys(range(4, 20), "zorbano")
    store = LexicalStore(tmp_path / "index")
    store.rebuild((document(i, ("n", "", "", word)) for i, word in words.items()), "t")
    mask = np.arange(20) <= 3
    for one in (Constants(expansions=1), Constants(expansions=1, prefix_shortest=99)):
        assert ids(store.search("zorbelo", 9, mask, weights=one)) == [2, 3]
    few = Constants(expansions=1, prefix_shortest=4)
    assert ids(store.search("zorb", 9, mask, weights=few)) == [2, 3]
    assert ids(store.search("zorb", 2, weights=few)) == [1, 4]


def test_updates_strike_replace_and_stamp(store: LexicalStore) -> None:
    store.update([2, 99], [document(12, ("deploy-freeze", "", "", "Lifted."))], "tree-2")
    assert store.stamp == LexicalStore(store.folder).stamp == "tree-2"
    assert ids(store.search("deploy freeze", 1)) == [12]
    store.update([], [document(12, ("deploy-freeze", "", "", "Imposed again."))], "tree-3")
    assert ids(store.search("lifted", 5)) == []
    assert ids(store.search("imposed", 5)) == [12]
    store.update([12], [], "tree-4")
    assert ids(store.search("imposed", 5)) == []
    assert store.snapshot.documents == len(NOTES) - 1


def test_an_overlay_leaves_the_disk_alone(store: LexicalStore) -> None:
    before = {p.name: p.stat().st_mtime_ns for p in store.folder.iterdir()}
    view = store.overlay([5], [document(50, ("helm", "", "", "Charts for pods."))])
    assert ids(view.search("pods", 5)) == [50]
    assert ids(store.search("pods", 5)) == [5]
    assert {p.name: p.stat().st_mtime_ns for p in store.folder.iterdir()} == before


def test_the_number_of_segments_grows_with_the_logarithm(tmp_path: Path) -> None:
    store = LexicalStore(tmp_path / "index")
    store.rebuild(map(document, NOTES), "0")
    for step in range(150):
        store.update([step + 99], [document(step + 100, ("n", "", "", f"word{step} pods"))], "s")
    assert len(list(store.folder.glob("*.segment"))) <= 12
    assert ids(store.search("word149", 3)) == [249]
    assert store.snapshot.documents == len(NOTES) + 1
    store.compact()
    assert [p.suffix for p in store.folder.glob("*-*.*")] == [".segment"]
    assert ids(store.search("word149", 3)) == [249]
    assert store.stamp == "s"


def test_a_small_update_leaves_a_large_segment_as_it_is(tmp_path: Path) -> None:
    store = LexicalStore(tmp_path / "index")
    store.rebuild((document(i, ("n", "", "", f"w{i}")) for i in range(6000)), "0")
    (large,) = store.folder.glob("*.segment")
    inode = large.stat().st_ino
    for step in range(30):
        store.update([step], [document(10_000 + step, ("n", "", "", "new"))], "s")
    assert large.stat().st_ino == inode
    assert store.snapshot.documents == 6000


def test_worker_processes_change_nothing(tmp_path: Path) -> None:
    notes = [document(i, ("n", f"word{i % 7}", "", f"alpha{i} beta " * 1500)) for i in range(700)]
    one, two = LexicalStore(tmp_path / "one"), LexicalStore(tmp_path / "two")
    one.rebuild(notes, "t")
    two.rebuild(iter(notes), "t", processes=2)
    assert [(s.folder / "1-0.segment").read_bytes() for s in (one, two)] == [
        one.segments()[0].tobytes()
    ] * 2


def test_an_empty_or_absent_store_answers(tmp_path: Path) -> None:
    store = LexicalStore(tmp_path / "nowhere" / "index")
    assert store.search("pods", 5) == [] and store.stamp == ""
    assert not (tmp_path / "nowhere").exists()
    store.rebuild([], "empty")
    assert store.search("pods", 5) == [] and store.stamp == "empty"
    store.update([1], [document(5)], "one")
    assert ids(store.search("pods", 5)) == [5]


def test_files_are_the_users_alone(store: LexicalStore) -> None:
    store.update([1], [document(9, NOTES[1])], "t")
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in store.folder.iterdir()} == {0o600}


@pytest.mark.parametrize("kind", ["manifest.json", "*.segment", "*.struck"])
def test_no_file_is_read_through_a_symbolic_link(store: LexicalStore, kind: str) -> None:
    store.update([2], [document(9, NOTES[2])], "t")
    path = sorted(store.folder.glob(kind))[0]
    elsewhere = store.folder.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(StoreDamaged):
        LexicalStore(store.folder).search("pods", 5)


@pytest.mark.parametrize("kind", ["manifest.json", "*.segment", "*.struck"])
@pytest.mark.parametrize("damage", ["empty", "short", "long", "zeros", "gone", "garbage"])
def test_damage_is_said_and_a_rebuild_mends_it(store: LexicalStore, kind: str, damage: str) -> None:
    store.update([2], [document(9, NOTES[2])], "t")
    path = sorted(store.folder.glob(kind))[0]
    whole = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        harmed = {
            "empty": b"",
            "short": whole[: len(whole) // 2],
            "long": whole + b"x",
            "zeros": bytes(len(whole)),
            "garbage": os.urandom(len(whole)),
        }
        path.write_bytes(harmed[damage])
    fresh = LexicalStore(store.folder)
    if kind == "manifest.json" and damage == "gone":
        assert fresh.search("pods", 5) == [] and fresh.stamp == ""
    else:
        with pytest.raises(StoreDamaged):
            fresh.search("pods", 5)
        with pytest.raises(StoreDamaged):
            fresh.update([], [document(30, NOTES[1])], "t")
    fresh.rebuild(map(document, NOTES), "again")
    assert ids(fresh.search("pods", 5)) == [5]
    fresh.verify()
    assert len(list(fresh.folder.glob("*-*.*"))) == 1


def test_one_changed_byte_is_told_or_changes_no_answer(store: LexicalStore) -> None:
    (path,) = store.folder.glob("*.segment")
    whole = path.read_bytes()
    asked = "pods kubern farina deploymnet il"
    wanted = store.search(asked, 5, explain=True)
    told = 0
    for place in range(0, len(whole), 13):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            assert LexicalStore(store.folder).search(asked, 5, explain=True) == wanted, place
        except StoreDamaged:
            told += 1
    path.write_bytes(whole)
    assert told > 10
    # Put back as it was it is believed again, and read whole but once.
    fresh = LexicalStore(store.folder)
    assert fresh.search(asked, 5, explain=True) == wanted
    fresh.update([2], [], "t")
    written = json.loads((store.folder / "manifest.json").read_text())["manifest"]["segments"]
    assert [entry["written"] for entry in written] == [path.stat().st_mtime_ns]


def test_another_version_is_told_apart(store: LexicalStore) -> None:
    import zlib

    path = store.folder / "manifest.json"
    manifest = json.loads(path.read_text())["manifest"] | {"format": "0.0.0"}
    spelled = json.dumps(manifest, sort_keys=True).encode()
    path.write_text(json.dumps({"manifest": manifest, "crc": zlib.crc32(spelled)}))
    with pytest.raises(StoreDamaged, match="another version"):
        LexicalStore(store.folder).search("pods", 5)


def test_a_reader_keeps_its_snapshot_until_it_refreshes(store: LexicalStore) -> None:
    reader = LexicalStore(store.folder)
    assert ids(reader.search("pods", 5)) == [5]
    store.rebuild([document(77, NOTES[5])], "tree-9")
    assert ids(reader.search("pods", 5)) == [5] and reader.stamp == "tree-1"
    assert reader.refresh() is True
    assert ids(reader.search("pods", 5)) == [77] and reader.stamp == "tree-9"
    assert reader.refresh() is False


WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from manent.search.lexical import LexicalStore
    from manent.search.postings import Document
    first, store = int(sys.argv[2]), LexicalStore(Path(sys.argv[1]))
    for i in range(first, first + 40):
        store.update([i - 1], [Document(i, f"n{i}", "", "", "pods everywhere")], str(i))
        if i % 17 == 0:
            store.compact()
    """
)


def test_writers_take_turns_and_readers_never_see_half_a_change(store: LexicalStore) -> None:
    command = [sys.executable, "-c", WRITER, str(store.folder)]
    writers = [subprocess.Popen([*command, first]) for first in ("1000", "2000")]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        found = ids(LexicalStore(store.folder).search("everywhere pods", 99))
        assert sum(1000 <= i < 2000 for i in found) <= 1
        assert sum(i >= 2000 for i in found) <= 1
        seen += 1
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen > 3
    store.refresh()
    assert set(ids(store.search("everywhere", 99))) == {1039, 2039}
    store.verify()


def test_a_writer_killed_midway_leaves_what_was_there(store: LexicalStore) -> None:
    (store.folder / "7-0.segment").write_bytes(b"half a segm")
    (store.folder / "7-new.json").write_bytes(b"{")
    assert ids(LexicalStore(store.folder).search("pods", 5)) == [5]
    store.update([5], [document(55, NOTES[5])], "t")
    assert ids(LexicalStore(store.folder).search("pods", 5)) == [55]
    assert not (store.folder / "7-new.json").exists()


def test_opening_and_asking_reads_little_of_the_index(tmp_path: Path) -> None:
    store = LexicalStore(tmp_path / "index")
    words = [f"word{i:05}x" for i in range(20_000)]
    notes = (document(i, (words[i], "", "", " ".join(words[i : i + 60]))) for i in range(20_000))
    store.rebuild(notes, "t")
    (path,) = store.folder.glob("*.segment")
    script = textwrap.dedent(
        """
        import sys, mmap
        from pathlib import Path
        from manent.search import segment
        from manent.search.lexical import LexicalStore
        store = LexicalStore(Path(sys.argv[1]))
        assert len(store.search(sys.argv[2], 5)) == 5
        start = None
        for line in open("/proc/self/smaps"):
            if line.rstrip().endswith(".segment"):
                start = True
            elif start and line.startswith("Rss:"):
                print(line.split()[1]); break
        """
    )
    if not Path("/proc/self/smaps").exists():
        pytest.skip("no /proc here")
    command = [sys.executable, "-c", script, str(store.folder), words[77]]
    kilobytes = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert kilobytes * 1024 < path.stat().st_size // 2


def test_pairs_of_a_script_without_spaces_say_more_than_characters(tmp_path: Path) -> None:
    texts = ["山寺の庭", "山の庭、寺の庭", "猫"]
    store = LexicalStore(tmp_path / "index")
    store.rebuild((Document(n, "", "", "", text) for n, text in enumerate(texts)), "t")
    both = store.search("山寺", 10, explain=True)
    assert [hit.id for hit in both] == [0, 1]
    assert both[0].score > 1.5 * both[1].score
    assert {(line.word, line.times) for line in both[1].explanation} == {("山", 0.6), ("寺", 0.6)}
    assert [hit.id for hit in store.search("猫", 10)] == [2]
