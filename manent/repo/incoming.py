"""What a push brings: its commits, the files each adds, its tags, all as bytes.

The objects are read from the push's own folder with the brain's objects as
alternate, and from nowhere else: whatever further alternates, configuration or
replacement refs the surroundings name, they are not looked at.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from manent.errors import EnvironmentFault
from manent.repo import loose
from manent.repo.command import fields, joined
from manent.repo.git_tree import EMPTY_TREE
from manent.repo.judged import LANDS_IN as LANDS_IN
from manent.repo.judged import known_tips
from manent.repo.objects import Header, Pipe
from manent.repo.open import SETTINGS, Environment, Repository, common_folder
from manent.repo.walked import FEW, base_of, walked
from manent.values import dataclass

ZERO = "0" * 40
_SHA256 = 64
_SUBMODULE, _FOLDER = "160000", "040000"
_GONE = "000000"


class RefUpdate(NamedTuple):
    """One line of a push: the ref, what it pointed at and what it is to point at."""

    old: str
    new: str
    ref: str

    @property
    def creates(self) -> bool:
        """The ref is new."""
        return self.old == ZERO

    @property
    def deletes(self) -> bool:
        """The ref goes away."""
        return self.new == ZERO


class Addition(NamedTuple):
    """A file a commit has that none of its parents has with this content at this path.

    path: bytes, as git stores them. mode: as git spells it (``100644``, …).
    oid: the blob, or the commit a submodule points at.
    new: no parent has anything at this path.

    A folder in which nothing stands (``040000``) is one too: no path of a file says its name.
    """

    commit: str
    path: bytes
    mode: str
    oid: str
    new: bool

    @property
    def has_content(self) -> bool:
        """There is a blob to read."""
        return self.mode not in (_SUBMODULE, _FOLDER)


@dataclass(frozen=True, slots=True)
class CommitText:
    """One commit object, taken apart but not decoded.

    headers: key and value of each header but tree and parent; folded lines joined.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    headers: tuple[tuple[bytes, bytes], ...]
    message: bytes


@dataclass(frozen=True, slots=True)
class TagText:
    """One annotated tag, taken apart but not decoded."""

    oid: str
    target: str
    kind: str
    headers: tuple[tuple[bytes, bytes], ...]
    message: bytes


def read_updates(lines: bytes) -> list[RefUpdate]:
    """Parse what git writes to a receive hook. Raises EnvironmentFault on anything else."""
    updates = []
    for line in lines.split(b"\n"):
        if not line:
            continue
        parts = line.decode("utf-8", "surrogateescape").split(" ", 2)
        if len(parts[0]) == _SHA256:
            raise EnvironmentFault(
                "this repository stores objects in sha256 format, which manent does not read",
                "make it with git init --object-format=sha1",
            )
        if len(parts) != 3 or any(not _is_oid(oid) for oid in parts[:2]) or not parts[2]:
            raise EnvironmentFault("git gave the hook a line that names no ref", "see the log")
        updates.append(RefUpdate(*parts))
    return updates


def receiving(path: Path, environment: Environment, incoming: str = "") -> Repository:
    """Open the receiving repository at ``path`` so that it sees the push's objects.

    incoming: the folder git unpacked the push into (``GIT_QUARANTINE_PATH``), or
    "" for a push without objects. Raises EnvironmentFault when it stands anywhere
    but in the repository's own objects.
    """
    if not incoming:
        return Repository(path, None, environment, light=True)
    own = (common_folder(path) / "objects").resolve()
    folder = Path(incoming).resolve()
    if own not in folder.parents or not folder.is_dir():
        raise EnvironmentFault("the push's objects stand outside the repository", "see the log")
    # Exactly two folders; the brain's own alternates are reached through the second.
    given = {
        "GIT_OBJECT_DIRECTORY": str(folder),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(own),
        "GIT_QUARANTINE_PATH": str(folder),
    }
    return Repository(path, None, environment, light=True, given=given)


def brought(repository: Repository) -> dict[str, Header]:
    """Return every object that stands in the push's own folder, with kind and size.

    Some the brain may have had before: git completes a thin pack with them.
    Empty for a push without objects.
    """
    alone = _alone(repository)
    if not alone:
        return {}
    few = loose.listed(alone["GIT_OBJECT_DIRECTORY"], FEW)
    if few is not None:
        return dict(zip(few, repository.objects.headers(few), strict=True))
    out = repository.git.run(*_LIST, env=alone)
    words = (line.split() for line in out.decode().splitlines())
    return {oid: Header(kind, int(size)) for oid, kind, size in words}


