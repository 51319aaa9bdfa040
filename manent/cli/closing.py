"""``manent gaps --close``: a gap, the note that answers it, and the golden set that grows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from manent.cli.asking import Asked, print_json
from manent.cli.carrying import Carried, How, carry, check, content_at, how, mend, print_carried
from manent.cli.embedding import BY_DEFAULT
from manent.cli.opening import Opened, Place, identity_of, opened, say
from manent.cli.ranking import ranker_of
from manent.cli.recording import now, register
from manent.errors import EnvironmentFault, NoSuchAgent, Refused, UsageError

FIRST = 10
"""Among so many hits the note must be for the ranker to be said to find it."""


class _Golden(NamedTuple):
    """The golden set that grows. inside: its path in the vault, "" for ``file`` on disk."""

    inside: str
    file: Path


class _Answer(NamedTuple):
    """The note that answers a gap. remarks: warnings, none of which refuses."""

    name: str
    path: str
    remarks: list[str]


def close(ctx: click.Context, place: Place, options: dict[str, Any]) -> int:
    """Close a gap; return the exit code. Everything is refused before the first write."""
    golden = _golden(place, options)
    # Only a golden set that lies in the vault changes it.
    asked = _how(ctx, place, options, bool(golden and golden.inside))
    mend(place, asked.quiet)
    model, threshold = options["model"], options["threshold"]
    apart = threshold is not None
    with register(
        options["where"], make=False, model=model, threshold=threshold, apart=apart
    ) as held:
        gap = held.gap(options["close"])
        if gap.status != "open":
            raise Refused(f"{gap.id} is {gap.status} already", f"--reopen {gap.id} takes it back")
        members = [held.gap(one) for one in held.members(gap.id)]
        askers = sorted({asker for one in members for asker in one.askers})
        queries = list(dict.fromkeys(q for one in members for q in held.questions(one.id)))
        answer = _answer(place, options, asked, queries, askers)
        say(answer.remarks, asked.quiet)
        if golden and not golden.inside and options["commit"]:
            say(
                [f"{golden.file} lies outside the vault: it is written, not committed"], asked.quiet
            )
        carried = _grown(place, asked, golden, gap, answer, queries)
        if not asked.dry_run:
            for one in members:
                held.close(one.id, answer.path, now())
        _print(options, held.gap(gap.id), answer, carried, golden)
    return 0


def _how(ctx: click.Context, place: Place, options: dict[str, Any], inside: bool) -> How:
    if inside:
        return how(ctx, place, options)
    if place.root is None and options["golden"]:
        check(place, options["commit"], options["dry_run"])
    return How(None, False, options["dry_run"], options["frontmatter"], bool(ctx.obj["quiet"]))


def _golden(place: Place, options: dict[str, Any]) -> _Golden | None:
    """Find where the golden set lies. Raises UsageError."""
    if options["golden"] is None:
        return None
    file = Path(options["golden"])
    if place.root is None:
        named = options["golden"]
        # What a brain is asked to change is its own, though a clone stands around us
        # that has a file of this name.
        if file.is_absolute() or named.startswith(("./", "../")):
            return _Golden("", file)
        if os.path.normpath(named) != named:
            raise UsageError(f"{named} is no path in the brain", "name it from the vault's root")
        return _Golden(named, file)
    whole = Path(os.path.abspath(file))  # noqa: PTH100 - what the vault holds is not followed
    real = whole.parent.resolve() / whole.name
    if real.is_relative_to(place.root):
        return _Golden(real.relative_to(place.root).as_posix(), real)
    return _Golden("", file)


# -- the note that answers -----------------------------------------------------------


def _answer(
    place: Place, options: dict[str, Any], asked: How, queries: list[str], askers: list[str]
) -> _Answer:
    """Return the note, seen with each asker's eyes. Raises NotFound, Refused."""
    from manent.access import OWNER, OWNER_NAME, View
    from manent.finding import inert

    remarks: list[str] = []
    identities = []
    for name in askers:
        found_one = OWNER if name == OWNER_NAME else _identity(place, name, options["agents"])
        if found_one is None:
            remarks.append(f"{name} asked, and is in the agents file no more: who reads it is open")
        else:
            identities.append(found_one)
    with opened(place, asked.frontmatter, None, asked.quiet) as found:
        note = View(found.vault, OWNER).find(options["note"])
        for identity in identities:
            if not View(found.vault, identity).shows(note):
                raise Refused(
                    f"{identity.name} asked, and may not read {note.path}",
                    "promote it for that audience first",
                )
        for identity in identities or [OWNER]:
            remarks += _found_by(found, View(found.vault, identity), note, queries, options)
        if len(queries) > 1:
            remarks += [f"closed with it: {inert(query)}" for query in queries[1:]]
        return _Answer(note.name, note.path, list(dict.fromkeys(remarks)))


