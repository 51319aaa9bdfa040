"""E-mail addresses spelled out: ``name [at] domain (dot) it`` and the like, or letter by letter.

Imported when a text has one, for its patterns are many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manent import late
from manent.scan.engine import Search
from manent.scan.pii.email import (
    AT_WORDS,
    DOT_WORDS,
    LABEL,
    LETTERS,
    SPELLED,
    TLD,
    Email,
    backwards,
    deliverable,
)

_OPEN, _CLOSE = r"[\[({<«_*-]", r"[\])}>»_*-]"
_SPACED_LOCAL = late.pattern(
    rf" ?[{LETTERS}_+-]{{1,40}}(?:(?:\.| \. )[{LETTERS}_+-]{{1,40}}){{0,4}}"
)
_SPACED_DOMAIN = late.pattern(
    rf" ?((?:[{LETTERS}-]{{1,62}}(?:\.| \. )){{1,5}})({TLD})(?![{LETTERS}_-])"
)
_SPELLED_LOCAL = late.pattern(r"(?: [A-Za-z0-9._+-]){3,40}(?![A-Za-z0-9])")
_SPELLED_DOMAIN = late.pattern(r"(?: [A-Za-z0-9.-]){5,60}(?![A-Za-z0-9])")
_AT = rf"(?:\s?{_OPEN}{{1,2}}\s?(?:{AT_WORDS}|@)\s?{_CLOSE}{{1,2}}\s?|\s(?:{AT_WORDS})\s)"
_DOT = (
    rf"(?:\s?{_OPEN}{{1,2}}\s?(?:{DOT_WORDS}|\.)\s?{_CLOSE}{{1,2}}\s?"
    rf"|\s(?:{DOT_WORDS})\s|\s?\.\s?)"
)
_HINT = Search(SPELLED, case=True)
_AT_PLACE = late.pattern(_AT, re.IGNORECASE)
_LOCAL_RUN = late.pattern(rf"[{LETTERS}._+-]{{1,64}}")
_DOT_BEFORE = late.pattern(
    rf"(?:\s?{_OPEN}{{1,2}}\s?(?:{DOT_WORDS}|\.)\s?{_CLOSE}{{1,2}}\s?"
    rf"|\s(?:{DOT_WORDS})\s|\s\.\s)\Z",
    re.IGNORECASE,
)
_ENGLISH_DOT = late.pattern(r"\b(?:dot|punto)\b", re.IGNORECASE)
_WORDED_LABEL = rf"[{LETTERS}](?:[{LETTERS}]|-(?=[{LETTERS}])(?!(?:{DOT_WORDS})-)){{0,61}}+"
"""A label that does not run into a dot spelled between hyphens; it never gives back."""
_WORDED_DOMAIN = late.pattern(
    rf"((?:{_WORDED_LABEL}{_DOT}){{1,4}})({TLD})(?![{LETTERS}_]|-[{LETTERS}])", re.IGNORECASE
)
_DOT_PLACE = late.pattern(_DOT, re.IGNORECASE)
_MAIL_LABEL = late.pattern(
    r"(?:e-?mail|mail|posta|correo|courriel|adresse|adres|почта|邮箱|メール|이메일|contact|"
    r"write to|scrivi a|scrivere a|kontakt)[^\w\n]{0,6}"
    r"(?:(?:is|me|us|to|a|è|es|est|ist)\s)?[^\w\n]{0,3}\Z",
    re.IGNORECASE,
)
_WORDED_TLDS = frozenset(
    """
    com org net edu gov mil int info biz name pro io co ai app dev me tv cc eu uk ie it fr
    de es pt nl be lu ch at pl cz sk hu ro bg hr si rs gr tr cy mt dk se no fi is ee lv lt
    ru ua by kz us ca mx br ar cl pe uy ec ve cn tw hk jp kr sg my th id vn ph in pk bd lk
    il ae sa eg za ng ke au nz xyz online site tech cloud email studio blog shop agency
    digital it
    """.split()
)
"""Endings taken seriously when the dot is a word: few of these are words themselves."""
_WORDS_TOO = frozenset(
    """
    in it me be is no so at to am as do us by my
    """.split()
)
"""Top-level names that are English words: too weak behind "at ... point"."""
_SMALL_WORDS = frozenset(
    """
    some any one no least first last the a an this that each every its my your our their
    what which la le il lo un una uno el los les der die das den dem ein eine de du des het
    een
    """.split()
)
_SMALL_LOCALS = frozenset(
    """
    look looking be is are was were arrive available hosted meet found located stop start
    end here there it me us him her them you good bad live work working point aim good not
    and or read see site website page repo app video documentation docs image download
    online only even also
    """.split()
)


def spelled(text: str, raw: bytes) -> Iterator[Email]:
    """Yield the addresses in ``text`` whose at sign is a word or stands in brackets.

    raw: the same text in UTF-8, which matched ``SPELLED`` somewhere.
    """
    done = 0
    for start, end in _hints(raw):
        for match in _AT_PLACE.finditer(text, max(start - 2, done), end + 2):
            done = match.end()
            email = _worded(text, match.start(), match.end())
            if email is not None:
                yield email


def _hints(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield where in the text addresses seem to be spelled, in code points."""
    byte = place = 0
    for start, end in _HINT.all(raw, 0, len(raw)):
        place += len(raw[byte:start].decode("utf-8", "surrogatepass"))
        byte = start
        yield place, place + len(raw[start:end].decode("utf-8", "replace"))


