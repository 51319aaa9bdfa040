"""Making a brain from a vault, installing hooks, and proving that they work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from repositories import GIT, Clone, mail, note


def manent(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "manent", *arguments],
        cwd=cwd, capture_output=True, check=False, text=True, encoding="utf-8",
        env={**os.environ, **variables},
    )  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run([GIT, *arguments], cwd=folder, capture_output=True, check=True, text=True)
    return done.stdout.strip()


def vault(folder: Path, files: dict[str, bytes], commit: bool = True) -> Path:
    root = folder / "vault"
    root.mkdir()
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    if commit:
        git(root, "init", "-q")
        git(root, "add", "-A", "-f")
        git(root, "commit", "-qm", "seed")
    return root


def test_an_empty_brain_is_set_up(tmp_path: Path) -> None:
    made = manent("brain", "create", "b.git", "--audiences", "team,board", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    brain = tmp_path / "b.git"
    assert git(brain, "config", "receive.fsckObjects") == "true"
    assert git(brain, "config", "manent.audiences") == "team,board"
    for hook in ("pre-receive", "post-receive", "reference-transaction"):
        assert os.access(brain / "hooks" / hook, os.X_OK)
    assert (brain / "manent").stat().st_mode & 0o777 == 0o700 if (brain / "manent").exists() else 1


def test_a_brain_takes_the_history_of_a_vault(tmp_path: Path) -> None:
    root = vault(tmp_path, {"memory/first.md": note("first")})
    assert manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path).returncode == 0
    assert git(tmp_path / "b.git", "rev-parse", "main") == git(root, "rev-parse", "HEAD")
    # A second brain does not overwrite the first.
    again = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert again.returncode == 2
    assert "not empty" in again.stderr


def test_a_plain_folder_becomes_one_commit(tmp_path: Path) -> None:
    vault(tmp_path, {"memory/first.md": note("first"), "secrets/x.md": b"x"}, commit=False)
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert git(tmp_path / "b.git", "ls-tree", "-r", "--name-only", "main") == "memory/first.md"


def test_structural_faults_are_old_and_listed(tmp_path: Path) -> None:
    vault(tmp_path, {"memory/first.md": b"no frontmatter\n", "memory/b.md": note("c")})
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "count as old" in made.stderr
    assert "memory/first.md" in made.stderr and "[frontmatter-missing]" in made.stderr


def test_content_faults_refuse_and_leave_nothing(tmp_path: Path) -> None:
    vault(tmp_path, {"memory/first.md": note("first", mail())})
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 1
    assert "[pii]" in made.stderr and "--baseline" in made.stderr
    assert mail() not in made.stderr
    assert not (tmp_path / "b.git").exists()


UNJUDGED: dict[str, tuple[str, bytes]] = {
    "too large to read": ("memory/big.md", note("big", "word " * 300_000)),
    "an attachment nobody can open": ("files/blob.bin", b"\x00\x01\x02" * 200),
    "a pointer to what never arrives": (
        "files/film.mp4",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    ),
    "an ignore file that hides who knows what": (".manentignore", b"perch\xe8\n"),
    "attributes that change what readers see": (".gitattributes", b"*.md filter=clean\n"),
}


@pytest.mark.parametrize("name", UNJUDGED)
def test_what_cannot_be_judged_is_no_old_fault(tmp_path: Path, name: str) -> None:
    path, content = UNJUDGED[name]
    vault(tmp_path, {"memory/first.md": note("first"), path: content})
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 1, made.stdout
    assert path in made.stderr and "--baseline" in made.stderr
    assert not (tmp_path / "b.git").exists()


def test_text_that_is_not_clean_utf8_is_old_and_was_judged(tmp_path: Path) -> None:
    clean = note("first", "caf").replace(b"caf", b"caf\xe9")
    vault(tmp_path, {"memory/first.md": clean})
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 0 and "[encoding]" in made.stderr, made.stderr
    (tmp_path / "vault/memory/first.md").write_bytes(clean + mail().encode() + b"\n")
    git(tmp_path / "vault", "commit", "-qam", "more")
    made = manent("brain", "create", "c.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 1 and "[pii]" in made.stderr, made.stderr


def test_a_baseline_allows_what_was_there_and_no_more(tmp_path: Path) -> None:
    vault(tmp_path, {"memory/first.md": note("first", mail())})
    made = manent("brain", "create", "b.git", "--from", "vault", "--baseline", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "1 finding is allowed" in made.stdout
    brain = tmp_path / "b.git"
    allowed = git(brain, "show", "main:.manent-allow").splitlines()
    assert set(json.loads(allowed[0])) == {"salt"} and len(allowed) == 2
    assert mail() not in "\n".join(allowed)
    git(tmp_path, "clone", "-q", "b.git", "clone")
    clone = Clone(tmp_path / "clone", brain)
    clone.commit({"memory/first.md": note("first", f"Still {mail()}.")})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    clone.commit({"memory/other.md": note("other", mail())})
    assert clone.push().refused


def test_an_info_is_no_fault_of_an_import(tmp_path: Path) -> None:
    vault(tmp_path, {"memory/a.md": note("a"), "memory/b.md": note("b")})
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 0
    assert made.stderr == f"2 remarks: manent lint {tmp_path / 'b.git'}\n"
    (tmp_path / "vault/memory/c.md").write_bytes(b"no frontmatter\n")
    git(tmp_path / "vault", "add", "-A")
    git(tmp_path / "vault", "commit", "-qm", "one fault")
    made = manent("brain", "create", "c.git", "--from", "vault", cwd=tmp_path)
    assert "1 fault the vault came with counts as old:\n" in made.stderr
    assert made.stderr.count("[frontmatter-missing]") == 1


def test_what_a_baseline_allows_is_signed_and_known_to_stand_in_history(tmp_path: Path) -> None:
    root = vault(tmp_path, {"memory/first.md": note("first", mail())})
    at = git(root, "rev-parse", "HEAD")
    (root / "memory/first.md").write_bytes(note("first", "Mended."))
    git(root, "commit", "-qam", "mended")
    git(root, "config", "user.name", "Ada of the vault")
    made = manent("brain", "create", "b.git", "--from", "vault", "--baseline", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    row = json.loads(git(tmp_path / "b.git", "show", "main:.manent-allow").splitlines()[1])
    assert row["who"] == "Ada of the vault" and row["commit"] == at
    git(tmp_path, "clone", "-q", "b.git", "clone")
    for place in ("b.git", "clone"):
        said = manent("lint", place, "--ignore", "orphan", cwd=tmp_path)
        assert (said.returncode, said.stderr) == (0, ""), said.stderr
    # Where the commit is no longer part of the history, nothing is left to allow.
    clone = Clone(tmp_path / "clone", tmp_path / "b.git")
    tree = git(clone.path, "rev-parse", "HEAD^{tree}")
    git(clone.path, "reset", "-q", "--soft", clone.commit_tree(tree))
    said = manent("lint", "clone", cwd=tmp_path)
    assert said.returncode == 0 and row["fingerprint"] in said.stderr


def test_an_unnamed_person_still_signs_a_baseline(tmp_path: Path) -> None:
    vault(tmp_path, {"memory/first.md": note("first", mail())})
    nobody = {"HOME": str(tmp_path / "empty"), "GIT_CONFIG_NOSYSTEM": "1"}
    asked = ["brain", "create", "b.git", "--from", "vault", "--baseline"]
    assert manent(*asked, cwd=tmp_path, **nobody).returncode == 0
    row = json.loads(git(tmp_path / "b.git", "show", "main:.manent-allow").splitlines()[1])
    assert row["who"] == (tmp_path / "vault").owner()


def test_a_brain_takes_over_what_the_vaults_owner_has_set(tmp_path: Path) -> None:
    said = note("first", "Text.", audience="[team]") + b"See [[label|second]].\n"
    root = vault(tmp_path, {"memory/first.md": said, "memory/second.md": b"no header\n"})
    for key, value in {
        "audiences": "team,ops", "links": "dendron", "frontmatter": "optional",
        "phoneRegions": "JP", "maxNoteBytes": "9k", "checkout": "/nowhere", "protectedBranch": "x",
    }.items():  # fmt: skip
        git(root, "config", f"manent.{key}", value)
    git(root, "config", "--add", "manent.audiences", "board")
    made = manent(
        "brain", "create", "b.git", "--from", "vault", "--config", "maxNoteBytes=8k", cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    for key, value in {
        "audiences": "team,ops\nboard", "links": "dendron", "frontmatter": "optional",
        "phoneRegions": "JP", "maxNoteBytes": "8k", "protectedBranch": "main",
    }.items():  # fmt: skip
        assert git(tmp_path / "b.git", "config", "--get-all", f"manent.{key}") == value
        taken = [f"manent.{key} = {one} (as the vault has it)" for one in value.split("\n")]
        listed = key not in ("maxNoteBytes", "protectedBranch")
        assert all((line in made.stdout) == listed for line in taken), made.stdout
    assert "checkout" not in (tmp_path / "b.git/config").read_text()
    asked = ["brain", "create", "c.git", "--from", "vault", "--frontmatter", "required"]
    made = manent(*asked, "--audiences", "team", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert git(tmp_path / "c.git", "config", "--get-all", "manent.frontmatter") == "required"
    assert git(tmp_path / "c.git", "config", "--get-all", "manent.audiences") == "team"


def test_what_is_tracked_in_a_vault_sets_no_policy(tmp_path: Path) -> None:
    files = {".gitconfig": b"[manent]\nattachments = any\n", ".git-config": b"[manent]\n"}
    root = vault(tmp_path, {"memory/first.md": note("first"), **files})
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    git(root, "config", "manent.attachments", "perhaps")
    wrong = manent("brain", "create", "c.git", "--from", "vault", cwd=tmp_path)
    assert wrong.returncode == 2 and "manent.attachments is 'perhaps'" in wrong.stderr
    assert not (tmp_path / "c.git").exists()
    assert "attachments" not in (tmp_path / "b.git/config").read_text()


@pytest.mark.parametrize(
    "setting", ["nonsense=1", "manent.audiences", "core.bare=false", "protectedBranch=x", "="]
)
def test_a_setting_that_sets_nothing_is_wrong_use(tmp_path: Path, setting: str) -> None:
    made = manent("brain", "create", "b.git", "--config", setting, cwd=tmp_path)
    assert made.returncode == 2 and not (tmp_path / "b.git").exists()


@pytest.mark.parametrize("salted", [False, True])
def test_the_vaults_own_allowances_count(tmp_path: Path, salted: bool) -> None:
    root = vault(tmp_path, {"memory/first.md": note("first", mail())})
    if salted:
        (root / ".manent-allow").write_text('{"salt": "5a17"}\n')
    asked = ["lint", "vault", "--json", "--only", "pii"]
    found = json.loads(manent(*asked, cwd=tmp_path).stdout)["findings"]
    prints = [finding["fingerprint"] for finding in found]
    assert prints
    if salted:
        git(root, "add", ".manent-allow")
        git(root, "commit", "-qm", "salt")
    allowed = manent("gate", "allow", *prints, "--reason", "ours", "--repo", "vault", cwd=tmp_path)
    assert allowed.returncode == 0, allowed.stderr
    made = manent("brain", "create", "b.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "1 finding stays allowed" in made.stdout
    # A second fault is refused, and a baseline writes a line for that one alone.
    (root / "memory/second.md").write_bytes(note("second", mail()))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more")
    made = manent("brain", "create", "c.git", "--from", "vault", cwd=tmp_path)
    assert made.returncode == 1 and "second.md" in made.stderr and "first.md" not in made.stderr
    made = manent("brain", "create", "c.git", "--from", "vault", "--baseline", cwd=tmp_path)
    assert made.returncode == 0 and "1 finding is allowed" in made.stdout, made.stderr
    lines = git(tmp_path / "c.git", "show", "main:.manent-allow").splitlines()
    assert len([line for line in lines if '"salt"' not in line]) == 2


def test_frontmatter_may_be_optional(tmp_path: Path) -> None:
    vault(tmp_path, {"notes/Some Page.md": b"# Some page\n\nText.\n"})
    asked = ["brain", "create", "b.git", "--from", "vault", "--frontmatter", "optional"]
    assert manent(*asked, cwd=tmp_path).returncode == 0
    git(tmp_path, "clone", "-q", "b.git", "clone")
    clone = Clone(tmp_path / "clone", tmp_path / "b.git")
    clone.commit({"notes/Another Page.md": b"See [[Some Page]].\n"})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_status_proves_the_gate(clone: Clone, tmp_path: Path) -> None:
    good = manent("brain", "status", str(clone.brain), cwd=tmp_path)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "the gate is at work" in good.stdout and "the index stands there" in good.stdout
    (clone.brain / "hooks/pre-receive").chmod(0o644)
    (clone.brain / "hooks/reference-transaction").chmod(0o644)
    bad = manent("brain", "status", str(clone.brain), cwd=tmp_path)
    assert bad.returncode == 1
    assert "not executable" in bad.stdout and "LET IN" in bad.stdout
    # The proof leaves the brain as it was.
    assert clone.refs().count("\n") == 0


def test_status_says_what_of_the_policy_sets_nothing(clone: Clone, tmp_path: Path) -> None:
    clone.brain_git("config", "manent.stictContent", "true")
    clone.brain_git("config", "manent.protectedBranch", "mian")
    said = manent("brain", "status", str(clone.brain), cwd=tmp_path).stdout
    assert "manent.stictcontent sets nothing" in said
    assert "refs/heads/mian is to be protected, and is not there" in said


def test_a_file_where_verdicts_are_noted_refuses_plainly(clone: Clone) -> None:
    shutil.rmtree(clone.brain / "manent/verdicts", ignore_errors=True)
    (clone.brain / "manent/verdicts").write_text("")
    clone.commit({"memory/fine.md": note("fine")})
    pushed = clone.push()
    assert pushed.refused and "it is rebuilt" in pushed.said, pushed.said


def test_an_existing_hook_is_chained_and_comes_back(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "b.git")
    brain = tmp_path / "b.git"
    own = brain / "hooks/pre-receive"
    own.write_text('#!/bin/sh\necho "own hook saw $(wc -l)" >&2\n[ ! -f "$GIT_DIR/closed" ]\n')
    own.chmod(0o755)
    done = manent("hooks", "install", "--repo", "b.git", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "runs after ours" in done.stdout
    assert manent("hooks", "install", "--repo", "b.git", cwd=tmp_path).returncode == 0
    git(tmp_path, "clone", "-q", "b.git", "clone")
    clone = Clone(tmp_path / "clone", brain)
    clone.commit({"memory/first.md": note("first")})
    pushed = clone.push()
    assert pushed.accepted and "own hook saw 1" in pushed.said
    (brain / "closed").touch()
    clone.commit({"memory/second.md": note("second")})
    assert clone.push().status != 0
    assert manent("hooks", "uninstall", "--repo", "b.git", cwd=tmp_path).returncode == 0
    assert "own hook saw" in own.read_text()


def test_a_hook_that_was_off_stays_off(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "b.git")
    own = tmp_path / "b.git/hooks/pre-receive"
    own.write_text("#!/bin/sh\necho the old one >&2\nexit 1\n")
    own.chmod(0o644)
    done = manent("hooks", "install", "--repo", "b.git", cwd=tmp_path)
    assert done.returncode == 0 and "was off (no run bit)" in done.stdout
    git(tmp_path, "clone", "-q", "b.git", "clone")
    clone = Clone(tmp_path / "clone", tmp_path / "b.git")
    clone.commit({"memory/first.md": note("first")})
    pushed = clone.push()
    assert pushed.accepted and "the old one" not in pushed.said
    assert manent("hooks", "uninstall", "--repo", "b.git", cwd=tmp_path).returncode == 0
    assert own.stat().st_mode & 0o777 == 0o644


def test_a_hooks_path_outside_the_repository_is_refused_unless_named(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "b.git")
    shared = tmp_path / "shared"
    shared.mkdir()
    git(tmp_path / "b.git", "config", "core.hooksPath", str(shared))
    refused = manent("hooks", "install", "--repo", "b.git", cwd=tmp_path)
    assert refused.returncode == 1
    assert str(shared) in refused.stderr
    assert not list(shared.iterdir())
    asked = ["hooks", "install", "--repo", "b.git", "--hooks-path", str(shared)]
    assert manent(*asked, cwd=tmp_path).returncode == 0
    assert (shared / "pre-receive").exists()


def test_a_local_hook_judges_what_is_about_to_be_committed(tmp_path: Path) -> None:
    root = vault(tmp_path, {"memory/first.md": note("first")})
    assert manent("hooks", "install", "--local", cwd=root).returncode == 0
    assert manent("hooks", "status", cwd=root).returncode == 0
    clone = Clone(root, root)
    clone.write({"memory/bad.md": note("bad", mail())})
    done = subprocess.run(
        [GIT, "commit", "-qm", "bad"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "memory/bad.md" in done.stderr and "[pii]" in done.stderr
    clone.write({"memory/bad.md": note("bad")})
    clone.git("commit", "-qm", "good")
    # Part of the index only: git hands the hook an index of its own.
    (root / "memory/first.md").write_bytes(note("first", mail()))
    done = subprocess.run(
        [GIT, "commit", "-qm", "bad", "memory/first.md"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0


def test_a_range_is_judged_for_ci(tmp_path: Path) -> None:
    root = vault(tmp_path, {"memory/first.md": note("first")})
    clone = Clone(root, root)
    clone.commit({"memory/bad.md": note("bad", mail())})
    clone.commit({"memory/bad.md": None})
    done = manent("gate", "range", "HEAD~2..HEAD", "--json", cwd=root)
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert [f["rule"] for f in said["findings"] if f["severity"] == "error"] == ["pii"]
    sarif = manent("gate", "range", "HEAD~2..HEAD", "--format", "sarif", cwd=root)
    assert json.loads(sarif.stdout)["version"] == "2.1.0"
    assert manent("gate", "range", "HEAD~1..HEAD", cwd=root).returncode == 0
    assert manent("gate", "range", "nowhere..HEAD", cwd=root).returncode == 2


def test_texts_are_judged_one_by_one_and_in_bulk(tmp_path: Path) -> None:
    asked = [
        {"id": 1, "text": "Nothing to see."},
        {"id": "two", "text": f"Write to {mail()}."},
        {"id": 3, "text": "fine", "path": "secrets/x.md"},
        {"id": 4, "text": "fine \ud800 lone surrogate"},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in asked) + "no json\n"
    done = subprocess.run(
        [sys.executable, "-m", "manent", "gate", "text", "--batch"],
        input=lines.encode(), capture_output=True, check=False,
    )  # fmt: skip
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["id"], r["accepted"]) for r in rows] == [
        (1, True), ("two", False), (3, False), (4, False), (None, False),
    ]  # fmt: skip
    assert rows[1]["findings"][0]["rule"] == "pii"
    assert done.returncode == 2
    assert mail() not in done.stdout.decode()
    one = subprocess.run(
        [sys.executable, "-m", "manent", "gate", "text", "--json"],
        input=mail().encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert one.returncode == 1
    assert json.loads(one.stdout)["accepted"] is False


def test_every_option_of_the_policy_is_explained(tmp_path: Path) -> None:
    said = manent("gate", "--explain-policy", cwd=tmp_path)
    assert said.returncode == 0
    keys = (
        "strictContent audiences phoneRegions maxNoteBytes maxBlobBytes protectedBranch "
        "allowRewrite attachments timeout frontmatter links agents checkout"
    )
    for key in keys.split():
        assert f"manent.{key} =" in said.stdout
