"""The scanner for personal data: one reading of a text in, spans out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from manent import late
from manent.finding import digest_of
from manent.scan.engine import Search
from manent.scan.pii import email, nearby, phone
from manent.scan.pii.bank import CARD_PICTURES, iban_at, in_issued_range, is_card
from manent.scan.pii.checks import ean
from manent.scan.pii.national import ALL_WORDS, GENERIC, NUMBERS, Number
from manent.scan.pii.numbers import (
    BROKEN,
    Region,
    Row,
    canonical,
    joined,
    regions,
    tokens,
)
from manent.scan.pii.pictures import BEGINNINGS, PICTURES, PROBABLY, WEAK, WHOLE, shown
from manent.scan.reading import Reading
from manent.scan.span import Context, Family, Span, mask
from manent.values import dataclass

_DISTORTED = ("reversed", "reversed-words", "rot13")
"""Layers in which digits mean nothing: turned round they pass other checks by chance."""

_SURELY, _NAMED, _LIKELY, _PHONE = range(4)
_EASTERN = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९０１２３４５６７８９", "0123456789" * 4)
_OMOCODE = "[0-9LMNP-Vlmnp-v]"
_LETTERED_CODE = (
    f"[A-Za-z]{{6}}{_OMOCODE}{{2}}[A-EHLMPRSTa-ehlmprst]{_OMOCODE}{{2}}"
    f"[A-Za-z]{_OMOCODE}{{3}}[A-Za-z]"
)
_PAN_CODE = "[A-Z]{3}P[A-Z][0-9]{4}[A-Z]"
_FEW_DIGITS = late.pattern(f"(?<![A-Za-z0-9])(?:{_LETTERED_CODE}|{_PAN_CODE})(?![A-Za-z0-9])")
_LETTERED = rf"\b(?:{_LETTERED_CODE}|{_PAN_CODE})\b"
_SOME_FEW = Search(_LETTERED, case=True)
_CODE = next(number for number in NUMBERS if number.kind == "it-codice-fiscale")
_PAN = next(number for number in NUMBERS if number.kind == "in-pan")
_OTHER_DIGITS = "[٠-٩۰-۹०-९０-９]"
_SOME_OTHER = Search(_OTHER_DIGITS)
_PREFILTER = Search(f"{email.SPELLED}|(?-i:{_LETTERED})|{_OTHER_DIGITS}", case=True)
"""The one pass over every text: spelled addresses, lettered codes, digits of other scripts."""
_DIALS = late.pattern(r"(?:wa\.me/|tel:|phone=|t\.me/)\+?\Z", re.IGNORECASE)
_OUT_OF_ADDRESS = late.pattern('[ )>"\t]')
_EPOCH_MS = late.pattern(r"1[0-9]{12}\Z")


@dataclass(frozen=True, slots=True)
class _Hit:
    """A match before overlaps are settled; the lowest rank wins, then the longest."""

    rank: int
    start: int
    end: int
    kind: str
    canonical: str


class _Held(NamedTuple):
    """The tokens of a region.

    low: where its digits start; what ends before is the region before's.
    silent: no word is in reach of any of its numbers.
    """

    text: str
    tokens: Row
    low: int
    silent: bool

    def around(self, start: int, end: int) -> nearby.Around | None:
        """Return the words around a number, if there are any."""
        return None if self.silent else nearby.around(self.text, start, end)


_FEW = 4
"""Up to how many rules are quicker to try than the words around are to read."""


def find(reading: Reading, context: Context) -> Iterator[Span]:
    """Yield the personal data in one reading of a text, in order, without overlaps.

    E-mail addresses, telephone numbers, IBANs, payment cards and national
    numbers; with ``context.locations`` IP addresses and coordinates too.
    """
    if any(layer in _DISTORTED for layer in reading.layer.split("+")):
        return
    text = reading.text
    hits = list(_emails(text, email.signed(text)))
    if _PREFILTER.first(reading.raw):
        from manent.scan.pii.spelled import spelled

        hits.extend(_emails(text, spelled(text, reading.raw)))
        if _SOME_FEW.first(reading.raw):
            hits.extend(_few_digits(text))
        if _SOME_OTHER.first(reading.raw):
            text = text.translate(_EASTERN)
    for region in regions(text):
        hits.extend(_in_region(reading, text, region, context))
    if context.locations:
        from manent.scan.pii import location

        hits.extend(_Hit(_LIKELY, p.start, p.end, p.kind, p.canonical) for p in location.find(text))
    for hit in _settled(hits):
        yield _span(reading, hit)


def _emails(text: str, found: Iterator[email.Email]) -> Iterator[_Hit]:
    return (_Hit(_SURELY, e.start, e.end, "email", e.canonical) for e in found)


def _few_digits(text: str) -> Iterator[_Hit]:
    """Yield the numbers with too few digits for a region: lettered codici fiscali, and PANs."""
    for match in _FEW_DIGITS.finditer(text):
        start, end = match.span()
        code = match[0].upper()
        number = _CODE if len(code) == 16 else _PAN
        if not number.holds(code) or any(joined(text, start, end)):
            continue
        named = nearby.named(nearby.around(text, start, end), number.words)
        if named or (number is _CODE and any(c.isdigit() for c in code)):
            yield _Hit(_SURELY, start, end, number.kind, code)


def _span(reading: Reading, hit: _Hit) -> Span:
    start, end = reading.origin(hit.start, hit.end)
    return Span(
        start=start,
        end=end,
        family=Family.PII,
        kind=hit.kind,
        layer=reading.layer,
        masked=mask(reading.text[hit.start : hit.end]),
        digest=digest_of(hit.canonical),
        mention=reading.mention(hit.start, hit.end),
    )


def _settled(hits: list[_Hit]) -> list[_Hit]:
    """Drop what overlaps something better, and return the rest in order."""
    if len(hits) < 2:
        return hits
    taken: list[_Hit] = []
    last = -1
    hits.sort(key=lambda hit: (hit.start, hit.rank, hit.start - hit.end))
    for hit in hits:
        if hit.start >= last:
            taken.append(hit)
        elif _better(hit, taken[-1]):
            taken[-1] = hit
        else:
            continue
        last = taken[-1].end
    return taken


def _better(new: _Hit, old: _Hit) -> bool:
    return (new.rank, old.start - old.end) < (old.rank, new.start - new.end)


def _in_region(reading: Reading, text: str, region: Region, context: Context) -> Iterator[_Hit]:
    written, dialled = shown(text[region.start : region.end])
    if not (written or dialled) or _whole_address(text, region):
        return
    silent = nearby.silent(text, region.low, region.high)
    if written:
        yield from _written(_Held(text, tokens(text, region), region.low, silent), region.high)
    if dialled:
        yield from _phones(reading, text, region, context, silent)


def _written(held: _Held, high: int) -> Iterator[_Hit]:
    """Yield the national numbers, cards and accounts of a region whose digits end at ``high``."""
    row = held.tokens
    for index, (start, picture) in enumerate(zip(row.starts, row.pictures, strict=True)):
        if start >= high:
            break
        if picture in BEGINNINGS:
            yield from _from_token(held, index)
        if picture[0] != "A":
            continue
        if picture == "AA" or picture.startswith("AA00"):
            found = iban_at(row, index)
            if found is not None and not any(joined(held.text, start, found[0])):
                yield _Hit(_SURELY, start, found[0], "iban", found[1])
        if "0" in picture and (unglued := row.after(index, 8)):
            yield from _from_token(held._replace(tokens=unglued), 0)


def _whole_address(text: str, region: Region) -> bool:
    """Whether all the digits lie in one web address, and not in one that dials."""
    if not nearby.in_address(text, region.low):
        return False
    if _OUT_OF_ADDRESS.search(text, region.low, region.high):
        return False
    return _DIALS.search(text[max(0, region.low - 40) : region.low]) is None


def _from_token(held: _Held, first: int) -> Iterator[_Hit]:
    """Put tokens together from the first on, and judge each picture that is known."""
    row = held.tokens
    start, picture = row.starts[first], row.pictures[first]
    last = first
    while picture in BEGINNINGS:
        end = row.ends[last]
        if end > held.low and picture in WHOLE:
            part = _goes_on(row, first, last)
            hit = None
            if picture in PICTURES:
                hit = _number(held, start, end, picture, part)
            if picture in CARD_PICTURES and (hit is None or hit.rank > _NAMED):
                hit = _card(held, start, end, part) or hit
            if hit is not None:
                yield hit
        last += 1
        if last == len(row) or row.gaps[last] == BROKEN:
            return
        picture += row.gaps[last] + row.pictures[last]


def _goes_on(row: Row, first: int, last: int) -> bool:
    """Whether digits go on before or after in the same grouping: a part of something longer."""
    bodies, gaps = row.bodies, row.gaps
    if first == last:
        return len(bodies[first]) > 11 and any(
            body.isdigit() and len(body) > 5
            for body in (*bodies[max(0, first - 1) : first], *bodies[first + 1 : first + 2])
        )
    gap = gaps[first + 1]
    before = first > 0 and gaps[first] == gap and bodies[first - 1].isdigit()
    return before or (last + 1 < len(row) and gaps[last + 1] == gap and bodies[last + 1].isdigit())


def _number(held: _Held, start: int, end: int, picture: str, part: bool) -> _Hit | None:
    """Return the national number that the text from start to end is, named by the words around.

    part: digits go on before or after.
    """
    text = held.text
    if part and held.silent:
        return None
    if "(" in picture and text[end : end + 1] == ")":
        end += 1
    before, after = joined(text, start, end)
    if after or (before and not (before in "-/_.#" and text[start - 2].isalpha())):
        return None
    code = canonical(text[start:end])
    if len(PICTURES[picture]) < _FEW and not _holding(picture, code):
        return None
    around = held.around(start, end)
    telling = _telling(around)
    part = part or bool(before)
    weak = picture in WEAK and not nearby.alone(text, start, end)
    if not telling and (part or weak):
        return None
    able = _holding(picture, code)
    for number, _ in able if telling else ():
        if around and nearby.named(around, number.words):
            return _Hit(_NAMED, start, end, number.kind, code)
    if part:
        return None
    for number, rank in able:
        if rank == _SURELY or _stands(text, start, end, number, rank, code, around):
            return _Hit(_SURELY if rank == _SURELY else _LIKELY, start, end, number.kind, code)
    return None


def _telling(around: nearby.Around | None) -> bool:
    """Whether the words around speak of some national number."""
    return around is not None and (nearby.named(around, ALL_WORDS) or nearby.named(around, GENERIC))


@lru_cache(maxsize=2048)
def _holding(picture: str, code: str) -> tuple[tuple[Number, int], ...]:
    """Return which numbers of a picture ``code`` may be; a text repeats its numbers."""
    return tuple((number, rank) for number, rank in PICTURES[picture] if number.holds(code))


def _stands(
    text: str,
    start: int,
    end: int,
    number: Number,
    rank: int,
    code: str,
    around: nearby.Around | None,
) -> bool:
    """Whether a number without its own words counts all the same."""
    if nearby.alone(text, start, end):
        return rank <= PROBABLY or (number.alone and not _EPOCH_MS.match(code))
    if nearby.denied(text, start) or nearby.in_address(text, start):
        return False
    return rank <= PROBABLY or (around is not None and nearby.named(around, GENERIC))


def _card(held: _Held, start: int, end: int, part: bool) -> _Hit | None:
    text = held.text
    digits = canonical(text[start:end])
    if (part and held.silent) or not is_card(digits, carded=True) or any(joined(text, start, end)):
        return None
    around = held.around(start, end)
    if around is not None and nearby.carded(around):
        return _Hit(_NAMED, start, end, "card", digits)
    lone = nearby.alone(text, start, end)
    if part or not (in_issued_range(digits) or (len(digits) == 15 and lone)):
        return None
    if not _card_shaped(digits, grouped=end - start > len(digits)):
        return None
    if nearby.denied(text, start) or nearby.in_address(text, start):
        return None
    return _Hit(_LIKELY, start, end, "card", digits)


def _card_shaped(digits: str, *, grouped: bool) -> bool:
    """Whether digits look like a card where no word says so: the usual lengths, or groups."""
    if len(digits) == 13:
        return digits[0] == "4" and not ean(digits)
    if 14 <= len(digits) <= 16:
        return True
    return len(digits) > 16 and (grouped or (len(digits) == 19 and digits.startswith(("4", "62"))))


def _phones(
    reading: Reading, text: str, region: Region, context: Context, silent: bool
) -> Iterator[_Hit]:
    low = region.low
    floor = max(region.start, low - 3)
    while low > floor and text[low - 1] in "+( [":
        low -= 1
    for start, end in phone.chains(text, low, region.high):
        if any(joined(text, start, phone.with_extension(text, end))):
            continue
        found = phone.judge(text, start, end, context.phone_regions, silent)
        if found is None or _in_plain_address(text, start):
            continue
        if not (found.soft and reading.mention(start, end)):
            yield _Hit(_PHONE, found.start, found.end, "phone", found.canonical)


def _in_plain_address(text: str, start: int) -> bool:
    return nearby.in_address(text, start) and not _DIALS.search(text[max(0, start - 40) : start])
