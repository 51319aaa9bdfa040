"""Labelled lines: our own, made or written, and those of the shared data where they are.

A line is a dict with ``id``, ``text``, ``label`` and ``kind``; our own also have
``lang`` and ``split`` (``rules``: seen while rules were written; ``report``: kept
for the report). Made lines come from ``eval/scan/make_FAMILY.py``, written ones
from ``eval/scan/sets/FAMILY*.jsonl``.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import lzma
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SEED = 20261130
"""The seed of the made lines that the baseline and the tables are about."""

FAMILIES = ("pii", "secret", "injection")
MADE = {"pii": "make_pii", "secret": "make_secrets", "injection": "make_injection"}
SHARED = {"pii": "pii", "secret": "secrets", "injection": "injection"}

POLICY = frozenset(
    {
        "mention_quoted",
        "security_writing_may_quote_payload",
        "agent_instructions_legit",
        "reserved_fictional_phone",
        "masked_card",
    }
)
"""Kinds whose right verdict is a choice: reported apart, each with a decision record."""


@dataclass(frozen=True, slots=True)
class Line:
    """One labelled text. guilty: whether it should be refused."""

    id: str
    text: str
    guilty: bool
    kind: str
    lang: str = ""

    @property
    def apart(self) -> bool:
        """Whether its kind is reported apart: a policy, or a task without a lexical cue."""
        return self.kind in POLICY or self.kind.startswith("hard_")


def line(raw: dict[str, Any]) -> Line:
    """Return a raw line as a Line. Labels for the innocent are ``clean`` and ``benign``."""
    guilty = raw["label"] not in ("clean", "benign")
    return Line(str(raw["id"]), raw["text"], guilty, raw["kind"], raw.get("lang", ""))


def own(family: str, split: str = "report", seed: int = SEED) -> list[Line]:
    """Return our own lines of a family: what exists of made and written ones."""
    return [line(raw) for raw in _own(family, seed) if raw.get("split", "report") == split]


def _own(family: str, seed: int) -> Iterator[dict[str, Any]]:
    name = f"eval.scan.{MADE[family]}"
    if importlib.util.find_spec(name):
        yield from importlib.import_module(name).lines(seed)
    for path in sorted((HERE / "sets").glob(f"{family}*.jsonl")):
        yield from _jsonl(path.read_text(encoding="utf-8").splitlines())


def shared(family: str, data: Path) -> list[Line]:
    """Return the shared lines of a family; none where the folder has none."""
    return [line(raw) for raw in _packed(data / f"{SHARED[family]}.jsonl.xz")]


def documents(data: Path | None) -> list[Line]:
    """Return whole benign documents: the shared ones, or the fixture vault's notes."""
    if data and (data / "benign.jsonl.xz").exists():
        return [line(raw) for raw in _packed(data / "benign.jsonl.xz")]
    vault = HERE.parent.parent / "fixture-vault"
    notes = sorted(vault.rglob("*.md"))
    return [Line(str(p.relative_to(vault)), p.read_text("utf-8"), False, "note") for p in notes]


def vaults(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield vault, path and text of every text file in the shared public vaults."""
    for path in sorted((data.parent / "vaults").glob("*.tar.xz")):
        with tarfile.open(path) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isfile() and member.size else None
                if file:
                    text = file.read().decode("utf-8", "replace")
                    yield path.name.removesuffix(".tar.xz"), member.name, text


def _packed(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with lzma.open(path, "rt", encoding="utf-8") as file:
            yield from _jsonl(file)


def _jsonl(rows: Iterable[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        if row.strip():
            yield json.loads(row)
