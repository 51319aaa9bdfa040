"""Kind and volatility of labelled sections: accuracy, and a gate against its falling."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from manent.memfile.document import parse
from manent.memfile.kinds import judged

_HERE = Path(__file__).parent
SECTIONS = tuple(
    _HERE / name
    for name in (
        "sections.txt",
        "sections_later.txt",
        "sections_states.txt",
        "sections_states_kept.txt",
    )
)
"""The second file was written when the first was judged without a fault: before anything was
changed for it, kinds were right in 53 of its 62 sections and volatility in 56. The third and
fourth hold single lines and short lists that say how things stand, in several languages. The
rules were written for texts like the third; nothing was changed for the fourth: volatility is
right in 38 of its 39 sections, and was in 19 before those rules."""
BASELINE = Path(__file__).parent / "baseline.json"


class Labelled(NamedTuple):
    """A section written for this set, with what a person says of it."""

    text: str
    kind: str
    volatile: bool


class Answer(NamedTuple):
    """What the classifier says of a labelled section."""

    labelled: Labelled
    kind: str
    volatile: bool


def load(paths: Iterable[Path] = SECTIONS) -> list[Labelled]:
    """Read the labelled sections: ``=== kind volatile|stable``, then Markdown."""
    found = []
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    for part in text.split("=== ")[1:]:
        head, _, body = part.partition("\n")
        kind, change = head.split()
        found.append(Labelled(body, kind, change == "volatile"))
    return found


def answers(labelled: list[Labelled]) -> list[Answer]:
    """Judge each section as a document of its own, by its first heading."""
    found = []
    for one in labelled:
        entries = judged(parse(one.text))
        top = entries[0]
        found.append(Answer(one, top.kind, any(entry.volatile for entry in entries)))
    return found


def figures(found: list[Answer]) -> dict[str, float]:
    """Return the accuracy of kinds, and precision and recall of volatility."""
    told = [a for a in found if a.volatile]
    true = [a for a in found if a.labelled.volatile]
    hits = sum(a.labelled.volatile for a in told)
    return {
        "sections": len(found),
        "kind": round(sum(a.kind == a.labelled.kind for a in found) / len(found), 4),
        "volatile": round(sum(a.volatile == a.labelled.volatile for a in found) / len(found), 4),
        "volatilePrecision": round(hits / len(told), 4) if told else 0.0,
        "volatileRecall": round(hits / len(true), 4) if true else 0.0,
    }


def dropped(now: dict[str, float], path: Path = BASELINE) -> list[str]:
    """Return what is worse than the baseline, as lines."""
    before = json.loads(path.read_text(encoding="utf-8"))
    return [
        f"{name}: {now[name]} is below {value}"
        for name, value in before.items()
        if name != "sections" and now[name] < value
    ]
