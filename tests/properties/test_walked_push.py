"""A push of a few objects is walked here, and comes to what git says of it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from random_vaults import applied, edits, slowly, vaults

from manent.repo.incoming import RefUpdate, brought, reached, receiving, strays
from manent.repo.open import Repository
from manent.repo.walked import base_of

_WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def _git(folder: Path, *arguments: str, given: bytes = b"", **variables: str) -> str:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", **variables}
    command = ["git", *_WHO, *arguments]
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def _commit(folder: Path, files: Mapping[str, bytes], *parents: str, **into: str) -> str:
    lines = []
    for path, content in files.items():
        oid = _git(folder, "hash-object", "-w", "--stdin", given=content, **into)
        lines.append(f"100644 {oid}\t".encode() + path.encode("utf-8", "surrogateescape") + b"\0")
    index = {"GIT_INDEX_FILE": str(folder / "drawn"), **into}
    (folder / "drawn").unlink(missing_ok=True)
    _git(folder, "update-index", "-z", "--add", "--index-info", given=b"".join(lines), **index)
    asked = [part for parent in parents for part in ("-p", parent)]
    return _git(
        folder, "commit-tree", _git(folder, "write-tree", **index), *asked, "-m", "s", **into
    )


@slowly
@given(vaults(most=5), st.data(), st.booleans(), st.sampled_from(["line", "merge", "twice"]))
def test_a_walked_push_is_what_git_says(
    files: dict[str, bytes], data: st.DataObject, stray: bool, form: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "brain.git"
        _git(Path(name), "init", "-q", "--bare", "-b", "main", str(folder))
        base = _commit(folder, files)
        _git(folder, "update-ref", "refs/heads/main", base)
        own = folder / "objects"
        incoming = own / "incoming-x"
        incoming.mkdir()
        into = {
            "GIT_OBJECT_DIRECTORY": str(incoming),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(own),
        }
        files = applied(files, data.draw(edits(files)))
        tip = _commit(folder, files, base, **into)
        if form != "line":
            files = applied(files, data.draw(edits(files)))
            tip = _commit(folder, files, *([tip] if form == "twice" else [base, tip]), **into)
        if stray:
            _git(folder, "hash-object", "-w", "--stdin", given=b"led to by nothing", **into)
        repository = receiving(folder, {"PATH": os.environ["PATH"]}, str(incoming))
        try:
            here = brought(repository)
            walked, asked = reached(repository, [tip], here, base), reached(repository, [tip], here)
            assert walked[0] == asked[0]
            left = [strays(repository, set(here) - wanted) for _, wanted in (walked, asked)]
            assert left[0] == left[1] and bool(left[0]) == stray
        finally:
            repository.close()


def test_a_commit_behind_a_link_is_led_to_by_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "brain.git"
    _git(tmp_path, "init", "-q", "--bare", "-b", "main", str(folder))
    base = _commit(folder, {"a.md": b"one"})
    _git(folder, "update-ref", "refs/heads/main", base)
    incoming = folder / "objects/incoming-x"
    incoming.mkdir()
    into = {
        "GIT_OBJECT_DIRECTORY": str(incoming),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(folder / "objects"),
    }
    linked = _commit(folder, {"b.md": b"two"}, **into)
    entry = f"160000 commit {linked}\tsub\n".encode()
    tree = _git(folder, "mktree", "--missing", given=entry, **into)
    tip = _git(folder, "commit-tree", tree, "-p", base, "-m", "s", **into)
    repository = receiving(folder, {"PATH": os.environ["PATH"]}, str(incoming))
    here = brought(repository)
    walked, asked = reached(repository, [tip], here, base), reached(repository, [tip], here)
    assert walked == asked and linked in set(here) - walked[1]
    repository.close()


def test_only_a_branch_whose_commits_were_judged_is_walked(tmp_path: Path) -> None:
    folder = tmp_path / "brain.git"
    _git(tmp_path, "init", "-q", "-b", "main", "--bare", str(folder))
    repository = Repository(folder, None, {}, light=True)
    old, new, none = "1" * 40, "2" * 40, "0" * 40
    moved = RefUpdate(old, new, "refs/heads/main")
    assert base_of(repository, [moved]) == old
    for others in ([], [moved, moved], [RefUpdate(old, none, "refs/heads/main")]):
        assert not base_of(repository, others)
    assert not base_of(repository, [RefUpdate(none, new, "refs/heads/main")])
    assert not base_of(repository, [RefUpdate(old, new, "refs/tags/one")])
    (folder / "manent.judged").write_text(f"{new}\n")
    assert not base_of(repository, [moved])
    (folder / "manent.judged").write_text(f"{new}\n{old}\n")
    assert base_of(repository, [moved]) == old
    repository.close()
