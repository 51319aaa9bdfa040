"""What can be typed as an option's value and is none: refused before anything is read.

The shell hands over any bytes but NUL, a caller in Python any text. Names of notes
and of files may hold bytes that are no UTF-8, since paths may; nothing else may.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from manent.errors import UsageError

_LONGEST_PATH = 4_096
_LONGEST_NAME = 255
"""Bytes that Linux takes for a path, and for a file's name (``man 7 path_resolution``)."""
_LONGEST = 65_536


def refuse_odd(
    ctx: click.Context,
    options: dict[str, Any],
    *,
    files: frozenset[str] = frozenset(),
    names: frozenset[str] = frozenset(),
    folders: frozenset[str] = frozenset(),
) -> None:
    """Raise UsageError for a value that nothing can be called by.

    files, names, folders: the parameters that name files, notes, and folders of the
    vault, where new paths must be UTF-8; all others are text.
    """
    for parameter in ctx.command.params:
        key = parameter.name or ""
        named = max(parameter.opts, key=len)
        flag = named if named.startswith("-") else named.upper()
        for text in _texts(options.get(key)):
            if key in files | folders and "://" not in text:
                _check_path(flag, text)
            if key not in files or "://" in text:
                _check_text(flag, text, may_be_bytes=key in names)


def _texts(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, str):
            yield one


def _check_path(flag: str, text: str) -> None:
    raw = _bytes(flag, text)
    if len(raw) >= _LONGEST_PATH or any(len(part) > _LONGEST_NAME for part in raw.split(b"/")):
        raise UsageError(f"{flag} is too long for a path", "name a shorter one")


def _check_text(flag: str, text: str, *, may_be_bytes: bool) -> None:
    raw = _bytes(flag, text)
    if len(raw) > _LONGEST:
        raise UsageError(f"{flag} is longer than {_LONGEST} bytes", "say it shorter")
    if not may_be_bytes:
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            raise UsageError(f"{flag} is no UTF-8", "type it in a terminal of UTF-8") from None


def _bytes(flag: str, text: str) -> bytes:
    if "\0" in text:
        raise UsageError(f"{flag} holds a NUL", "leave it out")
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        raise UsageError(f"{flag} is no text", "type it in a terminal of UTF-8") from None
