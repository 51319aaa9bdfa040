"""Two states of the scanners by turns: ``python -m eval.scan.turns OLD NEW NOTES...``.

OLD and NEW are trees that hold ``manent`` (``git worktree add ../old COMMIT``). Both are
loaded into one process and scan the same ten notes one after the other, so that what else
the machine does weighs on both alike: on a shared machine the ratio holds within a few
hundredths where MB/s of two runs differ by half. Whether they find the same is counted too.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from eval.bench.scan import notes

TURN = 10
"""Notes a turn."""

MOST = 400_000
"""How many letters of each folder are read."""


class State(NamedTuple):
    """One state of the code: its scan, and its modules, which it imports from when late."""

    scan: Callable[[str], list[object]]
    modules: dict[str, ModuleType]


def loaded(tree: Path) -> State:
    """Load the scanners of a tree in place of those of another."""
    for name in _ours():
        del sys.modules[name]
    sys.path.insert(0, str(tree.resolve()))
    from manent.scan.scanner import Scanner

    scan = Scanner().scan
    scan("Nothing to see.")
    sys.path.pop(0)
    return State(scan, {name: sys.modules[name] for name in _ours()})  # type: ignore[arg-type]


def _ours() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] == "manent"]


def seconds(state: State, texts: list[str]) -> tuple[float, list[str]]:
    """Return the processor time of a turn, and what was found."""
    sys.modules.update(state.modules)
    begun = time.thread_time()
    found = [state.scan(text) for text in texts]
    return time.thread_time() - begun, list(map(repr, found))


def compared(
    states: tuple[State, State], texts: list[str], rounds: int
) -> tuple[float, float, int]:
    """Return the seconds of both states over the texts after a round to warm up, and how
    many times they judge a text otherwise."""
    spent, other = [0.0, 0.0], 0
    for number in range(rounds + 1):
        for at in range(0, len(texts), TURN):
            turn = texts[at : at + TURN]
            said = {}
            for side in (0, 1) if (at // TURN + number) % 2 else (1, 0):
                took, said[side] = seconds(states[side], turn)
                spent[side] += took * bool(number)
            other += sum(a != b for a, b in zip(said[0], said[1], strict=True)) * bool(number)
    return spent[0], spent[1], other


def main() -> None:
    """Print a row a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("notes", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=1, help="how often, after one to warm up")
    chosen = parser.parse_args()
    states = loaded(chosen.old), loaded(chosen.new)
    for folder in chosen.notes:
        texts, size = [], 0
        for text in notes(folder):
            if size < MOST:
                texts.append(text)
                size += len(text)
        size = sum(len(text.encode()) for text in texts)
        old, new, other = compared(states, texts, chosen.rounds)
        done = size * chosen.rounds
        speeds = f"{done / old / 1e6:.2f} and {done / new / 1e6:.2f} MB/s"
        print(f"{folder.name}: {speeds}, {new / old:.2f} of the time, {other} differ", flush=True)


if __name__ == "__main__":
    main()
