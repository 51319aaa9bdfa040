"""A path, command or script that the repository does not have.

**Why**: an agent that is sent to a file that is gone looks for it, or makes it anew.
Only what is plainly meant as a path of this repository counts, and only where there
is a repository to look in: patterns, placeholders, outputs, ignored files and what a
line says should be made are left alone. A folder weighs low: git keeps no empty one; so
does a tree of which most is not there, which may show something else.

**Flagged**

````markdown package.json
{"scripts": {"build": "tsc"}}
````

````markdown CLAUDE.md
Build with `npm run build`, then read `docs/absent.md`.
````

````markdown package.json
{"scripts": {"build": "tsc"}}
````

````markdown CLAUDE.md
Check with `npm run lint`.
````

````markdown package.json
{"scripts": {"build": "tsc"}}
````

````markdown CLAUDE.md
The splices are in src/splices.ts.
````

**Accepted**

````markdown package.json
{"scripts": {"build": "tsc"}}
````

````markdown docs/ropes.md
Splice with five tucks.
````

````markdown CLAUDE.md
Build with `npm run build`, read `docs/ropes.md`, and write new notes to
`docs/<topic>.md`, for example `docs/knots.md`. Output lands in `dist/out.js`.
````
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from manent import late
from manent.memfile.audited import MemoryFile, Survey
from manent.memfile.commands import Commands, surely
from manent.memfile.flaw import Flaw, Level
from manent.memfile.listings import Shelf, listings
from manent.memfile.places import exists
from manent.memfile.spans import Span, bare_paths, links
from manent.memfile.wording import any_of

ID = "MM006"
SEVERITY = Level.MED
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a path or command that is not there, once a file."""
    if not survey.is_repository or not survey.listing.complete:
        return
    tree = Tree(survey)
    commands = Commands(survey.root, survey.listing)
    for file in survey.files:
        if file.outside or file.role == "on-demand":
            continue
        said: set[str] = set()
        found = (*_paths(file, tree), *_commands(file, commands, tree), *_listed(file, tree))
        for line, message, hint in found:
            what = message.split(" ", 1)[1].removeprefix("to ").removeprefix("./")
            if what not in said:
                said.add(what)
                weighs = Level.LOW if what.split(",")[0].endswith("/") else SEVERITY
                yield Flaw(ID, weighs, file.name, line, line, message, hint)
        yield from _imagined(file, tree)


_GONE = "which is not there"
_MEND = "mend the path, or drop the line"


def _listed(file: MemoryFile, tree: Tree) -> Iterator[tuple[int, str, str]]:
    """Yield what a listing names in vain, where most of it is there."""
    for listed in listings(file.doc):
        there, absent = tree.shelf.judged(listed)
        if listed.elsewhere or len(there) < len(absent):
            continue
        for entry in absent:
            name = f"{entry.path}/" if entry.folder else entry.path
            line = file.doc.lines[entry.line - 1]
            if _is_meant(entry.path, tree) and not _SUPPOSED.search(line):
                yield entry.line, f"names {name}, {_GONE}", _MEND


def _imagined(file: MemoryFile, tree: Tree) -> Iterator[Flaw]:
    """Yield the listings of which most is not there: the tree as it was, or of something else."""
    for listed in listings(file.doc) if file.always else ():
        there, absent = tree.shelf.judged(listed)
        first = listed.block.start
        before = "".join(file.doc.lines[max(0, first - 4) : first - 1])
        if listed.elsewhere or len(there) >= len(absent) or _SUPPOSED.search(before):
            continue
        yield Flaw(
            ID,
            Level.LOW,
            file.name,
            first,
            listed.block.end,
            f"a {listed.kind} of which {len(absent)} entries are not there",
            "drop it, or say what it is the layout of",
        )


def _is_meant(path: str, tree: Tree) -> bool:
    return not (_is_placeholder(path, tree) or _comes_and_goes(path) or tree.leaves_out(path))


