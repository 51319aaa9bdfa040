"""A server whose clock is set, by hours and by years, forward and back, while it serves.

The clock of the process, and of every git it starts, is changed by a small library that
is compiled here and loaded before the others.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served_process import OWNER, Server, running
from vaults import note, write
from writes import git

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long set_by(void) {
    char text[32] = {0};
    const char *name = getenv("MANENT_TEST_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
    return atoll(text);
}

int clock_gettime(clockid_t id, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(id, at);
    if (!status && id == CLOCK_REALTIME) at->tv_sec += set_by();
    return status;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return status;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""

HOUR, YEAR = 3_600, 365 * 86_400
JUMPS = (0, HOUR, -2 * HOUR, 10 * YEAR, -10 * YEAR, -56 * YEAR, 0)
"""Seconds; the last but one is near the beginning of 1970, where a machine without a battery
begins."""

SCOUT = "scout-" + "s" * 20
FORMS = {"elicitation": {"form": {}}}
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("there is no compiler, or the clock cannot be changed this way")
    (tmp_path / "clock.c").write_text(SOURCE)
    made = tmp_path / "clock.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", made, tmp_path / "clock.c", "-ldl"], check=True
    )
    return made


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = write(
        tmp_path / "vault",
        {"harbour.md": note("harbour", "The ferry leaves.", audience="[team]"), ".gitignore": ""},
    )
    git(root, "init", "-q")
    git(root, "config", "user.name", "Keeper")
    git(root, "config", "user.email", "keeper@example.org")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


class Site:
    """A server with a clock that can be set."""

    def __init__(self, server: Server, clock: Path, audit: Path, log: Path) -> None:
        self.server, self.audit, self.log = server, audit, log
        self._clock = clock

    def set(self, seconds: int) -> None:
        """Set its clock, by so many seconds from what is right."""
        fresh = self._clock.with_suffix(".new")
        fresh.write_text(str(seconds))
        fresh.replace(self._clock)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.audit.read_text().splitlines()]


@pytest.fixture
def site(
    tmp_path: Path, vault: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    clock, log, audit = tmp_path / "clock", tmp_path / "log", tmp_path / "audit.jsonl"
    clock.write_text("0")
    agents = tmp_path / "agents.json"
    agents.write_text(
        json.dumps({"scout": {"token": SCOUT, "read": ["team"], "write": "quarantine/scout"}})
    )
    agents.chmod(0o600)
    options = ["--writable", "--git", "--retriever", "bm25", "--agents", str(agents)]
    options += ["--gaps", str(tmp_path / "gaps"), "--audit", str(audit)]
    options += ["--database", f"sqlite:///{tmp_path / 'tasks'}"]
    with log.open("wb") as told, monkeypatch.context() as there:
        there.setenv("LD_PRELOAD", str(library))
        there.setenv("MANENT_TEST_CLOCK", str(clock))
        with running(vault, *options, log=told) as server:
            there.delenv("LD_PRELOAD")
            yield Site(server, clock, audit, log)


def soon(found: Callable[[], Any], seconds: float = 20) -> Any:
    """Wait until something is found."""
    until = time.monotonic() + seconds
    while not (seen := found()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return seen


def test_whatever_the_clock_does_nothing_is_lost(site: Site, vault: Path) -> None:
    server, asked = site.server, []
    for number, seconds in enumerate(JUMPS):
        # What begins before the clock is set ...
        asked.append(server.call("brain_search", query=f"ferry {number}")["searchId"])
        question = _write(server, f"asked-{number}")["result"]
        task = server.send(
            "tools/call", "brain_curate", OWNER, TASKS, name="brain_curate", arguments={}
        )["result"]["taskId"]
        site.set(seconds)
        # ... goes on after it.
        for one in asked:
            said = server.call("brain_feedback", verdict="helpful", searchId=one)
            assert said == {"kept": "kept in the register"}, (seconds, said)
        row = soon(lambda task=task: _ended(server, task))  # type: ignore[misc]
        assert row["status"] == "completed" and not row["result"]["isError"]
        _answered(server, vault, question, number)
        said = server.call("brain_write", SCOUT, **_draft(f"draft-{number}"))
        assert said["written"] and "remarks" not in said, said
        (vault / "edited.md").write_text(note("edited", f"Written as number {number}."))
        soon(lambda number=number: _found(server, number))  # type: ignore[misc]
        (vault / "edited.md").unlink()
    assert git(vault, "status", "--porcelain") == ""
    assert int(git(vault, "rev-list", "--count", "HEAD")) == 1 + 2 * len(JUMPS)
    days = {line["time"][:4] for line in site.lines()}
    assert {"1970", "2016", "2036"} & days and len(days) >= 4
    assert all(line["elapsed_ms"] < 60_000 for line in site.lines())
    events = {json.loads(line)["event"] for line in site.log.read_text().splitlines()}
    assert not events & {"bug", "commit-failed", "reload-failed", "audit-lost", "gaps-lost"}


def _draft(name: str) -> dict[str, str]:
    return {"name": name, "description": "A note", "type": "reference", "body": "Text."}


def _write(server: Server, name: str, **answered: Any) -> Any:
    return server.send(
        "tools/call", "brain_write", OWNER, FORMS, name="brain_write", arguments=_draft(name),
        **answered,
    )  # fmt: skip


def _answered(server: Server, vault: Path, question: Any, number: int) -> None:
    """Say yes to what was asked before; once asked again, it is written, and once."""
    for _ in range(2):
        said = {"confirm": {"action": "accept", "content": {"write": True}}}
        done = _write(
            server, f"asked-{number}", inputResponses=said, requestState=question["requestState"]
        )["result"]
        if done["resultType"] == "complete":
            assert json.loads(done["content"][0]["text"])["status"] == "created"
            break
        question = done
    else:
        raise AssertionError("it is asked for ever")
    assert (vault / f"memory/asked-{number}.md").is_file()
    used = _write(
        server, f"asked-{number}", inputResponses=said, requestState=question["requestState"]
    )["result"]
    assert used["isError"] and "exists already" in used["content"][0]["text"]


def _ended(server: Server, task: str) -> Any:
    answer = server.send("tasks/get", task, OWNER, TASKS, taskId=task)
    assert "error" not in answer, answer
    return answer["result"] if answer["result"]["status"] != "working" else None


def _found(server: Server, number: int) -> bool:
    matches = server.call("brain_grep", pattern=f"Written as number {number}")["matches"]
    dates = [hit["date"] for hit in server.call("brain_search", query="ferry")["hits"]]
    for date in dates:
        datetime.date.fromisoformat(date)
    return bool(matches)


def test_the_clock_is_changed_at_all(library: Path, tmp_path: Path) -> None:
    (tmp_path / "clock").write_text(str(YEAR))
    there = {"LD_PRELOAD": str(library), "MANENT_TEST_CLOCK": str(tmp_path / "clock")}
    said = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"],
        env={**os.environ, **there}, capture_output=True, check=True,
    )  # fmt: skip
    assert float(said.stdout) - time.time() > YEAR - 60
