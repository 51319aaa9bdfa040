"""The words around a number: what makes a weak number a finding, and what makes it none.

Everything is bounded: a line is looked at ``BEFORE`` letters back and ``AFTER``
ahead, and up to the label on the line above or the head of its table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache, reduce
from operator import or_

from manent import late
from manent.scan.pii.national import ALL_WORDS

BEFORE = 64
"""How far before a number its label may stand, in letters."""

AFTER = 40
"""How far after a number a word may stand that says what it is, in letters."""

_HEAD_LINES = 40
_HEAD_REACH = 4000
_ADDRESS_REACH = 240
_SPACED_SCRIPTS = "\u0e00"
"""Scripts below write spaces between words; a word of those above matches anywhere."""

_CAMEL = late.pattern(r"([a-z])([A-Z])")
_WORD = late.pattern(r"[^\W_]+(?:\.[^\W_]+)*")
_ALNUM = late.pattern(r"[^\W_]")
_LETTER = late.pattern(r"[^\W\d_]")
_OUTSIDE = late.pattern("[\t<>\"'`|)\\]]")
"""What does not stand in a web address."""

_OTHER = frozenset(
    """
    order ordine pedido commande bestellung bestellnummer bestelling ref reference referenz
    riferimento référence referencia ticket issue case bug invoice fattura factura facture
    rechnung rechnungsnummer sku part serial seriale seriennummer batch lot lotto tracking
    spedizione commit version versione build port isbn isbn10 isbn13 issn ean ean13 upc gtin
    asin barcode doi arxiv epoch timestamp hash sha sha1 sha256 md5 nonce block tx seed
    offset size bytes checksum etag revision rev event evento asset createdat updatedat
    created updated expires expiry session request trace span imei iccid udid lei figi isin
    cusip sn pn model modello article artikel artikelnummer articolo prodotto product
    protocollo pratica job run task pid uuid guid row line page pages volume msgid v ver
    channel pr pull mr rfc cve patent 订单 订单号 编号 版本 주문 заказ заказа артикул
    zamówienie zamówienia bestil ordre commit_id sequence seq zip plz cap postcode gas slot
    height wei amount total sum price
    """.split()
)
"""Words that say, right before a number, that it is no personal one."""

_BETWEEN = frozenset(
    """
    no n nr num number numero número numéro nummer numer id code is the of for in and type
    date time ms at by s p
    """.split()
)
"""Words that may stand between such a word and the number."""

_CARD_WORDS = (
    "card", "cards", "cc", "ccnum", "=PAN", "pan", "visa", "mastercard", "master card", "amex",
    "maestro",
    "american express", "diners", "discover", "jcb", "unionpay", "debit", "credit", "carta",
    "carte",
    "kreditkart*", "karte", "tarjeta*", "cartão", "cartao", "cartões", "creditcard*", "kaart*",
    "kart*",
    "kort", "kredit*", "bankkort*", "kortnummer*", "luottokort*", "kortti*", "kortin", "cardul*",
    "платіжн*", "карта", "карты", "карте", "картой", "карту", "картка", "картки", "银行卡",
    "信用卡",
    "卡号",
    "卡", "クレジット", "カード", "카드", "कार्ड", "بطاقة", "paid with", "prepagata",
    "bancomat", "debito",
    "kártya*", "bankkártya*", "κάρτα", "κάρτας", "كارت", "บัตรเครดิต", "cvv", "cvc", "scadenza",
    "expiry",
)  # fmt: skip


class Words:
    """A list of words to look for: a bit in what the lexicon says of a text.

    ``=W`` means exactly that case, ``w*`` any word that starts so; a word of
    Chinese, Japanese, Thai and the like matches inside others; ``w:`` needs the
    colon. Hyphens and underscores count as spaces, full stops are left out.
    """

    __slots__ = ("bit", "numbers")

    def __init__(self, words: tuple[str, ...], lexicon: Lexicon) -> None:
        self.numbers = tuple(word for word in words if word.isdigit())
        self.bit = lexicon.add(words)

    def numbered(self, text: str) -> bool:
        """Whether a text holds one of the words that have no letter in them."""
        return any(word in text for word in self.numbers)


class Lexicon:
    """All lists of words in one dictionary: which lists a word is of, as bits.

    A word is looked up once and remembered; a text asks for its words and has the
    answer for every list.
    """

    __slots__ = ("_eastern", "_exact", "_known", "_marked", "_numbered", "_phrases", "_prefixes",
                 "_single", "_texts", "lists")  # fmt: skip

    def __init__(self) -> None:
        self.lists = 1
        self._exact: dict[str, int] = {}
        self._single: dict[str, int] = {}
        self._prefixes: dict[int, dict[str, int]] = {}
        self._eastern: dict[str, int] = {}
        self._marked: dict[str, int] = {}
        self._phrases: dict[str, dict[str, int]] = {}
        self._known: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._numbered: re.Pattern[str] | None = None

    def add(self, words: tuple[str, ...]) -> int:
        """Take up a list of words and return its bit."""
        bit = 1 << self.lists
        self.lists += 1
        self._known.clear()
        self._texts.clear()
        for word in words:
            self._put(word, bit)
        self._number(words)
        return bit

    def _number(self, words: tuple[str, ...]) -> None:
        """Take up those of ``words`` that have digits, however they are set apart in a text."""
        told = (_flat(word).replace(" ", "") for word in words if _DIGIT.search(word))
        found = [_APART.join(map(re.escape, word)) for word in told]
        if found:
            found += [self._numbered.pattern] if self._numbered else []
            self._numbered = re.compile("|".join(found), re.IGNORECASE)

    def _put(self, word: str, bit: int) -> None:
        plain = word.lower()
        if word[0] == "=":
            _mark(self._exact, word[1:], bit)
        elif plain[-1] in ":#":
            _mark(self._marked, plain, bit)
        elif plain[-1] >= _SPACED_SCRIPTS:
            _mark(self._eastern, plain, bit)
        elif plain[-1] == "*":
            _mark(self._prefixes.setdefault(len(plain) - 1, {}), plain[:-1], bit)
        elif " " in (flat := _flat(plain)):
            first = flat.split()[0]
            _mark(self._phrases.setdefault(first, {}), f" {flat} ", bit)
            _mark(self._single, first, _FIRST)
        else:
            _mark(self._single, flat, bit)

    def told(self, around: Around) -> int:
        """Return the bits of the lists of which a word stands in ``around``.

        Texts that differ in digits only say the same, unless one has a word with digits:
        a log or a table of ten thousand lines is read once.
        """
        if self._numbered is not None and self._numbered.search(around.text):
            return self._read(around)
        alike = around.text.translate(_ALIKE)
        told = self._texts.get(alike)
        if told is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            told = self._texts[alike] = self._read(around)
        return told

    def _read(self, around: Around) -> int:
        told = 0
        for word in around.cased:
            told |= self._of(word)
        if told & _FIRST:
            for first in self._phrases.keys() & set(around.words):
                for phrase, bit in self._phrases[first].items():
                    told |= bit if phrase in around.flat else 0
        text = around.text
        if not text.isascii() and _EASTERN.search(text):
            told |= _bits(bit for part, bit in self._eastern.items() if part in text)
        if ":" in text or "#" in text:
            lower = text.lower()
            for part, bit in self._marked.items():
                if part in lower and _begins(lower, part):
                    told |= bit
        return told

    def _of(self, cased: str) -> int:
        known = self._known.get(cased)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            word = cased.lower()
            known = self._exact.get(cased, 0) | self._single.get(word, 0)
            for length, starts in self._prefixes.items():
                known |= starts.get(word[:length], 0)
            self._known[cased] = known
        return known


_FIRST = 1
"""The bit of the words that begin a phrase of some list."""

_MOST_KNOWN = 8192
"""How many words are remembered at once."""

_MOST_TEXTS = 2048
"""How many texts are remembered at once."""

_ALIKE = str.maketrans("123456789", "000000000")
_DIGIT = late.pattern("[0-9]")
_APART = r"[\W_]*"

_EASTERN = late.pattern(f"[{_SPACED_SCRIPTS}-\U0010ffff]")


def _mark(table: dict[str, int], word: str, bit: int) -> None:
    table[word] = table.get(word, 0) | bit


def _bits(bits: Iterable[int]) -> int:
    return reduce(or_, bits, 0)


_LEXICON = Lexicon()


class Around:
    """The words around a number, cut apart when first asked for.

    cased, words: in order without full stops, as written and in lower case.
    flat: the words in lower case with one space around each.
    """

    __slots__ = ("_cased", "_flat", "_lettered", "_lists", "_told", "_words", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._lettered: bool | None = None
        self._cased: list[str] | None = None
        self._words: list[str] | None = None
        self._flat: str | None = None
        self._told = self._lists = 0

    @property
    def cased(self) -> list[str]:
        """The words as written."""
        if self._cased is None:
            found = _WORD.findall(_CAMEL.sub(r"\1 \2", self.text))
            self._cased = [word.replace(".", "") if "." in word else word for word in found]
        return self._cased

    @property
    def words(self) -> list[str]:
        """The words in lower case."""
        if self._words is None:
            self._words = " ".join(self.cased).lower().split()
        return self._words

    @property
    def flat(self) -> str:
        """The words in lower case, a space around each."""
        if self._flat is None:
            self._flat = f" {' '.join(self.words)} "
        return self._flat

    def says(self, words: Words) -> bool:
        """Whether one of ``words`` is here."""
        if not self.lettered and not words.numbered(self.text):
            return False
        if self._lists != _LEXICON.lists:
            self._lists, self._told = _LEXICON.lists, _LEXICON.told(self)
        return bool(self._told & words.bit)

    @property
    def lettered(self) -> bool:
        """Whether there is a letter at all: between numbers there are only numbers."""
        if self._lettered is None:
            self._lettered = _LETTER.search(self.text) is not None
        return self._lettered


def _begins(text: str, part: str) -> bool:
    """Whether ``part`` stands in ``text`` at the start of a word."""
    at = text.find(part)
    while at > 0 and text[at - 1].isalpha():
        at = text.find(part, at + 1)
    return at >= 0


def _flat(word: str) -> str:
    return " ".join(part.replace(".", "") for part in _WORD.findall(word))


_PREPARED: dict[int, tuple[tuple[str, ...], Words]] = {}
"""The lists of this package by identity: to hash a list of a thousand words costs more than
to look for them. Each entry holds its list, so that no other can take its place."""


def prepared(words: tuple[str, ...]) -> Words:
    """Return ``words``, a constant, ready to be looked for."""
    known = _PREPARED.get(id(words))
    if known is None:
        known = _PREPARED[id(words)] = (words, Words(words, _LEXICON))
    return known[1]


def before(text: str, start: int) -> Around:
    """Return the words that lead up to ``start``: its line, or the label or head above."""
    floor = max(0, start - BEFORE)
    line = text.rfind("\n", floor, start) + 1
    if not line:
        return _read(text[floor:start])
    lead = text[line:start]
    return _read(f"{_above(text, line, lead)}\n{lead}")


def around(text: str, start: int, end: int) -> Around:
    """Return the words before ``start``, as ``before`` does, and those after ``end``."""
    stop = text.find("\n", end, end + AFTER)
    after = text[end : stop if stop >= 0 else end + AFTER]
    return _read(f"{before(text, start).text} {after}")


@lru_cache(maxsize=256)
def _read(text: str) -> Around:
    """Return the words of ``text``, kept a while: one place is asked about several times."""
    return Around(text)


def _above(text: str, line: int, lead: str) -> str:
    """Return the head of the table the line belongs to, or the label right above it."""
    if lead.lstrip().startswith("|"):
        return _table_head(text, line)
    if _ALNUM.search(lead):
        return ""
    label = text[max(0, line - 1 - BEFORE) : line - 1].rstrip("\n ")
    return label[label.rfind("\n") + 1 :]


@lru_cache(maxsize=1)
def _table_head(text: str, line: int) -> str:
    """Return the head of the table that the line is in; a line holds many numbers."""
    begin = end = line
    floor = max(0, line - _HEAD_REACH)
    for _ in range(_HEAD_LINES):
        start = text.rfind("\n", floor, line - 1) + 1
        if text[start] != "|" and not text[start : line - 1].lstrip().startswith("|"):
            break
        begin, end, line = start, line - 1, start
        if start <= floor:
            break
    return text[begin:end][:400]


def silent(text: str, low: int, high: int) -> bool:
    """Whether no word is in reach of any number between two places on one line."""
    floor = max(0, low - BEFORE)
    line = text.rfind("\n", floor, low) + 1
    if line:
        if text[line:low].lstrip().startswith("|"):
            return False  # the head of its table is further up
        floor = max(0, line - 1 - BEFORE)
    stretch = text[floor : high + AFTER]
    return _LETTER.search(stretch) is None and not prepared(ALL_WORDS).numbered(stretch)


def named(near: Around, words: tuple[str, ...]) -> bool:
    """Whether one of ``words`` stands near."""
    return near.says(prepared(words))


def carded(near: Around) -> bool:
    """Whether the words around speak of a payment card."""
    return near.says(prepared(_CARD_WORDS))


def denied(text: str, start: int) -> bool:
    """Whether the words right before say that the number is something else."""
    lead = text[max(0, start - 40) : start]
    lead = lead[lead.rfind("\n") + 1 :]
    if not _LETTER.search(lead):
        return False
    words = Around(lead).words
    while words and (words[-1] in _BETWEEN or words[-1].isdigit()) and words[-1] not in _OTHER:
        words = words[:-1]
    return bool(words) and words[-1] in _OTHER


def in_address(text: str, start: int) -> bool:
    """Whether the place lies inside a web address."""
    floor = max(0, start - _ADDRESS_REACH)
    begin = max(text.rfind(" ", floor, start), text.rfind("\n", floor, start), floor - 1) + 1
    scheme = text.rfind("://", begin, start)
    if scheme < 0:
        scheme = text.rfind("www.", begin, start)
    return scheme >= 0 and _OUTSIDE.search(text, scheme, start) is None


def alone(text: str, start: int, end: int) -> bool:
    """Whether the text holds nothing but ``text[start:end]`` and marks around it."""
    if len(text) - (end - start) > 24:
        return False
    return not (_ALNUM.search(text[:start]) or _ALNUM.search(text[end:]))
