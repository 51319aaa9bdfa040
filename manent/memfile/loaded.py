"""What an audit looks at: the memory files under a path, and what each session loads.

The host's file counts, with all that ``@path`` pulls in as Claude Code resolves it:
relative to the file it stands in, five hops deep, nothing inside code. A file that
only points to another one counts with the one it points to.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from manent import late
from manent.errors import EnvironmentFault
from manent.memfile import hosts, workspace
from manent.memfile.audited import ImportFault, MemoryFile, Survey, read
from manent.memfile.document import parse
from manent.memfile.pieces import text_of
from manent.memfile.places import exists, is_file, is_folder
from manent.memfile.reach import pointed
from manent.memfile.spans import Span, mentions
from manent.tokens import Count, estimate

DEEPEST = 5
"""Hops of ``@import`` that Claude Code follows."""

READABLE = frozenset(
    ".md .mdc .markdown .txt .rst .json .jsonc .yaml .yml .toml .xml .csv .ini .cfg .py .js .ts"
    " .tsx .jsx .sh .go .rs .java .rb .php .c .h .cpp .sql .graphql .proto .html .css .env".split()
)
"""Endings of files an import takes in; others are skipped as binary."""

PROSE = frozenset({".md", ".mdc", ".markdown", ".txt", ""})


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
    if not exists(path):
        raise EnvironmentFault(f"{path} does not exist")
    root = _root_of(path) if is_file(path) else path.resolve()
    found = Survey(root, count=count, budget=budget)
    if is_folder(path) or _is_project(root):
        found.listing = hosts.listed(root)
    gathering = _Gathering(found, home, external)
    if is_file(path):
        gathering.one(path.parent.resolve() / path.name)
    else:
        gathering.folder()
        if claude is not None:
            gathering.auto(hosts.auto_memory(claude, root))
    return found


def _is_project(root: Path) -> bool:
    """Tell a project's root from any folder a file may lie in, which is not worth a walk."""
    return (root / ".git").exists() or any((root / name).exists() for name in hosts.MANIFESTS)


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
        self.allowed = [found.root]

    def add(self, path: Path, role: str, by: str = "") -> MemoryFile | None:
        """Take a file in; None where it cannot be read. A file known already is returned."""
        real = path.resolve()
        if real in self.known:
            return self.known[real]
        if not (self.external or any(real.is_relative_to(place) for place in self.allowed)):
            return None
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
        alone = hosted or _is_vault(self.found) or bool(files & hosts.MANIFESTS)
        tracked = (root / ".git").exists()
        alone = alone or (tracked and not files & {"MEMORY.md", "index.md"})
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
        self.allowed.append(folder.resolve())
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
        target = None if file.path.name in hosts.INDEXES else pointed(self.found, file)
        if target is not None and target.resolve() not in trail:
            shown = self.add(target, "pointed", file.name)
            if shown is not None:
                self.load(shown, host, trail)

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
            if target is not None and is_file(target):
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
    return name in hosts.ROOT_FILES


def _is_host(root: Path, path: Path) -> bool:
    return path.name in hosts.NESTING or _plain(_relative(root, path))


def _relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _host_name(name: str) -> str:
    known = hosts.ROOT_FILES.get(name)
    if known is not None:
        return known[0]
    first = PurePosixPath(name).name
    if first in hosts.NESTING:
        return {"C": "claude", "A": "agents", "G": "gemini"}[first[0]]
    return "cursor" if name.endswith(".mdc") else "memory"


def _is_vault(found: Survey) -> bool:
    """Tell a vault, whose notes have a linter of their own, from a memory directory."""
    return ".manentignore" in found.listing.files or "HOME.md" in found.listing.files
