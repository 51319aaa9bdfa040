"""Judge what a push does to refs: which it moves, whence and whither, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from manent import late
from manent.finding import Finding
from manent.gate.blobs import Read
from manent.gate.identity import agent_ref_fault
from manent.gate.push import Push, refusal
from manent.gate.texts import Texts
from manent.lint.rules.path_unportable import fault_of
from manent.repo.incoming import LANDS_IN, RefUpdate, is_child, tag_chain
from manent.vault.vault import fold_path


def judged_refs(push: Push, texts: Texts, read: Read) -> Iterator[Finding]:
    """Yield what is wrong with the refs a push moves; fill in ``push.tips`` of the others."""
    for update in push.updates:
        yield from _ref(push, update, texts, read)
    if push.identity.is_owner:  # nobody else makes a ref, or hears of one
        yield from _misread(push)


def _ref(push: Push, update: RefUpdate, texts: Texts, read: Read) -> Iterator[Finding]:
    if not update.ref.startswith(LANDS_IN):
        hint = f"git push origin HEAD:{push.protected}"
        yield refusal(update.ref, "ref-forbidden", "only branches and tags are taken", hint)
        return
    if not push.identity.is_owner:
        fault = agent_ref_fault(push.identity, update, push.protected)
        if fault is not None:
            yield fault
            return
    if update.deletes:
        yield from _moved(push, update, "delete")
        return
    yield from texts.ref(update.ref)
    yield from _tag_texts(push, update, texts, read)
    if not update.creates and not _forward(push, update):
        yield from _moved(push, update, "rewrite")


def _misread(push: Push) -> Iterator[Finding]:
    """Yield the new branches and tags that somebody would take for another ref, or for none."""
    made = [u.ref for u in push.updates if u.creates and u.ref.startswith(LANDS_IN)]
    if not made:
        return
    gone = {u.ref for u in push.updates if u.deletes}
    there = (*(set(push.repository.refs()) - gone), f"refs/heads/{push.protected}")
    taken = _Taken({*made, *(ref for ref in there if ref.startswith(LANDS_IN))})
    for ref in made:
        what = _odd(_short(ref)) or taken.by_another(ref)
        if what:
            yield refusal(ref, "ref-forbidden", what, _RENAME)


def _odd(short: str) -> str:
    """Return what keeps any branch or tag from being called so, or ""."""
    folded = short.casefold()
    if folded in _GITS_OWN or folded.endswith("_head") or folded.split("/")[0] in _PLACES:
        return f"git takes {short} for something else"
    if _LIKE_AN_ID.fullmatch(short):
        return "git takes it for the id of an object"
    fault = fault_of(short)
    if fault is not None and fault.severity is None:
        return fault.message.replace("the path", "the name", 1)
    return "" if short.isprintable() else "the name holds a character that nobody sees"


class _Taken:
    """The names branches and tags have, as a disk that minds no case would have them."""

    def __init__(self, refs: Iterable[str]) -> None:
        self._named: dict[tuple[str, str], list[str]] = {}
        self._below: dict[tuple[str, str], str] = {}
        for ref in sorted(refs):
            kind, name = _kind(ref), fold_path(_short(ref))
            self._named.setdefault((kind, name), []).append(ref)
            for folder in _starts(name):
                self._below.setdefault((kind, folder), ref)

    def by_another(self, ref: str) -> str:
        """Return why ``ref`` would be taken for another, or the other way round; or ""."""
        kind, name = _kind(ref), fold_path(_short(ref))
        alike = [one for each in _KINDS for one in self._named.get((each, name), ()) if one != ref]
        alike += [one for start in _starts(name) for one in self._named.get((kind, start), ())]
        alike += [self._below[kind, name]] if (kind, name) in self._below else []
        if alike:
            return f"it and {alike[0]} are one name on some disks, or where a name alone is said"
        if kind == "tags":
            # It comes before what a clone calls the branch of its remote.
            ends = ["/".join(name.split("/")[n:]) for n in range(1, name.count("/") + 1)]
            for branch in (one for end in ends for one in self._named.get(("heads", end), ())):
                return f"a clone may take it for {branch} of a remote"
        return ""


def _starts(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _kind(ref: str) -> str:
    return ref.split("/", 2)[1]


_KINDS = ("heads", "tags")


def _short(ref: str) -> str:
    """Return what a branch or tag is called for short."""
    return ref.split("/", 2)[2]


_GITS_OWN = ("head", "stash", "auto_merge", "bisect_expected_rev", "merge_autostash", "@")
_PLACES = ("refs", "heads", "tags", "remotes")
_LIKE_AN_ID = late.pattern(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
_RENAME = "give it another name: git branch -m OLD NEW, or git tag NEW OLD"


def _tag_texts(push: Push, update: RefUpdate, texts: Texts, read: Read) -> Iterator[Finding]:
    tags, kind, oid = tag_chain(push.repository, update.new)
    for tag in tags:
        read.tags += 1
        yield from texts.tag(tag)
    if kind != "commit":
        hint = "tag the commit that holds it"
        yield refusal(update.ref, "ref-target", f"it points at a {kind}, not at a commit", hint)
    elif tags and update.ref.startswith("refs/heads/"):
        yield refusal(update.ref, "ref-target", "a branch points at a tag", "push the commit")
    else:
        push.tips[update.ref] = oid


def _forward(push: Push, update: RefUpdate) -> bool:
    """Tell whether the new value holds all that the old one held."""
    if update.ref.startswith("refs/tags/"):
        return False
    kind, raw = push.repository.objects.read(update.new)
    if kind == "commit" and is_child(raw, update.old):
        return True
    asked = ("merge-base", "--is-ancestor", update.old, update.new)
    return push.repository.git.attempt(*asked)[0] == 0


def _moved(push: Push, update: RefUpdate, what: str) -> Iterator[Finding]:
    """Yield the refusal of a deletion or a rewrite, unless an owner may do it."""
    protected = update.ref == f"refs/heads/{push.protected}"
    if not push.identity.is_owner:
        # An agent's forced push is nearly always one that was not brought up to date.
        hint = "ask an owner" if what == "delete" else _UP_TO_DATE
        yield refusal(update.ref, "history-rewrite", f"only an owner may {what} it", hint)
    elif protected and not push.policy.allow_rewrite:
        hint = _OPERATOR if what == "delete" else f"{_UP_TO_DATE}; or {_OPERATOR}"
        message = f"the push would {what} the protected branch (manent.allowRewrite is off)"
        yield refusal(update.ref, "history-rewrite", message, hint)


_UP_TO_DATE = "git pull --rebase, and push again without --force"
_OPERATOR = "ask an operator to set git config manent.allowRewrite true on the brain"
