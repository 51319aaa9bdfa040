"""Values that a name (``api_key = …``) or a sentence (``la password è …``) calls secret."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from manent import late
from manent.scan.engine import Search
from manent.scan.secrets.cues import (
    NOT_A_SECRET,
    PASSWORD,
    PASSWORD_WORDS,
    SECRET_WORDS,
    names_password,
)
from manent.scan.secrets.form import leading
from manent.scan.secrets.plausible import placeholder, random_enough
from manent.scan.secrets.tokens import Hit, Places
from manent.scan.secrets.values import UUID, classes, password_like, secret_like
from manent.scan.secrets.vendors import OWN_FORM, VENDORS, vendors_in

_SPEAKS = r"is|was|are|è|é|era|es|est|ist|lautet|são|jest|je|to|это|är|er|on|adalah"
"""What stands between a word for a password and the password in a sentence."""

_SIGNS = "=:：＝>→,|"
_OPERATOR = rf"[{_SIGNS}]|[ \t][\"«“„]|->|\s(?:{_SPEAKS})\s|是|为|為|は|는|은"
SHORTEST = 6
"""No password and no key is shorter, in letters, quotation marks not counted."""

_VALUE_HEAD = 46
"""How far behind an operator the search must see a digit or a sign, in letters."""

_CUES = "|".join((*PASSWORD_WORDS, *SECRET_WORDS, *VENDORS))


@functools.cache
def _cue() -> Search:
    return Search(_CUES)


@functools.cache
def _engine() -> Search:
    """Search for a cue, an operator on its line, and a value with a digit or a sign.

    The gap between cue and operator is unbounded, because counting it makes the
    engine's automaton grow; ``_cues`` bounds it afterwards.
    """
    return Search(named_source())  # with 8 MB the automaton is thrown away: 31 for 230 MB/s


def named_source() -> str:
    """Return what a value that something calls a secret looks like, case ignored."""
    value = r"[\s\"'`*_(\[]{0,6}={0,2}[^\s=]{0,40}[0-9!#$%^&@]"
    words = "|".join(PASSWORD_WORDS)
    beside = rf"(?:{words})[ \t][^\s]{{0,40}}[0-9!#$%^&@]"
    return rf"(?:{_CUES})[^\n{_SIGNS}]*?(?:{_OPERATOR}){value}|{beside}"


def cues_source() -> str:
    """Return the pattern of the words one of which every such value stands behind, case ignored."""
    return _CUES


_NAME_LETTERS = late.pattern(r"[\w.\-]*")
_NAMED = late.pattern(
    r"(?P<name>[\w.\-]{0,40}(?:\[[\w\"']{0,30}\])?)(?P<close>\\?[\"'`\])*_]{0,4})"
    r"[ \t]{0,20}(?P<operator>=>|:=|\?=|={1,3}|:{1,2}|\|\|?|->|→|：|＝|>|,|[ \t]value=)"
    r"[ \t]{0,20}(?:\n[ \t>]{1,12})?"
    r"(?P<value>[bfr]?\\?\"[^\"\n]{4,300}|'[^'\n]{4,300}|`[^`\n]{4,300}|[^\s\"'`<>=]{4,200}={0,2})"
)
_SPOKEN = late.pattern(
    r"(?P<name>[^\n=:：]{0,48}?)(?P<operator>[ \t](?=[\"«“„])|[ \t]?[:：＝=→][ \t]?|[ \t]->[ \t]"
    rf"|[ \t](?:{_SPEAKS})[ \t](?:now[ \t]|still[ \t])?|是|为|為|は|는|은)"
    r"[ \t]{0,4}[\"'`*_“«„(\[]{0,4}[ \u00a0]?(?P<value>[^\s\"`“”«»„<>]{6,128})"
)
_CLOSE = "\"'`*_)]}.,;:!?»”“>|"


def named(text: str, raw: bytes) -> Iterator[Hit]:
    """Yield the values in ``text`` that something calls a secret; ``raw`` is its UTF-8 form."""
    search = _engine()
    place = Places(text, raw)
    at = tried = 0
    while True:
        seen = search.first(raw, at)
        if seen is None:
            return
        first, last = seen
        start, end = place.of(first), place.of(last)
        at = max(first + 1, last - _VALUE_HEAD)
        for cue in _cues(text, max(start, tried), end):
            tried = cue + 1
            hit = _assigned(text, cue) or _spoken(text, cue)
            if hit:
                yield hit
                at = max(at, place.byte(hit.end))
                break


_GAP = 48


def _cues(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where the cues stand that are near enough to the operator to speak of its value."""
    at = max(start, end - _GAP - _VALUE_HEAD)
    for place in _cues_in(text[at:end]):
        yield at + place


