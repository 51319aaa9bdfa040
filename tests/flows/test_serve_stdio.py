"""``manent serve`` on stdio: real processes, driven by the official client and by hand."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from vaults import note, write

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
ENVELOPE = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}
READING = [
    "brain_search",
    "brain_read",
    "brain_read_raw",
    "brain_neighbors",
    "brain_list",
    "brain_grep",
    "brain_feedback",
    "brain_curate",
    "brain_quarantine",
    "brain_gaps",
    "brain_graph",
]
AGENTS = {
    "tide": {"read": ["team"], "write": "quarantine/tide"},
    "moss": {"read": ["ops"]},
}
_SECONDS = 60


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = write(
        tmp_path / "vault",
        {
            "harbour.md": note("harbour", "The ferry leaves. [[quay]]", audience="[team]"),
            "quay.md": note("quay", "Stone, and a lantern. [[harbour]]", audience="[ops]"),
            "ledger.md": note("ledger", "The owner's lantern."),
        },
    )
    file = tmp_path / "agents.json"
    file.write_text(json.dumps(AGENTS))
    file.chmod(0o600)
    return root


class Spoken:
    """A server that is spoken to by the line."""

    def __init__(self, vault: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "manent", "serve", str(vault), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.errors = b""
        for work in (self._listen, self._drain):
            threading.Thread(target=work, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def send(self, line: bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = line if isinstance(line, bytes) else json.dumps(line).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """Return the next message; each line must be one, and of the protocol."""
        line = self._lines.get(timeout=_SECONDS)
        if not line:
            return None
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0", line
        return message

    def ask(self, line: bytes | dict[str, Any]) -> Any:
        self.send(line)
        return self.answer()

    def modern(self, identity: Any, method: str, **params: Any) -> Any:
        return self.ask(request(identity, method, _meta=ENVELOPE, **params))

    def end(self) -> int:
        """Close the server's input; return its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.answer() is None, "something was said after the end"
        return self.process.wait(_SECONDS)


