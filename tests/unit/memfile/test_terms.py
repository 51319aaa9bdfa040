"""What a server's client is told: nothing about commands and options it does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from manent import memfile
from manent.memfile.terms import terms
from manent.memfile.tools import definitions

ROOM = Path(memfile.__file__).parent

WRITTEN_FOR_SHELLS = {"guidance.py", "protocol.py"}
"""Texts that are written into memory files, for agents that have a shell."""

AT_LAUNCH = ("launch it with --include-auto-memory", "a server launched with --allow-write")
"""What only the person who starts the server can do."""

_OF_A_SHELL = re.compile(r"(?<![\w-])--[a-z]|manent memory")


def _sayings() -> Iterator[object]:
    """Yield every string of the room that names a command or an option, docstrings left out."""
    for path in sorted(ROOM.rglob("*.py")):
        if path.name in WRITTEN_FOR_SHELLS | {"terms.py"}:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own: set[ast.AST] = {n.value for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        pieces = {p for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for p in n.values}
        for node in ast.walk(tree):
            text = "" if node in own | pieces else _text_of(node)
            # A row of options alone is a table of other programs', and said to nobody.
            if _OF_A_SHELL.search(text) and not all(w.startswith("-") for w in text.split()):
                yield pytest.param(text, id=f"{path.stem}-{text[:20]}")


def _text_of(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.Constant) else "X" for p in node.values]
        return "".join(map(str, parts))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _sets() -> list[tuple[str, ...]]:
    found = []
    for writing in (False, True):
        for state in ("plain", "compiled", "directory"):
            found.append(tuple(t["name"] for t in definitions("basic", state, writing)))
        found.append(tuple(t["name"] for t in definitions("full", "plain", writing)))
    return found


@pytest.mark.parametrize("text", list(_sayings()))
@pytest.mark.parametrize("tools", _sets(), ids="-".join)
def test_nothing_is_said_of_a_shell(text: str, tools: tuple[str, ...]) -> None:
    said = terms(tools).say(text)
    if not any(known in said for known in AT_LAUNCH):
        assert not _OF_A_SHELL.search(said) or "on the command line" in said
    for name in re.findall(r"`([a-z]+)`", said):
        assert name in tools


def test_the_sayings_are_found() -> None:
    assert len(list(_sayings())) > 10


def test_documents_are_told_by_their_keys() -> None:
    quoted = "would write (add --write):"
    found = terms(("check", "optimize")).say_all(
        {"findings": [{"hint": quoted, "text": quoted}], "remarks": [quoted], "n": 1}
    )
    assert found["findings"] == [{"hint": "would write:", "text": quoted}]
    assert found["remarks"] == ["would write:"] and found["n"] == 1
