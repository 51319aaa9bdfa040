"""A fingerprint names a finding: wherever it moves, in every clone, and gives nothing away."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from random_vaults import found, lay, slowly, vaults
from vaults import note, refused_values

from manent.facts.store import Store
from manent.finding import NO_SALT, Finding, Severity
from manent.lint.engine import CONTENT_RULES
from manent.tree import WorkTree
from manent.vault.sync import sync
from manent.vault.vault import Vault

SALTS = (NO_SALT, b"0123456789abcdef" * 2, b"fedcba9876543210" * 2)


def findings_of(files: dict[str, bytes]) -> list[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        lay(Path(folder), files)
        vault = Vault(Store(None))
        sync(vault, WorkTree(Path(folder)))
        return found(vault)


def prints(findings: list[Finding], salt: bytes = NO_SALT) -> list[str]:
    return sorted(f.fingerprint(salt) for f in findings)


@slowly
@given(vaults())
def test_two_clones_agree(files: dict[str, bytes]) -> None:
    one, other = findings_of(files), findings_of(dict(reversed(files.items())))
    for salt in SALTS:
        assert prints(one, salt) == prints(other, salt)


values = st.integers(1, 10_000).map(refused_values)


@slowly
@given(values, st.sampled_from(["email", "phone", "token", "injection"]), st.integers(0, 4))
def test_lines_above_do_not_change_it(value: dict[str, str], kind: str, lines: int) -> None:
    body = f"Before it.\n\n{value[kind]}\n\nAfter it."
    moved = "A line.\n" * lines + body
    one = findings_of({"a.md": note("a", body).encode()})
    other = findings_of({"a.md": note("a", moved).encode()})
    assert {f.rule for f in one} & CONTENT_RULES
    assert prints(one) == prints(other)
    assert [f.line + lines for f in one if f.rule in CONTENT_RULES] == [
        f.line for f in other if f.rule in CONTENT_RULES
    ]


@slowly
@given(values, st.sampled_from(["email", "phone", "token"]))
def test_no_word_of_a_finding_is_what_matched(value: dict[str, str], kind: str) -> None:
    said = value[kind]
    text = note("a", f"Write {said} here.").encode()
    for finding in findings_of({"a.md": text, "b.txt": said.encode()}):
        if finding.rule not in CONTENT_RULES:
            continue
        for shown in (finding.as_text(SALTS[1]), str(finding.as_json(SALTS[1]))):
            assert said not in shown
            assert _longest_shared(said, shown) <= max(4, len(said) // 3), shown


def _longest_shared(secret: str, shown: str) -> int:
    """How many characters in a row of a secret are shown."""
    return max(
        (end - start)
        for start in range(len(secret))
        for end in range(start, len(secret) + 1)
        if secret[start:end] in shown
    )


texts = st.text(max_size=20)


@given(texts, texts, texts, st.sampled_from(SALTS), st.sampled_from(SALTS))
def test_it_depends_on_place_kind_match_and_salt(
    path: str, kind: str, digest: str, one: bytes, other: bytes
) -> None:
    finding = Finding("pii", Severity.WARNING, path, 3, 1, "said", "hint", kind, digest)
    printed = finding.fingerprint(one)
    assert re.fullmatch("pii:[0-9a-f]{16}", printed)
    assert (printed == finding.fingerprint(other)) == (one == other)
    moved = Finding("pii", Severity.ERROR, path, 9, 2, "said", "other", kind, digest, "f" * 40)
    assert moved.fingerprint(one) == printed
    for changed in (
        Finding("pii", Severity.WARNING, path + "x", 3, 1, "said", "", kind, digest),
        Finding("pii", Severity.WARNING, path, 3, 1, "said", "", kind + "x", digest),
        Finding("pii", Severity.WARNING, path, 3, 1, "said", "", kind, digest + "x"),
        Finding("secret", Severity.WARNING, path, 3, 1, "said", "", kind, digest),
    ):
        assert changed.fingerprint(one) != printed
