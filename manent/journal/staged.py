"""An append of many records that a crash leaves whole or not at all.

They are put into a file of their own first. Where that file is found and nobody
at work on it, a crash came in between, and what it left in the log is taken
back. Cutting a log is a grave thing, so the file must be one that nothing but
this very journal can have made: it lies in the git directory, where no push, no
checkout and no `git add` reaches, beside the journal only where there is no
repository; and it names itself, the log and the log's end as they were. What
git has in a commit or in its index is not cut, whatever the file says.
"""

from __future__ import annotations

import os

from manent import record
from manent.errors import EnvironmentFault
from manent.journal import files, gitside
from manent.journal.files import WRITE, Opened, read_at, sync_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NAME = ".lock-import"

FORMER = ".lock-staged"
"""What earlier versions wrote beside the journal: it says nothing of whose it is."""

_BOOT = "/proc/sys/kernel/random/boot_id"

_END_BYTES = 200 * record.LOG_BYTES
"""As much of the log's end is compared: it holds numbers and dates, and reads in 0.1 ms."""


def place(directory: str) -> str:
    """Return where records for the log in ``directory`` are staged."""
    real = os.path.realpath(directory)
    found = gitside.git_dir(real)
    if found is None:
        return os.path.join(directory, NAME)
    return os.path.join(found, "manent", f"journal-import-{os.stat(real).st_ino}")


def strays(directory: str) -> list[str]:
    """Return the names of files beside the log that look staged, and are not acted on."""
    own = place(directory)
    paths = [(name, os.path.join(directory, name)) for name in (NAME, FORMER)]
    log = os.path.join(directory, "LOG.txt")
    return [
        name
        for name, path in paths
        if os.path.lexists(path) and (path != own or _start(path, log) is None)
    ]


def append_all(log: str, records: Iterable[bytes]) -> int:
    """Append records of which a crash may leave all or none; return how many.

    The caller holds the lock. What a crash leaves is taken back by ``take_back``.
    """
    staged = place(os.path.dirname(log))
    try:
        count = _stage(staged, log, records)
        with Opened(staged) as held:
            held.seek(record.LOG_BYTES)
            files.append(log, held.chunks())
        return count
    finally:
        # An error has left nothing in the log; only a crash leaves this behind.
        if os.path.lexists(staged):
            os.unlink(staged)


def _stage(staged: str, log: str, records: Iterable[bytes]) -> int:
    try:
        os.makedirs(os.path.dirname(staged), mode=0o700, exist_ok=True)
        if os.path.lexists(staged):
            os.unlink(staged)
        with Opened(staged, WRITE | os.O_CREAT | os.O_EXCL) as target:
            target.write(_head(os.fstat(target.fileno()).st_ino, log))
            count = files.write_all(target, records)
            os.fsync(target.fileno())
        sync_folder(os.path.dirname(staged))
    except OSError as failed:
        raise EnvironmentFault(f"{staged}: {failed.strerror}; nothing was saved") from None
    return count


def _head(inode: int, log: str) -> bytes:
    """Return what binds a staged file to itself, to the log and to the log's end."""
    found = os.stat(log)
    start = found.st_size
    told = f"{inode} {found.st_ino} {found.st_dev} {_boot()} {start} {_end(log, start)}"
    return told.encode().ljust(record.LOG_BYTES - 1) + b"\n"


def _boot() -> str:
    """Return what names this run of the machine; "-" where nothing does."""
    try:
        with open(_BOOT, encoding="ascii") as found:
            return found.read().strip() or "-"
    except OSError:
        return "-"


def _end(log: str, start: int) -> str:
    import hashlib

    first = max(0, start - _END_BYTES)
    raw = read_at(log, first, start - first)
    return hashlib.sha256(raw).hexdigest() if len(raw) == start - first else ""


def _start(staged: str, log: str) -> int | None:
    """Return where the append began, in bytes; None where the file is not of this log."""
    try:
        own, found = os.lstat(staged).st_ino, os.stat(log)
        fields = read_at(staged, 0, record.LOG_BYTES).decode("ascii").split()
        inode, log_inode, device, boot, start, end = fields
        # The number of a device may be another after the machine was started anew.
        same = device == str(found.st_dev) or "-" != boot != _boot()
        whole = int(start) % record.LOG_BYTES == 0 and int(start) <= found.st_size
    except (OSError, ValueError, EnvironmentFault):
        return None
    bound = same and whole and (inode, log_inode) == (str(own), str(found.st_ino))
    return int(start) if bound and end and end == _end(log, int(start)) else None


# ---------------------------------------------------------------- after a crash


def take_back(log: str, environ: Mapping[str, str]) -> None:
    """Undo an ``append_all`` that a crash has cut short. The caller holds the lock.

    Nothing is undone where all of it arrived, where something else stands in its
    place (another tool has written since, and its records are not ours to cut),
    where git has it, or where the staged file is of another log.
    """
    folder = os.path.dirname(log)
    staged = place(folder)
    if not os.path.lexists(staged):
        return
    start = _start(staged, log)
    if start is None and os.path.dirname(staged) == folder:
        head = read_at(staged, 0, record.LOG_BYTES)
        if len(head) == record.LOG_BYTES and b"\0" not in head:
            # Whole, and of another log: copied here with the journal. `verify` tells it.
            return
    if start is not None and _cut_short(log, staged, start) and not _kept(folder, start, environ):
        with Opened(log, WRITE) as target:
            os.ftruncate(target.fileno(), start)
            os.fsync(target.fileno())
    os.unlink(staged)


def _kept(folder: str, start: int, environ: Mapping[str, str]) -> bool:
    """Tell whether git has more of the log than ``start`` bytes, or cannot say."""
    real = os.path.realpath(folder)
    if gitside.git_dir(real) is None:
        return False
    if not gitside.succeeds(real, ["rev-parse", "--show-prefix"], environ):
        return True
    return any(
        gitside.succeeds(real, ["cat-file", "-e", name], environ)
        and int(gitside.output(real, ["cat-file", "-s", name], environ)) > start
        for name in ("HEAD:./LOG.txt", ":./LOG.txt", "@{upstream}:./LOG.txt")
    )


def _cut_short(log: str, staged: str, start: int) -> bool:
    width = record.LOG_BYTES
    with Opened(log) as file, Opened(staged) as whole:
        file.seek(start)
        whole.seek(width)
        while meant := whole.read(width << 12):
            there = file.read(len(meant))
            if there != meant:
                return _torn_off(meant, there, width)
    return False


def _torn_off(meant: bytes, there: bytes, width: int) -> bool:
    """Tell whether ``there`` is ``meant``, broken off or with holes of zeros in it."""
    for at in range(0, len(there), width):
        one, other = there[at : at + width], meant[at : at + width]
        if one != other and len(one) == width:
            return b"\0" in one
    return len(there) < len(meant)
