"""Archives and compressed streams: every member, listed or not, and all of each."""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator

from manent import late
from manent.gate.budget import CHUNK, Budget, Inner, Unreadable, inflated
from manent.gate.runs import readable

# A local header: a version and a method that some program writes. Of random bytes one
# in 10^14 begins one.
ZIP_ENTRY = rb"PK\x03\x04[\x00-\x3f]\x00[\s\S]{2}[\x00-\x0e\x14\x5d-\x63]\x00"
_ENTRY = late.bytes_pattern(ZIP_ENTRY)
_HEAD_BYTES = 30


def opened_zip(content: bytes, budget: Budget) -> Inner:
    """Yield each member of a zip, wherever in ``content`` the zip begins.

    A reader that goes by the directory at the end and one that goes by the headers
    on the way must find the same: a member in between that no directory lists, or that
    is longer than listed, is refused.
    """
    view = memoryview(content)
    spans: list[tuple[int, int]] = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            budget.enter()
            if info.flag_bits & 1:
                raise Unreadable("is encrypted")
            start = _data_at(content, info.header_offset)
            end = start + info.compress_size
            spans.append((info.header_offset, end))
            yield info.filename, _member(archive, info, view[start:end], budget)
            yield from _said_of(content[info.header_offset : start], info)
    unlisted = next((m for m in _ENTRY.finditer(content) if _outside(m.start(), spans)), None)
    if unlisted is not None:
        raise Unreadable("holds a file that its directory does not list")


def _said_of(head: bytes, info: zipfile.ZipInfo) -> Inner:
    """Yield what stands beside a member: its comment, further fields, its name on the way.

    Each by itself: in the file they touch others, and a number would go on there.
    """
    size = int.from_bytes(head[26:28], "little")
    name = head[_HEAD_BYTES : _HEAD_BYTES + size]
    listed = info.orig_filename.encode("utf-8", "surrogateescape")
    for part in (info.comment, info.extra, head[_HEAD_BYTES + size :], name):
        if part and part != listed:
            yield "", readable(part)


def _data_at(content: bytes, header: int) -> int:
    head = content[header : header + _HEAD_BYTES]
    if len(head) < _HEAD_BYTES or head[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("no header where the directory names one")
    sizes = (int.from_bytes(head[at : at + 2], "little") for at in (26, 28))
    return header + _HEAD_BYTES + sum(sizes)


def _member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, packed: memoryview, budget: Budget
) -> bytes:
    """Return a member's content: all that its bytes unpack to, not what is said of it."""
    if info.compress_type == zipfile.ZIP_STORED:
        content, whole = bytes(packed), True
        budget.spend(len(content))
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        content, end = inflated(packed, budget, -zlib.MAX_WBITS)
        whole = end == len(packed)
    else:
        with archive.open(info) as stream:
            return _read(stream.read, budget)
    if not whole or len(content) != info.file_size:
        raise Unreadable("says another size of a file than it has")
    return content


def _outside(at: int, spans: list[tuple[int, int]]) -> bool:
    return not any(start <= at < end for start, end in spans)


def opened_tar(content: bytes, budget: Budget) -> Inner:
    """Yield each member of a tar, and what stands behind its end."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for member in archive:
            budget.enter()
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is None:
                yield member.name, member.linkname.encode("utf-8", "surrogateescape")
            else:
                yield member.name, _read(stream.read, budget)
        rest = content[archive.offset :]
    if rest.strip(b"\0"):
        yield "", rest


def _read(read: Callable[[int], bytes], budget: Budget) -> bytes:
    chunks = []
    while chunk := read(CHUNK):
        budget.spend(len(chunk))
        chunks.append(chunk)
    return b"".join(chunks)


def opened_gzip(content: bytes, budget: Budget) -> Inner:
    """Yield each stream of a gzip file, and what stands behind the last."""
    rest = memoryview(content)
    if content[3:4] and content[3] & 4:
        size = int.from_bytes(content[10:12], "little")
        yield "", readable(content[12 : 12 + size])
    while bytes(rest[:2]) == b"\x1f\x8b":
        inner, end = inflated(rest, budget, 31)
        yield "", inner
        if not end:
            raise Unreadable("ends before its stream does")
        rest = rest[end:]
    yield from _behind(bytes(rest))


def _behind(rest: bytes) -> Iterator[tuple[str, bytes]]:
    if rest.strip(b"\0"):
        yield "", rest


def opened_bzip2(content: bytes, budget: Budget) -> Inner:
    """Yield each stream of a bzip2 file, and what stands behind the last."""
    yield from _streams(content, b"BZh", bz2.BZ2Decompressor, budget)


def opened_xz(content: bytes, budget: Budget) -> Inner:
    """Yield each stream of an xz file, and what stands behind the last."""
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
        budget.enter()
        stream, chunks, data = make(), [], rest
        while not stream.eof:
            chunk = stream.decompress(data, CHUNK)
            budget.spend(len(chunk))
            chunks.append(chunk)
            data = b""
            if not chunk and stream.needs_input:
                raise Unreadable("ends before its stream does")
        yield "", b"".join(chunks)
        rest = stream.unused_data
    yield from _behind(rest)
