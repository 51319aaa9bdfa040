from __future__ import annotations

import gc

import pytest

from manent.collector import left_alone


def test_the_collector_rests_for_the_block_alone() -> None:
    assert gc.isenabled()
    with left_alone():
        assert not gc.isenabled()
        with left_alone():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_goes_on_after_a_failure() -> None:
    with pytest.raises(KeyError), left_alone():
        raise KeyError
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    try:
        with left_alone():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
