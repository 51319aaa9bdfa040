"""Public collections as vaults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from vaults import vault_of

from manent.errors import EnvironmentFault, UsageError
from manent.evaluate.collection import body_of, described, load, write
from manent.golden import read
from manent.lint.engine import Lint


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def collection(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    files = {
        "corpus.jsonl": lines(
            {"_id": "0012", "title": "A: title \"of\" 'one'", "text": "Text [one]\n---\nmore"},
            {"_id": "D1:3", "title": "", "text": "Né titolo — 東京\u2028né\x07 altro"},
            {"_id": "d1 3", "text": "# {x}\nno title"},
        ),
        "queries.jsonl": lines(
            {"_id": "q1", "text": "one?"},
            {"_id": "q2", "text": "two?", "kind": "multi-hop"},
            {"_id": "q3", "text": "never judged"},
        ),
        "qrels.tsv": "query-id\tcorpus-id\tscore\nq1\t0012\t1\nq2\tD1:3\t2\nq2\td1 3\t1\n"
        "q2\t0012\t0\n",
    } | texts
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_collection_becomes_a_vault_without_findings(tmp_path: Path) -> None:
    made = write(load(collection(tmp_path / "c")), tmp_path / "vault")
    assert (made.notes, made.queries, made.unknown) == (3, 2, ())
    vault = vault_of(tmp_path / "vault")
    notes = {note.name: note for note in vault.notes()}
    assert set(notes) == {"0012", "d1-3", "d1-3-2"}
    assert notes["0012"].description == "A: title \"of\" 'one'"
    assert vault.text(notes["0012"]).endswith("---\nText [one]\n---\nmore\n")
    lint = Lint(vault)
    lint.update()
    assert [f.message for f in lint.findings() if f.severity.name == "ERROR"] == []
    golden = read((tmp_path / "vault" / "golden.json").read_bytes())
    assert [(q.query, q.expected, q.kind, q.gains) for q in golden.queries] == [
        ("one?", ("0012",), "", (1,)),
        ("two?", ("d1-3", "d1-3-2"), "multi-hop", (2, 1)),
    ]


def test_a_judged_document_that_is_not_there_is_told(tmp_path: Path) -> None:
    folder = collection(tmp_path / "c", **{"qrels.tsv": "q1\tgone\t1\nq1\t0012\t1\n"})
    made = write(load(folder), tmp_path / "vault")
    assert made.unknown == ("gone",)
    golden = read((tmp_path / "vault" / "golden.json").read_bytes())
    assert golden.queries[0].expected == ("gone", "0012")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("corpus.jsonl", "{\n", "corpus.jsonl, line 1: no JSON"),
        ("corpus.jsonl", '{"_id": "1", "text": 3.5}\n', "line 1: text must be text"),
        ("corpus.jsonl", lines({"_id": 1, "text": ""}, {"_id": "1", "text": ""}), "stands twice"),
        ("queries.jsonl", "\n[]\n", "queries.jsonl, line 2: no JSON object"),
        ("qrels.tsv", "h\th\th\nq1 0012 1\n", "qrels.tsv, line 2: three fields"),
        ("qrels.tsv", "h\th\th\nq1\t0012\tyes\n", "qrels.tsv, line 2: no grade"),
    ],
)
def test_a_broken_collection_is_refused_with_its_line(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(EnvironmentFault, match=said):
        load(collection(tmp_path / "c", **{name: text}))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    loaded = load(collection(tmp_path / "c"))
    write(loaded, tmp_path / "vault")
    with pytest.raises(UsageError):
        write(loaded, tmp_path / "vault")
    with pytest.raises(EnvironmentFault):
        load(tmp_path / "nowhere")


def conversation(
    tmp_path: Path, ids: list[str], title: str = "", text: str = "turn {}", **fields: Any
) -> list[tuple[str, ...]]:
    rows = [{"_id": key, "title": title, "text": text.replace("{}", key), **fields} for key in ids]
    folder = collection(tmp_path / "c", **{"corpus.jsonl": lines(*rows), "qrels.tsv": ""})
    return [paper.before for paper in load(folder).documents.values()]


@pytest.mark.parametrize("form", ["D{}:{}", "conv-26/D{}:{}", "s{}_{}", "{}-{}", "c4 s{}#{}"])
def test_a_turn_quotes_the_two_before_it(tmp_path: Path, form: str) -> None:
    ids = [form.format(part, turn) for part in (1, 2, 10) for turn in range(1, 8)]
    befores = conversation(tmp_path, ids)
    said = [f"turn {key}" for key in ids]
    assert befores[:4] == [(), (said[0],), (said[0], said[1]), (said[1], said[2])]
    assert [ids[n] for n, before in enumerate(befores) if not before] == ids[::7]
    write(load(tmp_path / "c"), tmp_path / "vault")
    vault = vault_of(tmp_path / "vault")
    notes = {note.description: note for note in vault.notes()}
    assert f"---\n> turn {ids[0]}\n\nturn {ids[1]}\n" in vault.text(notes[f"turn {ids[1]}"])


def test_what_is_no_conversation_stands_alone(tmp_path: Path) -> None:
    turns = [f"D{part}:{n}" for part in (1, 2) for n in range(20)]
    assert not any(conversation(tmp_path, [str(n) for n in range(20)]))
    assert not any(conversation(tmp_path, [f"doc-{n}" for n in range(20)]))
    assert not any(conversation(tmp_path, [f"T2-{n}" for n in range(20)]))
    assert not any(conversation(tmp_path, turns[::2]))
    assert not any(conversation(tmp_path, turns, title="T"))
    assert not any(conversation(tmp_path, turns, text="long " * 200 + "{}"))
    assert not any(conversation(tmp_path, turns[:1]))
    assert all(conversation(tmp_path, turns)[1:20])


@pytest.mark.parametrize(
    "text", ["Ann: turn {}", "[May 8, 2023] Ann: turn {}", "**User**: turn {}", "用户：turn {}"]
)
def test_who_speaks_makes_a_turn_whatever_its_title_and_length(tmp_path: Path, text: str) -> None:
    turns = [f"c{part}t{n}" for part in (1, 2) for n in range(1, 21)]
    befores = conversation(tmp_path, turns, title="May 8", text=text + " and" * 300)
    assert all(befores[1:20]) and befores[0] == befores[20] == ()
    papers = list(load(tmp_path / "c").documents.values())
    assert described(papers[1]).startswith(text[:4]) and body_of(papers[1]).endswith("May 8")
    assert len(body_of(papers[1]).split("\n\n")[0]) < 420  # the quote is how a turn begins
    whole = conversation(tmp_path, turns, title="May 8", text="\n".join([text] * 9))
    assert not any(whole)  # each a conversation by itself


@pytest.mark.parametrize(
    "said", [{"speaker": "Ann"}, {"role": "user"}, {"metadata": {"speaker": "Ann"}}]
)
def test_who_speaks_may_stand_in_a_field(tmp_path: Path, said: dict[str, Any]) -> None:
    turns = [f"c1:{n}" for n in range(1, 21)]
    befores = conversation(tmp_path, turns, title="May 8", **said)
    name = "user" if "role" in said else "Ann"
    assert befores[1] == (f"{name}: turn c1:1",)
    assert body_of(load(tmp_path / "c").documents["c1:1"]) == f"{name}: turn c1:1\n\nMay 8"
