# ruff: noqa: E501
"""Which words a pattern cannot match without, in which order and how near to each other.

Read off the pattern itself: a row of words each of which must stand in every
match, as sets of the forms it may take, and how many words at most lie between
them. A text that lacks one of the sets, or holds them too far apart, is not
searched; that is what makes three hundred patterns cost next to nothing on
ordinary text. Where a part is too free to say, it asks for nothing.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

from manent import late
from manent.values import dataclass

MOST_FORMS = 3000
"""How many forms of one word are spelled out; a freer part asks for nothing."""

_COMMON = (
    "the of to and a in is for that it on with this you as be are or can not if by from have an your"
    " at all but will use we which has one when more they there other do was what so about like their"
    " how any some out up only new no my also then these into its use he time just don t s get make"
    " them than was were i our me after first using way used need each set over work may want see know"
    " now where because most such through should must add good would file data list user system"
    " text files name code example page note notes different between create system same it's here"
    " write read content add links link using find without even back could other two many information"
    " people used help right good show end start before text following always every type check"
    " say run change open think well call let give still two really default based line move keep"
    " return answer state test tags made people part own both does while since below form"
    " version project value function key type server request message command commands option options"
    " model output input build install config configuration url https json api token client response"
    " result results search query plugin script session mode limit rules rule order context memory"
    " agent agents update release status date title section document documents feature support"
    " language access current public private error call store load save edit delete remove break"
    " process review information details given above initial method class object string number"
    " settings content folder directory path package library source local remote service machine"
    " template task tasks project projects issue issues question questions idea level group item"
    " items view table image post web site app block blocks tools tool human level free send follow"
    " keep explain describe review include includes provide provides execute instructions message"
    " messages standard specification contract account address transaction proposal security"
).split()
_COST = {word: 1.0 / (rank + 3) for rank, word in reversed(list(enumerate(_COMMON)))}
WORTH = 0.025
"""A set of words commoner than this is needed only beside a rarer one."""

WORTH_BESIDE = 0.3
"""A set of words commoner than this tells nothing."""

MOST_NEEDS = 5
"""How many sets of words a way to match may need: each is a bit a word."""

_RARE = 0.0008
_LETTER = 0.2
"""What a single letter costs: ordinary text is full of them."""

LETTERS = late.pattern(r"(?:[^\W\d_]|[\u0900-\u0963])+")
"""A word. The vowel signs of Devanagari belong to it, though they are no letters."""

Forms = frozenset[str]

FAR = -1
"""Any number of words."""

_MANY = 99
"""How often a piece is repeated that may be repeated without end."""


@dataclass(frozen=True, slots=True)
class Need:
    """A set of words of which a match holds one.

    within: how many words at most after the one of the need before it, or ``FAR``. Words are
    rows of letters and signs between blanks; those without a letter or digit do not count.
    """

    forms: Forms
    within: int = FAR


@dataclass(frozen=True, slots=True)
class Way:
    """What one alternative of a pattern needs, in the order in which it stands in a match.

    rarest: which need is met most seldom.
    """

    needs: tuple[Need, ...]
    rarest: int


@dataclass(frozen=True, slots=True)
class _Found:
    """A set of words that a row of pieces needs: from which of them to which it may stand.

    inside: how many others stand before it in the same piece.
    """

    forms: Forms
    first: int
    last: int
    inside: int = 0


@dataclass(slots=True)
class _Node:
    """A piece of a pattern: ``text`` for a literal or class, ``branches`` for a group."""

    text: str = ""
    branches: list[list[_Node]] | None = None
    least: int = 1
    most: int = 1


_TOKEN = late.pattern(
    r"\\x\{[0-9a-f]+\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|\(\?i\)|[()|]|[?*+]|\{\d*,?\d*\}|.",
    re.S,
)


def ways(pattern: str, *, tight: bool = False) -> list[Way]:
    """Return for each alternative of a pattern what a match of it needs.

    pattern: in the rules' shorthand, word lists already filled in. A form that
    ends in ``*`` stands for all words that begin so. tight: forms are to be
    looked for as parts of the text, not as words.
    """
    branches = _parse(_TOKEN.findall(pattern)[::-1])
    alone = len(branches) == 1
    return [_way(branch, tight, 3 if alone else 1) for branch in branches]


def needs(pattern: str, *, tight: bool = False) -> list[Forms]:
    """Return the sets of words of which each match holds one, the rarest set first."""
    found = _alternatives(_parse(_TOKEN.findall(pattern)[::-1]), tight)
    return [need.forms for need in _rarest([_Found(forms, 0, 0) for forms in found], 3)]


def _way(branch: list[_Node], tight: bool, most: int) -> Way:
    chosen = sorted(_chosen(branch, tight, most), key=_place)
    rarest = min(range(len(chosen)), key=lambda place: _order(chosen[place]), default=0)
    within = [
        _reach(branch[one.first : other.last + 1]) for one, other in itertools.pairwise(chosen)
    ]
    row = zip(chosen, (FAR, *within), strict=False)
    return Way(tuple(Need(found.forms, reach) for found, reach in row), rarest)


def _place(found: _Found) -> tuple[int, int]:
    return found.first, found.inside


def _rarest(found: list[_Found], most: int) -> list[_Found]:
    rarest = sorted(found, key=_order)[:most]
    return [one for one in rarest if _cost(one.forms) < WORTH or one is rarest[0]]


def _chosen(branch: list[_Node], tight: bool, most: int) -> list[_Found]:
    """Return the rarest sets of an alternative, and commoner ones that are whole words for sure.

    The first and the last word of a pattern may be parts of longer ones, which is
    rare enough among rare words; among common ones it is not.
    """
    chosen = _rarest(_sequence(branch, tight), most)
    free = [_Node(r"\w", least=0, most=_MANY)]
    for found in sorted(_sequence(free + branch + free, tight), key=_order):
        whole = not any(form.endswith("*") for form in found.forms)
        known = any(found.forms == one.forms for one in chosen)
        if whole and not known and _cost(found.forms) < WORTH_BESIDE:
            last = min(found.last, len(branch)) - 1
            chosen.append(_Found(found.forms, max(found.first - 1, 0), last, found.inside))
    return chosen[:MOST_NEEDS]


def _reach(nodes: list[_Node]) -> int:
    """Return over how many words at most pieces in a row lead on, or ``FAR``."""
    each = list(map(_steps, nodes))
    return FAR if FAR in each else sum(each)


def _steps(node: _Node) -> int:
    """Return over how many words a piece leads on: each blank may begin another one."""
    if node.branches is not None:
        each = [_reach(branch) for branch in node.branches]
        once = FAR if FAR in each else max(each)
        free = once and (once == FAR or node.most >= _MANY)
        return FAR if free else once * node.most
    if not _blank(node.text):
        return 0
    if node.text == " " or (_parts(node) and not re.search(r"\\d|\d", node.text)):
        return 1
    return FAR if node.most >= _MANY else node.most // 2 + 1


def _blank(text: str) -> bool:
    """Whether a piece may be a blank."""
    if text.startswith("[^"):
        return r"\s" not in text
    if text.startswith("["):
        return bool(re.search(r" |\\[stnWDS]", text))
    return text in (" ", ".", r"\s", r"\n", r"\t", r"\W", r"\D")


def _parse(tokens: list[str]) -> list[list[_Node]]:
    branches: list[list[_Node]] = [[]]
    while tokens:
        token = tokens.pop()
        if token == ")":
            break
        if token == "|":
            branches.append([])
        elif token in ("(?:", "("):
            branches[-1].append(_Node(branches=_parse(tokens)))
        elif branches[-1] and (token in "?*+" or re.fullmatch(r"\{\d*,?\d*\}", token)):
            _repeat(branches[-1][-1], token)
        else:
            branches[-1].append(_Node(token))
    return branches


def _repeat(node: _Node, token: str) -> None:
    if token == "?":
        node.least = 0
    elif token in "*+":
        node.least, node.most = (0 if token == "*" else node.least), _MANY
    else:
        low, _, high = token[1:-1].partition(",")
        node.least = min(node.least, int(low or 0))
        node.most = int(high) if high else (_MANY if "," in token else int(low))


def _alternatives(branches: list[list[_Node]], tight: bool) -> list[Forms]:
    """What a choice needs: of one branch everything, of several the union of the rarest."""
    each = [_sequence(branch, tight) for branch in branches]
    if len(each) == 1:
        return [found.forms for found in each[0]]
    if not all(each):
        return []
    union = frozenset[str]().union(*(min(found, key=_order).forms for found in each))
    return [union] if len(union) <= MOST_FORMS else []


def _sequence(nodes: list[_Node], tight: bool) -> list[_Found]:
    """Return what pieces in a row need, in the order in which it stands."""
    found: list[_Found] = []
    unit: list[_Node] = []
    for index, node in enumerate(nodes):
        if _parts(node):
            found.extend(_flushed(unit, index, tight))
        elif node.branches is not None and _has_gap(node.branches):
            glued = _beginnings(unit)
            found.extend(_flushed(unit, index, tight))
            if node.least and glued is not None:
                ending = _ending(nodes, index + 1)
                for inside, forms in enumerate(_alternatives(node.branches, tight)):
                    whole = _extended(_prefixed(forms, glued), ending)
                    found.append(_Found(whole, index, index, inside))
        else:
            unit.append(node)
    return [*found, *_flushed(unit, len(nodes), tight)]


def _parts(node: _Node) -> bool:
    """Whether a piece stands between words: a gap, or a class without letters."""
    text = node.text
    if text == " ":
        return node.least > 0
    if text in (r"\s", "^", "$", r"\n"):
        return True
    if text.startswith("[") and not text.startswith("[^"):
        inside = re.sub(r"\\[nst]", " ", text[1:-1])
        return not re.search(r"\\[wS]|[^\W\d_]", re.sub(r"\\x\{[0-9a-f]+\}", "", inside))
    return False


def _has_gap(branches: list[list[_Node]]) -> bool:
    return any(
        _parts(node) or (node.branches is not None and _has_gap(node.branches))
        for branch in branches
        for node in branch
    )


def _beginnings(unit: list[_Node]) -> set[str] | None:
    """Return what may stand glued before a group; None where that is anything."""
    beginnings = {""}
    for node in reversed(unit):
        if node.text == r"\b":
            break
        forms = _spelled(node)
        if forms is None or any("\0" in form for form in forms):
            return None
        beginnings = {form + b for form in forms for b in beginnings}
    return {"".join(re.findall(r"(?:[^\W\d_]|[\u0900-\u0963])+$", b)) for b in beginnings}


def _prefixed(forms: Forms, beginnings: set[str]) -> Forms:
    return frozenset(b + form for form in forms for b in beginnings | {""})


def _ending(nodes: list[_Node], index: int) -> set[str]:
    """Return what may stand glued to the piece before ``index``; {"*"} where unknown."""
    endings = {""}
    for node in nodes[index:]:
        if _parts(node) or node.text == r"\b" or (node.branches and _has_gap(node.branches)):
            break
        forms = _spelled(node)
        if forms is None or any("\0" in form for form in forms):
            return {e + "*" for e in endings}
        endings = {e + f for e in endings for f in forms}
    return endings


def _extended(forms: Forms, endings: set[str]) -> Forms:
    letters = {
        m[0] if (m := re.match(r"(?:[^\W\d_]|[\u0900-\u0963])*\*?", e)) else "" for e in endings
    } | {""}
    return frozenset(form if form.endswith("*") else form + e for form in forms for e in letters)


def _flushed(unit: list[_Node], end: int, tight: bool) -> Iterator[_Found]:
    """Yield what a unit that ends before piece ``end`` needs, and empty it."""
    if unit:
        forms = _forms(unit, tight)
        each = [forms] if forms else _inside(unit) if tight else []
        first = end - len(unit)
        unit.clear()
        for inside, one in enumerate(each):
            yield _Found(one, first, end - 1, inside)


def _inside(unit: list[_Node]) -> list[Forms]:
    """Return what a unit of too many spellings needs piece by piece, where all is written tight."""
    found: list[Forms] = []
    for node in unit:
        forms = _forms([node], tight=True)
        if forms:
            found.append(forms)
        elif node.branches is not None and node.least:
            found.extend(_alternatives(node.branches, tight=True))
    return found


def _forms(unit: list[_Node], tight: bool) -> Forms | None:
    """Return a telling word of each spelling of a unit, or None where it is too free."""
    spellings: set[str] = {""}
    for node in unit:
        forms = _spelled(node)
        if forms is None:
            forms = {"\0"}
        spellings = {s + f for s in spellings for f in forms}
        if len(spellings) > MOST_FORMS:
            return None
    told = [_telling(spelling, tight) for spelling in spellings]
    return None if not all(told) else frozenset(word for word in told if word)


def _spelled(node: _Node) -> set[str] | None:
    """Return all spellings of a piece, or None where they are too many."""
    if node.branches is not None:
        once: set[str] | None = set()
        for branch in node.branches:
            rows = [_spelled(inner) or {"\0"} for inner in branch]
            if math.prod(map(len, rows)) > MOST_FORMS:
                return None
            assert once is not None
            once |= {"".join(parts) for parts in itertools.product(*rows)}
            if len(once) > MOST_FORMS:
                return None
    else:
        once = _letters(node.text)
    if once is None or node.most > 3:
        return None
    return once | {""} if node.least == 0 else once


def _letters(text: str) -> set[str] | None:
    if text in (r"\b", " "):
        return {"\1"}
    if text.startswith("["):
        inside = text[1:-1]
        if text.startswith("[^") or re.search(r"\\[wsSd]|.-.", inside):
            return None
        return set(inside.replace("\\", ""))
    if text in (".", "%", r"\w", r"\S", r"\d", r"\s") or text.startswith(r"\x"):
        return None
    return {text[-1].lower()}


def _telling(spelling: str, tight: bool) -> str | None:
    """Return the rarest whole word of a spelling (``\\0`` stands for anything)."""
    if tight:
        parts = [p for p in re.split("[\0\1]", spelling) if p]
        return max(parts, key=len) if parts else None
    words = []
    for match in LETTERS.finditer(spelling):
        free_before = match.start() and spelling[match.start() - 1] == "\0"
        free_after = spelling[match.end() : match.end() + 1] == "\0"
        if not free_before:
            words.append(match[0] + ("*" if free_after else ""))
    return min(words, key=lambda word: (_price(word), word)) if words else None


def _cost(forms: Forms) -> float:
    return math.fsum(map(_price, forms))


def _order(found: _Found) -> tuple[float, list[str]]:
    return _cost(found.forms), sorted(found.forms)


def _price(form: str) -> float:
    """How often a word stands in ordinary text, roughly; long words are rarer."""
    known = _COST.get(form, _LETTER if len(form) == 1 and form.isascii() else _RARE)
    return known / max(len(form), 2)
