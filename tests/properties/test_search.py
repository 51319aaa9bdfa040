"""Laws of lexical search.

What a hidden document holds changes no bit of an answer; an index changed in
small steps answers as one built anew; and no text is too odd to ask for.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manent.search.constants import DEFAULTS
from manent.search.lexical import LexicalStore, Scored
from manent.search.postings import Document, batches, size_of
from manent.search.pruning import contenders
from manent.search.query import Question
from manent.search.rank import best
from manent.search.tokenizer import analyse, raw_tokens

# Words that collide: by stem, prefix, one slip, language, case, accents and parts.
TEXT = """
    kubernetes Kubernetes kubernete kubernets kubectl kuberno kuberna kuberni deploy deploys
    deployment deployed
    deployer configuration configured configurator config the a of and is are was il la di che
    e un una come die der das und nicht perché perche città citta cittadino run running runs
    runner parseHTTPResponse parse_http_response http-response node.js 1.2.3 1.2.4 v1.2
    2024-01-15 2024-01-16 C++ c# 東京都 東京 京都 猫 日本語 ไทย ภาษาไทย 한국어 한국 🚀 🦊 naïve
    naive coöperate straße strasse Москва москвы не и в на это что memory memories memoria
    memorie vault vaults gate gates
"""
WORDS = TEXT.split()

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
queries = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
    st.sampled_from(WORDS).map(lambda word: word[:-1]),
    st.sampled_from(WORDS).map(lambda word: word[:2] + word[3:]),
    st.sampled_from(WORDS).map(lambda word: word[:3] + "x" + word[3:]),
)


@st.composite
def corpora(draw: st.DrawFn, most: int = 14) -> list[Document]:
    ids = draw(st.lists(st.integers(0, 60), unique=True, max_size=most))
    return [
        Document(i, draw(texts), draw(texts), draw(texts), draw(texts) + " " + draw(texts))
        for i in ids
    ]


def built(folder: str, documents: list[Document]) -> LexicalStore:
    store = LexicalStore(Path(folder) / "index")
    store.rebuild(documents, "t0")
    return store


def ranks() -> np.ndarray:
    """A path order that is not the order of ids."""
    return np.random.default_rng(5).permutation(400)


def exact(hits: list[Scored]) -> list[tuple[int, str, str, tuple[object, ...]]]:
    return [(h.id, h.score.hex(), h.relevance.hex(), h.explanation) for h in hits]


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(corpora(), st.data())
def test_hidden_documents_change_no_bit_of_an_answer(
    documents: list[Document], data: st.DataObject
) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=61, max_size=61)), bool)
    chosen = replace(DEFAULTS, expansions=data.draw(st.sampled_from([1, 2, 8])))
    asked = data.draw(st.lists(queries, min_size=1, max_size=4))
    seen = [d for d in documents if mask[d.id]]
    demotion = np.where(np.arange(400) % 3 == 0, 0.5, 1.0)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        everything, alone = built(one, documents), built(other, seen)
        for query in asked:
            for k in (1, 3, 50):
                given_too = (ranks(), chosen, demotion, True)
                want = alone.search(query, k, None, *given_too)
                by_mask = everything.search(query, k, mask, *given_too)
                by_call = everything.search(query, k, lambda ids: mask[ids], *given_too)
                assert exact(by_mask) == exact(want)
                assert exact(by_call) == exact(want)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(corpora(), st.data())
def test_an_index_changed_in_steps_equals_one_built_anew(
    documents: list[Document], data: st.DataObject
) -> None:
    now = {d.id: d for d in documents}
    next_id = 100
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        store = built(one, documents)
        for step in range(data.draw(st.integers(1, 9))):
            removed = data.draw(st.lists(st.sampled_from(sorted(now) or [0]), unique=True))
            added = [replace(d, id=next_id + d.id) for d in data.draw(corpora(4))]
            next_id += 61
            for i in removed:
                now.pop(i, None)
            now.update({d.id: d for d in added})
            view = store.overlay(removed, added)
            store.update(removed, added, f"t{step + 1}")
            assert store.stamp == f"t{step + 1}"
            assert view.ids().tolist() == store.snapshot.ids().tolist() == sorted(now)
            if data.draw(st.booleans()):
                store.compact()
            anew = built(other, list(now.values()))
            query = data.draw(queries)
            few = replace(DEFAULTS, expansions=data.draw(st.sampled_from([1, 8])))
            order = np.random.default_rng(5).permutation(1000)
            want = exact(anew.search(query, 50, None, order, few, None, True))
            assert exact(view.search(query, 50, None, order, few, None, True)) == want
            assert exact(store.search(query, 50, None, order, few, None, True)) == want
            reopened = LexicalStore(store.folder)
            assert exact(reopened.search(query, 50, None, order, few, None, True)) == want
            store.verify()


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(corpora(), queries)
def test_the_lines_of_an_explanation_add_up_to_the_score(
    documents: list[Document], query: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for hit in built(folder, documents).search(query, 50, explain=True):
            total = 0.0
            for line in hit.explanation:
                total += line.score
                weighed = sum(line.counts.values())
                assert weighed > 0 and line.df <= line.documents == len(documents)
            assert total * hit.lift == hit.relevance
            assert 1 <= hit.lift <= 1.3 + 1e-12


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(corpora(), st.text(max_size=60) | st.binary(max_size=40).map(lambda b: b.decode("latin-1")))
def test_any_text_can_be_asked_and_indexed(documents: list[Document], text: str) -> None:
    odd = Document(999, text, text, text, text)
    with tempfile.TemporaryDirectory() as folder:
        hits = built(folder, [*documents, odd]).search(text, 100)
        found = {hit.id for hit in hits}
        assert (999 in found) == bool(Question(text).words)
        assert all(hit.score > 0 for hit in hits)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_a_token_is_read_the_same_alone_and_among_others(text: str) -> None:
    tokens = raw_tokens(text)
    assert [t for part in text.split(" ") for t in raw_tokens(part)] == tokens
    for token in tokens:
        for form in analyse(token):
            assert form.text
            again = [f.text for t in raw_tokens(form.text) for f in analyse(t)]
            assert form.text in again or not form.text.isascii()


@settings(deadline=None, max_examples=25)
@given(corpora())
def test_batches_hold_every_document_once_in_order(documents: list[Document]) -> None:
    assert [d for batch in batches(documents, size_of) for d in batch] == documents


@pytest.mark.parametrize("mask", [np.zeros(0, bool), np.zeros(61, bool)])
@settings(deadline=None, max_examples=10)
@given(corpora(), queries)
def test_who_sees_nothing_finds_nothing(
    mask: np.ndarray, documents: list[Document], query: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert built(folder, documents).search(query, 9, mask, weights=DEFAULTS) == []


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(corpora(), queries, st.integers(1, 6), st.booleans())
def test_pruning_changes_no_bit_of_an_answer(
    documents: list[Document], query: str, k: int, demoted: bool
) -> None:
    demotion = np.where(np.arange(61) % 2 == 0, 0.25, 1.0) if demoted else None
    with tempfile.TemporaryDirectory() as folder:
        scope = built(folder, documents).snapshot.scope()
        words = scope.words(Question(query))
        full = scope.scores(words)
        scores = full if demotion is None else full * demotion[scope.ids]
        places = np.flatnonzero(scores)
        want = places[best(scope.ids[places], scores[places], k, ranks())]
        found, relevance = contenders(scope, words, k, DEFAULTS, demotion)
        assert full[found].tolist() == relevance.tolist()
        assert set(want.tolist()) <= set(found.tolist())
