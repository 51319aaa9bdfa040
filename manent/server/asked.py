"""The register of questions behind the tools: who asked what, and what came of it.

A search gets a random id at once; one thread files it, many at a time, in the order in
which things happened, and the answer goes out once it stands. An id is its asker's: to
anybody else there is no such search.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import shlex
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as Late
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manent.errors import EnvironmentFault, NotFound
from manent.gaps.address import cause_in, is_address
from manent.gaps.grouping import THRESHOLD, Meaning
from manent.gaps.home import Home
from manent.gaps.register import (
    RESULTS_KEPT,
    Gap,
    Read,
    Recorded,
    Register,
    Search,
    asker_of,
    follow_in,
)
from manent.server.search_ids import Recent, SearchIds
from manent.server.tool import Call, Found
from manent.values import dataclass, field

if TYPE_CHECKING:
    import sqlalchemy as sa

log = logging.getLogger("manent.server")

MOST_WAITING = 20_000
"""Things not filed yet: past this the oldest are lost, and the log says how many."""
BATCH = 256
"""Searches and readings filed in one transaction."""
STOP_SECONDS = 20.0
"""How long a stop waits for what is not filed yet."""
ANSWER_SECONDS = 30.0
"""How long a caller waits for the register where it needs its answer."""
RETRY_SECONDS = 1.0
FEEDBACK_SHOWN = 3
"""Of one gap, where gaps are listed."""
AUDIT_ALONE = "noted in the audit alone"


@dataclass(frozen=True, slots=True)
class _Searched:
    token: str
    search: Search
    done: Future[None] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class _Followed:
    tokens: tuple[str, ...]
    read: Read


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Something whose answer somebody waits for."""

    work: Callable[[Register], Any]
    done: Future[Any] = field(default_factory=Future)


_Item = _Searched | _Followed | _Wanted


def _together(batch: Sequence[_Item], item: _Item) -> bool:
    """Tell whether an item can be filed in one transaction with a batch."""
    alone = isinstance(batch[0], _Wanted) or isinstance(item, _Wanted)
    return not alone and len(batch) < BATCH


