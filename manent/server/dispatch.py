"""The one place that calls a tool: whoever asks, over whichever wire and revision.

It settles who may call what, checks the arguments, fixes the View, and makes an answer
of whatever the tool returns or raises. What it lets through it puts into the audit.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import json
import logging
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from manent.access import OWNER, Identity, View
from manent.errors import EnvironmentFault, ManentError, NotFound, UsageError
from manent.server.answer import Answer, Fence, Question, fitted
from manent.server.brain import PATIENCE, Brain
from manent.server.tool import Asked, Call, Found, Register, Tool, Touch, Writer
from manent.server.tools import all_tools
from manent.values import dataclass, field, replace
from manent.vault.glimpse import Stale
from manent.vault.record import NoteRecord

if TYPE_CHECKING:
    import jsonschema_rs

    from manent.search.ranker import Ranker, Setting
    from manent.server.lane import Lane

log = logging.getLogger("manent.server")

LONGEST_ARGUMENTS = 4 << 20
"""Characters of all text arguments together that are looked at."""
_LONGEST_NAME = 64
_TRIES = 4
"""How often a call is made again because a file changed under it."""

Lines = Callable[["Lane", View, str, int, str], Sequence[Mapping[str, Any]]]
"""Journal lines: (lane, view, query, how many, commit of the past or "") to rows."""
Touches = Callable[["Lane", Sequence[NoteRecord], str], Mapping[str, Touch]]
"""When notes were last touched: (lane, notes, commit of the past or "")."""


class UnknownTool(NotFound):
    """No tool of that name, or none for this caller: a fault of the protocol."""


class Keeps(Protocol):
    """Where calls are audited."""

    def called(
        self,
        identity: Identity,
        tool: str,
        arguments: Mapping[str, Any],
        answer: Answer | Question,
        elapsed_ms: float,
    ) -> None:
        """Keep one call; never raises."""


@dataclass(slots=True)
class Parts:
    """What a server has beside its brain; all of it optional.

    register, writer: None where the command line asked for none. audit: all that is told of
    calls. lines, touches:
    as above. key: of the fence. now, new_id: the clock, and random ids.
    """

    register: Register | None = None
    writer: Writer | None = None
    audit: Sequence[Keeps] = ()
    lines: Lines | None = None
    touches: Touches | None = None
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC)
    new_id: Callable[[], str] = lambda: secrets.token_urlsafe(12)


class Dispatcher:
    """Answers calls of tools over a brain."""

    def __init__(self, brain: Brain, parts: Parts | None = None) -> None:
        self.brain = brain
        self.parts = parts or Parts()
        self._tools = {tool.name: tool for tool in all_tools()}
        self._validators: dict[str, jsonschema_rs.Validator] = {}

    @functools.cached_property
    def _setting(self) -> Setting:
        from manent.search.ranker import Setting

        served = self.brain.served
        return Setting(
            served.model, served.state, served.cache, served.processes, patience=PATIENCE
        )

    def listed(self, identity: Identity) -> list[Tool]:
        """Return the tools that an identity may call, in a fixed order."""
        return [tool for tool in self._tools.values() if self._may(identity, tool)]

    def tool(self, identity: Identity, name: str) -> Tool:
        """Return a tool that an identity may call. Raises UnknownTool."""
        found = self._tools.get(name)
        if found is None or not self._may(identity, found):
            raise UnknownTool(f"no tool {name}")
        return found

    def _may(self, identity: Identity, tool: Tool) -> bool:
        if tool.owner_only and not identity.is_whole_owner:
            return False
        return not tool.writes or (self.parts.writer is not None and bool(identity.write))

    def call(
        self,
        identity: Identity,
        name: str,
        arguments: Mapping[str, Any],
        asked: Asked | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Answer | Question:
        """Call a tool and return what it came to; a failure is an answer too.

        Raises UnknownTool. Blocks: run it on a thread of its own.
        """
        tool = self.tool(identity, name)
        began = time.monotonic()
        answer = self._guarded(tool, identity, arguments, asked or Asked(), cancelled)
        if isinstance(answer, Answer):
            answer = fitted(answer)
        elapsed_ms = (time.monotonic() - began) * 1000
        for keeps in self.parts.audit:
            keeps.called(identity, name, arguments, answer, elapsed_ms)
        return answer

    def refused(self, identity: Identity, name: str, arguments: Mapping[str, Any]) -> None:
        """Keep in the audit that somebody called what is no tool of theirs."""
        answer = Answer(text="unknown tool", failed=True)
        for keeps in self.parts.audit:
            keeps.called(identity, name[:_LONGEST_NAME], arguments, answer, 0.0)

    def shows(
        self, identity: Identity, arguments: Mapping[str, Any], paths: Collection[str]
    ) -> bool:
        """Tell whether a call with these arguments could name all these notes now.

        Raises EnvironmentFault.
        """
        if identity.is_whole_owner or not paths:
            return True
        try:
            with self._standing(identity, arguments) as (_, view, _, _):
                found = {n.path for n in view.vault.notes_at(list(paths)) if view.shows(n)}
        except (NotFound, UsageError):
            return False
        return found.issuperset(paths)

    def warm(self) -> None:
        """Open what the calling thread needs for an answer, and read what it takes."""
        with contextlib.suppress(ManentError), self.brain.lease() as lane:
            self.brain.ranker(lane, self._setting).rank(lane.view(OWNER), "warm", 1)

    def _guarded(
        self,
        tool: Tool,
        identity: Identity,
        arguments: Mapping[str, Any],
        asked: Asked,
        cancelled: Callable[[], bool],
    ) -> Answer | Question:
        try:
            self._check(tool, arguments)
            return self._tried(tool, identity, arguments, asked, cancelled)
        except ManentError as error:
            return Answer(text=_told(error, identity), failed=True)
        except OSError as error:
            log.error("a call failed: %s", type(error).__name__, extra={"event": "unreadable"})
            return Answer(text="what is served cannot be read now (try again later)", failed=True)
        except Exception as error:  # the edge of the server: nothing may pass it
            log.exception("%s failed: %s", tool.name, type(error).__name__, extra={"event": "bug"})
            return Answer(text="the server failed; its log says why", failed=True)

    def _tried(
        self,
        tool: Tool,
        identity: Identity,
        arguments: Mapping[str, Any],
        asked: Asked,
        cancelled: Callable[[], bool],
    ) -> Answer | Question:
        for _ in range(_TRIES):
            try:
                with self._standing(identity, arguments) as standing:
                    call = self._call(tool, identity, arguments, asked, standing)
                    answer = tool.call(replace(call, cancelled=cancelled))
                    if isinstance(answer, Answer) and call.pending:
                        return replace(answer, settles=tuple(call.pending))
                    return answer
            except Stale as stale:
                # The file was edited after the View was fixed: judged anew, then asked again.
                self.brain.reload([stale.path])
        if self.brain.fault:
            raise EnvironmentFault(self.brain.fault)
        raise NotFound("a note keeps changing while it is read", "try again")

    @contextlib.contextmanager
    def _standing(
        self, identity: Identity, arguments: Mapping[str, Any]
    ) -> Iterator[tuple[Lane | None, View, Ranker | None, str]]:
        """Give the lane, the View and the ranker over it: of now, or of ``rev``."""
        rev = str(arguments.get("rev", ""))
        if "rev" in arguments:
            with self.brain.past(rev, identity, self._setting) as (lane, view, ranker, commit):
                yield lane, view, ranker, commit
            return
        with self.brain.lease() as lane:
            yield lane, lane.view(identity), None, ""

    def _call(
        self,
        tool: Tool,
        identity: Identity,
        arguments: Mapping[str, Any],
        asked: Asked,
        standing: Any,
    ) -> Call:
        lane, view, ranker, commit = standing
        parts = self.parts

        def search(query: str, k: int) -> Found:
            return self._search(lane, view, ranker, commit, query, k)

        def touched(notes: Sequence[NoteRecord]) -> Mapping[str, Touch]:
            return parts.touches(lane, notes, commit) if parts.touches else {}

        return Call(
            tool.name, identity, view, arguments, parts.now(), Fence(parts.key), search, touched,
            parts.new_id, asked, parts.register, parts.writer,
        )  # fmt: skip

    def _search(
        self, lane: Lane, view: View, ranker: Ranker | None, commit: str, query: str, k: int
    ) -> Found:
        ranking = ranker or self.brain.ranker(lane, self._setting)
        hits = ranking.rank(view, query, k)
        lines = self.parts.lines
        rows = lines(lane, view, query, k, commit) if lines else ()
        return Found(hits, ranking.answered, tuple(_plain(r) for r in ranking.remarks), rows)

    # -- arguments -------------------------------------------------------------

    def _check(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Refuse arguments that the tool's schema does not allow. Raises UsageError."""
        import jsonschema_rs

        validator = self._validators.get(tool.name)
        if validator is None:
            validator = jsonschema_rs.validator_for(tool.schema)
            self._validators[tool.name] = validator
        size = sum(len(value) for value in arguments.values() if isinstance(value, str))
        if size > LONGEST_ARGUMENTS:
            raise UsageError(f"{tool.name}: the arguments are too long", "send less")
        try:
            error = next(iter(validator.iter_errors(dict(arguments))), None)
        except (ValueError, RecursionError):
            raise UsageError(f"{tool.name}: the arguments are no plain JSON") from None
        if error is not None:
            raise UsageError(f"{tool.name}: {_worded(error)}", _signature(tool))
        for key, value in arguments.items():
            if isinstance(value, str):
                _sound(tool.name, key, value)


