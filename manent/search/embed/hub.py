"""``--model hub:NAME``: fetch a model's folder once, where there is a network.

The only code of search that may speak to another machine, and only when a user
names a model this way. Nothing else ever does.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from manent import late
from manent.errors import EnvironmentFault, UsageError
from manent.search.embed.folder import CONFIGURATION, GRAPHS

ENDPOINT = "https://huggingface.co"
_NAME = late.pattern(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_WAIT_SECONDS = 20
_HINT = "copy the model's folder to this machine and give --model PATH"


def fetched(name: str, cache: Path, endpoint: str = ENDPOINT) -> Path:
    """Return the folder of a model, fetching it when it is not there yet.

    Raises UsageError for a name that is none, EnvironmentFault without a network.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"hub:{name} names no model", "write hub:OWNER/NAME")
    folder = cache / "hub" / name.replace("/", "--")
    if folder.is_dir():
        return folder
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=folder.parent, suffix=".part"))
    try:
        _fetch(f"{endpoint}/{name}/resolve/main", name, part)
        part.replace(folder)
    except OSError as fault:
        if folder.is_dir():  # somebody else was quicker
            return folder
        raise EnvironmentFault(f"cannot fetch hub:{name}: {fault}", _HINT) from fault
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _fetch(address: str, name: str, part: Path) -> None:
    for wanted in CONFIGURATION:
        _one(f"{address}/{wanted}", part / wanted)
    if not any(_one(f"{address}/{graph}", part / graph) for graph in GRAPHS):
        raise EnvironmentFault(f"hub:{name} is there, but holds no ONNX model", _HINT)


def _one(address: str, path: Path) -> bool:
    """Fetch one file; False where the hub says that there is none."""
    try:
        with urllib.request.urlopen(address, timeout=_WAIT_SECONDS) as answer:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                shutil.copyfileobj(answer, file)
    except urllib.error.HTTPError as fault:
        if fault.code in (401, 403, 404):
            return False
        raise
    return True
