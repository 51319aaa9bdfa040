"""manent eval and its verbs as a user calls them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from asked import ask, inside
from vaults import note, write

METRICS = ["hit@1", "hit@3", "recall@5", "recall@10", "mrr", "ndcg@10"]


def golden(folder: Path, *rows: dict[str, Any], name: str = "golden.json") -> str:
    file = folder / name
    file.write_text(json.dumps({"name": "small", "queries": list(rows)}))
    return str(file)


def row(query: str, *expected: str, source: str = "curated") -> dict[str, Any]:
    return {"query": query, "expected": list(expected), "source": source}


@pytest.fixture
def small(tmp_path: Path) -> str:
    """Three queries over the vault of these tests."""
    return golden(
        tmp_path,
        row("leaves at nine", "ferry"),
        row("which port", "port-map"),
        row("money", "wages", source="oblique"),
    )


def test_json_is_as_the_contract_says(vault: Path, small: str) -> None:
    said = ask("eval", str(vault), "--golden", small, "--retriever", "bm25", "--json")
    assert (said.code, said.errors) == (0, "")
    found = said.json
    assert list(found)[:4] == ["version", "tree", "golden", "retrievers"]
    assert (found["version"], found["tree"], found["golden"]) == (1, None, "small")
    of = found["retrievers"]["bm25"]
    assert list(of) == ["overall", "curated", "oblique"]
    assert list(of["overall"]) == ["queries", *METRICS]
    assert [of[source]["queries"] for source in of] == [3, 2, 1]
    assert of["curated"]["hit@1"] == 1.0 and of["oblique"]["mrr"] == 0.0
    low, high = found["intervals"]["bm25"]["overall"]["mrr"]
    assert low <= of["overall"]["mrr"] <= high


def test_the_default_is_the_best_that_is_installed(vault: Path, small: str) -> None:
    from manent.search.embed.choose import default_model

    said = ask("eval", str(vault), "--golden", small, "--json").json
    assert list(said["retrievers"]) == ["fused" if default_model() else "bm25"]


def test_all_retrievers_stand_side_by_side_and_are_compared(vault: Path, small: str) -> None:
    said = ask("eval", str(vault), "--golden", small, "--retriever", "all", "--json")
    assert said.code == 0
    names = list(said.json["retrievers"])
    assert names[0] == "bm25" and "hybrid" in names
    pairs = [(c["first"], c["second"]) for c in said.json["comparisons"] if c["metric"] == "mrr"]
    assert len(pairs) == len(names) * (len(names) - 1) // 2
    assert all(0 < c["p"] <= 1 for c in said.json["comparisons"])
    text = ask("eval", str(vault), "--golden", small, "--retriever", "all").text
    assert "bm25 - hybrid: ndcg@10" in text


def test_without_a_file_descriptions_ask_for_their_notes(vault: Path, small: str) -> None:
    alone = ask("eval", str(vault), "--retriever", "bm25", "--json").json
    assert list(alone["retrievers"]["bm25"]) == ["overall", "auto"]
    both = ask("eval", str(vault), "--golden", small, "--auto", "--retriever", "bm25", "--json")
    assert list(both.json["retrievers"]["bm25"]) == ["overall", "curated", "oblique", "auto"]
    with inside(vault):
        assert ask("eval", "--retriever", "bm25", "--json").json == alone


def test_an_expected_note_that_is_not_there_is_reported(vault: Path, tmp_path: Path) -> None:
    file = golden(tmp_path, row("when the ferry leaves", "ferry", "sunk-ship"))
    said = ask("-q", "eval", str(vault), "--golden", file, "--retriever", "bm25", "--json")
    assert said.code == 1 and "no note sunk-ship" in said.errors
    assert [m["expected"] for m in said.json["missing"]] == ["sunk-ship"]
    assert said.json["retrievers"]["bm25"]["overall"]["recall@10"] == 0.5


def test_a_malformed_set_is_refused_with_its_line(vault: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text('{"name": "g", "queries": [\n{"query": "q"}\n]}')
    for command in (["eval", str(vault), "--golden"], ["eval", "hash", str(vault)]):
        said = ask(*command, str(file))
        assert said.code == 2 and f"{file}, line 2: " in said.errors
    assert ask("eval", str(vault), "--golden", str(tmp_path / "none.json")).code == 2
    empty = golden(tmp_path, name="empty.json")
    assert ask("eval", str(vault), "--golden", empty).code == 2


def test_a_view_is_judged_by_what_it_shows(vault: Path, small: str, agents: str) -> None:
    options = ["--golden", small, "--retriever", "bm25", "--as", "tide", "--agents", agents]
    said = ask("eval", str(vault), *options, "--json")
    assert said.code == 1 and "no note wages" in said.errors


def test_a_baseline_holds_and_names_what_got_worse(vault: Path, small: str, tmp_path: Path) -> None:
    saved = tmp_path / "baseline.json"
    asked = ["eval", str(vault), "--golden", small, "--retriever", "bm25"]
    assert ask(*asked, "--save", str(saved)).code == 0
    text = saved.read_text()
    assert "ferry" not in text and "wages" not in text
    assert ask(*asked, "--baseline", str(saved)).code == 0
    (vault / "memory" / "ferry.md").write_text(note("ferry", "Nothing.", description="none"))
    said = ask(*asked, "--baseline", str(saved), "--json")
    assert said.code == 1
    drop = said.json["drops"][0]
    assert (drop["retriever"], drop["source"], drop["before"]) == ("bm25", "overall", 0.6667)
    assert [w["query"] for w in drop["worse"]] == ["leaves at nine"]
    shown = ask(*asked, "--baseline", str(saved))
    assert shown.code == 1 and "leaves at nine" in shown.text
    assert ask(*asked, "--baseline", str(saved), "--tolerance", "1").code == 0


def test_a_baseline_that_is_none_is_refused(vault: Path, small: str, tmp_path: Path) -> None:
    asked = ["eval", str(vault), "--golden", small, "--retriever", "bm25"]
    for text in ("", "[]", "{}", '{"version": 9, "retrievers": {}}', '{"version": 1}'):
        (tmp_path / "b.json").write_text(text)
        assert ask(*asked, "--baseline", str(tmp_path / "b.json")).code == 2
    (tmp_path / "b.json").write_text('{"version": 1, "retrievers": {"hybrid": {}}}')
    said = ask(*asked, "--baseline", str(tmp_path / "b.json"))
    assert said.code == 2 and "says nothing of bm25" in said.errors


def test_saved_in_full_names_what_was_found(vault: Path, small: str, tmp_path: Path) -> None:
    asked = ["eval", str(vault), "--golden", small, "--retriever", "bm25"]
    assert ask(*asked, "--full").code == 2
    assert ask(*asked, "--save", str(tmp_path / "full.json"), "--full").code == 0
    rows = json.loads((tmp_path / "full.json").read_text())["queries"]
    assert rows[0]["query"] == "leaves at nine"
    assert rows[0]["found"]["bm25"][0] == "memory/ferry.md"


def test_a_plot_is_a_drawing(vault: Path, small: str, tmp_path: Path) -> None:
    file = tmp_path / "out.svg"
    asked = ["eval", str(vault), "--golden", small, "--retriever", "all", "--plot", str(file)]
    assert ask(*asked).code == 0
    root = ElementTree.fromstring(file.read_text())
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert {"bm25", "hybrid", *METRICS} <= set(texts)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Seven commits, the fifth of which spoils a note."""
    root = tmp_path / "history"
    root.mkdir()

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)

    git("init", "-q")
    for step in range(7):
        text = "The ferry leaves at nine." if step < 4 else "Nothing at all."
        write(root, {"ferry.md": note("ferry", text), f"n{step}.md": note(f"n{step}", "leaves")})
        git("add", "-A")
        git("commit", "-q", "-m", f"step {step}")
    return root


