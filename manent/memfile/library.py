"""What recall searches: the on-demand files of a workspace, or a folder of topic files.

Files are cut into passages: sections as their headings cut them, the entries of a
log one by one, and a very long section between its blocks.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from manent import late
from manent.errors import EnvironmentFault, NotFound, Refused
from manent.memfile import workspace
from manent.memfile.document import decoded, split_lines
from manent.memfile.entries import from_json, is_json, parts
from manent.memfile.manifest import PROTOCOL, WORKSPACE, Heading, digest
from manent.memfile.outline import breaks, outline
from manent.memfile.places import exists, is_file, is_symlink
from manent.memfile.stub import routing_line

INDEXES = ("MEMORY.md", "index.md", "INDEX.md", "README.md")
"""What leads into a memory directory; the first that is there does."""

_SKIPPED = frozenset({"archive", "node_modules", "dist", "build", "venv"})
_MOST_FILES = 5000
_MOST_ENTRIES = 50_000
"""Names that are looked at in search of topic files; a memory has a hundredth of that."""

_DEEPEST = 5
"""Folders down to which topic files are looked for."""

_SHORT_CHARACTERS = 200
_LONG_CHARACTERS = 3200
"""Characters past which a section is cut between its blocks, about 800 tokens."""

_HOOK = late.pattern(r"\s*[-*+][ \t]+\[([^\]\r\n]+)\]\(([^)\r\n]+)\)[ \t]*(?:[-–—:]+[ \t]*)?(.*)")
_BARE = late.pattern(r"\s*[-*+][ \t]+`([^`\r\n]+\.md)`[ \t]*(?:[-–—:]+[ \t]*)?(.*)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a file that can be handed out. lines: in the Markdown of its file."""

    file: str
    path: tuple[str, ...]
    lines: tuple[int, int]
    text: str


@dataclass(slots=True)
class Topic:
    """A file. name: as it is shown; hook: words that call for it."""

    name: str
    title: str
    hook: str
    text: str
    sections: tuple[Heading, ...] | None = None
    passages: list[Passage] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Library:
    """What can be recalled from one place. compiled: it is a workspace.

    routing: lines that say what there is, for when nothing matches.
    """

    root: Path
    compiled: bool
    topics: tuple[Topic, ...]
    routing: tuple[str, ...]
    index: str = ""

    def passages(self) -> list[Passage]:
        """Return the passages of all files, in order; cut when first asked for."""
        return [passage for topic in self.topics for passage in passages(topic)]

    def named(self, name: str) -> Topic:
        """Return the file that ``name`` means: its path, its end, or its stem."""
        wanted = name.removeprefix("./").removeprefix(f"{WORKSPACE}/")
        for topic in self.topics:
            if topic.name == wanted:
                return topic
        for topic in self.topics:
            last = topic.name.rpartition("/")[2]
            if wanted in (last, last.rpartition(".")[0]) or topic.name.endswith(f"/{wanted}"):
                return topic
        raise NotFound(f"no file {name} in this memory", "without --file all are searched")


def library(path: Path, most_bytes: int = 64 << 20) -> Library:
    """Open what ``path`` holds: a compiled workspace, a memory directory, or one file.

    most_bytes: where reading topic files of a directory stops.
    Raises NotFound where there is no memory.
    """
    if not exists(path):
        raise EnvironmentFault(f"{path} does not exist", "name a workspace or a memory directory")
    root = path.parent if path.name == WORKSPACE or is_file(path) else path
    found = workspace.find(root if is_file(path) else workspace.nearest(root))
    if found is not None and (not is_file(path) or found.source.name == path.name):
        return of_workspace(found)
    if is_file(path):
        return Library(root, False, (_topic(root, path.name, "", ""),), (f"- {path.name}",))
    return of_folder(path, most_bytes)


