"""The strict YAML of note headers: plain data out, or one fault with its line.

YAML as files of notes need it: one mapping, no anchors, aliases, merge keys or
tags, no key twice, bounded nesting, size and number of values. Scalars follow
YAML 1.2, read narrowly: ``no``, ``on``, ``012``, ``1:30``, dates, hexadecimal
and exponents without a point stay the text that was written, and so does a
number JSON could not carry. The result is plain JSON-able data.

Values are built from libyaml's event stream, never from its node tree: the
event parser keeps its nesting on the heap, so no input can exhaust the stack.
Typical headers never get that far: `_plain_lines` reads them line by line, and
a property test holds that both ways agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from manent import late
from manent.values import dataclass

HEADER_MAX_CHARS = 64 * 1024
"""A longer header is refused unread. The longest of 6,051 public notes has 4,902."""

VALUES_MAX = 10_000
"""Scalars, lists and mappings together."""

DEPTH_MAX = 24

WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
"""Plain scalars that are no text in YAML 1.2."""

_INTEGER = late.pattern(r"-?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_DECIMAL = late.pattern(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,17}(?:[eE][-+]?[0-9]{1,2})?", re.ASCII)


class Fault(Exception):
    """Why a header cannot be read. line and column count from 0 inside the header."""

    def __init__(self, line: int, column: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Loaded:
    """The data of a header, and the line (from 0 inside it) of each top-level key."""

    data: dict[str, Any]
    lines: dict[str, int]


def load(header: str) -> Loaded:
    """Return the data between two fences. Raises Fault, and nothing else, on bad input."""
    if len(header) > HEADER_MAX_CHARS:
        raise Fault(
            0,
            0,
            f"the header is longer than {HEADER_MAX_CHARS} characters",
            "move text to the body",
        )
    return _plain_lines(header) or load_events(header)


def scalar(text: str) -> Any:
    """Return what the plain (unquoted) scalar ``text`` stands for."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in "-0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return text


# The quick way: lines of `key: value`, inline lists of words, block lists of words.

_KEY = late.pattern(r"([A-Za-z_](?:[A-Za-z0-9_ -]{0,62}[A-Za-z0-9_-])?):(?: +(.*))?", re.ASCII)
_ITEM = late.pattern(r"( *)- +(.*)")
_FLOW_WORD = late.pattern(r"""[^\W_][^,\[\]{}:?#"'&*!|>%@`]*|"[^"\\]*"|'[^']*'""")
_NOT_SIMPLE = object()


def _plain_lines(header: str) -> Loaded | None:
    """Return the data of a header of simple lines, or None when any line is not simple."""
    if header.count("\n") + header.count(",") > VALUES_MAX // 3:
        return None  # long enough to be counted
    data: dict[str, Any] = {}
    lines: dict[str, int] = {}
    items: list[Any] | None = None
    indent = ""
    key = ""
    for number, line in enumerate(header.split("\n")):
        line = line.rstrip("\r ")
        if not line or line[0] == "#":
            if not line.isprintable():
                return None
            continue
        found = _KEY.fullmatch(line)
        if found:
            key, written = found.groups()
            if key in data or not line.isprintable():
                return None
            lines[key] = number
            if not written:
                data[key], items = None, []
                continue
            items = None
            value = _simple(written)
        else:
            entry = _ITEM.fullmatch(line)
            if items is None or entry is None or not line.isprintable():
                return None
            if not items:
                indent, data[key] = entry[1], items
            elif entry[1] != indent:
                return None
            value = _simple_item(entry[2])
            items.append(value)
        if value is _NOT_SIMPLE:
            return None
        if found:
            data[key] = value
    return Loaded(data, lines)


def _simple(written: str) -> Any:
    if written[0] == "[":
        return _simple_list(written)
    return _simple_item(written)


def _simple_item(written: str) -> Any:
    first = written[0] if written else ""
    if first.isalnum():
        if ": " in written or " #" in written or written[-1] == ":":
            return _NOT_SIMPLE
        return scalar(written)
    if first == '"':
        inner = written[1:-1]
        plain = len(written) > 1 and written[-1] == '"' and '"' not in inner and "\\" not in inner
        return inner if plain else _NOT_SIMPLE
    if first == "'":
        inner = written[1:-1]
        return (
            inner if len(written) > 1 and written[-1] == "'" and "'" not in inner else _NOT_SIMPLE
        )
    return _NOT_SIMPLE


def _simple_list(written: str) -> Any:
    if written[-1] != "]":
        return _NOT_SIMPLE
    inner = written[1:-1].strip(" ")
    if not inner:
        return []
    items: list[Any] = []
    for word in inner.split(","):
        word = word.strip(" ")
        if not _FLOW_WORD.fullmatch(word):
            return _NOT_SIMPLE
        items.append(word[1:-1] if word[0] in "\"'" else scalar(word))
    return items


