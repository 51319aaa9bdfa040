"""Text made to be slow to read is read in bounded time, by both parsers."""

from __future__ import annotations

import time

import pytest

from manent.links import commonmark
from manent.links.markdown import outline
from manent.note import read

TRAPS = {
    "brackets": "[" * 200_000,
    "open wikilinks": "[[x " * 50_000,
    "open aliases": "[[a|[b]" * 30_000,
    "one long alias": "[[a|" + "[b]" * 60_000,
    "links on one line": "[[a]] [b](c.md) " * 12_000,
    "labels": "[x](" * 3 + "[[a]])" * 30_000,
    "backslashes": ("\\" * 1000 + "[[x]]") * 200,
    "backticks of every length": "\n".join("`" * n for n in range(600, 0, -1)),
    "fences in comments": "%% " + "```\n" * 50_000,
    "short comments": "%%a%% " * 40_000,
    "comments over lines": "%%\n%%\n\n" * 30_000,
    "comments with marks": "%%`%% <div>[ $" * 15_000,
    "comments": "%%\n%%" + "<!-- " * 40_000,
    "headings": "# a\n" * 50_000,
    "a heading of tags": "# " + "<a " * 60_000,
    "tags": "#a " * 60_000,
    "blocks": "x ^a\n" * 40_000,
    "quotes": "> " * 50_000 + "x",
    "boxes": "[ ] " * 50_000,
    "dollars": "$a " * 60_000,
    "dashes": "\n" + "-" * 200_000 + "x",
    "blocks of html": "<div>[[a]] [b](c.md)\n\n" * 9_000,
    "one block of html": "<div>\n" + '<a "[[b]]\n' * 18_000,
    "open tags": "<div>[" + "<a '\"" * 40_000,
    "open comments": "<div>[" + "<!-- <pre " * 20_000,
    "blanks": "x" + " " * 200_000 + "=",
}


@pytest.mark.parametrize("trap", TRAPS)
def test_outline_is_linear(trap: str) -> None:
    note = read(TRAPS[trap].encode())
    began = time.process_time()
    outline(note)
    assert time.process_time() - began < 4  # 0.3 s at most on a quiet machine


@pytest.mark.parametrize("trap", TRAPS)
def test_the_other_parser_is_linear_too(trap: str) -> None:
    body = TRAPS[trap][:10_000]
    began = time.process_time()
    commonmark.structure(body)
    assert time.process_time() - began < 4


@pytest.mark.parametrize("trap", TRAPS)
def test_headers_are_read_in_bounded_time(trap: str) -> None:
    began = time.process_time()
    outline(read(f"---\na: {TRAPS[trap][:60_000]}\n---\nBody.\n".encode()))
    assert time.process_time() - began < 4
