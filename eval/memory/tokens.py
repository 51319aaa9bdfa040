"""The token estimate: fit its table, and print its error against the real tokenizer."""

from __future__ import annotations

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from manent import tokens

TABLE = Path(tokens.__file__).with_suffix(".json")

SEEN = 20
"""How often a shape must have been seen for its average to count by itself."""


class Error(NamedTuple):
    """A file, its true count, and the estimate's relative error."""

    file: str
    exact: int
    error: float


def agent_files(data: Path) -> list[tuple[str, str]]:
    """Return (name, text) of every agent file of the shared inputs."""
    rows = (data / "agent-files" / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    names = [json.loads(row)["file"].partition("/")[2] for row in rows]
    root = data / "agent-files"
    return [(name, (root / name).read_bytes().decode("utf-8", "replace")) for name in names]


def errors(data: Path) -> list[Error]:
    """Return the error over every agent file, the worst last."""
    exact = tokens.counter("o200k")
    found = []
    for name, text in agent_files(data):
        true = exact(text)
        found.append(Error(name, true, tokens.estimate(text) / true - 1))
    return sorted(found, key=lambda e: abs(e.error))


def figures(found: list[Error]) -> dict[str, float]:
    """Return the median and the largest error, as shares."""
    sizes = [abs(e.error) for e in found]
    return {"median": statistics.median(sizes), "worst": max(sizes)}


def fit(sources: Iterable[tuple[float, Iterable[str]]]) -> dict[str, list[float]]:
    """Return the average cost by class and length over texts, each source with its weight."""
    exact = tokens.counter("o200k")
    cost: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    seen: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    met: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for weight, texts in sources:
        pieces: Counter[str] = Counter()
        for text in texts:
            pieces.update(tokens._PIECE.findall(text))
        for piece, number in pieces.items():
            name, length = tokens.shape(piece)
            cost[name][length] += weight * number * exact(piece)
            seen[name][length] += weight * number
            met[name][length] += number
    return {name: _row(cost[name], seen[name], met[name]) for name in sorted(cost)}


def _row(cost: dict[int, float], seen: dict[int, float], met: dict[int, int]) -> list[float]:
    """Return the averages from length 1 on; lengths hardly seen follow their neighbours."""
    row: list[float] = []
    last = max((length for length, number in met.items() if number >= SEEN), default=1)
    for length in range(1, min(last, 40) + 1):
        # A shape seen seldom counts as SEEN pieces, the missing ones costing what the last did.
        before = row[-1] if row else 1.0
        share = min(1.0, met.get(length, 0) / SEEN)
        own = cost[length] / seen[length] if share else before
        row.append(round(share * own + (1 - share) * before, 3))
    return row


def fit_from(data: Path, vaults: Path) -> dict[str, list[float]]:
    """Fit on agent files, memory folders and vaults (for languages), weighted in this order."""
    return fit(
        [
            (1.0, (text for _, text in agent_files(data))),
            (0.05, _texts(data / "memory-dirs")),
            (0.01, _texts(vaults)),
        ]
    )


def _texts(root: Path) -> list[str]:
    files = (path for path in sorted(root.rglob("*.md")) if path.is_file())
    return [path.read_bytes()[:8000].decode("utf-8", "replace") for path in files]
