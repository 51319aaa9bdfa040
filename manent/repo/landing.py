"""Make a commit of a Change. Only the gate calls this.

A commit is made by compare-and-swap on its branch: when the branch has moved
meanwhile nothing lands and the caller judges again. In a working tree only the
Change's paths are touched, and none with edits that are not saved in a commit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from manent.change import Change
from manent.errors import EnvironmentFault, Refused
from manent.repo.committing import CommitRefused, index_rows
from manent.repo.git_tree import EMPTY_TREE, Row, rows
from manent.repo.incoming import ZERO, RefUpdate
from manent.repo.open import Repository, common_folder
from manent.repo.placing import place, read, refuse_symlinks
from manent.tree import blob_oid
from manent.values import dataclass

_FOLDER = b"40000"
_FILE = b"100644"
_KINDS = {"blob": 3, "tree": 2, "commit": 1}


class Moved(Refused):
    """The branch is no longer where the Change was judged; judge it again."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"{branch} has moved meanwhile", "try again")


@dataclass(frozen=True, slots=True)
class Person:
    """Who a commit says made it. Angle brackets and line breaks are left out."""

    name: str
    email: str

    def stamp(self, seconds: int) -> str:
        """Return the identity line of a commit object."""
        return f"{_plain(self.name) or 'nobody'} <{_plain(self.email)}> {seconds} +0000"


def land(
    repository: Repository,
    branch: str,
    change: Change,
    author: Person,
    now_seconds: int,
    parent: str,
    *,
    committer: Person | None = None,
    sign: bool = False,
    passing: Callable[[RefUpdate], AbstractContextManager[None]],
) -> str:
    """Make ``change`` a commit on ``branch`` and return its id.

    parent: the commit the Change was judged against, "" for a first commit.
    committer: who makes the commit, where it is not the author.
    sign: make the commit through git, which signs it as the user has configured.
    passing: the ref moves inside what this returns: the gate's word that it may.
    Raises Moved, or Refused when a path has unsaved edits.
    """
    ref = f"refs/heads/{branch}"
    if repository.ref(ref) != parent:
        raise Moved(branch)
    commit = _commit(repository, change, (author, committer), now_seconds, parent, sign)
    update = RefUpdate(parent or ZERO, commit, ref)
    bare = repository.is_bare or repository.head_ref != ref
    with nullcontext() if bare else _laid_out(repository, change, parent), passing(update):
        _swap(repository, update, change)
    return commit


def land_series(
    repository: Repository,
    branch: str,
    changes: Sequence[Change],
    author: Person,
    now_seconds: int,
    parent: str,
    *,
    committer: Person | None = None,
    sign: bool = False,
    passing: Callable[[RefUpdate], AbstractContextManager[None]],
) -> list[str]:
    """Make each of ``changes`` a commit on the one before; return their ids, in order.

    The branch moves once, to the last of them: all land or none does. For a branch
    that no working tree shows. Raises Moved.
    """
    ref = f"refs/heads/{branch}"
    assert repository.is_bare or repository.head_ref != ref
    if repository.ref(ref) != parent:
        raise Moved(branch)
    commits: list[str] = []
    for change in changes:
        before = commits[-1] if commits else parent
        commits.append(_commit(repository, change, (author, committer), now_seconds, before, sign))
    update = RefUpdate(parent or ZERO, commits[-1], ref)
    with passing(update):
        _swap(repository, update, changes[-1])
    return commits


def message_of(change: Change) -> str:
    """Return the commit message: the Change's own, then its trailers."""
    trailers = "".join(f"{key}: {_plain(value)}\n" for key, value in change.trailers.items())
    text = change.message.rstrip("\n") + "\n"
    return f"{text}\n{trailers}" if trailers else text


def edited_tree(repository: Repository, tree: str, edits: Mapping[str, bytes | None]) -> str:
    """Write the blobs and trees of ``tree`` with ``edits`` laid over it; return its id."""
    nested: dict[str, dict[str, bytes | None]] = {}
    own: dict[str, bytes | None] = {}
    for path, content in edits.items():
        head, slash, rest = path.partition("/")
        if slash:
            nested.setdefault(head, {})[rest] = content
        else:
            own[head] = content
    standing = rows(repository.objects.read(tree)[1]) if tree != EMPTY_TREE else []
    entries: dict[bytes, Row] = {row[1]: row for row in standing}
    for name, content in own.items():
        _set(repository, entries, os.fsencode(name), content)
    for name, below in nested.items():
        _set_folder(repository, entries, os.fsencode(name), below)
    return _write(repository, "tree", b"".join(_raw(row) for row in _ordered(entries)))


def _set(
    repository: Repository, entries: dict[bytes, Row], name: bytes, content: bytes | None
) -> None:
    old = entries.pop(name, None)
    if content is not None:
        mode = old[0] if old is not None and old[0] in (b"100644", b"100755") else _FILE
        entries[name] = (mode, name, bytes.fromhex(_write(repository, "blob", content)))


def _set_folder(
    repository: Repository,
    entries: dict[bytes, Row],
    name: bytes,
    below: dict[str, bytes | None],
) -> None:
    old = entries.pop(name, None)
    inner = old[2].hex() if old is not None and old[0] == _FOLDER else EMPTY_TREE
    oid = edited_tree(repository, inner, below)
    if oid != EMPTY_TREE:
        entries[name] = (_FOLDER, name, bytes.fromhex(oid))


