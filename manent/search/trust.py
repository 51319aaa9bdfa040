"""How far the words of a question can be trusted to find what it asks for.

A question worded as the note is finds its words together in one note. One that asks
for the thing without its words finds a few of them here and there, and the best note
by words is best by chance. The difference shows in the share of the attainable score
that the best note gets::

    attainable = sum over the question's words of  times * idf      (frequencies saturate at 1)
    trust      = sqrt(best score / attainable)

Words nobody holds count in full: their idf is that of a word in no note. By it fused
scores gained .05 in nDCG@10 on oblique questions over the example vault and nothing was
lost elsewhere (weights chosen on the public collections: ``python -m eval.bench.fusion``).
"""

from __future__ import annotations

import math

from manent.search.bm25 import Scope, Word
from manent.search.query import Question


def trust(scope: Scope, question: Question, words: list[Word], best: float) -> float:
    """Return how much the words of a question count, from 0 to 1.

    words: those that match anything. best: the highest score by them, without a lift.
    """
    held = {word.asked: word.idf for word in words}
    nobody = scope.idf(0)
    whole = sum(
        asked.times * held.get(asked, nobody) for asked in question.words if not asked.compound
    )
    return math.sqrt(min(1.0, best / whole)) if whole > 0 else 1.0
