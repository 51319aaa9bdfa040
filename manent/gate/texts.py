"""What the scanners say of one text, as findings of the gate.

Everything that is no file is judged here: messages, names of people, of refs and
of paths, tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from manent import late
from manent.facts.derive import Mark, marks, scanner
from manent.finding import Finding, Severity
from manent.gate.policy import Policy
from manent.gate.readings import Readings, known, readings
from manent.lint.content import content_faults
from manent.repo.incoming import CommitText, TagText, tag_of
from manent.scan.span import Context, Family, Span, mask
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
    r"-by: .*<([^<>]*)>\s*\Z",
    re.IGNORECASE,
)
# What stands among the trailers at the end of a message, and what squashing puts between.
_AMONG_TRAILERS = late.pattern(r"\s*\Z|[A-Za-z][A-Za-z0-9-]*: |\(cherry picked from |-{3,}\s*\Z|\s")
_SIGNATURE = "-----BEGIN "
_ADDRESS = late.pattern(r"[^\s<>@]+@[^\s<>@]+")
_OWN_AFFAIR = frozenset({"email", "phone"})
"""What an address may hold: many hosts of mail name people by their numbers."""
_CONTENT = frozenset({"pii", "secret", "injection"})
"""The rules whose own words mask what they found."""
_MERGED_TAG = b"mergetag"
_EMAIL = "email"
_ANEW = "set git config user.name and user.email, then git commit --amend --reset-author"
NAMES_AT_ONCE = 200
"""Names that are scanned at once."""
_EXTENSION = late.pattern(r"\.[A-Za-z0-9]{1,8}\Z")
_ENDINGS = late.pattern(r"\.[A-Za-z0-9]{1,8}(?!\S)")
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
        for form in (name, bare):
            spans = self._spans(form)
            if spans:
                return _starred(name, spans)
        return mask(name)

    def _spans(self, text: str) -> list[Span]:
        return [span for span in scanner(self.context())(text) if not span.weak]

    def quiet(self, found: Iterable[Finding], kept: Iterable[Finding]) -> list[Finding]:
        """Return ``kept`` with masked what another rule's words quote of a text at fault.

        found: all findings, allowed ones too. A rule about links or names says which it
        means, and that may be the very address that ``pii`` keeps to itself.
        """
        at_fault = {finding.path for finding in found if finding.rule in _CONTENT}
        return [
            replace(finding, message=self._quiet(finding.message), hint=self._quiet(finding.hint))
            if finding.path in at_fault and finding.rule not in _CONTENT
            else finding
            for finding in kept
        ]

    def _quiet(self, text: str) -> str:
        text = _starred(text, self._spans(text))
        # Without its extension a number in a link ends where it does.
        text = _starred(text, self._spans(_ENDINGS.sub(lambda m: " " * len(m[0]), text)))
        # Words that are found only with their signs taken for blanks, as in a file's name.
        return " ".join(self.masked(word) if self.name(word) else word for word in text.split(" "))

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
                name = path.rpartition("/")[2]
                for part in (name, name.rpartition(".")[0]):
                    if part and self.name(part):
                        self.hidden[part] = self.masked(part)
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
        encodings, unknown = _encodings(commit)
        yield from unknown
        own = set[str]()
        for key, value in commit.headers:
            if key in (b"author", b"committer"):
                place = AUTHOR if key == b"author" else COMMITTER
                yield from self._person(value, place, commit.oid, encodings, own)
            elif key == _MERGED_TAG:
                place = _header_place(key)
                yield from self._tag(tag_of(commit.oid, value), (place, place), own)
            else:
                yield from self._header(key, value, commit.oid, encodings, own)
        yield from self._message(commit.message, MESSAGE, commit.oid, encodings, own)

    def tag(self, tag: TagText) -> Iterator[Finding]:
        """Yield the findings of an annotated tag's own text."""
        yield from self._tag(tag, (TAGGER, TAG), set[str]())

    def _tag(self, tag: TagText, places: tuple[str, str], own: set[str]) -> Iterator[Finding]:
        encodings, unknown = _encodings(tag)
        yield from unknown
        for key, value in tag.headers:
            if key == b"tagger":
                yield from self._person(value, places[0], tag.oid, encodings, own)
            else:
                yield from self._header(key, value, tag.oid, encodings, own)
        yield from self._message(tag.message, places[1], tag.oid, encodings, own)

    def _person(
        self, raw: bytes, place: str, oid: str, encodings: Sequence[bytes], own: set[str]
    ) -> Iterator[Finding]:
        found = _IDENTITY.match(raw)
        name, address = (found[1], found[2]) if found else (raw, b"")
        read = readings(name, encodings)
        of_address = readings(address, encodings)
        in_address = self._marks_of(of_address)
        if all(_ADDRESS.fullmatch(text) for text in of_address.texts):
            # An address is one's own affair; a key or an order in its place is not.
            own.update(m.digest for m in in_address if m.kind == _EMAIL)
            in_address = [m for m in in_address if m.kind not in _OWN_AFFAIR]
        in_name = [m for m in self._marks_of(read) if m.digest not in own]
        yield from _undecodable(read, place, oid)
        yield from _undecodable(of_address, place, oid)
        for marked in (in_name, in_address):
            for finding in self.findings(marked, place, oid):
                yield replace(finding, hint=_ANEW)

    def _header(
        self, key: bytes, value: bytes, oid: str, encodings: Sequence[bytes], own: set[str]
    ) -> Iterator[Finding]:
        place = _header_place(key)
        read = readings(key + b" " + value, encodings)
        yield from _undecodable(read, place, oid)
        found = self._marks_of(read)
        yield from self.findings([m for m in found if m.digest not in own], place, oid)

    def _message(
        self, raw: bytes, place: str, oid: str, encodings: Sequence[bytes], own: set[str]
    ) -> Iterator[Finding]:
        read = readings(raw, encodings)
        yield from _undecodable(read, place, oid)
        bare = replace(read, texts=tuple(self._without_trailers(text) for text in read.texts))
        found = self._marks_of(bare)
        mine = [m for m in found if not (m.kind == _EMAIL and m.digest in own)]
        yield from self.findings(mine, place, oid)

    def _marks_of(self, read: Readings) -> list[Mark]:
        """Return the marks of all readings, each match once."""
        found: dict[tuple[str, str, str], Mark] = {}
        for text in read.texts:
            for mark in self.marks(text):
                found.setdefault((mark.family, mark.kind, mark.digest), mark)
        return list(found.values())

    def _without_trailers(self, message: str) -> str:
        """Return a message without the addresses in the trailers at its end."""
        if "-by: " not in message.lower():
            return message
        lines = message.split("\n")
        for at in range(*_tail(lines)):
            found = _TRAILER.match(lines[at])
            if found and self._is_address(found[1]):
                lines[at] = lines[at][: found.start(1)] + lines[at][found.end(1) :]
        return "\n".join(lines)

    def _is_address(self, text: str) -> bool:
        """Tell whether ``text`` is an address of mail and says nothing else."""
        if not _ADDRESS.fullmatch(text):
            return False
        return all(m.kind in _OWN_AFFAIR for m in self.marks(text))


