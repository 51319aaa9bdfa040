"""The last touch of each note: as git says, however the branch moved."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_vaults import slowly
from vaults import note, vault_of

from manent.access import View
from manent.repo.open import Repository, discover, state_folder
from manent.server.touched import ALONE, FILE, Touched
from manent.vault.record import NoteRecord

DAY = 86_400
START = 1_772_841_600  # 2026-03-07T00:00:00Z
PATHS = ("vault/a.md", "vault/sub/b.md", "vault/c.md", "elsewhere/d.md", "vault/e.png")


class History:
    """A bare repository made commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "--bare", ".")
        found = discover(folder, os.environ)
        assert found is not None
        self.repository: Repository = found

    def git(self, *arguments: str, given: bytes = b"", when: int = 0) -> str:
        stamp = f"@{START + when * DAY} +0000"
        who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
        who |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
        environment = os.environ | who | {"GIT_COMMITTER_DATE": stamp, "GIT_AUTHOR_DATE": stamp}
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True,
            env=environment, input=given,
        )  # fmt: skip
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self, files: Mapping[str, str], parents: list[str], when: int) -> str:
        """Commit exactly these files."""
        index = self.folder / "scratch-index"
        index.unlink(missing_ok=True)
        lines = b""
        for path, text in files.items():
            blob = self.git("hash-object", "-w", "--stdin", given=text.encode())
            lines += f"100644 {blob} 0\t".encode() + os.fsencode(path) + b"\0"
        os.environ["GIT_INDEX_FILE"] = str(index)
        try:
            self.git("update-index", "-z", "--index-info", given=lines)
            tree = self.git("write-tree")
        finally:
            del os.environ["GIT_INDEX_FILE"]
        given = [part for parent in parents for part in ("-p", parent)]
        return self.git("commit-tree", "-m", "step", *given, tree, when=when)

    def notes(self, tip: str) -> list[NoteRecord]:
        """Return records as a vault in ``vault/`` would have them."""
        found = []
        for line in self.git("ls-tree", "-r", "-z", tip).split("\0"):
            if not line:
                continue
            head, _, path = line.partition("\t")
            if path.startswith("vault/") and path.endswith(".md"):
                found.append(record(path.removeprefix("vault/"), head.split(" ")[2]))
        return found

    def expected(self, tip: str, path: str) -> tuple[str, str]:
        """Return day and commit as ``git log -1`` says."""
        said = self.git("log", "-1", "--format=%cs %H", tip, "--", f"vault/{path}").split()
        return said[0], said[1]

    def touched(self) -> Touched:
        return Touched(self.repository, "vault", state_folder(self.repository), None)


def record(path: str, oid: str) -> NoteRecord:
    stem = path.rpartition("/")[2].removesuffix(".md")
    return NoteRecord(
        1, 1, path, oid, stem, stem, "reference", "active", "", False, stem, "", "", "", ""
    )


def said(touched: Touched, history: History, tip: str) -> dict[str, tuple[str, str]]:
    found = touched.of(history.notes(tip), tip, commits=True)
    return {path: (touch.date, touch.commit) for path, touch in found.items()}


def wanted(history: History, tip: str) -> dict[str, tuple[str, str]]:
    return {n.path: history.expected(tip, n.path) for n in history.notes(tip)}


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def test_every_note_has_its_day_and_commit(history: History) -> None:
    one = history.commit({"vault/a.md": "1", "vault/b.md": "1", "x.md": "1"}, [], 0)
    two = history.commit({"vault/a.md": "2", "vault/b.md": "1", "x.md": "2"}, [one], 1)
    touched = history.touched()
    expected = {"a.md": ("2026-03-08", two), "b.md": ("2026-03-07", one)}
    assert said(touched, history, two) == expected, "before anything was walked"
    touched.follow(two)
    assert said(touched, history, two) == expected
    dates = touched.of(history.notes(two), two)
    assert {touch.commit for touch in dates.values()} == {""}, "ids are for owners"


def test_it_moves_on_with_the_branch_and_back(history: History) -> None:
    files = {f"vault/{n}.md": "1" for n in range(2 * ALONE)}
    one = history.commit(files, [], 0)
    two = history.commit(files | {"vault/0.md": "2"}, [one], 1)
    back = history.commit(files, [two], 2)
    other = history.commit({"vault/0.md": "1", "vault/new.md": "1"}, [one], 3)
    touched = history.touched()
    for tip in (one, two, back, other, one, other, back):
        touched.follow(tip)
        assert said(touched, history, tip) == wanted(history, tip)
        fresh = history.touched()
        assert said(fresh, history, tip) == wanted(history, tip), "what was kept is used"


