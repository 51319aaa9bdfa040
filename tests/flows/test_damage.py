"""Derived data that is damaged by accident: every command and every push goes on, rightly.

What a page of a database or an array holds is read as it is, and one changed byte is
enough for an answer nobody wrote. So each answer is compared with that of the whole
store, and a push has to be accepted, indexed and found.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from asked import ask
from repositories import Clone, note
from vaults import write

SEEDS = range(12)


def manent(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "manent", *arguments], capture_output=True, check=False, text=True
    )


def changed(content: bytearray, chance: random.Random) -> None:
    content[chance.randrange(len(content))] ^= chance.randrange(1, 256)


def sprinkled(content: bytearray, chance: random.Random) -> None:
    for _ in range(200):
        content[chance.randrange(100, len(content))] = chance.randrange(256)


def zeroed(content: bytearray, chance: random.Random) -> None:
    place = chance.randrange(0, len(content), 512)
    content[place : place + 4096] = bytes(len(content[place : place + 4096]))


def cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


def unreadable(content: bytearray, chance: random.Random) -> None:
    """Make a text one that is no UTF-8, in the words SQLite says of it too."""
    for word in (b"CREATE TABLE note", b"oid TEXT", b"reference"):
        place = content.find(word)
        if place >= 0:
            content[place + 3] = 0xFF


HARMS: list[Callable[[bytearray, random.Random], None]] = [
    changed, sprinkled, zeroed, cut, unreadable,
]  # fmt: skip


def harm(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    if content:
        chance.choice(HARMS)(content, chance)
        path.write_bytes(content)


COMMANDS = (
    "search V ferry --json --retriever bm25", "list V --json", "grep V ferry --json",
    "neighbors V n1 --json", "read V n1 --json", "lint V --json", "index V --json",
)  # fmt: skip


def stores(state: Path) -> list[Path]:
    return [state / "vault.sqlite", *sorted((state / "search").glob("[0-9m]*"))]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_command_answers_as_from_a_whole_store(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    notes = {f"n{n}.md": note(f"n{n}", f"The ferry to [[n{n // 2}]]. " * 20) for n in range(40)}
    vault = write(tmp_path / "vault", notes)

    def asked(line: str) -> tuple[int, object]:
        said = ask(*(str(vault) if word == "V" else word for word in line.split()))
        answer = said.json
        assert isinstance(answer, dict), said.errors
        answer.pop("indexed", None)
        return said.code, answer

    wanted = {line: asked(line) for line in COMMANDS}
    for line in COMMANDS:
        harm(chance.choice(stores(vault / ".manent")), chance)
        assert asked(line) == wanted[line], line
        assert asked("index V --json")[0] == 0


@pytest.mark.parametrize(
    ("where", "old", "new"),
    [
        ("vault.sqlite", b"A note of n1", b"A vote of n1"),
        ("vault.sqlite", b"n1.md", b"n9.md"),
        ("vault.sqlite", b"Atype", b"Btype"),
        ("search/*.segment", b"ferri", b"fesso"),
        ("search/*.segment", b"\x01\0\0\0", b"\x02\0\0\0"),
    ],
)
def test_what_reads_as_well_as_what_was_written_is_not_believed(
    tmp_path: Path, where: str, old: bytes, new: bytes
) -> None:
    """Nothing but the file's own times tells that somebody wrote to it."""
    notes = {f"n{n}.md": note(f"n{n}", "The ferry.", f"A note of n{n}") for n in range(1, 4)}
    vault = write(tmp_path / "vault", notes)
    lines = ("list V --json", "search V ferry --json --retriever bm25")
    asked = [[str(vault) if word == "V" else word for word in line.split()] for line in lines]
    wanted = [ask(*line).json for line in asked]
    assert all(wanted)
    for line, said in zip(asked, wanted, strict=True):
        (path,) = (vault / ".manent").glob(where)
        path.write_bytes(path.read_bytes().replace(old, new))
        assert ask(*line).json == said


@pytest.mark.parametrize("what", ["vault.sqlite", "search", "both"])
def test_stores_of_another_vault_are_no_use(tmp_path: Path, what: str) -> None:
    for name, word in (("one", "ferry"), ("two", "harbour")):
        write(tmp_path / name, {"n1.md": note("n1", f"The {word}. " * 9)})
        assert ask("search", str(tmp_path / name), word).code == 0
    mine, theirs = tmp_path / "one/.manent", tmp_path / "two/.manent"
    for name in ("vault.sqlite", "vault.sqlite-seal", "search"):
        if what in (name.removesuffix("-seal"), "both"):
            place = mine / name
            shutil.rmtree(place) if place.is_dir() else place.unlink()
            (theirs / name).rename(place)
    assert ask("search", str(tmp_path / "one"), "ferry").code == 0
    assert ask("search", str(tmp_path / "one"), "harbour", "--retriever", "bm25").code == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_push_is_judged_indexed_and_found_whatever_became_of_the_stores(
    clone: Clone, seed: int
) -> None:
    chance = random.Random(seed)
    state = clone.brain / "manent"
    for turn in range(2):
        harm(chance.choice(stores(state)), chance)
        clone.commit({f"memory/zanzi{turn}.md": note(f"zanzi{turn}", "A word.")})
        pushed = clone.push()
        assert pushed.accepted and "not indexed" not in pushed.said, pushed.said
        found = manent("search", str(clone.brain), f"zanzi{turn}", "--json", "--retriever", "bm25")
        assert json.loads(found.stdout)["hits"], found.stderr


ROTTEN = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute(sys.argv[2])
db.commit()
db.close()
"""


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE blob SET facts = substr(facts, 1, 20)",
        "UPDATE blob SET facts = 7",
        "UPDATE note SET path = 5 WHERE path LIKE '%first%'",
        "UPDATE file SET kind = 'nothing'",
        "UPDATE file SET oid = CAST(x'ff41' AS TEXT)",
        "UPDATE finding SET severity = 99",
        "UPDATE stamp SET value = 'many' WHERE key = 'vault:doc'",
        "UPDATE stamp SET value = CAST(x'c328' AS TEXT) WHERE key = 'vault:tree'",
        "DROP TABLE note_key",
    ],
)
def test_rows_that_nobody_writes_are_met_by_readers_too(clone: Clone, sql: str) -> None:
    """Where nothing tells that the file was changed: a disk that forgets a bit says nothing."""
    store = clone.brain / "manent/vault.sqlite"
    subprocess.run([sys.executable, "-c", ROTTEN, str(store), sql], check=True)
    status = store.stat()
    seal = f"{status.st_size} {status.st_mtime_ns}".ljust(64)
    store.with_name("vault.sqlite-seal").write_text(seal)
    listed = manent("list", str(clone.brain), "--json")
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)["notes"]) == 3
    os.utime(store)
    clone.commit({"memory/third.md": note("third", "A word.")})
    assert clone.push().accepted
    found = manent("search", str(clone.brain), "third", "--json", "--retriever", "bm25")
    assert json.loads(found.stdout)["hits"], found.stderr
