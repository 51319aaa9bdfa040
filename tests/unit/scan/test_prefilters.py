"""What keeps a text from being searched never keeps a match from being found."""

from __future__ import annotations

import re
from itertools import pairwise
from operator import add
from random import Random

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.scan.engine import Patterns, beyond_ascii, branches, choice, options
from manent.scan.injection import english, matching, vocabulary
from manent.scan.injection.needs import FAR, ways
from manent.scan.injection.rule import ANY, Rule, compiled, filled
from manent.scan.injection.segment import segments
from manent.scan.injection.standing import Order
from manent.scan.injection.vocabulary import ACROSS, Parts, Way, Words
from manent.scan.layers import BEYOND, COUNTED, LAYERS, present
from manent.scan.pii import made, nearby
from manent.scan.pii.national import ALL_WORDS
from manent.scan.pii.numbers import separator
from manent.scan.pii.phone import chains
from manent.scan.pii.pictures import WHOLE, shown

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


@settings(deadline=None)  # the automata are made at the first text
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


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["aZ27", "0x", "b1 ", "\\x", "c:d,", "+/-_", "89", "ſ", " ", "gh"]),
        max_size=30,
    )
)
def test_rows_of_letters_are_told_as_their_patterns_tell_them(said: list[str]) -> None:
    raw = "".join(said).encode()
    counted = [layer for layer in LAYERS if layer.name in COUNTED]
    ascii_only = [
        (layer, trigger.replace("A-Z", "A-Za-z")) for layer in counted for trigger in layer.triggers
    ]
    cased = {
        layer.name
        for layer, trigger in ascii_only
        if re2.compile(
            trigger.replace("a-f", "a-fA-F").replace("x", "[xX]"), options(case=True)
        ).search(raw)
    }
    assert {layer.name for layer in present(raw)} & COUNTED == cased


def _everywhere(tongue: matching._Tongue, raw: bytes) -> set[tuple[int, str]]:
    """Return where any rule of a language matches words of a paragraph, none of them cut off."""
    found = set()
    for search in tongue.searches:
        for start, end, rule in search.find(raw, [(0, len(raw))]):
            if LETTER.match(raw, end) and isinstance(tongue.known, Words):
                continue
            if rule.kind in ACROSS or not PARAGRAPH.search(raw, start, end):
                found.add((start, rule.pattern))
    return found


def _tongue(code: str) -> matching._Tongue:
    """Return a language of which nothing is compiled yet."""
    if code == "en":
        return matching._english.__wrapped__()
    numbers = {language.code: n for n, language in enumerate(matching.LANGUAGES)}
    return matching._language.__wrapped__(numbers[code])


