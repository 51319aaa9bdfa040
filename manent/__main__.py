"""The entry point: ``manent`` and ``python -m manent``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command named on the command line and return its exit code."""
    if sys.argv[1:2] == ["journal"]:
        return _journal(sys.argv[2:])
    from manent.cli.main import run

    return run(sys.argv[1:])


def _journal(argv: list[str]) -> int:
    """Run the one command that is called so often that it goes before the framework."""
    from manent.journal.command import run

    try:
        return run(argv)
    except Exception as bug:
        from manent.cli.main import _report

        return _report(bug, verbose=False)


if __name__ == "__main__":
    sys.exit(main())
