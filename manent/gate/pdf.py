"""The readable parts of a PDF: its streams unpacked, its strings put together.

A font may number its letters as it likes, so not every page can be read; what a PDF
says as text somewhere, in whatever packing and spelling the format knows, is.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from manent import late
from manent.gate.budget import Budget, Inner, Unreadable, inflated
from manent.gate.runs import runs

_STREAM = late.bytes_pattern(rb"(?<!end)stream\r?\n")
_FILTER = late.bytes_pattern(rb"/Filter\s*(\[[^\]]*\]|/[^\s/<>\[\]()%]+)")
_OBJECT = late.bytes_pattern(rb"[0-9]\s+obj")
_NAME = late.bytes_pattern(rb"/([^\s/<>\[\]()%]+)")
_ESCAPED_NAME = late.bytes_pattern(rb"#([0-9A-Fa-f]{2})")
_PICTURES = {b"DCTDecode", b"DCT", b"JPXDecode", b"CCITTFaxDecode", b"CCF", b"JBIG2Decode"}
_BEFORE_BYTES = 4096
"""How far before a stream its dictionary is looked for."""

_STRING = late.bytes_pattern(rb"\(((?:[^()\\]|\\[\s\S])*+)\)|<([0-9A-Fa-f\s]{4,})>")
# What may stand between two pieces of one line: a shift, or the end of one order and the next.
_JOINED = late.bytes_pattern(rb"\s*(-?[0-9.]{0,9})\s*|\s*\]?\s*T[jJ]\s*\[?\s*")
_ESCAPE = late.bytes_pattern(rb"\\([0-7]{1,3}|\r?\n|[\s\S])")
_CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_BLANK_FROM = 200.0
"""A shift of so many thousandths of the letter's height is a blank."""


def opened_pdf(content: bytes, budget: Budget) -> Inner:
    """Yield the readable text of a PDF: of each stream, and of the strings between them."""
    if b"/Encrypt" in content:
        raise Unreadable("is an encrypted PDF")
    view = memoryview(content)
    yield "", _strings(content)
    for found in _STREAM.finditer(content):
        budget.enter()
        start = found.end()
        inner = _unpacked(view[start:], _filters(content, found.start()), budget)
        if inner is not None:
            yield "", b"\n\n".join([*(run.encode() for run in runs(inner)), _strings(inner)])


def _filters(content: bytes, at: int) -> list[bytes]:
    head = content[max(0, at - _BEFORE_BYTES) : at]
    begun = [found.end() for found in _OBJECT.finditer(head)]
    found = _FILTER.search(head, begun[-1] if begun else 0)
    names = _NAME.findall(found[1]) if found else []
    return [_ESCAPED_NAME.sub(lambda m: bytes([int(m[1], 16)]), name) for name in names]


def _unpacked(rest: memoryview, filters: list[bytes], budget: Budget) -> bytes | None:
    """Return what a stream holds; None for a picture and for what stands in the clear.

    rest: from the stream's first byte to the end of the file.
    """
    if not filters:
        # The dictionary may name its filter elsewhere; deflated data shows itself.
        return inflated(rest, budget)[0] if _is_deflated(bytes(rest[:2])) else None
    data = rest
    for name in filters:
        if name in _PICTURES:
            return None if data is rest else bytes(data)
        data = memoryview(_decoded(name, data, budget))
    return bytes(data)


def _decoded(name: bytes, data: memoryview, budget: Budget) -> bytes:
    if name in (b"FlateDecode", b"Fl"):
        return inflated(data, budget)[0]
    if name in (b"ASCII85Decode", b"A85"):
        body = _until(data, b"~>", budget)
        return base64.a85decode(re.sub(rb"\s", b"", body.removeprefix(b"<~")))
    if name in (b"ASCIIHexDecode", b"AHx"):
        return _from_hex(_until(data, b">", budget))
    raise Unreadable(f"is packed by {name[:20].decode('ascii', 'replace')}, which is not opened")


def _until(data: memoryview, end: bytes, budget: Budget) -> bytes:
    body = bytes(data).partition(b"endstream")[0].partition(end)[0]
    budget.spend(len(body))
    return body


def _from_hex(digits: bytes) -> bytes:
    bare = re.sub(rb"\s", b"", digits)
    return binascii.unhexlify(bare + b"0" * (len(bare) % 2))


def _is_deflated(head: bytes) -> bool:
    return len(head) == 2 and head[0] & 15 == 8 and (head[0] * 256 + head[1]) % 31 == 0


def _strings(content: bytes) -> bytes:
    """Return the strings of PDF code, those of one line put together, as UTF-8 text."""
    return "".join(_pieces(content)).encode("utf-8", "replace")


def _pieces(content: bytes) -> Iterator[str]:
    end = 0
    for found in _STRING.finditer(content):
        between = _JOINED.fullmatch(content, end, found.start())
        if between is None:
            yield "\n"
        elif between[1] and _is_blank(between[1]):
            yield " "
        raw = _from_hex(found[2]) if found[1] is None else _ESCAPE.sub(_unescaped, found[1])
        yield _as_said(raw)
        end = found.end()


def _is_blank(shift: bytes) -> bool:
    try:
        return abs(float(shift)) >= _BLANK_FROM
    except ValueError:
        return False


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    if code[:1].isdigit() and code[:1] < b"8":
        return bytes([int(code, 8) & 255])
    return b"" if code[-1:] == b"\n" else _CONTROLS.get(code, code)


def _as_said(raw: bytes) -> str:
    """Return a string as it is read: by its mark, else a byte a letter, leaving out none."""
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    if raw.startswith(b"\xff\xfe"):
        return raw[2:].decode("utf-16-le", "replace")
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:].decode("utf-8", "replace")
    return raw.decode("latin-1") if b"\0" not in raw else ""
