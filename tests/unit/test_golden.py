"""Golden sets: read, refused with a line, written, and published by digest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent.errors import UsageError
from manent.golden import (
    SOURCES,
    Golden,
    Malformed,
    Query,
    appended,
    derived,
    hashed,
    is_hashed,
    published,
    read,
    spelled,
)

ROW = '{"query": "q", "expected": ["a"], "source": "oblique"}'


def of(*rows: str) -> str:
    return '{"name": "g", "queries": [\n' + ",\n".join(rows) + "\n]}"


def test_a_set_is_read_with_the_lines_of_its_queries() -> None:
    golden = read(of(ROW, '{"query": "r",\n"expected": ["a", "b"], "source": "auto", "note": "n"}'))
    assert golden.name == "g"
    assert golden.queries[0] == Query("q", ("a",), "oblique", line=2)
    assert golden.queries[1] == Query("r", ("a", "b"), "auto", note="n", line=3)
    assert golden.queries[1].gains == (1, 1)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "must be an object"),
        ("[]", 1, "must be an object"),
        ('{"name": "g"}', 1, "lacks queries"),
        ('{"queries": []}', 1, "lacks name"),
        ('{"name": 3, "queries": []}', 1, "name must be text"),
        ('{"name": "g",\n"queries": {}}', 2, "must be a list"),
        ('{"name": "g",\n"extra": 1, "queries": []}', 2, "unexpected field extra"),
        ('{"name": "g",\n"name": "h", "queries": []}', 2, "unexpected field name"),
        ('{"name": "g", "queries": []}\nx', 2, "goes on after its end"),
        (of(ROW, "{"), 4, "no JSON"),
        (of(ROW, ROW + ","), 4, "no JSON"),
        (of(ROW, '"q"'), 3, "must be an object"),
        (of(ROW, '{"expected": ["a"]}'), 3, "query must be text"),
        (of(ROW, '{"query": " ", "expected": ["a"]}'), 3, "query must be text"),
        (of(ROW, '{"query": "q"}'), 3, "expected must be a list"),
        (of(ROW, '{"query": "q",\n"expected": []}'), 4, "expected must be a list"),
        (of(ROW, '{"query": "q",\n"expected": "a"}'), 4, "expected must be a list"),
        (of(ROW, '{"query": "q",\n"expected": ["a", "a"]}'), 4, "each once"),
        (of(ROW, '{"query": "q",\n"expected": ["note:12"]}'), 4, "expected must be a list"),
        (of(ROW, '{"query": "q", "expected": ["a"],\n\n"source": "mine"}'), 5, "source must be"),
        (of('{"query": "q", "expected": ["a"],\n"grades": [0]}'), 3, "grades must be"),
        (of('{"query": "q", "expected": ["a"], "q": 1}'), 2, "unexpected field q"),
        (of('{"query": "q", "query": "r", "expected": ["a"]}'), 2, "stands twice"),
        (of("[" * 100_000), 2, "no JSON"),
    ],
)
def test_a_malformed_set_is_refused_naming_the_line(text: str, line: int, said: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(text, "set.json")
    assert caught.value.message.startswith(f"set.json, line {line}: ")
    assert said in caught.value.message


def test_bytes_that_are_no_utf8_have_a_line_too() -> None:
    with pytest.raises(Malformed, match=r"line 2: no UTF-8"):
        read(b'{"name": "g",\n"queries": ["\xff"]}')
    assert read(b"\xef\xbb\xbf" + of(ROW).encode()).queries


NAMES = st.text(min_size=1).filter(lambda t: t.strip() and not t.startswith("note:"))
QUERIES = st.builds(
    Query,
    query=st.text(min_size=1).filter(str.strip),
    expected=st.lists(NAMES, min_size=1, max_size=3, unique=True).map(tuple),
    source=st.sampled_from(SOURCES),
    note=st.text(),
    kind=st.text(),
)


@given(st.text(), st.lists(QUERIES, max_size=4))
def test_what_is_written_reads_back(name: str, queries: list[Query]) -> None:
    again = read(spelled(Golden(name, tuple(queries))))
    assert again.name == name
    assert [(q.query, q.expected, q.source, q.note, q.kind) for q in again.queries] == [
        (q.query, q.expected, q.source, q.note, q.kind) for q in queries
    ]


@given(st.binary(max_size=200))
def test_any_bytes_are_a_set_or_refused(content: bytes) -> None:
    try:
        assert read(content).queries is not None
    except Malformed as said:
        assert ", line " in said.message


def test_a_query_is_appended_once_and_gains_notes() -> None:
    text = appended(of(ROW), Query("new", ("b",), "curated"))
    assert [q.query for q in read(text).queries] == ["q", "new"]
    assert json.loads(text)["queries"][0] == json.loads(ROW)
    assert text.count("\n") == of(ROW).count("\n") + 1
    more = read(appended(text, Query("q", ("a", "c"), "oblique")))
    assert [q.expected for q in more.queries] == [("a", "c"), ("b",)]


LAYOUTS = [
    ({}, ""), ({"indent": 2}, "\n"), ({"indent": 4}, "\n"), ({"indent": "\t"}, ""),
    ({"separators": (",", ":")}, ""), ({"indent": 1, "separators": (",", ": ")}, "\n\n"),
]  # fmt: skip


@given(
    st.lists(QUERIES, max_size=3, unique_by=lambda q: (q.query, q.source)),
    QUERIES,
    st.sampled_from([*LAYOUTS, None]),
    st.booleans(),
    st.booleans(),
)
def test_appending_keeps_every_byte_that_stood_there(
    held: list[Query], query: Query, layout: Any, crlf: bool, marked: bool
) -> None:
    text = spelled(Golden("g", tuple(held)))
    if layout is not None:
        text = json.dumps(json.loads(text), ensure_ascii=False, **layout[0]) + layout[1]
    text = text.replace("\n", "\r\n") if crlf else text
    data = ("\ufeff" if marked else "").encode() + text.encode("utf-8", "surrogatepass")
    after = appended(data, query).encode("utf-8", "surrogatepass")
    kept = iter(after)
    assert all(byte in kept for byte in data)
    grown = {(q.query, q.source): q.expected for q in read(after).queries}
    wanted = {(q.query, q.source): q.expected for q in held}
    mine = wanted.get((query.query, query.source), ())
    wanted[query.query, query.source] = tuple(dict.fromkeys((*mine, *query.expected)))
    assert grown == wanted
    if crlf and "\n" in text:
        assert after.count(b"\n") == after.count(b"\r\n")


@pytest.mark.parametrize(
    ("before", "row"),
    [
        (of(ROW), ',\n{"query": "x", "expected": ["b"], "source": "oblique"}'),
        ('{"name":"g","queries":[{"query":"q","expected":["a"]}]}',
         ', {"query":"x","expected":["b"],"source":"oblique"}'),
        ('{\n "queries": [\n  {\n   "query": "q",\n   "expected": ["a"]\n  }\n ],\n "name": "g"\n}',
         ',\n  {\n   "query": "x",\n   "expected": ["b"],\n   "source": "oblique"\n  }'),
        ('{\n  "name": "g",\n  "queries": [\n  ]\n}\n',
         '\n    {"query": "x", "expected": ["b"], "source": "oblique"}'),
        ('{"name":"g","queries":[]}', '{"query": "x", "expected": ["b"], "source": "oblique"}'),
    ],
)  # fmt: skip
def test_a_query_is_written_as_its_neighbours_are(before: str, row: str) -> None:
    after = appended(before, Query("x", ("b",), "oblique"))
    assert row in after and after.replace(row, "", 1) == before


def test_a_query_gains_a_note_and_a_grade_where_it_stands() -> None:
    row = '{"grades": [ 3,2 ], "query": "q", "expected": [\n"a",\n"b"\n], "source": "oblique"}'
    after = appended(of(row, ROW.replace('"q"', '"r"')), Query("q", ("b", "c", "d"), "oblique"))
    assert '"grades": [ 3,2,1,1 ]' in after and '[\n"a",\n"b",\n"c",\n"d"\n]' in after


def test_published_names_depend_on_the_salt_and_say_nothing() -> None:
    golden = read(of('{"query": "q", "expected": ["wages"], "note": "private", "source": "auto"}'))
    one, two = published(golden, b"one"), published(golden, b"two")
    assert one.queries[0].expected == (hashed("wages", b"one"),) != two.queries[0].expected
    assert is_hashed(one.queries[0].expected[0])
    assert "wages" not in spelled(one) and "private" not in spelled(one)
    assert published(one, b"one") == one
    with pytest.raises(UsageError):
        published(golden, b"")


def test_queries_from_descriptions_do_not_name_their_note() -> None:
    golden = derived([("ferry-times", "When the ferry leaves, by the times"), ("b", "B")])
    assert [(q.query, q.expected, q.source) for q in golden.queries] == [
        ("When the leaves, by the", ("ferry-times",), "auto")
    ]
