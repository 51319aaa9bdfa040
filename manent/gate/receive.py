"""Judge a push: everything it adds, and what it makes of the vault."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from manent.access import Identity
from manent.errors import EnvironmentFault, NotAVault
from manent.facts.store import STORE
from manent.finding import Finding, Severity
from manent.gate import allow
from manent.gate.allow import Allowances
from manent.gate.blobs import Blobs
from manent.gate.entries import MAX_PATH_BYTES, entry_faults, unportable
from manent.gate.identity import agent_faults, append_fault, filled, stamp_faults, who
from manent.gate.journals import Journals, others
from manent.gate.merges import taken_back
from manent.gate.policy import Policy, read_policy
from manent.gate.push import Push, refusal
from manent.gate.refs import judged_refs
from manent.gate.structure import Structure, conventions
from manent.gate.texts import Texts
from manent.gate.trees import malformed
from manent.gate.verdict import FOR_NOBODY, Verdict
from manent.repo.git_tree import GitTree, diff
from manent.repo.incoming import (
    ZERO,
    Addition,
    CommitText,
    RefUpdate,
    additions,
    brought,
    commit_texts,
    reached,
    removals,
    strays,
    tag_chain,
)
from manent.repo.judged import protected_ref
from manent.repo.objects import Header
from manent.repo.open import Environment, Repository, state_folder
from manent.repo.walked import base_of
from manent.values import replace

PROCESSES_FROM = 2_000
"""Blobs from which a second process pays for its start."""


def pre_receive(
    repository: Repository,
    lines: Sequence[RefUpdate],
    environment: Environment,
    owns_repository: bool,
    now: datetime.datetime,
    processes: int = 1,
    limit: Callable[[int], None] = lambda seconds: None,
) -> Verdict:
    """Judge a push as git's pre-receive hook is given it.

    repository: opened by ``receiving``. environment: the hook's own, of which only who
    pushes is taken. limit: called with the policy's time-out once it is known.
    Raises ManentError when no verdict can be reached: the caller refuses.
    """
    policy = read_policy(repository.section())
    limit(policy.timeout_seconds)
    return judge(
        Push(
            repository,
            lines,
            policy,
            who(environment, policy.agents, owns_repository, filled(repository, policy)),
            now.date(),
            processes,
            protected_ref(repository).removeprefix("refs/heads/"),
        )
    )


def judge(push: Push) -> Verdict:
    """Return the verdict on a push."""
    texts = Texts(push.policy)
    blobs = Blobs(push.policy, texts)
    here = brought(push.repository)
    found = list(oversize(here, push.policy, _heads(push)))
    found = found or list(judged_refs(push, texts, blobs.read))
    base = _protected_tip(push)
    # What is wrong with the refs themselves leaves nothing to compare: said at once.
    comparable = not any(f.severity is Severity.ERROR for f in found)
    if comparable:
        found += _objects(push, texts, blobs, here)
        comparable = not any(f.rule == OVERSIZE for f in found)
    accepted = _accepted_allowances(push, base)
    if comparable:
        found += _allowance_files(push, base, accepted)
    # An allowance is an owner's word about an owner's text; it covers no agent's.
    covering = accepted if push.identity.is_owner else Allowances()
    if comparable:

        def lands(more: list[Finding]) -> bool:
            found.extend(blobs.rest())
            kept = counted([*found, *more], covering, push.today)
            return not any(f.severity is Severity.ERROR for f in kept)

        structural = list(_tips(push, base, lands, blobs))
        found += [*blobs.rest(), *structural]
    kept = counted(found, covering, push.today)
    refs = [u.ref for u in push.updates]
    return Verdict(
        refs, texts.quiet(found, kept), passed(found, kept), blobs.read, accepted.salt,
        identity=push.identity.name, hidden=texts.hidden, may_allow=push.identity.is_owner,
    )  # fmt: skip


OVERSIZE = "text-size"
"""The rule about commits and tags that are too large; nothing else is judged beside it."""


def counted(found: Iterable[Finding], accepted: Allowances, today: datetime.date) -> list[Finding]:
    """Return the findings no allowance covers, each once, the most severe first.

    What a push does to refs is no text to look at and let pass: no allowance covers it.
    """
    left = [f for f in found if f.rule in FOR_NOBODY or not accepted.allows(f, today)]
    return sorted(_once(left), key=lambda f: (-f.severity, f.order))


def passed(found: Iterable[Finding], kept: Sequence[Finding]) -> int:
    """Return how many of ``found`` an allowance let pass, each counted once."""
    return len(_once(found)) - len(kept)


# -- objects ------------------------------------------------------------------


def oversize(
    sizes: Mapping[str, Header], policy: Policy, more: Mapping[str, Header] | None = None
) -> Iterator[Finding]:
    """Yield the refusal of commits and tags whose text is over the limit; none is read.

    sizes, more: by id, what an object is and its size in bytes.
    """
    for oid, header in {**sizes, **(more or {})}.items():
        if header.kind in ("commit", "tag") and header.size > policy.max_text_bytes:
            message = (
                f"{header.size} bytes are over the limit of {policy.max_text_bytes} "
                "(manent.maxTextBytes)"
            )
            hint = "write a shorter message with git commit --amend, or git tag -f"
            place, error = f"({header.kind} {oid[:10]})", Severity.ERROR
            yield Finding(OVERSIZE, error, place, 0, 0, message, hint)


def _heads(push: Push) -> dict[str, Header]:
    """Return the headers of what the refs are to point at: the brain may have it already."""
    oids = list(dict.fromkeys(u.new for u in push.updates if not u.deletes))
    return dict(zip(oids, push.repository.objects.headers(oids), strict=True))


def _objects(
    push: Push, texts: Texts, blobs: Blobs, here: Mapping[str, Header]
) -> Iterator[Finding]:
    repository = push.repository
    tips = list(dict.fromkeys(push.tips.values()))
    commits, wanted = reached(repository, tips, here, base_of(repository, push.updates))
    elsewhere = [oid for oid in commits if oid not in here]
    known = dict(zip(elsewhere, repository.objects.headers(elsewhere), strict=True))
    over = list(oversize(known, push.policy))
    if over:
        yield from over
        return
    yield from _strays(push, here, wanted)
    if not _checked_by_git(repository):
        trees = [oid for oid, header in here.items() if header.kind == "tree"]
        yield from malformed(repository.objects, trees)
    lineage: list[CommitText] = []
    for commit in commit_texts(repository, commits):
        blobs.read.commits += 1
        yield from texts.commit(commit)
        if not push.identity.is_owner:
            lineage.append(replace(commit, message=b"", headers=()))
    added = list(additions(repository, commits))
    yield from Journals(repository, texts, blobs.read).commits(commits)
    if len(added) >= PROCESSES_FROM:
        # Judged as the vault is moved to the push's tip: each note is read once for both.
        blobs.processes, blobs.conventions = push.processes, conventions(push.policy)
        yield from _places(added, blobs.names)
        blobs.begin(repository.reader(), others(added), here)
    else:
        yield from entries(added, texts)
        yield from blobs.judge(repository.objects, others(added), here)
    if not push.identity.is_owner:
        lost = chain(removals(repository, commits), taken_back(repository, lineage))
        yield from _agents_own(push, added, lost)


def entries(added: Iterable[Addition], texts: Texts) -> Iterator[Finding]:
    """Yield what names and modes of added files are at fault for."""
    fresh: list[tuple[str, str]] = []
    yield from _places(added, fresh)
    yield from texts.paths(fresh)


def _places(added: Iterable[Addition], fresh: list[tuple[str, str]]) -> Iterator[Finding]:
    """Do as ``entries``, but leave the new names in ``fresh`` instead of scanning them."""
    seen: set[tuple[bytes, str]] = set()
    for addition in added:
        if (addition.path, addition.mode) in seen:
            continue
        seen.add((addition.path, addition.mode))
        yield from entry_faults(addition)
        if addition.new and len(addition.path) <= MAX_PATH_BYTES:
            yield from unportable(addition)
            fresh.append((addition.path.decode("utf-8", "surrogateescape"), addition.commit))


def _strays(push: Push, here: Iterable[str], wanted: set[str]) -> Iterator[Finding]:
    """Yield a refusal when the push brings objects that nothing in it leads to."""
    tags = set[str]()
    for update in push.updates:
        if not update.deletes:
            tags.update(t.oid for t in tag_chain(push.repository, update.new)[0])
    left = [oid for oid in here if oid not in wanted and oid not in tags]
    unknown = strays(push.repository, left)
    if unknown:
        message = f"{len(unknown)} objects that none of its refs leads to"
        yield refusal(f"(object {unknown[0]})", "stray-object", message, "push from a fresh clone")


def _checked_by_git(repository: Repository) -> bool:
    """Tell whether git itself has refused malformed trees before it called the hook."""
    settings = repository.settings()
    asked = settings.get("receive.fsckobjects", settings.get("transfer.fsckobjects", ["false"]))
    relaxed = any(key.startswith(("receive.fsck.", "fsck.")) for key in settings)
    return asked[-1].lower() in ("true", "yes", "on", "1") and not relaxed


def _agents_own(
    push: Push, added: Sequence[Addition], lost: Iterable[tuple[str, str]]
) -> Iterator[Finding]:
    gone, differing = _differing(push)
    yield from agent_faults(push.identity, added, gone, differing, lost)
    places = {(a.path, a.oid): a for a in others(added) if a.has_content}
    asked = list(places.values())
    for addition in asked:
        content = push.repository.objects.read(addition.oid)[1]
        path = addition.path.decode("utf-8", "surrogateescape")
        yield from stamp_faults(push.identity, path, content, addition.commit)
        fault = append_fault(push.identity, path, _before(push, path), content)
        if fault is not None:
            yield fault


def _before(push: Push, path: str) -> bytes:
    """Return what stood at ``path`` before the push; nothing where nothing did."""
    tree = GitTree(push.repository, push.updates[0].old)
    entry = tree.get(path)
    return push.repository.objects.read(entry.oid)[1] if entry and entry.oid else b""


def _differing(push: Push) -> tuple[list[str], list[str]]:
    """Return the paths that are gone from the refs the push moves, and those that differ."""
    gone: list[str] = []
    differing: list[str] = []
    for update in push.updates:
        old = GitTree(push.repository, update.old)
        new = GitTree(push.repository, update.new)
        for path, _, after in diff(old, new):
            (differing if after else gone).append(path)
    return gone, differing


# -- the vault at the tips ------------------------------------------------------


def _protected_tip(push: Push) -> str:
    for update in push.updates:
        if update.ref == f"refs/heads/{push.protected}" and not update.creates:
            return update.old
    return push.repository.ref(f"refs/heads/{push.protected}")


def _now_at(push: Push) -> str:
    return push.repository.ref(f"refs/heads/{push.protected}")


def _tips(
    push: Push, base: str, lands: Callable[[list[Finding]], bool], blobs: Blobs
) -> Iterator[Finding]:
    """Yield the structural faults each updated ref introduces.

    lands: tells whether the push is accepted with these findings; where it is the
    protected branch alone that moves, the store then stays at the new tip.
    blobs: may still be judging; it has what it made of the notes meanwhile.
    """
    place = store_place(push.repository)
    made = None if blobs.conventions is None else blobs.digest
    structure = Structure(push.repository, push.policy, place, processes=push.processes, made=made)
    only = [update.ref for update in push.updates] == [f"refs/heads/{push.protected}"]

    def keep(found: list[Finding]) -> bool:
        # Where another push has landed meanwhile this one will not: the store would be
        # left at a tree that never enters the history.
        return only and lands(found) and _protected_tip(push) == _now_at(push)

    seen: set[tuple[str, str]] = set()
    for update in push.updates:
        tip = push.tips.get(update.ref)
        old = base if update.creates or update.ref.startswith("refs/tags/") else update.old
        if tip is None or (old, tip) in seen or old == tip:
            continue
        seen.add((old, tip))
        yield from heard(push.identity, structure.introduced(old, tip, keep))


def heard(identity: Identity, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the structural findings an identity may hear of: an owner each, an agent those
    of its own notes, none that depends on whether another note exists and none that names
    a path of somebody else's."""
    for finding in findings:
        if identity.is_owner:
            yield finding
        elif _of_its_own(identity, finding):
            yield replace(finding, message=_ANOTHER) if finding.rule in _NAMES else finding


