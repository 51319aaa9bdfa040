"""Each rule's page is its test: flagged examples are flagged, accepted ones are not."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from vaults import findings, refused_values

from manent.finding import Severity
from manent.lint.page import Example, page_of
from manent.lint.rules import RULES
from manent.lint.subject import Policy


def _found(root: Path, rule: ModuleType, example: Example) -> set[str]:
    values = refused_values()
    files = {}
    for path, text in example.files.items():
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
        files[path] = text
    policy = Policy(audiences=example.audiences)
    return {f.rule for f in findings(root, files, policy)} & {rule.ID}


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
    assert page.flagged and page.accepted
    assert page.why and page.title
    assert rule.__name__.rpartition(".")[2].replace("_", "-") == rule.ID
    assert isinstance(rule.SEVERITY, Severity)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (">", "is empty"),
        ("|-", "is empty"),
        ('"  "', "is empty"),
        (">\n  Folded\n  text", "write >- in place of >"),
        ("|\n  one\n  two", "holds several"),
        ('"one\\ntwo"', "holds several"),
    ],
)
def test_a_text_that_is_not_one_line_is_told_why(tmp_path: Path, written: str, said: str) -> None:
    text = f"---\nname: a\ndescription: {written}\ntype: reference\n---\ntext\n"
    found = [f for f in findings(tmp_path, {"a.md": text}) if f.rule == "schema"]
    assert len(found) == 1 and found[0].line == 3 and said in found[0].message
