"""What a tool is: how it is described to a model, and what it gets when it is called.

A tool is one module of ``manent.server.tools`` with a ``TOOL``: a ``Tool``. It gets a
``Call``, in which the caller's View has been fixed, and returns an ``Answer``. It
reaches notes through that View and nothing else.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

from manent.access import Identity, View
from manent.server.answer import Answer, Fence, Question
from manent.values import dataclass, field
from manent.vault.record import NoteRecord

if TYPE_CHECKING:
    from manent.search.ranker import Ranked
    from manent.server.draft import Drafted, Written

Properties = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as models see it, and what runs when one calls it.

    properties: JSON Schemas of the arguments, flat. required: which must be given.
    owner_only: nobody else is shown it. writes: there only with ``--writable``, and
    for whoever may write. slow: it may look at every note. page: the ``ui://`` page that
    shows its answers. task: it may be run as a task.
    """

    name: str
    description: str
    properties: Properties
    call: Callable[[Call], Answer | Question]
    required: tuple[str, ...] = ()
    owner_only: bool = False
    writes: bool = False
    slow: bool = False
    page: str = ""
    task: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        schema: dict[str, Any] = {"type": "object", "properties": dict(self.properties)}
        if self.required:
            schema["required"] = list(self.required)
        schema["additionalProperties"] = False
        return schema


@dataclass(frozen=True, slots=True)
class Touch:
    """When a note was last touched. commit: the commit that did, for owners; else ""."""

    date: str
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to. journal: rows of journal lines the caller may read."""

    hits: Sequence[Ranked]
    retriever: str
    remarks: Sequence[str] = ()
    journal: Sequence[Mapping[str, Any]] = ()


class Register(Protocol):
    """The register of questions, as far as tools may use it (``server/asked.py``)."""

    def searched(self, call: Call, query: str, found: Found) -> str:
        """File a search and return its random id."""

    def read(self, call: Call, path: str) -> None:
        """Count the caller's searches that led to this note as read."""

    def feedback(self, call: Call, verdict: str, note: str, search: str, outcome: str) -> str:
        """Keep what a caller says of an answer; return a line that says what became of it."""

    def gaps(self) -> Sequence[Mapping[str, Any]]:
        """Return the open gaps as rows, heaviest first. For owners."""


class Writer(Protocol):
    """The way in for notes (``server/writing.py``)."""

    def write(self, call: Call, draft: Drafted) -> Written | Question:
        """Judge a draft and keep it, or ask a person first. Raises Refused."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller's client declared for this call, and what a person answered.

    form: it can show a form. answers: to the questions of an earlier round, by key, as
    the client sent them. state: what was sent with those questions, as it came back.
    page: it can show pages.
    """

    form: bool = False
    answers: Mapping[str, Any] = field(default_factory=dict)
    state: str = ""
    page: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool.

    arguments: as the tool's schema allows, nothing else. rev: whether the View is of the
    past. search: over the View, (query, k). touched: when notes of the View were last
    touched, by path. register, writer: None where the server has none.
    new_id: gives a random id. cancelled: tells a long call that nobody waits any more.
    pending: what the answer waits for before it goes out.
    """

    tool: str
    identity: Identity
    view: View
    arguments: Mapping[str, Any]
    now: datetime.datetime
    fence: Fence
    search: Callable[[str, int], Found]
    touched: Callable[[Sequence[NoteRecord]], Mapping[str, Touch]]
    new_id: Callable[[], str]
    asked: Asked = Asked()
    register: Register | None = None
    writer: Writer | None = None
    cancelled: Callable[[], bool] = lambda: False
    pending: list[Future[Any]] = field(default_factory=list)

    @property
    def is_owner(self) -> bool:
        """Whether the caller is an owner from whom nothing is hidden."""
        return self.identity.is_whole_owner

    def notes_of(self, paths: Sequence[str]) -> list[NoteRecord]:
        """Return the notes of the View that stand at these paths."""
        found = {note.path: note for note in self.view.vault.notes_at(paths)}
        return [found[path] for path in paths if path in found and self.view.shows(found[path])]

    def status_of(self, note: NoteRecord) -> str:
        """Return a note's status as answers give it: a draft is in quarantine."""
        return "quarantine" if note.quarantined else note.status

    def said_by(self, status: str, text: str) -> str:
        """Return text of a note; that of a draft is fenced, whoever reads it."""
        return self.fence.around(text, "draft") if status == "quarantine" and text else text

    def text(self, name: str) -> str:
        """Return a text argument, "" where it was not given."""
        return str(self.arguments.get(name, ""))

    def number(self, name: str, default: int) -> int:
        """Return a number argument."""
        return int(self.arguments.get(name, default))
