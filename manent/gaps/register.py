"""The register's verbs. The command line and the server call nothing else.

A search is kept with the agent that asked and what it was answered. It counts
as read when that agent reads one of the answers within ten minutes, or says that
it helped. Searches of one meaning are one gap; a gap is open until somebody names
the note that answers it, or dismisses it.
"""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from manent import late
from manent.access import OWNER_NAME, Identity
from manent.errors import NotFound, Refused, UsageError
from manent.gaps import schema
from manent.gaps.grouping import Meaning, led
from manent.gaps.home import Home
from manent.gaps.parting import Held, parted
from manent.gaps.words import key_of, name_of, redacted
from manent.values import dataclass, replace

FOLLOW_SECONDS = 600
"""Ten minutes: a read after that was led there by something else."""

RESULTS_KEPT = 10
BEST = 3
"""Answers of a gap that say where in the vault it lies."""

_ID = late.pattern(r"g_[0-9a-f]{1,64}", re.ASCII)

OPEN, CLOSED, DISMISSED = "open", "closed", "dismissed"


@dataclass(frozen=True, slots=True)
class Search:
    """A search as it happened.

    asker: the agent's name, ``owner`` for an owner: never a person's. results: the
    paths it was given, best first. tree: of the vault that was searched, "" where
    that is unknown.
    """

    query: str
    asker: str
    at: datetime.datetime
    results: Sequence[str] = ()
    retriever: str = ""
    tree: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """A note that was read. path: as the results of a search name it."""

    path: str
    asker: str
    at: datetime.datetime


