"""The ranker of memory files is the project's: the same scores in the same order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from manent.memfile import ranking
from manent.memfile.ranking import Ranker, Text
from manent.search import coverage
from manent.search.bm25 import DEFAULTS
from manent.search.lexical import Snapshot
from manent.search.postings import LIMITS, Document
from manent.search.query import LONGEST, MOST_WORDS
from manent.search.segment import FUZZY_SHORTEST

_WORDS = st.sampled_from(
    "deploy deployment deploying deployd the and of node.js config-file snake_case HTTPServer "
    "v1.2.3 "
    "test testing tests tseting perché gatto della rete der Hund und die é漢字 run C++ c# a".split()
)
_FIELD = st.lists(_WORDS, max_size=8).map(" ".join)
_TEXTS = st.lists(st.builds(Text, _FIELD, _FIELD, _FIELD, _FIELD), min_size=1, max_size=8)


def test_constants_are_those_of_search() -> None:
    assert DEFAULTS.k1 == ranking.K1
    assert DEFAULTS.weights == ranking.WEIGHTS
    assert DEFAULTS.b == ranking.B
    assert DEFAULTS.compound_weight == ranking.COMPOUND_WEIGHT
    assert {
        "prefix": DEFAULTS.prefix_weight,
        "fuzzy": DEFAULTS.fuzzy_weight,
    } == ranking.NEAR_WEIGHTS
    assert DEFAULTS.prefix_shortest == ranking.PREFIX_SHORTEST
    assert DEFAULTS.fuzzy_shortest == ranking.FUZZY_SHORTEST
    assert DEFAULTS.expansions == ranking.EXPANSIONS
    assert DEFAULTS.lone_weight == ranking.LONE_WEIGHT
    assert DEFAULTS.coverage == ranking.COVERAGE
    assert coverage.LIFTED == ranking.LIFTED
    assert FUZZY_SHORTEST == ranking.FUZZY_SHORTEST_STEM
    assert LIMITS == ranking._LIMITS
    assert (LONGEST, MOST_WORDS) == (ranking._LONGEST_QUERY, ranking._MOST_WORDS)


@settings(max_examples=150, deadline=None)
@given(_TEXTS, st.lists(_WORDS, min_size=1, max_size=5).map(" ".join))
def test_scores_are_those_of_search(texts: list[Text], query: str) -> None:
    documents = [Document(place, *text) for place, text in enumerate(texts)]
    expected = {
        hit.id: hit.score
        for hit in Snapshot([]).overlay((), documents).search(query, 100)
        if hit.score > 0
    }
    found = {hit.place: hit.score for hit in Ranker(texts).search(query, 100)}
    assert found.keys() == expected.keys()
    assert all(abs(found[place] - expected[place]) < 1e-9 for place in found)
