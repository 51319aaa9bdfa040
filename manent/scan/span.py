"""What a scanner says: here, of this kind, read through this layer, masked so."""

from __future__ import annotations

import enum

from manent.values import dataclass


class Family(enum.StrEnum):
    """Which of the three scanners speaks; also the id of the lint rule."""

    PII = "pii"
    SECRET = "secret"
    INJECTION = "injection"


@dataclass(frozen=True, slots=True)
class Span:
    """One match in a text.

    start, end: code point offsets into the text that was given, end exclusive.
    kind: which rule of the family (``email``, ``github-token``, ``override``).
    layer: through what it was read: ``plain``, or the decodings from the
    outside in, joined by ``+`` (``html-comment``, ``base64``, ``entity+hex``).
    masked: what may be printed: never enough to rebuild the match.
    digest: ``finding.digest_of`` the match in canonical form (spacing, case and
    punctuation that do not matter removed): two spellings of one number agree.
    mention: the text quotes it (quotation marks, code) rather than says it.
    weak: a second opinion or a soft sign: never an error by itself.
    """

    start: int
    end: int
    family: Family
    kind: str
    layer: str
    masked: str
    digest: str
    mention: bool = False
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What a scanner may know besides the text.

    phone_regions: ISO 3166 alpha-2 codes whose national phone formats count;
    international form always does.
    addressed: the text is a file that speaks to the vault's own agents
    (``AGENTS.md``, ``CLAUDE.md``, ``MEMORY.md`` at the root by default), so
    plain orders in it are expected; hidden carriers are never excused.
    locations: IP addresses and coordinates count too.
    """

    phone_regions: tuple[str, ...] = ("IT", "US", "GB", "DE", "FR", "ES")
    addressed: bool = False
    locations: bool = False


def mask(text: str, keep: int = 2) -> str:
    """Return ``text`` with all but its first ``keep`` characters starred out.

    At most 12 characters long, so that the length says little; letters that a
    terminal could obey are starred like the rest.
    """
    head = "".join(c for c in text[:keep] if c.isalnum())
    return head + "*" * max(4, min(len(text), 12) - len(head))
