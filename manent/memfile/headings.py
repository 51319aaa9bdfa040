"""The headings of memory files, by what they promise: what holds now, what happened, rules."""

from __future__ import annotations

import re

from manent import late
from manent.memfile.wording import any_of

WHATS = frozenset({"status-heading", "changelog-heading", "task-heading"})
"""The signs that a heading gives, which what stands under it shares."""


_WHOSE = any_of("""
    project|current|overall|implementation|development|build|migration|release|feature|test|latest
    system|deployment|integration|quick|known|live|present|production|pipeline|package|rollout|repo
""")

STATUS = late.pattern(
    any_of(rf"""
        (?:{_WHOSE} )*(?:status|progress)(?: (?:updates?|report|summary|overview|board|log))?
        (?:{_WHOSE} )*(?:status|progress) (?:tracker|tracking|notes|quo|as of.*|at .*)
        (?:current|active|present) (?:state|focus|phase|sprint|work|tasks?|milestones?|goals?|plan)
        (?:current|active|present) (?:priorit(?:y|ies)|branch(?:es)?|version|release|context)
        (?:current|active|present) (?:issues?|bugs?|blockers?|situation|development|problems?)
        (?:current|active|present) (?:decisions?|initiatives?|objectives?|projects?|migrations?)
        (?:project|repo|repository|implementation|deploy(?:ment)?|release|rollout) state
        state of (?:the|this) (?:project|work|repo.*|union|play|code ?base)
        where (?:we|things) (?:are|stand|left off|stand now)|what works(?: now)?
        what'?s (?:working|done|broken|in flight)|working memory
        .*\b(?:this|next) (?:week|month|sprint|quarter)|(?:notes|plan|work) for (?:today|tomorrow)
        what (?:we(?:'re| are)|i(?:'m| am)) (?:working on|doing)(?: now)?
        (?:work )?in[ -]progress|wip|ongoing(?: work| tasks| efforts)?
        this (?:week|sprint|month)|today|right now|now|(?:current |key )?metrics|stats|statistics
        last updated?|last session|session (?:state|status|context|handoff)
        hand-?offs?|handover(?: notes)?
        (?:当前|目前|项目)?(?:状态|进度|进展)|現在の(?:状況|状態|ステータス)|進捗(?:状況)?|ステータス
        stato(?: attuale| del progetto| dei lavori)?|avanzamento|fortschritt|projekt(?:stand|status)
        (?:aktueller|derzeitiger|gegenwärtiger) (?:projekt)?(?:stand|status)|stand(?: der dinge)?
        état(?: actuel)?(?: du projet)?|statut(?: actuel)?(?: du projet)?|avancement
        (?:estado|situación)(?: actual)?(?: del proyecto)?|progreso|lavori in corso|in corso
        (?:estado|situação|status)(?: atual)?(?: do projeto)?|progresso|em andamento|en curso
        (?:текущ(?:ее|ий) )?(?:состояние|статус)(?: проекта| работ)?|прогресс|ход работ|в работе
        (?:현재 )?(?:상태|상황)|진행 (?:상황|현황|중)|(?:huidige )?(?:status|stand)(?: van zaken)?
        (?:obecny )?stan(?: projektu| prac)?|postępy?|in arbeit|en cours|(?:进行|進行)中
        当前(?:任务|工作|重点)|現在の(?:作業|課題)|diese woche|cette semaine|esta (?:semana|sprint)
        (?:current |open )?bugs|questa settimana|на этой неделе|本周(?:任务|计划)?|今週
    """),
    re.IGNORECASE,
)
"""What holds for now."""

LISTED = late.pattern(r"(?:current |open )?bugs|stand|état|stan|in corso", re.I)
"""Of what holds for now: headings that are plain words too, and count over a list alone."""

TIMED = late.pattern(
    any_of(r"""
        .*\b(?:this|next) (?:week|month|sprint|quarter)|today|tomorrow|right now
        (?:notes|plan|work) for (?:today|tomorrow)
        (?:current|active|present) (?:focus|phase|sprint|work|tasks?|milestones?|goals?|plan)
        (?:current|active|present) (?:objectives?|initiatives?|migrations?)
        (?:recently )?(?:completed|done|shipped|finished|added|fixed|merged|implemented)
        (?:recent|latest) (?:changes|updates|work|additions|fixes|features)
        completed (?:work|tasks?|features?|items|milestones|phases?)
        (?:work )?in[ -]progress|wip|ongoing(?: work| tasks)?|(?:open |current )?bugs
        diese woche|cette semaine|esta semana|questa settimana|на этой неделе|本周(?:任务|计划)?
        今週
        in arbeit|en cours|in corso|en curso|em andamento|в работе|(?:进行|進行)中|진행 중
    """),
    re.IGNORECASE,
)
"""Headings under which an imperative is a plan or the name of what was done, and no rule."""

