"""What the scanners say of one text, as findings of the gate.

Everything that is no file is judged here: messages, names of people, of refs and
of paths, tags.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from manent import late
from manent.facts.derive import Mark, marks, scanner
from manent.finding import Finding, Severity
from manent.gate.policy import Policy
from manent.lint.content import content_faults
from manent.repo.incoming import CommitText, TagText
from manent.scan.span import Context, Family, mask
from manent.values import replace
from manent.vault.rows import batches

MESSAGE, AUTHOR, COMMITTER, TAGGER, TAG, REF = (
    "(commit message)",
    "(author name)",
    "(committer name)",
    "(tagger name)",
    "(tag message)",
    "(ref name)",
)
"""Stand where a path would: no file of a vault is judged under these names."""

_IDENTITY = late.bytes_pattern(rb"(.*?)\s*<([^<>\n]*)>(?: -?\d+ [+-]\d{4})?\Z", re.DOTALL)
_TRAILER = late.pattern(
    r"(?:Signed-off|Co-authored|Reviewed|Acked|Tested|Reported|Helped|Suggested|Reviewed-and-tested)"
    r"-by: .*<[^<>]*>\s*\Z",
    re.IGNORECASE,
)
_EMAIL = "email"
_ANEW = "set git config user.name and user.email, then git commit --amend --reset-author"
NAMES_AT_ONCE = 200
"""Names that are scanned at once."""
_EXTENSION = late.pattern(r"\.[A-Za-z0-9]{1,8}\Z")
_BREAKS = late.pattern(r"[-_/.+]+")
_PARTS = late.pattern(r"/+|[-_.]+(?=\+)")
"""What ends one part of a name: a number begins anew behind it, as it does in no text."""


# One object serves all files that are read alike: it is sent to other processes once a task.
_context = lru_cache(maxsize=64)(Context)


class Texts:
    """Judges texts under a policy.

    hidden: names that hold what must not be printed, with what to print instead.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.hidden: dict[str, str] = {}

    def context(self, path: str = "") -> Context:
        """Return how the file at ``path`` is read."""
        addressed = path in self.policy.addressed
        return _context(self.policy.phone_regions, addressed, self.policy.locations)

    def marks(self, text: str, context: Context | None = None) -> list[Mark]:
        """Return what the scanners say of ``text``, soft signs left out."""
        chosen = context or self.context()
        return [mark for mark in marks(text, scanner(chosen)(text)) if not mark.weak]

    def findings(self, found: Iterable[Mark], path: str, commit: str = "") -> Iterator[Finding]:
        """Yield the marks as findings at ``path``: errors when the content policy is strict."""
        hard = Severity.ERROR if self.policy.strict_content else Severity.WARNING
        listed = [mark for mark in found if not mark.weak]
        for family in dict.fromkeys(mark.family for mark in listed):
            for f in content_faults(family, listed):
                place = (path, f.line, f.column)
                yield Finding(family, hard, *place, f.message, f.hint, f.kind, f.digest, commit)

    def text(self, text: str, path: str, commit: str = "") -> Iterator[Finding]:
        """Yield the findings of one text."""
        yield from self.findings(self.marks(text, self.context(path)), path, commit)

    def name(self, name: str) -> list[Mark]:
        """Return the marks of a name, in which words are held together by signs."""
        found = self.marks(name)
        seen = {(m.family, m.kind, m.digest) for m in found}
        # Without its extension an address ends where its domain does.
        bare = _EXTENSION.sub("", name)
        spaced = _BREAKS.sub(" ", name)
        others = [m for form in (bare, _PARTS.sub("\n", bare)) for m in self.marks(form)]
        others += [m for m in self.marks(spaced) if m.family == Family.INJECTION]
        return found + [m for m in others if (m.family, m.kind, m.digest) not in seen]

    def masked(self, name: str) -> str:
        """Return a name with everything masked that the scanners find in it."""
        bare = _EXTENSION.sub("", name)
        found = scanner(self.context())
        spans = [s for s in found(name) if not s.weak] or [s for s in found(bare) if not s.weak]
        if not spans:
            return mask(name)
        for span in sorted(spans, key=lambda s: -s.start):
            name = name[: span.start] + span.masked + name[span.end :]
        return name

    def paths(self, paths: Iterable[tuple[str, str]]) -> Iterator[Finding]:
        """Yield the findings of file names. paths: pairs of path and commit."""
        # One call for many names; only where it says something is each asked alone.
        for batch in batches(paths, NAMES_AT_ONCE):
            if any(self.marks(text) for text in joined_names(path for path, _ in batch)):
                yield from self.each_path(batch)

    def each_path(self, paths: Iterable[tuple[str, str]]) -> Iterator[Finding]:
        """Do as ``paths``, looking at each name alone."""
        for path, commit in paths:
            found = [m._replace(line=0, column=0) for m in self.name(path)]
            for finding in self.findings(found, path, commit):
                self.hidden[path] = self.masked(path)
                message = f"in the file's name: {finding.message}"
                yield replace(finding, message=message, hint="git mv it to another name")

    def ref(self, ref: str) -> Iterator[Finding]:
        """Yield the findings of a ref's name."""
        found = self.name(ref.split("/", 2)[-1])
        if found:
            self.hidden[ref] = self.masked(ref)
        for finding in self.findings([m._replace(line=0, column=0) for m in found], f"{REF} {ref}"):
            yield replace(finding, hint="push it under another name: git push origin HEAD:NAME")

    def commit(self, commit: CommitText) -> Iterator[Finding]:
        """Yield the findings of a commit's own text: message, people, further headers."""
        encoding = next((v for k, v in commit.headers if k == b"encoding"), b"")
        own = set[str]()
        for key, value in commit.headers:
            if key in (b"author", b"committer"):
                place = AUTHOR if key == b"author" else COMMITTER
                yield from self._person(value, place, commit.oid, encoding, own)
            else:
                yield from self._header(key, value, commit.oid, encoding, own)
        yield from self._message(commit.message, MESSAGE, commit.oid, encoding, own)

    def tag(self, tag: TagText) -> Iterator[Finding]:
        """Yield the findings of an annotated tag's own text."""
        own = set[str]()
        for key, value in tag.headers:
            if key == b"tagger":
                yield from self._person(value, TAGGER, tag.oid, b"", own)
            else:
                yield from self._header(key, value, tag.oid, b"", own)
        yield from self._message(tag.message, TAG, tag.oid, b"", own)

    def _person(
        self, raw: bytes, place: str, oid: str, encoding: bytes, own: set[str]
    ) -> Iterator[Finding]:
        found = _IDENTITY.match(raw)
        name, address = (found[1], found[2]) if found else (raw, b"")
        text = _decoded(name, encoding)
        if text is None:
            yield _undecodable(place, oid)
            return
        in_address = self.marks(address.decode("utf-8", "replace"))
        own.update(m.digest for m in in_address if m.kind == _EMAIL)
        marks_of_name = [m for m in self.marks(text) if m.digest not in own]
        # An address is one's own affair; a key or an order in its place is not.
        others = [m for m in in_address if m.family != Family.PII]
        for finding in (
            *self.findings(marks_of_name, place, oid),
            *self.findings(others, place, oid),
        ):
            yield replace(finding, hint=_ANEW)

    def _header(
        self, key: bytes, value: bytes, oid: str, encoding: bytes, own: set[str]
    ) -> Iterator[Finding]:
        place = f"(header {key[:40].decode('ascii', 'replace')})"
        text = _decoded(key + b" " + value, encoding)
        if text is None:
            yield _undecodable(place, oid)
            return
        lines = text.split("\n")
        found = [
            m
            for m in self.marks(text)
            if not (m.kind == _EMAIL and lines[m.line - 1].startswith(("tagger ", "mergetag ")))
        ]
        yield from self.findings([m for m in found if m.digest not in own], place, oid)

    def _message(
        self, raw: bytes, place: str, oid: str, encoding: bytes, own: set[str]
    ) -> Iterator[Finding]:
        text = _decoded(raw, encoding)
        if text is None:
            yield _undecodable(place, oid)
            return
        lines = text.split("\n")
        found = [
            m
            for m in self.marks(text)
            if not (m.kind == _EMAIL and (m.digest in own or _TRAILER.match(lines[m.line - 1])))
        ]
        yield from self.findings(found, place, oid)


def joined_names(paths: Iterable[str]) -> list[str]:
    """Return the texts in which the scanners find what they find in any of these names."""
    names = [path.replace("\n", " ") for path in paths]
    forms = (
        names,
        [_EXTENSION.sub("", n) for n in names],
        [_BREAKS.sub(" ", n) for n in names],
        [_PARTS.sub("\n", _EXTENSION.sub("", n)) for n in names],
    )
    return ["\n\n".join(form) for form in forms]


def _decoded(raw: bytes, encoding: bytes) -> str | None:
    if b"\0" in raw:
        return None
    try:
        name = codecs.lookup(encoding.decode("ascii")).name if encoding else "utf-8"
        return raw.decode(name)
    except (UnicodeDecodeError, LookupError, ValueError):
        return None


def _undecodable(place: str, oid: str) -> Finding:
    return Finding(
        "encoding",
        Severity.ERROR,
        place,
        0,
        0,
        "it is not UTF-8 text",
        "write it again with git commit --amend, or git tag -f",
        commit=oid,
    )
