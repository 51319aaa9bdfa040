"""Changing the value of one key in its own lines: what it keeps stays as it is written.

The lines of a key are read by YAML, which says where its value and the items of a
list stand. An item that is added is written the way the list writes its items, one
that is replaced the way the old one was; comments stay, also those of an item that
goes. Nothing here is trusted: each way of writing the change is read back, and one
that says anything but what was wanted is not taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from manent import late
from manent.note import strict, writing

_BARE_LINK = late.pattern(r"\[\[[\w /.-]+\]\]")
_COMMENT = late.pattern(r"[ \t]+(#[^\r\n]*)")

Edit = tuple[int, int, str]
"""Where text is replaced: from, to, by what."""


def rewritten(text: str, key: str, old: Any, new: Any, newline: str) -> Iterator[str]:
    """Yield ways to give the key another value, the one that keeps most first.

    text: the lines of the key and no other. old: what they say. new: not None.
    """
    value = _value_of(text)
    if value is None:
        return
    shape = _shape(value, old)
    if isinstance(new, list) and (shape == "flow" or (new and shape)):
        listed = _Flow(text, value, newline) if shape == "flow" else _Block(text, value, newline)
        yield listed.edited(old, new)
    start, end = value.start_mark.index, _end(text, value)
    if shape == "block":
        # The dashes go, the comments among them stay below the key.
        left = _Block(text, value, newline).edited(old, [])
        at = _colon(left, key)
        if at:
            yield f"{left[:at]} {writing.value(new)}{left[at:]}"
        return
    raw = text[start:end]
    if shape == "flow" and "#" in raw and "\n" in raw:
        return  # a comment may stand among the items
    space = "" if text[start - 1 : start] in (" ", "\t", "\n") else " "
    wrapped = _wrapped(raw, old, new)
    if wrapped:
        yield text[:start] + space + wrapped + text[end:]
    yield text[:start] + space + like(raw, new) + text[end:]


def like(raw: str, new: Any) -> str:
    """Write a value with the quotation marks of ``raw`` where they suffice."""
    if isinstance(new, str) and raw[:1] == "'" and new.isprintable():
        return "'" + new.replace("'", "''") + "'"
    if isinstance(new, str) and raw[:1] == '"':
        return writing.quoted(new)
    if isinstance(new, str) and raw[:2] == "[[" and _BARE_LINK.fullmatch(new):
        return new
    return writing.value(new)


def _wrapped(raw: str, old: Any, new: Any) -> str:
    """Return a list that holds the one value there was, as it is written, and more."""
    if not isinstance(new, list) or len(new) < 2 or new[0] != old or "\n" in raw:
        return ""
    if raw[:1] in ("|", ">") or ("," in raw and raw[:1] not in ("'", '"', "[")):
        return ""
    return "[" + ", ".join([raw, *(_flowing(like(raw, item), item) for item in new[1:])]) + "]"


def _value_of(text: str) -> Any:
    """Return the value's node, None where the text is anything but one key."""
    import yaml

    try:
        root = yaml.compose(strict.unbroken(text)[0], Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(root, yaml.MappingNode) or len(root.value) != 1:
        return None
    return root.value[0][1]


def _shape(value: Any, old: Any) -> str:
    """Return how a list is written: ``flow``, ``block``, "" for what is none."""
    if value.id != "sequence" or not isinstance(old, list) or len(old) != len(value.value):
        return ""
    return "flow" if value.flow_style else "block"


def _end(text: str, node: Any) -> int:
    """Return where what a node says ends, before blanks and comments that follow."""
    if node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip("\r\n")) if node.id == "scalar" else int(end)


def _colon(text: str, key: str) -> int:
    """Return the place after the colon of the key, 0 when the key is written oddly."""
    for written in (key, f'"{key}"', f"'{key}'"):
        if text.startswith(written):
            rest = text[len(written) :]
            if rest.lstrip(" \t").startswith(":"):
                return len(text) - len(rest.lstrip(" \t")) + 1
    return 0


def _flowing(written: str, item: Any) -> str:
    plain = not isinstance(item, str) or written[:1] in "\"'[" or "," not in written
    return written if plain else writing.quoted(item)


class _Listed(ABC):
    """A list as it is written, and the edits that make it another one."""

    def __init__(self, text: str, node: Any, newline: str) -> None:
        self.text = text
        self.node = node
        self.newline = newline
        self.starts = [item.start_mark.index for item in node.value]
        self.ends = [_end(text, item) for item in node.value]

    def edited(self, old: Sequence[Any], new: Sequence[Any]) -> str:
        """Return the text with the items of ``new``; those of both stay as they are."""
        # Imported here: most who read notes never change a list.
        from difflib import SequenceMatcher

        keys = [writing.value(item) for item in old], [writing.value(item) for item in new]
        edits: list[Edit] = []
        gone: set[int] = set()
        for kind, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            both = min(b - a, d - c)
            for i, item in zip(range(a, a + both), new[c : c + both], strict=True):
                raw = self.text[self.starts[i] : self.ends[i]]
                edits.append((self.starts[i], self.ends[i], self._written(raw, item)))
            gone.update(range(a + both, b))
            if c + both < d:
                edits.append(self._added(a + both, new[c + both : d]))
        edits += self._removed(gone)
        text = self.text
        for start, end, by in sorted(edits, reverse=True):
            text = text[:start] + by + text[end:]
        return text

    def _raw(self, place: int) -> str:
        """Return the item that a new one at ``place`` is written like."""
        if not self.starts:
            return ""
        i = max(0, place - 1)
        return self.text[self.starts[i] : self.ends[i]]

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        """Return the place after the line feed of the line, the text's end without one."""
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found + 1

    def _next_sign(self, at: int) -> int:
        """Return the next place that is neither blank nor comment."""
        text = self.text
        while at < len(text):
            if text[at] == "#" and (not at or text[at - 1] in " \t\r\n"):
                at = self._line_end(at)
            elif text[at] in " \t\r\n":
                at += 1
            else:
                break
        return at

    @abstractmethod
    def _written(self, raw: str, item: Any) -> str:
        """Return an item as it is to be written in place of, or beside, ``raw``."""

    @abstractmethod
    def _added(self, place: int, items: Sequence[Any]) -> Edit:
        """Return the edit that puts items before the one at ``place``."""

    @abstractmethod
    def _removed(self, gone: set[int]) -> list[Edit]:
        """Return the edits that take items away."""


