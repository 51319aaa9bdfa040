"""Vaults of any size from a seed: notes of 2 KB on average, linked as people link them.

``python -m eval.bench.vaults DIR --notes 10000 --seed 7``
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

_SYLLABLES = (
    "ar bel cor dan el fir gal hol in jor kel lum mar nor ost pel qui ras sol tor ul ven wis"
    " xan yor zel bra cre dru fla gri kra pli pro sta tre"
).split()
_COMMON = (
    "the of and to in is that for it as with on be at by this from or an are not which one"
    " we when where how before after only each must should can may more than over under"
    " service queue server index cache table record value request answer report release"
    " deploy backup window limit error retry alarm owner review build branch merge test"
).split()
_TYPES = (
    ("reference", 40),
    ("wiki-concept", 20),
    ("wiki-entity", 15),
    ("project", 8),
    ("feedback", 7),
    ("handoff", 4),
    ("retro", 3),
    ("moc", 3),
)
_LABELS = ("team", "ops", "board", "public")


def notes(count: int, seed: int = 7, size: int = 1500) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of ``count`` notes, the same for the same arguments.

    A note links to a few earlier ones, mostly of its own neighbourhood, and to
    none that its own readers could not open. Every hundredth is a map.
    """
    draw = random.Random(f"{seed}:{count}:{size}")
    words = _vocabulary(draw, min(60_000, 4_000 + count // 2))
    weights = [1 / (rank + 10) for rank in range(len(words))]
    kinds = [kind for kind, share in _TYPES for _ in range(share)]
    made: list[tuple[str, str]] = []
    pool = draw.choices(words, weights, k=200_000)
    for number in range(count):
        kind = draw.choice(kinds)
        name = f"{draw.choice(words)}-{draw.choice(words)}-{number}"
        label = draw.choice(_LABELS)
        path = f"{_folder(kind, number)}/{name}.md"
        yield path, _note(draw, pool, name, kind, label, made, size)
        made.append((name, label))


def _folder(kind: str, number: int) -> str:
    if kind == "project":
        return f"projects/p{number % 37}"
    if kind.startswith("wiki"):
        return f"wiki/{'concepts' if kind.endswith('concept') else 'entities'}/{number % 64:02}"
    return f"{'moc' if kind == 'moc' else 'memory'}/{number % 64:02}"


def _vocabulary(draw: random.Random, count: int) -> list[str]:
    words = dict.fromkeys(_COMMON)
    while len(words) < count:
        words["".join(draw.choices(_SYLLABLES, k=draw.choice((1, 2, 2, 3, 3, 4))))] = None
    return list(words)


def _note(
    draw: random.Random,
    pool: list[str],
    name: str,
    kind: str,
    label: str,
    made: list[tuple[str, str]],
    size: int,
) -> str:
    day = f"20{draw.randint(20, 26)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    head = [
        "---",
        f"name: {name}",
        f"description: {_sentence(draw, pool, 9)}",
        f"type: {kind}",
        f"created: {day}",
        f"tags: [{draw.choice(pool)}, {draw.choice(pool)}]",
        f"audience: [{label}]",
    ]
    if draw.random() < 0.2:
        head += ["confidence: medium", f"author: {draw.choice(('ada', 'scout', 'nils'))}"]
    out = [*head, "---", f"# {name.replace('-', ' ').title()}", ""]
    targets = _targets(draw, made, label, 40 if kind == "moc" else draw.randint(1, 7))
    length = sum(map(len, out))
    while length < size or targets:
        line = _paragraph(draw, pool, targets)
        out += [line, ""]
        length += len(line)
    if kind == "feedback":
        out += ["**Why:** it was asked for.", "", "**How to apply:** before each release.", ""]
    return "\n".join(out)


def _targets(
    draw: random.Random, made: list[tuple[str, str]], label: str, wanted: int
) -> list[str]:
    found: list[str] = []
    for _ in range(wanted * 4):
        if not made or len(found) == wanted:
            break
        near = draw.random() < 0.7
        at = max(0, len(made) - draw.randint(1, 200)) if near else draw.randrange(len(made))
        name, theirs = made[at]
        if theirs in (label, "public"):
            found.append(name)
    return found


def _paragraph(draw: random.Random, pool: list[str], targets: list[str]) -> str:
    roll = draw.random()
    if roll < 0.12:
        return f"## {_sentence(draw, pool, 4)}"
    if roll < 0.2:
        code = "\n".join(f"{draw.choice(pool)} = {draw.randrange(900)}" for _ in range(4))
        return f"```python\n{code}\n```"
    if roll < 0.3:
        return "\n".join(f"- {_sentence(draw, pool, 7)}" for _ in range(4))
    sentences = 1 if targets else 3
    text = " ".join(_sentence(draw, pool, draw.randint(8, 20)) + "." for _ in range(sentences))
    if targets and draw.random() < 0.95:
        target = targets.pop()
        text += f" See [[{target}]]." if draw.random() < 0.8 else f" See [[{target}|there]]."
    return text


def _sentence(draw: random.Random, pool: list[str], words: int) -> str:
    start = draw.randrange(len(pool) - words)
    return " ".join(pool[start : start + words]).capitalize()


def write(folder: Path, count: int, seed: int = 7, size: int = 1500) -> None:
    """Write such a vault into ``folder``."""
    for path, text in notes(count, seed, size):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--bytes", type=int, default=1500)
    options = parser.parse_args()
    write(options.folder, options.notes, options.seed, options.bytes)


if __name__ == "__main__":
    main()
