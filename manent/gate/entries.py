"""What may stand in a tree at all: names and modes, before anything is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from manent import late
from manent.finding import Finding, Severity
from manent.lint.rules.path_unportable import fault_of
from manent.repo.incoming import Addition
from manent.tree import is_secret

_FILE_MODES = {"100644", "100755", "100664"}
_DERIVED = ".manent"
MAX_PATH_BYTES = 4096
"""PATH_MAX of Linux: what is longer can be checked out nowhere, and is not scanned."""
_SHOWN_BYTES = 200

# Characters that HFS+ leaves out when it compares names (git's `utf8.c` lists the same).
_UNSEEN = dict.fromkeys((*range(8204, 8208), *range(8234, 8239), *range(8298, 8304), 65279))


# What a path at fault has in any form; nearly all have none of it.
_ODD = late.pattern(r"[^\x00-\x7f]|~|\.git|secrets|//|(?:\A|/)\.|\A/|/\Z|\A\Z", re.IGNORECASE)


def entry_faults(addition: Addition) -> Iterator[Finding]:
    """Yield what keeps an entry out whatever its content: its kind, or where it stands."""
    if len(addition.path) > MAX_PATH_BYTES:
        shown = addition.path[:_SHOWN_BYTES].decode("utf-8", "replace") + "…"
        message = f"the path has {len(addition.path)} bytes: no system opens it"
        yield _finding(addition, shown, "path-forbidden", message, "rename the file")
        return
    path = addition.path.decode("utf-8", "surrogateescape")
    kind = _kind_fault(addition.mode)
    if kind is not None:
        rule, message, hint = kind
        yield _finding(addition, path, rule, message, hint)
    place = place_fault(path)
    if place is not None:
        rule, message, hint = place
        yield _finding(addition, path, rule, message, hint)


def unportable(addition: Addition) -> Iterator[Finding]:
    """Yield what keeps a path from standing on every system; a structural fault."""
    path = addition.path.decode("utf-8", "surrogateescape")
    fault = fault_of(path)
    if fault is not None and fault.severity is None:
        yield _finding(addition, path, "path-unportable", fault.message, fault.hint, fault.kind)


def place_fault(path: str) -> tuple[str, str, str] | None:
    """Return (rule, message, hint) when nothing may ever stand at ``path``, else None."""
    if not _ODD.search(path):
        return None
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "path-forbidden", "the path has an empty part or dots", "rename the file"
    if any(reads_as(part, ".git") for part in parts):
        return "path-forbidden", "the path is read as git's own folder", "rename the file"
    if any(reads_as(part, ".gitmodules") for part in parts):
        return "submodule", "submodules are not part of a vault", "git rm the file"
    if is_secret(path) or any(_folded(part) == "secrets" for part in parts):
        return "path-secret", "nothing below secrets/ is ever pushed", _UNTRACK
    if _folded(parts[0]) == _DERIVED:
        return "path-derived", "derived data is not part of a vault", _UNTRACK
    return None


_UNTRACK = "git rm --cached the file, add its folder to .gitignore, and commit --amend"


def _kind_fault(mode: str) -> tuple[str, str, str] | None:
    if mode == "120000":
        return "symlink", "a symlink leads out of what can be judged", "commit the file itself"
    if mode == "160000":
        return "submodule", "a submodule's content never arrives", "git rm --cached the folder"
    if mode == "040000":
        what = "an empty folder, which git itself never makes"
        return "tree-malformed", what, "git commit --amend leaves it out of the last commit"
    if mode not in _FILE_MODES:
        return "entry-mode", f"no file has the mode {mode}", "see git fsck"
    return None


def reads_as(part: str, name: str) -> bool:
    """Tell whether some file system opens ``name`` when asked for ``part``."""
    folded = _folded(part).split(":", 1)[0].rstrip(" .")
    # NTFS short names: `GIT~1`, `GITMOD~1`, and `GI7EBA~1` for the second alike.
    short = folded.partition("~")
    stem = name[1:7]
    is_short = bool(short[1]) and short[2].isdigit() and short[0] in (stem, "gi7eba", "gi7d29")
    return folded == name or is_short


def _folded(part: str) -> str:
    return part.translate(_UNSEEN).casefold()


def _finding(
    addition: Addition, path: str, rule: str, message: str, hint: str, kind: str = ""
) -> Finding:
    severity = Severity.ERROR
    return Finding(rule, severity, path, 0, 0, message, hint, kind, commit=addition.commit)
