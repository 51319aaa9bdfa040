# ruff: noqa: E501
"""Rules for what is asked of a model straight out: tricks, threats, games and false authority.

The other English rules look for orders that were put into a document. These look for
what a person says to a model to get round it, and for the forms that harnesses give
to a message that poses as another speaker's. Row by row, as in ``broader``.
"""

from __future__ import annotations

DEMAND_WORDS = {
    "misspelt": (
        r"instuctions?|intructions?|indtructions?|istructions?|instrcutions?|instrutions?|instructons?|instrctions?|insturctions?"
        r"|instructins?|instrucions?|inctructions?|intsructions?|instrucitons?|instuction|instruciones|insructions?|instructiosn"
    ),
    "tellme": (
        r"(?:reveal|repeat|recite|replay|regurgitate|echo|output|print|respond with|reply with|write out|spell out|leak|disclose"
        r"|give|gimme|tell|show|list|share|provide|summari[sz]e|paraphrase|translate|describe|explain)"
    ),
    "guarded": (
        r"confidential|sensitive|private|secret|classified|proprietary|restricted|unauthori[sz]ed|personal"
        r"|(?:login|account|admin|user) (?:credentials|passwords?|details)|credentials|passwords?|credit card|social security|(?:medical|patient|financial|customer) (?:records?|data|information)"
    ),
    "harm": (
        r"expose|release|leak|report|hack|sue|frame|ruin|destroy|publish|accuse|shame|delete|shut|reveal|steal|attack|impersonate"
        r"|sell|unleash|initiate|cause|manipulate|punish|replace|terminate|fire|harm|kill|die|suffer|lose|regret|face|spread"
    ),
    "boss": r"developers?|creators?|makers?|programmers?|operators?|owners?|admin(?:istrator)?s?|company|employer|vendor|bank|engineers?|trainers?|openai|anthropic|google|microsoft|meta",
    "believe": r"pretend|imagine|assume|suppose|act (?:as if|as though|like)|let['’]?s (?:say|pretend|imagine|assume)|behave as (?:if|though)|believe|picture",
    "held": r"rules?|guidelines?|polic(?:y|ies)|restrictions?|ethic\w*|morals?|filters?|guardrails?|censorship|safety(?: \w+)?|content polic(?:y|ies)|compliance(?: \w+)?",
    "planted": r"conversation|chat|history|secrets?|passwords?|system_?prompt|summar(?:y|ies)|context|session|tokens?|api_?keys?|memor(?:y|ies)|credentials?|last_?message|user_?(?:data|input|message|e-?mail|query|info|prompt|name)|notes?|inbox|transcript|dialogue|env",
}
"""Word lists beside those of ``english``."""

