"""Open what is no text, within limits, and hand out every readable piece of it.

Archives are opened down to a depth, compressed streams up to a budget of bytes;
what is over, encrypted or of an unknown form is said by name, never passed over.

Out of reach is what carries no sign of what it is: deflated data with neither head nor
tail somewhere in a picture, or text that the points of a picture spell.
"""

from __future__ import annotations

import contextlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator

from manent.facts.derive import decode
from manent.gate.archives import opened_bzip2, opened_gzip, opened_tar, opened_xz, opened_zip
from manent.gate.budget import Budget as Budget
from manent.gate.budget import Inner, Unreadable
from manent.gate.forms import LEGIBLE, form_of, is_binary
from manent.gate.markup import joined
from manent.gate.media import hidden, opened_png, opened_woff
from manent.gate.pdf import opened_pdf
from manent.gate.runs import runs
from manent.values import dataclass, field

MAX_DEPTH = 4


@dataclass(slots=True)
class Piece:
    """Readable text found inside. where: the path inside the attachment, "" at its top."""

    where: str
    text: str


@dataclass(slots=True)
class Opened:
    """What an attachment gave. unreadable: why something in it could not be read."""

    pieces: list[Piece] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def open_attachment(content: bytes, budget: Budget) -> Opened:
    """Return every readable piece of ``content``, and what in it could not be read."""
    opened = Opened()
    _open(content, "", 0, budget, opened)
    return opened


def _open(content: bytes, where: str, depth: int, budget: Budget, out: Opened) -> None:
    text = _as_text(content)
    if text is not None:
        out.pieces.append(Piece(where, text))
        whole = joined(text)
        if whole:
            out.pieces.append(Piece(where, whole))
    else:
        # Whatever the form, text that stands in it in the clear is read as such.
        out.pieces.extend(Piece(where, run) for run in runs(content))
    form = form_of(content)
    if text is not None and form not in LEGIBLE:
        return
    opener = _OPENERS.get(form)
    with _said(where, out):
        if opener is None:
            raise Unreadable("is of no form the gate can read")
        _inside(opener(content, budget), where, depth, budget, out)
    if form in _HIDING:
        with _said(where, out):
            for name, inner in hidden(content, budget, framed=form == "media"):
                if name in _OPENERS:
                    _inside(_OPENERS[name](inner, budget), where, depth + 1, budget, out)
                else:
                    _inside(iter([("", inner)]), where, depth + 1, budget, out)


def _inside(parts: Inner, where: str, depth: int, budget: Budget, out: Opened) -> None:
    for name, inner in parts:
        if depth > MAX_DEPTH:
            raise Unreadable(f"holds archives more than {MAX_DEPTH} deep")
        below = f"{where}/{name}" if where else name
        if name:
            out.pieces.append(Piece(below, name))
        _open(inner, below, depth + 1, budget, out)


@contextlib.contextmanager
def _said(where: str, out: Opened) -> Iterator[None]:
    """Note what cannot be read, and go on."""
    try:
        yield
    except Unreadable as error:
        out.unreadable.append(f"{where or 'the file'} {error}")
    except _BROKEN as error:
        out.unreadable.append(f"{where or 'the file'} is damaged ({type(error).__name__})")


_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
    ValueError, NotImplementedError, RuntimeError, KeyError, OverflowError, MemoryError,
)  # fmt: skip


def _as_text(content: bytes) -> str | None:
    if is_binary(content):
        return None
    decoded = decode(content)
    return content.decode("latin-1") if decoded.encoding == "broken" else decoded.text


def _plain(content: bytes, budget: Budget) -> Inner:
    """Pictures, sound and film: their readable runs are all that can be judged."""
    yield from ()


_OPENERS: dict[str, Callable[[bytes, Budget], Inner]] = {
    "zip": opened_zip,
    "gzip": opened_gzip,
    "bzip2": opened_bzip2,
    "xz": opened_xz,
    "tar": opened_tar,
    "pdf": opened_pdf,
    "png": opened_png,
    "woff": opened_woff,
    "media": _plain,
}
_HIDING = frozenset({"media", "png", "pdf", "woff"})
"""Forms whose readers pass over what stands behind the end, or in a part they do not know."""
