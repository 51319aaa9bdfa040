"""search, read, list, grep and neighbors as a user calls them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from asked import ask, inside
from vaults import note, write

READING = [
    ["list"],
    ["search", "{vault}", "ferry"],
    ["read", "{vault}", "ferry"],
    ["grep", "{vault}", "ferry"],
    ["neighbors", "{vault}", "ferry"],
]


@pytest.mark.parametrize("command", READING, ids=lambda c: c[0])
def test_json_is_one_document_alone_on_stdout(vault: Path, command: list[str]) -> None:
    arguments = [part.format(vault=vault) for part in command]
    if len(arguments) == 1:
        arguments.append(str(vault))
    said = ask(*arguments, "--json")
    assert (said.code, said.errors) == (0, "")
    assert said.out.endswith(b"}\n") and said.out.count(b"\n") == 1
    assert said.json["version"] == 1 and next(iter(said.json)) == "version"
    assert said.json["tree"] is None


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["read", "{vault}", "nowhere"], 1),
        (["neighbors", "{vault}", "nowhere"], 1),
        (["grep", "{vault}", "("], 2),
        (["list", "{vault}", "--as", "moss"], 2),
        (["list", "{vault}/nowhere"], 2),
    ],
)
def test_json_is_one_document_in_failure_too(vault: Path, command: list[str], code: int) -> None:
    said = ask(*(part.format(vault=vault) for part in command), "--json")
    assert said.code == code and said.errors.startswith("manent: ")
    assert said.out.count(b"\n") == 1
    assert said.json["version"] == 1 and said.json["error"]["message"] in said.errors
    mute = ask(*(part.format(vault=vault) for part in command))
    assert mute.out == b"" and mute.err == said.err


@pytest.mark.parametrize(
    "command",
    [
        ["search", "{vault}", "xyzzy"],
        ["grep", "{vault}", "xyzzy"],
        ["list", "{vault}", "--type", "x"],
    ],
)
def test_nothing_found_is_one_and_still_a_document(vault: Path, command: list[str]) -> None:
    said = ask(*(part.format(vault=vault) for part in command), "--json")
    assert said.code == 1 and said.json["version"] == 1 and said.errors == ""
    assert ask(*(part.format(vault=vault) for part in command)).out == b""


def test_one_argument_is_the_query_on_the_current_vault(vault: Path) -> None:
    with inside(vault / "memory"):  # the vault is the parent with MEMORY.md
        for command in READING[1:]:
            asked, what = command[0], command[2]
            assert ask(asked, what, "--json").json == ask(asked, str(vault), what, "--json").json
    with inside(vault):  # a folder of that name is the query all the same
        assert ask("search", "memory", "--json").json["query"] == "memory"
        assert ask("list", "--json").json == ask("list", str(vault), "--json").json


def test_the_current_vault_is_the_nearest_with_git_else_with_its_marks(tmp_path: Path) -> None:
    outer = write(tmp_path / "outer", {"a.md": note("a"), "in/MEMORY.md": "x", "in/deep/b.md": "b"})

    def listed() -> list[str]:
        with inside(outer / "in" / "deep"):
            return [row["path"] for row in ask("list", "--json").json["notes"]]

    assert listed() == ["MEMORY.md", "deep/b.md"]
    subprocess.run(["git", "init", "-q"], cwd=outer, check=True)
    assert listed() == ["a.md", "in/MEMORY.md", "in/deep/b.md"]


def test_search_answers_as_the_contract_says(vault: Path) -> None:
    said = ask("search", str(vault), "ferry", "--json").json
    assert list(said) == ["version", "query", "tree", "retriever", "hits"]
    assert (said["query"], said["retriever"]) == ("ferry", "bm25")
    first = said["hits"][0]
    assert list(first) == ["name", "path", "description", "type", "status", "score", "via"]
    assert first["name"] == "ferry" and first["via"] == {"bm25": 1}
    assert len(ask("search", str(vault), "ferry", "-k", "1", "--json").json["hits"]) == 1


def test_read_prints_the_file_as_it_is(vault: Path) -> None:
    odd = b"\xef\xbb\xbf---\r\nname: odd\r\n---\r\ncaf\xe9 \x1b[31m\r\n"
    (vault / "odd.md").write_bytes(odd)
    for name in ("odd", "odd.md", "ODD"):
        assert ask("read", str(vault), name).out == odd
    said = ask("read", str(vault), "memory/ferry.md", "--json").json
    assert said["frontmatter"]["audience"] == ["team", "public"]
    assert said["body"] == "The ferry leaves at nine.\n"
    assert (said["name"], said["path"]) == ("ferry", "memory/ferry.md")


def test_an_ambiguous_name_is_not_guessed(vault: Path) -> None:
    write(vault, {"a/twin.md": note("twin"), "b/twin.md": note("twin")})
    said = ask("read", str(vault), "twin")
    assert said.code == 1 and "a/twin.md, b/twin.md" in said.errors
    assert ask("read", str(vault), "b/twin").code == 0


def test_grep_counts_lines_as_findings_do(vault: Path) -> None:
    (vault / "odd.md").write_bytes("a\x0cb\u2028c\x85d\re\r\n\nneedle\n".encode())
    said = ask("grep", str(vault), "needle|^a.b", "--json").json
    assert [(m["path"], m["line"]) for m in said["matches"]] == [("odd.md", 1), ("odd.md", 3)]
    assert said["matches"][1]["text"] == "needle"
    assert ask("grep", str(vault), "NEEDLE").code == 1
    assert ask("grep", str(vault), "NEEDLE", "-i").text == "odd.md:3:needle\n"
    more = ask("grep", str(vault), "e", "--limit", "1", "--json")
    assert more.json["more"] and len(more.json["matches"]) == 1 and more.errors == ""


def test_grep_is_linear_and_shows_a_part_of_a_long_line(vault: Path) -> None:
    (vault / "long.md").write_text("a" * 60_000 + "needle" + "b" * 60_000)
    match = ask("grep", str(vault), "needle", "--json").json["matches"][0]
    assert "needle" in match["text"] and len(match["text"]) <= 300
    assert ask("grep", str(vault), "(a+)+(a+)+(a+)+c").code == 1
    assert ask("grep", str(vault), r"(a)\1").code == 2


def test_list_can_be_narrowed(vault: Path) -> None:
    write(vault, {"old.md": note("old", status="archived")})
    write(vault, {"quarantine/x/d.md": note("d", status="active")})

    def paths(*options: str) -> list[str]:
        return [row["path"] for row in ask("list", str(vault), "--json", *options).json["notes"]]

    assert paths("--type", "index") == ["MEMORY.md"]
    assert paths("--status", "archived") == ["old.md"]
    assert paths("--status", "quarantine") == ["quarantine/x/d.md"]
    assert paths("--limit", "2") == ["MEMORY.md", "memory/ferry.md"]


def test_paths_that_are_no_utf8_are_found_again(vault: Path) -> None:
    (vault / "caf\udce9.md").write_text("needle")
    said = ask("list", str(vault), "--json")
    path = next(r["path"] for r in said.json["notes"] if r["path"].startswith("caf"))
    assert path == "caf\udce9.md"
    assert ask("read", str(vault), path).text == "needle"
    assert "caf\\xe9.md" in ask("list", str(vault)).text
    for command in (["search", "needle"], ["grep", "needle"], ["neighbors", "MEMORY"]):
        for options in ([], ["--json"]):
            assert ask(command[0], str(vault), command[1], *options).code in (0, 1)
    for options in ([], ["--json"], ["--format", "sarif"], ["--format", "github"]):
        assert ask("lint", str(vault), *options).code == 1


def test_words_that_are_no_utf8_find_nothing(vault: Path) -> None:
    for command in ("search", "read", "grep", "neighbors"):
        assert ask(command, str(vault), "caf\udce9").code in (1, 2)


def test_an_agent_sees_its_view(vault: Path, agents: str) -> None:
    as_tide = ["--as", "tide", "--agents", agents]
    listed = ask("list", str(vault), "--json", *as_tide).json
    assert [row["name"] for row in listed["notes"]] == ["ferry", "port-map"]
    hidden, absent = (ask("read", str(vault), n, *as_tide) for n in ("wages", "nowhere"))
    assert (hidden.code, hidden.err) == (1, absent.err.replace(b"nowhere", b"wages"))
    assert ask("grep", str(vault), "pays", *as_tide).code == 1
    found = ask("neighbors", str(vault), "ferry", "--json", *as_tide).json["neighbors"]
    assert [row["name"] for row in found] == ["port-map"]
    unknown = ask("list", str(vault), "--as", "moss", "--agents", agents)
    assert unknown.code == 2 and unknown.out == b""


def test_the_agents_file_of_the_repository_is_used(vault: Path, agents: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    assert ask("list", str(vault), "--as", "tide").code == 2
    subprocess.run(["git", "config", "manent.agents", agents], cwd=vault, check=True)
    assert ask("list", str(vault), "--as", "tide").code == 0
    Path(agents).write_text(json.dumps({"tide": {"raed": []}}))
    said = ask("list", str(vault), "--as", "tide")
    assert said.code == 2 and "unknown field raed" in said.errors


def test_an_agent_is_told_no_tree(vault: Path, agents: str) -> None:
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=vault, check=True)
    tree = subprocess.check_output(["git", "rev-parse", "HEAD^{tree}"], cwd=vault).decode().strip()
    bare = vault.parent / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(vault), str(bare)], check=True)
    assert ask("list", str(bare), "--json").json["tree"] == tree
    assert ask("list", str(vault), "--rev", "HEAD", "--json").json["tree"] == tree
    Path(agents).write_text(
        json.dumps({"tide": {"read": ["team"]}, "keeper": {"read": ["team"], "write": "*"}})
    )
    for agent in ("tide", "keeper"):
        said = ask("list", str(bare), "--json", "--as", agent, "--agents", agents)
        assert said.json["tree"] is None and len(said.json["notes"]) == 2


def _committed(vault: Path, message: str, day: str) -> str:
    variables = os.environ | {f"GIT_{who}_DATE": f"{day}T12:00:00Z" for who in _PEOPLE}
    subprocess.run(["git", "add", "-Af", "."], cwd=vault, check=True)
    subprocess.run(["git", "commit", "-qm", message], cwd=vault, env=variables, check=True)
    return subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=vault).decode().strip()


_PEOPLE = ("AUTHOR", "COMMITTER")


@pytest.mark.parametrize("bare", [False, True])
def test_a_day_before_all_commits_is_as_one_when_all_was_hidden(
    vault: Path, agents: str, bare: bool
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    write(vault, {"memory/port-map.md": note("port-map"), "memory/ferry.md": note("ferry")})
    _committed(vault, "all of it private", "2026-02-01")
    write(vault, {"memory/ferry.md": note("ferry", audience="[team]")})
    _committed(vault, "one for the team", "2026-03-01")
    Path(agents).write_text(json.dumps({"tide": {"read": ["team"], "history": True}}))
    place = str(vault)
    if bare:
        place = str(vault.parent / "bare.git")
        subprocess.run(["git", "clone", "-q", "--bare", str(vault), place], check=True)
    for command in (
        ["list", place],
        ["list", place, "--json"],
        ["search", place, "ferry", "--json"],
        ["search", place, "ferry", "--explain"],
        ["grep", place, "Text", "--json"],
        ["read", place, "ferry", "--json"],
        ["neighbors", place, "ferry"],
    ):
        asked = [*command, "--as", "tide", "--agents", agents]
        before, hidden, seen = (
            ask(*asked, "--rev", day) for day in ("1999-01-01", "2026-02-02", "2026-03-02")
        )
        assert before == hidden and before.code == 1
        assert seen.code == 0 or command[0] == "neighbors"


def test_a_folder_of_secrets_is_no_vault_by_any_way(tmp_path: Path) -> None:
    vault = write(
        tmp_path / "vault",
        {"memory/a.md": note("a"), "Secrets/b.md": note("b"), "p/secrets/deep/c.md": note("c")},
    )
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    _committed(vault, "all", "2026-03-01")
    (tmp_path / "link").symlink_to(vault / "Secrets")
    trees = [f"HEAD:{path}" for path in ("Secrets", "p/secrets", "p/secrets/deep", "./Secrets")]
    for spelled in tuple(trees):
        said = subprocess.check_output(["git", "rev-parse", spelled], cwd=vault)
        trees.append(said.decode().strip())
    subprocess.run(["git", "tag", "tree", trees[-1]], cwd=vault, check=True)
    commands = (["list"], ["lint"], ["search"], ["grep"], ["index"], ["read"], ["neighbors"])
    for command in commands:
        words = [] if command[0] in ("list", "lint", "index") else ["b"]
        for folder in (vault / "Secrets", vault / "p/secrets/deep", tmp_path / "link"):
            said = ask(*command, str(folder), *words)
            assert said.code == 2 and "secrets folder" in said.errors and said.out == b""
        for tree in (*trees, "tree"):
            said = ask(*command, str(vault), *words, "--rev", tree)
            assert said.code == 2 and "secrets folder" in said.errors and said.out == b""
    assert ask("index", str(vault), "--status", "--rev", trees[0]).code == 2
    assert ask("init", str(vault / "secrets/new")).code == 2
    assert not (vault / "secrets").exists()


def test_a_tree_may_be_named_where_it_holds_no_secrets(tmp_path: Path) -> None:
    vault = write(tmp_path, {"memory/a.md": note("a"), "secrets/b.md": note("b")})
    subprocess.run(["git", "init", "-q"], cwd=vault, check=True)
    commit = _committed(vault, "all", "2026-03-01")
    for rev in (commit, "HEAD^{tree}", "HEAD:", "HEAD:memory"):
        listed = ask("list", str(vault), "--json", "--rev", rev).json["notes"]
        assert [row["name"] for row in listed] == ["a"]
