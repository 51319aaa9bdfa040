"""Objects read from their files are what git says, or git is asked."""

from __future__ import annotations

import os
import subprocess
import zlib
from pathlib import Path

import pytest

from manent.repo import loose
from manent.repo.command import Git, clean
from manent.repo.objects import Library, MissingObject, Pipe
from manent.repo.open import Repository

PERSON = {
    f"GIT_{who}_{what}": "ada@example.org"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}
CONTENTS = [b"", b"a", b"\0", b"blob 3\0abc", b"x" * 100_000, bytes(range(256)) * 40]


@pytest.fixture
def brain(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r.git")], check=True)
    return tmp_path / "r.git"


def filled(brain: Path) -> list[str]:
    """Put one object of each kind and several blobs there; return their ids."""
    git = Git(str(brain), brain, clean({}))

    def said(*words: str, given: bytes = b"") -> str:
        return git.run(*words, given=given, env=PERSON).decode().strip()

    blobs = [said("hash-object", "-w", "--stdin", given=content) for content in CONTENTS]
    tree = said("mktree", given=f"100644 blob {blobs[1]}\ta note.md\n".encode())
    commit = said("commit-tree", tree, "-m", "one")
    tag = said("mktag", given=_TAG % commit.encode())
    return [*blobs, tree, commit, tag]


_TAG = b"object %s\ntype commit\ntag v1\ntagger Ada <ada@example.org> 0 +0000\n\nsaid\n"


def without_git(brain: Path) -> Pipe:
    """A reader whose git does nothing but fail."""
    program = brain / "bin/git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    git = Git(str(brain), brain, clean({"PATH": str(program.parent)}))
    assert git.program == str(program)
    return Pipe(git, [str(brain / "objects")])


def test_files_say_what_git_says(brain: Path) -> None:
    oids = filled(brain)
    ours, theirs = without_git(brain), Library(brain / "objects")
    asked = Pipe(Git(str(brain), brain, clean({})))
    for oid in oids:
        assert ours.header(oid) == theirs.header(oid) == asked.header(oid)
        assert ours.read(oid) == theirs.read(oid) == asked.read(oid)
    assert list(ours.headers(oids)) == list(theirs.headers(oids))
    assert list(ours.contents(oids)) == list(theirs.contents(oids))
    assert loose.listed(str(brain / "objects"), 100) == sorted(oids)
    asked.close()


def test_what_is_packed_is_asked_of_git(brain: Path) -> None:
    oids = filled(brain)
    git = Git(str(brain), brain, clean({}))
    git.run("update-ref", "refs/tags/v1", oids[-1])
    git.run("repack", "-q", "-a", "-d")
    git.run("prune-packed")
    repository = Repository(brain, None, {}, light=True)
    assert loose.read([str(brain / "objects")], oids[-1]) is None
    assert loose.listed(str(brain / "objects"), 100) is None
    # Some here and some there, in one question.
    mixed = [oids[-1], oids[0], oids[-2], oids[2], oids[-3]]
    want = [Library(brain / "objects").read(oid)[1] for oid in mixed]
    assert list(repository.objects.contents(mixed)) == want
    repository.close()


def test_too_many_are_not_listed(brain: Path) -> None:
    oids = filled(brain)
    assert loose.listed(str(brain / "objects"), len(oids)) == sorted(oids)
    assert loose.listed(str(brain / "objects"), len(oids) - 1) is None


@pytest.mark.parametrize(
    "harm",
    [
        lambda raw: raw[:-5],
        lambda raw: b"",
        lambda raw: b"not packed at all",
        lambda raw: zlib.compress(b"blob 2\0a"),
        lambda raw: zlib.compress(b"blob 1\0b"),
        lambda raw: zlib.compress(b"note 1\0a"),
        lambda raw: zlib.compress(b"blob -1\0a"),
        lambda raw: zlib.compress(b"blob 1a"),
    ],
    ids=[
        "cut",
        "empty",
        "no zlib",
        "another size",
        "another content",
        "no kind",
        "minus",
        "no end",
    ],
)
def test_a_damaged_file_is_left_to_git(brain: Path, harm: object) -> None:
    oid = filled(brain)[1]
    place = brain / "objects" / oid[:2] / oid[2:]
    raw = place.read_bytes()
    os.chmod(place, 0o644)  # noqa: PTH101
    place.write_bytes(harm(raw))  # type: ignore[operator]
    assert loose.read([str(brain / "objects")], oid) is None


def test_the_first_folder_counts_and_an_absent_object_is_missing(brain: Path) -> None:
    oids = filled(brain)
    own = str(brain / "objects")
    assert loose.read(["/nowhere", own], oids[1]) == ("blob", b"a")
    repository = Repository(brain, None, {}, light=True)
    for absent in ("0" * 40, "../../../config", "z" * 40, ""):
        with pytest.raises(MissingObject):
            repository.objects.read(absent)
        with pytest.raises(MissingObject):
            repository.objects.header(absent)
    repository.close()