def _alone(repository: Repository) -> dict[str, str]:
    """Return what makes git see the push's own objects only; nothing without any."""
    folder = repository.environment.get("GIT_QUARANTINE_PATH")
    if folder is None:
        return {}
    return {"GIT_OBJECT_DIRECTORY": folder, "GIT_ALTERNATE_OBJECT_DIRECTORIES": ""}


def ask_ahead(repository: Repository, updates: Sequence[RefUpdate]) -> None:
    """Start what judging these updates will ask git, while more is imported.

    Else a push waits 5 ms for each, one after the other.
    """
    git, objects, alone = repository.git, repository.objects, _alone(repository)
    if not repository.has_settings:
        git.ahead(*SETTINGS)
    many = bool(alone) and loose.listed(alone["GIT_OBJECT_DIRECTORY"], FEW) is None
    if many and isinstance(objects, Pipe):
        objects.start()
    tips = list(dict.fromkeys(update.new for update in updates if not update.deletes))
    if alone and not many and base_of(repository, updates):
        return  # which is walked, without git
    # What a tag leads to is known only when it was read.
    if many and tips and all(u.ref.startswith("refs/heads/") for u in updates):
        asked = _question(repository, tips)
        if len(asked) <= _AHEAD_BYTES:
            git.ahead(*_REACHED, given=asked)
    if many:
        git.ahead(*_LIST, env=alone)


_AHEAD_BYTES = 4096
"""What any pipe holds at once."""
_LIST = ("cat-file", "--batch-all-objects", "--batch-check")
_REACHED = ("rev-list", "--objects", "--no-object-names", "--topo-order", "--stdin")


def _question(repository: Repository, tips: Iterable[str]) -> bytes:
    """Return what git is asked on stdin: all that ``tips`` reach and nothing judged does."""
    return joined([*tips, *(f"^{oid}" for oid in known_tips(repository))])


def strays(repository: Repository, oids: Iterable[str]) -> list[str]:
    """Return those of ``oids`` that the brain had not before the push."""
    own = str((common_folder(repository.path) / "objects").resolve())
    only_own = {"GIT_OBJECT_DIRECTORY": own, "GIT_ALTERNATE_OBJECT_DIRECTORIES": ""}
    asked = list(oids)
    if not asked:
        return []
    out = repository.git.run("cat-file", "--batch-check", given=joined(asked), env=only_own)
    answers = out.decode().splitlines()
    return [oid for oid, answer in zip(asked, answers, strict=True) if answer.endswith("missing")]


def reached(
    repository: Repository, tips: Sequence[str], known: Mapping[str, Header], base: str = ""
) -> tuple[list[str], set[str]]:
    """Return what ``tips`` reach and no judged ref does: commits, parents first; and all.

    known: headers that need not be asked for. base: see ``walked.base_of``. Raises
    EnvironmentFault when something on the way is missing.
    """
    if not tips:
        return [], set()
    found = walked(repository.objects, tips[0], base, known) if base and len(tips) == 1 else None
    if found is not None:
        return found
    out = repository.git.run(*_REACHED, given=_question(repository, tips))
    listed = out.decode().split()
    unknown = [oid for oid in listed if oid not in known]
    kinds = dict(zip(unknown, repository.objects.headers(unknown), strict=True))
    commits = [oid for oid in listed if (known.get(oid) or kinds[oid]).kind == "commit"]
    return commits[::-1], set(listed)


def new_commits(repository: Repository, tips: Iterable[str], base: str = "") -> list[str]:
    """Return the commits ``tips`` reach and no ref reaches yet, parents first.

    base: where given, the commits it reaches are left out instead of those of refs.
    """
    wanted = joined(list(tips))
    if not wanted:
        return []
    known = ["--not", base] if base else ["--not", "--all"]
    out = repository.git.run(
        "rev-list", "--topo-order", "--reverse", "--stdin", *known, given=wanted
    )
    return out.decode().split()


def additions(repository: Repository, commits: Sequence[str]) -> Iterator[Addition]:
    """Yield every (path, content) a commit has that none of its parents has.

    What a merge takes over unchanged from a parent was added by that parent or
    one before it, and is named there.
    """
    for change in _changes(repository, commits):
        # A folder that is not empty is told by the files in it.
        if change.mode != _GONE and (change.mode != _FOLDER or change.oid == EMPTY_TREE):
            yield change


