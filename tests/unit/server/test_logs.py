"""The log: no field for text, nothing of what libraries say, no way to fall over."""

from __future__ import annotations

import datetime
import io
import json
import logging
import os
from collections.abc import Iterator

import pytest

from manent.server.logs import LONGEST, Libraries, Log, capture

NOW = datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.UTC)


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def root_logger() -> Iterator[logging.Logger]:
    root = logging.getLogger()
    before = list(root.handlers)
    yield root
    logging.captureWarnings(False)
    root.handlers[:] = before


def test_a_line_is_one_json_object(stream: io.StringIO) -> None:
    Log(stream, lambda: NOW)("call", tool="brain_search", identity="scout", ms=3)
    line = json.loads(stream.getvalue())
    assert stream.getvalue().count("\n") == 1
    assert line == {
        "time": "2026-11-30T12:00:00.000+00:00",
        "level": "info",
        "event": "call",
        "tool": "brain_search",
        "identity": "scout",
        "ms": 3,
    }


@pytest.mark.parametrize("field", ["query", "path", "text", "token", "arguments", "note"])
def test_there_is_no_field_for_what_must_not_be_logged(stream: io.StringIO, field: str) -> None:
    with pytest.raises(ValueError, match="no field"):
        Log(stream)("call", **{field: "anything"})
    assert stream.getvalue() == ""


def test_a_value_cannot_begin_a_line_of_its_own(stream: io.StringIO) -> None:
    Log(stream)("refused", host='evil.example\n{"event":"forged"}\u2028\x1b[2J')
    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue() and "\u2028" not in stream.getvalue()
    Log(stream)("refused", host="h" * 10_000)
    assert len(json.loads(stream.getvalue().splitlines()[-1])["host"]) == LONGEST


def test_what_a_library_says_is_not_repeated(
    stream: io.StringIO, root_logger: logging.Logger
) -> None:
    capture(Log(stream))
    try:
        raise KeyError("the text of a hidden note")
    except KeyError:
        logging.getLogger("some.library").exception("while answering %s", "a secret query")
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    written = stream.getvalue()
    assert "hidden note" not in written and "secret query" not in written
    lines = [json.loads(line) for line in written.splitlines()]
    assert [line["library"] for line in lines] == ["some.library", "uvicorn.error"]
    assert lines[0]["error"] == "KeyError"


def test_capturing_twice_logs_once(stream: io.StringIO, root_logger: logging.Logger) -> None:
    capture(Log(io.StringIO()))
    capture(Log(stream))
    assert sum(isinstance(handler, Libraries) for handler in root_logger.handlers) == 1
    logging.getLogger("x").warning("once")
    assert stream.getvalue().count("\n") == 1


def test_a_closed_stream_stops_nothing(stream: io.StringIO) -> None:
    stream.close()
    Log(stream)("call", tool="brain_list")
    assert stream.closed


def test_a_pipe_that_nobody_empties_stops_nothing() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as end, os.fdopen(writing, "w") as stream:
        log = Log(stream)
        for _ in range(5_000):
            log("call", tool="brain_list", host="h" * 300)
        os.set_blocking(reading, False)
        taken = 0
        while taken < 5_000 and (piece := end.read(1 << 20)):
            taken += piece.count(b"\n")
        assert 0 < taken < 5_000
        log("call", tool="brain_list")
        lines = [json.loads(line) for line in end.read().splitlines()]
        assert lines[0]["event"] == "left-out" and lines[0]["count"] == 5_000 - taken
        assert lines[1]["event"] == "call"


def test_what_this_code_logs_through_libraries_keeps_its_wording_alone(
    stream: io.StringIO, root_logger: logging.Logger
) -> None:
    capture(Log(stream))
    logging.getLogger("manent.server").error(
        "a tool failed: %s", "the text of a note", extra={"event": "bug"}
    )
    line = json.loads(stream.getvalue())
    assert line["event"] == "bug"
    assert line["reason"] == "a tool failed: %s" and "text of a note" not in stream.getvalue()
