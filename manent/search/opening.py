"""From a setting to a ranker that compares meaning: the model and the vectors it takes."""

from __future__ import annotations

from manent.errors import EnvironmentFault
from manent.search.dense import Dense, Fused, Waiting
from manent.search.embed.choose import default_model, embedder
from manent.search.index import SearchIndex
from manent.search.making import Opening
from manent.search.meaning import FOLDER, Meaning
from manent.search.ranker import Setting
from manent.search.vectors import folder_of

FEW = 16
"""Notes embedded without anybody noticing: half a second
(``python -m eval.bench.embedding speed``)."""
QUALITY = "e5-512"


def by_meaning(name: str, index: SearchIndex, setting: Setting) -> Dense:
    """Return the ranker ``dense`` or ``fused``. Raises EnvironmentFault naming the extra."""
    kind = Fused if name == "fused" else Dense
    try:
        meaning = meaning_of(index, setting)
    except EnvironmentFault as fault:
        raise EnvironmentFault(f"--retriever {name}: {fault.message}", fault.hint) from fault
    waiting = Waiting(setting.patience, setting.processes, setting.progress)
    return kind(index, meaning, waiting)


def meaning_of(index: SearchIndex, setting: Setting) -> Meaning:
    """Return the vectors that a setting asks for.

    Where no model is named, the one that reads further is taken once its vectors are
    there, and the quick one until then.
    """
    if setting.model == "" and default_model() == "e5" and _has_quality(setting):
        further = named_model(QUALITY, index, setting)
        if not further.bring_up(FEW):
            return further
    return named_model(setting.model, index, setting)


def _has_quality(setting: Setting) -> bool:
    from manent.search.embed.e5 import QUALITY_TOKENS, id_of

    if setting.state is None:
        return False
    return (folder_of(setting.state / FOLDER, id_of(QUALITY_TOKENS)) / "current.json").is_file()


def named_model(model: str, index: SearchIndex, setting: Setting) -> Meaning:
    """Return the vectors of exactly that model, "" for the default."""
    opening = Opening(model, setting.cache)
    return Meaning(index, embedder(model, setting.cache), setting.state, opening)
