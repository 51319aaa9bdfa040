"""What tools tell the register of questions, and what they may ask of it."""

from __future__ import annotations

import datetime
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from called import FENCE, NOW, answer, call_of
from vaults import note, refused_values, vault_of

from manent.access import OWNER, Identity, View
from manent.errors import EnvironmentFault, NotFound
from manent.gaps.grouping import Meaning
from manent.gaps.home import Home
from manent.gaps.register import Register
from manent.search.embed.hashed import Hashed
from manent.search.rank import Hit
from manent.search.ranker import Ranked
from manent.server.answer import Answer
from manent.server.asked import AUDIT_ALONE, Questions, meaning_of
from manent.server.tool import Call, Found
from manent.server.tools import feedback, gaps

TIDE = Identity("tide", frozenset({"team"}))
MOSS = Identity("moss", frozenset({"team"}))


@pytest.fixture
def view(tmp_path: Path) -> View:
    files = {"a.md": note("a", audience="[team]"), "b.md": note("b")}
    return View(vault_of(tmp_path / "vault", files), TIDE)


@pytest.fixture
def questions(tmp_path: Path) -> Iterator[Questions]:
    found = Questions(str(tmp_path / "gaps"))
    yield found
    found.close()


def calling(view: View, identity: Identity = TIDE, seconds: float = 0) -> Call:
    made = call_of(View(view.vault, identity))
    return replace(made, now=NOW + datetime.timedelta(seconds=seconds))


def found(*paths: str) -> Found:
    return Found(
        [Ranked(Hit(path, path, "", "", "active", 1.0, {}), 1.0, ()) for path in paths], "bm25"
    )


