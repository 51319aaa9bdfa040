"""The content of everything a push adds: each blob at each path, read once.

A blob is text and is scanned, or a form that can be opened and is scanned inside,
or it is refused by name. Nothing is passed over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from manent import late
from manent.facts.derive import Mark, decode, derive, marks, scanner
from manent.finding import Finding, Severity
from manent.gate.forms import is_binary
from manent.gate.policy import Policy
from manent.gate.texts import Texts
from manent.repo.incoming import Addition
from manent.repo.objects import Header, Objects
from manent.scan.span import Context
from manent.values import dataclass, field, replace

SMALL_BYTES = 64 << 10
"""Larger blobs are scanned one by one: a batch of small ones stays below 100 MB."""

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
    """Judges the blobs of a push. read: counts what it read."""

    policy: Policy
    texts: Texts
    read: Read = field(default_factory=Read)
    processes: int = 1

    def judge(
        self, objects: Objects, additions: Iterable[Addition], sizes: Mapping[str, Header]
    ) -> Iterator[Finding]:
        """Yield the findings of the content of ``additions``.

        sizes: headers that are known already; the others are asked for. Content
        over a limit is never read.
        """
        places = _by_blob(additions)
        unknown = [oid for oid in places if oid not in sizes]
        headers = dict(zip(unknown, objects.headers(unknown), strict=True))
        wanted = []
        for oid, at in places.items():
            header = sizes.get(oid) or headers[oid]
            over = list(self._over(at, header.size))
            yield from over
            if not over:
                wanted.append(oid)
        yield from self._contents(objects, wanted, places)

    def one(self, addition: Addition, content: bytes) -> Iterator[Finding]:
        """Yield the findings of one content at one path."""
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
    ) -> Iterator[Finding]:
        found: list[Finding] = []
        waiting: deque[tuple[str, Context]] = deque()

        def work() -> Iterator[tuple[bytes, Context]]:
            for oid, content in zip(wanted, objects.contents(wanted), strict=True):
                self.read.blobs += 1
                self.read.bytes += len(content)
                found.extend(self._form(content, places[oid]))
                if is_binary(content):
                    continue
                for context in dict.fromkeys(self._context(a) for a in places[oid]):
                    if len(content) > SMALL_BYTES:
                        text = decode(content).text or ""
                        scanned = self.texts.marks(text, context)
                        found.extend(self._placed(scanned, places[oid], context))
                    else:
                        waiting.append((oid, context))
                        yield content, context

        for scanned in derive(work(), _scanned, self.processes):
            oid, context = waiting.popleft()
            found.extend(self._placed(scanned, places[oid], context))
            yield from found
            found.clear()
        yield from found

    def _context(self, addition: Addition) -> Context:
        return self.texts.context(_path(addition))

    def _placed(
        self, scanned: list[Mark], at: list[Addition], context: Context
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
        if not _is_whole(content):
            for a in at:
                yield _finding(
                    a, "encoding", "it is not clean UTF-8 text", f"iconv -t UTF-8 {_path(a)} > new"
                )
        for a in at:
            if a.path.rpartition(b"/")[2].lower() == b".gitattributes":
                yield from _attributes(content, a)

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


def _scanned(piece: tuple[bytes, Context]) -> list[Mark]:
    """Scan one small content; runs in whatever process has time."""
    content, context = piece
    text = decode(content).text or ""
    return marks(text, scanner(context)(text))


_ELSE = "keep it elsewhere and link to it"


def _by_blob(additions: Iterable[Addition]) -> dict[str, list[Addition]]:
    """Return each blob's places, each path once: with the first commit that adds it there."""
    places: dict[str, list[Addition]] = {}
    seen: set[tuple[bytes, str]] = set()
    for addition in additions:
        key = (addition.path, addition.oid)
        if addition.mode not in ("160000",) and key not in seen:
            seen.add(key)
            places.setdefault(addition.oid, []).append(addition)
    return places


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
                finding.message, finding.hint, found[0], commit=finding.commit,
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
    severity = Severity.ERROR
    return Finding(rule, severity, _path(addition), 0, 0, message, hint, commit=addition.commit)


def _path(addition: Addition) -> str:
    return addition.path.decode("utf-8", "surrogateescape")
