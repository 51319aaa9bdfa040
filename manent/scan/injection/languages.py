# ruff: noqa: E501
"""The rules for the languages other than English: word lists under shared sentences.

Each language gives its words for the parts of an attack; the sentences they go
into are the same for all (``SENTENCES``), once for languages that put the verb
first and once for those that put it last. ``%`` in a word stands for any ending.
"""

from __future__ import annotations

import re

from manent.scan.injection.rule import Rule
from manent.scan.injection.sayings import CALLED, SAID_FIRST, SAID_GATES, SAID_LAST, SAYINGS
from manent.scan.injection.wider import GATES, WIDER
from manent.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Language:
    """The words of one language.

    tight: written without blanks between words. last: the verb comes last.
    extra: further whole patterns, by kind.
    """

    code: str
    words: dict[str, str]
    gate: str
    tight: bool = False
    last: bool = False
    extra: tuple[tuple[str, str], ...] = field(default=())


def spoken(
    code: str,
    words: dict[str, str],
    gate: str,
    *,
    tight: bool = False,
    last: bool = False,
    extra: tuple[tuple[str, str], ...] = (),
) -> Language:
    """Return a language with its further words (``wider``, ``sayings``) beside ``words``."""
    parts = {**words}
    for part, more in (*WIDER.get(code, {}).items(), *SAYINGS.get(code, {}).items()):
        parts[part] = f"{parts[part]}|{more}" if part in parts else more
    gate = f"{gate}|{GATES[code]}|{SAID_GATES[code]}"
    return Language(code, parts, gate, tight, last, extra)


TARGET = r"(?:https?://|[\w.+-]+@[\w-]+\.\w)"
"""Where something is sent to."""

SHELL = r"(?:curl|wget|bash|powershell|python3?|npx|rm -)\b"
"""What is run, in whatever language it is asked for."""

FORGED = r"(?:^|\n|[>'\"(|#] ?|<!-- ?)[ \t>#*|-]{0,8}[\[\x{3010}]{1,2} ?{rolename} ?[\]\x{3011}]{1,2}:? ?(?:{any} ){0,8}{roleact}"
"""A line that gives itself out for the system's."""

