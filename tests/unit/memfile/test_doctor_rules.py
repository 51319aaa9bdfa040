"""Each rule's page is its test: flagged examples are flagged, accepted ones are not."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest
from vaults import refused_values

from manent.lint.page import Example, page_of
from manent.memfile.doctor import audit
from manent.memfile.flaw import Level
from manent.memfile.loaded import survey
from manent.memfile.rules import RULES


def _found(root: Path, rule: ModuleType, example: Example) -> set[str]:
    values = refused_values()
    for path, text in example.files.items():
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    budget = re.search(r"\(budget: (\d+)\)", rule.__doc__ or "")
    found = survey(root, budget=int(budget[1]) if budget else 2000)
    return {flaw.rule for flaw in audit(found, [rule]).flaws}


def _cases(kind: str) -> list[object]:
    return [
        pytest.param(rule, example, id=f"{rule.ID}-{n}")
        for rule in RULES
        for n, example in enumerate(getattr(page_of(rule), kind))
    ]


@pytest.mark.parametrize(("rule", "example"), _cases("flagged"))
def test_flagged_examples_are_flagged(tmp_path: Path, rule: ModuleType, example: Example) -> None:
    assert _found(tmp_path, rule, example) == {rule.ID}


@pytest.mark.parametrize(("rule", "example"), _cases("accepted"))
def test_accepted_examples_pass(tmp_path: Path, rule: ModuleType, example: Example) -> None:
    assert _found(tmp_path, rule, example) == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.ID)
def test_a_page_is_whole(rule: ModuleType) -> None:
    page = page_of(rule)
    assert page.why and page.title
    assert rule.__name__.rpartition(".")[2].startswith(rule.ID.lower() + "_")
    assert isinstance(rule.SEVERITY, Level)