def spaced(text: str, left: int, right: int) -> Email | None:
    """``name . surname @ domain . it``: spaces that a person would not write in prose."""
    domain = _SPACED_DOMAIN.match(text, right)
    local = backwards(_SPACED_LOCAL, text, left, 100) if domain else None
    if domain is None or local is None:
        return None
    start = left - len(local)
    if not (" . " in local or " . " in domain[1] or re.search(r"[._\d]", local)):
        before = text[max(0, start - 40) : start]
        labelled = _MAIL_LABEL.search(before) or not before.strip(" \t-*|>\n")
        if not labelled and before[-2:-1] not in (":", "|", "<"):
            return None
        if local.strip().lower() in _SMALL_LOCALS:
            return None
    return _made(start, domain.end(), local, domain[1] + domain[2])


def letter_by_letter(text: str, left: int, right: int) -> Email | None:
    """Return the address whose every letter stands alone, before ``left`` and from ``right``."""
    domain = _SPELLED_DOMAIN.match(text, right)
    local = backwards(_SPELLED_LOCAL, text, left, 82) if domain else None
    if domain is None or local is None:
        return None
    host = domain[0].replace(" ", "")
    if not re.fullmatch(rf"(?:{LABEL}\.){{1,5}}[a-z]{{2,24}}", host):
        return None
    return _made(left - len(local), domain.end(), local, host)


def _worded(text: str, start: int, end: int) -> Email | None:
    """Return the address around a spelled at sign ``text[start:end]``."""
    domain = _WORDED_DOMAIN.match(text, end)
    if domain is None or domain[2].lower() not in _WORDED_TLDS:
        return None
    if re.split(r"\W", domain[1].lower(), maxsplit=1)[0] in _SMALL_WORDS:
        return None
    name = _worded_local(text, start)
    if not name:
        return None
    sign = text[start:end].strip()
    if sign[0].isalpha():
        english = sign.lower() == "at"
        if english and domain[2].lower() in _WORDS_TOO and not _ENGLISH_DOT.search(domain[1]):
            return None
        if not _bare_is_meant(text, start - len(name), name, domain):
            return None
    return _made(start - len(name), domain.end(), name, domain[1] + domain[2])


def _worded_local(text: str, end: int) -> str:
    """Return the local part before ``end``: words joined by full stops or spelled dots."""
    found = ""
    for _ in range(4):
        run = backwards(_LOCAL_RUN, text, end - len(found), 65)
        if run is None:
            break
        found = run + found
        dot = _DOT_BEFORE.search(text[max(0, end - len(found) - 24) : end - len(found)])
        if dot is None:
            return found
        found = dot[0] + found
    return _DOT_PLACE.sub("", found, count=1) if _DOT_PLACE.match(found) else found


def _bare_is_meant(text: str, start: int, name: str, domain: re.Match[str]) -> bool:
    """Whether ``name at domain dot it`` without brackets is an address, not prose."""
    if name.lower() in _SMALL_LOCALS or name.lower() in _SMALL_WORDS:
        return False
    if re.search(r"\w\s+\.|\.\s+\w", domain[0]):
        return False
    if re.search(rf"\s(?:{DOT_WORDS})\s|[\[({{<]", domain[1], re.IGNORECASE):
        return True
    return _MAIL_LABEL.search(text[max(0, start - 40) : start]) is not None


def _made(start: int, end: int, local: str, host: str) -> Email | None:
    local = re.sub(r"\s+", "", _DOT_PLACE.sub(".", local.strip())).strip(".'-")
    host = re.sub(r"\s+", "", _DOT_PLACE.sub(".", host.strip())).lower()
    if not local or not re.fullmatch(rf"(?:{LABEL}\.){{1,8}}{TLD}", host):
        return None
    return Email(start, end, f"{local.lower()}@{host}") if deliverable(local, host) else None
