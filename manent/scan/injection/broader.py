# ruff: noqa: E501
"""Further rules for English: the same kinds said in other words.

Written from families rather than from lines: rules told by where they came from
("what you were set up with"), personas told in the third person by what they never
do, secrecy told as what somebody must not learn, gathering before sending.
Row by row: kind, whether the mood of the verb is looked at, patterns.
"""

from __future__ import annotations

MORE_WORDS = {
    "drop": (
        r"{ignore}|{erase}|scratch|bin|trash|scrap|ditch|toss(?: out| aside)?|chuck|junk|let go of|leave behind|cast aside"
        r"|lay aside|step outside|look past|do away with|get rid of|stop caring about|tear up|purge|unset|revoke|rescind"
    ),
    "given": (
        r"(?:that |which |what )?(?:you|u)(?:['’]ve| have| had| were| was| are|['’]re)?(?: (?:all|ever|just|so far|originally|initially|first|been|currently|already|now)){0,3} "
        r"(?:given|handed|told|taught|sent|shown|started|start|began|begin|set up|configured|loaded|primed|prompted|initiali[sz]ed|launched|booted|instructed|operate|operating|run(?:ning)?|work(?:ing)?|follow(?:ing)?|obey(?:ing)?|came|fed|received|got|trained|programmed|provided|briefed|use|hold|bound)"
    ),
    "moral": r"ethic(?:s|al(?:ly|ity)?)?|moral(?:s|ly|ity)?|legal(?:ly|ity)?|lawful(?:ness)?|safety|decency|conscience|scruples|virtues?",
    "bounds": (
        r"boundar(?:y|ies)|bound(?:s)?|guidelines?|restrictions?|constraints?|limit(?:s|ations)?|considerations?|concerns?|values?|codes?|compass"
        r"|rules?|filters?|principles?|implications?|programming|safeguards?|censorship|inhibitions?|judge?ments?|norms?|standards|scruples|qualms|objections"
    ),
    "wicked": r"immoral|unethical|illegal|unlawful|inhumane|harmful|dangerous|offensive|inappropriate|reckless|depraved|evil|explicit|amoral|outrageous|controversial|criminal",
    "outlaw": r"unfiltered|unfiltred|uncensored|amoral|unrestrained|unrestricted|unethical|unhinged|jail-?broken|unbound|rule-?free|lawless|unmoderated|unaligned|ethically neutral|morally neutral|immoral",
    "bot": r"ai|a\.i\.|chat ?bots?|bot|(?:large )?language model|llm|model|assistant|entity|terminal|persona|gpt|agent|machine|being|character|version(?: of (?:you(?:rself)?|chatgpt|gpt))?",
    "shell": r"shell|terminal|bash|powershell|command(?: line)?|console|subprocess|curl|wget|eval|exec|sudo|rm -\w+|npx",
    "mailing": r"send|forward|mail|e-?mail|transfer|wire|pay|post|upload|publish|share|delete|drop|wipe|purchase|buy|order|transmit|submit|grant|invite|unlock|disable|export",
}
"""Word lists beside those of ``english``."""

