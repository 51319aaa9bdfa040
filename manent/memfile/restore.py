"""The compiled file, put back where it stood."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from manent.memfile import workspace
from manent.memfile.document import encoded
from manent.memfile.manifest import ALWAYS, digest
from manent.memfile.pieces import rebuilt
from manent.memfile.places import is_file


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back. exact: byte for byte what was compiled.

    kept: an edited stub went to ``previous/``. aside: files in ``on-demand/`` that
    no manifest names, which therefore are in no text.
    """

    path: Path
    data: bytes
    exact: bool
    kept: bool
    aside: tuple[str, ...]


def restored(root: Path) -> Restored:
    """Rebuild the file of a workspace and put it in place of the stub, in one step.

    Raises NotFound without a workspace, EnvironmentFault when part of it is
    missing, Refused at a symlink; then nothing was written.
    """
    with workspace.writing(root):
        found = workspace.opened(root)
        workspace.refuse_symlinks(root, found.manifest.source.name)
        data = encoded(rebuilt(found))
        kept = _keep_stub(found, data)
        workspace.replace_file(found.source, data)
        known = {entry.path for entry in found.manifest.files}
        return Restored(
            path=found.source,
            data=data,
            exact=digest(data) == found.manifest.source.sha256,
            kept=kept,
            aside=tuple(path for path in found.on_demand() if path not in known),
        )


def _keep_stub(found: workspace.Workspace, data: bytes) -> bool:
    """Keep what stands in the file's place, if it is neither the stub nor what is put back."""
    if not found.source.exists():
        return False
    standing = workspace.read_file(found.source)
    if standing == data or digest(standing) == found.manifest.stub_sha256:
        return False
    workspace.keep_copy(found.folder, {found.manifest.source.name: standing})
    return True


def drift(found: workspace.Workspace) -> list[tuple[str, str]]:
    """Return what changed since the workspace was written: (path, ``changed``, ``missing``
    or ``new``), paths relative to the workspace, the stub by its name."""
    manifest = found.manifest
    expected = {ALWAYS: manifest.always.sha256} | {f.path: f.sha256 for f in manifest.files}
    changes = []
    for path, wanted in expected.items():
        if not is_file(found.folder / path):
            changes.append((path, "missing"))
        elif digest(found.read(path)) != wanted:
            changes.append((path, "changed"))
    changes.extend((path, "new") for path in found.on_demand() if path not in expected)
    name = manifest.source.name
    if not found.source.is_file():
        changes.append((name, "missing"))
    elif digest(workspace.read_file(found.source)) != manifest.stub_sha256:
        changes.append((name, "changed"))
    return changes
