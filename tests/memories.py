"""Invented memory files, and the ways tests compile, edit and restore them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from manent.memfile import workspace
from manent.memfile.compile import Options, Plan, planned, written

RULES = "".join(f"- Never write to table {n} from a request handler.\n" for n in range(6))
LONG = "".join(
    f"The {word} service keeps its queue in memory and drains it on shutdown.\n"
    for word in ("billing", "catalog", "search", "mail", "audit", "export") * 8
)

MEMORY = f"""\
# Harbour

A booking system for small boats. Python, PostgreSQL, one worker.

## Hard rules

{RULES}
## Architecture

{LONG}
## Testing

Run `pytest -q` before each commit. Fixtures live in `conftest.py`.

```sh
# not a heading
pytest -q
```

## Conventions

- Names are nouns.
- Use tabs never.

## Changelog

- 2026-01-05: moved the mooring calendar to its own table
  because the old one locked.
- 2026-02-11: dropped the SOAP endpoint
"""

SMALL = "# Tiny\n\nUse tabs.\n"


def compiled(
    folder: Path, text: str | bytes = MEMORY, name: str = "CLAUDE.md", **options: object
) -> Plan:
    """Compile a text in a folder, whatever the verdict."""
    data = text.encode() if isinstance(text, str) else text
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    plan = planned(name, data, Options(**options))  # type: ignore[arg-type]
    with workspace.writing(folder):
        written(folder, plan)
    return plan


def memory(
    *arguments: str, cwd: Path | None = None, given: str | bytes = ""
) -> subprocess.CompletedProcess[str]:
    """Run ``manent memory`` as a process of its own."""
    data = given.encode() if isinstance(given, str) else given
    done = subprocess.run(
        [sys.executable, "-m", "manent", "memory", *arguments],
        input=data,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file under a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