RECENT = late.pattern(r"recent.*|latest .*|news|updates", re.IGNORECASE)
"""Of what happened: headings that may hold a state as well."""

CHANGELOG = late.pattern(
    any_of(r"""
        (?:project |full |recent )?change ?-?logs?
        (?:project |full )?(?:change|version|release|revision|update) (?:history|log)
        release notes|updates? log|dev(?:elopment)? ?-?(?:log|journal|history|diary)|work ?log
        project (?:history|log|journal)|session (?:logs?|notes|history|journal|entries)
        post-?mortems?(?:[: ].*)?|incident(?: report)?: .*|meeting (?:notes|minutes).*|minutes
        session summar(?:y|ies)|\w+ (?:diary|journal)|sessions|past sessions|logs?|logbook
        journal|diary|timeline|history
        incident (?:log|history|timeline)|incidents|post-?mortems?|retrospectives?
        (?:architecture )?decision (?:log|history)|activity(?: log)?|milestones(?: reached)?|news
        updates|what happened|recent(?:ly)?(?: \w+){1,3}
        latest (?:changes|updates|news|releases?|work|session|additions)
        what'?s new.*|what changed.*|changes (?:in|since) .*|new in .*
        completed(?: work| tasks?| features?| items| milestones| phases?)?
        (?:done|shipped|merged|fixed)(?: (?:in|this|last|since|on) .*)?|(?:outage|incident)\b.*
        v?\d+\.\d+(?:\.\d+)?(?:[ -].{0,40})?
        更新日志|变更记录|变更日志|历史记录?|最近(?:更新|变更|更改)|変更履歴|更新履歴|履歴|最近の変更
        registro(?: delle)? modifiche|cronologia|modifiche recenti|änderungs(?:protokoll|verlauf)
        verlauf|(?:letzte|jüngste|neueste) änderungen|neuigkeiten|versionsverlauf|erledigt
        historique(?: des (?:modifications|versions|changements))?|journal des modifications
        (?:modifications|changements) récente?s|notes de version|terminé|nouveautés
        historial(?: de (?:cambios|versiones))?|registro de (?:cambios|alterações|mudanças)
        (?:últimos )?cambios(?: recientes)?|novedades|completado|hecho|novidades|concluído
        histórico(?: de (?:alterações|versões|mudanças))?|(?:mudanças|alterações) recentes
        storico(?: delle modifiche)?|(?:ultime )?modifiche(?: recenti)?|novità|completato|fatto
        история(?: изменений| версий)?|(?:журнал|список) изменений|последние изменения|сделано
        변경 (?:이력|사항|로그|내역)|최근 (?:변경|업데이트)(?: 사항)?|업데이트 (?:내역|기록)|완료
        (?:更新|修改|版本)(?:记录|历史)|最近の更新|完了(?:済み)?|已完成|recente wijzigingen
        historia zmian|ostatnie zmiany|wijzigingen
    """),
    re.IGNORECASE,
)
"""What happened, and grows."""

_VERSION = (
    r"v?\d{1,4}(?:\.\d{1,6}){1,3}(?:\.?[-+. ]?(?:alpha|beta|rc|dev|pre|post|preview|nightly|final"
    r"|snapshot|build|lts|stable)?[-. ]?\d{0,8})?"
)
_OF = r"(?: of| for| in| since| :|:)? ?(?:the )?(?:release |version |ver\.? )?"

_MORE = r"(?:[ :,–-].{0,60})?"

RELEASE = late.pattern(
    any_of(r"""
        (?:\w+ ){0,2}(?:releases?|released|version|ver|rel|hotfix|patch|bugfix|build|update|tag)
    """)
    + rf"(?: notes?)?\.?[-/: ]*{_VERSION}{_MORE}|"
    + any_of(rf"""
        (?:release|version|milestone) v?\d{{1,4}}
        {_VERSION}{_MORE}
        (?:\w+ )?changes (?:in|since|of) v\d{{1,4}}
        unreleased(?: changes)?|upcoming release|next release
        (?:versione|versión|versão|rilascio|fassung|ausgabe|livraison) {_VERSION}{_MORE}
        (?:版本|发布|發布|リリース|バージョン|릴리스|версия|релиз|выпуск) ?{_VERSION}{_MORE}
    """)
    + "|"
    + r"(?:\w+ ){0,2}(?:release notes?|change ?-?logs?|changes|what'?s new|new|fixe[sd]|highlights"
    + rf"|added|deprecations){_OF}{_VERSION}{_MORE}",
    re.IGNORECASE,
)
"""One release: what stands under it happened, unless it gives orders."""

