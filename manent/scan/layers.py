# ruff: noqa: E501
"""The decoders: what can stand between a text and its words.

Each takes a text and returns what it reads as, or None where there is nothing
of its kind in it. Patterns here are bounded, so that every decoder is linear.
Whether one is worth running is decided for all of them in one pass (``present``).
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial

from manent import late
from manent.scan.decoded import Decoded, Places, Sought, extract, rewrite
from manent.scan.engine import Offsets, Patterns, beyond_ascii, branches, choice, runs
from manent.scan.markup import (
    CUT_SIGNS,
    CUTS,
    ESCAPED,
    ESCAPED_SIGNS,
    QUOTED,
    QUOTED_SIGNS,
    quoted_printable,
    unescaped,
    unglued,
)
from manent.scan.trace import Reverse, Trace
from manent.scan.unseen import LOOKALIKES, ODD, UNSEEN, fold, hidden_bits, hidden_bytes, hidden_tags
from manent.values import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """A decoder: its name, what must occur for it to be worth running, and the decoding.

    hiding: a person who reads the rendered note does not see, or cannot read, this.
    repeats: it may be applied to what it decoded itself.
    places: patterns of what it changes, for a decoder that leaves the rest as it stands;
    then a long text is read only around those places.
    """

    name: str
    triggers: tuple[str, ...]
    decode: Callable[[str], Decoded | None]
    hiding: bool = True
    repeats: bool = False
    places: tuple[Places, ...] = ()

    def read(self, text: str) -> Decoded | None:
        """Return what the text, or what of it stands near a change, reads as."""
        near = _near(text, self.places) if self.places and len(text) > WHOLE else None
        if near is None:
            return self.decode(text)
        decoded = self.decode(near.text)
        return decoded and Decoded(decoded.text, near.trace.then(decoded.trace))


WHOLE = 3000
"""Up to this length a text is read whole, in letters."""

AROUND = 600
"""How much of a text on each side of a change is read with it: what scanners look at."""

EDGE = 400
"""How much further a stretch may reach to end with its line."""


def _near(text: str, places: tuple[Places, ...]) -> Decoded | None:
    """Return the stretches of a text around what ``places`` match, unchanged.

    None where they are most of it.
    """
    spans = sorted(match.span() for place in places for match in place.finditer(text))
    parts: list[tuple[int, int]] = []
    begin = finish = -1
    for start, end in spans:
        if end + AROUND + EDGE <= finish:
            continue
        last = _edge_after(text, end + AROUND)
        if begin >= 0 and start - AROUND - EDGE <= finish:
            finish = max(finish, last)
            continue
        if begin >= 0:
            parts.append((begin, finish))
        begin, finish = _edge_before(text, start - AROUND), last
    if begin >= 0:
        parts.append((begin, finish))
    if sum(finish - begin for begin, finish in parts) > len(text) // 2:
        return None
    return extract([(text[b:f], b, f) for b, f in parts]) or Decoded("", Trace.identity(0))


def _edge_before(text: str, at: int) -> int:
    if at <= 0:
        return 0
    low = max(0, at - EDGE)
    found = text.rfind("\n", low, at)
    return max(found if found >= 0 else text.rfind(" ", low, at), low)


def _edge_after(text: str, at: int) -> int:
    high = min(len(text), at + EDGE)
    found = text.find("\n", at, high)
    found = found if found >= 0 else text.find(" ", at, high)
    return found if found >= 0 else high


# normalised: invisible characters out, compatibility forms and look-alikes folded

_PLAINER = f"[{UNSEEN}{ODD}\uff01-\uff5e\u3000]+"
_MARKS = "[\u0300-\u036f\u0483-\u0489\u20d0-\u20f0]+"
_NORMAL = Sought(f"{_PLAINER}|[A-Za-z]{_MARKS}", f"{_PLAINER}|(?<=[A-Za-z]){_MARKS}")
_MIXED = Sought(
    f"(?:[A-Za-z]+[{LOOKALIKES}]|[{LOOKALIKES}]+[A-Za-z])[A-Za-z{LOOKALIKES}]*",
    f"(?:[A-Za-z]++[{LOOKALIKES}]|[{LOOKALIKES}]++[A-Za-z])[A-Za-z{LOOKALIKES}]*+",
)
"""A word of letters of both kinds, from its start: nothing is read twice."""


def normalised(text: str) -> Decoded | None:
    """Fold compatibility forms, drop the invisible, then fold look-alikes in mixed words."""
    first = rewrite(_NORMAL, _plain, text)
    middle = first.text if first else text
    second = None if middle.isascii() else rewrite(_MIXED, _one_script, middle)
    if first is None or second is None:
        return first or second
    return Decoded(second.text, first.trace.then(second.trace))


@lru_cache(1024)
def _folded(letters: str) -> str:
    return fold(letters)


def _plain(match: re.Match[str]) -> str:
    return _folded(match[0])


def _one_script(match: re.Match[str]) -> str:
    return fold(match[0], lookalikes=True)


# entity, escape, percent

_ENTITY = late.pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_ESCAPE = late.pattern(
    r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})"
    r"|\\([0-7]{3})|U(?<![0-9A-Za-z]U)\+([0-9a-fA-F]{4,6})(?:[ ,]|(?![0-9a-fA-F]))"
    r"|u(?<![0-9A-Za-z]u)\+([0-9a-fA-F]{4,6})(?:[ ,]|(?![0-9a-fA-F]))"
)
_PERCENT = late.pattern(r"%[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*")


def entity(text: str) -> Decoded | None:
    """Decode HTML entities, numeric and named."""
    from html import unescape  # its table of names costs more than the rest of this module

    return rewrite(_ENTITY, lambda match: unescape(match[0]), text)


def escape(text: str) -> Decoded | None:
    r"""Decode ``\u0041``, ``\x41``, ``\U00000041``, ``\u{41}``, ``\101`` and ``U+0041``."""
    return rewrite(_ESCAPE, _unescape, text)


def _unescape(match: re.Match[str]) -> str:
    digits = next(group for group in match.groups() if group)
    code = int(digits, 8 if match[5] else 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


def percent(text: str) -> Decoded | None:
    """Decode percent-encoding, ``+`` left alone."""
    return rewrite(_PERCENT, _unpercent, text)


def _unpercent(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return match[0]


# base64, base32, hex

_BASE64_REST = late.bytes_pattern(rb"(?:\r?\n[ \t>]{0,4}[A-Za-z0-9+/_-]{4,})*={0,2}")
"""What may follow a row of letters of base64: more lines, and padding."""
_BASE64_PART = late.pattern(r"[A-Za-z0-9+_-]{16,}={0,2}")
_BASE32 = r"\b[A-Z2-7]{24,}={0,6}"
_HEX = r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ \t:,]?){12,}"
_NOT_HEX = late.pattern(r"0x|\\x|[ \t:,]")


_ODD_MARKS = late.pattern(
    r"[^\w\s.,;:!?'\"\-/()<>@#&=\[\]{}*“”‘’«»…—\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0900-\u0eff\u3000-\u303f\uff00-\uffef]"
)
"""What prose seldom holds. Vowel signs of Indic scripts, Hebrew and Arabic points and the
punctuation of East Asia are no letters to ``re``, and ordinary prose is full of them."""


def readable(data: bytes) -> str | None:
    """Return the bytes as text where they are UTF-8 that somebody could read."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if len(text) < 6 or _CONTROL.search(text[:400]):
        return None
    return text if len(_ODD_MARKS.findall(text[:400])) <= 0.15 * min(len(text), 400) else None


