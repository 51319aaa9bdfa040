"""Which form a content has, by its first bytes: text, or what kind of attachment."""

from __future__ import annotations

PACKED = frozenset({"zip", "gzip", "bzip2", "xz"})
"""Forms that are never text, even where every byte of them could be."""

LEGIBLE = frozenset({"pdf"})
"""Forms of which a file may be a text too: it is judged as both."""

_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
_RIFF = (b"WEBP", b"WAVE", b"AVI ")

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"%PDF-", "pdf"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "media"),
    (b"GIF87a", "media"),
    (b"GIF89a", "media"),
    (b"ID3", "media"),
    (b"OggS", "media"),
    (b"fLaC", "media"),
    (b"wOFF", "woff"),
    (b"wOF2", "woff"),
    (b"\x00\x00\x01\x00", "media"),
    (b"\x1aE\xdf\xa3", "media"),
    (b"\xff\xfb", "media"),
    (b"\xff\xf3", "media"),
)


def form_of(content: bytes) -> str:
    """Return the name of an attachment's form; "" for text and for what is not known."""
    for start, name in _STARTS:
        if content.startswith(start):
            return name
    if content[257:262] == b"ustar":
        return "tar"
    if content[:3] == b"BZh" and content[4:10] in _BZIP2_BLOCKS:
        return "bzip2"
    if content[4:8] == b"ftyp" or (content[:4] == b"RIFF" and content[8:12] in _RIFF):
        return "media"
    return ""


def is_binary(content: bytes) -> bool:
    """Tell whether ``content`` is of a form that is no text.

    Packed forms are never text. Of the others only what holds a NUL byte is none:
    pictures and sound do, and a text does not become one by what it begins with.
    """
    if content.startswith(_TEXT_MARKS):
        return False
    return b"\0" in content or form_of(content) in PACKED or _is_pdf(content)


def _is_pdf(content: bytes) -> bool:
    """Tell whether it is a PDF that is no text besides: one of ASCII alone is both."""
    if not content.startswith(b"%PDF-"):
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
