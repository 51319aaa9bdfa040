"""The built wheel works in a fresh environment with no checkout in sight."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _run(*command: str | Path, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": "", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", out, ROOT, cwd=out)
    (made,) = out.glob("*.whl")
    return made


def _core_lock(folder: Path) -> Path:
    """Return the lock file without what only development needs."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    kept = [
        block
        for block in re.split(r"\n(?=\S)", text)
        if "via manent" not in block or "manent (pyproject.toml)" in block
    ]
    lock = folder / "core.lock"
    lock.write_text("\n".join(kept), encoding="utf-8")
    return lock


def test_it_carries_what_it_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for needed in (
        "manent/_data/hooks/pre-receive",
        "manent/_data/hooks/post-receive",
        "manent/_data/spec/SPEC.md",
        "manent/_data/spec/schema/base.json",
        "manent/_data/spec/rules/pii.md",
        "manent/_data/fixture-vault/MEMORY.md",
        "manent/py.typed",
    ):
        assert needed in names
    assert not [n for n in names if n.startswith(("tests/", "eval/"))]


@pytest.mark.slow
def test_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    _run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=home)
    python = tmp_path / "venv" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet")
    _run(*pip, "--require-hashes", "-r", _core_lock(tmp_path), cwd=home, HOME=_pip_home())
    _run(*pip, "--no-deps", wheel, cwd=home)
    manent = tmp_path / "venv" / "bin" / "manent"
    where = "import manent; print(manent.__file__)"
    assert str(tmp_path) in _run(python, "-c", where, cwd=home)
    assert "0.2" in _run(manent, "spec", cwd=home)
    out = _run(manent, "demo", cwd=home)
    assert out.count("refused") >= 2
    assert "accepted" in out


def _pip_home() -> str:
    """The real HOME, whose package cache saves fetching everything again."""
    from conftest import REAL_HOME

    return str(REAL_HOME)
