"""Which commands of a memory file name scripts and targets, and whether those are there."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from manent import late
from manent.memfile.hosts import Listing

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
        for words in simple_commands(text):
            for name in self._targets(words[0], words[1:]):
                yield "target", f"`{name}`"
            if _WRAPPER.fullmatch(words[0]):
                yield "script", words[0]
        for match in _SCRIPT.finditer(text):
            if not _FENCED.search(match["path"]):
                yield "script", match["path"]

    def _targets(self, program: str, words: Sequence[str]) -> Iterator[str]:
        """Yield the calls of a runner for something that it does not know."""
        if program in ("make", "gmake"):
            yield from self._make(words)
        elif program == "just":
            name = next((w for w in words if not w.startswith("-")), "")
            plain = _PLAIN.fullmatch(name) and not any(w.startswith("-") for w in words[:1])
            if plain and self.recipes is not None and name not in self.recipes:
                yield f"just {name}"
        elif program in ("npm", "pnpm", "yarn", "bun"):
            yield from self._node(program, words)

    def _make(self, words: Sequence[str]) -> Iterator[str]:
        """Yield what is asked of ``make`` and stands in no makefile it would read."""
        call = _made(words)
        if call is None or not call.targets:
            return
        known = self.targets if not call.place else self._made_in(call.place)
        if known is None:
            return
        for name in call.targets:
            if not _is_target(name):
                return
            if name not in known and name not in self.listing.files:
                yield f"make {call.place}{name}"

    def _made_in(self, place: str) -> set[str] | None:
        """Return the targets of the makefile that ``-C`` or ``-f`` names; None where unknown."""
        flag, _, name = place.strip().partition(" ")
        path = posixpath.normpath(name)
        if flag == "-f":
            names = [path] if path in self.listing.files else []
        else:
            names = [n for kind in _MAKEFILES if (n := f"{path}/{kind}") in self.listing.files]
        if not names and flag == "-C" and path in self.listing.folders:
            made = any(self._named(name) for name in ("CMakeLists.txt", "configure.ac"))
            return None if made else set()
        return self._targets_of(names) if names else None

    def _node(self, tool: str, words: Sequence[str]) -> Iterator[str]:
        """Yield the script that a package manager is asked for and no package has."""
        operands = _operands(words, _VALUED[tool])
        if operands[:1] in (["workspace"], ["workspaces"]):
            return
        said = bool(operands) and operands[0] in ("run", "run-script")
        name = operands[1] if said and len(operands) > 1 else operands[0] if operands else ""
        if not _SCRIPT_NAME.fullmatch(name) or not self._runs(tool):
            return
        if not said and not _is_script(tool, name):
            return
        if not self._knows(name):
            yield f"{tool} run {name}" if said else f"{tool} {name}"

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
        names = [n for kind in _MAKEFILES for n in self._named(kind)]
        names += [name for name in self.listing.files if name.endswith(".mk")]
        if not names and any(self._named(name) for name in ("CMakeLists.txt", "configure.ac")):
            return None
        return self._targets_of(names)

    def _targets_of(self, names: Sequence[str]) -> set[str] | None:
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


class _Made(NamedTuple):
    """A call of ``make``. place: the ``-C`` or ``-f`` it names, a space after it, or nothing."""

    place: str
    targets: list[str]


def _made(words: Sequence[str]) -> _Made | None:
    """Return what a call of ``make`` is for; None where it makes nothing, or nobody can tell."""
    place, targets = "", []
    rest = iter(words)
    for word in rest:
        if word == "--":
            continue
        if word.startswith("-"):
            if word in _MAKE_SAYS:
                return None
            name, equals, value = word.partition("=")
            if name in _MAKE_VALUED and not equals:
                value = next(rest, "")
            elif word[:2] in ("-C", "-f") and len(word) > 2:
                name, value = word[:2], word[2:]
            if name in _MAKE_PLACES:
                if place or _FENCED.search(value):
                    return None
                place = f"{_MAKE_PLACES[name]} {value} "
            continue
        if _FENCED.search(word) or "/" in word:
            return None
        if _COUNT.fullmatch(word) or "=" in word:
            continue
        targets.append(word)
    return _Made(place, targets)


_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_MAKE_PLACES = {
    **dict.fromkeys(("-C", "--directory"), "-C"),
    **dict.fromkeys(("-f", "--file", "--makefile"), "-f"),
}
_MAKE_VALUED = frozenset(
    "-C --directory -f --file --makefile -I --include-dir -o --old-file --assume-old -W --what-if"
    " --new-file --assume-new --eval -E".split()
)
"""Options that take the word after them; others have their value joined to them, or none."""
_MAKE_SAYS = frozenset({"-h", "--help", "-v", "--version"})
_COUNT = late.pattern(r"\d+(?:\.\d+)?")
"""What ``-j`` or ``-l`` may have after a space, and no target is called."""

_SEPARATOR = late.pattern(r"&&|\|\||[;|&()\n]|(?<!\S)(?:then|do|else)(?=\s)")
_BEFORE = frozenset("$ % > sudo time env exec nohup command if while ! nice xvfb-run".split())
"""What may stand before the program of a command."""
_ASSIGNED = late.pattern(r"[A-Za-z_]\w*=\S*")
_SUBSTITUTED = late.pattern(r"\$\([^()]{0,200}\)|`[^`]{0,200}`|\$\{[^{}]{0,200}\}")


def simple_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command in a line, its program first; what is substituted is ``$``.

    ``VAR=x sudo make test && npm t`` gives ``make test`` and ``npm t``; ``bash -c "…"`` is
    read for what it runs.
    """
    for part in _SEPARATOR.split(_SUBSTITUTED.sub("$", text)):
        words = [word for raw in part.split() if (word := raw.strip("\"'")) and word != "\\"]
        at = 0
        while at < len(words) and (words[at] in _BEFORE or _ASSIGNED.fullmatch(words[at])):
            at += 1
        if words[at : at + 1] and words[at] in _SHELLS and "-c" in words[at + 1 : at + 3]:
            at = words.index("-c", at) + 1
        if at < len(words):
            yield words[at:]


