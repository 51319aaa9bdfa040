"""Judge before anything is pushed: the index for a commit, a range for a pull request."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from manent.errors import EnvironmentFault, NotAVault, UsageError
from manent.finding import Finding, Severity
from manent.gate import allow
from manent.gate.allow import Allowances
from manent.gate.blobs import Blobs
from manent.gate.journals import Journals, others
from manent.gate.policy import Policy, read_policy
from manent.gate.receive import (
    AS_ACCEPTED,
    allowances_at,
    counted,
    entries,
    oversize,
    passed,
)
from manent.gate.structure import Structure
from manent.gate.texts import Texts
from manent.gate.verdict import Verdict
from manent.repo.incoming import Addition, additions, commit_texts, new_commits
from manent.repo.open import Environment, Repository, discover, state_folder


def opened(folder: Path, environment: Environment) -> Repository:
    """Return the repository ``folder`` stands in. Raises NotAVault."""
    repository = discover(folder, environment, light=True)
    if repository is None:
        raise NotAVault(f"{folder} is in no git repository", "name one with --repo")
    return repository


def staged(
    folder: Path,
    environment: Environment,
    today: datetime.date,
    index_file: str = "",
) -> Verdict:
    """Judge what the next commit would add: the index against HEAD.

    index_file: the index git is about to commit from (``GIT_INDEX_FILE``), when
    it is another than the repository's.
    """
    repository = opened(folder, environment)
    try:
        return _staged(repository, today, index_file)
    finally:
        repository.close()


def _staged(repository: Repository, today: datetime.date, index_file: str) -> Verdict:
    policy = read_policy(repository.section())
    env = {"GIT_INDEX_FILE": index_file} if index_file else {}
    head = repository.ref("HEAD")
    tree = repository.git.run("write-tree", env=env).decode().strip()
    blobs = Blobs(policy, Texts(policy))
    old = head or repository.git.run("mktree", given=b"").decode().strip()
    found = list(_added(repository, blobs, list(_tree_additions(repository, old, tree))))
    journals = Journals(repository, blobs.texts, blobs.read)
    found += journals.staged(tree, [head, *merging(repository)] if head else [])
    found += _structure(repository, policy, head, tree)
    found += _allowance_file(repository, tree, head)
    return _verdict(repository, found, blobs, head, today, "commit")


def judge_range(
    folder: Path, environment: Environment, base: str, head: str, today: datetime.date
) -> Verdict:
    """Judge every commit of ``base..head`` and the tree of ``head`` against ``base``'s.

    The allowances are those of ``base``; policy is the repository's config.
    """
    repository = opened(folder, environment)
    try:
        policy = read_policy(repository.section())
        old, new = repository.resolve(base)[0], repository.resolve(head)[0]
        if not old or not new:
            raise NotAVault(f"{base}..{head} is no range of commits", "name two commits")
        blobs = Blobs(policy, Texts(policy))
        commits = new_commits(repository, [new], base=old)
        sizes = dict(zip(commits, repository.objects.headers(commits), strict=True))
        over = list(oversize(sizes, policy))
        if over:
            return _verdict(repository, over, blobs, old, today, "range")
        found = list(_messages(repository, blobs, commits))
        found += _added(repository, blobs, list(additions(repository, commits)))
        found += Journals(repository, blobs.texts, blobs.read).commits(commits)
        found += _structure(repository, policy, old, new)
        found += _allowance_file(repository, new, old)
        return _verdict(repository, found, blobs, old, today, "range")
    finally:
        repository.close()


def judge_content(policy: Policy, content: bytes, path: str) -> list[Finding]:
    """Return what is at fault in ``content`` as if it were pushed as the note ``path``.

    No repository is asked: names and links are not judged, only what it says.
    """
    return TextJudge(policy).findings(content, path)


class TextJudge:
    """Judges texts one by one, the scanners being made once."""

    def __init__(self, policy: Policy) -> None:
        self._texts = Texts(policy)
        self._blobs = Blobs(policy, self._texts)

    def findings(self, content: bytes, path: str, new: bool = True) -> list[Finding]:
        """Return what is at fault in one content at one path. new: nothing stood there yet."""
        addition = Addition("", path.encode("utf-8", "surrogateescape"), "100644", "", new)
        found = [*entries([addition], self._texts), *self._blobs.one(addition, content)]
        if path == allow.FILE:
            found += _unreadable(lambda: allow.parse(content))
        return counted(found, Allowances(), datetime.date.min)

    def answer(self, line: bytes) -> dict[str, Any]:
        """Answer one line of ``gate text --batch``.

        A line that is no request is answered too, ``error`` saying why; nothing
        of it is accepted.
        """
        try:
            asked = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            return _unanswered(None, f"no JSON: {error}")
        known = asked.get("id") if isinstance(asked, dict) else None
        try:
            return self._answer(asked)
        except UsageError as wrong:
            return _unanswered(known, str(wrong))

    def _answer(self, asked: Any) -> dict[str, Any]:
        if not isinstance(asked, dict) or not isinstance(asked.get("text"), str):
            raise UsageError("a request is an object with a text")
        path = asked.get("path") or "note.md"
        if not isinstance(path, str):
            raise UsageError("a path is text")
        content = asked["text"].encode("utf-8", "surrogatepass")
        found = self.findings(content, path)
        accepted = not any(f.severity is Severity.ERROR for f in found)
        rows = [f.as_json() for f in found]
        return {"id": asked.get("id"), "accepted": accepted, "findings": rows}


def _no_number(name: str) -> None:
    """Refuse what Python reads and writes as a number, but JSON does not know."""
    raise ValueError(f"{name} is no value")


def _unanswered(known: Any, error: str) -> dict[str, Any]:
    return {"id": known, "accepted": False, "findings": [], "error": error}


def _messages(repository: Repository, blobs: Blobs, commits: list[str]) -> Iterator[Finding]:
    for commit in commit_texts(repository, commits):
        blobs.read.commits += 1
        yield from blobs.texts.commit(commit)


def _added(repository: Repository, blobs: Blobs, added: list[Addition]) -> Iterator[Finding]:
    yield from entries(added, blobs.texts)
    yield from blobs.judge(repository.objects, others(added), {})


def _allowance_file(repository: Repository, treeish: str, base: str) -> list[Finding]:
    """Return the refusal of a tree whose file of allowances nobody could read afterwards,
    or whose allowances would end for want of the salt they have at ``base``."""

    def read() -> None:
        after = allowances_at(repository, treeish)
        lost = allow.left_behind(_accepted(repository, base), after)
        if lost:
            raise EnvironmentFault(allow.unsalted(lost))

    return _unreadable(read)


def _accepted(repository: Repository, base: str) -> Allowances:
    try:
        return allowances_at(repository, base)
    except EnvironmentFault:  # it allows nothing, and what mends it is judged like any other
        return Allowances()


def _unreadable(read: Callable[[], object]) -> list[Finding]:
    try:
        read()
    except EnvironmentFault as fault:
        severity = Severity.ERROR
        return [Finding("allow-malformed", severity, allow.FILE, 0, 0, fault.message, AS_ACCEPTED)]
    return []


def _tree_additions(repository: Repository, old: str, new: str) -> Iterator[Addition]:
    out = repository.git.run(
        "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
        "--ignore-submodules=none", old, new,
    )  # fmt: skip
    parts = iter(out.split(b"\0"))
    for row in parts:
        if row:
            _, mode, _, oid, status = row.decode().split(" ")
            path = next(parts)
            if mode != "000000":
                yield Addition("", path, mode, oid, status == "A")


def merging(repository: Repository) -> list[str]:
    """Return the commits that a merge under way brings into the next commit."""
    try:
        return (repository.path / "MERGE_HEAD").read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return []


def _structure(repository: Repository, policy: Policy, old: str, new: str) -> list[Finding]:
    # The store of a working tree follows its files; this one follows its commits.
    try:
        place = state_folder(repository) / STORE
    except EnvironmentFault:
        return Structure(repository, policy, None).introduced(old, new)
    return Structure(repository, policy, place, keep_before=True).introduced(old, new)


STORE = "commits.sqlite"


def _verdict(
    repository: Repository,
    found: list[Finding],
    blobs: Blobs,
    base: str,
    today: datetime.date,
    act: str,
) -> Verdict:
    accepted = _accepted(repository, base)
    kept = counted(found, accepted, today)
    allowed = passed(found, kept)
    quiet = blobs.texts.quiet(found, kept)
    salt, hidden = accepted.salt, blobs.texts.hidden
    return Verdict((), quiet, allowed, blobs.read, salt, hidden=hidden, act=act)
