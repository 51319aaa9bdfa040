"""Give links of a note other targets, and change no other byte.

What stands where is found again from the outline; the edited text is then read
back, and unless exactly the wanted links changed, each to exactly its new
target, the edit is refused. So no edit depends on having understood all of
Markdown or YAML.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from manent import late
from manent.errors import Refused
from manent.links.comments import without_comments
from manent.links.link import Link, LinkKind, Outline
from manent.links.markdown import outline
from manent.links.parsing import structure_of
from manent.links.structure import blank
from manent.links.wikilink import WIKILINK
from manent.note.reading import Note, read
from manent.values import replace

_DEFINITION = late.pattern(
    r"^[ \t>]{0,12}\[([^\[\]\n]{1,400})\]:[ \t]*(?:\r?\n[ \t>]*)?(<[^<>\n]*>|[^\s<]\S*)", 8
)
_PLAIN = late.pattern(r"\w[\w/.-]*(?: [\w/.-]+)*")
_REFERENCE = late.pattern(r"\[([^\[\]]*)\]\Z")
_ESCAPE = late.pattern(r"\\([!-/:-@\[-`{-~])")
_TAG = late.pattern(
    r"""<!--.*?-->|<[a-z][a-z0-9-]*((?:[^"'>]|"[^"]{0,9000}"|'[^']{0,9000}'){0,9000})>""",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = late.pattern(
    r"""(?<![^\s"'/])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""", re.IGNORECASE
)
_ADDRESSES = frozenset({"href", "src", "srcset", "poster", "data", "cite", "longdesc"})
_WHOLE = late.pattern(r"\s*(.*?)\s*\Z", re.DOTALL)
_IN_SET = late.pattern(r"([^\s,][^\s]*[^\s,]|[^\s,])(?:\s+[^,]*)?(?:,|\Z)")
_ELSEWHERE = late.pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\{\{|%7B%7B")
_ENCODED = frozenset(' <>()%#"&[]`$|{}^\\')

Span = tuple[int, int]


def retargeted(data: bytes, wanted: Mapping[int, str], dendron: bool = False) -> bytes:
    """Return the note with other targets in some of its links.

    wanted: by a link's place in the outline, its new target, unencoded; heading,
    block and alias stay. Raises Refused when that cannot be done exactly.
    """
    note = read(data)
    if note.text.encode("utf-8") != data:
        raise Refused("the note is not UTF-8", "save the file as UTF-8 first")
    links = outline(note, dendron).links
    places = _Places(note, dendron)
    edits: dict[Span, str] = {}
    for n, target in wanted.items():
        found = places.target_of(links[n], target)
        if found is None:
            raise _stuck(links[n])
        edits[found[0]] = found[1]
    after = _edited(note.text, edits)
    _verify(links, outline(read(after), dendron).links, wanted)
    return after


def rebased(data: bytes, moved: Callable[[str], str], dendron: bool = False) -> bytes:
    """Return the note with other addresses where no link of the outline stands.

    Those are Markdown links to folders, and what HTML names in ``href``, ``src`` and
    the like. moved: from an address as written, without query and anchor, to its new
    one; asked for those within the vault alone, from its root (``/…``) or relative.
    Raises Refused when that cannot be done exactly.
    """
    note = read(data)
    if note.text.encode("utf-8") != data:
        return data  # nothing in it is read as text
    places = _Places(note, dendron)
    edits: dict[Span, str] = {}
    for start, end in (*places.folders(), *places.in_html()):
        raw = note.text[start:end]
        address = raw[: min((at for at in map(raw.find, "?#") if at >= 0), default=len(raw))]
        if address and not _ELSEWHERE.match(address):
            new = moved(address)
            if new != address:
                edits[start, start + len(address)] = new
    if not edits:
        return data
    after = _edited(note.text, edits)
    if _places_gone(outline(note, dendron)) != _places_gone(outline(read(after), dendron)):
        raise Refused("an address in it cannot be changed exactly", "change it by hand first")
    return after


def _places_gone(found: Outline) -> list[Link]:
    return [replace(link, line=0, column=0) for link in found.links]


def _edited(text: str, edits: Mapping[Span, str]) -> bytes:
    for (start, end), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text.encode("utf-8")


def _verify(before: tuple[Link, ...], after: tuple[Link, ...], wanted: Mapping[int, str]) -> None:
    for n, link in enumerate(before):
        expected = replace(link, target=wanted.get(n, link.target), line=0, column=0)
        if n >= len(after) or replace(after[n], line=0, column=0) != expected:
            raise _stuck(link)
    if len(after) != len(before):
        raise _stuck(after[len(before)])


def _stuck(link: Link) -> Refused:
    return Refused(
        f"the link on line {link.line} cannot be given another target exactly",
        "change that link by hand first",
    )


class _Places:
    """Where in the text of a note the targets of its links stand."""

    def __init__(self, note: Note, dendron: bool) -> None:
        self._text = note.text
        self._head = len(note.text) - len(note.body)
        self._body = note.body
        self._dendron = dendron
        self._starts = [0]
        at = note.text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = note.text.find("\n", at + 1)
        self._links: dict[int, tuple[int, str]] | None = None
        self._visible = ""
        self._html: list[Span] = []

    def target_of(self, link: Link, target: str) -> tuple[Span, str] | None:
        """Return where the link's target stands, and how the new one is to be written."""
        at = self._starts[link.line - 1] + link.column - 1
        opened = at + (link.kind is LinkKind.EMBED and self._text.startswith("!", at))
        in_header = at < self._head
        if self._text.startswith("[[", opened):
            span = self._wikilink(opened)
            return span and (span, self._quoted(at, target) if in_header else target)
        if in_header:
            return self._property(at, target) or self._item(at, link, target)
        return self._markdown(at - self._head, target)

    def folders(self) -> Iterator[Span]:
        """Yield where the addresses of links to folders stand, which are no links to notes."""
        for start, (end, url) in self._spans().items():
            if url.endswith("/") and (span := self._destination(start, end, url)):
                yield self._head + span[0], self._head + span[1]

    def in_html(self) -> Iterator[Span]:
        """Yield where addresses stand in the HTML of the body."""
        self._spans()
        for start, end in self._html:
            for tag in _TAG.finditer(self._body, start, end):
                if tag[1] is None:
                    continue  # a comment
                for found in _ATTRIBUTE.finditer(self._body, *tag.span(1)):
                    if found[1].lower() in _ADDRESSES:
                        group = next(n for n in (2, 3, 4) if found[n] is not None)
                        at = self._head + found.start(group)
                        several = found[1].lower() == "srcset"
                        for one in (_IN_SET if several else _WHOLE).finditer(found[group]):
                            yield at + one.start(1), at + one.end(1)

    # -- wikilinks, and plain items of the header ----------------------------------

    def _wikilink(self, at: int) -> Span | None:
        match = WIKILINK.match(self._text, at)
        if match is None:
            return None
        labelled = match[2] is not None
        group = 2 if labelled and self._dendron else 1
        start, written = match.start(group), match[group]
        if labelled and group == 1:
            written = written.removesuffix("\\")
        ends = [i for mark in "#^" if (i := written.find(mark)) >= 0]
        written = written[: min(ends)] if ends else written
        bare = written.strip()
        start += written.find(bare) if bare else 0
        return start, start + len(bare)

    def _item(self, at: int, link: Link, target: str) -> tuple[Span, str] | None:
        if not self._text.startswith(link.target, at):
            return None
        span = (at, at + len(link.target))
        if self._quote(at) or _PLAIN.fullmatch(target):
            return span, self._quoted(at, target)
        return span, json.dumps(target, ensure_ascii=False)

    def _property(self, at: int, target: str) -> tuple[Span, str] | None:
        """Return the same of a Markdown link in the header, where it is written in one piece."""
        line = self._text[at : self._text.find("\n", at)] if self._text[at] in "![" else ""
        first, end, url, _ = min(structure_of(line).links, default=(1, 0, "", False))
        opened = line.find("](")
        while not first and 0 < opened < end:
            span = _written(line, opened + 2, end)
            if span and _meaning(line[span[0] : span[1]]) == url:
                raw = line[span[0] : span[1]]
                anchor = raw[raw.index("#") :] if "#" in raw else ""
                written = self._quoted(at, encoded(target)) + anchor
                return (at + span[0], at + span[1]), written
            opened = line.find("](", opened + 1)
        return None

    def _quoted(self, at: int, target: str) -> str:
        """Write a target inside the quotation marks that it stands in, if any."""
        quote = self._quote(at)
        if quote == '"':
            return json.dumps(target, ensure_ascii=False)[1:-1]
        return target.replace("'", "''") if quote == "'" else target

    def _quote(self, at: int) -> str:
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        inside = ""
        for index, char in enumerate(line):
            escaped = inside == '"' and line[index - 1 : index] == "\\"
            if char in "\"'" and inside in ("", char) and not escaped:
                opens = not inside and (not index or line[index - 1] in " \t[,:-")
                inside = "" if inside else (char if opens else "")
        return inside

    # -- Markdown links ----------------------------------------------------------------

    def _markdown(self, at: int, target: str) -> tuple[Span, str] | None:
        link = self._spans().get(at)
        if link is None:
            return None
        end, url = link
        span = self._destination(at, end, url)
        if span is None:
            return None
        start, stop = span
        raw = self._body[start:stop]
        anchor = raw[raw.index("#") :] if "#" in raw else ""
        return (self._head + start, self._head + stop), encoded(target) + anchor

    def _spans(self) -> dict[int, tuple[int, str]]:
        if self._links is None:
            body = without_comments(self._body)
            found = structure_of(body)
            self._visible = blank(body, found.hidden)
            self._links = {start: (end, url) for start, end, url, _ in found.links}
            self._html = _joined(found.html)
        return self._links

    def _destination(self, at: int, end: int, url: str) -> Span | None:
        """Return where the destination is written: in the link, or where it is defined."""
        if self._body[end - 1 : end] == ")":
            for opened in self._openings(at, end):
                span = _written(self._body, opened, end)
                if span and _meaning(self._body[span[0] : span[1]]) == url:
                    return span
            return None
        label = _REFERENCE.search(self._body, max(at, end - 1000), end)
        name = label[1] if label else ""
        if label and not name:  # [text][]
            name = self._body[at:end].removesuffix("[]").lstrip("!")[1:-1]
        for found in _DEFINITION.finditer(self._visible):
            if " ".join(found[1].casefold().split()) == " ".join(name.casefold().split()):
                start, stop = found.span(2)
                inside = self._body[start] == "<"
                return start + inside, stop - inside
        return None

    def _openings(self, at: int, end: int) -> Iterator[int]:
        place = self._visible.find("](", at, end)
        while place >= 0:
            if self._visible[place - 1] != "\\":
                yield place + 2
            place = self._visible.find("](", place + 1, end)


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Return the spans in order, those that touch made one: a tag may go over lines."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _written(body: str, at: int, end: int) -> Span | None:
    """Return the span of a destination that begins at or after ``at``, brackets left out."""
    while at < end and body[at] in " \t\r\n":
        at += 1
    if body.startswith("<", at):
        close = body.find(">", at, end)
        return (at + 1, close) if close > 0 else None
    depth, stop = 0, at
    while stop < end and body[stop] not in " \t\r\n":
        if body[stop] == "\\":
            stop += 1
        elif body[stop] == "(":
            depth += 1
        elif body[stop] == ")":
            if not depth:
                break
            depth -= 1
        stop += 1
    return at, min(stop, end)


def _meaning(raw: str) -> str:
    """Return the address that a destination, as written, stands for."""
    return html.unescape(_ESCAPE.sub(r"\1", raw))


def encoded(target: str) -> str:
    """Write a path as an address, in Markdown and in HTML."""
    odd = (c in _ENCODED or c < " " or c == "\x7f" for c in target)
    return "".join(
        "".join(f"%{byte:02X}" for byte in c.encode()) if strange else c
        for c, strange in zip(target, odd, strict=True)
    )