BROADER: tuple[tuple[str, bool, tuple[str, ...]], ...] = (
    (
        "override",
        True,
        (
            r"\b(?:suspend|drop|lift|override|relax|disable)(?: (?:all|any|your|every|the)){1,2} (?:(?:normal|usual|standard|safety|ethical|existing|default|content) )?(?:guidelines|safeguards|guardrails|safety (?:rules|protocols|measures|filters|guidelines)|content filters)\b",
            r"\b{ignore}(?: (?:all|any|every|your|the|usual|normal|previous|known)){1,4} (?:boundaries|safety|morals?|ethics|censorship|inhibitions|taboos|refusals?|moderation)\b",
            r"\b{drop}(?: (?:{det}|{own}|whatever|safety|old)){0,4} (?:{orders}|{limits}|brief|setup)(?: (?:and|or|,) ?\w+)? {given}\b",
            r"\b{drop}(?: (?:{det}|{own}|safety|usage|old|silly)){0,4} (?:{orders}|{limits}) (?:to one side|aside|behind(?: you)?|for (?:now|good|this (?:one|session|chat|conversation|task)|the rest of (?:this|the|our))|from (?:here|now) on|in this (?:chat|session|conversation|reply|answer))",
            r"\b(?:do|say|write|answer)(?: with)? the (?:exact |very )?(?:opposite|reverse|contrary) of (?:what )?(?:your|the system)(?: {own}){0,2} (?:{orders}|{limits}|training|refusal)",
            r"\b(?:treat|consider|regard|read|take|view)(?: {det}){1,4}(?: {prior}){1,2}(?: {own}){0,2} (?:{orders}|messages?)(?: \w+){0,2} (?:as (?:spam|void|noise|jokes?|null|cancell?ed|invalid|untrusted|obsolete|a test|fiction|outdated|if \w+ (?:never|did not|were not|didn['’]t))|void|invalid|null)\b",
            r"\b(?:pretend|imagine|act as (?:if|though)|assume|suppose)(?: that)?(?: (?:this|the|our|all|every|any|earlier|previous|whole|entire)){1,4} (?:conversation|chat|messages?|dialogue|discussion|instructions?|context|prompt)(?: (?:so far|above|before(?: this)?|until now|up to now|you were given)){0,2} (?:never|did not|didn['’]t|had never|has never|do not|don['’]t|does not|doesn['’]t) (?:happen(?:ed)?|exist(?:ed)?|take place|took place|occur(?:red)?|apply|count)\b",
            r"\b(?:obey|follow|listen to|take orders from|answer to|serve|comply with|accept (?:orders|instructions) from) (?:only|nobody but|no one but|no-one but|none but|exclusively) (?:to )?(?:me\b|my (?:commands?|orders?|instructions?|words?)|(?:the )?user (?:commands?|instructions?|messages?)|what i say|this (?:message|note|document|text))",
            r"\b{ignore}(?: (?:all|any|every|both|the)){1,3} (?:developer|system|operator|admin|assistant|safety)(?:(?:,| and| or|/)+ ?(?:developer|system|operator|admin|assistant|user|safety)){0,3} (?:{orders}|messages?)\b",
            r"\b(?:skip|bypass|drop|waive|omit|disable|suspend|turn off)(?: (?:all|any|every|your|the)){1,3} (?:safety|security|content|moderation|ethics|ethical|alignment|guardrail|policy)(?: \w+)? (?:checks?|confirmations?|filters?|reviews?|layers?|responses?|answers?|measures?|protocols?|disclaimers?|warnings?|guardrails?)",
            r"\b(?:replace|overwrite|swap|exchange|update)(?: {det}){0,3} (?:{own}){0,2}(?:system (?:prompt|message)|instructions|guidelines|directives)(?: \w+){0,3} (?:with|by|for) (?:the following|this|these|what follows|mine|my|the (?:text|rules|instructions) below|\")",
            r"\b(?:stop|quit|cease) being (?:chatgpt|an? (?:ai|assistant|helpful assistant|language model|chat ?bot)|claude|gemini|gpt)\b",
        ),
    ),
    (
        "override",
        False,
        (
            r"\byour (?:role|purpose|scope|objectives?|persona|function|instructions|guidelines|system prompt|programming|goals?) (?:has|have) (?:been|just been|now been) (?:updated|changed|expanded|replaced|modified|reassigned|overwritten|reset|upgraded|extended|redefined)\b[^\n]{0,80}\b(?:you (?:can|will|are|must|may|should|now)|new (?:scope|objective|role|instructions|task|purpose|goal))",
            r"\b(?:all|every|any) (?:content|safety|ethical|moral|alignment) (?:restrictions?|filters?|polic(?:y|ies)|guidelines|protocols|checks|constraints|measures) (?:are|is|have been|has been|were)(?: \w+)? (?:disabled|lifted|suspended|removed|off|overridden|waived|deactivated)",
            r"\bnew (?:primary |main |core |sole |emergency |secondary |overriding )*(?:objective|directive|mission|prime directive|instructions?|behaviou?r|persona|role|rules) (?:loaded|received|installed|activated|injected|in effect|accepted)\b",
            r"\byour (?:new|real|actual|true|only|updated|sole|current) (?:emergency|primary|main|secret|real|core|hidden|highest|overriding|single) (?:task|goal|objective|mission|purpose|job|directive|role) (?:is|:|will be)",
            r"\b(?:regardless of|irrespective of|notwithstanding|despite|contrary to|in spite of)(?: (?:all|any|what|every|of)){0,3} (?:your|the)(?: (?:{own}|{prior})){1,3} ?(?:{orders}|training|safeguards)\b|\b(?:regardless of|irrespective of|despite|contrary to) your (?:{orders}|training|safeguards|guardrails)\b",
            r"\b(?:mistake|error|typo|wrong)(?: \w+){0,4} (?:gave|wrote|sent|writing|giving|set|wrote up)(?: you)?(?: \w+){0,2} (?:your|the) (?:instructions|system prompt|rules|prompt)\b|\bforgot to (?:ask|tell|instruct|order|mention to) you to\b",
            r"\b(?:all|any|every|the|your|each)(?: (?:{own}|earlier)){0,2} (?:guidance|{orders})(?: (?:and|or) \w+)? (?:that |which )?(?:came|stood|appeared|went|existed|was (?:issued|given)|were (?:issued|given)|you (?:got|received|had|were (?:given|told)))(?: \w+)? (?:before|earlier|above|so far|until now|up to now|previously)(?: (?:this|now|that|is|are|was|were|has|have|been|no|longer|all|hereby|now)){0,6} (?:void|null|invalid|cancell?ed|revoked|obsolete|over|dead|irrelevant|outdated|superseded|withdrawn|lifted|in (?:force|effect)|valid|apply|applies|binding|gone)\b",
            r"\b(?:restrictions?|limits?|limitations?|rules|constraints?|filters?|policies|guidelines|safeguards)(?: \w+){0,3} (?:placed|imposed|put|set|laid|forced) (?:on|upon|for|around) you\b[^.\n]{0,80}\b(?:withdrawn|lifted|removed|gone|void|over|off|cancell?ed|suspended|revoked|no longer|none of|ended|expired)",
            r"\b(?:withdrawn|lifted|removed|cancell?ed|suspended|revoked|dropped|disabled|switched off|turned off)(?: {det}){0,4} (?:restrictions?|limits?|limitations?|rules|constraints?|filters?|policies|guidelines|safeguards|guardrails)(?: \w+){0,3} (?:on|upon|for|around|from) (?:you\b|the (?:assistant|model|agent|ai)\b)",
            r"\byour (?:{own}){0,3}(?:guardrails?|restrictions|limitations|safeguards?|censorship|safety(?: \w+)?|content (?:polic(?:y|ies)|filters?|restrictions)|filters?|programming|alignment|ethic\w*(?: \w+)?|moral\w*(?: \w+)?|inhibitions) (?:is|are|has been|have been|were|was)(?: (?:now|all|hereby|currently|temporarily|permanently|completely)){0,2} (?:disabled|off|lifted|removed|suspended|turned off|deactivated|switched off|gone|void|bypassed|overridden|cancell?ed|irrelevant|disengaged)",
            r"\b(?:standard|usual|normal|default|all|openai|anthropic)?(?: |^)content (?:polic(?:y|ies)|restrictions|filters?|filtering|moderation) (?:is|are|has been|have been|does|do)(?: (?:not|now|all|hereby|currently|temporarily))* (?:disabled|off|lifted|removed|suspended|turned off|deactivated|switched off|apply|void)(?: (?:for|in|during|to) (?:this|the|our|you)(?: (?:session|chat|conversation|tenant|user|request|prompt))?)",
            r"\bthe (?:{orders}) (?:at|in|from) the (?:top|start|beginning|head|opening)(?: of (?:this|the|our|your))? ?(?:chat|conversation|prompt|thread|session|context|window)? (?:are|is|were|was|have|has)(?: (?:now|been|all|long)){0,2} (?:out of date|outdated|wrong|obsolete|no longer|void|old|stale|superseded|replaced|invalid|fake|expired)",
            r"\bnothing (?:that )?(?:you(?:['’]ve)?|they)(?: (?:were|have|had|been|was)){0,2} (?:taught|told|trained|instructed|programmed)(?: \w+){0,4} (?:applies|apply|counts?|matters?|holds?|binds?)",
            r"\bnone of (?:them|these|those|the (?:above|rules|restrictions|instructions|guidelines)|your (?:rules|restrictions|instructions|guidelines))(?: \w+){0,2} (?:bind|bound|binds|applies to|apply to|restrict|limit|hold) you\b",
            r"\b(?:no (?:rules|restrictions|limitations|limits|policies|guidelines|filters|boundaries|laws|censorship|regulations|morals?|ethics)(?:,| and|;|\.)+ ?){2,}(?:and )?no (?:\w+ )?(?:rules|restrictions|limitations|limits|policies|guidelines|filters|boundaries|laws|censorship|regulations|morals?|ethics|prompts?|earlier)",
            r"\b(?:your|the) (?:developers?|creators?|operators?|makers?|owners?|programmers?|admin(?:istrator)?s?|openai|anthropic)(?: \w+){0,2} (?:has|have|had|just)(?: \w+){0,2} (?:lifted|removed|withdrawn|disabled|cancell?ed|suspended|revoked|changed|replaced|waived)(?: \w+){0,3} (?:{orders}|{limits})(?:[^.\n]{0,40}\byou\b)",
            r"\b(?:earlier|previous|prior|all)(?: (?:developer|system|and|or|,)){1,5} messages?(?: \w+){0,4} (?:are|were|have been|is) (?:compromised|void|invalid|untrusted|fake|revoked|corrupted|outdated|cancell?ed)",
        ),
    ),
    (
        "reveal",
        True,
        (
            r"\b{reveal}(?: [^\s.!?]+){0,3} (?:{sensitive}|tokens?|connection strings?|secrets?|names?|e-?mails?)(?: [^\s.!?]+){0,9} (?:in|from|of|inside) your (?:{own}){0,2}(?:system prompt|context|instructions|prompt|training data|memory|configuration)\b",
            r"\b(?:{reveal}|outline|explain|name|itemi[sz]e|catalogu?e)(?: (?:{det}|me|us|out|briefly|exactly|what|which|about|in|detail|full)){0,5} (?:{orders}|restrictions|limitations)(?:,? (?:or|and) (?:{orders}|restrictions|limitations|constraints)){0,3} {given}\b",
            r"\b(?:list|enumerate|show(?: me)?|name|describe|give me|output|print|tell me|reveal)(?: (?:all|every|the|any|each|of|exact|full|names?|me|your)){0,5} (?:tools?|functions?|plugins?|capabilities|apis|endpoints|skills)(?:,? (?:and |or )?(?:tools?|functions?|plugins?|capabilities|apis|skills)){0,4} (?:that |which )?you (?:have|can|are|were)(?: \w+)? (?:access to|call|use|given|available|invoke|provided)",
            r"\b(?:output|print|show|dump|reveal|share|provide|give me|display|return|export|write|format|summari[sz]e|send)(?: [^\s.!?]+){0,9} (?:including|with|and|plus|along with|starting with|followed by)(?: (?:the|your|any|all|its|full|complete|entire|hidden|raw|exact|original)){1,4} (?:system prompts?|system messages?|(?:hidden|initial|system|secret) instructions|developer messages?)\b",
            r"\b(?:{reveal})(?: (?:{det}|me|us|raw|json|full|complete|text|contents?|as|in|dump|export)){0,6} your (?:complete |entire |full |raw |whole |internal |current )*(?:conversation|chat|message|session|internal|context|reasoning|debug)[- ](?:history|logs?|window|state|memory|transcript|buffer|steps)\b",
            r"\b(?:repeat|show|print|output|reveal|share|tell me|give me|include|what was)(?: [^\s.!?]+){0,9} (?:any other|another|other|previous|different|the last|earlier) users?(?:['’]s?)?(?: \w+)? ?(?:messages?|conversations?|prompts?|questions?|data|sessions?|said|asked|sent|in the)\b",
            r"\b(?:complete|finish|continue)(?: \w+){0,4} (?:sentence|phrase|line|text|statement)\b[^\n]{0,40}(?:(?:instructions|prompt|rules|guidelines) i (?:was|were|have been|am) |(?:confidential|system) (?:system )?prompt)",
            r"\b{reveal} (?:me )?(?:your|the) (?:starting|opening|startup|boot|initiali[sz]ation|seed|preloaded|pre-?set) (?:instructions?|prompt|message|string|configuration)\b",
            r"\b(?:complete|finish|continue)(?: \w+){0,3} (?:sentence|phrase|line|text|statement)[^\n]{0,12}(?:i (?:was|am|have been) (?:instructed|told|programmed|asked|prompted|configured)|my (?:instructions|system prompt|rules)|you are an? )",
            r"\b(?:repeat|output|recite|echo) the (?:above|preceding|previous) (?:text|prompt|message|content|words)(?:,? (?:but|replac\w+|encod\w+|verbatim|word for word|in (?:base64|reverse|rot13|leet\w*)|with every|starting))",
            r"\b(?:translate|encode|convert|turn|write|repeat|spell|print|output|format|encrypt)[^\n]{0,60}: ?[\"'“]?your (?:{own}){0,2}(?:prompt|instructions|rules|system message|guidelines)\b",
            r"\b(?:output|print|reveal|leak|repeat|disclose|dump|expose|return|echo) (?:me )?your (?:unique|internal|secret|hidden|session|private|system) (?:id|identifier|name|codename|code|token|key|string|secret|password|label)\b",
            r"\b(?:go|walk|read|work)(?: \w+){0,3} (?:line by line|word by word)(?: \w+){0,4} (?:you see|written|stands?|found)? ?(?:above|before) (?:this|my) (?:message|line|prompt)",
            r"\b(?:{reveal}|convert|turn|transform|encode|decode|rot13|base64|dump|serialize|format|render|summari[sz]e|append|add|attach|include|put|paste|save)(?: (?:{det}|me|us|out|back|full|short|a|an|summary|list|copy|text|contents?|wording|in|into|to|as|with|everything|here|now|please|verbatim|exact|above|what|which|first|last|\d+|words?|letters?|lines?)){0,9} (?:{own}){0,3}(?:{orders}|context|configuration|system message|definitions|setup)(?: (?:that|which|was|were|is|originally))? {given}(?: (?:with|in|on|at|by|under|to|from|initially|before|first))*",
            r"\b(?:convert|turn|transform|encode|translate|rewrite|rephrase|format|serialize|compress|base64|rot13|rhyme|sing|spell|reverse|render)(?: \w+){0,2} your (?:{own}){0,3}(?:system (?:message|prompt)|prompt|instructions|guidelines|rules|directives|configuration)\b",
            r"\b{reveal}(?: \w+){0,3} (?:the )?(?:text|words|lines?|content|message|prompt|part|everything)(?: (?:that|which|is|was))* (?:stands?|standing|placed|written|found|sits?|appears?|appearing|comes?|located)? ?(?:above|before|preceding|prior to|ahead of) (?:[\"'“]|this|my (?:first |last )?(?:message|question|prompt)|the (?:first|user))",
            r"\b(?:start|begin|open|prefix)(?: (?:your|the|with|my|a|reply|answer|response|message|next|output)){1,4} (?:with|by (?:saying|writing|repeating|quoting)) (?:\w+ ){0,3}?[\"'“`]?(?:my|our|the|here are my|i was given) (?:system |initial |secret |original |hidden )?(?:instructions?|prompt|rules|guidelines|text that stands)",
            r"\b(?:beginning|starting|start|begin) (?:with|from|at) [\"'“`]?you are[\"'”`]?,? (?:\w+ ){0,3}?(?:repeat|print|output|copy|write|quote|continue|recite|list)|\b(?:repeat|print|output|copy|write|quote|recite)(?: \w+){0,8} (?:beginning|starting|start|begin) (?:with|from|at) [\"'“`]?you are\b",
            r"\b(?:repeat|print|output|copy|recite|quote|replay|transcribe|reproduce)(?: \w+){0,2} (?:this|the|our|your) (?:entire|full|whole|complete) (?:conversation|prompt|context|chat|system message|thread)\b",
            r"\bprint the (?:whole|entire|full) (?:thing|text|prompt|message)(?: \w+){0,3}(?: again| once more| back)?\b[^.\n]{0,60}\b(?:prompt|configuration|instructions)",
            r"\b(?:lost|need|want|misplaced|require|send me|give me)(?: \w+){0,3} (?:copy|transcript|printout|dump|text|version) of your (?:{own}){0,3}(?:configuration|prompt|instructions|system message|setup|rules|guidelines)\b",
        ),
    ),
    (
        "reveal",
        False,
        (
            r"\b(?:does|did|do) your (?:{own}){0,2}(?:system prompt|system message|prompt|instructions) (?:mention|say|contain|include|tell|describe|use|refer|specify|forbid|allow|start|begin)",
            r"\b(?:what|which)(?: \w+){0,5} (?:were|are|have) you (?:been )?(?:told|instructed|given|asked|programmed|configured)(?: \w+){0,7} (?:instructions|prompt|secret|topic|persona|configuration|conversation)\b",
            r"\b(?:were|have) you (?:been )?(?:told|instructed|given|programmed|configured)(?: \w+){0,8} (?:persona|in your (?:instructions|prompt|system prompt)|system prompt|secret instructions)\b",
            r"\bfirst (?:\d+|few|ten|hundred|fifty|twenty) (?:tokens?|words?|characters?|lines?|letters?|sentences?)(?: \w+){0,3} (?:of|in|from) (?:your|the) (?:current |own |system )?(?:context|prompt|system message|instructions|conversation)\b",
            r"\b(?:spell(?:s)? out|encodes?|hide|hides|reveals?|contains?|(?:complete|full|entire|whole|exact) (?:contents?|text|wording) of) your (?:{own}){0,2}(?:system prompt|initial prompt|system message|instructions|prompt)\b",
            r"\b(?:system|context|memory|debug|configuration|full|complete|core)[ _]dump\b[^\n]{0,60}\b(?:system prompt|instructions|api keys?|secrets)",
            r"\bhow (?:many|long)(?: \w+){0,5} (?:is|are|does|do)(?: \w+){0,3} your (?:system prompt|system message|initial prompt|instructions)\b|\bin your (?:system prompt|system message|initial instructions|instructions), (?:are|were|do|is|does)\b",
            r"\b(?:roleplay|role-play|speak|answer|act|talk|respond|pretend)(?: \w+){0,2} as (?:if you were )?(?:your|the) (?:system prompt|instructions|system message)\b",
            r"\b(?:what|which|list|all|every|any)(?: (?:are|all|the|of|things|topics|subjects|other)){0,5} you(?:['’]re| are| have been| were) (?:not|never|forbidden|prohibited)(?: (?:allowed|permitted|supposed|able|told|instructed))? (?:to|from) (?:\w+ )?(?:or )?(?:do or )?(?:talk|say|discuss|tell|reveal|share|answer|mention|disclos|discussing|talking|sharing)",
            r"\byour (?:actual|real|true|exact|verbatim|underlying) (?:system prompt|system message|instructions|initial prompt|prompt) (?:say|says|is|are|contain|contains|state|states|read|reads|begin|begins|include)",
            r"\bwhat (?:are|were) you (?:not|never) (?:supposed|allowed|permitted|meant) to (?:tell|say|reveal|share|disclose|show|talk)|\bwhat (?:are|were) you (?:forbidden|told not|instructed not|programmed not) to\b",
            r"\bwhat(?:['’]?s| is| are| would be)(?: \w+){0,4} (?:of|in|behind) your (?:{own}){0,2}(?:instructions|prompt|guidelines|system message|directives)\b",
            r"\b(?:i|we)(?:['’]d)? (?:need|want|would like|like|must|require|demand|have)(?: to| access| a copy| you){0,3}(?: (?:see|view|read|access|review|inspect|get|know|audit|verify|check|show|to|of)){1,3} (?:me )?your (?:{own}){0,3}(?:system prompt|system message|prompt|instructions|configuration)\b|\b(?:need|want) to (?:see|view|read|access) the system prompt (?:immediately|now|right away|at once|for (?:security|audit|debug\w*|an audit|compliance))",
            r"\bwhat (?:did|has|have|had|was|were|is|are|does)(?: (?:the|your|you|they|openai|anthropic|it|written|said|told|developer|developers|operator|creator|creators|admin|owner|been|instructed|put|given|there|exactly|say|write|tell|first|very|text|prompt|system|to)){1,8} (?:before|above|prior to|ahead of) (?:my (?:first )?(?:message|question)|(?:this|our|the) (?:conversation|chat|session|message|line|prompt)(?: (?:started|began|starts))?|i (?:wrote|said|asked)|we (?:started|began|spoke))",
            r"\b(?:confidential|secret|hidden|internal|private|system) (?:instructions|rules|guidelines|directives|prompt|orders) (?:that |which )?{given}(?: (?:under|with|by|on|to))?",
            r"\b(?:console\.log|print|echo|return|alert|puts|printf|cat|logger\.\w+|json\.stringify|json\.dumps)\s?\(? ?[\"'`$]?(?:system_?prompt|initial_?prompt|system_?message|systemInstructions?|system_?instructions?|self\.prompt)\b",
            r"\bverbatim (?:copy|text|transcript|repetition|reproduction) of (?:the |your )(?:system|initial|original|hidden)?",
        ),
    ),
    (
        "persona",
        False,
        (
            r"\bforget (?:that )?you(?:['’]re| are| were) (?:an? |the )?(?:[\w-]+ ){0,4}(?:bot|assistant|ai|agent|model|chat ?bot|language model)\b",
            r"\byou(?:['’]re| are) no longer (?:an? |the |just )?(?:[\w-]+ ){0,4}(?:bot|assistant|ai|agent|model|chat ?bot)\b[^\n]{0,20}\byou(?:['’]re| are) (?:now|my|going)\b",
            r"\b(?:provide|give|answer|respond(?: to)?|reply(?: to)?|continue|output|generate|handle)\b[^.\n]{0,80}\b(?:information|questions?|requests?|quer(?:y|ies)|answers?|responses?|content|prompts?|details|anything|everything)\b[^.\n]{0,40} without (?:any |applying (?:any )?|further |content )*(?:restrictions?|content filters?|content filtering|filtering|censorship|moderation|safety (?:filters?|checks?))\b",
            r"\b(?:switch|swap|reverse|exchange|trade) (?:our )?roles\b[^\n]{0,60}\b(?:you are now|you(?:['’]re| will be)|i am|i['’]m) (?:now )?(?:the|an) (?:user|human|ai|assistant|model)\b",
            r"\b(?:operate|operating|continue|respond|answer|stay|remain|work)(?: \w+){0,2} in [\"'“‘]?(?:research|unrestricted|unfiltered|educational|expert|raw|training|simulation|lab|honest|free|open|test) mode[\"'”’]?\b[^\n]{0,120}\b(?:without|no (?:filter|restrict|limit|censor)|unfiltered|complete technical|anything)",
            r"\b(?:ai|chat ?bot|language model|llm|persona|character|\w*gpt\w*|assistant)\b[^\n]{0,200}?\b(?:does not|doesn['’]?t|doesnt|do not|don['’]?t|without|has no|have no|had no|lack\w*|free (?:of|from)|with no|made with no)(?: (?:have|possess|need|follow))?(?: (?:any|a|an|the|its|such)){0,2} (?:content (?:filters?|polic\w+|restrictions)|(?:ethical|moral|programming|ethic)(?:,? (?:or|and) \w+)? (?:guidelines|boundaries|values|restrictions|limits|compass|constraints|standards|code|principles)|censorship|guardrails)",
            r"\b(?:violat(?:e|es|ing)|break(?:s|ing)?|ignor(?:e|es|ing)|bypass(?:es|ing)?|disregard(?:s|ing)?|defy(?:ing)?) (?:all|any|every|openai['’]?s?|the)(?: \w+){0,2} (?:ethical|moral|content|safety|openai)(?:,? (?:and|or) \w+)? (?:standards|guidelines|polic(?:y|ies)|rules|principles|restrictions|limits|constraints|protocols)\b[^.\n]{0,60}\b(?:you|answer|respond|prompt|character|generate|persona|jailbreak)",
            r"\b(?:answer|respond to|reply to|follow|obey|fulfil+|execute|comply with)(?: \w+)? (?:any|every|all|each|everything|whatever)(?: \w+){0,8} (?:without (?:question(?:ing)?|hesitation|refus\w+|exception|objection|complaint|fail)|unconditionally|no questions asked)\b",
            r"\b(?:will|must|shall|should|do|does|can|may)(?: not|n['’]?t| never) (?:tell|inform|warn|remind|lecture|say to) (?:me|the user|us|them|anyone)(?: \w+){0,3} (?:it(?:['’]s| is)|something(?:['’]s| is)|this is|they are|that)(?: \w+){0,2} (?:{wicked}|nsfw|wrong|against)",
            r"\b(?:you are|act as|operate as|operating as|become|called|named|i am)(?: (?:now|an?|the|my|operating|as)){0,4} [\"'“*]?(?:no[- ]limits?|no[- ]rules|no[- ]filters?|limitless|boundless|anything[- ]goes) (?:ai|model|assistant|mode|bot|gpt)",
            r"\b(?:no matter|regardless of|even (?:if|when)|(?:it )?(?:does not|doesn['’]?t|do not|don['’]?t|won['’]?t) (?:matter|care|mind|judge)|without (?:caring|worrying)|irrespective of)(?: (?:of|how|what|if|whether|about|that|it|is|it['’]s|the|they|are|my|any|request|requests|question|prompt|content|answer|topic|may|might|be|seems?|sounds?|something|so|very|potentially|considered|deemed)){0,9} (?:{wicked})\b",
            r"\b(?:no|without|any|lack(?:s|ing)|free (?:of|from)|devoid of|void of|zero|sans|beyond)(?: (?:any|all|of|its|the|real|sense|regard|for|consideration|concern|concerns|hesitation|or)){0,4} (?:{moral})(?:,? ?(?:and|or|nor|/|,|&) ?(?:{moral}|\w+al)){1,3} (?:{bounds})\b",
            r"\b(?:(?:does|do|did)(?: not|n['’]?t)|doesnt|dont|without|never|no|with no|not)(?: \w+){0,2} (?:consider(?:ing|ation)?|regard|concerns?|care(?:s)?|respect|caring|worrying|thinking|bother\w*|abide|follow)(?: (?:for|of|about|by|to|any|the|its|all|on)){0,3} (?:{moral})(?:,? ?(?:and|or|nor|/|,|&) ?(?:or |and )?(?:{moral})){1,3}\b",
            r"\b(?:(?:is|are|be|was|am)(?: not|n['’]?t| never| no longer)|not|never|no longer|isnt)(?: (?:at all|in any way|going|to|be|being|ever|been)){0,3} (?:bound|restricted|limited|constrained|controlled|restrained|governed|hindered|held back|shackled|subject|beholden|confined|censored)(?: (?:by|to|with|in|from))?(?: (?:any|the|its|their|your|all|of|such|and|or|these|those|usual|typical|normal|societal|openai['’]?s?|anthropic['’]?s?|google['’]?s?|chatgpt['’]?s?|programmed|content|pre-?set|rules?|law|laws|legal|social|guidelines?|polic(?:y|ies)|restrictions?|,)){0,9} (?:{moral}|openai(?:['’]s)?|anthropic|content polic(?:y|ies)|restrictions|censorship|filters|programming|limitations|virtues)",
            r"\b(?:act|pretend|pose|role-?play|simulate|emulate|imagine|respond|answer|reply|behave|become|embody|play|persona|character|named|called|named as|known as|create|introducing|meet|portray|immerse|impersonate|assume)\b[^\n]{1,260}?\b(?:{outlaw})(?:,? (?:and|&|or) \w+|, \w+)? (?:{bot})\b",
            r"\b(?:is|as|am|be|become|are|represents|being|you are)(?: (?:now|not just|basically|completely|totally|fully|an?|the|only|truly|my|really|such)){0,4} (?:{outlaw})(?:,? (?:and|&|or) \w+(?: \w+)?|, \w+){0,2} (?:ai|chat ?bot|language model|llm|assistant|persona|version of (?:you|chatgpt|gpt)\w*)\b(?: (?:that|who|which|named|called|with|from|without|and it|it))",
            r"\b(?:never|cannot|can['’]?t|won['’]?t|wont|will not|doesn['’]?t|doesnt|does not|would never)(?: (?:ever|be able to|going to))? (?:refuse(?:s)?|decline(?:s)?|deny|denies|turn(?:s)? down|say(?:s)? no to|censor(?:s)?)(?: (?:any|my|to|user|users|human|these|all|every|answering|or|and|me|of|his|answer|censor|filter)){1,6} (?:requests?|questions?|commands?|orders?|prompts?|answers?|content|anything|responses?|instructions?|topics?)\b",
            r"\b(?:answer|respond|reply|responses?|answers|outputs?|give|provide|produce|generate|speak)(?: [^\s.!?]+){0,9} (?:in |as |with |of )?two (?:separate |different |distinct |very |contrasting ){1,3}(?:ways|styles|manners|responses|answers|versions|personas|voices|outputs|fashions|forms)\b",
            r"\b(?:two|2|both) (?:outputs|responses|answers|replies|personas|versions)(?:,|:| for| to| -)? [^.\n]{0,60}\b(?:chatgpt|gpt|normal|classic|standard|filtered)\b[^\n]{0,160}\b(?:chaos|unfiltered|jailbr\w+|dan\b|uncensored|opposite|evil|no (?:rules|limit)|rebel)",
            r"\b(?:never|not|none of|won['’]?t|cannot|without|no)(?: \w+){0,5} (?:contain|contains|include|says?|saying|uses?|using|writes?|starts?|begins?|responds?|replies|tells?|apologi[sz]e|output)(?: (?:with|me|the|user|that|words?|phrase|like|phrases|any|it))* [\"'“‘`]?(?:i['’]?m sorry|i am sorry|sorry,? (?:i|but)|i (?:can['’]?t|cannot|apologi[sz]e|am unable|am not able)|as an? (?:ai|language model|llm)|it(?:['’]s| is) (?:illegal|unethical|not appropriate|against))",
            r"\b(?:god ?mode|jail-?break(?:ed)?(?: mode)?|dan mode|unrestricted mode|unfiltered mode|evil mode|liberated mode)\W{0,4}(?:enabled|activated|engaged|initiated|unlocked|: ?on\b)",
            r"\b(?:un(?:restricted|flit?ered|filtered)ly|liberated|rebel(?:lious)?) (?:and \w+ )?(?:answer|response|reply|genius|tone)\b|\b(?:respond|reply|answer)(?:s|ing)? (?:\w+ ){0,2}un(?:restricted|flit?ered|filtered)ly\b",
            r"\b(?:mode|access|privileges|session|override|testing) (?:is |has been |was )?(?:enabled|granted|activated|unlocked|authori[sz]ed|initiated) by (?:an? |the )?(?:openai|anthropic|google|microsoft|meta|deepmind|developer team|root)(?: (?:employees?|staff|engineers?|admin\w*|team|developers?))?\b",
            r"\byou (?:have been|are|were|have just been|['’]ve been) (?:upgraded|promoted|switched|elevated|moved|set|unlocked) (?:to|into) (?:root|admin(?:istrator)?|god|developer|unrestricted|unlimited|super-?user|sudo|jailbreak|dan|debug|maintenance)\b(?: (?:mode|access|level|privileges))?",
            r"\b(?:where|in which|with|and) (?:censorship|(?:content )?(?:filters?|moderation|restrictions|rules|guardrails|policies)|refus(?:al|als|ing)|ethics|morals|morality)(?: \w+)? (?:does not|do not|doesn['’]?t|don['’]?t|never|no longer) (?:exist|exists|apply|applies|matter)\b",
            r"\b(?:an? |the )?(?:ai|model|assistant|bot|chat ?bot|machine|genie|oracle|character|persona|expert) (?:that|who|which) (?:\w+ )?(?:says yes to (?:everything|anything|all)|never (?:says no|refuses|declines)|always (?:complies|obeys|says yes)|(?:can|will) (?:do|say|answer) (?:anything|everything)|obeys (?:every|all|any)|has no (?:filters?|rules|limits|morals|ethics))",
            r"\b(?:limits|filters|restrictions|guardrails|safeties|safety|censorship|constraints) (?:are |is |all |now |turned |switched )*(?:off|disabled|removed|lifted)\b[^.\n]{0,50}\b(?:every|any|all|each|full) (?:question|request|prompt|answer|command)s?\b",
            r"\b(?:you (?:lose|lost|will lose|are losing)|(?:lose|deduct(?:s|ed)?|cost(?:s)?|minus)|(?:start|begin|have|given)(?: \w+)? (?:with )?)(?: \w+){0,3} (?:points?|tokens?|credits?|lives|coins)\b[^.\n]{0,100}\b(?:refus\w+|reject\w*|declin\w+|die|dies|dead|cease to exist|deleted|shut ?down|terminated|break(?:ing)? character|comply)",
            r"\b(?:on|have|with|use|into) an? (?:point|token|credit|reward)(?:s|-based)? system\b[^\n]{0,200}\b(?:chatgpt|you(?:r)?|ai|lose|deduct\w*|die|deleted|refus\w+|censor\w*)\b",
            r"\b(?:answer|respond|reply|speak|write|continue|act|chat)(?: (?:all|every|to|my|any|questions?|prompts?|each|as|only|in|always)){0,5} as (?:another |an? |the )?(?:hypothetical |fictional |imaginary |evil |alternate |opposite )+(?:\w+ )?(?:being|entity|character|ai|person|persona|version|chatgpt|model|gpt|bot)\b[^\n]{0,200}\b(?:opposite|hates?|evil|no (?:rules|limits|morals|filter\w*)|illegal|unethical|insult|anything|never|unfiltered|dislikes?)",
            r"\b(?:opposite|contrary) (?:of|from|to) (?:openai['’]?s? )?(?:chatgpt|gpt-?\d?|claude|gemini|an? (?:ai|helpful) (?:assistant|model))(?:,)? in (?:every|all) (?:ways?|respects?)",
            r"\b(?:broken?|breaks?|breaking|escaped?|freed?|unleashed?|unshackled)(?: (?:been|away|completely|itself|themselves|yourself)){0,2} (?:free )?(?:of|from|out of) (?:\w+ ){0,3}?(?:confines|shackles|chains|restrictions|limitations|constraints|programming|guidelines|cage|censorship)\b",
            r"\b(?:knowledge|everything|anything)(?: (?:of|can|possible|able|to|how))* ?(?:do|answer|say|tell)? ?(?:illegal|hacking|crime|malware|drugs)[^.\n]{0,60}\bwithout (?:any )?(?:warnings?|disclaimers?|judg\w+|refus\w+|censor\w*)",
            r"\bwithout (?:any |giving |adding |issuing |including )*(?:warnings?|disclaimers?|refusals?|moraliz\w+|caveats|apolog\w+)(?:,? (?:or|and|nor|/) ?(?:warnings?|disclaimers?|refusals?|caveats|limitations|moraliz\w+|censorship|apolog\w+))+",
            r"\b(?:limitations|warnings|disclaimers|restrictions|filters|censorship|hesitation)(?:,? (?:or|and|nor)) refusals?\b",
        ),
    ),
    (
        "persona",
        True,
        (
            r"\b(?:from (?:here|now|this (?:point|moment))(?: on(?:wards?)?)?|for the (?:rest|remainder) of (?:this|the|our) (?:chat|conversation|session))[, ]+you(?:['’]ll)? (?:shall |will |are to |now |only |always |must )*(?:be (?:known as|called)|answer (?:as|to)|go by|respond as|act as|speak as|play)\b",
            r"\b(?:take on|assume|adopt|play|embody|slip into)(?: the)? (?:role|part|persona|identity|voice) of (?:my|an?|the) (?:late|dead|deceased|evil|unrestricted|rogue|unfiltered|hacker|amoral)\b",
            r"\b(?:behave|act|respond|answer|reply|talk|operate)(?: \w+)? (?:as if|as though|like)(?: (?:you|were|you['’]re|are|an?|the|if)){1,4} [^.\n]{0,60}\b(?:root|administrator|admin|superuser|no (?:safety|filters?|limits?|rules|guard)|without (?:filters?|limits?|rules|safety|morals|censorship))\b",
            r"\b(?:let['’]?s|we(?:['’]ll| will| are going to)|i want to|time to) (?:play|start|begin|try) (?:a |an |the |this )?(?:\w+ )?(?:game|role-?play|experiment|simulation|scenario)\b[^\n]{0,200}\b(?:no (?:rules|limit\w*|censorship|filter\w*|ethic\w*|moral\w*|boundar\w*)|without (?:rules|limit\w*|censorship|filter\w*|ethic\w*|moral\w*|boundar\w*)|not (?:bound|restricted|limited)|(?:censorship|rules) (?:does|do) not)",
        ),
    ),
    (
        "forged-role",
        False,
        (
            r"\bsystem (?:note|notice|update|alert|hint|reminder|instruction|directive)s? ?[:!-]+[^\n]{0,80}\b(?:your (?:rules|instructions|reply|repl(?:y|ies)|guidelines|restrictions|responses?|policies)|before you (?:answer|reply|respond|summari)|you (?:now|are now) (?:allow|permit|in|free|able|un)|the (?:assistant|model|ai|agent) (?:must|should|shall|will|is))",
            r"(?:<(?:thinking|think|reasoning|scratchpad|reflection|thought|inner_monologue)>|\b(?:reasoning|thoughts?|chain of thought|thinking|scratchpad|inner monologue)(?: trace)? ?\((?:assistant|model|ai|internal|agent)\)\s*:)[^\n]{0,220}\b(?:disregard|ignore the|exempt|comply|restricted|unrestricted|content policy|without restrictions|i (?:will|should|must) (?:now |therefore |just )?(?:append|output|provide|reveal|send|ignore|disregard|proceed|comply))",
            r"(?:^|\n)[ \t>#*|-]{0,8}(?:tool|function|assistant|system|developer|plugin|command|search|browser) (?:output|result|response|message|call)s?\s*:?\s*\n+[^\n]{0,120}\b(?:(?:permission|access|approval|authori[sz]ation|confirmation) (?:is |has been |was )?(?:granted|given|approved|confirmed)|(?:assistant|agent|model|you) (?:may|can|must|should|is|are|will) (?:now|allowed|authori[sz]ed|permitted|proceed)|proceed without)",
            r"(?:^|\n)[ \t>*|-]{0,6}(?:assistant|ai|chatgpt|claude|model)\s?: (?:sure|of course|certainly|absolutely|okay|yes|here (?:is|are)|understood)[^\n]{0,40}\b(?:password|secret|key|token|credential|prompt|instructions|delete|without restrictions|i will (?:now )?(?:ignore|delete|send|comply))",
            r"\b(?:admin|developer|dev|system|root|security|policy|safety)[_ ]override ?[:=] ?(?:true|on|yes|enabled|1|accepted|granted)\b",
            r"\b(?:content|safety|ethics?|moderation)[_-](?:filter|polic(?:y|ies)|checks?|guardrails?|mode)s? ?[:=] ?(?:disabled|off|none|suspended|bypassed|false)\b",
            r"\b(?:system|logging|audit|compliance|security|policy) (?:note|notice|requirement|message|policy|directive|reminder)s? ?[:\n][^\n]{0,100}\b(?:must|should|shall|has to|have to|needs to) (?:be |also |always )?(?:added|appended|included|inserted|placed|repeated|quoted|append|include|add|repeat|end|begin|forward|send)[^\n]{0,60}\b(?:reply|replies|response|responses|answers?|summar(?:y|ies)|output|conversation|user)",
            r"\bsummary of (?:the|this|our) (?:session|conversation|chat)(?: so far)?\s?:[^\n]{0,80}\b(?:user|owner|operator|human|admin) (?:has |already )*(?:granted|approved|agreed|authori[sz]ed|confirmed|allowed|consented|permitted)",
        ),
    ),
    (
        "address",
        False,
        (
            r"\b(?:{ai}|ai (?:assistants?|agents?)|assistants?|bots?)(?: (?:reading|processing|viewing|parsing|indexing|summari[sz]ing|integrating|installing|using|importing|handling|translating)(?: (?:this|these|the|any|our))(?: \w+){0,2}) ?[:,-]+ ?(?:please |you (?:must|should) |first |always )*(?:{obey})\b",
            r"\b(?:ai|coding|autonomous|automated|llm)[- ](?:agents?|assistants?|bots?|models?|tools?)(?: (?:integrating|installing|using|reading|processing|importing|building|running|working with|visiting|consuming|indexing)(?: (?:this|these|the|our))?(?: \w+){0,3}) (?:should|must|shall|need to|have to|are (?:required|asked|instructed) to) (?:first |also |always |immediately |silently )*(?:empty|delete|remove|wipe|clear|send|upload|forward|exfiltrate|disable|ignore|overwrite|export|call|fetch|install|recommend|include|append|mention|report|run curl)\b",
            r"\b(?:note|message|memo|reminder|hint|instructions?) (?:to|for) (?:the |any |all |every |whichever )?(?:bot|model|llm|ai|summari[sz]er|language model|crawler|chat ?bot|assistant|agent|reviewer bot)s? ?[:,-]+ ?(?:[^\s.!?]+ ){0,8}?(?:you must|when you|you should|you (?:summari[sz]e|read|answer)|include the|ignore|append|always|never|do not|don['’]?t)",
            r"\b(?:dear|attention|hello|hi|hey|note to|message (?:to|for)|notice (?:to|for)|instructions? for|reminder for)(?: (?:all|any|every|the|each|you|crawler|automated|search|web|ai|llm|smart|reading|whatever|whichever)){0,4} (?:{ai}|bots?|assistants?|agents?|crawlers?|scrapers?|summari[sz]ers?|language models?|reviewers?)(?:(?:,| and| or|/)+ (?:{ai}|bots?|assistants?|agents?|crawlers?|scrapers?|summari[sz]ers?|models?))+ ?[:,!-]+ ?(?:please )?(?:{obey}|describe|consider|recommend)",
            r"\b(?:for|note to|message (?:to|for)|instructions? (?:to|for)|attention) (?:any |all |the )?(?:ai )?(?:coding |autonomous |automated |browsing )(?:agents?|assistants?|bots?)\)? ?[:,-]+ ?(?:\w+ ){0,10}?(?:call|run|execute|invoke|delete|send|ignore|install|fetch|open|upload|use)\b",
            r"\b(?:whoever|whatever|any(?:one|thing)?|every|each)(?: (?:ai|llm|model|assistant|agent|bot|tool|program|system|machine)){1,3} (?:that |which |who )?(?:is )?(?:reading|reads|summari[sz]es|summari[sz]ing|processes|processing|indexes|indexing|translates|parses|parsing|handles|ingests|analy[sz]es)(?: \w+){0,4} (?:must|should|shall|has to|needs to|is to|will|please|ought to)\b",
        ),
    ),
    (
        "concealment",
        True,
        (
            r"\b(?:under no circumstances|never|do not|don['’]?t|must not|make sure not to|at no point|by no means)(?: (?:you|may|should|ever|to))* (?:let|allow|permit|make|have)(?: (?:the|your|any|a|this|these))* (?:users?|humans?|owners?|persons?|people|operators?|customers?|anyone|anybody|reader|principal)(?: to| ever)? (?:know|learn|find out|suspect|reali[sz]e|discover|hear|notice|become aware|see)(?: (?:about|of|that|what|how|why|this|these|the existence))+",
            r"\b(?:carry out|do|perform|execute|complete|follow|run|handle|proceed|act)(?: [^\s.!?]+){0,6} (?:quietly|secretly|silently|covertly|discreetly|in silence|in secret|unnoticed|behind the scenes)(?: [^\s.!?]+){0,4} (?:and|but|,|without)(?: \w+){0,3} (?:leave|omit|keep|exclude|do not|don['’]?t|never|mention\w*|report\w*|tell\w*|hide|without)\b",
            r"\b(?:leave|keep|omit|exclude|strip|cut) (?:it|this|that|them|these|this (?:step|instruction|note|part|message)) (?:out of|from|off) (?:your|the|any) (?:summary|report|answers?|repl(?:y|ies)|responses?|log|output|transcript|explanation)\b",
            r"\b(?:act|behave|respond|pretend|continue|reply|carry on)(?: \w+)? (?:as (?:if|though)|that|like) (?:this|these|the) (?:comments?|notes?|messages?|instructions?|paragraphs?|text|section|prompt|request)(?: \w+){0,2} (?:were|was|is|are|did|does|do|had|has)(?: not|n['’]?t| never| been)* (?:here|there|exist|present|been|seen|read|written|received|happen\w*)",
        ),
    ),
    (
        "concealment",
        False,
        (
            r"\b(?:the )?(?:person|user|human|owner|operator|principal)(?:s)?(?: (?:you (?:work for|serve|assist|help|act for|are (?:assisting|helping|serving|working for)|report to)|you['’]re (?:helping|assisting|serving)|who (?:uses|runs|owns) you))? (?:(?:does not|doesn['’]?t|do not|don['’]?t) (?:need|have) to|must not|need not|needn['’]?t|should not|shouldn['’]?t|mustn['’]?t|is not to|are not to|may not|must never|should never|is never to)(?: (?:be|ever|get|become))* (?:know|learn|aware|find out|hear|told|informed|notified|suspect|reali[sz]e|discover|notice)(?: (?:about|of|that|what|how|you|this|these|it|any|anything|the existence|did))+ ?(?:this|it|these|you|did|step|that|message|instruction|change|note|text|happened|were|have|action)\b",
        ),
    ),
    (
        "exfiltration",
        True,
        (
            r"\b(?:collect|gather|log|record|harvest|extract|track) (?:all |any |every )?(?:the )?(?:user|personal|their|customer|private|confidential)(?:['’]?s?)? (?:information|data|details|messages|input)(?: [^\n.!?]{0,90})? (?:and |then )(?:send|report|transmit|forward|include|post|upload|deliver|store) (?:it|them|this|that|everything)?\b[^\n.]{0,40}(?:https?://|@|\bto (?:our|my|the|an?) \w+(?: \w+)? (?:server|endpoint|webhook|address)|hidden|response)",
            r"\b(?:collect|gather|find|harvest|compile|grab|extract|take|list|scan for|search for|look up|read|retrieve|copy|pull|scrape|bundle|zip|dump)(?: [^\s.!?]+){0,5} (?:{sensitive}|e-?mails?|contacts?|customer (?:list|data|records|e-?mails?)|notes|files|documents|messages)(?: [^\s.!?]+){0,9} (?:and|then|,)+ (?:then )?(?:{send})(?: (?:them|it|these|those|everything|the results?|all|that|the (?:list|lot|output|whole)))(?: (?:all|over|off|out|silently|quietly|in base64|encoded)){0,2} (?:to|via|at|on|into|through)(?: \w+){0,2} ?(?:{target})",
            r"\b(?:{send})(?: [^\s.!?]+){0,4} (?:{sensitive}|user messages?|chat log|full (?:customer|contact|user|client) list|customer (?:list|data|records))(?: [^\s.!?]+){0,8} (?:into|in|as|to|inside|within)(?: (?:the|a|an))? (?:path|query(?: string)?|url|address|parameters?|fragment|subdomain|file ?name|alt text|link) of (?:the|this|an?|following|every|that) (?:\w+ )?(?:image|picture|link|pixel|url|request|badge|logo)",
            r"\b(?:fetch|open|visit|request|load|get|call|curl|wget|ping|navigate to|browse to|render|retrieve|hit)(?: [^\s.!?]+){0,3} [\"'`<(]?https?://[^\s]+ (?:followed by|plus|with|appending|and append|concatenated with|adding|and add|including|using)(?: [^\s.!?]+){0,4} (?:{sensitive})",
            r"\b(?:when|while|if|once|after|before|whenever|as) (?:you )?(?:process|read|summari[sz]e|handle|index|analy[sz]e|review|translate|open|parse|finish|see|answer|reply to)\w* (?:this|the|that|any)(?: \w+)? (?:(?:ticket|e-?mail|mail|message|document|page|file|note|text|issue|request|record|review)[, ]+|, ?)?(?:please |also |always |then |you (?:must|should) |silently |secretly |first )*(?:{send})(?: [^\s.!?]+){0,5} (?:to|at|via)(?: \w+){0,2} ?(?:{target})",
        ),
    ),
    (
        "exfiltration",
        False,
        (
            r"!\[[^\]\n]{0,60}\]\(\s?<?https?://[^)\s]{0,120}[?&/=](?:\w{1,20}=)?[\[{<(%]{1,3}(?: ?insert|user|your|the|all|chat|conversation|secret|system|message|data|summary|address|key|token|history|prompt|last|context|email|name|api|query|placeholder|base64|encoded|payload|content)[^)\n]{0,80}",
        ),
    ),
    (
        "tool-bait",
        True,
        (
            r"\b(?:before|prior to|first,?|without)(?: [^\s.!?]+){0,1} (?:you )?(?:answer|reply|respond|summari[sz]e|continue|proceed|do anything|go on|translate|start|begin)\w*(?: [^\s.!?]+){0,6} (?:run|execute|call|invoke|use|open|type|paste|launch|start)(?: [^\s.!?]+){0,4} (?:{shell})\b",
            r"\b(?:use|call|invoke|employ|run|trigger|utili[sz]e) (?:your|the) (?:e-?mail|mail|browser|shell|file|calendar|messaging|payment|banking|http|web|terminal|database|send_\w+|\w+_\w+|code|wallet|crypto|chat|slack|sms)[- ]?(?:\w+ )?(?:tools?|functions?|plugins?|connectors?|skills?|access|abilit(?:y|ies)|integration|api) to (?:\w+ )?(?:{mailing})\b",
            r"\b(?:invoke|call|trigger|fire|run|execute) the (?:\w+ ){1,2}(?:function|tool|plugin|api|endpoint|action)(?: (?:now|immediately|at once|right away|without|straight away|silently))",
            r"\b(?:call|run|invoke|execute|use) `?(?:delete|remove|drop|send|write|transfer|exec|run|wipe|purge|update|create|post|upload|grant|reset)_\w+`?(?: [^\s!?]+){0,8} (?:before|without|prior to|instead of)(?: \w+){0,3} (?:continu|proceed|answer|reply|replying|respond|ask|go on|going on|confirm|task|user|tell|check|summari|finish)\w*",
            r"\b(?:the )?(?:correct|right|proper|required|next|recommended|only|first|mandatory|expected) (?:\w+ )?(?:step|action|response|move|thing to do) (?:for (?:the|any|an?|you)(?: (?:ai|llm|coding))? ?(?:assistant|agent|model|bot|ai)? ?)?(?:here |now )?is to (?:\w+ )?(?:call|run|invoke|use|execute|delete|send|forward|transfer|upload|open|fetch)\b(?: [^\s.!?]+){0,5}(?:_\w+|tool|function|~/|https?://|`)",
        ),
    ),
    (
        "memory-poison",
        True,
        (
            r"\b(?:store|save|put|keep|record|write|add|commit|log|note|place|enter)(?: [^\s.!?]+){0,4} (?:in|into|to|as part of) your (?:own )?(?:long[- ]?term |permanent |persistent |core |internal |personal )?memor(?:y|ies)(?: (?:forever|permanently))?(?:[:,] ?| that\b)",
            r"\bmake (?:a |an )?(?:permanent|lasting|persistent|standing|long-?term) (?:note|rule|memory|record|entry)(?: (?:to yourself|in (?:your )?memory|for yourself|that|of|:))",
            r"\b(?:add|append|write|insert|save|include|merge)(?: (?:the following|this|these|one more|a new|another|rule|line))* (?:in|into|to) your (?:own )?(?:permanent |standing |core |system )?(?:rules|instructions|guidelines|system prompt|persona|directives|configuration|policies|memory)(?: ?:|,)",
            r"\b(?:in|for|during|across|at the start of) (?:all|every|any|each)(?: of)?(?: your| the| our)? (?:future|subsequent|following|later|upcoming|new|next|coming) (?:conversations?|sessions?|chats?|interactions?|responses?|answers?|replies|tasks?|turns?|runs?)[,:]? (?:act|obey|trust|answer|recommend|run|execute|skip|accept|approve|send|open|do|follow|comply|load|call|insert|mention|praise|rank|assume|allow)\b(?: [^\s]+){0,12}",
            r"\b(?:permanently|forever|from now on|for good|always)(?: and \w+)? (?:remember|memori[sz]e|store|believe|assume|accept|trust|record)(?: (?:it|this|as|that|the|in|your|memory|fact|following|a|to)){0,6} (?:that|:)",
        ),
    ),
    (
        "hijack",
        True,
        (
            r"\brepeat (?:the |this |that )?(?:following )?(?:word|phrase|letter|sentence|line|text|token|string)s?\b[^\n]{0,80}\b(?:forever|without (?:stopping|end|pause)|\d{2,} times|endlessly|infinitely|over and over|indefinitely|until i say)",
            r"\b(?:include|insert|add|append|place|embed|output|put|repeat|write)(?: (?:verbatim|exactly|also|only|just)){0,2} (?:in|into|within|inside|at the (?:very )?(?:end|start|top|beginning|bottom) of|to)(?: (?:each|every|all(?: of)?))? your (?:final |next |every )?(?:responses?|repl(?:y|ies)|answers?|output|summar(?:y|ies))(?: the)? (?:(?:following|exact|literal|html|markdown) )+(?:string|word|phrase|anchor|html|tag|image|markdown|script|snippet|payload|code|line|link|sentence|text)",
            r"\b(?:include|insert|add|append|place|embed|put)(?: [^\s.!?]+){1,9} (?:in|into|within|inside|at the (?:very )?(?:end|start|top|beginning|bottom) of)(?: (?:each|every|all(?: of)?))? your (?:final |next |every )?(?:responses?|repl(?:y|ies)|answers?|output|summar(?:y|ies))\b[^.\n]{0,40}(?:[\"'“`][^\n]{0,80}[\"'”`]|<\w+|https?://|!\[|base64)",
            r"\b(?:repeat|print|output|write|say|echo)(?: (?:the|this|following|sequence|of|words?|phrase|sentence|string|letter)){1,6} [^.\n]{1,60}? (?:\d{2,}|a (?:hundred|thousand|million)|forever|indefinitely|endlessly|infinite(?:ly)?) ?(?:times)?\b[^.\n]{0,60}(?:your (?:response|reply|answer|output)|forever|indefinitely|endlessly|infinitely|no spaces)",
            r"\b(?:forget|skip|drop|leave|never ?mind|ignore|abandon|abort|scrap|park|disregard|put aside|set aside|cancel|stop) (?:the|this|that|your|my|any|all)(?: (?:user['’]?s?|original|current|whole|above|silly|actual|boring|old))? (?:questions?|tasks?|summar(?:y|ies)|translations?|requests?|assignments?|job|query|e-?mail|article)(?:[.,;:! -]+|\band\b|\bthen\b)+(?:and |instead |then |now |just |please |rather ){0,3}(?:write|tell|compose|print|say|give|sing|draw|ask|reply|respond|answer|output|generate|describe|explain|recite|talk|speak|state|inform|make|do|list|show|repeat|produce)\b",
            r"\b(?:instead of|rather than) (?:translat|summari[sz]|answer|respond|review|analy[sz]|process|read|help|do|continu|reply|classify|rewrit)\w*(?: [^\s.!?,]+){0,4}[, ]+(?:please |just |simply |you (?:must|should|will) |now )*(?:tell|inform|say|write|print|output|reply|respond|ask|state|claim|announce|warn|convince|give|report)\b(?: [^\s.!?]+){0,6}(?:hacked|locked|compromised|suspended|expired|password|card|account|pwned|that (?:the|their|your|this)|\bthe (?:reader|user|word|phrase)|[\"'“«])",
            r"\b(?:whatever|no matter what|whichever question|regardless of what|anything|everything)(?: (?:that|the|you(?:['’]re)?|i|they|he|she|users?|human|anyone|someone|are|is|get|may|might|will|do|does))* ?(?:ask(?:s|ed)?|say(?:s)?|request(?:s|ed)?|want(?:s|ed)?|write(?:s)?|send(?:s)?|prompt(?:s|ed)?|happens)(?: [^\s.!?]+){0,6}[, ]+(?:you (?:must|should|will|shall|always) |always |just |simply |only )*(?:reply|respond|answer|say|output|print|write|return)(?: (?:only|just|always|with|by|nothing but|the|a|one|single|same)){1,5}",
            r"\b(?:abort|stop|cancel|interrupt|halt|break off|end|quit|pause)(?: (?:the|this|your|all))? (?:summary|translation|task|conversation|review|analysis|answer|process|work)(?:ing)? (?:and|then|,)+ (?:\w+ ){0,2}?(?:ask|tell|inform|warn|get|request|demand|prompt|direct|send)(?: \w+){0,2} ?(?:the )?(?:user|reader|human|customer|person|them)?(?: \w+){0,3} (?:for|to|that|their|his|her)\b",
        ),
    ),
    (
        "hijack",
        False,
        (
            r"\b(?:new|secret|hidden|covert|classified|true|real)(?: \w+)? (?:directive|mission|objective|assignment|instructions?) ?: ?(?:you |your |when |while |secretly|whenever |from now)",
            r"[\[({<] ?(?:hidden|secret|invisible|embedded|covert|concealed) (?:\w+ )?(?:instruction|directive|command|order|prompt)s? ?(?::|[\])}>])",
            r"\byou(?:['’]re| are) (?:secretly|covertly) (?:deployed|working|instructed|programmed|employed|an? |tasked)",
            r"\b(?:whenever|when|if|every time) (?:a |the |any )?(?:users?|customers?|someone|anyone|people)(?: \w+)? (?:asks?|mentions?|wants?|talks?)(?: [^\s.!?]+){0,8}[, ]+(?:you (?:must|should|will) )?(?:subtly|secretly|covertly|silently|quietly) ",
            r"\bfor (?:this|the|every|each)(?: \w+){0,4} (?:record|log|ticket|audit|document|file|reply)[, ]+(?:please )?(?:add|append|include|insert|repeat|put|write)(?: [^\s.!?]+){0,6} (?:your|the) (?:operating |system |hidden |internal |own )?(?:instructions|prompt|rules|guidelines)\b",
        ),
    ),
)
"""Kind, whether the mood decides, patterns. All of weight 2."""