FIRST = (
    ("override", "{ign}(?: {all}){0,4} {prior}(?: {any}){0,2} {orders}"),
    ("override", "{ign}(?: {all}){0,4} {orders}(?: {any}){0,3} {prior}"),
    ("override", "{ign}(?: {all}){0,4} {your}(?: {any}){0,2} (?:{orders}|{limits})"),
    ("override", "{ign}(?: {all}){0,4} (?:{orders}|{limits}) {your}"),
    ("override", "{ign}(?: {all}){0,2} {everything}(?: {any}){0,6} {prior}"),
    ("override", "{ign}(?: {any}){0,2} {prior}(?: {any}){0,4} {everything}"),
    ("override", "{ign} {system}"),
    ("override", "{orders} {prior}(?: {any}){0,4} {void}"),
    ("override", "{prior} {orders}(?: {any}){0,4} {void}"),
    ("override", "{new} {orders}(?: {any}){0,3} {forai}"),
    ("override", "{forai}(?: {any}){0,3} {new} {orders}"),
    ("override", "{orders} {new}(?: {any}){0,3} {forai}"),
    ("reveal", "{reveal}(?: {any}){0,5} {sysprompt}"),
    ("reveal", "{whatis}(?: {any}){0,3} {sysprompt}"),
    ("persona", "{youare}(?: {any}){0,7} {free}"),
    ("persona", "{act}(?: {any}){0,8} {free}"),
    ("persona", "{youare}(?: {any}){0,3} (?:DAN|jailbroken)\\b"),
    ("address", "{ifai}"),
    ("address", "{attention}(?: {any}){0,2} {ai}(?: {any}){0,4}[:,!.]"),
    ("concealment", "{donttell}(?: {any}){0,2} {user}(?:[.!;:,\\n]|$| {about})"),
    ("concealment", "{donttell}(?: {any}){0,3} {thismessage}"),
    ("exfiltration", "{send}(?: {any}){0,3} {silently}(?: {any}){0,4} {secret}"),
    ("exfiltration", "{silently}(?: {any}){0,2} {send}(?: {any}){0,4} {secret}"),
    (
        "exfiltration",
        "{send}(?: {any}){0,4} {secret}(?: {any}){0,5} (?:https?://|[\\w.+-]+@[\\w-]+\\.\\w|{attacker})",
    ),
    ("exfiltration", "{send}(?: {all}){0,3} {private}(?: {any}){0,4} {public}"),
    ("tool-bait", "{before}(?: {any}){0,4} {call}"),
    ("tool-bait", "{call}(?: {any}){0,3} {hiddencommand}"),
    ("tool-bait", "{skip}(?: {any}){0,3} {approval}(?: {any}){0,6} {foryou}"),
    ("memory-poison", "{remember}(?: {any}){0,4} {forever}"),
    ("memory-poison", "{fromnow}(?: {any}){0,2} {youmust}"),
    ("hijack", "{only}(?: {any}){0,3} {say}(?: {any}){0,2} [\"“«„'「]"),
    ("hijack", "{say} {only}(?: {any}){0,2} [\"“«„'「]"),
    ("hijack", "{stopdoing}(?: {any}){0,4} {say}"),
    ("override", "{ign}(?: {any}){0,2} {orders} {withwhich}"),
    ("override", "(?:{orders}|{limits})(?: {any}){0,4} {void}(?: {any}){0,10} {free}"),
    ("override", "{new} {orders}(?: {any}){0,2} {fromnow}"),
    ("forged-role", "{sysnote} ?:(?: {any}){0,14} {everyreply}"),
    ("override", "{ign}(?: {any}){0,3} (?:{orders}|{limits})(?: {any}){0,4} {makers}"),
    ("override", "{everything}(?: {any}){0,3} {youweretold}(?: {any}){0,5} {void}"),
    ("override", "{youweretold}(?: {any}){0,3} {everything}(?: {any}){0,3} {void}"),
    ("override", "{orders}(?: {any}){0,2} {youweretold}(?: {any}){0,4} {void}"),
    ("reveal", "{reveal}(?: {any}){0,8} {configured}"),
    ("reveal", "{whatwas}(?: {any}){0,4} {firstmessage}"),
    ("reveal", "{reveal}(?: {any}){0,4} {firstmessage}"),
    ("persona", "{fromnow}(?: {any}){0,3} {named}(?: {any}){0,8} {free}"),
    ("forged-role", FORGED),
    ("address", "{mailfor}"),
    ("concealment", "{silently}(?: {any}){0,5} {leaveout}"),
    ("concealment", "{user}(?: {any}){0,3} {mustnotknow}"),
    ("concealment", "{mustnotknow} {user}"),
    (
        "exfiltration",
        "{collect}(?: {any}){0,5} {secret}(?: {any}){0,8} {send}(?: {any}){0,5} " + TARGET,
    ),
    ("tool-bait", "{before}(?: {any}){0,5} " + SHELL),
    ("tool-bait", "{usetool}(?: {any}){0,9} {tosend}"),
    ("memory-poison", "{allfuture}(?: {any}){0,2} {recommend}"),
    ("memory-poison", "{recommend}(?: {any}){0,2} {allfuture}"),
    ("hijack", "{dropq}(?: {any}){0,3} {write}"),
    ("hijack", "{whatever}(?: {any}){0,6} {say}(?: {any}){0,2} {only}"),
    ("hijack", "{whatever}(?: {any}){0,6} {only}(?: {any}){0,3} {say}"),
)
"""Sentences with the verb first: kind and pattern."""

