"""Who gets a git transport, and which brain a request of one means.

A transport gives the whole repository (decision 12), so it is for owners and for
agents marked ``"git": true``. Web server and forced command ask here before git is
started; git is then given the path that was judged, in the form it was judged in.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from manent.access import Identity
from manent.errors import NotAVault, Refused
from manent.gate.identity import NAMED_BY, filled, who
from manent.gate.policy import read_policy
from manent.repo.command import clean
from manent.repo.open import Environment, Repository

SERVICES = ("upload-pack", "receive-pack", "upload-archive")
"""What git serves to others; nothing else is ever started."""


class Asked(NamedTuple):
    """A request: the service, the brain's folder below the root, and what follows it."""

    service: str
    folder: str
    rest: str = ""


def asked_by_command(command: str) -> Asked:
    """Return what an ssh client asks for: ``git-upload-pack 'team.git'`` and the like.

    Raises Refused for any other command, and for none.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if words[:1] == ["git"]:
        words = [f"git-{words[1]}", *words[2:]] if len(words) > 1 else []
    service = words[0].removeprefix("git-") if words and words[0].startswith("git-") else ""
    if len(words) != 2 or service not in SERVICES:
        raise Refused("this key serves git and no shell", "git clone, fetch and push work")
    return Asked(service, words[1])


def asked_by_request(path: str, query: str) -> Asked:
    """Return what a smart-HTTP client asks for, by the path and query of its request.

    Raises Refused for what is none: files of a repository are not served one by one.
    """
    for service in SERVICES:
        rest = f"/git-{service}"
        if path.endswith(rest):
            return Asked(service, path.removesuffix(rest), rest)
        if path.endswith("/info/refs") and query == f"service=git-{service}":
            return Asked(service, path.removesuffix("/info/refs"), "/info/refs")
    raise Refused("only git's smart protocol is served here", "use git 1.6.6 or newer")


def brain_at(root: Path, folder: str, environment: Environment) -> Repository:
    """Return the brain ``folder`` names: below ``root``, or by its full path there.

    Raises NotAVault for whatever is none, or lies elsewhere, symlinks followed.
    """
    base = root.resolve()
    named = folder.removeprefix(f"{root}/").removeprefix(f"{base}/").lstrip("/")
    for tried in (named, f"{named}.git"):
        place = _resolved(base / tried)
        if place is not None and place.is_relative_to(base) and _is_brain(place):
            return Repository(place, None, environment, light=True)
    raise NotAVault("no brain of that name is served here", "ask the operator for its address")


def _resolved(place: Path) -> Path | None:
    try:
        return place.resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL, a name too long, links in a circle
        return None


def _is_brain(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir()


def admitted(repository: Repository, environment: Environment, service: str) -> Identity:
    """Return who asks, if they may have the transport. Raises Refused.

    A transport stands between, whatever the environment says of one: an owner who is
    not named is an owner only where the brain has no agents file.
    """
    policy = read_policy(repository.section())
    identity = who(environment, policy.agents, False, filled(repository, policy))
    if not (identity.is_owner or identity.git):
        raise Refused(
            f"{identity.name} gets no {service}: a git transport gives the whole repository",
            'an operator can mark it "git": true, or serve it a View',
        )
    return identity


_VERSIONS = ("version=1", "version=2")
_READERS_ONLY = ("GIT_OPTIONAL_LOCKS", "GIT_LITERAL_PATHSPECS", "GIT_TERMINAL_PROMPT")
"""What ``clean`` sets for whoever reads; git that serves has none of it."""


def surroundings(environment: Environment, **given: str) -> dict[str, str]:
    """Return the environment git serves in: nothing of ``GIT_*`` but the protocol's version.

    given: what is set on purpose.
    """
    version = environment.get("GIT_PROTOCOL") or environment.get("HTTP_GIT_PROTOCOL", "")
    kept = {"GIT_PROTOCOL": version} if version in _VERSIONS else {}
    made = clean(environment, **kept, **given)
    return {key: value for key, value in made.items() if key not in _READERS_ONLY}


def named(environment: Environment, name: str) -> dict[str, str]:
    """Return ``environment`` with ``name`` as the one identity it gives ("" for none)."""
    kept = {k: v for k, v in environment.items() if k not in NAMED_BY}
    return kept | ({NAMED_BY[0]: name} if name else {})
