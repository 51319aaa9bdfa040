"""Whether a text could be a secret: chance against placeholders, names and examples."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections import Counter

from manent import late

_PLACEHOLDER = late.pattern(
    r"example|placeholder|changeme|change[_-]me|your[_-]|[_-]your|^your|redacted|replace|dummy"
    r"|sample|insert[_-]|(?-i:x{4}|X{4})|\*\*\*|…|<[^>]*>|\$\{|\{\{|%\(|^\$[A-Za-z_]|^%[A-Za-z_]+%$"
    r"|<%|_here$|-here$|^\[.*\]$|abcdefghij|0123456789ab|1234567890ab",
    re.I,
)
_RUN = late.pattern(r"(.)\1{5,}|x{4,}|X{4,}|0{6,}")
_STEPS = late.pattern(r"[a-z]+|[A-Z]+|[0-9]+")

PUBLISHED = frozenset(
    {
        # Values printed in the vendors' own documentation, by the first 16
        # hexadecimal digits of their SHA-256.
        "2f21fd9c81678e39",  # listed as harmless by public rule sets
        "2cafc0970149a84f",  # Stripe, test key
        "f2d6ca16515033e5",  # Stripe, test key of older manuals
    }
)


def entropy(text: str) -> float:
    """Return the Shannon entropy of ``text`` in bits per character."""
    if not text:
        return 0.0
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


def placeholder(text: str) -> bool:
    """Whether ``text`` stands for a secret rather than being one."""
    return bool(_PLACEHOLDER.search(text)) or published(text)


def published(text: str) -> bool:
    """Whether ``text`` is a value that a vendor prints in its documentation."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] in PUBLISHED


def regular(text: str) -> bool:
    """Whether ``text`` holds a run of one letter or a long climb (``abcdefgh``, ``12345678``)."""
    return bool(_RUN.search(text)) or climb(text) >= 16


def climb(text: str) -> int:
    """Return the length of the longest climb by one in ``text``."""
    best = here = 1
    for before, after in itertools.pairwise(text):
        here = here + 1 if ord(after) - ord(before) == 1 else 1
        best = max(best, here)
    return best


def random_enough(text: str, bits: float) -> bool:
    """Whether ``text`` looks drawn by chance: ``bits`` a character and nothing regular.

    A short text cannot reach the entropy of its alphabet, so the bar falls with
    the length: it is never above 0.75 of what a text without a repeat reaches.
    """
    bar = min(bits, 0.75 * math.log2(max(len(text), 2)))
    return entropy(text) >= bar
