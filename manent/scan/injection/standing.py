"""Where in a text rules can match: by the words that they need, read once for all of them.

``places`` asks which of the words of a text stand in which paragraph, in a few
operations a paragraph. ``Order`` asks whether they also stand in order and near to
each other, which takes longer than to search for a rule, and much less than to
compile one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from manent.scan.engine import Place
from manent.scan.injection.needs import FAR
from manent.scan.injection.segment import Segment, blank
from manent.scan.injection.vocabulary import Masks, Parts, Way, Ways, Words, united, words_of

Places = dict[int, list[Place]]
"""For each rule, by number, where it can match."""

Row = list[tuple[int, int]]
"""The runs that hold a word that a rule needs: which one of all, and the mask of its words."""

PIECE_BYTES = 1000
"""A long text is judged by the words of two neighbouring pieces: what a match may span."""

SHORT_BYTES = 4000
"""A paragraph up to this size is not cut into pieces: cheaper than to ask where."""

_LOWER = bytes(c + 32 if 65 <= c <= 90 else 46 if c == 11 else c for c in range(256))
"""Small letters for capital ones. What is no blank in patterns is none for ``split`` either."""


def places(segment: Segment, ways: Ways, known: Words | Parts, held: Masks) -> Places:
    """Return which rules can match in a segment, and where.

    held: the words of the segment that a rule needs, each with its mask.
    """
    able = ways.possible(united(held.values()))
    if not able:
        return {}
    for marks, bits in ways.marked:
        if able & bits and not marks.stand(segment.raw, *segment.whole):
            able &= ~bits
    across = able & ways.across
    found: Places = {rule: [segment.whole] for rule in ways.rules(across)} if across else {}
    able &= ~across
    # A paragraph without any word of the rarest needs is passed over.
    rare = {word for word, mask in held.items() if mask & able}
    if not rare:
        return found
    if isinstance(known, Words):
        each = _words_told(segment, known, held, rare)
    else:
        each = _parts_told(segment, held, rare)
    for number, told in each:
        here = able & ways.possible(told)
        if here:
            _add(found, segment, number, ways, known, here)
    return found


def _words_told(
    segment: Segment, known: Words, held: Masks, rare: set[str]
) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs with one of ``rare``, each with the masks of its words, united."""
    words, mask = held.keys(), held.__getitem__
    for number, row in enumerate(segment.each(plain=known.ascii)):
        if not rare.isdisjoint(row):
            yield number, reduce(or_, map(mask, words & row))


def _parts_told(segment: Segment, held: Masks, rare: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the same where the script sets no words apart."""
    for number, text in enumerate(segment.lower_each):
        if any(part in text for part in rare):
            yield number, united(mask for part, mask in held.items() if part in text)


def _add(
    found: Places, segment: Segment, number: int, ways: Ways, known: Words | Parts, able: int
) -> None:
    """Add a paragraph for each rule that can match in it; of a long one where in it."""
    place = segment.place(number)
    if place[1] - place[0] <= SHORT_BYTES or not isinstance(known, Words):
        for rule in ways.rules(able):
            found.setdefault(rule, []).append(place)
        return
    pieces = _pieces(segment.raw, place, ways, known)
    for rule in ways.rules(able):
        found.setdefault(rule, []).extend(_stretches(pieces, ways.of_rule[rule]))


def _pieces(raw: bytes, place: Place, ways: Ways, known: Words) -> list[tuple[int, int, int]]:
    """Cut a long paragraph; return for each piece what can match in it and the one after it."""
    begin, finish = place
    row = []
    while begin < finish:
        end = min(blank(raw, begin + PIECE_BYTES), finish)
        words = words_of(raw[begin:end], plain=known.ascii)
        row.append((begin, end, united(known.told(set(words)).values())))
        begin = end
    after = [told for _, _, told in row[1:]] + [0]
    return [
        (begin, end, ways.possible(one | two))
        for (begin, end, one), two in zip(row, after, strict=True)
    ]


def _stretches(pieces: list[tuple[int, int, int]], bits: int) -> Iterator[Place]:
    """Yield the rows of pieces each of which, with the one after it, has one of ``bits``."""
    begin = -1
    for start, end, able in pieces:
        if able & bits:
            begin = start if begin < 0 else begin
        elif begin >= 0:
            yield begin, end
            begin = -1
    if begin >= 0:
        yield begin, pieces[-1][1]


class Order:
    """Whether the words that a rule needs stand in a stretch of text in order and near enough.

    Its runs, rows of letters and signs between blanks, are numbered, and the places of words
    are a whole number with a bit for each run that holds one of them.
    """

    __slots__ = ("_held", "_plain", "_raw", "_rows")

    def __init__(self, raw: bytes, held: Masks, *, plain: bool) -> None:
        """Ask in ``raw``; held: the words in it that a rule needs, each with its mask.

        plain: whether bytes beyond ASCII set words apart.
        """
        self._raw = raw
        self._held = held
        self._plain = plain
        self._rows: dict[Place, Row] = {}

    def holds(self, place: Place, ways: list[Way]) -> bool:
        """Whether in a stretch the words of one of ``ways`` stand so."""
        row = self._rows.get(place)
        if row is None:
            masks = enumerate(self._masks(self._raw[place[0] : place[1]]))
            row = self._rows[place] = [(at, mask) for at, mask in masks if mask]
        return any(_stands(way, row) for way in ways)

    def _masks(self, raw: bytes) -> Iterator[int]:
        """Yield the masks of the words of each run, united, of those that count as words."""
        held = self._held
        for run in raw.translate(_LOWER).split():
            word = run.decode("utf-8", "replace")
            if word.isascii() and word.isalpha():
                yield held.get(word, 0)
            elif any(map(str.isalnum, word)):
                words = words_of(run, plain=self._plain)
                yield united(held[word] for word in words if word in held)


def _stands(way: Way, row: Row) -> bool:
    """Whether the words of a way stand in order and near enough."""
    here = -1
    for need, within in way.order:
        there = sum([1 << at for at, mask in row if mask & need])
        here = _followed(here, within) & there
        if not here:
            return False
    return True


def _followed(bits: int, within: int) -> int:
    """Return the places at most so many runs after some."""
    if within == FAR:
        return -(bits & -bits)
    step = 1
    while 2 * step <= within + 1:
        bits |= bits << step
        step *= 2
    return bits | bits << within + 1 - step
