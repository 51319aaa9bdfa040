"""What a line says of the present, and what only looks like it."""

from __future__ import annotations

import pytest

from manent.memfile.document import parse
from manent.memfile.volatile import body, is_volatile, signs

CHANGES = [
    "**Version:** 4.1.0",
    "**Latest version:** v0.9.2-rc1",
    "Versione attuale: 1.3",
    "Release 5.2.0 was published in spring, 5.3 is next.",
    "**Status**: under active development",
    "Stato: in sviluppo",
    "Project status: 80 % done",
    "Current priority: the importer, until the fair.",
    "Prochaine étape : la facturation",
    "> Update (2026-09-02): the mirror is down.",
    "The nightly job is currently broken on arm64.",
    "Le déploiement est actuellement en panne.",
    "- Parser: done\n- Printer: in progress",
]
STAYS = [
    "Status: one of `open`, `closed` or `stale`.",
    "Version: a semantic version, at least 2.0 or later.",
    "If the service is currently down, restart it.",
    "- `todo`: not started\n- `done`: finished",
    "| pending | nobody has begun |\n| done | it was merged |",
    "Version 3.2 or later of the compiler is required.",
    "The status code is 204 on success.",
    "Next steps are written by the person who reviews.",
]


def judged(text: str) -> bool:
    doc = parse(f"# Harbour\n\n{text}\n")
    section = doc.sections()[0]
    section = section.children[0] if section.level == 0 and section.children else section
    return is_volatile(signs(section, body(doc, section)))


@pytest.mark.parametrize("text", CHANGES)
def test_a_state_of_things_is_volatile(text: str) -> None:
    assert judged(text)


@pytest.mark.parametrize("text", STAYS)
def test_a_rule_about_states_is_not(text: str) -> None:
    assert not judged(text)


def test_a_heading_that_ends_in_how_far_it_is() -> None:
    doc = parse("# Phase 3 (in progress)\n\nThe importer reads both forms.\n")
    section = next(s for s in doc.sections() if s.level == 1)
    assert is_volatile(signs(section, body(doc, section)))
