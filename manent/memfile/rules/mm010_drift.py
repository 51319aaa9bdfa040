"""A compiled file changed since it was compiled.

**Why**: the routing list, its trigger words and its token counts describe the files
as they were. An edit is not lost, but the list no longer tells what it routes to.

**Flagged**: a file of `.memory/`, or the stub, whose content is not what the manifest
says: edited, missing, or added beside the others.

**Accepted**: a workspace as `manent memory compile --write` or `--update` left it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from manent.errors import ManentError
from manent.memfile.audited import Survey
from manent.memfile.flaw import Flaw, Level
from manent.memfile.manifest import ALWAYS, WORKSPACE, digest
from manent.memfile.workspace import Workspace, read_file

ID = "MM010"
SEVERITY = Level.MED
SINCE = "0.1"


def check(survey: Survey) -> Iterator[Flaw]:
    """Yield one finding a file that differs from the manifest."""
    if survey.damaged:
        hint = "compile again with --force, or bring the file back from history"
        name = f"{WORKSPACE}/manifest.json"
        yield Flaw(ID, Level.HIGH, name, 0, 0, f"cannot be read: {survey.damaged}", hint)
    if survey.workspace is None:
        return
    for name, what in drift(survey.workspace):
        yield Flaw(
            ID,
            SEVERITY,
            (survey.workspace.root / name).relative_to(survey.root).as_posix(),
            1 if what != "is missing" else 0,
            1 if what != "is missing" else 0,
            f"{what} since the compile",
            mends(survey.workspace),
        )


def mends(workspace: Workspace) -> str:
    """Return the command that brings list and manifest up to date."""
    return f"manent memory compile {shlex.quote(str(workspace.source))} --update --write"


def drift(workspace: Workspace) -> list[tuple[str, str]]:
    """Return (name, what happened) of every file that is not as it was compiled."""
    manifest = workspace.manifest
    wanted = {f"{WORKSPACE}/{ALWAYS}": manifest.always.sha256}
    wanted |= {f"{WORKSPACE}/{entry.path}": entry.sha256 for entry in manifest.files}
    found = []
    source = manifest.source.name
    for name, sha256 in {source: manifest.stub_sha256, **wanted}.items():
        try:
            data = (
                read_file(workspace.source)
                if name == source
                else workspace.read(name.removeprefix(f"{WORKSPACE}/"))
            )
        except ManentError:
            found.append((name, "is missing"))
            continue
        if digest(data) != sha256:
            found.append((name, "changed"))
    known = {entry.path for entry in manifest.files}
    found += [(f"{WORKSPACE}/{p}", "was added") for p in workspace.on_demand() if p not in known]
    return found
