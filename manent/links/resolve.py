"""Which note a link means: the resolution order of the specification.

A target resolves, in this order, to

1. the one note of exactly this name (when no other outside quarantine has it);
2. the note at this path, relative to the linking note: for a target with a
   slash, and for any Markdown link. ``./`` and ``../`` try nothing else;
3. the note at this path from the vault's root;
4. the one note whose name, file name or path suffix this is, or of several the
   one in the linking note's own folder;
5. where nothing carries it exactly: the same ignoring case and Unicode form.

Notes in quarantine are looked at only when all of this finds nothing outside it,
so that no quarantined note can take over, or make ambiguous, a link that has a
meaning without it. What stays ambiguous stays unresolved, and ``..`` never leads
out of the vault.

**The law of keys.** Resolving a target asks `Names` only for the target's last
component, exact or folded, and for exact paths whose file name is that
component. So a note whose name and file name both fold differently from
``last_component(target)`` never changes what the target resolves to: an index
that re-resolves links by the folded keys of added and removed notes is exact.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Protocol

from manent import late
from manent.links.link import LinkKind
from manent.values import dataclass


class Names(Protocol):
    """What resolution asks of a vault. Paths are vault-relative, with ``/`` and ``.md``."""

    def is_note(self, path: str) -> bool:
        """Return whether a note stands at exactly this path."""

    def named(self, name: str) -> Sequence[str]:
        """Return the paths of the notes whose ``name`` is exactly this."""

    def filed(self, stem: str) -> Sequence[str]:
        """Return the paths of the notes whose file name without ``.md`` is exactly this."""

    def folded(self, key: str) -> Sequence[str]:
        """Return the paths of the notes whose name or stem, folded, is this key."""

    def quarantined(self, path: str) -> bool:
        """Return whether the note at this path is in quarantine."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a target means.

    path: the note, or None. candidates: when ambiguous, the notes it may be, in
    order of path. obsidian: when ambiguous, the one Obsidian would open.
    """

    path: str | None
    candidates: tuple[str, ...] = ()
    obsidian: str | None = None


NOWHERE = Resolution(None)

_MD = late.pattern(r"\.md\Z", re.IGNORECASE)


def fold(text: str) -> str:
    """Return ``text`` without regard to case and Unicode form: the key of `Names.folded`."""
    if text.isascii():
        return text.lower()
    # Casefolding can undo a normal form, and a second pass of both settles it.
    once = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return unicodedata.normalize("NFC", once.casefold())


def stem_of(path: str) -> str:
    """Return the file name of a note's path without ``.md``, in any case."""
    return _MD.sub("", path[path.rfind("/") + 1 :])


def last_component(target: str) -> str:
    """Return what a target must share with its note's name or stem; "" when it names none."""
    last = _MD.sub("", target[target.rfind("/") + 1 :])
    return "" if last in (".", "..") else last


def resolve(
    target: str, source: str, names: Names, kind: LinkKind = LinkKind.WIKILINK
) -> Resolution:
    """Return the note that ``target``, written in the note at ``source``, means.

    target: without heading, block and alias; "" is the note itself.
    """
    if not target:
        return Resolution(source)
    last = last_component(target)
    if not last:
        return NOWHERE
    query = _Query(target, source, last, kind is LinkKind.MARKDOWN)
    found = NOWHERE
    for known in (_Accepted(names), names):
        for steps in (_Exact, _Folded):
            found = steps(known, query).resolution()
            if found.path is not None or found.candidates:
                return found
    return found


class _Accepted:
    """The names of the notes outside quarantine."""

    __slots__ = ("_names",)

    def __init__(self, names: Names) -> None:
        self._names = names

    def is_note(self, path: str) -> bool:
        return self._names.is_note(path) and not self._names.quarantined(path)

    def named(self, name: str) -> Sequence[str]:
        return self._outside(self._names.named(name))

    def filed(self, stem: str) -> Sequence[str]:
        return self._outside(self._names.filed(stem))

    def folded(self, key: str) -> Sequence[str]:
        return self._outside(self._names.folded(key))

    def quarantined(self, path: str) -> bool:
        return self._names.quarantined(path)

    def _outside(self, paths: Sequence[str]) -> Sequence[str]:
        return [path for path in paths if not self._names.quarantined(path)]


class _Query:
    """A target taken apart: the paths it may stand for, all without ``.md``."""

    __slots__ = ("bare", "folder", "last", "only_relative", "relative", "root", "suffix")

    def __init__(self, target: str, source: str, last: str, markdown: bool) -> None:
        path = _MD.sub("", target)
        self.last = last
        self.folder = source[: source.rfind("/") + 1]
        self.bare = "/" not in path
        self.only_relative = path.startswith(("./", "../"))
        absolute = path.startswith("/")
        looked_for = not absolute and (markdown or not self.bare)
        self.relative = _normal(self.folder + path) if looked_for else None
        self.root = None if self.only_relative else _normal(path.lstrip("/"))
        self.suffix = None if absolute or self.only_relative else self.root


