"""Laws of the secrets scanner, over invented tokens in any text."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from growth import grows_within
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.scan.reading import readings
from manent.scan.secrets import find
from manent.scan.secrets.forms import FORMS
from manent.scan.secrets.kinds import made
from manent.scan.span import Context, Span

STANDALONE = [form.kind for form in FORMS]
SEEDS = st.integers(0, 2**32)
LAW = settings(deadline=None, max_examples=150)
PROSE = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\\"), max_size=80)


def found(text: str) -> list[Span]:
    return list(find(next(iter(readings(text))), Context()))


@LAW
@given(st.sampled_from(STANDALONE), SEEDS, PROSE, PROSE)
def test_a_token_is_found_wherever_it_stands(kind: str, seed: int, before: str, after: str) -> None:
    """A token between blanks is found in any text, and at least its middle is covered."""
    token = made(kind, Random(seed))
    text = f"{before} {token} {after}"
    middle = len(before) + 1 + len(token) // 2
    assert any(span.start <= middle < span.end for span in found(text)), kind


@LAW
@given(st.text(max_size=400) | st.text(st.characters(categories=("Cs", "Cf", "Mn")), max_size=50))
def test_no_text_breaks_the_scanner(text: str) -> None:
    """Any letters give spans inside the text that touch no other."""
    spans = sorted(found(text), key=lambda span: span.start)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= two.start for one, two in itertools.pairwise(spans))


@LAW
@given(st.sampled_from(STANDALONE), SEEDS)
def test_the_same_token_has_the_same_digest_anywhere(kind: str, seed: int) -> None:
    """The digest is of the secret alone, so that one allowance holds where it moves."""
    token = made(kind, Random(seed))
    here, there = found(f"a {token} b"), found(f"elsewhere, later:\n\n  {token} b")
    assert {span.digest for span in here} == {span.digest for span in there}


@LAW
@given(st.sampled_from(STANDALONE), SEEDS)
def test_what_is_printed_tells_little(kind: str, seed: int) -> None:
    """Of a secret no more than two letters are shown."""
    for span in found(f"x {made(kind, Random(seed))} y"):
        assert len(span.masked.replace("*", "")) <= 2


@LAW
@given(st.sampled_from([form for form in FORMS if not form.seek and form.entropy]))
def test_letters_in_a_row_are_no_token(form: object) -> None:
    """A key followed by x in place of what is drawn is how manuals write a token."""
    key = form.literals[0]  # type: ignore[attr-defined]
    assert not found(f"token: {key}{'x' * 36}")


SLOW_TEXTS = {
    "blanks before an equals sign": lambda n: "password" + " " * n + "= x1",
    "one line of base 64": lambda n: ("QUJDRGVmZ2hpams4MTIzNDU2Nzg5MA" * (n // 30))[:n],
    "names without values": lambda n: "key=" * (n // 4),
    "names with short values": lambda n: "key=1" * (n // 5),
    "sentences that say nothing": lambda n: "password is a " * (n // 14),
    "keys of tokens": lambda n: ("gh" + "p_aB3") * (n // 7),
    "heads of web tokens": lambda n: ("ey" + "JhbGciOiJ") * (n // 11),
    "addresses cut short": lambda n: "x://a:b" * (n // 7),
    "frames without keys": lambda n: ("-----BEGIN PRIVATE " + "KEY-----\n") * (n // 28),
    "brackets": lambda n: "[" * n,
    "secrets without data": lambda n: "kind: Secret\ndata:\n a: b\n" * (n // 25),
    "single letters": lambda n: "a b " * (n // 4),
    "broken lines": lambda n: "ghp" + "_\n" * (n // 2),
}


@pytest.mark.parametrize("name", SLOW_TEXTS)
def test_time_grows_with_the_text(name: str) -> None:
    """Four times the text takes no more than about four times as long."""
    held, ratios = grows_within(found, SLOW_TEXTS[name], (60_000, 240_000), 10)
    assert held, ratios
