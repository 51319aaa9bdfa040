"""A compiled workspace after people and agents have edited it: made true again.

What they changed stays where they put it. On-demand files keep their bytes; text
appended to the stub becomes sections of its own; files somebody put into
``on-demand/`` are taken in. Triggers, digests, list, manifest and stub are written
anew. The verbatim copy is never looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from manent.errors import EnvironmentFault, Refused
from manent.finding import inert
from manent.memfile import workspace
from manent.memfile.compile import Maker, Options, Plan
from manent.memfile.document import Document, Section, decoded, encoded, parse, split_lines
from manent.memfile.kinds import judged
from manent.memfile.manifest import ALWAYS, PROTOCOL, Manifest, digest, line_digests
from manent.memfile.pieces import cut, rebuilt, text_of, together
from manent.memfile.placement import FRONT, UNSURE, Placement
from manent.memfile.places import is_file
from manent.memfile.plan import Unit, split, units_of
from manent.memfile.stub import Stripped, block, stripped, stub_prefix
from manent.memfile.workspace import Workspace
from manent.tokens import counter


@dataclass(frozen=True, slots=True)
class Update:
    """What re-applying comes to. current: what stands in the memory file's place.

    changed: whether anything would be written. remarks: what somebody should know.
    keep: what goes to ``previous/``.
    """

    plan: Plan
    current: bytes
    changed: bool
    remarks: tuple[str, ...]
    keep: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the text. file: the on-demand file it is, "" for always-loaded text.

    known: digests of lines that were always loaded before; None where all are new.
    """

    text: str
    file: str = ""
    kind: str = ""
    title: str = ""
    known: frozenset[str] | None = None


def updated(found: Workspace, options: Options, force: bool = False) -> Update:
    """Plan how to make a workspace true again. Writes nothing.

    Raises Refused where the stub was replaced by something else, or where the stub and
    ``always.md`` were edited differently (force: the stub wins).
    """
    manifest = found.manifest
    current = workspace.read_file(found.source)
    remarks: list[str] = []
    keep = {manifest.source.name: current}
    undone = digest(current) == manifest.replaces or is_restored(found, current)
    if manifest.stub_sha256 != digest(current) and undone:
        remarks.append("the last write was interrupted, or the file was restored: finished now")
        taken = _always(found)
    else:
        taken = _body(found, current, force, keep, remarks)
    parts = _parts(found, taken, remarks)
    plan = _planned(found, parts, options, current)
    same = all(_stands(found, path, data) for path, data in plan.files.items())
    changed = current != plan.stub or not (same or _only_replaces(found, plan))
    return Update(plan, current, changed, tuple(remarks), keep)


def is_restored(found: Workspace, current: bytes) -> bool:
    """Whether a memory file is what its workspace rebuilds: it was restored, and not touched."""
    manifest = found.manifest
    if stripped(decoded(current), manifest.begin, manifest.end, manifest.source.newline):
        return False
    try:
        return encoded(rebuilt(found)) == current
    except EnvironmentFault:
        return False


def _stands(found: Workspace, path: str, data: bytes) -> bool:
    return is_file(found.folder / path) and found.read(path) == data


def _only_replaces(found: Workspace, plan: Plan) -> bool:
    """Whether the new state differs from the old one in what it was made from alone."""
    now = replace(plan.manifest, replaces=found.manifest.replaces)
    others = {path: data for path, data in plan.files.items() if path != "manifest.json"}
    return now == found.manifest and all(_stands(found, p, d) for p, d in others.items())


def text_as_edited(found: Workspace, force: bool = False) -> str:
    """Return the whole text with the edits of all parts, the stub's among them."""
    current = workspace.read_file(found.source)
    manifest = found.manifest
    taken = stripped(decoded(current), manifest.begin, manifest.end, manifest.source.newline)
    if taken is None:
        return decoded(current)
    taken = _body(found, current, force, {}, [])
    return together([part.text for part in _parts(found, taken, [])], manifest.source.newline)


def _always(found: Workspace) -> Stripped:
    manifest = found.manifest
    text = decoded(found.read(ALWAYS))
    taken = stripped(text, manifest.begin, manifest.end, manifest.source.newline)
    if taken is None:
        said = f"{ALWAYS} has lost the markers around its list"
        raise EnvironmentFault(said, "bring it back from history or `previous/`")
    return taken


def _body(
    found: Workspace, current: bytes, force: bool, keep: dict[str, bytes], remarks: list[str]
) -> Stripped:
    """Return the always-loaded text as edited: in the stub, or in ``always.md``."""
    manifest, name = found.manifest, found.manifest.source.name
    stub = stripped(decoded(current), manifest.begin, manifest.end, manifest.source.newline)
    if stub is None:
        said = f"{name} is no longer the stub that was compiled: its markers are gone"
        raise Refused(
            said, "--force compiles it afresh as it stands; restore rebuilds the old text"
        )
    remarks.extend(_between(found, current))
    if not is_file(found.folder / ALWAYS):
        remarks.append(f"{ALWAYS} was missing: written anew from {name}")
        return stub
    always = _always(found)
    tail = stub.tail if always.tail in ("", stub.tail) else stub.tail + always.tail
    before = manifest.always.lines
    if always.body == stub.body or digest(found.read(ALWAYS)) == manifest.always.sha256:
        return Stripped(stub.body, tail)
    if line_digests(split_lines(stub.body)) == before:
        return Stripped(always.body, tail)
    if not force:
        said = f"{name} and .memory/{ALWAYS} were edited differently"
        raise Refused(said, f"make one like the other, or --force takes {name}")
    keep[ALWAYS] = found.read(ALWAYS)
    remarks.append(f"{ALWAYS} was edited differently: {name} wins, the other is in previous/")
    return Stripped(stub.body, stub.tail)


