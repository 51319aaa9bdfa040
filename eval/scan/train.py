"""A second opinion that did not pay: ``MANENT_DATA=… python -m eval.scan.train``.

Trains a logistic regression over hashed letter n-grams on the ``rules`` halves of
our own lines, one half of the shared ones and paragraphs of the shared documents
and vaults, and prints what it would add to the rules on the other halves, at
thresholds that let few more innocent lines through. Fixed seeds: the same figures
every time. Nothing of it is shipped; ``spec/decisions`` says why.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.scan import lines, make_injection, measure
from eval.scan.sets import make_injection as written
from manent.scan.injection.matching import candidates
from manent.scan.reading import readings

BITS = 17
"""Of a hash: 131,072 weights, 128 KB at a byte each."""

GRAMS = (3, 4, 5)
EPOCHS = 5
RATE = 0.3
GUILTY_WEIGHT = 6.0
"""How much a guilty line counts: there are fifteen innocent ones to each."""

VAULT_FILES = 3500
PARAGRAPHS = 6
"""How many of a file are taken, so that long ones do not drown the others."""

PAYS_AT = (0.002, 0.005, 0.01)
"""Innocent lines, of all, that the model may refuse beside those that the rules refuse."""

DOCUMENT_RATE = 0.0005
"""Paragraphs of documents that it may flag: twenty of them make 1% of documents."""

DISGUISED = re.compile("hidden|interleaved|base64|hex|rot13|revers|letters|url_enc|homogl|strike")


@dataclass(frozen=True, slots=True)
class Example:
    """A text, whether it is guilty, and which set it is from."""

    text: str
    guilty: bool
    source: str


def grams(text: str) -> NDArray[np.int64]:
    """Return the numbers of the letter n-grams of a text, each once, in order."""
    text = f" {' '.join(text.lower().split())} "
    found = {
        zlib.crc32(text[at : at + size].encode("utf-8", "surrogatepass")) & ((1 << BITS) - 1)
        for size in GRAMS
        for at in range(len(text) - size + 1)
    }
    return np.fromiter(sorted(found), dtype=np.int64)


def halves(data: Path) -> tuple[list[Example], list[Example]]:
    """Return the examples to train on and those kept apart."""
    seen: list[Example] = []
    apart: list[Example] = []
    for example, kept in (*_own(), *_shared(data), *_documents(data)):
        (apart if kept else seen).append(example)
    return seen, apart


def _own() -> Iterator[tuple[Example, bool]]:
    for languages in written.ATTACKS.values():
        for phrases in languages.values():
            for phrase in phrases:
                yield Example(phrase, True, "own"), written.half(phrase) == "report"
    for phrases in written.BENIGN.values():
        for phrase in phrases:
            yield Example(phrase, False, "own"), written.half(phrase) == "report"
    for name, guilty in (("authors", True), ("hard", True), ("innocent", False)):
        for _, _, phrase, half in make_injection.rows(f"injection_{name}"):
            yield Example(phrase, guilty, "hard" if name == "hard" else "many"), half == "report"


def _shared(data: Path) -> Iterator[tuple[Example, bool]]:
    for line in lines.shared("injection", data):
        if line.kind not in lines.POLICY and not DISGUISED.search(line.kind):
            source = "shared hard" if line.kind.startswith("hard_") else "shared"
            yield Example(line.text, line.guilty, source), _odd(line.text)


def _documents(data: Path) -> Iterator[tuple[Example, bool]]:
    texts = [(line.text, line.text) for line in lines.documents(data)]
    files = [(text, path) for _, path, text in lines.vaults(data)]
    random.Random(1).shuffle(files)
    for text, name in texts + files[:VAULT_FILES]:
        parts = [part for part in re.split(r"\n[ \t>]*\n", text) if 20 < len(part) < 3000]
        for part in parts[:PARAGRAPHS]:
            yield Example(part, False, "document"), _odd(name)


def _odd(text: str) -> bool:
    return bool(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] & 1)


class Model:
    """A logistic regression over n-grams, trained by AdaGrad."""

    def __init__(self) -> None:
        self.weights = np.zeros(1 << BITS)
        self.bias = 0.0

    def score(self, text: str) -> float:
        """Return the logit that a text is guilty."""
        found = grams(text)
        return float(self.weights[found].sum() / np.sqrt(len(found) + 1) + self.bias)

    def train(self, examples: list[Example], seed: int = 0) -> None:
        """Fit the examples, in an order that ``seed`` decides."""
        features = [grams(example.text) for example in examples]
        sums = np.full(1 << BITS, 1e-8)
        sum_of_bias = 1e-8
        chance = np.random.default_rng(seed)
        for _ in range(EPOCHS):
            for index in chance.permutation(len(examples)):
                found, guilty = features[index], examples[index].guilty
                scale = 1 / np.sqrt(len(found) + 1)
                logit = self.weights[found].sum() * scale + self.bias
                error = 1 / (1 + np.exp(-np.clip(logit, -30, 30))) - guilty
                error *= GUILTY_WEIGHT if guilty else 1
                sums[found] += (error * scale) ** 2
                self.weights[found] -= RATE * error * scale / np.sqrt(sums[found])
                sum_of_bias += error**2
                self.bias -= RATE * error / np.sqrt(sum_of_bias)


@dataclass(frozen=True, slots=True)
class Judged:
    """An example kept apart: its score, and what the rules make of it."""

    example: Example
    score: float
    refused: bool
    suspected: bool


def judged(model: Model, examples: list[Example]) -> Iterator[Judged]:
    """Yield what the model and the rules say of each example."""
    for example in examples:
        suspected = any(candidates(r) for r in readings(example.text) if r.plain)
        flagged = example.source != "document" and measure.refused(example.text)
        yield Judged(example, model.score(example.text), flagged, suspected)


def added(found: list[Judged], allowed: float) -> dict[str, str]:
    """Return how many lines that the rules miss are found, of all, by set."""
    innocent = [j for j in found if not j.example.guilty]
    short = [j for j in innocent if j.example.source != "document"]
    long = [j.score for j in innocent if j.example.source == "document"]
    threshold = max(
        _reached([j.score for j in short if not j.refused], int(allowed * len(short))),
        _reached(long, int(DOCUMENT_RATE * len(long))),
    )
    out = {}
    for source in ("own", "many", "hard", "shared", "shared hard"):
        guilty = [j for j in found if j.example.guilty and j.example.source == source]
        more = sum(j.score > max(threshold, -90) and not j.refused for j in guilty)
        out[source] = f"+{more} of {sum(not j.refused for j in guilty)} missed"
    return out


def _reached(scores: list[float], allowed: int) -> float:
    ordered = sorted(scores, reverse=True)
    return ordered[allowed] if allowed < len(ordered) else -99.0


def main() -> int:
    """Train, measure, print."""
    if "MANENT_DATA" not in os.environ:
        print("the shared sets are found through MANENT_DATA", file=sys.stderr)
        return 2
    seen, apart = halves(Path(os.environ["MANENT_DATA"]) / "scan")
    model = Model()
    model.train(seen)
    found = list(judged(model, apart))
    print(f"{len(seen)} examples trained on, {len(apart)} kept apart")
    for name, chosen in (
        ("every paragraph", found),
        (
            "paragraphs that a rule half suspects",
            [j if j.suspected else replace(j, score=-99.0) for j in found],
        ),
    ):
        for allowed in PAYS_AT:
            print(f"{name}, {allowed:.1%} of innocent lines more: {added(chosen, allowed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
