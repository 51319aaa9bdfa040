"""Where state is kept, as an operator names it, and what is wrong there, in plain words.

The same forms are taken wherever state is named: a file, ``sqlite:///FILE``, or
``postgresql://…``. An address may hold a password, and a message must not: what cannot be
read as an address is refused without a word of it.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manent.errors import EnvironmentFault, UsageError
from manent.values import dataclass

if TYPE_CHECKING:
    import sqlalchemy as sa

FILE = "sqlite:///"
FORMS = "a file, sqlite:///FILE or a postgresql:// address"
_POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:/|(postgres|postgresql|sqlite)(\+[a-z]+)?:", re.I | re.A)
"""How an address begins, also one that is written wrongly; a drive's letter is none."""
_WHO = re.compile(r"[^/]*:[^/]*@")
"""How a user with a password begins, where the scheme was forgotten."""
_SECRET = ("password", "passfile", "sslpassword")


@dataclass(frozen=True, slots=True)
class Address:
    """One place: a file, or the URL of a PostgreSQL database as SQLAlchemy takes it."""

    file: Path | None = None
    url: Any = None

    @property
    def name(self) -> str:
        """What to call it in a message: without its password."""
        if self.file is not None:
            return str(self.file)
        shown = self.url.difference_update_query(_SECRET)
        return str(shown.render_as_string(hide_password=True))


def is_address(text: str) -> bool:
    """Tell whether a place is named by an address rather than as a file."""
    return bool(_SCHEME.match(text) or _WHO.match(text))


def address_of(text: str, what: str) -> Address:
    """Read the place of ``what``. Raises UsageError, which never quotes it."""
    if text.startswith(FILE) and len(text) > len(FILE):
        return Address(Path(text.removeprefix(FILE)))
    if text and not is_address(text):
        return Address(Path(text))
    scheme = next((one for one in _POSTGRES if text.startswith(one)), None)
    if scheme is None:
        raise UsageError(f"the {what}: that is no address", f"name {FORMS}")
    return Address(None, _url(text.removeprefix(scheme), what))


def _url(rest: str, what: str) -> Any:
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    wrong = UsageError(
        f"the {what}: the postgresql:// address cannot be read",
        "postgresql://USER@HOST:PORT/DATABASE",
    )
    try:
        url = make_url(f"postgresql+psycopg://{rest}")
        (url.host or "").encode("idna")
    except (SQLAlchemyError, ValueError):
        raise wrong from None
    if not 0 < (url.port or 1) <= 65_535 or any(c.isspace() or c in ":/@" for c in _bare(url)):
        raise wrong
    return url


def _bare(url: Any) -> str:
    """Return the host, "" where it is one in figures with colons."""
    host = str(url.host or "")
    return "" if re.fullmatch(r"[0-9a-f:.]+(%[\w.]+)?", host, re.I | re.A) else host


class DatabaseFault(EnvironmentFault):
    """A database does not do what is asked of it.

    cause: what is wrong, in words of this code alone, fit for any log and any reader.
    """

    def __init__(self, what: str, cause: str, detail: str = "") -> None:
        said = f"{what}: {cause}" if not detail else f"{what}: {cause}: {detail}"
        super().__init__(said, _MENDED.get(cause, ""))
        self.cause = cause


AWAY = "it cannot be reached"
SILENT = "it does not answer in time"
FULL = "the disk is full"
BUSY = "somebody else keeps it busy"
_MENDED = {AWAY: "is it reachable?", SILENT: "is it reachable?", FULL: "make room"}
_CAUSES = {
    "SQLITE_FULL": FULL, "SQLITE_BUSY": BUSY, "SQLITE_LOCKED": BUSY,
    "SQLITE_READONLY": "it cannot be written", "SQLITE_CANTOPEN": "it cannot be opened",
    "SQLITE_IOERR": "the disk fails", "SQLITE_CORRUPT": "it is damaged",
    "SQLITE_NOTADB": "it is no database", "SQLITE_PERM": "it cannot be opened",
    "53100": FULL, "53": "it has no room for one more", "55P03": BUSY, "57014": SILENT,
    "57": "it is stopping", "25006": "it cannot be written", "28": "it refuses the user",
    "3D": "there is no such database", "42501": "it does not let the user do this",
    "08": AWAY,
}  # fmt: skip


def cause_of(error: BaseException) -> str:
    """Return what is wrong with a database, in words of this code alone."""
    inner = getattr(error, "orig", None) or error
    code = str(getattr(inner, "sqlstate", None) or getattr(inner, "sqlite_errorname", None) or "")
    for length in (len(code), 5, 2):
        if code and code[:length] in _CAUSES:
            return _CAUSES[code[:length]]
    parts = code.split("_")
    if "_".join(parts[:2]) in _CAUSES:
        return _CAUSES["_".join(parts[:2])]
    if SILENT in str(inner) or type(error).__name__ == "TimeoutError":
        return SILENT
    if type(inner).__name__ in ("OperationalError", "ConnectionTimeout", "InterfaceError"):
        return AWAY if not code else "it fails"
    return "it refuses what it was asked"


def cause_in(fault: BaseException) -> str:
    """Return the cause that a fault names, else its kind: what a log may hold of it."""
    return str(getattr(fault, "cause", "") or type(fault).__name__)


def said_by(error: BaseException) -> str:
    """Return the first line of what a driver says, for who starts a server or a command."""
    return str(getattr(error, "orig", None) or error).strip().split("\n")[0]


COPY_SECONDS = 3_600
"""How long a step that brings a database up may take, and the copy before it."""
TURN_SECONDS = 120
"""How long a server that starts waits for another one that does this."""


def patient(connection: sa.Connection, seconds: float) -> AbstractContextManager[None]:
    """Let each answer of a PostgreSQL take so long, within this transaction."""
    if connection.dialect.name != "postgresql":
        return nullcontext()
    from manent.gaps.postgres import patient

    return patient(connection, seconds)


def engine_of(address: Address, what: str, wait_seconds: float) -> sa.Engine:
    """Return the engine of a PostgreSQL address, nothing of which is waited for any longer.

    Raises EnvironmentFault where no driver is installed, UsageError.
    """
    try:
        from manent.gaps.postgres import engine
    except ImportError as error:
        raise EnvironmentFault(
            "no driver for PostgreSQL is installed", "install manent[postgres]"
        ) from error
    try:
        return engine(address.url, wait_seconds)
    except ValueError:
        raise UsageError(
            f"the {what}: the postgresql:// address has an option that there is not", ""
        ) from None
