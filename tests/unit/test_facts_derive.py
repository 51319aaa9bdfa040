"""Work shared out in tasks: in order, and never too much in one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from manent.facts.derive import ALONE, CHUNK, HEAVY, derive_many


def doubled(pieces: list[int]) -> list[int]:
    return [2 * piece for piece in pieces]


@pytest.mark.parametrize("count", [0, 1, CHUNK, CHUNK + 1, ALONE + CHUNK + 3])
@pytest.mark.parametrize("processes", [1, 2])
def test_every_piece_is_answered_in_its_place(count: int, processes: int) -> None:
    assert list(derive_many(range(count), doubled, processes)) == [2 * n for n in range(count)]


@pytest.mark.parametrize("count", [0, 3, ALONE + 1])
@pytest.mark.parametrize("processes", [1, 2])
def test_what_comes_behind_is_looked_at_last_and_answered_last(count: int, processes: int) -> None:
    seen: list[int] = []

    def work() -> Iterator[int]:
        for n in range(count):
            seen.append(n)
            yield n

    def behind() -> Iterator[int]:
        assert len(seen) == count
        yield from range(-CHUNK - 1, 0)

    answers = derive_many(work(), doubled, processes, behind=behind())
    wanted = [*range(count), *range(-CHUNK - 1, 0)]
    assert list(answers) == [2 * n for n in wanted]


def test_a_task_holds_no_more_than_one_piece_beyond_what_it_may_weigh() -> None:
    tasks: list[list[int]] = []

    def noted(pieces: list[int]) -> list[int]:
        tasks.append(pieces)
        return pieces

    weights = [1, HEAVY, HEAVY // 2, HEAVY // 3, HEAVY // 3, 1, *([1] * CHUNK), HEAVY * 3, 5]
    assert list(derive_many(weights, noted, weight=int)) == weights
    assert all(sum(task[:-1]) < HEAVY and len(task) <= CHUNK for task in tasks)
    assert len(tasks) == 5


def test_few_pieces_that_weigh_much_are_shared_out_too() -> None:
    weights = [HEAVY] * 12
    assert list(derive_many(weights, doubled, 2, weight=int)) == [2 * HEAVY] * 12
