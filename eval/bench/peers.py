"""The same work done by other tools, on 2,000 notes, in the same run.

Each is installed on demand by its package's own manager into a scratch folder,
at an exact version; one that cannot be installed or does not finish is said to.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from eval.bench.vaults import write

NOTES = 2_000
TIMEOUT_SECONDS = 240


class Absent(Exception):
    """The peer could not be installed here, or could not do the work."""


def _run(command: list[str], cwd: Path, faults: bool = False, /, **variables: str) -> float:
    """Return the seconds of a command. faults: exit 1 is no failure, it found some."""
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Absent(f"not done after {TIMEOUT_SECONDS} s") from None
    except OSError as error:
        raise Absent(f"{command[0]}: {error.strerror}") from None
    if done.returncode not in ((0, 1) if faults else (0,)):
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise Absent(f"exit {done.returncode}: {(last or ['?'])[0][:80]}")
    return time.perf_counter() - begun


def _npm(folder: Path, *packages: str) -> Path:
    if not shutil.which("npm"):
        raise Absent("npm is not installed")
    _run(["npm", "install", "--silent", "--no-save", "--no-package-lock", *packages], folder)
    return folder / "node_modules" / ".bin"


NEWEST = ("python3.13", "python3.12", sys.executable)
"""What a peer is installed into, the first that runs: some want a newer Python than we do."""


def _python() -> str:
    for name in NEWEST:
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            subprocess.run([name, "-c", ""], check=True, capture_output=True)
            return name
    raise Absent("there is no Python")


def _pip(folder: Path, package: str) -> Path:
    _run([_python(), "-m", "venv", "venv"], folder)
    if _run(["venv/bin/pip", "install", "--quiet", package], folder) < 0:
        raise Absent("pip failed")
    return folder / "venv" / "bin"


def manent_lint(folder: Path, vault: Path) -> float:
    return _run([sys.executable, "-m", "manent", "lint", str(vault)], folder, True)


def manent_search(folder: Path, vault: Path) -> float:
    return _run([sys.executable, "-m", "manent", "search", str(vault), "backup window"], folder)


def markdownlint(folder: Path, vault: Path) -> float:
    tool = _npm(folder, "markdownlint-cli2@0.23.0") / "markdownlint-cli2"
    return _run([str(tool), "**/*.md"], vault, True)


def basic_memory(folder: Path, vault: Path) -> float:
    tool = _pip(folder, "basic-memory==0.24.1") / "basic-memory"
    home = folder / "home"
    home.mkdir()
    copy = folder / "copy"
    shutil.copytree(vault, copy)  # it rewrites the notes it is given
    variables = {"HOME": str(home), "BASIC_MEMORY_HOME": str(copy)}
    _run([str(tool), "project", "add", "bench", str(copy)], folder, False, **variables)
    return _run([str(tool), "reindex", "--project", "bench"], folder, False, **variables)


def memsearch(folder: Path, vault: Path) -> float:
    tool = _pip(folder, "memsearch==0.4.23") / "memsearch"
    return _run([str(tool), "index", str(vault)], folder, HOME=str(folder))


def qmd(folder: Path, vault: Path) -> float:
    tools = _npm(folder, "node@22.22.0", "@tobilu/qmd@2.8.3")  # it wants a Node of its own
    tool = tools / "qmd"
    variables = {
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PATH": f"{tools}:{os.environ['PATH']}",
    }
    added = [str(tool), "collection", "add", str(vault), "--name", "bench"]
    asked = [str(tool), "search", "backup window"]
    return sum(_run(command, folder, False, **variables) for command in (added, asked))


WORK: tuple[tuple[str, str, Callable[[Path, Path], float]], ...] = (
    ("lint", "manent lint, cold", manent_lint),
    ("lint", "manent lint, again", manent_lint),
    ("lint", "markdownlint-cli2", markdownlint),
    ("index", "manent search, cold", manent_search),
    ("index", "manent search, again", manent_search),
    ("index", "basic-memory reindex", basic_memory),
    ("index", "memsearch index", memsearch),
    ("index", "qmd collection add, search", qmd),
)


def table(seed: int) -> str:
    """Run every peer on one vault; return a Markdown table."""
    rows = [f"| work on {NOTES:,} notes | tool | s |", "|---|---|---|"]
    root = Path(tempfile.mkdtemp(prefix="manent-peers-"))
    try:
        vault = root / "vault"
        write(vault, NOTES, seed)
        for work, name, run in WORK:
            folder = Path(tempfile.mkdtemp(dir=root))
            try:
                figure = f"{run(folder, vault):.2f}"
            except Absent as why:
                figure = f"not measured: {why}"
            rows.append(f"| {work} | {name} | {figure} |")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(7))
