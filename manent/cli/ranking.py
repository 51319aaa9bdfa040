"""What every command that ranks shares: --retriever, --model, and the ranker they name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from manent.cli.asking import Asked
from manent.cli.opening import processes
from manent.values import replace

_PASSAGES = "manent.passages"

F = TypeVar("F", bound=Callable[..., Any])

NAMES = ("bm25", "dense", "hybrid", "fused")
"""As ``manent.search.ranker.NAMES``, here so that ``--help`` loads nothing heavy."""


def ranker_options(command: F) -> F:
    """Add --retriever and --model."""
    command = model_option(command)
    return click.option(
        "--retriever", type=click.Choice(NAMES), help="The ranker [the best that is installed]."
    )(command)


def model_option(command: F) -> F:
    """Add --model, and --passages, which ``setting_of`` looks up: it is no argument."""
    command = click.option(
        "--passages",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help="Embed the passages of a note rather than the note.",
    )(command)
    return click.option(
        "--model", default="", help="Embeddings: a local folder, a known name, or hub:NAME."
    )(command)


def _remember(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.meta[_PASSAGES] = value


def wants_passages() -> bool:
    """Whether --passages was given to the command that runs."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.meta.get(_PASSAGES))


def ranker_of(
    asked: Asked,
    retriever: str | None,
    model: str,
    index: Any = None,
    patience: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Return the ranker of that name, None for the default, over what was opened.

    index: the search index, where the caller has one already. patience: how many notes
    may be embedded before an answer, None for all. progress: is told of it.
    """
    from manent.search.opening import by_default
    from manent.search.ranker import make

    setting = replace(setting_of(asked, model), patience=patience, progress=progress)
    found = index_of(asked) if index is None else index
    return by_default(found, setting) if retriever is None else make(retriever, found, setting)


def setting_of(asked: Asked, model: str) -> Any:
    """Return what a ranker may need beside the index."""
    from manent.search.ranker import Setting

    return Setting(model, asked.found.state, cache_folder(), processes(), passages=wants_passages())


def cache_folder() -> Path:
    """Return the user's cache folder: what is made once for all vaults."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manent"


def index_of(asked: Asked) -> Any:
    """Return the search index of what was opened, brought up to date where it is kept."""
    from manent.errors import EnvironmentFault
    from manent.search.index import SearchIndex

    found = asked.found
    index = SearchIndex(found.vault, None if found.state is None else found.state / "search")
    if found.state is not None and not found.aside:
        try:
            index.update(processes())
        except (OSError, EnvironmentFault) as fault:
            # The answer does not depend on it: what the disk lacks is laid on top.
            click.echo(f"manent: the search index was not saved: {fault}", err=True)
    return index
