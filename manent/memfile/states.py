"""What one line says of how things stand: a label with its value, a dated note, what is broken.

``Status: in development``, ``**Version:** 1.0``, ``Current focus: the beta``: in a dozen
languages, as lines of memory files have them. Each decides by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manent import late
from manent.memfile.wording import DATE, any_of

WENT = any_of("""
    complete[d]?|done|in[ -]progress|pending|blocked|wip|not (?:yet )?started|planned|ongoing
    merged|under ?way|started|deferred|finished|fixed|resolved|shipped
    erledigt|fertig|in arbeit|in bearbeitung|offen|geplant|abgeschlossen|nicht begonnen|blockiert
    terminée?s?|fait|en cours|à faire|prévue?|bloquée?|en attente
    completad[oa]|terminad[oa]|hecho|en (?:curso|progreso|proceso)|pendientes?|bloquead[oa]
    completat[oa]|fatto|in corso|da fare|bloccat[oa]|in sospeso
    concluíd[oa]|feito|em (?:andamento|progresso|curso)|pendente
    готово|сделано|в (?:работе|процессе|разработке)|завершено|не начато|запланировано
    klaar|bezig|gedaan|gotowe|w toku|zrobione
    已?完成|进行中|進行中|未开始|待办|开发中|完了|完成|対応中|未着手|作業中|완료|진행 ?중|예정|대기
""")
"""How far a piece of work is."""

_STATE = any_of(rf"""
    {WENT}
    (?:in |under |early |active )*(?:development|construction|testing|review|beta|alpha|preview)
    (?:in )?production|prod(?:uction)?[- ]ready|ready|stable|experimental|prototype
    mvp|poc|draft|live
    active|paused|on hold|deployed|operational|working|broken|failing|green|red|released|launched
    implemented|tested|functional|maintenance(?: mode)?|pre-?release|unreleased|nearly|almost|mostly
    (?:phase|sprint|milestone|stage|step|week) \d|\d{{1,3}} ?%|\d+ of \d+|\d+/\d+
    in entwicklung|produktiv|stabil|en développement|stable|en desarrollo|estable|in sviluppo
    em desenvolvimento|estável|开发中|稳定|已上线|已发布|開発中|安定|公開済み|개발 ?중|안정
""")
"""What stands after a label such as ``Status:``."""

_MARKS = late.pattern(r"[*_`~]+")
_LEAD = r"[\s#>|•–—-]*(?:[^\w\s|:]{1,4}\s*)?"
_OF = any_of("""
    project|current|overall|present|implementation|development|build|release|latest|app|package
    library|plugin|product|software|service|system|document|doc|stable|last|deployed|this|api docs
    aktuelle[rs]?|derzeitige[rs]?|actuel(?:le)?|dernière|actual|última|attuale|ultima|atual
    текущ(?:ая|ий|ее)|当前|目前|现在|現在の?|최신|현재|huidige|obecn[ya]
