"""What stands beside the log and the levels of a journal: files no tool could work with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from manent import record, sizes
from manent.errors import EnvironmentFault
from manent.tree import Kind, Tree

CONFIG_BYTES = 1 << 20
"""As much of a config as a command of the journal reads."""

Content = Callable[[Tree | None, str], bytes]

Fault = tuple[str, int, str, str]
"""rule, line from 0, message, path"""


def faults(
    tree: Tree, parents: Sequence[Tree], paths: Iterable[str], content: Content, root: str
) -> Iterator[Fault]:
    """Yield what is wrong with such files where a commit brings them and no parent had them.

    paths: those that differ. content: reads a file. root: the folder of all journals.
    """
    for path in paths:
        fault = (
            _no_lock(tree, path, content, root)
            or _no_level(path, root)
            or _no_config(tree, path, content, root)
        )
        if fault and _brings(tree, parents, path, content):
            yield fault


def _brings(tree: Tree, parents: Sequence[Tree], path: str, content: Content) -> bool:
    return tree.get(path) is not None and all(
        parent.get(path) is None or content(parent, path) != content(tree, path)
        for parent in parents
    )


def _no_lock(tree: Tree, path: str, content: Content, root: str) -> Fault | None:
    """What a writer has staged beside its lock: of one working copy, for no other to find.

    The lock itself is empty, and in stores of other tools it may be tracked.
    """
    inside = path.removeprefix(f"{root}/")
    at = f"/{inside}".find("/.lock")
    if inside == path or at < 0 or (inside[at:] == ".lock" and not content(tree, path)):
        return None
    said = f"{inside[at:]} is of the writers of one working copy, and of no commit"
    return "journal-lock", 0, said, path


def _no_level(path: str, root: str) -> Fault | None:
    name = record.beside_levels(path, (root,))
    if name is None:
        return None
    said = f"TREE/{name} is no level: a level is named for a power of two, 2, 4, 8 and so on"
    return "journal-tree", 0, said, path


def _no_config(tree: Tree, path: str, content: Content, root: str) -> Fault | None:
    """A config that no command of the journal would read: nobody could wake by it."""
    folder, _, name = path.rpartition("/")
    log = f"{folder}/LOG.txt"
    if name != "config" or not record.journal_file(log, (root,)) or not _is_file(tree, log):
        return None
    try:
        sizes.parse(content(tree, path)[:CONFIG_BYTES], path)
    except EnvironmentFault as wrong:
        line = wrong.message.removeprefix(f"{path}, line ").partition(":")[0]
        return "journal-config", int(line) - 1 if line.isdigit() else 0, wrong.message, path
    return None


def _is_file(tree: Tree, path: str) -> bool:
    entry = tree.get(path)
    return entry is not None and entry.kind is Kind.FILE
