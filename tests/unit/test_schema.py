"""The contract of frontmatter: the schemas, the two validators, and the words."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manent import data as shipped
from manent import schema

GOOD: dict[str, Any] = {"name": "warm-cache", "description": "Warm the cache.", "type": "project"}


def with_(**changes: Any) -> dict[str, Any]:
    return {**GOOD, **changes}


def fields_at_fault(frontmatter: dict[Any, Any]) -> list[str]:
    return [fault.field for fault in schema.faults(frontmatter)]


class TestSchemaFiles:
    def test_one_for_the_base_and_one_for_each_type(self) -> None:
        files = {path.stem for path in shipped.path("spec/schema").glob("*.json")}
        assert files - {"memory-manifest"} == {"base", *schema.TYPES}

    @pytest.mark.parametrize("name", ["base", *schema.TYPES])
    def test_is_valid_2020_12_and_names_itself(self, name: str) -> None:
        document = schema.document(name)
        jsonschema.Draft202012Validator.check_schema(document)
        assert document["$id"].endswith(f"/{schema.SPEC_VERSION}/{name}.json")
        assert document["description"]

    def test_base_and_module_name_the_same_fields_types_and_values(self) -> None:
        base = schema.document("base")
        fields = base["properties"]
        assert tuple(fields) == schema.FIELDS
        assert tuple(base["required"]) == schema.REQUIRED
        assert tuple(fields["type"]["enum"]) == schema.TYPES
        assert tuple(fields["status"]["enum"]) == schema.STATUSES
        assert tuple(fields["confidence"]["enum"]) == schema.CONFIDENCES

    @pytest.mark.parametrize("name", schema.TYPES)
    def test_each_type_admits_itself_and_no_other(self, name: str) -> None:
        assert schema.verdict(with_(type=name))
        assert not schema.verdict(with_(type="moc" if name != "moc" else "index"), name)

    def test_rules_beside_json_schema_stand_in_the_type_s_file(self) -> None:
        assert schema.body_marks("feedback") == ("**Why:**", "**How to apply:**")
        assert schema.body_marks("moc") == () == schema.body_marks("no-such-type")
        pattern = schema.path_pattern("raw-source")
        assert pattern is not None
        assert pattern.search("library/2026-03-09-minutes.md")
        assert not pattern.search("library/2026-03-09-minutes.md\n")
        assert not pattern.search("x/library/2026-03-09-minutes.md")
        assert schema.path_pattern("moc") is None

    def test_an_unknown_schema_is_a_key_error(self) -> None:
        with pytest.raises(KeyError):
            schema.document("../decisions")


class TestAccepted:
    @pytest.mark.parametrize(
        "extra",
        [
            {"created": "2026-03-09", "updated": datetime.date(2026, 3, 10)},
            {"created": datetime.datetime(2026, 3, 9, 8, 30), "updated": "2026-03-09T08:30:00Z"},
            {"created": "2026-3-9", "updated": "2026/03/09"},
            {"created": 20260309, "updated": "20260310"},
            {"tags": [], "provenance": [], "supersedes": ["a"], "contradicts": ["[[a|b]]"]},
            {"tags": "alpha, beta", "alias": "Runbook"},
            {"tags": ["#alpha", "reti/città"], "aliases": ["Two words", "Città"]},
            {"confidence": "low", "status": "quarantine"},
            {"audience": []},
            {"audience": ["private"]},
            {"audience": ["team", "ops_2"]},
            {"title": None, "audience": None, "created": None},
            {"title": 2024, "aliases": [7, 1.5], "tags": [2024, "", None]},
            {"title": "", "author": " "},
            {"unknown": {"deep": [1, 2, float("nan")]}, "due": 10**5000, 3: b"\xff"},
            {"description": "è" * 300},
        ],
    )
    def test_is_no_fault(self, extra: dict[Any, Any]) -> None:
        assert schema.faults({**GOOD, **extra}) == []

    @pytest.mark.parametrize(("name", "type"), [("MEMORY", "index"), ("HOME", "moc")])
    def test_root_file_may_carry_its_own_name(self, name: str, type: str) -> None:
        assert schema.verdict(with_(name=name, type=type))
        assert fields_at_fault(with_(name=name, type="project")) == ["name"]

    def test_under_optional_only_what_is_there_is_judged(self) -> None:
        assert schema.verdict({}, required=False)
        assert schema.faults({"status": "done"}, required=False)[0].field == "status"
        assert schema.missing({"name": "a", "type": None}) == ("description", "type")


class TestRefused:
    @pytest.mark.parametrize(
        ("field", "value", "says"),
        [
            ("name", "Warm Cache", "slug"),
            ("name", "warm-cache\n", "slug"),
            ("name", "warm--cache", "slug"),
            ("name", 12, "quotes"),
            ("description", "", "one line"),
            ("description", " \t", "one line"),
            ("description", "a\nb", "one line"),
            ("description", "a\u2028b", "one line"),
            ("description", "x" * 301, "300"),
            ("type", "lesson", "one of feedback,"),
            ("type", "projct", "did you mean project?"),
            ("type", ["project"], "not a list"),
            ("created", "2026-02-30", "YYYY-MM-DD"),
            ("created", "09/03/2026", "YYYY-MM-DD"),
            ("updated", 2026, "YYYY-MM-DD"),
            ("updated", True, "YYYY-MM-DD"),
            ("updated", 1767225600000, "YYYY-MM-DD"),
            ("created", ["2026-01-01"], "YYYY-MM-DD"),
            ("tags", {"a": 1}, "a list"),
            ("tags[0]", ["machine learning"], "without blanks"),
            ("supersedes", "old-note", "a list"),
            ("provenance[1]", ["a", ""], "one line"),
            ("contradicts[0]", [["a"]], "plain text"),
            ("confidence", "sure", "high, medium, low"),
            ("status", "Active", "did you mean active?"),
            ("audience", "team", "a list"),
            ("audience[0]", ["Team"], "slug"),
            ("audience[0]", ["*"], "slug"),
            ("audience[1]", ["private", "team"], "beside the label private"),
            ("audience[0]", ["team", "private"], "beside the label private"),
            ("author", "a\nb", "one line"),
            ("author", 2024, "quotes"),
            ("title", True, "quotes"),
            ("title", ["a"], "not a list"),
            ("title", 10**16, "quotes"),
            ("title", float("inf"), "quotes"),
            ("aliases[0]", [[7]], "plain text"),
        ],
    )
    def test_names_the_field_and_what_to_do(self, field: str, value: Any, says: str) -> None:
        frontmatter = with_(**{field.partition("[")[0]: value})
        found = schema.faults(frontmatter)
        assert [fault.field for fault in found] == [field]
        assert found[0].message.startswith(field)
        assert says in found[0].message

    def test_each_missing_field_is_one_fault(self) -> None:
        assert fields_at_fault({}) == ["name", "description", "type"]
        assert fields_at_fault({"description": None}) == ["name", "description", "type"]

    def test_faults_come_in_the_order_of_the_specification(self) -> None:
        wrong = with_(title=["x"], status=1, tags=["a b", "ok", "c d"], type="x", name="X")
        assert fields_at_fault(wrong) == ["name", "type", "tags[0]", "tags[2]", "status", "title"]

    def test_no_message_repeats_a_value(self) -> None:
        marker = "Zanzibar 4711"
        wrong: dict[Any, Any] = dict.fromkeys(schema.FIELDS, marker + "\n" + marker)
        wrong |= {"audience": [marker], "tags": [marker + "#"]}
        found = schema.faults(wrong)
        assert len(found) > 10
        assert not [fault for fault in found if "4711" in fault.message or "4711" in fault.field]


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
WORDS = (*schema.TYPES, *schema.STATUSES, *schema.CONFIDENCES, "private", "a-b", "A b", "#x", "x\n")
VALUES = JSONISH | st.sampled_from(WORDS) | st.lists(st.sampled_from(WORDS), max_size=3)
HEADERS = st.dictionaries(st.sampled_from(schema.FIELDS) | st.text(max_size=6), VALUES, max_size=9)


@given(HEADERS, st.booleans(), st.booleans())
@example({"description": "\ud800"}, True, False)
@example({"created": 10**5000, "updated": -(10**5000)}, False, True)
@example({"tags": ["a\x1fb", "a\u0085b", "\ufeff"]}, False, True)
@example({"created": "\u0662\u0660\u0662\u0666-01-01"}, False, True)
@settings(deadline=None, max_examples=400)
def test_both_validators_agree(header: dict[str, Any], required: bool, filled: bool) -> None:
    """The words are empty exactly when the verdict is yes, whatever a header holds."""
    header = {**GOOD, **header} if filled else header
    said_yes = schema.verdict(header, required=required)
    assert said_yes == (schema.explain(header, required=required) == [])
    assert said_yes == (schema.faults(header, required=required) == [])


@given(HEADERS)
@settings(deadline=None)
def test_normalising_again_changes_nothing(header: dict[str, Any]) -> None:
    once = schema.normalised(header)
    assert schema.normalised(once) == once
    json.dumps(once).encode()


@given(st.dates(min_value=datetime.date(1000, 1, 1), max_value=datetime.date(2999, 12, 31)))
def test_every_way_to_write_a_day_is_the_same_day(day: datetime.date) -> None:
    text = day.isoformat()
    loose = f"{day.year}/{day.month}/{day.day}"
    noon = datetime.datetime(day.year, day.month, day.day, 12)
    for form in (day, noon, text, loose, f"{text}T23:59:59+02:00", f" {text} 08:30"):
        assert schema.day_of(form) == text


def test_jsonschema_is_imported_only_when_something_failed(tmp_path: Path) -> None:
    code = (
        "import sys; from manent import schema\n"
        f"assert schema.faults({GOOD!r}) == []\n"
        "assert 'jsonschema' not in sys.modules\n"
        "assert schema.faults({}) and 'jsonschema' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr


class TestSpecification:
    """SPEC.md says what the schemas say. Prose cannot be generated, so it is compared."""

    text = shipped.path("spec/SPEC.md").read_text(encoding="utf-8")

    def rows(self, heading: str) -> list[str]:
        """The first cells of the first table under a heading."""
        after = self.text.split(f"\n{heading}\n", 1)[1]
        cells = []
        for line in after.splitlines():
            if line.startswith("| "):
                cells.append(line.split("|")[1].strip().replace("`", ""))
            elif cells:
                break
        return cells[2:]

    def test_names_its_version(self) -> None:
        assert f"\nVersion {schema.SPEC_VERSION}.\n" in self.text

    def test_its_table_of_fields_is_complete(self) -> None:
        named = ", ".join(self.rows("### Fields")).split(", ")
        assert sorted(named) == sorted(schema.FIELDS)

    def test_its_table_of_types_is_complete(self) -> None:
        assert tuple(self.rows("## 7. Note types")) == schema.TYPES

    def test_its_table_of_rules_is_complete(self) -> None:
        from manent.lint.rules import RULES

        rules = {rule.ID: rule.SEVERITY.label for rule in RULES}
        table = self.text.split("| rule | severity |")[1].split("\n\n")[0]
        named = {
            line.split("|")[1].strip(" `"): line.split("|")[2].split(";")[0].strip()
            for line in table.splitlines()[2:]
        }
        assert named == rules

    def test_every_link_within_it_leads_to_a_heading(self) -> None:
        headings = re.findall(r"^#+ (.+)$", self.text, re.M)
        anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
        assert set(re.findall(r"\]\(#([^)]+)\)", self.text)) <= anchors


def test_both_validators_agree_on_real_headers(data: Path) -> None:
    """Notes of public vaults, one in ten: most break the contract, each in its own way."""
    import tarfile

    from manent.note import read

    judged = 0
    for archive in sorted((data / "vaults").glob("*.tar.xz")):
        with tarfile.open(archive) as files:
            notes = [m for m in files.getmembers() if m.isfile() and m.name.endswith(".md")]
            for member in notes[::10]:
                extracted = files.extractfile(member)
                assert extracted is not None
                front = read(extracted.read()).frontmatter
                for required in (True, False):
                    found = schema.explain(front, required=required)
                    assert schema.verdict(front, required=required) == (found == []), member.name
                judged += 1
    assert judged > 500


ORDINARY = st.fixed_dictionaries(
    {
        "name": st.from_regex(r"[a-z0-9]{1,5}(-[a-z]{1,3})?", fullmatch=True),
        "description": st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
        "type": st.sampled_from(schema.TYPES),
    },
    optional={
        "created": st.dates().map(str),
        "tags": st.lists(st.from_regex(r"[A-Za-z0-9_/#-]{1,4}", fullmatch=True), max_size=2),
        "audience": st.lists(st.sampled_from(["team", "private", "a b"]), max_size=2),
        "title": st.text(st.characters(codec="utf-8"), max_size=5),
        "supersedes": st.lists(st.text(max_size=4), max_size=2),
        "status": st.sampled_from([*schema.STATUSES, "gone"]),
    },
)


@given(ORDINARY)
@settings(deadline=None, max_examples=400)
def test_what_is_taken_unseen_is_what_the_validators_take(header: dict[str, Any]) -> None:
    """Most headers are judged by neither validator; each of them would have said yes."""
    assert schema.verdict(header) == (schema.explain(header) == [])


def test_an_ordinary_header_imports_no_validator() -> None:
    asked = "import sys; from manent import schema; print(schema.verdict({GOOD}), *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", asked.replace("{GOOD}", repr(GOOD))], capture_output=True, text=True
    )
    assert done.stdout.startswith("True ") and "jsonschema_rs" not in done.stdout
