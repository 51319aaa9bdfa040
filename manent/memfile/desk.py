"""What the tools of ``manent memory mcp`` do, without a protocol around them.

A Desk is opened once on one root. Targets are confined to it; what writes exists only
where writing was allowed at launch. Answers are text a model can act on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from manent.errors import ManentError, NotFound, Refused, UsageError
from manent.finding import inert
from manent.memfile import doctor, report, workspace
from manent.memfile.answers import bounded_json, bounded_text
from manent.memfile.compile import Options
from manent.memfile.compiling import Asked, Job, carried_out, credential, prepared, refusal
from manent.memfile.inventory import facts_text, inventory
from manent.memfile.library import is_memory_directory, library
from manent.memfile.loaded import survey
from manent.memfile.operations import operations
from manent.memfile.places import exists, is_folder
from manent.memfile.planning import plan_json, plan_text
from manent.memfile.recall import Index, capped, rendered
from manent.memfile.reorganize import recovered, reorganized
from manent.memfile.restore import drift
from manent.memfile.target import is_compiled, is_routing_list, target_of
from manent.memfile.terms import terms
from manent.memfile.tools import State, definitions, fault
from manent.tokens import estimate

AUTO_MEMORY = "auto-memory"
_RECALL_TOKENS = 1500
_LONGEST = 24_000
"""Characters of an answer: hosts cut longer ones off without saying so."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How the server was started. claude: Claude Code's folder, for its auto-memory of root.

    moment: returns the time as it names a backup.
    """

    root: Path
    profile: str
    writing: bool
    moment: Callable[[], str]
    auto_memory: Path | None = None
    include_auto_memory: bool = False
    external: bool = False
    claude: Path | None = None
    home: Path | None = None


class Desk:
    """Answers calls. tools: definitions of all there are; fixed from the beginning."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        if launch.writing:
            recovered(launch.root)
        self.state = state_of(launch.root)
        self.tools = definitions(launch.profile, self.state, launch.writing)
        self._known = {tool["name"]: tool["inputSchema"] for tool in self.tools}
        self._terms = terms(self._known)

    def knows(self, name: str) -> bool:
        """Whether there is a tool of that name."""
        return name in self._known

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """Return the answer of a tool and whether it is a failure."""
        if said := fault(self._known[name], arguments):
            return f"{name}: {_plain(said)}", True
        try:
            answer = getattr(self, f"_{name}")(**{_snake(k): v for k, v in arguments.items()})
        except ManentError as refused:
            return _plain(self._terms.say(str(refused).replace(f"{self.launch.root}/", ""))), True
        except OSError as failed:
            return f"{name} failed: {failed.strerror}; nothing more was changed", True
        return bounded_text(answer, _LONGEST), False

    # -- where -------------------------------------------------------------

    def _place(self, target: str | None) -> Path:
        """Return what a target names, inside the root. Raises Refused for what is not."""
        root = self.launch.root
        if target is None or target in ("", "."):
            return root
        if target == AUTO_MEMORY:
            return self._auto_memory()
        pure = PurePosixPath(target)
        outside = pure.is_absolute() or ".." in pure.parts or "\0" in target or "\\" in target
        if outside or not (root / pure).resolve().is_relative_to(root.resolve()):
            raise Refused(f"{target!r} is not under the root", "give a path relative to it")
        if not exists(root / pure):
            raise NotFound(f"{target!r} does not exist", "paths are relative to the root")
        return root / pure

    def _auto_memory(self) -> Path:
        folder = self.launch.auto_memory
        if not self.launch.include_auto_memory:
            said = "the auto-memory folder is not shared with this server"
            raise Refused(said, "the person may launch it with --include-auto-memory")
        if folder is None or not is_folder(folder):
            raise NotFound("this project has no auto-memory folder")
        return folder

    # -- basic -------------------------------------------------------------

    def _recall(
        self,
        query: str | None = None,
        file: str | None = None,
        headings_only: bool = False,
        max_tokens: int = _RECALL_TOKENS,
        module: str | None = None,
    ) -> str:
        file = file or module
        if headings_only and not file:
            raise UsageError("headingsOnly needs file", "name one of the list")
        found = library(self.launch.root)
        note = self._drifted()
        if not (query and query.strip()) and not file:
            return _plain("\n".join((*found.routing, *note)))
        index = Index(found, file)
        if query and query.strip():
            ranked = index.ranked(query)
        else:
            ranked = [(passage, 0.0) for passage in index.passages]
        hits = capped(ranked, 1 << 40 if headings_only else max_tokens, estimate)
        if not hits:
            return _plain("\n".join(("nothing matches; what there is:", *found.routing, *note)))
        if headings_only:
            heads = (f"{h.heading} ({h.tokens} tokens)" for h in hits)
            return _plain("\n".join((*heads, *note)))
        return _plain("\n\n".join((rendered(hits), *note)))

    def _drifted(self) -> list[str]:
        """Return a line that names what changed since the compile, if anything did."""
        found = workspace.find(workspace.nearest(self.launch.root))
        changes = drift(found) if found is not None else []
        if not changes:
            return []
        names = ", ".join(f"{path} ({what})" for path, what in changes)
        return [f"drifted since the compile: {names}; {self._terms.reapply} re-applies it"]

    def _check(self, target: str | None = None, budget: int = 2000, format: str = "text") -> str:
        place = self._place(target)
        done = self._audit(place, budget)
        job, why_not = self._planned(place, budget)
        if format == "json":
            document = {
                "doctor": report.document(done),
                "plan": None if job is None else plan_json(job, False, refusal(job)),
                "planUnavailableReason": why_not or None,
            }
            return bounded_json(self._terms.say_all(document), _LONGEST)
        plan = plan_text(job, False, refusal(job)) if job is not None else [f"no plan: {why_not}"]
        return self._said((*report.as_text(done), "", *plan))

    def _said(self, lines: Iterable[str]) -> str:
        """Return a report in terms of the tools."""
        return _plain(self._terms.say("\n".join(lines)))

    def _audit(
        self,
        place: Path,
        budget: int,
        only: list[str] | None = None,
        ignore: list[str] | None = None,
    ) -> doctor.Audit:
        launch = self.launch
        found = survey(
            place,
            claude=launch.claude if launch.include_auto_memory and launch.external else None,
            home=launch.home,
            external=launch.external,
            budget=budget,
        )
        return doctor.audit(found, doctor.chosen(only or (), ignore or ()), "estimate")

    def _planned(self, place: Path, budget: int) -> tuple[Job | None, str]:
        """Return a plan for the one file a place means, or why there is none."""
        try:
            file = target_of(place)
            if is_compiled(file):
                return None, f"{file.name} is compiled already; {self._terms.reapply} re-applies it"
            return prepared(file, Asked(Options(budget=budget))), ""
        except ManentError as said:
            return None, self._terms.say(str(said))

    def _optimize(
        self,
        target: str | None = None,
        budget: int = 2000,
        force: bool = False,
        ops: list[Any] | None = None,
    ) -> str:
        place = self._place(target)
        if ops is not None:
            return self._reorganize(ops, target)
        if is_folder(place) and _is_directory(place):
            return _plain("\n".join(facts_text(inventory(place, None, True))))
        file = target_of(place)
        if is_routing_list(file) and is_folder(place):
            return _plain("\n".join(facts_text(inventory(place, None, True))))
        compiled = is_compiled(file)
        asked = Asked(Options(budget=budget), update=compiled, force=force)
        asked = replace(asked, given=frozenset({"budget"}) if budget != 2000 else frozenset())
        return self._carried_out(file, asked)

    def _carried_out(self, file: Path, asked: Asked) -> str:
        job = prepared(file, asked)
        if said := refusal(job):
            raise Refused(said, "nothing was written")
        if not job.changed:
            return "nothing to re-apply"
        done = carried_out(job, lambda: prepared(file, asked))
        lines = plan_text(done, True, "")
        if asked.update:
            return self._said(("re-applied a compiled file", *lines))
        relaunch = "relaunch this server: its tools were chosen before there was a compiled memory"
        return self._said((*lines, relaunch))

    def _sync(
        self, target: str | None = None, budget: int | None = None, force: bool = False
    ) -> str:
        place = self._place(target)
        found = workspace.opened(place)
        if not force and not drift(found):
            return "nothing drifted; nothing was done"
        given = frozenset({"budget"}) if budget is not None else frozenset[str]()
        options = Options(budget=budget or 2000)
        return self._carried_out(
            found.source, Asked(options, update=True, force=force, given=given)
        )

    # -- full --------------------------------------------------------------

    def _modules(self) -> str:
        found = library(self.launch.root)
        return _plain("\n".join((*found.routing, *self._drifted())))

    def _outline(self, module: str) -> str:
        return self._recall(file=module, headings_only=True)

    def _doctor(
        self,
        target: str | None = None,
        budget: int = 2000,
        only: list[str] | None = None,
        ignore: list[str] | None = None,
        format: str = "text",
    ) -> str:
        done = self._audit(self._place(target), budget, only, ignore)
        if format == "json":
            return bounded_json(self._terms.say_all(report.document(done)), _LONGEST)
        return self._said(report.as_text(done))

    def _plan(
        self,
        target: str | None = None,
        update: bool = False,
        budget: int | None = None,
        format: str = "text",
    ) -> str:
        given = frozenset({"budget"}) if budget is not None else frozenset[str]()
        asked = Asked(Options(budget=budget or 2000), update=update, given=given)
        job = prepared(self._place(target), asked)
        refused = refusal(job)
        if format == "json":
            return bounded_json(self._terms.say_all(plan_json(job, False, refused)), _LONGEST)
        return self._said(plan_text(job, False, refused))

    def _scan(
        self, target: str | None = None, detail: str = "summary", files: list[str] | None = None
    ) -> str:
        place = self._place(target)
        if not is_folder(place):
            raise UsageError("scan reads a folder", "name the folder and, in files, the file")
        return bounded_json(inventory(place, files, detail == "full"), _LONGEST)

    def _apply(self, target: str | None = None, budget: int = 2000) -> str:
        file = target_of(self._place(target))
        if is_compiled(file):
            raise Refused(f"{file.name} is compiled already", "call update")
        return self._carried_out(file, Asked(Options(budget=budget)))

    def _update(self, target: str | None = None, budget: int | None = None) -> str:
        given = frozenset({"budget"}) if budget is not None else frozenset[str]()
        file = target_of(self._place(target))
        return self._carried_out(file, Asked(Options(budget=budget or 2000), True, given=given))

    def _reorganize(self, ops: list[Any], target: str | None = None) -> str:
        place = self._place(target)
        if not is_folder(place):
            raise Refused(f"{target!r} is no folder", "operations work on a memory folder")
        steps = operations(ops)
        for number, step in enumerate(steps, 1):
            if said := credential(step.content):
                held = said.partition(": take it out")[0]
                raise Refused(f"operation {number} ({step.path}): {held}", "nothing was changed")
        backup = reorganized(place, steps, self.launch.moment())
        said = f"{len(steps)} carried out; before: {backup.relative_to(place).as_posix()}"
        state = state_of(self.launch.root)
        return (
            said if state == self.state else f"{said}; relaunch this server: its tools differ now"
        )


def state_of(root: Path) -> State:
    """Return what lies at a root: a compiled memory, a memory directory, or neither."""
    if workspace.folder_of(workspace.nearest(root)) is not None:
        return "compiled"
    return "directory" if _is_directory(root) else "plain"


def _is_directory(folder: Path) -> bool:
    """Whether a folder is kept as topic files: it has an index, and no host's memory file."""
    try:
        return is_routing_list(target_of(folder))
    except NotFound:
        return is_memory_directory(folder)
    except ManentError:
        return False


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _plain(text: str) -> str:
    """Return lines with what no message can carry, or a terminal would obey, as escapes."""
    return "\n".join(inert(line.rstrip("\r")).replace("\\x09", "\t") for line in text.split("\n"))