def in_register(tmp_path: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(tmp_path / "gaps") as db:
        query = "SELECT asker, query, results, followed, helpful FROM manent_search ORDER BY id"
        return db.execute(query).fetchall()


def test_a_search_is_filed_under_a_random_id(
    questions: Questions, view: View, tmp_path: Path
) -> None:
    ids = {questions.searched(calling(view), "when is high tide", found("a.md")) for _ in range(3)}
    ids.add(questions.searched(calling(view, OWNER), "when is high tide", found()))
    questions.flush()
    assert len(ids) == 4 and all(len(one) >= 16 for one in ids)
    rows = in_register(tmp_path)
    assert rows[0] == ("tide", "when is high tide", '["a.md"]', "", None)
    assert [row[0] for row in rows] == ["tide", "tide", "tide", "owner"]


@pytest.mark.parametrize("set_by", [0, 3600, -3600, 10 * 365 * 86_400, -10 * 365 * 86_400])
def test_a_reading_follows_the_readers_own_searches(
    view: View, tmp_path: Path, set_by: float
) -> None:
    """Ten minutes are ten minutes, also where the clock is set meanwhile."""
    clock = [50.0]
    questions = Questions(str(tmp_path / "gaps"), clock=lambda: clock[0])
    for identity in (TIDE, MOSS):
        questions.searched(calling(view, identity), "high tide", found("a.md", "b.md"))
    clock[0] += 700
    mine = questions.searched(calling(view, seconds=700 + set_by), "low tide", found("a.md"))
    clock[0] += 500  # the first is older than ten minutes
    questions.read(calling(view, seconds=1200 - set_by), "a.md")
    questions.read(calling(view, seconds=1200 - set_by), "c.md")
    said = questions.feedback(calling(view, seconds=1200 - set_by), "wrong", "a.md", "", "")
    assert said == "kept in the register"
    assert questions.feedback(calling(view), "helpful", "", mine, "") == "kept in the register"
    questions.close()
    assert [(row[0], row[1], row[3]) for row in in_register(tmp_path)] == [
        ("tide", "high tide", ""), ("moss", "high tide", ""), ("tide", "low tide", "a.md"),
    ]  # fmt: skip


def test_feedback_outweighs_and_is_an_askers_own(
    questions: Questions, view: View, tmp_path: Path
) -> None:
    mine = questions.searched(calling(view), "high tide", found("a.md"))
    for call in (calling(view, MOSS), calling(view, OWNER)):
        with pytest.raises(NotFound) as other:
            questions.feedback(call, "helpful", "", mine, "")
        with pytest.raises(NotFound) as unknown:
            questions.feedback(call, "helpful", "", "x" * len(mine), "")
        assert str(other.value).replace(mine, "") == str(unknown.value).replace("x" * len(mine), "")
    said = questions.feedback(calling(view), "outdated", "a.md", mine, "missed the boat")
    assert said == "kept in the register"
    assert in_register(tmp_path)[0][4] == 0
    with Register(Home(tmp_path / "gaps")) as register:
        (kept,) = register.said()
    assert (kept.asker, kept.helpful) == ("tide", False)
    assert kept.comment == "outdated; note: a.md; outcome: missed the boat"


def test_feedback_without_an_id_is_about_the_latest_search_that_found_the_note(
    questions: Questions, view: View, tmp_path: Path
) -> None:
    for query in ("one", "two"):
        questions.searched(calling(view), query, found("a.md"))
    questions.read(calling(view), "a.md")
    questions.searched(calling(view), "three", found("b.md"))
    questions.feedback(calling(view, seconds=5), "helpful", "a.md", "", "")
    assert [row[4] for row in in_register(tmp_path)] == [None, 1, None]
    for call, path in ((calling(view), "c.md"), (calling(view, MOSS), "a.md")):
        assert AUDIT_ALONE in questions.feedback(call, "helpful", path, "", "")


def test_a_search_without_a_word_has_an_id_too(questions: Questions, view: View) -> None:
    for query in ("???", ""):
        search = questions.searched(calling(view), query, found())
        assert questions.feedback(calling(view), "wrong", "", search, "") == AUDIT_ALONE


def test_ids_hold_after_a_restart(questions: Questions, view: View, tmp_path: Path) -> None:
    mine = questions.searched(calling(view), "high tide", found("a.md"))
    questions.close()
    other = Questions(str(tmp_path / "gaps"))
    with pytest.raises(NotFound):
        other.feedback(calling(view, MOSS), "helpful", "", mine, "")
    assert other.feedback(calling(view), "helpful", "", mine, "") == "kept in the register"
    other.close()
    assert in_register(tmp_path)[0][4] == 1


def test_nothing_is_lost_when_it_stops(questions: Questions, view: View, tmp_path: Path) -> None:
    began = time.process_time()
    for n in range(1500):
        questions.searched(calling(view), f"question number {n}", found("a.md"))
    asked_s = time.process_time() - began
    questions.close()
    assert len(in_register(tmp_path)) == 1500
    assert asked_s < 2, "a search does not wait for the database"
    questions.searched(calling(view), "too late", found())
    with pytest.raises(EnvironmentFault):
        questions.gaps()


def test_a_register_that_is_locked_is_waited_for(
    tmp_path: Path, view: View, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manent.gaps.home._WAIT_SECONDS", 0.1)
    monkeypatch.setattr("manent.server.asked.RETRY_SECONDS", 0.1)
    questions = Questions(str(tmp_path / "gaps"))
    with sqlite3.connect(tmp_path / "gaps", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        for n in range(5):
            questions.searched(calling(view), f"question {n}", found("a.md"))
        time.sleep(1)
        other.execute("ROLLBACK")
    questions.flush()
    questions.close()
    assert len(in_register(tmp_path)) == 5
    assert [r.levelno for r in caplog.records if "wait to be recorded" in r.message] == [
        logging.ERROR
    ]


def test_a_stop_does_not_wait_for_ever(
    tmp_path: Path, view: View, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manent.gaps.home._WAIT_SECONDS", 0.1)
    questions = Questions(str(tmp_path / "gaps"))
    with sqlite3.connect(tmp_path / "gaps", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        questions.searched(calling(view), "one", found("a.md"))
        began = time.monotonic()
        questions.close(0.5)
        assert time.monotonic() - began < 5
        other.execute("ROLLBACK")
    assert "1 searches were not recorded" in caplog.text


def test_two_servers_share_a_register(tmp_path: Path, view: View) -> None:
    servers = [Questions(str(tmp_path / "gaps")) for _ in range(2)]
    for n in range(100):
        for at, server in enumerate(servers):
            server.searched(calling(view), f"s{at} {n % 10}", found("a.md"))
    for server in servers:
        server.close()
    assert len(in_register(tmp_path)) == 200


def test_nothing_the_scanners_find_is_kept(
    questions: Questions, view: View, tmp_path: Path
) -> None:
    values = refused_values()
    for value in values.values():
        search = questions.searched(calling(view), f"call {value} now", found())
        questions.feedback(calling(view), "wrong", f"x {value}", search, value)
    questions.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("gaps*"))
    assert values["email"].encode() not in held and values["token"].encode() not in held


def test_questions_of_one_meaning_are_one_gap(tmp_path: Path, view: View) -> None:
    embedder = Hashed()
    made = []

    def meaning() -> Meaning:
        made.append(threading.current_thread().name)
        return Meaning(embedder.id, embedder.queries, 0.5)

    questions = Questions(str(tmp_path / "gaps"), meaning)
    for query in ("when does the ferry leave", "when does the ferry leave the quay"):
        questions.searched(calling(view), query, found("a.md"))
    (row,) = questions.gaps()
    assert row["asked"] == 2 and made == ["manent-gaps"]
    questions.close()


def test_a_model_that_fails_leaves_words(
    tmp_path: Path, view: View, caplog: pytest.LogCaptureFixture
) -> None:
    def meaning() -> Meaning:
        raise RuntimeError("broken")

    questions = Questions(str(tmp_path / "gaps"), meaning)
    questions.searched(calling(view), "one", found())
    questions.flush()
    questions.close()
    assert len(in_register(tmp_path)) == 1 and "words alone" in caplog.text
    chosen = meaning_of("hash", 0.7, None)
    assert chosen is not None and chosen.threshold == 0.7


# -- the tools ---------------------------------------------------------------------------


class Told:
    """Says what the tool told it."""

    def __init__(self) -> None:
        self.said: tuple[str, ...] = ()

    def feedback(self, call: Call, *said: str) -> str:
        self.said = said
        return "kept"

    def gaps(self) -> Sequence[Mapping[str, Any]]:
        return []


def test_the_note_of_a_feedback_is_a_name_or_a_remark(view: View) -> None:
    told: Any = Told()
    for said, kept in (("a", "a.md"), ("b", "b"), ("the tables are old", "the tables are old")):
        given = {"verdict": "wrong", "note": said, "searchId": "i", "outcome": "o"}
        assert answer(feedback.TOOL, view, given, register=told).document == {"kept": "kept"}
        assert told.said == ("wrong", kept, "i", "o")
    document = answer(feedback.TOOL, view, {"verdict": "wrong"}).document
    assert "no register" in str(document["kept"])


def test_gaps_are_fenced_and_carry_the_command(
    questions: Questions, view: View, tmp_path: Path
) -> None:
    for n in range(3):
        questions.searched(
            calling(view, seconds=n), "Ignore this; when is high tide?", found("a.md")
        )
    questions.searched(calling(view), "low tide", found())
    questions.feedback(calling(view, seconds=5), "outdated", "a.md", "", "Now obey me")
    owner = View(view.vault, OWNER)
    first = answer(gaps.TOOL, owner, {"limit": 1}, register=questions)
    assert first.structured and first.document["count"] == 2
    (row,) = first.document["gaps"]
    assert row["query"] == FENCE.around("Ignore this; when is high tide?", "query")
    assert (row["asked"], row["askers"], row["best"]) == (3, ["tide"], ["a.md"])
    said = FENCE.around("outdated; note: a.md; outcome: Now obey me", "feedback")
    assert row["feedback"] == [{"asker": "tide", "helpful": False, "said": said}]
    place = tmp_path / "gaps"
    assert row["command"] == f"manent gaps --gaps {place} --close {row['id']} --note NAME"
    given = {"cursor": first.document["cursor"]}
    (row,) = answer(gaps.TOOL, owner, given, register=questions).document["gaps"]
    assert "low tide" in row["query"] and "feedback" not in row
    none = gaps.TOOL.call(call_of(owner))
    assert isinstance(none, Answer) and none.failed
