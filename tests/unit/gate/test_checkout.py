"""A checkout is brought up at the price of what changed, and never over an edit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from repositories import Clone

from manent.errors import Refused
from manent.gate.checkout import SEEN, bring_up
from manent.repo.open import Repository, discover

NOTES = {f"memory/n{n}.md": b"Text %d\n" % n for n in range(5)}


class Reads:
    """Which files below a checkout this process opened to read."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.listening = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.listening and event == "open":
            name, _, flags = arguments
            if isinstance(flags, int) and flags & os.O_NOFOLLOW and str(name).endswith(".md"):
                self.names.append(str(name))


READS = Reads()


@pytest.fixture
def reads() -> Iterator[list[str]]:
    READS.names.clear()
    READS.listening = True
    yield READS.names
    READS.listening = False


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    root = tmp_path / "vault"
    root.mkdir()
    made = Clone(root, root)
    made.git("init", "-q")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    return made


def opened(clone: Clone) -> Repository:
    found = discover(clone.path, os.environ)
    assert found is not None
    return found


def settle(repository: Repository, seconds: int) -> None:
    """Let the record be that much younger than every file it speaks of."""
    record = repository.path / "manent" / SEEN
    at = record.stat().st_mtime + seconds
    os.utime(record, (at, at))


def test_what_stands_as_it_was_made_is_not_read(
    clone: Clone, tmp_path: Path, reads: list[str]
) -> None:
    repository, folder = opened(clone), tmp_path / "checkout"
    bring_up(repository, clone.commit(dict(NOTES)), folder)
    for number in range(6):
        settle(repository, 60)
        tip = clone.commit({f"memory/more-{number}.md": b"more\n"})
        reads.clear()
        # From the fourth on an old tree is looked at too, and removed.
        bring_up(repository, tip, folder)
        assert reads == []
        files = {p.name for p in (folder / "current/memory").iterdir()}
        assert files == {f"n{n}.md" for n in range(5)} | {f"more-{n}.md" for n in range(number + 1)}
    assert len(list((folder / "trees").iterdir())) == 4


def test_what_may_have_changed_within_a_tick_is_read(
    clone: Clone, tmp_path: Path, reads: list[str]
) -> None:
    repository, folder = opened(clone), tmp_path / "checkout"
    bring_up(repository, clone.commit(dict(NOTES)), folder)
    reads.clear()
    bring_up(repository, clone.commit({"memory/more.md": b"more\n"}), folder)
    assert sorted(reads) == sorted(f"n{n}.md" for n in range(5))


def test_an_edit_that_keeps_size_and_time_is_an_edit(clone: Clone, tmp_path: Path) -> None:
    repository, folder = opened(clone), tmp_path / "checkout"
    bring_up(repository, clone.commit(dict(NOTES)), folder)
    settle(repository, 60)
    first = bring_up(repository, clone.commit({"memory/more.md": b"more\n"}), folder)
    settle(repository, 60)
    edited = folder / "current/memory/n3.md"
    at = edited.stat()
    edited.write_bytes(b"Tixt 3\n")
    os.utime(edited, ns=(at.st_atime_ns, at.st_mtime_ns))
    tip = clone.commit({"memory/last.md": b"last\n"})
    with pytest.raises(Refused, match=r"memory/n3\.md"):
        bring_up(repository, tip, folder)
    assert (folder / "current").resolve() == first.resolve() and edited.read_bytes() == b"Tixt 3\n"
    edited.write_bytes(NOTES["memory/n3.md"])
    assert bring_up(repository, tip, folder).name == tip


@pytest.mark.parametrize("what", ["added", "removed", "linked"])
def test_other_edits_are_edits_too(clone: Clone, tmp_path: Path, what: str) -> None:
    repository, folder = opened(clone), tmp_path / "checkout"
    bring_up(repository, clone.commit(dict(NOTES)), folder)
    settle(repository, 60)
    place = folder / "current/memory"
    if what == "added":
        (place / "mine.md").write_bytes(b"mine\n")
    else:
        (place / "n1.md").unlink()
    if what == "linked":
        (place / "n1.md").symlink_to("n2.md")
    with pytest.raises(Refused, match="1 file of"):
        bring_up(repository, clone.commit({"memory/more.md": b"more\n"}), folder)


@pytest.mark.parametrize(
    "content", ["", "{]", "[]", '{"commit": 1}', '{"files": {"a": 1}}', "gone"]
)
def test_a_record_that_nobody_can_read_costs_a_reading(
    clone: Clone, tmp_path: Path, content: str, reads: list[str]
) -> None:
    repository, folder = opened(clone), tmp_path / "checkout"
    bring_up(repository, clone.commit(dict(NOTES)), folder)
    record = repository.path / "manent" / SEEN
    record.write_text(content)
    settle(repository, 60)
    if content == "gone":
        record.unlink()
    reads.clear()
    bring_up(repository, clone.commit({"memory/more.md": b"more\n"}), folder)
    assert len(reads) == 5 and record.stat().st_mode & 0o777 == 0o600
