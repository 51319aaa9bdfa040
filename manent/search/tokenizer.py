"""Text to terms: fast over the whole text, careful over each distinct token.

Two steps. ``raw_tokens`` cuts the UTF-8 bytes of a text at ASCII white space
and punctuation, a single pass in C, and keeps letter case, the connectors of
identifiers and everything that is not ASCII. ``analyse`` then looks at each
*distinct* raw token once: it splits what is no letter, cuts identifiers and
slugs into words and keeps them whole too, cuts scripts written without spaces
into pairs, and folds. What it returns is the same whether a text is being
indexed or asked for.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

from manent import late

VERSION = 2
"""Raised whenever the same text would give other terms: an index then no longer fits."""

SEPARATOR = b"\xff"
"""A byte that UTF-8 never holds: stands between texts that are cut in one go."""

WORD_LIMIT = 64
"""Characters of a word that count; the rest is cut off, in notes and queries alike."""

_WHOLE_LIMIT = 128
"""An identifier longer than this is found by its parts alone."""

_CONNECTORS = "-_.+#"
_KEPT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + _CONNECTORS)
_TABLE = bytes(i if i >= 128 or chr(i) in _KEPT else 32 for i in range(256))


class Form(NamedTuple):
    """One thing a raw token is found by.

    word: a word of some language, to be stemmed; else it stands as it is.
    counted: adds to the length of its field (an identifier's parts do, the
    whole does not, so that it is not twice as long as the words it is made of).
    """

    text: str
    word: bool
    counted: bool = True


def raw_tokens(text: str) -> list[bytes]:
    """Return the raw tokens of a text, in order."""
    return encoded(text).translate(_TABLE).split()


def encoded(text: str) -> bytes:
    """Return the text as bytes that never hold ``SEPARATOR``; lone surrogates survive."""
    return text.encode("utf-8", "surrogatepass")


def spaced(joined: bytes) -> bytes:
    """Return encoded texts with nothing but spaces between raw tokens."""
    return joined.translate(_TABLE)


_CAMEL = late.pattern(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_CAMEL_PARTS = late.pattern(r"[A-Z]+(?=[A-Z][a-z]{2})|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+")
_PLAIN_PARTS = late.pattern(r"[^-_.+#]+")
_NAMED_BY_SIGN = late.pattern(r"[A-Za-z]{1,2}(?:\+\+|#)\Z")
UNSPACED = (
    "["
    "\u0e00-\u0e4e\u0e80-\u0ecf\u0f40-\u0fbc\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u3099-\u309a\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
    "]"
)
"""Scripts written without spaces between words, and Hangul, whose particles cling; a pattern."""

_UNSPACED_RUN = late.pattern(UNSPACED + "+")


def analyse(raw: bytes) -> tuple[Form, ...]:
    """Return what a raw token is found by; () for mere punctuation."""
    plain = raw.rstrip(b".-")  # the common case: a word, perhaps at the end of a sentence
    if plain.isalpha() and (plain.islower() or plain.istitle() or plain.isupper()):
        return (Form(plain.decode().lower()[:WORD_LIMIT], True),)
    text = raw.decode("utf-8", "surrogatepass")
    if text.isascii():
        return _of_identifier(text)
    forms: list[Form] = []
    text = unicodedata.normalize("NFKC", text)
    place = 0
    for run in _UNSPACED_RUN.finditer(text):
        _of_spaced(text[place : run.start()], forms)
        _of_unspaced(run.group(), forms)
        place = run.end()
    _of_spaced(text[place:], forms)
    return tuple(forms)


def _of_spaced(text: str, forms: list[Form]) -> None:
    """Add the forms of text in scripts that put something between words."""
    held: list[str] = []
    for character in text:
        kind = _kind(character)
        if kind == "letter" or (kind == "mark" and held):
            held.append(character)
        elif kind in ("break", "symbol"):
            forms.extend(_of_identifier("".join(held)))
            held.clear()
            if kind == "symbol":
                forms.append(Form(character, False))
    forms.extend(_of_identifier("".join(held)))


@lru_cache(maxsize=1 << 14)
def _kind(character: str) -> str:
    if character in _KEPT:
        return "letter"
    category = unicodedata.category(character)
    if category[0] in "LN":
        return "letter"
    if category[0] == "M":
        return "mark"
    if category == "Cf":
        return "nothing"
    return "symbol" if category == "So" else "break"


def is_unspaced(text: str) -> bool:
    """Whether all of the text is in scripts without spaces between words."""
    return _UNSPACED_RUN.fullmatch(text) is not None


def _of_unspaced(run: str, forms: list[Form]) -> None:
    """Add pairs of neighbours, and each character alone."""
    alone = len(run) == 1
    forms.extend(Form(character, False, counted=alone) for character in run)
    forms.extend(Form(run[i : i + 2], False) for i in range(len(run) - 1))


def _of_identifier(text: str) -> tuple[Form, ...]:
    """Return the forms of a token without spaces: its words, and the whole of it."""
    if text[-1:] in ("+", "#") and _NAMED_BY_SIGN.match(text):
        return (Form(text.lower(), False),)
    text = text.strip(_CONNECTORS)
    if not text:
        return ()
    if text.isascii() and text.islower() and text.replace("-", "").isalnum():
        return _of_slug(text)
    pieces = _PLAIN_PARTS.findall(text)
    forms = [form for piece in pieces for form in _of_piece(piece)]
    if len(pieces) > 1 and len(text) <= _WHOLE_LIMIT:
        whole = folded(text).replace("_", "-")
        forms.append(Form(whole, False, counted=not forms))
    return tuple(forms)


def _of_slug(text: str) -> tuple[Form, ...]:
    """Return the forms of small letters, digits and hyphens alone, as names of notes are:
    most tokens that a large vault holds once or twice, each analysed anew."""
    forms = [Form(piece[:WORD_LIMIT], piece.isalpha()) for piece in text.split("-") if piece]
    if "-" in text and len(text) <= _WHOLE_LIMIT:
        forms.append(Form(text, False, False))
    return tuple(forms)


@lru_cache(maxsize=1 << 15)
def _of_piece(piece: str) -> tuple[Form, ...]:
    """Return the forms of one word, and of its humps where it has some.

    Kept, because a token of a megabyte may be the same small word over and over.
    """
    whole = _of_word(piece)
    if not _CAMEL.search(piece):
        return whole
    humps = [hump for hump in _CAMEL_PARTS.findall(piece) if len(hump) > 1]
    parts = [form for hump in humps for form in _of_word(hump)]
    return (*(Form(f.text, f.word, not parts) for f in whole), *parts)


def _of_word(word: str) -> tuple[Form, ...]:
    text = folded(word[: 4 * WORD_LIMIT])[:WORD_LIMIT]
    return (Form(text, text.isalpha()),) if text else ()


_EXTRA = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ё": "е"}
    | {"ـ": None}  # the Arabic stretch, which is no letter
)


def folded(word: str) -> str:
    """Return the word without case, width, and the accents its script can spare.

    Accents go from Latin, Greek, Arabic and Hebrew letters. Elsewhere a mark
    makes another letter (Cyrillic и and й, the vowels of Devanagari) and stays.
    """
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKC", word).casefold()
    bare: list[str] = []
    spared = False
    for character in unicodedata.normalize("NFD", word):
        if unicodedata.category(character)[0] != "M":
            spared = _spares_marks(character)
            bare.append(character)
        elif not spared:
            bare.append(character)
    return unicodedata.normalize("NFC", "".join(bare)).translate(_EXTRA)


def _spares_marks(character: str) -> bool:
    code = ord(character)
    return (
        code < 0x0400  # Latin and Greek
        or 0x0590 <= code < 0x0780  # Hebrew, Arabic
        or 0x1E00 <= code < 0x2000  # their extensions
        or 0x2C60 <= code < 0x2C80
        or 0xA720 <= code < 0xA800
    )
