"""What the verbs of ``manent eval`` share: a golden set read, a judge, outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from manent.cli.asking import Asked
from manent.cli.opening import say
from manent.cli.ranking import NAMES, index_of, ranker_of
from manent.errors import EnvironmentFault, NotFound, UsageError


def read_text(path: str, what: str) -> str:
    """Return the text of a file the user named."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFault(f"cannot read the {what} {path}: {_why(error)}") from error


def read_golden(path: str) -> Any:
    """Return the golden set in a file."""
    from manent import golden

    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise EnvironmentFault(f"cannot read the golden set {path}: {_why(error)}") from error
    return golden.read(content, path)


def write_text(path: str, text: str) -> None:
    """Write a file the user named, whole or not at all."""
    target = Path(path)
    fresh = target.with_name(f".{target.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8", errors="surrogatepass")
        fresh.replace(target)
    except OSError as error:
        raise EnvironmentFault(f"cannot write {path}: {_why(error)}") from error


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def golden_of(asked: Asked, path: str | None, auto: bool) -> Any:
    """Return the set to judge by: the file's, queries from descriptions, or both."""
    from manent import golden

    if path is not None and not auto:
        found = read_golden(path)
    else:
        notes = [(n.name, n.description) for n in asked.view.notes() if n.description]
        found = golden.derived(notes)
        if path is not None:
            own = read_golden(path)
            found = replace(own, queries=own.queries + found.queries)
    if not found.queries:
        raise UsageError("there is no query to judge by", "give a golden set that has some")
    return found


def salt_of(asked: Asked) -> bytes:
    """Return the salt of the vault, b"" where it has none."""
    from manent.finding import NO_SALT
    from manent.gate import allow

    try:
        salt = allow.parse(asked.found.vault.tree.read(allow.FILE)).salt
    except NotFound:
        return b""
    return b"" if salt == NO_SALT else salt


def judge_of(asked: Asked, golden: Any) -> Any:
    """Return a judge of rankers over the View of whoever asks."""
    from manent.evaluate.judge import Judge
    from manent.golden import is_hashed

    published = any(is_hashed(name) for query in golden.queries for name in query.expected)
    return Judge(golden, asked.view, salt_of(asked) if published else b"")


def outcomes_of(
    asked: Asked,
    judge: Any,
    retriever: str | None,
    model: str,
    quiet: bool = False,
    progress: Callable[[int], None] | None = None,
) -> list[Any]:
    """Judge one ranker, or all that this installation has."""
    index = index_of(asked)
    outcomes = []
    for name in NAMES if retriever == "all" else (retriever or best_installed(model, quiet),):
        try:
            ranker = ranker_of(asked, name, model, index)
        except (UsageError, EnvironmentFault) as fault:
            if retriever != "all":
                raise
            say([f"{name} left out: {fault}"], quiet)
            continue
        outcomes.append(judge.outcome(ranker, progress))
        say(ranker.remarks, quiet)
    return outcomes


def best_installed(model: str, quiet: bool) -> str:
    """Return the ranker judged where none is named: an evaluation can wait for vectors."""
    from manent.search.embed.choose import default_model

    if model or default_model():
        return "fused"
    say(["words alone are judged: no embedding model is here (manent[dense] adds it)"], quiet)
    return "bm25"


def say_missing(judge: Any, quiet: bool) -> None:
    """Report the expected notes that the vault does not have, whatever --quiet says."""
    remarks = [f"line {m.line}: no note {m.expected}" for m in judge.missing]
    if len(remarks) > 20:
        remarks[20:] = [f"and {len(remarks) - 20} more expected notes that are not there"]
    say(remarks, False)
