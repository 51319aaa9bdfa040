"""Journals under judgement: each commit against its own parents, and no more read than is new."""

from __future__ import annotations

import datetime
import itertools
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent import record
from manent.access import Identity
from manent.change import Change
from manent.finding import Finding
from manent.gate import journals
from manent.gate.admit import judge_change
from manent.gate.blobs import Read
from manent.gate.journals import Journals, of_a_journal, others
from manent.gate.policy import Policy
from manent.gate.texts import Texts
from manent.repo.incoming import Addition
from manent.repo.open import Repository

LOG = "journal/LOG.txt"
Made = Callable[..., str]


def log(*lines: str, first: int = 0) -> bytes:
    rows = enumerate(lines, first)
    return b"".join(record.log_record(i, "2026-03-01", text) for i, text in rows)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty bare repository, read the way a hook reads it."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r.git")], check=True)
    return Repository(tmp_path / "r.git", None, os.environ, light=True)


@pytest.fixture
def made(repository: Repository) -> Made:
    """Makes a commit of exactly these files on these parents; returns its id."""

    def make(files: dict[str, bytes], *parents: str) -> str:
        index = {"GIT_INDEX_FILE": str(repository.path / "index.tmp")}
        (repository.path / "index.tmp").unlink(missing_ok=True)
        rows = b""
        for path, content in files.items():
            oid = repository.git.run("hash-object", "-w", "--stdin", given=content).strip()
            rows += b"100644 " + oid + b"\t" + path.encode() + b"\0"
        repository.git.run("update-index", "-z", "--add", "--index-info", given=rows, env=index)
        tree = repository.git.run("write-tree", env=index).decode().strip()
        asked = itertools.chain.from_iterable(("-p", parent) for parent in parents)
        out = repository.git.run("commit-tree", tree, *asked, "-m", "step")
        return out.decode().strip()

    return make


def judged(repository: Repository, *commits: str, read: Read | None = None) -> list[Finding]:
    return list(Journals(repository, Texts(Policy()), read or Read()).commits(commits))


def said(found: list[Finding]) -> list[tuple[str, str, int]]:
    return [(f.rule, f.path, f.line) for f in found]


def test_which_files_are_judged_here() -> None:
    for path in (LOG, "journal/clerk/LOG.txt", "journal/TREE/2", "journal/a/b/TREE/1024"):
        assert of_a_journal(path)
    for path in (
        "LOG.txt", "memory/LOG.txt", "journals/LOG.txt", "Journal/LOG.txt", "journal/LOG.txt/x",
        "journal/TREE/3", "journal/TREE/2/x", "journal/config",
    ):  # fmt: skip
        assert not of_a_journal(path)
    both = [Addition("", path, "100644", "", True) for path in (b"journal/LOG.txt", b"\xff.md")]
    assert others(both) == both[1:]


def test_only_what_a_commit_adds_is_read(repository: Repository, made: Made) -> None:
    old = log(*(f"step {i}" for i in range(1000)))
    first = made({LOG: old})
    read = Read()
    second = made({LOG: old + log("one", "two", first=1000)}, first)
    assert judged(repository, second, read=read) == []
    assert (read.blobs, read.bytes) == (1, 640)


