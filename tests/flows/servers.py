"""Real servers for one test: nginx with fcgiwrap, and an sshd, on loopback ports.

Their configuration is what ``deploy/`` installs, below a scratch root.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from repositories import git_variables

SETUP = Path(__file__).resolve().parent.parent.parent / "deploy" / "setup.sh"
_SEARCH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/local/sbin"


def program(name: str) -> str:
    """Return the path of a server program; skips plainly where it is not installed."""
    found = shutil.which(name, path=_SEARCH)
    if found is None:
        package = {"nginx": "nginx-light", "sshd": "openssh-server"}.get(name, name)
        pytest.skip(f"{name} is not installed: apt-get install {package}")
    return found


def setup(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``deploy/setup.sh`` below ``root``, as the user of the test."""
    variables = {"MANENT_ROOT": str(root), "MANENT_USER": getpass.getuser()}
    variables["MANENT_WORKER"] = "5"  # nobody pushes there after the test
    return subprocess.run(
        ["sh", str(SETUP), *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )


def installed(root: Path) -> Path:
    """Make this very environment stand below ``root`` as the recipe would install it."""
    home = root / "opt" / "manent" / "bin"
    home.mkdir(parents=True)
    python = home / "python"
    # The wheel's own test installs it for real; here pip has nothing left to do.
    python.write_text(f'#!/bin/sh\n[ "$2" = pip ] && exit 0\nexec "{sys.executable}" "$@"\n')
    (home / "manent").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m manent "$@"\n')
    for made in (python, home / "manent"):
        made.chmod(0o755)
    (root / "manent.whl").write_bytes(b"")
    return root


def free_port() -> int:
    """Return a loopback port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


NGINX = """
{user}
worker_processes 1;
pid {root}/nginx.pid;
error_log {root}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {root}/body; fastcgi_temp_path {root}/fastcgi;
    proxy_temp_path {root}/proxy; scgi_temp_path {root}/scgi; uwsgi_temp_path {root}/uwsgi;
    server {{
        listen 127.0.0.1:{port};
        include {root}/etc/nginx/snippets/manent.conf;
    }}
}}
"""


@contextlib.contextmanager
def web(root: Path, passwords: dict[str, str]) -> Iterator[str]:
    """Serve the brains of ``root`` by nginx and fcgiwrap; yield the address of their folder."""
    nginx, fcgiwrap, openssl = program("nginx"), program("fcgiwrap"), program("openssl")
    lines = []
    for name, word in passwords.items():
        asked = [openssl, "passwd", "-apr1", word]
        hashed = subprocess.run(asked, capture_output=True, check=True, text=True).stdout.strip()
        lines.append(f"{name}:{hashed}\n")
    (root / "etc/manent/htpasswd").write_text("".join(lines))
    port = free_port()
    conf = root / "nginx.conf"
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    conf.write_text(NGINX.format(user=user, root=root, port=port))
    (root / "run/manent").mkdir(parents=True, exist_ok=True)
    listening = root / "run/manent/git.sock"
    script = root / "opt/manent/libexec/git-http"
    served = [fcgiwrap, "-f", "-c", "2", "-p", str(script), "-s", f"unix:{listening}"]
    with _running(served, lambda: listening.exists()), _running(
        [nginx, "-c", str(conf), "-p", str(root), "-g", "daemon off;"], lambda: _answers(port)
    ):  # fmt: skip
        yield f"http://127.0.0.1:{port}/brains"


SSHD = """
Port {port}
ListenAddress 127.0.0.1
HostKey {root}/host_key
PidFile none
UsePAM no
StrictModes no
PermitRootLogin forced-commands-only
PasswordAuthentication no
KbdInteractiveAuthentication no
AcceptEnv *
{recipe}
"""


@contextlib.contextmanager
def shell(root: Path, names: list[str]) -> Iterator[dict[str, dict[str, str]]]:
    """Serve the brains of ``root`` by an sshd; yield, by name, what git needs to reach it.

    The client may set any variable it likes: ``AcceptEnv *`` is the worst case.
    """
    sshd, keygen, ssh = program("sshd"), program("ssh-keygen"), program("ssh")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    port = free_port()
    for key in ("host_key", *(f"key-{name}" for name in names)):
        made = [keygen, "-q", "-t", "ed25519", "-N", "", "-f", str(root / key)]
        subprocess.run(made, check=True)
    example = (root / "etc/manent/authorized_keys.example").read_text().splitlines()[1]
    command = example[: example.index(" ssh-ed25519")]
    assert command.endswith('/git-ssh ada"')
    lines = []
    for name in names:
        forced = command.replace('git-ssh ada"', f'git-ssh {name}"')
        lines.append(f"{forced} {(root / f'key-{name}.pub').read_text()}")
    (root / "etc/manent/authorized_keys").write_text("".join(lines))
    recipe = (root / "etc/ssh/sshd_config.d/manent.conf").read_text()
    conf = root / "sshd.conf"
    conf.write_text(SSHD.format(port=port, root=root, recipe=recipe))
    asked = f"{ssh} -F none -p {port} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    asked += " -o LogLevel=ERROR -o IdentitiesOnly=yes -o BatchMode=yes"
    with _running([sshd, "-D", "-e", "-f", str(conf)], lambda: _answers(port)):
        yield {
            name: {**git_variables(), "GIT_SSH_COMMAND": f"{asked} -i {root}/key-{name}"}
            for name in names
        }


def ssh_address(folder: str) -> str:
    """Return the address of a brain as an ssh client spells it."""
    return f"{getpass.getuser()}@127.0.0.1:{folder}"


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def _running(command: list[str], ready: Callable[[], bool]) -> Iterator[None]:
    """Run a server in a process group of its own until the block ends."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 30
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                assert process.stderr is not None
                pytest.fail(f"{command[0]} does not start: {process.stderr.read().decode()}")
            time.sleep(0.02)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
