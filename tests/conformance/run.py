"""Run the official conformance suite against the project's own server builder.

``make conformance``. The fixtures are served by ``tests/conformance_server.py``. Every
server scenario of both wires must pass, each of its checks: ``expected-failures.yml``
is empty and stays so. Where the suite cannot be had this says so and passes, but for CI.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance import signing_in
from conformance.node import Installed, Unreachable, install

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
WIRES = {"2025-06-18": 56, "2025-11-25": 84, "2026-07-28": 152}
"""Revision to how many checks its scenarios make; that fewer ran is a failure too."""
SCENARIOS = {
    "tasks-lifecycle": 9,
    "tasks-capability-negotiation": 5,
    "tasks-wire-fields": 4,
    "tasks-request-state-removal": 3,
    "tasks-mrtr-input": 4,
    "tasks-request-headers": 5,
    "tasks-dispatch-and-envelope": 9,
    "tasks-required-task-error": 3,
    "tasks-mrtr-composition": 2,
}
"""Scenarios of extensions, which no suite runs, to how many checks each makes."""
HERE = Path(__file__).resolve().parent
EXPECTED_FAILURES = HERE / "expected-failures.yml"
_SECONDS = 170
_SUITE = ("--suite", "all", "--spec-version")


def main() -> int:
    """Run every wire; return 0 when all of it passed."""
    try:
        suite = install(SUITE)
    except Unreachable as reason:
        if os.environ.get("CI") == "true":
            print(f"the conformance suite could not run: {reason}")
            return 1
        print(f"SKIPPED: the conformance suite did not run: {reason}")
        return 0
    with served() as address:
        faults = [
            fault
            for wire, checks in WIRES.items()
            for fault in _run(
                suite, address, wire, checks, "--suite", "all", "--spec-version", wire
            )
        ]
        for scenario, checks in SCENARIOS.items():
            faults += _run(suite, address, scenario, checks, "--scenario", scenario)
    faults += signing_in.faults(suite)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Serve the fixtures for the block; give their address."""
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(HERE.parent / "conformance_server.py")],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait(10)


def _run(suite: Installed, address: str, wire: str, wanted: int, *which: str) -> list[str]:
    """Return what is wrong on one wire, or in one scenario, one line each."""
    with tempfile.TemporaryDirectory() as results:
        command = [*suite.command("conformance"), "server", "--url", address]
        command += [*which, "--output-dir", results]
        command += ["--expected-failures", str(EXPECTED_FAILURES)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
        checks = [
            check
            for file in sorted(Path(results).glob("*/checks.json"))
            for check in json.loads(file.read_text(encoding="utf-8"))
        ]
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    print(f"conformance {wire}: {passed} checks passed")
    faults = [
        f"{wire}: {check['id']}: {check['status']}: {check.get('errorMessage', '')}"
        for check in checks
        if check["status"] not in ("SUCCESS", "INFO")
    ]
    if passed != wanted:
        faults.append(f"{wire}: {passed} checks passed, not {wanted}")
    if done.returncode:
        faults.append(f"{wire}: the suite ended with {done.returncode}\n{done.stdout[-3000:]}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