def _commands(file: MemoryFile, commands: Commands, tree: Tree) -> Iterator[tuple[int, str, str]]:
    for line, text, said in _command_lines(file):
        for what, missing in commands.missing(text):
            if (what == "script" and tree.has(file, missing)) or _SUPPOSED.search(said):
                continue
            kind = {"script": "runs", "target": "names"}[what]
            yield line, f"{kind} {missing}, which is not there", "mend the command, or drop it"


def _command_lines(file: MemoryFile) -> Iterator[tuple[int, str, str]]:
    """Yield (line, command, what is said of it): of shell fences, and of spans of some words."""
    for block in file.doc.blocks:
        if block.kind == "fence":
            shell = block.info.split(" ")[0].lower()
            lines = [
                (number, file.doc.lines[number - 1].strip())
                for number in range(block.start + 1, block.end)
            ]
            for number, line in lines if shell in SHELLS else surely(lines) if not shell else ():
                yield number, line.removeprefix("$ "), ""
    for span in file.codes:
        if " " in span.text:
            yield span.line, span.text, _sentence(file, span)


SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh"})


def _paths(file: MemoryFile, tree: Tree) -> Iterator[tuple[int, str, str]]:
    found = [(span, span.text, "link") for span in links(file.doc)]
    found += [(span, span.text, "code") for span in file.codes]
    found += [(span, span.text, "prose") for span in bare_paths(file.doc)]
    for span, text, kind in found:
        name = _name(text, kind, tree)
        if name is None or tree.has(file, name) or _SUPPOSED.search(_sentence(file, span)):
            continue
        if kind == "code" and "/" not in name and not _SENT.search(span.before):
            continue
        verb = "links to" if kind == "link" else "names"
        yield span.line, f"{verb} {name}, {_GONE}", _MEND


_PATH = late.pattern(
    r"(?:\./)?[\w.@+-]+(?:/[\w.@+()\[\]-]+)*\.(?P<ending>[A-Za-z][A-Za-z0-9]{0,7})"
)
_FOLDER = late.pattern(r"(?:\./)?[\w.-]+(?:/[\w.-]+)+/")
"""Two names at least: one by itself may be any folder anywhere."""

_PLACEHOLDER = late.pattern(
    r"(?i:(?:^|[/._-])(?:path|to|foo|bar|baz|qux|your|my|some|example|examples?|sample|name|new|old"
    r"|file|filename|xxx+|yyy+|nnn+|todo|dir|folder|module|component|feature|package|topic|slug|test"
    r"|version|date|yyyy.*|mm|dd|id)(?:[/._-]|$))|[A-Z]{4,}(?:/|-\w|\.(?!md))|\d{4}-\d\d"
)
_LETTER = late.pattern(r"(?i:(?:^|[/._-])[abxyn](?:[/._-]|$))")
"""A letter may be any file, unless the folder that it is put in is there."""
_ENDINGS = frozenset(
    """
    md mdc txt rst json jsonc yaml yml toml ini cfg py pyi js mjs cjs ts tsx jsx mts cts vue svelte
    go rs java kt rb php c h cc cpp hpp cs swift sh bash zsh ps1 sql graphql proto html css scss
    less ipynb lua ex exs erl hs scala clj dart tf nix zig
    """.split()
)

_IMAGES = frozenset("png jpg jpeg gif svg webp avif pdf mp4 drawio excalidraw".split())
"""What a link or an image shows; in a code span it is a name like any."""


def _is_placeholder(name: str, tree: Tree) -> bool:
    if _PLACEHOLDER.search(name):
        return True
    above = name.removeprefix("./").rstrip("/").rpartition("/")[0]
    return _LETTER.search(name) is not None and above not in tree.folders


