"""A memory file is compiled, edited, updated and put back, as a person would do it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest
from memories import LONG, MEMORY, SMALL, memory, snapshot

from manent import data as shipped

SCHEMA = json.loads(shipped.path("spec/schema/memory-manifest.json").read_text())


def secret() -> str:
    return "ghp_" + "".join(chr(ord("a") + (7 * n) % 26) + str(n % 10) for n in range(18))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "CLAUDE.md").write_text(MEMORY + LONG)
    return tmp_path


def test_a_dry_run_writes_nothing_and_says_everything(project: Path) -> None:
    before = snapshot(project)
    text = memory("compile", str(project))
    assert text.returncode == 0, text.stderr
    assert "verdict: compile" in text.stdout and "would write" in text.stdout
    done = memory("compile", str(project / "CLAUDE.md"), "--json", "--turns", "10")
    document = json.loads(done.stdout)
    assert document["version"] == 1 and document["verdict"] == "compile"
    assert document["written"] is False and document["refused"] is None
    tokens = document["tokens"]
    assert document["bounds"]["best"] == 10 * tokens["stub"]
    assert document["bounds"]["original"] == 10 * tokens["original"]
    assert tokens["stub"] + tokens["saved"] == tokens["original"]
    assert snapshot(project) == before


def test_written_it_has_the_promised_shape(project: Path) -> None:
    original = (project / "CLAUDE.md").read_bytes()
    assert memory("compile", str(project), "--write").returncode == 0
    files = snapshot(project)
    manifest = json.loads(files[".memory/manifest.json"])
    jsonschema.Draft202012Validator(SCHEMA).validate(manifest)
    assert files[".memory/original/CLAUDE.md"] == original
    listed = [entry["path"] for entry in manifest["files"]]
    assert "on-demand/memory_write_protocol.md" in listed
    stub, always = files["CLAUDE.md"].decode(), files[".memory/always.md"].decode()
    for path in listed:
        assert f".memory/{path}" in files
        assert f"`.memory/{path}`" in stub
        assert f"`{path}`" in always and f".memory/{path}" not in always
    assert "Never write to table 3" in stub and "The billing service" not in stub
    kinds = {entry["path"]: entry["kind"] for entry in manifest["files"]}
    assert kinds["on-demand/changelog.md"] == "episodic"


def test_original_is_ignored_by_git_and_commit_takes_the_rest(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "other.txt").write_text("not ours")
    done = memory("compile", str(project), "--write", "--commit")
    assert done.returncode == 0, done.stderr
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=project, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "CLAUDE.md" in tracked and ".memory/manifest.json" in tracked
    assert not [path for path in tracked if "original" in path or path == "other.txt"]


def test_a_clone_that_converts_line_ends_restores_the_bytes(tmp_path: Path) -> None:
    project, copy = tmp_path / "project", tmp_path / "copy"
    project.mkdir()
    original = (MEMORY + LONG).replace("\n", "\r\n").encode()
    (project / "CLAUDE.md").write_bytes(original)
    (project / ".gitattributes").write_text("* text=auto\n")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    assert memory("compile", str(project), "--write", "--commit").returncode == 0
    clone = ["git", "-c", "core.autocrlf=input", "clone", "-q", str(project), str(copy)]
    subprocess.run(clone, check=True)
    assert not (copy / ".memory/original").exists()
    assert memory("restore", str(copy)).returncode == 0
    assert (copy / "CLAUDE.md").read_bytes() == original


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_a_commit_is_made_by_whom_git_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git(project, "init", "-q")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", f"The {role}")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", f"{role.lower()}@example.org")
        monkeypatch.setenv(f"GIT_{role}_DATE", "2026-02-03T04:05:06+0100")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "commit.cleanup")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "verbatim")
    monkeypatch.setenv("GIT_DIR", str(project / "elsewhere"))
    assert memory("compile", str(project), "--write", "--commit").returncode == 0
    monkeypatch.delenv("GIT_DIR")
    assert _git(project, "log", "-1", "--format=%an <%ae> %aI, %cn <%ce> %cI") == (
        "The AUTHOR <author@example.org> 2026-02-03T04:05:06+01:00,"
        " The COMMITTER <committer@example.org> 2026-02-03T04:05:06+01:00"
    )


def test_a_commit_that_cannot_be_made_is_refused_before_anything_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git(project, "init", "-q")
    _git(project, "config", "user.useConfigOnly", "true")
    before = {k: v for k, v in snapshot(project).items() if not k.startswith(".git/")}
    for name in ("NAME", "EMAIL"):
        for role in ("AUTHOR", "COMMITTER"):
            monkeypatch.delenv(f"GIT_{role}_{name}", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    done = memory("compile", str(project), "--write", "--commit")
    assert done.returncode == 2 and "who you are" in done.stderr
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    _git(project, "config", "user.useConfigOnly", "false")
    (project / ".git/info").mkdir(exist_ok=True)
    (project / ".git/info/exclude").write_text(".memory\n")
    done = memory("compile", str(project), "--write", "--commit")
    assert done.returncode == 2 and "git ignores .memory" in done.stderr
    assert {k: v for k, v in snapshot(project).items() if not k.startswith(".git/")} == before


def test_commit_outside_a_repository_writes_nothing(project: Path) -> None:
    before = snapshot(project)
    assert memory("compile", str(project), "--write", "--commit").returncode == 2
    assert snapshot(project) == before


def test_restore_from_a_clone_that_has_no_original(project: Path) -> None:
    original = (project / "CLAUDE.md").read_bytes()
    memory("compile", str(project), "--write")
    (project / ".memory/original/CLAUDE.md").unlink()
    (project / "CLAUDE.md").unlink()
    done = memory("restore", str(project), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["exact"] is True
    assert (project / "CLAUDE.md").read_bytes() == original


def test_edits_of_the_parts_are_edits_of_the_text(project: Path) -> None:
    memory("compile", str(project), "--write")
    part = project / ".memory/on-demand/testing.md"
    part.write_text(part.read_text().replace("pytest -q", "pytest -q -x"))
    always = project / ".memory/always.md"
    always.write_text(always.read_text().replace("small boats", "large boats"))
    memory("restore", str(project))
    expected = (MEMORY + LONG).replace("pytest -q", "pytest -q -x")
    assert (project / "CLAUDE.md").read_text() == expected.replace("small boats", "large boats")


def test_an_update_takes_in_what_was_appended(project: Path) -> None:
    memory("compile", str(project), "--write")
    stub = project / "CLAUDE.md"
    before = snapshot(project / ".memory/on-demand")
    text = stub.read_text()
    stub.write_text(text.replace("Harbour", "Haven") + "\n## Deployment\n\nUse the blue host.\n")
    assert memory("compile", str(project), "--update").returncode == 0
    assert stub.read_text() != text
    done = memory("compile", str(project), "--update", "--write")
    assert done.returncode == 0, done.stderr
    after = snapshot(project / ".memory/on-demand")
    assert {path: after[path] for path in before} == before
    assert after["deployment.md"].endswith(b"## Deployment\n\nUse the blue host.\n")
    assert "on-demand/deployment.md" in stub.read_text() and "Haven" in stub.read_text()
    assert "blue host" not in stub.read_text()
    assert (project / ".memory/previous/0001/CLAUDE.md").is_file()
    again = memory("compile", str(project), "--update", "--write")
    assert again.returncode == 0 and "nothing to re-apply" in again.stdout
    assert not (project / ".memory/previous/0002").exists()
    memory("restore", str(project))
    whole = stub.read_text()
    assert whole.startswith("# Haven") and whole.endswith("Use the blue host.\n")


def test_files_agents_add_are_listed(project: Path) -> None:
    memory("compile", str(project), "--write")
    (project / ".memory/on-demand/moorings.md").write_text("# Moorings\n\nSeven of them.\n")
    memory("compile", str(project), "--update", "--write")
    assert "`.memory/on-demand/moorings.md`" in (project / "CLAUDE.md").read_text()
    memory("restore", str(project))
    assert (project / "CLAUDE.md").read_text().endswith("# Moorings\n\nSeven of them.\n")


def test_both_edited_differently_is_refused(project: Path) -> None:
    memory("compile", str(project), "--write")
    for name, word in (("CLAUDE.md", "Haven"), (".memory/always.md", "Port")):
        path = project / name
        path.write_text(path.read_text().replace("Harbour", word))
    before = snapshot(project)
    refused = memory("compile", str(project), "--update", "--write")
    assert refused.returncode == 1 and "edited differently" in refused.stderr
    assert snapshot(project) == before
    assert memory("compile", str(project), "--update", "--write", "--force").returncode == 0
    assert "Port" in (project / ".memory/previous/0001/always.md").read_text()


def test_entries_stand_for_the_log(project: Path) -> None:
    original = (project / "CLAUDE.md").read_bytes()
    memory("compile", str(project), "--write", "--episodic-json")
    document = json.loads((project / ".memory/on-demand/changelog.json").read_text())
    assert [entry["date"] for entry in document["entries"]] == ["2026-01-05", "2026-02-11"]
    found = memory("recall", str(project), "SOAP")
    assert "dropped the SOAP endpoint" in found.stdout and "mooring" not in found.stdout
    memory("restore", str(project))
    assert (project / "CLAUDE.md").read_bytes() == original


def test_what_was_written_after_a_restore_is_not_compiled_over(project: Path) -> None:
    for _ in range(2):  # where nothing was edited, compiling goes on where it was undone
        assert memory("compile", str(project), "--write").returncode == 0
        assert memory("restore", str(project)).returncode == 0
    part = project / ".memory/on-demand/testing.md"
    part.write_text(part.read_text() + "- One more line.\n")
    refused = memory("compile", str(project), "--write")
    assert refused.returncode == 1 and "stands already" in refused.stderr
    assert "One more line." in part.read_text()


class TestRefused:
    """Exit 1, one line that says what to do, and not a byte written."""

    def refused(self, folder: Path, *arguments: str) -> str:
        before = snapshot(folder)
        done = memory("compile", str(folder), "--write", *arguments)
        assert done.returncode == 1, (done.stdout, done.stderr)
        assert snapshot(folder) == before
        return done.stdout + done.stderr

    def test_the_verdict(self, tmp_path: Path) -> None:
        (tmp_path / "CLAUDE.md").write_text(SMALL)
        assert "leave CLAUDE.md as it is" in self.refused(tmp_path)
        assert memory("compile", str(tmp_path), "--write", "--force").returncode == 0
        assert memory("restore", str(tmp_path)).returncode == 0
        assert (tmp_path / "CLAUDE.md").read_text() == SMALL

    def test_a_workspace_that_stands(self, project: Path) -> None:
        original = (project / "CLAUDE.md").read_bytes()
        memory("compile", str(project), "--write")
        assert "--update" in self.refused(project)
        assert memory("compile", str(project), "--write", "--force").returncode == 0
        assert (project / ".memory/original/CLAUDE.md").read_bytes() == original
        memory("restore", str(project))
        assert (project / "CLAUDE.md").read_bytes() == original

    def test_the_workspace_of_another_file(self, project: Path) -> None:
        memory("compile", str(project), "--write")
        (project / "AGENTS.md").write_text(MEMORY + LONG)
        before = snapshot(project)
        for flag in ("--force", "--update"):
            done = memory("compile", str(project / "AGENTS.md"), "--write", flag)
            assert done.returncode == 1 and "CLAUDE.md" in done.stderr
        assert snapshot(project) == before

    def test_a_credential(self, project: Path) -> None:
        path = project / "CLAUDE.md"
        path.write_text(f"{path.read_text()}\ntoken: {secret()}\n")
        said = self.refused(project)
        assert "credential" in said and secret() not in said
        assert "credential" in self.refused(project, "--force")
        assert memory("compile", str(project), "--write", "--allow-secrets").returncode == 0

    def test_a_symlink(self, project: Path) -> None:
        (project / "CLAUDE.md").rename(project / "real.md")
        (project / "CLAUDE.md").symlink_to("real.md")
        assert "symlink" in self.refused(project)

    @pytest.mark.parametrize("place", [".memory", ".memory/on-demand", ".memory/always.md"])
    def test_a_symlink_in_the_way(
        self, project: Path, tmp_path_factory: pytest.TempPathFactory, place: str
    ) -> None:
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        (project / place).parent.mkdir(exist_ok=True)
        (project / place).symlink_to(elsewhere)
        assert "symlink" in self.refused(project, "--force")
        assert not list(elsewhere.iterdir())

    def test_a_routing_list(self, tmp_path: Path) -> None:
        (tmp_path / "MEMORY.md").write_text(MEMORY + LONG)
        assert "routing list" in self.refused(tmp_path, "--force")

    def test_a_file_of_links(self, tmp_path: Path) -> None:
        for name in ("a", "b", "c"):
            (tmp_path / f"{name}.md").write_text("# Topic\n")
        lines = "".join(f"- [{name}]({name}.md) - about {name}\n" for name in "abc")
        (tmp_path / "AGENTS.md").write_text(f"# Index\n\n{lines}")
        assert "routing list" in self.refused(tmp_path, "--force")


def test_a_pointer_is_followed(project: Path) -> None:
    (project / "CLAUDE.md").rename(project / "AGENTS.md")
    (project / "CLAUDE.md").write_text("@AGENTS.md\n")
    assert memory("compile", str(project / "CLAUDE.md"), "--write").returncode == 0
    assert (project / "CLAUDE.md").read_text() == "@AGENTS.md\n"
    assert "manent:memory" in (project / "AGENTS.md").read_text()


def test_wrong_use_is_2(tmp_path: Path) -> None:
    assert memory("compile", str(tmp_path / "absent")).returncode == 2
    assert memory("compile", str(tmp_path), "--commit").returncode == 2
    assert memory("restore", str(tmp_path)).returncode == 1


def test_a_hostile_manifest_leads_nowhere(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("# Moorings\n\nthe moorings of the outside\n")
    memory("compile", str(project), "--write")
    manifest = project / ".memory/manifest.json"
    good = manifest.read_text()
    for bad in ("../../outside/secret.md", str(outside), "on-demand/../always.md"):
        manifest.write_text(good.replace('"on-demand/testing.md"', json.dumps(bad)))
        assert memory("recall", str(project), "moorings outside").returncode == 2
        assert memory("restore", str(project)).returncode == 2
    for name in ("../CLAUDE.md", ".git", "a/b.md", ".bashrc", "Makefile"):
        manifest.write_text(good.replace('"path": "CLAUDE.md"', f'"path": {json.dumps(name)}'))
        assert memory("restore", str(project)).returncode == 2
    manifest.write_text(good)
    part = project / ".memory/on-demand/testing.md"
    part.unlink()
    part.symlink_to(outside)
    assert "of the outside" not in memory("recall", str(project), "moorings outside").stdout
    refused = memory("restore", str(project))
    assert refused.returncode == 1 and "symlink" in refused.stderr
