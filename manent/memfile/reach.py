"""Which files a memory file leads to: the one it points to, and all it names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from manent import late
from manent.memfile.audited import MemoryFile, Survey
from manent.memfile.places import is_file
from manent.memfile.spans import codes, links, mentions, without_code

_NAMED = late.pattern(r"(?<![\w@/.-])((?:\.{1,2}/)?[\w.-]+(?:/[\w.-]+){0,8}\.mdc?)\b")


def pointed(found: Survey, file: MemoryFile) -> Path | None:
    """Return the file that a file which says nothing else points to."""
    said = [
        block
        for block in file.doc.blocks
        if block.kind not in ("heading", "rule", "frontmatter", "html")
    ]
    text = "".join(file.doc.slice(block.start, block.end) for block in said).strip()
    if not said or len(said) > 2 or len(text) > 300 or text.count("\n") > 5:
        return None
    names = [s.text for s in codes(file.doc)] + [s.text for s in links(file.doc)]
    names += _NAMED.findall(without_code(text))
    targets = {t for name in names if (t := _existing(found, file, name.split("#")[0])) is not None}
    return targets.pop() if len(targets) == 1 else None


def _existing(found: Survey, file: MemoryFile, name: str) -> Path | None:
    if not name.endswith((".md", ".mdc")) or "\0" in name or len(name) > 500:
        return None
    for folder in (file.path.parent, found.root):
        target = Path(os.path.normpath(folder / name))
        inside = target.resolve().is_relative_to(found.root)
        if inside and is_file(target) and target.resolve() != file.path:
            return target
    return None


def reachable(found: Survey, start: Iterable[MemoryFile]) -> set[Path]:
    """Return the files that start files lead to, through links, code spans and imports."""
    by_path = {file.path: file for file in found.files}
    seen = {file.path for file in start}
    stack = list(start)
    while stack:
        file = stack.pop()
        for target in targets(found, file):
            if target in by_path and target not in seen:
                seen.add(target)
                stack.append(by_path[target])
    return seen


def targets(found: Survey, file: MemoryFile) -> Iterator[Path]:
    """Yield the files that a file names, in whatever way."""
    by_stem = {f.path.stem: f.path for f in found.files}
    names = [span.text for kind in (links, codes, mentions) for span in kind(file.doc)]
    names += _NAMED.findall(file.doc.text)
    for name in names:
        bare = unquote(name.split("#")[0]).strip()
        if bare and "\0" not in bare and len(bare) < 500:
            for folder in (file.path.parent, found.root):
                yield Path(os.path.normpath(folder / bare))
    for name in _WIKI.findall(file.doc.text):
        if name.strip() in by_stem:
            yield by_stem[name.strip()]


_WIKI = late.pattern(r"\[\[([^\[\]|#\r\n]{1,200})")
