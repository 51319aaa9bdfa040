"""What a rule is shown: one note, or one file, in its vault."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple, Protocol, cast

from manent.facts.derive import Mark
from manent.facts.facts import Facts
from manent.finding import Severity
from manent.scan.span import Context
from manent.tree import Entry
from manent.values import dataclass, field
from manent.vault.record import NoteRecord
from manent.vault.vault import Vault


class Fault(NamedTuple):
    """What a rule yields; the engine adds the rule's id and the path.

    line, column: in the file, from 1; 0 for the whole file.
    severity: where the rule's own does not fit this case.
    """

    message: str
    hint: str = ""
    line: int = 0
    column: int = 0
    kind: str = ""
    digest: str = ""
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """What the receiving side decides. Findings are kept under its ``key``.

    audiences: the closed set of labels, None when any slug will do.
    addressed: root files that speak to the vault's own agents.
    """

    audiences: frozenset[str] | None = None
    phone_regions: tuple[str, ...] = Context().phone_regions
    addressed: frozenset[str] = frozenset({"AGENTS.md", "CLAUDE.md", "MEMORY.md"})
    locations: bool = False

    @property
    def key(self) -> str:
        """A text that differs when the rules would find something else."""
        labels = "*" if self.audiences is None else ",".join(sorted(self.audiences))
        regions, addressed = ",".join(self.phone_regions), ",".join(sorted(self.addressed))
        return f"{labels};{regions};{addressed};{int(self.locations)}"

    def context(self, path: str) -> Context:
        """Return how the scanners read the file at ``path``."""
        return _context(self.phone_regions, path in self.addressed, self.locations)


# Two objects serve all files of a run.
_context = lru_cache(maxsize=64)(Context)


@dataclass(frozen=True, slots=True)
class Page:
    """A note as rules see it."""

    record: NoteRecord
    vault: Vault
    policy: Policy = field(default_factory=Policy)

    @property
    def facts(self) -> Facts:
        """What the note says of itself: read when a rule asks, which half of them never do."""
        return self.vault.facts(self.record)

    @property
    def path(self) -> str:
        """Where the note stands."""
        return self.record.path

    def key_line(self, key: str) -> int:
        """Return the line of a frontmatter key, 1 where it is not there."""
        return self.facts.key_lines.get(key, 1)


@dataclass(frozen=True, slots=True)
class FileSubject:
    """Any file as content rules see it, notes and ignored files included."""

    entry: Entry
    marks: list[Mark]

    @property
    def path(self) -> str:
        """Where the file stands."""
        return self.entry.path


class NoteRule(Protocol):
    """A module that judges notes."""

    ID: str
    SEVERITY: Severity
    SINCE: str

    def suspects(self, vault: Vault, policy: Policy) -> set[int]:
        """Return the ids of the notes that may be at fault; ``check`` is silent on all others.

        It is what makes a first run cheap: a question to the store, not a look
        at every note.
        """

    def check(self, note: Page, vault: Vault) -> Iterator[Fault]:
        """Yield what is wrong with the note."""


class FileRule(Protocol):
    """A module that judges files. ``SCOPE = "file"`` marks it."""

    ID: str
    SEVERITY: Severity
    SINCE: str

    def suspects(self, vault: Vault, policy: Policy) -> list[Entry]:
        """Return the files that may be at fault; ``check`` is silent on all others."""

    def check(self, file: FileSubject, vault: Vault) -> Iterator[Fault]:
        """Yield what is wrong with the file."""


def is_file_rule(rule: ModuleType) -> bool:
    """Tell whether a rule module judges files rather than notes."""
    return getattr(rule, "SCOPE", "note") == "file"


def as_note_rule(rule: ModuleType) -> NoteRule:
    """Return the module typed as the rule it is."""
    return cast(NoteRule, rule)


def as_file_rule(rule: ModuleType) -> FileRule:
    """Return the module typed as the rule it is."""
    return cast(FileRule, rule)