class _Block(_Listed):
    """One item a line, behind a dash."""

    def __init__(self, text: str, node: Any, newline: str) -> None:
        super().__init__(text, node, newline)
        self.dashes = []
        at = node.start_mark.index
        for end in self.ends:
            self.dashes.append(self._next_sign(at))
            at = max(end, self.dashes[-1] + 1)

    def _written(self, raw: str, item: Any) -> str:
        return like(raw, item) if raw else f" {writing.value(item)}"

    def _added(self, place: int, items: Sequence[Any]) -> Edit:
        before = max(0, place - 1)
        dash, start = self.dashes[before], self.starts[before]
        lead = self.text[self._line_start(dash) : start]
        if "\n" in lead or lead.strip() != "-" or lead[-1] == "-":
            lead = self.text[self._line_start(dash) : dash] + "- "
        raw = self._raw(place)
        lines = "".join(lead + like(raw, item) + self.newline for item in items)
        # Before all: above what is said of the first.
        at = self._line_end(self.ends[before]) if place else self._line_end(0)
        if not self.text[:at].endswith("\n"):
            lines = self.newline + lines.removesuffix(self.newline)
        return at, at, lines

    def _removed(self, gone: set[int]) -> list[Edit]:
        edits = []
        for i in gone:
            start, end = self._line_start(self.dashes[i]), self._line_end(self.ends[i])
            said = _COMMENT.match(self.text, self.ends[i])
            indent = self.text[start : self.dashes[i]]
            left = f"{indent or '  '}{said[1]}{self.newline}" if said else ""
            edits.append((start, end, left))
        return edits


class _Flow(_Listed):
    """Items between brackets, in one line or in several."""

    def __init__(self, text: str, node: Any, newline: str) -> None:
        super().__init__(text, node, newline)
        self.open, self.close = node.start_mark.index, node.end_mark.index - 1
        after = [self._next_sign(end) for end in self.ends]
        self.commas = [at if text[at] == "," else -1 for at in after]
        self.in_one_line = "\n" not in text[self.open : self.close]

    def _written(self, raw: str, item: Any) -> str:
        return _flowing(like(raw, item), item)

    def _added(self, place: int, items: Sequence[Any]) -> Edit:
        raw = self._raw(place)
        written = [self._written(raw, item) for item in items]
        if not self.starts:
            return self.open + 1, self.open + 1, ", ".join(written)
        before = max(0, place - 1)
        start, end, comma = self.starts[before], self.ends[before], self.commas[before]
        indent = self.text[self._line_start(start) : start]
        if self.in_one_line or indent.strip():
            return self._inline(place, written)
        if not place:
            lines = "".join(f"{one},{self.newline}{indent}" for one in written)
            return start, start, lines
        line_end = self._line_end(max(end, comma))
        if comma >= 0 and line_end <= self.close:
            return line_end, line_end, "".join(f"{indent}{one},{self.newline}" for one in written)
        lines = "".join(f",{self.newline}{indent}{one}" for one in written)
        said = self.text[end:line_end].rstrip("\r\n")
        if line_end <= self.close and comma < 0 and said.strip():
            # What is said of the last item stays behind it.
            return end, end + len(said), "," + said + lines[1:]
        return end, end, lines

    def _inline(self, place: int, written: Sequence[str]) -> Edit:
        first = self.commas[0]
        apart = ", "
        if len(self.starts) > 1 and self.in_one_line:
            apart = self.text[first : self.starts[1]]
        if not place:
            return self.starts[0], self.starts[0], "".join(one + apart for one in written)
        at = self.ends[place - 1]
        return at, at, "".join(apart + one for one in written)

    def _removed(self, gone: set[int]) -> list[Edit]:
        edits = []
        for i in gone:
            start, end = self.starts[i], self.ends[i]
            if self.commas[i] >= 0:
                end = self.commas[i] + 1
            while end < self.close and self.text[end] in " \t":
                end += 1
            line, line_end = self._line_start(start), self._line_end(end)
            alone = not self.text[line:start].strip() and not self.text[end:line_end].strip()
            edits.append((line, line_end, "") if alone and line else (start, end, ""))
        kept = [i for i in range(len(self.starts)) if i not in gone]
        last = kept[-1] if kept else -1
        if 0 <= last < len(self.starts) - 1 and self.in_one_line and self.commas[-1] < 0:
            edits.append((self.commas[last], self.starts[last + 1], ""))
        return edits


def says(text: str, key: str, value: Any) -> bool:
    """Tell whether the lines, read alone, give the key this value and say no more."""
    try:
        data = strict.load(text).data
    except strict.Fault:
        return False
    return list(data) == [key] and writing.value(data[key]) == writing.value(value)
