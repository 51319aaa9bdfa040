"""Which commits and tags the gate has let in: what they lead to was judged.

A file of ids beside the brain's config, a line each. It goes by ids and not by the names
of refs: git renames, copies and links refs without asking any hook. And it is nothing
that could be made again, so it lies outside the folder of derived data. A brain without
it is one from before: what its protected branch leads to counts as judged, and no more.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manent.errors import EnvironmentFault
from manent.repo.open import Repository, common_folder

FILE = "manent.judged"
LANDS_IN = ("refs/heads/", "refs/tags/")
"""What a push may move."""
MOST_BYTES = 64 << 10
"""From this size on, what no ref points at any more is left out but for the latest."""
LATEST = 400
"""So many of the last lines stay in any case: a push may be under way that is to land."""


def protected_ref(repository: Repository) -> str:
    """Return the full name of the branch that moves through the gate alone."""
    named = repository.section().get("protectedbranch", [""])[-1].removeprefix("refs/heads/")
    return f"refs/heads/{named or repository.head_branch or 'main'}"


def is_judged(repository: Repository, ref: str, oid: str) -> bool:
    """Tell whether all that ``oid`` leads to, where ``ref`` points at it, was judged."""
    found = _read(repository)
    return ref == protected_ref(repository) if found is None else oid in found


def known_tips(repository: Repository) -> list[str]:
    """Return the ids branches and tags point at now that the gate has let in, sorted."""
    tips = {ref: oid for ref, oid in repository.refs().items() if ref.startswith(LANDS_IN)}
    found = _read(repository)
    if found is None:
        return [oid for oid in [tips.get(protected_ref(repository))] if oid]
    return sorted(found.intersection(tips.values()))


def note_judged(repository: Repository, oids: Iterable[str]) -> None:
    """Note that the gate lets in what ``oids`` lead to. Raises EnvironmentFault."""
    with _writing(repository) as descriptor:
        first = [] if os.fstat(descriptor).st_size else _adopted(repository)
        _append(descriptor, [*first, *oids])


def adopt(repository: Repository) -> list[str]:
    """Begin anew: what the protected branch leads to counts as judged, and no more.

    For a repository that becomes a brain. Returns the other branches and tags that
    lead elsewhere. Raises EnvironmentFault.
    """
    own = _adopted(repository)
    with _writing(repository) as descriptor:
        os.ftruncate(descriptor, 0)
        _append(descriptor, own)
    refs = repository.refs().items()
    return [ref for ref, oid in refs if ref.startswith(LANDS_IN) and oid not in own]


def thin_out(repository: Repository) -> None:
    """Leave out ids that nothing points at any more, once there are many."""
    place = _place(repository)
    if not place.exists() or place.stat().st_size < MOST_BYTES:
        return
    with _writing(repository):
        lines = place.read_text(encoding="ascii", errors="replace").split()
        tips = set(repository.refs().values())
        kept = [oid for oid in lines[:-LATEST] if oid in tips] + lines[-LATEST:]
        draft = place.with_name(f"{FILE}.new")
        draft.write_text("".join(f"{oid}\n" for oid in dict.fromkeys(kept)), encoding="ascii")
        draft.chmod(0o600)
        draft.replace(place)


def _place(repository: Repository) -> Path:
    return common_folder(repository.path) / FILE


def _read(repository: Repository) -> frozenset[str] | None:
    try:
        return frozenset(_place(repository).read_text(encoding="ascii", errors="replace").split())
    except FileNotFoundError:
        return None


def _adopted(repository: Repository) -> list[str]:
    return [oid for oid in [repository.ref(protected_ref(repository))] if oid]


def _append(descriptor: int, oids: Iterable[str]) -> None:
    # A line that a full disk cut off ends here: the next one is not spoilt by it.
    os.write(descriptor, "".join(f"\n{oid}\n" for oid in oids).encode("ascii"))


@contextmanager
def _writing(repository: Repository) -> Iterator[int]:
    """Yield the file, opened to append to it, while nobody else writes it."""
    place = _place(repository)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = -1
    try:
        while descriptor < 0:
            descriptor = os.open(place, flags, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_ino != place.stat().st_ino:  # another has replaced it
                os.close(descriptor)
                descriptor = -1
        yield descriptor
    except OSError as error:
        raise EnvironmentFault(
            f"that the gate has judged it cannot be noted in {place}: {error.strerror}",
            "the user who runs manent must be able to write there",
        ) from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)
