"""The entry point: ``manent`` and ``python -m manent``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command named on the command line and return its exit code."""
    from manent.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
