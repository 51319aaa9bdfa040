"""``manent memory mcp``: the official client against the real process, and the tools."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from memories import LONG, MEMORY, SMALL, compiled, snapshot

from manent.memfile import restore, workspace
from manent.memfile.desk import Desk, Launch, state_of
from manent.memfile.tools import definitions

ROOT = Path(__file__).resolve().parent.parent.parent


def desk(root: Path, writing: bool = False, profile: str = "basic", **more: Any) -> Desk:
    return Desk(Launch(root, profile, writing, lambda: "20260102T030405Z", **more))


def names(one: Desk) -> list[str]:
    return [tool["name"] for tool in one.tools]


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    (tmp_path / "CLAUDE.md").write_text(MEMORY + LONG)
    return tmp_path


@pytest.fixture
def split(tmp_path: Path) -> Path:
    compiled(tmp_path, MEMORY + LONG)
    return tmp_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("- [Boats](boats.md) - moorings\n- [Cranes](cranes.md)\n")
    shared = "The quay is closed on Mondays, whatever the sign at the gate says.\n"
    (tmp_path / "boats.md").write_text(f"---\nname: boats\n---\n# Boats\n\n{shared}")
    (tmp_path / "cranes.md").write_text(f"# Cranes\n\nTwo.\n\n{shared}")
    return tmp_path


@pytest.mark.parametrize(
    ("profile", "state", "reading", "writing"),
    [
        ("basic", "compiled", 330, 620),
        ("basic", "plain", 364, 1021),
        ("basic", "directory", 740, 1397),
        ("full", "plain", 1666, 2668),
    ],
)
def test_definitions_cost_what_was_promised(
    profile: str, state: Any, reading: int, writing: int
) -> None:
    for allowed, limit in ((False, reading), (True, writing)):
        tools = definitions(profile, state, allowed)
        assert len(json.dumps(tools)) / 4 <= limit
        for tool in tools:
            assert set(tool) == {"name", "description", "inputSchema"}
            assert not {"profile", "episodicJson", "allowSecrets"} & set(
                tool["inputSchema"]["properties"]
            )


class TestWhichTools:
    def test_by_what_lies_there(self, tmp_path: Path) -> None:
        assert state_of(tmp_path) == "plain"
        assert names(desk(tmp_path)) == ["check"]
        assert names(desk(tmp_path, True)) == ["check", "optimize"]

    def test_compiled(self, split: Path) -> None:
        assert names(desk(split)) == ["recall"]
        assert names(desk(split, True)) == ["recall", "sync"]

    def test_a_directory(self, folder: Path) -> None:
        assert names(desk(folder)) == ["check", "recall"]
        assert names(desk(folder, True)) == ["check", "recall", "optimize"]

    def test_full(self, split: Path) -> None:
        reading = ["recall", "modules", "outline", "doctor", "plan", "scan"]
        assert names(desk(split, profile="full")) == reading
        assert names(desk(split, True, "full")) == [*reading, "apply", "update", "reorganize"]


class TestBasic:
    def test_check_audits_and_plans(self, plain: Path) -> None:
        before = snapshot(plain)
        text, failed = desk(plain).call("check", {})
        assert not failed and "findings:" in text and "verdict: compile" in text
        found = json.loads(desk(plain).call("check", {"format": "json"})[0])
        assert set(found) == {"doctor", "plan", "planUnavailableReason"}
        assert found["plan"]["verdict"] == "compile" and found["planUnavailableReason"] is None
        assert snapshot(plain) == before

    def test_check_says_why_there_is_no_plan(self, folder: Path) -> None:
        text, failed = desk(folder).call("check", {})
        assert not failed and "no plan: " in text and "routing list" in text

    def test_optimize_compiles_and_asks_for_a_relaunch(self, plain: Path) -> None:
        one = desk(plain, True)
        text, failed = one.call("optimize", {"target": "CLAUDE.md"})
        assert not failed and "relaunch" in text
        assert workspace.find(plain) is not None
        again, failed = one.call("optimize", {})
        assert not failed and "nothing to re-apply" in again
        restore.restored(plain)
        assert (plain / "CLAUDE.md").read_text() == MEMORY + LONG

    def test_a_verdict_and_a_credential_refuse(self, tmp_path: Path) -> None:
        (tmp_path / "CLAUDE.md").write_text(SMALL)
        text, failed = desk(tmp_path, True).call("optimize", {})
        assert failed and "leave CLAUDE.md as it is" in text
        secret = "ghp_" + "".join(chr(ord("a") + (7 * n) % 26) + str(n % 10) for n in range(18))
        (tmp_path / "CLAUDE.md").write_text(f"{MEMORY}{LONG}\n{secret}\n")
        text, failed = desk(tmp_path, True).call("optimize", {"force": True})
        assert failed and "credential" in text and "--allow-secrets" not in text
        assert set(snapshot(tmp_path)) == {"CLAUDE.md"}

    def test_recall_and_drift(self, split: Path) -> None:
        text, failed = desk(split).call("recall", {"query": "fixtures"})
        assert not failed and "conftest.py" in text and "drifted" not in text
        assert "`on-demand/testing.md`" in desk(split).call("recall", {})[0]
        assert desk(split).call("recall", {"headingsOnly": True})[1]
        heads, _ = desk(split).call("recall", {"headingsOnly": True, "file": "testing"})
        assert "> Testing (" in heads and "conftest.py" not in heads
        (split / ".memory/on-demand/testing.md").write_text("# Testing\n\nfixtures: none\n")
        read_only, _ = desk(split).call("recall", {"query": "fixtures"})
        assert "on-demand/testing.md (changed)" in read_only and "--update --write" in read_only
        assert "`sync` re-applies it" in desk(split, True).call("recall", {"query": "fixtures"})[0]

    def test_sync_mends_what_drifted_and_nothing_else(self, split: Path) -> None:
        one = desk(split, True)
        before = snapshot(split)
        assert "nothing drifted" in one.call("sync", {})[0]
        assert snapshot(split) == before
        stub = split / "CLAUDE.md"
        stub.write_text(stub.read_text() + "\n## Deployment\n\nBlue.\n")
        text, failed = one.call("sync", {})
        assert not failed and "re-applied" in text
        assert restore.drift(workspace.opened(split)) == []

    def test_sync_never_compiles_afresh(self, split: Path) -> None:
        one = desk(split, True)
        for path in sorted((split / ".memory").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (split / ".memory").rmdir()
        assert one.call("sync", {"force": True})[1]

    def test_facts_then_operations(self, folder: Path) -> None:
        one = desk(folder, True)
        facts, failed = one.call("optimize", {})
        assert not failed and "the same: boats.md:6, cranes.md:5" in facts
        assert '"op": "rename_file"' in facts
        ops = [
            {"op": "write_file", "path": "quay.md", "content": "# Quay\n"},
            {"op": "rename_file", "path": "boats.md", "to": "sub/ships.md"},
            {"op": "delete_file", "path": "cranes.md"},
        ]
        before = snapshot(folder)
        text, failed = one.call("optimize", {"ops": ops})
        assert not failed and ".memory-backup/20260102T030405Z" in text
        after = snapshot(folder)
        kept = {p.removeprefix(".memory-backup/20260102T030405Z/"): d for p, d in after.items()}
        assert {path: kept[path] for path in before} == before
        assert after["sub/ships.md"] == before["boats.md"] and after["quay.md"] == b"# Quay\n"
        assert "boats.md" not in after and "cranes.md" not in after


@pytest.mark.parametrize(
    "bad",
    [
        {"op": "write_file", "path": "../out.md", "content": ""},
        {"op": "write_file", "path": "/tmp/out.md", "content": ""},
        {"op": "write_file", "path": "a.txt", "content": ""},
        {"op": "write_file", "path": ".memory-backup/a.md", "content": ""},
        {"op": "write_file", "path": ".git/a.md", "content": ""},
        {"op": "write_file", "path": "linked/a.md", "content": ""},
        {"op": "write_file", "path": "boats.md/a.md", "content": ""},
        {"op": "write_file", "path": "a\\b.md", "content": ""},
        {"op": "write_file", "path": "./a.md", "content": ""},
        {"op": "write_file", "path": "a.md"},
        {"op": "delete_file", "path": "absent.md"},
        {"op": "delete_file", "path": "link.md"},
        {"op": "rename_file", "path": "boats.md", "to": "cranes.md"},
        {"op": "rename_file", "path": "boats.md", "to": "../b.md"},
        {"op": "chmod", "path": "boats.md"},
        "rm",
    ],
)
def test_one_bad_operation_stops_all(folder: Path, tmp_path_factory: Any, bad: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (folder / "linked").symlink_to(outside)
    (outside / "real.md").write_text("x")
    (folder / "link.md").symlink_to(outside / "real.md")
    before = snapshot(folder)
    good = {"op": "write_file", "path": "new.md", "content": "x"}
    text, failed = desk(folder, True).call("optimize", {"ops": [good, bad]})
    assert failed, text
    assert snapshot(folder) == before
    assert snapshot(outside) == {"real.md": b"x"}


class TestFull:
    def test_reading(self, split: Path) -> None:
        one = desk(split, profile="full")
        assert "`on-demand/testing.md`" in one.call("modules", {})[0]
        assert "> Testing (" in one.call("outline", {"module": "testing"})[0]
        assert "conftest.py" in one.call("recall", {"query": "fixtures", "module": "testing"})[0]
        assert "findings:" in one.call("doctor", {})[0]
        assert one.call("plan", {})[1]
        assert "nothing to re-apply" in one.call("plan", {"update": True})[0]
        assert one.call("outline", {})[1]

    def test_scan(self, folder: Path) -> None:
        one = desk(folder, profile="full")
        found = json.loads(one.call("scan", {"files": ["boats.md", "absent.md"]})[0])
        assert found["unknownFiles"] == ["absent.md"]
        assert [each["file"] for each in found["files"]] == ["boats.md"]
        assert found["files"][0]["frontmatter"] == {"name": "boats"}
        full = json.loads(one.call("scan", {"detail": "full"})[0])
        assert full["files"][0]["sections"] and full["duplicates"]

    def test_writing(self, plain: Path) -> None:
        one = desk(plain, True, "full")
        assert not one.call("apply", {})[1]
        text, failed = one.call("apply", {})
        assert failed and "update" in text
        assert not one.call("update", {})[1]


class TestConfined:
    @pytest.mark.parametrize("target", ["..", "/etc", "a/../..", "../x", "absent", "a\\b"])
    def test_targets_stay_inside(self, plain: Path, target: str) -> None:
        assert desk(plain).call("check", {"target": target})[1]

    def test_a_link_out_is_outside(self, plain: Path, tmp_path_factory: Any) -> None:
        (plain / "out").symlink_to(tmp_path_factory.mktemp("outside"))
        text, failed = desk(plain).call("check", {"target": "out"})
        assert failed and "not under the root" in text

    def test_auto_memory_only_when_allowed(self, plain: Path, tmp_path_factory: Any) -> None:
        auto = tmp_path_factory.mktemp("auto")
        (auto / "MEMORY.md").write_text("- [A](a.md) - x\n")
        text, failed = desk(plain, auto_memory=auto).call("check", {"target": "auto-memory"})
        assert failed and "--include-auto-memory" in text
        allowed = desk(plain, auto_memory=auto, include_auto_memory=True)
        assert not allowed.call("check", {"target": "auto-memory"})[1]

    def test_audits_leave_out_what_lies_outside(self, plain: Path, tmp_path_factory: Any) -> None:
        claude = tmp_path_factory.mktemp("claude")
        name = "".join(c if c.isalnum() else "-" for c in str(plain.resolve()))
        auto = claude / "projects" / name / "memory"
        auto.mkdir(parents=True)
        (auto / "MEMORY.md").write_text("- [A](a.md) - x\n")
        (claude / "shared.md").write_text("Use tabs.\n")
        (plain / "CLAUDE.md").write_text(f"{MEMORY}\n@{claude}/shared.md\n")

        def audited(**how: bool) -> set[str]:
            given = {"claude": claude, "auto_memory": auto, "home": claude, **how}
            one = desk(plain.resolve(), **given)
            found = json.loads(one.call("check", {"format": "json"})[0])
            return {Path(each["file"]).name for each in found["doctor"]["files"]}

        assert audited() == {"CLAUDE.md"}
        assert audited(include_auto_memory=True) == {"CLAUDE.md"}
        assert audited(external=True) == {"CLAUDE.md", "shared.md"}
        everything = audited(include_auto_memory=True, external=True)
        assert everything == {"CLAUDE.md", "shared.md", "MEMORY.md"}

    @pytest.mark.parametrize(
        "arguments", [{"targett": "."}, {"budget": "2"}, {"budget": 0}, {"format": "xml"}]
    )
    def test_wrong_arguments_are_said(self, plain: Path, arguments: dict[str, Any]) -> None:
        text, failed = desk(plain).call("check", arguments)
        assert failed and text.startswith("check: ")


_KEY = "io.modelcontextprotocol/"
_MODERN = {
    "_meta": {f"{_KEY}protocolVersion": "2026-07-28", f"{_KEY}clientCapabilities": {}},
}
_OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


def spoken(root: Path, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Send messages to the real process one after the other; return what it answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "manent", "memory", "mcp", str(root), "--allow-write"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ},
    )
    assert process.stdin is not None and process.stdout is not None
    answers = []
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            answers.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    assert process.wait(timeout=30) == 0
    assert process.stdout.read() == b""
    process.stdout.close()
    return answers


def test_a_legacy_client(split: Path) -> None:
    pytest.importorskip("mcp")
    opened, listed, found, absent = spoken(
        split,
        {"id": 1, "method": "initialize", "params": _OPENING},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
        {
            "id": 3,
            "method": "tools/call",
            "params": {"name": "recall", "arguments": {"query": "fixtures"}},
        },
        {"id": 4, "method": "tools/call", "params": {"name": "optimize", "arguments": {}}},
    )
    assert opened["result"]["serverInfo"]["name"] == "manent-memory"
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["recall", "sync"]
    assert "conftest.py" in found["result"]["content"][0]["text"]
    assert not found["result"].get("isError")
    assert absent["error"]["code"] == -32602


def test_a_modern_client(split: Path) -> None:
    pytest.importorskip("mcp")
    known, listed, wrong = spoken(
        split,
        {"id": 1, "method": "server/discover", "params": _MODERN},
        {"id": "b", "method": "tools/list", "params": _MODERN},
        {
            "id": 3,
            "method": "tools/call",
            "params": {"name": "recall", "arguments": {"nope": 1}, **_MODERN},
        },
    )
    assert known["result"]["supportedVersions"] == ["2026-07-28"]
    assert listed["id"] == "b" and len(listed["result"]["tools"]) == 2
    assert wrong["result"]["isError"] is True and "no argument nope" in str(wrong["result"])


def test_a_host_that_probes_and_then_initialises(split: Path) -> None:
    pytest.importorskip("mcp")
    known, opened, listed = spoken(
        split,
        {"id": 1, "method": "server/discover", "params": _MODERN},
        {"id": 2, "method": "initialize", "params": _OPENING},
        {"method": "notifications/initialized"},
        {"id": 3, "method": "tools/list", "params": {}},
    )
    assert known["result"]["resultType"] == "complete"
    assert opened["result"]["protocolVersion"] == "2025-11-25"
    assert len(listed["result"]["tools"]) == 2


_CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"check","arguments":%s}}'
_DEEP = "[" * 100_000 + "]" * 100_000


def test_every_request_gets_an_answer(plain: Path) -> None:
    """The real process, in both eras, with what no client should send."""
    pytest.importorskip("mcp")
    lines: list[bytes] = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _OPENING}).encode()
    ]
    arguments = [
        r'{"target":"a\ud800b"}', r'{"\ud800":1}', r'{"target":"\u0000"}', '{"budget":1e999}',
        '{"target":[' + _DEEP + "]}", '{"budget":true}', '{"format":null}', "[1]", "7", "null",
        '{"target":"' + "a/" * 3000 + '"}', '{"target":"~"}', '{"budget":' + "9" * 4000 + "}",
    ]  # fmt: skip
    asked = [_CALL % (number, given) for number, given in enumerate(arguments, 10)]
    odd = [b"", b"nonsense", b"[]", b'"\xff"', b'{"jsonrpc":"2.0","id":99,"method":"a\xff"}']
    lines += [line.encode() for line in asked] + odd
    lines.append(b'{"jsonrpc":"2.0","id":100,"method":"tools/list"}')
    process = subprocess.run(
        [sys.executable, "-m", "manent", "memory", "mcp", str(plain)],
        input=b"\n".join(lines) + b"\n",
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    answered = [answer["id"] for answer in answers]
    wanted = [1, *range(10, 10 + len(arguments)), 99, 100]
    assert sorted(i for i in answered if i is not None) == wanted
    assert answered.count(None) == 3
    assert all(("result" in answer) != ("error" in answer) for answer in answers)


def test_bytes_that_are_no_text_are_handed_out_as_escapes(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    (tmp_path / "MEMORY.md").write_bytes(b"- [T\xff](t.md) - h\xfe\n")
    (tmp_path / "t.md").write_bytes(b"# Tide\xff\n\nHigh at noon\xff, \x1b[2Jlow at six.\n")
    calls = [
        ("recall", {"query": "tide noon"}),
        ("recall", {}),
        ("recall", {"file": "t", "headingsOnly": True}),
        ("check", {}),
        ("check", {"format": "json"}),
        ("optimize", {}),
    ]
    answers = spoken(
        tmp_path,
        {"id": 1, "method": "initialize", "params": _OPENING},
        {"method": "notifications/initialized"},
        *(
            {"id": n, "method": "tools/call", "params": {"name": name, "arguments": given}}
            for n, (name, given) in enumerate(calls, 2)
        ),
    )
    assert len(answers) == 1 + len(calls)
    texts = [answer["result"]["content"][0]["text"] for answer in answers[1:]]
    assert "noon\\xff, \\x1b[2J" in texts[0]
    assert all("\x1b" not in text for text in texts)
    json.loads(texts[4])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(plain: Path, number: signal.Signals) -> None:
    pytest.importorskip("mcp")
    process = subprocess.Popen(
        [sys.executable, "-m", "manent", "memory", "mcp", str(plain)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    process.send_signal(number)
    assert process.wait(timeout=20) == -number
    process.stdin.close()
    process.stdout.close()
