"""Laws of reorganizing: what is let through is carried out, what is refused changes nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.errors import ManentError, Refused, UsageError
from manent.links.resolve import fold
from manent.memfile.operations import BACKUP, operations
from manent.memfile.reorganize import reorganized

_PART = st.sampled_from(
    [
        "a.md",
        "A.md",
        "b.md",
        "caf\u00e9.md",
        "cafe\u0301.md",
        "STRASSE.md",
        "straße.md",
        *("sub", "Sub", "", ".", "..", "x" * 236 + ".md", "x" * 260 + ".md", "aux.md", "a:b.md"),
        *(".git", ".Git", "n\n.md"),
    ]
)
_PATH = st.lists(_PART, min_size=1, max_size=3).map("/".join)
_TEXT = st.sampled_from(["", "# A\n", "\udc80"])
_STEP = st.one_of(
    st.fixed_dictionaries({"op": st.just("write_file"), "path": _PATH, "content": _TEXT}),
    st.fixed_dictionaries({"op": st.just("delete_file"), "path": _PATH}),
    st.fixed_dictionaries({"op": st.just("rename_file"), "path": _PATH, "to": _PATH}),
)


def _tree(folder: Path) -> dict[str, bytes | None]:
    """Return everything under a folder but backups; folders count, too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if BACKUP not in path.parts
    }


def _folder(place: str) -> Path:
    folder = Path(place)
    for name in ("a.md", "sub/b.md", "straße.md", "sub/note.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    return folder


@given(st.lists(_STEP, max_size=6))
def test_what_is_judged_fit_is_carried_out(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = _folder(place)
        before = _tree(folder)
        try:
            backup = reorganized(folder, operations(steps), "m")
        except ManentError as said:
            assert isinstance(said, (Refused, UsageError)), said
            assert _tree(folder) == before and not (folder / BACKUP).exists()
            return
        after = _tree(folder)
        assert {n: (backup / n).read_bytes() for n in before if n.endswith(".md")} == {
            n: data for n, data in before.items() if n.endswith(".md")
        }
        assert len({fold(name) for name in after}) == len(after), "two names are one elsewhere"
        assert after["sub/note.txt"] == b"sub/note.txt"


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([("write_file", "")], "no relative path"),
        ([("write_file", " ")], "no relative path"),
        ([("delete_file", "")], "no relative path"),
        ([("rename_file", "a.md", "")], "no relative path"),
        ([("write_file", "A.md")], "clashes with 'a.md'"),
        ([("write_file", "STRASSE.md")], "clashes with 'straße.md'"),
        ([("write_file", "Sub/c.md")], "clashes with 'sub'"),
        ([("write_file", "caf\u00e9.md"), ("write_file", "cafe\u0301.md")], "clashes with"),
        ([("rename_file", "sub/b.md", "A.md")], "clashes with 'a.md'"),
        ([("write_file", "x" * 300 + ".md")], "bytes long"),
        ([("write_file", "d/" * 200 + "x.md")], "bytes long"),
        ([("write_file", "a.md/b.md")], "goes through a file"),
        ([("delete_file", "a.md"), ("write_file", "a.md/b.md")], "goes through a file"),
        ([("write_file", "c.md/d.md"), ("write_file", "c.md")], "is a folder"),
        ([("write_file", ".GIT/x.md")], "left alone"),
        ([("write_file", "aux.md")], "reserves"),
        ([("write_file", "a\nb.md")], "control character"),
        ([("delete_file", "a.md"), ("delete_file", "a.md")], "is not there"),
        ([("rename_file", "a.md", "a.md")], "stands already"),
    ],
)
def test_what_would_fail_halfway_is_refused_before(
    tmp_path: Path, steps: list[tuple[str, ...]], said: str
) -> None:
    folder = _folder(str(tmp_path))
    before = _tree(folder)
    third = {"write_file": {"content": "x"}, "delete_file": {}, "rename_file": {}}
    asked: list[Any] = [{"op": "write_file", "path": "good.md", "content": "x"}]
    for op, path, *to in steps:
        asked.append({"op": op, "path": path, **third[op], **({"to": to[0]} if to else {})})
    with pytest.raises(Refused, match=said):
        reorganized(folder, operations(asked), "m")
    assert _tree(folder) == before and not (folder / BACKUP).exists()


@pytest.mark.parametrize(
    "steps",
    [
        [("rename_file", "a.md", "A.md")],
        [("delete_file", "a.md"), ("write_file", "A.md")],
        [("delete_file", "a.md"), ("write_file", "a.md")],
        [("rename_file", "a.md", "c.md"), ("rename_file", "sub/b.md", "a.md")],
        [("write_file", "new/deep/c.md"), ("rename_file", "new/deep/c.md", "c.md")],
    ],
)
def test_what_works_one_after_the_other_is_let_through(
    tmp_path: Path, steps: list[tuple[str, ...]]
) -> None:
    third = {"write_file": {"content": "x"}, "delete_file": {}, "rename_file": {}}
    asked: list[Any] = [
        {"op": op, "path": path, **third[op], **({"to": to[0]} if to else {})}
        for op, path, *to in steps
    ]
    assert reorganized(_folder(str(tmp_path)), operations(asked), "m").is_dir()


def test_a_step_that_fails_all_the_same_leaves_no_trace(tmp_path: Path) -> None:
    """Where a new file is first written, a folder bars it: no path tells that."""
    folder = _folder(str(tmp_path))
    (folder / ".d.md.manent-new").mkdir()
    before = _tree(folder)
    steps = operations(
        [
            {"op": "write_file", "path": "new/c.md", "content": "x"},
            {"op": "rename_file", "path": "a.md", "to": "A.md"},
            {"op": "delete_file", "path": "sub/b.md"},
            {"op": "write_file", "path": "d.md", "content": "x"},
        ]
    )
    with pytest.raises(OSError):
        reorganized(folder, steps, "m")
    assert _tree(folder) == before
