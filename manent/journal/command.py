"""`manent journal`: the edge of this room, which starts before the command framework.

Here, and only here in the journal, stand the environment, the clock, the
working directory and the streams; whatever is below takes them as arguments.
Importing this module loads nothing but `os`, `fcntl` and its own neighbours:
`note`, `wake` and `zoom` have 80 ms with the interpreter's start, at any size.
"""

from __future__ import annotations

import os
import sys
import time

from manent.errors import EnvironmentFault, ManentError, UsageError
from manent.journal.call import Call, Output
from manent.journal.verbs import VERBS
from manent.record import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import BinaryIO, TextIO

FOLDER = "journal"

_MARKS = ("MEMORY.md", ".manentignore")

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


_MEANINGS = {
    "--json": "print JSON",
    "--commit": "make it a git commit of its own (git config manent.journalCommit true: always)",
    "--batch": "one memory a line from standard input, all in one write and one commit",
    "--install": "install the driver in git config and .gitattributes of this repository",
    "--settle": "cut TREE back to what the last merge kept, and stage it; --commit: into the merge",
}


def run(
    argv: Sequence[str],
    environ: Mapping[str, str] | None = None,
    stdin: BinaryIO | None = None,
    stdout: BinaryIO | None = None,
    stderr: BinaryIO | None = None,
    today: str | None = None,
    program: str | None = None,
) -> int:
    """Run ``manent journal ARGV`` and return its exit code.

    What is not given is the process's own. today: ``YYYY-MM-DD``. program: how
    printed commands call manent, quoted for the shell. Only a bug raises.
    """
    errors = stderr or _binary(sys.stderr)
    output = Output(stdout or _binary(sys.stdout))
    call = Call(os.environ if environ is None else environ, stdin or _binary(sys.stdin), output)
    call.today = today or time.strftime("%Y-%m-%d")
    try:
        call.program, call.driver = program or _program(call.environ), _driver()
        code = _dispatch(call, list(argv))
        output.flush()
        _remark(call, errors)
        return code
    except KeyboardInterrupt:
        return 130
    except ManentError as said:
        return _complain(call, errors, said.message, said.exit_code, said.hint)
    except BrokenPipeError:
        # The reader went away (`| head`): what it has read is all it wanted.
        _abandon(stdout)
        return 1
    except OSError as failed:
        if not failed.filename:
            _abandon(stdout)
        return _complain(call, errors, _plain(failed), 2)


def _remark(call: Call, errors: BinaryIO) -> None:
    for said in call.remarks:
        errors.write(one_line(f"manent: {said}").encode("utf-8", "surrogateescape") + b"\n")
        errors.flush()


def _binary(stream: TextIO | None) -> BinaryIO:
    """Return the bytes beneath a standard stream, which may be closed."""
    return stream.buffer if stream is not None else open(os.devnull, "r+b", buffering=0)


def _abandon(stdout: BinaryIO | None) -> None:
    """Let what could not be written go, or the interpreter tries again at its end."""
    if stdout is None and sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _plain(failed: OSError) -> str:
    where = f"{os.fsdecode(failed.filename)}: " if failed.filename else "cannot write the answer: "
    return f"{where}{failed.strerror or failed}"


def _complain(call: Call, errors: BinaryIO, message: str, code: int, hint: str = "") -> int:
    """Say what went wrong, in one line, and what was saved all the same."""
    if call.saved and call.saved not in message:
        message = f"{call.saved}; then: {message}"
    try:
        if call.json:
            call.say_json({"error": {"message": message, "hint": hint}})
        call.output.flush()
    except OSError:
        pass  # The complaint below is what matters now.
    line = one_line(f"manent: {message} ({hint})" if hint else f"manent: {message}")
    errors.write(line.encode("utf-8", "surrogateescape") + b"\n")
    errors.flush()
    return code


def _dispatch(call: Call, argv: list[str]) -> int:
    name, args, options = _sorted(argv)
    call.verb = "sleep" if name == "nap" else name
    call.named = "--dir" in options
    # Whatever is wrong with the rest of the line, a program waits for its document.
    call.flags = set(options)
    call.directory, call.cwd = _located(call.environ, options.pop("--dir", None))
    call.quoted = quoted(call.directory)
    call.command = f"{call.program} journal --dir {call.quoted}"
    if "--help" in options or call.verb in ("", "help"):
        call.say(_help(call))
        return 0 if "--help" in options or call.verb else 2
    verb = VERBS.get(call.verb)
    if verb is None:
        raise UsageError(f"no command {name!r}. Run: {call.program} journal --help")
    call.usage = verb.usage
    unknown = sorted(set(options) - verb.options)
    if unknown:
        raise call.wrong(
            f"{call.verb} has no option {unknown[0]}; text that begins with -- "
            "goes after a lone --",
        )
    call.args = args
    if len(args) > verb.most:
        raise call.wrong(f"{len(args)} arguments where {verb.most} can be; a line goes in quotes")
    return verb.run(call)