def _between(found: Workspace, current: bytes) -> list[str]:
    """Say of lines that somebody wrote into what is generated: they are not kept there."""
    manifest = found.manifest
    if digest(current) == manifest.stub_sha256:
        return []
    text = decoded(current)
    inside = text[text.index(manifest.begin) : text.index(manifest.end)]
    made = block(
        manifest.files, manifest.profile, manifest.begin, manifest.end, "\n", stub_prefix()
    )
    ours = {line.strip() for line in made.split("\n")}
    if is_file(found.folder / ALWAYS):  # what an older version said there
        ours |= {line.strip() for line in split_lines(decoded(found.read(ALWAYS)))}
    words = ("- `.memory/on-demand/",)
    theirs = [
        number
        for number, line in enumerate(
            split_lines(inside), text.count("\n", 0, text.index(inside)) + 1
        )
        if line.strip() and line.strip() not in ours and not line.startswith(words)
    ]
    if not theirs:
        return []
    lines = f"line {theirs[0]}" if len(theirs) == 1 else f"{len(theirs)} lines from {theirs[0]} on"
    said = f"{manifest.source.name}: {lines} stood between the markers, where all is generated"
    return [f"{said}, and left it; the old file goes to previous/"]


def _parts(found: Workspace, taken: Stripped, remarks: list[str]) -> list[_Part]:
    """Return the stretches of the text in order, new ones last."""
    manifest = found.manifest
    known = frozenset(manifest.always.lines)
    stretches = iter(cut(taken.body, manifest, _unedited(found, taken)))
    parts: list[_Part] = []
    for piece in manifest.order:
        if piece.file == ALWAYS:
            parts.append(_Part(next(stretches), known=known))
        elif is_file(found.folder / piece.file):
            entry = manifest.file(piece.file)
            assert entry is not None
            text = text_of(found, piece.file)
            parts.append(_Part(text, piece.file, entry.kind, entry.title))
        else:
            remarks.append(f"{piece.file} is gone: its text is no longer part of the memory")
    parts.extend(_Part(text, known=known) for text in stretches)
    parts.extend(_adopted(found, manifest, remarks))
    if taken.tail:
        parts.append(_Part(taken.tail))
    return parts


def _unedited(found: Workspace, taken: Stripped) -> bool:
    return line_digests(split_lines(taken.body)) == found.manifest.always.lines


def _adopted(found: Workspace, manifest: Manifest, remarks: list[str]) -> list[_Part]:
    """Return the files that somebody put into ``on-demand/``."""
    parts = []
    for path in found.on_demand():
        if manifest.file(path) is not None or path == PROTOCOL:
            continue
        text = text_of(found, path)
        doc = parse(text)
        kinds = {judgement.kind for judgement in judged(doc)}
        kind: str = kinds.pop() if len(kinds) == 1 else "semantic"
        title = next((s.title for s in doc.sections() if s.level), PurePosixPath(path).stem)
        remarks.append(f"{path} is new: listed now")
        parts.append(_Part(text, path, kind, title))
    remarks.extend(f"{inert(path)} is left aside: {why}" for path, why in found.aside())
    return parts


def _planned(found: Workspace, parts: list[_Part], options: Options, current: bytes) -> Plan:
    count = counter(options.tokenizer)
    parts = _ended(parts, found.manifest.source.newline)
    lines: list[str] = []
    units: list[Unit] = []
    for part in parts:
        offset = len(lines)
        lines.extend(split_lines(part.text))
        made = [_whole(part, offset, len(lines), count(part.text))] if part.file else []
        made = made or _units(part, offset, options)
        first = len(units)
        units.extend(replace(unit, order=first + n) for n, unit in enumerate(made))
    text = together([part.text for part in parts], found.manifest.source.newline)
    doc = Document(tuple(lines), (), (), Section("", 0, 1, 0, len(lines)))
    maker = Maker(
        name=found.manifest.source.name,
        data=encoded(text),
        doc=doc,
        tokens=count(text),
        profile=options.profile,
        options=options,
        kept={part.file: found.read(part.file) for part in parts if part.file},
        replaces=current,
        newline=found.manifest.source.newline,
        known={entry.path: entry for entry in found.manifest.files},
    )
    return maker.plan(split(units, options.budget, maker.fixed(), maker.cost))


def _ended(parts: list[_Part], newline: str) -> list[_Part]:
    """End always-loaded text with a line end where more follows, lest two lines become one."""
    return [
        replace(part, text=part.text + newline)
        if part.text and not part.file and n + 1 < len(parts) and part.text[-1] not in "\r\n"
        else part
        for n, part in enumerate(parts)
    ]


def _whole(part: _Part, offset: int, last: int, tokens: int) -> Unit:
    return Unit(
        order=0,
        start=offset + 1,
        end=last,
        path=(part.title,),
        level=1,
        kind=part.kind,
        tokens=tokens,
        placement=Placement(False, UNSURE, "it is on demand already"),
        file=part.file,
    )


def _units(part: _Part, offset: int, options: Options) -> list[Unit]:
    """Return the units of always-loaded text: what was, stays; what is new is judged."""
    doc = parse(part.text)
    found = []
    for unit in units_of(doc, counter(options.tokenizer), options.budget, options.beside):
        digests = line_digests(
            [line for line in doc.lines[unit.start - 1 : unit.end] if line.strip()]
        )
        old = part.known is not None and (not digests or not part.known.isdisjoint(digests))
        if old and not unit.placement.always:
            place = Placement(True, FRONT if unit.placement.rank == FRONT else UNSURE, "it stays")
            unit = replace(unit, placement=place)
        found.append(replace(unit, start=unit.start + offset, end=unit.end + offset))
    return found
