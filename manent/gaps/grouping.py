"""Which question a new search asks again: by its words, or by meaning where there is a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from manent.gaps.schema import gap, vector
from manent.values import dataclass, field

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""From n questions to n rows of unit length."""

THRESHOLD = 0.9
"""Cosine from which two questions are one; see ``eval/gaps/README.md`` for e5's figures."""

CAUGHT_UP = 64
"""Older questions given a vector at each recording, so that none takes long."""


@dataclass(slots=True)
class Meaning:
    """A model, and the vectors of the register's questions held in memory.

    model: the name vectors are kept by. apart: whether questions that were filed
    together are told apart where they are farther than the threshold. What is held
    changes only while the caller is alone among the register's writers.
    """

    model: str
    embed: Embed
    threshold: float = THRESHOLD
    apart: bool = False
    _asked: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    _last: int = 0
    _gaps: list[int] = field(default_factory=list)
    _rows: NDArray[np.float32] | None = None

    def of(self, query: str) -> NDArray[np.float32]:
        """Return the row of one question."""
        row: NDArray[np.float32] = np.asarray(self.embed([query])[0], dtype=np.float32)
        return row

    def far(self, question: str, others: Sequence[str]) -> list[bool]:
        """Tell which of the others are too far from a question to be filed with it."""
        if not others:
            return []
        missing = [one for one in dict.fromkeys([question, *others]) if one not in self._asked]
        if missing:
            rows = np.asarray(self.embed(missing), dtype=np.float32)
            self._asked.update(zip(missing, rows, strict=True))
        row = self._asked[question]
        return [float(self._asked[one] @ row) < self.threshold for one in others]

    def nearest(self, connection: sa.Connection, row: NDArray[np.float32]) -> int | None:
        """Return the gap whose question is nearest, where it is near enough."""
        self._catch_up(connection)
        self._refresh(connection)
        if self._rows is None or not row.any():
            return None
        cosines = self._rows @ row
        best = int(np.argmax(cosines))
        return self._gaps[best] if float(cosines[best]) >= self.threshold else None

    def keep(self, connection: sa.Connection, number: int, row: NDArray[np.float32]) -> None:
        """Keep the row of a gap's question, unless it has one by this model."""
        held = sa.select(vector.c.id).where(vector.c.gap == number, vector.c.model == self.model)
        if connection.execute(held).first() is None:
            values = {"gap": number, "model": self.model, "row": row.astype("<f4").tobytes()}
            connection.execute(vector.insert().values(values))

    def rows_of(
        self, connection: sa.Connection, numbers: Sequence[int]
    ) -> dict[int, NDArray[np.float32]]:
        """Return the rows of these gaps' questions, those made that were missing."""
        while self._catch_up(connection):
            pass
        self._refresh(connection)
        if self._rows is None:
            return {}
        places = {number: place for place, number in enumerate(self._gaps)}
        return {number: self._rows[places[number]] for number in numbers if number in places}

    def forget(self) -> None:
        """Drop what is held: a transaction that it was read in was undone."""
        self._last, self._gaps, self._rows = 0, [], None

    def _catch_up(self, connection: sa.Connection) -> bool:
        """Give some of the questions that have none a vector; return whether any had none."""
        known = sa.select(vector.c.gap).where(vector.c.model == self.model)
        query = sa.select(gap.c.id, gap.c.query).where(gap.c.id.not_in(known)).limit(CAUGHT_UP)
        missing = connection.execute(query).all()
        if missing:
            rows = self.embed([text for _, text in missing])
            for (number, _), row in zip(missing, rows, strict=True):
                self.keep(connection, number, np.asarray(row, dtype=np.float32))
        return bool(missing)

    def _refresh(self, connection: sa.Connection) -> None:
        columns = sa.select(vector.c.id, vector.c.gap, vector.c.row)
        query = columns.where(vector.c.model == self.model, vector.c.id > self._last)
        found = connection.execute(query.order_by(vector.c.id)).all()
        if not found:
            return
        new = np.stack([np.frombuffer(raw, dtype="<f4") for _, _, raw in found])
        self._rows = new if self._rows is None else np.vstack([self._rows, new])
        self._gaps += [number for _, number, _ in found]
        self._last = found[-1][0]


def led(
    order: Sequence[int], rows: dict[int, NDArray[np.float32]], threshold: float
) -> dict[int, int]:
    """Return for each of ``order`` whom it follows: the first before it that is near enough.

    Who follows nobody leads itself; who has no row does too.
    """
    leaders: list[int] = []
    found: dict[int, int] = {}
    held: NDArray[np.float32] | None = None
    for number in order:
        row = rows.get(number)
        found[number] = number
        if row is None or not row.any():
            continue
        if held is None:
            held = np.empty((len(order), len(row)), dtype=np.float32)
        if leaders:
            cosines = held[: len(leaders)] @ row
            best = int(np.argmax(cosines))
            if float(cosines[best]) >= threshold:
                found[number] = leaders[best]
                continue
        held[len(leaders)] = row
        leaders.append(number)
    return found
