"""What the gate adds to a push: against no hook, and an empty Python hook.

``python -m eval.bench.push [--sizes 1000,10000,100000] [--rounds 5]``

For each size: the first push of everything, one note, 1,000 notes in a commit,
200 commits. Wall seconds (the least of the rounds for one note): "added" by a gate
whose processes begin with the push, "with worker" by one that an earlier push left
behind (``manent.worker``, the default). Processor seconds added without a worker,
and the largest process in MB.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from eval.bench.vaults import notes

BRAINS = ("none", "empty", "gate", "worker")
TIMEOUT_SECONDS = 3600
SHORT_SECONDS = 2
"""How long the gate's processes outlive a push, where none is to find them again."""

_RUN = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True)
wall = time.perf_counter() - began
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"wall": wall, "cpu": use.ru_utime + use.ru_stime,
                  "peak": use.ru_maxrss / 1024, "status": done.returncode,
                  "said": done.stderr.decode("utf-8", "replace")}))
"""

NOTE = "---\nname: {name}\ndescription: A note made for timing\ntype: reference\n---\n{text}\n"


class Bench:
    """A clone and three brains beside it: without a hook, with an empty one, with the gate."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size = folder, size
        self.clone = folder / "clone"
        self._git(folder, "init", "-q", "-b", "main", str(self.clone))
        self._git(self.clone, "config", "user.name", "Ada")
        self._git(self.clone, "config", "user.email", "ada@example.org")
        self._git(self.clone, "config", "gc.auto", "0")
        for brain in BRAINS:
            self._brain(brain)

    def _brain(self, kind: str) -> None:
        place = self.folder / f"{kind}.git"
        if kind in ("gate", "worker"):
            command = [sys.executable, "-m", "manent", "brain", "create", str(place)]
            subprocess.run(command, check=True, capture_output=True)
            # Made-up words may spell what a rule looks for: judged, said, not refused.
            self._git(place, "config", "manent.strictContent", "false")
            # What is measured is how long it takes, beside whatever else runs.
            self._git(place, "config", "manent.timeout", str(TIMEOUT_SECONDS))
            seconds = "600" if kind == "worker" else str(SHORT_SECONDS)
            self._git(place, "config", "manent.worker", seconds)
        else:
            self._git(self.folder, "init", "-q", "--bare", "-b", "main", str(place))
        self._git(place, "config", "receive.autogc", "false")
        if kind == "empty":
            hook = place / "hooks/pre-receive"
            hook.write_text(f"#!/bin/sh\nexec {sys.executable} -ISE -c 'import sys'\n")
            hook.chmod(0o755)

    def commit(self, rounds: Iterator[list[tuple[str, str]]]) -> None:
        """Make one commit of each list of files, on top of main."""
        head = self._git(self.clone, "rev-parse", "-q", "--verify", "main", check=False).strip()
        stream = [b"feature done\n"]
        if head:
            stream.append(f"reset refs/heads/main\nfrom {head}\n\n".encode())
        for files in rounds:
            stream.append(b"commit refs/heads/main\n")
            stream.append(b"committer Ada <ada@example.org> 1700000000 +0000\ndata 4\nstep\n")
            for path, text in files:
                raw = text.encode()
                stream.append(b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(raw), raw))
        command = ["git", "fast-import", "--quiet", "--force"]
        given = b"".join([*stream, b"done\n"])
        subprocess.run(command, cwd=self.clone, input=given, check=True)

    def push(self, brain: str) -> dict[str, float]:
        """Push main to one brain; return wall and processor seconds and the peak."""
        command = ["git", "-C", str(self.clone), "push", "-q", str(self.folder / f"{brain}.git")]
        out = subprocess.run(
            [sys.executable, "-c", _RUN, *command, "main"],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        said = json.loads(out)
        if said["status"]:
            raise SystemExit(f"the push to {brain} failed:\n{said['said']}")
        return said

    def _git(self, folder: Path, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, check=check, capture_output=True, text=True
        )
        return done.stdout


def small(number: int, count: int = 1) -> list[tuple[str, str]]:
    """Return ``count`` notes of 2 kB that stand nowhere yet."""
    made = []
    for k in range(count):
        name = f"timing-{number}-{k}"
        text = " ".join(f"word{(number * 31 + k * 7 + i) % 997}" for i in range(250))
        made.append((f"memory/timing/{number}/{name}.md", NOTE.format(name=name, text=text)))
    return made


def measure(size: int, folder: Path, rounds: int) -> list[dict[str, float | str]]:
    """Return the rows of one size, a row a kind of push."""
    bench = Bench(folder, size)
    rows = []

    def row(what: str, results: dict[str, dict[str, float]]) -> None:
        plain = results["none"]["wall"]
        rows.append(
            {
                "notes": size,
                "push": what,
                "no hook": plain,
                "empty hook": results["empty"]["wall"],
                "gate": results["gate"]["wall"],
                "added": results["gate"]["wall"] - plain,
                "with worker": results["worker"]["wall"] - plain,
                "added cpu": results["gate"]["cpu"] - results["none"]["cpu"],
                "peak MB": results["gate"]["peak"],
            }
        )

    bench.commit(iter([list(notes(size))]))
    row("everything", {brain: bench.push(brain) for brain in BRAINS})
    best: dict[str, dict[str, float]] = {}
    for number in range(rounds):
        bench.commit(iter([small(number)]))
        time.sleep(SHORT_SECONDS + 1.0)
        for brain in BRAINS:
            result = bench.push(brain)
            if brain not in best or result["wall"] < best[brain]["wall"]:
                best[brain] = result
    row("one note", best)
    bench.commit(iter([small(1000, 1000)]))
    row("1,000 notes", {brain: bench.push(brain) for brain in BRAINS})
    bench.commit(small(2000 + n) for n in range(200))
    row("200 commits", {brain: bench.push(brain) for brain in BRAINS})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
    header = True
    for size in map(int, asked.sizes.split(",")):
        folder = Path(tempfile.mkdtemp(prefix="manent-push-"))
        try:
            for row in measure(size, folder, asked.rounds):
                if asked.json:
                    print(json.dumps(row), flush=True)
                    continue
                if header:
                    print("  ".join(f"{key:>11}" for key in row))
                    header = False
                cells = (f"{v:11.3f}" if isinstance(v, float) else f"{v:>11}" for v in row.values())
                print("  ".join(cells), flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
