"""Commit named paths of a working tree as its user would: through ``git commit``.

The user's identity, signing settings and hooks all count, and so do the variables
git itself reads (``GIT_AUTHOR_NAME``, ``GIT_CONFIG_GLOBAL``, …); only those that
point git at another repository are left out. Only the gate calls this.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from manent.errors import EnvironmentFault, Refused
from manent.repo import running
from manent.repo.command import Git, clean
from manent.repo.incoming import ZERO
from manent.repo.open import Repository, state_folder

_LOCATING = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
    "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE",
    "GIT_QUARANTINE_PATH", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
)  # fmt: skip
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}


class CommitRefused(Refused):
    """Git, or a hook, made no commit. said: all it wrote."""

    def __init__(self, first: str, said: str) -> None:
        super().__init__(f"git did not commit: {first}", "mend it, then run the command again")
        self.said = said


Rows = dict[str, tuple[str, str]]
"""Path to (mode, blob id): entries of git's index."""


def refuse_unsaved(repository: Repository, paths: Iterable[str]) -> None:
    """Raise Refused when one of ``paths`` has edits, staged or not, or git is mid-way.

    A file that git does not know may be committed: nothing of it is half done. One
    that git was told not to look at may hold anything, so it is refused, too.
    """
    for mark, what in _UNDER_WAY.items():
        if (repository.path / mark).exists():
            raise Refused(f"{what} is under way in {repository.workdir}", "finish it first")
    for batch in _batches(paths):
        out = repository.git.run(
            "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--", *batch
        )
        rows = [row for row in out.decode("utf-8", "surrogateescape").split("\0") if row]
        if rows:
            path = rows[0][3:]
            hint = f"commit or stash {path} first"
            raise Refused(f"{path} has edits that are not committed", hint)
        _refuse_unseen(repository, batch)


def _refuse_unseen(repository: Repository, paths: Sequence[str]) -> None:
    """Raise Refused for a path that git does not compare with its file."""
    out = repository.git.run("ls-files", "-v", "-z", "--", *paths)
    for row in out.decode("utf-8", "surrogateescape").split("\0"):
        mark, _, path = row.partition(" ")
        if mark in ("S", "s") or mark.islower():
            flag = "skip-worktree" if mark in ("S", "s") else "assume-unchanged"
            raise Refused(
                f"git was told not to look at {path} ({flag})",
                f"git update-index --no-{flag} {path}",
            )


def index_rows(repository: Repository, paths: Iterable[str]) -> Rows:
    """Return those of ``paths`` that stand in git's index."""
    found: Rows = {}
    for batch in _batches(paths):
        out = repository.git.run("ls-files", "-s", "-z", "--", *batch)
        for row in out.decode("utf-8", "surrogateescape").split("\0"):
            if row:
                head, _, path = row.partition("\t")
                mode, oid, _ = head.split(" ")
                found[path] = (mode, oid)
    return found


def _batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """Yield the paths by as many as fit a command line."""
    known = list(paths)
    for start in range(0, len(known), 500):
        yield known[start : start + 500]


def put_back(
    repository: Repository, paths: Iterable[str], rows: Mapping[str, Sequence[str]]
) -> None:
    """Make git's index hold for ``paths`` exactly what ``rows`` says."""
    lines = []
    for path in paths:
        mode, oid = rows.get(path, ("0", ZERO))
        lines.append(f"{mode} {oid}\t{path}\0")
    given = "".join(lines).encode("utf-8", "surrogateescape")
    repository.git.run("update-index", "-z", "--index-info", given=given)


def commit_paths(
    repository: Repository,
    paths: Sequence[str],
    message: str,
    environment: Mapping[str, str],
    begun: Callable[[str], None] = lambda sealed: None,
    limit_seconds: float | None = None,
) -> str:
    """Commit the files at ``paths`` as they are on disk, and nothing else; return the id.

    paths: each on disk or in git's index. environment: the user's own. begun: told
    which process (``running.seal``) makes the commit before that one can make it.
    limit_seconds: how long hooks and signing may take.
    Raises CommitRefused with what git, or a hook, said.
    """
    assert repository.workdir is not None
    git = Git("", repository.workdir, _own(environment))
    listed = state_folder(repository) / "commit-paths"
    listed.write_bytes(b"".join(b":(top,literal)" + _bytes(p) + b"\0" for p in paths))
    try:
        named = (f"--pathspec-from-file={listed}", "--pathspec-file-nul")
        present = [p for p in paths if (repository.workdir / p).exists()]
        fresh = [p for p in present if p not in index_rows(repository, present)]
        for batch in _batches(fresh):
            literal = [f":(top,literal){path}" for path in batch]
            git.run("add", "--intent-to-add", "--force", "--", *literal)
        asked = [
            git.program, "commit", "--quiet", "--only", "--no-edit", "--cleanup=whitespace",
            "-F", "-", *named,
        ]  # fmt: skip
        given = _bytes(message)
        own = _own(environment)
        status, said = _run(asked, repository.workdir, own, given, begun, limit_seconds)
    finally:
        listed.unlink(missing_ok=True)
    if status:
        first = next((line for line in said.splitlines() if line.strip()), f"status {status}")
        raise CommitRefused(first, said)
    return repository.ref("HEAD")


