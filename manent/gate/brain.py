"""Make a brain: a bare repository with the gate at its door."""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from manent.change import Change
from manent.errors import EnvironmentFault, NotAVault, Refused
from manent.finding import NO_SALT, Finding, Severity
from manent.gate import allow, install
from manent.gate.allow import Allowance
from manent.gate.allowing import person
from manent.gate.index import catch_up
from manent.gate.policy import OPTIONS, read_policy
from manent.gate.push import Push
from manent.gate.receive import judge
from manent.gate.verdict import Verdict
from manent.gate.verdicts import passing
from manent.repo.command import Git, clean
from manent.repo.git_tree import GitTree
from manent.repo.incoming import LANDS_IN, ZERO, RefUpdate
from manent.repo.landing import Person, land
from manent.repo.open import Environment, Repository, discover
from manent.repo.worktree import ignored
from manent.tree import Kind, WorkTree
from manent.values import dataclass, field, replace

OLD = frozenset({
    "frontmatter-invalid", "frontmatter-missing", "schema", "duplicate-name", "path-collision",
    "path-unportable", "encoding", "name-mismatch", "link-unresolved", "edge-unresolved",
    "feedback-body", "raw-source-path", "supersedes-active", "orphan", "anchor-unresolved",
    "audience-unknown", "audience-leak", "journal-log", "journal-tree",
    "journal-config", "journal-lock",
})  # fmt: skip
"""Rules of a vault's structure: what an import brings of these counts as old and is listed.

Everything else keeps an import out, what could not be read or opened too: nobody has
judged it. A text that is not clean UTF-8 (``encoding``) was decoded and judged.
"""

KEEPER = Person("Manent", "manent@localhost.invalid")
"""Who the commits say made them that ``brain create`` makes."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What ``brain create`` was asked for. source: a vault to start from.

    policy: settings by their key in the section ``manent``; they stand before those
    that the vault's own repository has.
    """

    branch: str = "main"
    source: Path | None = None
    policy: Mapping[str, str] = field(default_factory=dict)
    baseline: bool = False


@dataclass(slots=True)
class Created:
    """What was made. old: structural faults the vault came with. allowed: how many
    allowances the baseline wrote. taken: settings of the vault's repository, by key.
    spared: how many findings the vault's own allowances let pass."""

    path: Path
    installed: list[str] = field(default_factory=list)
    verdict: Verdict | None = None
    old: list[Finding] = field(default_factory=list)
    allowed: int = 0
    taken: dict[str, list[str]] = field(default_factory=dict)
    spared: int = 0
    notes: int = 0


