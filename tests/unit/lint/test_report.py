"""Findings as people, scripts, code hosts and CI read them."""

from __future__ import annotations

import json
import re
import urllib.parse
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from manent.finding import Finding, Severity
from manent.lint.report import Report, as_github, as_json, as_sarif, as_text, summary
from manent.lint.rules import RULES

SALT = b"salt of a vault"
NASTY = "a\x1b[31m,b:c\n::error::%0Ad\u202e"

FINDINGS = [
    Finding("schema", Severity.ERROR, "a.md", 3, 1, "type must be one of these", "write one"),
    Finding("path-collision", Severity.ERROR, "A b/città#1.md", 0, 0, "collides", kind="collision"),
    Finding("orphan", Severity.INFO, "caf\udce9.md", 0, 0, "no other note links here"),
    Finding("link-unresolved", Severity.WARNING, f"x{NASTY}.md", 7, 4, NASTY, NASTY),
    Finding("pii", Severity.WARNING, "a:b.md", 1, 9, "personal data: email m***", kind="email"),
    Finding("from-the-gate", Severity.ERROR, "c.md", 1, 1, "a rule of the gate", commit="f" * 40),
]
REPORT = Report(FINDINGS, notes=4, tree="a" * 40, salt=SALT, allowed=2)


def test_json_is_what_the_contract_says() -> None:
    document = json.loads(as_json(REPORT))
    assert list(document) == ["version", "spec", "tree", "notes", "counts", "findings"]
    assert (document["version"], document["spec"], document["notes"]) == (1, "0.2", 4)
    assert document["tree"] == "a" * 40
    assert document["counts"] == {"error": 3, "warning": 2, "info": 1}
    for said, finding in zip(document["findings"], FINDINGS, strict=True):
        wanted = {
            "rule", "severity", "path", "line", "column", "message", "hint", "fingerprint"
        }  # fmt: skip
        assert set(said) == wanted | ({"commit"} if finding.commit else set())
        assert said["severity"] in ("error", "warning", "info")
        assert re.fullmatch(rf"{finding.rule}:[0-9a-f]{{16}}", said["fingerprint"])
        assert said["fingerprint"] == finding.fingerprint(SALT)
        assert (said["line"], said["column"]) == (finding.line or 1, finding.column or 1)
    assert document["findings"][2]["path"] == "caf\\xe9.md"


def test_json_is_utf8_even_where_a_link_is_not() -> None:
    odd = Finding("link-unresolved", Severity.WARNING, "a.md", 1, 1, "no note \udce9")
    text = as_json(Report([odd], 1))
    assert json.loads(text.encode())["findings"][0]["message"] == "no note \udce9"
    assert json.loads(as_sarif(Report([odd], 1)).encode())


def test_text_is_a_line_and_a_hint_that_no_terminal_obeys() -> None:
    lines = list(as_text(REPORT))
    assert lines[0] == "a.md:3:1: error: type must be one of these [schema]\n    write one"
    assert lines[1] == "A b/città#1.md: error: collides [path-collision]"
    assert lines[-1] == summary(REPORT) == "4 notes: 3 errors, 2 warnings, 1 info, 2 allowed"
    assert len(lines[3].split("\n")) == 2
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", "".join(lines))
    assert list(as_text(REPORT, quiet=True)) == lines[:-1]


@pytest.mark.parametrize(
    ("notes", "severities", "said"),
    [
        (0, [], "0 notes: 0 errors, 0 warnings, 0 info"),
        (1, [3, 2, 1], "1 note: 1 error, 1 warning, 1 info"),
        (2, [1, 1], "2 notes: 0 errors, 0 warnings, 2 info"),
    ],
)
def test_the_last_line_counts(notes: int, severities: list[int], said: str) -> None:
    found = [Finding("schema", Severity(s), "a.md", 1, 1, "x") for s in severities]
    assert summary(Report(found, notes)) == said


def sarif(report: Report) -> Any:
    schema = json.loads((Path(__file__).parent / "sarif.json").read_text("utf-8"))
    document = json.loads(as_sarif(report))
    jsonschema.Draft202012Validator(schema).validate(document)
    return document["runs"][0]


@pytest.mark.parametrize("report", [REPORT, Report([], 0)], ids=["all", "none"])
def test_sarif_keeps_its_schema(report: Report) -> None:
    run = sarif(report)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.ID for rule in RULES]
    for result in run["results"]:
        index = result.get("ruleIndex")
        assert index is None or rules[index]["id"] == result["ruleId"]


def test_sarif_says_where(tmp_path: Path) -> None:
    results = sarif(REPORT)["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    uris = [place["artifactLocation"]["uri"] for place in places]
    raw = [urllib.parse.unquote_to_bytes(uri) for uri in uris]
    assert raw == [f.path.encode("utf-8", "surrogateescape") for f in FINDINGS]
    assert all(urllib.parse.urlsplit(uri).scheme == "" for uri in uris)
    assert places[0]["region"] == {"startLine": 3, "startColumn": 1}
    assert places[1]["region"] == {"startLine": 1, "startColumn": 1}
    assert [result["level"] for result in results][:4] == ["error", "error", "note", "warning"]
    assert results[0]["partialFingerprints"] == {"manent/v1": FINDINGS[0].fingerprint(SALT)}


def test_annotations_cannot_be_broken_out_of() -> None:
    lines = list(as_github(FINDINGS))
    assert len(lines) == len(FINDINGS)
    assert lines[0] == (
        "::error file=a.md,line=3,col=1,title=schema::type must be one of these: write one"
    )
    assert lines[1] == "::error file=A b/città#1.md,title=path-collision::collides"
    assert lines[2].startswith("::notice file=caf\\xe9.md,title=orphan::")
    assert lines[4].startswith("::warning file=a%3Ab.md,line=1,col=9,title=pii::")
    for line in lines:
        assert "\n" not in line and "\r" not in line and "\x1b" not in line
        found = re.fullmatch("::(?:error|warning|notice) ([^:]*)::(.*)", line)
        assert found is not None
        keys = [part.partition("=")[0] for part in found[1].split(",")]
        assert keys in (["file", "title"], ["file", "line", "col", "title"])
