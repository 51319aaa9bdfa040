"""From what a user typed to a vault that can be asked: folder, brain or revision."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from manent.cli.progress import counting
from manent.errors import EnvironmentFault, ManentError, NotAVault, StoreDamaged, UsageError
from manent.values import dataclass, field

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Place:
    """A vault as named on the command line.

    root: its folder, None for a bare repository. repository: the one it is or
    stands in, None for a plain folder. prefix: the folder within the
    repository that is the vault's root. rev: what --rev said, "" for none.
    """

    root: Path | None
    repository: Any
    prefix: str
    rev: str

    @property
    def from_commit(self) -> bool:
        """Whether the notes are read from git's objects rather than a folder."""
        return self.root is None or bool(self.rev)

    @property
    def state(self) -> Path:
        """The folder of derived data."""
        if self.repository is None:
            assert self.root is not None
            return self.root / ".manent"
        from manent.repo.open import state_folder

        folder = state_folder(self.repository)
        return folder / f"at-{self.prefix.replace('/', '-')}" if self.prefix else folder

    def section(self) -> dict[str, list[str]]:
        """Return the repository's ``manent.*`` settings, {} where there is no repository."""
        return {} if self.repository is None else dict(self.repository.section())


@dataclass(slots=True)
class Opened:
    """A vault standing at the tree that was asked for.

    tree, commit: ids where it stands at a commit, else None. aside: it is only
    laid over the store, which stands elsewhere. remarks: for stderr. unread: what was
    left out because it cannot be read, by path, with why.
    """

    place: Place
    vault: Any
    tree: str | None
    commit: str | None
    state: Path | None
    aside: bool = False
    remarks: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


def locate(vault: str | None, rev: str = "") -> Place:
    """Find what ``vault`` names: a folder, a repository, or by default the vault around us.

    The default is the nearest parent with ``.git``, else with ``MEMORY.md`` or
    ``.manentignore``, else the current folder. Raises NotAVault.
    """
    from manent.repo.open import discover

    start = Path(vault) if vault is not None else _around(_here())
    if not is_vault(str(start)):
        raise NotAVault(f"no folder {start}", "name a vault: a folder or a repository")
    refuse_secrets(start)
    start = start.resolve()
    repository = discover(start, os.environ)
    if repository is not None and repository.is_bare:
        return Place(None, repository, "", rev)
    if repository is None:
        if rev:
            raise NotAVault(f"{start} is in no git repository", "--rev needs one")
        return Place(start, None, "", "")
    assert repository.workdir is not None
    prefix = start.relative_to(repository.workdir.resolve()).as_posix()
    return Place(start, repository, "" if prefix == "." else prefix, rev)


def refuse_secrets(start: Path) -> None:
    """Raise NotAVault for a folder in ``secrets``, by the name it was given or its real one."""
    from manent.tree import is_secret

    for place in (start.absolute(), start.resolve()):
        if is_secret(place.as_posix()):
            message = f"{start} lies in a secrets folder, which is never read"
            raise NotAVault(message, "name a folder outside of it")


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NotAVault("the current folder is gone", "change to another one") from None


def _around(here: Path) -> Path:
    for marks in ((".git",), ("MEMORY.md", ".manentignore")):
        for folder in (here, *here.parents):
            if any((folder / mark).exists() for mark in marks):
                return folder
    return here


def is_vault(text: str) -> bool:
    """Tell whether an argument names a folder: so VAULT and QUERY can both be left out."""
    return os.path.isdir(text)  # noqa: PTH112 - Path's raises for a name too long to be one


def conventions(place: Place, frontmatter: str | None) -> Any:
    """Return how the notes are read: the command line, else the repository's settings."""
    from manent.gate.policy import read_policy
    from manent.vault.record import Conventions

    said = read_policy(place.section())
    optional = said.frontmatter_optional if frontmatter is None else frontmatter == "optional"
    return Conventions(optional, said.links == "dendron")