def removals(repository: Repository, commits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (commit, path) for every file a commit lacks that each of its parents has."""
    for change in _changes(repository, commits):
        if change.mode == _GONE:
            yield change.commit, change.path.decode("utf-8", "surrogateescape")


def _changes(repository: Repository, commits: Sequence[str]) -> Iterator[Addition]:
    """Yield what each commit makes of the paths in which it differs from all its parents."""
    if not commits:
        return
    arguments = ("-r", "-t", "-c", "-z", "--raw", "--root", "--no-abbrev", "--no-renames")
    process = repository.git.start("diff-tree", "--stdin", *arguments, "--ignore-submodules=none")
    assert process.stdin is not None and process.stdout is not None
    feeder = _fed(process.stdin, joined(commits))
    with process.stdout as stream:
        yield from _told(fields(stream))
    feeder.join()
    if process.wait():
        raise EnvironmentFault("git diff-tree failed on the push", "see the log")


def _fed(stream: IO[bytes], content: bytes) -> threading.Thread:
    """Write ``content`` beside the reading of the answers, so that no pipe fills up."""

    def write() -> None:
        try:
            with stream:
                stream.write(content)
        except BrokenPipeError:
            pass  # the process ended; its status says why

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def _told(stream: Iterator[bytes]) -> Iterator[Addition]:
    commit = ""
    for field in stream:
        if not field.startswith(b":"):
            commit = field.decode()
            continue
        words = field.decode().split(" ")
        path = next(stream)
        # One mode and id for each parent, then those of the commit, then the status.
        count = len(words[0]) - len(words[0].lstrip(":"))
        mode, oid = words[count], words[2 * count + 1]
        before = {words[0].lstrip(":"), *words[1:count]}
        if mode == _GONE and before == {_FOLDER}:
            continue  # told by the files that stood in it
        yield Addition(commit, path, mode, oid, set(words[-1]) == {"A"})


def commit_texts(repository: Repository, commits: Iterable[str]) -> Iterator[CommitText]:
    """Yield each commit object taken apart."""
    asked = list(commits)
    for oid, raw in zip(asked, repository.objects.contents(asked), strict=True):
        headers, message = _taken_apart(raw)
        tree, parents = _lineage(headers)
        rest = tuple(headers[bool(tree) + len(parents) :])
        yield CommitText(oid, tree, parents, rest, message)


def _lineage(headers: Sequence[tuple[bytes, bytes]]) -> tuple[str, tuple[str, ...]]:
    """Return the tree and the parents that git sees: those at the head, in that order.

    A header of that name further down is text like any other.
    """
    tree, parents = "", list[str]()
    for key, value in headers:
        oid = value.decode("ascii", "replace")
        if not _is_oid(oid) or key != (b"parent" if tree else b"tree"):
            break
        if tree:
            parents.append(oid)
        else:
            tree = oid
    return tree, tuple(parents)


def is_child(raw: bytes, parent: str) -> bool:
    """Tell whether git takes the commit object ``raw`` for a child of the commit ``parent``."""
    return parent in _lineage(_taken_apart(raw.partition(b"\n\n")[0])[0])[1]


def tag_chain(repository: Repository, oid: str, depth: int = 64) -> tuple[list[TagText], str, str]:
    """Return the tags on the way from ``oid``, and (kind, id) of what they end at.

    Raises EnvironmentFault when the chain is longer than ``depth``.
    """
    tags: list[TagText] = []
    for _ in range(depth):
        kind, _size = repository.objects.header(oid)
        if kind != "tag":
            return tags, kind, oid
        tags.append(tag_of(oid, repository.objects.read(oid)[1]))
        oid = tags[-1].target
    raise EnvironmentFault("a tag of tags without end", "tag the commit itself")


def tag_of(oid: str, raw: bytes) -> TagText:
    """Return a tag object taken apart: what it points at is told by its first two lines."""
    headers, message = _taken_apart(raw)
    first = [value.decode("ascii", "replace") for _, value in headers[:2]]
    if [key for key, _ in headers[:2]] != [b"object", b"type"]:
        return TagText(oid, "", "", tuple(headers), message)
    target, kind = first
    sure = _is_oid(target) and kind in _TYPES
    return TagText(oid, target, kind, tuple(headers[2 if sure else 0 :]), message)


_TYPES = ("commit", "tree", "blob", "tag")


def _taken_apart(raw: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    head, _, message = raw.partition(b"\n\n")
    headers: list[tuple[bytes, bytes]] = []
    for line in head.split(b"\n"):
        if line.startswith(b" ") and headers:
            key, value = headers[-1]
            headers[-1] = (key, value + b"\n" + line[1:])
        else:
            key, _, value = line.partition(b" ")
            headers.append((key, value))
    return headers, message


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _is_oid(text: str) -> bool:
    return len(text) == 40 and all(c in "0123456789abcdef" for c in text)
