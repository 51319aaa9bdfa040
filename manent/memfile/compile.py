"""From one memory file to a small always-loaded body and files that are opened when needed.

``planned`` decides everything in memory and writes nothing: the bytes of every
file, what they cost, and whether it pays. ``written`` puts a plan on disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from manent.memfile import workspace
from manent.memfile.bounds import Bounds, bounds
from manent.memfile.document import Document, decoded, encoded, parse, split_lines
from manent.memfile.entries import parts, to_json
from manent.memfile.guidance import guidance, profile_for
from manent.memfile.kinds import judged
from manent.memfile.manifest import (
    ALWAYS,
    MANIFEST,
    ON_DEMAND,
    ORIGINAL,
    PROTOCOL,
    Always,
    Heading,
    Manifest,
    OnDemand,
    Piece,
    Source,
    digest,
    dump,
    line_digests,
)
from manent.memfile.plan import Group, Split, Unit, split, units_of
from manent.memfile.protocol import TITLE, TRIGGERS, protocol
from manent.memfile.stub import block, joined, markers, newline_of, stub_prefix
from manent.memfile.triggers import triggers
from manent.tokens import Tokenizer, counter

COMPILE, LEAVE = "compile", "leave as is"

_LEAST_SAVED = 200
_LEAST_SHARE = 0.2
_LEAST_SHARE_OVER = 0.1
"""A plan that saves less a turn, in tokens or of the file, is not worth a second file to
keep true. A file over its budget is split for less."""
_SMALL_SHARE = 0.5
"""A file of at most this share of the budget is small enough as it is."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to compile. profile: ``auto``, ``none``, ``routing`` or ``full``.

    beside: the folder of the memory file, to tell an import from a handle.
    """

    budget: int = 2000
    profile: str = "auto"
    tokenizer: Tokenizer = "estimate"
    episodic_json: bool = False
    turns: int = 50
    beside: Path | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What compiling a file comes to. files: path in the workspace to bytes.

    sections: title, tokens, why, for what stays; gave_way: titles of always
    sections that did not fit; verdict and reason: what to make of it.
    """

    name: str
    original: bytes
    manifest: Manifest
    files: dict[str, bytes]
    stub: bytes
    split: Split
    bounds: Bounds
    guidance_tokens: int
    verdict: str
    reason: str

    @property
    def pays(self) -> bool:
        """Whether the verdict is to compile."""
        return self.verdict == COMPILE

    @property
    def grows(self) -> bool:
        """Whether what is sent on every turn would become more."""
        return self.manifest.stub_tokens > self.manifest.source.tokens


def planned(name: str, data: bytes, options: Options) -> Plan:
    """Decide how a memory file is split. Same bytes and options, same plan, anywhere."""
    count = counter(options.tokenizer)
    doc = parse(data)
    tokens = count(doc.text)
    profile = profile_for(options.profile, tokens, options.budget)
    maker = Maker(name, data, doc, tokens, profile, options)
    fixed = maker.fixed()
    units = units_of(doc, count, options.budget, options.beside)
    chosen = split(units, options.budget, fixed, maker.cost)
    return maker.plan(chosen)


