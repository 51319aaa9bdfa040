"""The content of everything a push adds: each blob at each path, read once.

A blob is text and is scanned, or a form that can be opened and is scanned inside,
or it is refused by name. Nothing is passed over.
"""

from __future__ import annotations

import hashlib
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from manent import late
from manent.errors import EnvironmentFault
from manent.facts.derive import Mark, decode, derive_many, marks_from_json
from manent.finding import Finding, Severity, digest_of
from manent.gate.entries import reads_as
from manent.gate.forms import LEGIBLE, form_of, is_binary
from manent.gate.policy import Policy
from manent.gate.texts import NAMES_AT_ONCE, Texts, joined_names
from manent.repo.incoming import Addition
from manent.repo.objects import Header, Objects
from manent.scan.span import Context
from manent.values import dataclass, field, replace
from manent.vault.digest import Digest, Piece, digests, weight_of
from manent.vault.ignore import Ignore, is_note_path
from manent.vault.record import Conventions
from manent.vault.rows import batches
from manent.vault.sync import HELD_BYTES

SMALL_BYTES = 64 << 10
"""Larger blobs are scanned one by one: a batch of small ones stays below 100 MB."""

_MOST_MADE = 20_000
"""Digests that wait to be asked for, 4 kB each: they are, in the order of paths, which is
that of a push of one commit."""
_CONVENTIONS = Conventions()
_PLAIN_FILES = ("100644", "100755")

_LFS = b"version https://git-lfs.github.com/spec/"
_LFS_BYTES = 1024
_ATTRIBUTES = late.pattern(
    r"(?<![\w!-])(?:filter|working-tree-encoding|ident|export-subst|export-ignore)(?=[=\s]|$)"
)


@dataclass(slots=True)
class Read:
    """How much was read, for the line that says so."""

    commits: int = 0
    blobs: int = 0
    bytes: int = 0
    tags: int = 0


