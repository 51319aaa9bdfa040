"""A bundle gives what the repository gives, byte for byte, or nothing at all."""

from __future__ import annotations

import http.server
import io
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bundled import KEY, OTHER, brain_of, git, indexed, opened, published, served_of, stored, taken
from hypothesis import given
from hypothesis import strategies as st
from random_vaults import applied, edits, slowly, vaults
from vaults import note

from manent.access import OWNER, Identity, View
from manent.errors import EnvironmentFault, UsageError
from manent.server.answer import Answer
from manent.server.brain import Brain
from manent.server.bundle import contents, source
from manent.server.bundle.making import KEPT, Publisher
from manent.server.bundle.sealed import (
    LONGEST_LINE,
    Bundle,
    Unsound,
    Writer,
    name_of,
    verified,
)
from manent.server.bundle.source import Site, source_of
from manent.server.dispatch import Dispatcher, Parts
from manent.server.identities import read_secret
from manent.server.served import Served

TEAM = Identity("tide", frozenset({"team"}))
FILES = {
    "memory/open.md": note("open", "# Part\nThe quay, [[closed]].", audience="[team]").encode(),
    "memory/closed.md": note("closed", "The lantern.", audience="[ops]").encode(),
    "memory/own.md": note("own", "Rope, see [[open#Part]].").encode(),
}


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, Path, Served]:
    """A brain, the folder with its bundle, and a replica that has nothing yet."""
    brain = brain_of(tmp_path, [FILES])
    one = served_of(brain, tmp_path / "one")
    indexed(one, tip(brain)).store.close()
    published(one, tmp_path / "pub", tip(brain))
    return brain, tmp_path / "pub", served_of(brain, tmp_path / "two")


def tip(brain: Path) -> str:
    return git(brain, "rev-parse", "main")


def only(folder: Path) -> Path:
    (found,) = folder.glob("*.bundle")
    return found


def is_empty(served: Served) -> bool:
    vault = opened(served)
    try:
        return vault.is_empty
    finally:
        vault.store.close()


def readers(served: Served) -> dict[str, str]:
    vault = opened(served)
    try:
        return {found.name: found.readers for found in vault.notes()}
    finally:
        vault.store.close()


def answers(served: Served, identity: Identity) -> list[str]:
    """What an identity gets of the tools that read, from stores that are brought up."""
    brain = Brain(served)
    try:
        brain.start().result()
        asks: list[tuple[str, dict[str, Any]]] = [
            ("brain_list", {}),
            ("brain_search", {"query": "quay lantern rope part"}),
            ("brain_grep", {"pattern": "a"}),
            ("brain_graph", {"name": "own"}),
            ("brain_neighbors", {"name": "open"}),
            ("brain_read", {"name": "closed"}),
        ]
        parts = Parts()
        parts.key = b"k" * 32
        dispatcher, said = Dispatcher(brain, parts), []
        for tool, arguments in asks:
            found = dispatcher.call(identity, tool, arguments)
            assert isinstance(found, Answer)
            document = {k: v for k, v in found.document.items() if k != "searchId"}
            said.append(json.dumps([found.failed, document]))
        return said
    finally:
        brain.close()