@functools.lru_cache(1024)
def _cues_in(window: str) -> tuple[int, ...]:
    """Return where cues begin in a few words; the same few words come again and again."""
    raw = window.encode("utf-8", "replace")
    cue, at, found = _cue(), 0, []
    while seen := cue.first(raw[at:]):
        at += seen[0] + 1
        found.append(len(raw[: at - 1].decode("utf-8", "ignore")))
    return tuple(found)


def _assigned(text: str, cue: int) -> Hit | None:
    """``name = value`` in any of its spellings, the name holding the cue at ``cue``."""
    before = _NAME_LETTERS.match(text[max(0, cue - 40) : cue][::-1])
    begin = cue - (before.end() if before else 0)
    found = _NAMED.match(text, begin)
    if found is None or found.end("name") <= cue or len(found["value"]) < SHORTEST:
        return None
    if _meeting(text, cue):
        return None
    name = found["name"]
    linked = _in_query(text[max(0, begin - 200) : begin])
    value, shift = _bare(found["value"], linked)
    start = found.start("value") + shift
    kind = _kind(name, value, found["operator"])
    if kind == "assigned-secret" and _IN_LINK.search(text[max(0, begin - 600) : begin]):
        kind = kind if _LINKED & set(words_of(name)) else None
    return Hit(start, start + len(value), kind, value) if kind else None


def _meeting(text: str, cue: int) -> bool:
    """Whether the cue stands in the link of a meeting, which is sent to be opened by all."""
    before = text[max(0, cue - 120) : cue]
    return "zoom.us/" in before and bool(re.search(r"\bzoom\.us/\S{0,80}$", before))


def _in_query(before: str) -> bool:
    """Whether what ends here is the query of a link."""
    return ("?" in before or "&" in before) and _LINK_PART.search(before) is not None


_LINK_PART = late.pattern(r"[?&]\S*$|[?&]$")
_IN_LINK = late.pattern(r"https?://\S*[?&](?:amp;)?$")
_LINKED = frozenset({"secret", "apikey", "api", "access", "auth", "key"})
"""Words that make a value in a link a secret; ``token`` alone is in every link that is shared."""


def _bare(value: str, linked: bool) -> tuple[str, int]:
    """Return the value without its quotes and what ends it, and how far in it begins.

    linked: it stands in the query of a link, where an ampersand ends it.
    """
    head = re.match(r"[bfr]?\\?[\"'`]", value)
    if head:
        return value[head.end() :].rstrip("\\"), head.end()
    cut = re.match(r"[^,;)\]}&|\\]*" if linked else r"[^,;)\]}|\\]*", value)
    inside = cut.group() if cut else value
    return inside.rstrip(".:!?*_") if len(inside) > 8 else inside, 0


