"""Whatever is typed, `manent journal` answers: an exit code, and at most one line of complaint."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from manent.journal.command import run
from manent.journal.verbs import VERBS

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
WORDS = st.one_of(
    st.sampled_from([*VERBS, "nap", "0-1", "2-3", "0-3", "1", "4", "WAKE_LINES=2", "PART_CHARS=1",
                     "--json", "--batch", "--help", "--settle", "--", "--dir", "-", "x.txt",
                     "<your line>", "WAKE_LINES=", "(", "[", "\udcff", "9" * 30]),
    st.text(max_size=12).filter(lambda text: "\0" not in text),
)  # fmt: skip
NO_COMMITS = ("--commit", "--install")


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=8),
    st.binary(max_size=400),
)
@settings(max_examples=150, deadline=None)
def test_any_words_get_an_answer(calls: list[list[str]], stdin: bytes) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        folder = Path(scratch) / "journal"
        environ = {"MEMORY_DIR": str(folder), "PATH": "/usr/bin:/bin", "HOME": scratch}
        assert run(["init"], environ, io.BytesIO(), io.BytesIO(), io.BytesIO()) == 0
        for words in (word for word in calls if not set(word) & {"--dir", "merge", *NO_COMMITS}):
            out, err = io.BytesIO(), io.BytesIO()
            code = run(words, environ, io.BytesIO(stdin), out, err, "2026-11-30", "manent")
            assert code in (0, 1, 2), words
            assert err.getvalue().count(b"\n") == (1 if err.getvalue() else 0), words
            assert (folder / "LOG.txt").stat().st_size % 320 == 0
        out = io.BytesIO()
        code = run(["verify"], environ, io.BytesIO(), out, io.BytesIO())
        assert code == 0, out.getvalue()
