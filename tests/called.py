"""Calls of tools over real Views, as the dispatcher makes them."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from manent.access import View
from manent.server.answer import Answer, Fence
from manent.server.tool import Call, Found, Register, Tool, Touch

NOW = datetime.datetime(2026, 11, 30, 9, 0, tzinfo=datetime.UTC)
FENCE = Fence(b"k" * 32)


def call_of(
    view: View,
    arguments: Mapping[str, Any] | None = None,
    *,
    now: datetime.datetime = NOW,
    touched: Mapping[str, Touch] | None = None,
    register: Register | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Call:
    """Return a call with nothing behind it but a View."""
    numbers = itertools.count()
    return Call(
        "tool", view.identity, view, arguments or {}, now, FENCE,
        lambda query, k: Found([], "none"),
        lambda notes: {n.path: t for n in notes if (t := (touched or {}).get(n.path))},
        lambda: f"id{next(numbers)}",
        register=register, cancelled=cancelled,
    )  # fmt: skip


def answer(
    tool: Tool, view: View, arguments: Mapping[str, Any] | None = None, **made: Any
) -> Answer:
    """Call a tool and return its answer."""
    found = tool.call(call_of(view, arguments, **made))
    assert isinstance(found, Answer)
    return found
