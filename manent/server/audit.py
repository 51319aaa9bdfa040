"""The audit: one line a call, of who called what, and what it came to.

A line stands before the caller has its answer. It holds no more than it must: what the
scanners find in an argument is left out, and of a long text, as of the body of a
write, only its length and digest are kept. It lies in a file, which may be rotated
under the server, or in a database that several servers share. Where it cannot be
written the log says so, once, and calls go on.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import hashlib
import json
import logging
import math
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from manent.access import Identity
from manent.errors import EnvironmentFault
from manent.finding import inert
from manent.gaps.address import FULL, DatabaseFault, cause_in, is_address
from manent.gaps.words import redacted
from manent.scan.span import Context
from manent.server.answer import Answer, Question
from manent.values import dataclass, field

log = logging.getLogger("manent.server")

BODIES = frozenset({"body"})
"""Arguments that are the text of a note: never kept, whatever their length."""
LONGEST = 1_000
"""Characters of an argument that is kept: longer ones become a digest."""
MOST_ARGUMENTS = 24
_PLAIN = re.compile(r"[A-Za-z_]{1,24}", re.ASCII)
MOST_RESULTS = 50
LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class Entry:
    """One call as it happened; arguments as they came: redacting is the audit's.

    results: the names of the notes the answer is about. ok: it did not fail; None where
    nothing came of it yet, since a person is asked first. asked: by which question, "" for
    none. error: what it failed with.
    """

    time: datetime.datetime
    identity: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    results: Sequence[str] = ()
    elapsed_ms: float = 0.0
    ok: bool | None = True
    asked: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that no call shows: a commit that failed, a reload that did."""

    time: datetime.datetime
    event: str
    detail: str = ""
    identity: str = ""


class Sink(Protocol):
    """Where lines go."""

    def write(self, line: Mapping[str, Any]) -> None:
        """Keep a line. Raises EnvironmentFault."""

    def close(self) -> None:
        """Let go; what was written stands."""


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class Audit:
    """Keeps what is called. Any thread may; none of its verbs raises.

    context: what the scanners know of the vault. now: the clock.
    """

    def __init__(
        self,
        sink: Sink,
        context: Context | None = None,
        now: Callable[[], datetime.datetime] = _now,
    ) -> None:
        self._sink = sink
        self._context = context
        self._now = now
        self._silent = False

    def called(
        self,
        identity: Identity,
        tool: str,
        arguments: Mapping[str, Any],
        answer: Answer | Question,
        elapsed_ms: float,
    ) -> None:
        """Keep a call and what it came to."""
        who, now = identity.name, self._now()
        if isinstance(answer, Question):
            entry = Entry(now, who, tool, arguments, (), elapsed_ms, None, answer.key)
        else:
            error = answer.text if answer.failed else ""
            names, ok = answer.names, not answer.failed
            entry = Entry(now, who, tool, arguments, names, elapsed_ms, ok, "", error)
        self.record(entry)

    def record(self, entry: Entry) -> None:
        """Keep a call."""
        self._write(
            {
                "time": _spelled(entry.time),
                "identity": _short(entry.identity),
                "tool": self._name(entry.tool),
                "arguments": self._arguments(entry.arguments),
                "results": [_short(name) for name in entry.results[:MOST_RESULTS]],
                "result_count": len(entry.results),
                "elapsed_ms": round(entry.elapsed_ms, 3),
                "ok": entry.ok,
                **({"asked": entry.asked} if entry.asked else {}),
                **({"error": self._text(entry.error)} if entry.error else {}),
            }
        )

    def event(self, name: str, detail: str = "", identity: str = "") -> None:
        """Keep that something happened outside of any call."""
        self.note(Event(self._now(), name, detail, identity))

    def note(self, event: Event) -> None:
        """Keep an event."""
        line = {"time": _spelled(event.time), "event": event.event}
        if event.identity:
            line["identity"] = _short(event.identity)
        if event.detail:
            line["detail"] = redacted(event.detail[:LONGEST], self._context)
        self._write(line)

    def close(self) -> None:
        """Let go; what was recorded stands."""
        self._sink.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        try:
            self._sink.write(line)
        except EnvironmentFault as fault:
            if not self._silent:
                log.error(
                    "the audit cannot be written: %s",
                    fault,
                    extra={"event": "audit-lost", "cause": cause_in(fault)},
                )
            self._silent = True
            return
        if self._silent:
            log.warning("the audit is written again", extra={"event": "audit-back"})
        self._silent = False

    # -- what is kept of arguments -------------------------------------------------

    def _arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for key in list(arguments)[:MOST_ARGUMENTS]:
            kept[self._name(str(key))] = self._value(arguments[key], whole=key not in BODIES)
        if len(arguments) > MOST_ARGUMENTS:
            kept["…"] = len(arguments) - MOST_ARGUMENTS
        return kept

    def _name(self, name: str) -> str:
        """Return the name of a tool or of an argument; a client may send anything as one."""
        if _PLAIN.fullmatch(name):
            return name
        return redacted(name[:LONGEST_NAME], self._context)

    def _value(self, value: Any, *, whole: bool) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, int):
            return value if abs(value) < 1 << 53 else self._text(str(value)[:LONGEST])
        if not isinstance(value, str):
            try:
                value = json.dumps(value, ensure_ascii=False)
            except (ValueError, TypeError, RecursionError):
                return "…"
        return self._text(value) if whole else _digest(value)

    def _text(self, text: str) -> Any:
        """Return a text without what the scanners find, or a digest where it is long."""
        return redacted(text, self._context) if len(text) <= LONGEST else _digest(text)


