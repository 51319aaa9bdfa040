"""What a compiled workspace says of itself: ``.memory/manifest.json``.

The manifest, ``always.md`` and the on-demand files rebuild the file that was
compiled, to the byte. It is data that anyone may have edited: reading it checks
every field that decides what is read or written, and refuses the rest.
The contract is ``spec/schema/memory-manifest.json``.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manent import late
from manent.errors import EnvironmentFault

VERSION = 1
WORKSPACE = ".memory"
MANIFEST = "manifest.json"
ALWAYS = "always.md"
ON_DEMAND = "on-demand"
ORIGINAL = "original"
PREVIOUS = "previous"
PROTOCOL = f"{ON_DEMAND}/memory_write_protocol.md"

SOURCES = (".md", ".mdc", ".markdown", ".txt")
"""How a memory file's name ends; nothing else is ever compiled or put back."""
DOTTED = frozenset({".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".rules"})
"""Memory files that are known by their whole name."""

KINDS = ("semantic", "episodic", "procedural")
PROFILES = ("none", "routing", "full")

_NAME = late.pattern(r"[^./\\`<>\x00-\x1f\x7f][^/\\`<>\x00-\x1f\x7f]{0,250}\.(?:md|json)")
"""A file name that stands between backquotes in a line of a list, markers unharmed."""
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DIGEST = late.pattern(r"[0-9a-f]{64}")
_LINE_DIGEST = 8


@dataclass(frozen=True, slots=True)
class Heading:
    """A section of an on-demand file. lines: in that file as restored, from 1, inclusive."""

    path: tuple[str, ...]
    level: int
    kind: str
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class OnDemand:
    """One on-demand file. path: relative to the workspace, ``on-demand/x.md``.

    source: first and last line in the compiled file; None for what was never in
    it (the write protocol). sections: where they start, for recall without parsing.
    """

    path: str
    title: str
    kind: str
    tokens: int
    sha256: str
    triggers: tuple[str, ...]
    source: tuple[int, int] | None
    sections: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the compiled file, in its order.

    file: ``always.md`` or an on-demand path. size: bytes of the stretch in
    ``always.md``; 0 for an on-demand file, which is a stretch as a whole.
    source: first and last line in the compiled file.
    """

    file: str
    size: int
    source: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Always:
    """The always-loaded body. lines: a short digest of each of its lines.

    The digests find the seams between stretches again after the body was edited.
    """

    sha256: str
    tokens: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """The file that was compiled. name: it stands beside the workspace.

    newline: what generated lines of it end with.
    """

    name: str
    sha256: str
    size: int
    lines: int
    tokens: int
    newline: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """All of it. begin, end: the markers around what is generated.

    stub: digest of what stands in place of the source, and its tokens.
    replaces: digest of the file's bytes that this state was made from: while
    the file still has them, the last write was interrupted before its end.
    """

    source: Source
    tokenizer: str
    budget: int
    profile: str
    episodic_json: bool
    begin: str
    end: str
    stub_sha256: str
    stub_tokens: int
    always: Always
    order: tuple[Piece, ...]
    files: tuple[OnDemand, ...]
    replaces: str

    def file(self, path: str) -> OnDemand | None:
        """Return the on-demand file of that path, or None."""
        return next((entry for entry in self.files if entry.path == path), None)


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def line_digests(lines: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Return what tells one line of a body from another."""
    return tuple(digest(line.encode("utf-8", "surrogateescape"))[:_LINE_DIGEST] for line in lines)


def is_memory_name(name: str) -> bool:
    """Whether a file of this name may be compiled, and put back."""
    plain = "/" not in name and "\\" not in name and "\0" not in name
    return plain and (name.lower().endswith(SOURCES) or name in DOTTED) and name not in SOURCES


def is_listable(path: str) -> bool:
    """Whether a file of this path, ``on-demand/x.md``, can stand in a manifest and its list.

    Its name may be anything that is plain to see on one line; hidden files are nobody's notes.
    """
    name = path.removeprefix(f"{ON_DEMAND}/")
    if name == path or _NAME.fullmatch(name) is None:
        return False
    return name.isascii() or _UNSEEN.isdisjoint(map(unicodedata.category, name))


def dump(manifest: Manifest) -> bytes:
    """Return the bytes of ``manifest.json``; the same manifest, the same bytes."""
    document = as_json(manifest)
    text = json.dumps(document, ensure_ascii=False, indent=1)
    return (_SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text) + "\n").encode()


_SURROGATE = late.pattern("[\ud800-\udfff]")


def as_json(manifest: Manifest) -> dict[str, Any]:
    """Return the manifest as its schema spells it."""
    return {
        "version": VERSION,
        "source": {
            "path": manifest.source.name,
            "sha256": manifest.source.sha256,
            "bytes": manifest.source.size,
            "lines": manifest.source.lines,
            "tokens": manifest.source.tokens,
            "newline": manifest.source.newline,
        },
        "tokenizer": manifest.tokenizer,
        "budget": manifest.budget,
        "profile": manifest.profile,
        "episodicJson": manifest.episodic_json,
        "markers": {"begin": manifest.begin, "end": manifest.end},
        "stub": {"sha256": manifest.stub_sha256, "tokens": manifest.stub_tokens},
        "always": {
            "path": ALWAYS,
            "sha256": manifest.always.sha256,
            "tokens": manifest.always.tokens,
            "lineDigests": "".join(manifest.always.lines),
        },
        "order": [_piece_json(piece) for piece in manifest.order],
        "files": [_file_json(entry) for entry in manifest.files],
        "replaces": manifest.replaces,
    }


def _piece_json(piece: Piece) -> dict[str, Any]:
    document: dict[str, Any] = {"file": piece.file, "source": list(piece.source)}
    return document | {"bytes": piece.size} if piece.file == ALWAYS else document


def _file_json(entry: OnDemand) -> dict[str, Any]:
    return {
        "path": entry.path,
        "title": entry.title,
        "kind": entry.kind,
        "tokens": entry.tokens,
        "sha256": entry.sha256,
        "triggers": list(entry.triggers),
        "source": None if entry.source is None else list(entry.source),
        "sections": [
            {"path": list(h.path), "level": h.level, "kind": h.kind, "lines": list(h.lines)}
            for h in entry.sections
        ],
    }


def load(data: bytes, where: str = MANIFEST) -> Manifest:
    """Read a manifest. Raises EnvironmentFault for anything that is none."""
    try:
        document = json.loads(data)
        if not isinstance(document, dict) or document.get("version") != VERSION:
            raise ValueError("it is of another version")
        manifest = _manifest(document)
        _check(manifest)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        said = str(fault) if type(fault) is ValueError else "a field is missing or of another type"
        hint = "bring it back from history, or `manent memory compile --write --force` starts anew"
        raise EnvironmentFault(
            f"{where} is no manifest of a compiled memory: {said}", hint
        ) from None
    return manifest


def _manifest(document: Mapping[str, Any]) -> Manifest:
    source, always = document["source"], document["always"]
    return Manifest(
        source=Source(
            _text(source["path"]),
            _sha(source["sha256"]),
            _count(source["bytes"]),
            _count(source["lines"]),
            _count(source["tokens"]),
            _text(source["newline"]),
        ),
        tokenizer=_text(document["tokenizer"]),
        budget=_count(document["budget"]),
        profile=_text(document["profile"]),
        episodic_json=document["episodicJson"] is True,
        begin=_text(document["markers"]["begin"]),
        end=_text(document["markers"]["end"]),
        stub_sha256=_sha(document["stub"]["sha256"]),
        stub_tokens=_count(document["stub"]["tokens"]),
        always=Always(
            _sha(always["sha256"]),
            _count(always["tokens"]),
            _digests(_text(always["lineDigests"])),
        ),
        order=tuple(_piece(piece) for piece in document["order"]),
        files=tuple(_file(entry) for entry in document["files"]),
        replaces=_sha(document["replaces"]),
    )


def _piece(document: Mapping[str, Any]) -> Piece:
    file = _text(document["file"])
    size = _count(document["bytes"]) if file == ALWAYS else 0
    return Piece(file, size, _range(document["source"]))


def _file(document: Mapping[str, Any]) -> OnDemand:
    source = document["source"]
    return OnDemand(
        path=_text(document["path"]),
        title=_text(document["title"]),
        kind=_text(document["kind"]),
        tokens=_count(document["tokens"]),
        sha256=_sha(document["sha256"]),
        triggers=tuple(_text(trigger) for trigger in document["triggers"]),
        source=None if source is None else _range(source),
        sections=tuple(
            Heading(
                tuple(_text(part) for part in section["path"]),
                _count(section["level"]),
                _text(section["kind"]),
                _range(section["lines"]),
            )
            for section in document["sections"]
        ),
    )


def _check(manifest: Manifest) -> None:
    """Refuse whatever would lead out of the workspace, or rebuild something else."""
    if not is_memory_name(manifest.source.name):
        raise ValueError("its source is no memory file beside it")
    if manifest.source.newline not in ("\n", "\r\n", "\r"):
        raise ValueError("its line end is none")
    paths = [entry.path for entry in manifest.files]
    if len(set(paths)) != len(paths) or not all(map(is_listable, paths)):
        raise ValueError("a file of it does not lie in on-demand/, or has a name no list can hold")
    ordered = [piece.file for piece in manifest.order if piece.file != ALWAYS]
    sourced = [entry.path for entry in manifest.files if entry.source is not None]
    if len(set(ordered)) != len(ordered) or set(ordered) != set(sourced):
        raise ValueError("its order and its files differ")
    if not all(
        re.fullmatch(r"<!-- [ -~]{1,80} -->", mark) for mark in (manifest.begin, manifest.end)
    ):
        raise ValueError("its markers are none")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
        raise TypeError("not a count")
    return value


def _sha(value: Any) -> str:
    if not _DIGEST.fullmatch(_text(value)):
        raise ValueError("a digest of it is none")
    return str(value)


def _range(value: Any) -> tuple[int, int]:
    first, last = value
    return _count(first), _count(last)


def _digests(text: str) -> tuple[str, ...]:
    if len(text) % _LINE_DIGEST or not re.fullmatch(r"[0-9a-f]*", text):
        raise ValueError("its line digests are none")
    return tuple(text[at : at + _LINE_DIGEST] for at in range(0, len(text), _LINE_DIGEST))