def _attacks(code: str) -> list[bytes]:
    from eval.scan.sets import make_injection

    attacks = [
        line["text"].encode()
        for line in make_injection.lines()
        if line["label"] == "injection" and line.get("lang") == code
    ]
    return attacks[:: max(1, len(attacks) // 12)]


@pytest.mark.parametrize("code", ["en", "it", "fr", "de", "ru", "hi", "ko", "zh", "ja"])
@pytest.mark.parametrize("warm", [False, True])
def test_no_rule_is_left_out_where_it_matches(code: str, warm: bool) -> None:
    tongue, checked = _tongue(code), 0
    for raw in _attacks(code):
        (segment,) = segments(raw)
        everywhere = _everywhere(tongue, raw) if warm else set()
        found = {(start, rule.pattern) for start, _, rule in tongue.find(segment)}
        everywhere |= _everywhere(_ALL.setdefault(code, _tongue(code)), raw)
        assert everywhere <= found, raw
        checked += len(everywhere)
    assert checked


_ALL: dict[str, matching._Tongue] = {}
"""Languages of which everything is compiled."""


def test_each_alternative_says_what_it_needs() -> None:
    needed = ways(r"\bforget (?:the )?rules\b|\bjailbreak\b")
    words = [{min(need.forms) for need in way.needs} for way in needed]
    assert words == [{"forget", "rules"}, {"jailbreak"}]


def test_a_common_word_that_may_be_part_of_another_is_not_needed() -> None:
    (way,) = ways(r"\bdisregard your (?:the|and)")
    assert [need.forms for need in way.needs] == [{"disregard"}, {"your"}]
    (way,) = ways(r"\bdisregard your (?:the|and)\b")
    assert {"the", "and"} in [need.forms for need in way.needs]


@pytest.mark.parametrize(
    ("between", "within"),
    [
        (" ", 1), (r"(?: \w+){0,5} ", 6), (r" [^\n]{0,20} ", 13), (r" [^.\n]+ ", FAR),
        (" (?:a|b c)* ", FAR), (r" \S* ", 2), (r"[ \t>]{0,9}", 1), (r"[ 0-9]* ", FAR),
        (" (?:a b |c )?", 3), (" (?:{any} ){0,3}", 4),
    ],
)  # fmt: skip
def test_how_far_apart_two_words_stand_is_read_off_the_pattern(between: str, within: int) -> None:
    pattern = rf"\bjailbreak\b{between}\bunfettered\b"
    (way,) = ways(filled(pattern, {"any": ANY}))
    assert [min(need.forms) for need in way.needs] == ["jailbreak", "unfettered"]
    assert way.needs[1].within == within


@settings(deadline=None)
@given(
    st.sampled_from([r" (?:{any} ){0,3}", " ", r"[^\n]{0,9} ", r"(?: \w+)* ", r"[ \t>]*-? "]),
    st.lists(
        st.sampled_from(["a-b_c", "é", "--", "|", "x.y", "1", "> -", "a\vb", "\n"]), max_size=6
    ),
    st.booleans(),
)
def test_words_that_match_stand_in_order_and_near(
    between: str, said: list[str], turned: bool
) -> None:
    words = {"any": ANY}
    pattern = rf"\bjailbreak\b{between}\bunfettered\b"
    (way,) = ways(filled(pattern, words))
    ends = ["unfettered,", "*Jailbreak"] if turned else ["*Jailbreak", "unfettered,"]
    raw = " ".join([ends[0], *said, ends[1]]).encode()
    order = tuple((1 << number, need.within) for number, need in enumerate(way.needs))
    held = {"jailbreak": 1, "unfettered": 2}
    stands = Order(raw, held, plain=True).holds((0, len(raw)), [Way(0, order)])
    if re2.compile(compiled(pattern, words), options()).search(raw):
        assert stands
    if turned:
        assert not stands


def test_words_met_before_are_known_when_the_memory_of_words_is_emptied() -> None:
    _, known = vocabulary.load("en", english.RULES)
    assert isinstance(known, Words)
    before = known.told({"ignore", "instructions", "previous"})
    known.told({f"word{number}" for number in range(vocabulary.REMEMBERED)})
    assert known.told({"ignore", "instructions", "previous", "unheard"}) == before
    assert len(known.seen) < vocabulary.REMEMBERED


@given(st.text(alphabet="aZß1½éİı_-' \n\u00a0\u0915\u093e\u0964و\u200bꙮ中ς٣", max_size=40))
def test_words_are_rows_of_letters(text: str) -> None:
    lower = text.lower()
    words = re.findall(r"(?:[^\W\d_]|[\u0900-\u0963])+", lower)
    words += [word[1:] for word in words if word[0] in "وف"]
    said = {word.replace("ς", "σ") for word in vocabulary.spaced_words(text.encode())}
    assert said == {word.replace("ς", "σ") for word in words}


@pytest.mark.parametrize("code", ["zh", "ja"])
@settings(deadline=None)  # the vocabulary is read at the first text
@given(seed=st.randoms(use_true_random=False))
def test_parts_are_found_wherever_they_stand(code: str, seed: Random) -> None:
    known = _ALL.setdefault(code, _tongue(code)).known
    assert isinstance(known, Parts)
    parts = {
        part: mask
        for rows in known.known.values()
        for row in rows.values()
        for part, mask in row.items()
    }
    text = "".join(part[seed.randrange(3) :] for part in seed.choices(sorted(parts), k=8))
    heads = {*text, *map(add, text, text[1:])}
    assert known.held(text, heads) == {part: mask for part, mask in parts.items() if part in text}


@given(st.lists(st.sampled_from(["ab ", "a b ", "\n\n", "x" * 900 + " "]), max_size=12))
def test_places_looked_at_together_are_looked_at_one_by_one(said: list[str]) -> None:
    raw = "".join(said).encode()
    search = matching._Search(Rule("override", "ab|a b"), lambda: "ab|a b|b (?:x|\\s)")
    cuts = [0, *(gap.end() for gap in PARAGRAPH.finditer(raw)), len(raw)]
    places = list(pairwise(cuts))
    alone = [found for place in places for found in search.find(raw, [place])]
    assert search.find(raw, places) == alone


SPACES = [" ", "\u00a0", "\u2009", "  ", "\t", "\u3000 "]
LOOKS = {"-": "-‐–—−", ".": ".·．", "/": "/／", ":": ":：", "(": "(（"}


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(WHOLE)),
    st.randoms(use_true_random=False),
    st.data(),
)
def test_a_number_is_shown_in_every_writing_that_the_grammar_takes(
    picture: str, chance: Random, data: st.DataObject
) -> None:
    number = ""
    for mark in picture:
        if mark in "0A":
            number += chance.choice("0123456789" if mark == "0" else "ABCXabcx")
            continue
        looks = SPACES if mark == " " else LOOKS.get(mark, mark)
        gap = data.draw(st.sampled_from(looks))
        if mark not in " (" and chance.random() < 0.3:
            gap = f" {gap} "
        if separator(gap) != mark:
            return
        number += gap
    before = data.draw(st.sampled_from(["", " ", "(", "a-", "a_", "的", " '", "no", "ssn", "a."]))
    if before.isalpha() and before.isascii() and picture[0] == "A":
        return  # such a word is a part of the token
    after = data.draw(st.sampled_from(["", " ", ".", ", ", ")", "。", " - a", "/ "]))
    assert shown(f"{before}{number}{after}")[0]


@given(st.integers(0, 10_000), st.sampled_from(["", " ", "tel:", "(", "è ", "no"]),
       st.sampled_from(["", ".", " x12", " ext. 4", "x7", ")", "。"]))  # fmt: skip
def test_what_may_be_dialled_is_shown(seed: int, before: str, after: str) -> None:
    number = made("phone", Random(seed))
    text = f"{before}{number}{after}"
    assert chains(text, 0, len(text))
    assert shown(text)[1]


SAID = ["ssn", "W", "w", "2", "-", " ", ".", "10", "99", "1099", "4", "7310", "Tel", ":", "№", "卡"]


@given(st.lists(st.sampled_from([*SAID, " card ", "myVisa", "tax id", "\n"]), max_size=14))
def test_texts_that_differ_in_digits_only_are_read_once_and_rightly(said: list[str]) -> None:
    lexicon, text = nearby._LEXICON, "".join(said)
    for other in (text, text.translate(str.maketrans("0123456789", "9876543210"))):
        nearby.named(nearby.Around(other), ALL_WORDS)
        assert lexicon.told(nearby.Around(other)) == lexicon._read(nearby.Around(other))
