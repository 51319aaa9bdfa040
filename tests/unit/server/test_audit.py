"""What the audit keeps of a call, and what it survives."""

from __future__ import annotations

import datetime
import hashlib
import json
import resource
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from asked import ask
from hypothesis import given
from hypothesis import strategies as st
from random_vaults import slowly
from vaults import refused_values

from manent.access import OWNER, Identity
from manent.errors import EnvironmentFault, UsageError
from manent.server.answer import Answer, Question
from manent.server.audit import LONGEST, Audit, Entry, Event, Lines, open_audit
from manent.server.ledger import Table

NOW = datetime.datetime(2026, 11, 30, 9, 0, tzinfo=datetime.UTC)


def now() -> datetime.datetime:
    return NOW


def entry(**said: Any) -> Entry:
    return Entry(**({"time": NOW, "identity": "tide", "tool": "brain_search"} | said))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def kept(file: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    audit = open_audit(str(file))
    audit.record(entry(arguments=arguments))
    audit.close()
    found = lines(file)[-1]["arguments"]
    assert isinstance(found, dict)
    return found


def test_a_call_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    audit = open_audit(str(file), now=now)
    answer = Answer({"hits": []}, names=("tides", "ferry"))
    audit.called(Identity("tide"), "brain_search", {"query": "ferry", "k": 3}, answer, 1.23456)
    audit.called(OWNER, "brain_read", {"name": "x"}, Answer(text="no note x", failed=True), 0.5)
    audit.called(OWNER, "brain_write", {"name": "x"}, Question("k", "m", {}, "s"), 2)
    audit.event("commit-failed", "the branch moved\non", "tide")
    audit.close()
    assert lines(file) == [
        {
            "time": "2026-11-30T09:00:00.000Z", "identity": "tide", "tool": "brain_search",
            "arguments": {"query": "ferry", "k": 3}, "results": ["tides", "ferry"],
            "result_count": 2, "elapsed_ms": 1.235, "ok": True,
        },
        {
            "time": "2026-11-30T09:00:00.000Z", "identity": "owner", "tool": "brain_read",
            "arguments": {"name": "x"}, "results": [], "result_count": 0, "elapsed_ms": 0.5,
            "ok": False, "error": "no note x",
        },
        {
            "time": "2026-11-30T09:00:00.000Z", "identity": "owner", "tool": "brain_write",
            "arguments": {"name": "x"}, "results": [], "result_count": 0, "elapsed_ms": 2,
            "ok": None, "asked": "k",
        },
        {
            "time": "2026-11-30T09:00:00.000Z", "event": "commit-failed", "identity": "tide",
            "detail": "the branch moved on",
        },
    ]  # fmt: skip
    assert file.stat().st_mode & 0o777 == 0o600


def test_no_argument_keeps_what_the_scanners_find(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    for value in refused_values().values():
        for arguments in (
            {"query": f"call {value} now"},
            {"body": f"call {value} now"},
            {f"x {value}": 1},
            {"query": [{"deep": value}]},
            {"query": value + " word" * LONGEST},
        ):
            kept(file, arguments)
        said = {"tool": f"no {value}", "error": f"no note {value}"}
        open_audit(str(file)).record(entry(**said))
        open_audit(str(file)).event("reload-failed", value)
    text = file.read_text()
    for name, value in refused_values().items():
        if name not in ("injection", "conflict"):
            assert value not in text


def test_of_a_body_only_length_and_digest_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    body = "The tide is in.\n"
    digest = {"sha256": hashlib.sha256(body.encode()).hexdigest(), "length": 16}
    assert kept(file, {"name": "tides", "body": body}) == {"name": "tides", "body": digest}
    long = "x" * (LONGEST + 1)
    assert kept(file, {"query": long})["query"]["length"] == LONGEST + 1
    assert kept(file, {str(n): n for n in range(99)})["…"] == 75


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("\ud800"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@slowly
@given(st.dictionaries(st.text() | st.just("\udcff"), json_values), st.text())
def test_whatever_a_client_sends_is_one_line_of_json(
    tmp_path_factory: pytest.TempPathFactory, arguments: dict[str, Any], name: str
) -> None:
    file = tmp_path_factory.mktemp("audit") / "a.jsonl"
    audit = open_audit(str(file))
    audit.record(entry(arguments=arguments, results=[name], tool=name, error=name))
    audit.close()
    (line,) = file.read_text().splitlines()
    json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_it_goes_on_in_a_new_file_after_a_rotation(tmp_path: Path) -> None:
    file, old = tmp_path / "audit.jsonl", tmp_path / "audit.jsonl.1"
    audit = open_audit(str(file))
    audit.event("one")
    file.rename(old)
    audit.event("two")
    file.unlink()
    audit.event("three")
    file.write_text("")  # as `copytruncate` does
    audit.event("four")
    audit.close()
    assert [line["event"] for line in lines(old)] == ["one"]
    assert [line["event"] for line in lines(file)] == ["four"]


def test_a_place_that_cannot_be_written_is_said_at_the_start(tmp_path: Path) -> None:
    for where in (tmp_path, tmp_path / "absent" / "audit.jsonl"):
        with pytest.raises(EnvironmentFault, match="cannot write"):
            open_audit(str(where))
    with pytest.raises(UsageError):
        open_audit("mysql://localhost/x")


def test_an_audit_in_the_vault_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    for place in ("audit.jsonl", ".manent/audit.jsonl"):
        for where in (f"{tmp_path}/{place}", f"sqlite:///{tmp_path}/{place}"):
            said = ask("serve", str(tmp_path), "--audit", where)
            assert (
                said.code == 2 and "the audit" in said.errors and "keep it outside" in said.errors
            )
    assert not list(tmp_path.rglob("audit*"))


def test_a_full_disk_fails_no_call_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "audit.jsonl"
    audit = open_audit(str(file))
    audit.event("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = file.stat().st_size
    # The kernel cuts writes at this size, as a full disk does. Python ignores the signal.
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
    try:
        for _ in range(3):
            audit.event("lost")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    audit.event("after")
    audit.close()
    found = file.read_bytes().splitlines()
    assert json.loads(found[0])["event"] == "before"
    assert len(found[1]) == 20, "what was cut off is a line of its own"
    assert json.loads(found[2])["event"] == "after"
    said = [record.message for record in caplog.records]
    assert len([text for text in said if "cannot be written" in text]) == 1
    assert len([text for text in said if "written again" in text]) == 1


def test_the_end_of_a_killed_server_costs_no_later_line(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_text('{"time":"2026')
    open_audit(str(file)).event("next")
    assert json.loads(file.read_text().split("\n")[1])["event"] == "next"


WRITER = """
import sys
from manent.server.audit import open_audit
audit = open_audit(sys.argv[1])
for n in range(200):
    audit.event("n", f"{sys.argv[2]} {n} " + "x" * 500)
"""


def test_several_servers_share_a_file(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), str(n)]) for n in range(3)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    found = [line["detail"].split()[:2] for line in lines(file)]
    assert sorted(found) == sorted([str(a), str(n)] for a in range(3) for n in range(200))


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    audit = Audit(Lines(file))
    threads = [
        threading.Thread(target=lambda: [audit.event("n") for _ in range(100)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(file)) == 800


# -- a database ------------------------------------------------------------------------


def rows(file: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(file) as db:
        return db.execute("SELECT time, identity, tool, event, line FROM manent_audit").fetchall()


def test_lines_in_a_database(tmp_path: Path) -> None:
    file = tmp_path / "audit.sqlite"
    for _ in range(2):
        audit = open_audit(f"sqlite:///{file}")
        audit.record(entry(arguments={"query": "ferry"}))
        audit.note(Event(NOW, "reload-failed"))
        found = rows(file)
        audit.close()
    assert len(found) == 4
    assert found[0][:4] == ("2026-11-30T09:00:00.000Z", "tide", "brain_search", "")
    assert json.loads(found[0][4])["arguments"] == {"query": "ferry"}
    assert found[1][3] == "reload-failed"
    assert file.stat().st_mode & 0o077 == 0


def test_what_many_write_at_once_stands_when_they_are_answered(tmp_path: Path) -> None:
    file = tmp_path / "audit.sqlite"
    audits = [open_audit(f"sqlite:///{file}") for _ in range(2)]
    threads = [
        threading.Thread(target=lambda a=audit: [a.event("n") for _ in range(20)])  # type: ignore[misc]
        for audit in audits * 4
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows(file)) == 160


def test_a_newer_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "audit.sqlite"
    open_audit(f"sqlite:///{file}").close()
    with sqlite3.connect(file) as db:
        db.execute("UPDATE manent_audit_schema SET version = version + 1")
    with pytest.raises(EnvironmentFault, match="newer manent"):
        open_audit(f"sqlite:///{file}")
    (tmp_path / "other").write_bytes(b"no database" * 1000)
    with pytest.raises(EnvironmentFault):
        open_audit(f"sqlite:///{tmp_path / 'other'}")


def test_a_database_that_hangs_fails_no_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "audit.sqlite"
    audit = Audit(Table(f"sqlite:///{file}", patience_seconds=0.2))
    with sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        audit.event("waits")
        audit.event("waits too")
        other.execute("COMMIT")
    assert len([r for r in caplog.records if "cannot be written" in r.message]) == 1
    audit.event("after")
    audit.close()
    assert {row[3] for row in rows(file)} >= {"after"}
