"""Keep every link to what it led to while notes leave quarantine and move.

Before and after are compared link by link. By the law of keys (``links.resolve``)
only links whose last component is a moved note's name or file name can come to
mean something else, and those inside a moved note, which may be relative. Addresses
in HTML are followed too, though no other tool counts them as links.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from manent.errors import Refused
from manent.links.link import Link, LinkKind
from manent.links.resolve import fold, is_attachment, last_component, resolve
from manent.links.rewriting import encoded, rebased, retargeted
from manent.promote.addresses import Addresses, place_of, readdressed, relative
from manent.values import replace
from manent.vault.digest import keys_of
from manent.vault.names import Named, Names
from manent.vault.record import NoteRecord
from manent.vault.vault import Vault


class Moving:
    """A vault while notes of it are promoted one after the other.

    contents: what the paths touched so far hold by now, None where one is gone.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.contents: dict[str, bytes | None] = {}
        self._moved: dict[int, Named] = {}
        self._links: dict[int, Sequence[Link]] = {}
        self._addresses: Addresses | None = None
        self._file_names: Counter[str] | None = None

    def path_of(self, note: NoteRecord) -> str:
        """Return where a note stands by now."""
        moved = self._moved.get(note.id)
        return note.path if moved is None else moved.path

    def content_of(self, note: NoteRecord) -> bytes:
        """Return what a note holds by now."""
        held = self.contents.get(self.path_of(note))
        return self.vault.content(note) if held is None else held

    def named(self, key: str) -> Sequence[Named]:
        """Return the notes of that folded name or stem, where they stand by now."""
        rows = [self._moved.get(row.id, row) for row in self.vault.lookup(key)]
        return sorted(rows, key=lambda row: row.path)

    def move(self, note: NoteRecord, content: bytes, after: Named) -> dict[str, bytes | None]:
        """Put ``content`` where ``after`` says; return every edit that this takes."""
        before = self.path_of(note)
        self._moved[note.id] = after
        if after.path != before:
            content = self._rebased(content, before, after.path)
        edits: dict[str, bytes | None] = {}
        if after.path != before:
            edits[before] = None
        edits[after.path] = content
        self.contents.update(edits)
        keys = keys_of(note.name, note.stem)
        sources = self.vault.sources_by_key(keys) | {note.id}
        for source in sorted(self.vault.notes_of(sources), key=lambda n: n.path):
            changed = self._mended(source, None if source.id == note.id else keys)
            if changed is not None:
                edits[self.path_of(source)] = changed
                self.contents[self.path_of(source)] = changed
        if after.path != before:
            edits |= self._readdressed(note, before)
        return edits

    def _readdressed(self, note: NoteRecord, before: str) -> dict[str, bytes | None]:
        """Return the other notes whose HTML leads to a moved note, as they must be by now."""
        if self._addresses is None:
            self._addresses = Addresses(self.vault)
        edits: dict[str, bytes | None] = {}
        sources = self._addresses.of(before) - {note.id}
        for source in sorted(self.vault.notes_of(sources), key=lambda n: n.path):
            path, content = self.path_of(source), self.content_of(source)

            def new(old: str) -> str:
                return self.path_of(note) if old == before else old

            try:
                changed = readdressed(
                    content, posixpath.dirname(path), new, self.vault.conventions.dendron
                )
            except Refused as stuck:
                raise Refused(f"{path}: {stuck.message}", stuck.hint) from None
            if changed != content:
                edits[path] = self.contents[path] = changed
        return edits

    def _mended(self, source: NoteRecord, keys: Collection[str] | None) -> bytes | None:
        """Return the note with its links as they must be by now; None where they are.

        keys: only links to these names can mean something else; None: all can.
        """
        links = self._links_of(source)
        led_to = self.vault.destinations(source.id)
        wanted: dict[int, str] = {}
        for n, link in enumerate(links):
            if link.target and (keys is None or fold(last_component(link.target)) in keys):
                target = self._target(source, link, led_to.get(n))
                if target != link.target:
                    wanted[n] = target
        if not wanted:
            return None
        self._links[source.id] = [
            replace(link, target=wanted.get(n, link.target)) for n, link in enumerate(links)
        ]
        try:
            content = self.content_of(source)
            return retargeted(content, wanted, self.vault.conventions.dendron)
        except Refused as stuck:
            raise Refused(f"{self.path_of(source)}: {stuck.message}", stuck.hint) from None

    def _links_of(self, source: NoteRecord) -> Sequence[Link]:
        """Return the links of a note by now. The edit of a header changes none of them."""
        return self._links.get(source.id) or self.vault.facts(source).outline.links

    def _target(self, source: NoteRecord, link: Link, led_to: int | None) -> str:
        """Return what the link must say to lead where it led."""
        path = self.path_of(source)
        if led_to is None:
            return self._file_target(source, link, path)
        note = self.vault.note_by_id(led_to)
        assert note is not None
        wanted = self.path_of(note)
        if self._leads(link.target, path, link.kind) == wanted:
            return link.target
        for target in _spellings(link, path, wanted, note):
            if self._leads(target, path, link.kind) == wanted:
                return target
        where = f"{path}: line {link.line}"
        raise Refused(f"{where}: no way to link to {wanted} is left", "rename one of the notes")

    def _leads(self, target: str, source: str, kind: LinkKind) -> str | None:
        return resolve(target, source, Names(self.named), kind).path

    def _file_target(self, source: NoteRecord, link: Link, path: str) -> str:
        """Return the target of a link to no note, from a note that moved."""
        target = link.target
        if path == source.path or target.startswith("/"):
            return target
        if "/" not in target and link.kind is LinkKind.WIKILINK:
            return target  # found by its name wherever it stands
        by_name = "/" not in target and self._one_of_its_name(target)
        if by_name and not self._in_markdown(source, link):
            return target  # so is what is embedded, where one file has the name
        old = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), target))
        stands = self.vault.file(old) is not None
        if self.vault.note_at(old) is not None:
            return target
        dotted = target in (".", "..") or target.startswith(("./", "../"))
        if not (stands or dotted or self._means_a_place(source, link)):
            return target  # it may be meant from the vault's root, or be a name
        new = relative(old, posixpath.dirname(path)) + ("/" if target.endswith("/") else "")
        return target if self._leads(new, path, link.kind) else new

    def _one_of_its_name(self, name: str) -> bool:
        if self._file_names is None:
            files = self.vault.files()
            self._file_names = Counter(fold(posixpath.basename(one.path)) for one in files)
        return self._file_names[fold(name)] == 1

    def _means_a_place(self, source: NoteRecord, link: Link) -> bool:
        """Tell whether a link that leads to nothing is written as a way from where it stands."""
        if "/" not in link.target and not is_attachment(link.target, LinkKind.MARKDOWN):
            return False
        return self._in_markdown(source, link) and self.vault.file(link.target) is None

    def _in_markdown(self, source: NoteRecord, link: Link) -> bool:
        if link.kind is not LinkKind.EMBED:
            return link.kind is LinkKind.MARKDOWN
        line = self.vault.text(source).split("\n")[link.line - 1]
        return not line.startswith("![[", link.column - 1)

    def _rebased(self, content: bytes, before: str, after: str) -> bytes:
        """Return the moved note's text with links to folders, and HTML, from where it is now."""
        was, now = (encoded(posixpath.dirname(path)) for path in (before, after))

        def moved(address: str) -> str:
            note = self.vault.note_at(place_of(address, posixpath.dirname(before)))
            rooted = address.startswith("/")
            if rooted:
                old = posixpath.normpath(address.lstrip("/"))
            else:
                old = posixpath.normpath(posixpath.join(was, address))
            target = old if note is None else encoded(self.path_of(note))
            if rooted:
                return address if target == old else f"/{target}"
            return relative(target, now) + ("/" if address.endswith("/") else "")

        try:
            return rebased(content, moved, self.vault.conventions.dendron)
        except Refused as stuck:
            raise Refused(f"{before}: {stuck.message}", stuck.hint) from None


def _spellings(link: Link, source: str, wanted: str, note: NoteRecord) -> Iterable[str]:
    """Yield how a link may name the note at ``wanted``, the way it was written first."""
    target = link.target
    extension = wanted[-3:]
    suffixed = target[-3:].lower() == ".md"
    whole = wanted if suffixed else wanted.removesuffix(extension)
    near = relative(whole, posixpath.dirname(source))
    by_path = [near, f"./{near}", f"/{whole}"]
    by_name = [note.name, note.stem]
    if link.kind is LinkKind.MARKDOWN:
        return by_path[::-1] if target.startswith("/") else by_path
    if target.startswith(("./", "../")):
        return [near, f"./{near}", whole, *by_name]
    if "/" in target:
        rooted = target.startswith("/")
        return [f"/{whole}" if rooted else whole, f"/{whole}", *by_path, *by_name]
    return [*by_name, whole, f"/{whole}", *by_path]


def lookalikes(moving: Moving, note: NoteRecord) -> list[Named]:
    """Return the other notes outside quarantine that answer to this one's name."""
    rows = moving.named(fold(note.name))
    return [row for row in rows if row.id != note.id and not row.quarantined]
