"""Tell a fault of the machine, which its user can mend, from a bug."""

from __future__ import annotations

import errno
import os

from manent.errors import EnvironmentFault, ManentError, NotAVault


def of_the_machine(fault: OSError) -> ManentError | None:
    """Return what the user can do about a fault of the machine, None where it is a bug."""
    if fault.errno in _NO_ROOM:
        return EnvironmentFault(f"cannot write: {fault.strerror}")
    if fault.errno in _CLOSED:
        place = os.fsdecode(fault.filename) if fault.filename else "a file"
        return EnvironmentFault(f"cannot open {place}: {fault.strerror}", _OWNER)
    if isinstance(fault, FileNotFoundError):
        try:
            os.getcwd()  # noqa: PTH109 - Path's says no more
        except FileNotFoundError:
            return NotAVault("the current folder is gone", "change to another one")
    return None


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
_CLOSED = frozenset({errno.EACCES, errno.EPERM})
_OWNER = "run as the user it belongs to, or give it to this one"
