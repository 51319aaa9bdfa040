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

_STREAM = late.bytes_pattern(rb"(?<!end)stream(?:\r?\n|\r)")
_FILTER = late.bytes_pattern(rb"/Filter\s*(\[[^\]]*\]|/[^\s/<>\[\]()%]+)")
_OBJECT = late.bytes_pattern(rb"[0-9]\s+obj")
_NAME = late.bytes_pattern(rb"/([^\s/<>\[\]()%]+)")
_ESCAPED_NAME = late.bytes_pattern(rb"#([0-9A-Fa-f]{2})")
_PICTURES = {b"DCTDecode", b"DCT", b"JPXDecode", b"CCITTFaxDecode", b"CCF", b"JBIG2Decode"}
_MEASURE = late.bytes_pattern(rb"/(Predictor|Colors|BitsPerComponent|Columns)\s+(\d{1,9})")
_PICTURE = late.bytes_pattern(rb"/Subtype\s*/Image")
_MOST_FORETOLD = 8 << 20
_BEFORE_BYTES = 4096
"""How far before a stream its dictionary is looked for."""

_STRING = late.bytes_pattern(rb"\(((?:[^()\\]|\\[\s\S])*+)\)|<([0-9A-Fa-f\s]{4,})>")
# What may stand between two pieces of one line: a shift, or the end of one order and the next.
_JOINED = late.bytes_pattern(rb"\s*(-?[0-9.]{0,9})\s*|\s*\]?\s*T[jJ]\s*\[?\s*")
# A step along the line, and one to the next line, which is the same where none goes down.
_SHIFT = late.bytes_pattern(rb"\s*\]?\s*T[jJ]\s+(-?[0-9.]{1,9})\s+-?0*(?:\.0*)?\s+T[dD]\s*\[?\s*")
_NEXT = late.bytes_pattern(rb"\s*(?:['\"]|\]?\s*T[jJ]\s+T\*)\s*(?:[0-9.]+\s+[0-9.]+\s+)?\[?\s*")
_SIZE = late.bytes_pattern(rb"/\S{1,40}\s+([0-9.]{1,9})\s+Tf\b")
_LEADING = late.bytes_pattern(rb"\sT[LD]\s")
_BETWEEN_BYTES = 400
_WIDEST = 0.75
"""How wide a letter is at most, of its height: a longer step leaves a gap."""
_UNSAID = 2.7
"""As wide where no size of the letters is said."""
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
        head = _head(content, found.start())
        inner = _unpacked(view[start:], _filters(head), budget)
        if inner is not None and b"/Predictor" in head:
            inner = _foretold(inner, head)
        if inner is not None:
            yield "", b"\n\n".join([*(run.encode() for run in runs(inner)), _strings(inner)])


def _head(content: bytes, at: int) -> bytes:
    """Return the dictionary of the stream at ``at``, its names spelled out."""
    head = content[max(0, at - _BEFORE_BYTES) : at]
    begun = [found.end() for found in _OBJECT.finditer(head)]
    head = head[begun[-1] if begun else 0 :]
    return _ESCAPED_NAME.sub(lambda m: bytes([int(m[1], 16)]), head)


def _filters(head: bytes) -> list[bytes]:
    found = _FILTER.search(head)
    return _NAME.findall(found[1]) if found else []


def _foretold(data: bytes, head: bytes) -> bytes:
    """Return a stream whose bytes say how they differ from their neighbours as it is meant.

    A picture's points stay as they are: nobody reads them.
    """
    said = {key: int(value) for key, value in _MEASURE.findall(head)}
    kind = said.get(b"Predictor", 1)
    if kind < 2 or _PICTURE.search(head):
        return data
    bits = min(said.get(b"Colors", 1) * said.get(b"BitsPerComponent", 8), 1 << 12)
    width = (min(said.get(b"Columns", 1), _MOST_FORETOLD) * bits + 7) // 8
    step = max(1, bits // 8)
    if len(data) > _MOST_FORETOLD or not width:
        raise Unreadable("holds more than can be put together of foretold data")
    if kind == 2:
        rows = (data[at : at + width] for at in range(0, len(data), width))
        return b"".join(_row(1, row, bytes(width), step) for row in rows)
    out, before = [], bytes(width)
    for at in range(0, len(data), width + 1):
        row = data[at + 1 : at + 1 + width]
        before = _row(data[at], row, before, step).ljust(width, b"\0")
        out.append(before[: len(row)])
    return b"".join(out)


def _row(how: int, row: bytes, above: bytes, step: int) -> bytes:
    """Undo one row of the predictors that PNG knows."""
    if how == 2:
        return bytes([(a + b) & 255 for a, b in zip(row, above, strict=False)])
    if how not in (1, 3, 4):
        return row
    made = bytearray(step)
    for value, up, corner in zip(row, above, bytes(step) + above, strict=False):
        left = made[-step]
        if how == 1:
            guess = left
        elif how == 3:
            guess = (left + up) // 2
        else:
            guess = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
        made.append((value + guess) & 255)
    return bytes(made[step:])


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
    end, letters, size, leading = 0, 0, 0.0, False
    for found in _STRING.finditer(content):
        between = _JOINED.fullmatch(content, end, found.start())
        if between is None:
            passed = content[end : found.start()][-_BETWEEN_BYTES:]
            size = _last(_SIZE, passed, size)
            leading = leading or bool(_LEADING.search(passed))
            yield _moved(passed, letters, size, leading)
            letters = 0
        elif between[1] and _is_blank(between[1]):
            yield " "
        raw = _from_hex(found[2]) if found[1] is None else _ESCAPE.sub(_unescaped, found[1])
        said = _as_said(raw)
        letters += len(said)
        yield said
        end = found.end()


def _last(pattern: re.Pattern[bytes], content: bytes, otherwise: float) -> float:
    found = pattern.findall(content)
    try:
        return float(found[-1]) if found else otherwise
    except ValueError:
        return otherwise


def _moved(passed: bytes, letters: int, size: float, leading: bool) -> str:
    """Return what a reader sees between two strings: nothing, a blank or a break.

    letters: of the string before. size: of its letters, 0 where nothing says it.
    leading: a step to the next line goes down.
    """
    if _NEXT.fullmatch(passed):
        return "\n" if leading else ""
    shift = _SHIFT.fullmatch(passed)
    if shift is None:
        return "\n"
    try:
        wide = float(shift[1])
    except ValueError:
        return "\n"
    most = _WIDEST * size * letters
    if not size:
        most = _UNSAID * letters
    if wide <= most:
        return ""
    return " " if wide <= most + size else "\n"


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