def _plain(remark: str) -> str:
    """Return a remark without the command of a terminal that it ends with."""
    return remark.split(" (", 1)[0].split(": `", 1)[0]


def _told(error: ManentError, identity: Identity) -> str:
    """Return an error as a client is told of it.

    Hints that name commands of a terminal are none here, and what is wrong with the
    operator's machine is the operator's to read.
    """
    trusted = identity.is_whole_owner
    if isinstance(error, EnvironmentFault) and not trusted:
        log.error("unable: %s", type(error).__name__, extra={"event": "unable"})
        return "the server cannot do this now (try again in a moment)"
    hint = "" if "`" in error.hint or "--" in error.hint else error.hint
    if not hint and isinstance(error, NotFound):
        hint = "brain_list and brain_search show what there is"
    return f"{error.message} ({hint})" if hint else error.message


def _sound(tool: str, key: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{tool}: {key} holds half a character", "send UTF-8") from None


def _worded(error: Any) -> str:
    place = "/".join(str(step) for step in error.instance_path)
    said = str(error.message)
    short = said if len(said) <= 200 else said[:200] + "…"
    return f"{place}: {short}" if place else short


def _signature(tool: Tool) -> str:
    required = set(tool.required)
    names = [key if key in required else f"{key}?" for key in tool.properties]
    return f"{tool.name}({', '.join(names)})"


def definitions(tools: Sequence[Tool]) -> str:
    """Return the tools as they go over the wire, as one JSON text."""
    rows = [{"name": t.name, "description": t.description, "inputSchema": t.schema} for t in tools]
    return json.dumps(rows, separators=(",", ":"))
