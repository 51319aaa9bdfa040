"""Whether a change kept every verdict: ``python -m eval.scan.same --save FILE | --against FILE``.

Scans our own lines, the shared ones and texts put together from them at random
(words, lines, letters put in and taken out), and keeps a digest of what was found
in each. After a change that should only be faster, no digest may differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from eval.scan import lines
from manent.scan.scanner import Scanner
from manent.scan.span import Context

MADE = 1500
SEED = 7
SIGNS = ["\n", "\n\n", " ", "\u200b", "é", "`", '"', "-", "\ud800", "%20", "&#65;", "а"]
"""What is put into texts: what hides, cuts or joins words."""


def texts() -> Iterator[str]:
    """Yield the labelled lines of every family, and texts made of them."""
    data = os.environ.get("MANENT_DATA")
    labelled = []
    for family in lines.FAMILIES:
        rows = [*lines.own(family), *lines.own(family, "rules")]
        rows += lines.shared(family, Path(data)) if data else []
        labelled += [line.text for line in rows]
    yield from labelled
    chance = random.Random(SEED)
    short = [text for text in labelled if len(text) < 3000]
    words = [word for text in chance.sample(short, 600) for word in text.split()]
    for number in range(MADE):
        if number % 2:
            yield " ".join(chance.choices(words, k=chance.randint(5, 300)))
        else:
            yield _disturbed(chance.choice(short), chance)


def _disturbed(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 20)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(SIGNS) + text[at + chance.randint(0, 2) :]
    return text


def digests() -> Iterator[str]:
    """Yield for each text a digest of it and of all that is found in it."""
    scanners = [Scanner(Context()), Scanner(Context(addressed=True, locations=True))]
    for number, text in enumerate(texts()):
        found = repr((text, scanners[number % 4 == 0].scan(text)))
        yield hashlib.sha256(found.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def main() -> int:
    """Write the digests, or compare with those written; 1 where some differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--save", type=Path)
    chosen.add_argument("--against", type=Path)
    asked = parser.parse_args()
    now = list(digests())
    if asked.save:
        asked.save.write_text(json.dumps(now), "utf-8")
        print(f"{len(now)} verdicts kept")
        return 0
    before = json.loads(asked.against.read_text("utf-8"))
    all_texts = list(texts())
    other = [n for n, (old, new) in enumerate(zip(before, now, strict=True)) if old != new]
    print(f"{len(now)} texts, {len(other)} verdicts differ")
    for number in other[:10]:
        print(f"  {number}: {all_texts[number][:120]!r}")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
