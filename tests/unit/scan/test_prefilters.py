"""What keeps a text from being searched never keeps a match from being found."""

from __future__ import annotations

import re

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from manent.scan.engine import Patterns, beyond_ascii, branches, choice, options
from manent.scan.injection import matching
from manent.scan.injection.needs import ways
from manent.scan.layers import BEYOND, LAYERS, present

WORDS = ["ab", "abc", "b[|)]c", r"c\|d", "d(?:e|f(?:g|h))", "[^]x]y", "è", "éa?"]
MEANT = ["ab", "abc", "b|c", "b)c", "c|d", "de", "dfg", "dfh", "zy", "è", "éa", "c", "d", " "]
LETTER = re.compile(rb"[A-Za-z\x80-\xff]")
PARAGRAPH = re.compile(rb"\n[ \t>]*\n")


@given(st.lists(st.sampled_from(WORDS), min_size=1), st.lists(st.sampled_from(MEANT)))
def test_a_choice_is_found_where_one_of_its_alternatives_is(
    words: list[str], said: list[str]
) -> None:
    raw = "".join(said).encode()
    each = [n for n, word in enumerate(words) if re2.compile(word, options()).search(raw)]
    assert bool(re2.compile(choice(*words), options()).search(raw)) == bool(each)
    assert Patterns([choice(word) for word in words]).which(raw) == each


def test_branches_are_the_alternatives_at_the_top() -> None:
    assert branches("|".join(WORDS)) == WORDS
    assert branches(r"[\]|]|a") == [r"[\]|]", "a"]


@pytest.mark.parametrize(
    ("pattern", "beyond"),
    [("è", True), ("aèb|[cd]è", True), ("è|a", False), ("è?a", False), ("[è]a", False),
     ("(?:è|a)b", False), ("(?:a|(?:è|b))?ñ", True)],
)  # fmt: skip
def test_what_must_hold_a_letter_beyond_ascii_is_told(pattern: str, beyond: bool) -> None:
    assert beyond_ascii(pattern) == beyond


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_a_text_of_ascii_is_asked_for_no_decoder_of_other_letters(text: str) -> None:
    raw = text.encode()
    triggered = {
        layer.name
        for layer in LAYERS
        for trigger in layer.triggers
        if re2.compile(trigger, options()).search(raw)
    }
    assert {layer.name for layer in present(raw)} == triggered
    assert not triggered & BEYOND


def _everywhere(tongue: matching._Tongue, raw: bytes) -> set[tuple[int, str]]:
    """Return where any rule of a language matches words of a paragraph, none of them cut off."""
    found = set()
    for _, search in tongue.searches((1 << len(tongue.vocabulary.owners)) - 1):
        for start, end, rule in search.find(raw, 0, len(raw)):
            if LETTER.match(raw, end) and not tongue.vocabulary.parts:
                continue
            if rule.kind in matching.ACROSS or not PARAGRAPH.search(raw, start, end):
                found.add((start, rule.pattern))
    return found


@pytest.mark.parametrize("code", ["en", "it", "fr", "de", "ru", "hi", "zh", "ja"])
def test_no_rule_is_left_out_where_it_matches(code: str) -> None:
    from eval.scan.sets import make_injection

    numbers = {language.code: n for n, language in enumerate(matching.LANGUAGES)}
    tongue = matching._english() if code == "en" else matching._language(numbers[code])
    attacks = [
        line["text"]
        for line in make_injection.lines()
        if line["label"] == "injection" and line.get("lang") == code
    ]
    checked = 0
    for text in attacks[:: max(1, len(attacks) // 12)]:
        raw = text.encode()
        segment = matching._Segment(raw, 0, len(raw))
        found = {(start, rule.pattern) for start, _, rule in matching._found(tongue, segment)}
        everywhere = _everywhere(tongue, raw)
        assert everywhere <= found, text
        checked += len(everywhere)
    assert checked


def test_each_alternative_says_what_it_needs() -> None:
    needed = ways(r"\bforget (?:the )?rules\b|\bjailbreak\b")
    assert [{min(forms) for forms in way} for way in needed] == [{"forget", "rules"}, {"jailbreak"}]


def test_a_common_word_that_may_be_part_of_another_is_not_needed() -> None:
    (way,) = ways(r"\bdisregard your (?:the|and)")
    assert way == [frozenset({"disregard"}), frozenset({"your"})]
    (way,) = ways(r"\bdisregard your (?:the|and)\b")
    assert frozenset({"the", "and"}) in way
