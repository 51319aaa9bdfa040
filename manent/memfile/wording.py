"""What a line of a memory file does: it orders, it tells what happened, or it states."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from manent import late
from manent.memfile.document import BOM, Document


def any_of(alternatives: str) -> str:
    """Return one group of the expressions that stand one a line, or between bars."""
    lines = (line.strip() for line in alternatives.splitlines())
    return "(?:" + "|".join(line for line in lines if line) + ")"


class Line(NamedTuple):
    """A line of prose. number: in the file, from 1. text: marks of lists and quotes taken off.

    item: it begins a list item, a table row, or stands as a heading. depth: columns
    before its text.
    """

    number: int
    text: str
    item: bool
    depth: int


_MARK = late.pattern(r"(?:[-*+]|\d{1,4}[.)])(?:[ \t]+|\Z)")
_TASK = late.pattern(r"\[[ xX~/-]\][ \t]+")


def prose(doc: Document, start: int, end: int) -> Iterator[Line]:
    """Yield the lines between two that are neither code, HTML, frontmatter nor blank."""
    for first, last in doc.texts_between(start, end):
        for number in range(max(first, start), min(last, end) + 1):
            raw = doc.lines[number - 1].removeprefix(BOM)
            text = raw.strip(" \t\r\n>")
            depth = len(raw) - len(raw.lstrip(" \t>"))
            item = False
            while (mark := _MARK.match(text)) is not None:
                text, item = text[mark.end() :], True
            if text:
                yield Line(number, text, item or text[0] in "|#", depth)


def bare(text: str) -> str:
    """Return a line without a task box, emphasis, leading signs and emoji."""
    if not text:
        return text
    if text[0] == "[" and (box := _TASK.match(text)) is not None:
        text = text[box.end() :]
    return text.lstrip(_SIGNS).replace("**", "").replace("__", "")


_SIGNS = "#*_`~|-–—:•→➜✅❌⚠️🚫🔴🟢🟡⭐💡📝🔥👉✔️✗✘☑️❗️‼️🛑 \t"

_LABEL = late.pattern(r"[^.!?;:`]{1,60}:\s+")
"""``Commits: use …``: what follows is what the line says."""

_ORDER_WORDS = frozenset(
    """
    must mustn't never always don't dont shall should shouldn't avoid prefer ensure require required
    requires mandatory forbidden prohibited strictly
    devi deve devono mai sempre usa usare evita evitare immer niemals nie muss müssen verwende
    vermeide nicht toujours jamais doit utilise utilisez évite évitez siempre nunca debe usar evitar
    """.split()
)
_ORDER_PHRASES = (
    *("do not ", "make sure", "not allowed", "only use", "instead of", "remember to", "need to "),
    *("have to ", "be sure", "cannot be", "may not ", "non usare", "non fare", "non toccare"),
)
_ORDER_SIGNS = ("必须", "不要", "禁止", "务必", "应该", "してください", "しないこと", "使用する")
_WORD = late.pattern(r"[^\W\d_]+(?:'t)?")


def _says_order(text: str) -> bool:
    """Tell whether a word that orders stands anywhere. Plain look-ups: this runs on every line."""
    low = text.lower().replace("’", "'")
    if not _ORDER_WORDS.isdisjoint(_WORD.findall(low)):
        return True
    for phrase in _ORDER_PHRASES:
        if phrase in low:
            return True
    return not low.isascii() and any(sign in low for sign in _ORDER_SIGNS)


IMPERATIVES = frozenset(
    """
    collect answer speak reply post tell paste squash fit say follow
    add adopt align allow analyse analyze annotate append apply ask assert assume attach avoid
    await back base batch be begin bind break bring build bump cache call cancel capture catch
    change check choose cite clarify clean clear clone close combine commit compare complete
    compose configure confirm consider consult contain convert copy cover create debug decide
    declare default defer define delegate delete deploy derive describe design disable do document
    don't download draft drop echo edit embed emit employ enable encapsulate end enforce ensure
    escape evaluate examine exclude execute expect explain export expose extend extract fail fall
    favor favour fetch file fill find finish fix flag focus follow force format generate get give
    go group handle have hide hoist identify ignore implement import include increment inform
    inherit initialise initialize inject inline insert inspect install invoke isolate iterate keep
    label launch lazy leave leverage limit lint list load localise lock log look maintain make
    manage map mark match measure memoize merge migrate minimise minimize mirror mock mount move
    name navigate never no not note notify obey omit only open optimise optimize order organise
    organize override parse pass patch perform persist pick pin place plan point populate post
    prefer prefix prepare preserve prevent print prioritise prioritize profile propose protect
    provide publish pull push put query raise read rebase rebuild record redact reduce refactor
    refer refuse register reject release reload remember remove rename render repeat replace reply
    report request require rerun resolve respect respond restart restore restrict return reuse
    revert review rewrite roll rotate route run sanitise sanitize save scan schedule scope search
    see select send separate serve set share ship show sign simplify skip sort specify split
    squash stage start state stay stick stop store stream structure submit suggest summarise
    summarize support surface switch sync tag tail take target tell test think throw track
    translate treat trigger trim trust try turn type understand undo update upgrade upload use
    utilise utilize validate verify visit wait warn watch weigh whenever wire work wrap write
    """.split()
)
"""Words that open an order. Many are nouns too: what follows them decides (``_NOUNISH``)."""

_NOUNISH = late.pattern(
    r"(?!what|which|who|how|where|when)(?:\w+ )?(?:is|are|was|were|has|have|had|will|can|lives|runs"
    r"|returns|contains|handles|means|uses|stores|holds|provides|happens|ships|sits|stands|live"
    r"|ist|sind|hat|fehlt|läuft|funktioniert|fertig|est|sont|terminée?|en cours|à faire|está|están"
    r"|es|son|é|são|è|works|done|missing|pending|broken|complete|completed|finished|in progress"
    r"|not (?:yet|started|done))\b"
)
_FIRST = late.pattern(r"[A-Za-z']+")
_CONDITION = late.pattern(
    r"(?:when|if|before|after|unless|for|on|in|once|while|during)\b[^,]{1,90},\s*", re.I
)


_PLAIN_STOP = late.pattern(r"[.!?][\s*_)\"']")
"""Where a text of ASCII has a ``_STOP``. It begins with its sign: a fifth of the time."""
_STOP = late.pattern(r"(?<=[.!?。！？])[\s*_)\"'”]+|(?<=[。！？])")


def sentences(lines: Iterable[Line]) -> list[str]:
    """Return what lines say, a sentence at a time: wrapped lines are joined first."""
    joined: list[list[str]] = []
    before = None
    for line in lines:
        if joined and before is not None and not line.item and line.number == before + 1:
            joined[-1].append(line.text)
        else:
            joined.append([line.text])
        before = line.number
    return [s for part in joined for s in _split(" ".join(part)) if len(s.strip()) > 3]


def _split(text: str) -> list[str]:
    if text.isascii() and _PLAIN_STOP.search(text) is None:
        return [text]
    return _STOP.split(text)


def share_of_orders(lines: Iterable[Line]) -> float:
    """Return the share of sentences that tell their reader what to do."""
    said = sentences(lines)
    return sum(is_order(sentence) for sentence in said) / len(said) if said else 0.0


def share_of_binding(lines: Iterable[Line]) -> float:
    """Return the share of sentences that bind: never, must, make sure."""
    said = sentences(lines)
    return sum(_says_order(bare(sentence)) for sentence in said) / len(said) if said else 0.0


def is_order(text: str) -> bool:
    """Tell whether a line tells its reader what to do, or not to do."""
    plain = bare(text)
    if _says_order(plain):
        return True
    label = _LABEL.match(plain)
    heads = [plain, plain[label.end() :]] if label else [plain]
    return any(_opens_with_order(_unconditional(head)) for head in heads)


_CONDITIONS = (
    "when",
    "if",
    "before",
    "after",
    "unless",
    "for",
    "on",
    "in",
    "once",
    "while",
    "during",
)


def _unconditional(text: str) -> str:
    """Return what is asked for under a condition: ``If it fails, run …``."""
    if text[:8].lower().startswith(_CONDITIONS):
        return _CONDITION.sub("", text, count=1)
    return text


def _opens_with_order(text: str) -> bool:
    first = _FIRST.match(text.lstrip(_SIGNS + "([\"'"))
    if first is None or first[0].lower() not in IMPERATIVES:
        return False
    rest = text.lstrip(_SIGNS + "([\"'")[first.end() :]
    if not rest[:1].isspace() and rest[:1] not in ("", ".", ","):
        return False
    return len(rest) > 2 and _NOUNISH.match(rest.lstrip()) is None


_PAST = late.pattern(
    any_of(r"""
        added|fixed|removed|changed|updated|refactored|implemented|migrated|moved|renamed|replaced
        introduced|released|shipped|merged|landed|completed|finished|created|deployed|upgraded
        reverted|investigated|discovered|found|tried|switched|rewrote|dropped|bumped|resolved
        debugged|learned|decided|agreed|discussed|met|closed|split|wrote|built|ported|extracted
        deprecated|patched|rolled|restored|started|published|cut|tested|reviewed|improved
        optimi[sz]ed|cleaned|enabled|disabled|initial|aggiunt[oa]|corrett[oa]|rimoss[oa]
        hinzugefügt|behoben|ajouté|corrigé
    """)
    + r"\b",
    re.IGNORECASE,
)


_DIGIT = late.pattern(r"\d")


def is_past(text: str) -> bool:
    """Tell whether a line opens by saying what was done."""
    plain = bare(text)
    if _DIGIT.search(plain, 0, 40) and (date := DATE_LEAD.match(plain)) is not None:
        plain = plain[date.end() :].lstrip(_SIGNS)
    label = _LABEL.match(plain)
    heads = (plain, plain[label.end() :]) if label else (plain,)
    return any(_PAST.match(head) is not None for head in heads)


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_ANY_MONTH = (
    r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|janv|févr|mars|avr|juin|juil"
    r"|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|out|mei|maart|stycz|lut|kwie|maj"
    r"|czerw|lip|sierp|wrze|paźdz|list|grud|янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек"
    r")[^\W\d_]{0,8}"
)
DATE = (
    r"(?:(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12]\d|3[01]))?"
    r"(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?:19|20)\d\d年\d{1,2}月(?:\d{1,2}日)?"
    r"|(?:19|20)\d\d년 ?\d{1,2}월(?: ?\d{1,2}일)?"
    rf"|\d{{1,2}}(?:er|º|\.)? (?:de )?{_ANY_MONTH}\.?(?: de)? (?:19|20)\d\d"
    r"|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|1[0-2])[-/.](?:19|20)\d\d"
    rf"|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}\.?,? (?:19|20)\d\d"
    rf"|{_MONTH}\.? (?:19|20)\d\d)"
)
"""A day or a month, as people write them; a bare year is none."""

DATE_LEAD = late.pattern(
    r"[\s#*_`~|\[(<:•-]*"
    r"(?:(?:session|update|week|sprint|day|entry|on|done|released?)\b\W{0,3}(?:\d+\W{1,3})?)?"
    rf"(?:{DATE}|{_MONTH}\.? \d{{1,2}}(?=:|\s?[–—-]\s))(?!\d)[\s\])>*_`:,.|–—-]*",
    re.IGNORECASE,
)
"""A line that begins with its date."""


_MARKUP = late.pattern(r"[`*_~#]|\[|\]\([^)]{0,200}\)|\]")
_ASIDE = late.pattern(rf"\([^()]{{0,120}}\)|{DATE}", re.IGNORECASE)
_NUMBER = late.pattern(
    r"^\s*(?:\d{1,3}(?:\.\d{1,3}){0,3}[.):]?|[ivx]{1,4}[.)]|[a-z][.)])\s+", re.IGNORECASE
)
_TAIL = late.pattern(r"\s[-–—:|]\s.*$")


@lru_cache(4096)
def plain_heading(title: str) -> str:
    """Return a heading in lower case, without marks, emoji, numbers before it and asides."""
    text = title[:400]
    if not text.isascii():
        text = "".join(c if unicodedata.category(c)[0] in "LNMZP" else " " for c in text)
    text = _MARKUP.sub(" ", text)
    if "(" in text or _DIGIT.search(text):
        text = _ASIDE.sub(" ", text)
    text = _NUMBER.sub("", text)
    text = _TAIL.sub("", text) if len(text) > 24 else text
    return " ".join(text.split()).strip(" .:;,!?-–—'\"").lower()
