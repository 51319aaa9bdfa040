"""Pictures, fonts, sound and film: the text they pack, and files that hide in them."""

from __future__ import annotations

import lzma
import zlib

from manent import late
from manent.gate.archives import ZIP_ENTRY
from manent.gate.budget import CHUNK, Budget, Inner, Unreadable, inflated
from manent.gate.runs import readable

_PNG_HEAD = b"\x89PNG\r\n\x1a\n"
_WOFF_HEAD_BYTES = 44
_WOFF_ROW_BYTES = 20

# The first two bytes of deflated data in a frame of its own: 66 of 65,536 pairs.
_DEFLATED = b"|".join(
    b"\\x%02x[%b]" % (first, b"".join(b"\\x%02x" % second for second in seconds))
    for first in range(0x08, 0x80, 0x10)
    if (seconds := [n for n in range(256) if (first * 256 + n) % 31 == 0 and not n & 0x20])
)
_PACKED = late.bytes_pattern(
    rb"(?P<zip>" + ZIP_ENTRY + rb")"
    rb"|(?P<gzip>\x1f\x8b\x08[\x00-\x1f][\s\S]{4}[\x00\x02\x04][\x00-\x0d\xff])"
    rb"|(?P<bzip2>BZh[1-9]1AY&SY)|(?P<xz>\xfd7zXZ\x00)"
    # Of an older form of the same: settings, a window's size, how much there is, a zero.
    rb"|(?P<lzma>[\x00-\xe0]\0\0[\s\S][\x00-\x0f]\xff{8}\0|\x5d\0\0"
    rb"(?:[\x01-\x04\x06\x08\x0c\x10\x18 0@`\x80\xc0]\0|[\0\x80][\x01-\x04\x06\x08\x10])"
    rb"[\s\S]{5}\0{4})|(?P<zstd>\x28\xb5\x2f\xfd)"
    rb"|(?P<shut>7z\xbc\xaf\x27\x1c|Rar!\x1a\x07)"
    rb"|(?P<pdf>%PDF-[12]\.[0-9])|(?P<png>\x89PNG\r\n\x1a\n)"
)
_FRAMED = late.bytes_pattern(_DEFLATED)
_LEAST_BYTES = 8


def opened_png(content: bytes, budget: Budget) -> Inner:
    """Yield the text that a PNG packs: in its comments, its colour profile, in parts of
    other kinds and behind its end. Its points are what nobody reads."""
    view, at = memoryview(content), len(_PNG_HEAD)
    while at + 8 <= len(content):
        size, kind = int.from_bytes(content[at : at + 4], "big"), content[at + 4 : at + 8]
        body = view[at + 8 : at + 8 + size]
        at += 12 + size
        budget.enter()
        if kind in _TEXT_CHUNKS:
            yield "", _chunk_text(kind, bytes(body), budget)
        elif kind not in _POINTS:
            yield from _frames(bytes(body), budget)
        if kind == b"IEND":
            break
    yield from _frames(content[at:], budget)


_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt", b"iCCP")
_POINTS = (b"IDAT", b"fdAT")


def _chunk_text(kind: bytes, body: bytes, budget: Budget) -> bytes:
    """Return the text of a chunk as UTF-8, its keyword left out: that stands in the clear."""
    rest = body.partition(b"\0")[2]
    if kind == b"tEXt":
        return rest.decode("latin-1").encode()
    if kind == b"iTXt":
        packed, text = rest[:1] == b"\1", rest[2:].split(b"\0", 2)[-1]
        if not packed:
            return text.decode("utf-8", "replace").encode()
        return _text_of(inflated(memoryview(text), budget)[0], "utf-8")
    inner = inflated(memoryview(rest)[1:], budget)[0]
    return _text_of(inner, "latin-1") if kind == b"zTXt" else readable(inner)


def _text_of(raw: bytes, encoding: str) -> bytes:
    return raw.replace(b"\0", b"\n").decode(encoding, "replace").encode()


