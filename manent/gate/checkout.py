"""Keep a checkout of the protected branch beside the brain, for readers of files.

``FOLDER/current`` is a symlink to one complete tree, ``FOLDER/trees/<commit>``.
A new tree is made whole beside the old one, then the link is swapped in one
step: nobody ever reads half a tree, and a push restarts nothing. Files that did not
change are hard links to those of the tree before: they cost a name, not their bytes.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from manent.errors import EnvironmentFault, Refused
from manent.repo.git_tree import GitTree
from manent.repo.open import Repository
from manent.tree import Kind, WorkTree

CURRENT, TREES = "current", "trees"
KEPT = 2
"""Older trees that stay for readers who still have their files open."""


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
    if standing:
        _refuse_edits(repository, standing, trees / standing)
    _write(repository, tip, trees, standing)
    _swap(folder, tip)
    _tidy(repository, trees, {tip, standing})
    return trees / tip


def _refuse_edits(repository: Repository, commit: str, place: Path) -> None:
    if not place.is_dir():
        return
    wanted = _files(repository, commit)
    found = {e.path: e.oid for e in WorkTree(place).entries()}
    edited = sorted(p for p in wanted.keys() | found.keys() if wanted.get(p) != found.get(p))
    if edited:
        raise Refused(
            f"{len(edited)} files of {place} were edited, {edited[0]} first: the checkout stays",
            "commit them in a clone and push, or remove them",
        )


def _write(repository: Repository, commit: str, trees: Path, standing: str) -> None:
    """Make the tree of ``commit``, from files of the tree ``standing`` where it can."""
    draft = trees / f".{commit}.new"
    if draft.exists():
        shutil.rmtree(draft)
    draft.mkdir()
    held = _files(repository, standing) if standing and (trees / standing).is_dir() else {}
    wanted = _files(repository, commit)
    for folder in sorted({path.rpartition("/")[0] for path in wanted}):
        (draft / folder).mkdir(parents=True, exist_ok=True)
    left = []
    for path, oid in wanted.items():
        if held.get(path) != oid or not _linked(trees / standing / path, draft / path):
            left.append((path, oid))
    contents = repository.objects.contents(oid for _, oid in left)
    for (path, _), content in zip(left, contents, strict=True):
        (draft / path).write_bytes(content)
    final = trees / commit
    if final.exists():
        shutil.rmtree(final)
    draft.rename(final)


def _files(repository: Repository, commit: str) -> dict[str, str]:
    entries = GitTree(repository, commit).entries()
    return {entry.path: entry.oid for entry in entries if entry.kind is Kind.FILE}


def _linked(source: Path, target: Path) -> bool:
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


def _tidy(repository: Repository, trees: Path, keep: set[str]) -> None:
    """Remove the oldest trees that nobody edited."""
    others = [p for p in trees.iterdir() if p.name not in keep and not p.name.startswith(".")]
    for place in sorted(others, key=_age)[: max(0, len(others) - KEPT)]:
        try:
            _refuse_edits(repository, place.name, place)
        except (Refused, EnvironmentFault):
            continue
        shutil.rmtree(place, ignore_errors=True)


def _age(place: Path) -> int:
    return place.lstat().st_mtime_ns
