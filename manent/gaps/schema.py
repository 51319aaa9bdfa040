"""The tables of a register, and how an older register becomes a newer one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

VERSION = 1
"""The schema this code writes. Raise it together with a step in ``STEPS``."""

Step = Callable[[sa.Connection], None]

STEPS: Sequence[Step] = ()
"""``STEPS[n - 1]`` takes a register of version n to version n + 1."""

metadata = sa.MetaData()

register = sa.Table(
    "manent_register",
    metadata,
    sa.Column("version", sa.Integer, nullable=False),
)

gap = sa.Table(
    "manent_gap",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("key", sa.Text, nullable=False, unique=True),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False, default=""),
    sa.Column("reason", sa.Text, nullable=False, default=""),
    sa.Column("made_ms", sa.BigInteger, nullable=False),
    sa.Column("settled_ms", sa.BigInteger),
)

search = sa.Table(
    "manent_search",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("gap", sa.ForeignKey(gap.c.id), nullable=False, index=True),
    sa.Column("asked_ms", sa.BigInteger, nullable=False),
    sa.Column("asker", sa.Text, nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("retriever", sa.Text, nullable=False),
    sa.Column("tree", sa.Text, nullable=False),
    sa.Column("results", sa.Text, nullable=False),
    sa.Column("followed_ms", sa.BigInteger),
    sa.Column("followed", sa.Text, nullable=False, default=""),
    sa.Column("helpful", sa.Boolean),
    sa.Index("manent_search_asker", "asker", "asked_ms"),
)

feedback = sa.Table(
    "manent_feedback",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("gap", sa.ForeignKey(gap.c.id), nullable=False, index=True),
    sa.Column("search", sa.ForeignKey(search.c.id)),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("asker", sa.Text, nullable=False),
    sa.Column("helpful", sa.Boolean, nullable=False),
    sa.Column("comment", sa.Text, nullable=False),
)

vector = sa.Table(
    "manent_vector",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("gap", sa.ForeignKey(gap.c.id), nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("row", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("gap", "model"),
)
