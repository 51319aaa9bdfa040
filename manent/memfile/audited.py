"""What an audit is shown: memory files, how they load, and what did not load."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path, PurePosixPath

from manent.errors import EnvironmentFault
from manent.memfile import hosts, workspace
from manent.memfile.document import Document
from manent.memfile.kinds import Judged, judged
from manent.memfile.spans import Span, codes
from manent.tokens import Count, estimate

LARGEST = 16 << 20
"""Bytes of a file that are audited at most; a larger one is no memory file."""


@dataclass
class MemoryFile:
    """One audited file.

    name: relative to the root with ``/``, or the whole path where it lies outside.
    role: host, rule, nested, import, pointed, index, topic, on-demand or file.
    hosts: who loads it with every session; empty where nobody does.
    loaded: how many of its lines they load. by: the file that pulled it in, "" for none.
    """

    path: Path
    name: str
    role: str
    doc: Document
    hosts: set[str] = field(default_factory=set)
    loaded: int = 0
    by: str = ""
    outside: bool = False

    @property
    def always(self) -> bool:
        """Whether some host loads it with every session."""
        return bool(self.hosts)

    @property
    def charged(self) -> str:
        """The text that is loaded."""
        return self.doc.slice(1, self.loaded)

    @cached_property
    def codes(self) -> list[Span]:
        """Its code spans."""
        return list(codes(self.doc))

    @cached_property
    def line_ends(self) -> list[int]:
        """Characters up to the end of each line, from 0 on."""
        return [0, *accumulate(len(line) for line in self.doc.lines)]

    @cached_property
    def judged(self) -> list[Judged]:
        """Its sections, judged."""
        return judged(self.doc)


@dataclass(frozen=True, slots=True)
class ImportFault:
    """An import that does not load. what: broken, circular, outside, home or deep."""

    file: str
    line: int
    what: str
    target: str


@dataclass
class Survey:
    """Everything the rules are shown.

    root: what paths are relative to. files: in the order in which they are read.
    index: the file that leads into a memory directory. workspace: the compiled
    one, if any; damaged: why it cannot be read.
    """

    root: Path
    files: list[MemoryFile] = field(default_factory=list)
    faults: list[ImportFault] = field(default_factory=list)
    listing: hosts.Listing = field(default_factory=hosts.Listing)
    index: MemoryFile | None = None
    workspace: workspace.Workspace | None = None
    damaged: str = ""
    count: Count = estimate
    budget: int = 2000
    _counts: dict[tuple[Path, int], int] = field(default_factory=dict)

    def tokens(self, file: MemoryFile) -> int:
        """Return what a session pays for a file: its loaded part."""
        if file.loaded >= len(file.doc.lines):
            return self.whole(file)
        return self._counted(file, file.loaded)

    def whole(self, file: MemoryFile) -> int:
        """Return the tokens of a whole file."""
        return self._counted(file, len(file.doc.lines))

    def _counted(self, file: MemoryFile, lines: int) -> int:
        key = (file.path, lines)
        if key not in self._counts:
            self._counts[key] = self.count(file.doc.slice(1, lines))
        return self._counts[key]

    def tokens_from(self, file: MemoryFile, line: int) -> int:
        """Return the tokens from a line to the end of what is loaded, by its share of the text."""
        lengths = file.line_ends
        loaded = lengths[file.loaded]
        rest = loaded - lengths[max(0, min(line, file.loaded) - 1)]
        return round(self.tokens(file) * rest / loaded) if loaded else 0

    def prefixes(self) -> dict[str, int]:
        """Return the always-loaded tokens of each host that loads something."""
        totals: dict[str, int] = {}
        for file in self.files:
            spent = self.tokens(file) if file.always else 0
            for host in sorted(file.hosts):
                totals[host] = totals.get(host, 0) + spent
        return dict(sorted(totals.items()))

    @cached_property
    def is_repository(self) -> bool:
        """Whether the root holds a project, so that what it lacks is worth saying."""
        if (self.root / ".git").exists() or self.listing.files & hosts.MANIFESTS:
            return True
        return any(PurePosixPath(name).suffix not in _MEMORY_ENDINGS for name in self.listing.files)


_MEMORY_ENDINGS = frozenset({".md", ".mdc", ".markdown", ".txt", ""})
"""A folder that holds nothing else is a collection of memory files, not a project."""


def read(path: Path) -> bytes:
    """Return a regular file's bytes. Raises EnvironmentFault for anything else."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise EnvironmentFault(f"{path} is no file")
        if found.st_size > LARGEST:
            raise EnvironmentFault(f"{path} is larger than {LARGEST >> 20} MB")
        return path.read_bytes()
    except OSError as fault:
        raise EnvironmentFault(f"{path} cannot be read: {fault.strerror}") from None
