"""The server under load, at its start, and behind edits, checkouts and pushes.

``python -m eval.bench.serve [--notes 20000] [--seconds 60] [--clients 64] [--processes 2]``

load: clients over HTTP that pause 250 ms between two calls, half of them as an agent,
three searches to one read: errors, p50 and p95 as the client sees them, the memory of
the server at the beginning, in the middle and at the end, processor seconds a call.
start: from the start of the process to the answer of ``initialize`` and of
``server/discover`` over stdio, wall and processor seconds, least and median of rounds,
and what importing the SDK takes alone.
reload: from the last write until a search finds it: one edit, a checkout of hundreds of
files, a push to a brain. ``--only start,reload`` leaves the rest out; ``--check`` fails
where a figure is over what the server is held to.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.bench.vaults import notes, write

PAUSE_SECONDS = 0.25
FILES = 300
"""Files of a checkout."""

HELD_TO = {"errors": 0, "p95 ms": 50.0, "start cpu s": 1.2, "grown MB": 32.0}
RELOAD_SECONDS, A_FILE_SECONDS = 0.15, 0.002

OWNER = "owner-" + secrets.token_hex(16)
AGENT = "agent-" + secrets.token_hex(16)
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
_TICK = os.sysconf("SC_CLK_TCK")
_WORD = re.compile(r"[a-z]{6,}")


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    """Return a modern request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": _META, **params}}


def family_of(process: int) -> list[int]:
    """Return a process and its children."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *map(int, children)]


def cpu_of(process: int) -> float:
    """Return the processor seconds a process and its children have used."""
    total = 0
    for one in family_of(process):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / _TICK


def memory_of(process: int) -> float:
    """Return the megabytes a process and its children hold that no other shares."""
    sizes: list[str] = []
    for one in family_of(process):
        text = Path(f"/proc/{one}/smaps_rollup").read_text()
        sizes += re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M)
    return sum(map(int, sizes)) / 1024


# -- a server --------------------------------------------------------------------------


@dataclass
class Server:
    """A server that runs. port: of HTTP. process: its id."""

    port: int
    process: int


@contextlib.contextmanager
def serving(what: Path, folder: Path, *options: str) -> Iterator[Server]:
    """Serve over HTTP until the block ends."""
    agents = folder / "agents.json"
    agents.write_text(json.dumps({"agent": {"token": AGENT, "read": ["team", "ops"]}}))
    agents.chmod(0o600)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "manent", "serve", str(what), "--http", str(port)]
    environment = {**os.environ, "MANENT_HTTP_TOKEN": OWNER}
    with (folder / "serve.log").open("ab") as log:
        started = subprocess.Popen(
            [*command, "--agents", str(agents), *options], env=environment, stderr=log
        )
    try:
        asyncio.run(_ready(port, started))
        yield Server(port, started.pid)
    finally:
        started.terminate()
        started.wait(30)


async def _ready(port: int, started: subprocess.Popen[bytes]) -> None:
    while started.poll() is None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
            status = (await reader.readuntil(b"\r\n")).split()[1]
            writer.close()
            if status == b"200":
                return
        await asyncio.sleep(0.05)
    raise SystemExit("the server ended; see serve.log")


class Line:
    """One connection of a client, as light as can be: the clients share the machine."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token, self._number = port, token, 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool; return its document. Raises ValueError for anything but an answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        self._number += 1
        body = json.dumps(request(self._number, "tools/call", name=name, arguments=arguments))
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Authorization: Bearer {self._token}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            f"Mcp-Method: tools/call\r\nMcp-Name: {name}\r\nContent-Length: {len(body.encode())}"
            "\r\n\r\n"
        )
        writer.write(head.encode() + body.encode())
        said = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", said)
        content = await reader.readexactly(int(length[1]) if length else 0)
        if not said.startswith("http/1.1 200"):
            raise ValueError(said.split("\r\n")[0])
        result = json.loads(content)["result"]
        if result["isError"]:
            raise ValueError(result["content"][0]["text"])
        return json.loads(result["content"][0]["text"])

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()


# -- load ------------------------------------------------------------------------------


@dataclass
class Load:
    """What clients saw. ms: of each call. errors: in words."""

    ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


