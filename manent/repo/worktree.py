"""What git says of a folder on disk."""

from __future__ import annotations

from pathlib import Path

from manent.repo.command import Git, clean
from manent.repo.open import Environment, discover


def ignored(root: Path, environment: Environment | None = None) -> frozenset[str]:
    """Return the paths below ``root`` that git ignores, folders with a trailing slash.

    A tracked file is not ignored, whatever the patterns say. Empty where there is
    no repository. environment: the caller's, for the user's own excludes file.
    """
    repository = discover(root, environment)
    if repository is None or repository.is_bare:
        return frozenset()
    out = Git("", root, clean(environment)).run(
        "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"
    )
    names = out.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(name for name in names if name and name != "./")
