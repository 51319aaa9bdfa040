"""What the commands that embed share: vectors brought up, with progress on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from manent.cli.opening import Opened, processes
from manent.cli.progress import counting
from manent.cli.ranking import cache_folder, wants_passages

BY_DEFAULT = 16
"""Notes embedded before an answer nobody asked vectors for: half a second."""
ASKED_FOR = 500
"""Notes embedded before an answer where a ranker of meaning was named: half a minute."""


class Embedded(NamedTuple):
    """What came of embedding. made: vectors made now. busy: another process is at it."""

    model: str
    made: int
    notes: int
    busy: bool = False


def embed(found: Opened, index: Any, model: str, quiet: bool) -> Embedded:
    """Give every note of what was opened a vector by that model."""
    from manent.errors import EnvironmentFault
    from manent.search.background import alone
    from manent.search.meaning import FOLDER
    from manent.search.opening import named_model
    from manent.search.ranker import Setting

    state = None if found.aside else found.state
    if state is None:
        raise EnvironmentFault("there is no place to keep vectors", "index the vault itself")
    with alone(state / FOLDER) as free, counting(EMBEDDED, quiet) as progress:
        if not free:
            return Embedded(model, 0, found.vault.counts()[0], busy=True)
        meaning = named_model(
            model, index, Setting(model, state, cache_folder(), passages=wants_passages())
        )
        before = len(meaning.store)
        meaning.bring_up(None, processes(), progress)
        return Embedded(
            meaning.kept_as(meaning.model), len(meaning.store) - before, found.vault.counts()[0]
        )


EMBEDDED = "{} of {} notes embedded"
"""What the line of progress says."""


class Vectors(NamedTuple):
    """Where the vectors of a vault stand. embedding: a process makes some right now."""

    models: Sequence[Any]
    embedding: bool

    def document(self) -> dict[str, Any]:
        """Return them as ``manent index --status --json`` has them."""
        rows = [
            {"model": m.model, "notes": m.notes, "missing": m.missing, "bytes": m.size_bytes}
            for m in self.models
        ]
        return {"vectors": rows, "embedding": self.embedding}

    def lines(self) -> Iterator[str]:
        """Yield them for people."""
        from manent.finding import counted

        for one in self.models:
            held = f"{counted(one.notes, 'note')} with a vector, {one.missing} without"
            yield f"{one.model}: {held}, {one.size_bytes / 1e6:.1f} MB"
        if not self.models:
            yield "no vectors: `manent index --embed` makes them"
        if self.embedding:
            yield "a process is embedding now"


def vectors_of(vault: Any, state: Path) -> Vectors:
    """Return where the vectors stand; vault: None where it was never indexed."""
    from manent.search.background import embedding
    from manent.search.meaning import FOLDER
    from manent.search.standing import standings

    models = [] if vault is None else standings(vault, state)
    return Vectors(models, embedding(state / FOLDER))


def background_command(vault: Path, model: str = "") -> Sequence[str]:
    """Return the command that embeds a vault, for ``search.background.Background``."""
    command = [sys.executable, "-m", "manent", "--quiet", "index", "--embed"]
    return [*command, *(["--model", model] if model else []), "--", str(vault)]
