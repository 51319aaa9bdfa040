"""The words around a number: what makes a weak number a finding, and what makes it none.

Everything is bounded: a line is looked at ``BEFORE`` letters back and ``AFTER``
ahead, and up to the label on the line above or the head of its table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

BEFORE = 64
"""How far before a number its label may stand, in letters."""

AFTER = 40
"""How far after a number a word may stand that says what it is, in letters."""

_HEAD_LINES = 40
_HEAD_REACH = 4000

_DENIED = re.compile(
    r"(?<![a-z])(?:order|ordine|pedido|commande|bestell\w{0,8}|ref|reference|riferimento|"
    r"ticket|issue|case|bug|invoice|fattura|factura|facture|rechnung\w{0,8}|sku|part|serial|seriale|"
    r"batch|lot|lotto|tracking|spedizione|commit|version|versione|build|port|isbn\w{0,3}|issn|ean|upc|"
    r"gtin|asin|barcode|doi|arxiv|epoch|timestamp|hash|sha\d{0,3}|md5|nonce|block|tx|seed|offset|"
    r"size|bytes|checksum|etag|revision|rev|event|evento|asset|createdat|updatedat|"
    r"created|updated|expires|expiry|session|request|trace|span|imei|iccid|udid|lei|figi|isin|cusip|"
    r"sn|s/n|p/n|model|modello|article|artikel|artikelnummer|article|articolo|prodotto|product|"
    r"protocollo|pratica|job|run|task|pid|uuid|guid|row|line|page|pages|volume|message-id|"
    r"订单|编号|版本|注文|주문|заказ|артикул|номер заказа)"
    r"(?![a-z])[\s\w.:#=№*_`'\"|-]{0,12}\Z",
    re.IGNORECASE,
)
_CARD_WORDS = (
    "card", "cards", "cc", "ccnum", "=PAN", "pan", "visa", "mastercard", "master card", "amex", "maestro",
    "american express", "diners", "discover", "jcb", "unionpay", "debit", "credit", "carta", "carte",
    "kreditkarte", "karte", "tarjeta", "cartão", "cartao", "creditcard", "kaart", "karta", "kart",
    "kort", "kreditkort", "bankkort", "kortnummer", "luottokortti", "kortti", "karty", "kartą", "cardul",
    "karta kredytowa", "платіжної", "карта", "карты", "карте", "картой", "银行卡", "信用卡", "卡号",
    "クレジットカード", "カード", "카드", "कार्ड", "بطاقة", "paid with", "prepagata", "bancomat",
    "kártya", "bankkártya", "kártyaszám", "κάρτα", "كارت",
)  # fmt: skip
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,12}://|www\.)[^\s<>\"'`|]{0,400}\Z", re.IGNORECASE)


@lru_cache(maxsize=512)
def pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of any of ``words``; ``=`` in front means exactly that case.

    Latin, Greek and Cyrillic words stand between non-letters; other scripts
    write words together, so theirs match anywhere.
    """
    parts = []
    for word in words:
        exact = word.startswith("=")
        body = re.escape(word.removeprefix("=")).replace(r"\ ", r"[\s_-]{1,3}")
        if exact:
            body = f"(?-i:{body})"
        if word[-1] < "\u0530":
            body = rf"(?<![^\W\d_]){body}" + ("" if word[-1] in ".#:" else r"(?![^\W\d_])")
        parts.append(body)
    return re.compile("|".join(parts), re.IGNORECASE)


def surroundings(text: str, start: int, end: int) -> str:
    """Return the words that may label ``text[start:end]``, nearest bounds only."""
    line = text.rfind("\n", max(0, start - BEFORE), start) + 1 or max(0, start - BEFORE)
    before = text[line:start]
    stop = text.find("\n", end, end + AFTER)
    after = text[end : stop if stop >= 0 else end + AFTER]
    above = ""
    if line and text[line - 1] == "\n":
        above = _above(text, line, before)
    return f"{above}\n{before} \x00 {after}"


def _above(text: str, line: int, before: str) -> str:
    """Return the head of the table the line belongs to, or the label right above it."""
    if before.lstrip().startswith("|"):
        return _table_head(text, line)
    if before.strip(" \t>-*+#\"'`"):
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


def named(around: str, words: tuple[str, ...]) -> bool:
    """Whether one of ``words`` stands in ``around``."""
    return pattern(words).search(around) is not None


def carded(around: str) -> bool:
    """Whether the words around speak of a payment card."""
    return named(around, _CARD_WORDS)


def denied(text: str, start: int) -> bool:
    """Whether the words right before say that the number is something else."""
    before = text[max(0, start - 40) : start]
    return _DENIED.search(before[before.rfind("\n") + 1 :]) is not None


def in_address(text: str, start: int) -> bool:
    """Whether the place lies inside a web address."""
    return _URL.search(text[max(0, start - 240) : start]) is not None


def alone(text: str, start: int, end: int) -> bool:
    """Whether the text holds nothing but ``text[start:end]`` and marks around it."""
    if len(text) - (end - start) > 24:
        return False
    return not any(c.isalnum() for c in _rest(text, start, end))


def _rest(text: str, start: int, end: int) -> Iterable[str]:
    yield from text[:start]
    yield from text[end:]
