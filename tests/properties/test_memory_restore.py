"""Compile keeps every byte: what is put together again is what was taken apart."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from memories import MEMORY, compiled

from manent.memfile import restore, workspace
from manent.memfile.compile import Options
from manent.memfile.document import encoded
from manent.memfile.pieces import moved, rebuilt
from manent.memfile.update import updated

_LINES = st.sampled_from(
    [
        "# Title",
        "## Testing",
        "## Hard rules",
        "### Status",
        "## Changelog",
        "Setext",
        "======",
        "---",
        "- 2026-01-02: shipped",
        "  continued",
        "- Never do this.",
        "```",
        "~~~ sh",
        "| a | b |",
        "|---|---|",
        "<!-- manent:memory begin -->",
        "<!-- manent:memory end -->",
        "<details>",
        "@docs/style.md",
        "text with spaces   ",
        "\ttabbed",
        "",
        "",
        "è ü 漢字 \U0001f600",
        "\x0c form feed \x85 \u2028 in a line",
        "\udcff\udcfe",
    ]
)
_ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
_TEXTS = st.builds(
    lambda bom, lines, last: bom + "".join(a + b for a, b in lines) + last,
    st.sampled_from(["", "\ufeff"]),
    st.lists(st.tuples(_LINES, _ENDS), max_size=30),
    st.sampled_from(["", "no line end", "## Last"]),
)
_BYTES = st.one_of(_TEXTS.map(encoded), st.binary(max_size=200))
_SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@_SETTINGS
@given(_BYTES, st.sampled_from([1, 120, 400, 2000]), st.booleans())
@example(b"", 2000, False)
@example(b"\r", 1, False)
@example(b"a\r\n## Testing\r\n\n## Never\r", 1, True)
@example("## Changelog\n\n- 2026-01-02: x\n".encode("utf-16"), 100, False)
def test_restored_bytes_are_the_compiled_bytes(data: bytes, budget: int, as_json: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = compiled(folder, data, budget=budget, episodic_json=as_json)
        stub = (folder / "CLAUDE.md").read_bytes()
        assert stub == plan.stub
        found = workspace.opened(folder)
        assert restore.drift(found) == []
        options = Options(budget=budget, profile=found.manifest.profile, episodic_json=as_json)
        again = updated(found, options)
        assert not again.changed and again.plan.stub == stub
        for path in (folder / ".memory/original").iterdir():
            path.unlink()
        (folder / "CLAUDE.md").write_bytes(b"gone")
        done = restore.restored(folder)
        assert done.exact
        assert (folder / "CLAUDE.md").read_bytes() == data


@_SETTINGS
@given(_TEXTS, _TEXTS.filter(lambda text: "manent:memory" not in text))
@example(MEMORY, "## New\n\nOnly here.\n")
@example("a", "b")
def test_what_is_appended_to_the_stub_ends_the_text(text: str, more: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiled(folder, encoded(text), budget=400)
        file = folder / "CLAUDE.md"
        file.write_bytes(file.read_bytes() + encoded(more))
        found = workspace.opened(folder)
        files = {path: found.read(path) for path in found.on_demand()}
        made = updated(found, Options(budget=400, profile=found.manifest.profile))
        with workspace.writing(folder):
            workspace.replace(folder, made.plan.files, "CLAUDE.md", made.plan.stub, made.keep)
        after = workspace.opened(folder)
        assert restore.drift(after) == []
        assert {path: after.read(path) for path in files} == files
        whole = rebuilt(after)
        assert whole.endswith(more)
        assert whole.startswith(text)
        between = whole[len(text) : len(whole) - len(more)]
        assert between in ("", "\n", "\r\n", "\r")
        assert restore.restored(folder).exact


@given(
    st.lists(st.sampled_from("abcdef"), max_size=12),
    st.lists(st.sampled_from("abcdef"), max_size=12),
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
)
def test_seams_stay_in_order_and_inside(
    before: list[str], after: list[str], counts: list[int]
) -> None:
    seams = moved(before, after, counts)
    assert seams == sorted(seams)
    assert len(seams) == len(counts) - 1
    assert all(0 <= seam <= len(after) for seam in seams)


@pytest.mark.slow
def test_every_agent_file_comes_back(data: Path, tmp_path: Path) -> None:
    files = [
        path
        for path in sorted((data / "agent-files").rglob("*"))
        if path.is_file() and path.name != "manifest.jsonl"
    ]
    assert len(files) == 96
    within = 0
    for number, path in enumerate(files):
        folder = tmp_path / str(number)
        content = path.read_bytes()
        plan = compiled(folder, content, path.name, episodic_json=bool(number % 2))
        if plan.pays:
            within += 1
            assert plan.manifest.stub_tokens <= 2000, path
            assert plan.manifest.always.tokens <= 2000, path
            assert not plan.grows, path
        assert restore.restored(folder).data == content, path
        assert (folder / path.name).read_bytes() == content
    assert within > 30
