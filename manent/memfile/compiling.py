"""Compiling, updating and refusing: what the command line and the server both carry out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from manent.errors import EnvironmentFault, NotFound, Refused
from manent.memfile import workspace
from manent.memfile.compile import Options, Plan, planned, written
from manent.memfile.document import decoded, encoded
from manent.memfile.manifest import ALWAYS, ON_DEMAND, WORKSPACE, digest
from manent.memfile.pieces import salvaged
from manent.memfile.restore import drift
from manent.memfile.target import is_routing_list, target_of
from manent.memfile.update import Update, is_restored, text_as_edited, updated
from manent.tokens import Tokenizer


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants. update: re-apply; force: past the verdict and a workspace.

    options: where a field is None in ``given``, an update takes the manifest's.
    given: names of the options that were typed.
    """

    options: Options
    update: bool = False
    force: bool = False
    allow_secrets: bool = False
    given: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Job:
    """A plan for one file, ready to be carried out. path: the memory file.

    current: what stands there now. changed: whether carrying it out would write.
    """

    path: Path
    plan: Plan
    asked: Asked
    remarks: tuple[str, ...]
    keep: dict[str, bytes]
    current: bytes
    changed: bool = True

    @property
    def root(self) -> Path:
        """The folder that the workspace stands in."""
        return self.path.parent


@dataclass(frozen=True, slots=True)
class Left:
    """Something in the text that compiling does not act on. line: from 1."""

    line: int
    what: str


def prepared(path: Path, asked: Asked) -> Job:
    """Plan what was asked, writing nothing.

    Raises Refused for a symlink, a routing list, or a workspace that is there already.
    """
    file = target_of(path)
    if is_routing_list(file):
        said = f"{file.name} is a routing list already: its lines lead to topic files"
        raise Refused(said, "`manent memory doctor` audits it; the server's `optimize` tends it")
    workspace.refuse_symlinks(file.parent, file.name)
    asked = replace(asked, options=replace(asked.options, beside=file.parent))
    return _update(file, asked) if asked.update else _afresh(file, asked)


def _update(file: Path, asked: Asked) -> Job:
    found = workspace.find(file.parent)
    if found is None:
        raise NotFound(f"{file.parent} holds no compiled memory", "compile it without --update")
    _refuse_another(found, file)
    made: Update = updated(found, _options(found, asked), asked.force)
    remarks = (*made.remarks, *_misfits(made.plan))
    return Job(found.source, made.plan, asked, remarks, made.keep, made.current, made.changed)


def _options(found: workspace.Workspace, asked: Asked) -> Options:
    """Return the options of an update: the manifest's, where nothing else was said."""
    manifest, given, options = found.manifest, asked.given, asked.options
    tokenizer: Tokenizer = "o200k" if manifest.tokenizer == "o200k" else "estimate"
    return replace(
        options,
        budget=options.budget if "budget" in given else manifest.budget,
        profile=options.profile if "profile" in given else manifest.profile,
        tokenizer=options.tokenizer if "tokenizer" in given else tokenizer,
        episodic_json=options.episodic_json or manifest.episodic_json,
    )


def _afresh(file: Path, asked: Asked) -> Job:
    standing = workspace.exists(file.parent)
    found, remarks = _found(file, asked.force) if standing else (None, ())
    _refuse_another(found, file)
    if standing and not asked.force and not _is_whole(file):
        said = f"{file.parent / WORKSPACE} stands already"
        raise Refused(said, "--update re-applies it, --force compiles afresh")
    current = data = workspace.read_file(file)
    if found is not None:
        data = encoded(text_as_edited(found, force=True))
    elif standing and (folder := workspace.folder_of(file.parent)) is not None:
        data = encoded(salvaged(decoded(current), folder))
    plan = planned(file.name, data, asked.options)
    keep = {file.name: current} if standing else {}
    return Job(file, plan, asked, (*remarks, *_misfits(plan)), keep, current)


def _found(file: Path, force: bool) -> tuple[workspace.Workspace | None, tuple[str, ...]]:
    """Open the workspace beside a file; force: one that cannot be read is none, and is said."""
    try:
        return workspace.find(file.parent), ()
    except EnvironmentFault as fault:
        if not force:
            raise
        said = f"{fault}: the text was put together from {file.name} and the files beside it"
        return None, (f"{said}, in the order of its list; what stood there is in previous/",)


