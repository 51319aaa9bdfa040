"""When each note was last touched, and by which commit: looked up, not walked for.

The last touch of every note at the tip is found in one walk of the history, then
moved from tip to tip: only new commits are looked at, or those that a rewritten branch
no longer has. What is known lies in the folder of derived data and can be deleted.

A note's last touch is the commit that made it what it is now. So it is the date of
the very content somebody reads, and nothing that another note did can change it.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from manent.errors import ManentError
from manent.facts.store import Store, fault_of
from manent.repo.history import Touch as Commit
from manent.repo.history import last_touch, touches
from manent.repo.open import Repository
from manent.server.tool import Touch
from manent.values import dataclass, field
from manent.vault.record import NoteRecord

if TYPE_CHECKING:
    from manent.server.lane import Lane

FILE = "touched.sqlite"
_VERSION = "1"
_SCRIPT = "CREATE TABLE touched (path BLOB PRIMARY KEY, oid BLOB, made TEXT, seconds INTEGER)"
ALONE = 16
"""Paths that git is asked for by name, which costs a third of a walk of the whole history
(10,000 commits: ``time git log -c --raw -z -- PATHS`` against the same without)."""
_ASKED = 4_096
"""Answers of git that are kept."""
LOOK_SECONDS = 1.0
"""How often a folder is looked at for a commit: one changes no file, so nothing tells of it."""

log = logging.getLogger("manent.server")


class Row(NamedTuple):
    """The last touch of a path. oid: what it holds since, 20 bytes."""

    oid: bytes
    commit: str
    seconds: int


@dataclass(frozen=True, slots=True)
class _State:
    """What is known at a tip; paths are those of the repository."""

    tip: str = ""
    rows: dict[str, Row] = field(default_factory=dict)


class Touched:
    """The last touches of a vault's notes. Any thread may ask; one at a time moves it on.

    repository: None for a plain folder. prefix: the vault's folder within it. state:
    the folder of derived data, None to keep nothing. root: the vault's folder, where
    edits that no commit holds are dated by the disk; None for a brain.
    """

    def __init__(
        self, repository: Repository | None, prefix: str, state: Path | None, root: Path | None
    ) -> None:
        self._repository = repository
        self._prefix = f"{prefix}/" if prefix else ""
        self._file = None if state is None else state / FILE
        self._root = root
        self._state: _State | None = None
        self._moving = threading.Lock()
        self._asked: OrderedDict[tuple[str, str, bytes], Row] = OrderedDict()
        self._asking = threading.Lock()
        self._mover = ThreadPoolExecutor(1, "manent-touched")
        self._pending = False
        self._closed = False
        self._looked = -LOOK_SECONDS

    # -- asking ----------------------------------------------------------------------

    def touches(self, lane: Lane, notes: Sequence[NoteRecord], commit: str) -> dict[str, Touch]:
        """Return the last touch of each note, as a dispatcher asks. commit: of the past, or "".

        Where the branch has moved on, that is learned in the background meanwhile.
        """
        if commit:
            return self.of(notes, commit, past=True, commits=True)
        self.nudge(lane.commit)
        return self.of(notes, lane.commit or self.tip(), commits=True)

    def nudge(self, commit: str = "") -> None:
        """Have ``commit``, or what is checked out, followed in the background."""
        if self._repository is None or (commit and self._stands_at(commit)):
            return
        with self._asking:
            late = time.monotonic() - self._looked > LOOK_SECONDS
            if self._closed or self._pending or not (commit or late):
                return
            self._pending = True
        self._mover.submit(self._catch_up, commit)

    def _catch_up(self, commit: str) -> None:
        try:
            assert self._repository is not None
            self.follow(commit or self._repository.ref("HEAD"))
        except ManentError as fault:
            log.warning("no dates: %s", fault, extra={"event": "dates-unread"})
        finally:
            self._looked = time.monotonic()
            self._pending = False

    def close(self) -> None:
        """Let what is under way end."""
        with self._asking:
            self._closed = True
        self._mover.shutdown(wait=True, cancel_futures=True)

    def tip(self) -> str:
        """Return the tip that it knows; before it knows any, what is checked out."""
        state = self._state
        if state is not None or self._repository is None:
            return "" if state is None else state.tip
        return self._repository.ref("HEAD")

    def of(
        self, notes: Sequence[NoteRecord], tip: str, *, past: bool = False, commits: bool = False
    ) -> dict[str, Touch]:
        """Return the last touch of each note up to ``tip``, by path; none where nobody knows.

        tip: a commit, "" for none. past: the notes are those of an older commit.
        commits: name the commits too, for owners alone: ids hash what is hidden.
        """
        held = {note.path: self._known(note, tip) for note in notes} if not past else {}
        missing = [note for note in notes if held.get(note.path) is None]
        rows = {**held, **self._found(missing, tip, past)}
        answer: dict[str, Touch] = {}
        for note in notes:
            row = rows.get(note.path)
            if row is not None:
                answer[note.path] = Touch(_day(row.seconds), row.commit if commits else "")
            elif not past and (seconds := self._on_disk(note.path)) is not None:
                answer[note.path] = Touch(_day(seconds))
        return answer

    def _known(self, note: NoteRecord, tip: str) -> Row | None:
        state = self._state
        row = state.rows.get(self._prefix + note.path) if state is not None and tip else None
        return row if row is not None and row.oid.hex() == note.oid else None

    def _found(self, notes: Sequence[NoteRecord], tip: str, past: bool) -> dict[str, Row]:
        """Return what git says of notes that are not known, those it knows as they are."""
        if not tip or not notes or self._repository is None:
            return {}
        if self._root is not None and not past and self._stands_at(tip):
            return {}  # edited since: no commit holds what the folder does
        if len(notes) <= ALONE:
            return self._asked_for(notes, tip)
        if past:
            wanted = {self._prefix + note.path: bytes.fromhex(note.oid) for note in notes}
            return self._named(self._walk(tip, wanted))
        with contextlib.suppress(ManentError):  # a date is no reason to fail an answer
            self.follow(tip)
        known = {note.path: self._known(note, tip) for note in notes}
        return {path: row for path, row in known.items() if row is not None}

    def _asked_for(self, notes: Sequence[NoteRecord], tip: str) -> dict[str, Row]:
        """Return what one run of git says of a few notes."""
        wanted = {self._prefix + note.path: bytes.fromhex(note.oid) for note in notes}
        with self._asking:
            kept = {path: self._asked.get((tip, path, oid)) for path, oid in wanted.items()}
        missing = {path: oid for path, oid in wanted.items() if kept[path] is None}
        found = self._walk(tip, missing, list(missing))
        with self._asking:
            for path, row in found.items():
                self._asked[tip, path, row.oid] = row
            while len(self._asked) > _ASKED:
                self._asked.popitem(last=False)
        return self._named({path: row for path, row in kept.items() if row is not None} | found)

    def _named(self, rows: Mapping[str, Row]) -> dict[str, Row]:
        """Return rows by the paths of the vault."""
        return {path.removeprefix(self._prefix): row for path, row in rows.items()}

    def _stands_at(self, tip: str) -> bool:
        state = self._state
        return state is not None and state.tip == tip

    def _ask(self, tip: str, path: str) -> Row | None:
        assert self._repository is not None, "without one nothing is asked"
        found = last_touch(self._repository, tip, path)
        return None if found is None else _row(found)

    def _on_disk(self, path: str) -> float | None:
        if self._root is None:
            return None
        try:
            return os.lstat(f"{self._root}/{path}").st_mtime
        except OSError:
            return None

    # -- moving on -------------------------------------------------------------------

    def follow(self, tip: str) -> None:
        """Learn the last touches up to ``tip``; quick where it is a few commits on.

        Raises EnvironmentFault when git fails.
        """
        if self._repository is None or self._stands_at(tip):
            return
        with self._moving:
            before = self._state if self._state is not None else self._read()
            if before.tip == tip:
                self._state = before
                return
            self._state = after = self._moved(before, tip)
            self._keep(before, after)

    def _moved(self, before: _State, tip: str) -> _State:
        if not tip:
            return _State()
        assert self._repository is not None
        if not before.tip or not self._has(before.tip):
            return _State(tip, self._walk(tip, self._listed(tip)))
        rows = dict(before.rows)
        wanted = self._wanted(rows, before.tip, tip)
        found, again = self._since(before.tip, tip, rows, wanted)
        rows |= found
        left = {path: oid for path, oid in wanted.items() if path not in found}
        if len(left) > ALONE:
            rows |= self._walk(tip, left)
        else:
            again |= dict.fromkeys(left)
        # Changed and changed back, or taken over by a merge: git follows that exactly.
        for path, seen in again.items():
            said = self._ask(tip, path) if len(again) <= 2 * ALONE else seen
            if said is not None:
                rows[path] = said
        return _State(tip, rows)

    def _wanted(self, rows: dict[str, Row], old: str, tip: str) -> dict[str, bytes]:
        """Drop the rows that do not hold at ``tip``; return what is to be found anew."""
        assert self._repository is not None
        wanted: dict[str, bytes] = {}
        out = self._repository.git.run(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, tip, "--"
        )
        fields = iter(out.split(b"\0"))
        for head in fields:
            if not head:
                break
            path = next(fields).decode("utf-8", "surrogateescape")
            rows.pop(path, None)
            oid = bytes.fromhex(head.split(b" ")[3].decode("ascii"))
            if any(oid) and self._is_ours(path):
                wanted[path] = oid
        lost = set(self._repository.git.run("rev-list", old, f"^{tip}", "--").decode().split())
        for path, row in list(rows.items()) if lost else ():
            if row.commit in lost:
                wanted[path] = rows.pop(path).oid
        return wanted

    def _since(
        self, old: str, tip: str, rows: Mapping[str, Row], wanted: Mapping[str, bytes]
    ) -> tuple[dict[str, Row], dict[str, Row | None]]:
        """Return the rows that new commits give, and paths they left as they were."""
        assert self._repository is not None
        found: dict[str, Row] = {}
        again: dict[str, Row | None] = {}
        for touch in touches(self._repository, tip, old):
            path = touch.path
            if path in wanted:
                if path not in found and touch.oid == wanted[path].hex():
                    found[path] = _row(touch)
            elif path in rows and path not in again and touch.oid == rows[path].oid.hex():
                again[path] = _row(touch)
        return found, again

    def _walk(
        self, tip: str, wanted: Mapping[str, bytes], paths: Collection[str] = ()
    ) -> dict[str, Row]:
        """Return the newest commit that gave each path what it is wanted to hold.

        paths: where they are few, so that git looks at no other.
        """
        assert self._repository is not None
        found: dict[str, Row] = {}
        left = dict(wanted)
        for touch in touches(self._repository, tip, paths=paths) if left else ():
            oid = left.get(touch.path)
            if oid is not None and oid.hex() == touch.oid:
                found[touch.path] = _row(touch)
                del left[touch.path]
                if not left:
                    break
        return found

    def _listed(self, tip: str) -> dict[str, bytes]:
        assert self._repository is not None
        out = self._repository.git.run(
            "ls-tree", "-r", "-z", "--full-tree", "--format=%(objectname) %(path)", tip
        )
        found: dict[str, bytes] = {}
        for line in out.split(b"\0"):
            oid, _, name = line.partition(b" ")
            path = name.decode("utf-8", "surrogateescape")
            if name and self._is_ours(path):
                found[path] = bytes.fromhex(oid.decode("ascii"))
        return found

    def _is_ours(self, path: str) -> bool:
        return path.startswith(self._prefix) and path[-3:].lower() == ".md"

    def _has(self, commit: str) -> bool:
        assert self._repository is not None
        return self._repository.git.attempt("cat-file", "-e", f"{commit}^{{commit}}")[0] == 0

    # -- keeping ---------------------------------------------------------------------

    def _read(self) -> _State:
        if self._file is None or not self._file.exists():
            return _State()
        with contextlib.suppress(ManentError, sqlite3.Error), self._stored() as store:
            query = "SELECT path, oid, made, seconds FROM touched"
            commits: dict[str, str] = {}
            rows = {
                os.fsdecode(path): Row(oid, commits.setdefault(made, made), seconds)
                for path, oid, made, seconds in store.db.execute(query)
            }
            return _State(store.stamp("touched:tip"), rows)
        return _State()

    def _keep(self, before: _State, after: _State) -> None:
        """Write what changed. Where that fails it is found again after a restart."""
        if self._file is None:
            return
        with (
            contextlib.suppress(ManentError, sqlite3.Error),
            self._stored() as store,
            store.transaction(),
        ):
            stands = store.stamp("touched:tip")
            # Another server may have written since: then all of it is written anew.
            base = before.rows if stands and stands == before.tip else {}
            if not base:
                store.db.execute("DELETE FROM touched")
            gone = [(os.fsencode(path),) for path in base.keys() - after.rows.keys()]
            store.db.executemany("DELETE FROM touched WHERE path = ?", gone)
            changed = (
                (os.fsencode(path), *row)
                for path, row in after.rows.items()
                if base.get(path) != row
            )
            store.db.executemany("INSERT OR REPLACE INTO touched VALUES (?, ?, ?, ?)", changed)
            store.set_stamp("touched:tip", after.tip)

    @contextlib.contextmanager
    def _stored(self) -> Iterator[Store]:
        store = Store(self._file)
        try:
            store.tables("touched", _VERSION, _SCRIPT, ("touched",))
            yield store
        except Exception as error:
            fault = fault_of(error, store.path) if store.path is not None else None
            if fault is None:
                raise
            raise fault from error
        finally:
            store.close()


def _row(touch: Commit) -> Row:
    return Row(bytes.fromhex(touch.oid), touch.commit, touch.seconds)


def _day(seconds: float) -> str:
    """Return the day, UTC; a time beyond the calendar is as near as it goes."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return datetime.date.max.isoformat() if seconds > 0 else datetime.date.min.isoformat()
