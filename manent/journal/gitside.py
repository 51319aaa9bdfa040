"""The journal in a git repository: where it lies, commits, and what a merge left to do.

Commits go through ``git`` itself, so that they carry the writer's identity,
signature and hooks. Finding the repository and asking whether commits are
wanted starts no process unless a git config file speaks of them.
"""

from __future__ import annotations

import os
import time

from manent.errors import EnvironmentFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONFIG_KEY = "manent.journalCommit"

MARKER = "manent/journal-merged"
"""Within the git directory: see ``manent.journal.merge``."""

_TOLD = 3
"""Findings of a hook that are repeated: the first of them is what is to be mended."""

_PATIENCE = 60
"""Tries for git's index.lock, 0.1 s apart: other tools commit in well under 6 s."""


def git_dir(directory: str) -> str | None:
    """Return the git directory of the working tree that holds ``directory``, or None.

    directory: absolute; it need not exist.
    """
    found = working_tree(directory)
    return found[1] if found else None


def working_tree(directory: str) -> tuple[str, str] | None:
    """Return the top of the working tree that holds ``directory``, and its git directory."""
    at = directory
    while True:
        found = os.path.join(at, ".git")
        if os.path.isdir(found):
            return at, found
        if os.path.isfile(found):
            pointed = _pointed(found, at)
            return (at, pointed) if pointed else None
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def marked(directory: str) -> str | None:
    """Return the path of the marker that a merge of journals has left here, or None."""
    found = git_dir(directory)
    marker = os.path.join(found, MARKER) if found else ""
    return marker if marker and os.path.exists(marker) else None


def _pointed(file: str, at: str) -> str | None:
    """Read a ``.git`` file, as linked working trees have one."""
    with open(file, encoding="utf-8", errors="surrogateescape") as pointer:
        word, _, target = pointer.readline().strip().partition(": ")
    return os.path.join(at, target) if word == "gitdir" else None


def commits_wanted(directory: str, environ: Mapping[str, str]) -> bool:
    """Tell whether git config asks for a commit of each note (``manent.journalCommit``)."""
    found = git_dir(directory)
    if found is None or not _spoken_of(found, environ):
        return False
    asked = ["git", "-C", directory, "config", "--type=bool", "--default=false", CONFIG_KEY]
    code, out, err = _run(asked, environ)
    if code:
        raise EnvironmentFault(f"git config {CONFIG_KEY}: {err or 'cannot be read'}")
    return out.strip() == b"true"