def create(
    path: Path,
    wanted: Wanted,
    environment: Environment,
    now: datetime.datetime,
    salt: str,
    processes: int = 1,
) -> Created:
    """Make a brain at ``path``; nothing stays there when that fails or is refused.

    salt: fresh random hex, keys the fingerprints of a baseline. Raises Refused
    when the vault to start from holds what must not enter.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise EnvironmentFault(f"{path} exists and is not empty", "name another folder")
    existed = path.exists()
    try:
        return _create(path, wanted, environment, now, salt, processes)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        if existed:
            path.mkdir()
        raise


def _create(
    path: Path,
    wanted: Wanted,
    environment: Environment,
    now: datetime.datetime,
    salt: str,
    processes: int,
) -> Created:
    path.mkdir(parents=True, exist_ok=True)
    git = Git("", path, clean(environment))
    git.run(
        "init", "-q", "--bare", "--object-format=sha1", f"--initial-branch={wanted.branch}", "."
    )
    repository = discover(path, environment, light=True)
    assert repository is not None
    origin = None if wanted.source is None else discover(wanted.source, environment, light=True)
    created = Created(repository.path)
    created.taken = {} if origin is None else _carried(origin, wanted)
    _configure(repository, wanted, created.taken)
    if wanted.source is not None:
        _import(repository, wanted, created, environment, now, salt, processes)
    created.installed = install.install(repository, install.SERVER)
    created.notes = catch_up(repository, read_policy(repository.section()), processes)
    repository.close()
    return created


def _configure(repository: Repository, wanted: Wanted, taken: Mapping[str, Sequence[str]]) -> None:
    values: dict[str, Sequence[str]] = {
        "receive.fsckObjects": ["true"],
        "core.logAllRefUpdates": ["true"],
        "manent.protectedBranch": [wanted.branch],
        "manent.frontmatter": ["required"],
    }
    values |= {f"manent.{key}": said for key, said in taken.items()}
    values |= {f"manent.{key}": [said] for key, said in wanted.policy.items()}
    for key, said in values.items():
        for how, value in zip(("--replace-all", *["--add"] * len(said)), said, strict=False):
            repository.git.run("config", how, key, value)
    # Read once before anything is judged: a wrong value is said now, not at a push.
    read_policy(Repository(repository.path, None, repository.environment).section())


_OF_THE_PLACE = frozenset({"protectedBranch", "checkout"})
"""Settings that say where one repository stands, and of which branch; no other wants them."""


def _carried(origin: Repository, wanted: Wanted) -> dict[str, list[str]]:
    """Return the policy that the vault's owner has set in its repository, by key.

    What the repository's config says is the operator's own word; nothing that is
    tracked is asked. Raises EnvironmentFault where a value cannot be understood.
    """
    section = origin.section()
    read_policy(section)
    return {
        option.key: section[option.key.lower()]
        for option in OPTIONS
        if option.key.lower() in section
        and option.key not in _OF_THE_PLACE
        and option.key not in wanted.policy
    }


# -- the vault to start from ------------------------------------------------------


def _import(
    repository: Repository,
    wanted: Wanted,
    created: Created,
    environment: Environment,
    now: datetime.datetime,
    salt: str,
    processes: int,
) -> None:
    assert wanted.source is not None
    tip = _fetched(repository, wanted.source, environment, now)
    policy = read_policy(repository.section())
    ref = f"{LANDS_IN[0]}{wanted.branch}"
    update = RefUpdate(ZERO, tip, ref)
    push = Push(repository, [update], policy, today=now.date(), processes=processes)
    push.protected = wanted.branch
    # Whoever makes a brain of a vault is its owner: what was allowed there stays allowed.
    push.allowing = tip
    verdict = judge(push)
    hard = [f for f in verdict.findings if f.severity is Severity.ERROR]
    kept_out = [f for f in hard if f.rule not in OLD]
    created.spared = verdict.allowed
    created.old = [f for f in verdict.findings if f.rule in OLD]
    if kept_out and not wanted.baseline:
        created.verdict = replace(verdict, findings=kept_out)
        raise ImportRefused(created)
    with passing(repository, update):
        repository.git.run("update-ref", ref, tip, ZERO)
    if kept_out:
        who = _who(wanted.source, environment) or _who(repository.path, environment)
        created.allowed = _baseline(repository, wanted.branch, tip, kept_out, now, salt, who)
    verdict.findings = [f for f in verdict.findings if f.severity is not Severity.ERROR]
    created.verdict = verdict


class ImportRefused(Refused):
    """The vault to start from holds what must not enter. created: what was found."""

    def __init__(self, created: Created) -> None:
        super().__init__(
            "the vault holds what must not enter a brain",
            "mend it, or write an allowance for each with --baseline",
        )
        self.created = created


def _baseline(
    repository: Repository,
    branch: str,
    tip: str,
    kept_out: Iterable[Finding],
    now: datetime.datetime,
    salt: str,
    who: str,
) -> int:
    """Allow everything the vault came with, as one commit; return how many lines."""
    content = allow.standing(GitTree(repository, tip)) or b""
    held = allow.parse(content).salt
    key = salt.encode() if held == NO_SALT else held
    first: dict[str, Finding] = {}
    for finding in kept_out:
        first.setdefault(finding.fingerprint(key), finding)
    why = "stood in the vault at its import"
    lines = [Allowance(m, f.rule, why, who, commit=f.commit) for m, f in first.items()]
    change = Change({allow.FILE: allow.with_lines(content, lines, salt)}, _BASELINE, "owner")
    seconds = int(now.timestamp())
    land(
        repository, branch, change, KEEPER, seconds, tip,
        passing=partial(passing, repository),
    )  # fmt: skip
    return len(lines)


def _who(folder: Path, environment: Environment) -> str:
    """Return who makes the brain: whom git knows there, else the folder's owner."""
    git = Git("", folder, clean(environment))
    try:
        return person(git, environment).name
    except EnvironmentFault:
        with contextlib.suppress(KeyError, OSError):
            return folder.owner()
        return ""


_BASELINE = "Allow what the vault held when it was imported"


def _fetched(
    repository: Repository, source: Path, environment: Environment, now: datetime.datetime
) -> str:
    """Bring the history of ``source`` into the brain, under no ref; return its tip."""
    found = discover(source, environment, light=True)
    if found is None or (found.workdir or found.path).resolve() != source.resolve():
        return _snapshot(repository, source, environment, now)
    commit = found.resolve("HEAD")[0]
    url = os.fspath(found.path)
    given = {"GIT_ALLOW_PROTOCOL": "file", "GIT_CONFIG_COUNT": "1"}
    given |= {"GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    repository.git.run(
        "fetch", "-q", "--no-tags", "--no-write-fetch-head", "--end-of-options", url, "HEAD",
        env=given,
    )  # fmt: skip
    return commit


def _snapshot(
    repository: Repository, source: Path, environment: Environment, now: datetime.datetime
) -> str:
    """Make one commit of a folder that is no repository of its own."""
    tree = WorkTree(source, ignored(source, environment))
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        lines = []
        for entry in tree.entries():
            if entry.kind is Kind.FILE:
                oid = repository.git.run(
                    "hash-object", "-w", "--no-filters", "--stdin", given=tree.read(entry.path)
                )
                lines.append(f"100644 {oid.decode().strip()}\t{entry.path}\0")
        if not lines:
            raise NotAVault(f"{source} holds no file", "name a vault")
        given = "".join(lines).encode("utf-8", "surrogateescape")
        repository.git.run("update-index", "-z", "--add", "--index-info", given=given, env=index)
        written = repository.git.run("write-tree", env=index).decode().strip()
    when = f"{int(now.timestamp())} +0000"
    names = {f"GIT_{who}_{what}": v for who in ("AUTHOR", "COMMITTER") for what, v in (
        ("NAME", KEEPER.name), ("EMAIL", KEEPER.email), ("DATE", when))}  # fmt: skip
    message = f"Import {source.name}\n".encode("utf-8", "surrogateescape")
    out = repository.git.run("commit-tree", written, "-F", "-", given=message, env=names)
    return out.decode().strip()


