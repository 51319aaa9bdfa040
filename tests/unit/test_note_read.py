"""Reading a note: fences, strict YAML, and every kind of bad input as one problem."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from manent.note import Header, edit, read


def header(text: str) -> bytes:
    return f"---\n{text}\n---\nBody.\n".encode()


@pytest.mark.parametrize(
    ("data", "frontmatter", "body", "line"),
    [
        (b"---\na: 1\n---\nBody.\n", {"a": 1}, "Body.\n", 4),
        (b"---\na: 1\n---", {"a": 1}, "", 3),
        (b"---\na: 1\n---\r\n", {"a": 1}, "", 4),
        (b"--- \t\na: 1\n---  \nBody.", {"a": 1}, "Body.", 4),
        (b"---\n---\nBody.", {}, "Body.", 3),
        (b"---\n---", {}, "", 2),
        (b"---\n\n# only a remark\n\n---\nBody.", {}, "Body.", 6),
        (b"\xef\xbb\xbf---\r\na: b\r\n---\r\n\r\nBody.\r\n", {"a": "b"}, "\r\nBody.\r\n", 4),
        (b"---\na: |\n  one\n\n  two\nb: 1\n---\n", {"a": "one\n\ntwo\n", "b": 1}, "", 8),
    ],
)
def test_header_is_read(data: bytes, frontmatter: object, body: str, line: int) -> None:
    note = read(data)
    assert (note.state, note.frontmatter, note.body, note.body_line, note.problems) == (
        Header.VALID,
        frontmatter,
        body,
        line,
        (),
    )


@pytest.mark.parametrize(
    "text",
    ["", "x", "-----\na: 1\n-----\n", "\n---\na: 1\n---\n", " ---\na: 1\n---\n",
     "----\na: 1\n----\n", "---\n\nA rule above prose.\n", "--- # no\na: 1\n---\n", "---", "---\n"],
)  # fmt: skip
def test_no_header_is_all_body(text: str) -> None:
    note = read(text.encode())
    assert (note.state, note.frontmatter, note.body, note.body_line) == ("absent", {}, text, 1)
    assert note.problems == ()


def test_byte_order_mark_is_in_no_body() -> None:
    assert read(b"\xef\xbb\xbfText.\n").body == "Text.\n"


@pytest.mark.parametrize(
    "text",
    ["no", "on", "yes", "off", "012", "1:30", "0x1F", "0o17", "1e5", "12e45", "1_000", ".inf",
     ".nan", "2026-03-09", "2024-13-45", "2026-03-09T08:30:00Z", "+39", "1.2.3", "=", "9" * 19,
     "9" * 5000, "1.0e999"],
)  # fmt: skip
def test_what_stays_text(text: str) -> None:
    assert read(header(f"a: {text}")).frontmatter == {"a": text}
    assert read(header(f"a: [{text}]")).frontmatter == {"a": [text]}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("-7", -7), ("1.5", 1.5), ("true", True), ("False", False), ("null", None),
     ("~", None), ("", None), ('"1"', "1"), ("'true'", "true"), ('"a\\u00e9"', "aé"),
     ("{b: [1, x]}", {"b": [1, "x"]})],
)  # fmt: skip
def test_what_does_not(text: str, value: object) -> None:
    assert read(header(f"a: {text}")).frontmatter == {"a": value}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("audience: [tech]\nx: 1\naudience: [public]", 4, "`audience` stands twice"),
        ("a:\n  b: 1\n  b: 2", 4, "`b` stands twice"),
        ("1: a\n'1': b", 3, "stands twice"),
        ("a: &x 1\nb: *x", 2, "anchor"),
        ("a: 1\nb: *x", 3, "alias"),
        ("a: &x [*x]", 2, "anchor"),
        ("<<: {a: 1}", 2, "merge key"),
        ("a: 1\nb: !!python/object/apply:os.system [x]", 3, "tag"),
        ("a: !!str 1", 2, "tag"),
        ("a: ! 1", 2, "tag"),
        ("a: !x 1", 2, "tag"),
        ("%YAML 1.1\na: 1", 3, "not valid YAML"),
        ("a: 1\n...\nb: 2", 4, "document"),
        ("just prose", 2, "not a list of keys"),
        ("- a\n- b", 2, "not a list of keys"),
        ("x: 1\na: [1, 2", 3, "not valid YAML"),
        ('a: 1\nb: "open', 3, "not valid YAML"),
        ("a: b: c", 2, "not valid YAML"),
        ("a: 1\n\tb: 2", 3, "not valid YAML"),
        ("a: 1\nb: \x07", 3, "control character"),
        ("a: 1\nb: \0", 3, "control character"),
        ("created: {{date}}\ntitle: <% tp.file.title %>", 2, ""),
        ("a: " + "[" * 5000, 2, "nest"),
        ("\n".join("  " * depth + "a:" for depth in range(100)), 26, "nested deeper"),
        ("- " * 5000 + "x", 2, "nested deeper"),
        ("a: " + "x" * 70_000, 2, "longer than"),
        ("a: [" + "1," * 20_000 + "1]", 2, "more than 10000 values"),
    ],
)
def test_refused_header(text: str, line: int, says: str) -> None:
    note = read(header(text))
    if says == "" and note.state is Header.VALID:
        assert json.dumps(note.frontmatter)  # a template's braces happen to be YAML
        return
    assert (note.state, note.frontmatter, note.body) == (Header.INVALID, {}, "Body.\n")
    frontmatter = [p for p in note.problems if p.rule == "frontmatter-invalid"]
    assert [p.line for p in frontmatter] == [line]
    assert says in frontmatter[0].message
    assert frontmatter[0].hint
    assert frontmatter[0].column >= 1


def test_problem_never_repeats_what_was_written() -> None:
    value = "hunter" + "2-secret"
    for text in (f"{value} {value}: 1\n{value} {value}: 2", f"a: *{value}", f"a: !{value} 1"):
        (problem,) = read(header(text)).problems
        assert value not in problem.message + problem.hint


def test_unclosed_header_that_reads_like_keys_is_reported() -> None:
    text = "---\naudience: [public]\n...\nBody.\n"
    note = read(text.encode())
    assert (note.state, note.frontmatter, note.body) == (Header.INVALID, {}, text)
    assert note.problems[0].line == 1


def test_odd_keys_become_text() -> None:
    note = read(header("1: a\n.nan: b\n? [x, y]\n: c\n? {k: v}\n: d\n~: e\n? |\n  long\n: f"))
    assert note.frontmatter == {
        "1": "a", ".nan": "b", "[x, y]": "c", "{k: v}": "d", "~": "e", "long\n": "f",
    }  # fmt: skip
    assert json.loads(json.dumps(note.frontmatter)) == note.frontmatter


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[[Atlas]]", "[[Atlas]]"),
        ("[[Atlas|map]]", "[[Atlas|map]]"),
        ("[[A, B]]", "[[A, B]]"),
        ("[[1]]", "[[1]]"),
        ("[[[A]], [[B]]]", ["[[A]]", "[[B]]"]),
        ("\n  - [[A]]\n  - [[Città]]", ["[[A]]", "[[Città]]"]),
        ("[[a], [b]]", [["a"], ["b"]]),
        ("[ [a] ]", [["a"]]),
    ],
)
def test_unquoted_wikilink_keeps_its_text(text: str, value: object) -> None:
    assert read(header(f"é: è\nup: {text}")).frontmatter["up"] == value


def test_lines_of_keys() -> None:
    note = read(header("# remark\na: 1\n\nb:\n  - x\n  - y\nc: >\n  t\nd: 2"))
    assert dict(note.key_lines) == {"a": 3, "b": 5, "c": 8, "d": 10}


def test_latin1_byte_in_the_body_keeps_the_header() -> None:
    note = read(b"---\na: 1\n---\nCaf\xe9 noir \xff\n")
    assert note.frontmatter == {"a": 1}
    assert [(p.rule, p.line, p.column) for p in note.problems] == [("encoding", 4, 4)]
    assert note.body == "Caf\ufffd noir \ufffd\n"


def test_latin1_byte_in_the_header_makes_it_unreadable() -> None:
    note = read(b"---\naudience: [public]\ntitle: Caf\xe9\n---\nBody\n")
    assert (note.state, note.frontmatter, note.body) == (Header.INVALID, {}, "Body\n")
    assert [(p.rule, p.line) for p in note.problems] == [
        ("encoding", 3),
        ("frontmatter-invalid", 3),
    ]


def test_replacement_character_in_utf8_is_a_character() -> None:
    assert read(header("title: a \ufffd")).frontmatter == {"title": "a \ufffd"}


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-be", "utf-32"])
def test_other_encodings_are_reported(coding: str) -> None:
    note = read("---\naudience: [public]\n---\nBody\n".encode(coding))
    assert note.frontmatter == {}
    assert "encoding" in {p.rule for p in note.problems}


CONFLICT = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"


@pytest.mark.parametrize(
    "before",
    [
        "", "Text.\n", "````md\n```\n````\n\n", "> ```\n> x\n\n", "``` not a fence `x`\n\n",
        "    ```\n\n", "```\n", "~~~\n", "- ```\n  x\n\n", "%%\n", "<!--\n", "---\na: 1\n---\n",
        "<<<<<<< an older one\n", "=======\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "conflict",
    [
        CONFLICT, CONFLICT.replace("\n", "\r\n"), CONFLICT.rstrip("\n"),
        CONFLICT.replace(" HEAD", "").replace(" topic", ""),
        CONFLICT.replace("ours\n", "ours\n||||||| parent\nbase\n"),
        CONFLICT.replace("ours", "```").replace("theirs", "> b\n```"),
    ],
)  # fmt: skip
def test_a_conflict_is_found_whatever_stands_around_it(before: str, conflict: str) -> None:
    problems = [p for p in read((before + conflict).encode()).problems if p.rule == "encoding"]
    assert [p.message for p in problems] == ["a git conflict marker"]
    line = before.count("\n") + 1
    assert (problems[0].line, problems[0].column) == (line, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Heading\n=======\n", "> <<<<<<< HEAD\n> =======\n> >>>>>>> b\n", "<<<<<<< HEAD\nalone\n",
        "".join(f"    {line}\n" for line in CONFLICT.splitlines()),
        "`<<<<<<< HEAD`\n=======\n>>>>>>> x\n",
        "<<<<<<< HEAD\n>>>>>>> x\n=======\n", "<<<<<<<< a\n=======\n>>>>>>> b\n",
        "<<<<<<< a\n======== \n>>>>>>> b\n", "<<<<<<<a\n=======\n>>>>>>>b\n",
        "=======\n>>>>>>> b\n<<<<<<< a\n",
    ],
)  # fmt: skip
def test_marks_that_make_no_conflict_are_text(text: str) -> None:
    assert read(text.encode()).problems == ()


SEPARATORS = pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])


@SEPARATORS
def test_a_separator_of_unicode_ends_no_line(mark: str) -> None:
    header = f"name: a\ndescription: 'b{mark}c'\nx: d{mark}e  # f{mark}g\ny: |\n  h{mark}i\n"
    note = read(f"---\n{header}z: {{j: 1}}\n---\nBody.\n".encode())
    assert note.state is Header.VALID
    assert note.frontmatter == {
        "name": "a",
        "description": f"b{mark}c",
        "x": f"d{mark}e",
        "y": f"h{mark}i\n",
        "z": {"j": 1},
    }
    assert note.key_lines == {"name": 2, "description": 3, "x": 4, "y": 5, "z": 7}


@SEPARATORS
@pytest.mark.parametrize("before", ["description: a", "# a", "x: 'a'", "x: [a]"])
def test_a_separator_of_unicode_begins_no_key(mark: str, before: str) -> None:
    note = read(f"---\nname: n\n{before}{mark}audience: [public]\n---\nBody.\n".encode())
    assert "audience" not in note.frontmatter
    assert note.state is (Header.VALID if before == "# a" else Header.INVALID)
    assert all(problem.line == 3 for problem in note.problems)


def test_the_characters_that_stand_in_for_separators_are_kept() -> None:
    text = "".join(map(chr, range(0xF0000, 0xF0009)))
    note = read(f"---\nx: 'a\u2028{text}\x85'\n---\n".encode())
    assert note.frontmatter == {"x": f"a\u2028{text}\x85"}


def test_a_conflict_after_a_byte_order_mark() -> None:
    (problem,) = read(("\ufeff" + CONFLICT).encode()).problems
    assert problem.line == 1


def test_nul_and_conflict_markers_are_reported() -> None:
    assert [(p.line, p.column) for p in read(b"a\nb\0c\n").problems] == [(2, 2)]
    sides = "x\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"
    assert [(p.rule, p.line) for p in read(sides.encode()).problems] == [("encoding", 2)]
    assert [p.line for p in read(sides.replace("\n", "\r\n").encode()).problems] == [2]
    fenced = f"~~~\n{sides}~~~\n"
    assert [p.line for p in read(fenced.encode()).problems] == [3]
    assert read(b"A rule\n=======\n<<<<<<< not a conflict\n").problems == ()


def test_a_header_of_200_000_items_ends_soon() -> None:
    data = b"---\ntags:\n" + b"- x\n" * 200_000 + b"---\nBody.\n"
    began = time.process_time()
    note = read(data)
    assert note.state is Header.INVALID
    assert time.process_time() - began < 1


def test_reading_plain_text_imports_no_yaml() -> None:
    code = (
        "import sys; from manent.note import read; n = read(b'---\\ntags: [a, b]\\n---\\nx');"
        "assert n.frontmatter; assert not {'yaml', 'frontmatter'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_handler_of_python_frontmatter() -> None:
    import frontmatter

    from manent.note import StrictYAMLHandler

    text = "---\ntitle: no\ndate: 2026-03-09\ntags: [a, b]\n---\nBody.\n\n-----\nrest\n"
    post = frontmatter.loads(text, handler=StrictYAMLHandler())
    assert post.metadata == {"title": "no", "date": "2026-03-09", "tags": ["a", "b"]}
    assert post.content == "Body.\n\n-----\nrest"
    again = frontmatter.loads(frontmatter.dumps(post), handler=StrictYAMLHandler())
    assert again.metadata == post.metadata
    with pytest.raises(ValueError, match="line 2"):
        frontmatter.loads("---\na: 1\na: 2\n---\n", handler=StrictYAMLHandler())


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\r"])
def test_only_a_line_feed_ends_a_line_of_the_file(mark: str) -> None:
    """To YAML these end lines too: its numbers are not those of an editor."""
    note = read(f"---\na: 1 # {mark}\nlast: [x]\n---\n".encode())
    assert note.key_lines["last"] == 3
    twice = read(f"---\na: 1 # {mark}\nlast: [x]\nlast: y\n---\n".encode())
    assert [(p.line, p.column) for p in twice.problems] == [(4, 1)]
    assert edit(f"---\na: 1 # {mark}\nlast: x\n---\n".encode(), {"last": "z"}).endswith(
        b"last: z\n---\n"
    )