_SHELLS = ("bash", "sh", "zsh")

_PROGRAMS = frozenset(
    """
    npm npx pnpm yarn bun bunx node make gmake just python python3 pip pip3 uv uvx poetry pipenv
    pytest ruff mypy tox nox cargo rustup go dotnet mvn gradle ./gradlew ./mvnw bundle rake rails
    composer php docker docker-compose kubectl helm terraform git gh cd export source bash sh zsh
    curl wget brew apt apt-get sudo mkdir cp mv rm ls cat echo chmod touch ln grep rg find sed make
    cmake ctest ninja bazel mix swift xcodebuild flutter dart deno turbo nx pre-commit direnv
    """.split()
)


def surely(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return those lines of a fence that names no language which are certainly commands.

    Those after a ``$ ``; or all, where each begins with a program that people run by hand.
    """
    prompted = [(number, line) for number, line in lines if line.startswith("$ ")]
    if prompted:
        return prompted
    found, goes_on = [], False
    for number, line in lines:
        if line and not line.startswith("#") and not goes_on:
            words = next(simple_commands(line), [])
            if not words or (words[0] not in _PROGRAMS and not words[0].startswith("./")):
                return []
            found.append((number, line))
        goes_on = line.endswith("\\")
    return found


_VALUED = {
    "npm": frozenset({"--prefix", "-w", "--workspace", "-C", "--loglevel"}),
    "pnpm": frozenset({"--filter", "-F", "-C", "--dir", "--loglevel", "--workspace-concurrency"}),
    "yarn": frozenset({"--cwd"}),
    "bun": frozenset({"--cwd", "--filter", "-F"}),
}


def _operands(words: Sequence[str], valued: frozenset[str]) -> list[str]:
    """Return the words that are no options and no values of theirs."""
    found, rest = [], iter(words)
    for word in rest:
        if word == "--":
            break
        if word in valued:
            next(rest, None)
        elif not word.startswith("-"):
            found.append(word)
    return found


_PLAIN = late.pattern(r"[A-Za-z][\w-]*")
_SCRIPT_NAME = late.pattern(r"[A-Za-z][\w:.-]*")
_USUAL_SCRIPTS = frozenset(
    """
    lint build dev format typecheck type-check e2e release clean coverage generate migrate seed
    watch preview docs bench validate verify lint-fix format-check test-unit test-e2e
    """.split()
)
"""What projects call their scripts, and no program that a dependency brings is called."""


def _is_script(tool: str, name: str) -> bool:
    """Tell a script that is called without ``run`` from a command, or a dependency's program."""
    if tool in ("npm", "bun"):
        return tool == "npm" and name == "test"
    return ":" in name or name == "test" or name in _USUAL_SCRIPTS


_WRAPPER = late.pattern(
    r"\./(?:gradlew|mvnw|(?:[\w.-]+/){0,4}(?:scripts?|tools|hack|ci)/[A-Za-z][\w-]*)"
)
"""A program of the repository's own, without an ending, that no build makes."""


def _is_target(name: str) -> bool:
    """Tell a target from the words after ``make`` in a sentence."""
    return name not in _AFTER_MAKE and _TARGET.fullmatch(name) is not None


_TARGET = late.pattern(r"[A-Za-z0-9_][\w.+-]*")
_AFTER_MAKE = frozenset(
    "sure it the a an this that these those them any your and or then to for with in is not".split()
)
