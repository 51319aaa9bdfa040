"""From the options of ``manent serve`` to a server that runs, and ends with nothing lost."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from manent.access import Identity
from manent.cli.beside import Embedding, HookWorker
from manent.cli.opening import Place, processes
from manent.cli.ranking import cache_folder
from manent.cli.recording import backups, refuse_inside
from manent.errors import EnvironmentFault, UsageError
from manent.repo.open import common_folder
from manent.server.apps.pages import resources
from manent.server.brain import Brain
from manent.server.dispatch import Dispatcher, Parts
from manent.server.identities import Identities, resolve_token
from manent.server.importing import settle
from manent.server.journals import lines
from manent.server.logs import Log, capture
from manent.server.metrics import Metrics
from manent.server.protocol import BrainOffer, Listening, Page, build
from manent.server.served import Served
from manent.server.tasks import Board
from manent.server.tool import Asked, Tool
from manent.server.touched import Touched
from manent.server.watch import Changed, Watcher
from manent.vault.vault import Delta

_FIRST_ANSWER_SECONDS = 0.5
_LOOK_SECONDS = 2.0


class Serving:
    """A server put together as the command line says. Raises UsageError, EnvironmentFault.

    number: of this process where several share a port; the first has what works beside.
    """

    def __init__(self, place: Place, options: dict[str, Any], quiet: bool, number: int = 0) -> None:
        self._number = number
        self.options = options
        self.log = Log()
        capture(self.log)
        logging.getLogger().setLevel(logging.ERROR if quiet else logging.WARNING)
        self.metrics = Metrics()
        self.listening = Listening()
        self._lock = threading.Lock()
        self._started = False
        self._vault_token = ""
        self.served = _served(place, options)
        self.brain = Brain(self.served)
        self._taker = self._bundles()
        self._stack = contextlib.ExitStack()
        with contextlib.ExitStack() as opening:
            opening.callback(self.brain.close)
            self._audit = self._opened_audit(opening)
            self._dispatcher = Dispatcher(self.brain, self._parts(opening))
            self._stack = opening.pop_all()
        self.offer = BrainOffer(self._dispatcher, [Page(*page) for page in resources()])
        self._stack.callback(self.offer.close)
        self._stack.callback(self.brain.give_up)
        self.brain.listeners.append(self._moved)

    def _bundles(self) -> Any:
        """Return what fills empty stores from a bundle, None for nothing."""
        if not self.options["bundles"]:
            return None
        from manent.cli.bundles import taker_of

        return taker_of(self.served, self.options, self.log)

    # -- the parts -------------------------------------------------------------------

    def _opened_audit(self, stack: contextlib.ExitStack) -> Any:
        if not self.options["audit"]:
            return None
        from manent.server.audit import open_audit

        refuse_inside(self.options["audit"], self._kept_from(), "audit")
        audit = open_audit(self.options["audit"])
        stack.callback(audit.close)
        return audit

    def _parts(self, stack: contextlib.ExitStack) -> Parts:
        served = self.served
        touched = Touched(served.reopened(), served.prefix, served.state, served.root)
        stack.callback(touched.close)
        parts = Parts(lines=lines, touches=touched.touches)
        if self.options["http"] is not None:
            # Whichever server of the vault answers, the text of a note is fenced alike.
            parts.key = hmac.digest(self._token().encode(), b"manent fence", "sha256")
        parts.audit = [keeps for keeps in (self.metrics, self._audit) if keeps]
        if self.options["gaps"]:
            parts.register = self._register(stack)
        if self.options["writable"]:
            from manent.server.writing import Writing

            git, push = self.options["git"], self.options["git_push"]
            writing = Writing(self.brain, git, push, self._approval(stack), self._report)
            stack.callback(writing.close)
            parts.writer = writing
        self.brain.listeners.append(lambda delta: touched.nudge())
        return parts

    def _approval(self, stack: contextlib.ExitStack) -> Any:
        """Return what knows a person's yes: over HTTP, that of every server of the vault."""
        if self.options["http"] is None:
            return None
        from manent.server.approval import Approval, shared_key
        from manent.server.used import SharedUsed

        used = SharedUsed(self._database)
        stack.callback(used.close)
        if self.options["database"]:
            used.open()
        return Approval(self.served.state, key=shared_key(self._token()), used=used)

    def _token(self) -> str:
        """Return the vault's token, read once: its file may be a pipe."""
        if not self._vault_token:
            named, file = self.options["token"], self.options["token_file"]
            self._vault_token = resolve_token(named, Path(file) if file else None, os.environ)
        return self._vault_token

    def _register(self, stack: contextlib.ExitStack) -> Any:
        from manent.server.asked import Questions, meaning_of

        where, threshold = self.options["gaps"], self.options["gaps_threshold"]
        refuse_inside(where, self._kept_from())
        meaning = partial(meaning_of, self.served.model, threshold, self.served.cache)
        agents = self.options["agents"] or ""
        questions = Questions(where, meaning, backups=backups(), agents=agents)
        stack.callback(questions.close)
        return questions

    def _kept_from(self) -> Path | None:
        """Return the folder in which nothing of the server's own may lie."""
        repository = self.served.repository
        return self.served.root or (repository.path if repository else None)

    def _moved(self, delta: Delta) -> None:
        """Tell owners who look at a page that it would show something else now."""
        for page in self.offer.pages:
            self.listening.page_changed(page.uri)

    def _report(self, kind: str, said: str, identity: str) -> None:
        self.log(kind, "error")
        if self._audit is not None:
            self._audit.event(kind, said, identity)

    # -- running ---------------------------------------------------------------------

    def over_stdio(self, identity: Identity) -> None:
        """Serve one identity on standard input and output until the input ends."""
        from manent.server.stdio import serve

        server = build(self.offer, lambda context: identity, listening=self.listening)
        board = self._board(lambda context: identity, lambda name: identity)
        board.attach(server)

        async def run() -> None:
            self.listening.begin()
            try:
                await serve(server, self.options["era"], self._begin, ending=self.listening.end)
            finally:
                await board.close()

        with self._stack, self._alive(_FIRST_ANSWER_SECONDS):
            anyio.run(run)

    def _board(
        self, identity_of: Callable[[Any], Identity], named: Callable[[str], Identity | None]
    ) -> Board:
        """Return the tasks: over HTTP those of every server that has the vault's token."""
        from manent.cli.tasking import board_of

        key = b""
        if self.options["http"] is not None:
            key = hmac.digest(self._token().encode(), b"manent tasks", "sha256")
        board = board_of(self.offer, self._database, identity_of, named, key)
        if self.options["database"]:
            # What is named and no use is said now, and not to who calls later.
            refuse_inside(self.options["database"], self._kept_from(), "database")
            board.open()
        return board

    def _database(self) -> str:
        """Return where what servers share is kept: by default a file of the user's own."""
        given = self.options["database"]
        if given:
            return str(given)
        if self.options["http"] is None:
            return "sqlite://"
        place = self.served.root or (self.served.repository and self.served.repository.path)
        name = hashlib.sha256(os.fsencode(str(place))).hexdigest()[:16]
        folder = backups()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return f"sqlite:///{folder / f'serve-{name}.sqlite'}"

    def over_http(self, listening: Callable[[], None] = lambda: None) -> None:
        """Serve everybody who has a token, until the process is told to end.

        listening: told when clients may connect.
        """
        from manent.server.address import listen, place_of
        from manent.server.running import serve

        app, board, identities = self._application()
        sockets = listen(place_of(self.options["http"]), self.options["processes"] > 1)
        listening()
        proxied = bool(self.options["public_url"])

        async def run() -> None:
            board.tick()
            self.listening.begin()
            looking = asyncio.create_task(_looking(identities))
            try:
                await serve(app, sockets, self.log, behind_proxy=proxied, on_stop=app.stop)
            finally:
                looking.cancel()
                await board.close()

        with self._stack, self._alive():
            asyncio.run(run())

    def _application(self) -> tuple[Any, Board, Identities]:
        from manent.server.address import Names, origin_of, public_base
        from manent.server.door import Door
        from manent.server.http import App, identity_of
        from manent.server.post import Pinned

        token = self._token()
        agents = self.options["agents"] or self.served.policy().agents
        identities = Identities(Path(agents) if agents else None, token, report=self._told)
        public = self.options["public_url"]
        origins = frozenset(origin_of(text) for text in self.options["origin"])
        names = Names(public_base(public) if public else "", origins)
        door = Door(identities, names, self.log, self.metrics)
        # No argument is mirrored in a header, so no list of tools is made to find out.
        server = build(
            self.offer,
            identity_of,
            listening=self.listening,
            get_tool_input_schema=lambda name: None,
        )
        board = self._board(identity_of, _named(identities))
        board.attach(server)
        app = App(
            server,
            door,
            self.log,
            self.metrics,
            lambda: self.brain.ready,
            Pinned(self.options["era"]),
            self.options["metrics"],
            self._pages(door),
        )
        return app, board, identities

    def _pages(self, door: Any) -> Any:
        """Return what people see: the pages, and signing in where there is a public address."""
        from manent.server.apps.desk import PREFIX, Desk
        from manent.server.apps.sessions import Sessions
        from manent.server.http import Paths
        from manent.server.oauth.opening import Kept, open_sign_in

        async def run(tool: Tool, identity: Identity, given: Mapping[str, Any]) -> Any:
            return await self.offer.run(tool, identity, given, Asked())

        base = door.names.public_url
        kept = Kept(door.identities, self._database, base)
        self._stack.callback(kept.close)
        sessions = Sessions(door.identities, kept, base)
        desk = Desk(door.identities, self._dispatcher.tool, run, sessions, door.throttle)
        if not base:
            return Paths({PREFIX: desk})
        return Paths({PREFIX: desk}, open_sign_in(door, base, kept, self.options["redirect"]))

    def _told(self, message: str, good: bool) -> None:
        if good:
            self.listening.tools_changed()
            self.log("agents-read")
        else:
            self.log("agents-unread", "error", fault=message)

    @contextlib.contextmanager
    def _alive(self, wait_seconds: float = 0.0) -> Any:
        """Follow what is served, and what works beside the server, for the block.

        wait_seconds: how long the first answer may take before all that begins.
        """
        self.metrics.gauge("manent_notes", "Notes served.", self._count)
        with contextlib.ExitStack() as stack:
            timer = threading.Timer(wait_seconds, self._begin)
            timer.daemon = True
            stack.callback(timer.cancel)
            timer.start()
            if not self.options["no_watch"]:
                stack.enter_context(self._watcher())
            if self.served.is_brain and not self._number:
                stack.enter_context(HookWorker(self.served))
            if self.options["retriever"] in (None, "dense", "fused") and not self._number:
                stack.enter_context(Embedding(self.served, self.brain))
            if self.options["publish_bundles"] and not self._number:
                from manent.cli.bundles import Publishing

                stack.enter_context(Publishing(self.served, self.brain, self.options, self.log))
            yield

    def _begin(self) -> None:
        """Begin to read what is served, once."""
        with self._lock:
            if not self._started:
                self._started = True
                settle()
                if self._taker is None:
                    self.brain.start()
                else:
                    threading.Thread(target=self._fill, name="manent-fill", daemon=True).start()
                self.offer.warm()

    def _fill(self) -> None:
        """Fill empty stores from a bundle, then read what is served."""
        self._taker.take()
        with contextlib.suppress(RuntimeError):  # the server was stopped meanwhile
            self.brain.start()

    def _count(self) -> float:
        return float(self.brain.counts()["notes"])

    def _watcher(self) -> Watcher:
        repository = self.served.repository
        return Watcher(
            self._changed,
            root=self.served.root,
            git=repository.path if repository else None,
            common=common_folder(repository.path) if repository else None,
            report=lambda reason: self.log("watching", "warning", reason=reason),
        )

    def _changed(self, paths: Changed) -> None:
        began = time.monotonic()
        self.brain.reload(paths)
        fault = self.brain.fault
        self.metrics.reloaded(not fault, time.monotonic() - began)
        if fault:
            if self._audit is not None:
                self._audit.event("reload-failed", fault)
            # The watcher has all of it looked at again later.
            raise EnvironmentFault(fault)


