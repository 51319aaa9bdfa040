"""What commits do to journals: judged by the laws of ``manent.record``, commit by commit.

A log only grows, so what it held before was judged when it came: of each commit
the new records alone are read by the content scanners, and a log of any age
costs a push what the push adds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from manent import record
from manent.finding import Finding, Severity
from manent.gate import beside
from manent.gate.blobs import Read
from manent.gate.moved import Moved
from manent.gate.texts import Texts
from manent.repo.command import joined
from manent.repo.git_tree import GitTree, rows
from manent.repo.incoming import Addition, commit_texts
from manent.repo.open import Repository
from manent.tree import Kind, Tree
from manent.values import replace

ROOT = "journal"
"""The folder of all journals: an agent's is ``journal/NAME``, see ``manent.access``."""

FEW = 8
"""Commits up to which it is cheaper to look at each root folder than to start git."""

RUN_BYTES = 64 << 10
"""Text scanned at once: a call costs 0.3 ms, and a record in a run of them 0.02."""

_LEVELS = tuple(2 << i for i in range(59))
_HINTS = {
    "journal-log": "a log only grows: take the edit back, and correct by a new note; to bring "
    "clones together, git pull after manent hooks install",
    "journal-tree": "manent journal sleep adds summaries, manent journal forget cuts them back; "
    "after a merge: manent journal merge --settle",
    "journal-lock": "undo the commit that brings it (in the index alone: git rm --cached), and "
    "write /.lock* into the journal's .gitignore",
    "journal-config": "manent journal config NAME=VALUE sets a size",
}
_FENCES = ("```", "~~~")

Step = tuple[str, str, int]
"""path, folder of the journal, size of the level (0: the log)"""


def of_a_journal(path: str) -> bool:
    """Tell whether the file at ``path`` is judged here, and by nobody else."""
    return record.journal_file(path, (ROOT,)) is not None


def others(added: Iterable[Addition]) -> list[Addition]:
    """Return the additions whose content is for the rest of the gate to judge."""
    return [a for a in added if not of_a_journal(a.path.decode("utf-8", "surrogateescape"))]


