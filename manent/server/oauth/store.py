"""What signing in must remember: clients, codes and grants. No token, no code in the clear.

Several servers may share one database. What may happen once happens in one statement
there, so that two servers that are asked at the same moment do not both say yes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from manent.server.database import Database, Schema, Step, standing_table
from manent.values import dataclass, replace

MOST_CLIENTS = 2_000
"""Clients that are remembered; those that nobody signed in with are forgotten first."""

MOST_OF_ONE = 200
"""Of them from one network, so that nobody fills the list alone."""

DAY_MS = 86_400_000

_metadata = sa.MetaData()
_client = sa.Table(
    "manent_oauth_client",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("redirects", sa.Text, nullable=False),
    sa.Column("made_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("network", sa.Text, nullable=False, server_default=""),
)
_code = sa.Table(
    "manent_oauth_code",
    _metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("client", sa.Text, nullable=False),
    sa.Column("row", sa.Text, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("used_ms", sa.BigInteger),
    sa.Column("replayed", sa.Boolean, nullable=False, default=False),
    sa.Column("gave", sa.Text, nullable=False, default=""),
)
_grant = sa.Table(
    "manent_oauth_grant",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("client", sa.Text, nullable=False, index=True),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("generation", sa.Integer, nullable=False),
    sa.Column("turned_ms", sa.BigInteger, nullable=False),
    sa.Column("revoked", sa.Boolean, nullable=False, default=False),
    sa.Column("bound", sa.Text, nullable=False, server_default=""),
    sa.Column("audience", sa.Text, nullable=False, server_default=""),
)
_session = sa.Table(
    "manent_oauth_session",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False, index=True),
    sa.Column("bound", sa.Text, nullable=False),
    sa.Column("audience", sa.Text, nullable=False),
)


def _say_whence(connection: sa.Connection) -> None:
    """Add where clients came from, and the token that a grant hangs on."""
    for column in (
        "client ADD COLUMN network",
        "grant ADD COLUMN bound",
        "grant ADD COLUMN audience",
    ):
        said = f"ALTER TABLE manent_oauth_{column} TEXT NOT NULL DEFAULT ''"
        connection.execute(sa.text(said))


STEPS: tuple[Step, ...] = (_say_whence,)
"""What takes each version to the next."""

_SCHEMA = Schema(
    "sign-ins",
    _metadata,
    standing_table("manent_oauth_schema", _metadata),
    len(STEPS) + 1,
    0x6D616E617574,
    STEPS,
)


@dataclass(frozen=True, slots=True)
class Registered:
    """A client that registered itself."""

    id: str
    name: str
    redirects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grant:
    """What somebody allowed a client. generation: how often its refresh token was turned.

    turned_ms: when that was last. bound: to the token of whom, as ``Provider`` digests it.
    audience: at which address.
    """

    id: str
    identity: str
    client: str
    expires_ms: int
    generation: int
    turned_ms: int
    revoked: bool = False
    bound: str = ""
    audience: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """What lets somebody see the pages. identity, bound, audience: as of a grant."""

    id: str
    identity: str
    expires_ms: int
    bound: str
    audience: str


_IDLE = sa.and_(
    _client.c.id.not_in(sa.select(_grant.c.client)), _client.c.id.not_in(sa.select(_code.c.client))
)
"""Nobody signed in with it."""


class Store:
    """The database. Any thread may ask; every method may raise EnvironmentFault.

    address: ``sqlite:///FILE`` or ``postgresql://…``. Raises UsageError for another one.
    """

    def __init__(self, address: str, *, steps: Sequence[Step] = STEPS) -> None:
        schema = replace(_SCHEMA, version=len(steps) + 1, steps=steps)
        self._database = Database(address, schema)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    # -- clients -----------------------------------------------------------------------

    def register(self, client: Registered, network: str, now_ms: int) -> bool:
        """Keep a client; False when those of its network fill their share, all in use.

        network: what stands for where it came from. Makes room by forgetting: first of its
        own network where that has its share, else of the one that has most. So whoever
        registers without end takes the places of its own clients, and nobody else's.
        """
        row = {
            "id": client.id,
            "name": client.name,
            "redirects": json.dumps(client.redirects),
            "made_ms": now_ms,
            "network": network,
        }
        # One at a time, so that what was counted is so.
        with self._database.writing(alone=True) as connection:
            connection.execute(_client.delete().where(_IDLE, _client.c.made_ms < now_ms - DAY_MS))
            own = _client.c.network == network
            if _count(connection, own) >= MOST_OF_ONE and not _forget_idle(connection, own):
                return False
            if _count(connection) >= MOST_CLIENTS:
                _make_room(connection)
            connection.execute(_client.insert().values(row))
        return True

    def client(self, identity: str) -> Registered | None:
        """Return a client that registered itself."""
        with self._database.writing() as connection:
            found = connection.execute(
                sa.select(_client).where(_client.c.id == identity)
            ).one_or_none()
        if found is None:
            return None
        return Registered(found.id, found.name, tuple(json.loads(found.redirects)))

    # -- codes -------------------------------------------------------------------------

    def keep_code(
        self, digest: str, client: str, row: Mapping[str, Any], expires_ms: int, now_ms: int
    ) -> None:
        """Keep a code until it expires; forget those that expired long ago."""
        values = {
            "digest": digest,
            "client": client,
            "row": json.dumps(dict(row)),
            "expires_ms": expires_ms,
            "used_ms": None,
            "replayed": False,
            "gave": "",
        }
        with self._database.writing() as connection:
            connection.execute(_code.delete().where(_code.c.expires_ms < now_ms - DAY_MS))
            connection.execute(_code.insert().values(values))

    def keeps_code(self, digest: str, now_ms: int) -> bool:
        """Tell whether a code stands that nobody has used yet."""
        fresh = sa.and_(
            _code.c.digest == digest, _code.c.used_ms.is_(None), _code.c.expires_ms > now_ms
        )
        with self._database.writing() as connection:
            return connection.execute(sa.select(_code.c.digest).where(fresh)).first() is not None

    def use_code(self, digest: str, client: str, now_ms: int) -> Mapping[str, Any] | None:
        """Use a code up; None for one that is unknown, another client's, expired or used.

        A code that comes twice was stolen by one of the two: what it gave is taken back.
        """
        mine = sa.and_(_code.c.digest == digest, _code.c.client == client)
        first = sa.and_(mine, _code.c.used_ms.is_(None), _code.c.expires_ms > now_ms)
        with self._database.writing() as connection:
            if connection.execute(_code.update().where(first).values(used_ms=now_ms)).rowcount:
                row = connection.execute(sa.select(_code.c.row).where(mine)).scalar_one()
                return dict(json.loads(row))
            again = sa.and_(mine, _code.c.used_ms.is_not(None))
            connection.execute(_code.update().where(again).values(replayed=True))
            grant = connection.execute(sa.select(_code.c.gave).where(again)).scalar_one_or_none()
            if grant:
                connection.execute(_grant.update().where(_grant.c.id == grant).values(revoked=True))
        return None

    def begin(self, grant: Grant, digest: str, now_ms: int) -> bool:
        """Keep a grant that a code gave; False when the code came again meanwhile."""
        sound = sa.and_(_code.c.digest == digest, _code.c.replayed.is_(False))
        with self._database.writing() as connection:
            connection.execute(_grant.delete().where(_grant.c.expires_ms < now_ms - DAY_MS))
            if not connection.execute(_code.update().where(sound).values(gave=grant.id)).rowcount:
                return False
            connection.execute(
                _grant.insert().values(
                    id=grant.id,
                    identity=grant.identity,
                    client=grant.client,
                    expires_ms=grant.expires_ms,
                    generation=grant.generation,
                    turned_ms=grant.turned_ms,
                    revoked=False,
                    bound=grant.bound,
                    audience=grant.audience,
                )
            )
        return True

    # -- grants ------------------------------------------------------------------------

    def grant(self, identity: str) -> Grant | None:
        """Return a grant, revoked or not."""
        with self._database.writing() as connection:
            found = connection.execute(
                sa.select(_grant).where(_grant.c.id == identity)
            ).one_or_none()
        return None if found is None else Grant(**found._mapping)

    def turn(
        self,
        identity: str,
        generation: int,
        expires_ms: int,
        now_ms: int,
        bound: str = "",
        audience: str = "",
    ) -> bool:
        """Turn a refresh token of this generation; False when somebody else did before.

        bound, audience: of a grant of before these were kept.
        """
        standing = sa.and_(
            _grant.c.id == identity,
            _grant.c.generation == generation,
            _grant.c.revoked.is_(False),
            _grant.c.expires_ms > now_ms,
        )
        values: dict[str, Any] = {
            "generation": generation + 1,
            "turned_ms": now_ms,
            "expires_ms": expires_ms,
        }
        if bound:
            values |= {"bound": bound, "audience": audience}
        with self._database.writing() as connection:
            return bool(connection.execute(_grant.update().where(standing).values(values)).rowcount)

    def revoke(self, identity: str) -> None:
        """End a grant, and every token that it gave."""
        with self._database.writing() as connection:
            connection.execute(_grant.update().where(_grant.c.id == identity).values(revoked=True))

    # -- sessions of the pages -----------------------------------------------------------

    def keep_session(self, session: Session, now_ms: int) -> None:
        """Keep a session until it expires or is ended; forget those that expired."""
        values = {
            "id": session.id,
            "identity": session.identity,
            "expires_ms": session.expires_ms,
            "bound": session.bound,
            "audience": session.audience,
        }
        with self._database.writing() as connection:
            connection.execute(_session.delete().where(_session.c.expires_ms < now_ms - DAY_MS))
            connection.execute(_session.insert().values(values))

    def keeps_session(self, identity: str) -> bool:
        """Tell whether a session was begun and not ended."""
        with self._database.writing() as connection:
            found = sa.select(_session.c.id).where(_session.c.id == identity)
            return connection.execute(found).first() is not None

    def end_session(self, identity: str) -> None:
        """End a session."""
        with self._database.writing() as connection:
            connection.execute(_session.delete().where(_session.c.id == identity))

    # -- what hangs on a token -----------------------------------------------------------

    def bindings(self, audience: str) -> set[tuple[str, str]]:
        """Return the names, and what bound them, on which anything hangs that still counts."""
        grants = sa.and_(_grant.c.revoked.is_(False), _grant.c.bound != "")
        asked = (
            sa.select(_grant.c.identity, _grant.c.bound).where(
                grants, _grant.c.audience == audience
            ),
            sa.select(_session.c.identity, _session.c.bound).where(_session.c.audience == audience),
        )
        with self._database.writing() as connection:
            found = {(name, bound) for each in asked for name, bound in connection.execute(each)}
            codes = _unused_codes(connection, audience)
        return found | {(row["identity"], row["bound"]) for row in codes.values()}

    def end_bound(self, audience: str, identity: str, bound: str) -> None:
        """End whatever hangs on a token that somebody has no more."""
        with self._database.writing() as connection:
            for table in (_grant, _session):
                its = sa.and_(table.c.identity == identity, table.c.bound == bound)
                here = sa.and_(its, table.c.audience == audience)
                if table is _grant:
                    connection.execute(table.update().where(here).values(revoked=True))
                else:
                    connection.execute(table.delete().where(here))
            for digest, row in _unused_codes(connection, audience).items():
                if (row["identity"], row["bound"]) == (identity, bound):
                    connection.execute(_code.delete().where(_code.c.digest == digest))


def _unused_codes(connection: sa.Connection, audience: str) -> dict[str, Mapping[str, Any]]:
    asked = sa.select(_code.c.digest, _code.c.row).where(_code.c.used_ms.is_(None))
    rows = {digest: json.loads(row) for digest, row in connection.execute(asked)}
    return {digest: row for digest, row in rows.items() if row.get("audience") == audience}


def _count(connection: sa.Connection, *where: Any) -> int:
    asked = sa.select(sa.func.count()).select_from(_client).where(*where)
    return int(connection.execute(asked).scalar_one())


def _fullest(connection: sa.Connection, *where: Any) -> Any:
    """Return the condition that a client is of the network that has most of these; or None."""
    order = (sa.func.count().desc(), sa.func.min(_client.c.made_ms))
    asked = sa.select(_client.c.network).where(*where).group_by(_client.c.network).order_by(*order)
    found = connection.execute(asked.limit(1)).scalar_one_or_none()
    return None if found is None else _client.c.network == found


def _forget_idle(connection: sa.Connection, of: Any) -> bool:
    """Forget the oldest client of these that nobody signed in with; tell whether there was one."""
    oldest = sa.select(_client.c.id).where(of, _IDLE).order_by(_client.c.made_ms).limit(1)
    found = connection.execute(_client.delete().where(_client.c.id == oldest.scalar_subquery()))
    return bool(found.rowcount)


def _make_room(connection: sa.Connection) -> None:
    """Forget a client of the network that has most: an idle one, else the longest unused."""
    idle = _fullest(connection, _IDLE)
    if idle is not None and _forget_idle(connection, idle):
        return
    turned = sa.select(sa.func.max(_grant.c.turned_ms)).where(_grant.c.client == _client.c.id)
    longest = sa.select(_client.c.id).where(_fullest(connection))
    longest = longest.order_by(sa.func.coalesce(turned.scalar_subquery(), 0)).limit(1)
    connection.execute(_client.delete().where(_client.c.id == longest.scalar_subquery()))