def _normal(path: str) -> str | None:
    """Return a path without ``.`` and ``..``; None when it leads out of the vault."""
    if "." not in path and "//" not in path:
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None


class _Exact:
    """The steps, compared to the letter."""

    def __init__(self, names: Names, query: _Query) -> None:
        self.names = names
        self.query = query

    def resolution(self) -> Resolution:
        query = self.query
        if query.bare:
            named = self._named()
            if len(named) == 1:
                return Resolution(named[0])
        for path in (query.relative, query.root):
            found = self._at(path) if path else None
            if found:
                return Resolution(found)
        if query.suffix is None:
            return NOWHERE
        return self._choose(list(dict.fromkeys(self._carrying(query.suffix))))

    def _choose(self, paths: list[str]) -> Resolution:
        if len(paths) == 1:
            return Resolution(paths[0])
        if not paths:
            return NOWHERE
        beside = [path for path in paths if path[: path.rfind("/") + 1] == self.query.folder]
        if len(beside) == 1:
            return Resolution(beside[0])
        ordered = sorted(paths)
        return Resolution(None, tuple(ordered), min(ordered, key=_shortest))

    def _named(self) -> Sequence[str]:
        return self.names.named(self.query.last)

    def _at(self, path: str) -> str | None:
        """Return the note at a path given without ``.md``."""
        if self.names.is_note(path + ".md"):
            return path + ".md"
        return self._one(found for found in self._filed() if self._same(found, path))

    def _one(self, paths: Iterable[str]) -> str | None:
        found = list(paths)
        return found[0] if len(found) == 1 else None

    def _carrying(self, suffix: str) -> Iterable[str]:
        if self.query.bare:
            yield from self._named()
            yield from self._filed()
            return
        for path in self._filed():
            if self._ends("/" + path, suffix):
                yield path

    def _filed(self) -> Sequence[str]:
        return self.names.filed(self.query.last)

    def _same(self, path: str, wanted: str) -> bool:
        return _MD.sub("", path) == wanted

    def _ends(self, path: str, suffix: str) -> bool:
        return _MD.sub("", path).endswith("/" + suffix)


class _Folded(_Exact):
    """The same steps, ignoring case and Unicode form."""

    def _named(self) -> Sequence[str]:
        return self.names.folded(fold(self.query.last))

    def _filed(self) -> Sequence[str]:
        return self.names.folded(fold(self.query.last))

    def _at(self, path: str) -> str | None:
        return self._one(found for found in self._filed() if self._same(found, path))

    def _same(self, path: str, wanted: str) -> bool:
        return fold(_MD.sub("", path)) == fold(wanted)

    def _ends(self, path: str, suffix: str) -> bool:
        return fold(_MD.sub("", path)).endswith("/" + fold(suffix))


def _shortest(path: str) -> tuple[int, str]:
    return len(path), path


# What is no note.

_KNOWN = (
    "avif bmp gif heic ico jpeg jpg png svg tif tiff webp 3gp aac flac m4a mp3 ogg opus wav"
    " avi mkv mov mp4 ogv webm pdf epub mobi djvu doc docx odt rtf ppt pptx odp xls xlsx ods"
    " csv tsv canvas base excalidraw drawio html htm css scss xml json jsonl yaml yml toml ini"
    " txt log tex bib zip tar gz tgz bz2 xz 7z rar py ipynb ts tsx jsx mjs rs java kt rb php"
    " sh bash ps1 sql c h cpp hpp cs swift lua sol wasm sqlite db parquet ttf otf woff woff2"
    " eml msg ics vcf mdx markdown"
)
ATTACHMENTS = frozenset(_KNOWN.split())
"""Extensions that make a target a file that is no note.

Not among them: ``js``, ``io``, ``net``, ``go`` and the like, which end the names of notes
(``Node.js``).
"""

_EXTENSION = late.pattern(r"[^/.]\.([A-Za-z0-9]{1,10})\Z", re.ASCII)
_FILE_EXTENSION = late.pattern(r"[^/.]\.([A-Za-z][A-Za-z0-9]{0,9})\Z", re.ASCII)


def is_attachment(target: str, kind: LinkKind = LinkKind.WIKILINK) -> bool:
    """Return whether a target is a file that is no note, so that no note is missing.

    A wikilink is one only by a known extension, since names hold dots (``v1.2``);
    a Markdown link by any extension but ``.md``.
    """
    pattern = _FILE_EXTENSION if kind is LinkKind.MARKDOWN else _EXTENSION
    found = pattern.search(target)
    if found is None or found[1].lower() == "md":
        return False
    return kind is LinkKind.MARKDOWN or found[1].lower() in ATTACHMENTS