# The full way: libyaml's events.


class _Frame:
    """A list or mapping under construction."""

    __slots__ = ("data", "flow", "is_map", "key", "lines", "only", "start")

    def __init__(self, is_map: bool, flow: bool, start: Any) -> None:
        self.is_map = is_map
        self.flow = flow
        self.start = start
        self.data: Any = {} if is_map else []
        self.key: str | None = None
        self.lines: dict[str, int] = {}
        self.only: tuple[int, int] | None = None


def load_events(header: str) -> Loaded:
    """Return the same as `load`, always by way of libyaml's events."""
    import yaml

    ours = _lines_of(header)
    try:
        loaded = _from_events(header)
        return Loaded(loaded.data, {key: ours(line, 0)[0] for key, line in loaded.lines.items()})
    except Fault as fault:
        line, column = ours(fault.line, fault.column)
        raise Fault(line, column, fault.message, fault.hint) from None
    except yaml.reader.ReaderError as error:
        raise _unreadable(header, error) from None


_ODD_BREAK = late.pattern("\r(?!\n)")
_BREAK = late.pattern("\r\n?|\n")
_NO_BREAK = late.pattern("[\x85\u2028\u2029]")


def _lines_of(header: str) -> Callable[[int, int], tuple[int, int]]:
    """Return what turns YAML's line and column into those of the file.

    To YAML a lone carriage return ends a line; to git, to editors and to everything
    else here only a line feed does.
    """
    if not _ODD_BREAK.search(header):
        return lambda line, column: (line, column)
    starts = [0, *(found.end() for found in _BREAK.finditer(header))]

    def ours(line: int, column: int) -> tuple[int, int]:
        at = min(starts[min(line, len(starts) - 1)] + column, len(header))
        return header.count("\n", 0, at), at - (header.rfind("\n", 0, at) + 1)

    return ours


def unbroken(header: str) -> tuple[str, dict[int, str]]:
    """Return a header without what ends a line in YAML 1.1 alone, and how to undo that.

    In YAML 1.2 the separators of Unicode are characters like any other, but the parser
    is of the older version: one character of the same width that the header does not
    hold stands for each. The second value is for ``str.translate``.
    """
    if not _NO_BREAK.search(header):
        return header, {}
    held = set(header)
    free = (chr(code) for code in range(0xF0000, 0xFFFFE) if chr(code) not in held)
    stand_in = {separator: next(free) for separator in "\x85\u2028\u2029"}
    undone = {ord(new): old for old, new in stand_in.items()}
    return header.translate({ord(old): new for old, new in stand_in.items()}), undone


def _from_events(header: str) -> Loaded:
    import yaml

    loader_class: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text, undone = unbroken(header)
        loader = loader_class(text)
        try:
            return _Builder(header, undone).build(loader)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _marked(error) from None
    except yaml.reader.ReaderError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise Fault(0, 0, "the header is not YAML", "write it as `key: value` lines") from error