@functools.lru_cache(4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in any of the usual spellings, in lower case."""
    split = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+", name)
    return tuple(word.lower() for word in split)


def _kind(name: str, value: str, operator: str) -> str | None:
    """Return what a value is, given its name: None when it is no secret."""
    words = words_of(name)
    services = vendors_in(words)
    for service in services:
        if service.fits(value) and (leading(service.pattern) or not NOT_A_SECRET & set(words)):
            return service.kind
        if service.kind in OWN_FORM and not names_password(name, words):
            return None
    if NOT_A_SECRET & set(words[-3:]) or not value.isascii():
        return None
    if names_password(name, words):
        loose = operator in (",", ">", "|") and value.isalnum()
        sure = password_like(value, not loose) or secret_like(value)
        return "password" if sure else None
    if "aws" in words and len(value) == 40 and random_enough(value, 4.2) and not placeholder(value):
        return "aws-secret-key"
    if operator in (",", ">", "|") and len(value) < 20:
        return None
    return "assigned-secret" if _secret(words, value) else None


_QUALIFIED = frozenset(
    {
        *(
            "api",
            "access",
            "secret",
            "private",
            "encryption",
            "encrypt",
            "signing",
            "sign",
            "master",
        ),
        *(
            "service",
            "account",
            "license",
            "licence",
            "auth",
            "client",
            "app",
            "application",
            "admin",
        ),
        *(
            "deploy",
            "storage",
            "shared",
            "webhook",
            "ssh",
            "aes",
            "hmac",
            "jwt",
            "session",
            "cookie",
        ),
        *(
            "base",
            "consumer",
            "security",
            "rapid",
            "subscription",
            "server",
            "write",
            "read",
            "sdk",
        ),
        *("project", "user", "root", "hook"),
    }
)


def _secret(words: tuple[str, ...], value: str) -> bool:
    held = set(words)
    if held & _TELLING:
        return secret_like(value) or (bool(UUID.fullmatch(value)) and not placeholder(value))
    if held & {"key", "keys", "auth", "authorization"} and held & _QUALIFIED:
        return secret_like(value) or (bool(UUID.fullmatch(value)) and not placeholder(value))
    if held & {"access", "auth", "authorization", "bearer"}:
        return "/" not in value and secret_like(value, 3.7, 24)
    return not held.isdisjoint({"key", "keys"}) and bare_key(value)


def _spoken(text: str, cue: int) -> Hit | None:
    """A sentence that speaks of a password and then says it."""
    if cue and text[cue - 1].isalpha() and text[cue].isascii():
        return None
    if _meeting(text, cue):
        return None
    length = _password_word(text[cue : cue + LONGEST_WORD])
    if not length:
        return _spoken_key(text, cue)
    end = cue + length
    if text[cue:end].isascii() and text[end : end + 1].isalnum():
        return None
    for pattern in (_SPOKEN, _BESIDE):
        found = pattern.match(text, end)
        if found and not NOT_A_SECRET & set(words_of(found["name"])):
            value = _said(text, found)
            if _believed(found, value):
                at = found.start("value")
                return Hit(at, at + len(value), "password", value)
    return None


LONGEST_WORD = 24
"""More letters than any word for a password has, and one after it."""


@functools.lru_cache(1024)
def _password_word(head: str) -> int:
    """Return how long the word for a password is that a text begins with, or 0."""
    word = PASSWORD.match(head)
    return word.end() if word else 0


def _believed(found: re.Match[str], value: str) -> bool:
    """Whether a sentence's word is its password: a weak one only right behind a sign."""
    operator = found["operator"].strip()
    if not operator:
        quoted = found[0][: -len(found["value"])].rstrip("\u00a0 ").endswith(('"', "«", "“", "„"))
        return classes(value) >= (3 if quoted else 4) and password_like(value, False)
    sure = len(found["name"].split()) <= 3 and operator in (":", "：", "=", "＝", "是", "为", "は")
    return password_like(value, sure)


def _said(text: str, found: re.Match[str]) -> str:
    """Return the value as said: without what closes it, or the letters of another script."""
    value = _unquoted(text, found)
    head = re.match(r"[!-~]+", value)
    bare = (head.group() if head else value).rstrip(_CLOSE)
    return bare + "!" if value[len(bare) :].startswith("!") else bare


_BESIDE = late.pattern(r"(?P<name>)(?P<operator>[ \t])[\"'`*_(]{0,3}(?P<value>[!-~]{6,128})")


_PUBLIC = late.pattern(r"\bpub(?:lic|blica|blique)?\s*$|öffentlich\w*\s*$", re.I)
_TELLING = frozenset(
    {"secret", "secrets", "token", "tokens", "apikey", "credential", "credentials", "creds"}
)


def _unquoted(text: str, found: re.Match[str]) -> str:
    """Return the value up to the quotation mark that closes it, where one opens it."""
    value, opening = found["value"], text[found.start("value") - 1]
    return value.split(opening)[0] if opening in "'`" else value


def bare_key(value: str) -> bool:
    """Whether ``value`` is a key where only the word ``key`` says so: long and of all letters."""
    upper, lower = sum(c.isupper() for c in value), sum(c.islower() for c in value)
    return secret_like(value, 4.0, 24) and min(upper, lower) >= 4


_KEY_WORDS = late.pattern("|".join(SECRET_WORDS), re.I)


def _spoken_key(text: str, cue: int) -> Hit | None:
    if cue and (text[cue - 1].isalnum() or text[cue - 1] in "_-."):
        return None
    word = _KEY_WORDS.match(text, cue)
    if word is None or re.match(r"[\w\-]", text[word.end() : word.end() + 1]):
        return None
    found = _SPOKEN.match(text, word.end())
    if found is None or NOT_A_SECRET & set(words_of(found["name"])):
        return None
    value = _unquoted(text, found).rstrip(_CLOSE)
    before = text[max(0, cue - 600) : cue]
    if _PUBLIC.search(before[-16:]) or _IN_LINK.search(before):
        return None
    said = words_of(before[-12:] + word.group() + found["name"])
    telling = not (_TELLING | _QUALIFIED).isdisjoint(said)
    if "](" in value or not (secret_like(value, 3.7, 20) if telling else bare_key(value)):
        return None
    return Hit(found.start("value"), found.start("value") + len(value), "assigned-secret", value)