def request(identity: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def handshake(identity: Any, version: str = "2025-11-25") -> dict[str, Any]:
    return request(
        identity,
        "initialize",
        protocolVersion=version,
        capabilities={},
        clientInfo={"name": "by hand", "version": "1"},
    )


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture
def speak(vault: Path) -> Iterator[Callable[..., Spoken]]:
    servers: list[Spoken] = []

    def begin(*options: str) -> Spoken:
        servers.append(Spoken(vault, *options))
        return servers[-1]

    yield begin
    for server in servers:
        server.process.kill()
        server.process.wait()


def parameters(vault: Path, *options: str) -> StdioServerParameters:
    command = ["-m", "manent", "serve", str(vault), *options]
    return StdioServerParameters(command=sys.executable, args=command)


def drive(vault: Path, mode: str, *options: str) -> dict[str, Any]:
    """Let the official client do what a host does; return what it was told."""
    told: dict[str, Any] = {}

    async def work() -> None:
        async with Client(stdio_client(parameters(vault, *options)), mode=mode) as client:
            told["version"] = client.protocol_version
            told["tools"] = [tool.name for tool in (await client.list_tools()).tools]
            for name, tool, arguments in CALLS:
                result = await client.call_tool(tool, arguments)
                assert not isinstance(result, tuple)
                told[name] = (result.is_error, result.content[0].text)  # type: ignore[union-attr]
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("brain_erase", {})
            told["unknown"] = unknown.value.error.code
            with pytest.raises(MCPError) as absent:
                await client.read_resource("ui://manent/nothing")
            told["absent"] = absent.value.error.code

    anyio.run(work)
    return told


CALLS = (
    ("search", "brain_search", {"query": "lantern"}),
    ("read", "brain_read", {"name": "harbour"}),
    ("hidden", "brain_read", {"name": "ledger"}),
    ("nothing", "brain_read", {"name": "nowhere"}),
    ("list", "brain_list", {}),
    ("lacking", "brain_read", {}),
    ("foreign", "brain_list", {"colour": "red"}),
)


class TestTheOfficialClient:
    @pytest.mark.parametrize(
        ("mode", "options", "version", "absent"),
        [
            ("auto", (), MODERN, -32602),
            ("legacy", (), "2025-11-25", -32002),
            (MODERN, ("--era", "modern"), MODERN, -32602),
            ("auto", ("--era", "legacy"), "2025-11-25", -32002),
        ],
    )
    def test_both_eras_can_do_the_same(
        self, vault: Path, mode: str, options: tuple[str, ...], version: str, absent: int
    ) -> None:
        told = drive(vault, mode, *options)
        assert told["version"] == version
        assert told["tools"] == READING
        failed, text = told["search"]
        names = {hit["name"] for hit in json.loads(text)["hits"]}
        assert not failed and names == {"quay", "ledger"}
        failed, text = told["read"]
        assert not failed and "The ferry leaves." in json.loads(text)["body"]
        assert told["hidden"][0] is False
        assert told["nothing"][0] is True and "no note nowhere" in told["nothing"][1]
        assert told["lacking"] == (
            True,
            'brain_read: "name" is a required property (brain_read(name, rev?, cursor?))',
        )
        assert told["foreign"][0] is True and "colour" in told["foreign"][1]
        assert (told["unknown"], told["absent"]) == (-32602, absent)

    def test_a_session_as_an_agent_sees_what_the_agent_sees(self, vault: Path) -> None:
        file = str(vault.parent / "agents.json")
        told = drive(vault, "auto", "--as", "tide", "--agents", file)
        assert [row["name"] for row in json.loads(told["list"][1])["notes"]] == ["harbour"]
        assert json.loads(told["search"][1])["hits"] == []
        # What is hidden fails as what is absent fails, word for word.
        hidden, nothing = told["hidden"], told["nothing"]
        assert hidden == (True, nothing[1].replace("nowhere", "ledger"))


class TestWhoOpensHow:
    def test_a_probe_decides_nothing(self, speak: Callable[..., Spoken]) -> None:
        """Some hosts probe, and initialize whatever they were told."""
        server = speak()
        probed = server.modern("probe", "server/discover")
        assert probed["id"] == "probe"
        assert probed["result"]["supportedVersions"] == [MODERN]
        assert probed["result"]["resultType"] == "complete"
        begun = server.ask(handshake(1))
        assert begun["result"]["protocolVersion"] == "2025-11-25"
        server.send(INITIALIZED)
        listed = server.ask(request(2, "tools/list"))["result"]
        assert [tool["name"] for tool in listed["tools"]] == READING
        assert "resultType" not in listed and "ttlMs" not in listed
        assert server.ask(request(3, "ping"))["result"] == {}
        assert server.end() == 0

    @pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
    def test_the_legacy_revisions(self, speak: Callable[..., Spoken], version: str) -> None:
        server = speak("--era", "legacy")
        assert server.ask(handshake(1, version))["result"]["protocolVersion"] == version
        server.send(INITIALIZED)
        called = request(2, "tools/call", name="brain_read", arguments={"name": "quay"})
        assert "Stone" in server.ask(called)["result"]["content"][0]["text"]
        assert server.end() == 0

    @pytest.mark.parametrize("asked", ["2024-11-05", "2024-10-07", "1.0", "2031-01-01"])
    def test_who_asks_for_another_revision_is_offered_one_that_is_served(
        self, speak: Callable[..., Spoken], asked: str
    ) -> None:
        server = speak()
        assert server.ask(handshake(1, asked))["result"]["protocolVersion"] == "2025-11-25"
        server.send(INITIALIZED)
        # What is spoken from then on is that revision: an older one knows no such field.
        called = server.ask(request(2, "tools/call", name="brain_graph", arguments={}))["result"]
        assert called["structuredContent"]["nodes"]
        assert server.end() == 0

    def test_pinned_to_legacy_it_lets_a_client_fall_back(
        self, speak: Callable[..., Spoken]
    ) -> None:
        server = speak("--era", "legacy")
        refused = server.modern(1, "server/discover")["error"]
        # Any error but those of the modern wire makes a client of both eras fall back.
        assert refused["code"] not in (-32020, -32021, -32022)
        assert server.ask(handshake(2))["result"]["protocolVersion"] == "2025-11-25"
        assert server.end() == 0

    def test_pinned_to_modern_it_serves_nothing_else(self, speak: Callable[..., Spoken]) -> None:
        server = speak("--era", "modern")
        refused = server.ask(handshake(1))["error"]
        assert (refused["code"], refused["data"]["supported"]) == (-32022, [MODERN])
        bare = server.ask(request(2, "tools/list"))["error"]
        assert bare["code"] == -32602
        listed = server.modern(3, "tools/list")["result"]
        assert listed["resultType"] == "complete" and listed["cacheScope"] == "private"
        assert server.end() == 0

    def test_what_a_modern_request_must_carry(self, speak: Callable[..., Spoken]) -> None:
        server = speak()
        half = {f"{META}protocolVersion": MODERN}
        assert server.ask(request(1, "tools/list", _meta=half))["error"]["code"] == -32602
        future = ENVELOPE | {f"{META}protocolVersion": "2031-01-01"}
        refused = server.ask(request(2, "tools/list", _meta=future))["error"]
        assert refused["code"] == -32022
        assert refused["data"] == {"supported": [MODERN], "requested": "2031-01-01"}
        assert server.modern(3, "tools/unknown")["error"]["code"] == -32601
        assert server.modern(4, "tools/list")["result"]["ttlMs"] >= 0
        assert server.end() == 0


def deep(depth: int) -> bytes:
    opened, closed = b'{"a":' * depth, b"}" * depth
    return (
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + opened + b"1" + closed + b"}"
    )


HOSTILE: list[tuple[str, bytes, Any, int]] = [
    ("no JSON", b"{not json", None, -32700),
    ("no UTF-8", b'{"\xff\xfe', None, -32700),
    ("a number", b"7", None, -32600),
    ("an empty batch", b"[]", None, -32600),
    ("a batch", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
    ("no version", b'{"id":5,"method":"ping"}', 5, -32600),
    ("a method that is no text", b'{"jsonrpc":"2.0","id":6,"method":9}', 6, -32600),
    ("nothing", b"{}", None, -32600),
    ("an id alone", b'{"jsonrpc":"2.0","id":4}', 4, -32600),
    ("an id that is none", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
    ("an id that is a truth", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
    ("parameters that are a list", b'{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}', 8, 0),
    (
        "half a character",
        b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":"\\ud800"}}',
        9,
        0,
    ),
    ("NaN", b'{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"a":NaN}}', 10, -32700),
    ("infinity", b'{"jsonrpc":"2.0","id":13,"method":"ping","params":{"a":-Infinity}}', 13, -32700),
    ("deep", deep(200_000), 7, 0),
    ("no UTF-8, with an id", b'{"jsonrpc":"2.0","id":11,"method":"\xff"}', 11, -32700),
    (
        "a request and an answer in one",
        b'{"jsonrpc":"2.0","id":12,"method":"ping","error":{"code":1,"message":"x"}}',
        12,
        -32600,
    ),
]
"""What to call it, the line, the id its answer must carry (or which), the code (0: any)."""


UNANSWERED = (
    b"",
    b"   ",
    b'{"jsonrpc":"2.0","id":77,"result":{}}',
    b'{"jsonrpc":"2.0","id":78,"error":{"code":1,"message":"no"}}',
    b'{"jsonrpc":"2.0","method":"tools/list"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}',
    b'{"jsonrpc":"2.0","method":"notifications/unheard","params":{}}',
)


@pytest.mark.parametrize("era", ["auto", "legacy", "modern"])
def test_every_line_gets_its_answer(speak: Callable[..., Spoken], era: str) -> None:
    """Nothing that is sent stays unanswered, kills the server, or reaches stdout raw."""
    server = speak("--era", era)
    for what, line, identity, code in HOSTILE:
        answer = server.ask(line)
        assert answer["id"] in (identity if isinstance(identity, tuple) else (identity,)), what
        assert "error" in answer, what
        assert code in (0, answer["error"]["code"]), (what, answer)
    # Blank lines, lines without an id, and answers nobody waited for are no requests.
    for line in UNANSWERED:
        server.send(line)
    if era == "modern":
        assert "result" in server.modern("last", "tools/list")
    else:
        assert server.ask(handshake("last"))["id"] == "last"
    assert server.end() == 0
    assert b"Traceback" not in server.errors


def test_arguments_of_any_kind(speak: Callable[..., Spoken]) -> None:
    server = speak()

    def called(identity: int, name: str, arguments: Any) -> Any:
        return server.modern(identity, "tools/call", name=name, arguments=arguments)

    def text(answer: Any) -> str:
        return str(answer["result"]["content"][0]["text"])

    assert "quay" in text(called(1, "brain_list", {}))
    ten = "x" * (10 << 20)
    long = called(2, "brain_search", {"query": ten})["result"]
    assert long["isError"] and "too long" in long["content"][0]["text"]
    nested: Any = 1
    for _ in range(300):
        nested = {"a": nested}
    deep_one = called(3, "brain_list", {"type": nested})
    assert "error" in deep_one or deep_one["result"]["isError"]
    for number, value in enumerate([1e400, -1, 2**70, True, "8", None, [], {}]):
        said = called(10 + number, "brain_search", {"query": "lantern", "k": value})
        assert "error" in said or said["result"]["isError"], value
        assert "Traceback" not in json.dumps(said)
    half = b'{"jsonrpc":"2.0","id":40,"method":"tools/call","params":{"name":"brain_read",'
    half += b'"arguments":{"name":"\\udfff"},"_meta":' + json.dumps(ENVELOPE).encode() + b"}}"
    assert server.ask(half)["id"] == 40
    too_long = b'{"jsonrpc":"2.0","id":41,"method":"' + b"y" * (17 << 20) + b'"}'
    assert server.ask(too_long)["error"]["code"] == -32600
    odd = called(42, "brain_grep", {"pattern": "(((", "limit": 5})["result"]
    assert odd["isError"] and "no such pattern" in odd["content"][0]["text"]
    assert "lantern" in text(called(43, "brain_grep", {"pattern": "lan.ern"}))
    assert server.end() == 0
    assert b"Traceback" not in server.errors


def test_requests_that_overlap_are_all_answered(speak: Callable[..., Spoken]) -> None:
    server = speak()
    assert "result" in server.modern(0, "tools/list")
    for number in range(1, 41):
        arguments = {"name": "quay"} if number % 2 else {"name": "nowhere"}
        params = {"name": "brain_read", "arguments": arguments, "_meta": ENVELOPE}
        server.send(request(number, "tools/call", **params))
    answers = {message["id"]: message for message in (server.answer() for _ in range(40))}
    assert sorted(answers) == list(range(1, 41))
    assert all(answers[n]["result"]["isError"] is (n % 2 == 0) for n in answers)
    assert server.end() == 0


def test_it_ends_with_its_input_and_answers_what_came_before(
    speak: Callable[..., Spoken],
) -> None:
    server = speak()
    for number in (1, 2, 3):
        params = {"name": "brain_list", "arguments": {}, "_meta": ENVELOPE}
        server.send(request(number, "tools/call", **params))
    assert server.process.stdin is not None
    server.process.stdin.close()
    answered = []
    while (message := server.answer()) is not None:
        answered.append(message["id"])
        assert message["result"]["isError"] is False
    assert sorted(answered) == [1, 2, 3]
    assert server.process.wait(_SECONDS) == 0


@pytest.mark.parametrize("ends", ["input", "signal", "at once"])
def test_who_listens_is_told_of_the_end(speak: Callable[..., Spoken], ends: str) -> None:
    """Each stream ends with its result, also one that has hardly begun; one called off has none."""
    server = speak()
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["ui://manent/gaps"]}
    listens = [
        request(name, "subscriptions/listen", _meta=ENVELOPE, notifications=wanted)
        for name in ("one", "two", "off")
    ]
    off = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "off"}}
    for line in listens:
        server.send(line)
    told = []
    if ends != "at once":
        told = [server.answer() for _ in listens]
        assert {one["method"] for one in told} == {"notifications/subscriptions/acknowledged"}
        server.send(off)
        assert "result" in server.modern(4, "tools/list")
    if ends == "signal":
        server.process.send_signal(signal.SIGTERM)
    else:
        assert server.process.stdin is not None
        server.process.stdin.close()
    results = {}
    while (message := server.answer()) is not None:
        assert "error" not in message
        if "result" in message:
            results[message["id"]] = message["result"]
    server.process.wait(_SECONDS)
    assert set(results) == ({"one", "two", "off"} if ends == "at once" else {"one", "two"})
    for name, result in results.items():
        assert result["_meta"][f"{META}subscriptionId"] == name
        assert result["resultType"] == "complete"
    assert b"Traceback" not in server.errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(speak: Callable[..., Spoken], number: signal.Signals) -> None:
    server = speak()
    assert "result" in server.modern(1, "tools/list")
    server.process.send_signal(number)
    assert server.process.wait(_SECONDS) in (0, 130, 128 + number, -number)
    assert b"Traceback" not in server.errors


def test_a_client_that_goes_away_ends_it(speak: Callable[..., Spoken]) -> None:
    server = speak()
    assert "result" in server.modern(1, "tools/list")
    assert server.process.stdin is not None and server.process.stdout is not None
    server.process.stdin.close()
    assert server.process.wait(_SECONDS) == 0


def test_a_client_that_reads_nothing_keeps_no_server_from_its_end(vault: Path) -> None:
    """Its pipe is full and its answers are nobody's: a signal ends the server all the same."""
    (vault / "long.md").write_text(note("long", "word " * 4_000))
    process = subprocess.Popen(
        [sys.executable, "-m", "manent", "serve", str(vault)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    try:
        for number in range(30):
            params = {"name": "brain_read", "arguments": {"name": "long"}, "_meta": ENVELOPE}
            line = request(number, "tools/call", **params)
            process.stdin.write(json.dumps(line).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["isError"] is False
        process.send_signal(signal.SIGTERM)
        process.wait(_SECONDS)
        assert process.stderr is not None and b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def test_wrong_use_is_said_in_one_line_and_not_on_stdout(vault: Path) -> None:
    for options in (
        ["--as", "nobody", "--agents", str(vault.parent / "agents.json")],
        ["--token", "a" * 20],
        ["--git"],
        ["--as", "tide", "--http", "0", "--token", "a" * 20],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "manent", "serve", str(vault), *options],
            input=b"",
            capture_output=True,
            timeout=_SECONDS,
        )
        assert (done.returncode, done.stdout) == (2, b""), options
        assert b"Traceback" not in done.stderr and done.stderr.strip()


@pytest.mark.parametrize("command", [["serve"], ["memory", "mcp"]])
def test_without_an_input_it_does_not_wait_for_one(vault: Path, command: list[str]) -> None:
    line = [sys.executable, "-m", "manent", *command, str(vault)]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *line], capture_output=True, timeout=_SECONDS
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"standard input or output is closed" in done.stderr
