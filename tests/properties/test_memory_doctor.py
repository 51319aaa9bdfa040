"""Laws of the doctor: any bytes get an answer, and the same one each time."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.memfile import report
from manent.memfile.compile import Options, planned
from manent.memfile.doctor import audit
from manent.memfile.loaded import survey

_PARTS = st.sampled_from(
    [
        *(
            "# Status\n",
            "## 2026-01-02\n",
            "- [x] done\n",
            "- 2026-01-02: x\n",
            "@a.md\n",
            "@../b.md\n",
        ),
        *(
            "@~/c.md ",
            "`src/x.py` ",
            "[a](b.md)\n",
            "```sh\nmake x\n```\n",
            "├── a\n",
            "|a|\n|-|\n",
        ),
        *(
            "Version: 1.2.3\n",
            "TODO: x\n",
            "\u200b",
            "\x00",
            "\r",
            "---\n",
            "<!-- @a.md -->\n",
            "`" * 7,
        ),
        *("See AGENTS.md\n", "- [T](t.md) - when\n", "a" * 70 + "\n", "\udce9", "@a\\ b.md\n"),
    ]
)
_TEXTS = st.lists(_PARTS | st.text(max_size=20), max_size=25).map("".join)


@settings(max_examples=150, deadline=None)
@given(claude=_TEXTS, agents=_TEXTS, topic=_TEXTS)
def test_any_files_get_the_same_answer_twice(claude: str, agents: str, topic: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "package.json").write_text("{}")
        for name, text in (("CLAUDE.md", claude), ("AGENTS.md", agents), ("MEMORY.md", topic)):
            (root / name).write_bytes(text.encode("utf-8", "surrogatepass"))
        once, again = (report.document(audit(survey(root))) for _ in range(2))
        assert once == again
        json.loads(report.as_json(audit(survey(root))))
        lengths = {file.name: len(file.doc.lines) for file in survey(root).files}
        for finding in once["findings"]:
            last = max(1, lengths.get(finding["file"], 1))
            assert 0 <= finding["line"] <= finding["endLine"] <= last
            assert finding["hint"]


@pytest.mark.parametrize(
    "part",
    [
        "- [ ] a\n",
        "├── a.py\n",
        "|a|b|\n",
        "`src/a.ts` ",
        "@a.md ",
        "a. ",
        "- 2026-01-01: x\n",
        "# a\n",
        "a/",
        "a/b.c ",
        "a.",
        "`",
        ">",
        "│   ├── a.py\n",
        "## Release 1.2.3\n\nx\n\n",
        "v1.2.3 ",
    ],
)
def test_an_audit_takes_linear_time(part: str, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")

    def spent(times: int) -> float:
        (tmp_path / "CLAUDE.md").write_text(part * times)
        began = time.process_time()
        audit(survey(tmp_path))
        return time.process_time() - began

    spent(50)
    small = min(spent(1_000) for _ in range(2))
    assert min(spent(8_000) for _ in range(2)) < 8 * small * 3 + 0.1


@pytest.mark.parametrize(
    "part", ["# a\n\nx\n\n", "- a\n\n", "`", ">", "## Log\n\n- 2026-01-01: x\n\n", "a/b.c "]
)
def test_a_plan_takes_linear_time(part: str) -> None:
    def spent(times: int) -> float:
        began = time.process_time()
        planned("CLAUDE.md", (part * times).encode(), Options())
        return time.process_time() - began

    spent(50)
    small = min(spent(500) for _ in range(2))
    assert min(spent(4_000) for _ in range(2)) < 8 * small * 3 + 0.1
