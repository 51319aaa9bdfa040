"""What an audit looks at: the memory files under a path, and what each session loads.

The host's file counts, with all that ``@path`` pulls in as Claude Code resolves it:
relative to the file it stands in, five hops deep, nothing inside code. A file that
only points to another one counts with the one it points to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path, PurePosixPath

from manent import late
from manent.errors import EnvironmentFault
from manent.memfile import hosts, workspace
from manent.memfile.document import Document, parse
from manent.memfile.kinds import Judged, judged
from manent.memfile.pieces import text_of
from manent.memfile.spans import Span, codes, links, mentions, without_code
from manent.tokens import Count, estimate

DEEPEST = 5
"""Hops of ``@import`` that Claude Code follows."""

LARGEST = 16 << 20
"""Bytes of a file that are audited at most; a larger one is no memory file."""

READABLE = frozenset(
    ".md .mdc .markdown .txt .rst .json .jsonc .yaml .yml .toml .xml .csv .ini .cfg .py .js .ts"
    " .tsx .jsx .sh .go .rs .java .rb .php .c .h .cpp .sql .graphql .proto .html .css .env".split()
)
"""Endings of files an import takes in; others are skipped as binary."""

PROSE = frozenset({".md", ".mdc", ".markdown", ".txt", ""})


@dataclass
class MemoryFile:
    """One audited file.

    name: relative to the root with ``/``, or the whole path where it lies outside.
    role: host, rule, nested, import, pointed, index, topic, on-demand or file.
    hosts: who loads it with every session; empty where nobody does.
    loaded: how many of its lines they load. by: the file that pulled it in, "" for none.
    """

    path: Path
    name: str
    role: str
    doc: Document
    hosts: set[str] = field(default_factory=set)
    loaded: int = 0
    by: str = ""
    outside: bool = False

    @property
    def always(self) -> bool:
        """Whether some host loads it with every session."""
        return bool(self.hosts)

    @property
    def charged(self) -> str:
        """The text that is loaded."""
        return self.doc.slice(1, self.loaded)

    @cached_property
    def codes(self) -> list[Span]:
        """Its code spans."""
        return list(codes(self.doc))

    @cached_property
    def line_ends(self) -> list[int]:
        """Characters up to the end of each line, from 0 on."""
        return [0, *accumulate(len(line) for line in self.doc.lines)]

    @cached_property
    def judged(self) -> list[Judged]:
        """Its sections, judged."""
        return judged(self.doc)


@dataclass(frozen=True, slots=True)
class ImportFault:
    """An import that does not load. what: broken, circular, outside, home or deep."""

    file: str
    line: int
    what: str
    target: str


@dataclass
class Survey:
    """Everything the rules are shown.

    root: what paths are relative to. files: in the order in which they are read.
    index: the file that leads into a memory directory. workspace: the compiled
    one, if any; damaged: why it cannot be read.
    """

    root: Path
    files: list[MemoryFile] = field(default_factory=list)
    faults: list[ImportFault] = field(default_factory=list)
    listing: hosts.Listing = field(default_factory=hosts.Listing)
    index: MemoryFile | None = None
    workspace: workspace.Workspace | None = None
    damaged: str = ""
    count: Count = estimate
    budget: int = 2000
    _counts: dict[tuple[Path, int], int] = field(default_factory=dict)

    def tokens(self, file: MemoryFile) -> int:
        """Return what a session pays for a file: its loaded part."""
        if file.loaded >= len(file.doc.lines):
            return self.whole(file)
        return self._counted(file, file.loaded)

    def whole(self, file: MemoryFile) -> int:
        """Return the tokens of a whole file."""
        return self._counted(file, len(file.doc.lines))

    def _counted(self, file: MemoryFile, lines: int) -> int:
        key = (file.path, lines)
        if key not in self._counts:
            self._counts[key] = self.count(file.doc.slice(1, lines))
        return self._counts[key]

    def tokens_from(self, file: MemoryFile, line: int) -> int:
        """Return the tokens from a line to the end of what is loaded, by its share of the text."""
        lengths = file.line_ends
        loaded = lengths[file.loaded]
        rest = loaded - lengths[max(0, min(line, file.loaded) - 1)]
        return round(self.tokens(file) * rest / loaded) if loaded else 0

    def prefixes(self) -> dict[str, int]:
        """Return the always-loaded tokens of each host that loads something."""
        totals: dict[str, int] = {}
        for file in self.files:
            spent = self.tokens(file) if file.always else 0
            for host in sorted(file.hosts):
                totals[host] = totals.get(host, 0) + spent
        return dict(sorted(totals.items()))

    @cached_property
    def is_repository(self) -> bool:
        """Whether the root holds a project, so that what it lacks is worth saying."""
        if (self.root / ".git").exists() or self.listing.files & _MANIFESTS:
            return True
        return any(PurePosixPath(name).suffix not in _MEMORY_ENDINGS for name in self.listing.files)


_MEMORY_ENDINGS = frozenset({".md", ".mdc", ".markdown", ".txt", ""})
"""A folder that holds nothing else is a collection of memory files, not a project."""

_MANIFESTS = frozenset(
    """
    package.json pyproject.toml setup.py setup.cfg requirements.txt Cargo.toml go.mod Makefile
    pom.xml build.gradle build.gradle.kts composer.json Gemfile mix.exs CMakeLists.txt deno.json
    justfile pubspec.yaml Package.swift Dockerfile tsconfig.json flake.nix Pipfile
    """.split()
)


def read(path: Path) -> bytes:
    """Return a regular file's bytes. Raises EnvironmentFault for anything else."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise EnvironmentFault(f"{path} is no file")
        if found.st_size > LARGEST:
            raise EnvironmentFault(f"{path} is larger than {LARGEST >> 20} MB")
        return path.read_bytes()
    except OSError as fault:
        raise EnvironmentFault(f"{path} cannot be read: {fault.strerror}") from None


