"""Every error Manent raises on purpose.

The tree::

    ManentError                 exit 2 unless said otherwise
    ├── UsageError              the command was called wrongly
    │   └── NoSuchAgent         the agents file has nobody of that name
    ├── EnvironmentFault        the machine, a file or a repository is not as needed
    │   ├── NotAVault           no such folder, commit or repository
    │   └── StoreDamaged        a derived store cannot be read (it is rebuilt)
    │       └── StoreRemoved    it was thrown away: whoever asks again gets a new one
    ├── NotFound                exit 1: what was asked for does not exist, or is hidden
    └── Refused                 exit 1: the gate, or a rule of a command, says no

A hidden note and an absent one give the same ``NotFound``, to the letter.
Anything else that reaches the edge is a bug and exits 3.
"""

from __future__ import annotations


class ManentError(Exception):
    """What a user can understand and mend: one line, and a hint what to do.

    message: names the thing and says what is wrong.
    hint: what to do about it, or "".
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(ManentError):
    """The command was called wrongly."""


class NoSuchAgent(UsageError):
    """An agent was named that the agents file does not have, or has no more."""


class EnvironmentFault(ManentError):
    """The machine, a file or a repository is not as the command needs it."""


class NotAVault(EnvironmentFault):
    """The folder, commit or repository named as a vault cannot be read as one."""


class StoreDamaged(EnvironmentFault):
    """A derived store cannot be read; whoever catches this rebuilds it."""


class StoreRemoved(StoreDamaged):
    """A damaged derived store was thrown away; the same command, run again, makes it anew."""


class NotFound(ManentError):
    """What was asked for does not exist, or the asker may not know that it does."""

    exit_code = 1


class Refused(ManentError):
    """The gate, or a rule of a command, says no; nothing was changed."""

    exit_code = 1
