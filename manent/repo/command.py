"""Run ``git`` in an environment that nobody outside this process can bend.

Every ``GIT_*`` variable is dropped: over ssh a pusher may set some of them
(``GIT_CONFIG_COUNT``, ``GIT_ALTERNATE_OBJECT_DIRECTORIES``, …), and each would
change what git reads. What git itself set for a push is passed on by name.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from manent.errors import EnvironmentFault

_SEARCH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/usr/lib/git-core"

_FIXED = {
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
}


def clean(environment: Mapping[str, str] | None = None, **given: str) -> dict[str, str]:
    """Return the environment git is run in: without any ``GIT_*`` but those ``given``.

    environment: the caller's, for HOME and the like; None means an empty one.
    """
    kept = {k: v for k, v in (environment or {}).items() if not k.startswith("GIT_")}
    # What git must find is found even when PATH is empty or points elsewhere.
    kept["PATH"] = f"{kept['PATH']}:{_SEARCH}" if kept.get("PATH") else _SEARCH
    return kept | _FIXED | given


@cache
def _program(path: str) -> str | None:
    """Return where git stands on ``path``. As ``shutil.which``, whose import costs a push 3 ms."""
    for folder in path.split(os.pathsep):
        place = os.path.join(folder, "git")  # noqa: PTH118
        if folder and os.access(place, os.X_OK) and os.path.isfile(place):  # noqa: PTH113
            return place
    return None


class Git:
    """The git command for one repository.

    git_dir: passed as ``--git-dir``, so that nothing is discovered; "" lets git
    discover from ``folder``.
    folder: the working directory of the command.
    environment: what ``clean`` returned. program: where git was found.
    said: all of what the last command that ended wrote to stderr.
    """

    def __init__(self, git_dir: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = dict(environment)
        program = _program(self._environment["PATH"])
        if program is None:
            raise EnvironmentFault("git is not to be found", "install git 2.36 or newer")
        self.program = program
        self.said = ""
        self._head = [program, *([f"--git-dir={git_dir}"] if git_dir else [])]
        self._ahead: dict[_Asked, subprocess.Popen[bytes]] = {}

    def run(
        self, *arguments: str, given: bytes = b"", env: Mapping[str, str] | None = None
    ) -> bytes:
        """Run to the end and return what it printed. Raises EnvironmentFault on failure."""
        status, out, said = self.attempt(*arguments, given=given, env=env)
        if status:
            raise EnvironmentFault(f"git {arguments[0]} failed: {said}")
        return out

    def attempt(
        self, *arguments: str, given: bytes = b"", env: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, str]:
        """Run to the end; return (exit status, output, first line of the complaint)."""
        process = self._ahead.pop(_asked(arguments, given, env), None)
        left = None
        if process is None:
            process, left = self._started(arguments, env), given
        with process:
            try:
                out, complaint = process.communicate(left)
            except BaseException:  # a time-out, say: it must not go on without us
                process.kill()
                raise
        self.said = complaint.decode("utf-8", "backslashreplace")
        said = self.said.strip().splitlines()
        return process.returncode, out, said[0] if said else f"status {process.returncode}"

    def ahead(
        self, *arguments: str, given: bytes = b"", env: Mapping[str, str] | None = None
    ) -> None:
        """Start a command that ``run`` or ``attempt`` will be asked for, in the same words.

        It works while this process does something else. given: as much as any pipe holds.
        """
        process = self._started(arguments, env)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as stream:
            stream.write(given)
        process.stdin = None
        self._ahead[_asked(arguments, given, env)] = process

    def close(self) -> None:
        """End what was started ahead and never asked for."""
        for process in self._ahead.values():
            process.kill()
            process.communicate()
        self._ahead.clear()

    def _started(
        self, arguments: Sequence[str], env: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self._head, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            env={**self._environment, **(env or {})},
        )

    def start(
        self, *arguments: str, stdin: int | IO[bytes] = subprocess.PIPE
    ) -> subprocess.Popen[bytes]:
        """Start the command with its output in a pipe; the caller ends it."""
        return subprocess.Popen(
            [*self._head, *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            env=self._environment,
        )


_Asked = tuple[tuple[str, ...], bytes, tuple[tuple[str, str], ...]]


def _asked(arguments: tuple[str, ...], given: bytes, env: Mapping[str, str] | None) -> _Asked:
    return arguments, given, tuple(sorted((env or {}).items()))


def fields(stream: IO[bytes], size: int = 1 << 16) -> Iterator[bytes]:
    """Yield the NUL-terminated fields of a stream, with bounded memory."""
    rest = b""
    while chunk := stream.read(size):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
    if rest:
        yield rest


def joined(arguments: Sequence[str]) -> bytes:
    """Return ``arguments`` one a line, as git's ``--stdin`` options read them."""
    return "".join(f"{a}\n" for a in arguments).encode("utf-8", "surrogateescape")
