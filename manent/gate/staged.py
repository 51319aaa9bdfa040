"""Judge before anything is pushed: the index for a commit, a range for a pull request."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

from manent.errors import NotAVault
from manent.finding import Finding
from manent.gate.blobs import Blobs
from manent.gate.policy import Policy, read_policy
from manent.gate.receive import allowances_at, counted, entries
from manent.gate.structure import Structure
from manent.gate.texts import Texts
from manent.gate.verdict import Verdict
from manent.repo.incoming import Addition, additions, commit_texts, new_commits
from manent.repo.open import Environment, Repository, discover


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
    found += _structure(repository, policy, head, tree)
    return _verdict(repository, found, blobs, head, today)


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
        found = list(_messages(repository, blobs, commits))
        found += _added(repository, blobs, list(additions(repository, commits)))
        found += _structure(repository, policy, old, new)
        return _verdict(repository, found, blobs, old, today)
    finally:
        repository.close()


def judge_text(policy: Policy, text: str, path: str = "") -> list[Finding]:
    """Return what is at fault in ``text`` as if it were the note ``path``.

    Content alone, and the place where a path is given; no repository is asked.
    """
    texts = Texts(policy)
    if not path:
        return list(texts.text(text, "note.md"))
    addition = Addition("", path.encode("utf-8", "surrogateescape"), "100644", "", True)
    content = text.encode("utf-8", "surrogatepass")
    return [*entries([addition], texts), *Blobs(policy, texts).one(addition, content)]


def _messages(repository: Repository, blobs: Blobs, commits: list[str]) -> Iterator[Finding]:
    for commit in commit_texts(repository, commits):
        blobs.read.commits += 1
        yield from blobs.texts.commit(commit)


def _added(repository: Repository, blobs: Blobs, added: list[Addition]) -> Iterator[Finding]:
    yield from entries(added, blobs.texts)
    yield from blobs.judge(repository.objects, added, {})


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


def _structure(repository: Repository, policy: Policy, old: str, new: str) -> list[Finding]:
    # The derived store of a working tree follows its files, not its commits.
    return Structure(repository, policy, None).introduced(old, new)


def _verdict(
    repository: Repository, found: list[Finding], blobs: Blobs, base: str, today: datetime.date
) -> Verdict:
    accepted = allowances_at(repository, base)
    kept = counted(found, accepted, today)
    allowed = len(found) - len(kept)
    return Verdict((), kept, allowed, blobs.read, accepted.salt)
