"""Characters that are not seen, or are seen as others, and what can be hidden in them.

The tables are written by hand from the Unicode standard's own description of
default-ignorable code points and compatibility forms, and derived where Python's
``unicodedata`` can derive them; no data file of the Unicode Consortium is taken.
"""

from __future__ import annotations

import unicodedata

from manent import late

UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Code points that draw nothing, as the inside of a character class."""

ODD = (
    "\uff10-\uff19\uff20-\uff3a\uff41-\uff5a\uff0e\U0001d400-\U0001d7ff\u2460-\u24ff"
    "\U0001f100-\U0001f1ad\u2100-\u2115\u2118-\u2121\u2123-\u214e\u1d00-\u1d6a\u1d78-\u1dbf"
    "\u2070-\u2071\u2074-\u209c\ua730-\ua731\ua7af\u0262\u026a\u0274\u0276\u0280\u028f\u0299"
    "\u029c\u029f\u0250-\u0261\u0263-\u0269\ufb00-\ufb06\u00aa\u00ba\u02b0-\u02b8\u02e0-\u02e4"
    "\u1e9a\u2c7c\u2c7d\U0001df00-\U0001df2a\u2800"
)
"""Letters and digits in another dress, as the inside of a character class."""

_SMALL_CAPITALS = dict(
    zip(
        "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫꞯʀꜱᴛᴜᴠᴡʏᴢ",
        "abcdefghijklmnopqqrstuvwyz",
        strict=True,
    )
) | dict(zip("ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎɑɡɩ", "acefghijkmrtvwyagi", strict=True))

_LOOKALIKES = (
    dict(zip("аеорсухіјѕԁԛԝһӏгвнкмтпиьѵ", "aeopcyxijsdqwhlrbhkmtnubv", strict=True))
    | dict(zip("АВЕЅІЈКМНОРСТУХҮԌԜѴ", "ABESIJKMHOPCTYXYGWV", strict=True))
    | dict(zip("αβγεζηικνορστυχωϲϳ", "abyeznikvopstuxwcj", strict=True))
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ABEZHIKMNOPTYXC", strict=True))
    | dict(zip("օսոռցհյքեզ", "ounnghjqeq", strict=True))
    | dict(zip("ᎪᏴᏟᎠᎬᏀᎻᏆᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ", "ABCDEGHIJKLMPRSTVWZ", strict=True))
    | {"ı": "i", "ȷ": "j", "ɡ": "g", "ɑ": "a", "ℓ": "l", "ο": "o", "ø": "o", "ł": "l", "đ": "d"}
)

LOOKALIKES = "".join(sorted(_LOOKALIKES))
"""Letters of other scripts that look Latin, as the inside of a character class."""

_FOLD = str.maketrans(_SMALL_CAPITALS)
_FOLD_LOOKALIKES = str.maketrans(_LOOKALIKES)
_DROP = late.pattern(f"[{UNSEEN}\u0300-\u036f\u0483-\u0489\u20d0-\u20f0]+")


def fold(text: str, *, lookalikes: bool = False) -> str:
    """Return the text in plain dress: NFKC, small capitals as letters, nothing invisible.

    lookalikes: letters of other scripts as the Latin letters they look like.
    """
    if lookalikes:
        return text.translate(_FOLD_LOOKALIKES)
    plain = unicodedata.normalize("NFKC", text.translate(_FOLD))
    return _DROP.sub("", _boxed(plain))


def _boxed(text: str) -> str:
    """Squared and negative letters (🅰, 🄰, 🇦), which NFKC leaves alone in part."""
    if text.isascii():
        return text
    return "".join(map(_unboxed, text))


def _unboxed(c: str) -> str:
    code = ord(c)
    for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6):
        if first <= code < first + 26:
            return chr(97 + code - first)
    return " " if code == 0x2800 else c


_TAGS = late.pattern("[\U000e0020-\U000e007e]{2,}")
_VALID_FLAG = late.pattern(
    "\U0001f3f4([\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6})\U000e007f"
)
_SELECTORS = late.pattern("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_BITS = late.pattern("[\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff\u180e\u00ad\u3164]{12,}")

FLAGS = frozenset({"gbeng", "gbsct", "gbwls"})
"""The sub-region flags that are recommended for interchange; other tag sequences are not flags."""


def hidden_tags(text: str) -> list[tuple[str, int, int]]:
    """Return what tag characters spell outside the flags they are meant for."""
    flags = {
        match.start(1): match.end(1)
        for match in _VALID_FLAG.finditer(text)
        if _untagged(match[1]) in FLAGS
    }
    found = []
    for match in _TAGS.finditer(text):
        start = flags.get(match.start(), match.start())
        if start < match.end():
            found.append((_untagged(text[start : match.end()]), start, match.end()))
    return found


def _untagged(tags: str) -> str:
    return "".join(chr(ord(c) - 0xE0000) for c in tags)


def hidden_bytes(text: str) -> list[tuple[str, int, int]]:
    """Return the bytes that runs of variation selectors spell (256 of them, a byte each)."""
    found = []
    for match in _SELECTORS.finditer(text):
        codes = [ord(c) for c in match[0]]
        data = bytes(c - 0xFE00 if c < 0xFE10 else c - 0xE0100 + 16 for c in codes)
        found.append((data.decode("utf-8", "replace"), match.start(), match.end()))
    return found


def hidden_bits(text: str) -> list[tuple[str, int, int]]:
    """Return what runs of two or three invisible characters spell, read as bits."""
    found = []
    for match in _BITS.finditer(text):
        spelled = _spelled(match[0])
        if spelled:
            found.append((spelled, match.start(), match.end()))
    return found


def _spelled(run: str) -> str:
    """Try both ways round, whole or cut by a third character, 7, 8 and 16 bits a letter."""
    kinds = sorted(set(run))
    if not 2 <= len(kinds) <= 3:
        return ""
    for zero in kinds:
        for one in kinds:
            cut = "".join(k for k in kinds if k not in (zero, one))
            if zero != one and (text := _from_bits(run, zero, one, cut)):
                return text
    return ""


def _from_bits(run: str, zero: str, one: str, cut: str) -> str:
    bits = run.translate({ord(zero): "0", ord(one): "1"})
    if cut:
        letters = [part for part in bits.split(cut) if part]
        text = "".join(chr(int(part, 2) % 0x110000) for part in letters if len(part) <= 21)
        return text if _legible(text) else ""
    for width in (8, 7, 16):
        codes = [int(bits[at : at + width], 2) for at in range(0, len(bits) - width + 1, width)]
        text = "".join(map(chr, codes))
        if _legible(text):
            return text
    return ""


def _legible(text: str) -> bool:
    return bool(text) and all(c.isprintable() or c in "\n\r\t" for c in text) and text.isascii()
