"""What a caller sends to be written, and what comes of it: kept, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manent.errors import Refused
from manent.values import dataclass

CREATE, OVERWRITE, APPEND = "create", "overwrite", "append"


@dataclass(frozen=True, slots=True)
class Drafted:
    """A note as somebody sent it.

    dir: the folder of a new note, an owner's alone. mode: ``create`` never replaces,
    ``overwrite`` does, ``append`` adds ``body`` to the end and changes nothing else.
    """

    name: str
    description: str = ""
    type: str = ""
    body: str = ""
    dir: str = ""
    mode: str = CREATE


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a draft.

    status: ``created``, ``overwritten``, ``appended``, ``unchanged`` or ``declined``.
    commit: its id, "" where none was made. message: one line. remarks: what else the
    caller should know.
    """

    name: str
    path: str
    status: str
    commit: str = ""
    message: str = ""
    remarks: tuple[str, ...] = ()


class WriteRefused(Refused):
    """The gate says no to a note.

    faults: a row each. again: the arguments that changed, masked, with which the same
    call passes; {} where masking does not mend it.
    """

    def __init__(self, faults: Sequence[dict[str, Any]], again: dict[str, str], more: int) -> None:
        first = faults[0]
        place = f"{first['in']}, line {first['line']}" if first.get("line") else first["in"]
        rest = f", and {len(faults) + more - 1} more" if len(faults) + more > 1 else ""
        said = f"refused, nothing was written: {place}: {first['message']} [{first['rule']}]{rest}"
        super().__init__(said, first["fix"])
        self.faults = list(faults)
        self.again = again
        self.more = more
