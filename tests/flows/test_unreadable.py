"""Files, folders and objects that cannot be read: absent for an agent, named for an owner."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from repositories import GIT
from vaults import note, write

BOUND = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
AS = ("--as", "ag", "--agents", "{agents}")
AGENT = {"ag": {"token_sha256": hashlib.sha256(b"x" * 16).hexdigest(), "read": ["team"]}}
NOTES = {
    "a.md": note("a", "The ferry to [[b]].", audience="[team]"),
    "b.md": note("b", "The ferry again.", audience="[team]"),
}
HIDDEN = {"merger.md": note("merger"), "deal/terms.md": note("terms")}
COMMANDS = (
    "list V --json", "search V ferry --json --retriever bm25", "grep V ferry --json",
    "read V a --json", "read V merger --json", "neighbors V a --json",
)  # fmt: skip


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    bound = BOUND if os.geteuid() == 0 else ()
    return subprocess.run(
        [*bound, sys.executable, "-m", "manent", *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def words(command: str, vault: Path) -> list[str]:
    return [str(vault) if word == "V" else word for word in command.split()]


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    (tmp_path / "agents.json").write_text(json.dumps(AGENT))
    return tmp_path / "agents.json"


@pytest.fixture(params=["never read", "read before"])
def shut(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A vault of which a note and a folder may not be read."""
    if os.geteuid() == 0 and shutil.which(BOUND[0]) is None:
        pytest.skip("root opens everything here, and setpriv (util-linux) is not installed")
    vault = write(tmp_path / "shut", NOTES | HIDDEN)
    if request.param == "read before":
        assert run("index", vault).returncode == 0
    for name in ("merger.md", "deal"):
        (vault / name).chmod(0)
    yield vault
    for name in ("merger.md", "deal"):
        (vault / name).chmod(0o700)


def test_for_an_agent_it_is_as_if_it_were_not_there(
    shut: Path, agents: Path, tmp_path: Path
) -> None:
    absent = write(tmp_path / "absent", NOTES)
    for command in COMMANDS:
        said = [
            run(*words(command, vault), "--as", "ag", "--agents", agents)
            for vault in (shut, absent)
        ]
        assert said[0].stdout == said[1].stdout and said[0].stderr == said[1].stderr, command
        assert said[0].returncode == said[1].returncode
        assert "deal" not in said[0].stderr and "Permission" not in said[0].stderr


def test_an_owner_is_answered_from_the_rest_and_told(shut: Path) -> None:
    for command in COMMANDS:
        done = run("-q", *words(command, shut))
        assert done.returncode == (1 if "merger" in command else 0), command
        for name in ("deal", "merger.md"):
            line = f"manent: cannot read {name}: Permission denied; it is left out\n"
            assert line in done.stderr, command
        assert str(shut) not in done.stderr


def test_it_is_judged_by_no_half_and_indexed_by_none(shut: Path) -> None:
    for options in ((), ("--only", "pii")):
        linted = run("lint", shut, "--json", *options)
        found = {f["path"]: f["message"] for f in json.loads(linted.stdout)["findings"]}
        assert linted.returncode == 1
        assert found["merger.md"] == found["deal"] == "cannot be read: Permission denied"
    assert run("index", shut).returncode == 2
    assert run("index", shut, "--status").returncode in (1, 2)  # behind, or not to be told
    assert run("brain", "create", shut.parent / "brain.git", "--from", shut).returncode == 2


def test_what_can_be_read_again_is_there_again(shut: Path, agents: Path) -> None:
    assert run("list", shut).returncode == 0
    (shut / "merger.md").chmod(0o600)
    (shut / "deal").chmod(0o700)
    listed = run("list", shut, "--json")
    assert len(json.loads(listed.stdout)["notes"]) == 4 and not listed.stderr
    assert run("lint", shut).returncode == 0


def test_an_ignore_file_that_may_not_be_read_hides_nothing_less(shut: Path, agents: Path) -> None:
    write(shut, {".manentignore": "b.md\n"})
    (shut / ".manentignore").chmod(0)
    done = run("list", shut, "--as", "ag", "--agents", agents)
    assert done.returncode == 2 and "b.md" not in done.stdout
    assert "the vault cannot be read as a whole" in done.stderr


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A bare repository that lacks the content of a hidden note."""
    work, bare = write(tmp_path / "work", NOTES | HIDDEN), tmp_path / "torn.git"
    for line in ("init -q -b main", "add -A", "commit -q -m all", f"clone -q --bare . {bare}"):
        subprocess.run([GIT, *line.split()], cwd=work, check=True)
    oid = subprocess.check_output([GIT, "rev-parse", "HEAD:merger.md"], cwd=work, text=True).strip()
    packs = sorted((bare / "objects/pack").glob("*.pack"))
    for pack in packs:
        content = pack.read_bytes()
        for path in pack.parent.glob(pack.stem + ".*"):
            path.unlink()
        subprocess.run([GIT, "unpack-objects", "-q"], cwd=bare, input=content, check=True)
    (bare / "objects" / oid[:2] / oid[2:]).unlink()
    return bare


def test_content_that_a_repository_lacks_is_as_if_absent_for_an_agent(
    torn: Path, agents: Path
) -> None:
    oid = "object "
    for command in COMMANDS:
        done = run(*words(command, torn), "--as", "ag", "--agents", agents)
        assert done.returncode == (1 if "merger" in command else 0), (command, done.stderr)
        assert oid not in done.stderr and "merger.md" not in done.stdout + done.stderr


def test_an_owner_learns_its_path_and_what_to_do(torn: Path) -> None:
    listed = run("list", torn, "--json")
    assert [row["name"] for row in json.loads(listed.stdout)["notes"]] == ["a", "b", "terms"]
    assert "cannot read merger.md: object " in listed.stderr
    assert "fetch it from a complete clone" in listed.stderr
    for line in ("lint V", "index V"):
        done = run(*words(line, torn))
        assert done.returncode == 2 and "cannot read merger.md: object " in done.stderr, line
    status = run("index", torn, "--status", "--json")
    assert status.returncode == 1 or not json.loads(status.stdout).get("current")
