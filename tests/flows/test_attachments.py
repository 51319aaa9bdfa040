"""Files that are no text, or seem so: whatever in them can be read is judged.

Each is pushed for real; ``gate text`` says the same of the same bytes.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import re
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import pytest
from repositories import Clone, Pushed, mail, phone

JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xd9"
GIF = b"GIF89a\1\0\1\0\0\0\0;"
FILM = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"


def text_says(name: str, content: bytes) -> int:
    command = [sys.executable, "-m", "manent", "gate", "text", "--path", name, "-"]
    return subprocess.run(command, input=content, capture_output=True, check=False).returncode


def refused(clone: Clone, name: str, content: bytes, *said: str) -> Pushed:
    clone.commit({name: content})
    pushed = clone.push()
    assert pushed.refused, pushed.said
    for part in said:
        assert part in pushed.said, pushed.said
    assert text_says(name, content) == 1
    return pushed


def marked() -> bytes:
    return f"Call Mario at {phone()} or {mail()} today.".encode()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*chunks: tuple[bytes, bytes], side: int = 1) -> bytes:
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", head), *chunks, (b"IDAT", zlib.compress(bytes(side * (side + 1))))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in [*parts, (b"IEND", b"")])


def deflated(data: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    return packer.compress(data) + packer.flush()


def zipped(files: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def unlisted(marker: bytes) -> bytes:
    """A zip with a member before the others that its directory does not name."""
    whole = zipped({"hidden.txt": marker * 4})
    return whole[: whole.rindex(b"PK\1\2")] + zipped({"clean.txt": b"fine"})


def cut_short(marker: bytes) -> bytes:
    """A zip whose directory says a file is shorter than what its bytes unpack to."""
    shown, rest = b"fine. ", marker * 4
    content = bytearray(zipped({"a.txt": shown + rest}))
    at = content.rindex(b"PK\1\2")
    content[at + 16 : at + 20] = struct.pack("<I", zlib.crc32(shown))
    content[at + 24 : at + 28] = struct.pack("<I", len(shown))
    return bytes(content)


def pdf(body: bytes) -> bytes:
    return b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + body + b"\n%%EOF"


def stream(data: bytes, filters: bytes) -> bytes:
    head = b"1 0 obj<</Length %d/Filter%s>>stream\n" % (len(data), filters)
    return pdf(head + data + b"\nendstream endobj")


def title(raw: bytes) -> bytes:
    return b"1 0 obj<</Title" + raw + b">>endobj"


def wide(marker: bytes) -> bytes:
    return marker.decode().encode("utf-16-be")


def split_line(marker: bytes) -> bytes:
    first, second = marker[:14], marker[14:]
    return b"BT [(%s) -10 (%s) 3 (%s)] TJ ET" % (first, second[:9], second[9:])


def tar_with_more(marker: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("clean"), io.BytesIO())
    return out.getvalue() + gzip.compress(marker)


def woff(marker: bytes) -> bytes:
    meta = zlib.compress(marker)
    return b"wOFF\0\1\0\0" + bytes(16) + struct.pack(">III", 44, len(meta), 999) + bytes(8) + meta


def halves(marker: bytes) -> tuple[bytes, bytes]:
    """Cut the number in two, and leave out what could be found without it."""
    text = marker.partition(b" or ")[0]
    at = text.find(b" at ") + 10
    return text[:at], text[at:]


def office(path: str, form: bytes) -> Callable[[bytes], bytes]:
    """A file of an office program whose text stands in two pieces."""
    return lambda m: zipped({path: b"<?xml version='1.0'?>" + form % halves(m)})


def with_comment(marker: bytes, extra: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("clean.txt")
        info.comment = b"" if extra else marker
        info.extra = struct.pack("<HH", 0x7075, len(marker)) + marker if extra else b""
        archive.writestr(info, b"fine")
    return out.getvalue()


def foretold(marker: bytes) -> bytes:
    """A stream of rows each of which says how it differs from the one above."""
    text = (b"BT (" + marker + b") Tj ET").ljust(160)
    rows = [bytes(8)] + [text[at : at + 8] for at in range(0, 160, 8)]
    steps = zip(rows[1:], rows, strict=False)
    up = (b"\2" + bytes([(a - b) & 255 for a, b in zip(*s, strict=True)]) for s in steps)
    return stream(
        zlib.compress(b"".join(up)), b"/FlateDecode/DecodeParms<</Predictor 12/Columns 8>>"
    )


def placed(form: bytes) -> Callable[[bytes], bytes]:
    return lambda m: stream(zlib.compress(b"BT " + form % halves(m) + b" ET"), b"/FlateDecode")


WORD = b"<w:p><w:r><w:t>%b</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>%b</w:t></w:r></w:p>"

HIDDEN: dict[str, Callable[[bytes], bytes]] = {
    "comment.png": lambda m: png((b"zTXt", b"Comment\0\0" + zlib.compress(m))),
    "window.png": lambda m: png((b"zTXt", b"Comment\0\0" + deflated(m, 10))),
    "itxt.png": lambda m: png((b"iTXt", b"Comment\0\1\0\0\0" + deflated(m, 11))),
    "latin.png": lambda m: png((b"tEXt", b"Comment\0" + m.replace(b" ", b"\xa0"))),
    "behind.png": lambda m: png() + zipped({"a.md": m}),
    "behind.jpg": lambda m: JPEG + zipped({"a.md": m}),
    "behind.zip": lambda m: JPEG + zipped({"a.md": m}),
    "behind.gif": lambda m: GIF + zipped({"a.md": m}),
    "before.zip": lambda m: FILM + zipped({"a.md": m}),
    "gzip.jpg": lambda m: JPEG + gzip.compress(m) + b"\1\2\3",
    "bzip2.jpg": lambda m: JPEG + bz2.compress(m),
    "xz.jpg": lambda m: JPEG + lzma.compress(m),
    "pdf.jpg": lambda m: JPEG + stream(zlib.compress(m), b"/FlateDecode"),
    "frame.mp3": lambda m: b"ID3\3\0\0\0\0\0\x40COMM" + zlib.compress(m) + bytes(40),
    "behind.pdf": lambda m: pdf(b"") + zipped({"a.md": m}),
    "unlisted.zip": unlisted,
    "short.zip": cut_short,
    "more.tar": tar_with_more,
    "wide.pdf": lambda m: pdf(title(b"(\xfe\xff" + wide(m) + b")")),
    "hex.pdf": lambda m: pdf(title(b"<" + m.hex().encode() + b">")),
    "widehex.pdf": lambda m: pdf(title(b"<FEFF" + wide(m).hex().encode() + b">")),
    "ascii.pdf": lambda m: b"%PDF-1.4\n" + title(b"<" + m.hex().encode() + b">"),
    "octal.pdf": lambda m: pdf(title(b"(" + b"".join(b"\\%03o" % c for c in m) + b")")),
    "ascii85.pdf": lambda m: stream(
        base64.a85encode(zlib.compress(b"BT (" + m + b") Tj ET")) + b"~>",
        b"[/ASCII85Decode /FlateDecode]",
    ),
    "asciihex.pdf": lambda m: stream(m.hex().encode() + b">", b"/ASCII#48exDecode"),
    "line.pdf": lambda m: stream(zlib.compress(split_line(m)), b"/FlateDecode"),
    "x.woff": woff,
    "runs.docx": office("word/document.xml", WORD),
    "runs.pptx": office("ppt/slides/slide1.xml", WORD.replace(b"w:", b"a:")),
    "runs.xlsx": office("xl/sharedStrings.xml", b"<si><r><t>%b</t></r><r><t>%b</t></r></si>"),
    "spans.odt": office("content.xml", b"<text:p>%b<text:span>%b</text:span></text:p>"),
    "spans.svg": lambda m: b"<svg><text>%b<tspan>%b</tspan></text></svg>" % halves(m),
    "member.zip": with_comment,
    "extra.zip": lambda m: with_comment(m, extra=True),
    "private.png": lambda m: png((b"prVt", b"x" + zlib.compress(m))),
    "after.png": lambda m: png() + zlib.compress(m),
    "utf32.jpg": lambda m: JPEG + m.decode().encode("utf-32-le"),
    "utf32big.jpg": lambda m: JPEG + m.decode().encode("utf-32-be"),
    "lzma.jpg": lambda m: JPEG + lzma.compress(m * 3, format=lzma.FORMAT_ALONE),
    "predictor.pdf": foretold,
    "step.pdf": placed(b"(%b) Tj 30 0 Td (%b) Tj"),
    "sized.pdf": placed(b"/F1 12 Tf (%b) Tj 130 0 Td (%b) Tj"),
    "next.pdf": placed(b"(%b) ' (%b) '"),
    "return.pdf": lambda m: stream(zlib.compress(m), b"/Fl").replace(b"stream\n", b"stream\r", 1),
    "start.txt": lambda m: b"ID3\n" + m.replace(b" ", b"\xa0"),
    "sync.txt": lambda m: b"\xff\xfb\n" + m.replace(b" ", b"\xa0"),
    "zero.mp3": lambda m: b"ID3\3\0\0\0\0\0\x40" + m.replace(b" ", b"\xa0") + b"\0",
    "mark.txt": lambda m: b"\xff\xfe" + m + b" " * (len(m) % 2),
    "mark.md": lambda m: b"\xfe\xff" + m + b" " * (len(m) % 2),
    "memory/a.md": lambda m: b"ID3\n---\nname: a\n---\n" + m.replace(b" ", b"\xa0") + b" caf\xe9\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_hidden_in_a_file_is_found_or_refused(clone: Clone, name: str) -> None:
    refused(clone, name, HIDDEN[name](marked()), name)


@pytest.mark.parametrize("marker", [phone, mail])
@pytest.mark.parametrize("name", ["latin.png", "wide.pdf", "start.txt", "zero.mp3", "mark.txt"])
def test_the_text_itself_is_found(name: str, marker: Callable[[], str]) -> None:
    from manent.gate.policy import Policy
    from manent.gate.staged import judge_content

    content = HIDDEN[name](f"reach me: {marker()}".encode())
    assert "pii" in {f.rule for f in judge_content(Policy(), content, name)}


SHUT = {
    "rar.jpg": JPEG + b"Rar!\x1a\x07\x01\0" + bytes(40),
    "7z.png": png() + b"7z\xbc\xaf\x27\x1c" + bytes(40),
    "lzw.pdf": stream(b"\x80\x0b\x60\x50", b"/LZWDecode"),
    "zstd.jpg": JPEG + b"\x28\xb5\x2f\xfd\x20\x30" + struct.pack("<I", 9 << 3 | 5)[:3] + bytes(40),
    "x.woff2": b"wOF2\0\1\0\0" + bytes(60),
}


@pytest.mark.parametrize("name", SHUT)
def test_what_is_not_opened_is_refused(clone: Clone, name: str) -> None:
    refused(clone, name, SHUT[name], "[attachment]")


XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 6.0.0"><rdf:RDF/></x:xmpmeta>'


def test_clean_files_of_every_form_are_accepted(clone: Clone) -> None:
    shut = (
        "unlisted.zip",
        "short.zip",
        "more.tar",
        "start.txt",
        "sync.txt",
        "memory/a.md",
        "mark.md",
    )
    files: dict[str | bytes, bytes | None] = {
        n: make(b"clean text") for n, make in HIDDEN.items() if n not in shut
    }
    files["xmp.png"] = png((b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP), side=64)
    files["profile.png"] = png((b"iCCP", b"sRGB\0\0" + zlib.compress(bytes(range(256)))))
    files["inner.zip"] = zipped({"a.zip": zipped({"b": b"clean"})}, zipfile.ZIP_STORED)
    files["lzma.zip"] = zipped({"a": b"clean " * 99}, zipfile.ZIP_LZMA)
    files["page.pdf"] = stream(
        zlib.compress(b"BT /F1 9 Tf (347) Tj 90 0 Td (6152843) Tj 0 -9 Td (2) Tj ET"),
        b"/FlateDecode",
    )
    files["axis.svg"] = b"<svg><text>347</text><text>6152843</text></svg>"
    files["lines.svg"] = (
        b"<svg><text><tspan y='1'>347</tspan><tspan y='2'>6152843</tspan></text></svg>"
    )
    files["table.docx"] = zipped(
        {"word/document.xml": b"<w:p><w:t>347</w:t></w:p><w:p><w:t>6152843</w:t></w:p>"}
    )
    files["chance.jpg"] = JPEG + b"\x28\xb5\x2f\xfd" + b"\xff" * 40
    clone.commit(files)
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_an_allowance_of_a_file_that_cannot_be_read_is_for_that_content(clone: Clone) -> None:
    first = b"\0\1\2" + bytes(range(40))
    said = refused(clone, "model.bin", first, "[attachment]").said
    mark = re.search(r"\[(attachment:[0-9a-f]{16})\]", said)
    assert mark is not None
    clone.git("reset", "-q", "--hard", "origin/main")
    subprocess.run(
        [sys.executable, "-m", "manent", "gate", "allow", mark[1], "--reason", "a model"],
        cwd=clone.path, check=True, capture_output=True,
    )  # fmt: skip
    assert clone.push().accepted
    clone.commit({"model.bin": first})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    refused(clone, "model.bin", b"7z\xbc\xaf\x27\x1c" + bytes(90), "[attachment]")


@pytest.mark.parametrize(
    "name", [".git\u200cattributes", "GITATT~1", ".GitAttributes", ".gitattributes ."]
)
def test_a_name_that_some_system_reads_as_attributes(clone: Clone, name: str) -> None:
    refused(clone, f"memory/{name}", b"*.md filter=evil\n", "[attributes]")
