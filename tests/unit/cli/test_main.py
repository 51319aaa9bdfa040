"""Exit codes, streams and errors: the contract every command keeps."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import click
import pytest
from asked import Said, ask, inside

from manent import __version__
from manent.cli import main
from manent.cli.main import COMMANDS, root


def manent(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "manent", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def one_line(said: Said) -> str:
    """Return what was said on stderr: one line, and nothing on stdout."""
    assert said.out == b""
    assert re.fullmatch(r"manent: [^\n]+\n", said.errors), said.errors
    return said.errors


def commands(group: click.Command, name: str = "") -> list[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        return [(name.strip(), group)]
    ctx = click.Context(group)
    found: list[tuple[str, click.Command]] = [(name.strip(), group)] if name else []
    for inner in group.list_commands(ctx):
        command = group.get_command(ctx, inner)
        assert command is not None
        found += commands(command, f"{name} {inner}")
    return found


ALL = [(name, command) for name, command in commands(root) if name != "journal"]


@pytest.mark.parametrize("name", [name for name, _ in ALL])
def test_every_command_has_a_help_with_an_example(name: str) -> None:
    said = ask(*name.split(), "--help")
    assert (said.code, said.errors) == (0, "")
    assert said.text.startswith(f"Usage: manent {name}")
    examples = " ".join(said.text.partition("Example: ")[2].split())
    assert f"manent {name.split()[0]}" in examples


def test_the_help_lists_every_command_and_imports_none() -> None:
    said = ask("--help")
    assert said.code == 0
    for name, command in COMMANDS.items():
        assert name in said.text and command.summary[:20] in said.text


def test_the_version_is_said() -> None:

    assert ask("--version").text == f"manent {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["lint", "--nonsense"],
        ["lint", "a", "b"],
        ["lint", "--format", "xml"],
        ["lint", "--only", "no-such-rule", "."],
        ["lint", "--diff", "."],
        ["lint", "nowhere"],
        ["lint", "--explain", "no-such-rule"],
        ["search"],
        ["search", ".", "x", "-k", "0"],
        ["search", ".", "x", "--as", "tide"],
        ["search", ".", "x", "--as", "tide", "--agents", "nowhere.json"],
        ["list", "--rev", "HEAD", "."],
        ["grep", ".", "("],
        ["index", "--status", "--rebuild", "."],
        ["neighbors", ".", "x", "--depth", "4"],
        ["read"],
        ["read", "."],
        ["list", "a\x1b[31mb\nc"],
        ["search", "n" * 5000, "query"],
        ["--color", "pink", "list"],
    ],
)
def test_wrong_use_is_two_and_one_line(vault: Path, arguments: list[str]) -> None:
    with inside(vault):
        said = ask(*arguments)
    assert said.code == 2
    assert "\x1b" not in one_line(said)


def test_no_command_at_all_is_the_help() -> None:
    said = ask()
    assert said.code == 2 and "Usage: manent" in said.errors + said.text


def test_what_is_not_found_is_one_and_one_line(vault: Path) -> None:
    for arguments in (["read", str(vault), "nowhere"], ["neighbors", str(vault), "nowhere"]):
        said = ask(*arguments)
        assert said.code == 1 and "no note nowhere" in one_line(said)


def test_a_name_too_long_for_a_path_is_only_not_found(vault: Path) -> None:
    with inside(vault):
        for command in ("read", "neighbors", "search", "grep"):
            assert ask(command, "n" * 5000).code == 1


def test_no_message_commands_a_terminal(vault: Path) -> None:
    said = ask("read", str(vault), "x\x1b[31m\ny")
    assert said.code == 1 and "\\x1b[31m\\x0ay" in one_line(said)


def test_a_bug_is_three_and_keeps_a_log(
    vault: Path, clean_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMMANDS, "list", main.Command("no_such_module", "x", "broken"))
    said = ask("list", str(vault))
    assert said.code == 3
    log = re.search(r"the log is (\S+)", one_line(said))
    assert log is not None and "no_such_module" in Path(log[1]).read_text()
    loud = ask("-v", "list", str(vault))
    assert loud.code == 3 and "Traceback" in loud.errors


def test_an_interrupt_is_130(vault: Path) -> None:
    os.mkfifo(vault / "agents")  # whoever opens it waits
    command = [sys.executable, "-m", "manent", "list", ".", "--as", "x", "--agents", "agents"]
    # What a shell starts in the background is born deaf to it, and so are its children.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, cwd=vault, stderr=subprocess.PIPE, preexec_fn=heard) as process:
        # Opening the other end waits until the command has opened its own.
        with open(vault / "agents", "wb"):
            process.send_signal(signal.SIGINT)
            # A signal just before the command reads is seen once there is no more to read.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
        assert process.wait(30) == 130
        assert process.stderr is not None and b"Traceback" not in process.stderr.read()


def test_a_reader_that_goes_away_is_no_complaint(vault: Path) -> None:
    for n in range(400):  # more than a pipe holds
        (vault / f"n{n}.md").write_text(f"---\ndescription: {'x' * 290}\n---\n")
    script = f"{sys.executable} -m manent list . | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], cwd=vault, capture_output=True, check=False)
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b"" and done.returncode in (0, 128 + signal.SIGPIPE)


def test_a_full_disk_is_the_environments_fault(vault: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "manent", "list", str(vault), "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"manent: cannot write: No space left on device\n"


def test_a_current_folder_that_is_gone(vault: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"rmdir {gone}; exec {sys.executable} -P -m manent list"
    done = subprocess.run(["bash", "-c", script], cwd=gone, capture_output=True, check=False)
    assert done.returncode == 2 and b"the current folder is gone" in done.stderr
    done = subprocess.run(
        ["bash", "-c", f"rmdir {gone}; exec {sys.executable} -P -m manent list {vault}"],
        cwd=_made(gone),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0 and b"memory/ferry.md" in done.stdout


@pytest.mark.parametrize(
    "line", ["init .", "init x", "brain create b.git", "doctor-install", "memory doctor", "index"]
)
def test_no_command_takes_a_folder_that_is_gone_for_a_bug(tmp_path: Path, line: str) -> None:
    gone = _made(tmp_path / "gone")
    script = f"rmdir {gone}; exec {sys.executable} -P -m manent {line} --json"
    script = script if line in ("index", "init .") else script.removesuffix(" --json")
    done = subprocess.run(["bash", "-c", script], cwd=gone, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr == b"manent: the current folder is gone (change to another one)\n"
    assert not done.stdout or json.loads(done.stdout)["error"]["message"]


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1", "nonsense"])
@pytest.mark.parametrize("utf8", ["0", "1"])
def test_utf8_whatever_the_locale(vault: Path, locale: str, utf8: str) -> None:
    (vault / "città.md").write_text("---\ndescription: 東京 è qui\n---\n", "utf-8")
    (vault / os.fsdecode(b"caf\xe9.md")).write_text("x")
    environment = {
        "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "LC_ALL": locale,
        "PYTHONUTF8": utf8, "PYTHONCOERCECLOCALE": "0",
    }  # fmt: skip
    for options in ([], ["--json"]):
        done = manent("list", str(vault), *options, env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        assert "città.md" in done.stdout.decode() and "東京 è qui" in done.stdout.decode()


def test_colour_only_where_it_is_wanted(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert b"\x1b[" not in ask("list", str(vault)).out
    assert b"\x1b[" in ask("--color", "always", "list", str(vault)).out
    assert b"\x1b[" not in ask("--color", "never", "list", str(vault)).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert b"\x1b[" in ask("--color", "always", "list", str(vault)).out
    with _terminal() as (read, write):
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | variables
            subprocess.run(
                [sys.executable, "-m", "manent", "list", str(vault)],
                stdout=write,
                env=environment,
                check=True,
            )
            assert (b"\x1b[" in os.read(read, 65536)) == coloured


@contextlib.contextmanager
def _terminal():  # type: ignore[no-untyped-def]
    import pty

    read, write = pty.openpty()
    try:
        yield read, write
    finally:
        os.close(read)
        os.close(write)


def _has(command: click.Command, option: str) -> bool:
    return any(option in parameter.opts for parameter in command.params)


@pytest.mark.parametrize("name", [name for name, command in ALL if _has(command, "--json")])
def test_wrong_options_under_json_are_one_document_too(name: str) -> None:
    said = ask(*name.split(), "--json", "--no-such-option")
    assert said.code == 2 and said.err.count(b"\n") == 1
    assert said.out.count(b"\n") == 1
    assert said.json["version"] == 1 and "--no-such-option" in said.json["error"]["message"]
    assert "--help" in said.json["error"]["hint"]


_TYPED = [
    (name, max(parameter.opts, key=len), parameter.nargs)
    for name, command in ALL
    for parameter in command.params
    if isinstance(parameter, click.Option) and not parameter.is_flag
]


@pytest.mark.parametrize(("name", "option", "count"), _TYPED)
@pytest.mark.parametrize("blank", ["", " , "])
def test_an_option_that_says_nothing_is_wrong_use(
    vault: Path, name: str, option: str, count: int, blank: str
) -> None:
    with inside(vault):
        before = sorted(vault.rglob("*"))
        said = ask(*name.split(), option, *[blank] * count)
        assert said.code == 2, (name, option)
        one_line(said)
        assert sorted(vault.rglob("*")) == before


@pytest.mark.parametrize("name", [name for name, command in ALL])
def test_an_empty_path_is_not_the_current_folder(vault: Path, name: str) -> None:
    command = dict(ALL)[name]
    places = [p for p in command.params if isinstance(p, click.Argument)]
    if places and (places[0].name == "vault" or isinstance(places[0].type, click.Path)):
        with inside(vault):
            assert ask(*name.split(), "").code == 2


@pytest.mark.parametrize("argv", [["lint", "."], ["journal", "wake"], ["memory", "hook"]])
def test_an_interrupt_while_modules_load_ends_without_a_traceback(argv: list[str]) -> None:
    code = (
        "import sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.startswith(('manent.cli', 'manent.journal')):\n"
        "            raise KeyboardInterrupt\n"
        "import manent.__main__ as entry\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        f"sys.argv = ['manent', *{argv!r}]\n"
        "sys.exit(entry.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_the_version_is_said_before_any_framework() -> None:
    code = (
        "import sys\n"
        "import manent.__main__ as entry\n"
        "sys.argv = ['manent', '--version']\n"
        "code = entry.main()\n"
        "print(code, 'click' in sys.modules, 'manent.cli.main' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"manent {__version__}", "0 False False"]
