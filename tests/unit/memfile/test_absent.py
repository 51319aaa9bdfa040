"""MM006: what a repository does not have, and all that is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from manent.memfile.loaded import survey
from manent.memfile.rules import mm002_tree, mm006_absent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "package.json": '{"scripts": {"build": "tsc", "test:unit": "x"}}',
        "Makefile": "all: build\nbuild:\n\ttrue\n.PHONY: all\n",
        "justfile": "default:\n  true\ncheck arg='':\n  true\n",
        ".gitignore": "local.json\n/reports/\n",
        "src/core/walk.ts": "",
        "scripts/seed.py": "",
        "docs/guide.md": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def _said(root: Path, text: str) -> list[str]:
    (root / "CLAUDE.md").write_text(text + "\n")
    return [flaw.message for flaw in mm006_absent.check(survey(root))]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Rules are in `src/core/rules.ts`.", "src/core/rules.ts"),
        ("See [the map](docs/map.md).", "docs/map.md"),
        ("Read `ARCHITECTURE.md` first.", "ARCHITECTURE.md"),
        ("Run `npm run lint`.", "npm run lint"),
        ("```bash\nmake deploy\n```", "make deploy"),
        ("```sh\njust ship\n```", "just ship"),
        ("```bash\npython scripts/gone.py --all\n```", "scripts/gone.py"),
        ("```console\n$ ./scripts/gone.sh\n```", "scripts/gone.sh"),
        ("Code is in `src/gone/`.", "src/gone/"),
        ("Rules are in `src/b.py`.", "src/b.py"),
        ("Rules are in src/b.py.", "src/b.py"),
        ("The parser (src/core/parse.ts) is small.", "src/core/parse.ts"),
        ("- **Parser**: ./src/core/parse.ts, tested", "src/core/parse.ts"),
    ],
)
def test_what_is_gone_is_named_once(project: Path, text: str, named: str) -> None:
    (message,) = _said(project, f"{text}\n\n{text}")
    assert named in message


@pytest.mark.parametrize(
    "text",
    [
        "`src/core/walk.ts`, `core/walk.ts`, `walk.ts`, `src/core/`, [guide](docs/guide.md#part)",
        "`src/core/walk.ts:12`, [guide](./docs/guide.md?plain=1), [site](https://example.org/a.md)",
        "`src/**/*.ts`, `src/<name>.ts`, `path/to/file.ts`, `src/foo/bar.ts`, `docs/YYYY-MM-DD.md`",
        "`dist/index.js`, `node_modules/x/y.js`, `.env.local`, `a/local.json`, `reports/a.json`",
        "Create `src/core/new-thing.ts` for each, for example `src/core/knots.ts`.",
        "The old `src/core/legacy-walk.ts` was removed.",
        "`npm run build`, `npm run test:unit`, `npm install`, `pnpm dlx x`, `yarn tsc`",
        "```bash\nmake build\nmake all\njust check\ncd other && make deploy\n# make nothing\n```",
        "```bash\npython scripts/seed.py\nbash <your-script>.sh\n```",
        "```python\nrun('scripts/gone.py')\n```",
        "`@scope/pkg.js`, `user/repo`, `a.b.c`, `and/or`, `text/plain`, `std::fs`",
    ],
)
def test_what_is_there_or_is_no_path_is_left_alone(project: Path, text: str) -> None:
    assert _said(project, text) == []


def test_commands_of_runners_that_are_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    text = "`make test`, `npm run lint`, and make sure that it passes. `just x y`."
    assert len(_said(tmp_path, text)) == 3
    (tmp_path / "CMakeLists.txt").write_text("")
    assert len(_said(tmp_path, text)) == 2


MADE = (
    *("make -j4 build", "make -j 4 build", "make -j$(nproc) build", "make -B build", "make -n all"),
    *("make -s build", "make -k build all", "make V=1 build", "make --version", "make -h x"),
    *("make build -j4", "make --jobs=4 -l 2.5 build", "CC=gcc sudo make build", "make -- build"),
    *("make build && make all", "make build 2>&1 | tee x", "make -f other.mk x", "make <target>"),
    *("make build/knot.o", "make docs...", "apt install -y make gcc", "make -C $DIR build"),
    *("bash -c 'make build'", "make DESTDIR=/x all", "time make build; echo made", "make help?"),
    *("yarn tsc", "yarn vitest run", "pnpm add lint", "pnpm exec eslint", "bun test", "npm start"),
    *("pnpm --filter @x/y build", "yarn workspace x lint", "yarn run build", "pnpm -r test:unit"),
)
NOT_MADE = (
    *("make -j4 ship", "make -j 4 ship", "make -j$(nproc) ship", "make -B ship", "make -n ship"),
    *(
        "make V=1 ship",
        "make build ship",
        "make build && make ship",
        "sudo make ship",
        "make ship -s",
    ),
    *("make -C docs html", "bash -c 'make ship'", "X=1 make ship", "make --jobs=4 ship"),
    *("yarn lint", "pnpm lint:fix", "pnpm --filter @x/y lint", "pnpm -r run lint", "npm test"),
    *("npm --prefix x run lint", "npm run -s lint", "yarn test:e2e", "bun run lint"),
    *("./gradlew test", "./mvnw -q verify", "./scripts/ship --now", "FOO=1 ./gradlew test"),
)


@pytest.mark.parametrize("command", MADE)
def test_a_command_that_runs_what_is_there_is_left_alone(project: Path, command: str) -> None:
    for text in (f"`{command}`", f"```bash\n{command}\n```", f"```\n$ {command}\n```"):
        assert _said(project, text) == []


@pytest.mark.parametrize("command", NOT_MADE)
def test_a_command_that_runs_what_is_not_there_is_named(project: Path, command: str) -> None:
    for text in (f"Run `{command}`.", f"```bash\n{command}\n```", f"```\n{command}\n```"):
        assert len(_said(project, text)) == 1, text


def test_a_fence_without_a_language_holds_commands_only_where_all_of_it_does(project: Path) -> None:
    ship = "npm run ship"
    assert _said(project, f"```\n# first\n{ship}\n\ngit push\n```")
    assert _said(project, f"```\n$ {ship}\nmade\n```")
    for text in (f"{ship}\nis what we say", f"The script\n{ship}", f"$ git push\n{ship} is out"):
        assert _said(project, f"```\n{text}\n```") == []
    assert _said(project, f"```text\n{ship}\n```") == []


def test_a_picture_that_is_gone_is_named(project: Path) -> None:
    assert "docs/map.png" in _said(project, "![the map](docs/map.png)")[0]
    assert _said(project, "`docs/map.png` and ![x](https://example.org/map.png)") == []


def test_nothing_is_said_where_there_is_no_repository(tmp_path: Path) -> None:
    assert _said(tmp_path, "See `src/core/rules.ts` and run `make deploy`.") == []


def test_paths_of_a_nested_file_are_its_own(project: Path) -> None:
    (project / "src" / "AGENTS.md").write_text("See `core/walk.ts` and `../docs/guide.md`.\n")
    assert _said(project, "x") == []


@pytest.mark.parametrize(
    "text",
    [
        "Paths: a/b.py or foo/bar.py. See https://example.org/src/gone.ts and github.com/x/y.ts.",
        "Copy ~/src/gone.ts, /src/gone.ts, $HOME/src/gone.ts, @src/gone.ts and src/*/gone.ts.",
        "Either src/core/walk.ts, core/walk.ts or scripts/seed.py; never and/or, either/or.",
        "[src/gone.ts](https://example.org/a) and <https://example.org/src/gone.ts>",
        "配置文件是/home/cdd/config.json",
        "Create src/core/new_rules.ts for each.",
    ],
)
def test_bare_paths_that_are_none_of_the_repository(project: Path, text: str) -> None:
    assert _said(project, text) == []


TREE = """\
```
app/
├── core/
│   ├── walk.ts
│   └── {0}
├── {1}
├── {2}
└── README.md
```
"""


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    for name in ("core/walk.ts", "core/run.ts", "seed.py", "main.py", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def _rules(root: Path, text: str) -> list[tuple[str, str, int]]:
    (root / "CLAUDE.md").write_text(text)
    rules = (mm002_tree, mm006_absent)
    return [(f.rule, f.severity.label, f.line) for r in rules for f in r.check(survey(root))]


def test_a_tree_is_compared_with_the_files(
    grown: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert _rules(grown, TREE.format("run.ts", "seed.py", "main.py")) == [("MM002", "med", 1)]
    gone = _rules(grown, TREE.format("gone.ts", "seed.py", "main.py"))
    assert gone == [("MM002", "med", 1), ("MM006", "med", 5)]
    other = tmp_path_factory.mktemp("other")
    (other / "package.json").write_text("{}")
    assert _rules(other, TREE.format("run.ts", "seed.py", "main.py")) == [("MM006", "low", 1)]
    (other / "package.json").unlink()
    assert _rules(other, TREE.format("run.ts", "seed.py", "main.py")) == []


def test_a_list_is_compared_with_the_files(grown: Path) -> None:
    names = ("core/walk.ts", "core/run.ts", "seed.py", "main.py", "README.md", "core/gone.ts")
    listed = "".join(f"- `{name}`\n" for name in names)
    assert ("MM002", "med", 1) in _rules(grown, listed)
    elsewhere = TREE.replace("app/", "/opt/app/").format("run.ts", "seed.py", "main.py")
    assert _rules(grown, elsewhere) == []
    named = "For example, a service may look so:\n\n" + TREE.format("x1.ts", "y1.py", "z1.py")
    assert _rules(grown, named.replace("walk.ts", "w1.ts").replace("core", "k1")) == []