def policy(place: Place, audiences: str | None) -> Any:
    """Return the rules' policy: the command line, else the repository's settings."""
    from manent.gate.policy import read_policy
    from manent.lint.subject import Policy

    said = read_policy(place.section())
    labels = said.audiences
    if audiences is not None:
        labels = frozenset(audiences.replace(",", " ").split()) or None
    return Policy(labels, said.phone_regions, said.addressed, said.locations)


def _agents_file(place: Place) -> str:
    from manent.gate.policy import read_policy

    return read_policy(place.section()).agents


@contextlib.contextmanager
def opened(
    place: Place,
    frontmatter: str | None = None,
    context_of: Any = None,
    quiet: bool = False,
    meanwhile: Callable[[Any], None] = lambda vault: None,
    leaves_out: bool = False,
) -> Iterator[Opened]:
    """Bring the vault's store to the tree that was asked for and hold it open.

    meanwhile: done with the vault as soon as it stands there, while content may still
    be scanned. leaves_out: what cannot be read is left out, and is in ``unread``, where
    otherwise it stops everything.

    A revision other than what the store stands at is laid over it for the time
    of the block and leaves nothing but parsed facts behind.
    """
    how = (context_of, quiet, meanwhile, leaves_out)
    with guarded(place), _attempt(place, frontmatter, *how) as found:
        yield found


@contextlib.contextmanager
def guarded(place: Place) -> Iterator[None]:
    """Turn what SQLite, or a reader of rows, may say of the store into errors a user can
    act on. A store that holds what nobody wrote is thrown away (``StoreRemoved``)."""
    from manent.facts.store import STORE, fault_of

    try:
        yield
    except Exception as error:
        if isinstance(error, ManentError | OSError) and not isinstance(error, StoreDamaged):
            raise
        fault = fault_of(error, place.state / STORE)
        if fault is None:
            raise
        raise fault from error


@contextlib.contextmanager
def _attempt(
    place: Place,
    frontmatter: str | None,
    context_of: Any,
    quiet: bool,
    meanwhile: Callable[[Any], None],
    leaves_out: bool,
) -> Iterator[Opened]:
    from manent.vault.vault import Vault

    remarks: list[str] = []
    store, state = _store(place, remarks)
    vault = Vault(store, conventions(place, frontmatter))
    found = Opened(place, vault, None, None, state, remarks=remarks)
    with contextlib.ExitStack() as stack:
        stack.callback(store.close)
        progress = stack.enter_context(counting("{} files read", quiet))
        reading = (context_of, processes(), progress, partial(meanwhile, vault))
        if place.from_commit:
            _to_commit(found, stack, leaves_out, *reading)
            vault = found.vault
        else:
            _to_folder(found, leaves_out, *reading)
        if vault.ignore.everything:
            remarks.append(".manentignore is no UTF-8 text: everything is ignored until it is")
        yield found


def _store(place: Place, remarks: list[str]) -> tuple[Any, Path | None]:
    from manent.facts.store import STORE, Store

    try:
        state = place.state
        return Store(state / STORE), state
    except EnvironmentFault as fault:
        remarks.append(f"working in memory: {fault}")
        return Store(None), None