def _verdict(doc: Document, chosen: Split, manifest: Manifest, options: Options) -> tuple[str, str]:
    """Say whether compiling pays, and in one sentence why."""
    before, after = manifest.source.tokens, manifest.stub_tokens
    saved = before - after
    if doc.text.startswith(("\ufeff\x00", "\udcff\udcfe", "\udcfe\udcff")) or "\0" in doc.text:
        return LEAVE, "it is not UTF-8 text: save it as UTF-8 first"
    if not chosen.groups:
        return LEAVE, "every section of it is needed on every turn"
    if saved <= 0:
        return LEAVE, f"the always-loaded prefix would grow by {-saved} tokens"
    if after > options.budget:
        return LEAVE, f"{after} tokens would stay, over the budget of {options.budget}"
    if before <= _SMALL_SHARE * options.budget:
        return LEAVE, f"{before} tokens are few: half of the budget is {options.budget // 2}"
    over = before > options.budget
    if saved < (_LEAST_SHARE_OVER if over else _LEAST_SHARE) * before or (
        saved < _LEAST_SAVED and not over
    ):
        return LEAVE, f"it would save {saved} of {before} tokens a turn, too little to pay"
    return COMPILE, f"{saved} of {before} tokens less on every turn"


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the files of a split: once for its cost, once to be written.

    kept: on-demand files that stay as they are. replaces: what stands in the memory
    file's place now, where that is not ``data``. known: what a manifest says of files.
    newline: what generated lines end with, "" for what most lines of the text do.
    """

    name: str
    data: bytes
    doc: Document
    tokens: int
    profile: str
    options: Options
    kept: Mapping[str, bytes] = field(default_factory=dict)
    replaces: bytes | None = None
    known: Mapping[str, OnDemand] = field(default_factory=dict)
    newline: str = ""
    memo: dict[Split, tuple[Manifest, dict[str, bytes], bytes]] = field(default_factory=dict)

    @property
    def ending(self) -> str:
        """What generated lines end with."""
        return self.newline or newline_of(self.doc.text)

    def fixed(self) -> int:
        """Return the tokens of what is generated whatever the list holds."""
        begin, end = markers(self.doc.text)
        generated = block(
            [_protocol_entry(0)], self.profile, begin, end, self.ending, stub_prefix()
        )
        return counter(self.options.tokenizer)(generated)

    def plan(self, chosen: Split) -> Plan:
        """Return the plan of a split: what it writes, costs and comes to."""
        manifest, files, stub = self.made(chosen)
        verdict, reason = _verdict(self.doc, chosen, manifest, self.options)
        opened = [entry.tokens for entry in manifest.files]
        said = "\n".join(guidance(self.profile))
        return Plan(
            name=self.name,
            original=self.data,
            manifest=manifest,
            files=files,
            stub=stub,
            split=chosen,
            bounds=bounds(self.tokens, manifest.stub_tokens, opened, self.options.turns),
            guidance_tokens=counter(self.options.tokenizer)(said),
            verdict=verdict,
            reason=reason,
        )

    def cost(self, chosen: Split) -> int:
        """Return the exact tokens of the larger of stub and always.md."""
        manifest, _, _ = self.made(chosen)
        return max(manifest.stub_tokens, manifest.always.tokens)

    def made(self, chosen: Split) -> tuple[Manifest, dict[str, bytes], bytes]:
        """Return the manifest, the files of the workspace and the stub; worked out once."""
        if chosen not in self.memo:
            self.memo[chosen] = self._made(chosen)
        return self.memo[chosen]

    def _made(self, chosen: Split) -> tuple[Manifest, dict[str, bytes], bytes]:
        texts = [_text(self.doc, group.units) for group in chosen.groups]
        entries, files = self._on_demand(chosen.groups, texts)
        order, body = self._order(chosen, [entry.path for entry in entries])
        count = counter(self.options.tokenizer)
        written = protocol()
        entries.append(_protocol_entry(count(decoded(written))))
        files[PROTOCOL] = written
        source = Source(
            self.name,
            digest(self.data),
            len(self.data),
            len(self.doc.lines),
            self.tokens,
            self.ending,
        )
        return assembled(
            State(source, self.options, self.profile, tuple(order), tuple(body), tuple(entries)),
            files,
            digest(self.data if self.replaces is None else self.replaces),
            self.doc.text,
        )

    def _on_demand(
        self, groups: Sequence[Group], texts: Sequence[str]
    ) -> tuple[list[OnDemand], dict[str, bytes]]:
        files: dict[str, bytes] = {}
        entries: list[OnDemand] = []
        taken = {group.file for group in groups if group.file}
        for group, text, words in zip(groups, texts, triggers(texts), strict=True):
            if group.file:
                files[group.file] = self.kept[group.file]
                entries.append(self._entry(group.file, group, text, files[group.file], words))
                continue
            as_json = self.options.episodic_json and group.kind == "episodic"
            as_json = as_json and bool(parts(text).entries)
            path = named(group, "json" if as_json else "md", taken)
            taken.add(path)
            files[path] = to_json(text) if as_json else encoded(text)
            entries.append(self._entry(path, group, text, files[path], words))
        return entries, files

    def _entry(
        self, path: str, group: Group, text: str, data: bytes, words: tuple[str, ...]
    ) -> OnDemand:
        """Return what the manifest says of an on-demand file."""
        count, sha256 = counter(self.options.tokenizer), digest(data)
        title = group.top[0] if group.top else group.units[0].title
        sections = sections_of(group, text, self.known.get(path), sha256)
        return OnDemand(
            path, title, group.kind, count(text), sha256, words, span(group.units), sections
        )

    def _order(self, chosen: Split, paths: Sequence[str]) -> tuple[list[Piece], list[str]]:
        """Return the stretches in order, and the texts of those that stay."""
        first_of = {group.units[0].order: n for n, group in enumerate(chosen.groups)}
        order: list[Piece] = []
        body: list[str] = []
        for unit in chosen.units:
            if unit.always:
                text = self.doc.slice(unit.start, unit.end)
                if order and order[-1].file == ALWAYS:
                    before = order.pop()
                    unit_from, body[-1] = before.source[0], body[-1] + text
                else:
                    unit_from = unit.start
                    body.append(text)
                order.append(Piece(ALWAYS, len(encoded(body[-1])), (unit_from, unit.end)))
            elif unit.order in first_of:
                group = chosen.groups[first_of[unit.order]]
                order.append(Piece(paths[first_of[unit.order]], 0, span(group.units)))
        if not order or order[0].file != ALWAYS:
            order.insert(0, Piece(ALWAYS, 0, (1, 0)))
            body.insert(0, "")
        return order, body


@dataclass(frozen=True, slots=True)
class State:
    """A workspace before it is spelled out. body: texts of the always stretches, in order."""

    source: Source
    options: Options
    profile: str
    order: tuple[Piece, ...]
    body: tuple[str, ...]
    entries: tuple[OnDemand, ...]


def assembled(
    state: State, files: dict[str, bytes], replaces: str, unmarked: str
) -> tuple[Manifest, dict[str, bytes], bytes]:
    """Spell a workspace out: its manifest, its files, and the stub.

    unmarked: a text in which the markers must not occur.
    """
    count = counter(state.options.tokenizer)
    begin, end = markers(unmarked)
    newline = state.source.newline
    body = "".join(state.body)
    text = {
        prefix: joined(
            body, block(state.entries, state.profile, begin, end, newline, prefix), newline
        )
        for prefix in ("", stub_prefix())
    }
    stub, always = encoded(text[stub_prefix()]), encoded(text[""])
    manifest = Manifest(
        source=state.source,
        tokenizer=state.options.tokenizer,
        budget=state.options.budget,
        profile=state.profile,
        episodic_json=state.options.episodic_json,
        begin=begin,
        end=end,
        stub_sha256=digest(stub),
        stub_tokens=count(text[stub_prefix()]),
        always=Always(
            digest(always),
            count(text[""]),
            tuple(d for part in state.body for d in line_digests(split_lines(part))),
        ),
        order=state.order,
        files=state.entries,
        replaces=replaces,
    )
    whole = {ALWAYS: always, **workspace.git_files(), **files, MANIFEST: dump(manifest)}
    return manifest, whole, stub


def _protocol_entry(tokens: int) -> OnDemand:
    data = protocol()
    lines = len(split_lines(decoded(data)))
    heading = Heading((TITLE,), 1, "procedural", (1, lines))
    return OnDemand(PROTOCOL, TITLE, "procedural", tokens, digest(data), TRIGGERS, None, (heading,))


def sections_of(
    group: Group, text: str, known: OnDemand | None, sha256: str
) -> tuple[Heading, ...]:
    """Return the sections of an on-demand file: as they were cut, as they are known, or read."""
    if known is not None and known.sha256 == sha256:
        return known.sections
    if group.file:
        return tuple(
            Heading(j.section.path, j.section.level, j.kind, (j.section.start, j.section.own_end))
            for j in judged(parse(text))
        )
    first = group.units[0].start - 1
    return tuple(
        Heading(unit.path, unit.level, unit.kind, (unit.start - first, unit.end - first))
        for unit in group.units
    )


def span(units: Sequence[Unit]) -> tuple[int, int]:
    """Return the first and last line of neighbouring units."""
    return units[0].start, units[-1].end


def _text(doc: Document, units: Sequence[Unit]) -> str:
    return doc.slice(units[0].start, units[-1].end)


def named(group: Group, ending: str, taken: set[str]) -> str:
    """Return a path for a file: the slug of the headings it spans, or of where it stands."""
    titles = group.top
    if len(titles) <= 2:
        stem = "-and-".join(filter(None, map(slug, titles)))
    else:
        stem = f"{slug(titles[0])}-to-{slug(titles[-1])}"
    stem = slug(stem) or slug(group.units[0].title) or "section"
    if not group.units[0].level and not titles:
        stem = slug(f"{stem}-continued") if group.units[0].title else "preamble"
    number, path = 1, f"{ON_DEMAND}/{stem}.{ending}"
    stems = {_stem(each) for each in taken} | {_stem(PROTOCOL)}
    while _stem(path) in stems:
        number += 1
        path = f"{ON_DEMAND}/{stem}-{number}.{ending}"
    return path


def _stem(path: str) -> str:
    """Return a file's name without its ending, by which recall and agents name it.

    Folded, for disks on which two names that differ in case alone are one file.
    """
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return unicodedata.normalize("NFC", stem).casefold()


def slug(title: str) -> str:
    """Return a title as a file name: ASCII letters, digits and dashes, at most 48."""
    text = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:48].strip("-")


def written(root: Path, plan: Plan, keep: dict[str, bytes] | None = None) -> None:
    """Put a plan on disk, the memory file last. Call it inside ``workspace.writing``."""
    files = dict(plan.files)
    files[f"{ORIGINAL}/{plan.name}"] = plan.original
    workspace.replace(root, files, plan.name, plan.stub, keep or {})
