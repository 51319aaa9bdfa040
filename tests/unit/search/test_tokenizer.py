"""Text to terms: what each kind of token is found by."""

from __future__ import annotations

import time

import pytest

from manent.search.languages import CODES, STOPWORDS
from manent.search.numbering import TokenNumbers
from manent.search.tokenizer import analyse, encoded, folded, raw_tokens, spaced


def forms(text: str) -> list[str]:
    return [form.text for raw in raw_tokens(text) for form in analyse(raw)]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("The gate, refused.", ["the", "gate", "refused"]),
        ("parseHTTPResponse", ["parsehttpresponse", "parse", "http", "response"]),
        ("snake_case_name", ["snake", "case", "name", "snake-case-name"]),
        ("kebab-case", ["kebab", "case", "kebab-case"]),
        ("see node.js v1.2.3.", ["see", "node", "js", "node.js", "v1", "2", "3", "v1.2.3"]),
        ("2024-01-15", ["2024", "01", "15", "2024-01-15"]),
        ("C++ and c#", ["c++", "and", "c#"]),
        ("## Heading #tag --- *bold* _it_", ["heading", "tag", "bold", "it"]),
        ("l'utente dell’arte don't", ["l", "utente", "dell", "arte", "don", "t"]),
        ("IDs GitHub iPhone", ["ids", "github", "git", "hub", "iphone", "phone"]),
        ("a/b@c:d|e", ["a", "b", "c", "d", "e"]),
        ("", []),
        ("-._+# ... \x00\t", []),
        ("word—word “quoted” a\u00a0b", ["word", "word", "quoted", "a", "b"]),
        ("ﬁne ①②", ["fine", "12"]),
        ("co\u00adoperate", ["cooperate"]),
        ("🚀 ship", ["🚀", "ship"]),
        ("👩‍💻❤️", ["👩", "💻", "❤"]),
        ("\ud800broken", ["broken"]),
    ],
)
def test_forms(text: str, want: list[str]) -> None:
    assert forms(text) == want


@pytest.mark.parametrize(
    ("word", "want"),
    [
        ("Città", "citta"),
        ("CITTA\u0300", "citta"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("Ёлка", "елка"),
        ("Московский", "московский"),  # й is a letter, not an accented и
        ("όνομα", "ονομα"),
        ("कि", "कि"),  # a vowel sign is no accent
        ("ｗｉｄｅ", "wide"),
    ],
)
def test_folding_spares_what_its_script_needs(word: str, want: str) -> None:
    assert folded(word) == want


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    assert [f for f in forms("東京都") if len(f) == 2] == ["東京", "京都"]
    counted = [f.text for f in analyse(encoded("東京都")) if f.counted]
    assert counted == ["東京", "京都"]
    assert forms("猫") == ["猫"]


def test_an_identifier_is_no_longer_than_its_words() -> None:
    counted = [f.text for f in analyse(b"parse_httpResponse") if f.counted]
    assert counted == ["parse", "http", "response"]


def test_very_long_tokens_are_bounded() -> None:
    assert forms("a" * 5000) == ["a" * 64]
    parts = forms("-".join(["ab"] * 3000))
    assert parts == ["ab"] * 3000


def test_words_of_grammar_are_spelled_as_the_tokenizer_leaves_them() -> None:
    for code, words in zip(CODES, STOPWORDS, strict=True):
        for word in words:
            assert forms(word) == [word], (code, word)
        assert len(words) <= 200


def test_a_long_token_of_anything_takes_linear_time() -> None:
    for text in ("a" * 2**18, "a-" * 2**17, "é." * 2**17, "漢" * 2**16, "🚀" * 2**16, "aB" * 2**17):
        start = time.process_time()
        forms(text)
        assert time.process_time() - start < 10


def test_spaces_are_the_only_white_space_left() -> None:
    text = spaced(encoded("a\tb\n\x00c\x0b\x0c d"))
    assert text == b"a b  c   d"
    assert TokenNumbers().numbers(text).tolist() == [0, 1, 2, 3]