def processes() -> int:
    """Return how many processes a long piece of work may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def folder_tree(place: Place, vault: Any, leaves_out: bool = False) -> Any:
    """Return the folder as it is now; what ``vault`` knows of it is not read again."""
    from manent.repo.worktree import ignored
    from manent.tree import WorkTree

    assert place.root is not None
    skipped = ignored(place.root, os.environ) if place.repository is not None else ()
    return WorkTree(place.root, skipped, vault.known(), time.time_ns(), leaves_out)


def _to_folder(found: Opened, leaves_out: bool, context_of: Any, *how: Any) -> None:
    from manent.vault.sync import sync

    tree = folder_tree(found.place, found.vault, leaves_out)
    found.unread = tree.unread
    sync(found.vault, tree, "", None, context_of, *how)


def _to_commit(
    found: Opened, stack: contextlib.ExitStack, leaves_out: bool, context_of: Any, *how: Any
) -> None:
    from manent.cli.revision import resolved
    from manent.repo.git_tree import GitTree
    from manent.repo.objects import MissingObject
    from manent.vault.commit import differences_to, sync_commit
    from manent.vault.sync import prefetch

    place, vault = found.place, found.vault
    commit, tree = resolved(place.repository, place.rev)
    found.commit, found.tree = commit or None, tree
    try:
        if place.root is not None or place.rev:
            found.aside = True
            # The store belongs to the folder, or to the branch: this is a look aside.
            at = GitTree(place.repository, tree, place.prefix)
            prefetch(vault, at, differences_to(vault, place.repository, at))
            stack.enter_context(vault.store.transaction(keep=False))
            context_of = None
        sync_commit(vault, place.repository, tree, place.prefix, context_of, *how)
    except MissingObject as missing:
        at = GitTree(place.repository, tree, place.prefix)
        if not leaves_out:
            raise _named(missing, at) from missing
        _to_what_is_there(found, at)


def _named(missing: EnvironmentFault, tree: Any) -> EnvironmentFault:
    """Return what is missing by its path: an object id helps nobody to find it."""
    path = next((e.path for e in tree.entries() if e.oid and e.oid in missing.message), "")
    return EnvironmentFault(f"cannot read {path or 'the tree'}: {missing.message}", _FETCH)


_FETCH = "fetch it from a complete clone; git fsck lists what is missing"


def _to_what_is_there(found: Opened, tree: Any) -> None:
    """Stand at a tree of which content is missing, in memory: a store would be believed."""
    from manent.facts.store import Store
    from manent.tree import Readable
    from manent.vault.sync import sync
    from manent.vault.vault import Vault

    found.vault = Vault(Store(None), found.vault.conventions)
    found.state, found.aside = None, True
    readable = Readable(tree)
    sync(found.vault, readable)
    found.unread = {path: f"{why} ({_FETCH})" for path, why in readable.unread.items()}


def unread_lines(found: Opened) -> list[str]:
    """Return a line for each of what was left out, for who may know of it."""
    rows = sorted(found.unread.items())
    lines = [f"cannot read {path}: {why}; it is left out" for path, why in rows[:_MOST_LINES]]
    if len(rows) > _MOST_LINES:
        lines.append(f"and {len(rows) - _MOST_LINES} more that cannot be read")
    return lines


_MOST_LINES = 20


def say(remarks: list[str], quiet: bool) -> None:
    """Print remarks on stderr, each on a line."""
    from manent.finding import inert

    if not quiet:
        for remark in remarks:
            click.echo(f"manent: {inert(remark)}", err=True)


class Fraction(click.FloatRange):
    """A number within bounds. What is no number at all lies within none."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number; fail for NaN, which no comparison refuses."""
        number: float = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is no number", param, ctx)
        return number


def vault_options(command: F) -> F:
    """Add --rev and --frontmatter, which every reading command takes."""
    command = click.option(
        "--frontmatter",
        type=click.Choice(["required", "optional"]),
        help="Whether notes must have a frontmatter [default: git config manent.frontmatter].",
    )(command)
    return click.option("--rev", default="", help="Read this commit, tag or tree instead.")(command)


def identity_options(command: F) -> F:
    """Add --as and --agents: answer through an agent's View."""
    command = click.option(
        "--agents", type=click.Path(), help="The agents file [default: git config manent.agents]."
    )(command)
    return click.option("--as", "agent", help="Answer as this agent sees the vault.")(command)


def identity_of(place: Place, agent: str | None, agents: str | None) -> Any:
    """Return who asks: the owner, unless --as names an agent of the agents file."""
    from manent.access import OWNER, load_agents
    from manent.access import agent as find

    if agent is None:
        return OWNER
    named = agents or _agents_file(place)
    if not named:
        raise UsageError("--as needs an agents file", "add --agents FILE")
    try:
        text = Path(named).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFault(f"cannot read the agents file {named}: {error}") from error
    return find(load_agents(text, named), agent)
