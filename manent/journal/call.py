"""One call of a journal command: its arguments, its world, and what it prints."""

from __future__ import annotations

from manent.errors import EnvironmentFault, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import BinaryIO

    from manent.journal.store import Store


_ON_WHOLE = frozenset(("import", "note", "sleep", "wake", "zoom"))
"""Commands that need every memory TREE summarises; the others help to mend what is lost."""

_WRITING = frozenset(("forget", "import", "note", "sleep"))


class Verb:
    """One command: how it is called, what it does, and the options it takes."""

    __slots__ = ("_function", "example", "most", "options", "summary", "usage")

    def __init__(
        self,
        function: str,
        usage: str,
        summary: str,
        example: str,
        options: str = "",
        most: int = 0,
    ) -> None:
        self._function = function
        self.usage, self.summary, self.example = usage, summary, example
        self.options = frozenset(options.split())
        self.most = most

    def run(self, call: Call) -> int:
        """Run the command and return its exit code."""
        from importlib import import_module

        module, _, name = self._function.partition(".")
        function: Callable[[Call], int] = getattr(import_module(f"manent.journal.{module}"), name)
        return function(call)


class Call:
    """One call of one command, with all it may know of the world around it."""

    __slots__ = (
        "args",
        "command",
        "cwd",
        "directory",
        "driver",
        "environ",
        "flags",
        "named",
        "output",
        "program",
        "quoted",
        "remarks",
        "saved",
        "stdin",
        "today",
        "usage",
        "verb",
    )

    def __init__(self, environ: Mapping[str, str], stdin: BinaryIO, output: Output) -> None:
        self.environ, self.stdin, self.output = environ, stdin, output
        self.args: list[str] = []
        self.flags: set[str] = set()
        self.named = False
        self.saved = ""
        """What is in the journal by now; whatever goes wrong after that must say so."""
        self.remarks: list[str] = []
        """Lines for the standard error that change no answer."""
        self.verb, self.usage, self.directory, self.program = "", "", "", "manent"
        self.command, self.driver, self.cwd, self.today = "", "", "", ""
        self.quoted = ""
        """The folder, as a printed command names it."""

    def only(self, what: str) -> str:
        """Return the one argument. Raises UsageError, which says what it takes."""
        if len(self.args) != 1:
            raise self.wrong(f"it takes {what}")
        return self.args[0]

    def wrong(self, why: str) -> UsageError:
        """Return the error for a call that cannot be understood: why, and the usage."""
        return UsageError(f"{why}. Usage: {self.command} {self.verb} {self.usage}".rstrip())

    @property
    def json(self) -> bool:
        """Whether one JSON document is asked for instead of text."""
        return "--json" in self.flags

    def say(self, text: str) -> None:
        """Print one or more lines on standard output."""
        self.output.say(text)

    def say_json(self, document: dict[str, object]) -> None:
        """Print one JSON document, on one line."""
        import json

        self.say(json.dumps({"version": 1, **document}, ensure_ascii=False))

    def store(self) -> Store:
        """Open the journal, and finish what a merge left to do on it."""
        from manent.journal import staged
        from manent.journal.store import Store

        self.refuse_gone()
        store = Store(self.directory, self.command, self.environ)
        store.recover()
        self.remarks += [
            f"{name} beside {self.directory}/LOG.txt is none that an import here has left; it was "
            f"not used. Run: rm {self.quoted}/{name}"
            for name in staged.strays(self.directory)
        ]
        if self.verb in _ON_WHOLE:
            store.refuse_lost()
        if self.verb in _WRITING and (self.verb != "sleep" or self.args):
            self._refuse_while_waiting()
        if self._merged():
            from manent.journal.merge import settle_marked

            self._committed_cut(settle_marked(store))
        return store

    def _committed_cut(self, cut: list[str]) -> None:
        if not cut:
            return
        from manent.journal.merge import amended

        try:
            if not amended(self.directory, cut, self.environ):
                self.committed(cut, "cut back what a merge has moved")
        except EnvironmentFault:
            # No reason to lose a note: what cannot be committed now, its own commit tells.
            self.saved = ""

    def refuse_gone(self) -> None:
        """Raise EnvironmentFault where the log is gone and git still has it."""
        from os.path import isdir, join, lexists

        if lexists(join(self.directory, "LOG.txt")) or not isdir(self.directory):
            return
        from manent.journal import gitside

        try:
            there = gitside.tracks(self.directory, "LOG.txt", self.environ)
        except EnvironmentFault:
            return
        if there:
            raise EnvironmentFault(
                f"{self.directory} has lost its LOG.txt, and git still has it. "
                f"Run: git -C {self.quoted} checkout HEAD -- LOG.txt"
            )

    def _refuse_while_waiting(self) -> None:
        """Raise EnvironmentFault while git is in the middle of something that holds the log.

        What is written now goes with it when it is given up, and makes a merge
        that no brain accepts when it is finished.
        """
        from manent.journal import gitside, gitstate

        found = gitside.git_dir(self.directory)
        state = gitstate.under_way(found) if found else None
        if state and gitside.tracks(self.directory, "LOG.txt", self.environ):
            what, finish, give_up = state
            raise EnvironmentFault(
                f"{what} waits in the repository of this journal, and what is written now would "
                f"be lost with it; nothing was saved. Finish it (`{finish}`) or give it up "
                f"(`{give_up}`), then say it again"
            )
        if gitside.unmerged(self.directory, self.environ):
            raise EnvironmentFault(
                "a stash or a checkout that git has stopped waits in the repository of this "
                "journal, and what is written now would be lost on the way back; nothing was "
                f"saved. {gitstate.WAY_BACK}, then say it again"
            )

    def _merged(self) -> bool:
        from manent.journal.gitside import marked

        return marked(self.directory) is not None

    @property
    def commits(self) -> bool:
        """Whether what is changed is to be committed: by option, or by git config."""
        if "--commit" in self.flags:
            return True
        from manent.journal.gitside import commits_wanted

        return commits_wanted(self.directory, self.environ)

    def committed(
        self, names: Iterable[str], message: str, told: Callable[[], str] | None = None
    ) -> None:
        """Commit these files where commits are asked for. The caller holds the lock.

        names: relative to the journal. told: returns what the message says below
        its subject. Raises EnvironmentFault that says what was saved all the same.
        """
        self.saved = f"{message}: saved in the journal"
        failed = self._commit(list(names), f"journal: {message}", told)
        if failed:
            raise EnvironmentFault(f"{self.saved}, but not committed: {failed}")

    def _commit(self, names: list[str], message: str, told: Callable[[], str] | None) -> str | None:
        """Return why a commit that was asked for could not be made, or None."""
        try:
            if not self.commits:
                return None
            from manent.journal.gitside import commit

            # A summary in a commit without its memories is one that no brain accepts.
            if "LOG.txt" not in names:
                names.append("LOG.txt")
            message += f"\n\n{told()}" if told else ""
            return commit(self.directory, names, message, self.environ)
        except EnvironmentFault as broken:
            return broken.message
        except OSError as failed:
            return failed.strerror or str(failed)


class Output:
    """Standard output: UTF-8 whatever the locale says, written at once at the end."""

    __slots__ = ("_held", "_size", "_stream")

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held: list[bytes] = []
        self._size = 0

    def say(self, text: str) -> None:
        """Hold a line until there is a run of them."""
        raw = text.encode("utf-8", "surrogateescape") + b"\n"
        self._held.append(raw)
        self._size += len(raw)
        if self._size > 1 << 16:
            self.flush()

    def flush(self) -> None:
        """Write what is held. Raises OSError."""
        held, self._held, self._size = self._held, [], 0
        self._stream.write(b"".join(held))
        self._stream.flush()
