"""Tree objects that git's own check would refuse, for a brain where it is off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from manent.finding import Finding, Severity
from manent.repo.git_tree import rows
from manent.repo.objects import Objects


def malformed(objects: Objects, trees: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each tree that different readers would read differently."""
    asked = list(trees)
    for oid, raw in zip(asked, objects.contents(asked), strict=True):
        complaint = _complaint(raw)
        if complaint:
            yield Finding(
                "tree-malformed", Severity.ERROR, f"(tree {oid})", 0, 0, complaint,
                "make the commit with git itself; see git fsck",
            )  # fmt: skip


def _complaint(raw: bytes) -> str:
    entries = rows(raw)
    if sum(len(mode) + len(name) + 22 for mode, name, _ in entries) != len(raw):
        return "bytes that are no entry"
    names = [name for _, name, _ in entries]
    if any(b"/" in name for name in names):
        return "a name with a slash"
    if len(set(names)) != len(names):
        return "two entries of one name"
    keys = [name + b"/" if mode in (b"40000", b"040000") else name for mode, name, _ in entries]
    return "" if keys == sorted(keys) else "entries out of order"
