"""Measure from which cosine two questions are one: ``python -m eval.gaps.threshold [MODEL]``.

Prints, by threshold, the share of pairs that ask the same and reach it, and of pairs
that ask something else of the same subject, or of another, and reach it all the same.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import combinations
from pathlib import Path

import numpy as np

from manent.search.embed.choose import embedder

THRESHOLDS = (0.80, 0.84, 0.86, 0.88, 0.89, 0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96)


def main(model: str) -> None:
    """Print the table for one model."""
    groups = json.loads(Path(__file__).with_name("questions.json").read_text())["groups"]
    asked = [
        (text, number, group["subject"])
        for number, group in enumerate(groups)
        for text in group["questions"]
    ]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manent"
    rows = embedder(model, cache).queries([text for text, _, _ in asked])
    cosines: dict[str, list[float]] = {"same": [], "subject": [], "other": []}
    for (i, one), (j, other) in combinations(enumerate(asked), 2):
        kind = "same" if one[1] == other[1] else "subject" if one[2] == other[2] else "other"
        cosines[kind].append(float(rows[i] @ rows[j]))
    print(" ".join(f"{kind}: {len(found)} pairs" for kind, found in cosines.items()))
    for threshold in THRESHOLDS:
        shares = [np.mean(np.array(found) >= threshold) for found in cosines.values()]
        print(f"{threshold:.2f} " + " ".join(f"{share:7.3f}" for share in shares))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
