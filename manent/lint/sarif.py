"""SARIF 2.1.0: the parts of a log that do not depend on who found what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from manent import __version__
from manent.finding import json_text
from manent.lint.page import page_of


def log(rules: Iterable[Any], levels: Mapping[Any, str], results: Iterable[dict[str, Any]]) -> str:
    """Return a log of one run. rules: modules with a page. levels: by their severity."""
    driver = {
        "name": "manent",
        "version": __version__,
        "rules": [_rule(rule, levels) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": list(results),
    }
    return json_text(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        }
    )


def location(path: str, region: dict[str, int]) -> dict[str, Any]:
    """Return a place in a file. path: relative, bytes that are no UTF-8 as surrogates."""
    uri = quote(path.encode("utf-8", "surrogateescape"))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _rule(rule: Any, levels: Mapping[Any, str]) -> dict[str, Any]:
    page = page_of(rule)
    return {
        "id": rule.ID,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.why},
        "defaultConfiguration": {"level": levels[rule.SEVERITY]},
    }