def _refuse_another(found: workspace.Workspace | None, file: Path) -> None:
    """Raise Refused when the workspace was made from another file: it holds that one's text."""
    if found is not None and found.manifest.source.name != file.name:
        said = f"the workspace beside {file.name} is that of {found.manifest.source.name}"
        raise Refused(said, f"restore that one and remove {WORKSPACE}, or move one of the files")


def _is_whole(file: Path) -> bool:
    """Whether a file is what its workspace was made from: the write was cut short, or undone.

    Not where anybody has edited the workspace since: compiling would drop that.
    """
    found = workspace.find(file.parent)
    if found is None or found.manifest.source.name != file.name:
        return False
    standing = digest(workspace.read_file(file))
    if standing == found.manifest.stub_sha256:
        return False
    if standing != found.manifest.replaces and not is_restored(found, workspace.read_file(file)):
        return False
    return all(path == file.name for path, _ in drift(found))


def _misfits(plan: Plan) -> tuple[str, ...]:
    manifest = plan.manifest
    remarks = []
    if plan.grows:
        grown = manifest.stub_tokens - manifest.source.tokens
        remarks.append(f"the always-loaded prefix grows by {grown} tokens")
    if max(manifest.stub_tokens, manifest.always.tokens) > manifest.budget:
        said = f"{manifest.stub_tokens} tokens stay always loaded, over the budget of"
        remarks.append(f"{said} {manifest.budget}")
    return tuple(remarks)


_SCANNED = 150_000
"""Characters of a text whose findings a plan lists: half a second."""


def left(plan: Plan) -> list[Left]:
    """Return what the scanners find in the text and compiling leaves as it is.

    A very long text is left to ``manent memory doctor``: scanning it takes seconds.
    """
    from manent.scan.scanner import Scanner
    from manent.scan.span import Context, Family

    text = decoded(plan.original)
    if len(text) > _SCANNED:
        return []
    found, line, at = [], 1, 0
    for span in Scanner(Context(addressed=True)).scan(text):
        if span.weak or span.mention or span.family == Family.PII:
            continue
        line, at = line + text.count("\n", at, max(at, span.start)), max(at, span.start)
        found.append(Left(line, f"{span.family} ({span.kind}, {span.masked})"))
    return found


def refusal(job: Job) -> str:
    """Return why a job may not be carried out, "" if it may. Its verdict, or a credential."""
    if not job.asked.allow_secrets and (said := _held(job)):
        return said
    if not (job.plan.pays or job.asked.force or job.asked.update):
        return f"leave {job.path.name} as it is: {job.plan.reason}"
    return ""


def _held(job: Job) -> str:
    """Return where the text holds a credential: of a workspace, in which of its files."""
    if job.asked.update:
        parts = {f"{WORKSPACE}/{p}": d for p, d in job.plan.files.items() if _is_part(p)}
        for name, data in ({job.path.name: job.current} | parts).items():
            if said := credential(decoded(data)):
                return f"{name} {said}"
    return credential(decoded(job.plan.original))


def _is_part(path: str) -> bool:
    return path == ALWAYS or path.startswith(f"{ON_DEMAND}/")


def credential(text: str) -> str:
    """Return where a text holds a credential, masked; "" where it holds none."""
    from manent.scan.reading import readings
    from manent.scan.secrets import find
    from manent.scan.span import Context

    for reading in readings(text):
        for span in find(reading, Context()):
            if not span.weak:
                line = text.count("\n", 0, span.start) + 1
                said = f"line {line} holds a credential ({span.kind}, {span.masked})"
                return f"{said}: take it out and revoke it, or pass --allow-secrets"
    return ""


def _is_stale(job: Job) -> bool:
    standing = job.asked.update or job.asked.force or workspace.exists(job.root)
    return standing or workspace.read_file(job.path) != job.current


def carried_out(job: Job, again: Callable[[], Job]) -> Job:
    """Write a plan, or raise Refused with nothing written.

    again: plans anew, where somebody may have written since the plan was made.
    """
    with workspace.writing(job.root):
        fresh = again() if _is_stale(job) else job
        if said := refusal(fresh):
            raise Refused(said)
        if not fresh.changed:
            return fresh
        if fresh.asked.update:
            plan = fresh.plan
            workspace.replace(fresh.root, plan.files, plan.name, plan.stub, fresh.keep)
        else:
            written(fresh.root, fresh.plan, fresh.keep)
        return fresh