def test_two_revisions_are_compared(history: Path, tmp_path: Path) -> None:
    file = golden(tmp_path, row("leaves nine", "ferry"))
    asked = ["eval", str(history), "--golden", file, "--retriever", "bm25"]
    one = ask(*asked, "--rev", "HEAD~3", "--json").json
    assert one["retrievers"]["bm25"]["overall"]["hit@1"] == 1 and len(one["tree"]) == 40
    two = ask(*asked, "--rev", "HEAD~3", "--rev", "HEAD", "--json").json
    assert [r["rev"] for r in two["revisions"]] == ["HEAD~3", "HEAD"]
    assert two["revisions"][0]["retrievers"] == one["retrievers"]
    mrr = next(r for r in two["between"] if r["metric"] == "mrr")
    assert mrr["difference"] == -1 and mrr["retriever"] == "bm25"
    assert "leaves nine" in ask(*asked, "--rev", "HEAD~3", "--rev", "HEAD").text


def test_bisect_finds_the_commit(history: Path, tmp_path: Path) -> None:
    file = golden(tmp_path, row("leaves nine", "ferry"), row("n3", "n3"))
    asked = ["eval", "bisect", str(history), "--golden", file, "--retriever", "bm25"]
    said = ask(*asked, "--query", "leaves nine", "--good", "HEAD~6")
    assert said.code == 1 and "step 4" in said.text and "from 1.0000 to" in said.text
    assert ask(*asked, "--query", "leaves nine", "--good", "HEAD~2").code == 0
    assert ask(*asked, "--query", "other", "--good", "HEAD~6").code == 1
    assert ask(*asked, "--good", "nonsense").code == 2
    assert ask(*asked, "--good", "HEAD", "--bad", "HEAD~2").code == 2