def test_commits_that_touch_no_journal_cost_no_process(
    repository: Repository, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made({LOG: log("a"), "x.md": b"1"})
    second = made({LOG: log("a"), "x.md": b"2"}, first)
    asked: list[tuple[str, ...]] = []
    run = repository.git.run
    monkeypatch.setattr(repository.git, "run", lambda *a, **k: (asked.append(a), run(*a, **k))[1])
    assert judged(repository, second) == []
    assert asked == []


@pytest.mark.parametrize("further", [0, journals.FEW])
def test_each_commit_is_judged_against_its_own_parent(
    repository: Repository, made: Made, further: int
) -> None:
    commits = [made({LOG: log("a", "b")})]
    for content in (log("a"), log("a", "c"), log("a", "c", "d")):
        commits.append(made({LOG: content}, commits[-1]))
    for i in range(further):
        commits.append(made({LOG: log("a", "c", "d"), "x": b"%d" % i}, commits[-1]))
    found = judged(repository, *commits)
    assert said(found) == [("journal-log", LOG, 2)]
    assert found[0].commit == commits[1] and "record #1 was dropped" in found[0].message


def test_a_merge_of_three_is_judged_by_all_its_parents(repository: Repository, made: Made) -> None:
    base = made({LOG: log("a")})
    sides = [made({LOG: log("a", text)}, base) for text in "bcd"]
    assert judged(repository, made({LOG: log("a", "b", "c", "d")}, *sides)) == []
    lost = made({LOG: log("a", "b", "d")}, *sides)
    assert said(judged(repository, lost)) == [("journal-log", LOG, 3)]


def test_journals_of_unrelated_histories_are_not_mixed(repository: Repository, made: Made) -> None:
    one, other = made({LOG: log("a", "x")}), made({LOG: log("b")})
    for content in (log("a", "x", "b"), log("a", "x"), log("b", "a", "x"), log("b")):
        found = judged(repository, made({LOG: content}, one, other))
        assert said(found) == [("journal-log", LOG, 1)] and "began apart" in found[0].message
    longer = made({LOG: log("a", "x", "c")})
    assert judged(repository, made({LOG: log("a", "x", "c")}, one, longer)) == []
    assert judged(repository, made({LOG: log("a", "x")}, one, longer))


def test_a_level_that_a_merge_leaves_as_it_was_is_judged_by_the_new_log(
    repository: Repository, made: Made
) -> None:
    """Both sides have the same summary of other memories: git sees no change in the file."""
    level = record.tree_record("two of them")
    base = made({LOG: log("a")})
    one, other = (
        made({LOG: log("a", *texts), "journal/TREE/2": level * 2}, base)
        for texts in (("b", "c", "d"), ("e", "f", "g"))
    )
    merged = made(
        {LOG: log("a", "b", "c", "d", "e", "f", "g"), "journal/TREE/2": level * 2}, one, other
    )
    # #0-1 and #2-3 stand in the first parent in the same place.
    assert judged(repository, merged) == []
    stale = made(
        {LOG: log("a", "b", "c", "d", "e", "f", "g"), "journal/TREE/2": level * 3}, one, other
    )
    assert said(judged(repository, stale)) == [("journal-tree", "journal/TREE/2", 3)]


def test_what_stands_beside_a_log_is_judged_where_it_comes_and_not_again(
    repository: Repository, made: Made
) -> None:
    bad = {"journal/TREE/3": b"x", "journal/config": b"\nWAKE_LINES = x\n"}
    first = made({LOG: log("a")} | bad)
    assert said(judged(repository, first)) == [
        ("journal-tree", "journal/TREE/3", 1), ("journal-config", "journal/config", 2),
    ]  # fmt: skip
    later = made({LOG: log("a", "b")} | bad, first)
    assert judged(repository, later) == []
    assert judged(repository, made({LOG: log("a", "b")}, later)) == []
    clean = made({LOG: log("a", "c")}, made({LOG: log("a")}))
    base = made({LOG: log("a")})
    one, other = made({LOG: log("a"), **bad}, base), made({LOG: log("a", "c")}, base)
    assert judged(repository, made({LOG: log("a", "c"), **bad}, one, other)) == []
    brought = made({LOG: log("a", "c"), "journal/TREE/5": b"x"}, base, other)
    assert said(judged(repository, brought)) == [("journal-tree", "journal/TREE/5", 1)]
    assert (
        said(judged(repository, made({LOG: log("a", "c"), **bad}, clean)))[0][0] == "journal-tree"
    )


def test_what_is_no_file_any_more_is_a_log_that_was_dropped(
    repository: Repository, made: Made
) -> None:
    first = made({LOG: log("a")})
    folder = made({f"{LOG}/inside.md": b"x"}, first)
    found = judged(repository, folder)
    assert said(found) == [("journal-log", LOG, 1)] and "was dropped" in found[0].message


@given(st.binary(max_size=1500), st.integers(0, 3))
def test_any_bytes_are_read_whole_and_placed(content: bytes, first: int) -> None:
    """The lines scanned hold every byte that is new, each in its record."""
    for size, width in ((0, record.LOG_BYTES), (2, record.TREE_BYTES)):
        rows = list(journals._cut(content, width, first))
        assert b"".join(raw for _, raw in rows) == content[first * width :]
        seen = [item for run in journals._runs(rows, size) for item in run]
        assert sorted(number for number, _, _ in seen) == [number for number, _ in rows]
        assert all("\n" not in line for _, _, line in seen)


def test_a_change_is_judged_like_a_commit(repository: Repository, made: Made) -> None:
    tip = made({LOG: log("a", "b")})
    day = datetime.date(2026, 3, 2)
    for content, lawful in ((log("a", "b", "c"), True), (log("a", "c"), False), (None, False)):
        change = Change({LOG: content}, "a journal line", "Ada")
        verdict = judge_change(repository, tip, change, Policy(), day)
        assert verdict.accepted == lawful, verdict.findings
    clerk = Identity("clerk", journal="journal/clerk")
    own = Change({"journal/clerk/LOG.txt": log("a")}, "a journal line", "clerk")
    assert judge_change(repository, tip, own, Policy(), day, clerk).accepted
    foreign = Change({LOG: log("a", "b", "c")}, "a journal line", "clerk")
    assert not judge_change(repository, tip, foreign, Policy(), day, clerk).accepted
