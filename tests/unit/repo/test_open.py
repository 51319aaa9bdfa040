"""Finding a repository, and asking it about itself."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from manent.errors import EnvironmentFault, NotAVault
from manent.repo.open import BESIDE, Kept, Repository, discover, state_folder
from manent.repo.worktree import ignored


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().strip()


def found(folder: Path) -> Repository:
    repository = discover(folder, os.environ)
    assert repository is not None
    return repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "with space: and colon"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.md").write_text("a\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    git(root, "tag", "-am", "note", "v1")
    return root


def test_a_repository_is_found_from_within(folder: Path) -> None:
    (folder / "sub").mkdir()
    repository = found(folder / "sub")
    assert repository.workdir == folder.resolve()
    assert repository.path == folder.resolve() / ".git"
    assert not repository.is_bare
    assert repository.head_branch == "main"


def test_a_bare_repository_is_found(folder: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(folder), "bare.git")
    repository = found(tmp_path / "bare.git")
    assert repository.is_bare
    assert repository.path == (tmp_path / "bare.git").resolve()


def test_no_repository(tmp_path: Path) -> None:
    assert discover(tmp_path, os.environ) is None
    assert discover(tmp_path / "nowhere", os.environ) is None


def test_another_object_format_is_refused_plainly(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "new")
    with pytest.raises(NotAVault, match="sha256"):
        discover(tmp_path / "new", os.environ)


def test_the_environment_bends_nothing(folder: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "other")
    bent = {
        **os.environ,
        "GIT_DIR": str(tmp_path / "other/.git"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "manent.timeout",
        "GIT_CONFIG_VALUE_0": "1",
    }
    repository = discover(folder, bent)
    assert repository is not None
    assert repository.path == folder.resolve() / ".git"
    assert repository.section() == {}


def test_every_kind_of_revision_resolves_to_the_same_tree(folder: Path) -> None:
    repository = found(folder)
    commit, tree = git(folder, "rev-parse", "HEAD"), git(folder, "rev-parse", "HEAD^{tree}")
    for rev in ("HEAD", "main", "refs/heads/main", "v1", commit, commit[:8]):
        assert repository.resolve(rev) == (commit, tree)
    assert repository.resolve(git(folder, "rev-parse", "v1")) == (commit, tree)
    assert repository.resolve("HEAD^{tree}") == ("", tree)


@pytest.mark.parametrize("rev", ["nowhere", "", "--all", "HEAD:a.md", "0" * 40, "a\nb", "HEAD~9"])
def test_what_names_no_tree_is_said_so(folder: Path, rev: str) -> None:
    with pytest.raises(NotAVault):
        found(folder).resolve(rev)


def test_replacement_refs_are_not_followed(folder: Path) -> None:
    first, tree = found(folder).resolve("HEAD")
    (folder / "a.md").write_text("other\n")
    git(folder, "commit", "-qam", "second")
    git(folder, "replace", first, git(folder, "rev-parse", "HEAD"))
    assert found(folder).resolve(first) == (first, tree)


def test_an_empty_repository_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "new")
    with pytest.raises(NotAVault, match="no commit yet"):
        found(tmp_path / "new").resolve()


def test_only_the_repositorys_own_settings_count(folder: Path, clean_home: Path) -> None:
    git(folder, "config", "--global", "manent.strictContent", "false")
    git(folder, "config", "--add", "manent.phoneRegions", "IT")
    git(folder, "config", "--add", "manent.phoneRegions", "GB")
    assert found(folder).section() == {"phoneregions": ["IT", "GB"]}


def test_a_broken_config_is_said_so(folder: Path) -> None:
    repository = found(folder)
    (folder / ".git/config").write_text("[manent\n")
    with pytest.raises(EnvironmentFault, match="config"):
        repository.section()


def test_the_state_folder_is_private_and_no_symlink(folder: Path, tmp_path: Path) -> None:
    repository = found(folder)
    state = state_folder(repository)
    assert state.stat().st_mode & 0o777 == 0o700
    assert state_folder(repository) == state
    state.rmdir()
    state.symlink_to(tmp_path)
    with pytest.raises(EnvironmentFault):
        state_folder(repository)


def test_ignored_lists_what_git_ignores(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.tmp\nbuild/\na.md\n")
    (folder / "x.tmp").write_text("x")
    (folder / "build/deep").mkdir(parents=True)
    (folder / "build/deep/f").write_text("x")
    (folder / "sub").mkdir()
    (folder / "sub/y.tmp").write_text("y")
    (folder / "sub/keep.md").write_text("k")
    assert ignored(folder, os.environ) == {"x.tmp", "build/", "sub/y.tmp"}
    assert ignored(folder / "sub", os.environ) == {"y.tmp"}


def test_nothing_is_ignored_outside_a_repository(tmp_path: Path) -> None:
    assert ignored(tmp_path, os.environ) == frozenset()


def test_alternates_are_followed(folder: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--shared", str(folder), "shared.git")
    for light in (False, True):
        repository = discover(tmp_path / "shared.git", os.environ, light=light)
        assert repository is not None
        assert repository.resolve("main") == found(folder).resolve("main")


def test_a_linked_worktree_reads_the_shared_objects(folder: Path, tmp_path: Path) -> None:
    git(folder, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert found(tmp_path / "linked").resolve("HEAD") == found(folder).resolve("HEAD")


# -- settings that are kept ----------------------------------------------------------


def kept_of(brain: Path, years: int = 1) -> Kept | None:
    """Return what a process that reads the settings long after they were written keeps."""
    repository = Repository(brain, None, {}, light=True)
    return repository.kept_settings(time.time_ns() + years * 10**9 * 3600 * 24 * 365)


def recalled(brain: Path, kept: Kept | None) -> bool:
    repository = Repository(brain, None, {}, light=True)
    repository.recall(kept)
    known = repository.has_settings
    fresh = Repository(brain, None, {}, light=True)
    assert repository.settings() == fresh.settings()
    return known


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    place = tmp_path / "brain.git"
    subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    subprocess.run(["git", "config", "manent.links", "obsidian"], cwd=place, check=True)
    return place


def test_settings_are_kept_as_long_as_their_files(brain: Path) -> None:
    kept = kept_of(brain)
    assert kept is not None and recalled(brain, kept)
    subprocess.run(["git", "config", "manent.links", "dendron"], cwd=brain, check=True)
    assert not recalled(brain, kept) and recalled(brain, kept_of(brain))


def test_an_edit_of_the_same_length_and_time_is_seen(brain: Path) -> None:
    kept = kept_of(brain)
    place = brain / "config"
    before = place.stat()
    place.write_text(place.read_text().replace("obsidian", "OBSIDIAN"))
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert place.stat().st_size == before.st_size and not recalled(brain, kept)


def test_settings_written_just_now_are_not_kept(brain: Path) -> None:
    assert kept_of(brain, years=0) is None
    assert not recalled(brain, None)


def test_settings_of_other_files_are_not_kept(brain: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=brain, check=True)

    # The one that a brain includes itself counts as the config does.
    beside = brain / BESIDE
    git("config", "--file", str(beside), "manent.audiences", "team")
    git("config", f"includeIf.gitdir:{brain}.path", BESIDE)
    kept = kept_of(brain)
    assert kept is not None and kept.settings["manent.audiences"] == ["team"]
    git("config", "--file", str(beside), "manent.audiences", "board")
    assert not recalled(brain, kept)
    beside.unlink()
    assert not recalled(brain, kept)
    # Of any other nobody knows where it lies, or when it will.
    git("config", "include.path", "not there yet")
    assert kept_of(brain) is None


def test_settings_of_another_place_are_not_kept(brain: Path, tmp_path: Path) -> None:
    kept = kept_of(brain)
    assert not recalled(brain.rename(tmp_path / "moved.git"), kept)
