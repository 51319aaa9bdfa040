"""Keep a checkout of the protected branch beside the brain, for readers of files.

``FOLDER/current`` is a symlink to one complete tree, ``FOLDER/trees/<commit>``.
A new tree is written whole beside the old one, then the link is swapped in one
step: nobody ever reads half a tree, and a push restarts nothing.
"""

from __future__ import annotations

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
    _write(repository, tip, trees)
    _swap(folder, tip)
    _tidy(repository, trees, {tip, standing})
    return trees / tip


def _refuse_edits(repository: Repository, commit: str, place: Path) -> None:
    if not place.is_dir():
        return
    wanted = {e.path: e.oid for e in GitTree(repository, commit).entries() if e.kind is Kind.FILE}
    found = {e.path: e.oid for e in WorkTree(place).entries()}
    edited = sorted(p for p in wanted.keys() | found.keys() if wanted.get(p) != found.get(p))
    if edited:
        raise Refused(
            f"{len(edited)} files of {place} were edited, {edited[0]} first: the checkout stays",
            "commit them in a clone and push, or remove them",
        )


def _write(repository: Repository, commit: str, trees: Path) -> None:
    draft = trees / f".{commit}.new"
    if draft.exists():
        shutil.rmtree(draft)
    draft.mkdir()
    tree = GitTree(repository, commit)
    entries = [entry for entry in tree.entries() if entry.kind is Kind.FILE]
    contents = repository.objects.contents(entry.oid for entry in entries)
    for entry, content in zip(entries, contents, strict=True):
        place = draft / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    final = trees / commit
    if final.exists():
        shutil.rmtree(final)
    draft.rename(final)


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
