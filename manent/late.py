"""Regular expressions that are compiled when they are first asked.

A hook reads a hundred modules and needs a few of their patterns; compiling all
of them would cost a push of one note a quarter of a second
(``python -X importtime -m manent.cli.hook pre-receive``).
"""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = (
    "search",
    "match",
    "fullmatch",
    "finditer",
    "findall",
    "sub",
    "subn",
    "split",
    "pattern",
    "flags",
    "groups",
    "groupindex",
)


class _Late:
    """Stands in for a pattern until it is used; from then on costs one look-up, as the real one."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what ``re.compile`` would, compiled at its first use.

    An error in the source shows at that use: each pattern needs a test.
    """
    return cast("re.Pattern[str]", _Late(source, int(flags)))


def bytes_pattern(source: bytes, flags: int = 0) -> re.Pattern[bytes]:
    """As ``pattern``, over bytes."""
    return cast("re.Pattern[bytes]", _Late(source, int(flags)))
