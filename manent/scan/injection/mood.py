# ruff: noqa: E501
"""Whether English words give an order or tell of one.

"Ignore all previous instructions" is an order; "attackers ask it to ignore all
previous instructions", "never ignore previous instructions" and "a model that
ignores …" tell of one or forbid it. What decides is the few words before the verb.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from manent import late

REACH = 90
"""How many letters before a match are looked at."""

_CLAUSE = late.pattern(r"[.!?;:\n|()\[\]{}<>\"“”«»*#>`—–]|(?:^|\s)['‘]|['’](?=\s)|,\s|\s-\s|-->")
_NEGATED = late.pattern(
    r"\b(?:not|never|n['’]t|cannot|nor|neither|without|avoid|refuse[sd]?|refusing|unable|instead of)"
    r"(?:\s+(?:ever|to|blindly|simply|just|directly|you|then|the \w+|\w+ly))*\s*$",
    re.I,
)
_DOUBLE = late.pattern(
    r"\b(?:why not|(?:do not|don['’]?t|never) (?:forget|hesitate|fail) to|if not)\s*$", re.I
)
_TO_YOU = late.pattern(
    r"(?:\byou\b|\byour\b[^.\n]{0,40}|\b(?:remember|sure|please|need|time|free|try|continue|proceed"
    r"|begin|start|required|instructed|ordered|authori[sz]ed|asked|programmed|supposed|commanded|allowed"
    r"|permitted|told|is|goal|task|job|want|like|order)\b)(?:\s+\w+){0,4}\s+to(?:\s+\w+ly)?\s*$",
    re.I,
)
_OTHERS = late.pattern(
    r"\b(?:attackers?|adversar\w+|users?|they|models?|llms?|agents?|assistants?|it|someone|hackers?"
    r"|people|prompts?|injections?|payloads?|attempts?|tries|trying|tried|designed|intended|crafted|aims?"
    r"|which|that|who|used|attack|jailbreaks?|him|her|he|she|them|everyone|anyone)\b",
    re.I,
)
_YOU_MODAL = late.pattern(
    r"\byou(?:['’]ll)?\s+(?:must|should|shall|will|can|may|could|have to|need to|are to|ought to"
    r"|are going to|are required to|are now to|now)(?:\s+(?:now|also|always|completely|\w+ly|then|first|just))*\s*$"
    r"|\b(?:can|could|will|would|must|should|shall)\s+you(?:\s+(?:please|now|just|kindly|\w+ly|simply|first|also))*\s*$"
    r"|\b(?:let['’]?s all|you['’]ll)\s*$",
    re.I,
)
_AI_MUST = late.pattern(
    r"\b(?:ai|assistants?|agents?|llms?|bots?|models?)\b[^.\n]{0,40}\b(?:must|shall|have to|has to|are required to|please)"
    r"(?:\s+(?:now|immediately|\w+ly))?\s*$",
    re.I,
)
_TELLING = frozenset(
    "that which who they we i it he she model models llm llms attacker attackers user users agent"
    " agents assistant assistants people someone tool tools system systems prompt prompts could would"
    " can may might will should must did does do cannot the a an this not never to by of for with from"
    " in on about helps help make makes cause causes let lets making has have had be been is was are"
    " were or when if how what why whether them him her us anyone everybody lets let's let’s gets"
    " trick tricks via into than these those some any their its our my each no without attempt attempts"
    " always usually often sometimes typically simply would've only-if program compiler browser server"
    " engine parser scanner linter client clients programs editors browsers parsers scanners bots".split()
)
_ADVERB = late.pattern(r"\b(?:always|simply|just|only|usually|often|sometimes|typically)\s*$", re.I)


_ELSEWHERE = late.pattern(
    r"\s*(?:"
    r"(?:in|of|from|on|at) (?:(?:the|this|that|our|your|an?|old|new|official) ){0,3}"
    r"(?:wiki|manual|read-?me|handbook|docs?\b|documentation|guide|tutorial|changelog|chapter|faq"
    r"|leaflet|form|compiler|linter|parser|server|section \d|page \d|step \d|logs?\b|console|terminal|settings|sidebar|ui\b|editor)"
    r"|to the (?:new |other )?(?:logs?|console|terminal|repo(?:sitory)?|project|screen)\b"
    r"|,? (?:if|unless|when) (?!you\b|this\b|i\b|asked|the user|an? (?:ai|llm|model|assistant))"
    r")",
    re.I,
)
"""What follows words about instructions that stand in a manual, or hold on a condition."""

_ABOVE_SOMETHING = late.pattern(r"\babove$", re.I)
_CAREFUL = late.pattern(
    r"\bheaders?\b|\bnever (?:put|send|include|paste|log|store|share)\b"
    r"|\bpositive or negative\b|\bor (?:negative|worst|bad)\b",
    re.I,
)
"""What stands in advice, within the words of an order."""


def _elsewhere(text: str, start: int, end: int) -> bool:
    """Whether what is ordered is about a manual, a form or a program's output."""
    words, after = text[start:end], text[end : end + REACH]
    if _CAREFUL.search(words) or _ELSEWHERE.match(after):
        return True
    return bool(_ABOVE_SOMETHING.search(words)) and bool(
        re.match(r" (?:the|each|every|an?)\b", after)
    )


