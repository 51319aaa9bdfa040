"""The history of real memory files, replayed through compile, edit, update and restore."""

from __future__ import annotations

import tarfile
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

import pytest
from memories import compiled

from manent.memfile import restore, workspace
from manent.memfile.compile import Options
from manent.memfile.compiling import Asked, carried_out, prepared
from manent.memfile.document import decoded, encoded, split_lines
from manent.memfile.pieces import rebuilt


def versions(archive: Path) -> list[bytes]:
    with tarfile.open(archive) as stream:
        found = {m.name: stream.extractfile(m) for m in stream.getmembers() if m.isfile()}
        return [member.read() for _, member in sorted(found.items()) if member is not None]


def added(before: bytes, after: bytes) -> str:
    """Return the lines a version has and the one before it had not."""
    old, new = split_lines(decoded(before)), split_lines(decoded(after))
    blocks = SequenceMatcher(None, old, new, autojunk=len(old) > 2000).get_opcodes()
    return "".join("".join(new[c:d]) for tag, _, _, c, d in blocks if tag in ("insert", "replace"))


def updated(folder: Path) -> None:
    asked = Asked(Options(), update=True, allow_secrets=True)
    carried_out(prepared(folder, asked), lambda: prepared(folder, asked))


def archives(data: Path) -> list[Path]:
    return sorted((data / "agent-file-versions").glob("*.tar.xz"))


@pytest.mark.slow
def test_each_version_compiles_and_comes_back(data: Path, tmp_path: Path) -> None:
    largest = 0
    for archive in archives(data):
        for number, version in enumerate(versions(archive)):
            if number % 4 and len(version) < 500_000:
                continue
            folder = tmp_path / archive.name.partition(".")[0] / str(number)
            plan = compiled(folder, version)
            largest = max(largest, len(version))
            assert not plan.pays or plan.manifest.stub_tokens <= 2000
            assert restore.restored(folder).data == version
    assert largest > 580_000


@pytest.mark.slow
def test_what_each_version_added_is_taken_in(data: Path, tmp_path: Path) -> None:
    for archive in archives(data):
        history = [version for version in versions(archive) if len(version) < 200_000]
        folder = tmp_path / archive.name.partition(".")[0]
        compiled(folder, history[0])
        text = decoded(history[0])
        file = folder / "CLAUDE.md"
        for before, after in list(pairwise(history))[:8]:
            more = added(before, after)
            file.write_bytes(file.read_bytes() + encoded(more))
            updated(folder)
            found = workspace.opened(folder)
            assert restore.drift(found) == []
            text = text + more if text.endswith("\n") or not more else f"{text}\n{more}"
            assert rebuilt(found) == text, archive.name
            # A stub that outgrew its budget says so; it never grows past what it replaces.
            assert found.manifest.stub_tokens <= max(2000, found.manifest.source.tokens)
        assert restore.restored(folder).data == encoded(text)
