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


def touches(
    repository: Repository, tip: str, base: str = "", paths: Collection[str] = ()
) -> Iterator[Touch]:
    """Yield what each commit of ``base..tip`` touched, newest commit first.

    paths: of these alone, along the history that made them what they are.

    A merge counts for the paths in which it differs from all its parents. Work is
    proportional to the commits walked, so keep what an earlier tip gave and pass
    that tip as ``base``.
    """
    known = [f"^{base}"] if base else []
    process = repository.git.start(*_LOG, tip, *known, "--", *paths)
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


def arrived_at(repository: Repository, tip: str, path: str) -> int | None:
    """Return when ``path`` first came, in seconds, under whatever name it came."""
    asked = ("log", "--follow", "-M", "--diff-filter=A", "--format=%ct", tip, "--", path)
    status, out, _ = repository.git.attempt(*asked)
    times = out.split()
    return int(times[-1]) if not status and times else None


_RENAMES = "-l200"
"""Past so many files that go and come in one commit only unchanged ones are matched."""


def arrivals_at(repository: Repository, tip: str) -> dict[str, int]:
    """Return what ``arrived_at`` does for every path, in one walk of the history."""
    asked = [option for option in _LOG if option != "--no-renames"]
    process = repository.git.start(*asked, "-M", _RENAMES, "--diff-filter=AR", tip, "--")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    called: dict[str, set[str]] = {}  # a name of some time, and the later ones it got
    found: dict[str, int] = {}
    seconds = 0
    stream = fields(process.stdout)
    try:
        for field in stream:
            text = field.lstrip(b"\n")
            if text.startswith(b"\x01"):
                seconds = int(text[1:].split()[1])
            elif text.startswith(b":"):
                path = next(stream).decode("utf-8", "surrogateescape")
                if text.split(b" ")[-1][:1] == b"R":
                    now = next(stream).decode("utf-8", "surrogateescape")
                    called.setdefault(path, set()).update(called.get(now, ()), (now,))
                else:  # newest first, so that the last word on a file is its first commit
                    found.update(dict.fromkeys((path, *called.get(path, ())), seconds))
    finally:
        process.stdout.close()
        process.wait()
    return found


def moves_staged(repository: Repository, tip: str) -> dict[str, str]:
    """Return by its new path what was moved since ``tip`` and is not committed yet."""
    asked = ("diff-index", "--cached", "-M", "-z", "--name-status", "--diff-filter=R", tip, "--")
    out = repository.git.run(*asked).decode("utf-8", "surrogateescape").split("\0")
    return dict(zip(out[2::3], out[1::3], strict=False))
