"""Keep a checkout of the protected branch beside the brain, for readers of files.

``FOLDER/current`` is a symlink to one complete tree, ``FOLDER/trees/<commit>``.
A new tree is made whole beside the old one, then the link is swapped in one
step: nobody ever reads half a tree, and a push restarts nothing. Files that did not
change are hard links to those of the tree before: they cost a name, not their bytes.

Whether somebody has edited a file is told as git tells it: by what the file system
says of it, kept from when its content was last known. Only what differs is read.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from manent.errors import EnvironmentFault, Refused
from manent.finding import counted
from manent.repo.git_tree import GitTree
from manent.repo.open import Repository, state_folder
from manent.repo.placing import replace
from manent.tree import RACY_NS, Entry, Kind, WorkTree

CURRENT, TREES = "current", "trees"
KEPT = 2
"""Older trees that stay for readers who still have their files open."""

SEEN = "checkout.json"
"""Among the derived data: what the file system said of each file of the current tree."""

_LATER = 1 << 62
"""A time at which every file has settled: whoever keeps a signature sees to the rest."""

Seen = Mapping[str, tuple[str, str]]
"""Path to (signature, blob id) of a file whose content is known."""


def bring_up(repository: Repository, tip: str, folder: Path) -> Path:
    """Make ``folder/current`` the tree of commit ``tip``; return its real folder.

    Raises Refused when somebody has edited the files there: the edits stay, and so
    does the old tree.
    """
    trees = folder / TREES
    trees.mkdir(parents=True, exist_ok=True)
    current = folder / CURRENT
    if current.exists() and not current.is_symlink():
        raise EnvironmentFault(f"{current} is no symlink", "move it away: the gate makes it")
    standing = current.resolve().name if current.is_symlink() else ""
    if standing == tip:
        return trees / tip
    held: Seen = {}
    if standing:
        seen = _recorded(repository, standing)
        held = _unedited(repository, trees / standing, lambda entry: _known(seen, entry))
    made = _write(repository, tip, trees, standing, held)
    _swap(folder, tip)
    _tidy(repository, trees, {tip, standing}, made)
    _record(repository, trees / tip, made)
    return trees / tip


def _unedited(repository: Repository, place: Path, known: Callable[[Entry], str]) -> Seen:
    """Return the files of a tree as they are. Raises Refused where one was edited.

    known: gives the blob id of a file by what the file system says of it; of one that
    gives "" the content is read.
    """
    if not place.is_dir():
        return {}
    wanted = _files(repository, place.name)
    tree = WorkTree(place, now_ns=_LATER)
    found: dict[str, tuple[str, str]] = {}
    for entry in tree.listing():
        oid = known(entry)
        read = None if oid else tree.get(entry.path)
        found[entry.path] = (entry.signature, oid or (read.oid if read else ""))
    edited = sorted(
        path
        for path in wanted.keys() | found.keys()
        if path not in found or wanted.get(path) != found[path][1]
    )
    if edited:
        were = "was" if len(edited) == 1 else "were"
        raise Refused(
            f"{counted(len(edited), 'file')} of {place} {were} edited, {edited[0]} first: "
            "the checkout stays",
            "commit them in a clone and push, or remove them",
        )
    return found


def _known(seen: Seen, entry: Entry) -> str:
    signature, oid = seen.get(entry.path, ("", ""))
    return oid if signature and signature == entry.signature else ""


def _write(
    repository: Repository, commit: str, trees: Path, standing: str, held: Seen
) -> dict[str, tuple[str, str]]:
    """Make the tree of ``commit``, from files of the tree ``standing`` where it can.

    Returns its files, with what the file system said of them when they were made.
    """
    draft = trees / f".{commit}.new"
    if draft.exists():
        shutil.rmtree(draft)
    draft.mkdir()
    wanted = _files(repository, commit)
    for folder in sorted({path.rpartition("/")[0] for path in wanted}):
        (draft / folder).mkdir(parents=True, exist_ok=True)
    made, left = {}, []
    old, new = os.fspath(trees / standing), os.fspath(draft)
    for path, oid in wanted.items():
        signature, standing_oid = held.get(path, ("", ""))
        if standing_oid == oid and _linked(f"{old}/{path}", f"{new}/{path}"):
            made[path] = signature, oid
        else:
            left.append((path, oid))
    contents = repository.objects.contents(oid for _, oid in left)
    for (path, _), content in zip(left, contents, strict=True):
        (draft / path).write_bytes(content)
    fresh = {path for path, _ in left}
    if fresh:
        listed = WorkTree(draft, now_ns=_LATER).listing()
        made |= {e.path: (e.signature, wanted[e.path]) for e in listed if e.path in fresh}
    final = trees / commit
    if final.exists():
        shutil.rmtree(final)
    draft.rename(final)
    return made


def _recorded(repository: Repository, commit: str) -> Seen:
    """Return what was recorded of the tree of ``commit``, {} where nothing was.

    A file changed at about the time of the record may have changed again within one
    tick of its clock: it is left out, and read.
    """
    try:
        place = state_folder(repository) / SEEN
        at = place.lstat().st_mtime_ns
        row = json.loads(place.read_bytes())
        if row["commit"] != commit:
            return {}
        files = row["files"]
        return {p: (s, o) for p, (s, o) in files.items() if at - _changed(s) > RACY_NS}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EnvironmentFault):
        return {}


def _record(repository: Repository, place: Path, made: Seen) -> None:
    """Keep what the file system says of each file that is still as it was made.

    A second name, given or taken away, is a change of a kind, but not of the content.
    """
    listed = WorkTree(place, now_ns=_LATER).listing()
    kept = {
        entry.path: (entry.signature, made[entry.path][1])
        for entry in listed
        if entry.path in made and _content_of(entry.signature) == _content_of(made[entry.path][0])
    }
    row = {"commit": place.name, "files": kept}
    replace(state_folder(repository) / SEEN, json.dumps(row).encode("ascii"), 0o600)


def _content_of(signature: str) -> tuple[str, str, str]:
    """Return the parts of a signature that no further name of the file changes."""
    size, modified, _, inode = signature.split(":") if signature else ("", "", "", "")
    return size, modified, inode


def _changed(signature: str) -> int:
    return int(signature.split(":")[1])


def _files(repository: Repository, commit: str) -> dict[str, str]:
    entries = GitTree(repository, commit).entries()
    return {entry.path: entry.oid for entry in entries if entry.kind is Kind.FILE}


def _linked(source: str, target: str) -> bool:
    """Give a file a second name. False where the file system has none to give."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        return False
    return True


def _swap(folder: Path, commit: str) -> None:
    link = folder / f".{CURRENT}.new"
    link.unlink(missing_ok=True)
    link.symlink_to(Path(TREES) / commit)
    link.replace(folder / CURRENT)


def _tidy(repository: Repository, trees: Path, keep: set[str], made: Seen) -> None:
    """Remove the oldest trees that nobody edited. made: files whose content is known."""
    others = [p for p in trees.iterdir() if p.name not in keep and not p.name.startswith(".")]
    old = sorted(others, key=_age)[: max(0, len(others) - KEPT)]
    contents = {_content_of(signature): oid for signature, oid in made.values()} if old else {}
    for place in old:
        try:
            # Most of its files are further names of files whose content is known.
            _unedited(repository, place, lambda e: contents.get(_content_of(e.signature), ""))
        except (Refused, EnvironmentFault):
            continue
        shutil.rmtree(place, ignore_errors=True)


def _age(place: Path) -> int:
    return place.lstat().st_mtime_ns