def of_workspace(found: workspace.Workspace) -> Library:
    """Return the on-demand files of a workspace, and nothing from outside that folder."""
    manifest = found.manifest
    listed = [(entry.path, entry) for entry in manifest.files]
    known = {path for path, _ in listed}
    topics: list[Topic] = []
    for path, entry in listed:
        try:
            data = found.read(path)
            text = from_json(data, path) if is_json(path) else decoded(data)
        except (EnvironmentFault, Refused):
            continue
        sections = entry.sections if digest(data) == entry.sha256 else None
        topics.append(Topic(path, entry.title, " ".join(entry.triggers), text, sections))
    for path in found.on_demand():
        if path not in known and path != PROTOCOL:
            text = decoded(found.read(path))
            text = from_json(found.read(path), path) if is_json(path) else text
            topics.append(Topic(path, "", "", text))
    routing = tuple(routing_line(entry.path, entry.triggers) for entry in manifest.files)
    return Library(found.root, True, tuple(topics), routing)


def of_folder(folder: Path, most_bytes: int) -> Library:
    """Return what a folder without a workspace keeps: topic files, or a project's host files.

    Of a project nothing else is read: its documents are no memory.
    """
    index = next((name for name in INDEXES if _is_plain(folder / name)), "")
    hooks = _hooks(folder / index) if index else {}
    if is_memory_directory(folder):
        names = _topic_names(folder, index, hooks)
    else:
        names, index, hooks = _host_files(folder), "", {}
    topics: list[Topic] = []
    left = most_bytes
    for name in names:
        left -= (folder / name).stat().st_size
        if left < 0:
            break
        title, hook = hooks.get(name, ("", ""))
        topics.append(_topic(folder, name, title, hook))
    if not topics and index:
        topics.append(_topic(folder, index, "", ""))
    if not topics:
        said = "a compiled workspace, an index with topic files, or a host's memory file"
        raise NotFound(f"{folder} holds no memory", said)
    routing = tuple(f"- {t.name}: {t.hook or t.title or _title(t)}" for t in topics)
    return Library(folder, False, tuple(topics), routing, index)


def is_memory_directory(folder: Path) -> bool:
    """Whether a folder without a host's memory file is one of topic files, not a project's."""
    if any(_is_plain(folder / name) for name in INDEXES[:-1]):
        return True
    if _is_plain(folder / INDEXES[-1]):
        hooks = _hooks(folder / INDEXES[-1])
        if sum(1 for name in hooks if "/" not in name and _is_plain(folder / name)) >= 2:
            return True
    return not _is_project(folder) and any(map(_is_plain, folder.glob("*.md")))


def _is_project(folder: Path) -> bool:
    """Whether a folder holds a project, or a memory file of some host."""
    from manent.memfile import hosts

    known = (".git", *hosts.MANIFESTS, *hosts.ROOT_FILES)
    return any(exists(folder / name) for name in known)


def _host_files(folder: Path) -> list[str]:
    """Return the memory files of a project that every session loads."""
    from manent.memfile import hosts

    return [name for name in hosts.ROOT_FILES if _is_plain(folder / name)]


def _is_plain(path: Path) -> bool:
    return is_file(path) and not is_symlink(path)


def _topic_names(folder: Path, index: str, hooks: Collection[str]) -> list[str]:
    """Return the topic files of a folder, sorted, without following links.

    What the index names, and what lies below the folder; of a project, beside the index.
    """
    listed = {name for name in hooks if name.endswith(".md") and _leads_inside(folder, name)}
    found = listed | set(_below(folder, 1 if _is_project(folder) else _DEEPEST))
    return sorted(name for name in found if not _is_index(name, index))[:_MOST_FILES]


def _is_index(name: str, index: str) -> bool:
    return name == index or name.rpartition("/")[2] == INDEXES[-1]


