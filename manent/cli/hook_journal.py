"""What git calls after a merge or a rebase: ``python -I -m manent.cli.hook_journal NAME ARGS``.

A merge may move memories of a journal (``spec/JOURNAL.md``): summaries of what
was moved are cut, into the merge commit itself or on top of a rebase. Where the
repository has no journal nothing is done. A hook that stood here before is run
after ours, with the same arguments and lines.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Run the hook ``argv[0]`` and return its exit status, which git only reports."""
    name, arguments = argv[0], list(argv[1:])
    lines = sys.stdin.buffer.read() if name == "post-rewrite" else b""
    # An amended commit has the parents it had: nothing has moved.
    if (name == "post-merge" or arguments[:1] == ["rebase"]) and has_journal():
        from manent.journal.command import run

        run(["merge", "--settle", "--commit", *_onto(lines)])
    return _chained(name, arguments, lines)


def _onto(lines: bytes) -> list[str]:
    """Return what a rebase was made onto: the parent of its first commit. lines: old new."""
    from manent.errors import ManentError
    from manent.journal.gitside import output

    made = {fields[1] for line in lines.decode().splitlines() if len(fields := line.split()) > 1}
    for new in sorted(made):
        try:
            asked = ["rev-list", "--parents", "-n1", new]
            parents = output(_top(), asked, os.environ).decode().split()[1:]
        except ManentError:
            return []
        if parents and not made & set(parents):
            return parents[:1]
    return []


def settle_staged() -> None:
    """Before a commit that ends a merge by hand: stage what the merge has left to cut."""
    from manent.journal.command import run
    from manent.journal.gitside import git_dir

    found = git_dir(_top())
    if found and Path(found, "MERGE_HEAD").exists() and has_journal():
        # What it cannot do the gate, which judges next, refuses and explains.
        run(["merge", "--settle"], stdout=io.BytesIO())


def has_journal() -> bool:
    """Tell whether git tracks a journal in the working tree around us."""
    from manent.errors import ManentError
    from manent.journal.gitside import output

    asked = ["ls-files", "-z", "--", ":(top,glob)journal/**/LOG.txt"]
    try:
        return bool(output(_top(), asked, os.environ))
    except ManentError:
        return False


def _top() -> str:
    """Return the top of the working tree: there git runs these hooks."""
    return os.fspath(Path.cwd())


def _chained(name: str, arguments: list[str], lines: bytes) -> int:
    import subprocess

    hook = _own_hook(name).with_name(f"{name}.chained")
    if not os.access(hook, os.X_OK):
        return 0
    return subprocess.run([os.fspath(hook), *arguments], input=lines, check=False).returncode


def _own_hook(name: str) -> Path:
    from manent.journal.gitside import output

    found = output(_top(), ["rev-parse", "--git-path", f"hooks/{name}"], os.environ)
    return Path(_top(), os.fsdecode(found.rstrip(b"\n")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