""")
_COLON = r"\s?(?:[:=：|]|\bis\b)\s*\|?\s*"
_SIGN = r"[^\w\s|:]{0,6}\s*"

_STATUS = late.pattern(
    rf"{_LEAD}(?:{_OF} ?){{0,2}}"
    + any_of("""
        status|state|stage|phase|progress|maturity|projektstatus|stand|zustand|statut|état|estado
        situación|stato|situação|статус|состояние|状态|狀態|进度|進捗|状態|ステータス|状況|상태|진행
    """)
    + rf"(?: (?:du projet|del progetto|del proyecto|do projeto|проекта))?{_COLON}{_SIGN}{_STATE}"
    + r"(?!\w)(?![^.]{0,40}\s(?:or|oder|ou|или|o)\s)(?!\s?[|/]\s?\w)",
    re.IGNORECASE,
)
"""``Status:`` with a state after it, not with the states there are."""

_FOCUS = late.pattern(
    rf"{_LEAD}"
    + any_of("""
        (?:current|present|active|immediate) (?:focus|phase|sprint|milestone|task|goal|work)s?
        (?:current|present|active|immediate) (?:priority|branch|objective|effort|project)s?
        (?:now |currently )?(?:working on|blocked (?:on|by)|in flight|in progress)|up next|next up
        (?:the )?next (?:milestone|release|deadline|step|task)s?|this (?:week|sprint|month)
        aktueller (?:fokus|schwerpunkt)|aktuell in arbeit|nächste[rs]? (?:schritte?|meilenstein)
        (?:objectif|priorité|travail) (?:actuel|en cours)|prochaines? étapes?
        (?:foco|enfoque|tarea|objetivo) (?:actual|atual)|próxim[oa]s? (?:pasos?|passos?)
        (?:obiettivo|focus|priorità) attuale|prossim[oi] pass[oi]
        сейчас в работе|текущая (?:задача|цель)|следующий шаг
        (?:当前|目前)(?:任务|重点|目标)|下一步|現在の(?:作業|課題|目標)|次のステップ|다음 단계
    """)
    + r"\s?[:：]\s*\S",
    re.IGNORECASE,
)
"""What is worked on, said after a label."""

_NUMBERED = r"v?\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+.]?[a-z][\w.-]{0,20}|-\d+)?"
_VERSION = late.pattern(
    rf"{_LEAD}(?:{_OF} ?){{0,2}}"
    + any_of("""
        version|release|versione|versión|versão|версия|релиз|版本|バージョン|버전|wersja|versie
        nummer der version|versionsnummer|numéro de version
    """)
    + rf"(?: (?:number|actuelle|actual|attuale|atual))?{_COLON}{_SIGN}(?:now |at )?"
    + rf"{_NUMBERED}(?!\w)(?!\s*(?:\+|or |and (?:above|later|up)|or later|to \d|[-–—] ?v?\d))",
    re.IGNORECASE,
)
"""A line that is the label of a version, and the version."""

_RELEASED = late.pattern(
    r"\b(?:version |release )?v?\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+][\w.-]{1,20})?,? "
    + any_of("""
        (?:was |is |has been |just )?(?:released|shipped|published|tagged|launched)
        (?:went|is) (?:out|live)|wurde (?:am|veröffentlicht)|(?:est )?sortie? le|veröffentlicht am
        (?:publicada|lanzada|rilasciata|lançada|publiée) (?:el|il|em|le)|вышла|发布于|を?リリース
    """)
    + r"(?!\w)",
    re.IGNORECASE,
)

_NOTED = late.pattern(
    rf"{_LEAD}(?:\w+ )?"
    + any_of("""
        note|update[d]?|edit|warning|heads[- ]up|fyi|info|news|changed?|added|decision|decided
        caution|attention|important|status|notice|reminder|incident|outage|deploy(?:ed|ment)?
        hinweis|achtung|stand|wichtig|remarque|attention|aviso|nota|avviso|atenção|atención
        примечание|внимание|важно|обновление|注意|更新|メモ|追記|참고|uwaga|let op
    """)
    + rf"\s?[,:]?\s?[(\[]?\s?{DATE}(?!-?\d)\s?[)\]]?\s?[:.–—-]",
    re.IGNORECASE,
)
"""A note under its date."""

_BROKEN = late.pattern(
    any_of(r"""
        \b(?:is|are|'s|remains?) (?:currently|temporarily|still|now|presently) (?:\w+ly )?STATE\b
        \b(?:currently|temporarily) STATE (?:on|in|for|since|until|due|because)\b
        \b(?:ist|sind) (?:derzeit|momentan|zurzeit|aktuell|gerade|noch) (?:kaputt|defekt|gestört)
        \best (?:actuellement|encore|toujours) (?:cassée?|en panne|en cours)
        \bestán? (?:actualmente|ahora) (?:rot[oa]|caíd[oa]|en curso)
        \b(?:è|sono) (?:attualmente|al momento) (?:rott[oaie]|in corso|giù)
        сейчас (?:сломан|не работает|падает)|(?:目前|当前|暂时)[^。]{0,12}(?:不可用|损坏|失败|故障)
        現在[^。]{0,20}(?:壊れて|停止中|作業中|対応中)|현재 [^.]{0,20}(?:작업 중|중단|고장)
    """).replace(
        "STATE",
        "(?:broken|down|failing|red|offline|blocked|flaky|unstable|unavailable|out of order)",
    ),
    re.IGNORECASE,
)
_SUPPOSED = late.pattern(
    r"\b(?:if|when|whenever|while|whether|unless|in case|until|wenn|falls|si|se|cuando|quando)\b"
    r"[^.,;]{0,80}$",
    re.IGNORECASE,
)
"""What is said before it that makes it a case to reckon with, and no news."""

_COUNTS = late.pattern(
    any_of(r"""
        \b\d[\d,.]{0,8} (?:tests? )?(?:passing|passed|green),? (?:and )?\d[\d,.]{0,8} \w+
        \btests?\b[^.\d]{0,20}\d[\d,.]{0,8} (?:passing|passed|failing|failed|green|red)\b
        \b(?:currently|now|today)(?: (?:at|about|around))? ~?\d{1,3}(?:\.\d+)?\s?%
        \d{1,3}(?:\.\d+)?\s?% (?:currently|today|as of)\b|\(was \d{1,3}(?:\.\d+)?\s?%
    """),
    re.IGNORECASE,
)

_WORDS: tuple[str, ...] = (
    *("broken", "down", "failing", " red", "offline", "blocked", "flaky", "unstable"),
    *("unavailable", "order", "kaputt", "defekt", "gestört", "cass", "panne", "cours", "rot"),
    *("caíd", "curso", "corso", "giù"),
)


def states(text: str) -> Iterator[str]:
    """Yield what a line of prose says of the present: version, progress, dated-entry or now.

    What it lacks for a pattern is asked first: this runs on every line there is.
    """
    plain = _MARKS.sub("", text) if "*" in text or "_" in text or "`" in text else text
    head = plain[:120]
    digit = not _DIGITS.isdisjoint(plain)
    if ":" in head or "：" in head or "|" in head or " is " in head or "=" in head:
        if digit and _VERSION.match(plain):
            yield "version"
        if "`" not in text[:120] and _STATUS.match(plain):
            yield "progress"
        if _FOCUS.match(plain):
            yield "now"
    if digit:
        if _NOTED.match(head):
            yield "dated-entry"
        if "." in plain and _RELEASED.search(plain):
            yield "version"
        if ("%" in plain or "test" in plain.lower() or "pass" in plain) and _COUNTS.search(plain):
            yield "progress"
    low = plain.lower()
    if not low.isascii() or any(word in low for word in _WORDS):
        found = _BROKEN.search(plain)
        if found is not None and _SUPPOSED.search(plain, 0, found.start()) is None:
            yield "now"


DONE = late.pattern(rf"(?<=\w):\s*[^\w\s]{{0,4}}\s*{WENT}\s*[^\w\s]{{0,3}}\s*$", re.IGNORECASE)
"""A line that ends in how far what it names is: ``Billing: not started``."""

_DIGITS = frozenset("0123456789")

HEADED = late.pattern(
    rf"(?:[(\[–—:-]|\s-)\s*[^\w\s]{{0,4}}\s*{WENT}\s*[^\w\s]{{0,4}}\s*$", re.IGNORECASE
)
"""A heading that ends in how far its work is: ``Phase 2 (in progress)``."""

VERSION_TITLE = late.pattern(
    rf"(?:{_OF} )?(?:version|release|versione|versión|versão|версия|版本|バージョン|버전)"
    r"(?: (?:number|actuelle|actual|attuale|atual))?",
    re.IGNORECASE,
)
"""A heading over the version itself."""

NUMBER_ALONE = late.pattern(rf"[\s*_`>-]*(?:version )?{_NUMBERED}[*_`.]*(?: \([^()]{{1,60}}\))?\s*")
