"""Lines of journals beside the notes that a search finds: whose, and where they are read.

A journal is its owner's alone: owners of the vault see every one, an agent the
one that the agents file calls its own. To anybody else none is there, and none
is looked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from manent.cli.asking import Asked
from manent.cli.opening import Place

ROOT = "journal"
LOG = "LOG.txt"
_ALL = 1 << 62


class Line(NamedTuple):
    """One memory that was found; path: of the log, relative to the vault."""

    path: str
    number: int
    date: str
    text: str


def lines(asked: Asked, query: str, limit: int) -> tuple[list[Line], list[str]]:
    """Return the newest lines that hold every word of ``query``, and remarks for stderr."""
    from manent.errors import EnvironmentFault

    found: list[Line] = []
    remarks: list[str] = []
    for folder in _visible(asked):
        path = f"{folder}/{LOG}"
        try:
            found += [
                Line(path, m.number, m.date, m.text) for m in _of(asked, folder, query, limit)
            ]
        except EnvironmentFault as fault:
            remarks.append(f"{path} was not searched: {fault}")
    found.sort(key=lambda line: (line.date, line.path, line.number), reverse=True)
    return found[:limit], remarks


def _visible(asked: Asked) -> list[str]:
    """Return the folders of the journals that whoever asks may read."""
    identity, place = asked.view.identity, asked.found.place
    if identity.is_owner and identity.sees_all:
        if place.from_commit:
            return list(_folders_at(place, asked.found.tree))
        return list(folders_in(_root(place)))
    mine = identity.journal
    if not mine:
        return []
    if place.from_commit:
        there = _blob(place, asked.found.tree, mine) is not None
    else:
        there = _is_journal(_root(place), mine)
    return [mine] if there else []


def _root(place: Place) -> Path:
    assert place.root is not None, "what is read from a folder has one"
    return place.root


def folders_in(top: Path) -> Iterator[str]:
    """Yield the folder of each journal of the vault at ``top``, relative to it, in order."""
    from manent.tree import is_secret

    for folder, below, files in os.walk(top / ROOT):
        below.sort()
        path = Path(folder).relative_to(top).as_posix()
        if LOG in files and not is_secret(f"{path}/{LOG}") and _is_journal(top, path):
            yield path


def _is_journal(top: Path, folder: str) -> bool:
    """Tell whether a log lies there, reached through no symbolic link."""
    at = top
    for part in (*folder.split("/"), LOG):
        at /= part
        if at.is_symlink():
            return False
    return at.is_file()


def _folders_at(place: Place, tree: str | None) -> Iterator[str]:
    prefix = f"{place.prefix}/" if place.prefix else ""
    out = place.repository.git.run(
        "ls-tree", "-r", "-z", "--full-tree", "--name-only", str(tree), "--", f"{prefix}{ROOT}/"
    )
    for raw in out.split(b"\0"):
        path = raw.decode("utf-8", "surrogateescape").removeprefix(prefix)
        folder, _, name = path.rpartition("/")
        if name == LOG and _blob(place, tree, folder) is not None:
            yield folder


def _blob(place: Place, tree: str | None, folder: str) -> bytes | None:
    """Return the log at a revision, None where there is none."""
    from manent.repo.git_tree import GitTree
    from manent.tree import Kind

    at = GitTree(place.repository, str(tree), place.prefix)
    entry = at.get(f"{folder}/{LOG}")
    return at.read(entry.path) if entry is not None and entry.kind is Kind.FILE else None


def _of(asked: Asked, folder: str, query: str, limit: int) -> list[Any]:
    from manent import journal

    place, path = asked.found.place, f"{folder}/{LOG}"
    if not place.from_commit:
        return list(journal.find(os.fspath(_root(place) / folder), query, limit))
    log = _blob(place, asked.found.tree, folder) or b""
    if not asked.view.of_the_past:
        return list(journal.find_in(log, query, limit, name=path))
    # Of the past an agent sees what it sees today.
    today = _said(_today(place, folder))
    found = journal.find_in(log, query, _ALL, name=path)
    return [line for line in found if (line.date, line.text) in today][:limit]


def _today(place: Place, folder: str) -> bytes:
    now = replace(place, rev="")
    if now.from_commit:
        return _blob(now, now.repository.resolve("HEAD")[1], folder) or b""
    top = _root(now)
    return (top / folder / LOG).read_bytes() if _is_journal(top, folder) else b""


def _said(log: bytes) -> set[tuple[str, str]]:
    from manent import journal

    return {(line.date, line.text) for line in journal.find_in(log, "", _ALL, regex=True)}


def as_rows(found: list[Line]) -> list[dict[str, Any]]:
    """Return the lines as the JSON document has them."""
    return [line._asdict() for line in found]


def print_lines(found: list[Line]) -> None:
    """Print the lines for people."""
    import click

    from manent.finding import inert

    for line in found:
        said = inert(f"#{line.number} {line.date} {line.text}")
        click.echo(f"{click.style(inert(line.path), bold=True)}  {said}")