def _name(text: str, kind: str, tree: Tree) -> str | None:
    """Return the path a link or a code span means, None where it means something else."""
    name = unquote(text.split("#")[0].split("?")[0]) if kind == "link" else text
    if name.startswith("@"):
        return None  # a package of a scope, or an import, which has a rule of its own
    if ":" in name and kind == "code":
        name = _LINE_NUMBER.sub("", name)
    if kind == "code" and _FOLDER.fullmatch(name):
        return None if _is_placeholder(name, tree) or _comes_and_goes(name) else name
    match = _PATH.fullmatch(name)
    endings = _ENDINGS | _IMAGES if kind == "link" else _ENDINGS
    if match is None or match["ending"].lower() not in endings or _is_placeholder(name, tree):
        return None
    return None if _comes_and_goes(name) else name


def _comes_and_goes(name: str) -> bool:
    """Tell an output, or a hidden file of one's own, from a file that should be there."""
    parts = PurePosixPath(name).parts
    return any(part in OUTPUTS for part in parts) or (len(parts) == 1 and parts[0][0] == ".")


_LINE_NUMBER = late.pattern(r":\d{1,6}(?:-\d{1,6})?$")

OUTPUTS = frozenset(
    """
    node_modules dist build out target coverage .venv venv __pycache__ .git .next .cache tmp temp
    logs log .env vendor generated output outputs artifacts .memory .claude .cursor site public
    bin obj
    """.split()
)
"""Folders whose content comes and goes, or is somebody's own."""

_SENT = late.pattern(
    r"(?i)\b(?:see|read|refer to|consult|follow|run|execute|check|described in)\W{1,4}$"
)

_SUPPOSED = late.pattern(
    r"(?i)\b"
    + any_of(r"""
        e\.g|for example|examples?|such as|like|create[sd]?|creating|new
        add(?:s|ed|ing)? (?:a|an|new)
        writes? (?:to|a|an|it|them|one)|written|generate[sd]?|produce[sd]?|emits?|outputs?|saved?
        if (?:it|they|present|any|there|you)|when present|optional|may|might|removed?|deleted?
        deprecated|renamed?|moved?|legacy|former|formerly|old|no longer|never|don't|do not|not
        instead of|would|hypothetical|placeholder|template|ignored|gitignored|untracked|local
        private|used to|was|were|upstream|external|another|other repo(?:sitory)?|sibling|downstream
        user'?s|imagine|suppose
    """)
    + r"\b"
)
"""Words near a path that make it something other than a file that should be there."""


def _sentence(file: MemoryFile, span: Span) -> str:
    line = file.doc.lines[span.line - 1]
    return line if len(line) < 600 else span.before[-200:]


class Tree:
    """The paths of a repository, to be asked for by their ends."""

    def __init__(self, survey: Survey) -> None:
        self.root = survey.root
        self.files = survey.listing.files
        self.folders = survey.listing.folders
        self.ends = {name.rpartition("/")[2] for name in self.files | self.folders}
        self.ignored = _ignored(survey.root)
        self.shelf = Shelf(survey.listing)

    def has(self, file: MemoryFile, name: str) -> bool:
        """Tell whether a file names something that is there, from wherever it may be meant."""
        bare = os.path.normpath(name).lstrip("/")
        if bare.startswith("..") and not exists(file.path.parent / name):
            target = Path(os.path.normpath(file.path.parent / name))
            return not target.is_relative_to(self.root)
        if bare in self.files or bare in self.folders or exists(file.path.parent / name):
            return True
        if self.leaves_out(bare):
            return True
        if PurePosixPath(bare).name not in self.ends:
            return False
        known = self.folders if name.endswith("/") else self.files
        return any(place.endswith(f"/{bare}") for place in known)

    def leaves_out(self, path: str) -> bool:
        """Tell whether git is told to ignore a path: what is not tracked is no fault."""
        return any(part in self.ignored for part in PurePosixPath(path).parts)


def _ignored(root: Path) -> set[str]:
    """Return the plain names of a root's ignore file: what is not tracked is no fault."""
    try:
        lines = (root / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return {
        part
        for line in lines
        if (name := line.strip().strip("/")) and name[0] not in "#!"
        for part in [name.rsplit("/", 1)[-1]]
    }
