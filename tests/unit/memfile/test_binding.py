"""What binds stays loaded, whatever its heading is called and whichever language it is in."""

from __future__ import annotations

from pathlib import Path

import pytest
from memories import LONG

from manent.memfile.compile import Options, planned

HEAD = f"# Harbour\n\nHarbour books berths.\n\n## Architecture\n\n{LONG}\n"


def stays(section: str, beside: Path | None = None) -> bool:
    plan = planned("CLAUDE.md", f"{HEAD}{section}".encode(), Options(beside=beside))
    assert plan.split.groups  # something goes on demand, or nothing is said here
    return section.split("\n")[-2] in plan.stub.decode()


@pytest.mark.parametrize(
    "title",
    ["Git workflow", "Dependencies", "Environment", "Release", "Tools", "Notes", "Testing", "API"],
)
@pytest.mark.parametrize("text", ["- NEVER skip it.\n", "You must ask first.\n", "- No callers.\n"])
def test_orders_weigh_more_than_a_topic(title: str, text: str) -> None:
    assert stays(f"## {title}\n\n{text}")
    assert stays(f"### {title}\n\n{text}")  # below Architecture


@pytest.mark.parametrize(
    "text",
    [
        "## Git\n\n- Niemals am Freitag ausliefern.\n",
        "## Git\n\n- Ne jamais livrer le vendredi.\n",
        "## Git\n\n- Nunca publicar los viernes.\n",
        "## Git\n\n- Non pubblicare mai di venerdì.\n",
        "## Git\n\n- É proibido publicar na sexta.\n",
        "## Git\n\n- Nooit op vrijdag uitrollen.\n",
        "## Git\n\n- Nigdy nie wdrażaj w piątek.\n",
        "## Git\n\n- Cuma günü asla yayınlama.\n",
        "## Git\n\n- Никогда не выкладывать в пятницу.\n",
        "## Git\n\n- ممنوع النشر يوم الجمعة.\n",
        "## Git\n\n- शुक्रवार को कभी नहीं।\n",
        "## Git\n\n- 禁止在周五发布。\n",
        "## Git\n\n- 金曜日には決して出荷しない。\n",
        "## Git\n\n- 금요일 배포 금지.\n",
        "## Arbeitsregeln\n\n- Kurze Sätze.\n",
        "## Convenciones\n\n- Frases cortas.\n",
        "## 编码规范\n\n- 函数要短。\n",
        "## 규칙\n\n- 짧은 문장.\n",
    ],
)
def test_in_the_languages_of_vaults(text: str) -> None:
    assert stays(text)


@pytest.mark.parametrize(
    "text",
    [
        "## Deployment\n\nThe blue host takes the load.\nA green one waits.\n",
        "## Testing\n\n- Fixtures are small.\n- Run them with `make t`.\n- Never mock.\n",
        "## Release\n\n```sh\nnever --always --must\n```\n\nThe tag starts it.\n",
    ],
)
def test_what_only_some_tasks_need_goes(text: str) -> None:
    assert not stays(text)


@pytest.mark.parametrize(
    "said",
    [
        "Use `make arch`, then read @docs/arch.md",
        "- @docs/with\\ space.md",
        "@docs/noext",
        "(see) @docs/arch.md.",
        "> @./docs/arch.md",
    ],
)
def test_what_loads_another_file_stays(tmp_path: Path, said: str) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("arch.md", "noext", "with space.md"):
        (tmp_path / "docs" / name).write_text("The plan.\n")
    assert stays(f"## Deployment\n\n{said}\n", tmp_path)


@pytest.mark.parametrize("said", ["`@docs/arch.md` is old.", "Ask @octo.", "Needs @types/node."])
def test_a_handle_or_a_span_of_code_loads_nothing(tmp_path: Path, said: str) -> None:
    assert not stays(f"## Deployment\n\n{said}\n", tmp_path)