def test_hashed_names_resolve_against_their_own_vault(
    vault: Path, small: str, tmp_path: Path
) -> None:
    said = ask("eval", "hash", str(vault), small)
    assert said.code == 2 and "no salt" in said.errors
    (vault / ".manent-allow").write_text('{"salt": "5f2d9c"}\n')
    public = tmp_path / "public.json"
    assert ask("eval", "hash", small, str(vault), "--out", str(public)).code == 0
    assert "wages" not in public.read_text() and '"note:' in public.read_text()
    plain = ask("eval", str(vault), "--golden", small, "--retriever", "bm25", "--json").json
    again = ask("eval", str(vault), "--golden", str(public), "--retriever", "bm25", "--json").json
    assert again == plain
    (vault / ".manent-allow").write_text('{"salt": "another"}\n')
    lost = ask("eval", str(vault), "--golden", str(public), "--retriever", "bm25")
    assert lost.code == 1 and lost.errors.count("no note note:") == 3
    absent = golden(tmp_path, row("q", "nowhere"), name="absent.json")
    assert ask("eval", "hash", str(vault), "--golden", absent).code == 1


def test_a_collection_is_imported_and_judged(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    write(
        folder,
        {
            "corpus.jsonl": '{"_id": "1", "title": "T", "text": "a lantern"}\n'
            '{"_id": "2", "title": "", "text": "a ferry"}\n',
            "queries.jsonl": '{"_id": "q", "text": "lantern", "kind": "single"}\n',
            "qrels.tsv": "query-id\tcorpus-id\tscore\nq\t1\t1\n",
        },
    )
    vault = tmp_path / "v"
    said = ask("eval", "import", str(folder), str(vault), "--json")
    assert said.json == {"version": 1, "notes": 2, "queries": 1, "unknown": []}
    options = ["--golden", str(vault / "golden.json"), "--retriever", "bm25", "--json"]
    found = ask("eval", str(vault), *options)
    assert found.code == 0 and found.json["retrievers"]["bm25"]["overall"]["hit@1"] == 1
    assert found.json["kinds"]["bm25"]["single"]["queries"] == 1
    assert ask("eval", "import", str(folder), str(vault)).code == 2
    swept = ask("eval", "sweep", "--collection", str(folder))
    assert swept.code == 0 and "| as shipped | 1.0000 |" in swept.text


def test_sweep_needs_something_to_try_on(vault: Path, small: str) -> None:
    assert ask("eval", "sweep", str(vault)).code == 2
    said = ask("-q", "eval", "sweep", str(vault), "--golden", small)
    assert said.code == 0 and "small curated (2), a" in said.text


ODD = [
    "",
    " ",
    "the of and",
    "🚀🦊",
    '"unbalanced (quote',
    "AND OR NOT * : ^ ~ NEAR(",
    "مرحبا بالعالم",
    "\u202eferry",
    "x" * 1_000_000,
    "ferry " * 170_000,
    "\x00\x1b[31m",
]


@pytest.mark.parametrize("retriever", ["bm25", "hybrid"])
@pytest.mark.parametrize("query", ODD, ids=range(len(ODD)))
def test_no_query_is_too_odd(vault: Path, retriever: str, query: str) -> None:
    said = ask("search", str(vault), query, "--retriever", retriever, "--json")
    assert said.code in (0, 1) and said.errors == ""
    assert said.json["query"] == query
