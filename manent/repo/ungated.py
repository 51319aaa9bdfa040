"""The refs that something else than a push through the gate has moved.

The hook ``reference-transaction`` leaves an empty file for each in a folder of the state:
the ref's name, with colons for slashes, since no ref has a colon of its own. What they
lead to counts as judged nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from manent.errors import EnvironmentFault
from manent.repo.open import Repository, common_folder

FOLDER = "ungated"


def ungated(repository: Repository) -> list[str]:
    """Return the refs that were moved past the gate, sorted."""
    try:
        names = [place.name for place in _folder(repository).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name.replace(":", "/") for name in names)


def note_ungated(repository: Repository, refs: Iterable[str]) -> None:
    """Note that no gate has judged what ``refs`` lead to. It stays so: what they hold is
    judged again with each push that brings it to another ref. Raises EnvironmentFault."""
    for ref in refs:
        place = _folder(repository) / ref.replace("/", ":")
        try:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.touch(mode=0o600)
        except OSError as error:
            raise EnvironmentFault(
                f"that no gate has judged {ref} cannot be noted: {error.strerror}",
                "rename or delete that ref, or mend the folder",
            ) from error


def _folder(repository: Repository) -> Path:
    return common_folder(repository.path) / "manent" / FOLDER
