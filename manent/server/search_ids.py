"""Ids of searches: whose each is, which row of the register it became, what it found."""

from __future__ import annotations

import datetime
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence

import sqlalchemy as sa

from manent.gaps.home import Home
from manent.gaps.register import FOLLOW_SECONDS, Search
from manent.values import dataclass

KEPT_DAYS = 90
"""How long feedback can still name a search."""
_HELD = 20_000
"""Ids, and recent searches, that are held in memory."""

_metadata = sa.MetaData()
_table = sa.Table(
    "manent_search_id",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("search", sa.Integer, nullable=False),
    sa.Column("asker", sa.Text, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False, index=True),
)


class SearchIds:
    """Which search an id is, kept in the register's database beside its own tables.

    So feedback may come after a restart, or through another server. Every verb but
    the first is called while the caller is alone with the register.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._held: OrderedDict[str, tuple[int, str]] = OrderedDict()
        with home.writing() as connection:
            _metadata.create_all(connection)

    def keep(self, connection: sa.Connection, made: Sequence[tuple[str, int, Search]]) -> None:
        """Keep ids with the numbers of their searches (0: it had no word), and drop old ones."""
        rows = [
            {"id": token, "search": number, "asker": search.asker, "at_ms": _ms(search.at)}
            for token, number, search in made
        ]
        connection.execute(_table.insert(), rows)
        oldest = _ms(made[0][2].at) - KEPT_DAYS * 86_400_000
        connection.execute(_table.delete().where(_table.c.at_ms < oldest))
        for token, number, search in made:
            self._held[token] = number, search.asker
        while len(self._held) > _HELD:
            self._held.popitem(last=False)

    def number(self, token: str, asker: str) -> int | None:
        """Return the number of a search that was this asker's; None for any other id."""
        held = self._held.get(token)
        if held is None:
            query = sa.select(_table.c.search, _table.c.asker).where(_table.c.id == token)
            with self._home.reading() as connection:
                row = connection.execute(query).first()
            held = None if row is None else (int(row[0]), str(row[1]))
        return held[0] if held is not None and held[1] == asker else None


@dataclass(slots=True, eq=False)
class _Search:
    token: str
    asker: str
    at: float
    paths: tuple[str, ...]
    followed: bool = False


class Recent:
    """Searches of the last ten minutes, by who asked and what they found.

    clock: seconds that only grow: ten minutes are ten minutes, whatever is set meanwhile.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._order: deque[_Search] = deque()
        self._by_path: dict[tuple[str, str], list[_Search]] = {}

    def searched(self, token: str, asker: str, paths: tuple[str, ...]) -> None:
        """Remember a search."""
        with self._lock:
            one = _Search(token, asker, self._forget(), paths)
            self._order.append(one)
            for path in paths:
                self._by_path.setdefault((asker, path), []).append(one)

    def read(self, asker: str, path: str) -> tuple[str, ...]:
        """Return the asker's searches that found this note and led nowhere so far."""
        with self._lock:
            self._forget()
            found = [s for s in self._by_path.get((asker, path), ()) if not s.followed]
            for search in found:
                search.followed = True
            return tuple(search.token for search in found)

    def latest(self, asker: str, path: str) -> str:
        """Return the asker's latest search that found this note, "" for none."""
        with self._lock:
            self._forget()
            found = self._by_path.get((asker, path))
            return found[-1].token if found else ""

    def _forget(self) -> float:
        """Let go of what is too old; return the time it is."""
        now = self._clock()
        oldest = now - FOLLOW_SECONDS
        while self._order and (self._order[0].at < oldest or len(self._order) >= _HELD):
            gone = self._order.popleft()
            for path in gone.paths:
                held = self._by_path[gone.asker, path]
                # In the order of asking: the one that goes is the first.
                held.remove(gone)
                if not held:
                    del self._by_path[gone.asker, path]
        return now


def _ms(at: datetime.datetime) -> int:
    return int(at.timestamp() * 1000)
