"""Facts of a memory directory that an agent reorganises it by; no advice, nothing written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manent.memfile import workspace
from manent.memfile.document import Document, parse
from manent.memfile.hosts import fields
from manent.memfile.kinds import Judged, judged
from manent.memfile.operations import SHAPES
from manent.memfile.reorganize import markdown_files
from manent.memfile.triggers import triggers
from manent.tokens import estimate

_LEAST_BLOCK = 40
"""Characters below which a block said twice is no duplicate worth naming."""


def inventory(folder: Path, files: Sequence[str] | None, full: bool) -> dict[str, Any]:
    """Return what stands in the Markdown files of a folder.

    files: only these; those that are not there come back in ``unknownFiles``.
    full: with each section; otherwise counts alone.
    """
    there = markdown_files(folder)
    chosen = there if files is None else [name for name in there if name in set(files)]
    docs = {name: parse(workspace.read_inside(folder, name)) for name in chosen}
    words = dict(zip(docs, triggers([doc.text for doc in docs.values()]), strict=True))
    document: dict[str, Any] = {
        "files": [_file(name, doc, list(words[name]), full) for name, doc in docs.items()],
        "duplicates": _duplicates(docs),
    }
    if files is not None:
        document["unknownFiles"] = sorted(set(files) - set(there))
    return document


def _file(name: str, doc: Document, words: list[str], full: bool) -> dict[str, Any]:
    sections = judged(doc)
    facts: dict[str, Any] = {
        "file": name,
        "tokens": estimate(doc.text),
        "frontmatter": fields(doc),
        "keywords": words,
        "volatile": sum(1 for each in sections if each.volatile),
    }
    if full:
        facts["sections"] = [_section(each, doc) for each in sections]
    else:
        facts["sections"] = len(sections)
    return facts


def _section(judgement: Judged, doc: Document) -> dict[str, Any]:
    section = judgement.section
    return {
        "path": list(section.path),
        "lines": [section.start, section.own_end],
        "kind": judgement.kind,
        "tokens": estimate(doc.own(section)),
        "volatility": [{"what": sign.what, "line": sign.line} for sign in judgement.signs]
        if judgement.volatile
        else [],
    }


def _duplicates(docs: dict[str, Document]) -> list[list[dict[str, Any]]]:
    """Return the places of each block that stands word for word in more than one file."""
    places: dict[bytes, list[dict[str, Any]]] = {}
    for name, doc in docs.items():
        for block in doc.blocks:
            text = " ".join(doc.slice(block.start, block.end).split())
            if block.kind != "heading" and len(text) >= _LEAST_BLOCK:
                key = hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
                places.setdefault(key, []).append({"file": name, "line": block.start})
    several = [found for found in places.values() if len({place["file"] for place in found}) > 1]
    return several[:100]


def facts_text(document: dict[str, Any]) -> list[str]:
    """Return the facts in lines, and what an operation looks like."""
    lines = []
    for each in document["files"]:
        lines.append(f"{each['file']} ({each['tokens']} tokens): {', '.join(each['keywords'])}")
        lines.extend(f"  {key}: {value}" for key, value in each["frontmatter"].items())
        for section in each["sections"]:
            signs = ", ".join(f"{s['what']} line {s['line']}" for s in section["volatility"])
            first, last = section["lines"]
            where = " > ".join(section["path"]) or "(no heading)"
            said = f"; changes: {signs}" if signs else ""
            lines.append(f"  {first}-{last} {section['kind']} {where}{said}")
    for found in document["duplicates"]:
        lines.append("the same: " + ", ".join(f"{p['file']}:{p['line']}" for p in found))
    return [*lines, "ops, all or nothing, after a backup:", *(f"  {shape}" for shape in SHAPES)]