def opened_woff(content: bytes, budget: Budget) -> Inner:
    """Yield the readable parts of a web font: of its tables and of what is said about it."""
    if content[:4] == b"wOF2":
        raise Unreadable("is packed by brotli, which is not opened")

    def number(at: int, size: int = 4) -> int:
        return int.from_bytes(content[at : at + size], "big")

    places = [(number(24), number(28), number(32))]
    for row in range(number(12, 2)):
        at = _WOFF_HEAD_BYTES + row * _WOFF_ROW_BYTES
        places.append((number(at + 4), number(at + 8), number(at + 12)))
    view = memoryview(content)
    for start, size, whole in places:
        budget.enter()
        if start and 0 < size < whole:
            yield "", readable(inflated(view[start : start + size], budget)[0])


def hidden(content: bytes, budget: Budget, framed: bool) -> Inner:
    """Yield what is packed somewhere in a file that is no archive, behind its end or in it.

    framed: deflated data without a file around it is looked for too; not where a
    format deflates what nobody reads, as a PNG, whose reader does. The name says the form.
    Raises Unreadable for archives that cannot be opened.
    """
    view, passed, zipped = memoryview(content), 0, False
    for found in _PACKED.finditer(content, 1):
        form = found.lastgroup or ""
        if found.start() < passed or (zipped and form == "zip"):
            continue
        if form == "zstd":
            if _is_zstd(content[found.start() : found.start() + _ZSTD_HEAD_BYTES]):
                raise Unreadable("holds zstd data, which is not opened")
            continue
        budget.enter()
        if form == "shut":
            raise Unreadable("holds an archive that is not opened")
        if form == "lzma":
            yield "", readable(_unpacked_lzma(content[found.start() :], budget))
            continue
        if form == "gzip":
            inner, end = _tried(view[found.start() :], budget, 31)
            passed = found.start() + end
            yield "", inner
        elif form == "zip":
            # It is read from its end: the whole file, wherever in it the zip begins.
            zipped = True
            yield form, content
        else:
            yield form, bytes(view[found.start() :])
    if framed:
        yield from _frames(content, budget)


def _is_zstd(head: bytes) -> bool:
    """Tell whether a frame of zstd begins so: its four bytes alone stand in many a film."""
    if len(head) < _ZSTD_HEAD_BYTES or head[4] & 8:
        return False
    single = head[4] >> 5 & 1
    lengths = ((0, 1, 2, 4)[head[4] & 3], (single, 2, 4, 8)[head[4] >> 6])
    at = 5 + (1 - single) + sum(lengths)
    block = int.from_bytes(head[at : at + 3], "little")
    return block >> 1 & 3 != 3 and block >> 3 <= _ZSTD_BLOCK_BYTES


_ZSTD_HEAD_BYTES = 22
_ZSTD_BLOCK_BYTES = 128 << 10


def _unpacked_lzma(content: bytes, budget: Budget) -> bytes:
    """Return what may be lzma data unpacks to, as far as it is."""
    stream = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=128 << 20)
    chunks, data = [], content
    try:
        while not stream.eof and (data or not stream.needs_input):
            chunk = stream.decompress(data, CHUNK)
            budget.spend(len(chunk))
            chunks.append(chunk)
            data = b""
    except lzma.LZMAError:
        pass  # by chance it looked so, or it ends early: what came before counts
    return b"".join(chunks)


def _frames(content: bytes, budget: Budget) -> Inner:
    view, passed = memoryview(content), 0
    for found in _FRAMED.finditer(content):
        if found.start() >= passed:
            inner, end = _tried(view[found.start() :], budget, zlib.MAX_WBITS)
            passed = found.start() + end
            if end and len(inner) >= _LEAST_BYTES:
                budget.enter()
                yield "", readable(inner)


def _tried(view: memoryview, budget: Budget, bits: int) -> tuple[bytes, int]:
    """Return as ``inflated`` what may be deflated; nothing where chance made it look so."""
    try:
        return inflated(view, budget, bits)
    except zlib.error:
        return b"", 0