def survey(
    path: Path,
    *,
    claude: Path | None = None,
    home: Path | None = None,
    external: bool = True,
    count: Count = estimate,
    budget: int = 2000,
) -> Survey:
    """Find the memory files under a path, or one file, with all that loads with them.

    claude: Claude Code's configuration folder, to find its auto-memory of the
    project; None leaves it out. home: what ``~`` in an import means. external:
    follow imports out of the root. Raises EnvironmentFault where there is nothing.
    """
    if not path.exists():
        raise EnvironmentFault(f"{path} does not exist")
    root = _root_of(path) if path.is_file() else path.resolve()
    found = Survey(root, count=count, budget=budget)
    if path.is_dir() or _is_project(root):
        found.listing = hosts.listed(root)
    gathering = _Gathering(found, home, external)
    if path.is_file():
        gathering.one(path.parent.resolve() / path.name)
    else:
        gathering.folder()
        if claude is not None:
            gathering.auto(hosts.auto_memory(claude, root))
    return found


def _is_project(root: Path) -> bool:
    """Tell a project's root from any folder a file may lie in, which is not worth a walk."""
    return (root / ".git").exists() or any((root / name).exists() for name in _MANIFESTS)


def _root_of(file: Path) -> Path:
    """Return the project a file stands in: up to a repository, else its own folder."""
    here = file.parent.resolve()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return folder
    if here.name in (".claude", ".github", ".cursor"):
        return here.parent
    return here


