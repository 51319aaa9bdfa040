"""``manent doctor-install``: what this installation stands on, and what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click

from manent import __version__

OLDEST_GIT = (2, 30)
"""Receive hooks keep incoming objects apart since 2.11; ``reference-transaction`` is of 2.28."""


class Line(NamedTuple):
    """One thing looked at. hint: how to get what is missing, "" where nothing is."""

    what: str
    found: str
    hint: str = ""


@click.command("doctor-install")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def doctor_install(ctx: click.Context, /, as_json: bool) -> None:
    """Print versions, git, the hooks around here, and how to get what is missing.

    Exits 1 when something that manent needs is missing.

    Example: manent doctor-install
    """
    lines = [*_basics(), *_packages(), *_files(), _hooks()]
    if as_json:
        from manent.cli.asking import print_json

        print_json({"checks": [line._asdict() for line in lines]})
    else:
        for line in lines:
            text, colour = ("missing", "red") if line.hint else ("ok", "green")
            mark = click.style(f"{text:8}", fg=colour)
            click.echo(f"{mark} {line.what}: {line.found}")
            if line.hint:
                click.echo(f"         {line.hint}")
    ctx.exit(int(any(line.hint for line in lines)))


def _basics() -> list[Line]:
    python = f"{platform.python_version()} at {sys.executable}"
    return [
        Line("manent", f"{__version__} at {Path(__file__).parent.parent}"),
        Line("python", python),
        _git(),
    ]


def _git() -> Line:
    path = shutil.which("git")
    if path is None:
        return Line("git", "not found", "install git, and have it on PATH")
    said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        return Line("git", f"{said} at {path}", f"update it: {oldest} is the oldest that serves")
    return Line("git", f"{said} at {path}")


def _packages() -> list[Line]:
    """Ask the installation itself what it needs, so that this list cannot fall behind."""
    lines = []
    for requirement in importlib.metadata.requires("manent") or []:
        if ";" in requirement:
            continue
        name = re.split(r"[<>=!~ ]", requirement)[0]
        try:
            lines.append(Line(name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            lines.append(Line(name, "not installed", f'pip install "{requirement}"'))
    return lines


def _files() -> list[Line]:
    from manent import data

    lines = []
    for name in ("hooks", "spec", "fixture-vault"):
        try:
            lines.append(Line(name, str(data.path(name))))
        except FileNotFoundError as error:
            lines.append(Line(name, str(error), "install manent again"))
    return lines


def _hooks() -> Line:
    from manent.repo.open import discover

    repository = discover(Path.cwd(), os.environ)
    if repository is None:
        return Line("hooks", "this folder is in no git repository")
    from manent.gate import install

    states = install.states(repository, install.SERVER if repository.is_bare else install.LOCAL)
    found = ", ".join(f"{state.name} {state.state}" for state in states)
    return Line("hooks", f"{found} in {repository.path}; `manent hooks status` proves them")
