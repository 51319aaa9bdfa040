"""Documents to postings: which terms each holds, how often, in which field.

The work is per batch and in arrays. The only Python loop is over *distinct*
raw tokens not met before; everything per token or per posting is one C pass.
A document's terms depend on that document alone, whatever is indexed beside
it; so does its language.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from manent.search.constants import LIMITS
from manent.search.languages import CODES, EVIDENCE, MINIMUM, STOP_BITS, stemmer
from manent.search.numbering import TokenNumbers
from manent.search.tokenizer import SEPARATOR, analyse, encoded, spaced
from manent.values import dataclass

FIELDS = ("name", "description", "headings", "body")
"""The fields of a document, in the order of every array that has one row a field."""

SHIFTS = (28, 22, 15, 0)
"""Where each field's count stands in the 32 bits of a posting."""

TAG = b"\x1f"
"""Between a stem and the letter of its language. Below every letter, so stems sort as words."""

JOINED = b"\x1e"
"""Before an identifier of several parts, so that no beginning of a word runs into them:
it is found by its parts, and by its own beginning."""

_BATCH_DOCUMENTS = 1 << 14
_BATCH_CHARACTERS = 4_000_000
"""More is slower, too: the arrays of twice as much no longer fit the processor's caches
(a seventh of the time of 20,000 notes)."""
_KNOWN_TOKENS = 400_000
_COUNT_LIMIT = 0xFFFF

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """What search knows of a note. id: stable while the note is unchanged, never negative."""

    id: int
    name: str
    description: str
    headings: str
    body: str


@dataclass(frozen=True, slots=True)
class Run:
    """Postings of some documents, which are numbered 0 to n-1 in the order given.

    ids: (n,) int64. lengths: (4, n) uint32, words of each field that carry something.
    languages: documents of each language, by place in ``CODES``.
    terms: distinct, in no order. counts: (len(terms),) documents of each.
    documents, packed: uint32, postings term by term, documents ascending.
    """

    ids: NDArray[np.int64]
    lengths: NDArray[np.uint32]
    languages: NDArray[np.int64]
    terms: list[bytes]
    counts: NDArray[np.int64]
    documents: NDArray[np.uint32]
    packed: NDArray[np.uint32]


def term_of(text: str, place: int | None) -> bytes:
    """Return the key of a term: as it stands, or stemmed in the language at ``place``.

    A word of grammar is kept unstemmed, so that no other word falls on it.
    """
    if place is None:
        return JOINED + encoded(text) if "-" in text or "." in text else encoded(text)
    stem = text if STOP_BITS.get(text, 0) >> place & 1 else stemmer(place).stemWord(text)
    return tagged(stem, place)


def tagged(stem: str, place: int) -> bytes:
    """Return the key of a stem of the language at ``place``."""
    return encoded(stem) + TAG + CODES[place].encode()


def shown(term: bytes) -> str:
    """Return a term as people read it, without what tells its kind."""
    return term.partition(TAG)[0].removeprefix(JOINED).decode("utf-8", "replace")


def size_of(document: Document) -> int:
    """Return about how many characters a document has."""
    return len(document.body) + len(document.headings) + 100


