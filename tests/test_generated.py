"""Pages made from code are fresh. ``MANENT_REGEN=1`` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manent.lint.page import page_of, render
from manent.lint.rules import RULES
from manent.memfile.rules import RULES as MEMORY_RULES

RULE_PAGES = Path(__file__).resolve().parent.parent / "spec" / "rules"


def _check(path: Path, wanted: str) -> None:
    if os.environ.get("MANENT_REGEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
    assert path.is_file(), f"{path.name} is missing: MANENT_REGEN=1 writes it"
    assert path.read_text(encoding="utf-8") == wanted, "stale: MANENT_REGEN=1 writes it anew"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.ID)
def test_rule_pages_are_fresh(rule: object) -> None:
    page = page_of(rule)  # type: ignore[arg-type]
    _check(RULE_PAGES / f"{page.id}.md", render(page))


def test_no_page_without_a_rule() -> None:
    pages = {p.stem for p in RULE_PAGES.glob("*.md")} - {"README"}
    assert pages == {rule.ID for rule in RULES}


def test_the_list_of_rules_is_fresh() -> None:
    rows = ["# Lint rules", "", "| rule | severity | what |", "|---|---|---|"]
    for rule in RULES:
        page = page_of(rule)
        rows.append(f"| [{page.id}]({page.id}.md) | {page.severity} | {page.title} |")
    _check(RULE_PAGES / "README.md", "\n".join(rows) + "\n")


@pytest.mark.parametrize("rule", MEMORY_RULES, ids=lambda r: r.ID)
def test_pages_of_memory_rules_are_fresh(rule: object) -> None:
    page = page_of(rule)  # type: ignore[arg-type]
    _check(RULE_PAGES / "memory" / f"{page.id}.md", render(page))


def test_no_page_without_a_memory_rule() -> None:
    pages = {p.stem for p in (RULE_PAGES / "memory").glob("*.md")} - {"README"}
    assert pages == {rule.ID for rule in MEMORY_RULES}


def test_the_list_of_memory_rules_is_fresh() -> None:
    rows = ["# Rules for memory files", "", "| rule | severity | what |", "|---|---|---|"]
    for rule in MEMORY_RULES:
        page = page_of(rule)
        rows.append(f"| [{page.id}]({page.id}.md) | {page.severity} | {page.title} |")
    _check(RULE_PAGES / "memory" / "README.md", "\n".join(rows) + "\n")