@dataclass(frozen=True, slots=True)
class Recorded:
    """Where a search was filed. search: its number, for feedback. gap: ``g_…``."""

    search: int
    gap: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One search behind a gap."""

    search: int
    query: str
    asker: str
    at: str
    results: tuple[str, ...]
    retriever: str
    followed: str
    helpful: bool | None

    @property
    def read(self) -> bool:
        """Whether it found what it was after."""
        return bool(self.followed) if self.helpful is None else self.helpful

    def as_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        return {
            "search": self.search,
            "query": self.query,
            "asker": self.asker,
            "at": self.at,
            "results": list(self.results),
            "retriever": self.retriever,
            "followed": self.followed or None,
            "helpful": self.helpful,
            "read": self.read,
        }


@dataclass(frozen=True, slots=True)
class Gap:
    """Searches of one meaning. query: as it was first asked.

    asked, read: how many searches, and how many of them were read. again: how many
    came after it was closed and were not read. best: the paths most often among
    the first answers. alike: other gaps that mean the same and are counted in.
    """

    id: str
    query: str
    status: str
    asked: int
    read: int
    again: int
    first: str
    last: str
    askers: tuple[str, ...]
    best: tuple[str, ...]
    note: str = ""
    reason: str = ""
    alike: tuple[str, ...] = ()

    @property
    def weight(self) -> int:
        """How often it was asked in vain."""
        return self.asked - self.read

    def as_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        return {
            "id": self.id,
            "query": self.query,
            "status": self.status,
            "asked": self.asked,
            "read": self.read,
            "again": self.again,
            "first": self.first,
            "last": self.last,
            "askers": list(self.askers),
            "best": list(self.best),
            "note": self.note or None,
            "reason": self.reason or None,
            "alike": list(self.alike),
        }


@dataclass(frozen=True, slots=True)
class Feedback:
    """What an agent said of an answer. comment: without what the scanners find."""

    gap: str
    query: str
    asker: str
    at: str
    helpful: bool
    comment: str

    def as_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        return {
            "gap": self.gap,
            "query": self.query,
            "asker": self.asker,
            "at": self.at,
            "helpful": self.helpful,
            "comment": self.comment,
        }


def asker_of(identity: Identity) -> str:
    """Return under what name the searches of an identity are kept.

    An agent's own; every owner is ``owner``, since an owner may be a person.
    """
    return OWNER_NAME if identity.is_owner else identity.name


class Register:
    """A register, open. Each verb is one transaction; several processes may be at it."""

    def __init__(self, home: Home, meaning: Meaning | None = None) -> None:
        self._home = home
        self._meaning = meaning

    def close_register(self) -> None:
        """Let go of the database."""
        self._home.close()

    def __enter__(self) -> Register:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_register()

    def backup(self, target: Path) -> None:
        """Write all of it into an SQLite file, whole or not at all."""
        self._home.backup(target)

    # -- what the reading tools tell ---------------------------------------------------

    def record(self, search: Search) -> Recorded | None:
        """File a search; return None for one without a word in it."""
        return self.record_all([search])[0]

    def record_all(
        self,
        searches: Sequence[Search],
        also: Callable[[sa.Connection, Sequence[Recorded | None]], None] = lambda *_: None,
    ) -> list[Recorded | None]:
        """File searches in one transaction, all or none; None for one without a word in it.

        also: what else is written within the transaction, given what was filed.
        """
        held = [_prepared(search) for search in searches]
        rows = self._rows_of_new({key: kept["query"] for key, kept in filter(None, held)})
        try:
            with self._home.writing() as connection:
                made = self._filed(connection, held, rows)
                also(connection, made)
                return made
        except BaseException:
            if self._meaning is not None:
                self._meaning.forget()
            raise

    def _rows_of_new(self, queries: Mapping[str, str]) -> dict[str, Any]:
        """Return by key the rows of the questions whose words were never asked before."""
        if self._meaning is None or not queries:
            return {}
        with self._home.reading() as connection:
            asked = sa.select(schema.gap.c.key).where(schema.gap.c.key.in_(list(queries)))
            known = {str(row[0]) for row in connection.execute(asked)}
        return {key: self._meaning.of(text) for key, text in queries.items() if key not in known}

    def _filed(
        self, connection: sa.Connection, held: Sequence[_Prepared | None], rows: Mapping[str, Any]
    ) -> list[Recorded | None]:
        """File prepared searches: two statements for as many as there are."""
        asked = [one for one in held if one is not None]
        if not asked:
            return [None] * len(held)
        gaps = _gaps_of(connection, {key for key, _ in asked})
        for key, kept in asked:
            if key not in gaps:
                row, at = rows.get(key), kept["asked_ms"]
                gaps[key] = self._gap(connection, key, kept["query"], row, at)
        made = iter(_inserted(connection, [{**kept, "gap": gaps[key][0]} for key, kept in asked]))
        return [None if one is None else Recorded(next(made), gaps[one[0]][1]) for one in held]

    def led(self, followed: Sequence[tuple[int, Read]]) -> None:
        """Count searches, by number, as read: whoever asked knows what each led to."""
        with self._home.writing() as connection:
            follow_in(connection, followed)

    def follow(self, read: Read) -> int:
        """Count the asker's searches of the last ten minutes that led to this note as read.

        Returns how many did.
        """
        at, path = _milliseconds(read.at), _storable(read.path)
        table = schema.search
        query = sa.select(table.c.id, table.c.results).where(
            table.c.asker == read.asker,
            table.c.asked_ms.between(at - FOLLOW_SECONDS * 1000, at),
            table.c.followed_ms.is_(None),
            # Of a busy asker only the rows that can hold it are fetched.
            table.c.results.contains(json.dumps(read.path), autoescape=True),
        )
        with self._home.writing() as connection:
            rows = connection.execute(query).all()
            found = [number for number, raw in rows if read.path in _paths(raw)]
            if found:
                connection.execute(
                    table.update()
                    .where(table.c.id.in_(found))
                    .values(followed_ms=at, followed=path)
                )
            return len(found)

    def feedback(
        self, search: int, asker: str, helpful: bool, at: datetime.datetime, comment: str = ""
    ) -> None:
        """Keep what the asker of a search says of its answers; its word outweighs its reading.

        search: as ``record`` returned it. Raises NotFound for one that is not this asker's.
        """
        table = schema.search
        with self._home.writing() as connection:
            query = sa.select(table.c.gap).where(table.c.id == search, table.c.asker == asker)
            number = connection.execute(query).scalar_one_or_none()
            if number is None:
                raise NotFound(f"no search {search}", "give the number that the search returned")
            connection.execute(table.update().where(table.c.id == search).values(helpful=helpful))
            values = {
                "gap": number,
                "search": search,
                "at_ms": _milliseconds(at),
                "asker": asker,
                "helpful": helpful,
                "comment": redacted(comment) if comment.strip() else "",
            }
            connection.execute(schema.feedback.insert().values(values))

    # -- what a person decides -----------------------------------------------------------

    def close(self, gap: str, note: str, at: datetime.datetime) -> Gap:
        """Close a gap with the note that answers it. Raises NotFound, Refused."""
        return self._settle(gap, CLOSED, at, note=note)

    def dismiss(self, gap: str, at: datetime.datetime, reason: str = "") -> Gap:
        """Set a gap aside: nothing is to be written about it. Raises NotFound, Refused."""
        return self._settle(gap, DISMISSED, at, reason=redacted(reason) if reason else "")

    def reopen(self, gap: str) -> Gap:
        """Take back a closing or a dismissal. Raises NotFound, Refused when it is open."""
        with self._home.writing() as connection:
            found = self._found(connection, gap)
            if found.status == OPEN:
                raise Refused(f"{gap} is open", "there is nothing to take back")
            values = {"status": OPEN, "note": "", "reason": "", "settled_ms": None}
            connection.execute(
                schema.gap.update().where(schema.gap.c.id == found.id).values(values)
            )
        return self.gap(gap)

    # -- what a person looks at ------------------------------------------------------------

    def gap(self, gap: str) -> Gap:
        """Return one gap. Raises NotFound."""
        with self._home.reading() as connection:
            return _gap(*self._one(connection, gap))

    def gaps(self, *, every: bool = False) -> list[Gap]:
        """Return the open gaps that were asked in vain, the most often first.

        every: those that were read as often as asked, closed or dismissed too.
        """
        table = schema.gap
        query = sa.select(table) if every else sa.select(table).where(table.c.status == OPEN)
        with self._home.reading() as connection:
            found = self._described(connection, connection.execute(query).all())
        ordered = _ordered(self._together(found))
        return [gap for gap in ordered if every or gap.weight > 0]

    def members(self, gap: str) -> list[str]:
        """Return a gap and the open ones that ``gaps`` counts with it. Raises NotFound."""
        self.gap(gap)
        for row in self.gaps():
            if gap in (row.id, *row.alike):
                return [gap, *(other for other in (row.id, *row.alike) if other != gap)]
        return [gap]

    def questions(self, gap: str) -> list[str]:
        """Return what was asked behind a gap, as first asked, each once by its words.

        Raises NotFound.
        """
        found: dict[str, str] = {}
        for text in (self.gap(gap).query, *(one.query for one in self.searches(gap))):
            found.setdefault(key_of(text), text)
        return list(found.values())

    def searches(self, gap: str) -> list[Asked]:
        """Return the searches behind a gap, oldest first. Raises NotFound."""
        with self._home.reading() as connection:
            _, found = self._one(connection, gap)
            return [_asked(row) for row in found]

    def said(self) -> list[Feedback]:
        """Return all feedback, newest first."""
        table, gap = schema.feedback, schema.gap
        columns = (
            gap.c.name, gap.c.query, table.c.asker, table.c.at_ms, table.c.helpful,
            table.c.comment,
        )  # fmt: skip
        query = sa.select(*columns).join(gap, gap.c.id == table.c.gap)
        with self._home.reading() as connection:
            rows = connection.execute(query.order_by(table.c.at_ms.desc(), table.c.id.desc()))
            return [
                Feedback(name, text, asker, _spelled(at), bool(helpful), comment)
                for name, text, asker, at, helpful, comment in rows
            ]

    def _together(self, gaps: list[Gap]) -> list[Gap]:
        """Put open gaps that mean the same into one row: the one asked most in vain leads."""
        standing = _ordered([gap for gap in gaps if gap.status == OPEN])
        if self._meaning is None or len(standing) < 2:
            return gaps
        with self._home.writing() as connection:
            query = sa.select(schema.gap.c.name, schema.gap.c.id)
            numbers = {str(name): int(number) for name, number in connection.execute(query).all()}
            # One that was told apart just now has a question, and no number yet.
            known = [numbers[gap.id] for gap in standing if gap.id in numbers]
            held = self._meaning.rows_of(connection, known)
        rows = {
            place: held[numbers[gap.id]] if gap.id in numbers else self._meaning.of(gap.query)
            for place, gap in enumerate(standing)
            if numbers.get(gap.id) in held or gap.id not in numbers
        }
        leader = led(range(len(standing)), rows, self._meaning.threshold)
        behind: dict[int, list[Gap]] = {}
        for place, gap in enumerate(standing):
            behind.setdefault(leader[place], []).append(gap)
        others = [gap for gap in gaps if gap.status != OPEN]
        return [_joined(alike) for alike in behind.values()] + others

    # -- within ------------------------------------------------------------------------------

    def _gap(
        self, connection: sa.Connection, key: str, query: str, row: Any, at: int
    ) -> tuple[int, str]:
        """Return number and name of the gap that a question belongs to, made where new."""
        table = schema.gap
        held = connection.execute(
            sa.select(table.c.id, table.c.name).where(table.c.key == key)
        ).first()
        if held is None and self._meaning is not None:
            near = self._meaning.nearest(connection, row)
            if near is not None:
                near_row = sa.select(table.c.id, table.c.name).where(table.c.id == near)
                held = connection.execute(near_row).one()
        if held is not None:
            return int(held[0]), str(held[1])
        name = name_of(key)
        values = {"name": name, "key": key, "query": query, "status": OPEN, "made_ms": at}
        made = connection.execute(table.insert().values(note="", reason="", **values))
        primary = made.inserted_primary_key
        assert primary is not None
        if self._meaning is not None:
            self._meaning.keep(connection, int(primary[0]), row)
        return int(primary[0]), name

    def _found(self, connection: sa.Connection, gap: str) -> Any:
        row = None
        if _ID.fullmatch(gap):
            row = connection.execute(sa.select(schema.gap).where(schema.gap.c.name == gap)).first()
        if row is None:
            raise NotFound(f"no gap {gap}", "`manent gaps` lists them")
        return row

    def _settle(
        self, gap: str, status: str, at: datetime.datetime, note: str = "", reason: str = ""
    ) -> Gap:
        with self._home.writing() as connection:
            self._part(connection)
            found = self._found(connection, gap)
            if found.status != OPEN:
                raise Refused(f"{gap} is {found.status} already", f"--reopen {gap} takes it back")
            values = {
                "status": status,
                "note": note,
                "reason": reason,
                "settled_ms": _milliseconds(at),
            }
            connection.execute(
                schema.gap.update().where(schema.gap.c.id == found.id).values(values)
            )
        return self.gap(gap)

    def _rows(self, connection: sa.Connection, gaps: Sequence[int]) -> list[Any]:
        table = schema.search
        found: list[Any] = []
        for start in range(0, len(gaps), 500):
            query = sa.select(table).where(table.c.gap.in_(gaps[start : start + 500]))
            found += connection.execute(query.order_by(table.c.asked_ms, table.c.id)).all()
        return found

    def _described(self, connection: sa.Connection, gaps: Sequence[Any]) -> list[Gap]:
        return [_gap(row, searches) for row, searches in self._behind(connection, gaps)]

    def _behind(self, connection: sa.Connection, gaps: Sequence[Any]) -> list[Held]:
        """Return gaps and the searches behind each, told apart where that is asked for."""
        behind: dict[int, list[Any]] = {row.id: [] for row in gaps}
        for row in self._rows(connection, list(behind)):
            behind[row.gap].append(row)
        held = [(row, behind[row.id]) for row in gaps]
        if self._meaning is None or not self._meaning.apart:
            return held
        return parted(held, self._meaning)

    def _one(self, connection: sa.Connection, gap: str) -> Held:
        """Return a gap and its searches. Raises NotFound."""
        if self._meaning is not None and self._meaning.apart:
            every = connection.execute(sa.select(schema.gap)).all()
            for row, searches in self._behind(connection, every):
                if row.name == gap:
                    return row, searches
        return self._behind(connection, [self._found(connection, gap)])[0]

    def _part(self, connection: sa.Connection) -> None:
        """Make gaps of what is told apart, before one of them is settled."""
        if self._meaning is None or not self._meaning.apart:
            return
        every = connection.execute(sa.select(schema.gap)).all()
        for row, searches in self._behind(connection, every):
            number = row.id
            if number is None:
                values = {"name": row.name, "key": row.key, "query": row.query}
                made = connection.execute(
                    schema.gap.insert().values(
                        **values, status=OPEN, made_ms=row.made_ms, note="", reason=""
                    )
                ).inserted_primary_key
                assert made is not None
                number = int(made[0])
            moved = [search.id for search in searches if search.gap != number]
            for start in range(0, len(moved), 500):
                some = moved[start : start + 500]
                for table, column in (
                    (schema.search, schema.search.c.id),
                    (schema.feedback, schema.feedback.c.search),
                ):
                    connection.execute(table.update().where(column.in_(some)).values(gap=number))


def _gap(row: Any, searches: Sequence[Any]) -> Gap:
    asked = [_asked(search) for search in searches]
    settled = row.settled_ms
    again = [
        one
        for one, search in zip(asked, searches, strict=True)
        if settled is not None and search.asked_ms > settled and not one.read
    ]
    return Gap(
        row.name,
        row.query,
        row.status,
        len(asked),
        sum(one.read for one in asked),
        len(again) if row.status == CLOSED else 0,
        asked[0].at if asked else _spelled(row.made_ms),
        asked[-1].at if asked else _spelled(row.made_ms),
        tuple(sorted({one.asker for one in asked})),
        _best(asked),
        row.note,
        row.reason,
    )


_Prepared = tuple[str, dict[str, Any]]
"""The key of a question, and what is kept of the search."""


def follow_in(connection: sa.Connection, followed: Sequence[tuple[int, Read]]) -> None:
    """Count searches as read within a transaction; the first reading of each counts."""
    table = schema.search
    mine = table.c.id == sa.bindparam("number")
    update = table.update().where(mine, table.c.followed_ms.is_(None))
    rows = [
        {"number": search, "read_ms": _milliseconds(read.at), "path": _storable(read.path)}
        for search, read in followed
    ]
    if rows:
        values: dict[str, Any] = {
            "followed_ms": sa.bindparam("read_ms"),
            "followed": sa.bindparam("path"),
        }
        connection.execute(update.values(values), rows)


def _gaps_of(connection: sa.Connection, keys: Collection[str]) -> dict[str, tuple[int, str]]:
    """Return number and name of the gaps that stand, by key."""
    table = schema.gap
    query = sa.select(table.c.key, table.c.id, table.c.name).where(table.c.key.in_(list(keys)))
    return {str(key): (int(number), str(name)) for key, number, name in connection.execute(query)}


def _inserted(connection: sa.Connection, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Insert searches; return their numbers in the same order."""
    table = schema.search
    if connection.dialect.insert_executemany_returning_sort_by_parameter_order:
        insert = table.insert().returning(table.c.id, sort_by_parameter_order=True)
        return [int(row[0]) for row in connection.execute(insert, rows)]
    found = []
    for row in rows:  # a database of before 2021
        primary = connection.execute(table.insert().values(**row)).inserted_primary_key
        assert primary is not None
        found.append(int(primary[0]))
    return found