class Journals:
    """Judges the journals of one repository. read: counts what is read."""

    def __init__(self, repository: Repository, texts: Texts, read: Read) -> None:
        self._repository = repository
        self._texts = texts
        self._read = read
        self._blobs: dict[str, bytes] = {}
        self._trees: dict[str, GitTree] = {}

    def commits(self, commits: Sequence[str]) -> Iterator[Finding]:
        """Yield what each of ``commits`` is at fault for, against its own parents."""
        touched = _touched(self._repository, commits)
        asked = [oid for oid in commits if oid in touched]
        # All first: the reader answers in order, and what follows asks for more.
        moved = Moved()
        for commit in list(commit_texts(self._repository, asked)):
            if len(commit.parents) < 2:
                moved.heard(commit, touched[commit.oid], self._at(commit.oid))
            parents = [self._tree(oid) for oid in commit.parents]
            bases = self._bases(commit.parents) if len(parents) > 1 else []
            tree = self._tree(commit.oid)
            yield from self.tree(tree, parents, bases, touched[commit.oid], commit.oid)
        for path, k, size, tip in moved.standing(lambda: self._tips(commits), self._at):
            fault = k, moved.said(path, k, size)
            yield from _faults(path, size, fault, self._at(tip)(path), tip)

    def _at(self, commit: str) -> Callable[[str], bytes]:
        return lambda path: self._content(self._tree(commit), path)

    def _tips(self, commits: Sequence[str]) -> list[str]:
        """Return those of ``commits`` that no other of them comes after."""
        after = {p for one in commit_texts(self._repository, commits) for p in one.parents}
        return [oid for oid in commits if oid not in after]

    def tree(
        self,
        tree: Tree,
        parents: Sequence[Tree],
        bases: Sequence[Tree],
        paths: Iterable[str],
        commit: str = "",
    ) -> Iterator[Finding]:
        """Yield what a commit of ``tree`` would be at fault for.

        bases: the merge bases, where there are several parents. paths: those that
        differ from any parent.
        """
        paths = sorted(paths)
        for fault in beside.faults(tree, parents, paths, self._content, ROOT):
            rule, number, said, path = fault
            yield _finding(rule, number, said, path, self._content(tree, path), commit)
        found = ((path, record.journal_file(path, (ROOT,))) for path in paths)
        steps: list[Step] = [(path, *where) for path, where in found if where]
        if len(parents) > 1:
            for folder in dict.fromkeys(folder for _, folder, _ in steps):
                yield from self._merged(tree, parents, bases, folder, commit)
            return
        for step in steps:
            yield from self._grown(tree, parents[0] if parents else None, step, commit)

    def staged(self, tree: str, parents: Sequence[str]) -> Iterator[Finding]:
        """Yield what the next commit would be at fault for: the tree, and its parents."""
        new, old = self._tree(tree), [self._tree(oid) for oid in parents]
        paths: set[str] = set()
        for before in [one.id for one in old] or [self._empty()]:
            out = self._repository.git.run("diff-tree", *_NAMES, before, new.id, "--", ROOT)
            paths |= _paths(out.split(b"\0"))
        bases = self._bases(parents) if len(parents) > 1 else []
        yield from self.tree(new, old, bases, paths)

    # ------------------------------------------------------------ one parent

    def _grown(self, tree: Tree, parent: Tree | None, step: Step, commit: str) -> Iterator[Finding]:
        path, folder, size = step
        over = list(self._over([tree, parent], path, commit))
        if over:
            yield from over
            return
        old, new = self._content(parent, path), self._content(tree, path)
        if size:
            held = self._size(tree, f"{folder}/LOG.txt") // record.LOG_BYTES
            fault = record.tree_fault(old, new, size, held)
        else:
            fault = record.log_fault(old, new)
        yield from _faults(path, size, fault, new, commit)
        width = record.TREE_BYTES if size else record.LOG_BYTES
        kept = record.common_records(old, new, width)
        # All the rest of an unlawful file too: an owner may allow the fault itself.
        yield from self._scanned(path, size, _cut(new, width, kept), commit)

    # ------------------------------------------------------------ several parents

    def _merged(
        self,
        tree: Tree,
        parents: Sequence[Tree],
        bases: Sequence[Tree],
        folder: str,
        commit: str,
    ) -> Iterator[Finding]:
        path = f"{folder}/LOG.txt"
        over = list(self._over([tree, *parents, *bases], path, commit))
        if over:
            yield from over
            return
        log, logs = self._content(tree, path), [self._content(p, path) for p in parents]
        fault = record.merge_fault([self._content(b, path) for b in bases], logs, log)
        yield from _faults(path, 0, fault, log, commit)
        # A lawful merge says nothing that its parents did not say.
        if fault:
            yield from self._scanned(path, 0, _unheard(log, logs, record.LOG_BYTES), commit)
        for size in _LEVELS:
            yield from self._merged_level(tree, parents, folder, size, (log, logs), commit)

    def _merged_level(
        self,
        tree: Tree,
        parents: Sequence[Tree],
        folder: str,
        size: int,
        held: tuple[bytes, list[bytes]],
        commit: str,
    ) -> Iterator[Finding]:
        path = f"{folder}/TREE/{size}"
        over = list(self._over([tree, *parents], path, commit))
        if over or self._size(tree, path) == 0:
            yield from over
            return
        new, levels = self._content(tree, path), [self._content(p, path) for p in parents]
        log, logs = held
        fault = record.tree_merge_fault(size, log, list(zip(logs, levels, strict=True)), new)
        yield from _faults(path, size, fault, new, commit)
        if fault:
            yield from self._scanned(path, size, _unheard(new, levels, record.TREE_BYTES), commit)

    def _bases(self, parents: Sequence[str]) -> list[Tree]:
        how = ["--octopus"] if len(parents) > 2 else []
        _, out, _ = self._repository.git.attempt("merge-base", "--all", *how, *parents)
        return [self._tree(oid) for oid in out.decode().split()]

    # ------------------------------------------------------------ content

    def _scanned(
        self, path: str, size: int, records: Iterable[tuple[int, bytes]], commit: str
    ) -> Iterator[Finding]:
        self._read.blobs += 1
        context = self._texts.context(path)
        for run in _runs(self._counted(records), size):
            text = "\n\n".join(line for _, _, line in run)
            for mark in self._texts.marks(text, context):
                number, before, _ = run[(mark.line - 1) // 2]
                placed = mark._replace(line=number + 1, column=mark.column + before)
                for finding in self._texts.findings([placed], path, commit):
                    yield replace(finding, message=f"in {_named(number, size)}: {finding.message}")

    def _counted(self, records: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        for number, raw in records:
            self._read.bytes += len(raw)
            yield number, raw

    def _over(self, trees: Sequence[Tree | None], path: str, commit: str) -> Iterator[Finding]:
        """Yield a refusal where a file is too large to be read at all."""
        limit = self._texts.policy.max_journal_bytes
        size = max(self._size(tree, path) for tree in trees)
        if size > limit:
            yield Finding(
                "file-size", Severity.ERROR, path, 0, 0,
                f"{size} bytes are over the limit of {limit} (manent.maxJournalBytes)",
                "begin another journal, or ask the operator for a higher limit", commit=commit,
            )  # fmt: skip

    def _size(self, tree: Tree | None, path: str) -> int:
        oid = _oid(tree, path)
        if oid:
            return self._repository.objects.header(oid).size
        return 0 if oid is None or tree is None else len(tree.read(path))

    def _content(self, tree: Tree | None, path: str) -> bytes:
        """Return the file's content, nothing where there is no file; the latest are kept."""
        oid = _oid(tree, path)
        if not oid:
            return b"" if oid is None or tree is None else tree.read(path)
        content = self._blobs.pop(oid, None)
        if content is None:
            content = self._repository.objects.read(oid)[1]
        self._blobs[oid] = content
        while len(self._blobs) > 2:
            del self._blobs[next(iter(self._blobs))]
        return content

    def _tree(self, oid: str) -> GitTree:
        tree = self._trees.pop(oid, None) or GitTree(self._repository, oid)
        self._trees[oid] = tree
        while len(self._trees) > 4:
            del self._trees[next(iter(self._trees))]
        return tree

    def _empty(self) -> str:
        return self._repository.git.run("mktree").decode().strip()


def _oid(tree: Tree | None, path: str) -> str | None:
    """Return the id of a file's blob, None for no file, "" where it is not in git yet."""
    entry = tree.get(path) if tree else None
    if entry is None or entry.kind is not Kind.FILE:
        return None
    return entry.oid if isinstance(tree, GitTree) else ""


# ---------------------------------------------------------------- which commits

_NAMES = ("-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none")


def _touched(repository: Repository, commits: Sequence[str]) -> dict[str, set[str]]:
    """Return, of each commit that may do something to a journal, the paths it changes.

    A merge is compared with each of its parents: one that takes one side whole
    drops what the other side noted.
    """
    if not commits or (len(commits) <= FEW and not _any_differs(repository, commits)):
        return {}
    asked = ("diff-tree", "--stdin", "-m", "--root", *_NAMES, "--", ROOT)
    found: dict[str, set[str]] = {}
    known, commit = set(commits), ""
    for field in repository.git.run(*asked, given=joined(commits)).split(b"\0"):
        text = field.decode("utf-8", "surrogateescape")
        if text.partition(" ")[0] in known:
            commit = text.partition(" ")[0]
        elif text:
            found.setdefault(commit, set()).add(text)
    return found


def _paths(fields: Iterable[bytes]) -> set[str]:
    return {field.decode("utf-8", "surrogateescape") for field in fields if field}


def _any_differs(repository: Repository, commits: Sequence[str]) -> bool:
    roots: dict[str, object] = {}

    def journals(oid: str) -> object:
        if oid not in roots:
            raw = repository.objects.read(repository.peel(oid)[1])[1]
            roots[oid] = next((row for row in rows(raw) if row[1] == ROOT.encode()), None)
        return roots[oid]

    for commit in list(commit_texts(repository, commits)):
        mine = journals(commit.oid)
        if any(journals(parent) != mine for parent in commit.parents):
            return True
        if not commit.parents and mine is not None:
            return True
    return False


# ---------------------------------------------------------------- records


def _cut(content: bytes, width: int, first: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each record from ``first`` on, a torn one last."""
    for number in range(first, -(-len(content) // width)):
        yield number, content[number * width : (number + 1) * width]


def _unheard(content: bytes, before: Sequence[bytes], width: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records that none of ``before`` has in any place."""
    known = {raw for one in before for _, raw in _cut(one, width)}
    return ((number, raw) for number, raw in _cut(content, width) if raw not in known)


def _runs(records: Iterable[tuple[int, bytes]], size: int) -> Iterator[list[tuple[int, int, str]]]:
    """Yield records as (number, characters left out before, line), a run of them at a time.

    One with a code fence stands alone: within a run it would quote what follows.
    """
    run: list[tuple[int, int, str]] = []
    length = 0
    for number, raw in records:
        before, line = _line(raw, number, size)
        if any(fence in line for fence in _FENCES):
            yield [(number, before, line)]
            continue
        run.append((number, before, line))
        length += len(line)
        if length > RUN_BYTES:
            yield run
            run, length = [], 0
    if run:
        yield run


def _line(raw: bytes, number: int, size: int) -> tuple[int, str]:
    """Return what a record says, on one line, and how many characters stand before it.

    Number and date are left out: beside them any number would look like a longer one.
    """
    head = b"#%d " % number
    skip = 0
    if not size and raw.startswith(head) and record.real_date(raw[len(head) : len(head) + 10]):
        skip = len(head) + 11
    return skip, raw[skip:].decode("utf-8", "replace").rstrip().replace("\n", " ")


def _named(number: int, size: int) -> str:
    if size:
        return f"the summary of #{number * size}-{(number + 1) * size - 1}"
    return f"record #{number}"


def _faults(
    path: str, size: int, fault: tuple[int, str] | None, content: bytes, commit: str
) -> Iterator[Finding]:
    if fault:
        rule = "journal-tree" if size else "journal-log"
        yield _finding(rule, *fault, path, content, commit)


def _finding(
    rule: str, number: int, message: str, path: str, content: bytes, commit: str
) -> Finding:
    # An allowance is for this very content, not for every fault of the record.
    digest = hashlib.sha256(content).hexdigest()[:32]
    return Finding(
        rule, Severity.ERROR, path, number + 1, 1, message, _HINTS[rule],
        digest=digest, commit=commit,
    )  # fmt: skip
