"""``manent index``: bring the derived stores up to the vault, or say where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from manent.cli.asking import print_json
from manent.cli.embedding import embed, vectors_of
from manent.cli.opening import (
    Opened,
    Place,
    folder_tree,
    guarded,
    locate,
    opened,
    processes,
    say,
    vault_options,
)
from manent.cli.ranking import model_option
from manent.cli.revision import resolved
from manent.errors import EnvironmentFault, UsageError


@click.command()
@click.argument("vault", required=False)
@vault_options
@click.option("--status", is_flag=True, help="Say where index and vectors stand; change nothing.")
@click.option("--rebuild", is_flag=True, help="Throw the derived data away and make it anew.")
@click.option("--embed", is_flag=True, help="Give every note a vector too, for dense and fused.")
@model_option
@click.option(
    "--bundle", metavar="DIR", type=click.Path(), help="Publish what was made, for other servers."
)
@click.option(
    "--bundle-key-file", metavar="FILE", type=click.Path(), help="A file that holds the key."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def index(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """Index the notes of VAULT. Derived data only: deleting it loses nothing.

    Example: manent index my-vault
    """
    quiet = bool(ctx.obj["quiet"])
    place = locate(vault, options["rev"])
    if options["model"] and not options["embed"]:
        raise UsageError("--model says what to embed by", "add --embed")
    if options["status"] and (options["rebuild"] or options["embed"]):
        other = "rebuild" if options["rebuild"] else "embed"
        raise UsageError(f"--status and --{other} exclude each other")
    publishing = _publishing(place, options)
    if options["status"]:
        with guarded(place):
            standing = _status(place, options["as_json"])
        ctx.exit(standing)
    if options["rebuild"]:
        _discard(place.state)
    with opened(place, options["frontmatter"], None, quiet) as found:
        say(found.remarks, quiet)
        model = options["model"] if options["embed"] else None
        _index(found, model, publishing, options["as_json"], quiet)


def _publishing(place: Place, options: dict[str, Any]) -> Any:
    """Return what publishes a bundle, None where none was asked for. Raises UsageError."""
    folder, file = options["bundle"], options["bundle_key_file"]
    if not folder and not file:
        return None
    if not folder or not file:
        raise UsageError("--bundle DIR and --bundle-key-file FILE go together", "give both")
    if options["status"]:
        raise UsageError("--status and --bundle exclude each other")
    if not place.from_commit:
        raise UsageError("a bundle is named by a tree, and a folder has none", "add --rev HEAD")
    if "://" in folder:
        raise UsageError("a bundle is published in a folder", "a web server can give it out")
    from manent.cli.bundles import read_key
    from manent.server.bundle.making import Publisher

    return Publisher(place.state, Path(folder), read_key(file), processes())


def _published(found: Opened, publishing: Any) -> Any:
    from manent.repo.git_tree import GitTree

    if found.state is None:
        raise EnvironmentFault("there is no place to make a bundle in", "see the line above")
    at = GitTree(found.place.repository, str(found.tree), found.place.prefix)
    return publishing.publish(found.vault, at)


def _index(found: Opened, model: str | None, publishing: Any, as_json: bool, quiet: bool) -> None:
    """Index what was opened, embed it by a model unless that is None, publish it if asked."""
    from manent.search.index import SearchIndex

    notes, files = found.vault.counts()
    index = SearchIndex(found.vault, found.state and found.state / "search")
    read = 0
    if found.state is None or found.aside:
        index.open()
    else:
        read = index.update(processes())
    embedded = None if model is None else embed(found, index, model, quiet)
    bundle = None if publishing is None else _published(found, publishing)
    if as_json:
        said = {"tree": found.tree, "notes": notes, "files": files, "indexed": read}
        if embedded is not None:
            said |= {"model": embedded.model, "embedded": embedded.made}
        if bundle is not None:
            said["bundle"] = {
                "path": str(bundle.path),
                "made": bundle.made,
                "notes": bundle.notes,
                "vectors": bundle.vectors,
            }
        print_json(said)
    elif not quiet:
        click.echo(f"{_size(notes, files)}; {read} indexed now")
        if embedded is not None and embedded.busy:
            click.echo("another process is embedding this vault")
        elif embedded is not None:
            click.echo(f"{embedded.made} embedded now by {embedded.model}")
        if bundle is not None:
            state = "published" if bundle.made else "stands already"
            click.echo(f"{bundle.path}: {state}, {bundle.vectors} vectors")


def _status(place: Any, as_json: bool) -> int:
    """Compare the store with the tree by ids alone, writing nothing."""
    from manent.facts.store import STORE, Store
    from manent.search.index import SearchIndex
    from manent.vault.vault import Vault

    stored = (place.state / STORE).is_file()
    notes = files = 0
    at, current = "", False
    if stored:
        store = Store(place.state / STORE)
        vault = Vault(store)
        notes, files = vault.counts()
        at = vault.stamp
        current = SearchIndex(vault, place.state / "search").current
        current = current and (place.from_commit or _is_as_read(vault, place))
    vectors = vectors_of(vault if stored else None, place.state)
    if stored:
        store.close()
    wanted = resolved(place.repository, place.rev)[1] if place.from_commit else ""
    current = current and (not wanted or wanted == at)
    if as_json:
        said = {"tree": at or None, "notes": notes, "files": files, "current": current}
        print_json(said | vectors.document())
    elif not stored:
        click.echo("not indexed yet")
    else:
        state = "up to date" if current else "behind"
        where = f" at tree {at[:10]}" if at else ""
        click.echo("\n".join([f"{_size(notes, files)}, {state}{where}", *vectors.lines()]))
    return 0 if current else 1


def _size(notes: int, files: int) -> str:
    from manent.finding import counted

    return f"{counted(notes, 'note')} in {counted(files, 'file')}"


def _is_as_read(vault: Any, place: Any) -> bool:
    """Tell whether the folder still holds what the store was filled from."""
    tree = folder_tree(place, vault)
    now = {(entry.path, entry.oid, entry.kind) for entry in tree.entries()}
    return now == {(entry.path, entry.oid, entry.kind) for entry in vault.files()}


def _discard(state: Any) -> None:
    import shutil

    from manent.facts.store import STORE

    for name in (STORE, f"{STORE}-wal", f"{STORE}-shm"):
        (state / name).unlink(missing_ok=True)
    folder = state / "search"
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
