"""Where sections go, what a plan says of them, and which file a path means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from memories import LONG, MEMORY, compiled

from manent.errors import EnvironmentFault, Refused
from manent.memfile import manifest, workspace
from manent.memfile.bounds import bounds
from manent.memfile.compile import COMPILE, LEAVE, Options, planned
from manent.memfile.document import parse
from manent.memfile.entries import from_json, parts, to_json
from manent.memfile.guidance import guidance, profile_for
from manent.memfile.library import library
from manent.memfile.outline import breaks, outline
from manent.memfile.protocol import protocol
from manent.memfile.stub import markers, stripped
from manent.memfile.target import target_of
from manent.memfile.triggers import triggers
from manent.tokens import estimate


def always(text: str, **options: int) -> set[str]:
    plan = planned("CLAUDE.md", text.encode(), Options(**options))  # type: ignore[arg-type]
    return {unit.title for unit in plan.split.units if unit.always}


class TestPlaces:
    def test_what_binds_every_task_stays(self) -> None:
        assert always(MEMORY + LONG) == {"Harbour", "Hard rules", "Conventions"}

    def test_what_loads_other_files_stays(self) -> None:
        text = f"# P\n\n## Testing\n\nSee @docs/testing.md for more.\n\n## Deployment\n\n{LONG}"
        assert "Testing" in always(text)
        assert "Testing" not in always(
            text.replace("See @docs/testing.md", "See `@docs/testing.md`")
        )

    def test_a_section_takes_after_the_one_above_it(self) -> None:
        text = f"# P\n\n## Rules\n\n### Zebra\n\nX.\n\n## Architecture\n\n### Yak\n\n{LONG}"
        assert {"Rules", "Zebra"} <= always(text)
        assert "Yak" not in always(text)

    def test_frontmatter_stays_first(self) -> None:
        text = f"---\nalwaysApply: true\n---\n\n## Architecture\n\n{LONG * 3}"
        plan = planned("rule.mdc", text.encode(), Options(budget=300))
        assert plan.stub.startswith(b"---\nalwaysApply: true\n---\n")

    def test_what_does_not_fit_gives_way_and_is_listed(self) -> None:
        rules = "".join(f"- Never touch part {n} of the harbour wall.\n" for n in range(150))
        text = f"# P\n\n## Hard rules\n\n{rules}\n## Conventions\n\n{rules}\n## Testing\n\n{LONG}"
        plan = planned("CLAUDE.md", text.encode(), Options(budget=1000))
        assert plan.split.gave_way
        assert plan.manifest.stub_tokens <= 1000 and plan.manifest.always.tokens <= 1000
        assert "part 0 of" in plan.stub.decode()

    def test_episodic_sections_are_merged_with_nothing(self) -> None:
        text = f"{MEMORY}{LONG}\n## Incidents\n\n- 2026-03-01: the crane\n- 2026-03-02: again\n"
        plan = planned("CLAUDE.md", text.encode(), Options())
        episodic = [f for f in plan.manifest.files if f.kind == "episodic"]
        assert len(episodic) == 2 and all(len(f.sections) == 1 for f in episodic)


class TestVerdict:
    def test_says_to_compile_what_pays(self) -> None:
        plan = planned("CLAUDE.md", (MEMORY + LONG).encode(), Options())
        assert plan.verdict == COMPILE and not plan.grows

    @pytest.mark.parametrize("text", ["", "# Tiny\n", "# P\n\n## Rules\n\n" + "- Never do.\n" * 60])
    def test_leaves_what_does_not(self, text: str) -> None:
        assert planned("CLAUDE.md", text.encode(), Options()).verdict == LEAVE

    def test_leaves_what_is_no_utf_8(self) -> None:
        data = (MEMORY + LONG * 9).encode("utf-16")
        assert "UTF-8" in planned("CLAUDE.md", data, Options()).reason

    def test_the_same_input_gives_the_same_bytes(self) -> None:
        one, two = (planned("CLAUDE.md", (MEMORY + LONG).encode(), Options()) for _ in range(2))
        assert one.files == two.files and one.stub == two.stub


class TestGenerated:
    def test_sizes_of_the_guidance(self) -> None:
        sizes = {name: estimate("\n".join(guidance(name))) for name in manifest.PROFILES}
        assert sizes["none"] < 40
        assert 170 <= sizes["routing"] <= 230
        assert 650 <= sizes["full"] <= 730
        assert len(guidance("none")) == 1

    def test_auto_is_never_full(self) -> None:
        assert profile_for("auto", 1999, 2000) == "none"
        assert profile_for("auto", 2000, 2000) == "routing"
        assert profile_for("full", 10, 2000) == "full"

    def test_eleven_rules_of_writing(self) -> None:
        text = protocol().decode()
        assert "\n11. " in text and "\n12. " not in text

    def test_markers_never_occur_in_the_text(self) -> None:
        begin, end = markers(f"x {markers('')[0]} y {markers('')[1]}")
        assert (begin, end) != markers("")
        assert stripped(f"a\n{begin}\nlist\n{end}\nb", begin, end, "\n") == ("a", "b")
        assert stripped("a", begin, end, "\n") is None

    def test_triggers_are_words_of_the_file_alone(self) -> None:
        first, second = triggers(
            ["## Moorings\n\nThe quay, the `crane_ctl` tool.\n", "## Payments\n\nThe quay.\n"]
        )
        assert first[0] == "moorings" and "crane_ctl" in first
        assert "payments" in second and "payments" not in first


class TestManifest:
    def test_reads_what_it_wrote(self) -> None:
        plan = planned("CLAUDE.md", (MEMORY + LONG).encode(), Options())
        assert manifest.load(manifest.dump(plan.manifest)) == plan.manifest

    @pytest.mark.parametrize(
        "change",
        [
            {"version": 2},
            {"source": None},
            {"order": []},
            {"files": [{}]},
            {"markers": {"begin": "x", "end": "y"}},
            {"replaces": "0"},
            {"budget": True},
        ],
    )
    def test_refuses_anything_else(self, change: dict[str, object]) -> None:
        plan = planned("CLAUDE.md", (MEMORY + LONG).encode(), Options())
        document = manifest.as_json(plan.manifest) | change
        with pytest.raises(EnvironmentFault, match="no manifest"):
            manifest.load(json.dumps(document).encode())

    @pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"null", b"[" * 99_999])
    def test_refuses_what_is_no_object(self, data: bytes) -> None:
        with pytest.raises(EnvironmentFault):
            manifest.load(data)


class TestEntries:
    def test_one_for_each_dated_bullet(self) -> None:
        text = "## Log\n\nBefore.\n\n- 2026-01-02: a\n  b\n* **2026-01-03** c\n- [x] 2026-01-04 d"
        log = parts(text)
        assert [entry.date for entry in log.entries] == ["2026-01-02", "2026-01-03", "2026-01-04"]
        assert (log.heading, log.preamble) == ("## Log\n", "\nBefore.\n\n")
        assert from_json(to_json(text), "x") == text

    def test_an_entry_added_by_hand_gets_its_line_end(self) -> None:
        document = json.loads(to_json("## Log\n\n- 2026-01-02: a\n"))
        document["entries"].insert(0, {"date": "2026-01-01", "text": "- 2026-01-01: z"})
        text = from_json(json.dumps(document).encode(), "x")
        assert text == "## Log\n\n- 2026-01-01: z\n- 2026-01-02: a\n"

    @pytest.mark.parametrize("data", [b"[]", b'{"entries": 3}', b"{}", b"\xff"])
    def test_anything_else_is_refused(self, data: bytes) -> None:
        with pytest.raises(EnvironmentFault, match="no file of entries"):
            from_json(data, "x.json")


class TestTargets:
    @pytest.mark.parametrize(
        "text",
        ["@AGENTS.md\n", "See `AGENTS.md`\n", "# P\n\nSee [AGENTS.md](AGENTS.md).\n", "AGENTS.md"],
    )
    def test_a_pointer_leads_to_what_it_names(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "AGENTS.md").write_text(MEMORY)
        (tmp_path / "CLAUDE.md").write_text(text)
        assert target_of(tmp_path / "CLAUDE.md").name == "AGENTS.md"
        assert target_of(tmp_path).name == "AGENTS.md"

    def test_a_circle_and_a_way_out_end(self, tmp_path: Path) -> None:
        (tmp_path / "CLAUDE.md").write_text("@AGENTS.md\n")
        (tmp_path / "AGENTS.md").write_text("@CLAUDE.md\n")
        assert target_of(tmp_path / "CLAUDE.md").name == "CLAUDE.md"
        (tmp_path.parent / "OUT.md").write_text("x")
        (tmp_path / "CLAUDE.md").write_text("@../OUT.md\n")
        assert target_of(tmp_path / "CLAUDE.md").name == "CLAUDE.md"

    def test_only_memory_files(self, tmp_path: Path) -> None:
        (tmp_path / "main.py").write_text("x")
        with pytest.raises(Refused, match="no memory file"):
            target_of(tmp_path / "main.py")

    def test_a_workspace_below_the_project(self, tmp_path: Path) -> None:
        compiled(tmp_path / ".github", MEMORY + LONG, "copilot-instructions.md")
        assert library(tmp_path).compiled
        assert workspace.opened(tmp_path).source.parent.name == ".github"
        assert target_of(tmp_path).name == "copilot-instructions.md"


def test_bounds_without_a_saving() -> None:
    found = bounds(100, 120, [10], 5)
    assert found.costs_more and found.break_even_turn is None and found.break_even_tokens == 0
    assert bounds(100, 50, [], 5).break_even_turn == 1
    assert bounds(100, 50, [500], 5).break_even_turn is None


def test_the_outline_is_that_of_the_parser_nearly_everywhere() -> None:
    text = (
        "---\na: b\n---\nbefore\n\n# One #\n```\n# not\n```\nTwo\n===\n\n- x\n---\n"
        "### Deep\n~~~ a`b\n## not\n~~~\ntext\n---\n#no\n"
    )
    doc = parse(text)
    expected = [(s.path, s.level, (s.start, s.own_end)) for s in doc.sections()]
    assert [(h.path, h.level, h.lines) for h in outline(doc.lines)] == expected
    lines = ["a\n", "\n", "b\n", "```\n", "\n", "c\n", "```\n", "- d\n", "\n", "  e\n"]
    assert breaks(lines) == [3, 8]