class _Builder:
    """Turns a stream of events into plain data, refusing what the strict form excludes."""

    def __init__(self, header: str, undone: dict[int, str]) -> None:
        self.header = header
        self.undone = undone
        self.stack: list[_Frame] = []
        self.root: Any = None
        self.lines: dict[str, int] = {}
        self.count = 0

    def build(self, loader: Any) -> Loaded:
        import yaml

        documents = 0
        while True:
            event = loader.get_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.SequenceStartEvent or kind is yaml.MappingStartEvent:
                self._open(event, kind is yaml.MappingStartEvent)
            elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
                self._close(event)
            elif kind is yaml.AliasEvent:
                raise _refused(event, "an alias (`*name`) is not allowed", "write the value out")
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1 or event.version or event.tags:
                    raise _refused(
                        event, "the header holds more than one YAML document", "keep one"
                    )
            elif kind is yaml.StreamEndEvent:
                break
        if self.root is None:
            return Loaded({}, {})
        if type(self.root) is not dict:
            raise Fault(0, 0, "the header is not a list of keys", "write it as `key: value` lines")
        return Loaded(self.root, self.lines)

    def _check(self, event: Any) -> None:
        self.count += 1
        if self.count > VALUES_MAX:
            raise _refused(event, f"more than {VALUES_MAX} values", "move data to the body")
        if event.anchor is not None:
            raise _refused(event, "an anchor (`&name`) is not allowed", "remove it")
        if event.tag is not None and event.tag != "!":
            raise _refused(
                event, "a YAML tag (`!name`) is not allowed", "remove it, or quote the value"
            )

    def _scalar(self, event: Any) -> None:
        self._check(event)
        plain = event.implicit[0]
        if event.tag == "!":
            raise _refused(
                event, "a YAML tag (`!`) is not allowed", "remove it, or quote the value"
            )
        frame = self.stack[-1] if self.stack else None
        value = event.value.translate(self.undone) if self.undone else event.value
        if frame is not None and frame.is_map and frame.key is None:
            if plain and value == "<<":
                raise _refused(event, "a merge key (`<<`) is not allowed", "write the keys out")
            self._key(frame, value, event)
        else:
            self._add(scalar(value) if plain else value)

    def _key(self, frame: _Frame, key: str, event: Any) -> None:
        if key in frame.data:
            raise _refused(event, f"{_named(key)} stands twice", "keep one of the two")
        frame.key = key
        frame.data[key] = None
        frame.lines[key] = event.start_mark.line

    def _open(self, event: Any, is_map: bool) -> None:
        self._check(event)
        if event.tag == "!":
            raise _refused(
                event, "a YAML tag (`!`) is not allowed", "remove it, or quote the value"
            )
        if len(self.stack) >= DEPTH_MAX:
            raise _refused(event, f"nested deeper than {DEPTH_MAX} levels", "flatten it")
        self.stack.append(_Frame(is_map, bool(event.flow_style), event.start_mark))

    def _close(self, event: Any) -> None:
        frame = self.stack.pop()
        end = event.end_mark.index
        start = frame.start.index
        value = frame.data
        if frame.flow and frame.only == (start + 1, end - 1) and len(value) == 1:
            # `project: [[Atlas]]`: a wikilink somebody forgot to quote, kept as its text.
            value = self.header[start:end]
        parent = self.stack[-1] if self.stack else None
        if parent is None:
            self.root, self.lines = value, frame.lines
        elif parent.is_map and parent.key is None:
            key = self.header[start:end] if frame.flow else f"? {self.count}"
            self._key(parent, key, _At(frame.start))
        else:
            self._add(value)
            if frame.flow and not frame.is_map and type(value) is list and not parent.is_map:
                parent.only = (start, end)

    def _add(self, value: Any) -> None:
        if not self.stack:
            self.root = value
            return
        frame = self.stack[-1]
        if frame.is_map:
            frame.data[frame.key] = value
            frame.key = None
        else:
            frame.data.append(value)


@dataclass(frozen=True, slots=True)
class _At:
    start_mark: Any


def _refused(event: Any, message: str, hint: str) -> Fault:
    mark = event.start_mark
    return Fault(mark.line, mark.column, message, hint)


def _named(key: str) -> str:
    # A key is text somebody wrote: only a word of letters is safe to repeat.
    safe = len(key) <= 32 and key.isascii() and key.replace("-", "").replace("_", "").isalpha()
    return f"the key `{key}`" if safe else "a key"


_HINTS = (
    ("mapping values are not allowed", "put the value in quotes: it contains `: `"),
    (
        "cannot start any token",
        "indent with spaces, not tabs, and quote values that begin with @ or `",
    ),
    ("did not find expected ',' or ']'", "close the list with ]"),
    ("did not find expected ',' or '}'", "close the mapping with }"),
    ("unexpected end of stream", "close the quotation mark"),
    ("unexpected document indicator", "close the quotation mark"),
    ("<document start>", "remove the line ...: a header closes with ---"),
    ("maximum nesting depth", "flatten it"),
    ("did not find expected key", "check the quotation marks and the indentation"),
    ("could not find expected ':'", "write it as `key: value` lines"),
)


_UNCLOSED = (
    "found unexpected end of stream",
    "found unexpected document indicator",
    "did not find expected ',' or",
)


def _marked(error: Any) -> Fault:
    problem = str(error.problem or error.context or "it cannot be parsed")
    # What never closes is noticed at the end; where it opened is what to look at.
    unclosed = problem.startswith(_UNCLOSED) and error.context_mark
    mark = error.context_mark if unclosed else error.problem_mark or error.context_mark
    # libyaml quotes names of aliases and tags in its messages; those were refused before.
    hint = next((h for sign, h in _HINTS if sign in problem), "write it as `key: value` lines")
    line, column = (mark.line, mark.column) if mark else (0, 0)
    return Fault(line, column, f"not valid YAML: {problem}", hint)


_CONTROL = late.pattern(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def _unreadable(header: str, error: Any) -> Fault:
    found = _CONTROL.search(header)
    at = found.start() if found else 0
    line = header.count("\n", 0, at)
    column = at - (header.rfind("\n", 0, at) + 1)
    return Fault(line, column, "a control character YAML does not allow", "remove the character")
