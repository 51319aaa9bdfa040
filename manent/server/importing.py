"""The SDK, imported in about half the processor time its own first import takes.

An MCP host starts a server and waits for its first answer, and most of that wait was this
import: each package of the SDK imports its client, its own command line and every transport,
and some hundred and fifty models of messages are made ready that one session never sees
(``python -m eval.bench.serve --only start``).
"""

from __future__ import annotations

import gc
import importlib.util
import sys
from typing import Any

_PACKAGES = ("mcp", "mcp.server", "mcp.shared")


def import_sdk() -> None:
    """Import the models and the server of the SDK. Raises ImportError where it is missing.

    What a package gathers from its modules is there as ever, once something asks for it. A
    model is made ready when the first message of its kind comes. Until ``settle`` nothing is
    collected: what is made before the first answer stays, all but nothing of it.
    """
    gc.disable()
    if "mcp" in sys.modules:
        return
    for name in _PACKAGES:
        _postpone(name)
    from pydantic import BaseModel

    config = BaseModel.model_config
    BaseModel.model_config = {**config, "defer_build": True}
    try:
        import mcp.server.lowlevel.server  # noqa: F401
    finally:
        BaseModel.model_config = config


def settle() -> None:
    """Collect from now on, but never look again at what is there now.

    What a server imported lives as long as it does, and a pass over it is a pause for all calls.
    """
    gc.freeze()
    gc.enable()


def _postpone(name: str) -> None:
    """Let a package's own module run when a name of it is asked for, not before."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"no package {name}", name=name)
    module, loader = importlib.util.module_from_spec(spec), spec.loader

    def load(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        del module.__dict__["__getattr__"]
        loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = load
    sys.modules[name] = module
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)
