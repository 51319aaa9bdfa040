"""Which commands of a memory file name scripts and targets, and whether those are there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from manent import late
from manent.memfile.hosts import Listing

_NODE = late.pattern(
    r"(?<![\w-])(?P<tool>npm|pnpm|yarn|bun)(?P<flags>(?:\s+(?:-{1,2}[\w-]+(?:[= ][\w@./*-]+)?))*)"
    r"\s+(?P<run>run(?:-script)?\s+)?(?P<name>[A-Za-z][\w:.-]*)"
)
_MAKE = late.pattern(r"(?<![\w./-])make((?:\s+[\w.-]+)+)")
_JUST = late.pattern(r"(?:^|&&\s*|;\s*)just\s+([A-Za-z][\w-]*)")
_SCRIPT = late.pattern(
    r"(?:(?<![\w./-])(?:python3?|bash|sh|zsh|node|bun|deno run|ruby|php|source|tsx|ts-node)\s+"
    r"(?:-[a-zA-Z]\s+)?|(?:^|&&\s*|;\s*|\|\s*)(?=\./))"
    r"(?P<path>(?:\./)?[\w.-]+(?:/[\w.-]+)*\.(?:sh|py|js|mjs|cjs|ts|rb|php|bash))"
    r"(?![\w/*<{])"
)
_FENCED = late.pattern(r"[<>{}$*…]|\.\.\.|\bpath/to\b|\b(?:your|my|example|foo|bar)\b")

_MOST_BYTES = 1 << 20


class Commands:
    """What a repository's own runners know."""

    def __init__(self, root: Path, listing: Listing) -> None:
        self.root = root
        self.listing = listing

    def missing(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield (script or target, what it is called) of what a command needs and is not there.

        A ``cd`` before it, or a placeholder in it, makes it anybody's guess.
        """
        if text.lstrip().startswith("#") or "cd " in text:
            return
        text = text.split(" #")[0]
        for match in _NODE.finditer(text):
            if match["run"] and self._runs(match["tool"]) and not self._knows(match["name"]):
                yield "target", f"`{match['tool']} run {match['name']}`"
        for match in _MAKE.finditer(text):
            name = match[1].split()[0]
            if self.targets is not None and _is_target(name) and name not in self.targets:
                yield "target", f"`make {name}`"
        for match in _JUST.finditer(text):
            if self.recipes is not None and match[1] not in self.recipes:
                yield "target", f"`just {match[1]}`"
        for match in _SCRIPT.finditer(text):
            if not _FENCED.search(match["path"]):
                yield "script", match["path"]

    def _runs(self, tool: str) -> bool:
        """Tell whether what is missing can be told: bun and workspaces know more than scripts."""
        return bool(self.scripts) or (tool != "bun" and not self._packages)

    @cached_property
    def _packages(self) -> list[str]:
        return self._named("package.json")

    def _knows(self, name: str) -> bool:
        return (
            name in self.scripts
            or any(mark in name for mark in "*<[")
            or (name.endswith((":", "-", ".")))
        )

    @cached_property
    def scripts(self) -> set[str]:
        """The scripts of every ``package.json`` below the root."""
        found: set[str] = set()
        for name in self._packages:
            try:
                document = json.loads(self._text(name))
                found.update(document["scripts"])
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
        return found

    @cached_property
    def targets(self) -> set[str] | None:
        """The targets of every makefile; None where they cannot be known: included, or made."""
        names = [n for kind in ("Makefile", "makefile", "GNUmakefile") for n in self._named(kind)]
        names += [name for name in self.listing.files if name.endswith(".mk")]
        if not names and any(self._named(name) for name in ("CMakeLists.txt", "configure.ac")):
            return None
        found: set[str] = set()
        for name in names:
            text = self._text(name)
            found.update(t for m in _RULE.finditer(text) for t in m[1].split())
            if _OPEN_ENDED.search(text):
                return None
        return found

    @cached_property
    def recipes(self) -> set[str] | None:
        """The recipes of every justfile; None where one imports others."""
        names = [n for kind in ("justfile", "Justfile", ".justfile") for n in self._named(kind)]
        texts = [self._text(name) for name in names]
        if any(_IMPORTS.search(text) for text in texts):
            return None
        return {m[1] for text in texts for m in _RECIPE.finditer(text)}

    def _named(self, name: str) -> list[str]:
        return sorted(n for n in self.listing.files if n == name or n.endswith(f"/{name}"))

    def _text(self, name: str) -> str:
        try:
            with (self.root / name).open("rb") as stream:
                return stream.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""


_RULE = late.pattern(r"^([A-Za-z0-9_.][^:=#\t\n]{0,200}?)\s*::?(?!=)", 8)
_OPEN_ENDED = late.pattern(r"^(?:-?include|sinclude)\b|^[^#\t\n]{0,200}%[^:\n]{0,100}:|^\$\(", 8)
_RECIPE = late.pattern(r"^(?:alias\s+)?@?([A-Za-z_][\w-]*)(?:\s[^:\n]{0,200})?\s*:", 8)
_IMPORTS = late.pattern(r"^(?:import|mod)\b", 8)


def _is_target(name: str) -> bool:
    """Tell a target from the words after ``make`` in a sentence, and from an assignment."""
    return name not in ("sure", "it", "the", "a", "an", "this", "that", "them") and "=" not in name
