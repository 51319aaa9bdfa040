"""When a path was added or last touched, and by which commit."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from manent.repo.command import fields
from manent.repo.open import Repository


class Touch(NamedTuple):
    """A commit that changed a path.

    seconds: its committer time, since 1970 UTC. status: git's letter (A, M, D, T).
    oid: what the path holds from then on, zeros where it is gone.
    """

    path: str
    commit: str
    seconds: int
    status: str
    oid: str = ""


_LOG = (
    "log", "-z", "-c", "--raw", "-r", "--root", "--no-renames", "--no-abbrev",
    "--no-show-signature", "--no-ext-diff", "--format=%x01%H %ct",
)  # fmt: skip


def touches(repository: Repository, tip: str, base: str = "") -> Iterator[Touch]:
    """Yield what each commit of ``base..tip`` touched, newest commit first.

    A merge counts for the paths in which it differs from all its parents. Work is
    proportional to the commits walked, so keep what an earlier tip gave and pass
    that tip as ``base``.
    """
    known = [f"^{base}"] if base else []
    process = repository.git.start(*_LOG, tip, *known, "--")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        yield from _touches(fields(process.stdout))
    finally:
        process.stdout.close()
        process.wait()


def _touches(stream: Iterator[bytes]) -> Iterator[Touch]:
    commit, seconds = "", 0
    for field in stream:
        text = field.lstrip(b"\n")
        if text.startswith(b"\x01"):
            oid, _, when = text[1:].decode().partition(" ")
            commit, seconds = oid, int(when.strip() or 0)
        elif text.startswith(b":"):
            path = next(stream).decode("utf-8", "surrogateescape")
            words = text.decode().split(" ")
            yield Touch(path, commit, seconds, words[-1][:1], words[-2])


def touched_at(
    repository: Repository, tip: str, paths: Collection[str], base: str = ""
) -> dict[str, Touch]:
    """Return the last touch of each of ``paths`` that ``base..tip`` touched.

    Stops at the commit where the last of them is found.
    """
    wanted, found = set(paths), dict[str, Touch]()
    for touch in touches(repository, tip, base):
        if touch.path in wanted:
            wanted.discard(touch.path)
            found[touch.path] = touch
            if not wanted:
                break
    return found


def last_touch(repository: Repository, tip: str, path: str) -> Touch | None:
    """Return the commit up to ``tip`` that made ``path`` what it is there, as git follows it."""
    status, out, _ = repository.git.attempt(*_LOG, "-1", tip, "--", path)
    found = _touches(iter(out.split(b"\0"))) if not status else iter(())
    return next((touch for touch in found if touch.path == path), None)


def added_at(repository: Repository, tip: str, path: str) -> Touch | None:
    """Return the newest commit up to ``tip`` that added ``path``; None where none did."""
    status, out, _ = repository.git.attempt(
        "log", "-1", "--diff-filter=A", "--no-renames", "--format=%H %ct", tip, "--", path
    )
    words = out.decode().split()
    return Touch(path, words[0], int(words[1]), "A") if not status and len(words) == 2 else None
