"""What auditing, planning and recalling 1 MB costs, in seconds of processor time.

A machine that is busy makes processor time longer, too; so a yardstick runs beside it:
five million additions, 0.25 s on a machine at rest. It tells of a slow processor, less of
one that is shared: under load compare two states by turns.
"""

from __future__ import annotations

import lzma
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from eval.memory import sections, tokens

SIZE = 1_000_000
LIMIT_SECONDS = 2.0
AT_REST_SECONDS = 0.25


class Timed(NamedTuple):
    """Seconds that a command took on a text, and those of the yardstick then."""

    text: str
    command: str
    seconds: float
    yardstick: float

    @property
    def at_rest(self) -> float:
        """About what it would take on a machine at rest."""
        return self.seconds * min(1.0, AT_REST_SECONDS / self.yardstick)


def texts(data: Path | None) -> Iterator[tuple[str, str]]:
    """Yield (name, text of about SIZE characters): invented ones, and real ones joined."""
    yield "sections", _filled("".join(one.text for one in sections.load()))
    entry = "- 2026-{m:02d}-{d:02d}: fixed `src/mod{n}.py` (v1.{d}.{m}), blocked by #{n}\n"
    log = "".join(entry.format(n=n, m=n % 12 + 1, d=n % 28 + 1) for n in range(SIZE // 64))
    yield "log", f"# Log\n\n{log}"[:SIZE]
    rule = "The {n}th service keeps its queue in memory and drains it on shutdown.\n"
    yield "prose", "".join(rule.format(n=n) + "\n" * (n % 5 == 0) for n in range(SIZE // 70))
    if data is not None:
        yield "agent files", _filled("\n".join(text for _, text in tokens.agent_files(data)))
        yield "one grown file", _filled(_largest(data))


def _filled(text: str) -> str:
    return (text * (SIZE // len(text) + 1))[:SIZE]


def _largest(data: Path) -> str:
    """Return the largest version of any file of the series."""
    best = b""
    for path in sorted((data / "agent-file-versions").glob("*.tar.xz")):
        with lzma.open(path) as stream, tarfile.open(fileobj=stream) as series:
            member = max((m for m in series if m.isfile()), key=lambda m: m.size)
            if member.size > len(best) and (opened := series.extractfile(member)) is not None:
                best = opened.read()
    return best.decode("utf-8", "replace")


def timed(data: Path | None, commands: tuple[str, ...]) -> Iterator[Timed]:
    """Run each command on each text, as a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "CLAUDE.md"
        for name, text in texts(data):
            file.write_text(text, encoding="utf-8")
            for command in commands:
                yield Timed(name, command, _seconds(command, file.parent), _yardstick())


def _seconds(command: str, folder: Path) -> float:
    asked = [sys.executable, "-m", "manent", "memory", command, str(folder)]
    asked += ["how", "is", "it", "tested"] if command == "recall" else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(asked, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _yardstick() -> float:
    begun, total = time.process_time(), 0
    for number in range(5_000_000):
        total += number
    return time.process_time() - begun