def _digest(text: str) -> dict[str, Any]:
    raw = text.encode("utf-8", "surrogatepass")
    return {"sha256": hashlib.sha256(raw).hexdigest(), "length": len(text)}


def _short(name: str) -> str:
    return inert(name[:LONGEST_NAME])


def _spelled(time: datetime.datetime) -> str:
    return time.astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def open_audit(
    where: str, context: Context | None = None, now: Callable[[], datetime.datetime] = _now
) -> Audit:
    """Open the audit that ``where`` names: a file, ``sqlite:///FILE`` or ``postgresql://…``.

    Raises EnvironmentFault, or UsageError for an address of another kind.
    """
    if not is_address(where):
        return Audit(Lines(Path(where)), context, now)
    from manent.server.ledger import Table

    return Audit(Table(where), context, now)


class Lines:
    """A file to which lines are only ever added. A file put aside is left alone.

    Another process may add to it too: each line is one write.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._descriptor = -1
        self._torn = False
        with self._lock:
            self._ensure()

    def write(self, line: Mapping[str, Any]) -> None:
        """Add a line. Raises EnvironmentFault."""
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        raw = text.encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            self._ensure()
            # What a full disk cut off stays a line of its own.
            given = b"\n" + raw if self._torn else raw
            try:
                written = os.write(self._descriptor, given)
            except OSError as error:
                raise self._fault(error) from error
            if written:
                self._torn = written < len(given)
            if written < len(given):
                raise DatabaseFault(f"cannot write {self._file}", FULL)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._let_go()

    def _ensure(self) -> None:
        """Have the file open that stands there now: it is another one after a rotation."""
        try:
            if self._descriptor >= 0 and self._is_there():
                return
            self._let_go()
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._descriptor = os.open(self._file, flags | os.O_NONBLOCK, 0o600)
            self._torn = self._ends_torn()
        except OSError as error:
            raise self._fault(error) from error

    def _is_there(self) -> bool:
        try:
            there = self._file.stat()
        except FileNotFoundError:
            return False
        held = os.fstat(self._descriptor)
        return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)

    def _ends_torn(self) -> bool:
        """Tell whether a server was killed in the middle of a line."""
        if os.fstat(self._descriptor).st_size == 0:
            return False
        with contextlib.suppress(OSError), self._file.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
        return False

    def _let_go(self) -> None:
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
        self._descriptor = -1

    def _fault(self, error: OSError) -> EnvironmentFault:
        cause = FULL if error.errno == errno.ENOSPC else str(error.strerror)
        return DatabaseFault(f"cannot write {self._file}", cause)
