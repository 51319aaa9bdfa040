"""The suite's scenarios of an authorization server, against the project's own.

The suite prints an address and waits for somebody to sign in there; that is done here, as a
browser would.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import httpx2
from conformance.node import Installed
from oauth_site import Site, form, free_port, signing_in

from manent.server.identities import Identities

SCENARIOS = {"authorization-server-metadata-endpoint": 2, "authorization-code-grant": 1}
"""Scenario to how many checks it makes."""
TOKEN = "vault-" + "v" * 20
_SECONDS = 120
_PLACE = re.compile(r"(http://127\.0\.0\.1:\d+/authorize\?\S+)")


def faults(suite: Installed) -> list[str]:
    """Run both scenarios; return what is wrong, one line each."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        identities = Identities(None, TOKEN)
        with signing_in(identities, place / "oauth.db", clock=time.time) as site:
            said = _run(suite, site, place / "results")
        checks = [
            check
            for file in sorted((place / "results").glob("*/checks.json"))
            for check in json.loads(file.read_text(encoding="utf-8"))
        ]
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    print(f"conformance authorization: {passed} checks passed")
    found = [
        f"authorization: {check['id']}: {check['status']}: {check.get('errorMessage', '')}"
        for check in checks
        if check["status"] not in ("SUCCESS", "INFO")
    ]
    if passed != sum(SCENARIOS.values()):
        found.append(f"authorization: {passed} checks passed\n{said[-3000:]}")
    return found


def _run(suite: Installed, site: Site, results: Path) -> str:
    port = free_port()
    redirect = f"http://127.0.0.1:{port}/callback"
    client = site.register(redirect_uris=[redirect]).json()["client_id"]
    command = [*suite.command("conformance"), "authorization", "--url", site.base]
    command += ["--client-id", client, "--resource", site.provider.resource]
    command += ["--port", str(port), "--output-dir", str(results)]
    said: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        timer = threading.Timer(_SECONDS, process.kill)
        timer.start()
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if found := _PLACE.search(line):
                _sign_in(site, found.group(1))
        timer.cancel()
    return "".join(said)


def _sign_in(site: Site, place: str) -> None:
    with httpx2.Client(timeout=20) as browser:
        page = browser.get(browser.get(place).headers["Location"])
        fields = {**form(page), "token": TOKEN, "decision": "allow"}
        sent = browser.post(f"{site.base}/consent", data=fields, headers={"Origin": site.base})
        browser.get(sent.headers["Location"])