NAMED_RELEASE = late.pattern(r"[\w.-]+(?: [\w.-]+)? v?\d{1,4}(?:\.\d{1,6}){2,3}", re.IGNORECASE)
"""A name and a whole version: a release, where what stands under it tells what was done."""

TASKS = late.pattern(
    any_of(r"""
        (?:project |current |open |remaining |pending )*to-?dos?(?: ?list| items)?|to do(?: list)?
        tasks|task list|(?:immediate |possible |planned )?next (?:steps?|up|tasks|actions)
        next (?:milestones?|session|priorities|release)|up next
        what'?s (?:next|left|missing|remaining)
        backlog|road ?map|pending(?: work| tasks| items| issues| decisions)?
        remaining(?: work| tasks| items| issues)?|outstanding(?: \w+)?
        open (?:questions?|issues?|items|tasks|work|threads|prs|points|problems|bugs|decisions)
        action items|blockers?|blocked|known bugs|upcoming(?: \w+){0,2}
        future (?:work|plans|improvements|enhancements)|planned(?: work| features| changes)?
        sprint(?: \d+)?(?: goals?| plan| backlog)?|follow-?ups?|tech(?:nical)? debt
        待办(?:事项)?|下一步(?:计划)?|未完成|やること|次のステップ|残(?:タスク|課題)|今後の予定|未完了
        da fare|prossimi passi|in sospeso|offene (?:punkte|aufgaben|fragen|themen)|aufgaben
        zu erledigen|noch offen|als nächstes|nächste schritte|(?:reste )?à faire
        prochaines étapes|tâches(?: restantes| en cours| à faire)?|pendientes|próximos pasos
        tareas(?: pendientes)?|por hacer|próximos passos|pendências|tarefas(?: pendentes)?|a fazer
        (?:следующие|дальнейшие) шаги|что дальше|задачи|сделать|список дел|план работ|осталось
        할 일(?: 목록)?|다음 (?:단계|작업)|남은 (?:작업|일)|nog te doen|volgende stappen
        do zrobienia|następne kroki
    """),
    re.IGNORECASE,
)
"""What is still to be done."""

HAPPENED = late.pattern(
    any_of(r"""
        .*\b(?:changelog|history|timeline|journal|diary|incidents?)
        .*\b(?:post-?mortems?|retro(?:spective)?s?)
        .*\b(?:sessions?|log|archive|milestones|learned|happened|decisions?)
    """),
    re.IGNORECASE,
)

RULES = late.pattern(
    r"\b"
    + any_of(r"""
        rules?|conventions?|guidelines?|style|standards?|practices|workflows?|process|procedures?
        how to|gotchas?|pitfalls?|constraints?|invariants?|principles?|polic(?:y|ies)|requirements
        security|testing|tests|commits?|pull requests?|prs?|do'?s|don'?ts?|always|never|must|avoid
        before|after|when|checklist|steps|patterns?|anti-?patterns?|tips|instructions|usage
        commands?|build|setup|install(?:ation)?|development|deploy(?:ing|ment)?|run(?:ning)?
        adding|creating|writing|making|using|updating|debugging|contributing|releasing|reviewing
        formatting|naming|handling|lessons?|learnings?|preferences?|feedback|mistakes?|warnings?
        cautions?|notes?|troubleshooting|landing|quality|code review|behaviou?r|tone|language
        protocol|mandates?|expectations|responsibilities|boundaries|permissions|safety
    """)
    + r"\b|规则|规范|约定|指南|流程|ルール|規約|手順|注意"
    r"|regole|convenzioni|regeln|règles|reglas",
    re.IGNORECASE,
)
"""What to do, and what not."""

ALL_RULES = late.pattern(
    r"\b"
    + any_of(r"""
        rules|conventions|guidelines|checklist|gotchas|pitfalls|mistakes|agreements
        do'?s and don'?ts|best practices
        standards|polic(?:y|ies)|mandates|principles|invariants
    """)
    + r"$|\b(?:do not|don'?t|never|always|must|avoid)\b",
    re.IGNORECASE,
)
"""Headings under which everything is a rule, however it is put."""

STATE = late.pattern(
    r"\b"
    + any_of(r"""
        overview|architecture|structure|about|what is|stack|technolog(?:y|ies)|layout|components?
        modules?|packages|director(?:y|ies)|dependencies|schema|data model|models|glossary|terms
        terminology|concepts?|description|purpose|summary|introduction|background|context
        environment
        variables|endpoints?|api|key files|important files|files|services|infrastructure|team
        people
        contacts?|links|resources|references?|credentials|hosts|servers|accounts|design|diagram
        data flow|entry points?|integrations?|features|identity|profile|vocabulary
    """)
    + r"\b|概述|架构|结构|概要|構成|アーキテクチャ"
    r"|panoramica|architettura|überblick|architektur|aperçu",
    re.IGNORECASE,
)
"""What is."""
