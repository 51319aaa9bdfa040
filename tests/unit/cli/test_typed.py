"""Whatever is typed for an option of promote, curate and gaps has a clear answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from asked import ask
from vaults import note, write

REGISTER = "{register}"
LINES: dict[str, list[str]] = {
    "promote": [
        "--note {}", "--author {}", "--note q --audience {}", "--note q --to {}", "--reject {} "
        "--reason x", "--reject q --reason {}", "--all --author {} --yes", "--frontmatter {}",
    ],
    "curate": [
        "--threshold {}", "--duplicates --dense --dense-threshold {}", "--duplicates --dense "
        "--model {}", "--communities --gaps {}", "--write-map {}", "--supersede a {}",
        "--supersede {} a", "--acknowledge a {} --reason x", "--acknowledge a b --reason {}",
        "--rev {}",
    ],
    "gaps": [
        "--gaps {}", "--gaps postgresql://{}", f"--gaps {REGISTER} --show {{}}",
        f"--gaps {REGISTER} --close {{}} --note a", f"--gaps {REGISTER} --close g_1 --note {{}}",
        f"--gaps {REGISTER} --close {{id}} --note {{}}", f"--gaps {REGISTER} --dismiss {{}}",
        f"--gaps {REGISTER} --dismiss {{id}} --reason {{}}", f"--gaps {REGISTER} --reopen {{}}",
        f"--gaps {REGISTER} --backup {{}}", f"--gaps {REGISTER} --gaps-threshold {{}}",
        f"--gaps {REGISTER} --model {{}}", f"--gaps {REGISTER} --close {{id}} --note a "
        "--golden {}", f"--gaps {REGISTER} --close {{id}} --note a --agents {{}}",
    ],
}  # fmt: skip
ODD = {
    "bytes": "\udcff",
    "lone": "\ud800",
    "nul": "a\0b",
    "long": "x" * 300,
    "very long": "y" * 200_000,
    "empty": "",
    "escape": "\x1b[31m\n\t",
    "dashes": "--",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault, a brain of it, and a register with one open gap."""
    root = tmp_path_factory.mktemp("typed")
    vault = root / "vault"
    write(
        vault,
        {
            "a.md": note("a"), "b.md": note("b"),
            "quarantine/tide/q.md": note("q", status="quarantine", author="tide"),
        },
    )  # fmt: skip
    for line in ("init -q", "add -A", "-c user.name=A -c user.email=a@example.org commit -qm x",
                 "clone -q --bare . ../brain.git"):  # fmt: skip
        subprocess.run(["git", *line.split()], cwd=vault, check=True)
    return root


def filled(line: str, value: str, place: Path, gap: str) -> list[str]:
    known = {"{}": value, REGISTER: str(place / "g.sqlite"), "{id}": gap}
    return [known.get(word, word.replace("{}", value)) for word in line.split()]


@pytest.mark.parametrize(
    ("where", "value"),
    [*(("vault", odd) for odd in ODD.values()), ("brain.git", "\udcff")],
    ids=[*ODD, "bytes-brain"],
)  # fmt: skip
@pytest.mark.parametrize("command", LINES)
def test_no_value_is_a_bug(
    place: Path, tmp_path: Path, command: str, value: str, where: str, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    register = place / "g.sqlite"
    if not register.exists():
        ask("search", str(place / "vault"), "qqq", "--gaps", str(register), "--retriever", "bm25")
    (row,) = ask("gaps", "--gaps", str(register), "--json").json["gaps"]
    for line in LINES[command]:
        arguments = filled(line, value, place, row["id"])
        dry = ["--dry-run"] if command != "gaps" and _decides(line) else []
        said = ask(command, str(place / where), *arguments, *dry)
        assert said.code in (0, 1, 2), (line, said.errors)
        if said.code == 2:  # one line, and before it perhaps a remark on the ranker
            assert said.errors.count("\n") == 1 + ("not among the first" in said.errors)
        if row["id"] in arguments:
            ask("gaps", "--gaps", str(register), "--reopen", row["id"])


def _decides(line: str) -> bool:
    return any(
        flag in line for flag in ("--note", "--reject", "--all", "--write", "--sup", "--ack")
    )


@pytest.mark.parametrize("flag", ["--show", "--dismiss", "--reopen", "--close"])
def test_an_id_that_is_no_utf8_is_wrong_use(place: Path, tmp_path: Path, flag: str) -> None:
    register = tmp_path / "g"
    ask("search", str(place / "vault"), "qqq", "--gaps", str(register), "--retriever", "bm25")
    more = ["--note", "a"] if flag == "--close" else []
    done = subprocess.run(
        [sys.executable, "-m", "manent", "gaps", place / "vault", "--gaps", register,
         flag, b"\xff", *more],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1 and "is no UTF-8" in done.stderr


@pytest.mark.parametrize("where", ["vault", "brain.git"])
def test_a_folder_that_is_no_utf8_is_wrong_use(place: Path, where: str) -> None:
    said = ask("promote", str(place / where), "--note", "q", "--to", "\udcff", "--commit")
    assert (said.code, said.out) == (2, b"") and "--to is no UTF-8" in said.errors


@pytest.mark.parametrize(
    "line",
    [
        "promote --commit", "promote --dry-run", "promote --yes", "promote --to memory",
        "promote --audience ops", "promote --note q --yes", "promote --reject q --reason x --yes",
        "promote --reject q --reason x --to memory", "promote --note q --author tide",
        "promote --author tide --commit", "promote --interactive --yes", "promote --reason x",
        "promote --all", "curate --commit", "curate --dry-run --duplicates",
        "curate --communities --threshold 0.5", "curate --supersede a b --threshold 0.5",
        "curate --dense-threshold 0.5", "curate --duplicates --model hash", "curate --reason x",
        "curate --supersede a b --duplicates", "curate --supersede a b --rev HEAD",
        "gaps --all --show g_1", "gaps --agents x", "gaps --show g_1 --reopen g_1",
        "gaps --golden g.json", "gaps --reason x", "gaps --commit", "gaps --dismiss g_1 --dry-run",
        "gaps --dismiss g_1 --note a", "gaps --show g_1 --frontmatter optional",
    ],
)  # fmt: skip
def test_options_without_a_meaning_together_are_wrong_use(
    place: Path, tmp_path: Path, line: str
) -> None:
    command, *rest = line.split()
    more = ["--gaps", str(tmp_path / "g")] if command == "gaps" else []
    said = ask(command, str(place / "vault"), *rest, *more)
    assert said.code == 2, said.errors
    assert said.errors.count("\n") == 1 and "no register" not in said.errors
