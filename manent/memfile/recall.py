"""The sections of a memory that a question is about, best first, under a cap of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manent.memfile.document import split_lines
from manent.memfile.library import Library, Passage, Topic, passages
from manent.memfile.manifest import PROTOCOL
from manent.memfile.ranking import Found, Ranker, Text
from manent.tokens import Count

LEAST_SHARE = 0.3
"""Share of the best score below which a passage is not about the question. ``python -m
eval.memory routing``: of questions that need two sections 0.4 answers 78% with 540 tokens,
0.3 84% with 637, 0.2 87% with 742; those that need one are answered whatever it is."""

_MOST = 50
_PROTOCOL_SHARE = 0.5
_LEAST_ROOM = 20
"""Tokens below which the beginning of a passage says nothing."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A passage handed out. tokens: of its text; cut: it was shortened to fit the cap."""

    passage: Passage
    tokens: int
    score: float
    cut: bool = False

    @property
    def heading(self) -> str:
        """File and heading path in one line."""
        return heading(self.passage)


def heading(passage: Passage) -> str:
    """Return ``file > heading > heading``."""
    return " > ".join((passage.file, *passage.path))


class Index:
    """A library ready to be asked many times. only: these passages of it alone."""

    def __init__(
        self, library: Library, file: str | None = None, only: Sequence[Passage] | None = None
    ) -> None:
        topics: Sequence[Topic] = library.topics if file is None else [library.named(file)]
        cut = [p for topic in topics for p in passages(topic)] if only is None else list(only)
        self.passages = cut
        hooks = {topic.name: (topic.title, topic.hook) for topic in topics}
        self._ranker = Ranker(_text(passage, *hooks[passage.file]) for passage in self.passages)

    def ranked(self, query: str, share: float = LEAST_SHARE) -> list[tuple[Passage, float]]:
        """Return the passages a question is about, best first; [] for none.

        share: of the best score, below which a passage is left out.
        """
        found = [self._weighed(hit) for hit in self._ranker.search(query, _MOST)]
        found.sort(key=lambda item: -item[1])
        least = found[0][1] * share if found else 0.0
        return [(passage, score) for passage, score in found if score >= least]

    def _weighed(self, hit: Found) -> tuple[Passage, float]:
        """Rank the generated rules of writing after what people wrote."""
        passage = self.passages[hit.place]
        return passage, hit.score * (_PROTOCOL_SHARE if passage.file == PROTOCOL else 1.0)

    def recall(self, query: str, most_tokens: int, count: Count) -> list[Recalled]:
        """Return what fits the cap, best first. The best is shortened rather than left out."""
        return capped(self.ranked(query), most_tokens, count)


def _text(passage: Passage, title: str, hook: str) -> Text:
    stem = passage.file.rpartition("/")[2].rpartition(".")[0].replace("_", " ")
    return Text(f"{stem}\n{title}", hook, "\n".join(passage.path), passage.text)


def capped(
    ranked: Sequence[tuple[Passage, float]], most_tokens: int, count: Count
) -> list[Recalled]:
    """Return the passages that fit a cap, in the order given, headings counted too."""
    found: list[Recalled] = []
    bare: list[Recalled] = []
    left = most_tokens
    for passage, score in ranked:
        head = count(_head(passage, 10_000))
        tokens = count(passage.text)
        if head + tokens <= left:
            found.append(Recalled(passage, tokens, score))
            left -= head + tokens
            continue
        if found:
            break
        short = _shortened(passage, left - head, count)
        if short.text:
            return [Recalled(short, count(short.text), score, cut=True)]
        bare = bare or [Recalled(short, 0, score, cut=True)]
    return found or bare


def _shortened(passage: Passage, tokens: int, count: Count) -> Passage:
    """Return the first lines of a passage that fit, or part of one; no text without room."""
    if tokens < _LEAST_ROOM:
        return Passage(passage.file, passage.path, passage.lines, "")
    lines = list(split_lines(passage.text[: tokens * 16]))
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if count("".join(lines[:middle])) <= tokens:
            low = middle
        else:
            high = middle - 1
    start = passage.lines[0]
    if low == 0:
        part = lines[0][: 3 * tokens].rpartition(" ")[0] or lines[0][:tokens]
        return Passage(passage.file, passage.path, (start, start), part)
    return Passage(passage.file, passage.path, (start, start + low - 1), "".join(lines[:low]))


def _head(passage: Passage, tokens: int) -> str:
    first, last = passage.lines
    return f"## {heading(passage)} (lines {first}-{last}, {tokens} tokens)\n\n\n"


def rendered(found: Sequence[Recalled]) -> str:
    """Return the passages as text: a heading line, then the content as it stands."""
    blocks = []
    for hit in found:
        head = _head(hit.passage, hit.tokens).rstrip("\n")
        more = f"\n[shortened: {hit.passage.file} has the rest]" if hit.cut else ""
        blocks.append(f"{head}\n\n{hit.passage.text.rstrip()}{more}")
    return "\n\n".join(blocks)
