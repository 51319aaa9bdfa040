"""A brain whose derived data belongs to somebody else: said in a plain line, never a bug."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
from repositories import GIT, Clone, note

BOUND = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""What root is run by to be kept out like anybody."""

COMMANDS = (
    "brain status B", "search B text", "index B --status", "index B", "lint B", "curate B",
    "read B first", "list B", "neighbors B first", "gate range HEAD..HEAD --repo B",
    "hooks status --repo B",
)  # fmt: skip


def bound() -> tuple[str, ...]:
    if os.geteuid() != 0:
        return ()
    if shutil.which(BOUND[0]) is None:
        pytest.skip("root opens everything here, and setpriv (util-linux) is not installed")
    return BOUND


@pytest.fixture(params=["", "search", "verdicts", "vault.sqlite"])
def shut(request: pytest.FixtureRequest, clone: Clone) -> Iterator[Clone]:
    """A clone of a brain whose state folder, or something in it, nobody may open."""
    place = clone.brain / "manent" / request.param
    assert place.exists()
    paths = [place, *place.rglob("*")] if place.is_dir() else [place]
    modes = {path: path.stat().st_mode for path in paths}
    for path in reversed(paths):
        path.chmod(0)
    yield clone
    for path, mode in modes.items():
        path.chmod(mode)


def test_every_command_says_it_plainly(shut: Clone) -> None:
    for command in COMMANDS:
        asked = [str(shut.brain) if word == "B" else word for word in command.split()]
        done = subprocess.run(
            [*bound(), sys.executable, "-m", "manent", *asked], cwd=shut.path.parent,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1, 2), (command, done.stderr)
        assert "bug" not in done.stderr and "Traceback" not in done.stderr, command


def test_a_push_is_judged_or_refused_in_a_plain_line(shut: Clone) -> None:
    before = shut.refs()
    shut.commit({"memory/third.md": note("third")})
    done = subprocess.run(
        [*bound(), GIT, "push", "origin", "HEAD:main"], cwd=shut.path,
        capture_output=True, text=True, check=False, env=shut.environment,
    )  # fmt: skip
    assert "Error" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    if done.returncode:
        assert "manent: refused: " in done.stderr and shut.refs() == before
    else:
        assert shut.refs() != before
