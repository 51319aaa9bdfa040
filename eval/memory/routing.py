"""How many trigger words a file needs, and how far below the best a hit still is one.

Nobody wrote these questions. Each is every second word of a sentence that stands in the
text, so the words are those of the files and the answer is known; a question of two halves
needs both sections. What is compared are numbers for one constant, never words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from eval.memory import tokens
from manent.memfile.compile import Options, planned
from manent.memfile.document import decoded
from manent.memfile.library import Library, Passage, Topic, library
from manent.memfile.recall import Index, capped
from manent.memfile.triggers import triggers
from manent.search.languages import STOP_BITS, stemmer
from manent.tokens import estimate

NUMBERS = (3, 5, 7, 9, 12, 16)
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
CAP = 1500
LARGEST = 120_000
"""Characters of a file: larger ones would be all of the set."""
MOST_QUESTIONS = 24
"""Questions of one file."""

_SENTENCE = re.compile(r"[^.!?\n|`#<>\[\]]{50,240}[.!?]")
_WORD = re.compile(r"[^\W\d_]{3,}")


class Words(NamedTuple):
    """What a number of trigger words gives. right: share of questions whose file has most of
    the words; none: share no list has a word of; cost: tokens of a list entry's words."""

    number: int
    right: float
    none: float
    cost: float


class Hits(NamedTuple):
    """What a share gives: questions of one section and of two answered in full, tokens handed
    out, passages handed out."""

    share: float
    one: float
    two: float
    tokens: float
    passages: float


def libraries(data: Path) -> Iterator[Library]:
    """Yield every memory of the shared inputs that has two on-demand or topic files."""
    for name, text in tokens.agent_files(data):
        if len(text) > LARGEST:
            continue
        plan = planned(Path(name).name, text.encode("utf-8", "surrogateescape"), Options())
        topics = [
            Topic(e.path, e.title, " ".join(e.triggers), decoded(plan.files[e.path]), e.sections)
            for e in plan.manifest.files
        ]
        if len(topics) > 1:
            yield Library(Path(name), True, tuple(topics), ())
    for folder in sorted((data / "memory-dirs").iterdir()):
        found = library(folder)
        if len(found.topics) > 1:
            yield found


def asked(text: str) -> list[str]:
    """Return the questions of a text: every second telling word of its sentences."""
    found = []
    for sentence in _SENTENCE.findall(text):
        words = [w for w in _WORD.findall(sentence) if w.lower() not in STOP_BITS]
        if len(words) >= 6:
            found.append(" ".join(words[::2]))
    return found


def by_triggers(memories: Sequence[Library]) -> Iterator[Words]:
    """Yield what each number of trigger words gives over all memories."""
    for number in NUMBERS:
        right = none = questions = 0
        costs = []
        for memory in memories:
            lists = triggers([topic.text for topic in memory.topics], number)
            costs += [estimate(", ".join(words)) for words in lists]
            stems = [_stems(" ".join(words)) for words in lists]
            for place, topic in enumerate(memory.topics):
                for question in _spread(asked(topic.text), MOST_QUESTIONS // len(stems) + 1):
                    shared = [len(_stems(question) & each) for each in stems]
                    questions += 1
                    none += max(shared) == 0
                    right += max(shared) > 0 and shared.index(max(shared)) == place
        yield Words(number, right / questions, none / questions, sum(costs) / len(costs))


def _stems(text: str) -> set[str]:
    return {stemmer(0).stemWord(word.lower()) for word in _WORD.findall(text)}


def _spread(items: list[str], most: int) -> list[str]:
    return items[:: max(1, len(items) // most)][:most]


def by_share(memories: Sequence[Library]) -> Iterator[Hits]:
    """Yield what each least share gives over all memories."""
    indexes = [(Index(memory), memory.passages()) for memory in memories]
    for share in SHARES:
        one, two, spent, handed = [], [], [], []
        for index, passages in indexes:
            told = [(p, q) for p in passages for q in asked(p.text)[:1]]
            told = told[:: max(1, len(told) // MOST_QUESTIONS)][:MOST_QUESTIONS]
            for (passage, question), (other, more) in zip(told, told[1:] + told[:1], strict=True):
                given = _given(index, question, share)
                one.append(passage in given)
                spent.append(sum(estimate(p.text) for p in given))
                handed.append(len(given))
                if other != passage:
                    both = _given(index, f"{question} {more}", share)
                    two.append(passage in both and other in both)
        yield Hits(share, _mean(one), _mean(two), _mean(spent), _mean(handed))


def _given(index: Index, question: str, share: float) -> list[Passage]:
    return [hit.passage for hit in capped(index.ranked(question, share), CAP, estimate)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))
