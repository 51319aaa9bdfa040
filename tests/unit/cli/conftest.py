"""A small vault in a folder, and an agents file beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from vaults import note, write

FILES = {
    "MEMORY.md": "---\nname: MEMORY\ndescription: The index\ntype: index\n---\n- [[port-map]]\n",
    "memory/port-map.md": note(
        "port-map", "Which port.\n\nThe ferry [[ferry]].", audience="[team]"
    ),
    "memory/ferry.md": note("ferry", "The ferry leaves at nine.", audience="[team, public]"),
    "memory/wages.md": note("wages", "What the ferry pays. [[ferry]]"),
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Four notes in a plain folder."""
    return write(tmp_path / "vault", FILES)


@pytest.fixture
def agents(tmp_path: Path) -> str:
    """An agents file with one agent, tide, that reads team."""
    file = tmp_path / "agents.json"
    file.write_text(json.dumps({"tide": {"read": ["team"]}}))
    return str(file)
