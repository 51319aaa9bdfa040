"""Laws of the personal data family."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from growth import grows_within
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.scan.pii import find, made
from manent.scan.pii.bank import IBAN_LENGTHS
from manent.scan.pii.national import NUMBERS, america, asia, east, north, south, west
from manent.scan.pii.numbers import canonical
from manent.scan.reading import Reading
from manent.scan.span import Context

WORDS = st.sampled_from(
    [
        "card",
        "tel.",
        "IBAN",
        "SSN",
        "+39 ",
        "@",
        " at ",
        " dot ",
        ".it",
        "0",
        "12",
        "4111",
        "-",
        " ",
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=60).map("".join))


def spans(text: str) -> list[Any]:
    return list(find(Reading(text), Context(locations=True)))


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_gives_ordered_spans_inside_it(text: str) -> None:
    found = spans(text)
    assert all(0 <= s.start < s.end <= len(text) for s in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


@given(TEXTS, st.sampled_from(["email", "iban", "card", "it-codice-fiscale", "us-ssn"]), TEXTS)
@settings(max_examples=150, deadline=None)
def test_what_stands_on_a_line_of_its_own_is_found_whatever_is_around(
    before: str, kind: str, after: str
) -> None:
    value = made(kind, Random(11))
    text = f"{before}\n\ncard or code {value} here\n\n{after}"
    at = text.index(value, len(before))
    assert any(s.start <= at < s.end for s in spans(text))


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.kind)
def test_no_rule_raises_on_what_its_pictures_let_through(number: Any) -> None:
    chance = Random(number.kind)
    for picture in (*number.surely, *number.likely, *number.perhaps)[:40]:
        for _ in range(60):
            drawn = "".join(
                chance.choice("0123456789")
                if c == "0"
                else chance.choice("ABCKQXZ")
                if c == "A"
                else c
                for c in picture
            )
            assert number.holds(canonical(drawn)) in (True, False)


SAME = {
    "fr.nir": (west.nir, 15), "nl.bsn": (west.bsn, 9), "gb.nhs": (west.nhs, 10),
    "ch.ssn": (west.ahv, 13), "at.vnr": (west.at_svnr, 10), "de.idnr": (west.steuer_id, 11),
    "ee.ik": (north.isikukood, 11), "pl.pesel": (east.pesel, 11), "cz.rc": (east.rodne_cislo, 10),
    "ro.cnp": (east.cnp, 13), "bg.egn": (east.egn, 10), "hr.oib": (east.oib, 11),
    "si.emso": (east.jmbg, 13), "gr.vat": (east.afm, 9), "gr.amka": (east.amka, 11),
    "tr.tckimlik": (east.tckn, 11), "ru.inn": (east.inn, 12), "ua.rntrc": (east.rnokpp, 10),
    "ca.sin": (america.sin, 9), "br.cpf": (america.cpf, 11), "us.ssn": (america.ssn, 9),
    "do.cedula": (america.cedula_do, 11), "in_.aadhaar": (asia.aadhaar, 12),
    "my.nric": (asia.mykad, 12), "th.pin": (asia.th_id, 13), "il.idnr": (south.il_id, 9),
    "au.tfn": (south.tfn, 9), "nz.ird": (south.ird, 9),
    "za.idnr": (south.za_id, 13),
}  # fmt: skip
"""Rules that python-stdnum has too, and how many digits they read."""

LENIENT = {"za.idnr", "pl.pesel", "cz.rc", "bg.egn", "my.nric", "at.vnr", "ee.ik", "gr.amka"}
"""Where stdnum also asks for a status, or whether that year had a 29 February."""

STRICT = {"fr.nir", "at.vnr", "ee.ik", "cz.rc", "si.emso", "ch.ssn", "us.ssn"}
"""Where we also ask for a month of the calendar, a century of people alive, or no specimen."""


@pytest.mark.parametrize("name", SAME)
def test_rules_agree_with_stdnum(name: str) -> None:
    rule, size = SAME[name]
    other: Callable[[str], bool] = importlib.import_module(f"stdnum.{name}").is_valid
    chance = Random(name)
    for _ in range(20_000):
        code = chance.choice("123456789") + "".join(chance.choices("0123456789", k=size - 1))
        ours, theirs = rule(code), other(code)
        assert ours or not theirs or name in STRICT, code
        assert theirs or not ours or name in LENIENT, code


def test_iban_lengths_are_those_of_the_registry() -> None:
    from stdnum import iban

    for country, length in IBAN_LENGTHS.items():
        body = "1" * (length - 4)
        valid = [
            n for n in range(98) if iban.is_valid(f"{country}{n:02d}{body}", check_country=False)
        ]
        shape_is_letters = not valid
        assert shape_is_letters or len(valid) <= 2


@pytest.mark.parametrize(
    "unit", ["1", "@", "a@", "at dot ", "mail at x dot com ", " ", "1 ", "12 34 ", "4111 ", "+39 ",
             "1.", "|1", "phone 123456 ", "[at] x [dot] ", "a-at-b-dot-"]
)  # fmt: skip
def test_time_grows_with_the_length_and_no_faster(unit: str) -> None:
    def make(size: int) -> str:
        return unit * (size // len(unit))

    held, ratios = grows_within(spans, make, (40_000, 320_000), 8 * 2.5)
    assert held, ratios
