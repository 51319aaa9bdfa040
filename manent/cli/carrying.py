"""What promote, curate and gaps share: carrying out what a person decided.

A command proposes Changes; here they become files of a working tree, commits of
its user, commits on a brain, or a diff that touches nothing.
"""

from __future__ import annotations

import contextlib
import datetime
import getpass
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TypeVar

import click

from manent.cli.opening import Opened, Place, opened, say
from manent.errors import EnvironmentFault, Refused, UsageError

F = TypeVar("F", bound=Callable[..., Any])
Propose = Callable[[Opened], Sequence[Any]]
"""From a vault as it stands to the Changes wanted, paths relative to the vault.

Asked again when a brain has moved meanwhile. Refuses by raising Refused."""

TRIES = 50
"""How often a Change is made anew because pushes keep moving the brain meanwhile."""


@dataclass(frozen=True, slots=True)
class How:
    """What was asked for: ``--commit``, ``--dry-run``, or neither: files alone.

    who: the person whose name the commits carry (``person_at``).
    """

    who: Any
    commit: bool = False
    dry_run: bool = False
    frontmatter: str | None = None
    quiet: bool = False


@dataclass(slots=True)
class Carried:
    """What became of the Changes.

    commits: one id a Change, none without --commit. diff: the whole change as
    ``git apply`` takes it.
    """

    changes: list[Any] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    diff: bytes = b""
    dry_run: bool = False

    @property
    def messages(self) -> list[str]:
        """The commit messages, made or proposed."""
        from manent.gate.admit import message_of

        return [message_of(change) for change in self.changes]


def carry_options(command: F) -> F:
    """Add --commit, --dry-run and --frontmatter."""
    for option in (
        click.option(
            "--frontmatter",
            type=click.Choice(["required", "optional"]),
            help="Whether notes must have a frontmatter [default: git config manent.frontmatter].",
        ),
        click.option("--dry-run", is_flag=True, help="Show the change as a diff; touch nothing."),
        click.option("--commit", is_flag=True, help="Commit exactly the paths that change."),
    ):
        command = option(command)
    return command


def how(ctx: click.Context, place: Place, options: dict[str, Any]) -> How:
    """Collect what the options of ``carry_options`` say; refuse what cannot be done here.

    Raises UsageError, or EnvironmentFault where git does not know who the user is.
    """
    commit, dry_run = options["commit"], options["dry_run"]
    check(place, commit, dry_run)
    quiet = bool(ctx.obj["quiet"])
    return How(person_at(place, commit), commit, dry_run, options["frontmatter"], quiet)


def person_at(place: Place, needed: bool = True, role: str = "AUTHOR") -> Any:
    """Return who git says the user is there; whoever is logged in where it does not know.

    needed: raise EnvironmentFault instead. role: as AUTHOR, or as COMMITTER.
    """
    from manent.gate.allowing import Person, person
    from manent.repo.command import Git, clean

    try:
        if place.repository is not None:
            return person(place.repository.git, os.environ, role)
        assert place.root is not None
        return person(Git("", place.root, clean(os.environ)), os.environ, role)
    except EnvironmentFault:
        if needed:
            raise
    try:
        return Person(getpass.getuser(), "")
    except (OSError, KeyError):
        return Person("somebody", "")


def check(place: Place, commit: bool, dry_run: bool) -> None:
    """Refuse what cannot be carried out here, before anything is read. Raises UsageError."""
    if place.rev:
        raise UsageError("--rev names the past", "leave it out: the change is made now")
    if place.root is None and not (commit or dry_run):
        raise UsageError("a bare repository has no files to change", "add --commit or --dry-run")
    if place.repository is None and commit and not dry_run:
        raise UsageError(f"{place.root} is in no git repository", "leave --commit out")


def carry(place: Place, asked: How, propose: Propose) -> Carried:
    """Carry out what ``propose`` returns for the vault as it stands now.

    Everything is judged first: nothing is written when anything is refused.
    Raises Refused (``ChangeRefused``: by the gate), UsageError, EnvironmentFault.
    """
    check(place, asked.commit, asked.dry_run)
    with _held_off():
        if asked.dry_run:
            return _shown(place, asked, propose)
        if place.root is None:
            return _on_brain(place, asked, propose)
        return _in_folder(place, asked, propose)


def mend(place: Place, quiet: bool = False) -> None:
    """End what a killed command left half done in the working tree, and say so."""
    from manent.gate import carrying

    if place.root is None:
        return
    try:
        folder = _folder(place)
        if not carrying.interrupted(folder):
            return
    except EnvironmentFault:
        return  # where nothing can be written nothing can be mended; reports read all the same

    def waiting(number: str) -> None:
        say([f"an earlier command was interrupted: waiting for its git commit ({number})"], quiet)

    with carrying.alone(folder.state):
        paths = carrying.mend(folder, waiting)
    if paths:
        say([f"an earlier command was interrupted: put back {', '.join(paths)}"], quiet)


def print_carried(carried: Carried) -> None:
    """Print for a person: the diff of a dry run, else the message or the commits."""
    from manent.finding import inert

    if carried.dry_run:
        _print_diff(carried.diff)
        return
    if carried.commits:
        for commit, change in zip(carried.commits, carried.changes, strict=True):
            subject = change.message.split("\n", 1)[0]
            click.echo(f"{click.style(commit[:10], fg='yellow')} {inert(subject)}")
        return
    for message in carried.messages:
        click.echo(inert_text(message), nl=False)


def _print_diff(diff: bytes) -> None:
    """Print a diff: byte for byte to whatever applies it, inert to a terminal."""
    if sys.stdout.isatty():
        shown = diff.decode("utf-8", "surrogateescape").replace("\t", "    ")
        click.echo(inert_text(shown) if diff else "", nl=False)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(diff)
    sys.stdout.buffer.flush()