# -- is the gate at work? -----------------------------------------------------------

_PROOF = """---
name: gate-proof
description: A note the gate must refuse
type: reference
---
Call {phone}, or write to {mail}.
"""


def proof_note(strict_content: bool) -> tuple[str, bytes]:
    """Return a path and a note that no brain takes, made here so that none is tracked.

    Where content rules refuse, they alone are put to the proof.
    """
    mail = "@".join(("m.rossi", ".".join(("posta-privata", "it"))))
    phone = " ".join(("+39", "347", "61", "52", "843"))
    path = "memory/gate-proof.md" if strict_content else "secrets/gate-proof.md"
    return path, _PROOF.format(phone=phone, mail=mail).encode()


def prove(repository: Repository, environment: Environment) -> tuple[bool, str]:
    """Push a bad note to a scratch copy of the brain's configuration and hooks.

    Returns whether it was refused by the gate, and what the pusher saw. The copy
    has no checkout, no remotes, no chained hooks and no post-receive.
    """
    with tempfile.TemporaryDirectory(prefix="manent-proof-") as folder:
        scratch, work = Path(folder) / "brain.git", Path(folder) / "work"
        git = Git("", Path(folder), clean(environment))
        git.run("init", "-q", "--bare", "--initial-branch=main", str(scratch))
        git.run("init", "-q", "--initial-branch=main", str(work))
        _copy_settings(repository, Git(str(scratch), scratch, clean(environment)))
        _copy_hooks(repository, scratch / "hooks")
        _look_in(Git(str(scratch), scratch, clean(environment)), scratch / "hooks")
        pusher = Git("", work, clean(environment))
        _commit_proof(pusher, work, read_policy(repository.section()).strict_content)
        status, _, _ = pusher.attempt("push", "-q", str(scratch), "HEAD:refs/heads/main")
        seen = pusher.said
        refused = status != 0 and "manent: refused" in seen
        return refused, seen


def _copy_settings(repository: Repository, scratch: Git) -> None:
    left_out = ("remote.", "branch.", "core.", "include", "manent.checkout", "receive.procreceive")
    for key, values in repository.settings().items():
        if not key.startswith(left_out):
            for value in values:
                scratch.run("config", "--add", key, value)
    scratch.run("config", "manent.protectedBranch", "main")


def _copy_hooks(repository: Repository, folder: Path) -> None:
    for hook in ("pre-receive", "reference-transaction"):
        place = install.hooks_folder(repository, allow_outside=True) / hook
        if place.exists():
            folder.mkdir(exist_ok=True)
            # With its mode: a hook without its run bit is ignored, and must be here too.
            shutil.copy2(place, folder / hook)


def _look_in(git: Git, folder: Path) -> None:
    """Make the scratch run the hooks copied into it: those that git runs in the original."""
    git.run("config", "core.hooksPath", str(folder))


def _commit_proof(git: Git, work: Path, strict_content: bool) -> None:
    path, content = proof_note(strict_content)
    (work / path).parent.mkdir(parents=True)
    (work / path).write_bytes(content)
    identity = ["-c", "user.name=Manent", "-c", f"user.email={KEEPER.email}"]
    git.run("add", "-f", "--", path)
    git.run(*identity, "-c", "commit.gpgSign=false", "commit", "-q", "--no-verify", "-m", "proof")


def prove_local(repository: Repository, environment: Environment) -> tuple[bool, str]:
    """Commit a bad note in a scratch copy of a repository's configuration and hook."""
    with tempfile.TemporaryDirectory(prefix="manent-proof-") as folder:
        work = Path(folder)
        git = Git("", work, clean(environment))
        git.run("init", "-q", "--initial-branch=main", ".")
        _copy_settings(repository, git)
        place = install.hooks_folder(repository, allow_outside=True) / install.LOCAL[0]
        _look_in(git, work / ".git/hooks")
        if place.exists():
            (work / ".git/hooks").mkdir(exist_ok=True)
            shutil.copy2(place, work / ".git/hooks" / place.name)
        path, content = proof_note(read_policy(repository.section()).strict_content)
        (work / path).parent.mkdir(parents=True)
        (work / path).write_bytes(content)
        git.run("add", "-f", "--", path)
        identity = ["-c", "user.name=Manent", "-c", f"user.email={KEEPER.email}"]
        asked = [*identity, "-c", "commit.gpgSign=false", "commit", "-q", "-m", "proof"]
        status, _, _ = git.attempt(*asked)
        return status != 0 and "manent: refused" in git.said, git.said
