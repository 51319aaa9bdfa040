"""Open what is no text, within limits, and hand out every readable piece of it.

Archives are opened down to a depth, compressed streams up to a budget of bytes;
what is over, encrypted or of an unknown form is said by name, never passed over.
"""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator

from manent import late
from manent.facts.derive import decode
from manent.gate.forms import form_of, is_binary
from manent.values import dataclass, field

MAX_DEPTH = 4
MAX_ENTRIES = 10_000
_CHUNK = 1 << 16


class Unreadable(Exception):
    """Why an attachment, or something in it, cannot be judged."""


@dataclass(slots=True)
class Budget:
    """What one attachment may still cost."""

    left_bytes: int
    left_entries: int = MAX_ENTRIES

    def spend(self, count: int) -> None:
        """Take off ``count`` unpacked bytes. Raises Unreadable when none are left."""
        self.left_bytes -= count
        if self.left_bytes < 0:
            raise Unreadable("unpacks to more than manent.maxUnpackedBytes")

    def enter(self) -> None:
        """Take off one entry of an archive."""
        self.left_entries -= 1
        if self.left_entries < 0:
            raise Unreadable(f"holds more than {MAX_ENTRIES} files")


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
        return
    # Whatever the form, text that stands in it in the clear is read as such.
    out.pieces.extend(Piece(where, run) for run in _runs(content))
    opener = _OPENERS.get(form_of(content))
    try:
        if opener is None:
            raise Unreadable("is of no form the gate can read")
        if depth > MAX_DEPTH:
            raise Unreadable(f"holds archives more than {MAX_DEPTH} deep")
        for name, inner in opener(content, budget):
            below = f"{where}/{name}" if where else name
            if name:
                out.pieces.append(Piece(below, name))
            _open(inner, below, depth + 1, budget, out)
    except Unreadable as error:
        out.unreadable.append(f"{where or 'the file'} {error}")
    except _BROKEN as error:
        out.unreadable.append(f"{where or 'the file'} is damaged ({type(error).__name__})")


_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
    ValueError, NotImplementedError, RuntimeError, KeyError, OverflowError, MemoryError,
)  # fmt: skip

Inner = Iterator[tuple[str, bytes]]
"""Names and contents of what is inside; an empty name for a part without one."""


def _as_text(content: bytes) -> str | None:
    if is_binary(content):
        return None
    decoded = decode(content)
    return content.decode("latin-1") if decoded.encoding == "broken" else decoded.text


# Eight letters and more: shorter runs stand in any random bytes.
_RUN = late.bytes_pattern(rb"[\t\n\r\x20-\x7e\xc2-\xf4\x80-\xbf]{8,}")
_WIDE_RUN = late.bytes_pattern(rb"(?:[\t\n\r\x20-\x7e]\0){8,}")


def _runs(content: bytes) -> Iterator[str]:
    plain = [run.decode("utf-8", "replace") for run in _RUN.findall(content)]
    wide = [run.decode("utf-16-le", "replace") for run in _WIDE_RUN.findall(content)]
    # One text with breaks that no pattern crosses: scanning has a price per call.
    if plain or wide:
        yield "\n\n".join(plain + wide)


def _zip(content: bytes, budget: Budget) -> Inner:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            budget.enter()
            if info.flag_bits & 1:
                raise Unreadable("is encrypted")
            if info.is_dir():
                yield info.filename, b""
                continue
            with archive.open(info) as stream:
                yield info.filename, _read(stream.read, budget)


def _tar(content: bytes, budget: Budget) -> Inner:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for member in archive:
            budget.enter()
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is None:
                yield member.name, member.linkname.encode("utf-8", "surrogateescape")
            else:
                yield member.name, _read(stream.read, budget)


def _read(read: Callable[[int], bytes], budget: Budget) -> bytes:
    chunks = []
    while chunk := read(_CHUNK):
        budget.spend(len(chunk))
        chunks.append(chunk)
    return b"".join(chunks)


