"""The threshold of topic twins, measured for an embedding model.

    MANENT_DATA=… python -m eval.twins [--model e5] [--notes 600]

Notes of the public vaults long enough are cut in two; the halves of one note are on
one topic, halves of two notes are (mostly) not. Printed by threshold: how many of the
true pairs are found, and how many pairs of strangers a vault of a thousand notes would
report.
"""

from __future__ import annotations

import argparse
import os
import random
import tarfile
from pathlib import Path

import numpy as np

from manent.note import read
from manent.search.embed.choose import embedder

HALF = 500
"""Characters of each half at least."""


def bodies(data: Path, wanted: int, seed: int = 7) -> list[str]:
    """Return bodies of public notes long enough, drawn evenly over the vaults."""
    draw = random.Random(seed)
    by_vault = []
    for archive in sorted((data / "vaults").glob("*.tar.xz")):
        found = []
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.isfile() and member.name.endswith(".md") and member.size < 100_000:
                    file = tar.extractfile(member)
                    body = read(file.read()).body.strip() if file else ""
                    if len(body) > 2 * HALF:
                        found.append(body)
        draw.shuffle(found)
        by_vault.append(found)
    out: list[str] = []
    while len(out) < wanted and any(by_vault):
        for found in by_vault:
            if found and len(out) < wanted:
                out.append(found.pop())
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="e5")
    parser.add_argument("--notes", type=int, default=600)
    options = parser.parse_args()
    texts = bodies(Path(os.environ["MANENT_DATA"]), options.notes)
    model = embedder(options.model, Path.home() / ".cache" / "manent")
    halves = [model.passages([text[: len(text) // 2], text[len(text) // 2 :]]) for text in texts]
    first = np.array([pair[0] for pair in halves])
    second = np.array([pair[1] for pair in halves])
    cosines = first @ second.T
    same = np.diag(cosines)
    strangers = cosines[~np.eye(len(texts), dtype=bool)]
    print(f"{len(texts)} notes, model {model.id}")
    print("threshold  found  strangers per 1,000 notes")
    for threshold in np.arange(0.80, 0.981, 0.01):
        rate = (strangers >= threshold).mean() * 1_000 * 999 / 2
        print(f"{threshold:>9.2f}  {(same >= threshold).mean():.3f}  {rate:.1f}")


if __name__ == "__main__":
    main()
