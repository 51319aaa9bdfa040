"""Who pushes, and what an agent may touch."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from manent.access import OWNER, Identity, load_agents
from manent.errors import EnvironmentFault, Refused
from manent.facts.facts import parse
from manent.finding import Finding, Severity
from manent.gate.policy import Policy
from manent.note import labels
from manent.record import journal_file
from manent.repo.incoming import Addition, RefUpdate
from manent.repo.open import Repository, common_folder

NAMED_BY = ("MANENT_IDENTITY", "REMOTE_USER", "GL_USERNAME")
"""Variables that name who is there, the first that is set counts."""

_TRANSPORT = ("GATEWAY_INTERFACE", "SSH_CONNECTION", "REMOTE_ADDR", "GL_ID")
_NAME_IT = "set MANENT_IDENTITY for this key or user in the transport's configuration"


def who(
    environment: Mapping[str, str],
    agents_file: str,
    owns_repository: bool,
    filled: Iterable[Path] = (),
) -> Identity:
    """Return the identity behind a push. Raises Refused, EnvironmentFault.

    owns_repository: the process runs as the user the repository belongs to. filled:
    folders that a push, or what follows it, writes into.
    """
    name = next((environment[key] for key in NAMED_BY if environment.get(key)), "")
    if not agents_file:
        if name:
            raise Refused(
                f"{name} is named by the transport, but this brain has no agents file",
                "an operator must set git config manent.agents",
            )
        return OWNER
    _outside_of(filled, agents_file)
    agents = load_agents(_read(agents_file), agents_file)
    if name:
        if name not in agents:
            raise Refused(f"the agents file does not know {name}", "an operator must add it")
        return agents[name]
    if owns_repository and not any(environment.get(key) for key in _TRANSPORT):
        return OWNER
    raise Refused("nothing says who pushes", _NAME_IT)


def filled(repository: Repository, policy: Policy) -> list[Path]:
    """Return the folders that a push, or what follows it, writes into."""
    found = [common_folder(repository.path)]
    found += [repository.workdir] if repository.workdir else []
    return found + ([Path(policy.checkout)] if policy.checkout else [])


def _outside_of(filled: Iterable[Path], agents_file: str) -> None:
    """Raise EnvironmentFault when whoever pushes could say who may push."""
    place = Path(agents_file).resolve()
    for folder in filled:
        if place.is_relative_to(folder.resolve()):
            raise EnvironmentFault(
                f"the agents file {agents_file} lies in {folder}, where pushes lead",
                "move it out of there, and set git config manent.agents anew",
            )


def _read(agents_file: str) -> str:
    try:
        return Path(agents_file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFault(f"the agents file {agents_file} is unreadable", "mend it") from error


def agent_ref_fault(identity: Identity, update: RefUpdate, protected: str) -> Finding | None:
    """Return what keeps an agent from this ref update; None when nothing does."""
    if not identity.write and not identity.journal:
        return _finding("(push)", f"{identity.name} may not write here", "ask an owner")
    if update.ref != f"refs/heads/{protected}":
        return _finding("(push)", f"an agent pushes to {protected} only", f"push HEAD:{protected}")
    if update.deletes or update.creates:
        return _finding("(push)", "an agent neither makes nor deletes a branch", "ask an owner")
    return None


def agent_faults(
    identity: Identity,
    added: Iterable[Addition],
    removed: Iterable[str],
    differing: Iterable[str] = (),
    lost: Iterable[tuple[str, str]] = (),
) -> Iterator[Finding]:
    """Yield each path an agent's push touches that is not its own to touch.

    removed: paths that stood at the old tip and do not at the new one. differing:
    those that are another there; a merge may take an old version back and add nothing.
    lost: commit and path of what a commit drops, or a merge takes an old version of,
    though a later one has it again.
    """
    for addition in added:
        path = addition.path.decode("utf-8", "surrogateescape")
        if not _own(identity, path):
            hint = _moved(identity, path) if addition.new else _back(path)
            yield _finding(path, _outside(identity), hint, addition.commit)
    for path in differing:
        if not _own(identity, path):
            yield _finding(path, _outside(identity), _back(path))
    gone = set(removed)
    for path in sorted(gone):
        yield _finding(path, _KEEPS, _back(path))
    for commit, path in lost:
        # Its own draft may have come and gone within the push.
        if path not in gone and not _own(identity, path):
            yield _finding(path, _KEEPS, "leave that commit out of the push", commit)


_KEEPS = "an agent deletes and renames nothing"


def stamp_faults(
    identity: Identity, path: str, content: bytes, commit: str = ""
) -> Iterator[Finding]:
    """Yield what a note lacks of an agent's stamp: quarantine, author, private.

    A note in its journal needs it too: it would be shown like any other.
    """
    if not _own(identity, path) or journal_file(path):
        return
    is_note = path[-3:].lower() == ".md"
    if identity.journal and path.startswith(identity.journal + "/"):
        name = path.rpartition("/")[2]
        if not is_note and (name.startswith(".") or name[-4:].lower() != ".txt"):
            hint = _out(path, "keep what happened in LOG.txt (manent journal note)")
            yield _finding(path, "an agent's journal holds text (.txt) and notes", hint, commit)
        if not is_note:
            return
    if not is_note:
        yield _finding(path, "an agent adds notes only", f"git mv it to {path}.md", commit)
        return
    front = parse(content).frontmatter
    wanted = {"status": "quarantine", "author": identity.name}
    for key, value in wanted.items():
        if front.get(key) != value:
            yield _finding(
                path, f"the note must say `{key}: {value}`", f"add {key}: {value}", commit
            )
    if set(labels(front)) - {"private"}:
        yield _finding(path, "an agent's note is private", "remove its audience", commit)


def append_fault(identity: Identity, path: str, old: bytes, new: bytes) -> Finding | None:
    """Return what is wrong with an agent's change of its journal: it only appends.

    Its log and its summaries are judged by their own laws (``manent.gate.journals``).
    """
    if not identity.journal or not path.startswith(identity.journal + "/"):
        return None
    if journal_file(path) or new.startswith(old):
        return None
    return _finding(path, "an agent appends to its journal and changes nothing", _back(path))


def _own(identity: Identity, path: str) -> bool:
    folders = (identity.write, identity.journal)
    return any(folder and path.startswith(folder + "/") for folder in folders)


def _outside(identity: Identity) -> str:
    folders = " and ".join(f for f in (identity.write, identity.journal) if f)
    return f"{identity.name} writes under {folders} only"


def _back(path: str) -> str:
    """Return the command that puts a path back as it was; only for one that was there."""
    return f"git restore --source=@{{upstream}} -- {shlex.quote(path)}"


def _moved(identity: Identity, path: str) -> str:
    """Return the command that brings a new file to where the agent may write."""
    folder = shlex.quote(identity.write or identity.journal)
    # Git moves nothing into a folder that is not there yet.
    return f"mkdir -p {folder} && git mv {shlex.quote(path)} {folder}"


def _out(path: str, else_: str) -> str:
    return f"git rm --cached {shlex.quote(path)}, and {else_}"


def _finding(path: str, message: str, hint: str, commit: str = "") -> Finding:
    return Finding("identity", Severity.ERROR, path, 0, 0, message, hint, commit=commit)
