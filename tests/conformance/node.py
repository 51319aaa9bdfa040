"""Programs of the npm registry at exact versions, with a node that runs them.

They are installed once into a cache folder, without running any script of theirs, and
what they depend on is taken as it was on ``AS_OF``: so an installation is the same a
year later, and no lock file with addresses is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

NODE = "22.23.3"
"""The conformance suite does not start on node 20, nor does the inspector."""
AS_OF = "2026-11-08"
CACHE = Path.home() / ".cache" / "manent-npm"
"""Settled when this is imported: tests run in a HOME of their own."""
_INSTALL_SECONDS = 300


class Unreachable(Exception):
    """The programs cannot be had here; the text says why."""


@dataclass(frozen=True)
class Installed:
    """A folder of packages, and the node beside them."""

    folder: Path
    node: Path

    def command(self, name: str) -> list[str]:
        """Return how a program of the packages is started."""
        return [str(self.node), str((self.folder / "node_modules" / ".bin" / name).resolve())]


def install(*packages: str) -> Installed:
    """Return the packages (``name@version``) with a node. Raises Unreachable."""
    node = _node_package()
    wanted = (f"{node}@{NODE}", *packages)
    key = hashlib.sha256(" ".join((AS_OF, *wanted)).encode()).hexdigest()[:16]
    folder = CACHE / key
    if not folder.is_dir():
        _fetch(folder, wanted)
    return Installed(folder, folder / "node_modules" / node / "bin" / "node")


def _node_package() -> str:
    system = {"linux": "linux", "darwin": "darwin"}.get(sys.platform)
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(
        platform.machine().lower()
    )
    if system is None or machine is None:
        raise Unreachable(f"npm has no node for {sys.platform} on {platform.machine()}")
    return f"node-{system}-{machine}"


def _fetch(folder: Path, packages: tuple[str, ...]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unreachable("npm is not installed: apt-get install npm")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="new-", dir=folder.parent))
    try:
        command = [npm, "install", "--prefix", str(made), "--no-save", "--no-package-lock"]
        command += ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"]
        _run([*command, "--before", AS_OF, *packages], made)
        # Another process may have been as quick: what it put there is as good.
        with contextlib.suppress(OSError):
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _run(command: list[str], folder: Path) -> None:
    # The settings of npm are the user's, not those of a HOME made for a test.
    environment = {**os.environ, "HOME": str(CACHE.parent.parent)}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Unreachable(f"npm did not answer within {_INSTALL_SECONDS} s") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Unreachable("npm install failed: " + " / ".join(last))
