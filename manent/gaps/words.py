"""What is kept of a question: its words without what the scanners find, and a key."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from manent import late
from manent.facts.derive import scanner
from manent.finding import inert
from manent.scan.span import Context

MOST_CHARACTERS = 1_000
"""Of a question this much is kept: longer ones are texts pasted by accident."""

_WORD = late.pattern(r"[^\W_]+(?:[._+#'’-]*[^\W_]+)*[+#]*", re.UNICODE)


def redacted(text: str, context: Context | None = None) -> str:
    """Return the text on one line with ``[kind]`` for whatever the scanners find.

    What they find stands nowhere in the result: the register is read by more
    people than asked the question.
    """
    # On one line first: a break that is taken out later must hide nothing now.
    text = " ".join(text.split())
    spans = [s for s in scanner(context or Context())(text) if not s.weak]
    parts: list[str] = []
    done = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if span.start >= done:
            parts += [text[done : span.start], f"[{span.kind}]"]
        done = max(done, span.end)
    plain = " ".join("".join([*parts, text[done:]]).split())
    kept = plain if len(plain) <= MOST_CHARACTERS else plain[: MOST_CHARACTERS - 1] + "…"
    return inert(kept)


def key_of(text: str) -> str:
    """Return what two questions of the same words share, whatever their order.

    Case, Unicode form, punctuation and repetition do not count. "" for a text
    without a word: it asks nothing.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(sorted(set(_WORD.findall(folded))))


def name_of(key: str) -> str:
    """Return the id of a gap: the same words have the same one in every register."""
    return "g_" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