@dataclass(slots=True)
class Blobs:
    """Judges the blobs of a push. read: counts what it read.

    conventions: where given, what the vault keeps of a note is made in the same reading
    (``digest``). names: of files, with their commits, that are judged last.
    """

    policy: Policy
    texts: Texts
    read: Read = field(default_factory=Read)
    processes: int = 1
    conventions: Conventions | None = None
    names: list[tuple[str, str]] = field(default_factory=list)
    _steps: Iterator[list[Finding]] = field(default_factory=lambda: iter(()))
    _whole: bool = True
    _found: list[Finding] = field(default_factory=list)
    _hoped: dict[str, str] = field(default_factory=dict)
    _made: dict[str, Digest] = field(default_factory=dict)

    def judge(
        self, objects: Objects, additions: Iterable[Addition], sizes: Mapping[str, Header]
    ) -> Iterator[Finding]:
        """Yield the findings of the content of ``additions``.

        sizes: headers that are known already; the others are asked for. Content
        over a limit is never read.
        """
        self.begin(objects, additions, sizes)
        yield from self.rest()

    def begin(
        self, objects: Objects, additions: Iterable[Addition], sizes: Mapping[str, Header]
    ) -> None:
        """Make ready to judge ``additions`` as their digests, or the ``rest``, are asked for.

        objects: answers nobody else until then.
        """
        added = list(additions)
        places = _by_blob(added)
        if self.conventions is not None:
            self._hoped = _last_notes(added)
        self._steps, self._whole = self._judged(objects, places, sizes), False

    def rest(self) -> list[Finding]:
        """Return what was found since this was last asked, once everything is judged.

        Raises EnvironmentFault where not all could be, also if whoever asked for a
        digest has passed over why.
        """
        for step in self._steps:
            self._found += step
        if not self._whole:
            raise EnvironmentFault("not all that was pushed could be read", "push again")
        found, self._found = self._found, []
        return found

    def digest(self, path: str, oid: str) -> Digest | None:
        """Return what was made of the note at ``path``, judging as far as that asks for."""
        while self._hoped.get(oid) == path:
            if oid in self._made:
                del self._hoped[oid]
                return self._made.pop(oid)
            step = next(self._steps, None)
            if step is None:
                break
            self._found += step
        return None

    def _judged(
        self, objects: Objects, places: dict[str, list[Addition]], sizes: Mapping[str, Header]
    ) -> Iterator[list[Finding]]:
        unknown = [oid for oid in places if oid not in sizes]
        headers = dict(zip(unknown, objects.headers(unknown), strict=True))
        wanted = []
        for oid, at in places.items():
            header = sizes.get(oid) or headers[oid]
            over = list(self._over(at, header.size))
            if over:
                yield over
            else:
                wanted.append(oid)
            if over or header.size > SMALL_BYTES:
                self._hoped.pop(oid, None)
        yield from self._contents(objects, wanted, places)
        self._whole = True

    def one(self, addition: Addition, content: bytes) -> Iterator[Finding]:
        """Yield the findings of one content at one path."""
        addition = addition._replace(oid=addition.oid or _blob_id(content))
        over = list(self._over([addition], len(content)))
        if over:
            yield from over
            return
        yield from self._form(content, [addition])
        if not is_binary(content):
            text = decode(content).text or ""
            path = _path(addition)
            yield from self.texts.text(text, path, addition.commit)

    def _contents(
        self, objects: Objects, wanted: list[str], places: dict[str, list[Addition]]
    ) -> Iterator[list[Finding]]:
        found: list[Finding] = []
        # What is made of the marks of each piece that others work on.
        waiting: deque[Callable[[list[Mark]], Iterable[Finding]]] = deque()
        behind: deque[tuple[Context, Piece]] = deque()

        def work() -> Iterator[Piece]:
            room = HELD_BYTES if self.processes > 1 else 0
            for oid, content in zip(wanted, objects.contents(wanted), strict=True):
                self.read.blobs += 1
                self.read.bytes += len(content)
                found.extend(self._form(content, places[oid]))
                if is_binary(content):
                    self._hoped.pop(oid, None)
                    continue
                for piece, context in self._pieces(oid, content, places[oid]):
                    if piece is None:
                        text = decode(content).text or ""
                        scanned = self.texts.marks(text, context)
                        found.extend(self._placed(places[oid], context, scanned))
                        continue
                    if piece.note and room > 0:
                        # Read for the vault first: it can be moved while this is scanned.
                        room -= weight_of(piece)
                        behind.append((context, piece._replace(note=False)))
                        piece = piece._replace(context=None)
                    waiting.append(partial(self._placed, places[oid], context))
                    yield piece

        def last() -> Iterator[Piece]:
            while behind:
                context, piece = behind.popleft()
                waiting.append(partial(self._placed, places[piece.oid], context))
                yield piece
            for names in batches(self.names, NAMES_AT_ONCE):
                try:
                    texts = [text.encode() for text in joined_names(path for path, _ in names)]
                except UnicodeEncodeError:  # a byte that is no UTF-8: nobody else reads that
                    found.extend(self.texts.paths(names))
                    continue
                for text in texts:
                    waiting.append(partial(self._named, names))
                    yield Piece("", "", text, False, self.texts.context(), _CONVENTIONS)

        for digest in derive_many(work(), digests, self.processes, weight_of, last()):
            said = waiting.popleft()
            self._keep(digest)
            if digest.marks is not None:
                found.extend(said(marks_from_json(digest.marks)))
            yield found
            found = []
        yield found

    def _named(self, names: list[tuple[str, str]], scanned: list[Mark]) -> Iterator[Finding]:
        """Yield the findings of names, in one of whose joined texts this was seen."""
        if any(not mark.weak for mark in scanned):
            yield from self.texts.each_path(names)

    def _pieces(
        self, oid: str, content: bytes, at: list[Addition]
    ) -> Iterator[tuple[Piece | None, Context]]:
        """Yield each way in which a content is scanned, with the work that others may do."""
        path = self._hoped.get(oid, "")
        note = bool(path)
        for context in dict.fromkeys(self._context(a) for a in at):
            if len(content) > SMALL_BYTES:
                yield None, context
                continue
            conventions = self.conventions or _CONVENTIONS
            yield Piece(path, oid, content, note, context, conventions), context
            note = False

    def _keep(self, digest: Digest) -> None:
        if digest.rows is None:
            return
        if len(self._made) < _MOST_MADE:
            self._made[digest.oid] = digest
        else:
            self._hoped.pop(digest.oid, None)

    def _context(self, addition: Addition) -> Context:
        return self.texts.context(_path(addition))

    def _placed(
        self, at: list[Addition], context: Context, scanned: list[Mark]
    ) -> Iterator[Finding]:
        if scanned:
            for addition in at:
                if self._context(addition) == context:
                    yield from self.texts.findings(scanned, _path(addition), addition.commit)

    def _over(self, at: list[Addition], size: int) -> Iterator[Finding]:
        for addition in at:
            note = addition.path[-3:].lower() == b".md"
            limit = self.policy.max_note_bytes if note else self.policy.max_blob_bytes
            if size > limit:
                key = "maxNoteBytes" if note else "maxBlobBytes"
                yield _finding(
                    addition,
                    "file-size",
                    f"{size} bytes are over the limit of {limit} (manent.{key})",
                    "split the note" if note else "keep it elsewhere and link to it",
                )

    def _form(self, content: bytes, at: list[Addition]) -> Iterator[Finding]:
        """Yield what is wrong with the form of a content, and what stands in an attachment."""
        if content.startswith(_LFS) and len(content) < _LFS_BYTES:
            for a in at:
                yield _finding(
                    a,
                    "lfs-pointer",
                    "a Git LFS pointer: its content never arrives",
                    "git lfs untrack the file and commit it itself",
                )
        if is_binary(content):
            yield from self._attachment(content, at)
            return
        if form_of(content) in LEGIBLE and self.policy.attachments != "refuse":
            yield from self._attachment(content, at)
        if not _is_whole(content):
            for a in at:
                hint = _to_utf8(_path(a), decode(content).encoding)
                yield _finding(a, "encoding", "it is not clean UTF-8 text", hint)
        yield from self._otherwise(content, at)
        yield from self._put_together(content, at)
        for a in at:
            if reads_as(_path(a).rpartition("/")[2], ".gitattributes"):
                yield from _attributes(content, a)

    def _otherwise(self, content: bytes, at: list[Addition]) -> Iterator[Finding]:
        """Yield what a text says to a reader who takes its bytes for another encoding."""
        decoded = decode(content)
        if decoded.encoding == "utf-8":
            return
        from manent.gate.runs import runs

        texts = list(runs(content))
        if decoded.encoding == "broken":
            texts.append(content.decode("latin-1"))
        yield from self._beside(decoded.text or "", texts, at)

    def _put_together(self, content: bytes, at: list[Addition]) -> Iterator[Finding]:
        """Yield what a drawing or a page says to who sees no markup."""
        if content[:99].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] != b"<":
            return
        from manent.gate.markup import joined

        text = decode(content).text or ""
        whole = joined(text)
        if whole:
            yield from self._beside(text, [whole], at)

    def _beside(self, plain: str, texts: list[str], at: list[Addition]) -> Iterator[Finding]:
        """Yield what further readings of a text say that its ``plain`` one does not."""
        for a in at:
            context = self._context(a)
            known = {m.digest for m in self.texts.marks(plain, context)}
            for text in texts:
                found = [m for m in self.texts.marks(text, context) if m.digest not in known]
                known.update(m.digest for m in found)
                unplaced = [m._replace(line=0, column=0) for m in found]
                yield from self.texts.findings(unplaced, _path(a), a.commit)

    def _attachment(self, content: bytes, at: list[Addition]) -> Iterator[Finding]:
        if self.policy.attachments == "refuse":
            for a in at:
                yield _finding(a, "attachment", "no text, and manent.attachments is refuse", _ELSE)
            return
        # Imported here: the openers cost 20 ms that a push of notes need not pay.
        from manent.gate.attachments import Budget, open_attachment

        opened = open_attachment(content, Budget(self.policy.max_unpacked_bytes))
        for piece in opened.pieces:
            found = [m._replace(line=0, column=0) for m in self.texts.marks(piece.text)]
            for a in at:
                for finding in self.texts.findings(found, _path(a), a.commit):
                    yield _inside(finding, piece.where)
        if self.policy.attachments != "any":
            for a in at:
                for why in opened.unreadable:
                    yield _finding(a, "attachment", why, _ELSE)


