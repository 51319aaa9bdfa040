"""What the server says of itself: one JSON line an event, on stderr.

A line has room for what an operator needs and no room for anything else: a field that
is not in ``FIELDS`` is a mistake that raises. So no text of a note, no query, no path and
no token can be written by whoever adds a line later without thinking. What libraries
log is reduced to who logged, how gravely, where, and the kind of exception: their
messages may quote what a client sent.
"""

from __future__ import annotations

import datetime
import json
import logging
import select
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TextIO

from manent.finding import inert

FIELDS = {
    "agents": "how many an agents file names",
    "client": "the address a request came from",
    "commit": "the commit that is served, for the operator's eyes",
    "count": "how many",
    "error": "the name of a kind of exception",
    "fault": "what is wrong with a file, a folder, a repository or a database of the operator",
    "host": "a Host header that was refused",
    "identity": "who called",
    "library": "the logger of a library",
    "method": "the HTTP method",
    "ms": "how long it took",
    "origin": "an Origin header that was refused",
    "outcome": "ok, failed, refused, asked, cancelled",
    "port": "the port listened at",
    "reason": "why, in words of this code alone",
    "route": "the route a request took, never its path",
    "signal": "the signal that ends the server",
    "status": "the HTTP status",
    "tool": "the tool called",
    "url": "the address of the server itself",
    "vectors": "how many vectors",
    "where": "module and line of code",
}
"""Every field a line may have, and what it holds."""

LONGEST = 300
"""Characters of a field: who sends a header of a megabyte does not fill the disk."""

Value = str | int | float | bool


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class Log:
    """Writes events to a stream. Safe to call from any thread; never raises for the stream.

    Nor does it wait for one: where nobody empties the pipe that stderr is, lines are left
    out, and the next one that goes through is preceded by how many.
    stream: None stands for stderr as it is when a line is written.
    """

    def __init__(
        self, stream: TextIO | None = None, now: Callable[[], datetime.datetime] = _now
    ) -> None:
        self._stream = stream
        self._now = now
        self._lock = threading.Lock()
        self._left_out = 0

    def __call__(self, event: str, level: str = "info", **fields: Value) -> None:
        """Write one line. Raises ValueError for a field that is not in ``FIELDS``."""
        unknown = fields.keys() - FIELDS.keys()
        if unknown:
            raise ValueError(f"a log line has no field {sorted(unknown)[0]}")
        self._write(self._line(event, level, fields))

    def _line(self, event: str, level: str, fields: Mapping[str, Value]) -> str:
        line: dict[str, Value] = {
            "time": self._now().isoformat(timespec="milliseconds"),
            "level": level,
            "event": event,
        }
        line |= {name: _fit(value) for name, value in fields.items()}
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"

    def _write(self, text: str) -> None:
        stream = self._stream or sys.stderr
        with self._lock:
            try:
                if not _takes(stream):
                    self._left_out += 1
                    return
                if self._left_out:
                    text = self._line("left-out", "warning", {"count": self._left_out}) + text
                    self._left_out = 0
                stream.write(text)
                stream.flush()
            except (OSError, ValueError):
                # Nobody reads any more: serving goes on.
                return


def _takes(stream: TextIO) -> bool:
    """Tell whether a stream takes a line now: a pipe that can be written to has 4 KB free."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return True  # no file behind it: nothing to wait for
    if not hasattr(select, "poll"):
        return True
    asked = select.poll()
    asked.register(descriptor, select.POLLOUT)
    return bool(asked.poll(0))


def _fit(value: Value) -> Value:
    return inert(value[:LONGEST])[:LONGEST] if isinstance(value, str) else value


class Libraries(logging.Handler):
    """Passes on that a library logged something, and nothing of what it said."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record without its message."""
        fields: dict[str, Value] = {
            "library": record.name,
            "where": f"{record.module}:{record.lineno}",
        }
        if record.exc_info and record.exc_info[0] is not None:
            fields["error"] = record.exc_info[0].__name__
        if record.name.split(".")[0] == "manent":
            # The wording, which stands in this code; not what was put into it.
            fields["reason"] = str(record.msg)
            last = record.args[-1] if isinstance(record.args, tuple) and record.args else None
            if isinstance(last, str) and last.isidentifier():
                fields.setdefault("error", last)
        if cause := getattr(record, "cause", ""):
            fields["fault"] = str(cause)  # words of our own code too
        # Records of our own name what happened; what they say of it stays out as well.
        event = str(getattr(record, "event", "library"))
        self._log(event, record.levelname.lower(), **fields)


def capture(log: Log) -> None:
    """Lead what libraries log through ``log``, all of it, and to nowhere else."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, Libraries) or type(handler) is logging.StreamHandler:
            root.removeHandler(handler)
    root.addHandler(Libraries(log))
    logging.captureWarnings(True)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
