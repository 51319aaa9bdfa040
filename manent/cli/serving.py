"""From the options of ``manent serve`` to a server that runs."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import anyio

from manent.access import Identity
from manent.cli.opening import Place, processes
from manent.cli.ranking import cache_folder
from manent.server.brain import Brain
from manent.server.dispatch import Dispatcher, Parts
from manent.server.protocol import BrainOffer, build
from manent.server.served import Served


class Serving:
    """A server put together as the command line says."""

    def __init__(self, place: Place, options: dict[str, Any], quiet: bool) -> None:
        self.options = options
        self.quiet = quiet
        self.served = _served(place, options)
        self.brain = Brain(self.served)
        self.parts = Parts()
        self.dispatcher = Dispatcher(self.brain, self.parts)
        self.offer = BrainOffer(self.dispatcher)

    def over_stdio(self, identity: Identity) -> None:
        """Serve one identity on standard input and output until the input ends."""
        from manent.server.stdio import serve

        server = build(self.offer, lambda context: identity)
        self.brain.start()
        try:
            anyio.run(partial(serve, server, self.options["era"]))
        finally:
            self.close()

    def over_http(self) -> None:
        """Serve everybody who has a token, until the process is told to end."""
        raise AssertionError("to come")

    def close(self) -> None:
        """Finish what is under way."""
        self.offer.close()
        self.brain.close()


def _served(place: Place, options: dict[str, Any]) -> Served:
    repository = place.repository
    branch = options["branch"] or ("" if repository is None else repository.head_branch)
    return Served(
        place.root,
        repository,
        place.prefix,
        branch,
        place.state,
        dict(os.environ),
        options["frontmatter"] or "",
        options["retriever"] or "",
        options["model"],
        cache_folder(),
        processes(),
    )
