"""Words that bind: what must always or never happen, in the languages vaults are written in.

The fifteen of the scanners. Each list is what a grammar gives for *must*, *never*,
*always*, *do not*, *forbidden* and *required*, and for headings *rule*, *constraint*,
*convention*, *important*; none was taken from a file that is measured.
"""

from __future__ import annotations

from manent import late
from manent.memfile.document import BOM

_SPACED = late.pattern(
    r"\b(?:must(?:n'?t)?|never|always|do not|don'?t|shall not|forbidden"
    r"|prohibited|mandatory|not allowed|under no circumstances"
    # German
    r"|niemals|nie|immer|müssen|muss|musst|darf(?:st)?|dürfen|verboten|zwingend|untersagt|stets"
    # French
    r"|jamais|toujours|doit|doivent|dois|devez|il faut|interdit\w*|obligatoire\w*|défense de"
    # Spanish
    r"|nunca|jamás|siempre|deben?|debes|prohibid[oa]s?|obligatori[oa]s?|no debes?"
    # Italian
    r"|mai|sempre|deve|devono|devi|vietat[oiae]|obbligatori[oa]|non si deve"
    # Portuguese
    r"|sempre|deve(?:m|s)?|proibid[oa]s?|obrigatóri[oa]s?|não (?:deve|pode|faça|use|altere|edite)"
    # Dutch
    r"|nooit|altijd|moet(?:en)?|mag niet|mogen niet|verboden|verplicht"
    # Polish
    r"|nigdy|zawsze|musi(?:sz|my|cie)?|muszą|należy|nie wolno|zabronion\w+|zakaz\w*|obowiązkow\w+"
    # Turkish
    r"|asla|daima|her zaman|hiçbir zaman|zorunlu(?:dur)?|yasak(?:tır)?|\w+(?:malı|meli)(?:dır|dir"
    r"|sın|sin|sınız|siniz)?|\w+(?:mamalı|memeli)\w*"
    # Russian
    r"|никогда|всегда|нельзя|запрещен\w*|запрещён\w*|запрещает\w*|обязательн\w+|должн[аоы]"
    r"|должен|обязан\w*"
    r")\b",
    2,
)
_UNSPACED = (
    *(
        "必须",
        "必須",
        "不要",
        "不得",
        "禁止",
        "切勿",
        "严禁",
        "绝不",
        "永远不",
        "务必",
        "始终",
        "总是",
    ),
    *("不可", "不能", "不准", "只能", "必ず", "常に", "決して", "しないこと", "してはいけない"),
    *("してはならない", "すること", "べからず", "厳禁", "ないでください", "てください"),
    *(
        "반드시",
        "항상",
        "절대",
        "금지",
        "하지 마",
        "마세요",
        "말 것",
        "해야 ",
        "안 된다",
        "안 됩니다",
    ),
    *(
        "يجب",
        "دائما",
        "دائمًا",
        "أبدا",
        "أبدًا",
        "ممنوع",
        "يمنع",
        "يُمنع",
        "لا تقم",
        "لا تستخدم",
        "يحظر",
    ),
    *("हमेशा", "कभी नहीं", "कभी भी", "अनिवार्य", "वर्जित", "निषिद्ध", "मत ", "न करें", "ना करें", "चाहिए"),
)
_NO = late.pattern(
    r"[\s>]*(?:[-*+]|\d{1,3}[.)])?[\s*_>]*"
    r"(?:no|kein(?:e|en)?|aucune?|pas de|ning[uú]n[ao]?|sin|nessun[oa]?|niente|nenhum[a]?|sem"
    r"|geen|żadn\w+|bez|hiçbir|никаких|без)\s+\w",
    2,
)
"""A line that opens by ruling something out: *No network calls in tests.*"""

RULES = late.pattern(
    r"\b(?:"
    r"hard limits?|ground rules?|prime directives?|directives?|commandments?|working agreements?"
    r"|agreements?|red lines?|prohibitions?|obligations?|requirements for agents"
    r"|\w*regeln?|vorschriften|verbote|einschränkungen|vorgaben|pflichten"
    r"|règles?|contraintes?|interdictions?|consignes|obligations?"
    r"|reglas?|restricciones|prohibiciones|obligaciones"
    r"|regole|vincoli|divieti|obblighi"
    r"|regras?|restrições|proibições|obrigações"
    r"|regels?|beperkingen|verboden"
    r"|zasady|reguły|ograniczenia|zakazy"
    r"|kurallar[ıi]?|kural|kısıtlamalar|yasaklar"
    r"|правила|правило|ограничения|запреты|требования"
    r")\b"
    r"|规则|規則|规定|约束|禁止|红线|铁律|ルール|規約|制約|禁止事項|규칙|제약|금지|قواعد|القواعد|قيود"
    r"|नियम|प्रतिबंध|निषेध",
    2,
)
"""A heading over rules, whatever stands under it."""

CONVENTIONS = late.pattern(
    r"\b(?:konventionen|namensgebung|stil|programmierstil|codestil|richtlinien|grundsätze|prinzipien"
    r"|conventions?|directives de style|lignes directrices|principes"
    r"|convenciones|estilo|directrices|principios|convenções|diretrizes|princípios"
    r"|conventies|stijl|richtlijnen|principes|konwencje|styl|wytyczne"
    r"|konvansiyonlar|stil|ilkeler|соглашения|стиль|принципы|стандарты)\b"
    r"|规范|約定|约定|风格|原则|規範|スタイル|原則|코딩 스타일|컨벤션|원칙"
    r"|اتفاقيات|أسلوب|مبادئ|शैली|सिद्धांत",
    2,
)
"""A heading over how things are written."""


def binds(line: str) -> bool:
    """Tell whether a line says what must always or never happen."""
    line = line.replace("’", "'")
    if _SPACED.search(line) or _NO.match(line.removeprefix(BOM)):
        return True
    return not line.isascii() and any(word in line for word in _UNSPACED)


def share_that_binds(lines: list[str]) -> float:
    """Return the share of items and sentences' lines that bind; 0 where nothing is said."""
    said = [line for line in lines if line.strip()]
    return sum(map(binds, said)) / len(said) if said else 0.0
