"""What the README shows of ``manent memory`` is what it prints.

``MANENT_REGEN=1`` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

from memories import memory

README = Path(__file__).resolve().parent.parent.parent / "README.md"
EXAMPLE = README.parent / "spec/examples/harbour"
_SESSION = re.compile(r"(?<=^```console\n)(?=\$ manent memory).*?(?=^```$)", re.M | re.S)


def played(session: str, folder: Path) -> str:
    """Run the commands of a session, one after the other, and return it as it is now."""
    lines = []
    for line in session.splitlines():
        if line.startswith("$ manent memory "):
            done = memory(*shlex.split(line.removeprefix("$ manent memory ")), cwd=folder)
            lines.extend((line, *done.stdout.rstrip("\n").splitlines(), ""))
    return "\n".join(lines).rstrip("\n") + "\n"


def test_the_session_is_true(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "harbour")
    text = README.read_text(encoding="utf-8")
    found = _SESSION.search(text)
    assert found is not None
    now = played(found[0], tmp_path / "harbour")
    if os.environ.get("MANENT_REGEN"):
        README.write_text(text.replace(found[0], now), encoding="utf-8")
    else:
        assert now == found[0]
    example = EXAMPLE / "CLAUDE.md"
    assert (tmp_path / "harbour/CLAUDE.md").read_bytes() == example.read_bytes()
