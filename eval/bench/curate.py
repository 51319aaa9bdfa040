"""Time, memory and recall of ``manent curate`` on seeded vaults.

    python -m eval.bench.curate [--sizes 500,5000,20000,100000]

Each vault has one planted copy for every hundred notes: another note's body with
a part of its sentences replaced, so that they score from below the threshold to
1. Half of the notes end with one of a few forms of thirty words, which hundreds
carry. Seconds are processor time of the process that reports; the vault is
indexed before. ``recall`` is what rare triples alone find of the pairs that
counting everything finds.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eval.bench.vaults import notes
from manent.access import OWNER, View
from manent.curate.communities import communities
from manent.curate.contradictions import contradictions
from manent.curate.duplicates import EXACT_NOTES, Words, alike
from manent.curate.edges import edges_of
from manent.curate.pairs import alike_notes, compared
from manent.facts.store import Store
from manent.note import read
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

FORMS = 5


def write(folder: Path, count: int, seed: int = 7) -> None:
    """Write a vault of ``count`` notes with planted copies and forms."""
    draw = random.Random(f"curate:{seed}:{count}")
    forms = [
        " ".join(
            draw.choice("checked signed owner date open none yes no".split())
            + str(draw.randrange(40))
            for _ in range(30)
        )
        for _ in range(FORMS)
    ]
    bodies: list[str] = []
    for path, text in notes(count, seed):
        head, body = text.split("\n---\n", 1)
        bodies.append(body)
        if len(bodies) % 100 == 0:
            body = _copy(draw, draw.choice(bodies))
        if draw.random() < 0.5:
            body = f"{body}\n{draw.choice(forms)}\n"
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{head}\n---\n{body}", encoding="utf-8")


def _copy(draw: random.Random, body: str) -> str:
    """Return the body with a share of its sentences said in other words."""
    share = draw.random()
    sentences = body.split(". ")
    return ". ".join(
        " ".join(f"{draw.randrange(10**6)}" for _ in one.split()) if draw.random() < share else one
        for one in sentences
    )


def measure(folder: Path) -> None:
    """Print one row of the table for the vault at ``folder``."""
    vault = Vault(Store(folder / ".manent" / "vault.sqlite"))
    sync(vault, WorkTree(folder, known=vault.known(), now_ns=time.time_ns()), processes=2)
    view = View(vault, OWNER)
    edges, table = _timed(lambda: edges_of(view))
    pairs, copies = _timed(lambda: alike_notes(view, edges))
    rows, against = _timed(lambda: contradictions(edges))
    groups, grouping = _timed(lambda: communities(edges))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    recall = f"{_recall(view, edges):.4f}" if len(edges.notes) <= EXACT_NOTES else "-"
    print(
        f"{len(edges.notes):>8} {table:>7.2f} {copies:>11.2f} {len(pairs):>6} {recall:>7}"
        f" {against:>15.2f} {len(rows):>5} {grouping:>12.2f} {len(groups):>7} {peak:>8}",
        flush=True,
    )


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.process_time()
    return work(), time.process_time() - begun


def _recall(view: View, edges: Any) -> float:
    words = Words()
    sets = [words.triples(read(view.content(note)).body) for note in compared(edges)]
    whole = {(p.a, p.b) for p in alike(sets, exact=True)}
    found = {(p.a, p.b) for p in alike(sets, exact=False)}
    return len(whole & found) / len(whole) if whole else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="500,5000,20000,100000")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure)
        return
    print(
        "   notes   table  duplicates  pairs  recall  contradictions  rows  communities"
        "  groups  peak MB"
    )
    for size in options.sizes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), int(size))
            # A process of its own: its peak memory is that of one vault.
            command = [sys.executable, "-m", "eval.bench.curate", "--measure", folder]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
