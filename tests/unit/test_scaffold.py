"""``scaffold``: what it makes, and above all what it leaves alone."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manent import data, schema
from manent.errors import EnvironmentFault, Refused, UsageError
from manent.scaffold import Outcome, Plan, scaffold

DAY = datetime.date(2026, 11, 30)
SALT = "5f" * 16


def plan(
    template: str = "empty", audiences: tuple[str, ...] = (), frontmatter: str | None = None
) -> Plan:
    return Plan(template, audiences, frontmatter, SALT, DAY)


def make(root: Path, wanted: Plan | None = None) -> Outcome:
    return scaffold(root, wanted or plan(), os.environ)


def setting(root: Path, key: str) -> str:
    done = subprocess.run(
        ["git", "config", "--get", key], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def contents(root: Path) -> dict[str, bytes]:
    """Every file of a folder but git's."""
    paths = (p for p in root.rglob("*") if p.is_file() and ".git" not in p.relative_to(root).parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


class TestEmpty:
    def test_has_the_layout_the_settings_and_a_template_for_each_type(self, tmp_path: Path) -> None:
        outcome = make(tmp_path / "new")
        files = contents(tmp_path / "new")
        assert sorted(files) == outcome.made
        assert outcome.kept == []
        assert {f"templates/{type}.md" for type in schema.TYPES} <= set(files)
        for folder in ("memory", "projects", "moc", "people", "library", "knowledge", "quarantine"):
            assert (tmp_path / "new" / folder).is_dir()
        for folder in ("entities", "concepts", "queries"):
            assert (tmp_path / "new/wiki" / folder).is_dir()
        assert not (tmp_path / "new/secrets").exists()

    @pytest.mark.parametrize(("file", "type"), [("MEMORY.md", "index"), ("HOME.md", "moc")])
    def test_root_notes_keep_the_contract(self, tmp_path: Path, file: str, type: str) -> None:
        make(tmp_path)
        header = (tmp_path / file).read_text().split("---\n")[1]
        front = yaml.load(header, Loader=yaml.BaseLoader)
        assert schema.faults(front) == []
        assert front["type"] == type
        assert front["created"] == "2026-11-30"
        assert "audience" not in front

    def test_allowances_begin_with_the_salt_alone(self, tmp_path: Path) -> None:
        make(tmp_path)
        lines = (tmp_path / ".manent-allow").read_text().splitlines()
        assert [json.loads(line) for line in lines] == [{"salt": SALT}]

    def test_git_ignores_derived_data_secrets_and_workspaces(self, tmp_path: Path) -> None:
        make(tmp_path)
        for path in (
            ".manent/vault.sqlite",
            "secrets/key.md",
            "memory/Secrets/key.md",
            ".obsidian/workspace.json",
            ".obsidian/workspace-mobile.json",
        ):
            done = subprocess.run(["git", "check-ignore", "-q", path], cwd=tmp_path, check=False)
            assert done.returncode == 0, path
        for path in ("memory/note.md", ".obsidian/types.json", ".manent-allow", "MEMORY.md"):
            done = subprocess.run(["git", "check-ignore", "-q", path], cwd=tmp_path, check=False)
            assert done.returncode == 1, path


class TestExample:
    def test_is_the_fixture_vault_and_a_fresh_salt(self, tmp_path: Path) -> None:
        make(tmp_path, plan("example"))
        source = contents(data.path("fixture-vault"))
        copied = contents(tmp_path)
        salt = copied.pop(".manent-allow")
        assert copied == {k: v for k, v in source.items() if not k.startswith(".manent/")}
        assert b".manent-allow" not in b"\n".join(k.encode() for k in source)
        assert json.loads(salt) == {"salt": SALT}


class TestRepository:
    def test_is_made_on_main_unless_the_user_says_otherwise(
        self, tmp_path: Path, clean_home: Path
    ) -> None:
        make(tmp_path / "a")
        assert setting(tmp_path / "a", "core.bare") == "false"
        config = clean_home / ".gitconfig"
        config.write_text(config.read_text().replace("defaultBranch = main", "defaultBranch = t"))
        make(tmp_path / "b")
        config.write_text(config.read_text().replace("defaultBranch = t", "# none"))
        make(tmp_path / "c")
        heads = [(tmp_path / name / ".git/HEAD").read_text().split("/")[-1] for name in "abc"]
        assert heads == ["main\n", "t\n", "main\n"]

    def test_policy_is_set_when_asked_for_and_kept_when_there(self, tmp_path: Path) -> None:
        make(tmp_path, plan(audiences=("team", "public"), frontmatter="optional"))
        assert setting(tmp_path, "manent.audiences") == "team,public"
        assert setting(tmp_path, "manent.frontmatter") == "optional"
        make(tmp_path)
        assert setting(tmp_path, "manent.audiences") == "team,public"
        assert setting(tmp_path, "manent.frontmatter") == "optional"
        make(tmp_path, plan(frontmatter="required"))
        assert setting(tmp_path, "manent.frontmatter") == "required"

    def test_default_is_required(self, tmp_path: Path) -> None:
        make(tmp_path)
        assert setting(tmp_path, "manent.frontmatter") == "required"

    def test_an_existing_one_is_left_as_it_is(self, tmp_path: Path) -> None:
        subprocess.run(["git", "init", "-q", "-b", "trunk"], cwd=tmp_path, check=True)
        assert not make(tmp_path).initialised
        assert (tmp_path / ".git/HEAD").read_text() == "ref: refs/heads/trunk\n"

    def test_a_folder_of_another_repository_becomes_one_of_its_own(self, tmp_path: Path) -> None:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        make(tmp_path / "inner", plan(frontmatter="optional"))
        assert setting(tmp_path, "manent.frontmatter") == ""
        assert setting(tmp_path / "inner", "manent.frontmatter") == "optional"

    def test_inherited_git_variables_do_not_lead_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "other").mkdir()
        monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
        make(tmp_path / "new")
        assert (tmp_path / "new/.git").is_dir()
        assert not (tmp_path / "other/.git").exists()

    def test_hooks_are_installed_by_whoever_knows_how(self, tmp_path: Path) -> None:
        def install(root: Path) -> list[str]:
            assert (root / ".git").is_dir()
            return ["pre-commit installed"]

        outcome = scaffold(tmp_path, plan(), os.environ, install)
        assert outcome.hooks == ["pre-commit installed"]

    def test_a_vault_is_made_all_the_same_where_they_are_refused(self, tmp_path: Path) -> None:
        def refuse(root: Path) -> list[str]:
            raise Refused("core.hooksPath leads out of the repository", "name it")

        outcome = scaffold(tmp_path, plan(), os.environ, refuse)
        assert outcome.made
        assert any("core.hooksPath" in remark for remark in outcome.remarks)


