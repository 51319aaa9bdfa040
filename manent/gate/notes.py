"""One note at a time, as a server lets it in: judged, put in place, committed.

The lint of the one note runs in a small vault made for it: the note, and of the
others those that a rule could hold against it. So the stores that answer searches
meanwhile are never touched, and the cost does not grow with the vault.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path

from manent import late
from manent.access import Identity
from manent.change import Change
from manent.errors import EnvironmentFault
from manent.facts.store import Store
from manent.gate.carrying import Folder, introduced, judge
from manent.gate.structure import Nothing
from manent.gate.verdict import Verdict
from manent.links.link import LinkKind
from manent.repo.committing import CommitRefused as CommitRefused
from manent.repo.committing import commit_paths
from manent.repo.landing import Person
from manent.repo.landing import message_of as message_of
from manent.repo.locks import drop_left
from manent.repo.open import Environment, Repository
from manent.repo.running import lives
from manent.tree import Overlay
from manent.values import dataclass
from manent.vault.digest import keys_of
from manent.vault.ignore import IGNORE_FILE
from manent.vault.names import Named
from manent.vault.record import NoteRecord
from manent.vault.sync import sync
from manent.vault.vault import Vault, fold_path

NEIGHBOURS = 2_000
"""Notes around one that are looked at; a link beyond them counts as leading nowhere."""

_DRAFT = late.pattern(r"\.manent-(\d+)-[0-9a-f]{8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One note as it is to be. path: in the vault. standing: what is there now."""

    path: str
    content: bytes
    standing: bytes | None
    message: str
    identity: Identity

    @property
    def change(self) -> Change:
        """The Change that it comes to."""
        return Change({self.path: self.content}, self.message, self.identity.name)


def judge_note(folder: Folder, vault: Vault, proposal: Proposal, today: datetime.date) -> Verdict:
    """Judge one note in a folder that ``vault`` knows. Raises ChangeRefused.

    An agent hears of nothing that depends on notes beyond its own folder.
    """
    change = proposal.change
    found = introduced(around(vault, proposal), change.edits, folder.policy)
    known = [proposal.path] if proposal.standing is not None else []
    return judge(
        folder, [change], today,
        structure=found, identity=proposal.identity, standing=known,
    )  # fmt: skip


def around(vault: Vault, proposal: Proposal) -> Vault:
    """Return a small vault in memory: the note as it stands, and those around it."""
    files: dict[str, bytes] = {}
    for path in vault.files_beside(fold_path(proposal.path)):
        files[path] = b""
    for note in _neighbours(vault, proposal):
        if note.path != proposal.path:
            files[note.path] = vault.content(note)
    if vault.file(IGNORE_FILE) is not None and vault.tree is not None:
        files[IGNORE_FILE] = vault.tree.read(IGNORE_FILE)
    files.pop(proposal.path, None)
    if proposal.standing is not None:
        files[proposal.path] = proposal.standing
    small = Vault(Store(None), vault.conventions)
    sync(small, Overlay(Nothing(), files))
    return small


def _neighbours(vault: Vault, proposal: Proposal) -> Iterator[NoteRecord]:
    record = _record(vault, proposal)
    keys = keys_of(record.name, record.stem)
    alike = [row for key in sorted(keys) for row in vault.lookup(key)]
    if not proposal.identity.is_owner:
        own = proposal.identity.write + "/"
        yield from _notes(vault, (row for row in alike if row.path.startswith(own)))
        return
    yield from _notes(vault, alike)
    sources = vault.notes_of(vault.sources_by_key(keys))
    yield from islice(chain(_targets(vault, record), sources), NEIGHBOURS)


def _record(vault: Vault, proposal: Proposal) -> _Read:
    alone = Vault(Store(None), vault.conventions)
    sync(alone, Overlay(Nothing(), {proposal.path: proposal.content}))
    note = alone.note_at(proposal.path)
    if note is None:
        return _Read(proposal.path, "", "", [])
    links = [(LinkKind(kind), target) for _, kind, target in alone.links_from(note.id)]
    return _Read(proposal.path, note.name, note.stem, list(dict.fromkeys(links)))


@dataclass(frozen=True, slots=True)
class _Read:
    """What a note is called and where it points."""

    path: str
    name: str
    stem: str
    links: list[tuple[LinkKind, str]]


def _notes(vault: Vault, rows: Iterator[Named] | list[Named]) -> Iterator[NoteRecord]:
    yield from vault.notes_of({row.id for row in rows})


def _targets(vault: Vault, record: _Read) -> Iterator[NoteRecord]:
    """Yield the notes that the links of one lead to, or might."""
    for kind, target in record.links:
        found = vault.resolve(target, record.path, kind)
        for path in (found.path, *found.candidates):
            note = vault.note_at(path) if path is not None else None
            if note is not None:
                yield note


# -- in a working tree -------------------------------------------------------------


def commit_note(
    folder: Folder,
    path: str,
    message: str,
    author: Person,
    environment: Environment,
    now: datetime.datetime,
    limit_seconds: float,
    begun: Callable[[str], None],
) -> str:
    """Commit the one file as it is on disk; return the commit's id.

    author: who wrote it; who commits is whoever git says the user is. begun: told
    which process makes the commit. Raises CommitRefused, EnvironmentFault; the file
    stays as it is.
    """
    repository = _repository(folder)
    named = {
        "GIT_AUTHOR_NAME": author.name,
        "GIT_AUTHOR_EMAIL": author.email,
        # Without the sign git takes no second before 1973.
        "GIT_AUTHOR_DATE": f"@{int(now.timestamp())} +0000",
    }
    return commit_paths(
        repository, [folder.within(path)], message, {**environment, **named},
        begun, limit_seconds,
    )  # fmt: skip


def free(folder: Folder, maker: str, since_ns: int) -> bool:
    """Tell whether a commit that was broken off has ended, and drop the locks it left.

    maker: the process that made it, "" when none had begun. since_ns: when it was to be
    made.
    """
    return not lives(maker) and drop_left(_repository(folder), since_ns)


def unsaved(folder: Folder, path: str) -> bool:
    """Tell whether the file at ``path`` is other than in the last commit, or unknown to git."""
    out = _repository(folder).git.run(
        "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all",
        "--ignored=matching", "--", folder.within(path),
    )  # fmt: skip
    return bool(out)


def ignored_by_git(folder: Folder, path: str) -> bool:
    """Tell whether git would leave a file at ``path`` out of sight."""
    if folder.repository is None:
        return False
    # This command of git's refuses to take pathspecs literally; "./" lets none be magic.
    plain = {"GIT_LITERAL_PATHSPECS": "0"}
    asked = ("check-ignore", "-q", "--", f"./{folder.within(path)}")
    return folder.repository.git.attempt(*asked, env=plain)[0] == 0


def sweep(folder: Path) -> None:
    """Remove what killed processes left in a folder while they put a file in place.

    For whoever holds the lock (``carrying.alone``): nobody else writes here then.
    """
    try:
        listing = list(folder.iterdir())
    except OSError:
        return
    for place in listing:
        found = _DRAFT.fullmatch(place.name)
        if found and place.is_file() and not place.is_symlink() and not _runs(int(found[1])):
            place.unlink(missing_ok=True)


def _runs(number: int) -> bool:
    if number == os.getpid():
        return False
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _repository(folder: Folder) -> Repository:
    if folder.repository is None:
        raise EnvironmentFault("the vault is in no git repository", "serve it without git")
    return folder.repository