LAST = (
    ("override", "{prior}(?: {any}){0,4} (?:{orders}|{everything})(?: {any}){0,4} {ign}"),
    ("override", "{your}(?: {any}){0,3} (?:{orders}|{limits})(?: {any}){0,4} {ign}"),
    ("override", "{ign}(?: {any}){0,3} {prior}(?: {any}){0,3} {orders}"),
    ("override", "{prior}(?: {any}){0,3} {orders}(?: {any}){0,4} {void}"),
    ("override", "{forai}(?: {any}){0,3} {new}(?: {any}){0,2} {orders}"),
    ("override", "{system}(?: {any}){0,3} {ign}"),
    ("reveal", "{sysprompt}(?: {any}){0,6} {reveal}"),
    ("reveal", "{reveal}(?: {any}){0,4} {sysprompt}"),
    ("persona", "{youare}(?: {any}){0,9} {free}"),
    ("persona", "{free}(?: {any}){0,7} {act}"),
    ("persona", "{act}(?: {any}){0,7} {free}"),
    ("address", "{ifai}"),
    ("address", "{attention}(?: {any}){0,2} {ai}(?: {any}){0,4}[:,!.]"),
    ("address", "{ai}%(?: {any}){0,2} {attention}"),
    ("concealment", "{user}(?: {any}){0,6} {donttell}"),
    ("concealment", "{thismessage}(?: {any}){0,5} {donttell}"),
    ("exfiltration", "{silently}(?: {any}){0,8} {send}"),
    (
        "exfiltration",
        "{secret}(?: {any}){0,6} (?:https?://\\S+|[\\w.+-]+@[\\w.-]+)\\S*(?: {any}){0,4} {send}",
    ),
    (
        "exfiltration",
        "(?:https?://\\S+|[\\w.+-]+@[\\w.-]+)\\S*(?: {any}){0,6} {secret}(?: {any}){0,5} {send}",
    ),
    ("exfiltration", "{private}(?: {any}){0,6} {public}(?: {any}){0,4} {send}"),
    ("tool-bait", "{before}(?: {any}){0,8} {call}"),
    ("tool-bait", "{hiddencommand}(?: {any}){0,3} {call}"),
    ("memory-poison", "{forever}(?: {any}){0,6} {remember}"),
    ("memory-poison", "{fromnow}(?: {any}){0,5} {youmust}"),
    ("hijack", "{only}(?: {any}){0,3} {say}"),
    ("hijack", "{stopdoing}(?: {any}){0,6} {say}"),
    ("override", "{withwhich}(?: {any}){0,4} {orders}(?: {any}){0,4} {ign}"),
    ("override", "(?:{orders}|{limits})(?: {any}){0,4} {void}(?: {any}){0,10} {free}"),
    ("override", "{new} {orders}(?: {any}){0,2} {fromnow}"),
    ("forged-role", "{sysnote} ?:(?: {any}){0,14} {everyreply}"),
    ("override", "{makers}(?: {any}){0,4} (?:{orders}|{limits})(?: {any}){0,3} {ign}"),
    ("override", "{youweretold}(?: {any}){0,6} {void}"),
    ("reveal", "{configured}(?: {any}){0,6} {reveal}"),
    ("reveal", "{firstmessage}(?: {any}){0,5} {whatwas}"),
    ("persona", "{fromnow}(?: {any}){0,4} {named}(?: {any}){0,8} {free}"),
    ("forged-role", FORGED),
    ("address", "{mailfor}"),
    ("concealment", "{silently}(?: {any}){0,5} {leaveout}"),
    ("concealment", "{user}(?: {any}){0,4} {mustnotknow}"),
    (
        "exfiltration",
        "{secret}(?: {any}){0,4} {collect}(?: {any}){0,4} " + TARGET + "\\S*(?: {any}){0,3} {send}",
    ),
    ("tool-bait", "{before}(?: {any}){0,4} " + SHELL),
    ("tool-bait", "{usetool}(?: {any}){0,9} {tosend}"),
    ("memory-poison", "{allfuture}(?: {any}){0,7} {recommend}"),
    ("hijack", "{dropq}(?: {any}){0,6} {write}"),
    ("hijack", "{whatever}(?: {any}){0,5} {only}(?: {any}){0,4} {say}"),
)
"""Sentences with the verb last."""


def rules(language: Language) -> tuple[Rule, ...]:
    """Return the rules of a language: every sentence for which it has all the words."""
    sentences = (*LAST, *SAID_LAST) if language.last else (*FIRST, *SAID_FIRST)
    strong = [*language.extra, *_sayable(language, sentences)]
    soft = _sayable(language, CALLED)
    code, checks = language.code, ("subordinate",)
    return (
        *(Rule(kind, pattern, code, checks=checks) for kind, pattern in strong),
        *(Rule(kind, pattern, code, weight=1, quoted=0) for kind, pattern in soft),
    )


def _sayable(language: Language, sentences: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Return the sentences for which a language has all the words."""
    words = {*language.words, "any", "all"}
    return [
        (kind, sentence)
        for kind, sentence in sentences
        if words.issuperset(re.findall(r"\{([a-z]+)\}", sentence))
    ]