class _Gathering:
    """Collects files into a survey, each once."""

    def __init__(self, found: Survey, home: Path | None, external: bool) -> None:
        self.found = found
        self.home = home
        self.external = external
        self.known: dict[Path, MemoryFile] = {}
        self.places: dict[tuple[Path, str], Path | None] = {}
        self.said: set[ImportFault] = set()

    def add(self, path: Path, role: str, by: str = "") -> MemoryFile | None:
        """Take a file in; None where it cannot be read. A file known already is returned."""
        real = path.resolve()
        if real in self.known:
            return self.known[real]
        try:
            doc = parse(read(real))
        except EnvironmentFault:
            return None
        outside = not real.is_relative_to(self.found.root)
        named = path if path.is_relative_to(self.found.root) else real
        name = (
            named.relative_to(self.found.root).as_posix()
            if named.is_relative_to(self.found.root)
            else str(real)
        )
        file = MemoryFile(real, name, role, doc, by=by, outside=outside)
        self.known[real] = file
        self.found.files.append(file)
        return file

    def one(self, path: Path) -> None:
        """Take one file, what it imports, and its workspace where it is a stub."""
        file = self.add(path, "host" if _is_host(self.found.root, path) else "file")
        if file is None:
            read(path)  # says why
            raise EnvironmentFault(f"{path} cannot be read")
        if file.name.endswith(".mdc") and not hosts.is_always(file.name, file.doc):
            file.loaded = 0
            return
        host = _host_name(file.name)
        file.loaded = len(file.doc.lines)
        self.load(file, host)
        if path.name == "MEMORY.md":
            file.role = "index"
            self.found.index = file
        self.compiled(path.parent, path.name)

    def folder(self) -> None:
        """Take the files of every host, or else the folder as a memory directory."""
        entries = hosts.host_files(self.found.listing)
        overridden = "AGENTS.override.md" in self.found.listing.files
        for entry in entries:
            role = "nested" if entry.nested else "host" if _plain(entry.name) else "rule"
            file = self.add(self.found.root / entry.name, role)
            if file is None:
                continue
            always = entry.always and (role != "rule" or hosts.is_always(entry.name, file.doc))
            if entry.name == "AGENTS.md" and overridden:
                always = False
            for host in entry.hosts if always else ():
                file.loaded = max(
                    file.loaded, hosts.loaded_lines(entry.name, file.doc, entry.hosts, False)
                )
                self.load(file, host)
            if not always:
                self.load(file, "")
        for beside in ("", ".claude", ".github"):
            if self.found.workspace is None:
                self.compiled(self.found.root / beside)
        rooted = any(not entry.nested for entry in entries)
        self.directory(rooted)

    def directory(self, hosted: bool) -> None:
        """Take an index, and the topic files beside it where the folder is a memory directory."""
        root, files = self.found.root, self.found.listing.files
        alone = hosted or _is_vault(self.found) or bool(files & _MANIFESTS)
        alone = alone or (self.found.is_repository and not files & {"MEMORY.md", "index.md"})
        names = INDEX_ALONE if alone else hosts.INDEXES
        name = next((n for n in names if n in files), None)
        if name is not None and name != "README.md":
            self.index(root / name, auto=_is_auto(root))
        elif name is not None and not self.found.files:
            self.found.index = self.add(root / name, "index")
        if alone:
            return
        for topic in sorted(files):
            if PurePosixPath(topic).suffix in (".md", ".mdc"):
                file = self.add(root / topic, "topic" if self.found.index else "file")
                if file is not None and topic.endswith(".mdc") and hosts.is_always(topic, file.doc):
                    file.loaded = len(file.doc.lines)
                    self.load(file, "cursor")

    def auto(self, folder: Path) -> None:
        """Take Claude Code's auto-memory of the project: its index charged, its topics not."""
        if not (folder / "MEMORY.md").is_file():
            return
        self.index(folder / "MEMORY.md", auto=True)
        for path in sorted(folder.rglob("*.md")):
            inside = path.relative_to(folder).parts
            if path.name != "README.md" and inside[0] != "archive":
                self.add(path, "topic")

    def index(self, path: Path, auto: bool = False) -> None:
        file = self.add(path, "index")
        if file is None:
            return
        file.role = "index"
        self.found.index = self.found.index or file
        file.loaded = hosts.loaded_lines(path.name, file.doc, ("memory",), auto)
        self.load(file, "claude" if auto else "memory")

    def compiled(self, folder: Path, name: str = "") -> None:
        """Take the on-demand files of a compiled workspace; they are not charged."""
        try:
            found = workspace.find(folder)
        except EnvironmentFault as fault:
            self.found.damaged = str(fault)
            return
        if found is None or (name and found.manifest.source.name != name):
            return
        self.found.workspace = found
        for path in found.on_demand():
            self.on_demand(found, path)

    def on_demand(self, found: workspace.Workspace, path: str) -> None:
        """Take an on-demand file in as the Markdown it is, or stands for."""
        if path.endswith(".md"):
            self.add(found.folder / path, "on-demand")
            return
        try:
            doc = parse(text_of(found, path))
        except EnvironmentFault:
            return
        real = (found.folder / path).resolve()
        name = real.relative_to(self.found.root).as_posix()
        self.known[real] = MemoryFile(real, name, "on-demand", doc)
        self.found.files.append(self.known[real])

    def load(self, file: MemoryFile, host: str, trail: tuple[Path, ...] = ()) -> None:
        """Charge a file to a host and follow what it imports; "" follows without charging."""
        if host and host in file.hosts:
            return
        if host:
            file.hosts.add(host)
            file.loaded = file.loaded or len(file.doc.lines)
        trail = (*trail, file.path)
        if host == "copilot" or file.path.suffix not in PROSE:
            return
        for mention in mentions(file.doc):
            self._import(file, mention, host, trail)
        target = None if file.path.name in hosts.INDEXES else _pointed(self.found, file)
        if target is not None and target.resolve() not in trail:
            pointed = self.add(target, "pointed", file.name)
            if pointed is not None:
                self.load(pointed, host, trail)

    def _import(self, file: MemoryFile, mention: Span, host: str, trail: tuple[Path, ...]) -> None:
        target = self.resolved(file, mention.text)
        if target is None:
            if _looks_like_file(mention.text):
                self.fault(file, mention, "broken")
            return
        if target.suffix.lower() not in READABLE and target.suffix:
            return
        real = target.resolve()
        if real in trail:
            self.fault(file, mention, "circular")
        elif len(trail) > DEEPEST:
            self.fault(file, mention, "deep")
        else:
            outside = not real.is_relative_to(self.found.root)
            if outside:
                self.fault(file, mention, "home" if mention.text.startswith("~") else "outside")
            if outside and not self.external:
                return
            imported = self.add(target, "import", file.name)
            if imported is not None:
                self.load(imported, host, trail)

    def fault(self, file: MemoryFile, mention: Span, what: str) -> None:
        found = ImportFault(file.name, mention.line, what, mention.text)
        if found not in self.said:
            self.said.add(found)
            self.found.faults.append(found)

    def resolved(self, file: MemoryFile, text: str) -> Path | None:
        """Return the file an import names, or None. A full stop after it is not its name."""
        key = (file.path.parent, text)
        if key not in self.places:
            self.places[key] = self._resolved(file, text)
        return self.places[key]

    def _resolved(self, file: MemoryFile, text: str) -> Path | None:
        for name in dict.fromkeys((text, text.split("#")[0], text.rstrip(".,;:!?)]}'\"*_>"))):
            target = self._place(file, name)
            if target is not None and target.is_file():
                return target
        return None

    def _place(self, file: MemoryFile, name: str) -> Path | None:
        if not name or "\0" in name or len(name) > 1000:
            return None
        if name.startswith("~/"):
            return self.home / name[2:] if self.home is not None else None
        if not (name[0] in "./" or name[0].isalnum() or name[0] in "_-"):
            return None
        try:
            return Path(os.path.normpath(file.path.parent / name))
        except (ValueError, OSError):
            return None