def _prepared(search: Search) -> _Prepared | None:
    """Return a question's key and what is kept of it; None where it has no word."""
    query = redacted(search.query)
    key = key_of(query)
    if not key:
        return None
    return key, {
        "asked_ms": _milliseconds(search.at),
        "asker": search.asker,
        "query": query,
        "retriever": search.retriever,
        "tree": search.tree,
        "results": json.dumps(list(search.results)[:RESULTS_KEPT]),
    }


def _ordered(gaps: Iterable[Gap]) -> list[Gap]:
    """Order by how often asked in vain, then the latest first, then by id."""
    rows = sorted(gaps, key=lambda gap: gap.id)
    rows.sort(key=lambda gap: gap.last, reverse=True)
    return sorted(rows, key=lambda gap: gap.weight, reverse=True)


def _joined(gaps: Sequence[Gap]) -> Gap:
    """Return the first of some gaps with the others counted in."""
    if len(gaps) == 1:
        return gaps[0]
    return replace(
        gaps[0],
        asked=sum(gap.asked for gap in gaps),
        read=sum(gap.read for gap in gaps),
        first=min(gap.first for gap in gaps),
        last=max(gap.last for gap in gaps),
        askers=tuple(sorted({asker for gap in gaps for asker in gap.askers})),
        best=tuple(dict.fromkeys(path for gap in gaps for path in gap.best))[:BEST],
        alike=tuple(gap.id for gap in gaps[1:]),
    )


def _best(asked: Iterable[Asked]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for one in asked:
        counts.update(one.results[:BEST])
    return tuple(sorted(counts, key=lambda path: (-counts[path], path))[:BEST])


def _asked(row: Any) -> Asked:
    helpful = None if row.helpful is None else bool(row.helpful)
    return Asked(
        row.id, row.query, row.asker, _spelled(row.asked_ms), _paths(row.results),
        row.retriever, row.followed, helpful,
    )  # fmt: skip


def _paths(raw: str) -> tuple[str, ...]:
    """Return the paths that were kept of an answer, none where the row is damaged."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return ()
    return tuple(str(path) for path in found) if isinstance(found, list) else ()


def _storable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def _milliseconds(at: datetime.datetime) -> int:
    if at.tzinfo is None:
        raise UsageError("a time without its zone", "give a time in UTC")
    return int(at.timestamp() * 1000)


def _spelled(milliseconds: int) -> str:
    at = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
