"""One brain a session, copied for each test: making it costs more than the copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import GIT, Clone, note

SEED = {
    "MEMORY.md": b"---\nname: MEMORY\ndescription: The index\ntype: index\n---\n- [[first]]\n",
    "memory/first.md": note("first", "See [[second]]."),
    "memory/second.md": note("second"),
}


@pytest.fixture(scope="session")
def brain_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A brain with three notes and its hooks, made as a user makes one."""
    root = tmp_path_factory.mktemp("template")
    vault = root / "vault"
    environment = {**os.environ, "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    (root / ".gitconfig").write_text("[user]\n name = Ada Tester\n email = ada@example.org\n")
    for path, content in SEED.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(content)
    for asked in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "seed"]):
        subprocess.run([GIT, *asked], cwd=vault, check=True, env=environment)
    subprocess.run(
        [sys.executable, "-m", "manent", "brain", "create", "brain.git", "--from", "vault"],
        cwd=root, check=True, env=environment, capture_output=True,
    )  # fmt: skip
    # A worker that stays longer makes ready for pushes that no test will make.
    subprocess.run([GIT, "config", "manent.worker", "5"], cwd=root / "brain.git", check=True)
    subprocess.run(
        [GIT, "clone", "-q", "brain.git", "clone"], cwd=root, check=True, env=environment
    )
    return root


@pytest.fixture
def clone(brain_template: Path, tmp_path: Path) -> Clone:
    """A working copy of a brain of its own."""
    shutil.copytree(brain_template / "brain.git", tmp_path / "brain.git", symlinks=True)
    shutil.copytree(brain_template / "clone", tmp_path / "clone", symlinks=True)
    made = Clone(tmp_path / "clone", tmp_path / "brain.git")
    made.git("remote", "set-url", "origin", str(tmp_path / "brain.git"))
    return made
