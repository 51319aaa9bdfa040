"""``manent gate transport``: what the web server and the forced command start.

The identity is judged first; then this process becomes git's own server program.
Whatever fails on the way refuses, with one plain line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from manent.errors import ManentError, NotAVault, Refused
from manent.finding import inert


@click.group()
def transport() -> None:
    """Serve git to owners, and to agents marked "git": true; refuse all others.

    Example: manent gate transport ssh ada --root /srv/brains
    """


_ROOT = click.option("--root", required=True, type=click.Path(), help="Where the brains stand.")


@transport.command()
@click.argument("identity", default="")
@_ROOT
@click.pass_context
def ssh(ctx: click.Context, identity: str, root: str) -> None:
    """Serve what an ssh client asked for, as IDENTITY: the forced command of its key.

    Example: command="manent gate transport ssh ada --root /srv/brains" ssh-ed25519 AAAA…
    """
    status = _guarded(lambda: _over_ssh(identity, Path(root)), _say_over_ssh)
    ctx.exit(status)


@transport.command()
@_ROOT
@click.pass_context
def http(ctx: click.Context, root: str) -> None:
    """Serve one smart-HTTP request as a CGI program; REMOTE_USER says whose it is.

    A web server calls it by way of the script git-http that deploy/ installs.

    Example: REMOTE_USER=ada manent gate transport http --root /srv/brains
    """
    ctx.exit(_guarded(lambda: _over_http(Path(root)), _say_over_http))


def _over_ssh(identity: str, root: Path) -> int:
    from manent.gate import transport as asked_for

    asked = asked_for.asked_by_command(os.environ.get("SSH_ORIGINAL_COMMAND", ""))
    # The key says who it is; what the client may have set does not.
    environment = asked_for.named(os.environ, identity)
    brain = asked_for.brain_at(root, asked.folder, environment)
    asked_for.admitted(brain, environment, asked.service)
    given = asked_for.surroundings(environment)
    os.execve(brain.git.program, ["git", asked.service, os.fspath(brain.path)], given)


def _over_http(root: Path) -> int:
    from manent.gate import transport as asked_for

    environment = dict(os.environ)
    path, query = environment.get("PATH_INFO", ""), environment.get("QUERY_STRING", "")
    asked = asked_for.asked_by_request(path, query)
    brain = asked_for.brain_at(root, asked.folder, environment)
    asked_for.admitted(brain, environment, asked.service)
    base = root.resolve()
    given = asked_for.surroundings(
        {k: v for k, v in environment.items() if k != "PATH_TRANSLATED"},
        GIT_PROJECT_ROOT=os.fspath(base),
        GIT_HTTP_EXPORT_ALL="1",
    )
    given["PATH_INFO"] = f"/{brain.path.relative_to(base)}{asked.rest}"
    os.execve(brain.git.program, ["git", "http-backend"], given)


def _guarded(serving: Callable[[], int], say: Callable[[int, str], None]) -> int:
    try:
        return serving()
    except NotAVault as fault:
        say(404, str(fault))
    except Refused as fault:
        say(403, str(fault))
    except ManentError as fault:
        say(503, str(fault))
    except Exception as bug:
        # A door that cannot decide stays shut; what broke is the operator's to read.
        say(503, f"the gate failed ({type(bug).__name__})")
        sys.stderr.write(f"{inert(repr(bug))}\n")
    return 1


def _say_over_ssh(status: int, text: str) -> None:
    sys.stderr.write(f"manent: refused: {inert(text)}\n")


_REASONS = {403: "Forbidden", 404: "Not Found", 503: "Service Unavailable"}


def _say_over_http(status: int, text: str) -> None:
    # As text/plain, which git prints to whoever asked.
    body = f"manent: refused: {inert(text)}\n".encode()
    head = f"Status: {status} {_REASONS[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    sys.stdout.buffer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    sys.stdout.buffer.flush()
