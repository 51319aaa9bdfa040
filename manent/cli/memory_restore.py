"""``manent memory restore``: the compiled file, back where it stood."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("directory", metavar="DIR", default=".", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def restore(ctx: click.Context, directory: str, as_json: bool) -> None:
    """Rebuild the memory file of DIR, byte for byte, and put it in the stub's place.

    From always.md, the on-demand files and the manifest alone. Where one of them was
    edited, the edited text. The workspace stays; delete .memory/ when it is not wanted.

    Example: manent memory restore .
    """
    from manent.cli.asking import print_json
    from manent.cli.opening import say
    from manent.memfile.restore import restored
    from manent.memfile.workspace import opened

    done = restored(opened(Path(directory)).root)
    remarks = [f"{path} is in no manifest: left where it is" for path in done.aside]
    if done.kept:
        remarks.append(f"what stood at {done.path.name} is in .memory/previous/")
    if as_json:
        print_json(
            {
                "path": str(done.path),
                "bytes": len(done.data),
                "exact": done.exact,
                "remarks": remarks,
            }
        )
        return
    say(remarks, bool((ctx.obj or {}).get("quiet")))
    how = "byte for byte as it was compiled" if done.exact else "with the edits made since"
    click.echo(f"restored {done.path.name}, {how}")
