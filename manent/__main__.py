"""The entry point: ``manent`` and ``python -m manent``."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command named on the command line and return its exit code."""
    try:
        return _run()
    except KeyboardInterrupt:  # while it was still loading: afterwards the command says so
        return INTERRUPTED


def _run() -> int:
    _read_names_as_utf8()
    if sys.argv[1:] == ["--version"] and _version():
        return 0
    if sys.argv[1:2] == ["journal"]:
        return _journal(sys.argv[2:])
    if sys.argv[1:3] == ["memory", "hook"] and not {"--help", "-h"} & set(sys.argv[3:]):
        from manent.cli.memory_hook import run as hook

        return hook(sys.argv[3:])
    from manent.cli.main import run

    return run(sys.argv[1:])


def _read_names_as_utf8() -> None:
    """Begin again in Python's UTF-8 mode where the locale would spell file names otherwise.

    A path is the same text in a folder and in a commit, whatever the locale says.
    """
    if sys.getfilesystemencoding().lower() != "utf-8" and sys.orig_argv:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _version() -> bool:
    """Print the version, which needs no framework: it takes longer to load than Python.

    False where it cannot be printed: what to say then is known elsewhere.
    """
    from manent import __version__

    try:
        print(f"manent {__version__}", flush=True)
    except (OSError, ValueError):
        return False
    return True


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