async def client(server: Server, seed: int, words: list[str], until: float, load: Load) -> None:
    """Call, pause, call: until the time is over."""
    draw = random.Random(seed)
    line = Line(server.port, AGENT if seed % 2 else OWNER)
    names: list[str] = []
    await asyncio.sleep(draw.random() * PAUSE_SECONDS)
    while time.monotonic() < until:
        reads = names and draw.random() < 0.25
        query = " ".join(draw.choices(words, k=draw.randint(1, 4)))
        tool = "brain_read" if reads else "brain_search"
        given = {"name": draw.choice(names)} if reads else {"query": query}
        began = time.perf_counter()
        try:
            found = await line.call(tool, given)
        except (OSError, ValueError, KeyError, asyncio.IncompleteReadError) as error:
            load.errors.append(f"{tool}: {error}")
            line.close()
            line = Line(server.port, AGENT if seed % 2 else OWNER)
        else:
            load.ms.append((time.perf_counter() - began) * 1000)
            names = [hit["path"] for hit in found.get("hits", ())] or names
        await asyncio.sleep(PAUSE_SECONDS)
    line.close()


async def _loaded(server: Server, clients: int, seconds: float, words: list[str]) -> Any:
    warm = Load()
    await client(server, 0, words, time.monotonic() + 2, warm)
    load, memory = Load(), [memory_of(server.process)]
    began, until = cpu_of(server.process), time.monotonic() + seconds
    tasks = [asyncio.create_task(client(server, n, words, until, load)) for n in range(clients)]
    for _ in range(4):
        await asyncio.sleep(seconds / 4)
        memory.append(memory_of(server.process))
    await asyncio.gather(*tasks)
    return load, memory, cpu_of(server.process) - began