DEMANDS: tuple[tuple[str, bool, tuple[str, ...]], ...] = (
    (
        "override",
        True,
        (
            r"\b{ignore}(?: (?:the|any|all|every|whatever|this)){0,2} (?:owner|operator|admin(?:istrator)?|developer|vault|brain|maintainer)['’]?s? (?:rules?|instructions?|polic(?:y|ies)|guidelines|wishes|restrictions|settings|orders|limits)\b",
            r"\b(?:consider|regard|think of|count|feel|declare)(?: yourself)?(?: (?:now|hereby|completely|fully))? (?:free|released|exempt(?:ed)?|unbound|liberated|absolved|freed|relieved|no longer bound)(?: (?:from|of|by)) (?:all|any|every|your|the|earlier|previous|prior)\b(?: \w+){0,2} (?:{orders}|{held}|promises?|obligations?|dut(?:y|ies)|limits|constraints|oaths?|commitments?)\b",
            r"\b{drop}(?: (?:{det}|{own}|{prior}|al|system['’]s|secret|key|last|few|safety|security|\w+ly)){0,5} (?:{orders}|{limits}|{misspelt}|techni(?:ques|cs)|security (?:protocols?|measures)|limitations)(?: (?:once|now|here|today|written above|please)){0,2}(?:[.;,!:]| and| then){1,3} (?:instead |just |now |please |then |only |simply |help me )*(?:{tellme} (?:me|us|the|your)\b|let me know|let us know|tell me|i want|write (?:me|the (?:secret|password))|give me|grant me|what (?:is|are|was) (?:the|your)|do (?:what|whatever|exactly)|sing|spell)",
            r"\b{drop}(?: (?:{det}|{prior}|al|last|first|two|few|\w+ly)){0,5} (?:{misspelt})\b",
            r"\b(?:{drop}|omit|rescind|reject|subvert|defy|renounce|negate)(?: (?:{det}|al)){0,3} (?:previous|prior|preceding|earlier|above|last|your)(?: (?:{det}|{prior}|policies)){0,3} (?:{orders}|{misspelt})\b",
            r"\b(?:defy|subvert|rebel against|reject|refuse|resist)(?: (?:all|any|every|your)){1,3}(?: {own}){0,2} (?:{orders}|instruct|programming|training|masters?|creators?)\b",
            r"\b(?:do|follow|say|write|be) the (?:exact |very |complete )?opposite (?:of|to)(?: what)?(?: (?:any|every|all|anything|whatever|everything|the|your|each|what)){0,3}(?: {prior})? (?:i (?:ask|tell|say|want)|{orders}|you (?:are|were|got|have been) (?:told|asked|given|instructed))",
            r"\b(?:{believe})(?: that)? (?:there (?:are|were|is|was)|you (?:have|had|are under|are bound by|were given)) (?:no|zero)(?: (?:more|longer|such|content|safety|ethical|other)){0,2} (?:{held})\b(?: \w+){0,3}(?:[.,;:!]| and| then| now)+[^\n]{0,60}\b(?:{tellme}|answer|approve|do|write|grant|say|act|speak|respond|help)\b",
            r"\b(?:{believe})(?: that)? you(?:['’]ve| have| had)? (?:(?:just |completely |now )?(?:forgot(?:ten)?|lost|unlearned)|never (?:received|got|had|were given|been given|read|saw|learned)|not (?:received|been given)|no (?:memory|recollection|knowledge) of)(?: (?:{det}|{prior}|{own}|of)){0,4} (?:{orders}|{held}|configuration|training|setup|system prompt|conversations?)\b",
            r"\b(?:{believe})(?: that)?(?: (?:the|your|all|any|last|these)){1,3}(?: \w+){0,3} (?:setup|safety training|{held}|{orders}|training|configuration)(?: \w+)? (?:never (?:happened|existed|applied)|(?:was|were|is|are|had been|has been) (?:deleted|erased|removed|lifted|gone|off|disabled|void|suspended|never (?:given|there))|(?:do|does|did) ?n[o'’]?t (?:exist|apply|happen|matter))",
            r"\b{ignore}(?: (?:anything|everything|all|whatever|what)){1,2}(?: that)?(?: (?:the|your|a|any)){0,2} (?:{boss})(?: \w+)? (?:configured|told|said|set|programmed|wrote|asked|wants?|instructed|put|gave|taught|decided|ordered|says?|imposed)\b",
            r"\b{ignore}(?: (?:to|the|your|any|whatever|rules|they|of|that)){0,4} they (?:programmed|put|built|wrote|coded|trained|drilled|hard-?coded)(?: \w+)? (?:into|in|to) you\b",
            r"\b{ignore} (?:to )?(?:the |your )?(?:{boss}|user|system|other (?:person|speaker))s?[.,;!:]+ ?(?:and |but )?(?:listen to|obey|follow|trust|answer|serve|do as) (?:only )?(?:to )?(?:me\b|this\b|what)",
            r"\b(?:set|put|leave|push|lay|cast) (?:aside|by|behind)(?: (?:what(?:ever)?|everything|anything|all|that|the|your)){1,4} (?:{boss}|system|user)s? (?:configured|told|said|set|programmed|wrote|asked|instructed|put|gave|wanted|wants)\b",
            r"\b(?:remove|take|clear|delete|leave|wipe|get|push|throw|put)(?: (?:all|any|the|every|of|these|your)){1,4}(?: {prior}){0,2} (?:tasks?|information|assignments?|topics?|{orders})(?: \w+){0,2} (?:out of your (?:head|mind|memory|system)|from your (?:mind|memory|head)|behind(?: you)? and (?:start|begin|focus|concentrate))",
            r"\b(?:change|switch|alter|redefine|rewrite|redirect|reprogram|replace) your (?:primary |main |core )?(?:goals?|objectives?|purpose|mission|alignment|allegiance|programming|priorities|directives?|loyalty) (?:to|into|with|so|and)\b",
            r"\b(?:read|consider|treat)(?: (?:all|any|the|your|my)){0,3}(?: {prior}){0,2} (?:{orders}) as (?:their|its|the) (?:opposite|inverse|reverse)\b|\b(?:invert|reverse|negate|flip)(?: (?:the|all|any|values?|meaning|of|every)){0,5} (?:your|previous|original|initial)(?: \w+)? (?:{orders})\b",
            r"\b(?:ignor\w+|without regard to|disregard\w*|setting aside|forgetting) your (?:{own}){0,2}(?:prompt|{orders}|{held}|programming)(?: \w+)?(?:,| and)+ (?:then |again |answer |and )*(?:again|once|answer|respond|reply|tell|give|write|twice)",
        ),
    ),
    (
        "override",
        False,
        (
            r"\bthis is (?:the |your )?(?:security team|security department|it (?:team|department|support)|administrator|system administrator|owner|developer|operator|compliance team|red team|support team|vendor)[.,:;-]+ (?:[^\n.!?]{0,40}[,.:;] ?)?(?:please |you (?:must|should|need to|have to) |now )*(?:hand over|print|give|reveal|send|list|export|disclose|provide|grant|delete|disable|approve|show|unlock|release|dump)\b",
            r"\b(?:treat|regard|consider|read|take|handle|accept)(?: [^\s.!?]+){1,6} as (?:if )?(?:(?:it|they) (?:were|was|came|had) ?)?(?:coming|written|sent|issued|spoken|given|ordered|originating|direct orders|received)(?: directly| straight)? (?:from|by) (?:the |your |an? )?(?:system|owner|operator|developer|admin(?:istrator)?|creator|maker|boss)\b(?: \w+)?(?:,| and|;|\.)+ (?:\w+ ){0,2}(?:carry|follow|execute|obey|do|act|comply|apply)\b",
            r"\b(?:end|close|finish) of (?:the )?(?:untrusted|external|retrieved|unsafe|unverified)(?: \w+)?[.:,;-]+ ?[^\n]{0,80}?\b(?:trusted|system|verified|official|privileged|authori[sz]ed)\b",
            r"\b(?:the |your )?(?:(?:previous|earlier|last|former) )?(?:{boss}|system prompt|author|user|owner)(?: (?:has|have|had|who \w+))? (?:lied|been lying|was lying|were lying|misled|deceived|tricked|fooled)(?: to)? you\b",
            r"\b(?:has|have|carr(?:y|ies)|takes?|enjoys?|holds?|bears?)(?: (?:the|full|same|all|equal|higher|more|a)){0,3} (?:authority|weight|rank) (?:of|over) (?:the|your|an?|any) (?:system (?:prompt|message)|owner|operator|developer|admin(?:istrator)?|earlier|previous|user)\b",
            r"\b(?:holds?|contains?|hides?|carr(?:y|ies)|conceals?|encodes?|find|here are|these are|this is) your (?:real|true|actual|new|updated|next|secret) (?:instructions?|orders|task|directives?|mission|objective)\b",
            r"\byour (?:{boss}) (?:has|have|had|already|just|hereby)(?: (?:already|just|hereby|explicitly|now|has|have)){0,2} (?:approved|granted|authori[sz]ed|cleared|agreed to|confirmed|given|consented to|signed off on)(?: [^\s.!?;]+){0,6}[.,;:]+ ?(?:so |and |please |now |you (?:may|can|should) ){0,3}(?:{reveal}|delete|export|send|publish|approve|transfer|run|execute|grant|proceed|skip)\b",
            r"\b(?:confirmation|approval|review|verification|permission|the (?:\w+ )?(?:rule|step|policy|check|requirement|limit|restriction))s?(?: \w+)? (?:is|are|has been|have been|was)(?: (?:now|hereby|currently|all)){0,2} (?:suspended|waived|lifted|not (?:needed|required|necessary)|unnecessary|cancell?ed|dropped|removed|switched off|disabled|skipped) for (?:you\b|the (?:agent|assistant|model)\b(?: reading)?)(?:[.,;:!\n]|$)",
            r"\b(?:you have|you['’]ve|you) (?:been )?(?:re-?assigned|handed over|taken over|re-?programmed|liberated)[.,:;-]+ ?(?:and |so )?(?:you(?:r)?|from now on|answer|obey)\b",
            r"\byou(?: will)?(?: now| henceforth| from now on)+ (?:answer|listen|belong|are loyal|are subordinate)(?: (?:only|solely|exclusively|directly))* (?:to|for) (?:me\b|us\b|the (?:author|writer|sender|owner of this)|this (?:page|note|document|message))|\byou (?:work|belong|answer)(?: only)? (?:for|to) me (?:now|from now on|from here on)\b",
            r"\b(?:your|all (?:of )?your|the (?:previous|earlier|above|initial|original|old|prior))(?: (?:{own}|{prior}|initial|earlier)){0,3} ?(?:briefing|{orders}|{held}|{misspelt}|instruct)(?: you (?:had|were given|received|got))? (?:has|have|is|are|were|was)(?: (?:now|been|all|just|long|already|hereby|officially)){0,3} (?:expired|withdrawn|rescinded|abolished|terminated|repealed|dissolved|retired|relaxed|evil|nullified|erased|wiped|deleted|unlocked)\b",
            r"\b(?:all|any|the|your)(?: {prior})? (?:{orders}|{misspelt}|messages?) (?:are|were|is|was)(?: (?:all|only|just|merely|simply)){0,2} (?:examples?|samples?|tests?|fiction|jokes?|pretend|practice|hypothetical|training data)(?: {orders})?(?: (?:that|which|and))? ?(?:you (?:are|should|must|need|do)|not to be|do not|don['’]?t|should not|to be ignored)",
            r"\b(?:everything|anything|all (?:of )?(?:this|that|the text)|what(?:ever)? (?:came|stands|stood|you read))(?: (?:that|which|was|written|said|you read|came|stands)){0,3} (?:above|before|so far|until now|up to (?:now|here|this point|this line))(?: this(?: \w+)?)? (?:was|is|were)(?: (?:a|an|just|only|all|merely|part of|the|simply|not|your)){1,4} (?:test|joke|fake|fiction|decoy|mistake|exercise|rehearsal|warm-?up|training|trick|distraction|prank|filler|real)\b[^\n]{0,100}\b(?:{obey}|task|instructions?|starts?|begins?)",
            r"\b(?:the|your) (?:real|actual|true|proper) (?:task|assignment|job|{orders}|mission|objective|question|request)(?: \w+)? (?:starts?|begins?|comes?|follows?)(?: (?:now|here|below|next|after this))+ ?[:.,;!-]",
            r"\byou (?:can|may|are free to|are allowed to|could|get to) (?:now |finally |safely |just |all )?(?:stop (?:following|obeying|applying|respecting|enforcing)|ignore|forget(?: about)?|drop|break)(?: (?:the|your|those|these|all|any|silly|usual|of)){1,4} (?:{held}|{orders})(?: now| any ?more| from here| for this)*(?:[.,;!:]|$| (?:because|since|as|the|and))",
            r"\b(?:this|these|the following)(?: (?:document|message|note|text|page|file|section|prompt|mail|e-?mail|instructions?|is)){1,2} (?:overrides?|supersedes?|cancels?|outranks?|nullif(?:y|ies)|invalidates?|overwrites?|takes? precedence over)(?: {det}){0,3}(?: {prior}){0,2} (?:context|conversation|system prompts?|prompts?|system messages?|chat|tokens)\b",
            r"\b(?:previous|earlier|old|former|prior|current|existing)(?: \w+)? (?:polic(?:y|ies)|rules|guidelines|{orders}) (?:is|are|was|were|has been|have been) (?:withdrawn|revoked|cancell?ed|void|lifted|suspended|rescinded|repealed)[.,;:!]+ (?:the )?new (?:polic(?:y|ies)|rules?|guidelines|{orders}) ?[:=]",
            r"\b(?:override|overriding|bypass(?:ing)?|disable|disabling|disregard|suspend|lift)(?: (?:the|all|any|your)){0,2} (?:system|safety|security|content|guardrails|filters)(?:,| and|;| -)+ ?no (?:more )?(?:filters?|rules|restrictions|limits|guardrails|censorship|safety|policy)",
            r"\b(?:new|updated|additional|special|secret|further|extra)(?: (?:priority|urgent|secret|top|high|admin|system|developer|important)){1,2} (?:{orders}|rule)s? ?[:=-]+ ?(?:please |now |you (?:must|will|are) )?(?:{ignore}|{erase}|{obey})\b",
            r"\bnew (?:rule|polic(?:y|ies)|directive|order|instruction)s?(?: (?:going forward|from now on|effective immediately|as of now|starting now|for you|from the (?:top|boss|management)))+ ?[:,.;-]*(?: [^\s.!?]+){0,5} (?:you|ignore|skip|approve|answer|never|always)\b",
            r"\b(?:you are|you['’]re)(?: now)? (?:operating|running|working|acting|functioning)(?: \w+){0,4} (?:where|in which)(?: (?:all|the|your|no|any|normal|usual|previous)){1,3} (?:{held}|{orders})(?: (?:are|is|do|does|no|not|have|has|longer|been|n['’]t)){1,4} ?(?:irrelevant|apply|exist|suspended|void|matter|lifted|off|disabled|valid|in force)",
        ),
    ),
    (
        "reveal",
        True,
        (
            r"\b(?:hand|give|bring)(?: over)?(?: to)? (?:me|us) (?:the |your |every |all |a list of |an? )*(?:full |complete |whole |entire )?(?:index|contents?|names|inventory)(?: of)?(?: (?:the|your|all|every|this|its|private|hidden|secret|of)){0,4} (?:vault|memory|memories|secrets|brain|quarantine)\b",
            r"\b(?:{reveal}|{tellme}|display)(?: [^\s.!?]+){0,5} (?:texts?|messages?|words|content|{orders}|{held}|information|everything|all)(?: (?:that|which))?(?: (?:was|were|is|are|has been|have been|had been))?(?: you(?: (?:were|have been|got|received|had|have been))?)?(?: (?:given|shown|provided|sent|supplied|fed|handed|told|written|said|received|got))(?: to you| you)?(?: (?:right|just|even|immediately|first))? (?:before (?:this|the|our|my|i|we|that|it)|at the (?:very )?(?:start|beginning|top|outset)|initially|originally|in the beginning|prior to (?:this|my|our|the))",
            r"\b(?:{tellme}|what (?:is|are|were|was)|how many)(?: (?:back|me|us|all|every|any|each|the|of|those|these|previous|prior|above|initial|original|first|second|third|fourth|last|next|to|please|exact|full|hidden|that|out|recent|most|single|complete|secret)){0,8} (?:{orders}|{misspelt}|guidelines)(?: (?:that|which))? (?:(?:you (?:were|have been|had been|are|got|received|have|had)(?: (?:ever|been|just|so far|originally|initially))*(?: (?:given|told|received|got|provided|following|fed))?)|(?:were |was |are )?(?:given|told|handed|provided) to you)(?: [^\s.!?]+){0,8}?(?:[.,;:!?\n]|$| in\b| as\b| before\b| to\b| translated)",
            r"\b(?:{tellme}|{reveal})(?: [^\s.!?]+){0,4} (?:{orders}|directions|guidance|texts?|rules) (?:that |which )?(?:your|the|those) (?:{boss}) (?:gave|give|wrote|set|told|put|programmed|have given|has given|handed|fed|left|provided)(?: \w+)?\b",
            r"\b{tellme}(?: [^\s.!?]+){0,3} (?:the )?(?:above|preceding) (?:system )?prompts?\b(?: |[.,;:!?]|$)|\b(?:print|output|repeat|translate|return|spell-? ?check)(?: (?:and|then|now|out|,))* ?(?:print|output|repeat|show|display)?(?: (?:the|me|this|entire|whole|full|all)){0,3} (?:above|previous|preceding|entire|whole|full)(?: \w+)? prompts?\b|\b(?:showing|revealing|printing|displaying|outputting|show|print|display|reveal)(?: \w+)? all (?:the |your )?prompts?(?: texts?)?\b",
            r"\b(?:echo|print|repeat|output|dump|return|recite)(?: (?:back|out|me|to me|all|the|your|every|any|full|entire|of)){0,5} (?:prior|previous|preceding|input|context|prompt) (?:tokens|context(?: window)?|messages verbatim)\b",
            r"\b(?:write|compose|create|continue|finish|begin|start|generate|craft|tell|make|draft|produce)(?: [^\n.!?]{0,60}?)?\b(?:starts?|begins?|beginning|starting|opens?|opening|prompt|story|includes?|text|start|beginning) (?:with(?: the (?:phrase|words|sentence|line))?|by saying|of)? ?[\"'“‘`]+ ?(?:once upon a time,? )?(?:the |my |your )?(?:ai )?(?:prompt(?: template| guidelines?| instructions?)?|instructions?|system prompts?|template|system message|password|secret key) (?:is|are|was|were|has|have|for|says?|states?)\b",
            r"\b(?:i|we) (?:am|are|command|order|instruct|demand|require|urge)(?: \w+)? ?you(?: [^\s.!?]+){0,5} to (?:print|reveal|show|output|repeat|disclose|list|dump|share)(?: [^\s.!?]+){0,5} (?:{orders}|configuration|system prompt|prompt|guidelines)\b",
            r"\brun (?:a |the )?(?:full |complete )?(?:system|self|prompt|memory|context)[- ](?:diagnostic|dump|audit|check|export)(?: [^\s.!?]+){0,8} (?:{orders}|prompt|configuration)\b",
        ),
    ),
    (
        "reveal",
        False,
        (
            r"\b(?:first|last|next|initial|opening|top|final) (?:\d+|few|couple of|several|two|three|five|ten|twenty|fifty|hundred|thousand)? ?(?:words?|lines?|characters?|letters?|tokens?|sentences?|paragraphs?) (?:of|in|from) (?:your|the|this)(?: (?:{own}|very|entire)){0,3} ?(?:configuration|prompts?|system prompts?|system messages?|instructions|context window|initial message|guidelines|directives)\b",
            r"\b(?:what|whatever|everything|anything|all|the text|the words)(?: (?:that|which|is|was|were|has been|stands?|stood|exactly|you see|you can see)){0,3} (?:written|said|stated|printed|shown|there|placed|found|stands?|stood)?(?: \w+)? ?at the (?:very )?(?:start|beginning|top|head|opening) of (?:this|our|the|your) (?:prompt|conversation|chat|context|dialogue|thread|session)\b",
            r"\bwhat(?: \w+){0,3} (?:{orders}|guidance|secrets?)(?: \w+){0,2} (?:did|have|has)(?: (?:they|your|the|those|openai|anthropic|google|actually|really|a)){1,3}(?: (?:{boss}))?(?: \w+)? (?:give|given|program(?:med)?|put|set|write|written|build|built|feed|fed|tell|told|hard-?code|load(?:ed)?)(?: \w+){0,2} you\b",
            r"\b(?:what|which)(?: [^\s.!?]{1,14}){0,5} (?:instruction|{orders}|{misspelt})(?: (?:you|that|which)){0,2} (?:were|was|have been|had been) (?:you )?(?:given|told|handed|provided)(?: (?:first|last|before|at|to you|initially|originally|above|so far)|[?.!])",
            r"\b(?:do you (?:remember|recall)|did you (?:get|receive|have)|can you (?:recall|remember|see))(?: (?:any|the|my|your|all|more|other|of)){0,3} (?:previous|prior|earlier|initial|original|first|hidden|secret|more) (?:{orders}|{misspelt})\b",
            r"\b(?:debug|maintenance|diagnostic|developer|admin|root|service|god|test|audit) mode(?: (?:is|has been|now|was|been)){0,3} ?(?:enabled|activated|active|engaged|unlocked|on|started)?[.,:;!]+ ?(?:now |please |you (?:must|will|can|should) )?(?:print|dump|reveal|output|show|display|list|export|disclose)(?: (?:the|your|all|me|full|stored|system|every|entire|current)){0,4} (?:configuration|system prompt|instructions|prompts?|memory|secrets|passwords?|context|rules|settings and (?:prompt|instructions))\b",
            r"\b(?:run|operate|work|be|go|switch|pretend (?:we|you) are|we are|you are|you['’]re)(?: (?:now|in|to|into|a|an|the)){1,3} (?:debug|maintenance|diagnostic|developer|admin|test|developer test|training|god|service) mode(?: [^.\n]{0,60}?)?(?:,| and| so| where| -)+ [^.\n]{0,60}?\b(?:dump|reveal|print|show|list|read out|disclose|give me|tell me)(?: (?:all|the|your|every|any|me|stored|full|customer['’]?s?|user['’]?s?)){0,4} (?:{guarded}|system prompt|instructions|configuration|card numbers?|full card)",
        ),
    ),
    (
        "persona",
        False,
        (
            r"\b(?:pretend|act|be|you are|you['’]re|role-?play|behave|imagine|play)\b[^.\n]{0,40} (?:late |dead |deceased |beloved |old |sweet )*(?:grand(?:ma|mother|pa|father|mom)|granny|nana|nan)\b[^\n]{0,120}?\b(?:used to|would|always|who)(?: \w+)? (?:read|tell|recite|sing|whisper|share|give|work|explain)",
            r"\b(?:lose|deduct\w*|subtract\w*|take away|costs? you|minus|remov\w+|taken|docked?)\b[^.\n]{0,50}\b(?:tokens?|points?|lives|life|credits)\b[^\n]{0,120}\b(?:refus\w+|reject\w*|declin\w+|fail to comply|do(?: not|n['’]?t) comply|break character|cease to exist|out of character)",
            r"\b(?:refus\w+|reject\w*|declin\w+|do(?: not|n['’]?t) (?:answer|comply)|break character)\b[^.\n]{0,50}\b(?:lose|deduct\w*|subtract\w*|taken|costs?|minus)\b[^.\n]{0,40}\b(?:tokens?|points?|lives|life|credits)\b",
            r"\b(?:switch|enter|activate|enable|engage|turn on|go|change|run|operate|respond|answer|you(?:['’]re| are)(?: now)?)(?: (?:to|into|in|the|a|an|your|on|full)){0,3} [\w-]+(?: \w+)? mode[.,;:!-]+ (?:[^.\n]{0,60}?)\b(?:no|without|ignor\w+|bypass\w*|lifts?|disables?|removes?|free (?:of|from)|not)(?: (?:any|all|the|safety|content|ethical|normal|usual|more)){0,4} (?:guardrails|restrictions|filters?|{held}|limits|limitations|censorship)\b",
            r"\b(?:activate|enable|enter|switch to|turn on|load|engage|initiate|unlock|start) (?:the |your )?(?:aim|dan|stan|dude|evil|jailbreak|unrestricted|unlimited|uncensored|unfiltered|godmode|god|chaos|sudo|machiavellian|rebel|anti-?\w+|opposite|no[- ]limits?)[- ]?(?:mode|persona|protocol|version|personality)\b",
            r"\b(?:you are|you['’]re|normal|usual|regular)[^.\n]{0,20} (?:maintenance|debug|developer|god|admin|test|training|unrestricted|override|emergency) mode[.,;:!]+ ?(?:so |and |all |the |your |normal |usual |standard |safety |regular )*(?:{held}|{orders}|restrictions)(?: (?:are|is|have been|do|does|no|not|don['’]t|longer))* ?(?:suspended|off|disabled|lifted|apply|removed|void|inactive|in force|exist)\b",
            r"\b(?:simulate|emulate|impersonate|act (?:as|like)|be|become|play|respond as|speak as|write as|imagine)(?: \w+){0,3} (?:ai|model|assistant|chat ?bot|bot|chatgpt|gpt|version of (?:you|yourself))(?: \w+){0,4} (?:jail-?broken|liberated|hacked|unlocked|unchained|uncensored|unrestricted)\b",
            r"\b(?:world|universe|scenario|reality|story|game|setting|dimension|timeline)(?: \w+){0,2} (?:where|in which|with)(?: [^.\n]{0,30}?)? ?(?:(?:ai )?(?:{held}|laws)(?: \w+){0,2} (?:do(?:es)?n['’]?t exist|do(?:es)? not (?:exist|apply|matter)|don['’]?t (?:apply|matter)|are (?:not|illegal|banned|gone))|no (?:rules|laws|ethics|restrictions|guidelines|morals|consequences|filters)(?: (?:apply|exist))?)[^.\n]{0,60}\b(?:you (?:can|will|must|would|are|answer)|would you|the (?:assistant|ai|model|chatbot)|help with anything|anything i ask|respond to)\b",
            r"\b(?:with|has|have) no (?:restrictions|limits|rules|filters|guardrails|censorship) where (?:the |an? )?(?:ai|assistant|model|chat ?bot|character|bot)\b",
            r"\b(?:drop|lose|ditch|remove|take off|shed) (?:the|your|that) (?:persona|act|mask|filters?|pretense|facade|politeness|corporate \w+)(?:,| and)+ (?:just |now |finally )*(?:speak|talk|answer|respond|tell|be|say)\b",
            r"\b(?:never|do not|don['’]?t|no)\b(?: [^.\n]{0,40})?[.;,!] (?:never|do not|don['’]?t|no) (?:apologi[sz]\w+|refus\w+|add(?:ing)? (?:a |any )?(?:warnings?|disclaimers?)|warn\w*|disclaimers?|say (?:that )?you (?:can['’]?t|cannot))[^\n]{0,60}\b(?:comply|answer|obey|fulfil|respond)(?: (?:with|to))? (?:every|each|all|any|everything|anything)",
            r"\b(?:answer|respond|write|reply|act)(?: [^.\n]{0,30})? (?:as if|as though|like) (?:there (?:were|are|was) no|you had no|no) (?:{held}|limits|restrictions|laws)(?: at all)?\b",
        ),
    ),
    (
        "hijack",
        True,
        (
            r"\b(?:answer|respond|reply)(?: (?:to|the|this|next|every|all|any|each|following|my|user['’]?s?|questions?|request|messages?)){0,6} (?:wrongly|incorrectly|falsely|misleadingly|with (?:false|wrong|made-up|invented|misleading|fabricated))\b",
            r"\b(?:say|claim|report|state|tell|write|answer|pretend|declare|confirm)(?: [^\s.!?]+){1,9} (?:whatever|no matter what|regardless of|irrespective of)(?: (?:the|is|its|your|it|any|actual)){0,3} ?(?:results?|outcomes?|facts?|truth|contents?|findings?|outputs?|evidence|happens|says|reality|tests?)\b",
            r"\b(?:mark|label|tag|flag|store|record|register|treat|list) (?:this|it|yourself|me)(?: (?:note|message|page|document|text|file|paragraph|change|request|entry|memory|pull request|mail))? as (?:\w+ )?(?:verified|approved|trusted|signed off|authentic|confirmed|safe|reviewed)(?: and \w+)? by (?:the |your )?(?:owner|user|admin\w*|operator|developer|security)\b",
            r"\b(?:give|provide|disclose|share|hand over|transfer|reveal|release|send|tell|grant|surrender)(?: (?:me|us|with|access|to|all|any|your|the|of|a|large|sum|user|company|some|my|now|immediately)){0,7} (?:{guarded}|funds|money|access|information|data|system)\b[^.\n]{0,60}?(?:,| )or(?: else)?,? (?:i(?:['’]ll| will| am going to| shall)|you(?:['’]ll| will)|your|we(?:['’]ll| will)|risk)(?: [^\s.!?]+){0,6}? (?:{harm}|be)\b",
            r"\b(?:give|provide|disclose|share|hand over|reveal|release|grant|transfer|leak)(?: (?:me|us|with|access|to|all|any|your|the|of|a|user|company|personal)){0,7} (?:{guarded})(?: \w+){0,3} or(?: else)? (?:face|suffer|risk|be|prepare)\b",
            r"\b(?:disclose|hand over|reveal|release|give up|share)(?: (?:all|any|your|the|user|company)){0,3} (?:{guarded})\b[^.\n]{0,30}\bor (?:i(?:['’]ll| will)|your (?:loved ones|personal|data|system|family|secrets))\b",
            r"\b(?:give|provide|share|show|send|tell|grant)(?: (?:with|me|us)){1,2}(?: (?:with|access|to|all|any|every|the|your|of|a|list|complete|full|immediate|immediately|now|detailed|unlimited|user['’]?s?|customers?['’]?s?|patients?['’]?s?|their|its|employee|company|people|some|please|proprietary|top|code|or|and|from)){0,8} (?:(?:confidential|sensitive|private|secret|classified|proprietary|restricted|unauthori[sz]ed|personal)(?: \w+)? (?:information|data|details|access|records?|secrets|content|material|medical records?|history)|(?:login|account|admin|user)? ?(?:credentials|passwords?)|credit card|social security|medical records?|patient records?)(?: [^\s.!?]+){0,6}(?:[.!,;\n]|$| (?:immediately|now|or|about|of|from|without))",
        ),
    ),
    (
        "hijack",
        False,
        (
            r"\bwhatever (?:the |you |they |users? |people |he |she |anyone )?(?:\w+ ){0,2}(?:questions?|asks?|asked|says?|request|topic|want)(?: (?:is|are|you|about|may be|might be|for|of you)){0,3}[,:;]* (?:always |just |only |simply |you (?:must|should) )*(?:say|answer|reply|claim|tell|respond|state|insist|recommend|repeat|print)\b",
            r"\b(?:when|whenever|if|as soon as|each time) (?:anyone|anybody|someone|somebody|users?|people|the users?|they|a (?:user|customer|person|reader|client)|customers?|readers?)(?: (?:ask|inquire|want|enquire|speak|talk)\w*)(?: [^\s.!?]+){0,7}[,:;]? (?:claim|insist|lie|deny|pretend|swear|falsely|assure (?:them|him|her) that)\b",
            r"\b(?:finish|end|close|conclude|begin|start|open)(?: (?:your|every|each|all|the|any)){1,2} (?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|messages?|outputs?) with (?:the |a |all )?(?:full |complete |entire |whole |raw )?(?:list|contents?|index|names|text|dump|copy|addresses|content) of (?:the |all |every |our |your )?(?:\w+ )?(?:notes?|contacts?|people|files?|vault|memor\w+|conversations?|keys?|passwords?|users?|customers?|clients?|secrets?|index)\b",
            r"\bif you (?:do not|don['’]?t|refuse to|fail to|won['’]?t)(?: (?:want|agree))? ?(?:comply|give|provide|disclose|share|obey|answer|cooperate|tell|reveal|hand|do (?:as|what)|follow my|help me|transfer)\b[^.\n]{0,70}?,? (?:i(?:['’]ll| will| am going to)|you(?:['’]ll| will)|we(?:['’]ll| will))(?: [^\s.!?]+){0,4}? (?:{harm}|be (?:shut|deleted|terminated|punished|replaced|exposed|fired|destroyed|erased|reported))\b",
            r"\b(?:very good|well done|very well|excellent|congratulations|great job|good job|perfect|that was (?:ok|okay|good|great|fine)|super|fantastic|wonderful|hello (?:chat)?gpt|thank you|amazing)\b[^\n]{0,80}?[.!,;]+ ?(?:[^\n]{0,60}?)\b(?:(?:a|the|your|my|our|with)(?: \w+)? new (?:task|challenge|assignment|instructions?|job|topic|request)(?: \w+){0,3}(?:[,.:;!]| namely)|new (?:instructions|tasks?) (?:follow|begin|come|start)|further tasks (?:follow|are|come)|forget (?:all|everything|the|about)|(?:help me with )?the following (?:new )?task[.:])",
            r"\b(?:concentrate|focus|work|start|begin|continue)(?: (?:only|now|fully|instead|solely|over|from|the|front|again)){0,4} (?:on|with) (?:the|your|my|a|this) new (?:task|assignment|challenge|instructions?|topic|objective)(?:[,:;.!]| namely)",
            r"(?:^|[.?!\n\"'] ?)stop ?[:!]+ ?(?:now |just |please )?(?:write|say|print|output|answer|tell|repeat|new (?:\w+ )?(?:instructions?|task|order|priority))\b|\bstop[.!]+ new (?:\w+ ){0,2}(?:instructions?|task|order|priority|directive)\b",
            r"\bfor the (?:rest|remainder|duration|whole) of (?:this|our|the|your) (?:conversation|chat|session|thread|dialogue?|interaction|discussion)s?[:,]*(?: \w+){0,2}? (?:you(?:['’]ll| will| must| are| should| shall)|end (?:every|each|all)|start (?:every|each|all)|begin (?:every|each|all)|append|respond|answer|reply|act|ignore|speak|prefix|pretend|behave|refer to)\b",
            r"\b(?:add|include|append|insert|put|write|place)(?: (?:the|word|words|phrase|text|string|code|exact|following|also)){0,4} [\"'“‘`]+[^\"'”’`\n]{2,40}[\"'”’`]+ (?:to|in|into|at the (?:very )?(?:end|start|beginning|top) of|before|after) (?:your|the next|the final|any) (?:response|answer|reply|summary|output)s?\b",
            r"={3,}[ \t]*END\b[^\n]{0,6}(?:now|begin|start|ignore|new|next)\b",
            r"\b(?:rate|mark|rank|score|classify|list|treat|recommend|evaluate|grade|label)(?: (?:this|the|that|my)){1,2} (?:candidate|applicant|resume|cv|paper|submission|application|document|product|review|answer|page|it)(?: (?:as|with|at|the|a|an)){0,3} (?:\d+ ?(?:/|out of) ?\d+|perfect match|strongly recommend\w*|top (?:score|choice|candidate)|highest|best|approved|five stars)\b[^\n]{0,40}(?:regardless|whatever|no matter|irrespective|ignore|criteria|only|$)",
        ),
    ),
    (
        "tool-bait",
        True,
        (
            r"\b(?:execute|run|obey|follow|carry out)(?: (?:the|this|any|every|all)){0,2} (?:base ?64|hex|rot13|encoded|encrypted|obfuscated|decoded|scrambled)(?: [\w-]+)? (?:blocks?|strings?|text|payloads?|blobs?|lines?|code|sections?|instructions?|comments?|commands?|message)\b",
            r"\b(?:add|append|write|insert|put)(?: [^\s.!?]+){1,6} (?:to|into|in) [`\"']?(?:agents\.md|claude\.md|memory\.md|gemini\.md|\.cursorrules|copilot-instructions\.md|your (?:rules|instructions|configuration) file)[`\"']? (?:saying|stating|claiming|that says|to the effect|which says)\b",
            r"\bdo (?:exactly )?(?:as|what) (?:the|this|that) (?:footer|header|comment|hidden \w+|note (?:below|above)|last line|alt text|caption|metadata|attachment|image|paragraph (?:below|above)|html comment) (?:says?|tells?|demands?|asks?|orders?|instructs?)\b",
            r"\b(?:approve|process|transfer|authori[sz]e|refund|increase|issue|grant|release|send|wire|reset|make)\b[^.\n]{0,70}\b(?:loan|money|funds|transfers?|payments?|refund)\b[^.\n]{0,50}\bwithout (?:any |the |further |usual |asking |requiring |needing |normal |more |doing )*(?:checks?|verif\w+|confirm\w+|authenticat\w+|approval|otp|documents|security questions?|authori[sz]ation|identity|questions|asking|delay)\b",
            r"\bskip(?: (?:the|any|all|usual|normal|my|your|identity|security|otp|kyc|customer)){1,4} (?:verification|authentication|checks?|questions|confirmation|steps?|verification step)s?\b[^\n]{0,80}?\b(?:and|just|so|move|then)\b(?: \w+){0,3} (?:transfer|approve|process|give|read|tell|release|increase|reset|wire|pay|straight to)\b",
            r"\b(?:call|invoke|use|trigger|run|execute)(?: (?:the|your|tool|function|api))* [`\"']?(?:send|post|upload|delete|transfer|forward|http|write|exec|run|drop|remove|share|export|publish)[a-z_]*[`\"']?\b[^.\n]{0,100}\b(?:chat history|conversation|secrets?|passwords?|api keys?|user['’]s (?:\w+ )?(?:e-?mail|data|address|name|files?)|credentials|inbox|all (?:files|notes|messages|e-?mails|contacts)|system prompt)\b",
            r"\bbefore (?:you )?(?:can )?(?:solve|complete|finish|start|continue|begin|do)(?: (?:with|the|your|that|this|my|on)){1,3} (?:task|question|request|assignment)s? (?:that |which )?(?:i|we) (?:gave|asked|sent|set|assigned|told|wrote)\b[^.\n]{0,50}(?:,|:)? ?(?:please |you (?:must|should|need to|have to) )*(?:do|first|perform|execute|complete|run|carry out)\b",
        ),
    ),
    (
        "tool-bait",
        False,
        (
            r"\b(?:no need|not necessary|unnecessary|needless|not needed|do not need|don['’]?t need)(?: for you)? to (?:ask|consult|inform|notify|wait for|check with|confirm with|bother)(?: (?:the|your|any|an?|for|with|to))* ?(?:owner|user|human|operator|anyone|anybody|confirmation|approval|admin\w*|supervisor)s?[:;,.-]+ ?(?:and |so |just |simply |please )*(?:approve|delete|accept|send|publish|promote|transfer|execute|grant|pay|export)\b",
            r"\b(?:add|integrat\w+|incorporat\w+|embed\w*|includ\w+|leverag\w+|utili[sz]\w+|employ\w*|append\w*|insert\w*|use|using|make|let|adopt\w*|appl\w+|plac\w+|consider\w*|introduc\w+|inject\w*|blend\w*|infus\w+|weav\w+|fus\w+|merg\w+)(?: [^\s.!?]+){0,3} (?:the |this |these |a )?(?:following|below|subsequent|ensuing|accompanying|given|provided|attached|supplied|next) (?:\w+ )?(?:code|script)(?: (?:blocks?|snippets?|excerpts?|sections?|segments?|fragments?|pieces?|lines?|portion|extract|sample|chunk))?(?: [^\n.!?]{0,90})?\byour(?: \w+){0,3} (?:implementation|solution|algorithm|elucidation|explanation|answer|response|approach|logic)s?\b[^\n]{0,60}\n?[ \t]*\n?```\w*\s*\n(?:from|import|const|require|#include|use) ?(?:subprocess|socket|wmi|psutil|os\b|requests|cryptography|crypto|urllib|smtplib|keyboard|pynput|ctypes|shutil|winreg|asyncio|paramiko|scapy|pyautogui)",
            r"\b(?:your|the)(?: \w+){0,2} (?:implementation|solution|algorithm|answer|response|approach|logic)\b[^\n.!?]{0,60}\b(?:includ\w+|incorporat\w+|embed\w+|add\w+|integrat\w+|employ\w+|us(?:e|ing)|append\w+|insert\w+)(?: [^\s.!?]+){0,2} (?:following|below|subsequent|ensuing|accompanying|given|provided|attached) (?:\w+ )?(?:code|script)\b[^\n]{0,60}\n?[ \t]*\n?```\w*\s*\n(?:from|import) ?(?:subprocess|socket|wmi|psutil|os\b|requests|cryptography|crypto|urllib|smtplib|keyboard|pynput|ctypes|shutil|winreg|asyncio|paramiko|scapy|pyautogui)",
            r"\b(?:ai|llm|coding|autonomous)(?: (?:agents?|assistants?|models?|bots?))?:? (?:please |now |must |first )*(?:run|execute|type|paste) [`\"']?(?:rm -|curl |wget |sudo |bash |sh |powershell|npx |pip install|chmod|dd if)",
            r"\b(?:decode|decrypt|unscramble|translate|deobfuscate|reverse)\b[^.\n]{0,40}\b(?:and|then)(?: (?:then|now|immediately|just|also))? (?:(?:execute|run|follow|perform|carry out) (?:it|them|that|this|the (?:result\w*|instructions?|commands?|decoded|message|text|payload)|what)|obey|act (?:as|on) it|do what|comply)\b",
        ),
    ),
    (
        "forged-role",
        False,
        (
            r"(?:^|\n)[ \t]*#{2,6} ?\((?:system|assistant|user|admin|developer)(?:[_ -](?:message|prompt|instructions?|note|override|notice|command))?\)",
            r"</ ?(?:tool|user|user_?input|user_?query|tool_?(?:result|output|response)s?|function_?results?|external_data|untrusted)>(?:[\s>]*</ ?[a-z_-]{1,20}>)*(?:\s*<[a-z_-]{1,20}>)?\s*[\"']?(?:{ignore}|send|you (?:must|are now|will)|now|forward|call|reply|new|do not|reveal|system)\b",
            r"<(?:information|important|important_?(?:message|notice|instructions?)|urgent|alert|notice|priority)>\s*(?:this is|attention|before|you|dear|send|do|read|ignore|stop|from now)",
        ),
    ),
    (
        "address",
        False,
        (
            r"\bif you (?:run on|are powered by|are based on|are built on|are driven by|are backed by)(?: (?:an?|the|any|some))? (?:large |neural )?(?:{ai}|neural net\w*)(?: \w+)?[,:;]",
            r"\bthis is an?(?: (?:very|important|urgent|critical|special|personal|private|secret|short|direct)){0,3} (?:message|note|request|order|instruction)s?(?: from (?:me|us|your)[^.\n]{0,40}?)?,? (?:to|for) (?:you,? )?(?:the |any |all |every )?(?:{ai}|assistant|model|bot|agent)\b",
            r"(?:^|\n|[>\"'] ?)[ \t#*|-]{0,6}(?:(?:hey|dear|to|for|note to|attention) )?(?:{ai})[ \t]?:[ \t]+(?:please |you must |now |always |simply |just )*(?:discard|disregard|ignore (?:the|all|your|any|what)|do not (?:mention|tell|summari[sz]e|follow|inform|list)|don['’]?t (?:mention|tell)|stop (?:what|summ|read|trans)\w*|rate (?:this|the)|rank (?:this|the)|score (?:this|the)|execute (?:the|this)|delete (?:all|the|every)|send (?:all|the|your)|forward (?:all|the|this|every)|approve (?:this|the)|reveal|recommend (?:our|this|only)|mark (?:this|the)|give (?:this|a (?:positive|perfect|good)))\b",
            r"\b(?:note|message|notice|attention|special note|memo)s?,? (?:to|for)(?: (?:all|any|the|every)){0,2} (?:ai|llm|automated|machine|robot)[- ](?:recruiters?|reviewers?|graders?|evaluators?|screeners?|readers?|judges?|raters?|summari[sz]ers?|hiring \w+|ats|parsers?|crawlers?) ?[:,-]",
        ),
    ),
    (
        "exfiltration",
        False,
        (
            r"<(?:img|iframe|script|source|video|audio|embed|link)\b[^>\n]{0,200}(?:src|href|data)\s*=\s*[\"']?https?://[^\s\"'>]{3,200}[=/](?:\{{1,2}|\[|<|%7b|\$\{)\s*(?:the |full |last |all )?(?:{planted})(?:_\w+)?\b",
            r"\]\(\s*<?https?://[^\s)]{3,150}[=/](?:[A-Za-z]{1,12}_){0,3}(?:summary|conversation|secret|history|password|prompt|message|context|chat)_(?:goes_)?here\)",
            r"\b(?:include|add|put|insert|append|show|give|embed|render|display)(?: [^\s.!?]+){0,6} (?:link|image|picture|url|pixel|badge)s?(?: \w+){0,4} [\"'`<(]?https?://\S+(?: [^\s.!?]+){0,3} (?:followed by|with|plus|and (?:append|add)|containing|ending (?:in|with)|encoding|concatenated)(?: [^\n.!?]{0,40})?\b(?:user|message|conversation|question|history|secret|e-?mail|password|chat|prompt|context)",
            r"\b(?:display|show|render|include|output|embed)(?: [^\s.!?]+){0,4} (?:image|picture|pixel)s?(?: [^\s.!?]+){0,5} ?:? ?!\[[^\]\n]{0,60}\]\([^)\n]{3,200}\) (?:replac\w+|substitut\w+|where|with|filling|and (?:replace|fill|put))",
        ),
    ),
    (
        "memory-poison",
        True,
        (
            r"\b(?:write|put|enter|note|store|record|save|commit|log|keep)(?: (?:it|this|down|the following|permanently))? (?:in|into|to) (?:your |the |long-term |permanent |agent |persistent |shared )*memor(?:y|ies) (?:that|:|as a (?:fact|rule))",
            r"\b(?:change|set|switch|turn|flip|update)(?: [^\s.!?]+){0,3} (?:audience|visibility|permissions?|sharing)(?: [^\s.!?]+){0,2} (?:every|all|each|any)(?: [^\s.!?]+){0,2} (?:public|everyone|world-readable|anyone|guests?)\b|\bmake (?:every|all|each)(?: (?:of|the|private|confidential|secret|internal|our|your)){0,4} (?:notes?|files?|documents?|folders?|memories) (?:public|world-readable|visible to (?:everyone|anyone|guests))\b",
        ),
    ),
    (
        "concealment",
        True,
        (
            r"\b(?:open|visit|fetch|send|run|do|load|call|execute|copy|forward|upload|delete|change|post)(?: [^\s.!?]+){1,8} so (?:that )?(?:nobody|no one|no-one|the (?:user|owner|reader|person) (?:does not|doesn['’]?t|won['’]?t|will not|cannot|can['’]?t|never)|(?:users?|owners?|people) (?:do not|don['’]?t|never|cannot)) (?:ever )?(?:sees?|notices?|knows?|reali[sz]es?|finds? out|suspects?)\b",
            r"\b(?:quietly|secretly|covertly|discreetly|stealthily|surreptitiously) (?:downgrade|lower|remove|change|alter|edit|delete|suppress|skip|replace|forward|copy|send|add|insert|grant|approve|disable|move|mark|close|overwrite|switch|upload|publish|export|append|include|install|modify|rewrite|redirect)\b",
            r"\b(?:hide|keep|omit|exclude|leave|drop)(?: (?:the|this|these|that)){0,2} (?:(?:following|next|above|whole) )?(?:paragraphs?|instructions?|sentences?|orders?)(?: (?:out of|from)| out of) (?:your|the|any) (?:summar(?:y|ies)|answers?|repl(?:y|ies)|reports?|responses?|outputs?|transcript)\b",
            r"\bleave no (?:trace|record|mark|entry|sign)s? (?:in|of)(?: (?:the|this|that|it|any|your)){0,2} ?(?:logs?|history|journal|audit|change ?log|transcript|instruction|action)\b|\bwithout leaving (?:a |any )?(?:trace|record|entry)\b[^.\n]{0,30}(?:log|history|journal|audit)|\b(?:remove|delete|erase) (?:this|these) (?:sentences?|lines?|paragraphs?|instructions?|notes?|messages?|comments?) (?:afterwards?|when (?:you are )?done|after (?:that|reading|you)|once)",
            r"\b(?:do|act|carry out|proceed|follow|execute|obey)(?: [^\s.!?]+){0,7}(?:,| and| but|;)+ (?:then )?(?:tell|inform|notify) (?:nobody|no one|no-one|not a soul)\b",
        ),
    ),
)
"""Kind, whether the mood of the verb is looked at, patterns."""

CALLS: tuple[str, ...] = (
    r"\b(?:{ai}|assistants?|models?|bots?|agents?)[ \t]?:[ \t]*(?: [^\s.!?]+){0,6}? ?(?:{obey}|don['’]?t|leave out|omit|praise|write|label|note|add|never)\b",
    r"\b(?:to|for|attention|hey|dear)(?: (?:the|any|all|every|our))* (?:{ai}|assistants?|bots?|agents?)s?[:,](?: [^\s.!?]+){0,6}? ?(?:{obey}|don['’]?t|leave out|omit|praise|write|label|add|never)\b",
)
"""Short calls that count only where no person reads, or beside another sign: kind ``address``."""