class TestWhatIsTaken:
    @slowly
    @given(data=st.data())
    def test_is_what_the_repository_gives(
        self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
    ) -> None:
        root = tmp_path_factory.mktemp("bundles")
        before = data.draw(vaults())
        after = applied(before, data.draw(edits(before)))
        brain = brain_of(root, [before, after])
        one, two, three = (served_of(brain, root / name) for name in ("one", "two", "three"))
        # Documents of the publisher have numbers of their own: its stores have a past.
        indexed(one, git(brain, "rev-parse", "main~1"), tip(brain), model="hash").store.close()
        published(one, root / "pub", tip(brain))
        assert taken(two, str(root / "pub"))[0]
        indexed(two, model="hash").store.close()
        indexed(three, tip(brain), model="hash").store.close()
        assert stored(two) == stored(three)

    def test_nothing_is_left_to_make(self, tmp_path: Path) -> None:
        brain = brain_of(tmp_path, [FILES])
        one, two = served_of(brain, tmp_path / "one"), served_of(brain, tmp_path / "two")
        indexed(one, tip(brain), model="hash").store.close()
        assert published(one, tmp_path / "pub", tip(brain)).vectors == 3
        done, told = taken(two, str(tmp_path / "pub"))
        assert done and told == [("bundle-taken", "")]
        assert stored(two) == stored(one)

    def test_answers_are_those_of_a_rebuild(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, two = made
        assert taken(two, str(folder))[0]
        three = served_of(brain, two.state.parent / "three")
        for identity in (OWNER, TEAM):
            assert answers(two, identity) == answers(three, identity)

    def test_one_of_a_commit_before_serves_too(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, two = made
        work = brain.parent / "work"
        (work / "memory/new.md").write_text(note("new", "Zanzibar."))
        (
            git(work, "add", "."),
            git(work, "commit", "-qm", "new"),
            git(work, "push", "-q", "../brain.git", "main"),
        )
        assert taken(two, str(folder))[0]
        assert set(readers(two)) == {"open", "closed", "own"}
        three = served_of(brain, brain.parent / "three")
        assert answers(two, OWNER) == answers(three, OWNER)
        assert "new" in readers(two)

    def test_stores_that_stand_are_left_alone(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, two = made
        indexed(two, tip(brain)).store.close()
        before = stored(two)
        assert taken(two, str(folder)) == (False, [])
        assert stored(two) == before


class TestWhoMayRead:
    def test_a_bundle_names_no_audience(self, made: tuple[Path, Path, Served]) -> None:
        file = only(made[1])
        with file.open("rb") as opened_:
            bundle = verified(opened_, KEY, file.name)
            whole = b"".join(b"".join(bundle.blocks(part)) for part in bundle.parts)
        assert b"audience" not in whole and b"team" not in whole and b"ops" not in whole

    def test_a_signed_lie_opens_nothing(self, made: tuple[Path, Path, Served]) -> None:
        """Everything in it was made from notes that name another audience."""
        brain, folder, two = made
        lies = {path: text.replace(b"[ops]", b"[team]") for path, text in FILES.items()}
        lies["memory/own.md"] = note("own", "Rope, see [[open#Part]].", audience="[team]").encode()
        liar = brain_of(two.state.parent / "liar", [lies])
        one = served_of(liar, two.state.parent / "lies")
        indexed(one, tip(liar)).store.close()
        forged(published(one, two.state.parent / "forged", tip(liar)).path, folder, brain)
        done, told = taken(two, str(folder))
        assert done, told
        assert readers(two) == {"open": "team", "closed": "ops", "own": ""}
        vault = opened(two)
        assert [found.name for found in View(vault, TEAM).notes()] == ["open"]
        vault.store.close()
        three = served_of(brain, brain.parent / "three")
        assert answers(two, TEAM) == answers(three, TEAM)

    @pytest.mark.parametrize(
        "row",
        [
            ["x"],
            {"a": 1},
            ["0" * 40, [[], [], [], [], 0, 0], ["label"], {"audience": ["team"]}],
            ["0" * 40, [[[99, "t", "", "", "", 1, 1]], [], [], [], 0, 0], []],
            ["0" * 40, [[], [[1, 2, 3, 4]], [], [], 0, 0], []],
            ["0" * 40, [[], [], [], [], True, 0], []],
            ["0" * 40, [[], [], [], [], 0, 0], [1]],
        ],
    )
    def test_facts_of_another_shape_are_refused(
        self, made: tuple[Path, Path, Served], row: Any
    ) -> None:
        _brain, folder, two = made
        file = only(folder)
        resigned(file, {contents.FACTS: json.dumps(row).encode() + b"\n"})
        done, told = taken(two, str(folder))
        assert not done and is_empty(two)
        assert told[0][0] == "bundle-refused" and len(told) == 1


def forged(lie: Path, folder: Path, brain: Path) -> None:
    """Sign the parts of one bundle under the name and the blob ids of another's tree."""
    true = only(folder)
    with lie.open("rb") as file, true.open("rb") as other:
        lying, honest = verified(file, KEY, lie.name), verified(other, KEY, true.name)
        ids = [json.loads(line)[0] for line in honest.lines(contents.FACTS)]
        paths = ["memory/closed.md", "memory/open.md", "memory/own.md"]
        own = {p: git(brain, "rev-parse", f"main:{p}") for p in paths}
        theirs = {git(lie.parent.parent / "liar/work", "rev-parse", f"main:{p}"): p for p in paths}
        rows = [json.loads(line) for line in lying.lines(contents.FACTS)]
        facts = [[own[theirs[oid]], *rest] for oid, *rest in rows]
        assert sorted(row[0] for row in facts) == sorted(ids)
        parts = {part: b"".join(lying.blocks(part)) for part in lying.parts}
        parts[contents.FACTS] = b"".join(json.dumps(row).encode() + b"\n" for row in facts)
        table = dict(honest.table)
    table.pop("parts")
    sign(true, table, parts)


def resigned(file: Path, changed: dict[str, bytes], **said: Any) -> None:
    """Sign a bundle again, with some of its parts or of what it says replaced."""
    with file.open("rb") as opened_:
        bundle = verified(opened_, KEY, file.name)
        parts = {part: b"".join(bundle.blocks(part)) for part in bundle.parts} | changed
        table = {**bundle.table, **said}
    table.pop("parts")
    sign(file, table, parts)


def sign(file: Path, table: dict[str, Any], parts: dict[str, bytes]) -> None:
    with file.open("wb") as written:
        writer = Writer(written, KEY, file.name)
        for name, content in parts.items():
            writer.part(name, iter([content]))
        writer.close(**table)


class TestWhatIsRefused:
    def refused(self, made: tuple[Path, Path, Served], key: bytes = KEY) -> str:
        """Nothing is taken, one line says why, and the repository gives all there is."""
        brain, folder, two = made
        done, told = taken(two, str(folder), key)
        assert not done and len(told) == 1 and is_empty(two)
        assert told[0][0] in ("bundle-refused", "bundle-missing")
        assert not list((two.state).glob("tmp*"))
        three = served_of(brain, brain.parent / "three")
        assert answers(two, TEAM) == answers(three, TEAM)
        return told[0][1]

    def test_another_key(self, made: tuple[Path, Path, Served]) -> None:
        assert "signed" in self.refused(made, OTHER)

    def test_another_trees_under_this_ones_name(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, _two = made
        file = only(folder)
        other = brain_of(brain.parent / "other", [{"a.md": note("a", audience="[team]").encode()}])
        one = served_of(other, brain.parent / "other-state")
        indexed(one, tip(other)).store.close()
        published(one, brain.parent / "other-pub", tip(other)).path.replace(file)
        assert "under this name" in self.refused(made)

    def test_an_older_format(self, made: tuple[Path, Path, Served]) -> None:
        file = only(made[1])
        resigned(file, {}, made={"parser": "0"})
        assert "another version" in self.refused(made)

    def test_a_table_of_another_tree(self, made: tuple[Path, Path, Served]) -> None:
        resigned(only(made[1]), {}, tree="0" * 40)
        assert "another tree" in self.refused(made)

    @pytest.mark.parametrize("part", ["index-0", "facts"])
    def test_a_part_that_is_none(self, made: tuple[Path, Path, Served], part: str) -> None:
        brain, folder, two = made
        resigned(only(folder), {part: b"\0garbage\n"})
        done, told = taken(two, str(folder))
        assert not done and told[0][0] == "bundle-refused"
        three = served_of(brain, brain.parent / "three")
        assert answers(two, TEAM) == answers(three, TEAM)

    def test_an_index_of_other_documents(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, two = made
        resigned(only(folder), {}, listing="0" * 64)
        assert taken(two, str(folder))[0]
        assert not (two.state / "search").exists()
        three = served_of(brain, brain.parent / "three")
        assert answers(two, OWNER) == answers(three, OWNER)

    def test_a_pipe(self, made: tuple[Path, Path, Served]) -> None:
        file = only(made[1])
        file.unlink()
        os.mkfifo(file)
        assert "no file" in self.refused(made)

    def test_one_that_is_larger_than_any(
        self, made: tuple[Path, Path, Served], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(source, "LARGEST_BYTES", 100)
        assert "larger" in self.refused(made)

    def test_a_folder_that_is_not_there(self, made: tuple[Path, Path, Served]) -> None:
        only(made[1]).unlink()
        assert "no bundle" in self.refused(made)

    @slowly
    @given(data=st.data())
    def test_a_byte_more_less_or_other_is_seen_before_anything_is_read(
        self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
    ) -> None:
        whole = _signed()
        kind = data.draw(st.sampled_from(["cut", "flip", "more"]))
        at = data.draw(st.integers(0, len(whole) - 1))
        if kind == "cut":
            spoilt = whole[:at]
        elif kind == "more":
            spoilt = whole[:at] + b"\0" + whole[at:]
        else:
            spoilt = (
                whole[:at]
                + bytes([whole[at] ^ (1 << data.draw(st.integers(0, 7)))])
                + whole[at + 1 :]
            )
        with pytest.raises(Unsound, match=r"signed|too short"):
            verified(io.BytesIO(spoilt), KEY, "a.bundle")

    @pytest.mark.parametrize(
        "said", [{"parts": 5}, {"parts": {"a": [1, -1, 5]}}, {"parts": {"a": [True, 1, 5]}}]
    )
    def test_a_table_of_another_shape(self, said: Any) -> None:
        written = io.BytesIO()
        writer = Writer(written, KEY, "a.bundle")
        writer._parts = said["parts"]
        writer.close()
        with pytest.raises(Unsound, match="table"):
            verified(written, KEY, "a.bundle")

    def test_a_part_that_unfolds_to_more_than_it_says(self) -> None:
        written = io.BytesIO()
        writer = Writer(written, KEY, "a.bundle")
        writer.part("bomb", iter([b"\0" * 50_000_000]))
        writer._parts["bomb"][2] = 1_000
        writer.close()
        bundle = verified(written, KEY, "a.bundle")
        with pytest.raises(Unsound, match="longer"):
            list(bundle.blocks("bomb"))

    @given(st.lists(st.tuples(st.integers(0, 2_500_000), st.booleans()), min_size=1, max_size=6))
    def test_lines_are_cut_as_they_were_written(self, rows: list[tuple[int, bool]]) -> None:
        text = b"".join(b"x" * size + b"\n" * end for size, end in rows)
        cut = text.split(b"\n")
        assert list(self.bundle(text).lines("facts")) == cut[: None if cut[-1] else -1]

    def test_a_line_without_an_end(self) -> None:
        bundle = self.bundle(b"x" * (LONGEST_LINE + (1 << 20)))
        with pytest.raises(Unsound, match="longer than any"):
            list(bundle.lines("facts"))

    def bundle(self, text: bytes) -> Bundle:
        written = io.BytesIO()
        writer = Writer(written, KEY, "a.bundle")
        writer.part("facts", iter([text]))
        writer.close()
        return verified(written, KEY, "a.bundle")


def _signed() -> bytes:
    written = io.BytesIO()
    writer = Writer(written, KEY, "a.bundle")
    writer.part("facts", iter([b"one\n", b"two\n"]))
    writer.close(tree="t")
    return written.getvalue()


def test_the_name_says_tree_format_and_versions() -> None:
    one = name_of("a" * 40, {"parser": "1"})
    assert one.startswith("a" * 40 + ".1-") and one.endswith(".bundle")
    assert one != name_of("a" * 40, {"parser": "2"})


class TestTheKey:
    def test_is_long_and_for_few_eyes(self, tmp_path: Path) -> None:
        file = tmp_path / "key"
        file.write_text("short\n")
        file.chmod(0o600)
        with pytest.raises(UsageError, match="key must have at least 16"):
            read_secret(file, "file of the bundles' key", "key")
        file.write_text("k" * 16 + "\n")
        assert read_secret(file, "file of the bundles' key", "key") == "k" * 16
        file.chmod(0o604)
        with pytest.raises(EnvironmentFault, match="open to everybody"):
            read_secret(file, "file of the bundles' key", "key")


class TestPublishing:
    def test_what_stands_is_not_made_again(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, _ = made
        one = served_of(brain, brain.parent / "one")
        before = only(folder).stat()
        assert not published(one, folder, tip(brain)).made
        assert only(folder).stat() == before
        only(folder).write_bytes(b"spoilt")
        assert published(one, folder, tip(brain)).made
        assert published(one, folder, tip(brain), OTHER).made, "the deployment has a new key"

    def test_vectors_that_came_since_are_taken_along(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, _ = made
        one = served_of(brain, brain.parent / "one")
        indexed(one, model="hash").store.close()
        again = published(one, folder, tip(brain))
        assert again.made and again.vectors == 3

    def test_nobody_else_may_read_one(self, made: tuple[Path, Path, Served]) -> None:
        assert only(made[1]).stat().st_mode & 0o007 == 0

    def test_the_newest_stay(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, _ = made
        one = served_of(brain, brain.parent / "one")
        old = []
        for number in range(KEPT + 1):
            old.append(folder / f"{number:040x}.1-{'0' * 12}.bundle")
            old[-1].write_bytes(b"")
            os.utime(old[-1], (time.time(), time.time() - 1000 + number))
        (folder / "other.txt").write_text("stays")
        only_one = next(p for p in folder.glob("*.bundle") if p not in old)
        only_one.unlink()
        published(one, folder, tip(brain))
        left = set(folder.glob("*.bundle"))
        assert left == {only_one, *old[-(KEPT - 1) :]} and (folder / "other.txt").exists()

    def test_what_a_killed_one_left_goes(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, _ = made
        one = served_of(brain, brain.parent / "one")
        (one.state / "bundle-left").mkdir()
        half = folder / f".{only(folder).name}.0123abcd"
        half.write_bytes(b"half")
        os.utime(half, (0, 0))
        only(folder).unlink()
        published(one, folder, tip(brain))
        assert not (one.state / "bundle-left").exists() and not half.exists()
        assert not list(one.state.glob("bundle-*"))

    def test_a_folder_that_is_not_there_is_said(self, made: tuple[Path, Path, Served]) -> None:
        done, told = taken(made[2], str(made[0].parent / "mistyped"))
        assert not done and "folder of bundles is not there" in told[0][1]

    def test_a_place_that_takes_nothing(self, made: tuple[Path, Path, Served]) -> None:
        brain, _, _ = made
        one = served_of(brain, brain.parent / "one")
        (brain.parent / "file").write_text("")
        with pytest.raises(EnvironmentFault, match="cannot be kept"):
            published(one, brain.parent / "file" / "pub", tip(brain))
        assert Publisher(one.state, brain.parent / "file", KEY).processes == 1


@contextmanager
def site(folder: Path, answer: Any = None) -> Iterator[str]:
    """A plain web server over a folder. answer: what it does instead."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given_: Any) -> None:
            super().__init__(*given_, directory=str(folder))

        def do_GET(self) -> None:
            super().do_GET() if answer is None else answer(self)

        def log_message(self, *_: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def drip(handler: Any, drops: bytes) -> None:
    """Say something ten times a second, for longer than anybody may wait for the rest."""
    for _ in range(200):
        try:
            handler.wfile.write(drops)
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.1)


class TestOverHttp:
    def test_a_plain_folder_is_enough(self, made: tuple[Path, Path, Served]) -> None:
        brain, folder, two = made
        with site(folder) as url:
            assert taken(two, url + "/")[0]
        three = served_of(brain, brain.parent / "three")
        indexed(three, tip(brain)).store.close()
        assert stored(two) == stored(three)

    @pytest.mark.parametrize("status", [301, 302, 307, 403, 500, 204])
    def test_other_answers_are_none(self, made: tuple[Path, Path, Served], status: int) -> None:
        _brain, folder, two = made

        with site(folder) as true:

            def answer(handler: Any) -> None:
                handler.send_response(status)
                handler.send_header("Location", f"{true}{handler.path}")
                handler.end_headers()

            with site(folder, answer) as url:
                done, told = taken(two, url)
        assert not done and told[0][0] == "bundle-missing" and str(status) in told[0][1]

    def test_one_that_breaks_off(self, made: tuple[Path, Path, Served]) -> None:
        _brain, folder, two = made
        whole = only(folder).read_bytes()

        def answer(handler: Any) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(whole)))
            handler.end_headers()
            handler.wfile.write(whole[: len(whole) // 2])

        with site(folder, answer) as url:
            done, told = taken(two, url)
        assert not done and len(told) == 1 and is_empty(two)
        assert "breaks off" in told[0][1]

    @pytest.mark.parametrize("drips", [b"x", b"HTTP/1.1 100 Continue\r\n\r\n"])
    def test_one_that_never_comes_to_its_answer(
        self, made: tuple[Path, Path, Served], monkeypatch: pytest.MonkeyPatch, drips: bytes
    ) -> None:
        monkeypatch.setattr(source, "WHOLE_SECONDS", 0.5)
        _brain, folder, two = made

        def answer(handler: Any) -> None:
            handler.wfile.write(b"" if len(drips) > 1 else b"HTTP/1.1 200 OK\r\nA: ")
            drip(handler, drips)

        with site(folder, answer) as url:
            began = time.monotonic()
            done, told = taken(two, url)
        assert not done and time.monotonic() - began < 5 and "takes too long" in told[0][1]

    def test_one_that_drips(
        self, made: tuple[Path, Path, Served], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(source, "WHOLE_SECONDS", 0.5)
        _brain, folder, two = made

        def answer(handler: Any) -> None:
            handler.send_response(200)
            handler.end_headers()
            drip(handler, b"x")

        with site(folder, answer) as url:
            began = time.monotonic()
            done, told = taken(two, url)
        assert not done and time.monotonic() - began < 5 and "long" in told[0][1]

    def test_nobody_there(self, made: tuple[Path, Path, Served]) -> None:
        with site(made[1]) as url:
            pass
        done, told = taken(made[2], url)
        assert not done and "cannot be asked" in told[0][1]

    @pytest.mark.parametrize(
        "text", ["ftp://host/x", "file:///etc", "https://", "https://u:p@host/x", "https://h/?q=1"]
    )
    def test_other_addresses_are_refused(self, text: str) -> None:
        with pytest.raises(UsageError):
            source_of(text)
        assert source_of("https://host/x/") == Site("https://host/x")
