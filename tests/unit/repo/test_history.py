"""Dates of paths, from the commits that touched them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from manent.repo.history import added_at, touched_at, touches
from manent.repo.open import discover


def git(folder: Path, *arguments: str, when: int = 0) -> str:
    stamp = f"{1_700_000_000 + when} +0000"
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        capture_output=True,
        check=True,
        env={**os.environ, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp},
    )
    return done.stdout.decode().strip()


def grown(folder: Path) -> list[str]:
    """Return the commits of a small history with a merge, oldest first."""
    git(folder, "init", "-q")
    odd = os.fsdecode(b"\xe9 :odd\n*.md")
    commits = []
    steps: list[dict[str, str]] = [{"a.md": "1", odd: "1"}, {"a.md": "2"}, {"b.md": "1"}]
    for when, files in enumerate(steps):
        for path, text in files.items():
            (folder / path).write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "step\n\n:100644 looks like a row", when=when)
        commits.append(git(folder, "rev-parse", "HEAD"))
    git(folder, "checkout", "-qb", "side", commits[1])
    (folder / "c.md").write_text("1")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "side", when=3)
    commits.append(git(folder, "rev-parse", "HEAD"))
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "side", when=4)
    commits.append(git(folder, "rev-parse", "HEAD"))
    return commits


def test_each_path_has_its_last_commit(tmp_path: Path) -> None:
    first, second, third, side, tip = grown(tmp_path)
    repository = discover(tmp_path, os.environ)
    assert repository is not None
    odd = os.fsdecode(b"\xe9 :odd\n*.md")
    found = touched_at(repository, tip, ["a.md", "b.md", "c.md", odd, "no.md"])
    assert {path: touch.commit for path, touch in found.items()} == {
        "a.md": second,
        "b.md": third,
        "c.md": side,
        odd: first,
    }
    assert found["a.md"].seconds == 1_700_000_001
    assert found[odd].status == "A"
    assert set(touched_at(repository, tip, ["a.md", "b.md", "c.md"], base=second)) == {
        "b.md",
        "c.md",
    }
    assert len(list(touches(repository, tip))) == 5


def test_the_newest_addition_counts(tmp_path: Path) -> None:
    first, *_, tip = grown(tmp_path)
    repository = discover(tmp_path, os.environ)
    assert repository is not None
    assert added_at(repository, tip, "no.md") is None
    touch = added_at(repository, tip, "a.md")
    assert touch is not None and touch.commit == first
    (tmp_path / "a.md").unlink()
    git(tmp_path, "commit", "-qam", "gone", when=9)
    (tmp_path / "a.md").write_text("back")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "back", when=10)
    again = added_at(repository, "HEAD", "a.md")
    assert again is not None and again.seconds == 1_700_000_010
