"""Time, memory and recall of ``manent curate`` on seeded vaults.

    python -m eval.bench.curate [--sizes 500,5000,20000,100000]

Each vault has one planted copy for every hundred notes: another note's body with
a part of its sentences replaced, so that they score from below the threshold to
1. One note in fifty belongs to a cluster of thirty: half of these hold the very
same text, the others share half of it. Half of the notes end with one of a few
forms of thirty words, which hundreds carry.

Seconds are processor time of the process that reports, each report in a process of
its own whose peak memory stands beside it; the vault is indexed before. ``recall``
is what is found of the planted pairs that score at least the threshold when each
is scored alone, copies and clusters together.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from eval.bench.vaults import notes
from manent.access import OWNER, View
from manent.curate.communities import communities
from manent.curate.contradictions import contradictions
from manent.curate.duplicates import THRESHOLD
from manent.curate.edges import edges_of
from manent.curate.pairs import alike_notes, compared
from manent.curate.triples import Words
from manent.facts.store import Store
from manent.note import read
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

FORMS = 5
CLUSTER = 30
REPORTS = ("duplicates", "contradictions", "communities")


class _Planted:
    """What is planted in place of some bodies. groups: the paths that were made alike."""

    def __init__(self, draw: random.Random) -> None:
        self.groups: list[list[str]] = []
        self._draw = draw
        self._made: list[tuple[str, str]] = []
        self._shared = ""
        self._cluster: list[str] = []

    def body(self, number: int, path: str, body: str) -> str:
        """Return the body of note ``number``: its own, or what is planted there."""
        if number % 100 == 99:
            source, text = self._draw.choice(self._made)
            body = _copy(self._draw, text)
            self.groups.append([source, path])
        elif number % 50 == 0:
            cluster, place = divmod(number // 50, CLUSTER)
            if not place:
                self._cluster = []
                self.groups.append(self._cluster)
                self._shared = _words(self._draw, 100)
            own = _words(self._draw, 100) if cluster % 2 else ""
            body = f"{self._shared} {own}\n"
            self._cluster.append(path)
        self._made.append((path, body))
        return body


def write(folder: Path, count: int, seed: int = 7) -> None:
    """Write a vault of ``count`` notes with what is planted, and ``planted.json`` beside it."""
    draw = random.Random(f"curate:{seed}:{count}")
    words = "checked signed owner date open none yes no".split()
    forms = [
        " ".join(f"{draw.choice(words)}{draw.randrange(40)}" for _ in range(30))
        for _ in range(FORMS)
    ]
    planted = _Planted(draw)
    for number, (path, text) in enumerate(notes(count, seed)):
        head, body = text.split("\n---\n", 1)
        body = planted.body(number, path, body)
        if draw.random() < 0.5:
            body = f"{body}\n{draw.choice(forms)}\n"
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{head}\n---\n{body}", encoding="utf-8")
    (folder.parent / "planted.json").write_text(json.dumps(planted.groups), encoding="utf-8")


def _words(draw: random.Random, many: int) -> str:
    return " ".join(f"w{draw.randrange(10**6)}" for _ in range(many))


def _copy(draw: random.Random, body: str) -> str:
    """Return the body with a share of its sentences said in other words."""
    share = draw.random()
    sentences = body.split(". ")
    return ". ".join(
        " ".join(f"{draw.randrange(10**6)}" for _ in one.split()) if draw.random() < share else one
        for one in sentences
    )


def index(folder: Path) -> None:
    """Fill the store of the vault at ``folder``."""
    vault = Vault(Store(folder / ".manent" / "vault.sqlite"))
    sync(vault, WorkTree(folder, known=vault.known(), now_ns=time.time_ns()), processes=2)


def measure(folder: Path, report: str) -> None:
    """Print what one report takes on the vault at ``folder``, as JSON."""
    vault = Vault(Store(folder / ".manent" / "vault.sqlite"))
    sync(vault, WorkTree(folder, known=vault.known(), now_ns=time.time_ns()), processes=2)
    view = View(vault, OWNER)
    edges, table = _timed(lambda: edges_of(view))
    work: dict[str, Callable[[], Any]] = {
        "duplicates": lambda: alike_notes(view, edges),
        "contradictions": lambda: contradictions(edges),
        "communities": lambda: communities(edges),
    }
    rows, seconds = _timed(work[report])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = {"notes": len(edges.notes), "table": table, "seconds": seconds, "rows": len(rows)}
    if report == "duplicates":
        told["recall"] = _recall(view, edges, folder, {(p.a.path, p.b.path) for p in rows})
    print(json.dumps({**told, "peak": peak}))


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.process_time()
    return work(), time.process_time() - begun


def _recall(view: View, edges: Any, folder: Path, found: set[tuple[str, str]]) -> float:
    """Return the share of the planted pairs at the threshold that were found."""
    notes_at = {note.path: note for note in compared(edges)}
    words = Words()
    held = wanted = 0
    for group in json.loads((folder.parent / "planted.json").read_text(encoding="utf-8")):
        there = [path for path in group if path in notes_at]
        sets = {path: words.triples(read(view.content(notes_at[path])).body) for path in there}
        for a, b in itertools.combinations(sorted(sets), 2):
            if _score(set(sets[a].tolist()), set(sets[b].tolist())) >= Fraction(str(THRESHOLD)):
                wanted += 1
                held += (a, b) in found or (b, a) in found
    return held / wanted if wanted else 1.0


def _score(one: set[int], other: set[int]) -> Fraction:
    """Return the score of two notes' triples, anew: nothing here is the report's own."""
    small, large = sorted((len(one), len(other)))
    if small < 8:
        return Fraction(0)
    common = len(one & other)
    jaccard = Fraction(common, small + large - common)
    return max(jaccard, Fraction(common, small)) if large <= 4 * small else jaccard


def _row(folder: Path) -> str:
    cells = []
    told: dict[str, Any] = {}
    for report in REPORTS:
        # A process of its own: its peak memory is that of one report.
        command = [sys.executable, "-m", "eval.bench.curate", "--measure", str(folder)]
        done = subprocess.run([*command, "--report", report], check=True, stdout=subprocess.PIPE)
        told = json.loads(done.stdout)
        cells.append(f"{told['seconds']:>14.2f} {told['rows']:>7} {told['peak']:>6}")
        if report == "duplicates":
            cells.append(f"{told['recall']:>7.4f}")
    return f"{told['notes']:>8} {told['table']:>6.2f} {' '.join(cells)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="500,5000,20000,100000")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--report", choices=REPORTS, default=REPORTS[0], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.report)
        return
    heads = [f"{name:>14} {'rows':>7} {'MB':>6}" for name in REPORTS]
    print(f"{'notes':>8} {'table':>6} {heads[0]} {'recall':>7} {heads[1]} {heads[2]}")
    for size in options.sizes.split(","):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "vault"
            write(folder, int(size))
            index(folder)
            print(_row(folder), flush=True)


if __name__ == "__main__":
    main()
