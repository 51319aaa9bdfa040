"""Watching: one call a change, soon, naming what changed; nothing is missed."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from manent.server import watch
from manent.server.layout import Layout
from manent.server.polling import differing, files_of, is_remote
from manent.server.watch import MANY, Changed, Watcher


class Told:
    """Collects what a watcher tells, and when."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, Changed]] = []
        self._more = threading.Condition()
        self.fails = 0

    def __call__(self, changed: Changed) -> None:
        with self._more:
            self.calls.append((time.monotonic(), changed))
            self._more.notify_all()
            if self.fails:
                self.fails -= 1
                raise OSError("no such index")

    @property
    def changes(self) -> list[Changed]:
        return [changed for _, changed in self.calls]

    def until(self, enough: Callable[[list[Changed]], bool], seconds: float = 10.0) -> None:
        """Wait until what was told is enough."""
        with self._more:
            assert self._more.wait_for(lambda: enough(self.changes), seconds), self.changes

    def quiet(self, seconds: float = 0.3) -> list[Changed]:
        """Return what was told once nothing more came for a while."""
        seen = -1
        while seen != len(self.calls):
            seen = len(self.calls)
            time.sleep(seconds)
        return self.changes


def some(changes: list[Changed]) -> bool:
    return bool(changes)


def everything(changes: list[Changed]) -> bool:
    return None in changes


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for folder in ("notes/deep", ".git/refs/heads", ".manent"):
        (root / folder).mkdir(parents=True)
    (root / "notes/a.md").write_text("a")
    (root / "top.md").write_text("top")
    return root


@pytest.fixture(params=["told", "looking"])
def watched(request: pytest.FixtureRequest, vault: Path, told: Told) -> Iterator[Path]:
    """A vault that is watched, in both ways."""
    poll = request.param == "looking"
    with Watcher(told, root=vault, poll=poll, poll_seconds=0.05, beat_seconds=0.5):
        yield vault


# -- one edit -------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["top.md", "notes/a.md", "notes/deep/new.md", "new.md"])
def test_an_edit_is_told_with_its_path(watched: Path, told: Told, path: str) -> None:
    (watched / path).write_text("other")
    told.until(some)
    assert set().union(*(c or {"?"} for c in told.quiet())) == {path}


def test_a_file_put_in_place_of_another_is_told(watched: Path, told: Told) -> None:
    draft = watched / "notes/.a.md.tmp"
    draft.write_text("other")
    draft.replace(watched / "notes/a.md")
    told.until(some)
    assert "notes/a.md" in set().union(*(c or set() for c in told.quiet()))


def test_a_removal_is_told(watched: Path, told: Told) -> None:
    (watched / "notes/a.md").unlink()
    told.until(some)
    assert told.quiet() == [frozenset({"notes/a.md"})]


def test_a_change_of_times_and_modes_alone_is_told(watched: Path, told: Told) -> None:
    (watched / "notes/a.md").chmod(0o600)
    told.until(some)
    assert told.quiet() == [frozenset({"notes/a.md"})]


def test_what_is_derived_or_gits_own_is_not_told(watched: Path, told: Told) -> None:
    (watched / ".git/index").write_text("x")
    (watched / ".manent/index.db").write_text("x")
    (watched / ".git/refs/heads/main").write_text("x")
    assert told.quiet(0.4) == []


def test_reading_is_no_change(watched: Path, told: Told) -> None:
    for file in watched.rglob("*.md"):
        file.read_bytes()
    assert told.quiet(0.4) == []


def test_an_edit_is_told_soon(vault: Path, told: Told) -> None:
    took = []
    with Watcher(told, root=vault):
        for n in range(10):
            told.calls.clear()
            (vault / "notes/a.md").write_text(str(n))
            written = time.monotonic()
            told.until(some)
            took.append(told.calls[0][0] - written)
            told.quiet(0.1)
    assert sorted(took)[5] < 0.06, took


# -- many -----------------------------------------------------------------------------


def test_hundreds_of_files_are_few_calls(vault: Path, told: Told) -> None:
    with Watcher(told, root=vault):
        loop = "for n in $(seq 0 399); do echo x > notes/deep/n$n.md; done"
        subprocess.run(["sh", "-c", loop], cwd=vault, check=True)
        told.until(some)
        changes = told.quiet()
    assert set().union(*(c or set() for c in changes)) == {
        f"notes/deep/n{n}.md" for n in range(400)
    }
    assert len(changes) <= 3


