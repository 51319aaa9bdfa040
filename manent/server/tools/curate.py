"""``brain_curate``: copies, disagreements and missing maps, as short lists for a person."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from manent.access import Identity, View
from manent.errors import EnvironmentFault, Refused
from manent.server.answer import DATA, Answer, offset_of, page
from manent.server.tool import Call, Tool
from manent.vault.record import NoteRecord

REPORTS = ("duplicates", "contradictions", "communities")
MOST = 100
"""Rows of one answer."""
SHOWN = 12
"""Notes of a group that are named; its size is told."""

Row = dict[str, Any]


class Rows(list[Row]):
    """Rows of a report.

    untold: pairs of copies beside them, which hundreds of notes make. unasked: notes of which
    not all was compared, because too many say the same.
    """

    untold: int = 0
    unasked: int = 0

    def counted(self, other: Rows) -> None:
        """Count what stands beside other rows, too."""
        self.untold += other.untold
        self.unasked += other.unasked


_Key = tuple[str, str, str, Identity]


def call(call: Call) -> Answer:
    """Make one report of the caller's View, or all of them; nothing is decided here."""
    report = call.text("report")
    rows = Rows()
    for name in [report] if report else REPORTS:
        one = _rows(call, name)
        rows.counted(one)
        rows += one if report else [{"report": name, **row} for row in one]
    shown, more = page(rows, offset_of(call.text("cursor")), MOST)
    document: dict[str, Any] = {"report": report or "all", "count": len(rows)}
    document |= call.fence.block("rows", {"rows": shown})
    if rows.untold:
        document["duplicatesUntold"] = rows.untold
    if rows.unasked:
        document["duplicatesUnasked"] = rows.unasked
    if more:
        document["cursor"] = more
    document["notice"] = DATA
    return Answer(document)


def _rows(call: Call, report: str) -> Rows:
    """Return a report's rows: those of a moment ago where nothing has changed since."""
    key = _key(call, report)
    found = _held.get(key) if key else None
    if found is None:
        found = _MADE[report](call, _checked(call))
        if key:
            _held.put(key, found)
    # Text of a draft is fenced by this server's key: not kept.
    rows = Rows(_said(call, row) for row in found)
    rows.counted(found)
    return rows


def _key(call: Call, report: str) -> _Key | None:
    """Return what a report hangs on: the vault as it is, and who asks."""
    view = call.view
    if view.of_the_past or "rev" in call.arguments or (report == "communities" and call.is_owner):
        return None  # the past comes and goes; gaps come with every search
    generation = view.vault.store.stamp("vault:generation")
    return (view.vault.id, generation, report, view.identity)


def _checked(call: Call) -> Callable[[], None]:
    def check() -> None:
        if call.cancelled():
            raise Refused("the call was cancelled")

    return check


class _Held:
    """The last few reports, for whoever pages through one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._rows: OrderedDict[_Key, Rows] = OrderedDict()

    def get(self, key: _Key) -> Rows | None:
        with self._lock:
            if key in self._rows:
                self._rows.move_to_end(key)
            return self._rows.get(key)

    def put(self, key: _Key, rows: Rows) -> None:
        with self._lock:
            self._rows[key] = rows
            while len(self._rows) > self._most:
                self._rows.popitem(last=False)


_held = _Held(8)


# -- the reports -----------------------------------------------------------------------


def _duplicates(call: Call, check: Callable[[], None]) -> Rows:
    from manent.curate.edges import edges_of
    from manent.curate.pairs import alike_notes

    known = _known(call.view)
    pairs = alike_notes(call.view, edges_of(call.view, check), check=check)
    check()
    rows = Rows(
        {"a": _note(p.a), "b": _note(p.b), "score": round(p.score, 4)}
        for p in pairs
        if not known.covers(p.a, p.b)
    )
    rows.untold, rows.unasked = pairs.untold, pairs.unasked
    return rows


def _contradictions(call: Call, check: Callable[[], None]) -> Rows:
    from manent.curate.contradictions import contradictions
    from manent.curate.edges import edges_of

    known = _known(call.view)
    rows = Rows()
    for one in contradictions(edges_of(call.view, check)):
        if len(one.notes) == 2 and known.covers(*one.notes):
            continue
        row: Row = {"kind": one.kind, "notes": [_note(note) for note in one.notes]}
        if one.edge:
            row |= {"edge": one.edge, "target": one.target}
            row["draft"] = one.notes[0].quarantined
        rows.append(row)
    return rows


def _communities(call: Call, check: Callable[[], None]) -> Rows:
    from manent.curate.communities import communities
    from manent.curate.edges import edges_of

    asked = _asked(call)
    found = communities(edges_of(call.view, check), asked or ())
    check()
    return Rows(
        {
            "number": one.number,
            "size": len(one.notes),
            "gaps": one.gaps if asked is not None else None,
            "maps": [_note(note) for note in one.maps],
            "notes": [_note(note) for note in one.notes[:SHOWN]],
        }
        for one in found
    )


def _asked(call: Call) -> list[Any] | None:
    """Return what open gaps came nearest to, for owners; None where that cannot be read now."""
    if not call.is_owner or call.register is None:
        return []
    try:
        return [gap["best"] for gap in call.register.gaps()]
    except EnvironmentFault:
        return None


_MADE = {
    "duplicates": _duplicates,
    "contradictions": _contradictions,
    "communities": _communities,
}


def _known(view: View) -> Any:
    """Return the pairs that a person has looked at and leaves as they are."""
    from manent.curate import acknowledged

    tree = view.vault.tree
    return acknowledged.Acknowledged() if tree is None else acknowledged.read(tree)


def _note(note: NoteRecord) -> Row:
    return {"name": note.name, "path": note.path}


def _said(call: Call, row: Row) -> Row:
    """Fence what a draft says of an edge that leads nowhere."""
    if not row.get("draft"):
        return {key: value for key, value in row.items() if key != "draft"}
    kept = {key: value for key, value in row.items() if key != "draft"}
    return kept | {"target": call.fence.around(str(row["target"]), "draft")}


TOOL = Tool(
    name="brain_curate",
    description="Report duplicates, contradictions or communities.",
    properties={
        "report": {"type": "string", "enum": list(REPORTS)},
        "rev": {"type": "string"},
        "cursor": {"type": "string"},
    },
    call=call,
    slow=True,
    task=True,
)
