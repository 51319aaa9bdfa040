"""A journal against a model: whatever is done to it, its laws hold and wake tells the truth."""

from __future__ import annotations

import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from manent.journal import blocks
from manent.journal.command import run

# Every write is fsynced; where there is a disk of memory, that costs nothing.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

LINES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs", "M")),
    min_size=1,
    max_size=60,
).filter(lambda text: text.strip() and text.strip() not in ("<your line>", "<one line>"))


class Living(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory(dir=MEMORY)
        self.folder = Path(self.scratch.name) / "journal"
        self.memories: list[tuple[str, str]] = []
        self.summaries: dict[blocks.Block, str] = {}
        assert self.ask("init")[0] == 0
        assert self.ask("config", "WAKE_LINES=6", "PART_LINES=4")[0] == 0

    def teardown(self) -> None:
        self.scratch.cleanup()

    def ask(self, *argv: str, stdin: bytes = b"", day: str = "2026-01-01") -> tuple[int, str]:
        out, err = io.BytesIO(), io.BytesIO()
        place = ["--dir", str(self.folder)]
        code = run([*place, *argv], {}, io.BytesIO(stdin), out, err, day, "manent")
        return code, (out.getvalue() or err.getvalue()).decode()

    def json(self, *argv: str) -> Any:
        return json.loads(self.ask(*argv, "--json")[1])

    @property
    def day(self) -> str:
        return self.memories[-1][0] if self.memories else "2026-01-01"

    @rule(text=LINES, step=st.integers(-2, 2))
    def note(self, text: str, step: int) -> None:
        day = f"2026-01-{min(28, max(1, int(self.day[8:]) + step)):02}"
        code, said = self.ask("note", "--", text, day=day)
        assert code == 0 and said.startswith(f"Saved as #{len(self.memories)}.\n")
        self.memories.append((max(day, self.day), text.strip()))

    @rule(texts=st.lists(LINES, min_size=1, max_size=9))
    def bring_in(self, texts: list[str]) -> None:
        lines = "".join(f"{self.day} {text}\n" for text in texts)
        assert self.ask("import", "-", stdin=lines.encode())[0] == 0
        self.memories += [(self.day, text.strip()) for text in texts]

    @rule(text=LINES)
    def sleep(self, text: str) -> None:
        due = self.json("sleep")["next"]
        if due:
            assert self.ask("sleep", due["block"], "--", text)[0] == 0
            self.summaries[blocks.named(due["block"])] = text.strip()

    @rule(power=st.integers(1, 4), k=st.integers(0, 6))
    def forget(self, power: int, k: int) -> None:
        size, lo = 1 << power, k << power
        gone = [
            b
            for b in self.summaries
            if b[1] - b[0] >= size and b[0] >= lo // (b[1] - b[0]) * (b[1] - b[0])
        ]
        code, said = self.ask("forget", f"{lo}-{lo + size - 1}")
        assert (code == 0) == bool(gone), said
        assert not gone or f"Forgot {len(gone)} summar" in said
        for block in gone:
            del self.summaries[block]

    @rule(
        name=st.sampled_from(["LOG.txt", "TREE/2", "TREE/4"]),
        raw=st.binary(min_size=1, max_size=287),
    )
    def crash_in_a_write(self, name: str, raw: bytes) -> None:
        path = self.folder / name
        if path.exists():
            with open(path, "ab") as file:
                width = 320 if name == "LOG.txt" else 288
                file.write(raw[: width - 1 - path.stat().st_size % width])

    @invariant()
    def the_log_is_what_was_lived(self) -> None:
        told = [line.split(" ", 1) for line in self.ask("export")[1].splitlines()]
        assert told == [[day, text] for day, text in self.memories]

    @invariant()
    def nothing_is_wrong_but_torn_ends(self) -> None:
        assert all("torn" in one["message"] for one in self.json("verify")["found"])

    @invariant()
    def waking_tells_the_truth_or_names_what_it_lacks(self) -> None:
        total = len(self.memories)
        needed = blocks.cover(total, 6)
        missing = [b for b in needed if b[1] - b[0] > 1 and b not in self.summaries]
        woken = self.json("wake")
        assert woken["awake"] == (not missing)
        if not missing:
            assert woken["lines"] == [
                f"#{lo} {' '.join(self.memories[lo])}" if hi - lo == 1
                else f"#{lo}-{hi - 1} {self.summaries[lo, hi]}" for lo, hi in needed
            ]  # fmt: skip
        if total and not missing:
            built = {2 << i: sum(b[1] - b[0] == 2 << i for b in self.summaries) for i in range(20)}
            assert woken["pending"] == blocks.pending(built, total)[1]


Living.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
TestLiving = Living.TestCase
