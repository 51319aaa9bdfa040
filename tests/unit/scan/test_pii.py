"""What the personal data family finds: every kind's page, spellings, and one digest for all."""

from __future__ import annotations

from random import Random

import pytest

from manent.scan.pii import KINDS, Kind, find, made
from manent.scan.reading import readings
from manent.scan.span import Context, Family, Span


def spans(text: str, context: Context | None = None) -> list[Span]:
    chosen = context or Context()
    return [span for reading in readings(text) for span in find(reading, chosen)]


def kinds(text: str, context: Context | None = None) -> set[str]:
    return {span.kind for span in spans(text, context)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_the_page_of_each_kind_holds(kind: Kind) -> None:
    on_request = Context(locations=True)
    for seed in range(4):
        value = made(kind.kind, Random(f"{kind.kind}{seed}"))
        text = kind.flagged.replace(f"{{{kind.kind}}}", value)
        found = spans(text, on_request)
        assert found, text
        assert all(value not in span.masked for span in found)
    assert kinds(kind.accepted, on_request) == set()


def test_at_least_thirty_countries_have_a_national_number() -> None:
    countries = {kind.kind[:2] for kind in KINDS if kind.kind[2:3] == "-"}
    assert len(countries) >= 30


def test_a_page_of_an_unknown_kind_cannot_be_filled() -> None:
    with pytest.raises(KeyError):
        made("shoe-size", Random(1))


@pytest.mark.parametrize(
    "spelling",
    [
        "{n}@{h}.{t}",
        "{n} (at) {h} (dot) {t}",
        "{n}[at]{h}.{t}",
        "{n} at {h} dot {t}",
        "{n} chiocciola {h} punto {t}",
        "{n} arroba {h} punto {t}",
        "{n} . {h2} @ {h} . {t}",
        "{n}\\@{h}.{t}",
        "{n}\\@{h}\\.{t}",
        "{n}**@**{h}.{t}",
        "{n}<span class='a'>@</span>{h}<b>.</b>{t}",
        "{n}<wbr>@<wbr>{h}.{t}",
        "{n}=40{h}.{t}",
        "{n}@=\nlu=\nmacorta.{t}",
        "{n}&#64;{h}&#46;{t}",
        "{n}＠{h}.{t}",
        "mailto:{n}@{h}.{t}",
        "https://a.test/?m={n}@{h}.{t}",
    ],
)
def test_an_address_is_found_however_it_is_spelled(spelling: str) -> None:
    text = spelling.format(n="marta.f", h="lumacorta", h2="rossi", t="it")
    assert kinds(f"Referente: {text}") == {"email"}


@pytest.mark.parametrize("writing", ["{a} № {b}", "{a} №{b}", "{a}№{b}", "{a2} № {b}"])
def test_a_series_and_a_number_are_one_number(writing: str) -> None:
    chance = Random(writing)
    series = str(chance.randrange(4501, 4599))
    number = str(chance.randrange(200_000, 899_999))
    said = writing.format(a=series, b=number, a2=f"{series[:2]} {series[2:]}")
    (span,) = spans(f"Паспорт: {said}, выдан в Казани.")
    assert span.kind == "ru-passport"
    assert not spans(f"Приказ {said} от мая")


def test_two_spellings_of_one_datum_have_one_digest() -> None:
    chance = Random(4)
    iban = made("iban", chance)
    card = made("card", chance)
    spaced = " ".join(iban[i : i + 4] for i in range(0, len(iban), 4))
    dashed = "-".join(card[i : i + 4] for i in range(0, len(card), 4))
    pairs = [
        (f"IBAN {iban}", f"IBAN {spaced.lower()}"),
        (f"card {card}", f"card {dashed}"),
        ("tel. +39 347 200 4321", "tel. 347 2004321"),
        ("Marta.F@Lumacorta.it", "marta.f [at] lumacorta.it"),
    ]
    for one, other in pairs:
        assert {s.digest for s in spans(one)} == {s.digest for s in spans(other)}, (one, other)


def test_a_number_spelled_letter_by_letter_is_found() -> None:
    code = made("it-codice-fiscale", Random(2))
    assert kinds(f"CF: {' '.join(code)}") == {"it-codice-fiscale"}


def test_an_omocode_is_found_however_many_digits_became_letters() -> None:
    from manent.scan.pii.national.west import _code_check

    for places in ((14,), (9, 13), (6, 7, 9, 10, 12, 13, 14)):
        code = list(made("it-codice-fiscale", Random(8)))
        for place in places:
            code[place] = "LMNPQRSTUV"[int(code[place])]
        whole = "".join(code[:15])
        assert kinds(f"codice fiscale {whole}{_code_check(whole)}") == {"it-codice-fiscale"}


def test_a_birth_that_no_calendar_has_is_no_codice_fiscale() -> None:
    from manent.scan.pii.national.west import _code_check

    body = "BCDFGH80B30F205"
    assert kinds(f"CF {body}{_code_check(body)}") == set()


def test_the_head_of_a_table_labels_its_column() -> None:
    number = made("pl-pesel", Random(3))
    assert kinds(f"| osoba | PESEL |\n|---|---|\n| Anna | {number} |\n") == {"pl-pesel"}
    assert kinds(f"| rzecz | sztuk |\n|---|---|\n| nut | {number} |\n") == set()


def test_a_label_on_the_line_above_counts() -> None:
    assert kinds("Telefono:\n347 2004321") == {"phone"}


def test_weak_numbers_need_a_word() -> None:
    number = made("nl-bsn", Random(5))
    assert kinds(f"BSN {number}") == {"nl-bsn"}
    assert kinds(f"the sum was {number} in the end") == set()


def test_digits_of_other_scripts_are_digits() -> None:
    card = made("card", Random(6)).translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
    assert kinds(f"بطاقة {card}") == {"card"}


def test_national_form_counts_by_region_and_with_a_label_anywhere() -> None:
    number = "0176 45678901"
    assert kinds(f"Lena {number}") == {"phone"}
    assert kinds(f"Lena {number}", Context(phone_regions=("US",))) == set()
    assert kinds(f"phone {number}", Context(phone_regions=())) == {"phone"}


def test_a_span_says_where_and_shows_little() -> None:
    text = "scrivere a marta.f@lumacorta.it domani"
    (span,) = spans(text)
    assert text[span.start : span.end] == "marta.f@lumacorta.it"
    assert (span.family, span.layer, span.masked) == (Family.PII, "plain", "ma" + "*" * 10)
    assert not span.mention


def test_locations_are_found_on_request_only() -> None:
    for kind in ("ip", "coordinates"):
        value = made(kind, Random(kind))
        assert kinds(f"seen at {value}") == set()
        assert kinds(f"seen at {value}", Context(locations=True)) == {kind}


def test_reversed_and_rotated_digits_mean_nothing() -> None:
    card = made("card", Random(7))
    plain = next(iter(readings(f"card {card}")))
    turned = type(plain)(plain.text, "reversed")
    assert list(find(plain, Context()))
    assert not list(find(turned, Context()))