class Questions:
    """What tools tell the register of, and ask it (``manent.server.tool.Register``).

    clock: seconds that only grow, for how long a reading may follow its search.
    where: a file, or a ``postgresql://`` address. meaning: makes the model by which
    questions are grouped, on the thread that files; None where there is none. agents: the
    agents file that the server was given, for the commands of rows.
    Raises EnvironmentFault, UsageError where the register cannot be opened.
    """

    def __init__(
        self,
        where: str,
        meaning: Callable[[], Meaning | None] = lambda: None,
        *,
        backups: Path | None = None,
        agents: str = "",
        new_id: Callable[[], str] = lambda: secrets.token_urlsafe(12),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = Home(where if is_address(where) else Path(where), backups=backups)
        self._ids = SearchIds(self._home)
        file = self._home.file
        self._named = self._home.name if file is None else str(file.absolute())
        self._agents = str(Path(agents).absolute()) if agents else ""
        self._shared = self._home.file is None
        self._meaning = meaning
        self._new_id = new_id
        self._recent = Recent(clock)
        self._waiting: deque[_Item] = deque()
        self._change = threading.Condition()
        self._ending = threading.Event()
        self._closing = False
        self._abandoned = False
        self._in_hand = 0
        self._lost = 0
        self._silent = False
        self._thread = threading.Thread(target=self._run, name="manent-gaps", daemon=True)
        self._thread.start()

    # -- what tools call ---------------------------------------------------------------

    def searched(self, call: Call, query: str, found: Found) -> str:
        """File a search and return its random id."""
        token, asker = self._new_id(), asker_of(call.identity)
        paths = tuple(ranked.hit.path for ranked in found.hits[:RESULTS_KEPT])
        tree = "" if call.view.of_the_past else call.view.vault.stamp
        self._recent.searched(token, asker, paths)
        search = Search(query, asker, call.now, paths, found.retriever, tree)
        item = _Searched(token, search)
        if not self._silent:  # else nobody knows when it will stand: the answer does not wait
            call.pending.append(item.done)
        self._put(item)
        return token

    def read(self, call: Call, path: str) -> None:
        """Count the caller's searches that led to this note as read."""
        asker = asker_of(call.identity)
        tokens = self._recent.read(asker, path)
        if tokens or self._shared:
            self._put(_Followed(tokens, Read(path, asker, call.now)))

    def feedback(self, call: Call, verdict: str, note: str, search: str, outcome: str) -> str:
        """Keep what a caller says of an answer. Raises NotFound for a search not its own.

        search: its id; "" means the caller's latest that found ``note``, a path.
        """
        asker = asker_of(call.identity)
        token = search or self._recent.latest(asker, note)
        if not token:
            return f"{AUDIT_ALONE}: name the searchId of a search to have it kept"
        parts = (verdict, f"note: {note}" * bool(note), f"outcome: {outcome}" * bool(outcome))
        said = "; ".join(part for part in parts if part)

        def keep(register: Register) -> int | None:
            number = self._ids.number(token, asker)
            if number:
                register.feedback(number, asker, verdict == "helpful", call.now, said)
            return number

        number = self._answer(keep)
        if number is None:
            raise NotFound(
                f"no search {token}", "give the searchId that a search of yours returned"
            )
        return "kept in the register" if number else AUDIT_ALONE

    def gaps(self) -> Sequence[Mapping[str, Any]]:
        """Return the open gaps as rows, heaviest first.

        Each has the command that closes it, and the newest of what was said of its answers.
        """

        def read(register: Register) -> Sequence[Mapping[str, Any]]:
            said: dict[str, list[Mapping[str, Any]]] = {}
            for one in register.said():
                said.setdefault(one.gap, []).append(one.as_json())
            return [self._row(gap, said) for gap in register.gaps()]

        rows: Sequence[Mapping[str, Any]] = self._answer(read)
        return rows

    def _row(self, gap: Gap, said: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
        command = f"manent gaps --gaps {shlex.quote(self._named)} --close {gap.id} --note NAME"
        if self._agents:
            # What an asker may read is told by the file that the server goes by.
            command += f" --agents {shlex.quote(self._agents)}"
        heard = [one for name in (gap.id, *gap.alike) for one in said.get(name, ())]
        return {**gap.as_json(), "command": command, "feedback": heard[:FEEDBACK_SHOWN]}

    def close(self, seconds: float = STOP_SECONDS) -> None:
        """File what waits, for as long as that; then let go."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._ending.set()
        self._thread.join(seconds)
        with self._change:
            self._abandoned = True
            left = self._in_hand + len(self._waiting) + self._lost
            self._change.notify_all()
        if left:
            log.error("%d searches were not recorded", left, extra={"event": "gaps-lost"})
        self._home.close()

    def flush(self) -> None:
        """Wait for everything that was told so far to be filed. Raises EnvironmentFault."""
        self._answer(lambda register: None)

    # -- the thread that files ---------------------------------------------------------

    def _put(self, item: _Item) -> None:
        with self._change:
            self._waiting.append(item)
            if self._closing:
                self._lose(self._waiting.pop())
            elif len(self._waiting) > MOST_WAITING:
                self._lose(self._waiting.popleft())
            self._change.notify_all()

    def _lose(self, item: _Item) -> None:
        if isinstance(item, _Wanted):
            item.done.set_exception(EnvironmentFault("the register does not answer"))
            return
        if isinstance(item, _Searched):
            _stands(item.done)
        if not self._lost:
            log.error("searches are not recorded any more", extra={"event": "gaps-lost"})
        self._lost += 1

    def _answer(self, work: Callable[[Register], Any]) -> Any:
        wanted = _Wanted(work)
        self._put(wanted)
        try:
            return wanted.done.result(ANSWER_SECONDS)
        except Late as error:
            raise EnvironmentFault("the register does not answer", "try again") from error

    def _run(self) -> None:
        register: Register | None = None
        while batch := self._next():
            if register is None:
                register = Register(self._home, self._model())
            self._file(register, batch)

    def _model(self) -> Meaning | None:
        try:
            return self._meaning()
        except Exception as error:  # a model of somebody else's: questions keep their words
            log.warning(
                "questions are compared by their words alone: %s",
                error,
                extra={"event": "no-model"},
            )
            return None

    def _next(self) -> list[_Item]:
        """Wait for something to do; return as much as goes together."""
        with self._change:
            while not self._waiting and not self._closing:
                self._change.wait()
            if not self._waiting or self._abandoned:
                return []
            batch = [self._waiting.popleft()]
            while self._waiting and _together(batch, self._waiting[0]):
                batch.append(self._waiting.popleft())
            self._in_hand = len(batch)
            return batch

    def _file(self, register: Register, batch: Sequence[_Item]) -> None:
        """File a batch; try again until it is filed, or nobody waits for it any more."""
        while not self._abandoned:
            try:
                self._filed(register, batch)
            except EnvironmentFault as fault:
                if not self._postponed(batch, fault):
                    break
                continue
            except Exception as error:  # one that no database takes must not stop the others
                self._alone(register, batch, error)
            self._silent = False
            break
        else:
            return
        self._in_hand = 0

    def _postponed(self, batch: Sequence[_Item], fault: EnvironmentFault) -> bool:
        """Wait before a batch is tried again; who waits for an answer is told at once."""
        first = batch[0]
        if isinstance(first, _Wanted):
            first.done.set_exception(fault)
            return False
        if not self._silent:
            log.error(
                "searches wait to be recorded: %s",
                fault,
                extra={"event": "gaps-wait", "cause": cause_in(fault)},
            )
        self._silent = True
        for item in self._wanted():
            item.done.set_exception(fault)
        if self._closing:
            time.sleep(RETRY_SECONDS / 10)
        else:
            self._ending.wait(RETRY_SECONDS)
        return True

    def _wanted(self) -> list[_Wanted]:
        """Take out of what waits all whose answer somebody waits for."""
        with self._change:
            wanted = [item for item in self._waiting if isinstance(item, _Wanted)]
            others = [item for item in self._waiting if not isinstance(item, _Wanted)]
            self._waiting = deque(others)
        return wanted

    def _alone(self, register: Register, batch: Sequence[_Item], error: Exception) -> None:
        if isinstance(batch[0], _Wanted):
            batch[0].done.set_exception(error)
        elif len(batch) > 1:
            for item in batch:
                self._file(register, [item])
        else:
            log.error(
                "a search was not recorded: %s", type(error).__name__, extra={"event": "gaps-lost"}
            )
            if isinstance(batch[0], _Searched):
                _stands(batch[0].done)

    def _filed(self, register: Register, batch: Sequence[_Item]) -> None:
        first = batch[0]
        if isinstance(first, _Wanted):
            first.done.set_result(first.work(register))
            return
        searched = [item for item in batch if isinstance(item, _Searched)]
        followed = [item for item in batch if isinstance(item, _Followed)]

        def also(connection: sa.Connection, made: Sequence[Recorded | None]) -> None:
            numbered = zip(searched, made, strict=True)
            kept = [(one.token, 0 if m is None else m.search, one.search) for one, m in numbered]
            self._ids.keep(connection, kept)
            follow_in(connection, self._led(followed))

        # What may be done twice comes first: a batch that fails is tried again.
        for read in (item.read for item in followed if not item.tokens):
            register.follow(read)  # the search may have been another server's
        if searched:
            register.record_all([item.search for item in searched], also)
        else:
            register.led(self._led(followed))
        for item in searched:
            _stands(item.done)

    def _led(self, followed: Sequence[_Followed]) -> list[tuple[int, Read]]:
        """Return the searches that readings followed, by number."""
        found = []
        for item in followed:
            numbers = (self._ids.number(token, item.read.asker) for token in item.tokens)
            found += [(number, item.read) for number in numbers if number]
        return found


def _stands(done: Future[None]) -> None:
    """Let an answer go that waited; one that nobody waits for any more does no harm."""
    with contextlib.suppress(InvalidStateError):
        done.set_result(None)


def meaning_of(model: str, threshold: float | None, cache: Path | None) -> Meaning | None:
    """Return how questions are compared by meaning; None where no model is installed.

    model: "" for the default. Raises EnvironmentFault, UsageError for one that is named
    and not there.
    """
    from manent.search.embed.choose import default_model, embedder

    if not model and not default_model():
        return None
    chosen = embedder(model, cache)
    return Meaning(chosen.id, chosen.queries, THRESHOLD if threshold is None else threshold)