def columns(rows: Sequence[Sequence[str]], bold: int = -1) -> list[str]:
    """Return rows as lines, their cells under each other; the column ``bold`` stands out."""
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    lines = []
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=False)]
        cells.append(row[-1])
        if bold >= 0:
            cells[bold] = click.style(cells[bold], bold=True)
        lines.append("  ".join(cells).rstrip())
    return lines


def inert_text(text: str) -> str:
    """Return text of several lines in which nothing can command a terminal."""
    from manent.finding import inert

    return "".join(f"{inert(line)}\n" for line in text.rstrip("\n").split("\n"))


# -- the three ways --------------------------------------------------------------


def _shown(place: Place, asked: How, propose: Propose) -> Carried:
    from manent.gate.admit import merged
    from manent.gate.showing import diff

    proposed = _proposed(place, asked, propose)
    _judge(place, proposed, asked.who.email)
    changes = proposed.changes
    return Carried(changes, [], diff(proposed.before, merged(changes)), True)


def _in_folder(place: Place, asked: How, propose: Propose) -> Carried:
    from manent.gate import carrying

    folder = _folder(place)
    mend(place, asked.quiet)
    with carrying.alone(folder.state):
        proposed = _proposed(place, asked, propose)
        changes, before = proposed.changes, proposed.before
        if not changes:
            return Carried()
        if not asked.commit:
            _judge(place, proposed, asked.who.email)
            carrying.write(folder, changes, before)
            return Carried(changes)
        commits: list[str] = []
        try:
            today, own = _now().date(), asked.who.email
            for made in carrying.commit(folder, changes, before, os.environ, today, own):
                commits.append(made)
        except Refused as refused:
            _tell(refused, commits)
            raise
        return Carried(changes, commits)


def _on_brain(place: Place, asked: How, propose: Propose) -> Carried:
    from manent.gate.admit import admit_series
    from manent.gate.carrying import alone
    from manent.repo.open import state_folder

    repository = place.repository
    branch = repository.head_branch
    committer = person_at(place, role="COMMITTER")
    with alone(state_folder(repository)):
        for attempt in range(TRIES):
            proposed = _proposed(place, asked, propose)
            changes, tip = proposed.changes, proposed.commit
            if not changes:
                return Carried()
            try:
                commits = admit_series(
                    repository, branch, changes, asked.who, _now(), tip, committer
                )
            except _moved():
                if attempt == TRIES - 1:
                    raise
                continue
            except Refused as refused:
                _tell(refused, [])
                raise
            break
    _check_out(place, asked)
    return Carried(changes, commits)


def _moved() -> type[Exception]:
    from manent.gate.admit import Moved

    return Moved


@dataclass(frozen=True, slots=True)
class _Proposed:
    """The Changes, what stands at their paths, the commit that was read, and what
    the Changes put at fault in the vault (of a folder: the gate looks for itself)."""

    changes: list[Any]
    before: dict[str, bytes | None]
    commit: str
    structure: list[Any]


def _proposed(place: Place, asked: How, propose: Propose) -> _Proposed:
    from manent.gate.admit import merged

    with opened(place, asked.frontmatter, None, asked.quiet) as found:
        say(found.remarks, asked.quiet)
        changes = list(propose(found))
        edits = merged(changes)
        before = {path: content_at(found, path) for path in sorted(edits)}
        structure: list[Any] = []
        if place.root is not None and not (asked.commit and not asked.dry_run):
            from manent.gate.carrying import introduced

            structure = introduced(found.vault, edits, _folder(place).policy)
        return _Proposed(changes, before, found.commit or "", structure)


def content_at(found: Opened, path: str) -> bytes | None:
    """Return what stands at a path of the vault that was opened, None for nothing."""
    from manent.errors import NotFound

    try:
        content: bytes = found.vault.tree.read(path)
    except NotFound:
        return None
    return content


def _judge(place: Place, proposed: _Proposed, own: str) -> None:
    from manent.gate import carrying
    from manent.gate.admit import ChangeRefused, judge_series
    from manent.gate.policy import read_policy

    changes, today = proposed.changes, _now().date()
    if place.root is not None:
        carrying.judge(_folder(place), changes, today, own, proposed.structure)
        return
    repository = place.repository
    policy = read_policy(repository.section())
    verdict = judge_series(repository, proposed.commit, changes, policy, today, own=own)
    if not verdict.accepted:
        raise ChangeRefused(verdict)


def _folder(place: Place) -> Any:
    from manent.gate.carrying import Folder

    return Folder(place.root, place.repository, place.prefix)  # type: ignore[arg-type]


def _check_out(place: Place, asked: How) -> None:
    """Bring the brain's checkout along, where it keeps one."""
    from manent.gate.index import check_out
    from manent.gate.policy import read_policy

    policy = read_policy(place.repository.section())
    if policy.checkout:
        try:
            check_out(place.repository, policy)
        except Refused as stays:
            say([str(stays)], asked.quiet)


def _tell(refused: Refused, commits: list[str]) -> None:
    """Print what git or a hook said, and what was committed before it."""
    said = getattr(refused, "said", "")
    if said:
        click.echo(inert_text(said), err=True, nl=False)
    if commits:
        made = ", ".join(commit[:10] for commit in commits)
        click.echo(f"manent: committed before that, and left: {made}", err=True)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


@contextlib.contextmanager
def _held_off() -> Iterator[None]:
    """Turn a polite request to end into an interruption, which leaves nothing half done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {s: signal.signal(s, stop) for s in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
