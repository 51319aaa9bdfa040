"""manent lint on the command line."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path

import pytest
from asked import ask
from vaults import note, refused_values, write

from manent.lint.rules import RULES

RULE_IDS = [rule.ID for rule in RULES]


def test_errors_alone_fail_a_run(vault: Path) -> None:
    assert ask("lint", str(vault)).code == 0
    write(vault, {"memory/ferry.md": note("ferry", "[[nowhere]]", audience="[team]")})
    assert ask("lint", str(vault)).code == 0
    assert ask("lint", str(vault), "--strict-links").code == 1
    write(vault, {"bad.md": "no header"})
    assert ask("lint", str(vault)).code == 1
    assert ask("lint", str(vault), "--frontmatter", "optional").code == 0


def test_content_is_a_warning_until_it_is_strict(vault: Path) -> None:
    value = refused_values()["email"]
    write(vault, {"memory/ferry.md": note("ferry", value, audience="[team]")})
    soft, hard = ask("lint", str(vault)), ask("lint", str(vault), "--strict-content")
    assert (soft.code, hard.code) == (0, 1)
    assert ": warning: personal data" in soft.text and ": error: personal data" in hard.text
    assert value not in soft.text + hard.text


def test_rules_can_be_chosen(vault: Path) -> None:
    write(vault, {"bad.md": "[[nowhere]]"})

    def rules(*options: str) -> set[str]:
        return {f["rule"] for f in ask("lint", str(vault), "--json", *options).json["findings"]}

    assert rules() >= {"frontmatter-missing", "link-unresolved", "orphan"}
    assert rules("--only", "link-unresolved,orphan") == {"link-unresolved", "orphan"}
    assert rules("--only", "orphan link-unresolved", "--ignore", "orphan") == {"link-unresolved"}
    assert "orphan" not in rules("--ignore", "orphan")


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_every_form_on_a_clean_and_on_a_broken_vault(vault: Path, form: str) -> None:
    clean = ask("lint", str(vault), "--format", form)
    assert (clean.code, clean.errors) == (0, "")
    write(vault, {"bad.md": "no header"})
    broken = ask("lint", str(vault), "--format", form)
    assert (broken.code, broken.errors) == (1, "")
    assert "frontmatter-missing" in broken.text
    if form in ("json", "sarif"):
        assert broken.json and broken.out.count(b"\n") == 1
    assert ask("lint", str(vault), "--json").out == ask("lint", str(vault), "--format", "json").out


def test_json_counts_what_it_lists(vault: Path) -> None:
    said = ask("lint", str(vault), "--json").json
    assert list(said) == ["version", "spec", "tree", "notes", "counts", "findings"]
    assert (said["notes"], said["tree"]) == (4, None)
    for severity, count in said["counts"].items():
        assert count == sum(f["severity"] == severity for f in said["findings"])


def test_every_rule_explains_itself() -> None:
    listed = ask("lint", "--list-rules")
    assert [line.split()[0] for line in listed.text.splitlines()] == RULE_IDS
    for rule in RULE_IDS:
        said = ask("lint", "--explain", rule)
        assert said.code == 0 and said.text.startswith(f"# {rule}\n") and "**Why**" in said.text


def test_fix_mends_and_diff_only_shows(vault: Path) -> None:
    write(vault, {"new.md": "---\ndescription: New\ntype: retro\n---\ntext \n"})
    before = (vault / "new.md").read_bytes()
    shown = ask("lint", str(vault), "--fix", "--diff")
    assert shown.code == 1 and b"+name: new\n" in shown.out
    assert (vault / "new.md").read_bytes() == before
    mended = ask("lint", str(vault), "--fix")
    assert mended.code == 0 and "mended new.md" in mended.errors
    assert (vault / "new.md").read_bytes().endswith(b"name: new\n---\ntext\n")
    again = ask("lint", str(vault), "--fix", "--diff")
    assert (again.code, again.out) == (0, b"")


def allow(vault: Path, **fields: str) -> None:
    rows = [{"salt": "0" * 32}, *([fields] if fields else [])]
    (vault / ".manent-allow").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_an_allowance_lets_one_finding_pass(vault: Path) -> None:
    value = refused_values()["email"]
    write(vault, {"memory/ferry.md": note("ferry", value, audience="[team]")})
    strict = ["lint", str(vault), "--strict-content"]
    allow(vault)
    fingerprint = next(
        f["fingerprint"] for f in ask(*strict, "--json").json["findings"] if f["rule"] == "pii"
    )
    allow(vault, fingerprint=fingerprint, rule="pii", reason="the public desk", who="Ada")
    passed = ask(*strict)
    assert (passed.code, passed.errors) == (0, "") and "1 allowed" in passed.text
    # Choosing other rules makes no allowance idle.
    assert ask(*strict, "--only", "orphan").errors == ""
    past = (datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=1)).isoformat()
    allow(vault, fingerprint=fingerprint, rule="pii", reason="x", who="Ada", until=past)
    late = ask(*strict)
    assert (late.code, late.errors) == (1, "")
    write(vault, {"memory/ferry.md": note("ferry", audience="[team]")})
    idle = ask(*strict)
    assert idle.code == 0
    assert idle.errors == f"manent: the allowance {fingerprint} matches nothing any more\n"
    assert ask("-q", *strict).errors == ""


def test_a_malformed_allowance_refuses(vault: Path) -> None:
    (vault / ".manent-allow").write_text("{not json\n")
    said = ask("lint", str(vault))
    assert said.code == 2 and "line 1 of .manent-allow" in said.errors


def test_quiet_prints_findings_alone(vault: Path) -> None:
    loud, quiet = ask("lint", str(vault)), ask("-q", "lint", str(vault))
    assert loud.text.splitlines()[:-1] == quiet.text.splitlines()


@pytest.mark.parametrize(
    "options",
    [("--only", "pii", "--ignore", "pii"), ("--ignore", " ".join(RULE_IDS))],
)
def test_a_run_of_no_rule_is_no_clean_run(vault: Path, options: tuple[str, ...]) -> None:
    write(vault, {"bad.md": "no header"})
    said = ask("lint", str(vault), *options)
    assert said.code == 2 and "no rule is left" in said.errors


def test_a_diff_is_a_field_of_the_one_document(vault: Path) -> None:
    write(vault, {"memory/ferry.md": note("ferry", audience="[team]", created="2026/3/9")})
    (vault / os.fsdecode(b"caf\xe9.md")).write_bytes(b"---\ncreated: 2026.3.9\n---\n")
    bare = ask("lint", str(vault), "--fix", "--diff")
    for form in (["--json"], ["--format", "json"]):
        said = ask("lint", str(vault), "--fix", "--diff", *form)
        assert said.code == 1 and said.out.count(b"\n") == 1
        assert said.json["version"] == 1 and said.json["notes"] == 5
        assert said.json["fixed"] == ["memory/ferry.md", os.fsdecode(b"caf\xe9.md")]
        assert said.json["diff"].encode("utf-8", "surrogateescape") == bare.out
    assert ask("lint", str(vault), "--fix", "--diff", "--format", "sarif").code == 2


def test_the_pages_are_a_document_too() -> None:
    assert [row["id"] for row in ask("lint", "--list-rules", "--json").json["rules"]] == RULE_IDS
    said = ask("lint", "--explain", "pii", "--json").json
    assert said["id"] == "pii" and said["page"] == ask("lint", "--explain", "pii").text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_an_ignore_file_in_another_encoding_is_said_and_exposes_nothing(
    vault: Path, encoding: str
) -> None:
    (vault / ".manentignore").write_bytes("# perchè\nmemory/wages.md\n".encode(encoding))
    said = ask("lint", str(vault), "--json")
    assert said.code == 1
    assert [f["path"] for f in said.json["findings"] if f["rule"] == "ignore-file"] == [
        ".manentignore"
    ]
    listed = ask("list", str(vault), "--json")
    names = [row["name"] for row in listed.json["notes"]]
    assert "wages" not in names and (len(names) == 3) == (encoding == "utf-16")
    assert (b".manentignore" in listed.err) == (encoding != "utf-16")
    assert ask("search", str(vault), "pays").code == 1
    (vault / ".manentignore").write_text("# perchè\nmemory/wages.md\n", "utf-8")
    assert ask("lint", str(vault)).code == 0
    assert len(ask("list", str(vault), "--json").json["notes"]) == 3