def _spoken_of(found: str, environ: Mapping[str, str]) -> bool:
    """Look for the key, or an include, in the config files: git takes 3 ms to start, this 0.1."""
    if any(name.startswith("GIT_CONFIG") for name in environ):
        return True
    home = environ.get("HOME", "")
    common = _common(found)
    files = [
        os.path.join(common, "config"),
        os.path.join(found, "config.worktree"),
        os.path.join(home, ".gitconfig"),
        os.path.join(environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git/config"),
        "/etc/gitconfig",
    ]
    return any(_speaks(path) for path in files)


def _common(found: str) -> str:
    try:
        with open(os.path.join(found, "commondir"), encoding="utf-8") as pointer:
            return os.path.join(found, pointer.readline().strip())
    except OSError:
        return found


def _speaks(path: str) -> bool:
    try:
        with open(path, "rb") as config:
            text = config.read(1 << 20).lower()
    except OSError:
        return False
    return b"journalcommit" in text or b"include" in text


def tracks(directory: str, name: str, environ: Mapping[str, str]) -> bool:
    """Tell whether git tracks a file of the journal."""
    return succeeds(directory, ["ls-files", "--error-unmatch", "--", name], environ)


def unmerged(directory: str, environ: Mapping[str, str]) -> bool:
    """Tell whether git's index holds a file of the journal in several versions.

    So it is after a `git stash pop` or a `git checkout -m` that was stopped, which
    leave no other sign. Git is asked only where the index may say so.
    """
    found = working_tree(os.path.realpath(directory))
    if found is None or not _may_be_unmerged(os.path.join(found[1], "index"), found[0], directory):
        return False
    try:
        return bool(output(directory, ["ls-files", "--unmerged", "--", "."], environ))
    except EnvironmentFault:
        # Without git nothing is popped or checked out either.
        return False


def _may_be_unmerged(index: str, top: str, directory: str) -> bool:
    """Look for more than one entry of the log: 0.3 ms for an index of 10,000 files."""
    try:
        with open(index, "rb") as file:
            raw = file.read()
    except OSError:
        return False
    if raw[4:8] not in (b"\0\0\0\2", b"\0\0\0\3") or b"link" in raw:
        # Names are shortened, or stand in another file.
        return True
    inside = os.path.relpath(os.path.realpath(directory), top)
    start = b"" if inside == os.curdir else os.fsencode(inside) + b"/"
    return raw.count(start + b"LOG.txt\0") > 1 or _levels_unmerged(raw, start + b"TREE/")


def _levels_unmerged(raw: bytes, start: bytes) -> bool:
    names = [part.partition(b"\0")[0] for part in raw.split(start)[1:]]
    return len(set(names)) < len(names)


def commit(
    directory: str,
    names: Sequence[str],
    message: str,
    environ: Mapping[str, str],
    how: Sequence[str] = (),
) -> str | None:
    """Commit exactly these files of the journal; return what went wrong, or None.

    names: relative to ``directory``. Whatever else is staged stays staged. The
    caller holds the journal's lock; git's own is waited for. how: options in
    place of the message.
    """
    if git_dir(directory) is None:
        return f"{directory} is in no git repository"
    options = list(how) or [f"--message={message}"]
    for trial in range(_PATIENCE):
        said = _commit_once(directory, names, options, environ)
        if said is None or "index.lock" not in said or trial == _PATIENCE - 1:
            return said
        time.sleep(0.1)
    return None


def _commit_once(
    directory: str, names: Sequence[str], options: Sequence[str], environ: Mapping[str, str]
) -> str | None:
    git = ["git", "-C", directory, "--literal-pathspecs"]
    for command in (
        ["add", "--", *names],
        ["commit", "--quiet", *options, "--only", "--", *names],
    ):
        code, out, err, said = _ran([*git, *command], environ)
        if code:
            ignored = _ignored(directory, names, environ)
            code, out_status, _ = _run([*git, "status", "--porcelain", "--", *names], environ)
            if code == 0 and not out_status and not ignored:
                return None
            return (
                ignored
                or _refusal(said)
                or err
                or out.decode("utf-8", "replace").strip().partition("\n")[0]
                or "git failed"
            )
    return None


def _ignored(directory: str, names: Sequence[str], environ: Mapping[str, str]) -> str:
    """Say that git ignores one of the files, and which line makes it so; "" where it does not."""
    for name in names:
        asked = ["git", "-C", directory, "check-ignore", "--verbose", "--", name]
        code, out, _ = _run(asked, environ)
        if code == 0:
            rule, _, _ = out.decode("utf-8", "replace").partition("\t")
            where, _, pattern = rule.rpartition(":")
            return f"git ignores {name}, by the line {pattern} ({where})"
    return ""


def _refusal(said: Sequence[str]) -> str:
    """Return what a gate in the way has found, rule and record included; "" where it was none."""
    found = [line.strip() for line in said if ": error: " in line]
    more = [f"and {len(found) - _TOLD} more"] if len(found) > _TOLD else []
    return "; ".join(found[:_TOLD] + more)


def _run(command: Sequence[str], environ: Mapping[str, str]) -> tuple[int, bytes, str]:
    """Run git; return its exit code, its output, and the line it complained with."""
    return _ran(command, environ)[:3]


def _ran(
    command: Sequence[str], environ: Mapping[str, str], given: bytes = b""
) -> tuple[int, bytes, str, Sequence[str]]:
    """Run git; return what ``_run`` returns, and every line it complained with."""
    import subprocess

    try:
        done = subprocess.run(
            command, env=dict(environ), input=given, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise EnvironmentFault("git is not installed, or not on PATH") from None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    fatal = [line for line in said if line.startswith(("fatal:", "error:"))]
    return done.returncode, done.stdout, (fatal or said or [""])[0], said


def output(directory: str, command: Sequence[str], environ: Mapping[str, str]) -> bytes:
    """Return what ``git COMMAND`` prints in ``directory``. Raises EnvironmentFault."""
    code, out, err = _run(["git", "-C", directory, *command], environ)
    if code:
        raise EnvironmentFault(f"git {command[0]}: {err or f'exit {code}'}")
    return out


def fed(directory: str, command: Sequence[str], given: bytes, environ: Mapping[str, str]) -> bytes:
    """Return what ``git COMMAND`` makes of ``given`` on its standard input."""
    code, out, err, _ = _ran(["git", "-C", directory, *command], environ, given)
    if code:
        raise EnvironmentFault(f"git {command[0]}: {err or f'exit {code}'}")
    return out


def blob(directory: str, name: str, environ: Mapping[str, str]) -> bytes | None:
    """Return the content of ``COMMIT:PATH``, None where there is none."""
    if not succeeds(directory, ["cat-file", "-e", name], environ):
        return None
    return output(directory, ["cat-file", "blob", name], environ)


def succeeds(directory: str, command: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Tell whether ``git COMMAND`` exits 0 in ``directory``."""
    return _run(["git", "-C", directory, *command], environ)[0] == 0
