"""Fourteen vaults that people made elsewhere, for other tools, go the whole way.

Lint, index and search change no byte of them; a brain takes them with
``frontmatter: optional`` and ``--baseline``; a good note pushed after is found.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from asked import ask
from repositories import GIT, Clone, git_variables, note

from manent.lint.engine import CONTENT_RULES

GOLDEN = Path(__file__).with_name("public_vaults.json")
NAMES = (
    "claude-pkm",
    "claudesidian",
    "cncf-glossary",
    "dataview-testvault",
    "dendron-site",
    "eips",
    "foam-docs",
    "kepano",
    "knowledge-garden",
    "logseq-docs",
    "obsidiantools-stub",
    "sapienza-it",
    "starter-templates",
    "tasks-demo",
)
HEAVY = frozenset({"eips", "knowledge-garden", "dendron-site", "cncf-glossary"})
LONG = frozenset({"claudesidian", "foam-docs", "logseq-docs"})
"""Judged whole three times over these take their time; all are pushed with MANENT_ENDURE."""
PUSHED = [n for n in NAMES if n not in HEAVY | LONG or os.environ.get("MANENT_ENDURE")]
QUERIES = ("how to write a note", "obsidian", "学习 笔记", "xyzzy-nothing")

pytestmark = pytest.mark.slow


@pytest.fixture
def unpacked(data: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """One vault in a folder of its own."""
    with tarfile.open(data / "vaults" / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (root,) = (tmp_path / "unpacked").iterdir()
    return root.rename(tmp_path / "vault")


def contents(root: Path) -> dict[str, str]:
    """Return a digest of every file but the derived ones, by path."""
    found = {}
    for place in sorted(root.rglob("*")):
        path = place.relative_to(root).as_posix()
        if not place.is_dir() and path.split("/")[0] not in (".manent", ".git"):
            found[path] = hashlib.sha256(place.read_bytes()).hexdigest()
    return found


def counted(root: Path) -> dict[str, Any]:
    """Lint, index and search the vault; return what is written down of it."""
    said = ask("lint", str(root), "--frontmatter", "optional", "--json")
    assert said.code in (0, 1), said.errors
    rules = Counter(f["rule"] for f in said.json["findings"] if f["rule"] not in CONTENT_RULES)
    index = ask("index", str(root), "--frontmatter", "optional", "--json")
    assert index.code == 0, index.errors
    assert index.json["notes"] == said.json["notes"]
    for query in QUERIES:
        answer = ask("search", str(root), query, "--frontmatter", "optional", "--json")
        assert answer.code == (0 if answer.json["hits"] else 1), answer.errors
    counts = {"notes": index.json["notes"], "files": index.json["files"]}
    return {**counts, "findings": dict(sorted(rules.items()))}


def golden() -> dict[str, Any]:
    found = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("unpacked", NAMES, indirect=True)
def test_it_is_read_without_a_changed_byte(unpacked: Path, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.params["unpacked"]
    before = contents(unpacked)
    found = counted(unpacked)
    if name not in HEAVY:
        mended = ask("lint", str(unpacked), "--frontmatter", "optional", "--fix", "--diff")
        assert mended.code in (0, 1), mended.errors
    assert contents(unpacked) == before
    if os.environ.get("MANENT_REGEN"):
        whole = golden() | {name: found}
        GOLDEN.write_text(json.dumps(dict(sorted(whole.items())), indent=1) + "\n", "utf-8")
    assert found == golden()[name]


def manent(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "manent", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **git_variables()},
    )


@pytest.mark.parametrize("unpacked", PUSHED, indirect=True)
def test_a_brain_takes_it(unpacked: Path) -> None:
    root = unpacked.parent
    before = contents(unpacked)
    clone = Clone(unpacked, root / "brain.git")
    clone.git("init", "-q", "-b", "main")
    clone.git("add", "-A", "-f")
    clone.git("commit", "-qm", "as it was found")
    # Into an empty brain first: structure is a warning there, content is not.
    made = manent("brain", "create", "brain.git", "--frontmatter", "optional", cwd=root)
    assert made.returncode == 0, made.stderr
    clone.git("remote", "add", "origin", str(root / "brain.git"))
    pushed = clone.push()
    assert pushed.accepted or pushed.refused, pushed.said
    if pushed.refused:
        _taken_as_it_is(root)
        shutil.rmtree(unpacked)
        subprocess.run([GIT, "clone", "-q", "brain.git", "vault"], cwd=root, check=True)
        clone.git("config", "user.name", "Ada Tester")
    clone.commit({"memory/cold-rooms.md": note("cold-rooms", "Keep the quincebrine at four.")})
    good = clone.push()
    assert good.accepted, good.said
    found = ask("search", str(root / "brain.git"), "quincebrine", "--json")
    assert [hit["path"] for hit in found.json["hits"]] == ["memory/cold-rooms.md"]
    assert ask("index", str(root / "brain.git"), "--status").code == 0
    after = contents(unpacked)
    assert {path: after.get(path) for path in before} == before


def _taken_as_it_is(root: Path) -> None:
    """Make the brain from the vault: old faults of structure are listed, content is allowed."""
    shutil.rmtree(root / "brain.git")
    options = ["--from", "vault", "--frontmatter", "optional"]
    plain = manent("brain", "create", "brain.git", *options, cwd=root)
    if plain.returncode == 0:
        assert "as old" in plain.stderr or "remark" in plain.stderr
        return
    assert plain.returncode == 1, plain.stderr
    assert not (root / "brain.git").exists()
    made = manent("brain", "create", "brain.git", *options, "--baseline", cwd=root)
    assert made.returncode == 0, made.stderr
    assert "allowed from now on" in made.stdout