def _ordered(entries: dict[bytes, Row]) -> list[Row]:
    # git orders a folder as if its name ended in a slash.
    return sorted(entries.values(), key=lambda r: r[1] + b"/" if r[0] == _FOLDER else r[1])


def _raw(row: Row) -> bytes:
    return row[0] + b" " + row[1] + b"\0" + row[2]


def _write(repository: Repository, kind: str, content: bytes) -> str:
    import pygit2

    try:
        odb = pygit2.Odb(str(common_folder(repository.path) / "objects"))
        return str(odb.write(_KINDS[kind], content))
    except (OSError, pygit2.GitError) as error:
        raise EnvironmentFault(f"cannot write objects: {error}", "disk full?") from error


def _commit(
    repository: Repository,
    change: Change,
    people: tuple[Person, Person | None],
    now_seconds: int,
    parent: str,
    sign: bool,
) -> str:
    base = repository.peel(parent)[1] if parent else EMPTY_TREE
    tree = edited_tree(repository, base, change.edits)
    if tree == base:
        raise Refused("the change changes nothing")
    message = message_of(change)
    if sign:
        return _through_git(repository, tree, parent, message, people, now_seconds)
    lines = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
    author, committer = people
    stamps = author.stamp(now_seconds), (committer or author).stamp(now_seconds)
    lines += [f"author {stamps[0]}", f"committer {stamps[1]}", "", message]
    return _write(repository, "commit", "\n".join(lines).encode("utf-8", "surrogateescape"))


def _through_git(
    repository: Repository,
    tree: str,
    parent: str,
    message: str,
    people: tuple[Person, Person | None],
    now_seconds: int,
) -> str:
    author, committer = people[0], people[1] or people[0]
    status, signs, _ = repository.git.attempt("config", "--type=bool", "commit.gpgSign")
    when = f"@{now_seconds} +0000"  # without the sign git takes no second before 1973
    env = {
        "GIT_AUTHOR_NAME": author.name,
        "GIT_AUTHOR_EMAIL": author.email,
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_NAME": committer.name,
        "GIT_COMMITTER_EMAIL": committer.email,
        "GIT_COMMITTER_DATE": when,
    }
    asked = ["commit-tree", tree, "-F", "-", *(["-p", parent] if parent else [])]
    if status == 0 and signs.strip() == b"true":
        asked.append("-S")
    given = message.encode("utf-8", "surrogateescape")
    status, out, said = repository.git.attempt(*asked, given=given, env=env)
    if status:  # most often it could not sign; `git commit` says so in a working tree
        raise CommitRefused(said, repository.git.said)
    return out.decode().strip()


def _swap(repository: Repository, update: RefUpdate, change: Change) -> None:
    subject = _plain(change.message.split("\n", 1)[0])[:100]
    status, _, said = repository.git.attempt(
        "update-ref", "-m", f"manent: {subject}", update.ref, update.new, update.old
    )
    if status:
        if repository.ref(update.ref) != update.old.replace(ZERO, ""):
            raise Moved(update.ref)
        raise Refused(f"git does not move {update.ref}: {said}")


# -- a working tree ----------------------------------------------------------------


@contextmanager
def _laid_out(repository: Repository, change: Change, parent: str) -> Iterator[None]:
    """Write the Change's files and index entries; put all back when the block fails.

    The files come first: a process killed here leaves edits that are not
    committed yet, never a commit that the files seem to revert.
    """
    assert repository.workdir is not None
    root = repository.workdir
    _refuse_unsaved(repository, change, parent)
    before = {path: read(root / path) for path in change.paths}
    modes = {path: mode for path, (mode, _) in index_rows(repository, change.paths).items()}
    try:
        for path in change.paths:
            place(root, path, change.edits[path])
        _stage(repository, change.edits, modes)
        yield
    except BaseException:
        for path, content in before.items():
            place(root, path, content)
        _stage(repository, before, modes)
        raise


def _refuse_unsaved(repository: Repository, change: Change, parent: str) -> None:
    from manent.repo.git_tree import GitTree

    assert repository.workdir is not None
    tree = GitTree(repository, parent) if parent else None
    index = index_rows(repository, change.paths)
    for path in change.paths:
        entry = tree.get(path) if tree else None
        saved = entry.oid if entry else ""
        refuse_symlinks(repository.workdir, path)
        content = read(repository.workdir / path)
        on_disk = "" if content is None else blob_oid(content)
        if on_disk != saved or index.get(path, ("", ""))[1] != saved:
            raise Refused(
                f"{path} has edits that are not committed", f"commit or stash {path} first"
            )


def _stage(
    repository: Repository, edits: Mapping[str, bytes | None], modes: Mapping[str, str]
) -> None:
    lines = []
    for path, content in edits.items():
        if content is None:
            lines.append(f"0 {ZERO}\t{path}\0")
        else:
            mode, oid = modes.get(path, "100644"), _write(repository, "blob", content)
            lines.append(f"{mode} {oid}\t{path}\0")
    given = "".join(lines).encode("utf-8", "surrogateescape")
    repository.git.run("update-index", "-z", "--index-info", given=given)
    repository.git.attempt("update-index", "-q", "--refresh")


def _plain(text: str) -> str:
    return "".join(c for c in text if c not in "<>\n\r\0").strip()
