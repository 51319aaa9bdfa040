"""Each kind of finding has its page, made from data. ``MANENT_REGEN=1`` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manent.scan import injection, pii, secrets
from manent.scan.page import Described, contents, render

PAGES = Path(__file__).resolve().parents[3] / "spec" / "rules" / "scan"

FAMILIES: dict[str, tuple[Described, ...]] = {
    "injection": tuple(injection.KINDS),
    "pii": tuple(pii.KINDS),
    "secret": tuple(secrets.KINDS),
}


def _check(path: Path, wanted: str) -> None:
    if os.environ.get("MANENT_REGEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
    assert path.is_file(), f"{path.name} is missing: MANENT_REGEN=1 writes it"
    assert path.read_text(encoding="utf-8") == wanted, "stale: MANENT_REGEN=1 writes it anew"


@pytest.mark.parametrize("family", FAMILIES)
def test_pages_are_fresh(family: str) -> None:
    for kind in FAMILIES[family]:
        _check(PAGES / f"{kind.kind}.md", render(family, kind))


def test_no_page_without_a_kind_and_no_name_twice() -> None:
    kinds = [kind.kind for chosen in FAMILIES.values() for kind in chosen]
    assert len(kinds) == len(set(kinds))
    assert {page.stem for page in PAGES.glob("*.md")} - {"README"} == set(kinds)


def test_the_list_is_fresh() -> None:
    _check(PAGES / "README.md", contents(FAMILIES))


def test_a_page_says_all_five_things() -> None:
    for family, kinds in FAMILIES.items():
        for kind in kinds:
            page = render(family, kind)
            for part in ("**Why**: ", "**Flagged**", "**Accepted**", "**Source**: "):
                assert part in page
            for said in (kind.what, kind.why, kind.flagged, kind.accepted, kind.source):
                assert said.strip(), f"{kind.kind} says nothing of one of them"
            assert kind.flagged in page and kind.accepted in page
