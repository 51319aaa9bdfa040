"""``manent eval hash``: a golden set whose names nobody can read but who has the vault."""

from __future__ import annotations

from pathlib import Path

import click

from manent.cli.asking import asker, asking
from manent.cli.evaluating import read_golden, salt_of, write_text
from manent.cli.opening import say, vault_options
from manent.errors import UsageError


@click.command(name="hash")
@click.argument("places", nargs=-1, metavar="[VAULT] [GOLDEN]")
@click.option("--golden", type=click.Path(), help="The golden set, if it is no argument.")
@click.option("--out", type=click.Path(), help="Write to this file instead of stdout.")
@vault_options
@click.pass_context
def hash_names(
    ctx: click.Context,
    /,
    places: tuple[str, ...],
    golden: str | None,
    out: str | None,
    rev: str,
    frontmatter: str | None,
) -> None:
    """Name the notes of GOLDEN by digests under the salt of VAULT, and print the set.

    A set published so still resolves against its own vault. Its questions stay
    as they are: read them before you publish it.

    Example: manent eval hash my-vault --golden private.json --out public.json
    """
    from manent import golden as sets

    vault, path = _sorted_out(places, golden)
    wanted = read_golden(path)
    options = {"rev": rev, "frontmatter": frontmatter, "agent": None, "agents": None}
    with asking(asker(ctx, vault, options)) as asked:
        salt = salt_of(asked)
        known = {note.name for note in asked.view.notes()}
    if not salt:
        raise UsageError(
            "the vault has no salt, and without one names can be guessed",
            'make .manent-allow with the line {"salt": "<32 random hex digits>"}',
        )
    names = dict.fromkeys(name for query in wanted.queries for name in query.expected)
    absent = [n for n in names if not sets.is_hashed(n) and n not in known]
    say([f"no note {name}: its digest resolves to nothing" for name in absent], False)
    text = sets.spelled(sets.published(wanted, salt))
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out, text)
    ctx.exit(1 if absent else 0)


def _sorted_out(places: tuple[str, ...], golden: str | None) -> tuple[str | None, str]:
    """Tell the vault (a folder) from the golden set (a file) among the arguments."""
    folders = [place for place in places if Path(place).is_dir()]
    files = [place for place in places if place not in folders]
    if golden is not None:
        files.insert(0, golden)
    if len(files) != 1 or len(folders) > 1:
        raise UsageError("give one golden set, and at most one vault")
    return (folders[0] if folders else None), files[0]