def _is_auto(root: Path) -> bool:
    """Tell whether a folder is itself the auto-memory of a project."""
    return len(root.parts) > 3 and (root.parts[-1], root.parts[-3]) == ("memory", "projects")


INDEX_ALONE = ("MEMORY.md",)

_FILE_LIKE = late.pattern(r"(?:~/|\.{0,2}/)?[\w.-][\w./ -]{0,300}\.(?:md|mdc|markdown|txt|rst)")


def _looks_like_file(text: str) -> bool:
    """Tell a path somebody meant from a handle, a package or a decorator."""
    bare = text.split("#")[0].rstrip(".,;:!?)]}'\"*_>")
    return _FILE_LIKE.fullmatch(bare) is not None and "..." not in bare


def _plain(name: str) -> bool:
    return name in hosts._ROOT_FILES


def _is_host(root: Path, path: Path) -> bool:
    return path.name in hosts.NESTING or _plain(_relative(root, path))


def _relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _host_name(name: str) -> str:
    known = hosts._ROOT_FILES.get(name)
    if known is not None:
        return known[0]
    first = PurePosixPath(name).name
    if first in hosts.NESTING:
        return {"C": "claude", "A": "agents", "G": "gemini"}[first[0]]
    return "cursor" if name.endswith(".mdc") else "memory"