async def _looking(identities: Identities) -> None:
    """Read the agents file again when it changes, also while nobody calls."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        await asyncio.to_thread(identities.refresh)


def _named(identities: Identities) -> Callable[[str], Identity | None]:
    """Return who a name is, None for nobody any more."""

    def named(name: str) -> Identity | None:
        try:
            return identities.named(name)
        except UsageError:
            return None

    return named


def _check_kept(state: Path) -> None:
    """Refuse at the start what cannot be served: where nothing derived can be kept."""
    standing = state if state.exists() else state.parent
    if not os.access(standing, os.W_OK | os.X_OK):
        said = f"cannot write in {standing}: it is read-only here"
        raise EnvironmentFault(said, "serve a clone of it, or have it made writable")


def _served(place: Place, options: dict[str, Any]) -> Served:
    repository = place.repository
    branch = options["branch"]
    if not branch and repository is not None:
        from manent.gate.policy import read_policy

        protected = read_policy(place.section()).protected_branch if place.root is None else ""
        branch = protected or repository.head_branch
    state = place.state
    _check_kept(state)
    return Served(
        place.root,
        repository,
        place.prefix,
        branch,
        state,
        dict(os.environ),
        options["frontmatter"] or "",
        options["retriever"] or "",
        options["model"],
        cache_folder(),
        processes(),
    )
