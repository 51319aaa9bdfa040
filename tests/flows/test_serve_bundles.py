"""One replica publishes what it made of the brain, another one begins with it."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp.server.lowlevel", reason="the extra serve is not installed")

from repositories import GIT, Clone, note
from served_process import OWNER, Server, running

AGENT = "agent-" + "a" * 20


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return _key(tmp_path / "bundles.key")


def _key(file: Path) -> Path:
    file.write_text(secrets.token_hex(32) + "\n")
    file.chmod(0o600)
    return file


@pytest.fixture
def options(tmp_path: Path, key: Path) -> list[str]:
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps({"scout": {"token": AGENT, "read": ["team"]}}))
    agents.chmod(0o600)
    return [
        "--retriever", "bm25", "--agents", str(agents),
        "--bundles", str(tmp_path / "pub"), "--bundle-key-file", str(key),
    ]  # fmt: skip


def bundles(folder: Path, more_than: int = 0) -> list[Path]:
    """Return the bundles in a folder, once there are more than so many."""
    deadline = time.monotonic() + 120
    while len(found := sorted(folder.glob("*.bundle"))) <= more_than:
        assert time.monotonic() < deadline, "no bundle comes"
        time.sleep(0.2)
    return found


def mirror(clone: Clone, place: Path) -> Path:
    """Return the brain as another machine has it: with its history, without stores."""
    subprocess.run([GIT, "clone", "-q", "--mirror", str(clone.brain), str(place)], check=True)
    assert not (place / "manent").exists()
    return place


def said(server: Server) -> list[str]:
    """Return what owner and agent get; a search's id is all that differs between replicas."""
    answers: list[Any] = []
    for token in (OWNER, AGENT):
        found = server.call("brain_search", token, query="quokka harbour")
        assert isinstance(found, dict), found
        answers.append({**found, "searchId": ""})
        answers.append(server.call("brain_list", token))
        answers.append(server.call("brain_read", token, name="harbour"))
        answers.append(server.call("brain_read", token, name="ledger"))
        answers.append(server.call("brain_graph", token, name="harbour"))
    return [json.dumps(answer) for answer in answers]


def events(log: Path) -> list[str]:
    rows = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return [row["event"] for row in rows if row["event"].startswith("bundle")]


def test_a_replica_begins_with_what_another_made(
    clone: Clone, tmp_path: Path, options: list[str]
) -> None:
    clone.commit(
        {
            "memory/harbour.md": note(
                "harbour", "# Berths\nSee [[harbour#Berths]].", audience="[team]"
            ),
            "memory/ledger.md": note("ledger", "The quokka owes.", audience="[ops]"),
        }
    )
    assert clone.push().accepted
    shutil.rmtree(clone.brain / "manent")
    published, others = tmp_path / "pub", tmp_path / "log"
    with running(clone.brain, *options, "--publish-bundles") as one:
        (first,) = bundles(published)
        tree = clone.brain_git("rev-parse", "main^{tree}")
        assert re.fullmatch(rf"{tree}\.1-[0-9a-f]{{12}}\.bundle", first.name)
        assert first.stat().st_mode & 0o007 == 0
        with (
            others.open("wb") as log,
            running(mirror(clone, tmp_path / "two.git"), *options, log=log) as two,
        ):
            answers = said(two)
            assert answers == said(one)
            assert "owes" in "".join(answers[:5]) and "owes" not in "".join(answers[5:])
        assert events(others) == ["bundle-taken"]
        # A push is published in its turn, and one that begins before that takes the last.
        clone.commit({"memory/tide.md": note("tide", "A quokka swims.", audience="[team]")})
        assert clone.push().accepted
        with (
            others.open("wb") as log,
            running(mirror(clone, tmp_path / "three.git"), *options, log=log) as three,
        ):
            assert "tide" in "".join(said(three)[5:])
            assert said(three) == said(one)
        assert events(others) == ["bundle-taken"]
        assert first in bundles(published, 1)
    key = _key(tmp_path / "another.key")
    with (
        others.open("wb") as log,
        running(
            mirror(clone, tmp_path / "four.git"), *options, "--bundle-key-file", str(key), log=log
        ) as four,
    ):
        assert "tide" in "".join(said(four)[5:])
    assert events(others) == ["bundle-refused"]


def _refused(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "manent", *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_what_is_wrongly_asked_is_said_in_one_line(clone: Clone, tmp_path: Path, key: Path) -> None:
    brain, pub = str(clone.brain), str(tmp_path / "pub")
    serve = ["serve", brain, "--http", "0", "--token", OWNER]
    both = ["--bundles", pub, "--bundle-key-file", str(key)]
    assert "go together" in _refused(*serve, "--bundles", pub)
    assert "go together" in _refused(*serve, "--bundle-key-file", str(key))
    assert "--bundles" in _refused(*serve, "--publish-bundles")
    assert "for a brain" in _refused("serve", str(clone.path), *both)
    assert "folder" in _refused(
        *serve, "--bundles", "https://host.example/b", "--bundle-key-file", str(key),
        "--publish-bundles",
    )  # fmt: skip
    index = ["index", brain, "--bundle", pub, "--bundle-key-file", str(key)]
    assert "go together" in _refused(*index[:4])
    assert "exclude" in _refused(*index, "--status")
    assert "--rev" in _refused("index", str(clone.path), *index[2:])
    assert "in a folder" in _refused(*index[:3], "https://host.example/b", *index[4:])
    key.chmod(0o604)
    assert "everybody" in _refused(*serve, *both) and "everybody" in _refused(*index)
    key.chmod(0o600)
    key.write_text("short")
    assert "16 characters" in _refused(*serve, *both)


def test_a_bundle_by_hand_is_of_the_revision_named(clone: Clone, tmp_path: Path, key: Path) -> None:
    before = clone.brain_git("rev-parse", "main^{tree}")
    clone.commit({"memory/tide.md": note("tide")})
    assert clone.push().accepted
    asked = ["--bundle", str(tmp_path / "pub"), "--bundle-key-file", str(key), "--json"]

    def index(*arguments: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "manent", "index", *arguments, *asked],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return dict(json.loads(done.stdout)["bundle"])

    one = index(str(clone.brain), "--rev", "main~1")
    assert one["made"] and Path(one["path"]).name.startswith(before)
    two = index(str(clone.brain))
    assert two["notes"] == one["notes"] + 1
    # A checkout of the same commit makes the very same one.
    whole = Path(two["path"]).read_bytes()
    Path(two["path"]).unlink()
    three = index(str(clone.path), "--rev", "HEAD")
    assert Path(three["path"]).read_bytes() == whole


def test_what_keeps_a_server_from_publishing_is_in_its_log(
    clone: Clone, tmp_path: Path, key: Path
) -> None:
    clone.commit({"memory/harbour.md": note("harbour", "# Berths", audience="[team]")})
    assert clone.push().accepted
    (tmp_path / "file").write_text("")
    said_by = tmp_path / "log"
    given = ["--bundles", str(tmp_path / "file" / "pub"), "--bundle-key-file", str(key)]
    with (
        said_by.open("wb") as log,
        running(clone.brain, *given, "--publish-bundles", log=log),
    ):
        until = time.monotonic() + 60
        while "bundle-unpublished" not in said_by.read_text() and time.monotonic() < until:
            time.sleep(0.2)
    rows = [json.loads(line) for line in said_by.read_text().splitlines() if line.startswith("{")]
    (reason,) = [row["reason"] for row in rows if row["event"] == "bundle-unpublished"]
    assert "cannot be kept" in reason and not reason.startswith("manent:")
