"""How far the words of a question can be trusted to find what it asks for.

A question worded as the note is finds its words together in one note. One that asks
for the thing without its words finds a few of them here and there, and the best note
by words is best by chance. The difference shows in the share of the attainable score
that the best note gets::

    attainable = sum over the question's words of  times * idf      (frequencies saturate at 1)
    trust      = best score / attainable

Words nobody holds count in full: their idf is that of a word in no note. Those of grammar
do not count: no note is looked for by them, so that none holds them tells nothing. A lone
character of Chinese and its like counts what it weighs beside its pairs.

`python -m eval.bench.fusion` compares: without the words of grammar the share tells
questions apart better than its root with them did, by .007 in nDCG@10 over seven sets of
queries; what each gains is in eval/README.md.
"""

from __future__ import annotations

from manent.search.asked import Asked
from manent.search.bm25 import Scope, Word
from manent.search.constants import DEFAULTS
from manent.search.query import Question


def trust(scope: Scope, question: Question, words: list[Word], best: float) -> float:
    """Return how much the words of a question count, from 0 to 1.

    words: those that match anything. best: the highest score by them, without a lift.
    """
    held = {word.asked: word.idf for word in words}
    nobody = scope.idf(0)
    whole = sum(
        share(asked) * asked.times * held.get(asked, nobody)
        for asked in question.words
        if asked in held or question.expands(asked)
    )
    return min(1.0, best / whole) if whole > 0 else 1.0


def share(asked: Asked) -> float:
    """Return what of a word counts: parts of an identifier do, and pairs of characters."""
    if asked.compound:
        return 0.0
    return DEFAULTS.lone_weight if asked.lone else 1.0