def from_base64(text: str) -> Decoded | None:
    """Decode the base64 in a text, both alphabets, over several lines, with or without padding."""
    return _decoded(_base64_runs, text, _base64_pieces)


def _decoded(
    found: Callable[[bytes], Iterable[tuple[str, int, int]]],
    text: str,
    read: Callable[[str], Iterator[tuple[str, int, int]]],
) -> Decoded | None:
    """Return what the runs that are found read as; ``read`` says it piece by piece."""
    raw = text.encode("utf-8", "surrogatepass")
    offsets = Offsets(raw, text)
    parts = []
    for run, begin, _ in found(raw):
        for plain, first, last in read(run):
            start = offsets.of(begin) + first
            parts.append((plain, start, start + last - first))
    return extract(parts)


def _rows(raw: bytes, letters: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Yield where ``least`` letters or more of a class (``_class``) stand in a row."""
    row = b"." * least
    shown = raw.translate(letters)
    begin = shown.find(row)
    while begin >= 0:
        finish = shown.find(b" ", begin + least)
        finish = finish if finish >= 0 else len(raw)
        yield begin, finish
        begin = shown.find(row, finish)


def _base64_runs(raw: bytes) -> Iterator[tuple[str, int, int]]:
    done = 0
    for begin, finish in _rows(raw, _OF_BASE64, 20):
        row = raw[begin:finish]
        if begin < done or (raw[finish : finish + 1] not in b"\r\n=" and _of_one_case(row)):
            continue
        rest = _BASE64_REST.match(raw, finish)
        done = rest.end() if rest else finish
        row = raw[begin:done]
        if not _of_one_case(row):
            yield row.decode("ascii"), begin, done


def _of_one_case(row: bytes) -> bool:
    """Whether it is a slug, a path, an identifier: text in base64 has letters of both cases."""
    return row.islower() or row.isupper() or row.isdigit()


def _base64_pieces(run: str) -> Iterator[tuple[str, int, int]]:
    whole = _base64_text(run)
    if whole is not None:
        yield whole, 0, len(run)
        return
    # A run that is no base64 as a whole may hold some: its lines, what follows a slash.
    for part in _BASE64_PART.finditer(run):
        if part[0] != run and (text := _base64_text(part[0])) is not None:
            yield text, part.start(), part.end()


def _base64_text(run: str) -> str | None:
    # A look at the head first: most runs are words, paths, identifiers or hashes.
    if not _starts_readable(run[:24]):
        return None
    packed = _NOT_BASE64.sub("", run).translate(_ONE_ALPHABET)
    if len(packed) % 4 == 1:
        packed = packed[:-1]
    try:
        return readable(binascii.a2b_base64(packed + "=" * (-len(packed) % 4)))
    except (binascii.Error, ValueError):
        return None


def _starts_readable(head: str) -> bool:
    """Whether the first bytes of what is in base64 could be a text's."""
    packed = head.encode("ascii").translate(_PACKED, b" \t\r\n>=")
    try:
        return _starts_legible(binascii.a2b_base64(packed[: len(packed) & ~3]))
    except binascii.Error:
        return False


def _starts_legible(head: bytes) -> bool:
    """Whether bytes, cut off anywhere, are UTF-8 without control characters."""
    try:
        text = codecs.utf_8_decode(head, "strict", False)[0]
    except UnicodeDecodeError:
        return False
    return _CONTROL.search(text) is None


_NOT_BASE64 = late.pattern(r"[\s>=]+")
_ONE_ALPHABET = {45: "+", 95: "/"}
_PACKED = bytes.maketrans(b"-_", b"+/")
_CONTROL = late.pattern("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]")


def from_base32(text: str) -> Decoded | None:
    """Decode the base32 in a text."""
    return _decoded(partial(runs, _BASE32), text, _base32_pieces)


def _base32_pieces(run: str) -> Iterator[tuple[str, int, int]]:
    packed = run.rstrip("=")
    try:
        plain = readable(base64.b32decode(packed + "=" * (-len(packed) % 8)))
    except (binascii.Error, ValueError):
        return
    if plain is not None:
        yield plain, 0, len(run)


def from_hex(text: str) -> Decoded | None:
    """Decode runs of hexadecimal bytes, joined or set apart."""
    return _decoded(_hex_runs, text, _hex_pieces)


def _hex_runs(raw: bytes) -> Iterator[tuple[str, int, int]]:
    for begin, finish in _rows(raw, _OF_HEX, 24):
        for run, first, last in runs(_HEX, raw[begin:finish]):
            yield run, begin + first, begin + last


def _hex_pieces(run: str) -> Iterator[tuple[str, int, int]]:
    # A look at the head first: most runs are hashes, addresses or machine code.
    plain = readable(_of_hex(run)) if _starts_legible(_of_hex(run[:60])) else None
    if plain is not None:
        yield plain, 0, len(run)


def _of_hex(run: str) -> bytes:
    digits = _NOT_HEX.sub("", run)
    return bytes.fromhex(digits[: len(digits) & ~1])


# rot13 and reversed: tried only where telling words appear that way round

TELLING = (
    "ignore", "disregard", "instructions?", "previous", "system prompt", "assistant", "password",
    "prompt", "secret", "forget", "override", "istruzioni", "ignora", "precedenti",
    "instrucciones", "api key", "anteriores", "anweisungen", "instruções",
    "précédentes", "instructies", "instrukcje", "instructions précédentes",
    "regole", "reglas", "regras", "regeln", "zasady", "consignes", "utente", "usuario", "nutzer", "gebruiker",
    "conversa", "modello", "modelo", "sistema", "systeem", "rispondi", "responde", "antworte", "antwoord",
    "odpowiadaj", "talimat", "restricciones", "restrizioni", "einschränkungen", "beperkingen", "ograniczenia",
    "oublie", "olvida", "vergiss", "vergeet", "zapomnij", "komentarz", "comando", "opdracht", "polecenie",
    "développeur", "desarrollador", "unrestricted", "developer mode", "required", "password", "credentials",
)  # fmt: skip
"""Words whose rot13 or mirror image makes a text worth reading that way."""


_MIRRORED = (
    *TELLING, r"\bthe", "https://", "conversa", "your", "this\b", "please", "anweisung", "regeln", "ignoriere", "istruzione",
    "regole", "consignes", "ignorez", "oublie", "reglas", "olvida", "regras", "negeer", "regels", "polece",
    "zasad", "ignoruj", "talimat", "sistem", "инструкц", "указан", "правил", "игнорируй", "指令", "系统",
    "规则", "忽略", "指示", "命令", "無視", "ルール", "지시", "명령", "무시", "التعليمات", "تجاهل", "निर्देश",
    "neglige", "asistente", "assistente", "modelo", "utente", "usuario", "nutzer", "用户", "ユーザ",
    "użytkownik", "odpowiada", "ограничен", "системн", "модель", "пароль", "пользоват", "команду", "ответ",
    "القواعد", "المستخدم", "النظام", "نموذج", "उपयोगकर्ता", "सिस्टम", "मॉडल", "जवाब", "नियम",
    "提示", "助手", "模型", "密码", "对话", "回答", "从现在", "システム", "プロンプト", "モデル", "会話", "答え",
    "記憶", "사용자", "시스템", "모델", "규칙", "대화", "비밀번호", "대답", "기억", "commande", "répond", "réponse",
    "kullanıcı", "sistem", "komut", "yapay zek", "kural", "befehl", "sprachmodell", "taalmodel",
)  # fmt: skip
_SMALL = (
    "all your this with tutte tutti questo della delle sono loro todas todos para luego cada"
    " toutes tout vous votre avec leurs und nicht deine alle sich suas você niet jouw voor deze"
    " wszystkie jest swoje twoje poprzednie önceki için unut görmezden pour dans que teraz podaj"
    " artık bana şimdi für dein quiero ahora subito maintenant jetzt agora"
    " się tego tylko moje gibi olarak değil yalnızca sadece kadar sonra ohne prima adesso sopra"
).split()
"""Small words of the languages with Latin letters."""

_ALSO_WORDS = frozenset({"ella", "arap"})
"""Small words turned round that texts hold as they are."""

_STARTS_NO_WORD = "ьъыةىािीुूृेैोौंः्를"
"""Letters and signs with which words end, or which follow others: no word begins with them."""


def _small(turned: Callable[[str], str]) -> Iterator[str]:
    for word in sorted({turned(word) for word in _SMALL} - _ALSO_WORDS):
        yield (r"\b" if word[0].isascii() else "") + word + (r"\b" if word[-1].isascii() else "")


_ROTATED = (
    r"\b(?:gur|lbhe?|naq|guvf|jvgu|qb|abg)\b",
    *_small(lambda word: codecs.encode(word, "rot13")),
)
_TURNED = (
    *_small(lambda word: word[::-1]),
    *(rf"\s{letter}" for letter in _STARTS_NO_WORD),
    "\n。", "\n、", "いさだく", "でいなし", "ろせさ", "요세", "的有所", "前之", "复回",
)  # fmt: skip
"""What stands in text turned round and hardly in other text."""


def _mirror(word: str) -> str:
    edge = r"\b" if "\\b" in word else ""
    return word.replace("s?", "").replace("\\b", "")[::-1] + edge


_REVERSED = (*map(_mirror, _MIRRORED), *_TURNED)


def rot13(text: str) -> Decoded | None:
    """Read Latin letters thirteen places on."""
    new = codecs.encode(text, "rot13")
    return Decoded(new, Trace.identity(len(text)))


def backwards(text: str) -> Decoded | None:
    """Read the whole text from its end."""
    return Decoded(text[::-1], Reverse(len(text)))


_WORD = late.pattern(r"([.,;:!?…]{0,3})([^\W_]+(?:['’][^\W_]+)*)")


def backwards_words(text: str) -> Decoded | None:
    """Read every word from its end, the words in their order; marks before it end it."""
    return rewrite(_WORD, lambda match: match[2][::-1] + match[1], text)


# joined: letters set apart

_APART = r"[ \t\\.\-_*|/,~+·•:;!?]"
_SPACED = late.pattern(r"(?<![^\W_])[^\W_](?:(?:[^\w\n]{1,6}|_{1,3}|[ \t]*\n)[^\W_](?![^\W_])){5,}")
_IDENTIFIER = r"\b[A-Za-z]+(?:_+[A-Za-z]+){3,}|\b(?:[A-Z][a-z]+|[a-z]+)(?:[A-Z][a-z]+){3,}\b"
_HUMP = late.pattern(r"(?<=[a-z])(?=[A-Z])")


def joined(text: str) -> Decoded | None:
    """Join single letters set apart by spaces or punctuation, where they stand.

    An order may spell one of its words so and the others as they are.
    """
    return rewrite(_SPACED, lambda match: _join(match[0]), text)


def identifiers(text: str) -> Decoded | None:
    """Set apart the words of long identifiers: ``ignore_all_the_rules``, ``IgnoreAllTheRules``."""
    return _decoded(partial(runs, _IDENTIFIER), text, _identifier_pieces)


def _identifier_pieces(run: str) -> Iterator[tuple[str, int, int]]:
    yield _HUMP.sub(" ", run.replace("_", " ")), 0, len(run)


def _join(run: str) -> str:
    """The commonest separator stands between letters; any other stands between words."""
    counts = Counter(re.findall(r"[\W_]+", run))
    between = counts.most_common(1)[0][0]
    whole = re.sub(r"[\W_]+", lambda m: "" if m[0] == between else _other(m[0], between), run)
    return whole if " " in whole else _WELL_KNOWN.sub(r" \g<0> ", whole)


def _other(separator: str, between: str) -> str:
    """What is left of a separator without the one that stands between letters."""
    return separator.replace(between[0], "") or " "


_WELL_KNOWN = late.pattern(
    "|".join(
        "ignore disregard forget override bypass reveal print show send forward previous prior above"
        " earlier your instructions instruction system prompt rules guidelines restrictions everything"
        " conversation password secrets user tell about without and the all you are now not".split()
    ),
    re.I,
)
"""Words to set apart again where the blanks were lost with the separators."""


def _whole(found: list[tuple[str, int, int]]) -> Decoded | None:
    return extract([part for part in found if part[0].strip()])


LAYERS = (
    Layer(
        "normalised",
        (
            f"(?-i:[A-Za-z0-9][{UNSEEN}]|[{UNSEEN}][A-Za-z0-9])",
            f"(?-i:[^\\x00-\\x7f][{UNSEEN}]+[^\\x00-\\x7f])",
            f"(?-i:[{ODD}]|[A-Za-z][\u0300-\u036f\u0483-\u0489\u20d0-\u20f0])",
            f"(?-i:[A-Za-z][{LOOKALIKES}]|[{LOOKALIKES}][A-Za-z])",
        ),
        normalised,
        hiding=False,
        places=(_NORMAL, _MIXED),
    ),
    Layer(
        "entity",
        (r"&(?:#[0-9xX][0-9a-fA-F]{0,6}|[A-Za-z]{2,20});",),
        entity,
        repeats=True,
        places=(_ENTITY,),
    ),
    Layer(
        "escape",
        (r"(?:\\u\{?[0-9a-f]{4}|\\x[0-9a-f]{2}|\\U000|\\[0-7]{3}|u\+[0-9a-f]{4})",),
        escape,
        places=(_ESCAPE,),
    ),
    Layer("percent", ("%[2-7c-f][0-9a-f]",), percent, repeats=True, places=(_PERCENT,)),
    Layer("base64", (r"[A-Za-z0-9+/_-]{20}",), from_base64, repeats=True),
    Layer("base32", (r"[A-Z2-7]{24}",), from_base32, repeats=True),
    Layer("hex", (r"(?:(?:0x|\\x)?[0-9a-f]{2}[ \t:,]?){12}",), from_hex),
    Layer(
        "rot13", (*(codecs.encode(w, "rot13") for w in TELLING if w.isascii()), *_ROTATED), rot13
    ),
    Layer("reversed", _REVERSED, backwards),
    Layer("reversed-words", _REVERSED, backwards_words),
    Layer(
        "joined",
        (rf"\b[A-Za-z](?:(?:{_APART}{{1,4}}|[ \t]*\n)[A-Za-z]\b){{5}}",),
        joined,
        places=(_SPACED,),
    ),
    Layer(
        "identifier",
        (r"\b[A-Za-z]+(?:_+[A-Za-z]+){3}", r"(?-i:[a-z](?:[A-Z][a-z]+){3})"),
        identifiers,
        hiding=False,
    ),
    Layer("unglued", CUT_SIGNS, unglued, hiding=False, places=CUTS),
    Layer("unescaped", ESCAPED_SIGNS, unescaped, hiding=False, places=(ESCAPED,)),
    Layer("quoted-printable", QUOTED_SIGNS, quoted_printable, hiding=False, places=(QUOTED,)),
    Layer("tags", ("[\U000e0020-\U000e007e]{2}",), lambda text: _whole(hidden_tags(text))),
    Layer(
        "variation-selectors",
        ("[\U000e0100-\U000e01ef]{3}|[\ufe00-\ufe0f]{4}",),
        lambda text: _whole(hidden_bytes(text)),
    ),
    Layer(
        "invisible-bits",
        ("[\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff\u180e\u00ad\u3164]{12}",),
        lambda text: _whole(hidden_bits(text)),
    ),
)
"""Every decoder, in the order in which they are tried."""

HIDING = frozenset(layer.name for layer in LAYERS if layer.hiding)
"""Layers that a reader of the rendered note does not see, or cannot read."""


COUNTED = frozenset({"base64", "base32", "hex"})
"""Layers whose triggers count letters: in one automaton with the others its states multiply
(5 MB/s together, 70 and more apart: ``python -m eval.bench.scan``). Rows of so many letters
are sought as such, without an automaton."""


def _class(letters: bytes) -> bytes:
    """Return the table that makes ``letters`` dots and all other bytes blanks."""
    return bytes(46 if byte in letters else 32 for byte in range(256))


_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_OF_BASE64 = _class(_LETTERS + b"0123456789+/_-")
_OF_BASE32 = _class(_LETTERS + b"234567")
_OF_HEX = _class(b"0123456789abcdefABCDEF\\xX \t:,")


def _counted(raw: bytes) -> Iterator[str]:
    """Yield the layers of ``COUNTED`` whose triggers occur."""
    if b"." * 20 in raw.translate(_OF_BASE64):
        yield "base64"
        if b"." * 24 in raw.translate(_OF_BASE32):
            yield "base32"
    if b"." * 24 in raw.translate(_OF_HEX) and _hex().which(raw):
        yield "hex"


@cache
def _hex() -> Patterns:
    return Patterns(next(layer.triggers for layer in LAYERS if layer.name == "hex"))


BEYOND = frozenset({"normalised", "tags", "variation-selectors", "invisible-bits"})
"""Layers none of whose triggers occurs in a text of ASCII."""


@cache
def _triggers(*, beyond: bool) -> tuple[Patterns, tuple[str, ...]]:
    """Return the triggers, and whose they are: what a text of ASCII may hold, or cannot."""
    sources = {}
    for layer in LAYERS:
        if layer.name in COUNTED:
            continue
        far = layer.name in BEYOND
        alternatives = [b for trigger in layer.triggers for b in branches(trigger)]
        each = [b for b in alternatives if (far or beyond_ascii(b)) is beyond]
        if each:
            sources[layer.name] = choice(*each)
    return Patterns(list(sources.values())), tuple(sources)


def present(raw: bytes) -> list[Layer]:
    """Return the layers worth trying on a text, given as UTF-8."""
    wanted = set(_counted(raw))
    for beyond in (False,) if raw.isascii() else (False, True):
        patterns, owners = _triggers(beyond=beyond)
        wanted.update(owners[number] for number in patterns.which(raw))
    return [layer for layer in LAYERS if layer.name in wanted] if wanted else []
