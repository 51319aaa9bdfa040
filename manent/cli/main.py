"""Find the command, run it, and turn whatever happens into an exit code.

0 done and clean, 1 findings or refused, 2 wrong use or environment, 3 a bug,
130 interrupted. This is one of the two places where everything is caught.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from manent import __version__
from manent.cli.lazy import Command, LazyGroup
from manent.cli.machine import of_the_machine
from manent.errors import ManentError, StoreRemoved

COMMANDS: dict[str, Command] = {
    "init": Command("manent.cli.init", "init", "Make a folder a vault."),
    "lint": Command("manent.cli.lint", "lint", "Check the notes of a vault, and mend them."),
    "index": Command("manent.cli.index", "index", "Bring the search index up to date."),
    "serve": Command("manent.cli.serve", "serve", "Serve the brain to MCP clients."),
    "search": Command("manent.cli.search", "search", "Find notes by what they say."),
    "read": Command("manent.cli.read", "read", "Print one note."),
    "list": Command("manent.cli.list", "list_notes", "List the notes."),
    "grep": Command("manent.cli.grep", "grep", "Find lines by a regular expression."),
    "neighbors": Command("manent.cli.neighbors", "neighbors", "Print what a note is linked with."),
    "eval": Command("manent.cli.eval", "evaluate", "Judge rankers by a golden set."),
    "spec": Command("manent.cli.spec", "spec", "Print the specification, or a schema."),
    "gate": Command("manent.cli.gate", "gate", "Judge what is about to enter a history."),
    "hooks": Command("manent.cli.hooks", "hooks", "Put the gate's hooks into a repository."),
    "brain": Command("manent.cli.brain", "brain", "Make a brain, and prove its gate."),
    "promote": Command(
        "manent.cli.promote", "promote", "List what waits in quarantine, and let it out."
    ),
    "curate": Command(
        "manent.cli.curate", "curate", "Report copies, contradictions, missing maps."
    ),
    "gaps": Command("manent.cli.gaps", "gaps", "List what was asked in vain, and close it."),
    "doctor-install": Command(
        "manent.cli.doctor_install", "doctor_install", "Print what this installation stands on."
    ),
    "demo": Command("manent.cli.demo", "demo", "Watch the main job happen on the example vault."),
    "memory": Command(
        "manent.cli.memory", "memory", "Audit, compile and recall memory files of agents."
    ),
    "journal": Command(
        "manent.cli.journal", "journal", "Append-only memory that wakes at constant size."
    ),
}


class _Manent(LazyGroup):
    table = COMMANDS


@click.group(cls=_Manent, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("-q", "--quiet", is_flag=True, help="Print results only, no progress or remarks.")
@click.option("-v", "--verbose", is_flag=True, help="Print more, tracebacks included.")
@click.version_option(__version__, prog_name="manent", message="%(prog)s %(version)s")
@click.pass_context
def root(ctx: click.Context, color: str, quiet: bool, verbose: bool) -> None:
    """A git repository that is a memory: notes in, a gate before history, search after.

    Example: manent lint my-vault --strict-content
    """
    if color == "auto":
        ctx.color = False if os.environ.get("NO_COLOR") else None
    else:
        ctx.color = color == "always"
    ctx.obj = {"quiet": quiet, "verbose": verbose}


def run(argv: Sequence[str]) -> int:
    """Run ``manent ARGV`` and return the exit code; never raises, never calls exit."""
    verbose = any(a in ("-v", "--verbose") for a in argv)
    _open_streams()
    _speak_utf8()
    try:
        try:
            return _once(argv)
        except StoreRemoved:
            return _once(argv)  # nothing was printed yet: the store is made anew
    except click.ClickException as wrong:
        return _wrong(argv, wrong)
    except (click.Abort, KeyboardInterrupt):
        return 130
    except SystemExit as stop:
        # Click's answer to a reader that went away is 1, which says "findings" here.
        return _READER_LEFT if stop.code == 1 else int(stop.code or 0)
    except BrokenPipeError:
        return _READER_LEFT
    except ManentError as said:
        _complain(str(said))
        _tell_machine(argv, said.message, said.hint)
        return said.exit_code
    except OSError as fault:
        known = of_the_machine(fault)
        if known is None:
            return _failed(argv, fault, verbose)
        _complain(str(known))
        _tell_machine(argv, known.message, known.hint)
        return known.exit_code
    except Exception as bug:
        return _failed(argv, bug, verbose)
    finally:
        _let_go()


def _open_streams() -> None:
    """Give a process that was started with a closed stream one that takes and forgets."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            # The lowest free number is the closed one: children inherit it too.
            opened = os.open(os.devnull, os.O_WRONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))


def _once(argv: Sequence[str]) -> int:
    code = root.main(args=list(argv), prog_name="manent", standalone_mode=False)
    sys.stdout.flush()  # a full disk is noticed here, not after the last line of Python
    return int(code or 0)


_READER_LEFT = 128 + 13
"""What a shell reports of a program ended by SIGPIPE: ``manent list | head`` is no finding."""


def _speak_utf8() -> None:
    """Print UTF-8 whatever the locale says; what it cannot carry is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream is not sys.__stdin__:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _let_go() -> None:
    """Leave nothing for Python to flush at its end, where a closed pipe would be a complaint."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _wrong(argv: Sequence[str], wrong: click.ClickException) -> int:
    """Say in one line how the command was called wrongly."""
    if isinstance(wrong, click.exceptions.NoArgsIsHelpError):
        wrong.show()
        return 2
    ctx = wrong.ctx if isinstance(wrong, click.UsageError) else None
    command = ctx.command_path if ctx is not None else "manent"
    message, hint = " ".join(wrong.format_message().split()), f"see `{command} --help`"
    _complain(f"{message} ({hint})")
    _tell_machine(argv, message, hint)
    return 2


def _complain(text: str) -> None:
    """Print one line on stderr in which nothing can command a terminal."""
    from manent.finding import inert

    click.echo(f"manent: {inert(text)}", err=True)


def _tell_machine(argv: Sequence[str], message: str, hint: str) -> None:
    """Under --json, print the one document that a program waits for, in failure too."""
    if not _asks_json(argv):
        return
    from manent.finding import json_text

    with contextlib.suppress(OSError):
        click.echo(json_text({"version": 1, "error": {"message": message, "hint": hint}}))
        sys.stdout.flush()


def _asks_json(argv: Sequence[str]) -> bool:
    """Tell whether JSON was asked for, in a line that may be wrong in every other way."""
    options = list(argv[: list(argv).index("--")] if "--" in argv else argv)
    asked = {"--json", "--format=json"} & set(options)
    return bool(asked) or ("--format", "json") in itertools.pairwise(options)


def _failed(argv: Sequence[str], bug: Exception, verbose: bool) -> int:
    code = _report(bug, verbose)
    _tell_machine(argv, f"a bug in manent ({type(bug).__name__})", "stderr names the log")
    return code


def _report(bug: Exception, verbose: bool) -> int:
    import traceback

    trace = traceback.format_exc()
    if verbose:
        click.echo(trace, err=True)
    try:
        folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "manent"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = folder / f"crash-{os.getpid()}.log"
        log.write_text(trace, encoding="utf-8", errors="backslashreplace")
        where = f"the log is {log}"
    except OSError as full:
        where = f"no log could be kept: {full.strerror}; run again with -v"
    click.echo(f"manent: this is a bug in manent ({type(bug).__name__}); {where}", err=True)
    return 3
