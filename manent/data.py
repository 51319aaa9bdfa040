"""Where the files that are not code lie: ``spec/``, ``hooks/``, ``fixture-vault/``.

In a checkout they stand beside the package, in a wheel inside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def path(name: str) -> Path:
    """Return the folder or file ``name`` ("spec", "hooks/pre-receive", …) on disk.

    Raises FileNotFoundError when the installation is incomplete.
    """
    for root in (_PACKAGE / "_data", _PACKAGE.parent):
        candidate = root / name
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"this installation of manent lacks {name}")
