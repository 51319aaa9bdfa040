"""Text that stands in the clear in bytes that are no text."""

from __future__ import annotations

from collections.abc import Iterator

from manent import late

# Eight letters and more: shorter runs stand in any random bytes.
_RUN = late.bytes_pattern(rb"[\t\n\r\x20-\x7e\xc2-\xf4\x80-\xbf]{8,}")
_WIDE_RUN = late.bytes_pattern(rb"(?:[\t\n\r\x20-\x7e]\0){8,}")
# The other order of bytes: read so, a text has neither too few letters nor too many.
_WIDE_RUN_BIG = late.bytes_pattern(rb"(?:\0[\t\n\r\x20-\x7e]){8,}")
_WIDER_RUN = late.bytes_pattern(rb"(?:[\t\n\r\x20-\x7e]\0\0\0){8,}")
_WIDER_RUN_BIG = late.bytes_pattern(rb"(?:\0\0\0[\t\n\r\x20-\x7e]){8,}")
_LATIN_RUN = late.bytes_pattern(rb"[\t\n\r\x20-\x7e\xa0-\xff]{8,}")
_ABOVE_ASCII = bytes(range(128, 256))


def runs(content: bytes) -> Iterator[str]:
    """Yield what can be read in ``content`` as one text, if anything can.

    Its runs are parted by breaks that no pattern crosses: scanning has a price a call.
    """
    found = [run.decode("utf-8", "replace") for run in _RUN.findall(content)]
    found += [run.decode("latin-1") for run in _LATIN_RUN.findall(content) if _is_latin(run)]
    found += [run.decode("utf-16-le", "replace") for run in _WIDE_RUN.findall(content)]
    found += [run.decode("utf-16-be", "replace") for run in _WIDE_RUN_BIG.findall(content)]
    if b"\0\0\0" in content:
        found += [run[::4].decode("ascii") for run in _WIDER_RUN.findall(content)]
        found += [run[3::4].decode("ascii") for run in _WIDER_RUN_BIG.findall(content)]
    if found:
        yield "\n\n".join(found)


def readable(content: bytes) -> bytes:
    """Return what can be read in ``content``, as UTF-8 text."""
    return b"\n\n".join(run.encode() for run in runs(content))


def _is_latin(run: bytes) -> bool:
    """Tell whether a run is text of one byte a letter: mostly ASCII, and no UTF-8."""
    plain = len(run.translate(None, _ABOVE_ASCII))
    if plain == len(run) or plain * 4 < len(run) * 3:
        return False
    try:
        run.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
