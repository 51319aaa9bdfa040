"""``manent promote``: the queue, what a promotion changes, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from vaults import note, refused_values, write

from manent.cli.main import root as command
from manent.cli.main import run

DRAFT = """---
# what an agent wrote
name: tide-tables
description: 'When the tide turns'   # short
type: reference
status: quarantine
author: tide
created: 2026-01-10
---
See [[moon]] and [the moon](../../memory/moon.md "full").\r
![chart](chart.png) and [paper](files/paper.pdf#page=2)
"""

FILES: dict[str, str | bytes] = {
    "quarantine/tide/tide-tables.md": DRAFT,
    "quarantine/tide/chart.png": b"\x89PNG\r\n\x1a\n",
    "quarantine/tide/files/paper.pdf": b"text",
    "memory/moon.md": note(
        "moon",
        audience="[ops, team]",
        body="[t](../quarantine/tide/tide-tables.md#a) [[tide-tables|x]]",
    ),
    "memory/stays.md": note("stays", status="quarantine", author="scout", created="2026-03-01"),
}

READERS = ("--audience", "ops,team")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    root = write(tmp_path / "work", FILES)
    git(root, "init", "-q")
    git(root, "add", "-f", ".")
    git(root, "commit", "-qm", "seed")
    return root


@pytest.fixture
def brain(work: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "-q", "--bare", str(work), "brain.git")
    return tmp_path / "brain.git"


def promote(capsys: Any, vault: Path, *arguments: str) -> tuple[int, str, str]:
    status = run(["promote", str(vault), *arguments])
    out = capsys.readouterr()
    return status, out.out, out.err


def answer(capsys: Any, vault: Path, *arguments: str) -> Any:
    status, out, err = promote(capsys, vault, *arguments, "--json")
    assert status == 0, err
    return json.loads(out)


def state(root: Path) -> dict[str, bytes]:
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file() and ".git" not in p.relative_to(root).parts
    }


# -- the queue -------------------------------------------------------------------


@pytest.mark.parametrize("where", ["work", "brain"])
def test_the_queue_lists_what_waits_oldest_first(
    request: pytest.FixtureRequest, capsys: Any, where: str
) -> None:
    rows = answer(capsys, request.getfixturevalue(where))["queue"]
    assert [(r["name"], r["author"], r["path"], r["since"]) for r in rows] == [
        ("tide-tables", "tide", "quarantine/tide/tide-tables.md", "2026-01-10"),
        ("stays", "scout", "memory/stays.md", "2026-03-01"),
    ]
    assert rows[0]["age_days"] - rows[1]["age_days"] == 50
    assert rows[0]["audience"] == [] and rows[0]["description"] == "When the tide turns"


def test_the_queue_as_lines(work: Path, capsys: Any) -> None:
    status, out, _ = promote(capsys, work, "--author", "scout")
    assert status == 0
    assert "stays  scout  private  memory/stays.md  About stays" in out
    assert len(out.splitlines()) == 1


def test_an_empty_queue_is_no_fault(tmp_path: Path, capsys: Any) -> None:
    write(tmp_path, {"memory/a.md": note("a")})
    assert promote(capsys, tmp_path)[:2] == (0, "")
    assert answer(capsys, tmp_path) == {"version": 1, "queue": []}


def test_age_is_of_the_first_commit_and_then_of_the_file(work: Path, capsys: Any) -> None:
    write(work, {"quarantine/a/one.md": note("one", status="quarantine")})
    git(work, "add", ".")
    day = "2026-05-05T12:00:00Z"
    environment = {**os.environ, "GIT_COMMITTER_DATE": day, "GIT_AUTHOR_DATE": day}
    subprocess.run(["git", "commit", "-qm", "one"], cwd=work, check=True, env=environment)
    write(work, {"quarantine/a/one.md": note("one", "More.", status="quarantine")})
    git(work, "commit", "-qam", "one again")
    write(work, {"quarantine/a/two.md": note("two", status="quarantine")})
    os.utime(work / "quarantine/a/two.md", (1_780_000_000, 1_780_000_000))
    rows = {row["name"]: row["since"] for row in answer(capsys, work)["queue"]}
    assert rows["one"] == "2026-05-05"
    assert rows["two"] == "2026-05-28"


@pytest.mark.parametrize("count", [1, 5], ids=["asked alone", "one walk"])
def test_a_note_that_was_renamed_is_as_old_as_before(work: Path, capsys: Any, count: int) -> None:
    fields = {"status": "quarantine", "author": "mover"}
    files = {
        f"quarantine/a/n{i}.md": note(f"n{i}", f"Text {i}.\n" * 9, **fields) for i in range(count)
    }
    for day, change in (
        ("2026-05-05", lambda: write(work, files)),
        ("2026-06-06", lambda: git(work, "mv", "quarantine/a", "quarantine/b")),
        ("2026-07-07", lambda: [p.write_text(p.read_text() + "More.\n")
                                for p in (work / "quarantine/b").iterdir()]),
        ("2026-08-08", lambda: git(work, "mv", "quarantine/b", "quarantine/c")),
    ):  # fmt: skip
        change()
        git(work, "add", ".")
        when = f"{day}T12:00:00Z"
        environment = {**os.environ, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when}
        subprocess.run(["git", "commit", "-qm", day], cwd=work, check=True, env=environment)
    promote(capsys, work, "--note", "n0", "--dry-run")
    git(work, "mv", "quarantine/c", "quarantine/d")  # and once more, not committed
    rows = answer(capsys, work, "--author", "mover")["queue"]
    assert [row["since"] for row in rows] == ["2026-05-05"] * count
    assert {row["path"] for row in rows} == {f"quarantine/d/n{i}.md" for i in range(count)}


# -- promotion -------------------------------------------------------------------


def test_a_promotion_changes_what_it_names_and_links_follow(work: Path, capsys: Any) -> None:
    status, out, err = promote(
        capsys, work, "--note", "tide-tables", "--audience", "ops,team", "--to", "notes"
    )
    assert (status, err) == (0, "")
    assert "promote(tide-tables): out of quarantine" in out
    new = (work / "notes/tide-tables.md").read_bytes().decode()
    head, _, body = new.partition("---\nSee")
    assert head.startswith(
        "---\n# what an agent wrote\nname: tide-tables\n"
        "description: 'When the tide turns'   # short\ntype: reference\nstatus: active\n"
        "author: tide\ncreated: 2026-01-10\n"
    )
    added = head.splitlines()[8:]
    assert sorted(line.partition(":")[0] for line in added) == ["audience", "updated"]
    assert body == (
        ' [[moon]] and [the moon](../memory/moon.md "full").\r\n'
        "![chart](../quarantine/tide/chart.png) and "
        "[paper](../quarantine/tide/files/paper.pdf#page=2)\n"
    )
    moon = (work / "memory/moon.md").read_text()
    assert "[t](../notes/tide-tables.md#a) [[tide-tables|x]]" in moon
    assert not (work / "quarantine/tide/tide-tables.md").exists()
    assert git(work, "log", "--oneline").count("\n") == 0


HTML = """<a href="../quarantine/tide/tide-tables.md#a">one</a>
<a href='/quarantine/tide/tide-tables.md'>two</a>
<img srcset="../quarantine/tide/tide-tables.md 2x, ../quarantine/tide/chart.png 1x">
<a href=../quarantine/tide/tide%2Dtables.md?q>three</a>
<a href="https://example.org/tide-tables.md">four</a>
`<a href="../quarantine/tide/tide-tables.md">` <a href="tide-tables.md">five</a>
"""


@pytest.mark.parametrize("where", ["work", "brain"])
def test_addresses_in_the_html_of_other_notes_follow(
    work: Path, capsys: Any, tmp_path: Path, where: str
) -> None:
    (work / "memory/page.md").write_text(note("page", audience="[ops, team]", body=HTML))
    second = note(
        "second", status="quarantine", author="tide", body=HTML.replace("../quarantine/tide/", "")
    )
    (work / "quarantine/tide/second.md").write_text(second)
    git(work, "add", ".")
    git(work, "commit", "-qm", "pages")
    root = work
    if where == "brain":
        git(tmp_path, "clone", "-q", "--bare", str(work), "brain.git")
        root = tmp_path / "brain.git"
    names = ("--note", "second", "--note", "tide-tables", "--to", "notes")
    status, _, err = promote(capsys, root, *names, "--audience", "ops,team", "--commit")
    assert status == 0, err
    page = git(root, "show", "HEAD:memory/page.md") + "\n"
    wanted = HTML.replace('"../quarantine/tide/tide-tables', '"../notes/tide-tables', 2)
    wanted = wanted.replace("'/quarantine/tide/", "'/notes/")
    wanted = wanted.replace("=../quarantine/tide/tide%2Dtables.md?q", "=../notes/tide-tables.md?q")
    assert page.endswith(wanted)
    moved = git(root, "show", "HEAD:notes/second.md") + "\n"
    assert '<a href="tide-tables.md#a">' in moved and "<a href='/notes/tide-tables.md'>" in moved
    assert 'srcset="tide-tables.md 2x, ../quarantine/tide/chart.png 1x"' in moved
    assert '`<a href="tide-tables.md">`' in moved


@pytest.mark.parametrize("others", [0, 1])
def test_an_embedded_file_that_is_found_by_name_keeps_its_name(
    work: Path, capsys: Any, others: int
) -> None:
    (work / "quarantine/tide/pic.md").write_text(
        note("pic", status="quarantine", author="tide", body="![[chart.png]] ![[chart.png|x]]")
    )
    for n in range(others):
        (work / f"memory/{n}").mkdir()
        (work / f"memory/{n}/chart.png").write_bytes(b"x")
    status, _, err = promote(capsys, work, "--note", "pic", "--to", "notes", *READERS)
    assert status == 0, err
    text = (work / "notes/pic.md").read_text()
    name = "../quarantine/tide/chart.png" if others else "chart.png"
    assert f"![[{name}]] ![[{name}|x]]" in text


@pytest.mark.parametrize("where", ["work", "brain"])
def test_a_commit_says_who_wrote_it_and_what_changed(
    request: pytest.FixtureRequest, capsys: Any, where: str
) -> None:
    root: Path = request.getfixturevalue(where)
    found = answer(capsys, root, "--note", "tide-tables", "--to", "memory", *READERS, "--commit")[
        "promoted"
    ][0]
    assert found["commit"] == git(root, "rev-parse", "main")
    assert found["path"] == ["quarantine/tide/tide-tables.md", "memory/tide-tables.md"]
    assert found["audience"] == [[], ["ops", "team"]] and found["status"] == [
        "quarantine",
        "active",
    ]
    message = git(root, "log", "-1", "--format=%B", "main")
    lines = message.split("\n")
    assert lines[0] == "promote(tide-tables): out of quarantine"
    assert lines[2].startswith("Written by tide on 2026-01-10, promoted on 20")
    assert "status: quarantine -> active" in lines
    assert "audience: private -> ops, team" in lines
    assert "path: quarantine/tide/tide-tables.md -> memory/tide-tables.md" in lines
    assert git(root, "log", "-1", "--format=%(trailers:key=Promoted-by,valueonly)", "main") == (
        "Ada Tester <ada@example.org>"
    )
    assert git(root, "show", "--format=", "--name-only", "--no-renames", "main").split() == [
        "memory/moon.md",
        "memory/tide-tables.md",
        "quarantine/tide/tide-tables.md",
    ]


def test_without_a_folder_it_stays_where_it_is(work: Path, capsys: Any) -> None:
    status, _, err = promote(capsys, work, "--note", "tide-tables", "--audience", "ops")
    assert status == 0 and "stands below quarantine/ still" in err
    content = (work / "quarantine/tide/tide-tables.md").read_text()
    assert "status: active" in content and "audience: [ops]" in content
    status, _, err = promote(capsys, work, "--note", "tide-tables", "--commit")
    assert status == 1 and "--to DIR" in err
    assert promote(capsys, work, "--note", "memory/stays.md")[0] == 0
    rows = answer(capsys, work)["queue"]
    assert [row["name"] for row in rows] == ["tide-tables"]


def test_several_notes_are_each_a_commit(work: Path, capsys: Any) -> None:
    args = ("--note", "tide-tables", "--note", "stays", "--to", "notes", *READERS, "--commit")
    found = answer(capsys, work, *args)["promoted"]
    assert [row["name"] for row in found] == ["tide-tables", "stays"]
    assert git(work, "log", "--format=%s", "-2").split("\n") == [
        "promote(stays): out of quarantine",
        "promote(tide-tables): out of quarantine",
    ]
    assert git(work, "status", "--porcelain") == ""


def test_one_refusal_among_several_refuses_all(work: Path, capsys: Any) -> None:
    before = state(work)
    args = ("--note", "tide-tables", "--note", "absent", "--to", "notes", "--commit")
    assert promote(capsys, work, *args)[0] == 1
    assert state(work) == before


def test_all_of_an_author_asks_first(work: Path) -> None:
    arguments = ["promote", str(work), "--all", "--author", "tide", "--to", "memory", *READERS]
    before = state(work)
    for said in ("n\n", ""):
        done = CliRunner().invoke(command, arguments, input=said)
        assert "not confirmed" in str(done.exception)
        assert state(work) == before
    done = CliRunner().invoke(command, arguments, input="y\n")
    assert done.exit_code == 0, done.output
    assert "memory/tide-tables.md" in state(work)


def test_a_dry_run_touches_nothing(work: Path, brain: Path, capsys: Any) -> None:
    before = state(work), git(brain, "rev-parse", "main")
    for root in (work, brain):
        arguments = ("--note", "tide-tables", "--to", "memory", *READERS, "--dry-run")
        status, out, _ = promote(capsys, root, *arguments)
        assert status == 0
        assert "rename from quarantine/tide/tide-tables.md\n" in out
        assert "+status: active\n" in out
        assert "diff" in answer(capsys, root, *arguments)
    assert (state(work), git(brain, "rev-parse", "main")) == before


# -- refusals ------------------------------------------------------------------------


def refusal(capsys: Any, root: Path, *arguments: str) -> str:
    before = state(root)
    status, _, err = promote(capsys, root, *arguments)
    assert status == 1, err
    assert state(root) == before
    return err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--note", "nothing"), "no note nothing in quarantine"),
        (("--note", "moon"), "memory/moon.md is not in quarantine"),
        (("--note", "memory/moon.md"), "not in quarantine"),
        (("--note", "stays", "--to", "../out"), "outside the vault"),
        (("--note", "stays", "--to", "/tmp"), "outside the vault"),
        (("--note", "stays", "--to", "a/../../b"), "outside the vault"),
        (("--note", "stays", "--to", "quarantine/x"), "in quarantine"),
        (("--note", "stays", "--to", "Quarantine"), "in quarantine"),
        (("--note", "stays", "--to", "secrets"), "secrets"),
        (("--note", "stays", "--to", "a/Secrets/b"), "secrets"),
        (("--note", "stays", "--to", ".git/x"), "hidden"),
        (("--note", "stays", "--to", "a/.hidden"), "hidden"),
        (("--note", "stays", "--to", "memory/moon.md"), "is a file"),
        (("--note", "stays", "--audience", "Not A Slug!"), "is no label"),
        (("--note", "stays", "--audience", "ops,private"), "private stands beside"),
        (("--all", "--author", "nobody", "--yes"), "no note by nobody"),
        (("--reject", "moon", "--reason", "x"), "not in quarantine"),
    ],
)
def test_what_is_refused(work: Path, capsys: Any, arguments: tuple[str, ...], said: str) -> None:
    assert said in refusal(capsys, work, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--all",),
        ("--all", "--note", "stays"),
        ("--reject", "stays"),
        ("--reason", "because"),
        ("--reject", "stays", "--reason", " "),
        ("--to", "memory"),
        ("--audience", "ops"),
        ("--note", "stays", "--audience", ""),
        ("--interactive", "--note", "stays"),
    ],
)
def test_what_is_wrong_use(work: Path, capsys: Any, arguments: tuple[str, ...]) -> None:
    before = state(work)
    assert promote(capsys, work, *arguments)[0] == 2
    assert state(work) == before


def test_a_brain_without_a_word_on_how_is_wrong_use(brain: Path, capsys: Any) -> None:
    assert promote(capsys, brain, "--note", "stays")[0] == 2
    assert promote(capsys, brain, "--reject", "stays", "--reason", "no")[0] == 2


def test_a_taken_destination_is_refused(work: Path, capsys: Any) -> None:
    write(work, {"memory/Tide-Tables.md": note("other")})
    assert "is taken" in refusal(capsys, work, "--note", "tide-tables", "--to", "memory")
    (work / ".gitignore").write_text("kept/\n")
    assert "ignored by git" in refusal(capsys, work, "--note", "tide-tables", "--to", "kept")


def test_an_ignored_destination_is_refused(work: Path, capsys: Any) -> None:
    write(work, {".manentignore": "archive\n"})
    assert "is ignored" in refusal(capsys, work, "--note", "stays", "--to", "archive/x")


def test_a_destination_through_a_symlink_is_refused(
    work: Path, capsys: Any, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (work / "link").symlink_to(tmp_path / "outside")
    status, _, err = promote(capsys, work, "--note", "stays", "--to", "link")
    assert status == 1 and ("symlink" in err or "is a file" in err)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_name_taken_outside_is_refused(work: Path, capsys: Any) -> None:
    write(work, {"notes/tide-tables.md": note("tide-tables")})
    said = refusal(capsys, work, "--note", "tide-tables", "--to", "memory")
    assert "the name tide-tables is taken by notes/tide-tables.md" in said


def test_an_ambiguous_name_is_refused(work: Path, capsys: Any) -> None:
    write(work, {"quarantine/scout/tide-tables.md": note("tide-tables", status="quarantine")})
    said = refusal(capsys, work, "--note", "tide-tables", "--to", "memory")
    assert "quarantine/tide/tide-tables.md, quarantine/scout/tide-tables.md" in said
    path = "quarantine/scout/tide-tables.md"
    assert promote(capsys, work, "--note", path, "--to", "memory", *READERS)[0] == 0


def test_a_link_to_another_draft_of_that_name_keeps_leading_there(
    tmp_path: Path, capsys: Any
) -> None:
    draft = {"status": "quarantine"}
    root = write(
        tmp_path,
        {
            "quarantine/a/x.md": note("x", **draft),
            "quarantine/a/y.md": note("y", "[[x]]", **draft),
            "quarantine/b/x.md": note("x", **draft),
        },
    )
    assert promote(capsys, root, "--note", "quarantine/b/x.md", "--to", "memory")[0] == 0
    assert "[[quarantine/a/x]]" in (root / "quarantine/a/y.md").read_text()


def test_a_label_outside_the_configured_set_is_refused(work: Path, capsys: Any) -> None:
    git(work, "config", "manent.audiences", "ops,team")
    said = refusal(capsys, work, "--note", "stays", "--audience", "sales")
    assert "no audience sales is configured" in said
    assert promote(capsys, work, "--note", "stays", "--audience", "team")[0] == 0


def test_what_the_gate_refuses_is_refused(work: Path, brain: Path, capsys: Any) -> None:
    bad = note("bad", refused_values()["email"], status="quarantine")
    write(work, {"quarantine/a/bad.md": bad})
    for how in ((), ("--commit",), ("--dry-run",)):
        assert "[pii]" in refusal(capsys, work, "--note", "bad", "--to", "memory", *how)
    reason = "he wrote " + refused_values()["phone"]
    assert "[pii]" in refusal(capsys, work, "--reject", "stays", "--reason", reason)


def test_a_link_that_tells_of_a_hidden_note_is_refused(work: Path, capsys: Any) -> None:
    for how in ((), ("--commit",), ("--dry-run",)):
        arguments = ("--note", "tide-tables", "--to", "memory", "--audience", "sales", *how)
        assert "[audience-leak]" in refusal(capsys, work, *arguments)


def test_a_note_without_what_it_must_say_is_refused(work: Path, capsys: Any) -> None:
    write(work, {"quarantine/a/half.md": "---\nname: half\nstatus: quarantine\n---\nText.\n"})
    assert "description" in refusal(capsys, work, "--note", "half", "--to", "memory")
    write(work, {"quarantine/a/broken.md": "---\nname: [\n---\nText.\n"})
    refusal(capsys, work, "--note", "broken", "--to", "memory")


def test_unsaved_edits_are_refused_with_commit_alone(work: Path, capsys: Any) -> None:
    (work / "memory/moon.md").write_text((work / "memory/moon.md").read_text() + "Mine.\n")
    arguments = ("--note", "tide-tables", "--to", "memory", *READERS)
    assert "memory/moon.md has edits" in refusal(capsys, work, *arguments, "--commit")
    assert promote(capsys, work, *arguments)[0] == 0
    assert "Mine." in (work / "memory/moon.md").read_text()


# -- rejection and the walk ---------------------------------------------------------------


@pytest.mark.parametrize("where", ["work", "brain"])
def test_a_rejection_says_why(request: pytest.FixtureRequest, capsys: Any, where: str) -> None:
    root: Path = request.getfixturevalue(where)
    arguments = ("--reject", "tide-tables", "--reason", "Known already.", "--commit")
    status, _, err = promote(capsys, root, *arguments)
    assert status == 0
    assert "was linked from memory/moon.md" in err
    message = git(root, "log", "-1", "--format=%B", "main")
    assert message.startswith("reject(tide-tables): removed from quarantine\n\nKnown already.\n")
    assert "Rejected-by: Ada Tester <ada@example.org>" in message
    assert "tide-tables" not in git(root, "ls-tree", "-r", "--name-only", "main")


def walk(root: Path, typed: str, *arguments: str) -> Any:
    return CliRunner().invoke(
        command, ["promote", str(root), "--interactive", *arguments], input=typed
    )


def test_the_walk_shows_compares_and_decides(work: Path) -> None:
    write(
        work,
        {"memory/tides.md": note("tides", "When the tide turns, and how to read the tables.")},
    )
    typed = "s\nd\na\nops,team\np\nmemory\nr\nKnown already.\n"
    done = walk(work, typed)
    assert done.exit_code == 0, done.output
    assert "1/2" in done.output and "2/2" in done.output
    assert "# what an agent wrote" in done.output
    assert "against memory/" in done.output and "+# what an agent wrote" in done.output
    assert "audience: [ops, team]" in (work / "memory/tide-tables.md").read_text()
    assert not (work / "memory/stays.md").exists()


def test_the_walk_goes_on_after_a_refusal_and_ends_with_the_input(work: Path) -> None:
    before = state(work)
    done = walk(work, "p\nsecrets\nn\nq\n")
    assert done.exit_code == 0 and "secrets" in done.output
    assert walk(work, "n\n").exit_code == 0
    assert state(work) == before