def test_while_git_holds_the_index_its_work_is_one_call(vault: Path, told: Told) -> None:
    lock = vault / ".git/index.lock"
    with Watcher(told, root=vault, git=vault / ".git"):
        lock.touch()
        for n in range(5):
            (vault / f"notes/n{n}.md").write_text("x")
            time.sleep(0.15)
        lock.unlink()
        told.until(some)
        assert told.quiet() == [frozenset(f"notes/n{n}.md" for n in range(5))]


def test_a_lock_that_was_left_behind_holds_up_nothing(vault: Path, told: Told) -> None:
    lock = vault / ".git/index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    with Watcher(told, root=vault, git=vault / ".git"):
        started = time.monotonic()
        (vault / "top.md").write_text("x")
        told.until(some)
        assert time.monotonic() - started < 1
    lock.touch()
    with Watcher(told, root=vault, git=vault / ".git"):
        (vault / "top.md").write_text("y")
        told.until(lambda changes: len(changes) == 2, 5)


def test_a_flood_is_told_as_everything(vault: Path, told: Told) -> None:
    with Watcher(told, root=vault, quiet_seconds=0.3, longest_seconds=20):
        for n in range(MANY + 1):
            (vault / f"notes/n{n}.md").touch()
        told.until(everything)


def test_what_never_settles_is_told_all_the_same(vault: Path, told: Told) -> None:
    with Watcher(told, root=vault, quiet_seconds=0.2, longest_seconds=0.3):
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            (vault / "notes/a.md").write_text(str(time.monotonic()))
            time.sleep(0.02)
        assert len(told.calls) >= 2


def test_what_changes_while_it_is_told_is_told_next(vault: Path) -> None:
    told: list[Changed] = []
    entered, go_on = threading.Event(), threading.Event()

    def slow(changed: Changed) -> None:
        told.append(changed)
        entered.set()
        go_on.wait(10)

    with Watcher(slow, root=vault):
        (vault / "top.md").write_text("1")
        assert entered.wait(10)
        for name in ("b.md", "c.md"):
            (vault / "notes" / name).write_text("1")
            time.sleep(0.1)
        assert len(told) == 1
        go_on.set()
        deadline = time.monotonic() + 10
        while len(told) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert told[1] == frozenset({"notes/b.md", "notes/c.md"})


# -- folders --------------------------------------------------------------------------


def covered(changes: list[Changed], path: str) -> bool:
    return any(change is None or path in change for change in changes)


@pytest.mark.parametrize("where", ["new", "notes/new", "new/very/deep"])
def test_a_new_folder_and_what_comes_into_it_later(watched: Path, told: Told, where: str) -> None:
    (watched / where).mkdir(parents=True)
    (watched / where / "first.md").write_text("x")
    told.until(lambda changes: covered(changes, f"{where}/first.md"))
    told.quiet()
    told.calls.clear()
    (watched / where / "second.md").write_text("x")
    told.until(lambda changes: covered(changes, f"{where}/second.md"))


@pytest.mark.parametrize("where", ["in", "notes/in"])
def test_a_folder_moved_in_from_elsewhere(
    watched: Path, told: Told, tmp_path: Path, where: str
) -> None:
    (tmp_path / "out/deep").mkdir(parents=True)
    (tmp_path / "out/deep/q.md").write_text("q")
    (tmp_path / "out").rename(watched / where)
    told.until(lambda changes: covered(changes, f"{where}/deep/q.md"))
    told.quiet()
    told.calls.clear()
    (watched / where / "deep/q.md").write_text("other")
    told.until(lambda changes: covered(changes, f"{where}/deep/q.md"))


def test_a_folder_that_goes(watched: Path, told: Told) -> None:
    (watched / "notes/deep/x.md").write_text("x")
    told.until(some)
    told.quiet()
    told.calls.clear()
    (watched / "notes/deep").rename(watched.parent / "away")
    told.until(lambda changes: covered(changes, "notes/deep/x.md"))


def test_a_folder_that_goes_and_comes_back(watched: Path, told: Told) -> None:
    shutil.rmtree(watched / "notes")
    (watched / "notes").mkdir()
    told.until(some)
    told.quiet()
    told.calls.clear()
    (watched / "notes/again.md").write_text("x")
    told.until(lambda changes: covered(changes, "notes/again.md"))