_ELSE = "keep it elsewhere and link to it"


def _by_blob(additions: Iterable[Addition]) -> dict[str, list[Addition]]:
    """Return each blob's places, each path once: with the first commit that adds it there."""
    places: dict[str, list[Addition]] = {}
    seen: set[tuple[bytes, str]] = set()
    for addition in additions:
        key = (addition.path, addition.oid)
        if addition.has_content and key not in seen:
            seen.add(key)
            places.setdefault(addition.oid, []).append(addition)
    return places


def _last_notes(additions: Iterable[Addition]) -> dict[str, str]:
    """Return, by blob, a path at which a note of that content may stand in the end."""
    last = {addition.path: addition for addition in additions}
    found: dict[str, str] = {}
    for addition in last.values():
        path = _path(addition)
        if addition.mode in _PLAIN_FILES and is_note_path(path, Ignore()):
            found.setdefault(addition.oid, path)
    return found


def _attributes(content: bytes, addition: Addition) -> Iterator[Finding]:
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        if line.lstrip().startswith("#"):
            continue
        found = _ATTRIBUTES.search(line)
        if found:
            finding = _finding(
                addition,
                "attributes",
                f"the attribute {found[0]} makes readers see other bytes than were judged",
                f"remove it from line {number}",
            )
            yield Finding(
                finding.rule, finding.severity, finding.path, number, 1,
                finding.message, finding.hint, found[0], digest_of(line), finding.commit,
            )  # fmt: skip


def _is_whole(content: bytes) -> bool:
    """Tell whether every byte of a text was read as its encoding says."""
    decoded = decode(content)
    if decoded.encoding in ("utf-8", "broken"):
        return decoded.encoding == "utf-8"
    try:
        content.decode(decoded.encoding)
    except UnicodeDecodeError:
        return False
    return True


def _inside(finding: Finding, where: str) -> Finding:
    return replace(finding, message=f"in {where}: {finding.message}") if where else finding


def _finding(addition: Addition, rule: str, message: str, hint: str) -> Finding:
    # Keyed by the content: another at that path was not what an owner let pass.
    return Finding(
        rule, Severity.ERROR, _path(addition), 0, 0, message, hint,
        digest=addition.oid, commit=addition.commit,
    )  # fmt: skip


def _blob_id(content: bytes) -> str:
    """Return the id git would give the content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _to_utf8(path: str, encoding: str) -> str:
    """Return the command that brings a file to UTF-8, from what it most likely is in."""
    place = shlex.quote(path)
    source = "WINDOWS-1252" if encoding == "broken" else encoding.upper()
    return f"iconv -f {source} -t UTF-8 {place} > {place}.new && mv {place}.new {place}"


def _path(addition: Addition) -> str:
    return addition.path.decode("utf-8", "surrogateescape")