class TestKeeps:
    def test_a_second_run_makes_nothing(self, tmp_path: Path) -> None:
        first = make(tmp_path)
        before = contents(tmp_path)
        second = make(tmp_path, Plan("empty", (), None, "aa" * 16, datetime.date(2027, 1, 1)))
        assert second.made == []
        assert second.kept == first.made
        assert contents(tmp_path) == before

    @pytest.mark.parametrize("template", ["empty", "example"])
    def test_a_file_of_another_case_holds_its_place(self, tmp_path: Path, template: str) -> None:
        (tmp_path / "Home.md").write_bytes(b"\xffmine\r\n")
        (tmp_path / "Templates").mkdir()
        (tmp_path / "Templates/x.md").write_text("x")
        outcome = make(tmp_path, plan(template))
        assert (tmp_path / "Home.md").read_bytes() == b"\xffmine\r\n"
        names = [path.name.lower() for path in tmp_path.iterdir()]
        assert len(names) == len(set(names))
        assert "HOME.md" in outcome.kept
        assert "templates/moc.md" in outcome.kept
        assert [path.name for path in (tmp_path / "Templates").iterdir()] == ["x.md"]

    def test_a_link_is_never_written_through(self, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        root = tmp_path / "vault"
        root.mkdir()
        (root / "memory").symlink_to(outside)
        (root / "HOME.md").symlink_to(tmp_path / "nowhere.md")
        outcome = make(root)
        assert list(outside.iterdir()) == []
        assert not (tmp_path / "nowhere.md").exists()
        assert {"memory/.gitkeep", "HOME.md"} <= set(outcome.kept)

    def test_a_file_where_a_folder_was_wanted_stays(self, tmp_path: Path) -> None:
        (tmp_path / "wiki").write_text("not a folder")
        outcome = make(tmp_path)
        assert (tmp_path / "wiki").read_text() == "not a folder"
        assert "wiki/entities/.gitkeep" in outcome.kept

    @pytest.mark.parametrize(
        ("lines", "kept_out"),
        [
            (".manent\n", True),
            ("/.man*\n", True),
            ("**/.manent/**\n", True),
            ("/.manent/\n!/.manent/\n", False),
            ("# /.manent/\n", False),
        ],
    )
    def test_git_is_asked_whether_it_would_track_derived_data(
        self, tmp_path: Path, lines: str, kept_out: bool
    ) -> None:
        (tmp_path / ".gitignore").write_text(lines)
        assert (make(tmp_path).remarks == []) == kept_out

    def test_a_gitignore_without_the_derived_folder_is_remarked(self, tmp_path: Path) -> None:
        (tmp_path / ".gitignore").write_text("*.log\n")
        assert any(".manent/" in remark for remark in make(tmp_path).remarks)
        (tmp_path / ".gitignore").write_text("*.log\n.manent/\n")
        assert make(tmp_path).remarks == []
        assert (tmp_path / ".gitignore").read_text() == "*.log\n.manent/\n"

    @given(
        st.dictionaries(
            st.sampled_from(
                ["HOME.md", "memory.md", "Memory/a.md", ".gitignore", "templates/MOC.md", "x/y.bin"]
            ),
            st.binary(max_size=30),
        ),
        st.sampled_from(["empty", "example"]),
    )
    @settings(
        max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def test_no_byte_of_what_stood_there_changes(
        self, tmp_path_factory: pytest.TempPathFactory, standing: dict[str, bytes], template: str
    ) -> None:
        root = tmp_path_factory.mktemp("vault")
        for path, content in standing.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_bytes(content)
        make(root, plan(template))
        after = contents(root)
        assert {path: after[path] for path in standing} == standing
        assert len({path.casefold() for path in after}) == len(after)


class TestRefuses:
    @pytest.mark.parametrize("label", ["Team", "a b", "", "*", "private"])
    def test_a_label_that_grants_nothing(self, tmp_path: Path, label: str) -> None:
        with pytest.raises(UsageError):
            make(tmp_path / "new", plan(audiences=("team", label)))
        assert not (tmp_path / "new").exists()

    def test_a_bare_repository(self, tmp_path: Path) -> None:
        subprocess.run(["git", "init", "-q", "--bare", tmp_path / "b.git"], check=True)
        before = contents(tmp_path / "b.git")
        with pytest.raises(EnvironmentFault, match="bare"):
            make(tmp_path / "b.git")
        assert contents(tmp_path / "b.git") == before

    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_text("x")
        with pytest.raises(EnvironmentFault, match="is a file"):
            make(tmp_path / "f")

    def test_a_place_nobody_can_write(self, tmp_path: Path) -> None:
        with pytest.raises(EnvironmentFault, match="cannot"):
            make(Path("/proc/manent-vault"))