def test_a_vault_that_is_replaced_by_another(watched: Path, told: Told) -> None:
    watched.rename(watched.with_name("old"))
    (watched / "notes").mkdir(parents=True)
    (watched / "notes/a.md").write_text("of the other vault")
    told.until(lambda changes: covered(changes, "notes/a.md"))
    told.quiet()
    told.calls.clear()
    (watched / "notes/b.md").write_text("x")
    told.until(lambda changes: covered(changes, "notes/b.md"))


def test_a_name_that_is_no_utf_8(watched: Path, told: Told) -> None:
    name = os.fsencode(watched) + b"/notes/\xff.md"
    with open(name, "wb") as file:
        file.write(b"x")
    told.until(lambda changes: covered(changes, os.fsdecode(b"notes/\xff.md")))
    told.quiet()
    told.calls.clear()
    (watched / "notes/a.md").write_text("still heard")
    told.until(lambda changes: covered(changes, "notes/a.md"))


# -- repositories ---------------------------------------------------------------------


def git(*arguments: str, cwd: Path) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git("init", "-q", "-b", "main", cwd=root)
    (root / "notes").mkdir()
    (root / "notes/a.md").write_text("a")
    git("add", ".", cwd=root)
    git("commit", "-qm", "first", cwd=root)
    return root


@pytest.mark.parametrize("poll", [False, True])
def test_a_commit_is_told_though_no_file_changed(repository: Path, told: Told, poll: bool) -> None:
    (repository / "notes/a.md").write_text("b")
    git("add", ".", cwd=repository)
    with Watcher(told, root=repository, git=repository / ".git", poll=poll, poll_seconds=0.05):
        git("commit", "-qm", "second", cwd=repository)
        told.until(some)
        assert told.quiet()[0] == frozenset()


def test_a_checkout_of_hundreds_of_files_is_one_call(repository: Path, told: Told) -> None:
    git("checkout", "-qb", "other", cwd=repository)
    for n in range(300):
        (repository / f"notes/n{n}.md").write_text("x")
    git("add", ".", cwd=repository)
    git("commit", "-qm", "many", cwd=repository)
    git("checkout", "-q", "main", cwd=repository)
    with Watcher(told, root=repository, git=repository / ".git"):
        git("checkout", "-q", "other", cwd=repository)
        told.until(some)
        changes = told.quiet()
    assert changes == [frozenset(f"notes/n{n}.md" for n in range(300))]


@pytest.fixture
def brain(tmp_path: Path, repository: Path) -> Path:
    bare = tmp_path / "brain.git"
    git("clone", "-q", "--bare", str(repository), str(bare), cwd=tmp_path)
    return bare


@pytest.mark.parametrize("poll", [False, True])
@pytest.mark.parametrize("how", ["push", "update-ref", "pack-refs"])
def test_a_brain_tells_what_moves_its_branch(
    brain: Path, repository: Path, told: Told, how: str, poll: bool
) -> None:
    (repository / "notes/b.md").write_text("b")
    git("add", ".", cwd=repository)
    git("commit", "-qm", "second", cwd=repository)
    if how == "update-ref":
        git("push", "-q", str(brain), "main:refs/kept/second", cwd=repository)
    with Watcher(told, git=brain, poll=poll, poll_seconds=0.05):
        if how == "push":
            git("push", "-q", str(brain), "main", cwd=repository)
        elif how == "update-ref":
            git("update-ref", "refs/heads/main", "refs/kept/second", cwd=brain)
        else:
            git("pack-refs", "--all", cwd=brain)
        told.until(some)
        assert set(told.quiet()) == {None}


def test_a_push_is_one_call(brain: Path, repository: Path, told: Told) -> None:
    for n in range(200):
        (repository / f"notes/n{n}.md").write_text("x")
    git("add", ".", cwd=repository)
    git("commit", "-qm", "many", cwd=repository)
    with Watcher(told, git=brain):
        git("push", "-q", str(brain), "main", cwd=repository)
        told.until(some)
        assert told.quiet() == [None]


