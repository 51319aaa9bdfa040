"""The store of vectors: what was added is found, by every process, whatever is broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from manent.errors import StoreDamaged
from manent.search.texts import TextKeys
from manent.search.vectors import VectorStore, folder_of, key_of, open_store

WIDTH = 4


def rows_of(*numbers: int) -> NDArray[np.float32]:
    return np.array([[n, n + 1, n + 2, n + 3] for n in numbers], np.float32)


def keys_of(*numbers: int) -> list[bytes]:
    return [key_of(str(n)) for n in numbers]


def filled(parent: Path, *numbers: int, model: str = "m") -> VectorStore:
    store = open_store(parent, model, WIDTH)
    store.add(keys_of(*numbers), rows_of(*numbers))
    return store


def holds(store: VectorStore, *numbers: int) -> bool:
    places = store.find(keys_of(*numbers))
    return bool((places >= 0).all()) and bool(np.array_equal(store.rows[places], rows_of(*numbers)))


@given(st.lists(st.lists(st.integers(0, 40), max_size=8), max_size=8), st.booleans())
@settings(max_examples=40, deadline=None)
def test_what_was_added_is_found_once(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[int]], on_disk: bool
) -> None:
    parent = tmp_path_factory.mktemp("vectors") if on_disk else None
    store = open_store(parent, "m", WIDTH)
    everything: set[int] = set()
    for batch in batches:
        store.add(keys_of(*batch), rows_of(*batch).reshape(-1, WIDTH))
        everything |= set(batch)
    for again in (store, open_store(parent, "m", WIDTH)) if on_disk else (store,):
        assert holds(again, *everything) if everything else len(again) == 0
        assert len(again) == again.size == len(everything)
        assert (again.find(keys_of(99)) == -1).all()


def test_a_reader_sees_what_another_wrote_at_its_next_look(tmp_path: Path) -> None:
    reader = open_store(tmp_path, "m", WIDTH)
    filled(tmp_path, 1, 2)
    assert len(reader) == 0
    assert reader.refresh() and holds(reader, 1, 2)
    assert not reader.refresh()


def test_models_do_not_share(tmp_path: Path) -> None:
    filled(tmp_path, 1, model="a")
    other = filled(tmp_path, 2, model="A")
    assert not holds(other, 1)
    assert holds(open_store(tmp_path, "a", WIDTH), 1)
    assert folder_of(tmp_path, "a/b") != folder_of(tmp_path, "a-b")
    assert folder_of(tmp_path, "../../x").parent == tmp_path


@pytest.mark.parametrize("kind", ["rows", "keys"])
@pytest.mark.parametrize("cut", [1, 7, 16, 19, 20, 21, 31])
def test_what_a_crash_cut_short_was_never_there(tmp_path: Path, kind: str, cut: int) -> None:
    store = filled(tmp_path, 1, 2, 3)
    assert store.folder is not None
    path = store.folder / f"0.{kind}"
    path.write_bytes(path.read_bytes()[:-cut])
    again = open_store(tmp_path, "m", WIDTH)
    assert holds(again, 1) and not holds(again, 3)
    again.add(keys_of(2, 3, 4), rows_of(2, 3, 4))
    assert holds(again, 1, 2, 3, 4)
    assert holds(open_store(tmp_path, "m", WIDTH), 1, 2, 3, 4)


def test_a_changed_row_is_forgotten_and_made_again(tmp_path: Path) -> None:
    store = filled(tmp_path, 1, 2, 3)
    assert store.folder is not None
    path = store.folder / "0.rows"
    data = bytearray(path.read_bytes())
    data[5 + 4 * WIDTH] ^= 1
    path.write_bytes(data)
    again = open_store(tmp_path, "m", WIDTH)
    assert holds(again, 1) and holds(again, 3) and again.find(keys_of(2))[0] == -1
    again.add(keys_of(2), rows_of(2))
    assert holds(open_store(tmp_path, "m", WIDTH), 1, 2, 3)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format":9}', "\x00"])
def test_a_store_that_cannot_be_read_is_begun_anew(tmp_path: Path, text: str) -> None:
    store = filled(tmp_path, 1)
    assert store.folder is not None
    (store.folder / "current.json").write_text(text)
    with pytest.raises(StoreDamaged):
        VectorStore(store.folder, "m", WIDTH)
    again = open_store(tmp_path, "m", WIDTH)
    assert len(again) == 0
    again.add(keys_of(1), rows_of(1))
    assert holds(open_store(tmp_path, "m", WIDTH), 1)


def test_files_that_are_gone_are_damage_that_mends_itself(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    assert store.folder is not None
    (store.folder / "0.keys").unlink()
    assert len(open_store(tmp_path, "m", WIDTH)) == 0


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder_of(tmp_path, "m").symlink_to(elsewhere)
    store = filled(tmp_path, 1)
    assert store.folder is None and holds(store, 1)
    assert list(elsewhere.iterdir()) == []


def test_compacting_keeps_what_is_wanted_and_what_others_read(tmp_path: Path) -> None:
    store = filled(tmp_path, *range(50))
    reader = open_store(tmp_path, "m", WIDTH)
    before = reader.rows
    assert store.compact(keys_of(3, 40, 77)) == 48
    assert len(store) == store.size == 2 and holds(store, 3, 40)
    assert np.array_equal(before, rows_of(*range(50)))
    assert reader.refresh() and holds(reader, 3, 40) and reader.size == 2
    reader.add(keys_of(5), rows_of(5))
    assert store.refresh() and holds(store, 3, 5, 40)
    assert store.folder is not None
    assert {p.name for p in store.folder.iterdir()} == {"1.rows", "1.keys", "current.json", "lock"}


def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import numpy as np;"
        "from manent.search.vectors import open_store, key_of;"
        "s = open_store(Path(sys.argv[1]), 'm', 4); first = int(sys.argv[2]);\n"
        "for n in range(first, first + 30):\n"
        "    s.add([key_of(str(n))], np.array([[n, n + 1, n + 2, n + 3]], np.float32))\n"
        "    if n % 10 == 5: s.compact(list(s._place))\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(first)])
        for first in (0, 15, 100)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    store = open_store(tmp_path, "m", WIDTH)
    assert holds(store, *range(45), *range(100, 130))
    assert store.size == 75


def test_a_detached_store_has_the_same_vectors(tmp_path: Path) -> None:
    held = filled(tmp_path, 1, 2).detached()
    held.add(keys_of(3), rows_of(3))
    assert holds(held, 1, 2, 3) and held.folder is None
    assert not holds(open_store(tmp_path, "m", WIDTH), 3)


@given(st.dictionaries(st.integers(0, 2**62), st.binary(min_size=16, max_size=16), max_size=20))
@settings(max_examples=30, deadline=None)
def test_keys_of_documents_are_remembered(
    tmp_path_factory: pytest.TempPathFactory, keys: dict[int, bytes]
) -> None:
    path = tmp_path_factory.mktemp("texts") / "documents"
    TextKeys(path).learn(keys)
    assert TextKeys(path).by_doc == keys


def test_torn_and_changed_records_teach_nothing(tmp_path: Path) -> None:
    path = tmp_path / "documents"
    whole = dict(enumerate(keys_of(*range(5))))
    TextKeys(path).learn(whole)
    data = bytearray(path.read_bytes())
    data[30] ^= 1
    path.write_bytes(data[:-3])
    known = TextKeys(path)
    assert known.by_doc == {n: whole[n] for n in (0, 2, 3)}
    known.learn({1: whole[1], 4: whole[4]})
    assert TextKeys(path).by_doc == whole


def test_forgetting_is_seen_by_whoever_read_more(tmp_path: Path) -> None:
    path = tmp_path / "documents"
    first, second = TextKeys(path), TextKeys(path)
    first.learn(dict(enumerate(keys_of(*range(9)))))
    second.refresh()
    first.forget_all_but({3})
    second.learn({20: key_of("20")})
    assert TextKeys(path).by_doc == {3: key_of("3"), 20: key_of("20")}
