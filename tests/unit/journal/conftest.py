"""A journal in a folder of its own, driven in this process through its one edge."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from manent.journal.command import run


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def ordered(self) -> list[str]:
        """The commands that the answer tells the reader to run."""
        lines = [*self.out.splitlines(), *self.err.splitlines()]
        return [line.rpartition("un: ")[2] for line in lines if "un: " in line]


def day_of(i: int) -> str:
    """Forty memories a day, from the first of January, in months of 25 days."""
    return f"2026-{1 + i // 1000:02}-{1 + i // 40 % 25:02}"


class Journal:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *argv: str, stdin: bytes = b"", today: str = "2026-11-30") -> Answer:
        out, err = io.BytesIO(), io.BytesIO()
        code = run(
            [*argv, "--dir", str(self.folder)]
            if "--" not in argv
            else ["--dir", str(self.folder), *argv],
            {"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"},
            io.BytesIO(stdin),
            out,
            err,
            today,
            "manent",
        )
        return Answer(code, out.getvalue().decode(), err.getvalue().decode())

    @property
    def log(self) -> bytes:
        return (self.folder / "LOG.txt").read_bytes()

    def level(self, size: int) -> bytes:
        return (self.folder / "TREE" / str(size)).read_bytes()

    def live(self, memories: int) -> None:
        """Fill the log with so many memories, a few a day."""
        lines = "".join(f"{day_of(i)} memory {i}\n" for i in range(memories))
        assert self("import", "-", stdin=lines.encode()).code == 0

    def sleep_out(self) -> int:
        """Do every compression that is due; return how many there were."""
        count = 0
        while due := self("sleep", "--json").json["next"]:
            assert self("sleep", due["block"], f"summary of {due['block']}").code == 0
            count += 1
        return count


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    made = Journal(tmp_path / "journal")
    assert made("init").code == 0
    return made
