"""The lint of one note says what the lint of the whole vault would say of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from random_vaults import contents, slowly, vaults
from vaults import vault_of

from manent.access import OWNER
from manent.finding import Finding, Severity
from manent.gate.carrying import introduced
from manent.gate.notes import Proposal, around
from manent.gate.policy import Policy

STRICT = Policy(strict_content=True, strict_links=True)
PLACES = ("a.md", "memory/b.md", "memory/new.md", "projects/p/c.md", "x.md", "HOME.md", "d.md")


def weighty(found: list[Finding]) -> set[tuple[str, str, str]]:
    return {(f.rule, f.path, f.message) for f in found if f.severity is Severity.ERROR}


@slowly
@given(data=st.data())
def test_one_note_is_judged_as_the_whole_vault_would(data: st.DataObject) -> None:
    files = data.draw(vaults())
    path = data.draw(st.sampled_from(PLACES))
    content = data.draw(contents)
    with tempfile.TemporaryDirectory() as folder:
        vault = vault_of(Path(folder), files)
        edits = {path: content}
        proposal = Proposal(path, content, files.get(path), "", OWNER)
        small = weighty(introduced(around(vault, proposal), edits, STRICT))
        whole = weighty(introduced(vault, edits, STRICT))
    assert {row for row in small if row[1] == path} == {row for row in whole if row[1] == path}
    assert small <= whole, "nothing is said of another note that is not so"
    if path not in files:
        leaks = {row for row in whole if row[0] == "audience-leak"}
        assert leaks <= small, "a new name that opens what others point at is seen"
