"""Both transports with real servers: owners and agents that read everything push and
fetch; everybody else hears one plain line."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import servers
from repositories import GIT, Clone, git_variables, mail, note

AGENTS = {
    "ada": {"read": "*", "write": "*"},
    "archivist": {"read": ["team"], "write": "quarantine/archivist", "git": True},
    "mirror": {"read": ["team"], "git": True},
    "scout": {"read": ["team"], "write": "quarantine/scout"},
    "reader": {"read": ["team"]},
}
REFUSED = ("scout", "reader", "stranger")


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A server as ``deploy/setup.sh`` makes one, below a short path: sockets need it."""
    with tempfile.TemporaryDirectory(prefix="mn-", dir="/tmp") as folder:
        made = servers.installed(Path(folder))
        variables = {"HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            done = servers.setup(made, str(made / "manent.whl"), "team")
        assert done.returncode == 0, done.stdout + done.stderr
        (made / "etc/manent/agents.json").write_text(json.dumps(AGENTS))
        yield made


@pytest.fixture(scope="module")
def http(root: Path) -> Iterator[str]:
    names = [*AGENTS, "stranger"]
    with servers.web(root, {name: f"word-of-{name}" for name in names}) as address:
        yield address


@pytest.fixture(scope="module")
def ssh(root: Path) -> Iterator[dict[str, dict[str, str]]]:
    with servers.shell(root, [*AGENTS, "stranger"]) as reached:
        yield reached


class Way:
    """How one identity reaches the brain: an address and the surroundings of its git."""

    def __init__(self, address: str, environment: dict[str, str]) -> None:
        self.address, self.environment = address, environment

    def git(self, *arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [GIT, *arguments], cwd=cwd, capture_output=True, text=True, check=False,
            env={**self.environment, **more},
        )  # fmt: skip

    def clone(self, folder: Path) -> Clone:
        done = self.git("clone", "-q", self.address, str(folder / "clone"), cwd=folder)
        assert done.returncode == 0, done.stderr
        return Clone(folder / "clone", folder, self.environment)


def way(request: pytest.FixtureRequest, transport: str, name: str, brain: str = "team.git") -> Way:
    if transport == "ssh":
        reached: dict[str, dict[str, str]] = request.getfixturevalue("ssh")
        return Way(servers.ssh_address(brain), reached[name])
    base: str = request.getfixturevalue("http")
    address = base.replace("http://", f"http://{name}:word-of-{name}@")
    environment = {**git_variables(), "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true"}
    return Way(f"{address}/{brain}", environment)


TRANSPORTS = ("http", "ssh")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_owner_clones_and_pushes(
    request: pytest.FixtureRequest, tmp_path: Path, transport: str
) -> None:
    clone = way(request, transport, "ada").clone(tmp_path)
    clone.commit({f"memory/by-{transport}.md": note(f"by-{transport}", "Otters sleep.")})
    pushed = clone.push("HEAD:main")
    assert pushed.accepted and "accepted" in pushed.said, pushed.said
    clone.commit({"memory/bad.md": note("bad", mail())})
    pushed = clone.push("HEAD:main")
    assert pushed.refused and "memory/bad.md:6" in pushed.said, pushed.said
    root: Path = request.getfixturevalue("root")
    log = (root / "srv/brains/team.git/manent/gate.log").read_text().splitlines()
    assert [json.loads(line)["identity"] for line in log[-2:]] == ["ada", "ada"]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_agent_that_reads_everything_writes_its_own_corner(
    request: pytest.FixtureRequest, tmp_path: Path, transport: str
) -> None:
    if not _tip(request):
        test_an_owner_clones_and_pushes(request, _made(tmp_path / "first"), transport)
    clone = way(request, transport, "archivist").clone(tmp_path)
    stamped = {"status": "quarantine", "author": "archivist"}
    name = f"idea-{transport}"
    clone.commit({f"quarantine/archivist/{name}.md": note(name, **stamped)})
    pushed = clone.push("HEAD:main")
    assert pushed.accepted, pushed.said
    clone.commit({"memory/mine.md": note("mine", **stamped)})
    pushed = clone.push("HEAD:main")
    assert pushed.refused and "quarantine/archivist" in pushed.said, pushed.said


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_agent_without_a_folder_reads_and_does_not_write(
    request: pytest.FixtureRequest, tmp_path: Path, transport: str
) -> None:
    clone = way(request, transport, "mirror").clone(tmp_path)
    clone.commit({"quarantine/mirror/x.md": note("x", status="quarantine", author="mirror")})
    pushed = clone.push("HEAD:main")
    assert pushed.refused and "may not write" in pushed.said, pushed.said


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("name", REFUSED)
def test_others_get_no_service_and_one_plain_line(
    request: pytest.FixtureRequest, tmp_path: Path, transport: str, name: str
) -> None:
    before = _tip(request)
    other = way(request, transport, name)
    empty = Clone(_made(tmp_path / "own"), tmp_path, other.environment)
    empty.git("init", "-q", "-b", "main", ".")
    empty.git("remote", "add", "origin", other.address)
    empty.commit({f"quarantine/{name}/x.md": note("x", status="quarantine", author=name)})
    asked = [["ls-remote", "origin"], ["fetch", "origin"], ["push", "origin", "HEAD:main"]]
    if transport == "ssh":
        asked.append(["archive", "--remote", "origin", "HEAD"])
    for command in asked:
        done = other.git(*command, cwd=empty.path)
        assert done.returncode != 0
        said = [line for line in done.stderr.splitlines() if "manent: " in line]
        assert len(said) == 1 and "manent: refused: " in said[0], done.stderr
        assert done.stdout == ""
    assert _tip(request) == before


def test_upload_archive_is_served_to_who_may_read(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    clone = way(request, "ssh", "ada").clone(tmp_path)
    if not clone.git("branch", "-r"):
        clone.commit({"memory/first.md": note("first")})
        assert clone.push("HEAD:main").accepted
    done = subprocess.run(
        [GIT, "archive", "--remote", "origin", "main"], cwd=clone.path, capture_output=True,
        env=clone.environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and b"memory/" in done.stdout, done.stderr


def test_a_client_names_no_identity_of_its_own(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Whatever the client sets: the key says who it is."""
    other = way(request, "ssh", "scout")
    sent = ("MANENT_IDENTITY", "REMOTE_USER", "GL_USERNAME", "SSH_ORIGINAL_COMMAND")
    options = " ".join(f"-o SetEnv={name}=ada" for name in sent)
    done = other.git(
        "ls-remote", other.address, cwd=tmp_path,
        GIT_SSH_COMMAND=f"{other.environment['GIT_SSH_COMMAND']} {options}",
    )  # fmt: skip
    assert done.returncode != 0 and "manent: refused: scout" in done.stderr


def test_git_settings_sent_over_ssh_count_for_nothing(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    owner = way(request, "ssh", "ada")
    clone = owner.clone(tmp_path)
    clone.commit({"memory/bad.md": note("bad", mail())})
    sent = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/nowhere",
        "PYTHONPATH": "/nowhere",
        "PYTHONHOME": "/nowhere",
        "PYTHONSTARTUP": "/nowhere",
    }
    # One option: ssh takes the first SetEnv it finds.
    option = "-o 'SetEnv=" + " ".join(f"{key}={value}" for key, value in sent.items()) + "'"
    pushed = clone.push(
        "HEAD:main", GIT_SSH_COMMAND=f"{owner.environment['GIT_SSH_COMMAND']} {option}"
    )
    assert pushed.refused, pushed.said


@pytest.mark.parametrize(
    "command",
    ["", "sh", "git-upload-pack", "git-upload-pack team.git extra", "git-shell -c ls",
     "git upload-pack 'team.git'; id", "git-daemon team.git", "git-upload-pack 'team.git",
     "git --exec-path=/tmp upload-pack team.git", "scp -t x"],
)  # fmt: skip
def test_a_key_serves_git_and_nothing_else(
    request: pytest.FixtureRequest, tmp_path: Path, command: str
) -> None:
    reached: dict[str, dict[str, str]] = request.getfixturevalue("ssh")
    asked = reached["ada"]["GIT_SSH_COMMAND"].split()
    done = subprocess.run(
        [*asked, servers.ssh_address("")[:-1], *([command] if command else [])],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode != 0 and done.stdout == ""
    assert [line for line in done.stderr.splitlines() if line.startswith("manent: refused: ")]
    assert "uid=" not in done.stderr


@pytest.mark.parametrize(
    "brain", ["nothing.git", "../team.git", "/etc", "../../etc/manent", "team.git/objects", "x\ny"]
)
def test_only_brains_below_the_root_are_served(
    request: pytest.FixtureRequest, tmp_path: Path, brain: str
) -> None:
    outside = request.getfixturevalue("root") / "srv/team.git"
    if not outside.exists():
        subprocess.run([GIT, "init", "-q", "--bare", str(outside)], check=True)
    done = way(request, "ssh", "ada", brain).git(
        "ls-remote", servers.ssh_address(brain), cwd=tmp_path
    )
    assert done.returncode != 0
    assert done.stderr.count("manent: refused: no brain of that name is served here") == 1


@pytest.mark.parametrize(
    "spelling", ["team.git", "team", "team.git/", "{root}/srv/brains/team.git"]
)
def test_a_brain_has_a_short_name(
    request: pytest.FixtureRequest, tmp_path: Path, spelling: str
) -> None:
    brain = spelling.replace("{root}", str(request.getfixturevalue("root").resolve()))
    done = way(request, "ssh", "ada", brain).git(
        "ls-remote", servers.ssh_address(brain), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_files_of_a_brain_are_not_served_one_by_one(
    request: pytest.FixtureRequest, root: Path
) -> None:
    address = way(request, "http", "ada").address
    for rest in ("HEAD", "info/refs", "objects/info/packs", "config", "manent/gate.log"):
        status, body = _get(f"{address}/{rest}")
        assert (status, body) == (
            403,
            "manent: refused: only git's smart protocol is served here (use git 1.6.6 or newer)\n",
        )
    status, _ = _get(f"{address}/../../../etc/manent/agents.json/info/refs?service=git-upload-pack")
    assert status in (400, 403, 404)


def test_without_a_password_nothing_is_said(request: pytest.FixtureRequest) -> None:
    address: str = request.getfixturevalue("http")
    status, body = _get(f"{address}/team.git/info/refs?service=git-upload-pack")
    assert status == 401 and "manent: " not in body
    bad = address.replace("http://", "http://ada:wrong@")
    assert _get(f"{bad}/team.git/info/refs?service=git-receive-pack")[0] == 401


def test_an_agents_file_that_cannot_be_read_lets_nobody_in(
    request: pytest.FixtureRequest, root: Path, tmp_path: Path
) -> None:
    agents = root / "etc/manent/agents.json"
    before = agents.read_text()
    agents.write_text("{")
    try:
        for transport in TRANSPORTS:
            owner = way(request, transport, "ada")
            done = owner.git("ls-remote", owner.address, cwd=tmp_path)
            assert done.returncode != 0 and done.stderr.count("manent: refused: ") == 1
    finally:
        agents.write_text(before)


def test_a_key_without_a_forced_command_opens_no_shell(root: Path) -> None:
    shell = root / "opt/manent/libexec/login-shell"
    for asked in ([], ["-c", "id"], ["-c", f"git-upload-pack '{root}/srv/brains/team.git'"]):
        done = subprocess.run([str(shell), *asked], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr == "manent: refused: this user serves git and no shell\n"
    # The forced command's own words, sent by a client whose key has none.
    forced = f"{root}/opt/manent/libexec/git-ssh ada"
    done = subprocess.run([str(shell), "-c", forced], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "no shell" in done.stderr
    command = f"git-receive-pack '{root}/srv/brains/team.git'"
    done = subprocess.run(
        [str(shell), "-c", f"{forced} ; id"], capture_output=True, text=True, check=False,
        env={**os.environ, "SSH_ORIGINAL_COMMAND": command},
    )  # fmt: skip
    assert done.returncode != 0 and "uid=" not in done.stdout


def _tip(request: pytest.FixtureRequest) -> str:
    root: Path = request.getfixturevalue("root")
    done = subprocess.run(
        [GIT, "rev-parse", "-q", "--verify", "main"], cwd=root / "srv/brains/team.git",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _get(address: str) -> tuple[int, str]:
    """Ask over HTTP as it stands: no client's tidying of the path."""
    import base64
    import http.client
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    headers = {}
    if parts.username:
        raw = f"{parts.username}:{parts.password}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(raw).decode()}"
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 80, timeout=60)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    connection.request("GET", target, headers=headers)
    answer = connection.getresponse()
    body = answer.read().decode("utf-8", "replace")
    connection.close()
    return answer.status, body
