"""The loop from a question nobody could answer to an eval set that has grown."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from repositories import Clone, note

from manent.cli.main import run

QUESTION = "which berth takes a boat of thirty feet"


@pytest.fixture
def agents(clone: Clone, tmp_path: Path) -> Path:
    """Two agents: tide reads ops and writes drafts, scout reads team alone."""
    file = tmp_path / "agents.json"
    file.write_text(
        json.dumps(
            {
                "tide": {"read": ["ops"], "write": "quarantine/tide"},
                "scout": {"read": ["team"]},
            }
        )
    )
    clone.brain_git("config", "manent.agents", str(file))
    return file


def said(capsys: Any, *arguments: object, status: int = 0) -> Any:
    got = run([str(a) for a in arguments] + ["--json"])
    out = capsys.readouterr()
    assert got == status, (got, out.err, out.out)
    return json.loads(out.out)


def search(capsys: Any, brain: Path, register: Path, asker: str, status: int = 0) -> list[str]:
    answer = said(
        capsys, "search", brain, QUESTION, "--as", asker, "--gaps", register, "-k", 10,
        "--retriever", "bm25", status=status,
    )  # fmt: skip
    return [hit["name"] for hit in answer["hits"]]


def test_a_question_asked_in_vain_becomes_a_query_of_the_golden_set(
    clone: Clone, agents: Path, tmp_path: Path, capsys: Any
) -> None:
    brain, register = clone.brain, tmp_path / "gaps.sqlite"
    golden = '{"name": "brain", "queries": []}\n'
    clone.commit({"eval/golden.json": golden.encode()})
    assert clone.push(MANENT_IDENTITY="").accepted

    # An agent searches, and finds nothing.
    assert search(capsys, brain, register, "tide", status=1) == []
    (gap,) = said(capsys, "gaps", brain, "--gaps", register)["gaps"]
    assert (gap["query"], gap["asked"], gap["read"], gap["askers"]) == (QUESTION, 1, 0, ["tide"])

    # It finds out, and pushes a draft; only an owner sees that.
    draft = note("berths", "Berth four is for boats up to thirty feet.", "Which boat lies where",
                 status="quarantine", author="tide", created="2026-11-01")  # fmt: skip
    clone.commit({"quarantine/tide/berths.md": draft}, "a draft")
    pushed = clone.push(MANENT_IDENTITY="tide")
    assert pushed.accepted, pushed.said
    closing = ["gaps", brain, "--gaps", register, "--close", gap["id"], "--note", "berths",
               "--golden", "eval/golden.json"]  # fmt: skip
    assert run([str(a) for a in [*closing, "--commit"]]) == 1
    assert "tide asked, and may not read" in capsys.readouterr().err

    # A person promotes it, and the agent finds it.
    promoted = ["promote", brain, "--note", "berths", "--audience", "ops", "--to", "memory"]
    assert run([str(a) for a in [*promoted, "--commit"]]) == 0
    capsys.readouterr()
    assert search(capsys, brain, register, "tide")[0] == "berths"

    # The gap is closed: the question is now one the ranker is judged by.
    tip = clone.brain_git("rev-parse", "main")
    assert run([str(a) for a in closing]) == 2  # a brain needs a word on how
    shown = said(capsys, *closing, "--dry-run") if not capsys.readouterr().out else None
    assert shown is not None and f'+    {{"query": "{QUESTION}"' in shown["diff"]
    assert clone.brain_git("rev-parse", "main") == tip
    closed = said(capsys, *closing, "--commit")
    assert closed["warnings"] == [] and closed["gap"]["status"] == "closed"
    assert closed["commit"] == clone.brain_git("rev-parse", "main")
    assert said(capsys, "gaps", brain, "--gaps", register)["gaps"] == []

    # It comes back to every clone, and `manent eval` counts it.
    clone.git("pull", "-q", "--rebase", "origin", "main")
    grown = json.loads((clone.path / "eval/golden.json").read_text())
    assert grown["queries"] == [{"query": QUESTION, "expected": ["berths"], "source": "oblique"}]
    judged = said(
        capsys, "eval", clone.path, "--golden", clone.path / "eval/golden.json",
        "--retriever", "bm25",
    )  # fmt: skip
    assert judged["retrievers"]["bm25"]["oblique"]["queries"] == 1
    assert judged["retrievers"]["bm25"]["oblique"]["hit@1"] == 1


def test_what_closing_refuses(clone: Clone, agents: Path, tmp_path: Path, capsys: Any) -> None:
    root, register = clone.path, tmp_path / "gaps.sqlite"
    clone.write({"memory/berths.md": note("berths", "Berth four.", audience="[team]")})
    found = ("--agents", agents)
    assert run(["search", str(root), QUESTION, "--gaps", str(register), "--as", "tide",
                "--agents", str(agents)]) in (0, 1)  # fmt: skip
    capsys.readouterr()
    (gap,) = said(capsys, "gaps", root, "--gaps", register)["gaps"]
    close = ["gaps", root, "--gaps", register, "--close", gap["id"]]
    before = (register.read_bytes(), clone.git("status", "--porcelain"))

    assert "no note nothing" in refusal(capsys, 1, *close, "--note", "nothing", *found)
    assert "tide asked" in refusal(capsys, 1, *close, "--note", "berths", *found)
    assert "add --agents" in refusal(capsys, 2, *close, "--note", "berths")
    assert "no gap" in refusal(capsys, 1, *close[:-1], "g_0", "--note", "berths", *found)
    refusal(capsys, 2, *close)
    refusal(capsys, 2, "gaps", root, "--note", "berths", "--gaps", register)
    refusal(capsys, 2, "gaps", root)
    refusal(capsys, 2, "gaps", root, "--gaps", tmp_path / "absent")
    refusal(capsys, 2, "gaps", root, "--gaps", register, "--commit")
    refusal(capsys, 2, "search", root, QUESTION, "--gaps", root / "gaps.sqlite")
    assert not (root / "gaps.sqlite").exists()
    assert (register.read_bytes(), clone.git("status", "--porcelain")) == before


def refusal(capsys: Any, status: int, *arguments: object) -> str:
    assert run([str(a) for a in arguments]) == status
    err: str = capsys.readouterr().err
    return err


def test_a_note_the_ranker_does_not_find_is_a_warning(
    clone: Clone, tmp_path: Path, capsys: Any
) -> None:
    root, register = clone.path, tmp_path / "gaps.sqlite"
    clone.commit({"memory/other.md": note("other", "Nothing of the kind.", "Of something else")})
    run(["search", str(root), "qqq zzz", "--gaps", str(register), "--retriever", "bm25"])
    capsys.readouterr()
    (gap,) = said(capsys, "gaps", root, "--gaps", register)["gaps"]
    outside = tmp_path / "golden.json"
    closed = said(
        capsys, "gaps", root, "--gaps", register, "--close", gap["id"], "--note", "other",
        "--golden", outside,
    )  # fmt: skip
    assert closed["gap"]["status"] == "closed"
    if "bm25" in str(closed["warnings"]):
        assert "is not among the first 10" in closed["warnings"][0]
    assert json.loads(outside.read_text())["queries"][0]["expected"] == ["other"]
    assert clone.git("status", "--porcelain") == ""


def test_the_register_from_the_terminal(clone: Clone, tmp_path: Path, capsys: Any) -> None:
    root, register = clone.path, tmp_path / "gaps.sqlite"
    for query in ("qqq zzz", "zzz QQQ", "yyy"):
        run(["search", str(root), query, "--gaps", str(register), "--retriever", "bm25"])
    capsys.readouterr()
    first, second = said(capsys, "gaps", root, "--gaps", register)["gaps"]
    assert (first["asked"], second["asked"]) == (2, 1)
    shown = said(capsys, "gaps", root, "--gaps", register, "--show", first["id"])
    assert [one["query"] for one in shown["searches"]] == ["qqq zzz", "zzz QQQ"]
    assert run(["gaps", str(root), "--gaps", str(register)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{first['id']}  asked 2, read 0  ")
    dismissed = said(
        capsys, "gaps", "--gaps", register, "--dismiss", second["id"], "--reason", "not ours"
    )
    assert dismissed["gap"]["status"] == "dismissed"
    assert len(said(capsys, "gaps", root, "--gaps", register)["gaps"]) == 1
    assert len(said(capsys, "gaps", root, "--gaps", register, "--all")["gaps"]) == 2
    said(capsys, "gaps", root, "--gaps", register, "--reopen", second["id"])
    assert len(said(capsys, "gaps", root, "--gaps", register)["gaps"]) == 2
    said(capsys, "gaps", root, "--gaps", register, "--backup", tmp_path / "copy")
    assert len(said(capsys, "gaps", root, "--gaps", tmp_path / "copy")["gaps"]) == 2
    assert said(capsys, "gaps", root, "--gaps", register, "--feedback") == {
        "version": 1, "feedback": [],
    }  # fmt: skip


def test_a_threshold_puts_questions_together(clone: Clone, tmp_path: Path, capsys: Any) -> None:
    root, register = str(clone.path), str(tmp_path / "gaps.sqlite")
    for query in ("mooring the boat", "mooring the boats", "wages of the crew"):
        run(["search", root, query, "--gaps", register, "--retriever", "bm25", "--model", "hash"])
    capsys.readouterr()
    listed = ["gaps", root, "--gaps", register, "--model", "hash", "--gaps-threshold"]
    assert len(said(capsys, *listed, "0.999")["gaps"]) == 3
    first, second = said(capsys, *listed, "0.7")["gaps"]
    assert (first["asked"], len(first["alike"]), second["asked"]) == (2, 1, 1)
    # What is listed as one is settled as one.
    said(capsys, *listed, "0.7", "--dismiss", first["alike"][0])
    assert [row["id"] for row in said(capsys, *listed, "0.999")["gaps"]] == [second["id"]]


def test_what_is_closed_with_a_question_is_named_and_becomes_a_query_too(
    clone: Clone, tmp_path: Path, capsys: Any
) -> None:
    """Whether rows are joined for the list, or were when the second was recorded."""
    root, golden = clone.path, clone.path / "golden.json"
    queries = ["mooring the boat", "mooring the boats", "Mooring the BOAT?"]
    model = ["--model", "hash", "--gaps-threshold"]
    for at in ("0.999", "0.7"):
        register = tmp_path / f"gaps-{at}.sqlite"
        for query in queries:
            run(["search", str(root), query, "--gaps", str(register), *model, at,
                 "--retriever", "bm25"])  # fmt: skip
        capsys.readouterr()
        golden.unlink(missing_ok=True)
        listed = ["gaps", root, "--gaps", register, *model]
        apart = said(capsys, *listed, "0.999")["gaps"]
        assert [(row["query"], row["asked"]) for row in apart] == [(queries[0], 2), (queries[1], 1)]
        shown = said(capsys, *listed, "0.999", "--show", apart[1]["id"])
        assert [one["query"] for one in shown["searches"]] == [queries[1]]
        (row,) = said(capsys, *listed, "0.7")["gaps"]
        (name, *_) = said(capsys, "list", root)["notes"]
        closed = said(capsys, *listed, "0.7", "--close", row["id"], "--note", name["path"],
                      "--golden", golden)  # fmt: skip
        told = [line for line in closed["warnings"] if line.startswith("closed with it: ")]
        assert len(told) == 1
        grown = json.loads(golden.read_text())["queries"]
        assert sorted(one["query"] for one in grown) == sorted(queries[:2])
        assert said(capsys, *listed, "0.999")["gaps"] == []


def test_a_threshold_without_a_register_is_wrong_use(clone: Clone, capsys: Any) -> None:
    assert "--gaps" in refusal(capsys, 2, "search", clone.path, "x", "--gaps-threshold", "0.9")


def test_a_golden_set_in_a_working_tree(clone: Clone, tmp_path: Path, capsys: Any) -> None:
    root, register = clone.path, tmp_path / "gaps.sqlite"
    clone.commit({"memory/berths.md": note("berths", "Berth four.")})
    for query in ("qqq", "zzz"):
        run(["search", str(root), query, "--gaps", str(register), "--retriever", "bm25"])
    capsys.readouterr()
    listed = said(capsys, "gaps", root, "--gaps", register, "--gaps-threshold", 1)["gaps"]
    golden = root / "golden.json"
    close = ["gaps", root, "--gaps", register, "--gaps-threshold", 1, "--note", "berths",
             "--golden", golden, "--close"]  # fmt: skip
    first = said(capsys, *close, listed[0]["id"])
    assert first["commit"] is None and first["message"].startswith("gaps: berths answers g_")
    assert clone.git("status", "--porcelain") == "?? golden.json"
    clone.commit({}, "by hand")
    second = said(capsys, *close, listed[1]["id"], "--commit")
    assert second["commit"] == clone.git("rev-parse", "HEAD")
    assert clone.git("show", "--format=", "--name-only", "HEAD") == "golden.json"
    grown = json.loads(golden.read_text())
    assert grown["name"] == "golden"
    assert [q["query"] for q in grown["queries"]] == [row["query"] for row in listed]
    golden.write_text("{}")
    said(capsys, "gaps", root, "--gaps", register, "--reopen", listed[0]["id"])
    assert "lacks name" in refusal(capsys, 2, *close, listed[0]["id"])
    assert said(capsys, "gaps", root, "--gaps", register)["gaps"][0]["status"] == "open"


def test_a_brain_grows_its_own_golden_set_whatever_lies_around(
    clone: Clone, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = tmp_path / "gaps.sqlite"
    golden = '{"name": "brain", "queries": []}\n'
    clone.commit({"golden.json": golden.encode(), "memory/berths.md": note("berths", "Four.")})
    assert clone.push().accepted
    run(["search", str(clone.brain), "qqq", "--gaps", str(register), "--retriever", "bm25"])
    capsys.readouterr()
    (gap,) = said(capsys, "gaps", "--gaps", register)["gaps"]
    close = ["--gaps", register, "--close", gap["id"], "--note", "berths", "--golden"]
    # In a clone, which has a file of that name.
    monkeypatch.chdir(clone.path)
    done = said(capsys, "gaps", clone.brain, *close, "golden.json", "--commit")
    assert done["commit"] == clone.brain_git("rev-parse", "main")
    assert (clone.path / "golden.json").read_text() == golden
    assert "qqq" in clone.brain_git("show", "main:golden.json")
    # And in the clone itself, from below.
    said(capsys, "gaps", "--gaps", register, "--reopen", gap["id"])
    monkeypatch.chdir(clone.path / "memory")
    done = said(capsys, "gaps", *close, "../golden.json", "--commit")
    assert done["commit"] == clone.git("rev-parse", "HEAD")
    assert clone.git("show", "--format=", "--name-only", "HEAD") == "golden.json"
    assert clone.git("status", "--porcelain") == ""


def test_a_gap_whose_asker_has_left_is_closed_by_the_owner(
    clone: Clone, agents: Path, tmp_path: Path, capsys: Any
) -> None:
    root, register = clone.path, tmp_path / "gaps.sqlite"
    clone.commit({"memory/berths.md": note("berths", "Berth four.", audience="[team]")})
    for asker in ("tide", "scout"):
        run(["search", str(root), QUESTION, "--gaps", str(register), "--as", asker,
             "--agents", str(agents)])  # fmt: skip
    capsys.readouterr()
    (gap,) = said(capsys, "gaps", root, "--gaps", register)["gaps"]
    close = ["gaps", root, "--gaps", register, "--close", gap["id"], "--note", "berths",
             "--agents", agents]  # fmt: skip
    assert "tide asked, and may not read" in refusal(capsys, 1, *close)
    agents.write_text(json.dumps({"scout": {"read": ["team"]}}))
    done = said(capsys, *close)
    assert done["gap"]["status"] == "closed"
    assert "tide asked, and is in the agents file no more" in done["warnings"][0]
    # Who is there still must be able to read it.
    said(capsys, "gaps", "--gaps", register, "--reopen", gap["id"])
    agents.write_text(json.dumps({"scout": {"read": ["ops"]}}))
    assert "scout asked, and may not read" in refusal(capsys, 1, *close)


def test_a_register_lies_where_nothing_is_thrown_away(
    clone: Clone, tmp_path: Path, capsys: Any
) -> None:
    root, brain = clone.path, clone.brain
    (root / ".manent").mkdir()
    (tmp_path / "link").symlink_to(brain)
    (tmp_path / "file").symlink_to(root / "linked.sqlite")
    inside = [root / "g", tmp_path / "file"]
    derived = [
        root / ".git/g", root / ".manent/g", root / ".git/manent/g", brain / "g",
        brain / "manent/g", tmp_path / "link/g",
    ]  # fmt: skip
    for vault, places in ((root, [*inside, *derived]), (brain, derived)):
        for place in places:
            for command in (["search", vault, "qqq"], ["gaps", vault]):
                assert " lies in " in refusal(capsys, 2, *command, "--gaps", place)
            assert not place.exists()


def test_what_has_no_word_is_no_question(clone: Clone, tmp_path: Path, capsys: Any) -> None:
    register = tmp_path / "gaps.sqlite"
    for query in ("?", "…!", "qqq"):
        run(["search", str(clone.path), query, "--gaps", str(register), "--retriever", "bm25"])
    capsys.readouterr()
    assert [g["query"] for g in said(capsys, "gaps", "--gaps", register)["gaps"]] == ["qqq"]


def test_reading_an_answer_makes_it_no_gap(clone: Clone, tmp_path: Path, capsys: Any) -> None:
    root, register = str(clone.path), str(tmp_path / "gaps.sqlite")
    run(["search", root, "first", "--gaps", register, "--retriever", "bm25"])
    capsys.readouterr()
    assert len(said(capsys, "gaps", "--gaps", register)["gaps"]) == 1
    assert run(["read", root, "first", "--gaps", register]) == 0
    capsys.readouterr()
    assert said(capsys, "gaps", "--gaps", register)["gaps"] == []
    assert run(["read", root, "first", "--gaps", str(tmp_path / "absent")]) == 0
    assert "not recorded" in capsys.readouterr().err


def test_the_command_as_a_process(clone: Clone, tmp_path: Path) -> None:
    import sys

    code = [sys.executable, "-m", "manent", "search", str(clone.path), "qqq", "--gaps",
            str(tmp_path / "g")]  # fmt: skip
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1) and (tmp_path / "g").exists(), done.stderr
