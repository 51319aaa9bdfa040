"""``manent serve``: the brain over MCP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from manent.cli.opening import identity_of, locate
from manent.cli.ranking import NAMES
from manent.errors import EnvironmentFault, UsageError


@click.command()
@click.argument("vault", required=False)
@click.option("--http", metavar="[HOST:]PORT", help="Serve over HTTP at /mcp [127.0.0.1].")
@click.option("--token", metavar="TEXT", help="The owner's token [MANENT_HTTP_TOKEN].")
@click.option("--token-file", type=click.Path(), help="A file that holds the owner's token.")
@click.option("--agents", type=click.Path(), help="The agents file [git config manent.agents].")
@click.option("--as", "agent", help="Over stdio: serve as this agent.")
@click.option("--writable", is_flag=True, help="Register the tools that write.")
@click.option("--git", is_flag=True, help="Each write is a commit.")
@click.option("--git-push", is_flag=True, help="Each write is a commit, and pushed forward.")
@click.option("--gaps", metavar="REGISTER", help="Record searches: a file, or postgresql://…")
@click.option("--gaps-threshold", type=click.FloatRange(0, 1), help="Likeness of one question.")
@click.option("--audit", metavar="FILE", help="One line a call: a file, or a database address.")
@click.option("--database", metavar="PLACE", help="Tasks and sign-ins: a file, or postgresql://…")
@click.option(
    "--bundles", metavar="DIR|URL", help="Begin with what another server made of the brain."
)
@click.option(
    "--bundle-key-file", metavar="FILE", type=click.Path(), help="A file that holds its key."
)
@click.option("--publish-bundles", is_flag=True, help="Put there what this server made.")
@click.option("--retriever", type=click.Choice(NAMES), help="The ranker [the best installed].")
@click.option("--model", default="", help="Embeddings: a local folder, a known name, hub:NAME.")
@click.option(
    "--era",
    type=click.Choice(["auto", "legacy", "modern"]),
    default="auto",
    show_default=True,
    help="Which revisions of the protocol are served.",
)
@click.option("--public-url", metavar="URL", help="How clients reach the server over HTTP.")
@click.option(
    "--redirect", metavar="URL", multiple=True, help="Where else a sign-in may lead back to."
)
@click.option("--origin", metavar="URL", multiple=True, help="Whose pages may call the server.")
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Over HTTP: how many processes answer.",
)
@click.option("--no-watch", is_flag=True, help="Do not look for changes.")
@click.option("--metrics", is_flag=True, help="Serve /metrics, to the owner alone.")
@click.option(
    "--frontmatter",
    type=click.Choice(["required", "optional"]),
    help="Whether notes must have a frontmatter [default: git config manent.frontmatter].",
)
@click.option("--branch", default="", help="The branch of a brain [the one HEAD names].")
@click.pass_context
def serve(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """Serve VAULT, a folder or a brain, to MCP clients: over stdio, or over HTTP.

    Needs the extra `serve`.

    Example: manent serve my-vault --writable
    """
    _check(options)
    try:
        from manent.server.importing import import_sdk

        import_sdk()
    except ImportError:
        raise EnvironmentFault("the MCP SDK is not installed", "install manent[serve]") from None
    from manent.cli.serving import Serving

    place = locate(vault)
    quiet = bool(ctx.obj["quiet"])
    if options["http"] is not None and options["processes"] > 1:
        ctx.exit(_in_several(vault, options, quiet))
    if options["http"] is not None:
        Serving(place, options, quiet).over_http()
        return
    identity = identity_of(place, options["agent"], options["agents"])
    Serving(place, options, quiet).over_stdio(identity)


def _in_several(vault: str | None, options: dict[str, Any], quiet: bool) -> int:
    from manent.cli.serving import Serving
    from manent.cli.several import run
    from manent.errors import ManentError
    from manent.server.address import Place, place_of

    def serve_one(place: Place, number: int, listening: Callable[[], None]) -> int:
        given = {**options, "http": place.text}
        try:
            # Located anew: nothing that was opened before the fork is used after it.
            Serving(locate(vault), given, quiet, number).over_http(listening)
        except ManentError as fault:
            click.echo(f"manent: {fault}", err=True)
            return fault.exit_code
        return 0

    return run(place_of(options["http"]), options["processes"], serve_one)


def _check(options: dict[str, Any]) -> None:
    http = options["http"] is not None
    for name in ("token", "token_file", "public_url", "redirect", "origin"):
        if options[name] and not http:
            raise UsageError(f"--{name.replace('_', '-')} is for HTTP", "add --http")
    if options["metrics"] and not http:
        raise UsageError("--metrics is for HTTP", "add --http")
    if options["processes"] > 1 and not http:
        raise UsageError("--processes is for HTTP", "add --http")
    if options["processes"] > 1 and options["metrics"]:
        raise UsageError("each process would count for itself", "leave --metrics out")
    for name in ("database", "gaps", "audit"):
        _check_place(name, options[name])
    if options["redirect"] and not options["public_url"]:
        raise UsageError("--redirect is about signing in", "add --public-url")
    if options["agent"] is not None and http:
        raise UsageError("--as is for stdio", "over HTTP the token says who asks")
    if bool(options["bundles"]) != bool(options["bundle_key_file"]):
        raise UsageError("--bundles and --bundle-key-file FILE go together", "give both")
    if options["publish_bundles"] and not options["bundles"]:
        raise UsageError("--publish-bundles needs to know where", "add --bundles DIR")
    if (options["git"] or options["git_push"]) and not options["writable"]:
        raise UsageError("--git is about writes", "add --writable")


def _check_place(name: str, where: str | None) -> None:
    """Refuse an address that cannot be read before anything is opened or made."""
    from manent.gaps.address import address_of

    if where == "sqlite://":
        raise UsageError("sqlite:// forgets everything at the end", "sqlite:///FILE keeps it")
    if where:
        address_of(where, f"place of --{name}")
