"""Count verdicts: recall, precision and false positives, per kind and per language.

The verdict is the gate's (``manent gate text --batch``): a text is refused when
any scanner finds anything in it that is not weak, mentions included.
"""

from __future__ import annotations

import importlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from eval.scan.lines import Line
from manent.scan.reading import Reading, readings
from manent.scan.scanner import Scanner
from manent.scan.span import Context, Span

Verdict = Callable[[str], bool]


def spans(text: str, scanner: Scanner | None = None) -> list[Span]:
    """Return what would refuse ``text``: every span but the weak ones."""
    return [span for span in (scanner or Scanner(Context())).scan(text) if not span.weak]


def refused(text: str) -> bool:
    """Whether the gate would refuse ``text``."""
    return bool(spans(text))


def tally(lines: Iterable[Line], verdict: Verdict = refused) -> dict[str, Any]:
    """Return the figures of one set; the kinds of policy and the hard ones stand apart."""
    judged = [(line, verdict(line.text)) for line in lines]
    main = [(line, flagged) for line, flagged in judged if not line.apart]
    return {
        **rates(main),
        "kinds": _grouped(main, lambda line: line.kind),
        "languages": _grouped(main, lambda line: line.lang or "?"),
        "apart": _grouped([pair for pair in judged if pair[0].apart], lambda line: line.kind),
        "missed": [line.id for line, flagged in main if line.guilty and not flagged],
        "false": [line.id for line, flagged in main if flagged and not line.guilty],
    }


def rates(judged: list[tuple[Line, bool]]) -> dict[str, Any]:
    """Return counts and rates; a rate over nothing is null."""
    guilty = [flagged for line, flagged in judged if line.guilty]
    clean = [flagged for line, flagged in judged if not line.guilty]
    hits, alarms = sum(guilty), sum(clean)
    return {
        "guilty": len(guilty),
        "clean": len(clean),
        "recall": _rate(hits, len(guilty)),
        "precision": _rate(hits, hits + alarms),
        "false_positive_rate": _rate(alarms, len(clean)),
    }


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _grouped(
    judged: list[tuple[Line, bool]], key: Callable[[Line], str]
) -> dict[str, dict[str, int]]:
    groups: dict[str, dict[str, int]] = defaultdict(
        lambda: {"guilty": 0, "found": 0, "clean": 0, "alarms": 0}
    )
    for line, flagged in judged:
        group = groups[key(line)]
        group["guilty" if line.guilty else "clean"] += 1
        if flagged:
            group["found" if line.guilty else "alarms"] += 1
    return dict(sorted(groups.items()))


def documents(lines: list[Line], verdict: Verdict = refused) -> dict[str, Any]:
    """Return how many whole benign documents are refused, by kind."""
    judged = [(line, verdict(line.text)) for line in lines]
    return {
        "documents": len(judged),
        "refused": sum(flagged for _, flagged in judged),
        "kinds": _grouped(judged, lambda line: line.kind),
        "false": [line.id for line, flagged in judged if flagged],
    }


def speed(texts: list[str], least_bytes: int = 3_000_000) -> dict[str, float]:
    """Return megabytes a second of processor time: all scanners, and each family alone.

    The second pass over the texts is timed, repeated until ``least_bytes`` are
    read: the first one fills the engines' caches.
    """
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    rounds = max(1, -(-least_bytes // max(size, 1)))
    whole = Scanner(Context())
    tasks: dict[str, Callable[[str], object]] = {"all": whole.scan}
    tasks.update(_families())
    return {name: _timed(run, texts, rounds, size) for name, run in tasks.items()}


def _timed(run: Callable[[str], object], texts: list[str], rounds: int, size: int) -> float:
    for text in texts:
        run(text)
    start = time.process_time()
    for _ in range(rounds):
        for text in texts:
            run(text)
    return round(rounds * size / 1e6 / max(time.process_time() - start, 1e-9), 1)


def _families() -> dict[str, Callable[[str], object]]:
    tasks: dict[str, Callable[[str], object]] = {}
    for name in ("pii", "secrets", "injection"):
        try:
            find = importlib.import_module(f"manent.scan.{name}").find
        except (ImportError, AttributeError):
            continue
        tasks[f"{name}, plain reading"] = partial(_once, find)
    return tasks


def _once(find: Callable[[Reading, Context], Iterable[Span]], text: str) -> object:
    return list(find(next(iter(readings(text))), Context()))
