"""Every kind's page is run: what it flags is found, what it accepts is not."""

from __future__ import annotations

from random import Random

import pytest

from manent.scan.reading import readings
from manent.scan.secrets import KINDS, find
from manent.scan.secrets.form import Kind, example, leading, letters
from manent.scan.secrets.kinds import made
from manent.scan.span import Context, Family, Span


def found(text: str) -> list[Span]:
    plain = next(iter(readings(text)))
    return list(find(plain, Context()))


def flagged(kind: Kind, chance: Random) -> tuple[str, str]:
    secret = made(kind.kind, chance)
    return kind.flagged.replace(f"{{{kind.kind}}}", secret), secret


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_the_page_of_each_kind_holds(kind: Kind) -> None:
    chance = Random(kind.kind)
    for _ in range(12):
        text, secret = flagged(kind, chance)
        spans = found(text)
        assert len(spans) == 1, text
        assert all(span.family is Family.SECRET and not span.mention for span in spans)
        assert secret not in spans[0].masked
        assert text[spans[0].start : spans[0].end] in text
    assert not found(kind.accepted), kind.accepted


def test_kinds_are_told_apart_by_name() -> None:
    names = [kind.kind for kind in KINDS]
    assert len(names) == len(set(names))
    assert len(names) >= 250


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_each_kind_tells_where_its_form_is_published(kind: Kind) -> None:
    assert kind.what and kind.why and kind.source and kind.accepted
    assert f"{{{kind.kind}}}" in kind.flagged


def test_forms_are_read_and_drawn_alike() -> None:
    assert leading(r"dp\.pt\.[a-z]{3}") == "dp.pt."
    assert letters(r"A-C_\-") == "ABC_-"
    drawn = example(r"x(?:a|bc)[0-9]{2}\.", Random(1))
    assert drawn[0] == "x" and drawn[-1] == "."
    with pytest.raises(ValueError):
        example("(a)", Random(1))
