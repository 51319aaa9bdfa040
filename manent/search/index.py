"""The search index of a vault: kept in step with it, asked through a View."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manent.access import Identity, View
from manent.collector import left_alone
from manent.errors import StoreDamaged
from manent.facts.facts import Headline, headline_from_json
from manent.note import aliases
from manent.search.bm25 import Contribution, Scope
from manent.search.constants import DEFAULTS, LIFTED
from manent.search.coverage import lifts
from manent.search.lexical import LexicalStore, Making, Scored, Snapshot
from manent.search.postings import Document
from manent.search.query import Question
from manent.search.rank import DEMOTION, Hit, Ids, best
from manent.search.trust import trust
from manent.vault.record import NoteRecord
from manent.vault.rows import batches
from manent.vault.vault import Delta, Progress, Vault

SCOPES = 64
"""Identities whose scopes are held at once; each is a few bytes a note."""
_MOST_PATHS = 100_000
"""Paths that are held to rank equals by."""
MANY = 2_000
"""Changed notes past which the index is built anew rather than amended."""


class ByWords(NamedTuple):
    """Documents of a View, their relevance by words, and the trust in those words."""

    ids: Ids
    values: NDArray[np.float64]
    trust: float


class Source(NamedTuple):
    """What the document of a note is made of, by whichever process has the time.

    facts: what the vault keeps of its content, as JSON; "" for nothing.
    """

    doc: int
    names: tuple[str, ...]
    description: str
    facts: str
    content: bytes


class SearchIndex:
    """The lexical index that follows a vault.

    folder: where the index lies; None keeps it in memory: it is built on the
    first update and gone with the object.
    """

    def __init__(self, vault: Vault, folder: Path | None) -> None:
        self.vault = vault
        self._store = None if folder is None else LexicalStore(folder)
        self._snapshot: Snapshot | None = None
        self._opened_at = ""
        self._scopes: dict[Identity, Scope] = {}
        self._factors: NDArray[np.float64] | None = None
        self._paths: dict[int, str] = {}

    @property
    def _generation(self) -> str:
        return self.vault.store.stamp("vault:generation")

    @property
    def current(self) -> bool:
        """Whether the index on disk stands where the vault stands."""
        try:
            return self._store is not None and self._store.stamp == self._stamp(self._generation)
        except StoreDamaged:
            return False

    @property
    def stamp(self) -> str:
        """The store and the generation the index on disk was last brought to. Raises
        StoreDamaged."""
        return "" if self._store is None else self._store.stamp

    def update(self, processes: int = 1, progress: Progress | None = None) -> int:
        """Bring the index on disk up to the vault; return how many notes it read.

        A damaged or foreign index is built anew.
        """
        if self._store is None:
            return 0
        generation = self._generation
        try:
            self._store.refresh()
            delta = self._behind()
            if not delta.everything and len(delta.docs_new) <= MANY and not self._is_ahead():
                notes = list(self.vault.notes_of_docs(delta.docs_new))
                self._store.update(delta.docs_gone, self._documents(notes), self._stamp(generation))
                return len(notes)
        except StoreDamaged:
            pass
        return self.rebuild(processes, progress)

    def rebuild(self, processes: int = 1, progress: Progress | None = None) -> int:
        """Build the index on disk anew from every note."""
        assert self._store is not None
        stamp = self._stamp(self._generation)
        notes, _ = self.vault.counts()
        sources = _counted(self._sources(self.vault.notes()), progress)
        # Starting workers takes longer (1 to 2 s) than indexing so few here.
        workers = processes if notes > MANY else 1
        with left_alone():
            self._store.rebuild_from(sources, _MAKING, stamp, workers)
        return notes

    def segments(self) -> list[memoryview]:
        """Return the bytes of the index on disk, segment by segment."""
        return [] if self._store is None else self._store.segments()

    def adopt(self, made: Iterable[Iterable[bytes]]) -> None:
        """Take over segments of another vault at the same tree, whose documents have the
        same ids. Raises StoreDamaged where they are no such thing."""
        assert self._store is not None
        ids = np.array(sorted(doc for doc, _ in self.vault.docs()), np.int64)
        self._store.adopt(made, ids, self._stamp(self._generation))

    def open(self) -> Snapshot:
        """Return the index of the vault as it stands, the disk's with what it lacks on top.

        Writes nothing: so it serves a past revision and a store nobody may write.
        """
        generation = self._generation
        if self._snapshot is None or self._opened_at != generation:
            self._snapshot, self._opened_at = self._opened(), generation
            self._scopes, self._factors, self._paths = {}, None, {}
        return self._snapshot

    def _opened(self) -> Snapshot:
        if self._store is not None:
            try:
                self._store.refresh()
                delta = self._behind()
                if not delta.everything:
                    notes = list(self.vault.notes_of_docs(delta.docs_new))
                    base = self._store.snapshot
                    if not notes and not delta.docs_gone:
                        return base
                    return base.overlay(delta.docs_gone, self._documents(notes))
            except StoreDamaged:
                pass
        empty = Snapshot([])
        return empty.overlay((), self._documents(list(self.vault.notes())))

    def _is_ahead(self) -> bool:
        """Whether the index saw more than the store holds: what a power cut took from it."""
        assert self._store is not None
        seen = self._store.stamp.partition(":")[2]
        # A reader that looks at an older state of the store is no sign of it.
        return not self.vault.store.db.in_transaction and int(seen) > int(self._generation or 0)

    def _behind(self) -> Delta:
        """Return what changed since the index was stamped."""
        assert self._store is not None
        store_id, _, generation = self._store.stamp.partition(":")
        if store_id != self._store_id() or not generation:
            return Delta(everything=True)
        return self.vault.since(generation)

    def _stamp(self, generation: str) -> str:
        return f"{self._store_id()}:{generation}"

    def _store_id(self) -> str:
        """A name for this very vault store: an index made for another one is none of ours."""
        return self.vault.id

    def _documents(self, notes: Iterable[NoteRecord]) -> Iterator[Document]:
        return map(_document, self._sources(notes))

    def _sources(self, notes: Iterable[NoteRecord]) -> Iterator[Source]:
        for batch in batches(notes):
            facts = self.vault.facts_of({note.oid for note in batch})
            for note, content in zip(batch, self.vault.contents(batch), strict=True):
                if content is None:
                    continue  # removed from the folder while it was being read
                names = (note.name, note.stem, note.title)
                yield Source(note.doc, names, note.description, facts.get(note.oid, ""), content)

    # -- asking ------------------------------------------------------------

    def search(
        self, view: View, query: str, k: int, explain: bool = False
    ) -> list[tuple[Hit, Scored]]:
        """Return the k best notes of the View for ``query``, best first.

        Statistics, expansions and ties come from the View's notes alone.
        """
        snapshot = self.open()
        visible = self.scope(snapshot, view)
        found = snapshot.search(
            query, k, visible, order=self.order, demotion=self.demotion(), explain=explain
        )
        notes = {n.doc: n for n in self.vault.notes_of_docs(s.id for s in found)}
        return [
            (Hit.of(notes[s.id], s.score, {"bm25": rank}), s)
            for rank, s in enumerate(found, start=1)
            if s.id in notes
        ]

    def relevance(self, view: View, query: str) -> tuple[Ids, NDArray[np.float64]]:
        """Return (ids, relevance before demotion) of every document of the View.

        ids: in the order the index holds them, the same for every query until it
        changes. Relevance is 0 where no word matched.
        """
        return self.by_words(view, query)[:2]

    def by_words(self, view: View, query: str) -> ByWords:
        """Return what ``relevance`` does, and how far the words are to be trusted."""
        scope = self.scope(self.open(), view)
        question = Question(query)
        words = scope.words(question)
        scores = scope.scores(words)
        highest = float(scores.max()) if scores.size else 0.0
        trusted = trust(scope, question, words, highest)
        first = self._first(scope, scores)
        scores[first] *= lifts(scope, words, first, DEFAULTS)
        seen = scope.seen()
        if seen is None:
            return ByWords(scope.ids, scores, trusted)
        return ByWords(scope.ids[seen], scores[seen], trusted)

    def explain(self, view: View, query: str, doc: int) -> tuple[tuple[Contribution, ...], float]:
        """Return the lines that make up a document's relevance, and its lift."""
        scope = self.scope(self.open(), view)
        words = scope.words(Question(query))
        found = np.flatnonzero(scope.ids == doc)
        if not found.size:
            return (), 1.0
        place = int(found[-1])
        first = self._first(scope, scope.scores(words))
        lift = lifts(scope, words, first, DEFAULTS)[first == place]
        return scope.explain(words, place), float(lift[0]) if lift.size else 1.0

    def _first(self, scope: Scope, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the places of the best that matched anything."""
        matched = np.flatnonzero(scores)
        return matched[best(scope.identify(matched), scores[matched], LIFTED, self.order)]

    def scope(self, snapshot: Snapshot, view: View) -> Scope:
        """Return the documents of a View with their statistics, made once an identity."""
        if view.whole:
            return snapshot.scope()
        if view.of_the_past:
            return snapshot.scope(_visible(view))
        held = self._scopes.get(view.identity)
        if held is None:
            if len(self._scopes) >= SCOPES:
                self._scopes.clear()
            held = self._scopes[view.identity] = snapshot.scope(_visible(view))
        return held

    def order(self, ids: Ids) -> NDArray[np.int64]:
        """Rank the documents by the byte order of their paths."""
        docs, paths = ids.tolist(), self._paths
        missing = [doc for doc in docs if doc not in paths]
        if len(paths) + len(missing) > _MOST_PATHS:
            paths, missing = {}, docs
        paths.update(self.vault.paths_of_docs(missing))
        self._paths = paths
        ordered = sorted((paths[doc], doc) for doc in set(docs) if doc in paths)
        rank = {doc: place for place, (_, doc) in enumerate(ordered)}
        return np.array([rank.get(doc, -1) for doc in docs], np.int64)

    def demotion(self) -> NDArray[np.float64]:
        """Return what each document keeps of its score, by id."""
        if self._factors is None:
            demoted = dict(self.vault.demoted())
            self._factors = np.ones(self.vault.next_doc, np.float64)
            for doc, status in demoted.items():
                self._factors[doc] = DEMOTION[status]
        return self._factors


def document(vault: Vault, note: NoteRecord) -> Document:
    """Return what the index holds of a note."""
    facts = vault.facts_of([note.oid]).get(note.oid, "")
    names = (note.name, note.stem, note.title)
    return _document(Source(note.doc, names, note.description, facts, vault.content(note)))


def _document(source: Source) -> Document:
    head = headline_from_json(source.facts) if source.facts else Headline({}, (), 1)
    return Document(
        id=source.doc,
        name="\n".join(dict.fromkeys((*source.names, *aliases(head.frontmatter)))),
        description=source.description,
        headings="\n".join(head.headings),
        body=_body(source.content.decode("utf-8", "replace"), head.body_line),
    )


def _size_of(source: Source) -> int:
    return len(source.content) + 100


_MAKING = Making(_document, _size_of)


def _body(text: str, first_line: int) -> str:
    at = 0
    for _ in range(first_line - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return ""
    return text[at:]


def _visible(view: View) -> NDArray[np.bool_]:
    visible = np.zeros(view.vault.next_doc, bool)
    visible[list(view.docs())] = True
    return visible


def _counted(sources: Iterator[Source], progress: Progress | None) -> Iterator[Source]:
    for count, source in enumerate(sources, start=1):
        if progress is not None and count % 500 == 0:
            progress(count)
        yield source