def batches(sources: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Cut documents, or what they are made of, into batches whose arrays fit in
    memory (about 100 MB)."""
    batch: list[T] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += size_of(source)
        if size >= _BATCH_CHARACTERS or len(batch) >= _BATCH_DOCUMENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Numbers(dict[bytes, int]):
    """Numbers keys in the order they are first asked for."""

    def __missing__(self, key: bytes) -> int:
        number = self[key] = len(self)
        return number


class Analyser:
    """Turns batches of documents into runs; what it learns of tokens serves the next batch."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._raws = TokenNumbers()
        self._between = int(self._raws.numbers(SEPARATOR)[0])
        self._starts = array("q", [0, 0])  # the forms of raw token r: starts[r] to starts[r + 1]
        self._forms = array("i")
        self._counted = array("b")
        self._words: tuple[dict[str, int], dict[str, int]] = ({}, {})  # as they stand; stemmed
        self._texts: list[tuple[str, bool]] = []
        self._stops = array("H")
        self._terms = _Numbers()
        self._table = np.full((len(CODES), 1 << 12), -1, np.int32)

    def run(self, batch: list[Document]) -> Run:
        """Return the postings of a batch (at most 16,384 documents)."""
        if len(self._raws.tokens) > _KNOWN_TOKENS:
            self._forget()
        slots, words, counts, counted = self._words_of(batch)
        owners = slots >> 2
        stops = np.frombuffer(self._stops, np.uint16)[words] if words.size else words
        languages = _languages(owners, stops, counts, len(batch))
        spoken = languages[owners]
        telling = counted & ~((stops >> spoken) & 1).astype(bool)
        lengths = _sums(slots[telling], counts[telling], 4 * len(batch))
        terms = self._terms_of(spoken, words)
        numbers, sizes, documents, packed = _pack(terms, slots, counts)
        names = list(self._terms)
        return Run(
            ids=np.fromiter((d.id for d in batch), np.int64, len(batch)),
            lengths=np.ascontiguousarray(lengths.reshape(-1, 4).T.astype(np.uint32)),
            languages=np.bincount(languages, minlength=len(CODES)),
            terms=[names[number] for number in numbers.tolist()],
            counts=sizes,
            documents=documents,
            packed=packed,
        )

    def _words_of(self, batch: list[Document]) -> tuple[NDArray[Any], ...]:
        """Return (slot, word, count, counted) of each distinct word; slot = 4 document + field."""
        slots, raws, counts = self._count(batch)
        self._learn()
        starts = np.frombuffer(self._starts, np.int64)
        first, many = starts[raws], starts[raws + 1] - starts[raws]
        total = int(many.sum())
        places = np.repeat(first - (np.cumsum(many) - many), many) + np.arange(total)
        words = np.frombuffer(self._forms, np.int32)[places] if total else np.zeros(0, np.int32)
        counted = np.frombuffer(self._counted, np.int8)[places] if total else words
        return (
            np.repeat(slots, many),
            words,
            np.repeat(counts, many),
            counted.astype(bool),
        )

    def _count(self, batch: list[Document]) -> tuple[NDArray[Any], ...]:
        """Return (slot, raw token, count), each pair once."""
        texts = [
            encoded(text)
            for document in batch
            for text in (document.name, document.description, document.headings, document.body)
        ]
        numbers = self._raws.numbers(spaced(b" \xff ".join(texts)))
        between = numbers == self._between
        slots = np.cumsum(between)
        keys = np.sort(((slots << 32) | numbers)[~between])
        starts = _starts(keys)
        distinct = keys[starts]
        return distinct >> 32, distinct & 0xFFFFFFFF, np.diff(starts, append=len(keys))

    def _learn(self) -> None:
        """Analyse the raw tokens met for the first time."""
        known = len(self._starts) - 1
        forms, counted, starts = self._forms, self._counted, self._starts
        words = self._words
        for raw in self._raws.tokens[known:]:
            for text, stemmed, adds in analyse(raw):
                number = words[stemmed].get(text)
                forms.append(self._word(text, stemmed) if number is None else number)
                counted.append(adds)
            starts.append(len(forms))

    def _word(self, text: str, stemmed: bool) -> int:
        """Number a word met for the first time."""
        number = self._words[stemmed][text] = len(self._texts)
        self._texts.append((text, stemmed))
        self._stops.append(STOP_BITS.get(text, 0) if stemmed else 0)
        return number

    def _terms_of(self, spoken: NDArray[Any], words: NDArray[Any]) -> NDArray[Any]:
        """Return the term of each word in the language its document speaks."""
        while self._table.shape[1] < len(self._texts):
            self._table = np.concatenate([self._table, np.full_like(self._table, -1)], axis=1)
        terms = self._table[spoken, words]
        unknown = np.flatnonzero(terms < 0)
        if unknown.size:
            pairs = np.unique((spoken[unknown].astype(np.int64) << 32) | words[unknown])
            for place in range(len(CODES)):
                asked = pairs[pairs >> 32 == place] & 0xFFFFFFFF
                self._stem(place, asked.tolist())
            terms = self._table[spoken, words]
        return np.asarray(terms)

    def _stem(self, place: int, words: list[int]) -> None:
        held, terms = self._texts, self._terms
        plain = [w for w in words if not held[w][1]]
        if plain:
            self._table[:, plain] = [terms[term_of(held[w][0], None)] for w in plain]
        stemmed = [w for w in words if held[w][1]]
        if not stemmed:
            return
        texts = [held[w][0] for w in stemmed]
        stems = stemmer(place).stemWords(texts)
        kept = [
            text if self._stops[word] >> place & 1 else stem
            for word, text, stem in zip(stemmed, texts, stems, strict=True)
        ]
        self._table[place, stemmed] = [terms[tagged(text, place)] for text in kept]


def _starts(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each run of equal keys begins."""
    if not keys.size:
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))


def _sums(slots: NDArray[Any], counts: NDArray[Any], size: int) -> NDArray[np.int64]:
    # Doubles hold every sum exactly: far below 2**53.
    return np.bincount(slots, weights=counts, minlength=size).astype(np.int64)


_WORTH = np.array(EVIDENCE, np.int64)


def _languages(
    owners: NDArray[Any], stops: NDArray[Any], counts: NDArray[Any], size: int
) -> NDArray[np.int64]:
    """Return the place of each document's language: most evidence, the first of equals."""
    hit = np.flatnonzero(stops)
    bits = stops[hit].astype(np.int64)
    worth = _WORTH[bits] * counts[hit]
    evidence = np.stack(
        [_sums(owners[hit], worth * (bits >> place & 1), size) for place in range(len(CODES))]
    )
    best = evidence.argmax(axis=0)
    return np.where(evidence.max(axis=0) >= MINIMUM, best, 0)


def _pack(
    terms: NDArray[Any], slots: NDArray[Any], counts: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return (term numbers, documents of each, documents, packed counts) sorted by term.

    One plain sort of 64-bit keys, with the count in the lowest bits, is ten
    times as fast as sorting places and gathering.
    """
    keys = terms.astype(np.uint64) << np.uint64(32)
    keys |= slots.astype(np.uint64) << np.uint64(16)
    keys |= np.minimum(counts, _COUNT_LIMIT).astype(np.uint64)
    keys.sort()
    places = _starts(keys >> np.uint64(16))
    if not places.size:
        empty = np.zeros(0, np.uint32)
        return np.zeros(0, np.int64), np.zeros(0, np.int64), empty, empty
    times = np.add.reduceat((keys & np.uint64(_COUNT_LIMIT)).astype(np.int64), places)
    keys = keys[places] >> np.uint64(16)
    field = (keys & np.uint64(3)).astype(np.int64)
    times = np.minimum(times, np.array(LIMITS)[field]) << np.array(SHIFTS)[field]
    keys >>= np.uint64(2)
    places = _starts(keys)
    packed = np.add.reduceat(times, places).astype(np.uint32)
    keys = keys[places]
    documents = (keys & np.uint64(0x3FFF)).astype(np.uint32)
    owners = (keys >> np.uint64(14)).astype(np.int64)
    starts = _starts(owners)
    return owners[starts], np.diff(starts, append=len(owners)), documents, packed