def _run(
    asked: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    given: bytes,
    begun: Callable[[str], None],
    limit_seconds: float | None,
) -> tuple[int, str]:
    """Run git to its end, also when this process is to end: it then drops its locks."""
    process = subprocess.Popen(
        asked, cwd=folder, env=dict(environment),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        # Git commits nothing without the message: it is sent once the process is noted.
        begun(running.seal(process.pid))
        said, _ = process.communicate(given, limit_seconds)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
        return 1, f"it took longer than {limit_seconds:g} seconds"
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return process.returncode, said.decode("utf-8", "backslashreplace")


# -- after an interruption ---------------------------------------------------------


def landed(repository: Repository, tip: str, paths: Iterable[str]) -> bool:
    """Tell whether what stands at ``paths`` was committed since HEAD was at ``tip``.

    tip: "none" where there was no commit yet. By whom does not matter: what is in
    the history is nothing to put back.
    """
    head = repository.ref("HEAD")
    if not head or head == tip:
        return False
    if tip == "none":
        return bool(_head_rows(repository, paths))
    for batch in _batches(paths):
        status, _, said = repository.git.attempt("diff", "--quiet", tip, head, "--", *batch)
        if status > 1:
            raise EnvironmentFault(f"git diff failed: {said}")
        if status:
            return True
    return False


def settle(repository: Repository, paths: Iterable[str], rows: Mapping[str, Sequence[str]]) -> None:
    """Bring git's index to HEAD for those of ``paths`` where it stands as it did before.

    rows: what the index held. Git moves HEAD first and its index after.
    """
    behind = _untouched(repository, paths, rows)
    if behind:
        put_back(repository, behind, _head_rows(repository, behind))


def unsettle(
    repository: Repository, paths: Iterable[str], rows: Mapping[str, Sequence[str]]
) -> None:
    """Take out of git's index what was only announced for a commit that was not made."""
    standing = index_rows(repository, paths)
    announced = [p for p in _untouched(repository, paths, rows) if p in standing and p not in rows]
    if announced:
        put_back(repository, announced, {})


def _untouched(
    repository: Repository, paths: Iterable[str], rows: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the paths of which the index says what ``rows`` says, or that one is to come."""
    known = list(paths)
    standing = index_rows(repository, known)
    empty = repository.git.run("hash-object", "--stdin").decode("ascii").strip()
    found = []
    for path in known:
        row = standing.get(path)
        to_come = path not in rows and row is not None and row[1] == empty
        if to_come or (list(row) if row else None) == (list(rows[path]) if path in rows else None):
            found.append(path)
    return found


def _head_rows(repository: Repository, paths: Iterable[str]) -> Rows:
    """Return those of ``paths`` that stand in HEAD."""
    found: Rows = {}
    for batch in _batches(paths):
        out = repository.git.run("ls-tree", "-z", "--full-tree", "HEAD", "--", *batch)
        for row in out.decode("utf-8", "surrogateescape").split("\0"):
            if row:
                head, _, path = row.partition("\t")
                mode, _, oid = head.split(" ")
                found[path] = (mode, oid)
    return found


_LOCK_SECONDS = 10


def drop_locks(repository: Repository, sealed: str) -> None:
    """Remove the locks on git's index that a killed ``git commit`` left.

    sealed: that process, which has ended. Git names the second of its two locks by
    its number, and makes it while it holds the first.
    """
    index = repository.path / "index.lock"
    second = repository.path / f"next-index-{running.number(sealed)}.lock"
    if second.exists():
        index.unlink(missing_ok=True)
        second.unlink(missing_ok=True)
    until = time.monotonic() + _LOCK_SECONDS
    while index.exists() and time.monotonic() < until:
        time.sleep(0.05)  # somebody else is at it


def _own(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in environment.items() if key not in _LOCATING}
    return kept | {"PATH": clean(environment)["PATH"]}


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
