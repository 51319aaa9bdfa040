"""Nothing tracked says more than it should: whose machine, whose secret, whose note."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from manent.golden import is_hashed, read
from manent.note import read as read_note
from manent.scan import pii, secrets
from manent.scan.reading import readings
from manent.scan.span import Context

ROOT = Path(__file__).resolve().parent.parent

TESTING = (
    "eval/scan/",  # sets of what scanners must find, and of what they must not
    "manent/scan/",  # the forms themselves
    "spec/rules/scan/",  # their pages, made from them
    "tests/unit/scan/",
    "tests/flows/test_cases.py",  # an offset that looks like a number
)
"""What exists to test for such things."""

SOMEWHERE = re.compile(r"(?<![\w./~<-])(?:/(?:home|Users|root|work|mnt|media)/\w|[A-Z]:\\Users\\)")
"""A path on somebody's machine."""


@cache
def tracked() -> dict[str, str]:
    """Return the text files git tracks, by path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: nothing is tracked here")
    texts = {}
    for path in listed.stdout.decode().split("\0"):
        file = ROOT / path
        if path and file.is_file() and b"\0" not in (content := file.read_bytes()):
            texts[path] = content.decode("utf-8", "replace")
    return texts


def others() -> list[tuple[str, str]]:
    return [(path, text) for path, text in tracked().items() if not path.startswith(TESTING)]


def test_no_path_of_a_machine() -> None:
    found = [path for path, text in others() if SOMEWHERE.search(text)]
    assert [path for path in found if path != "tests/test_tracked.py"] == []


def test_no_credential_and_no_personal_datum() -> None:
    found = []
    for path, text in others():
        plain = next(iter(readings(text)))
        for find in (pii.find, secrets.find):
            spans = find(plain, Context())
            found += [(path, s.kind) for s in spans if not s.weak and not s.mention]
    assert found == []


def golden_sets() -> list[str]:
    return [
        path
        for path in tracked()
        if path.startswith("eval/golden/")
        and '"expected"' in tracked()[path]
        and path.endswith(".json")
    ]


def test_golden_sets_name_notes_of_the_fixture_alone() -> None:
    names = set()
    for path in (ROOT / "fixture-vault").rglob("*.md"):
        front = read_note(path.read_bytes()).frontmatter
        names.add(front.get("name", path.stem))
    sets = golden_sets()
    assert "eval/golden/fixture.json" in sets
    for path in sets:
        expected = {name for q in read(tracked()[path], path).queries for name in q.expected}
        assert {name for name in expected if not is_hashed(name)} <= names, path


def test_baselines_are_numbers() -> None:
    for path, text in tracked().items():
        if path.startswith("eval/golden/baseline-"):
            assert '"queries": [' not in text and "note:" not in text, path


_NAMED = re.compile(r"(?<![\w/.])((?:tests|eval)/[\w/-]+\.(?:py|md|json|svg))")


def claims(text: str) -> set[str]:
    """Return the files that a text names as its proof, modules as the files they are."""
    asked = {found[1] for found in re.finditer(r"python -m (eval(?:\.\w+)*)", text)}
    named = {found[1] for found in _NAMED.finditer(text)}
    return named | {module.replace(".", "/") for module in asked}


def test_what_a_claim_names_is_there() -> None:
    missing = []
    for path, text in tracked().items():
        if not path.startswith(("manent/", "spec/", "eval/README", "README", "CONTRIBUTING")):
            continue
        if path.startswith(("spec/rules/", "spec/examples/")):
            continue  # what they name belongs to their examples
        for claim in claims(text):
            place = ROOT / claim
            known = (place, place.with_suffix(".py"), place / "__main__.py")
            if not any(one.is_file() for one in known):
                missing.append((path, claim))
    assert missing == []
    assert claims("`python -m eval.scan`, eval/a.md") == {"eval/scan", "eval/a.md"}


def test_a_leak_would_be_seen() -> None:
    path = "/" + "home" + "/somebody/vault"
    below = "deploy" + path  # a folder of the project that is called as one at the top
    assert SOMEWHERE.search(f"see {path}") and not SOMEWHERE.search(below)
    token = "gl" + "pat-" + "aB3dE5fG7hJ9kL1mN3pQ"
    (span,) = secrets.find(next(iter(readings(f"token: {token}"))), Context())
    assert not span.weak and not span.mention