def test_a_merge_takes_over_what_a_branch_made(history: History) -> None:
    base = history.commit({"vault/a.md": "1", "vault/b.md": "1"}, [], 0)
    side = history.commit({"vault/a.md": "side", "vault/b.md": "1"}, [base], 1)
    main = history.commit({"vault/a.md": "main", "vault/b.md": "2"}, [base], 2)
    theirs = history.commit({"vault/a.md": "side", "vault/b.md": "2"}, [main, side], 3)
    ours = history.commit({"vault/a.md": "main", "vault/b.md": "2"}, [main, side], 3)
    both = history.commit({"vault/a.md": "both", "vault/b.md": "2"}, [main, side], 3)
    for tip in (theirs, ours, both):
        for start in ("", main, side):
            touched = history.touched()
            if start:
                touched.follow(start)
            touched.follow(tip)
            assert said(touched, history, tip) == wanted(history, tip)


def test_as_of_a_past_commit(history: History) -> None:
    one = history.commit({"vault/a.md": "1"}, [], 0)
    two = history.commit({"vault/a.md": "2"}, [one], 1)
    three = history.commit({"vault/a.md": "1"}, [two], 2)
    many = {f"vault/{n}.md": "1" for n in range(2 * ALONE)}
    four = history.commit({"vault/a.md": "1"} | many, [three], 3)
    touched = history.touched()
    touched.follow(four)
    for tip in (one, two, three, four):
        found = touched.of(history.notes(tip), tip, past=True, commits=True)
        assert {p: (t.date, t.commit) for p, t in found.items()} == wanted(history, tip)


def test_what_no_commit_holds_is_dated_by_the_disk(tmp_path: Path) -> None:
    files = {"a.md": note("a"), "b.md": note("b"), "c.md": note("c")}
    vault = vault_of(tmp_path, files)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "a.md", "b.md"], cwd=tmp_path, check=True)
    stamp = f"{START} +0000"
    subprocess.run(
        ["git", "commit", "-qm", "first"], cwd=tmp_path, check=True,
        env=os.environ | {"GIT_COMMITTER_DATE": stamp},
    )  # fmt: skip
    (tmp_path / "b.md").write_text(note("b", "Edited."))
    for name in ("b.md", "c.md"):
        os.utime(tmp_path / name, (START + 3 * DAY, START + 3 * DAY))
    vault = vault_of(tmp_path)
    repository = discover(tmp_path, os.environ)
    assert repository is not None
    tip = repository.ref("HEAD")
    touched = Touched(repository, "", state_folder(repository), tmp_path)
    for _ in range(2):
        found = touched.of(list(View(vault).notes()), tip, commits=True)
        assert {p: (t.date, t.commit) for p, t in found.items()} == {
            "a.md": ("2026-03-07", tip), "b.md": ("2026-03-10", ""), "c.md": ("2026-03-10", "")
        }  # fmt: skip
        touched.follow(tip)


def test_a_plain_folder_knows_only_the_disk(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, {"a.md": note("a"), "b.md": note("b")})
    notes = list(View(vault).notes())
    os.utime(tmp_path / "a.md", (START, START))
    (tmp_path / "b.md").unlink()
    touched = Touched(None, "", None, tmp_path)
    touched.follow("")
    assert {p: t.date for p, t in touched.of(notes, "").items()} == {"a.md": "2026-03-07"}


def test_a_damaged_file_is_made_anew(history: History) -> None:
    tip = history.commit({"vault/a.md": "1"}, [], 0)
    history.touched().follow(tip)
    place = state_folder(history.repository) / FILE
    place.write_bytes(b"no database" * 1000)
    for _ in range(2):
        touched = history.touched()
        touched.follow(tip)
        assert said(touched, history, tip) == wanted(history, tip)
    assert place.read_bytes().startswith(b"SQLite format 3")


def test_a_folder_that_cannot_be_written_costs_only_time(history: History, tmp_path: Path) -> None:
    tip = history.commit({"vault/a.md": "1"}, [], 0)
    blocked = tmp_path / "a-file"
    blocked.write_text("no folder")
    touched = Touched(history.repository, "vault", blocked / "below", None)
    touched.follow(tip)
    assert said(touched, history, tip) == wanted(history, tip)


def test_times_beyond_the_calendar_have_a_day(history: History) -> None:
    tip = history.commit({"vault/a.md": "1"}, [], 4_000_000)
    found = history.touched().of(history.notes(tip), tip)
    assert found["a.md"].date > "9999-01-01"


texts = st.sampled_from(("1", "2", "3"))
steps = st.lists(
    st.tuples(st.dictionaries(st.sampled_from(PATHS), texts, min_size=1), st.integers(0, 3)),
    min_size=2,
    max_size=6,
)


@slowly
@given(steps, st.data())
def test_however_it_was_reached_a_tip_says_the_same(
    drawn: list[tuple[dict[str, str], int]], data: st.DataObject
) -> None:
    """Linear histories with rewinds: each commit has one of those before it as its parent."""
    with tempfile.TemporaryDirectory() as place:
        history = History(Path(place))
        tips: list[str] = []
        for n, (files, back) in enumerate(drawn):
            parents = tips[max(0, len(tips) - 1 - back) :][:1]
            tips.append(history.commit(files, parents, n))
        touched = history.touched()
        for tip in data.draw(st.lists(st.sampled_from(tips), min_size=1, max_size=5)):
            touched.follow(tip)
            assert said(touched, history, tip) == wanted(history, tip)
