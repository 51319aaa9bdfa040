"""The names of a vault in dictionaries: `Names` for what fits in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from manent.links.resolve import fold, stem_of


class NameTable:
    """Notes by path, name, stem and folded key. Answers are in order of path.

    notes: (path, name); the name "" stands for the stem. quarantine: paths of the
    notes in quarantine, beside those under ``quarantine/``.
    """

    def __init__(self, notes: Iterable[tuple[str, str]], quarantine: Iterable[str] = ()) -> None:
        self._paths: set[str] = set()
        self._named: dict[str, list[str]] = {}
        self._filed: dict[str, list[str]] = {}
        self._folded: dict[str, list[str]] = {}
        self._quarantine = frozenset(quarantine)
        for path, written in sorted(notes):
            stem = stem_of(path)
            name = written or stem
            self._paths.add(path)
            self._named.setdefault(name, []).append(path)
            self._filed.setdefault(stem, []).append(path)
            for key in {fold(name), fold(stem)}:
                self._folded.setdefault(key, []).append(path)

    def is_note(self, path: str) -> bool:
        """Return whether a note stands at exactly this path."""
        return path in self._paths

    def named(self, name: str) -> Sequence[str]:
        """Return the paths of the notes of exactly this name."""
        return self._named.get(name, ())

    def filed(self, stem: str) -> Sequence[str]:
        """Return the paths of the notes with exactly this file name, less ``.md``."""
        return self._filed.get(stem, ())

    def folded(self, key: str) -> Sequence[str]:
        """Return the paths of the notes whose name or stem folds to this key."""
        return self._folded.get(key, ())

    def quarantined(self, path: str) -> bool:
        """Return whether the note is in quarantine."""
        return path.startswith("quarantine/") or path in self._quarantine
