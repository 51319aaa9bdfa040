"""A yes counts for what was shown, for whom it was shown to, in time, and once."""

from __future__ import annotations

import datetime
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_vaults import slowly

from manent.errors import EnvironmentFault
from manent.server.approval import KEPT_SECONDS, KEY, LASTS_SECONDS, LOCK, USED, Approval, Asking

NOW = datetime.datetime(2026, 3, 9, 12, 0, tzinfo=datetime.UTC)
ASKING = Asking("scout", "brain_write", "ab" * 32)


def later(seconds: float) -> datetime.datetime:
    return NOW + datetime.timedelta(seconds=seconds)


def test_a_state_holds_until_it_is_used(tmp_path: Path) -> None:
    approval = Approval(tmp_path)
    state = approval.seal(ASKING, NOW)
    assert approval.holds(state, ASKING, later(1))
    assert approval.use(state, ASKING, later(2))
    assert not approval.holds(state, ASKING, later(3))
    assert not approval.use(state, ASKING, later(3))


def test_two_states_for_the_same_are_two(tmp_path: Path) -> None:
    approval = Approval(tmp_path)
    one, other = approval.seal(ASKING, NOW), approval.seal(ASKING, NOW)
    assert one != other
    assert approval.use(one, ASKING, NOW)
    assert approval.use(other, ASKING, NOW)


@pytest.mark.parametrize(
    "other",
    [
        Asking("tide", "brain_write", "ab" * 32),
        Asking("scout", "brain_append", "ab" * 32),
        Asking("scout", "brain_write", "cd" * 32),
    ],
    ids=["somebody else", "another tool", "something else was shown"],
)
def test_a_state_is_bound(tmp_path: Path, other: Asking) -> None:
    approval = Approval(tmp_path)
    state = approval.seal(ASKING, NOW)
    assert not approval.use(state, other, NOW)
    assert approval.use(state, ASKING, NOW), "being refused elsewhere does not use it up"


def test_a_state_expires(tmp_path: Path) -> None:
    approval = Approval(tmp_path)
    state = approval.seal(ASKING, NOW)
    assert approval.holds(state, ASKING, later(LASTS_SECONDS - 1))
    assert not approval.use(state, ASKING, later(LASTS_SECONDS))


def test_key_and_used_states_outlive_the_server(tmp_path: Path) -> None:
    state = Approval(tmp_path).seal(ASKING, NOW)
    assert Approval(tmp_path).use(state, ASKING, NOW)
    assert not Approval(tmp_path).use(state, ASKING, NOW)
    for name in (KEY, USED, LOCK):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_clock_that_jumps_and_comes_back_brings_no_used_state_to_life(tmp_path: Path) -> None:
    approval = Approval(tmp_path)
    state = approval.seal(ASKING, NOW)
    assert approval.use(state, ASKING, NOW)
    ahead = later(KEPT_SECONDS / 2)
    another = approval.seal(ASKING, ahead)
    assert approval.use(another, ASKING, ahead), "which writes the file of used states anew"
    assert not approval.use(state, ASKING, later(1))


def test_a_state_of_a_clock_that_has_gone_back_does_not_hold(tmp_path: Path) -> None:
    approval = Approval(tmp_path)
    state = approval.seal(ASKING, later(3600))
    assert not approval.holds(state, ASKING, NOW)


def test_used_states_are_dropped_long_after_they_expired(tmp_path: Path) -> None:
    approval = Approval(tmp_path)
    assert approval.use(approval.seal(ASKING, NOW), ASKING, NOW)
    much_later = later(LASTS_SECONDS + KEPT_SECONDS + 1)
    assert approval.use(approval.seal(ASKING, much_later), ASKING, much_later)
    assert len((tmp_path / USED).read_text().splitlines()) == 1


def test_a_key_that_others_could_read_is_made_anew(tmp_path: Path) -> None:
    state = Approval(tmp_path).seal(ASKING, NOW)
    (tmp_path / KEY).chmod(0o644)
    again = Approval(tmp_path)
    assert not again.holds(state, ASKING, NOW)
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o600
    assert again.use(again.seal(ASKING, NOW), ASKING, NOW)


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 33])
def test_a_damaged_key_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    state = Approval(tmp_path).seal(ASKING, NOW)
    (tmp_path / KEY).write_bytes(damage)
    again = Approval(tmp_path)
    assert not again.holds(state, ASKING, NOW)
    assert len((tmp_path / KEY).read_bytes()) == 32


def test_a_key_behind_a_symlink_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"k" * 32)
    (tmp_path / KEY).symlink_to(elsewhere)
    with pytest.raises(EnvironmentFault, match="no file of this user"):
        Approval(tmp_path).seal(ASKING, NOW)


def test_two_servers_use_a_state_once(tmp_path: Path) -> None:
    state = Approval(tmp_path).seal(ASKING, NOW)
    servers = [Approval(tmp_path) for _ in range(6)]
    won: list[bool] = []
    threads = [
        threading.Thread(target=lambda one=one: won.append(one.use(state, ASKING, NOW)))
        for one in servers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 5 + [True]


def test_a_folder_that_cannot_be_made_is_one_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EnvironmentFault, match="an approval cannot be kept"):
        Approval(tmp_path / "file" / "state").seal(ASKING, NOW)


@slowly
@given(data=st.data())
def test_an_altered_state_never_holds(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    approval = Approval(tmp_path_factory.mktemp("state"))
    state = approval.seal(ASKING, NOW)
    where = data.draw(st.integers(0, len(state) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda c: c != state[where]))
    kind = data.draw(st.sampled_from(["replaced", "cut", "longer"]))
    altered = {
        "replaced": state[:where] + other + state[where + 1 :],
        "cut": state[:where],
        "longer": state + other,
    }[kind]
    assert not approval.use(altered, ASKING, NOW)


@slowly
@given(text=st.text(max_size=2000))
def test_any_text_is_a_state_that_does_not_hold(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    assert not Approval(tmp_path_factory.mktemp("state")).use(text, ASKING, NOW)


def test_the_vaults_key_is_its_own(tmp_path: Path) -> None:
    state = Approval(tmp_path / "one").seal(ASKING, NOW)
    assert not Approval(tmp_path / "other").holds(state, ASKING, NOW)
