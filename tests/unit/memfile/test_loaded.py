"""What loads with every session, host by host, as each host's manual has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from manent.memfile.audited import Survey
from manent.memfile.loaded import survey


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def always(found: Survey, host: str) -> list[str]:
    return [file.name for file in found.files if host in file.hosts]


def faults(found: Survey) -> list[tuple[str, int, str]]:
    return [(fault.target, fault.line, fault.what) for fault in found.faults]


def test_claude_loads_its_files_and_rules_without_paths(tmp_path: Path) -> None:
    root = written(
        tmp_path,
        {
            "CLAUDE.md": "# One\n",
            "CLAUDE.local.md": "mine\n",
            ".claude/CLAUDE.md": "two\n",
            ".claude/rules/all.md": "always\n",
            ".claude/rules/api.md": '---\npaths: "src/**"\n---\nsometimes\n',
            "src/CLAUDE.md": "below\n",
        },
    )
    assert always(survey(root), "claude") == [
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/rules/all.md",
    ]


def test_imports_are_relative_to_the_file_they_stand_in(tmp_path: Path) -> None:
    root = written(
        tmp_path,
        {
            "CLAUDE.md": "See @docs/one.md for more.\n",
            "docs/one.md": "@two.md\n",
            "docs/two.md": "here\n",
            "two.md": "not here\n",
        },
    )
    assert always(survey(root), "claude") == ["CLAUDE.md", "docs/one.md", "docs/two.md"]


def test_nothing_is_imported_from_code_or_comments(tmp_path: Path) -> None:
    text = "`@a.md` and ``x @a.md``\n\n```\n@a.md\n```\n\n    @a.md\n\n<!-- @a.md -->\n\nme@a.md\n"
    root = written(tmp_path, {"CLAUDE.md": text, "a.md": "x\n"})
    assert always(survey(root), "claude") == ["CLAUDE.md"]


def test_five_hops_load_and_the_sixth_does_not(tmp_path: Path) -> None:
    files = {f"{n}.md": f"@{n + 1}.md\n" for n in range(1, 7)}
    root = written(tmp_path, {"CLAUDE.md": "@1.md\n", **files, "7.md": "end\n"})
    found = survey(root)
    assert always(found, "claude") == ["CLAUDE.md", "1.md", "2.md", "3.md", "4.md", "5.md"]
    assert faults(found) == [("6.md", 1, "deep")]


def test_circles_gaps_and_ways_out_are_said(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("x\n")
    root = written(
        tmp_path / "repo",
        {"CLAUDE.md": "@a.md\n@absent.md\n@../outside.md\n@~/mine.md\n", "a.md": "@CLAUDE.md\n"},
    )
    (tmp_path / "mine.md").write_text("y\n")
    found = survey(root, home=tmp_path)
    assert faults(found) == [
        ("CLAUDE.md", 1, "circular"),
        ("absent.md", 2, "broken"),
        ("../outside.md", 3, "outside"),
        ("~/mine.md", 4, "home"),
    ]
    assert len(always(found, "claude")) == 4
    assert len(always(survey(root, home=tmp_path, external=False), "claude")) == 2


@pytest.mark.parametrize(
    "text",
    ["Ask @jlowin or @org/team.", "npx @types/node", "import x from '@/lib/a'", "@app.route('/')"],
)
def test_handles_packages_and_decorators_are_no_imports(tmp_path: Path, text: str) -> None:
    assert faults(survey(written(tmp_path, {"CLAUDE.md": text + "\n"}))) == []


def test_a_full_stop_after_an_import_is_not_its_name(tmp_path: Path) -> None:
    root = written(
        tmp_path, {"CLAUDE.md": "Read @a.md, then @README.\n", "a.md": "x", "README": "y"}
    )
    found = survey(root)
    assert always(found, "claude") == ["CLAUDE.md", "a.md", "README"]
    assert faults(found) == []


@pytest.mark.parametrize(
    "text",
    [
        "@AGENTS.md\n",
        "See `AGENTS.md`.\n",
        "# Claude\n\nRead [the rules](AGENTS.md).\n",
        "See AGENTS.md",
    ],
)
def test_a_pointer_counts_with_its_target(tmp_path: Path, text: str) -> None:
    found = survey(written(tmp_path, {"CLAUDE.md": text, "AGENTS.md": "Be kind.\n" * 20}))
    assert always(found, "claude") == ["CLAUDE.md", "AGENTS.md"]
    prefixes = found.prefixes()
    assert prefixes["claude"] > prefixes["agents"] > 50


def test_a_file_that_says_more_is_no_pointer(tmp_path: Path) -> None:
    text = "See `AGENTS.md`.\n\nRun the tests.\n\nNever push on Friday.\n"
    found = survey(written(tmp_path, {"CLAUDE.md": text, "AGENTS.md": "Be kind.\n"}))
    assert always(found, "claude") == ["CLAUDE.md"]


def test_a_link_on_disk_is_one_file(tmp_path: Path) -> None:
    root = written(tmp_path, {"AGENTS.md": "Be kind.\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    found = survey(root)
    assert len(found.files) == 1
    assert found.files[0].hosts == {"claude", "agents", "cursor"}


def test_a_link_out_of_the_root_is_not_followed_unless_asked(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret\n")
    root = written(tmp_path / "repo", {"GEMINI.md": "x\n"})
    (root / "CLAUDE.md").symlink_to("../outside.md")
    assert [f.name for f in survey(root, external=False).files] == ["GEMINI.md"]
    assert len(survey(root).files) == 2


def test_a_folder_of_notes_with_other_files_in_it_is_a_memory_directory(tmp_path: Path) -> None:
    found = survey(written(tmp_path, {"a.md": "x\n", "b.md": "y\n", "c.json": "{}"}))
    assert [f.name for f in found.files] == ["a.md", "b.md"]


def test_nested_agents_files_hold_for_their_folder(tmp_path: Path) -> None:
    found = survey(written(tmp_path, {"AGENTS.md": "a\n", "pkg/AGENTS.md": "b\n"}))
    assert always(found, "agents") == ["AGENTS.md"]
    assert [file.role for file in found.files] == ["host", "nested"]


def test_an_override_takes_the_place_of_its_agents_file(tmp_path: Path) -> None:
    found = survey(written(tmp_path, {"AGENTS.md": "a\n", "AGENTS.override.md": "b\n"}))
    assert always(found, "agents") == ["AGENTS.override.md"]


@pytest.mark.parametrize(
    ("header", "loads"),
    [
        ("alwaysApply: true", True),
        ("globs: *.ts\nalwaysApply: true", True),
        ("alwaysApply: false", False),
        ('alwaysApply: "true"', False),
        ("description: x", False),
    ],
)
def test_cursor_rules_load_where_always_apply_is_true(
    tmp_path: Path, header: str, loads: bool
) -> None:
    text = f"---\n{header}\n---\nUse tabs.\n"
    found = survey(written(tmp_path, {".cursor/rules/a.mdc": text, ".cursorrules": "b\n"}))
    assert (".cursor/rules/a.mdc" in always(found, "cursor")) is loads
    assert ".cursorrules" in always(found, "cursor")


def test_copilot_loads_its_file_and_instructions_for_every_file(tmp_path: Path) -> None:
    root = written(
        tmp_path,
        {
            ".github/copilot-instructions.md": "a\n",
            ".github/instructions/all.instructions.md": '---\napplyTo: "**"\n---\nb\n',
            ".github/instructions/ts.instructions.md": '---\napplyTo: "**/*.ts"\n---\nc\n',
        },
    )
    assert always(survey(root), "copilot") == [
        ".github/copilot-instructions.md",
        ".github/instructions/all.instructions.md",
    ]


def test_gemini_loads_its_file_at_the_root(tmp_path: Path) -> None:
    found = survey(written(tmp_path, {"GEMINI.md": "a\n", "sub/GEMINI.md": "b\n"}))
    assert always(found, "gemini") == ["GEMINI.md"]


def test_auto_memory_is_charged_to_its_200th_line_and_its_topics_are_not(tmp_path: Path) -> None:
    root = written(tmp_path / "proj.x", {"CLAUDE.md": "a\n"})
    slug = "".join(c if c.isalnum() else "-" for c in str(root))
    folder = tmp_path / "claude" / "projects" / slug / "memory"
    written(folder, {"MEMORY.md": "- [T](t.md) - when\n" * 300, "t.md": "topic\n"})
    found = survey(root, claude=tmp_path / "claude")
    memory = next(file for file in found.files if file.role == "index")
    assert memory.hosts == {"claude"}
    assert memory.loaded == 200
    topic = next(file for file in found.files if file.path.name == "t.md")
    assert (topic.role, topic.always) == ("topic", False)
    assert len(survey(root).files) == 1
    kept = survey(root, claude=tmp_path / "claude", external=False)
    assert len(kept.files) == 3


def test_a_memory_directory_charges_its_index_alone(tmp_path: Path) -> None:
    found = survey(written(tmp_path, {"MEMORY.md": "- [A](a.md) - x\n", "a.md": "A.\n"}))
    assert always(found, "memory") == ["MEMORY.md"]
    assert found.files[1].role == "topic"


@pytest.mark.parametrize(
    "line",
    [
        "- [A](<./a b.md>)",
        "- [A](a%20b.md#x) - when",
        "- `a b.md`: words",
        "- [[a b]]",
        "@a\\ b.md",
    ],
)
def test_a_topic_is_reached_however_it_is_named(tmp_path: Path, line: str) -> None:
    from manent.memfile.rules import mm004_unreachable

    root = written(
        tmp_path, {"MEMORY.md": f"# M\n\n{line}\n- x\n", "a b.md": "A.\n", "c.md": "C.\n"}
    )
    assert [flaw.file for flaw in mm004_unreachable.check(survey(root))] == ["c.md"]


def test_one_file_is_audited_with_what_it_imports(tmp_path: Path) -> None:
    root = written(tmp_path, {"CLAUDE.md": "@a.md\n", "a.md": "x\n", "AGENTS.md": "not asked\n"})
    found = survey(root / "CLAUDE.md")
    assert [file.name for file in found.files] == ["CLAUDE.md", "a.md"]
