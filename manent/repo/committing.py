"""Commit named paths of a working tree as its user would: through ``git commit``.

The user's identity, signing settings and hooks all count, and so do the variables
git itself reads (``GIT_AUTHOR_NAME``, ``GIT_CONFIG_GLOBAL``, …); only those that
point git at another repository are left out. Only the gate calls this.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from manent.errors import EnvironmentFault, Refused
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

    A file that git does not know may be committed: nothing of it is half done.
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
    repository: Repository, paths: Sequence[str], message: str, environment: Mapping[str, str]
) -> str:
    """Commit the files at ``paths`` as they are on disk, and nothing else; return the id.

    paths: each on disk or in git's index. environment: the user's own.
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
        status, said = _run(asked, repository.workdir, _own(environment), _bytes(message))
    finally:
        listed.unlink(missing_ok=True)
    if status:
        first = next((line for line in said.splitlines() if line.strip()), f"status {status}")
        raise CommitRefused(first, said)
    return repository.ref("HEAD")


def _run(
    asked: Sequence[str], folder: Path, environment: Mapping[str, str], given: bytes
) -> tuple[int, str]:
    """Run git to its end, also when this process is to end: it then drops its locks."""
    process = subprocess.Popen(
        asked, cwd=folder, env=dict(environment),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        said, _ = process.communicate(given)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return process.returncode, said.decode("utf-8", "backslashreplace")


def committed(repository: Repository, tip: str, paths: Iterable[str]) -> bool:
    """Tell whether HEAD has left ``tip`` and holds ``paths`` as they are on disk."""
    head = repository.ref("HEAD")
    if not head or head == tip:
        return False
    for batch in _batches(paths):
        status, _, said = repository.git.attempt("diff", "--quiet", head, "--", *batch)
        if status > 1:
            raise EnvironmentFault(f"git diff failed: {said}")
        if status:
            return False
    return True


def _own(environment: Mapping[str, str]) -> dict[str, str]:
    kept = {key: value for key, value in environment.items() if key not in _LOCATING}
    return kept | {"PATH": clean(environment)["PATH"]}


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