def _is_vault(found: Survey) -> bool:
    """Tell a vault, whose notes have a linter of their own, from a memory directory."""
    return ".manentignore" in found.listing.files or "HOME.md" in found.listing.files


_NAMED = late.pattern(r"(?<![\w@/.-])((?:\.{1,2}/)?[\w.-]+(?:/[\w.-]+){0,8}\.mdc?)\b")


def _pointed(found: Survey, file: MemoryFile) -> Path | None:
    """Return the file that a file which says nothing else points to."""
    said = [
        block
        for block in file.doc.blocks
        if block.kind not in ("heading", "rule", "frontmatter", "html")
    ]
    text = "".join(file.doc.slice(block.start, block.end) for block in said).strip()
    if not said or len(said) > 2 or len(text) > 300 or text.count("\n") > 5:
        return None
    names = [s.text for s in codes(file.doc)] + [s.text for s in links(file.doc)]
    names += _NAMED.findall(without_code(text))
    targets = {t for name in names if (t := _existing(found, file, name.split("#")[0])) is not None}
    return targets.pop() if len(targets) == 1 else None


def _existing(found: Survey, file: MemoryFile, name: str) -> Path | None:
    if not name.endswith((".md", ".mdc")) or "\0" in name or len(name) > 500:
        return None
    for folder in (file.path.parent, found.root):
        target = Path(os.path.normpath(folder / name))
        inside = target.resolve().is_relative_to(found.root)
        if inside and target.is_file() and target.resolve() != file.path:
            return target
    return None


def reachable(found: Survey, start: Iterable[MemoryFile]) -> set[Path]:
    """Return the files that start files lead to, through links, code spans and imports."""
    by_path = {file.path: file for file in found.files}
    seen = {file.path for file in start}
    stack = list(start)
    while stack:
        file = stack.pop()
        for target in targets(found, file):
            if target in by_path and target not in seen:
                seen.add(target)
                stack.append(by_path[target])
    return seen


def targets(found: Survey, file: MemoryFile) -> Iterator[Path]:
    """Yield the files that a file names, in whatever way."""
    by_stem = {f.path.stem: f.path for f in found.files}
    names = [span.text for kind in (links, codes, mentions) for span in kind(file.doc)]
    names += _NAMED.findall(file.doc.text)
    for name in names:
        bare = name.split("#")[0].strip()
        if bare and "\0" not in bare and len(bare) < 500:
            for folder in (file.path.parent, found.root):
                yield Path(os.path.normpath(folder / bare))
    for name in _WIKI.findall(file.doc.text):
        if name.strip() in by_stem:
            yield by_stem[name.strip()]


_WIKI = late.pattern(r"\[\[([^\[\]|#\r\n]{1,200})")
