"""Which brain and which service a request means: nothing outside the root, nothing else of git."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.errors import NotAVault, Refused
from manent.gate.transport import (
    SERVICES,
    Asked,
    asked_by_command,
    asked_by_request,
    brain_at,
    named,
    surroundings,
)

WORDS = st.lists(
    st.sampled_from(
        ["git", "git-upload-pack", "upload-pack", "git-receive-pack", "'x.git'", "x.git", ";", "id",
         "--", "-c", "$(id)", "'", '"', "\\", "\0", "\n", "git-shell", "archive"]
    ),
    max_size=5,
).map(" ".join)  # fmt: skip


@given(WORDS | st.text(max_size=60))
def test_a_command_is_one_service_of_one_folder_or_refused(command: str) -> None:
    try:
        asked = asked_by_command(command)
    except Refused:
        return
    # Both ways git has to name a service; nothing beside the one folder.
    first, *others = shlex.split(command)
    head = [first] if first != "git" else ["git", others.pop(0)]
    assert "-".join(head) == f"git-{asked.service}" and asked.service in SERVICES
    assert others == [asked.folder]


@given(st.text(max_size=60), st.text(max_size=40))
def test_a_request_is_one_service_of_one_folder_or_refused(path: str, query: str) -> None:
    for service in SERVICES:
        assert asked_by_request(f"{path}/git-{service}", query) == (
            service,
            path,
            f"/git-{service}",
        )
        found = asked_by_request(f"{path}/info/refs", f"service=git-{service}")
        assert found == Asked(service, path, "/info/refs")
    for other in (path, f"{path}/HEAD", f"{path}/info/refs"):
        if query not in {f"service=git-{s}" for s in SERVICES} and "/git-" not in other:
            with pytest.raises(Refused):
                asked_by_request(other, query)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("served")
    for place in ("brains/in.git", "out.git", "brains/deep/er.git"):
        subprocess.run(["git", "init", "-q", "--bare", str(top / place)], check=True)
    (top / "brains/link.git").symlink_to(top / "out.git")
    (top / "brains/loop.git").symlink_to(top / "brains/loop.git")
    return top / "brains"


PARTS = st.lists(
    st.sampled_from(["in.git", "in", "..", ".", "", "out.git", "deep", "er", "link", "loop", "~"]),
    max_size=5,
).map("/".join)


@given(PARTS | st.text(max_size=30))
def test_nothing_outside_the_root_is_served(root: Path, folder: str) -> None:
    try:
        brain = brain_at(root, folder, {})
    except NotAVault:
        return
    assert brain.path in (root / "in.git", root / "deep/er.git")


@pytest.mark.parametrize(
    "folder", ["in.git", "/in.git", "in", "in.git/", "{root}/in.git", "deep/er"]
)
def test_a_brain_is_named_in_several_ways(root: Path, folder: str) -> None:
    assert brain_at(root, folder.replace("{root}", str(root)), {}).path.name in ("in.git", "er.git")


def test_only_one_name_says_who_it_is() -> None:
    said = {"MANENT_IDENTITY": "x", "REMOTE_USER": "y", "GL_USERNAME": "z", "HOME": "/h"}
    assert named(said, "ada") == {"HOME": "/h", "MANENT_IDENTITY": "ada"}
    assert named(said, "") == {"HOME": "/h"}


def test_git_serves_without_what_a_client_set() -> None:
    sent = {"GIT_CONFIG_COUNT": "1", "GIT_DIR": "/x", "GIT_PROTOCOL": "version=2", "HOME": "/h"}
    found = surroundings(sent)
    assert found["GIT_PROTOCOL"] == "version=2" and found["HOME"] == "/h"
    assert not {"GIT_CONFIG_COUNT", "GIT_DIR"} & found.keys()
    assert "GIT_PROTOCOL" not in surroundings({"GIT_PROTOCOL": "version=2:x=y"})
