"""``manent promote --interactive``: the queue, note by note, with a person deciding."""

from __future__ import annotations

from typing import Any

import click

from manent.cli.carrying import How, carry, how, inert_text, mend, print_carried
from manent.cli.opening import Opened, Place, opened
from manent.cli.promote import labels_of, lines_of, queue_of, remark, terms_of
from manent.errors import ManentError, Refused

_KEYS = "[s]how  [d]iff  [p]romote  [a]udience  [r]eject  [n]ext  [q]uit"
_WORDS = {
    word[0]: word for word in ("show", "diff", "promote", "audience", "reject", "next", "quit")
}


def walk(ctx: click.Context, place: Place, options: dict[str, Any]) -> int:
    """Walk the queue, asking about each note; return the exit code."""
    asked = how(ctx, place, options)
    mend(place, asked.quiet)
    with opened(place, asked.frontmatter, None, asked.quiet) as found:
        paths = [row.note.path for row in queue_of(found, options["author"])]
    audience = labels_of(options["audience"])
    for number, path in enumerate(paths, start=1):
        visit = _Visit(place, asked, path, options["folder"], audience)
        if not visit.run(f"{number}/{len(paths)}"):
            break
    if not paths:
        click.echo("no note waits in quarantine", err=True)
    return 0


class _Visit:
    """One note of the queue, until it is decided or left."""

    def __init__(
        self,
        place: Place,
        asked: How,
        path: str,
        folder: str | None,
        audience: list[str] | None,
    ) -> None:
        self._place = place
        self._asked = asked
        self._path = path
        self._folder = folder
        self._audience = audience

    def run(self, counted: str) -> bool:
        """Ask until there is an answer; return False to end the walk."""
        with opened(self._place, self._asked.frontmatter, None, True) as found:
            row = self._row(found)
            if row is None:
                return True
            click.echo(f"\n{counted}  {lines_of([row])[0]}")
        while True:
            key = _asked_for(_KEYS)
            if key in ("quit", ""):
                return False
            if key == "next":
                return True
            try:
                if self._do(key):
                    return True
            except ManentError as fault:
                click.echo(inert_text(f"manent: {fault}"), nl=False, err=True)

    def _do(self, key: str) -> bool:
        """Do what was asked; return whether the note is decided."""
        if key == "show":
            self._show()
        elif key == "diff":
            self._differ()
        elif key == "audience":
            said = _line("Audience, labels by comma")
            self._audience = labels_of(said) if said else None
        elif key == "promote":
            return self._promote()
        elif key == "reject":
            return self._reject()
        return False

    def _row(self, found: Opened) -> Any:
        rows = [row for row in queue_of(found) if row.note.path == self._path]
        return rows[0] if rows else None

    def _the_row(self, found: Opened) -> Any:
        row = self._row(found)
        if row is None:
            raise Refused(f"{self._path} is gone from the queue", "go on to the next")
        return row

    def _show(self) -> None:
        with opened(self._place, self._asked.frontmatter, None, True) as found:
            click.echo(inert_text(found.vault.text(self._the_row(found).note)), nl=False)

    def _differ(self) -> None:
        """Print how the note differs from the one outside quarantine that is most like it."""
        from manent.gate.showing import diff

        with opened(self._place, self._asked.frontmatter, None, True) as found:
            note = self._the_row(found).note
            near = nearest(found, note)
            if near is None:
                click.echo("no note outside quarantine is like it")
                return
            content = found.vault.content(note)
            shown = diff({near.path: found.vault.content(near)}, {near.path: content})
        click.echo(f"against {near.path}:")
        click.echo(inert_text(shown.decode("utf-8", "replace")), nl=False)

    def _promote(self) -> bool:
        from manent.promote.decision import promoted

        folder = self._folder
        if folder is None:
            folder = _line("Move it to which folder (nothing: leave it)") or None
        decided: list[Any] = []

        def propose(found: Opened) -> list[Any]:
            rows = [self._the_row(found)]
            terms = terms_of(found, self._asked.who)
            decided[:] = promoted(found.vault, rows, terms, self._audience, folder)
            return [one.change for one in decided]

        print_carried(carry(self._place, self._asked, propose))
        remark(decided, self._asked.quiet)
        return True

    def _reject(self) -> bool:
        from manent.promote.decision import rejected

        reason = _line("Why")
        if not reason:
            return False

        def propose(found: Opened) -> list[Any]:
            row = self._the_row(found)
            return [rejected(found.vault, row, reason, terms_of(found, self._asked.who)).change]

        print_carried(carry(self._place, self._asked, propose))
        return True


def nearest(found: Opened, note: Any) -> Any:
    """Return the note outside quarantine that says most of what this one says, or None."""
    from manent.access import OWNER, View
    from manent.search.index import SearchIndex

    index = SearchIndex(found.vault, None if found.state is None else found.state / "search")
    view = View(found.vault, OWNER)
    text = f"{note.title} {note.description} {found.vault.text(note)[:2000]}"
    for hit, _ in index.search(view, text, 20, False):
        other = found.vault.note_at(hit.path)
        if other is not None and not other.quarantined:
            return other
    return None


def _asked_for(prompt: str) -> str:
    """Return the word for the key that was typed, "" at the end of input."""
    while True:
        typed = _line(prompt, None)
        if typed is None:
            return ""
        word = _WORDS.get(typed[:1].lower(), "")
        if word and word.startswith(typed.lower()):
            return word


def _line(prompt: str, at_end: str | None = "") -> str | None:
    """Return the line that was typed, ``at_end`` when there is no more input."""
    try:
        typed: str = click.prompt(prompt, default="", show_default=False)
    except click.Abort:
        return at_end
    return typed.strip()