def test_a_linked_worktree_moves_with_its_own_head(
    repository: Path, told: Told, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git("worktree", "add", "-q", str(linked), cwd=repository)
    own = repository / ".git/worktrees/linked"
    (linked / "notes/a.md").write_text("b")
    git("add", ".", cwd=linked)
    with Watcher(told, root=linked, git=own, common=repository / ".git"):
        git("commit", "-qm", "second", cwd=linked)
        told.until(some)
        assert told.quiet()[0] == frozenset()


# -- faults ---------------------------------------------------------------------------


def test_a_reload_that_fails_is_tried_again(
    vault: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "RETRY_SECONDS", 0.1)
    said: list[str] = []
    told.fails = 2
    with Watcher(told, root=vault, report=said.append):
        (vault / "top.md").write_text("x")
        told.until(lambda changes: len(changes) == 3)
        assert told.quiet() == [frozenset({"top.md"}), None, None]
    assert said == ["a reload failed (OSError)"] * 2


def test_stopping_is_prompt_and_final(vault: Path, told: Told) -> None:
    watcher = Watcher(told, root=vault).start()
    started = time.monotonic()
    watcher.stop()
    assert time.monotonic() - started < 2
    (vault / "top.md").write_text("x")
    assert told.quiet(0.2) == []
    assert not [t for t in threading.enumerate() if t.name == "manent-watch"]


def test_where_the_system_cannot_watch_the_watcher_looks(vault: Path, told: Told) -> None:
    said: list[str] = []
    watcher = Watcher(told, root=vault, report=said.append, poll_seconds=0.05)
    # A process that may open one more file: a folder can be listed, and nothing listened to.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open(os.devnull) as last:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (last.fileno() + 2, hard))
            watcher.start()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    try:
        (vault / "top.md").write_text("x")
        told.until(some)
    finally:
        watcher.stop()
    assert len(said) == 1 and said[0].endswith("looking instead")


def test_an_idle_watcher_costs_little(vault: Path, told: Told) -> None:
    with Watcher(told, root=vault, git=vault / ".git"):
        before = time.process_time()
        time.sleep(2)
        assert (time.process_time() - before) / 2 < 0.05


# -- looking --------------------------------------------------------------------------


def test_two_looks_tell_what_differs(vault: Path) -> None:
    def nothing(path: str) -> bool:
        return path.startswith((".git", ".manent"))

    before = files_of(vault, nothing)
    assert set(before) == {"top.md", "notes/a.md"}
    (vault / "notes/a.md").write_text("longer")
    (vault / "new.md").write_text("x")
    (vault / "top.md").unlink()
    assert differing(before, files_of(vault, nothing)) == {"notes/a.md", "new.md", "top.md"}


def test_a_remote_file_system_is_known_by_its_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    place = tmp_path / "with blank"
    place.mkdir()
    named = str(place).replace(" ", "\\040")
    mounts.write_text(
        f"1 0 8:1 / / rw - ext4 /dev/x rw\n2 1 0:9 / {named} rw shared:1 - nfs4 host:/x rw\nodd\n"
    )
    assert is_remote(place, mounts) and is_remote(place / "inner", mounts)
    assert not is_remote(tmp_path, mounts)
    assert not is_remote(tmp_path, tmp_path / "absent")


def test_what_a_path_means(vault: Path) -> None:
    layout = Layout(vault, vault / ".git", None, frozenset({".git", ".manent"}))
    meanings = {
        "notes/a.md": "notes/a.md",
        ".git/HEAD": "",
        ".git/refs/heads/topic/x": "",
        ".git/refs/heads/main.lock": None,
        ".git/refs/tags/v1": None,
        ".git/index": None,
        ".manent/x": None,
        "sub/.git/HEAD": None,
    }
    for path, meaning in meanings.items():
        assert layout.meaning(f"{vault}/{path}") == meaning, path
    assert layout.meaning("/elsewhere/a.md") is None
    assert layout.meaning(f"{vault}2/a.md") is None


@pytest.mark.parametrize("where", [b"\xff", b"notes/\xff", b"notes/\xff/deep"])
def test_a_folder_whose_name_is_no_utf_8_was_there_before(
    vault: Path, told: Told, where: bytes
) -> None:
    folder = os.fsencode(vault) + b"/" + where
    Path(os.fsdecode(folder)).mkdir(parents=True)
    with open(folder + b"/a.md", "w") as file:
        file.write("x")
    with Watcher(told, root=vault, poll_seconds=0.05):
        (vault / "notes/a.md").write_text("other")
        told.until(lambda changes: covered(changes, "notes/a.md"))
        told.quiet()
        told.calls.clear()
        with open(folder + b"/a.md", "w") as file:
            file.write("longer than before")
        told.until(lambda changes: covered(changes, os.fsdecode(where + b"/a.md")))
