"""What is measured by ``manent memory bench``: a workspace, or the plan of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from manent.memfile import workspace
from manent.memfile.bench import Session, modelled
from manent.memfile.bounds import Bounds, bounds
from manent.memfile.compile import Options, planned
from manent.memfile.document import decoded
from manent.memfile.entries import from_json, is_json
from manent.memfile.library import Library, Topic, of_workspace
from manent.memfile.manifest import Manifest
from manent.memfile.target import target_of
from manent.tokens import Tokenizer, counter


@dataclass(frozen=True, slots=True)
class Measured:
    """Tokens a turn before and after, and those on demand. compiled: it is on disk."""

    path: Path
    compiled: bool
    tokenizer: Tokenizer
    original: int
    stub: int
    on_demand: int
    bounds: Bounds
    library: Library


def measured(path: Path, budget: int, tokenizer: Tokenizer, turns: int) -> Measured:
    """Measure a workspace as it stands, or a memory file as a compile would leave it."""
    file = target_of(path)
    found = workspace.find(file.parent)
    if found is not None and found.manifest.source.name == file.name:
        return _of_workspace(found, tokenizer, turns)
    options = Options(budget=budget, tokenizer=tokenizer, beside=file.parent)
    plan = planned(file.name, workspace.read_file(file), options)
    shelf = _planned_library(file.parent, plan.manifest, plan.files)
    sizes = [entry.tokens for entry in plan.manifest.files]
    before, after = plan.manifest.source.tokens, plan.manifest.stub_tokens
    found_bounds = bounds(before, after, sizes, turns)
    return Measured(file, False, tokenizer, before, after, sum(sizes), found_bounds, shelf)


def _of_workspace(found: workspace.Workspace, tokenizer: Tokenizer, turns: int) -> Measured:
    """Count what is on disk now, edits included; the file before, as its manifest has it."""
    from manent.memfile.pieces import rebuilt

    count = counter(tokenizer)
    shelf = of_workspace(found)
    stub = count(decoded(workspace.read_file(found.source)))
    before = count(rebuilt(found))
    sizes = [count(topic.text) for topic in shelf.topics]
    found_bounds = bounds(before, stub, sizes, turns)
    return Measured(found.source, True, tokenizer, before, stub, sum(sizes), found_bounds, shelf)


def _planned_library(root: Path, manifest: Manifest, files: dict[str, bytes]) -> Library:
    topics = []
    for entry in manifest.files:
        data = files[entry.path]
        text = from_json(data, entry.path) if is_json(entry.path) else decoded(data)
        hook = " ".join(entry.triggers)
        topics.append(Topic(entry.path, entry.title, hook, text, entry.sections))
    return Library(root, True, tuple(topics), ())


def model(found: Measured, tasks: Sequence[str], whole_files: bool) -> Session:
    """Model a session of tasks over what was measured."""
    return modelled(
        found.library, tasks, found.original, found.stub, counter(found.tokenizer), whole_files
    )