def _of_its_own(identity: Identity, finding: Finding) -> bool:
    own = bool(identity.write) and finding.path.startswith(identity.write + "/")
    return own and finding.severity is Severity.ERROR and finding.rule not in _TELLS


_NAMES = {"path-collision"}
_ANOTHER = "the path is that of another file but for case or Unicode form"
_TELLS = {"link-unresolved", "edge-unresolved", "anchor-unresolved", "audience-leak"}


def store_place(repository: Repository) -> Path | None:
    """Return the file of the derived store; None where the state folder cannot be used."""
    try:
        return state_folder(repository) / STORE
    except EnvironmentFault:
        return None


def _accepted_allowances(push: Push, base: str) -> Allowances:
    """Return the allowances as they stand in history already accepted.

    A file there that nobody can read allows nothing: so the push that mends it is
    judged like any other, and it alone gets past ``_allowance_files``.
    """
    old = next((u.old for u in push.updates if not u.creates), base)
    try:
        return allowances_at(push.repository, push.allowing or base or old)
    except EnvironmentFault:
        return Allowances()


def _allowance_files(push: Push, base: str, accepted: Allowances) -> Iterator[Finding]:
    """Yield the refusal of tips whose file of allowances nobody could read afterwards, or
    whose allowances would end for want of their salt."""
    tips = dict(push.tips)
    protected = f"refs/heads/{push.protected}"
    if protected not in tips and base:
        tips = {protected: base, **tips}
    for tip in dict.fromkeys(tips.values()):
        try:
            lost = allow.left_behind(accepted, allowances_at(push.repository, tip))
        except EnvironmentFault as fault:
            yield refusal(allow.FILE, "allow-malformed", fault.message, AS_ACCEPTED)
            continue
        if lost:
            yield refusal(allow.FILE, "allow-malformed", allow.unsalted(lost), AS_ACCEPTED)


AS_ACCEPTED = "mend that line, or put the file back as it was accepted"


def allowances_at(repository: Repository, commit: str) -> Allowances:
    """Return the allowances of the tree of ``commit`` ("" or all zeros: none).

    Raises EnvironmentFault where nobody can read them.
    """
    if not commit or commit == ZERO:
        return Allowances()
    try:
        tree = GitTree(repository, commit)
    except NotAVault:
        return Allowances()
    content = allow.standing(tree)
    return Allowances() if content is None else allow.parse(content)


def _once(found: Iterable[Finding]) -> list[Finding]:
    """Return the findings, each rule, place and match once: the first commit's."""
    kept: dict[tuple[object, ...], Finding] = {}
    for finding in found:
        kept.setdefault((*finding.order, finding.digest), finding)
    return list(kept.values())
