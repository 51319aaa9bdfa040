"""One vault, one process: time each phase of a piece of work and print it as JSON.

``python -m eval.bench.phases VAULT STATE cold-lint|cold-index|edit|search``

The figures are wall-clock seconds; ``peak_mb`` is the largest resident size of
this process plus that of its largest worker, times the number of workers.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manent.access import OWNER, Identity, View
from manent.facts.store import Store
from manent.lint.engine import Lint
from manent.lint.subject import Policy
from manent.search.index import SearchIndex
from manent.tree import WorkTree
from manent.vault.record import NoteRecord
from manent.vault.sync import sync
from manent.vault.vault import Vault

PROCESSES = os.cpu_count() or 1


class Clock:
    """Seconds by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - begun, 4)


class Run:
    """A vault and its stores, opened."""

    def __init__(self, root: Path, state: Path, clock: Clock) -> None:
        self.clock = clock
        self.policy = Policy()
        with clock.phase("open"):
            self.vault = Vault(Store(state / "vault.sqlite"))
        self.root = root
        self.index = SearchIndex(self.vault, state / "search")

    def find_changes(self) -> WorkTree:
        """List the folder, comparing what the file system says with what is known."""
        with self.clock.phase("find"):
            tree = WorkTree(self.root, known=self.vault.known(), now_ns=time.time_ns())
            list(tree.listing())
        return tree

    def lint(self, tree: WorkTree, name: str = "lint") -> None:
        known = self.vault.known()
        differences = None
        if known:
            # A watcher, or git's index, would say what changed: here it is asked apart.
            old = {entry.path: entry for entry in self.vault.files()}
            differences = [
                (e.path, old.get(e.path), e) for e in tree.listing() if old.get(e.path) != e
            ]
        with self.clock.phase(name):
            lint = Lint(self.vault, self.policy)
            how = (self.policy.context, PROCESSES, None, lint.update_structure)
            sync(self.vault, tree, "", differences, *how)
            lint.update(PROCESSES)
            list(lint.findings())

    def reindex(self, name: str = "index") -> None:
        with self.clock.phase(name):
            self.index.update(PROCESSES)


def cold_lint(run: Run) -> None:
    run.lint(run.find_changes())


def cold_index(run: Run) -> None:
    sync(run.vault, run.find_changes(), processes=PROCESSES)
    run.reindex()
    found = run.index.open().documents
    assert found == run.vault.counts()[0], f"{found} documents were indexed"


def edit(run: Run) -> None:
    """Change one note, and bring everything up to it."""
    notes = sorted(run.root.rglob("*.md"))
    chosen = notes[len(notes) // 3]
    chosen.write_text(chosen.read_text(encoding="utf-8") + "\nOne more line of zanzibar.\n")
    stamp = time.time_ns() - 5_000_000_000
    os.utime(chosen, ns=(stamp, stamp))
    run.lint(run.find_changes(), "lint-one")
    run.reindex("index-one")
    found = run.index.search(View(run.vault), "zanzibar", 3)
    assert found, "the edited note is not found"


def search(run: Run) -> None:
    """Ask 400 questions in a warm process: as the owner, and as an agent of two labels."""
    sync(run.vault, run.find_changes())
    notes = list(run.vault.notes())
    for who, identity in (
        ("owner", OWNER),
        ("agent", Identity("a", frozenset({"team", "public"}))),
    ):
        view = View(run.vault, identity)
        ask = questions(notes, 420)
        spent = []
        for n, question in enumerate(ask):
            begun = time.perf_counter()
            run.index.search(view, question, 8)
            if n >= 20:
                spent.append((time.perf_counter() - begun) * 1000)
        spent.sort()
        run.clock.seconds[f"p50-{who}-ms"] = round(spent[len(spent) // 2], 3)
        run.clock.seconds[f"p95-{who}-ms"] = round(spent[int(len(spent) * 0.95)], 3)


def questions(notes: list[NoteRecord], count: int) -> list[str]:
    """Return queries of one to five words taken from descriptions, some misspelt."""
    draw = random.Random(11)
    asked = []
    for _ in range(count):
        words = draw.choice(notes).description.split()
        picked = draw.sample(words, min(len(words), draw.randint(1, 5)))
        if draw.random() < 0.15 and len(picked[0]) > 6:
            picked[0] = picked[0][:3] + picked[0][4:]
        asked.append(" ".join(picked))
    return asked


def main() -> None:
    root, state, what = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    clock = Clock()
    begun = time.perf_counter()
    run = Run(root, state, clock)
    {"cold-lint": cold_lint, "cold-index": cold_index, "edit": edit, "search": search}[what](run)
    clock.seconds["total"] = round(time.perf_counter() - begun, 4)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    used = own + workers * (PROCESSES if workers else 0)
    print(json.dumps({"phases": clock.seconds, "peak_mb": used // 1024}))


if __name__ == "__main__":
    main()
