"""The structure of a body by pyromark, a Rust parser: the bulk path.

Events come with ranges in UTF-8 bytes; they are turned into code points at the
end, in one pass. Imported only when a note is to be parsed; where no wheel of
pyromark exists, ``commonmark`` answers instead.
"""

from __future__ import annotations

from typing import Any

import pyromark

from manent.links.structure import Structure

_OPTIONS = (
    pyromark.Options.ENABLE_WIKILINKS
    | pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_FOOTNOTES
)
_PARSER = pyromark.Markdown(options=_OPTIONS)
_HTML = ("InlineHtml", "Html")
_HIDDEN = ("Code", "InlineHtml", "Html", "InlineMath", "DisplayMath")


def structure(body: str) -> Structure:
    """Return the structure of a body."""
    hidden: list[tuple[int, int]] = []
    headings: list[tuple[int, int, int]] = []
    links: list[tuple[int, int, str, bool]] = []
    html: list[tuple[int, int]] = []
    blocks: list[tuple[int, int]] = []
    # This loop is the cost of a cold lint: plain text and ends leave it first.
    event: Any
    for event, place in _PARSER.events_with_range(body):
        if type(event) is str or "Text" in event or "End" in event:
            continue
        opened: Any = event.get("Start")
        if opened is None:
            if not event.keys().isdisjoint(_HIDDEN):
                hidden.append((place["start"], place["end"]))
                if not event.keys().isdisjoint(_HTML):
                    html.append(hidden[-1])
        elif opened == "HtmlBlock":
            blocks.append((place["start"], place["end"]))
        elif type(opened) is dict:
            ((name, detail),) = opened.items()
            if name == "CodeBlock":
                hidden.append((place["start"], place["end"]))
            elif name == "Heading":
                headings.append((int(detail["level"][1]), place["start"], place["end"]))
            elif name == "Link" or name == "Image":
                kind = detail["link_type"]
                if kind == "Autolink":
                    hidden.append((place["start"], place["end"]))
                elif type(kind) is str and kind != "Email":
                    url = detail["dest_url"]
                    links.append((place["start"], place["end"], url, name == "Image"))
    found = Structure(hidden, headings, links, html, blocks)
    return found if body.isascii() else _in_code_points(body, found)


def _in_code_points(body: str, found: Structure) -> Structure:
    wanted = {at for pair in found.hidden for at in pair}
    wanted.update(at for _, start, end in found.headings for at in (start, end))
    wanted.update(at for start, end, _, _ in found.links for at in (start, end))
    wanted.update(at for pair in found.html for at in pair)
    wanted.update(at for pair in found.blocks for at in pair)
    encoded = body.encode("utf-8", "surrogatepass")
    points: dict[int, int] = {}
    done = count = 0
    for at in sorted(wanted):
        count += len(encoded[done:at].decode("utf-8", "surrogatepass"))
        points[at] = count
        done = at
    return Structure(
        [(points[start], points[end]) for start, end in found.hidden],
        [(level, points[start], points[end]) for level, start, end in found.headings],
        [(points[start], points[end], url, embeds) for start, end, url, embeds in found.links],
        [(points[start], points[end]) for start, end in found.html],
        [(points[start], points[end]) for start, end in found.blocks],
    )