def _gzip(content: bytes, budget: Budget) -> Inner:
    rest = content
    while rest.startswith(b"\x1f\x8b"):
        stream = zlib.decompressobj(31)
        yield "", _inflated(stream, rest, budget)
        if not stream.eof:
            raise Unreadable("ends before its stream does")
        rest = stream.unused_data
    if rest.strip(b"\0"):
        yield "", rest


def _bzip2(content: bytes, budget: Budget) -> Inner:
    yield from _streams(content, b"BZh", bz2.BZ2Decompressor, budget)


def _xz(content: bytes, budget: Budget) -> Inner:
    mark = b"\xfd7zXZ\x00"
    limit = 128 << 20
    yield from _streams(content, mark, lambda: lzma.LZMADecompressor(memlimit=limit), budget)


def _streams(
    content: bytes,
    mark: bytes,
    make: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor],
    budget: Budget,
) -> Inner:
    rest = content
    while rest.startswith(mark):
        stream, chunks, data = make(), [], rest
        while not stream.eof:
            chunk = stream.decompress(data, _CHUNK)
            budget.spend(len(chunk))
            chunks.append(chunk)
            data = b""
            if not chunk and stream.needs_input:
                raise Unreadable("ends before its stream does")
        yield "", b"".join(chunks)
        rest = stream.unused_data
    if rest.strip(b"\0"):
        yield "", rest


_PDF_STREAM = late.bytes_pattern(rb"stream\r?\n")


def _pdf(content: bytes, budget: Budget) -> Inner:
    if b"/Encrypt" in content:
        raise Unreadable("is an encrypted PDF")
    for number, found in enumerate(_PDF_STREAM.finditer(content)):
        budget.enter()
        stream = zlib.decompressobj()
        data = content[found.end() : found.end() + 2]
        # Only deflated streams: the others stand in the clear or are pictures.
        if len(data) == 2 and data[0] & 15 == 8 and (data[0] * 256 + data[1]) % 31 == 0:
            inner = _inflated(stream, content[found.end() :], budget)
            yield "", b"\n".join(_runs_of(inner))
        if number >= MAX_ENTRIES:
            raise Unreadable(f"holds more than {MAX_ENTRIES} streams")


def _runs_of(inner: bytes) -> list[bytes]:
    return [run.encode() for run in _runs(inner)]


def _inflated(stream: zlib._Decompress, content: bytes, budget: Budget) -> bytes:
    chunks, data = [], content
    while not stream.eof:
        chunk = stream.decompress(data, _CHUNK)
        budget.spend(len(chunk))
        chunks.append(chunk)
        data = stream.unconsumed_tail
        if not data and len(chunk) < _CHUNK:
            break
    return b"".join(chunks)


def _png(content: bytes, budget: Budget) -> Inner:
    at = 8
    while at + 8 <= len(content):
        size, kind = int.from_bytes(content[at : at + 4], "big"), content[at + 4 : at + 8]
        body = content[at + 8 : at + 8 + size]
        at += 12 + size
        budget.enter()
        if kind in (b"zTXt", b"iTXt", b"iCCP"):
            packed = body.partition(b"\0")[2]
            start = packed.find(b"\x78")
            if start >= 0:
                yield (
                    "",
                    b"\n".join(_runs_of(_inflated(zlib.decompressobj(), packed[start:], budget))),
                )


def _plain(content: bytes, budget: Budget) -> Inner:
    """Pictures, sound and film: their readable runs are all that can be judged."""
    yield from ()


_OPENERS: dict[str, Callable[[bytes, Budget], Inner]] = {
    "zip": _zip,
    "gzip": _gzip,
    "bzip2": _bzip2,
    "xz": _xz,
    "tar": _tar,
    "pdf": _pdf,
    "png": _png,
    "media": _plain,
}
