"""What a register keeps of questions, and when one counts as answered."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from vaults import refused_values

from manent.errors import NotFound, Refused, UsageError
from manent.gaps.grouping import Meaning
from manent.gaps.home import Home
from manent.gaps.register import FOLLOW_SECONDS, Read, Register, Search
from manent.gaps.words import MOST_CHARACTERS, key_of, redacted
from manent.search.embed.hashed import Hashed

START = datetime.datetime(2026, 11, 30, 9, 0, tzinfo=datetime.UTC)
RESULTS = ("memory/a.md", "memory/b.md")


def at(seconds: float) -> datetime.datetime:
    return START + datetime.timedelta(seconds=seconds)


def asked(
    query: str, seconds: float = 0, asker: str = "tide", results: Sequence[str] = RESULTS
) -> Search:
    return Search(query, asker, at(seconds), results, "bm25", "")


@pytest.fixture
def register(tmp_path: Path) -> Iterator[Register]:
    with Register(Home(tmp_path / "gaps.sqlite")) as found:
        yield found


def test_searches_of_the_same_words_are_one_gap(register: Register) -> None:
    one = register.record(asked("When does the ferry leave?"))
    other = register.record(asked("ferry, WHEN does the leave", 60, "scout"))
    third = register.record(asked("where is the quay", 30))
    assert one and other and third
    assert one.gap == other.gap != third.gap and one.gap.startswith("g_")
    first, second = register.gaps()
    assert (first.id, first.query, first.asked, first.read, first.askers) == (
        one.gap, "When does the ferry leave?", 2, 0, ("scout", "tide"),
    )  # fmt: skip
    assert (first.first, first.last) == ("2026-11-30T09:00:00Z", "2026-11-30T09:01:00Z")
    assert first.best == RESULTS and second.id == third.gap
    assert [one.query for one in register.searches(first.id)][1] == "ferry, WHEN does the leave"


def test_gaps_are_ordered_by_how_often_they_were_asked_in_vain(register: Register) -> None:
    for n in range(4):
        register.record(asked("often and read", n * 1000))
        register.follow(Read("memory/a.md", "tide", at(n * 1000 + 5)))
    for n in range(2):
        register.record(asked("twice", n))
    register.record(asked("once, later", 9000))
    register.record(asked("often and read", 9001))
    assert [(g.query, g.asked, g.read) for g in register.gaps()] == [
        ("twice", 2, 0),
        ("often and read", 5, 4),
        ("once, later", 1, 0),
    ]


def test_what_was_read_as_often_as_asked_is_no_gap(register: Register) -> None:
    register.record(asked("answered"))
    assert register.follow(Read("memory/b.md", "tide", at(1))) == 1
    assert register.gaps() == []
    assert [gap.read for gap in register.gaps(every=True)] == [1]


@pytest.mark.parametrize(
    ("path", "asker", "seconds", "follows"),
    [
        ("memory/a.md", "tide", 0, 1),
        ("memory/a.md", "tide", FOLLOW_SECONDS, 1),
        ("memory/a.md", "tide", FOLLOW_SECONDS + 0.001, 0),
        ("memory/a.md", "tide", -0.001, 0),
        ("memory/a.md", "scout", 5, 0),
        ("memory/other.md", "tide", 5, 0),
        ("memory/a", "tide", 5, 0),
    ],
)
def test_a_search_is_followed_by_its_asker_within_ten_minutes(
    register: Register, path: str, asker: str, seconds: float, follows: int
) -> None:
    register.record(asked("the question"))
    assert register.follow(Read(path, asker, at(seconds))) == follows
    assert register.follow(Read(path, asker, at(seconds))) == 0
    assert register.gaps(every=True)[0].read == follows


def test_one_read_follows_every_search_that_led_there(register: Register) -> None:
    register.record(asked("one", 0))
    register.record(asked("two", 10))
    register.record(asked("elsewhere", 20, results=("memory/c.md",)))
    assert register.follow(Read("memory/a.md", "tide", at(30))) == 2
    assert [gap.query for gap in register.gaps()] == ["elsewhere"]


def test_what_the_asker_says_outweighs_what_it_read(register: Register) -> None:
    one = register.record(asked("one"))
    two = register.record(asked("two"))
    assert one and two
    register.follow(Read("memory/a.md", "tide", at(1)))
    mail = refused_values()["email"]
    register.feedback(one.search, "tide", False, at(2), f"not it, ask {mail}")
    register.feedback(two.search, "tide", True, at(3))
    assert [gap.query for gap in register.gaps()] == ["one"]
    said = register.said()
    assert [(f.query, f.helpful, f.comment) for f in said] == [
        ("two", True, ""),
        ("one", False, "not it, ask [email]"),
    ]
    for number, asker in ((one.search, "scout"), (999, "tide")):
        with pytest.raises(NotFound):
            register.feedback(number, asker, True, at(4))


def test_a_gap_is_closed_dismissed_and_reopened(register: Register) -> None:
    found = register.record(asked("the question"))
    assert found
    closed = register.close(found.gap, "memory/a.md", at(5))
    assert (closed.status, closed.note) == ("closed", "memory/a.md")
    assert register.gaps() == [] and [g.id for g in register.gaps(every=True)] == [found.gap]
    with pytest.raises(Refused):
        register.close(found.gap, "memory/a.md", at(5))
    register.record(asked("question: the", 60))
    assert register.gap(found.gap).again == 1
    assert register.reopen(found.gap).status == "open"
    assert register.dismiss(found.gap, at(9), "not ours").reason == "not ours"
    with pytest.raises(NotFound):
        register.close("g_nothing", "memory/a.md", at(5))
    register.reopen(found.gap)
    with pytest.raises(Refused):
        register.reopen(found.gap)


def test_nothing_the_scanners_find_is_kept(register: Register, tmp_path: Path) -> None:
    values = refused_values()
    for key in ("email", "phone", "token"):
        register.record(asked(f"who is {values[key]} and why"))
    register.backup(tmp_path / "copy")
    held = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    for key in ("email", "phone", "token"):
        assert values[key].encode() not in held
        assert values[key].split("@")[0].encode() not in held
    assert {gap.query.split()[2][0] for gap in register.gaps()} == {"["}


def test_a_question_without_a_word_is_not_kept(register: Register) -> None:
    assert register.record(asked("   ")) is None
    for text in ("", "?", "???", "…!", "\N{SLIGHTLY SMILING FACE}", "_", "- -"):
        assert register.record(asked(text)) is None
    assert register.record(asked("潮?")) is not None
    assert [gap.query for gap in register.gaps()] == ["潮?"]


def test_a_time_without_its_zone_is_wrong_use(register: Register) -> None:
    with pytest.raises(UsageError):
        register.record(Search("q", "tide", datetime.datetime(2026, 1, 1), ()))


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_text_has_a_key_that_redaction_does_not_move(text: str) -> None:
    kept = redacted(text)
    assert len(kept) <= MOST_CHARACTERS * 12 and "\n" not in kept
    kept.encode("utf-8")
    assert key_of(kept) == key_of(kept.swapcase().casefold()) or not kept.isascii()
    words = kept.split()
    assert key_of(" ".join(reversed(words))) == key_of(" ".join(words)) or not kept.isascii()


# -- by meaning ------------------------------------------------------------------------

MEANINGS = {"boat": (1, 0), "ship": (0.95, 0.3122), "train": (0, 1)}


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    rows = [MEANINGS.get(text.split()[0], (0.0, 0.0)) for text in texts]
    return np.array(rows, dtype=np.float32)


def test_questions_of_one_meaning_are_one_gap(tmp_path: Path) -> None:
    with Register(Home(tmp_path / "g"), Meaning("toy", embed)) as register:
        boat = register.record(asked("boat times"))
        ship = register.record(asked("ship times", 1))
        train = register.record(asked("train times", 2))
        assert boat and ship and train and boat.gap == ship.gap != train.gap
    with Register(Home(tmp_path / "g"), Meaning("toy", embed, 0.99)) as register:
        # What was filed under one gap stays there; a new one is held to the new threshold.
        assert {g.query: g.asked for g in register.gaps()} == {"boat times": 2, "train times": 1}
        other = register.record(asked("ship schedules", 3))
        assert other and other.gap != boat.gap


def test_a_higher_threshold_tells_apart_what_was_filed_together(tmp_path: Path) -> None:
    """In the list and one by one; in the register itself once a row is settled."""
    at = tmp_path / "g"
    with Register(Home(at), Meaning("toy", embed)) as register:
        boat = register.record(asked("boat times"))
        ship = register.record(asked("ship times", 1))
        register.record(asked("ship times", 2))
        register.record(asked("Times: boat?", 3))
        assert boat and ship and boat.gap == ship.gap
        register.feedback(ship.search, asked("x").asker, False, asked("x", 4).at, "no ship")
    with Register(Home(at), Meaning("toy", embed, 0.99, apart=True)) as register:
        first, second = sorted(register.gaps(), key=lambda gap: gap.query)
        assert [(g.query, g.asked, g.alike) for g in (first, second)] == [
            ("boat times", 2, ()),
            ("ship times", 2, ()),
        ]
        assert register.gap(second.id) == second
        assert register.questions(second.id) == ["ship times"]
        assert [one.query for one in register.searches(first.id)] == ["boat times", "Times: boat?"]
        assert register.members(first.id) == [first.id]
    with Register(Home(at), Meaning("toy", embed)) as register:
        assert [(g.query, g.asked) for g in register.gaps()] == [("boat times", 4)]
        with pytest.raises(NotFound):
            register.gap(second.id)
    with Register(Home(at), Meaning("toy", embed, 0.99, apart=True)) as register:
        assert register.dismiss(first.id, asked("x", 9).at).asked == 2
    with Register(Home(at)) as register:
        assert [(g.id, g.query, g.asked) for g in register.gaps()] == [(second.id, "ship times", 2)]
        assert [said.gap for said in register.said()] == [second.id]
        assert register.reopen(first.id).asked == 2


def test_a_question_told_apart_goes_to_the_gap_of_its_words_that_stands(tmp_path: Path) -> None:
    at = tmp_path / "g"
    with Register(Home(at), Meaning("toy", embed)) as register:
        register.record(asked("boat times"))
        register.record(asked("ship times", 1))
    with Register(Home(at), Meaning("toy", embed, 0.99)) as register:
        ship = register.record(asked("ship times", 2))
    apart = Meaning("toy", embed, 0.99, apart=True)
    with Register(Home(at), apart) as register:
        assert {g.query: g.asked for g in register.gaps()} == {"boat times": 1, "ship times": 2}
        assert ship and register.close(ship.gap, "a.md", asked("x", 5).at).asked == 2
        assert [g.query for g in register.gaps()] == ["boat times"]


def test_questions_from_before_there_was_a_model_are_put_together(tmp_path: Path) -> None:
    with Register(Home(tmp_path / "g")) as register:
        for n, query in enumerate(["boat times", "ship times", "train times", "ship times"]):
            register.record(asked(query, n))
    with Register(Home(tmp_path / "g"), Meaning("toy", embed)) as register:
        first, second = register.gaps()
        assert (first.query, first.asked, second.query) == ("ship times", 3, "train times")
        (alike,) = first.alike
        assert register.members(alike) == [alike, first.id]
        joined = register.record(asked("boat schedule", 9))
        assert joined and joined.gap in (first.id, alike)
    with Register(Home(tmp_path / "g")) as register:
        assert len(register.gaps()) == 3


def test_a_real_embedder_groups_as_the_toy_does(tmp_path: Path) -> None:
    model = Hashed()
    with Register(Home(tmp_path / "g"), Meaning(model.id, model.queries, 0.8)) as register:
        one = register.record(asked("when does the ferry to the island leave"))
        two = register.record(asked("when does the ferry to the islands leave"))
        three = register.record(asked("who pays the wages"))
        assert one and two and three and one.gap == two.gap != three.gap


def test_rows_are_json(register: Register) -> None:
    found = register.record(asked("the question"))
    assert found
    row = json.loads(json.dumps(register.gaps()[0].as_json()))
    assert row == {
        "id": found.gap, "query": "the question", "status": "open", "asked": 1, "read": 0,
        "again": 0, "first": "2026-11-30T09:00:00Z", "last": "2026-11-30T09:00:00Z",
        "askers": ["tide"], "best": list(RESULTS), "note": None, "reason": None, "alike": [],
    }  # fmt: skip


@pytest.mark.parametrize("blank", ["\t", "\n", "\v", "\u00a0", "\u2028"])
def test_a_break_hides_nothing_from_redaction(blank: str) -> None:
    number = refused_values()["phone"].replace(" ", blank)
    kept = redacted(f"call {number} about the ferry")
    assert "[phone]" in kept and number.split(blank)[-1] not in kept
