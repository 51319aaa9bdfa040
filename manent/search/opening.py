"""From a setting to a ranker that compares meaning: the model and the vectors it takes."""

from __future__ import annotations

from pathlib import Path

from manent.errors import EnvironmentFault
from manent.search.dense import Dense, Fused, Waiting
from manent.search.embed.choose import default_model, embedder
from manent.search.index import SearchIndex
from manent.search.making import Opening
from manent.search.meaning import FOLDER, Meaning
from manent.search.ranker import Lexical, Ranker, Setting
from manent.search.vectors import folder_of

QUALITY = "e5-512"


def by_default(index: SearchIndex, setting: Setting) -> Ranker:
    """Return the ranker used where none is named: the best that is ready.

    That is ``fused`` once the notes have vectors, or where a model is named; else words
    alone, which says why.
    """
    if setting.model or setting.passages or has_vectors(setting):
        return by_meaning("fused", index, setting)
    words = Lexical(index)
    if not default_model():
        words.remarks = ["words alone answered: no embedding model is here (manent[dense] adds it)"]
    else:
        words.remarks = ["words alone answered: `manent index --embed` adds meaning"]
    return words


def has_vectors(setting: Setting) -> bool:
    """Whether notes were embedded by the default model, without opening it."""
    model = default_model()
    if setting.state is None or not model or not (setting.state / FOLDER).is_dir():
        return False
    if model != "e5":
        return any((setting.state / FOLDER).glob(f"{model}-*/current.json"))
    from manent.search.embed.e5 import FIRST_TOKENS

    return _stands(setting.state, FIRST_TOKENS) or has_quality(setting.state)


def by_meaning(name: str, index: SearchIndex, setting: Setting) -> Dense:
    """Return the ranker ``dense`` or ``fused``. Raises EnvironmentFault naming the extra."""
    kind = Fused if name == "fused" else Dense
    try:
        meaning = named_model(setting.model, index, setting)
        further = further_of(index, setting)
    except EnvironmentFault as fault:
        raise EnvironmentFault(f"--retriever {name}: {fault.message}", fault.hint) from fault
    waiting = Waiting(setting.patience, setting.processes, setting.progress)
    return kind(index, meaning, waiting, further)


def further_of(index: SearchIndex, setting: Setting) -> Meaning | None:
    """Return the vectors that are better than those of the default, None where none were begun.

    Whether they are used is asked for each View apart (``Dense.bring_up``).
    """
    unnamed = setting.model == "" and not setting.passages
    if unnamed and default_model() == "e5" and has_quality(setting.state):
        return named_model(QUALITY, index, setting)
    return None


def has_quality(state: Path | None) -> bool:
    """Whether vectors of the default model's full reach were begun in a folder of derived data."""
    from manent.search.embed.e5 import QUALITY_TOKENS

    return state is not None and _stands(state, QUALITY_TOKENS)


def _stands(state: Path, tokens: int) -> bool:
    from manent.search.embed.e5 import id_of

    return (folder_of(state / FOLDER, id_of(tokens)) / "current.json").is_file()


def named_model(model: str, index: SearchIndex, setting: Setting) -> Meaning:
    """Return the vectors of exactly that model, "" for the default."""
    opening = Opening(model, setting.cache)
    made = embedder(model, setting.cache)
    if setting.passages:
        from manent.search.passages import Passages

        return Passages(index, made, setting.state, opening)
    return Meaning(index, made, setting.state, opening)