def _leads_inside(folder: Path, name: str) -> bool:
    """Whether an index names a plain file of its folder, by no way around."""
    parts = PurePosixPath(name).parts
    at, archived = folder, "archive" in parts
    for part in parts:
        at = at / part
        if part in ("..", "/") or is_symlink(at):
            return False
    return is_file(at) and not archived


def _below(folder: Path, deepest: int) -> Iterator[str]:
    """Yield the Markdown files down to some depth; other repositories are left out."""
    seen = 0
    for place, folders, files in os.walk(folder):
        here = Path(place).relative_to(folder)
        if here.parts and ".git" in (*folders, *files):
            folders[:] = []
            continue
        if len(here.parts) + 1 >= deepest:
            folders[:] = []
        folders[:] = sorted(f for f in folders if f not in _SKIPPED and not f.startswith("."))
        seen += len(folders) + len(files)
        for name in files:
            if name.endswith(".md") and _is_plain(Path(place, name)):
                yield (here / name).as_posix()
        if seen > _MOST_ENTRIES:
            return


def _hooks(path: Path) -> dict[str, tuple[str, str]]:
    """Return file to (title, hook) from the lines of an index."""
    found: dict[str, tuple[str, str]] = {}
    for line in split_lines(decoded(workspace.read_file(path))):
        if match := _HOOK.match(line):
            found.setdefault(match[2].removeprefix("./"), (match[1], match[3].strip()))
        elif match := _BARE.match(line):
            found.setdefault(match[1].removeprefix("./"), ("", match[2].strip()))
    return found


def _topic(folder: Path, name: str, title: str, hook: str) -> Topic:
    return Topic(name, title, hook, decoded(workspace.read_inside(folder, name)))


def _title(topic: Topic) -> str:
    first = next((h.path[-1] for h in _sections(topic) if h.path), "")
    return first or topic.name.rpartition("/")[2]


def _sections(topic: Topic) -> Sequence[Heading]:
    if topic.sections is None:
        topic.sections = outline(split_lines(topic.text))
    return topic.sections


def passages(topic: Topic) -> list[Passage]:
    """Return the passages of a file, in order; worked out once."""
    if not topic.passages:
        lines = split_lines(topic.text)
        for section in _sections(topic):
            topic.passages.extend(_cut(topic, section, lines))
    return topic.passages


def _cut(topic: Topic, section: Heading, lines: Sequence[str]) -> Iterator[Passage]:
    first, last = section.lines
    text = "".join(lines[first - 1 : last])
    if not text.strip():
        return
    log = parts(text)
    path = section.path or ((topic.title,) if topic.title else ())
    if len(log.entries) >= 2:
        head = log.heading + log.preamble
        if log.preamble.strip():
            yield Passage(topic.name, path, (first, first + log.entries[0].lines[0] - 2), head)
        for entry in log.entries:
            at = (first + entry.lines[0] - 1, first + entry.lines[1] - 1)
            yield Passage(topic.name, (*path, entry.date), at, entry.text)
    elif len(text) > _LONG_CHARACTERS:
        yield from _pieces(topic, path, text, first)
    else:
        yield Passage(topic.name, path, (first, last), text)


def _pieces(topic: Topic, path: tuple[str, ...], text: str, first: int) -> Iterator[Passage]:
    """Cut a long section between its blocks."""
    lines = split_lines(text)
    bounds = [*[n for n in breaks(lines) if n > 1], len(lines) + 1]
    start, size = 1, 0
    for a, b in zip([1, *bounds[:-1]], bounds, strict=True):
        length = sum(map(len, lines[a - 1 : b - 1]))
        if size > _SHORT_CHARACTERS and size + length > _LONG_CHARACTERS:
            at = (first + start - 1, first + a - 2)
            yield Passage(topic.name, path, at, "".join(lines[start - 1 : a - 1]))
            start, size = a, 0
        size += length
    last = first + len(lines) - 1
    yield Passage(topic.name, path, (first + start - 1, last), "".join(lines[start - 1 :]))
