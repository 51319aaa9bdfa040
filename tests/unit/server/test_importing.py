"""The SDK comes in without what one session never uses, and is whole for whoever asks."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def said(code: str) -> Any:
    """Return what a new process prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    return json.loads(done.stdout)


def test_a_server_comes_without_clients_and_what_they_need() -> None:
    loaded = said(
        "import json, sys\n"
        "from manent.server.importing import import_sdk\n"
        "import_sdk()\n"
        "import manent.cli.serving, manent.server.stdio\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert "mcp.server.lowlevel.server" in loaded
    unwanted = ("httpx2", "mcp.client.client", "mcp.server.mcpserver", "numpy", "manent.gate.admit")
    assert [name for name in unwanted if name in loaded] == []


def test_the_packages_are_whole_once_somebody_asks() -> None:
    found = said(
        "import json\n"
        "from manent.server.importing import import_sdk\n"
        "import_sdk()\n"
        "import_sdk()\n"
        "from mcp import ClientSession\n"
        "import mcp, mcp.server\n"
        "from mcp.server import Server\n"
        "import mcp.server.lowlevel.server as one\n"
        "print(json.dumps([ClientSession.__module__, mcp.__file__, Server is one.Server,\n"
        "  hasattr(mcp, 'nothing'), hasattr(mcp.server, '__wrapped__')]))"
    )
    assert found[0].startswith("mcp.client")
    assert found[1].endswith("__init__.py")
    assert found[2:] == [True, False, False]


def test_models_of_others_are_made_as_ever_and_collecting_goes_on() -> None:
    found = said(
        "import gc, json\n"
        "from manent.server.importing import import_sdk, settle\n"
        "import_sdk()\n"
        "from pydantic import BaseModel\n"
        "before = gc.isenabled()\n"
        "settle()\n"
        "print(json.dumps([before, gc.isenabled(), gc.get_freeze_count() > 10_000,\n"
        "  'defer_build' in BaseModel.model_config]))"
    )
    assert found == [False, True, True, False]


def test_a_model_is_made_at_its_first_message() -> None:
    found = said(
        "import json\n"
        "from manent.server.importing import import_sdk\n"
        "import_sdk()\n"
        "import mcp_types as types\n"
        "model = types.InitializeResult\n"
        "before = model.__pydantic_complete__\n"
        "given = {'protocolVersion': '2025-11-25', 'capabilities': {},\n"
        "  'serverInfo': {'name': 'a', 'version': '1'}}\n"
        "model.model_validate(given)\n"
        "print(json.dumps([before, model.__pydantic_complete__]))"
    )
    assert found == [False, True]
