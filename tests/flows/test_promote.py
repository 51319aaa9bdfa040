"""Promotions on a brain: many in a row, many at once; nothing is lost, history is a line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from repositories import Clone, note

from manent.cli.main import run

MANY = 500
AT_ONCE = 8
EACH = 4


def draft(name: str, author: str, text: str = "Text.") -> bytes:
    return note(name, text, status="quarantine", author=author, created="2026-01-10")


def subjects(clone: Clone, base: str) -> list[str]:
    return clone.brain_git("log", "--format=%s", f"{base}..main").splitlines()


def parents(clone: Clone, base: str) -> list[int]:
    rows = clone.brain_git("rev-list", "--parents", f"{base}..main").splitlines()
    return [len(row.split()) - 1 for row in rows]


def test_five_hundred_promotions_in_one_process(clone: Clone, capsys: Any) -> None:
    files: dict[str | bytes, bytes | None] = {
        f"quarantine/tide/n-{i}.md": draft(f"n-{i}", "tide", f"[[n-{(i + 1) % MANY}]]")
        for i in range(MANY)
    }
    hub = "\n".join(f"- [n](quarantine/tide/n-{i}.md)" for i in range(0, MANY, 50))
    base = clone.commit({**files, "memory/hub.md": note("hub", hub)})
    assert clone.push().accepted
    for k in range(20):  # one at a time: each reads the brain anew
        status = run(["promote", str(clone.brain), "--note", f"n-{k}", "--to", "notes", "--commit"])
        assert status == 0, capsys.readouterr().err
    arguments = ["--all", "--author", "tide", "--to", "notes", "--commit", "--yes"]
    assert run(["promote", str(clone.brain), *arguments]) == 0
    made = subjects(clone, base)
    assert sorted(made) == sorted(f"promote(n-{i}): out of quarantine" for i in range(MANY))
    assert set(parents(clone, base)) == {1}
    listed = clone.brain_git("ls-tree", "-r", "--name-only", "main").splitlines()
    assert {p for p in listed if p.startswith("notes/")} == {f"notes/n-{i}.md" for i in range(MANY)}
    assert not [p for p in listed if p.startswith("quarantine/")]
    now = clone.brain_git("show", "main:memory/hub.md")
    assert now.count("](../notes/n-") == len(range(0, MANY, 50))
    capsys.readouterr()
    assert run(["lint", str(clone.brain)]) == 0


def test_promoters_at_once_lose_nothing(clone: Clone, tmp_path: Path) -> None:
    names = [f"p{a}-{i}" for a in range(AT_ONCE) for i in range(EACH)]
    hub = "\n".join(f"[n](quarantine/tide/{name}.md)" for name in names)
    files: dict[str | bytes, bytes | None] = {
        f"quarantine/tide/{name}.md": draft(name, "tide") for name in names
    }
    # The hub is rewritten by every one of them.
    base = clone.commit({**files, "hub.md": note("hub", hub)})
    assert clone.push().accepted
    code = (
        "import sys; from manent.cli.main import run\n"
        "for name in sys.argv[2:]:\n"
        "    status = run(['promote', sys.argv[1], '--note', name, '--to', 'notes', '--commit'])\n"
        "    assert status == 0, name\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(clone.brain), *names[a * EACH : (a + 1) * EACH]],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        for a in range(AT_ONCE)
    ]
    # Meanwhile somebody pushes.
    assert clone.commit({"memory/meanwhile.md": note("meanwhile")})
    while not clone.push().accepted:
        clone.git("pull", "-q", "--rebase", "origin", "main")
    said = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * AT_ONCE, said
    assert sorted(subjects(clone, base)) == sorted(
        ["step", *(f"promote({name}): out of quarantine" for name in names)]
    )
    assert set(parents(clone, base)) == {1}
    listed = clone.brain_git("ls-tree", "-r", "--name-only", "main").splitlines()
    assert {f"notes/{name}.md" for name in names} <= set(listed)
    now = clone.brain_git("show", "main:hub.md")
    assert all(f"[n](notes/{name}.md)" in now for name in names)
