"""A compiled file, put together again from its stretches.

On-demand files are stretches as they are, so whoever edits one edits the text.
Stretches of the always-loaded body stand one after the other in ``always.md``;
their sizes cut them apart while it is unedited, and afterwards the digests of its
lines say where each began.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from manent.errors import EnvironmentFault
from manent.memfile.document import decoded, split_lines
from manent.memfile.entries import from_json, is_json
from manent.memfile.manifest import (
    ALWAYS,
    ON_DEMAND,
    PROTOCOL,
    Manifest,
    digest,
    line_digests,
)
from manent.memfile.stub import newline_of, stripped, unlisted
from manent.memfile.workspace import Workspace, read_inside

_ALIGNED_LINES = 4000
"""Lines that are compared one with another at most; past it, seams follow the nearest whole."""


def rebuilt(workspace: Workspace) -> str:
    """Return the compiled file, or what it became by edits of its parts.

    From ``always.md``, the on-demand files and the manifest alone. Raises
    EnvironmentFault when one of them is missing.
    """
    manifest = workspace.manifest
    data = workspace.read(ALWAYS)
    taken = stripped(decoded(data), manifest.begin, manifest.end, manifest.source.newline)
    if taken is None:
        said = "has lost the markers around its list"
        raise EnvironmentFault(f"{ALWAYS} {said}", "bring it back from history or `previous/`")
    unedited = digest(data) == manifest.always.sha256
    stretches = iter(cut(taken.body, manifest, unedited))
    parts = [
        next(stretches) if piece.file == ALWAYS else text_of(workspace, piece.file)
        for piece in manifest.order
    ]
    return together((*parts, *stretches, taken.tail), manifest.source.newline)


def together(parts: Iterable[str], newline: str) -> str:
    """Return stretches as one text. One that lost its last line end to an edit gets it back."""
    whole: list[str] = []
    for part in filter(None, parts):
        if whole and whole[-1][-1] not in "\r\n":
            whole.append(newline)
        whole.append(part)
    return "".join(whole)


def text_of(workspace: Workspace, path: str) -> str:
    """Return an on-demand file as the Markdown it stands for."""
    data = workspace.read(path)
    return from_json(data, path) if is_json(path) else decoded(data)


def salvaged(stub: str, folder: Path) -> str:
    """Return what stub and on-demand files come to where no manifest says their order.

    The body first, then the files in the order of the list, those it does not name last.
    A file without its markers is no stub: it is the text.
    """
    taken = unlisted(stub)
    if taken is None:
        return stub
    body, named, tail = taken
    there = sorted(f"{ON_DEMAND}/{path.name}" for path in (folder / ON_DEMAND).glob("*.md"))
    there += sorted(f"{ON_DEMAND}/{path.name}" for path in (folder / ON_DEMAND).glob("*.json"))
    paths = [path for path in dict.fromkeys((*named, *there)) if path in there]
    texts = [_text_in(folder, path) for path in paths if path != PROTOCOL]
    return together((body, *texts, tail), newline_of(stub))


def _text_in(folder: Path, path: str) -> str:
    """Return an on-demand file as Markdown, "" for one that is none."""
    try:
        data = read_inside(folder, path)
        return from_json(data, path) if is_json(path) else decoded(data)
    except EnvironmentFault:
        return ""


def cut(body: str, manifest: Manifest, unedited: bool = False) -> list[str]:
    """Cut an always-loaded body into as many stretches as the manifest has of it.

    unedited: it is known to be the body the sizes were taken from.
    """
    sizes = [piece.size for piece in manifest.order if piece.file == ALWAYS]
    data = body.encode("utf-8", "surrogateescape")
    if unedited and sum(sizes) == len(data):
        return _sliced(data, sizes)
    counts = [
        piece.source[1] - piece.source[0] + 1 for piece in manifest.order if piece.file == ALWAYS
    ]
    lines = split_lines(body)
    seams = moved(manifest.always.lines, line_digests(lines), counts)
    return ["".join(lines[a:b]) for a, b in zip((0, *seams), (*seams, len(lines)), strict=True)][
        : max(1, len(counts))
    ]


def _sliced(data: bytes, sizes: Sequence[int]) -> list[str]:
    parts, at = [], 0
    for size in sizes:
        parts.append(decoded(data[at : at + size]))
        at += size
    return parts


def moved(before: Sequence[str], after: Sequence[str], counts: Sequence[int]) -> list[int]:
    """Return where the seams between stretches are in a body that was edited.

    before, after: its lines then and now. counts: lines of each stretch then.
    """
    seams, at = [], 0
    for count in counts[:-1]:
        at += count
        seams.append(at)
    matches = _matches(before, after)
    return [_seam(seam, matches, len(after)) for seam in seams]


def _matches(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the runs both have, as (place then, place now, lines), in order."""
    most = min(len(before), len(after))
    head = 0
    while head < most and before[head] == after[head]:
        head += 1
    foot = 0
    while foot < most - head and before[-1 - foot] == after[-1 - foot]:
        foot += 1
    old, new = before[head : len(before) - foot], after[head : len(after) - foot]
    inner: list[tuple[int, int, int]] = []
    if old and new and len(old) + len(new) <= _ALIGNED_LINES:
        blocks = SequenceMatcher(None, old, new, autojunk=len(old) > 500).get_matching_blocks()
        inner = [(head + a, head + b, n) for a, b, n in blocks if n]
    return [(0, 0, head), *inner, (len(before) - foot, len(after) - foot, foot)]


def _seam(seam: int, matches: Sequence[tuple[int, int, int]], last: int) -> int:
    """Return where a seam went: before the line that began a stretch, if it still stands."""
    for then, now, size in matches:
        if then <= seam < then + size:
            return now + seam - then
    ends = [now + seam - then for then, now, size in matches if then < seam <= then + size]
    if ends:
        return ends[-1]
    earlier = [now + size for then, now, size in matches if then + size <= seam]
    return min(last, max(earlier, default=0))