def _starred(text: str, spans: Iterable[Span]) -> str:
    for span in sorted(spans, key=lambda span: -span.start):
        text = text[: span.start] + span.masked + text[span.end :]
    return text


def _tail(lines: Sequence[str]) -> tuple[int, int]:
    """Return from where to where the trailers of a message stand, a tag's signature left out."""
    signed = [at for at, line in enumerate(lines) if line.startswith(_SIGNATURE)]
    end = start = signed[0] if signed else len(lines)
    while start and _AMONG_TRAILERS.match(lines[start - 1]):
        start -= 1
    while start and lines[start - 1].strip():
        start -= 1
    return start, end


def _header_place(key: bytes) -> str:
    return f"(header {key[:40].decode('ascii', 'replace')})"


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


def _encodings(text: CommitText | TagText) -> tuple[list[bytes], list[Finding]]:
    """Return the encodings a commit or tag names, and the refusal of one nobody is sure of."""
    named = [value for key, value in text.headers if key == b"encoding"]
    if all(map(known, named)):
        return named, []
    message = "it names an encoding that not everybody reads alike"
    hint = "git config --unset i18n.commitEncoding, then git commit --amend"
    place = _header_place(b"encoding")
    # What is let pass is this commit: another would hide another text behind the name.
    fault = Finding(
        "encoding", Severity.ERROR, place, 0, 0, message, hint, digest=text.oid, commit=text.oid
    )
    return [name for name in named if known(name)], [fault]


def _undecodable(read: Readings, place: str, oid: str) -> Iterator[Finding]:
    """Yield the refusal of a text that is read differently by different readers."""
    if not read.whole:
        yield Finding(
            "encoding",
            Severity.ERROR,
            place,
            0,
            0,
            "it is not UTF-8 text",
            "write it again with git commit --amend, or git tag -f",
            digest=read.digest,
            commit=oid,
        )
