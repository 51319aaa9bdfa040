"""How the text of a commit or tag is read: by git, by whoever sees its bytes, by nobody.

Git shows a message through iconv where its commit names an encoding that iconv knows,
and as bytes where it does not. Which of the two a reader gets is not for the gate to
guess: both are judged, and a name that is on no list of encodings is refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from manent import late
from manent.finding import digest_of
from manent.values import dataclass

# Names that git, Python and iconv all know and read alike, and in which what is ASCII
# on paper is ASCII in bytes. Not those that shift between tables by escapes.
_KNOWN = late.pattern(
    r"(?:us-)?ascii|utf-?[78]|iso[-_]?8859[-_](?:1[03-6]?|[2-9])|latin[-_]?[1-9]|l[1-9]"
    r"|(?:cp|windows-?)125[0-8]|cp(?:437|85[0-8]|866|93[26]|949|950)|koi8-[ru]"
    r"|shift[-_]jis|sjis|euc-?(?:jp|kr|cn)|gb2312|gbk|gb18030|big5(?:-hkscs)?|tis-620",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Readings:
    """What a text may be read as. whole: every byte of it has one sure meaning.

    digest: of its bytes, so that what is let pass is these and no others.
    """

    texts: tuple[str, ...]
    whole: bool
    digest: str


def known(name: bytes) -> bool:
    """Tell whether ``name`` is of an encoding that git and the gate read alike."""
    spelled = name.decode("latin-1")
    try:
        return bool(_KNOWN.fullmatch(spelled)) and bool(codecs.lookup(spelled))
    except LookupError:
        return False


def readings(raw: bytes, encodings: Iterable[bytes] = ()) -> Readings:
    """Return the readings of ``raw`` where a commit names these known encodings."""
    named = [name.decode("ascii") for name in encodings]
    plain, whole = _plain(raw, strict=not named)
    texts = [plain]
    for name in named:
        try:
            texts.append(raw.decode(name))
        except UnicodeDecodeError:
            whole = False
    whole = whole and b"\0" not in raw
    digest = "" if whole else digest_of(raw.decode("latin-1"))
    return Readings(tuple(dict.fromkeys(texts)), whole, digest)


def _plain(raw: bytes, strict: bool) -> tuple[str, bool]:
    """Return the bytes as UTF-8, else as Latin-1; and whether that is how they are meant."""
    try:
        return raw.decode("utf-8"), True
    except UnicodeDecodeError:
        return raw.decode("latin-1"), not strict