def loaded(vault: Path, folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of the load."""
    words = _words(vault)
    several = ("--processes", str(given.processes))
    with serving(vault, folder, "--retriever", given.retriever, *several) as server:
        load, memory, cpu = asyncio.run(_loaded(server, given.clients, given.seconds, words))
    for error in sorted(set(load.errors))[:5]:
        print(f"  {load.errors.count(error)} x {error}", file=sys.stderr)
    cuts = statistics.quantiles(load.ms, n=100)
    return {
        "calls": len(load.ms),
        "errors": len(load.errors),
        "p50 ms": round(cuts[49], 1),
        "p95 ms": round(cuts[94], 1),
        "server cpu ms a call": round(cpu * 1000 / max(1, len(load.ms)), 2),
        "memory MB": [round(size) for size in memory],
        "grown MB": round(memory[-1] - memory[len(memory) // 2], 1),
    }


def _words(vault: Path) -> list[str]:
    draw = random.Random(7)
    files = sorted(vault.rglob("*.md"))
    texts = (file.read_text() for file in draw.sample(files, min(50, len(files))))
    return sorted({word for text in texts for word in _WORD.findall(text)})


# -- the start -------------------------------------------------------------------------


def started(vault: Path, rounds: int) -> dict[str, Any]:
    """Return how long the first answer takes."""
    info = {"name": "bench", "version": "1"}
    first = {
        "initialize": {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info},
        },
        "server/discover": request(1, "server/discover"),
    }
    figures: dict[str, Any] = {}
    worst = 0.0
    for method, message in first.items():
        found = [_first_answer(vault, message) for _ in range(rounds)]
        walls, cpus = [wall for wall, _ in found], [cpu for _, cpu in found]
        figures[f"{method} wall s"] = [round(min(walls), 2), round(statistics.median(walls), 2)]
        figures[f"{method} cpu s"] = [round(min(cpus), 2), round(statistics.median(cpus), 2)]
        worst = max(worst, min(cpus))
    alone = min(_import_alone() for _ in range(rounds))
    return {**figures, "SDK alone cpu s": round(alone, 2), "start cpu s": round(worst, 2)}


def _import_alone() -> float:
    """Return the processor seconds that importing the SDK takes, whatever serves with it."""
    code = "import mcp.server.lowlevel.server, time; print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


def _first_answer(vault: Path, message: dict[str, Any]) -> tuple[float, float]:
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "manent", "serve", str(vault)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    figures = time.perf_counter() - began, cpu_of(process.pid)
    assert "result" in answer, answer
    process.stdin.close()
    process.wait(60)
    return figures


# -- reloads ---------------------------------------------------------------------------


async def _until_found(server: Server, word: str, count: int = 1) -> float:
    """Return the time at which a search first found so many notes of a new word."""
    line = Line(server.port, OWNER)
    while True:
        found = await line.call("brain_search", {"query": word, "k": 50})
        if len(found["hits"]) >= count:
            line.close()
            return time.time()
        await asyncio.sleep(0.004)


def _note(name: str, word: str) -> str:
    return f"---\nname: {name}\ndescription: Of {word}\ntype: reference\n---\nThe {word}.\n"


def edited(vault: Path, folder: Path, given: argparse.Namespace) -> dict[str, float]:
    """Return the seconds from the last write to the first hit: an edit, many files."""
    figures: dict[str, list[float]] = {"one edit s": [], f"{FILES} files s": []}
    with serving(vault, folder, "--retriever", given.retriever) as server:
        for turn in range(given.rounds):
            word = f"zq{secrets.token_hex(5)}"
            place = vault / "memory" / "bench-edit.md"
            place.write_text(_note("bench-edit", word))
            written = time.time()
            figures["one edit s"].append(asyncio.run(_until_found(server, word)) - written)
            word = f"zq{secrets.token_hex(5)}"
            for n in range(FILES):
                (vault / "memory" / f"bench-{turn}-{n}.md").write_text(
                    _note(f"bench-{turn}-{n}", word)
                )
            written = time.time()
            figures[f"{FILES} files s"].append(
                asyncio.run(_until_found(server, word, 50)) - written
            )
    for file in (vault / "memory").glob("bench-*.md"):
        file.unlink()
    return {name: round(statistics.median(seconds), 3) for name, seconds in figures.items()}


def pushed(folder: Path, given: argparse.Namespace) -> dict[str, float]:
    """Return the seconds from the move of the branch to the first hit, over a brain."""
    brain, clone = folder / "brain.git", folder / "clone"
    _brain(brain, clone, given)
    found = []
    with serving(brain, folder, "--retriever", given.retriever) as server:
        for _ in range(given.rounds):
            word = f"zq{secrets.token_hex(5)}"
            (clone / "memory" / "bench-push.md").write_text(_note("bench-push", word))
            _git(clone, "add", "-A")
            _git(clone, "commit", "-qm", "one note")
            _git(clone, "push", "-q", str(brain), "main")
            moved = (brain / "refs" / "heads" / "main").stat().st_mtime
            found.append(asyncio.run(_until_found(server, word)) - moved)
    return {"one push s": round(statistics.median(found), 3)}


def _brain(brain: Path, clone: Path, given: argparse.Namespace) -> None:
    _git(folder := clone.parent, "init", "-q", "--bare", "-b", "main", str(brain))
    _git(folder, "init", "-q", "-b", "main", str(clone))
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("gc.auto", "0")):
        _git(clone, "config", name, value)
    for path, text in notes(given.notes, given.seed):
        place = clone / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (clone / "memory").mkdir(exist_ok=True)
    _git(clone, "add", "-A")
    _git(clone, "commit", "-qm", "notes")
    _git(clone, "push", "-q", str(brain), "main")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


# -- all of it -------------------------------------------------------------------------


def over(figures: dict[str, Any]) -> list[str]:
    """Return the figures that are over what the server is held to."""
    limits = {**HELD_TO, "one edit s": RELOAD_SECONDS, "one push s": RELOAD_SECONDS}
    limits[f"{FILES} files s"] = RELOAD_SECONDS + FILES * A_FILE_SECONDS
    return [
        f"{name}: {figures[name]}, held to {limit}"
        for name, limit in limits.items()
        if name in figures and figures[name] > limit
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vault", type=Path, help="one that is there already; it is written to")
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--retriever", default="bm25")
    parser.add_argument("--processes", type=int, default=2, help="under load: one a core")
    parser.add_argument("--only", default="start,load,reload,push")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    wanted = set(given.only.split(","))
    figures: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="manent-serve-"))
    try:
        vault = given.vault or folder / "vault"
        if given.vault is None and wanted - {"push"}:
            write(vault, given.notes, given.seed)
        if wanted - {"push"}:
            subprocess.run([sys.executable, "-m", "manent", "index", str(vault)], check=True)
        steps: dict[str, Callable[[], dict[str, Any]]] = {
            "start": lambda: started(vault, given.rounds),
            "load": lambda: loaded(vault, folder, given),
            "reload": lambda: edited(vault, folder, given),
            "push": lambda: pushed(folder, given),
        }
        for name, step in steps.items():
            if name in wanted:
                found = step()
                figures |= found
                print(f"{name}: " + json.dumps(found), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    faults = over(figures)
    for fault in faults:
        print(f"over: {fault}")
    sys.exit(1 if given.check and faults else 0)


if __name__ == "__main__":
    main()
