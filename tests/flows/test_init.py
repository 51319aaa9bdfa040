"""A new vault from the command line: made, clean, committed; and the contract printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from manent import data, schema


def manent(*arguments: str, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "manent", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr if code else done.stdout


def git(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("template", ["empty", "example"])
def test_a_new_vault_is_clean_and_stays_so_once_committed(tmp_path: Path, template: str) -> None:
    said = manent("init", "vault", "--template", template, cwd=tmp_path)
    assert "files made" in said
    vault = tmp_path / "vault"
    strict = ("--strict-content", "--strict-links", "--json")
    folder = json.loads(manent("lint", *strict, cwd=vault))
    assert folder["counts"] == {"error": 0, "warning": 0, "info": 0}
    git("add", "-A", cwd=vault)
    git("commit", "-q", "-m", "A vault", cwd=vault)
    assert git("status", "--porcelain", cwd=vault) == ""
    commit = json.loads(manent("lint", *strict, "--rev", "HEAD", cwd=vault))
    assert commit["counts"] == folder["counts"]
    assert commit["notes"] == folder["notes"] >= 2


def test_init_prints_one_json_document_and_keeps_what_stands(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("mine\n")
    out = json.loads(manent("init", ".", "--json", cwd=tmp_path))
    assert out["version"] == 1
    assert out["kept"] == ["MEMORY.md"]
    assert out["initialised"] is True
    assert (tmp_path / "MEMORY.md").read_text() == "mine\n"
    assert len(json.loads((tmp_path / ".manent-allow").read_text())["salt"]) >= 32


def test_the_new_vault_judges_what_is_committed_to_it(tmp_path: Path) -> None:
    said = manent("init", "vault", cwd=tmp_path)
    assert "pre-commit" in said
    vault = tmp_path / "vault"
    git("add", "-A", cwd=vault)
    git("commit", "-q", "-m", "A vault", cwd=vault)
    (vault / "memory/bad.md").write_text("---\nname: bad\nname: bad\n---\n")
    git("add", "-A", cwd=vault)
    done = subprocess.run(
        ["git", "commit", "-m", "A bad note"],
        cwd=vault,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "memory/bad.md" in done.stderr
    assert "frontmatter-invalid" in done.stderr


def test_hooks_kept_elsewhere_are_left_alone(tmp_path: Path) -> None:
    shared = tmp_path / "shared-hooks"
    shared.mkdir()
    (tmp_path / "vault").mkdir()
    git("init", "-q", cwd=tmp_path / "vault")
    git("config", "core.hooksPath", str(shared), cwd=tmp_path / "vault")
    out = json.loads(manent("init", "vault", "--json", cwd=tmp_path))
    assert list(shared.iterdir()) == []
    assert out["hooks"] == []
    assert any("core.hooksPath" in remark for remark in out["remarks"])


def test_every_vault_has_a_salt_of_its_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        manent("-q", "init", name, cwd=tmp_path)
    salts = [(tmp_path / name / ".manent-allow").read_text() for name in ("a", "b")]
    assert salts[0] != salts[1]


def test_a_label_that_is_none_is_wrong_use(tmp_path: Path) -> None:
    said = manent("init", "vault", "--audiences", "team,Private Staff", cwd=tmp_path, code=2)
    assert "Private Staff" in said
    assert not (tmp_path / "vault").exists()


def test_spec_prints_the_text_and_each_schema(tmp_path: Path) -> None:
    text = manent("spec", cwd=tmp_path)
    assert text == data.path("spec/SPEC.md").read_text(encoding="utf-8")
    for name in ("base", *schema.TYPES):
        assert json.loads(manent("spec", "--schema", name, cwd=tmp_path)) == schema.document(name)
    assert "feedback" in manent("spec", "--schema", "lesson", cwd=tmp_path, code=2)


def test_a_folder_without_a_name_is_refused(tmp_path: Path) -> None:
    assert "DIR is empty" in manent("init", "", cwd=tmp_path, code=2)
    assert list(tmp_path.iterdir()) == []


def test_a_vault_inside_another_repository_is_said_to_be_one_of_its_own(tmp_path: Path) -> None:
    git("init", "-q", cwd=tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "manent", "init", "vault", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    (remark,) = json.loads(done.stdout)["remarks"]
    assert f"inside the repository {tmp_path}" in remark
