"""The automated accessibility check that everybody uses, run in a page."""

from __future__ import annotations

from functools import cache

import pytest
from browser import Tab
from conformance.node import Unreachable, install

AXE = "axe-core@4.13.0"


@cache
def script() -> str:
    """Return the check's script; skips the test where it cannot be had."""
    try:
        folder = install(AXE).folder
    except Unreachable as why:
        pytest.skip(f"no accessibility check: {why}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def violations(tab: Tab, *, frame: bool = False) -> list[str]:
    """Return what the check finds wrong with the document that is shown."""
    tab.run(script() + "; true", frame=frame)
    asked = (
        "axe.run(document, {iframes: false}).then(r => r.violations.map(v => v.id + ' ' + "
        "v.nodes.map(n => n.html + ' ' + n.failureSummary).join()))"
    )
    return list(tab.run(asked, frame=frame))