def _identity(place: Place, name: str, agents: str | None) -> Any:
    """Return an asker as the agents file has it, None for one that has left it."""
    try:
        return identity_of(place, name, agents)
    except NoSuchAgent:
        return None
    except UsageError as fault:
        raise UsageError(
            f"{name} asked, and nothing says what it may read", "add --agents FILE"
        ) from fault


def _found_by(
    found: Opened, view: Any, note: Any, queries: list[str], options: dict[str, Any]
) -> list[str]:
    """Return a remark for each question that the ranker does not answer with the note."""
    from manent.finding import inert

    ranker = ranker_of(Asked(found, view, None), None, options["model"], None, BY_DEFAULT)
    remarks = []
    for query in queries:
        hits = ranker.rank(view, query, FIRST)
        if not any(ranked.hit.path == note.path for ranked in hits):
            which = "this question" if query == queries[0] else f'"{inert(query)}"'
            first = f"the first {FIRST} that {ranker.answered} finds for {which}"
            remarks.append(f"{note.path} is not among {first}")
    return remarks


# -- the golden set --------------------------------------------------------------------


def _grown(
    place: Place,
    asked: How,
    golden: _Golden | None,
    gap: Any,
    answer: _Answer,
    queries: list[str],
) -> Carried:
    if golden is None:
        return Carried(dry_run=asked.dry_run)
    grow = _growing(queries, answer.name)
    if not golden.inside:
        return _grown_on_disk(golden.file, grow, asked.dry_run)

    def propose(found: Opened) -> list[Any]:
        from manent.change import Change

        before = content_at(found, golden.inside)
        after = grow(before, golden.inside)
        if after == before:
            return []
        message = (
            f"gaps: {answer.name} answers {gap.id}\n\nAsked {_times(gap.asked)}, and now "
            f"{_so_many(queries)} of {golden.inside}.\n"
        )
        return [Change({golden.inside: after}, message, asked.who.name)]

    return carry(place, asked, propose)


def _growing(queries: list[str], name: str) -> Callable[[bytes | None, str], bytes]:
    """Return what makes the new content of a golden set from the old one."""
    from manent import golden

    def grow(before: bytes | None, source: str) -> bytes:
        whole: bytes | str = before if before is not None else b""
        if before is None:
            whole = golden.spelled(golden.Golden(Path(source).stem, ()))
        for query in queries:
            whole = golden.appended(whole, golden.Query(query, (name,), "oblique"), source)
        return whole if isinstance(whole, bytes) else whole.encode("utf-8")

    return grow


def _grown_on_disk(
    file: Path, grow: Callable[[bytes | None, str], bytes], dry_run: bool
) -> Carried:
    from manent.gate.showing import diff
    from manent.repo.placing import place, read

    before = read(file)
    after = grow(before, str(file))
    if after == before:
        return Carried(dry_run=dry_run)
    if dry_run:
        return Carried([], [], diff({file.name: before}, {file.name: after}), True)
    if not file.parent.is_dir():
        raise EnvironmentFault(f"no folder {file.parent}", "make it first")
    place(file.parent.resolve(), file.name, after)
    return Carried()


def _so_many(queries: list[str]) -> str:
    return "a query" if len(queries) == 1 else f"{len(queries)} queries"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _print(
    options: dict[str, Any], gap: Any, answer: _Answer, carried: Carried, golden: _Golden | None
) -> None:
    if options["as_json"]:
        document: dict[str, Any] = {
            "gap": gap.as_json(),
            "note": {"name": answer.name, "path": answer.path},
            "golden": options["golden"],
            "commit": carried.commits[0] if carried.commits else None,
            "message": carried.messages[0] if carried.changes else None,
            "warnings": answer.remarks,
        }
        if carried.dry_run:
            document["diff"] = carried.diff.decode("utf-8", "replace")
        print_json(document)
        return
    if carried.dry_run or carried.changes:
        print_carried(carried)
    if not carried.dry_run:
        click.echo(f"{gap.id} is closed with {answer.path}")
