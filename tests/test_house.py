"""The layers of the house, read off the imports: a room imports from smaller layers only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "manent"

LAYERS: dict[str, int] = {
    "errors": 0,
    "values": 0,
    "data": 0,
    "late": 0,
    "collector": 0,
    "orphans": 0,
    "wal": 0,
    "finding": 1,
    "pattern": 1,
    "tokens": 1,
    "tree": 1,
    "note": 2,
    "links": 3,
    "change": 2,
    "scan": 2,
    "record": 2,
    "sizes": 3,
    "schema": 3,
    "facts": 4,
    "golden": 4,
    "repo": 3,
    "vault": 5,
    "graph": 6,
    "access": 6,
    "lint": 7,
    "search": 7,
    "gate": 8,
    "scaffold": 8,
    "curate": 8,
    "journal": 8,
    "evaluate": 8,
    "memfile": 8,
    "promote": 8,
    "gaps": 8,
    "server": 9,
    "cli": 10,
}
"""Room to layer. ``manent`` itself (the version) may be imported from anywhere."""

EDGE = {"cli", "server"}
"""Rooms that may read the environment, the clock and the current folder, and print."""


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (dotted name, line) of everything a module imports, lazily or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield node.module, node.lineno
            if node.module == "manent":
                yield from ((f"manent.{alias.name}", node.lineno) for alias in node.names)


def test_every_room_stands_in_the_table() -> None:
    rooms = {room_of(p) for p in modules()} - {"__init__", "__main__"}
    assert rooms == set(LAYERS)


def test_imports_go_down() -> None:
    faults = []
    for path in modules():
        room = room_of(path)
        if room in ("__init__", "__main__"):
            continue
        for name, line in imported(path):
            parts = name.split(".")
            if parts[0] != "manent" or len(parts) < 2 or parts[1] not in LAYERS:
                continue
            if parts[1] != room and LAYERS[parts[1]] >= LAYERS[room]:
                faults.append(f"{path.relative_to(ROOT)}:{line}: {room} imports {name}")
    assert not faults, "\n".join(faults)


def test_no_import_cycles_between_modules() -> None:
    graph: dict[str, set[str]] = {}
    names = {_dotted(p) for p in modules()}
    for path in modules():
        found = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {name if name in names else node.module for name in whole}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        graph[_dotted(path)] = (found & names) - {_dotted(path)}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for other in graph[name]:
                visit(other, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def _dotted(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_only_repo_imports_pygit2() -> None:
    users = {room_of(p) for p in modules() for name, _ in imported(p) if name.startswith("pygit2")}
    assert users <= {"repo"}


def test_only_the_gate_lands() -> None:
    callers = {
        room_of(path)
        for path in modules()
        for name, _ in imported(path)
        if name.startswith(("manent.repo.landing", "manent.repo.committing"))
    }
    assert callers <= {"gate", "repo"}


_OF_TOOLS = ("answer", "draft", "tool", "tools", "writing")
"""Modules of the server that a tool may know."""


def test_tools_reach_notes_through_their_view_alone() -> None:
    """No tool of the server knows a vault, a tree, an index or a repository."""
    faults = []
    for path in (PACKAGE / "server" / "tools").glob("*.py"):
        for name, line in imported(path):
            parts = name.split(".")
            below = parts[1:2] in (["tree"], ["repo"], ["facts"], ["search"], ["gate"], ["gaps"])
            vault = parts[1:2] == ["vault"] and parts[2:3] not in (["record"], ["ignore"])
            server = parts[1:2] == ["server"] and len(parts) > 2 and parts[2] not in _OF_TOOLS
            if parts[0] == "manent" and (below or vault or server):
                faults.append(f"{path.name}:{line}: imports {name}")
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        for name, _ in imported(path)
        if name.startswith("manent.server.tools") and path.parent.name != "tools"
    }
    assert not faults, "\n".join(faults)
    assert users == {"server/dispatch.py"}


def test_below_the_edge_nothing_reads_the_world() -> None:
    faults = []
    for path in modules():
        if room_of(path) in EDGE | {"__main__"} or path == PACKAGE / "journal" / "command.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in _WORLD:
                faults.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "input"):
                faults.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node.func)}")
    assert not faults, "\n".join(faults)


_WORLD = {
    "os.environ",
    "os.getenv",
    "os.getcwd",
    "Path.cwd",
    "Path.home",
    "time.time",
    "time.time_ns",
    "datetime.now",
    "datetime.datetime.now",
    "datetime.date.today",
    "date.today",
    "sys.stdout",
    "sys.stderr",
    "sys.stdin",
    "sys.argv",
}


def test_the_command_table_loads_click_and_nothing_heavier() -> None:
    code = (
        "import sys, manent.cli.main;"
        "heavy = {'pygit2', 'numpy', 'yaml', 're2', 'rich', 'jsonschema', 'pyromark', 'sqlite3'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_no_room_is_called_a_heap() -> None:
    heaps = {"utils", "helpers", "manager", "base", "misc", "common"}
    assert not [p for p in modules() if p.stem in heaps]
