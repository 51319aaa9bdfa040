"""A path that is passed at a look is one that a close look lets pass."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.gate import entries
from manent.lint.rules import path_unportable

_GIT = (".git", "a.git", "GIT~1", "gitmod~1", "GI7EBA~1", ".gitmodules", ".git:x", ".git. ")
_KEPT_OUT = ("secrets", "Secrets", "\u017fecrets", "secret", ".manent", ".MANENT", ".g\u200cit")
_ODD = ("", ".", "..", "con", "aux.md", "sp ace", " a", "a.", "x" * 250, "caf\udce9", "a\n", "a:b")
_PARTS = st.sampled_from((*_GIT, *_KEPT_OUT, *_ODD, "a", "b.md"))
_PATHS = st.lists(_PARTS | st.text(max_size=5), min_size=1, max_size=4).map("/".join)


@given(_PATHS)
def test_what_stands_where_nothing_may_is_never_passed_at_a_look(path: str) -> None:
    found = entries.place_fault(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "_ODD", re.compile(""))
        assert entries.place_fault(path) == found


@given(_PATHS)
def test_what_does_not_travel_is_never_passed_at_a_look(path: str) -> None:
    found = path_unportable.fault_of(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_unportable, "_PLAIN", re.compile("(?!)"))
        assert path_unportable.fault_of(path) == found