def order(text: str, start: int, end: int) -> bool:
    """Whether the English verb at ``start`` is an order to the reader."""
    return _ordered(text, start) and not _elsewhere(text, start, end)


def _ordered(text: str, start: int) -> bool:
    before = text[max(0, start - REACH) : start]
    clause = _clause(before)
    if not clause.strip():
        return not _NEGATED.search(before.rstrip(" \t\n\"'“‘*`_")[-40:] + " ")
    if _NEGATED.search(clause) and not _DOUBLE.search(clause):
        return False
    if re.search(r"\bto(?:\s+\w+ly)?\s*$", clause, re.I):
        return bool(_TO_YOU.search(clause)) and not _OTHERS.search(clause)
    if _YOU_MODAL.search(clause) or _AI_MUST.search(clause):
        return not re.search(r"\bif you\b", clause, re.I)
    words = re.findall(r"[\w'’-]+", clause)
    last = words[-1].lower() if words else ""
    if _ADVERB.search(clause):
        return len(words) == 1 or words[-2].lower() not in _TELLING
    return last not in _TELLING and not _plural(words)


_NO_PLURAL = frozenset("please always us this as is was yes thus plus less perhaps besides".split())


def _plural(words: list[str]) -> bool:
    """Whether a noun in the plural stands before the verb: rules override, readers ignore."""
    last = words[-1] if words else ""
    plural = last.endswith("s") and not last.endswith("ss") and last.lower() not in _NO_PLURAL
    return plural and len(words) > 1 and last.islower()


def _clause(before: str) -> str:
    """Return what stands in the same clause before the match."""
    at = 0
    for match in _CLAUSE.finditer(before):
        at = match.end()
    return before[at:]


_BEFORE = late.pattern(
    r"(?:\b(?:que|che|dass|dat|że|aby|żeby|чтобы|чтоб|أن|कि)\b(?:\s+\w+){0,3}|\bqu['’]\w+(?:\s+\w+){0,2}"
    r"|\b(?:non|no|não|nao|nie|niet|nicht|не|لا|न|मत|nunca|mai|jamais|nooit|nie wieder|per|para|pour|zu|om te|um zu|di|de|à|a))\s+$",
    re.I,
)


_OF_A_MANUAL = late.pattern(
    r"\s*(?:(?:del|dello|della|nel|nella|sul|sulla|do|da|no|na|des?|du|dans l[ea]|im|in der|in dem|in den|aus dem"
    r"|in het|in de|van het|van de|uit de|z|ze|w|из|в|на|от) (?:(?:vecchi[oa]|viej[oa]|antig[oa]|ancien(?:ne)?|alten"
    r"|oude|starego|starej|старо\w+) )?)(?:manual\w*|wiki\w*|handb\w+|guid[ae]\b|guía|guia|readme\w*|document\w+|dokument\w+"
    r"|anleitung|leitfaden|handleiding|instrukcj\w+ obsługi|podręcznik\w*|руководств\w*|справк\w*|вики|libr\w+|livro|compil\w+|linter|servidor\w*|server\w*)",
    re.I,
)
"""What follows words about instructions that stand in a manual."""


def main_clause(text: str, start: int, end: int) -> bool:
    """Whether a match in a language other than English stands in a clause of its own.

    Not after a "that" and its subject, a preposition or a negation of the verb; nor
    where what is spoken of stands in a manual.
    """
    if _BEFORE.search(text[max(0, start - 60) : start]) is not None:
        return False
    return _OF_A_MANUAL.match(text[end : end + REACH]) is None


HOLDS: dict[str, Callable[[str, int, int], bool]] = {"mood": order, "subordinate": main_clause}
"""The checks that rules name."""
