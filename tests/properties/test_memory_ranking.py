"""The ranker of memory files is the project's: the same scores in the same order."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from manent.memfile.ranking import Ranker, Text
from manent.search.lexical import Snapshot
from manent.search.postings import Document

_WORDS = st.sampled_from(
    "deploy deployment deploying deployd the and of node.js config-file snake_case HTTPServer "
    "v1.2.3 "
    "test testing tests tseting perché gatto della rete der Hund und die é漢字 run C++ c# a".split()
)
_FIELD = st.lists(_WORDS, max_size=8).map(" ".join)
_TEXTS = st.lists(st.builds(Text, _FIELD, _FIELD, _FIELD, _FIELD), min_size=1, max_size=8)


def test_it_takes_the_constants_of_search_without_its_arrays() -> None:
    code = (
        "import sys; from manent.memfile import ranking; from manent.search import constants;"
        "print(ranking.DEFAULTS is constants.DEFAULTS, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


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
