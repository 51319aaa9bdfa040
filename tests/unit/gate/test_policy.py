"""The policy, the allowances and the forms of attachments, without a repository."""

from __future__ import annotations

import datetime
import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manent.errors import EnvironmentFault
from manent.finding import NO_SALT, Finding, Severity
from manent.gate.allow import Allowance, parse, with_line, with_lines
from manent.gate.attachments import Budget, open_attachment
from manent.gate.entries import place_fault
from manent.gate.forms import is_binary
from manent.gate.policy import OPTIONS, Policy, explain, read_policy

QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
TODAY = datetime.date(2026, 11, 30)


def finding(path: str = "a.md", digest: str = "d") -> Finding:
    return Finding("pii", Severity.ERROR, path, 1, 1, "an address", kind="email", digest=digest)


def test_an_empty_section_is_the_strict_default() -> None:
    assert read_policy({}) == Policy()
    assert Policy().strict_content


def test_values_are_read_as_git_writes_them() -> None:
    policy = read_policy(
        {
            "strictcontent": ["no"],
            "audiences": ["team, board", "public"],
            "phoneregions": ["IT,GB"],
            "maxnotebytes": ["500k"],
            "protectedbranch": ["refs/heads/trunk"],
            "timeout": ["5"],
            "anotherroomskey": ["whatever"],
        }
    )
    assert not policy.strict_content
    assert policy.audiences == {"team", "board", "public"}
    assert policy.phone_regions == ("IT", "GB")
    assert policy.max_note_bytes == 512_000
    assert policy.protected_branch == "trunk"
    assert policy.timeout_seconds == 5


WRONG = {
    "strictcontent": "perhaps", "audiences": "Team!", "phoneregions": "Italy",
    "maxnotebytes": "0", "maxblobbytes": "-1", "timeout": "soon", "attachments": "sometimes",
    "frontmatter": "maybe", "links": "wiki", "allowrewrite": "2",
}  # fmt: skip


@pytest.mark.parametrize("key", WRONG)
def test_a_value_of_another_form_is_an_error_that_names_it(key: str) -> None:
    with pytest.raises(EnvironmentFault) as fault:
        read_policy({key: [WRONG[key]]})
    assert WRONG[key] in str(fault.value)
    assert key in str(fault.value).lower()


def test_every_option_is_explained() -> None:
    text = explain()
    for option in OPTIONS:
        assert f"manent.{option.key} = " in text
        assert option.meaning in text


def test_an_allowance_names_one_finding_in_one_place() -> None:
    salt = "5a17"
    line = Allowance(finding().fingerprint(salt.encode()), "pii", "published", "Ada")
    allowances = parse(with_line(b"", line, salt))
    assert allowances.salt == salt.encode()
    assert allowances.allows(finding(), TODAY)
    assert not allowances.allows(finding("b.md"), TODAY)
    assert not allowances.allows(finding(digest="e"), TODAY)


def test_a_fingerprint_printed_before_there_was_a_salt_still_counts() -> None:
    line = Allowance(finding().fingerprint(), "pii", "published", "Ada")
    assert parse(with_line(b"", line, "5a17")).allows(finding(), TODAY)


def test_an_allowance_ends_with_its_day() -> None:
    line = Allowance(finding().fingerprint(NO_SALT), "pii", "x", "Ada", TODAY)
    allowances = parse(with_line(b"", line, "5a17"))
    assert allowances.allows(finding(), TODAY)
    assert not allowances.allows(finding(), TODAY + datetime.timedelta(days=1))


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"fingerprint": 1}', b'{"salt": 1}', b'{"fingerprint": "a:b", "until": "x"}',
     b"\xff", b'{"rule": "pii"}', b"[" * 100_000],
)  # fmt: skip
def test_a_broken_line_is_an_error(content: bytes) -> None:
    with pytest.raises(EnvironmentFault):
        parse(content)


@QUIET
@given(
    st.lists(st.tuples(st.text(), st.text(), st.dates() | st.none()), max_size=5),
    st.text("0123456789abcdef", min_size=8, max_size=32),
)
def test_allowances_are_read_as_they_were_written(
    rows: list[tuple[str, str, datetime.date | None]], salt: str
) -> None:
    lines = [
        Allowance(f"pii:{n:016x}", "pii", reason, who, until)
        for n, (reason, who, until) in enumerate(rows)
    ]
    content = with_lines(b"", lines, salt)
    assert parse(content).lines == tuple(lines)
    assert parse(with_lines(content, lines[:1], "other")).salt == salt.encode()


STARTS = (
    b"", b"PK\x03\x04", b"\x1f\x8b\x08\0", b"%PDF-1.4 stream\nx\x9c", b"\x89PNG\r\n\x1a\n",
    b"BZh91AY&SY", b"\xfd7zXZ\0",
)  # fmt: skip


@QUIET
@given(st.sampled_from(STARTS), st.binary(max_size=400))
def test_no_bytes_break_the_opener(start: bytes, content: bytes) -> None:
    budget = Budget(1 << 12)
    open_attachment(start + content, budget)
    # A little over a chunk is read before the budget says no.
    assert budget.left_bytes > -(1 << 17)


@QUIET
@given(st.text(min_size=1))
def test_text_is_never_taken_for_an_attachment(text: str) -> None:
    if "\0" not in text:
        assert not is_binary(text.encode("utf-8", "replace"))


def test_a_budget_bounds_what_is_unpacked() -> None:
    opened = open_attachment(gzip.compress(bytes(1 << 20)), Budget(1 << 16))
    assert "maxUnpackedBytes" in opened.unreadable[0]


@pytest.mark.parametrize(
    "path",
    ["secrets/a", "a/Secrets/b", ".manent/x", ".git/config", "a/.GIT/x", "a//b", "a/../b", "./a",
     "git~1/x", "a/.git ", ".gitmodules", ".g\u200cit/x", "a/.git::$INDEX_ALLOCATION/x"],
)  # fmt: skip
def test_places_where_nothing_may_stand(path: str) -> None:
    assert place_fault(path) is not None


@pytest.mark.parametrize(
    "path",
    ["secrets.md", "a/secretsx/b", "manent/x", ".gitignore", "a/.github/x", "git/x", "a.git"],
)
def test_places_that_only_look_alike(path: str) -> None:
    assert place_fault(path) is None
