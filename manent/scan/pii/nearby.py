"""The words around a number: what makes a weak number a finding, and what makes it none.

Everything is bounded: a line is looked at ``BEFORE`` letters back and ``AFTER``
ahead, and up to the label on the line above or the head of its table.
"""

from __future__ import annotations

from functools import lru_cache

from manent import late

BEFORE = 64
"""How far before a number its label may stand, in letters."""

AFTER = 40
"""How far after a number a word may stand that says what it is, in letters."""

_HEAD_LINES = 40
_HEAD_REACH = 4000
_ADDRESS_REACH = 240
_SPACED_SCRIPTS = "\u0e00"
"""Scripts below write spaces between words; a word of those above matches anywhere."""

_CAMEL = late.pattern(r"(?<=[a-z])(?=[A-Z])")
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
    """A list of words to look for, prepared once.

    ``=W`` means exactly that case, ``w*`` any word that starts so; a word of
    Chinese, Japanese, Thai and the like matches inside others; ``w:`` needs the
    colon. Hyphens and underscores count as spaces, full stops are left out.
    """

    __slots__ = (
        "_eastern", "_exact", "_firsts", "_marked", "_numbers", "_phrases", "_prefixes", "_single",
    )  # fmt: skip

    def __init__(self, words: tuple[str, ...]) -> None:
        self._exact = frozenset(word[1:] for word in words if word[0] == "=")
        plain = [word.lower() for word in words if word[0] != "="]
        self._marked = tuple(word for word in plain if word[-1] in ":#")
        self._eastern = tuple(word for word in plain if word[-1] >= _SPACED_SCRIPTS)
        self._prefixes = tuple(word[:-1] for word in plain if word[-1] == "*")
        rest = [_flat(w) for w in plain if w[-1] not in ":#*" and w[-1] < _SPACED_SCRIPTS]
        self._single = frozenset(word for word in rest if " " not in word)
        self._numbers = tuple(word for word in self._single if word.isdigit())
        self._phrases = tuple(f" {word} " for word in rest if " " in word)
        self._firsts = frozenset(phrase.split()[0] for phrase in self._phrases)

    def numbered(self, text: str) -> bool:
        """Whether a text holds one of the words that have no letter in them."""
        return any(word in text for word in self._numbers)

    def found(self, around: Around) -> bool:
        """Whether one of them stands in ``around``."""
        words = around.words
        if not self._single.isdisjoint(words) or not self._exact.isdisjoint(around.cased):
            return True
        if self._prefixes and any(word.startswith(self._prefixes) for word in words):
            return True
        if not self._firsts.isdisjoint(words) and any(p in around.flat for p in self._phrases):
            return True
        if not around.text.isascii() and any(part in around.text for part in self._eastern):
            return True
        return any(_begins(around.lower, part) for part in self._marked)


class Around:
    """The words around a number, cut apart when first asked for.

    cased, words: in order without full stops, as written and in lower case.
    flat: the words in lower case with one space around each. lower: the text.
    """

    __slots__ = ("_cased", "_flat", "_lettered", "_said", "_words", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._lettered: bool | None = None
        self._cased: list[str] | None = None
        self._words: list[str] | None = None
        self._flat: str | None = None
        self._said: dict[Words, bool] = {}

    @property
    def cased(self) -> list[str]:
        """The words as written."""
        if self._cased is None:
            found = _WORD.findall(_CAMEL.sub(" ", self.text))
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

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    def says(self, words: Words) -> bool:
        """Whether one of ``words`` is here; asked once."""
        if words not in self._said:
            self._said[words] = (self.lettered or words.numbered(self.text)) and words.found(self)
        return self._said[words]

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
        known = _PREPARED[id(words)] = (words, Words(words))
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


def _table_head(text: str, line: int) -> str:
    head = ""
    floor = max(0, line - _HEAD_REACH)
    for _ in range(_HEAD_LINES):
        start = text.rfind("\n", floor, line - 1) + 1
        row = text[start : line - 1]
        if not row.lstrip().startswith("|"):
            break
        head, line = row, start
        if start <= floor:
            break
    return head[:400]


def named(near: Around, words: tuple[str, ...]) -> bool:
    """Whether one of ``words`` stands near."""
    return near.says(prepared(words))


def carded(near: Around) -> bool:
    """Whether the words around speak of a payment card."""
    return near.says(prepared(_CARD_WORDS))


def denied(text: str, start: int) -> bool:
    """Whether the words right before say that the number is something else."""
    lead = text[max(0, start - 40) : start]
    words = Around(lead[lead.rfind("\n") + 1 :]).words
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
