"""Kinds and volatility: the labelled sections, and what hangs below a heading."""

from __future__ import annotations

import pytest

from eval.memory import sections
from manent.memfile.document import parse
from manent.memfile.kinds import judged


def _told(text: str) -> dict[str, tuple[str, bool]]:
    return {j.section.title: (j.kind, j.volatile) for j in judged(parse(text))}


def test_the_labelled_sections_are_judged_as_well_as_before() -> None:
    found = sections.figures(sections.answers(sections.load()))
    assert sections.dropped(found) == []
    assert found["sections"] == 237


def test_a_volatile_heading_holds_at_every_depth() -> None:
    text = (
        "# P\n\n## Status\n\n### A\n\nIt runs.\n\n#### B\n\nIt stands.\n\n## Rules\n\nNever push.\n"
    )
    told = _told(text)
    assert told["A"][1] and told["B"][1]
    assert not told["Rules"][1] and not told["P"][1]


def test_what_happened_stays_what_happened_below_its_date() -> None:
    told = _told("# P\n\n## 2026-01-02\n\n### Mood\n\nWindy.\n\n#### Boats\n\nFew.\n")
    assert told["Mood"] == told["Boats"] == ("episodic", True)


def test_a_date_in_the_title_of_a_file_dates_no_section() -> None:
    told = _told("# Harbour (2026-01-02)\n\n## Rules\n\nNever moor twice.\n")
    assert told["Rules"] == ("procedural", False)


@pytest.mark.parametrize(
    "text",
    [
        "Requires Node >= 20.11.0 and Python 3.12.\n",
        "The protocol version is `2024-11-05`.\n",
        "```\nVersion: 1.2.3\n- [x] done\n2026-01-01 x\n```\n",
        "Name files like `2026-01-31-notes.md`.\n",
        "- ✅ Use tokens\n- ❌ Don't inline\n",
        "Return 404 when the status is unknown.\n",
        "Bump the version, for example from 1.2.3 to 1.2.4.\n",
    ],
)
def test_stable_text_with_dates_versions_and_marks(text: str) -> None:
    assert not any(j.volatile for j in judged(parse(f"# Title\n\n{text}")))


@pytest.mark.parametrize(
    "text",
    [
        "Version: 1.2.3\n",
        "**Current version**: v2.0.0-beta.1\n",
        "Last updated: 3 March 2026\n",
        "- 2026-01-01: a\n- 2026-01-02: b\n",
        "- [x] a\n- [ ] b\n",
        "TODO: ask the office\nTODO: mend the pier\n",
        "87/120 tests passing\n",
        "| part | state |\n|---|---|\n| a | done |\n| b | in progress |\n",
    ],
)
def test_volatile_text_under_a_plain_heading(text: str) -> None:
    assert any(j.volatile for j in judged(parse(f"# Title\n\n{text}")))


RELEASES = (
    *("Release 1.4.2", "Version 1.4.2", "v1.4.2", "Release v2.0", "1.4.2", "v1.4.2 – Lamp"),
    *("Release notes for 1.4.2", "Release notes: 1.4.2", "Changelog for v1.4.2", "Ver. 1.2.3"),
    *("Version 3.0.0-beta.1", "Released 1.4.2", "Release 12", "Hotfix 1.4.3", "[Unreleased]"),
    *("release/1.4.2", "Release 1.4.2 (stable)", "🚀 Release 1.4.2", "Breaking changes in v3"),
    *("Versione 1.4.2", "版本 1.4.2", "Changes in version 2.1.0", "[1.4.2] - 2026-01-02"),
)
NO_RELEASES = (
    *("Release process", "Releasing", "Release checklist", "Version policy", "Python 3.11"),
    *("Node 20.1.0 setup", "Migrating from 1.x to 2.x", "API v2", "Requires Node 18.0"),
    *("1.2 Commands", "2.1 Testing rules", "1.2.3 Naming", "Release branches", "Versioning"),
)


@pytest.mark.parametrize("title", RELEASES)
def test_a_heading_that_names_a_release_is_volatile(title: str) -> None:
    for said in ("- Faster lamp\n- Second lens\n", "The lamp is faster now, and lighter.\n"):
        found = judged(parse(f"# Lamp\n\nIt turns.\n\n## {title}\n\n{said}"))[1]
        assert found.volatile and found.kind == "episodic"


@pytest.mark.parametrize("title", NO_RELEASES)
def test_a_heading_with_a_number_names_no_release(title: str) -> None:
    found = judged(parse(f"# Lamp\n\nIt turns.\n\n## {title}\n\n- Ask the office.\n- Tell all.\n"))
    assert not found[1].volatile


def test_orders_under_a_release_are_orders() -> None:
    text = "# Lamp\n\nIt turns.\n\n## Version 2.0\n\n- Never open it.\n- Use both hands.\n"
    assert not judged(parse(text))[1].volatile


@pytest.mark.parametrize(
    "text",
    [
        "<!-- TODO: the mooring -->\n",
        "<!--\nFIXME(ana): the pier\n-->\n",
        "TODO: say who opens the lock\n",
        "## Aktueller Stand\n\n- Export läuft\n- Import fehlt noch\n",
        "## Lavori in corso\n\n- Molo\n- Gru\n",
        "## Следующие шаги\n\n- Причал\n- Кран\n",
        "## 최근 변경 사항\n\n- 부두\n- 크레인\n",
        "## This week\n\n- finish the pier\n",
        "## Recently completed\n\n- Search by berth\n",
        "Dernière mise à jour : 14 mai 2026\n",
        "Última actualización: 14 de mayo de 2026\n",
        "Обновлено: 14 мая 2026\n",
    ],
)
def test_tasks_in_comments_plans_and_headings_of_other_languages(text: str) -> None:
    assert any(j.volatile for j in judged(parse(f"# Harbour\n\nIt is small.\n\n{text}")))


@pytest.mark.parametrize(
    "text",
    [
        "<!-- Keep the table sorted. TODOs go to the tracker. -->\n",
        "## Bugs\n\nBugs are told to the harbour master.\n",
        "## Stand\n\nThe stand of the crane is on the east pier.\n",
        "## Current tasks\n\nNever close a task of somebody else. Always ask.\n",
        "## Completed work\n\n- Always tell the office.\n- Never leave a rope.\n",
        "Founded on 1 March 2019, moved on 14. Mai 2020.\n",
    ],
)
def test_what_only_sounds_like_a_state(text: str) -> None:
    assert not any(j.volatile for j in judged(parse(f"# Harbour\n\nIt is small.\n\n{text}")))