def _sorted(argv: list[str]) -> tuple[str, list[str], dict[str, str]]:
    """Sort the words of a command line into the command, its arguments, its options."""
    words: list[str] = []
    options: dict[str, str] = {}
    left = iter(argv)
    for word in left:
        if word == "--":
            words += left
        elif word in ("-h", "--help"):
            options["--help"] = ""
        elif word == "--dir":
            options["--dir"] = next(left, "")
        elif word.startswith("--dir="):
            options["--dir"] = word.partition("=")[2]
        elif word.startswith("--") and not any(c.isspace() for c in word):
            options[word] = ""
        else:
            words.append(word)
    return (words[0] if words else ""), words[1:], options


def _located(environ: Mapping[str, str], named: str | None) -> tuple[str, str]:
    """Return the journal's folder, absolute, and the working directory."""
    try:
        cwd = os.getcwd()
    except FileNotFoundError:
        raise EnvironmentFault("the working directory is gone; change into another") from None
    if named == "":
        raise UsageError("--dir takes a folder")
    given = named or environ.get("MEMORY_DIR")
    if not given:
        return os.path.join(_vault(cwd), FOLDER), cwd
    home = environ.get("HOME", "")
    if home and (given == "~" or given.startswith("~/")):
        given = home + given[1:]
    return os.path.normpath(os.path.join(cwd, given)), cwd


def _vault(cwd: str) -> str:
    """Return the vault around ``cwd``: of its parents the nearest that is one, or itself.

    A vault has MEMORY.md or .manentignore, or is the top of a repository; it may
    stand within a repository, whose top ends the search. There a journal that
    exists already goes before a nearer vault without one: whoever changes into
    a folder of it must not become somebody else.
    """
    found = []
    at = cwd
    while True:
        top = os.path.lexists(os.path.join(at, ".git"))
        if top or any(os.path.lexists(os.path.join(at, name)) for name in _MARKS):
            found.append(at)
        above = os.path.dirname(at)
        if top or above == at:
            break
        at = above
    held = (one for one in found if os.path.lexists(os.path.join(one, FOLDER, "LOG.txt")))
    nearest = found[0] if found else cwd
    return next(held, nearest) if top else nearest


def _program(environ: Mapping[str, str]) -> str:
    """Return how a shell here calls manent: every command printed must run as printed."""
    called = sys.argv[0]
    if os.path.basename(called) != "manent":
        return f"{quoted(sys.executable)} -m manent"
    here = os.path.realpath(called)
    for folder in environ.get("PATH", "").split(os.pathsep):
        candidate = os.path.join(folder, "manent")
        if os.access(candidate, os.X_OK):
            return (
                "manent" if os.path.realpath(candidate) == here else quoted(os.path.abspath(called))
            )
    return quoted(os.path.abspath(called))


def _driver() -> str:
    """Return how git calls manent: not by PATH, and not from the folder git stands in."""
    if os.path.basename(sys.argv[0]) == "manent":
        return quoted(os.path.abspath(sys.argv[0]))
    return f"{quoted(sys.executable)} -P -m manent"


def quoted(word: str) -> str:
    """Return ``word`` quoted for a POSIX shell."""
    if word and all(character in _SAFE for character in word):
        return word
    if one_line(word) != word:
        # A line break or a control character is printed nowhere: by its number it is.
        raw = (chr(b) if chr(b) in _SAFE - {"%"} else f"\\{b:03o}" for b in os.fsencode(word))
        return f"\"$(printf '{''.join(raw)}')\""
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _help(call: Call) -> str:
    verb = VERBS.get(call.verb)
    common = (
        "  --dir DIR   the journal's folder (else $MEMORY_DIR, else journal/ in the vault here)"
    )
    if verb is None:
        lines = [f"  {name:<8} {one.summary}" for name, one in VERBS.items()]
        return "\n".join(
            [
                f"Usage: {call.program} journal [--dir DIR] COMMAND ...\n",
                "What an agent lives through, one line at a time, never edited; read back at wake",
                "in a document of constant size.\n",
                *lines,
                f"\nOptions:\n{common}\n  -h, --help  this page, or that of one command\n",
                f'Example: {call.program} journal note "chose tea over coffee"',
            ]
        )
    name = call.verb
    options = [f"  {option:<11} {_MEANINGS[option]}" for option in sorted(verb.options)]
    return "\n".join(
        [
            f"Usage: {call.program} journal {name} {verb.usage}".rstrip() + "\n",
            verb.summary[:1].upper() + verb.summary[1:] + ".\n",
            "Options:",
            *options,
            common,
            f"\nExample: {call.program} journal {verb.example}",
        ]
    )
