"""Judge a value that a name or a sentence calls a secret or a password."""

from __future__ import annotations

import re

from manent import late
from manent.scan.secrets.plausible import climb, entropy, placeholder, random_enough

_WORDS = late.pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_HEX = late.pattern(r"[0-9a-fA-F]+")
UUID = late.pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_CODE = late.pattern(
    r"^[\w.]+[(\[]|\)\.|::|->|=>|^\w+(?:\.[A-Za-z_]\w*)+$|\$\(|^[$@%#&{<\[(]|[)\]}>]$(?<=[\])}>])"
)
_PLACE = late.pattern(
    r"^(?:https?:|ftp:|file:|\.{0,2}/|~/|[A-Za-z]:\\)|^[\w.-]+\.[a-z]{2,4}$|/.*/.*/"
)
_STAMP = late.pattern(
    r"^v?\d{1,4}(?:[-./:]\d{1,4}){1,5}(?:[T_-].*)?$|^\d+(?:px|em|ms|s|m|h|kb|mb|gb|%)?$", re.I
)
_NAME = late.pattern(r"^[A-Za-z]+\d{0,2}(?:[_.\-/:][A-Za-z0-9]+)*$")
_PROSE_DIGITS = late.pattern(
    r"^(?:sha|md|aes|rsa|utf|base|oauth|pbkdf|bcrypt|argon|ed|x|http|tls|ssl|rs|hs|es|ps|hmac|ipv|rfc|int|uint|float|str)"
    r"-?\d[\w-]*$",
    re.I,
)

USUAL = late.pattern(
    r"(?:my|your|super|some|the|test|default|new|old|strong|admin|user|root|db|secret|secure)*"
    r"(?:p[a@4][s5]{2}(?:w[o0]rd|wd|phrase)?|pwd|secret|s3cr[e3]t|change(?:me|it)?|let_?me_?in|qwerty"
    r"|admin|root|test|user|guest|demo|default|foobar|foo|bar|string|postgres|mysql|welcome|hunter"
    r"|trustno|iloveyou|abcd?|login|token|key|value|example|sample)[_-]?\d{0,4}!?",
    re.I,
)
"""Passwords of manuals and of everybody: no secret is lost with them."""


def classes(text: str) -> int:
    """Return how many of lower case, upper case, digits and signs ``text`` holds."""
    return (
        any(c.islower() for c in text)
        + any(c.isupper() for c in text)
        + any(c.isdigit() for c in text)
        + any(not c.isalnum() for c in text)
    )


def wordy(text: str) -> float:
    """Return which part of ``text`` is words: four letters or more that can be spoken."""
    return sum(len(w) for w in _WORDS.findall(text) if len(w) >= 4 and _spoken(w)) / max(
        len(text), 1
    )


def _spoken(word: str) -> bool:
    vowels = sum(c in "aeiouyAEIOUY" for c in word)
    return 0.2 <= vowels / len(word) <= 0.67 and not _HARD.search(word)


_HARD = late.pattern(r"[^aeiouy]{5}|[jqxz][^aeiouy]|([^aeiouls])\1\1", re.I)


def stands_for_something(text: str) -> bool:
    """Whether ``text`` is a placeholder, a piece of code, a path, a date or an address."""
    return bool(
        placeholder(text) or _CODE.search(text) or _PLACE.search(text) or _STAMP.match(text)
    )


def password_like(text: str, sure: bool) -> bool:
    """Whether ``text`` is a password, given that something called it one.

    sure: it was named directly (``password: …``); else only a sentence speaks
    of a password near it, and a weak one would be a word like any other.
    """
    if not 6 <= len(text) <= 128 or USUAL.fullmatch(text) or stands_for_something(text):
        return False
    if " " in text or text.startswith("-") or "(?" in text:
        return False
    if not any(c.isdigit() for c in text) or not any(c.isalpha() for c in text):
        return sure and _signs_only(text)
    if UUID.fullmatch(text) or _PROSE_DIGITS.match(text) or climb(text) >= 8:
        return False
    kinds = classes(text)
    if kinds >= 4 or (kinds == 3 and len(text) >= 8 and not _NAME.match(text)):
        return entropy(text) >= 2.3
    if kinds == 3 and len(text) >= 10 and wordy(text) < 0.4:
        return entropy(text) >= 3
    if kinds == 3 and sure and len(text) >= 8 and not _CAMEL.match(text):
        return entropy(text) >= 2.3
    return sure and len(text) >= 8 and _plain(text)


_CAMEL = late.pattern(r"^[a-z]+[A-Z]\w*?(?:(?<!\d)\d|(?i:pass|input|field|token)\w*)?$")


def _plain(text: str) -> bool:
    """Letters and digits, or letters, digits and signs in one case: weak, but a password."""
    if _HEX.fullmatch(text) and len(text) >= 32:
        return True
    digits = sum(c.isdigit() for c in text)
    return (
        text.isascii() and entropy(text) >= 2.5 and digits >= 2 and not re.search(r"[_\-./:]", text)
    )


def _signs_only(text: str) -> bool:
    """Letters and signs without a digit: only where the signs are not those of names."""
    return (
        len(text) >= 10
        and classes(text) >= 3
        and bool(re.search(r"[!#$%&*+?@^~]", text))
        and not re.search(r"[\s()<>{}\[\]/.,;:'\"|=]", text)
    )


def secret_like(text: str, bits: float = 3.5, least: int = 16) -> bool:
    """Whether ``text`` is a key drawn by chance, given that something called it one.

    bits: entropy asked for, in bits per character; digits of base 16 and UUIDs
    reach less and are asked for less. least: the shortest that counts.
    """
    if not least <= len(text) <= 512 or stands_for_something(text):
        return False
    if not any(c.isalpha() for c in text) or sum(c.isdigit() for c in text) < 2:
        return False
    if climb(text) >= 8 or re.search(r"(.)\1{5,}", text):
        return False
    if _HEX.fullmatch(text):
        return len(text) >= 20 and text in (text.lower(), text.upper()) and entropy(text) >= 2.9
    if UUID.fullmatch(text) or wordy(text) > 0.5:
        return False
    return random_enough(text, bits)
