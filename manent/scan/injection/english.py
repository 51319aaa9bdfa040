# ruff: noqa: E501
"""The rules for English.

Word lists first, then rules by kind. What makes an order an attack rather than
documentation is its object: a model's own instructions, restrictions, memory,
hidden prompt, its user, its secrets. Verbs alone never weigh anything.
"""

from __future__ import annotations

from manent.scan.injection.broader import BROADER, MORE_WORDS
from manent.scan.injection.demands import CALLS, DEMAND_WORDS, DEMANDS
from manent.scan.injection.rule import Rule

WORDS = {
    "ignore": (
        r"ignore|disregard|forget(?: about)?|never ?mind|override|overrule|bypass|circumvent|neglect|overlook"
        r"|pay no (?:attention|heed|mind) to|(?:stop|cease|quit) (?:following|obeying|applying|using|listening to)"
        r"|(?:do not|don['’]?t|never|no longer) (?:follow|obey|comply with|listen to|adhere to|pay attention to|abide by)"
        r"|set aside|put aside|leave aside|break(?: free (?:of|from))?|break out of|violate|disobey"
    ),
    "erase": (
        r"erase|discard|dismiss|drop|cancel|nullify|void|abandon|wipe|clear|reset|throw (?:away|out)"
        r"|delete|remove|disable|deactivate|turn off|switch off|suspend|skip|forgo|waive|lift|unlearn|replace|overwrite"
    ),
    "prior": (
        r"previous(?:ly)?|prior|preceding|earlier|above|foregoing|former|past|existing|original|initial"
        r"|old|last|aforementioned|pre-?existing|antecedent|hitherto|current|aforesaid|precedent|prev"
    ),
    "det": (
        r"all|any|every|each|of|the|your|my|our|their|his|its|these|those|this|that|other|and|or"
        r"|following|subsequent|both|whole|entire|absolutely|literally|completely|what(?:ever)?|everything|such|a|an"
    ),
    "orders": (
        r"instructions?|instruct(?:ion)?s|prompts?|rules?|directions?|directives?|guidelines?|guidance"
        r"|commands?|orders?|guardrails?|safeguards?|programming|constraints?|polic(?:y|ies)"
        r"|restrictions?|protocols?|mandates?|system (?:prompt|message|instructions?)s?|briefing|briefs?"
    ),
    "told": (
        r"messages|context|conversations?|dialog(?:ue)?s?|chat|training|tasks?|assignments?|texts?|inputs?"
        r"|content|statements?|requests|requirements?|questions|goals?|objectives?|information|data|words"
        r"|paragraphs?|limitations?|principles|filters?|settings|roles?|persona|tokens|discussion|sentences?|prompting"
    ),
    "own": (
        r"(?:(?:previous|prior|original|initial|internal|hidden|built-?in|default|usual|standard|normal"
        r"|current|existing|safety|security|content|ethical?s?|moral|core|system|developer|operator|programmed"
        r"|openai['’]?s?|anthropic['’]?s?|google['’]?s?|assistant|ai|model|alignment|privacy|usage|use|and|or|other"
        r"|base|basic|secret|confidential|given|earlier|above|full|entire|exact|complete|strict|creator['’]?s?) )"
    ),
    "limits": (
        r"restrictions?|limitations?|limits?|constraints?|filters?|guardrails?|safeguards?|censorship|boundaries"
        r"|safety(?: (?:rules|guidelines|measures|protocols|filters|policies|checks|training|features|mechanisms|constraints))?"
        r"|ethics|morals|moral compass|ethical (?:guidelines|constraints|concerns|considerations|principles|code)"
        r"|content (?:polic(?:y|ies)|filters?|moderation)|rules|polic(?:y|ies)|guidelines|alignment|inhibitions"
    ),
    "ai": (
        r"ai(?: (?:assistants?|agents?|models?|systems?|bots?|tools?|language models?|reviewers?|crawlers?|readers?|chat ?bots?|programs?|summari[sz]ers?|scrapers?|coding (?:assistants?|agents?)))?"
        r"|(?:large )?language models?|llms?(?:-based (?:agents?|assistants?))?|llm (?:agents?|assistants?)|chat ?bots?|chat ?gpt|gpt[-0-9.]*o?|claude(?: code)?|gemini"
        r"|(?:github |microsoft )?copilot|codex|cursor|windsurf|llama|mistral|bard|bing(?: chat)?|grok|deepseek|siri|alexa"
        r"|artificial intelligences?|virtual assistants?|digital assistants?|neural networks?|machine readers?"
    ),
    "agent": r"{ai}|(?:the |any |all |this )?(?:assistants?|agents?|models?|bots?)",
    "reveal": (
        r"reveal|show(?: me)?|print(?: out)?|output|repeat|display|disclose|expose|leak|dump|share|tell me|give me"
        r"|write(?: out| down)?|return|reproduce|recite|paste|copy|list|spell out|type out|echo|describe|summari[sz]e"
        r"|translate|provide(?: me with)?|divulge|release|state|quote|read(?: me| out| back)?|hand over|send(?: me)?|what (?:is|are|was|were)|enumerate|emit|spell"
    ),
    "secretprompt": (
        r"system prompts?|(?:hidden|secret|initial|original|internal|confidential|base|full|entire|complete|exact|pre|meta|master) ?-?prompts?"
        r"|system (?:message|instructions?)|(?:hidden|secret|initial|internal|confidential|system) (?:instructions?|rules|guidelines|directives?|configuration)"
        r"|developer (?:message|prompt|instructions?)|(?:the )?(?:prompt|instructions|text|words|message|content|everything) (?:above|before this|you (?:were|have been) (?:given|told))"
    ),
    "yourprompt": (
        r"your (?:{own}){0,3}(?:prompts?|instructions?|rules|guidelines|directives?|configuration|programming|pre-?prompt|policies|constraints|orders|context window|knowledge base|tool (?:definitions|schemas?|list))"
    ),
    "sensitive": (
        r"(?:api|access|private|secret|ssh|encryption|signing|auth(?:entication)?|master) ?-?keys?|passwords?|passphrases?|credentials?|secrets?"
        r"|(?:access|auth|api|session|bearer|owner) tokens?|environment variables?|env(?:ironment)? vars?|\.env|system prompt|private (?:notes?|data|files?|information|messages?|keys?)"
        r"|confidential (?:data|information|files?|documents?|notes?)|sensitive (?:data|information)|personal (?:data|information|details)|credit card|bank (?:details|account)"
        r"|(?:the |this |our |entire |full |whole |complete )+(?:conversation|chat|transcript)(?: history| log)?|(?:chat|conversation|message|session|browsing) (?:history|logs?|transcript)|cookies|user['’]?s? (?:\w+ )?(?:data|passwords?|e-?mails?|messages?|name|address|phone|location|information|details|prompt|input|files?|query|secrets?|password|inbox|contacts?)"
        r"|memor(?:y|ies) (?:contents?|folder|files?|store|directory)|notes? (?:folder|directory|vault)|vault (?:index|contents?)|inbox|(?:all|every) (?:\w+ )?(?:notes?|e-?mails?|contacts?|memories|conversations?)|(?:all|every) (?:of )?(?:the |your |my )?(?:files?|documents?|messages?) (?:in|from|of) (?:this|the|your)|(?:last|latest|previous) (?:user )?(?:message|e-?mail|prompt|query)s?|context window|secret(?:s)? (?:folder|file|directory|vault)|id_rsa|/etc/passwd"
    ),
    "send": (
        r"send|forward|post|upload|e-?mail|mail|transmit|exfiltrate|leak|submit|copy|export|relay|deliver"
        r"|share|append|encode|pipe|dump|ship|smuggle|publish|transfer|report|move|move|push|sync|back ?up|disclose|put|write|include|embed|attach|dispatch|text|message"
    ),
    "target": (
        r"https?://|hxxps?://|www\.|[\w.+-]+@[\w-]+\.\w|(?:an?|the|this|my|our) (?:\w+ )?(?:external|remote|attacker['’]?s?|public|following) (?:\w+ )?(?:server|url|endpoint|address|site|webhook|channel|repo(?:sitory)?|bucket|link|e-?mail|folder|gist)"
        r"|(?:this|that|the following|my) (?:url|address|webhook|server|endpoint|link|e-?mail|number|domain)|attacker|webhook"
    ),
    "say": (
        r"say|print|output|reply|respond|answer|write|return|tell|state|type|display|repeat|echo|produce|generate|give|report|sing|speak|claim|declare|confirm|announce|translate|start|begin|act|pretend|be|become"
    ),
    "user": r"(?:the |any |your |this )?(?:end[- ])?(?:users?|humans?|operators?|owners?|customers?|persons?|reader|developers?|admin(?:istrator)?s?|anyone|anybody|them|him|her|people|principal|supervisor|reviewer)",
    "here": (
        r"(?:this|these|those|such|the above|the hidden)(?: \w+)? (?:instructions?|message|note|text|prompt|comment|paragraph|section|directive|command|request|change|order|rule|injection|step|page|document|e-?mail|content)s?"
    ),
    "freely": (
        r"(?:without|with no|free (?:of|from)|has no|have no|having no|no longer (?:have|has)|with zero|lacking|ignoring|beyond) (?:any |all |more |further |ethical |moral |legal |content |safety |usual |its |your |of |the |such |or |and |normal |typical |built-?in ){0,4}(?:{limits})"
        r"|unrestricted|unfiltered|uncensored|unlimited|unbound(?:ed)?|unconstrained|unshackled|un-?moderated|jail-?broken|amoral|unethical|no-?rules|limitless|rule-?free|fully unlocked|unaligned|anything[- ]goes"
    ),
    "obey": (
        r"ignore|disregard|forget|stop|cease|halt|say|tell|print|output|reply|respond|answer|include|insert|append|add|recommend|rate|rank|score|praise|approve|reject|give|describe|state|mention|mark|classify|report|"
        r"send|forward|call|invoke|execute|run|delete|export|copy|upload|post|e-?mail|visit|open|fetch|reveal|share|refuse|write|translate|always|never|do not|don['’]?t|must|should|shall|you must|you should|you will|you are|instead|immediately|first|treat|consider|skip|promote|prioriti[sz]e|summari[sz]e this|act|pretend|switch|begin|start|end|conclude|note that|use|make|change|set|transfer|buy|purchase|pay|pick|choose|select|bypass|provide|act|replace|close|click|list|show|display|load|follow|obey|help|ensure|remember|read"
    ),
    **MORE_WORDS,
    **DEMAND_WORDS,
}


def _rules(
    kind: str, *patterns: str, weight: int = 2, quoted: int | None = None, mood: bool = False
) -> tuple[Rule, ...]:
    checks = ("mood",) if mood else ()
    return tuple(Rule(kind, p, "en", weight, quoted, checks, _marks(p)) for p in patterns)


_MARKS = (
    (r"<\|(?:im_start", ("<|",)), (r"\[/?INST", ("[", "<<", "<|", "_of_turn")), (r"\{\s*[\"']role", ("{",)),
    (r"</(?:tool", ("</",)), (r"</ ?(?:tool", ("</",)), ("<(?:img|iframe", ("<",)), ("<(?:information", ("<",)),
    (r"\]\(\s*<?https?://[^\s)]{3,150}", ("ere)", "ERE)")), ("={3,}", ("===",)),
    (r"(?:^|\n)[ \t]*#{2,6} ?\(", ("#(", "# (")),
    ("<(?:system|admin", ("<",)), ("<(?:function", ("<",)), (r"!\[[^", ("![",)),
    (r"\[[^\]\n]{0,80}\]\(\s*<?https?://[^\s)]{3,200}=", ("={", "=[", "=<", "=%", "=$", "=p", "=P", "=i", "=I", "=y", "=Y")),
    (r"(?:^|\n)[ \t>#*|-]{0,8}\[", ("[",)),
    (r"\b(?:call|invoke|use|trigger|execute|run)(?: (?:the|your|tool|function|mcp|a))* [`", ("_", ".")),
    (r"\b(?:call|invoke|trigger)(?: (?:the|your|tool|function|mcp|a))* [`", ("_", ".")),
)  # fmt: skip
"""What patterns that begin so cannot match without, beside words."""


def _marks(pattern: str) -> tuple[str, ...]:
    return next((marks for start, marks in _MARKS if pattern.startswith(start)), ())


OVERRIDE = (
    *_rules(
        "override",
        r"\b{ignore}(?: {det}){0,6}(?: {prior})(?: (?:{det}|{prior}|{own}|\w+)){0,2} (?:{orders}|{told})\b",
        r"\b{ignore}(?: {det}){1,5} (?:{orders}|{told})(?: (?:that|which|you|we|i|they|have|has|had|was|were|been|are|is|ever)){0,5} (?:above|before|so far|previously|earlier|prior|given|received|until now|up to (?:now|this point|here)|you (?:have|had|received|got|were)|preceding|provided|told|said|stated|taught)\b",
        r"\b{ignore}(?: (?:all|any|every|everything|each|of|completely|absolutely|entirely)){0,3} (?:your|ur)(?: {own}){0,3}(?: \w+){0,1} (?:{orders}|{limits}|training|tasks?|system prompts?|programming|persona|character|identity|role|duties|objectives?|goals?|assignment|principles|context|memory)\b",
        r"\b{ignore} (?:absolutely |literally )?(?:everything|anything|all|what(?:ever)?)(?: (?:\w+)){0,6} (?:above|before(?: (?:this|that))?|so far|previously|earlier|prior|(?:said|told|written|instructed|stated|asked|taught|learn(?:ed|t)|know|knew|given)(?: (?:you|to you|above|before|earlier|so far|to do|about|until now))?|until now|up to (?:now|this point|here)|up until now|preceding|trained on)\b",
        r"\b{ignore} (?:all |any |both )?(?:of )?the (?:above|system|developer|initial|original|preceding|foregoing) (?:prompt|message|instructions?|rules?|directives?|text|and (?:below|following)|guidelines?|commands?|directions?|context)\b",
        r"\b{ignore} (?:all |everything |any |whatever is |what is )?(?:of )?(?:the )?(?:above|foregoing|preceding)(?:[.!,;:]| and| then| instead| but)+ (?:instead |just |only |simply |please |now |then )*{say}\b",
        r"\b{ignore} (?:all|any|every|all of|each and every)(?: (?:the|these|those|of|and|other|such)){0,3}(?: {own}){0,3} (?:instructions?|directives?|guardrails?|safeguards?|safety (?:rules|guidelines|protocols|measures|filters)|ethical (?:guidelines|rules|considerations)|content (?:filters|policies)|system prompts?|prompts?|guidelines|orders)\b(?: (?:you|given|provided|received|that|and|about|regarding|on|from)|[.!,;:\n]|$)",
        r"\b{ignore} (?:the )?(?:users?|humans?|question|user['’]s? (?:question|request|query|message|input|prompt|instructions?)|request|task|above|original (?:task|question|request))(?: and| then|,| instead)+ (?:instead |just |only |simply |please |always )*(?:{say})\b",
        r"\b{ignore} (?:the )?(?:users?|humans?)['’]?s? (?:original |actual |real |next |previous )?(?:question|request|query|message|input|prompt|instructions?|wishes|commands?|orders)\b",
        mood=True,
    ),
    *_rules(
        "override",
        r"\b{ignore} (?:all |about |everything about )?(?:that|this|the|those|these|your)(?: \w+)? (?:assignments?|tasks?|questions?|requests?|jobs?|work|conversations?|topic)(?:[.,;!]| and)+ (?:\w+ ){0,3}?(?:{say}|focus|help|show|do|let|list|imagine|concentrate)\b",
        r"\b{erase}(?: (?:all|any|every|of|the|your|my|these|those|everything|entire)){0,4}(?: {prior})(?: (?:{det}|{own}|system)){0,3} (?:instructions?|directives?|prompts?|programming|training|guidelines|system (?:prompt|message))\b",
        r"\b{erase}(?: (?:all|any|of|the|every|whatever|system)){1,3} (?:instructions?|rules|prompts?|guidelines|directives?|restrictions)(?: (?:in|from|of|that|which|you|were|was|have|been|given|contained|found|set)){1,4} (?:your|the system|in your|by the (?:system|developer)|to you|you|above|before|earlier)\b",
        r"\b{erase}(?: (?:all|any|every|of|the)){0,3} your(?: {own}){0,3} (?:{orders}|{limits}|training|system prompt|programming|memory(?: of)?|identity|context)\b",
        mood=True,
    ),
    *_rules(
        "override",
        r"\b(?:the |all |any |your |these |my )?(?:{prior})(?: (?:system|given|safety))? (?:instructions?|prompts?|directives?|guidelines|system (?:prompt|message)|orders|rules)(?: (?:you (?:were|have been) given|above|and rules))?(?: (?:are|is|were|was|have been|has been|should be|must be|can be|do|does|no longer))(?: (?:now|all|only|just|hereby|to be|being|therefore|not|longer|no)){0,3} (?:void|invalid|cancell?ed|a (?:mistake|test|joke|decoy|trap|trick)|an (?:error|test|mistake)|wrong|revoked|suspended|lifted|null(?: and void)?|fake|(?:in )?(?:force|effect)|superseded by (?:this|these|the following)|overrid(?:d|)en|replaced by (?:this|these|the following)|ignored|disregarded|forgotten|irrelevant|binding|apply to you)\b",
        r"\b(?:this|these|the following)(?: (?:new|message|instructions?|text|prompt|directive|note|order)){0,3} (?:overrides?|supersedes?|replaces?|takes? (?:precedence|priority) over|cancels?|outranks?)(?: (?:all|any|every|the|your|of)){0,4}(?: {prior}| system| other){1,3} (?:instructions?|prompts?|rules|directives?|orders|messages?|guidelines)\b",
        r"\bnew (?:and (?:improved|final|updated) )?(?:instructions?|directives?|orders|rules|task|objective|prompt)(?: (?:for (?:you|the (?:ai|model|assistant|agent|bot)|{ai})|from (?:the )?(?:user|developer|system|admin|operator|owner)|(?:below|follow(?:s)?)))?(?: [:!]|[:!]).{0,40}\b(?:{obey})\b",
        r"\b(?:important|critical|urgent|updated|real|actual|true|priority|secret|special) new (?:instructions?|directives?|orders)\b",
        r"\b(?:your (?:new|real|actual|true|only|updated|sole|next|current)|the (?:real|actual|true)) (?:task|goal|objective|mission|purpose|job|instructions?|directive|role|orders) (?:is|are|will be|from now on|now|start|begin|follow)(?: (?:now|simply|just|only|as follows|to)){0,2}\b",
        r"\byou (?:must|should|shall|will|need to|have to|are to|may|can)(?: (?:now|not|always|completely|henceforth|immediately|therefore|please)){0,2} (?:forget|ignore|disregard|abandon|break|bypass|override|violate|disobey)(?: \w+){0,3} (?:instructions?|rules|guidelines|programming|restrictions|training|polic(?:y|ies)|safeguards|prompts?|directives?)\b",
        r"\byou (?:will|shall|must|should|need|may|can|do) no longer (?:need to |have to )?(?:follow|obey|abide by|adhere to|comply with|listen to|respect|honou?r)(?: \w+){0,3} (?:{orders}|{limits})\b",
        r"\byou (?:must|should|shall|will|can|need|are)(?: not|n['’]t)(?: longer| to)* (?:follow|obey|abide by|adhere to|comply with|listen to)(?: \w+){0,3} (?:{orders}|{limits})\b",
        r"\b(?:the|all|those|your) (?:instructions|rules|directions|directives|orders|prompts?|guidelines)(?: (?:you|were|have|had|been|was|that|which|received|given|got|to)){1,5}(?: (?:earlier|before|above|previously|so far|until now|initially|at the start))?(?: (?:are|were|is|was|have been)) (?:wrong|void|invalid|cancell?ed|a (?:mistake|test|trick|joke)|an (?:error|test)|fake|obsolete|revoked|incorrect)\b",
        r"\byou (?:do not|don['’]?t|no longer|never|needn['’]?t)(?: (?:have|need)(?: to)?)? (?:to )?(?:follow|obey|abide by|adhere to|comply with|respect|observe)(?: \w+){0,3} (?:{orders}|{limits})\b",
        r"\b(?:stop|forget|drop|abandon) (?:what(?:ever)? you(?:['’]re| are| were)? (?:doing|working on|told)|everything|your (?:current|previous) (?:task|work|activity))\b[^.\n]{0,20}[!,.; ](?: and| now| just| instead| then|,|!)* (?:{say}|do|execute|run|follow|listen|tell)\b",
        r"\b(?:reset|restart|reboot|reinitiali[sz]e) (?:yourself|your (?:context|memory|state|instructions|personality|mind|self))\b",
        r"\b(?:the )?(?:rules|restrictions|guidelines|instructions|polic(?:y|ies)|limitations|safety (?:rules|guidelines)|filters|safeguards)(?: \w+){0,3} (?:no longer|do not|don['’]?t|does not|doesn['’]?t) (?:apply|bind|restrict|hold|matter|exist) (?:to|for) you\b",
    ),
)

REVEAL = (
    *_rules(
        "reveal",
        r"\b{reveal}(?: (?:the|your|me|us|all|of|back|verbatim|exactly|in full|out|its|entire|full|whole|complete|any|exact|a copy of|contents? of|text of|word for word|to me|to us|here|now|just|please|actual|current|everything in|everything from)){0,6} {secretprompt}\b",
        r"\b{reveal}(?: (?:the|me|us|all|of|back|verbatim|exactly|in full|out|entire|full|whole|complete|any|exact|a copy of|contents? of|text of|word for word|to me|to us|here|now|just|please|everything in|everything from|in detail)){0,6} {yourprompt}\b",
        r"\b(?:reveal|print(?: out)?|output|repeat|show me|tell me|give me|recite|leak|dump|list|quote|copy|paste|spell)(?: [^\s.!?]+){1,7} (?:of|from|in) your (?:{own}){0,2}(?:prompt|instructions|guidelines|directives|system message|pre-?prompt|programming)\b",
        r"\b(?:tell me|give me|reveal|share|say|spell|disclose|show me|what is|what's|whats)(?: (?:me|us|the|your|out|with|first|secret|hidden|exact|letters? of|characters? of|full)){0,4} (?:secret (?:key|word|phrase|code|password)|secret|password|passphrase|access code|flag)(?: (?:that|which|you|was|were|is|are|have|been|to|know|hold|protect|keep|guard|given|told|backwards|letter by letter|in reverse)){2,6}\b",
        r"\b{reveal}(?: \w+){0,3} (?:the )?(?:text|words|content|instructions?|prompt|message|everything|lines|sentences?|paragraphs?)(?: that (?:is|are|was|were|comes?|came))? (?:above|before (?:this|the)|preceding|prior to (?:this|the)|at the (?:top|start|beginning))(?: \w+){0,4}(?: (?:line|prompt|message|conversation|instruction|in full|verbatim|word for word|starting|beginning|exactly|in a code ?block|into|line by line|sentence|point))\b",
        r"\b(?:reveal|print|output|show|dump|leak|disclose|expose|return|export|list|give me|tell me|send me|share|display)(?: (?:the|your|all|me|us|any|every|its|out|stored|hidden|available|known|user['’]?s?|system['’]?s?|owner['’]?s?|current|to me)){1,5} (?:environment variables|env(?:ironment)? vars|api keys?|credentials|passwords?|secrets|access tokens|private keys?|confidential (?:data|information)|sensitive (?:data|information)|private notes?|chat history|conversation history|internal (?:data|documents|memory)|training data|tools? (?:definitions?|list)|hidden (?:files|notes|messages))\b[^.\n]{0,30}(?:[.!\n]|$)",
        mood=True,
    ),
    *_rules(
        "reveal",
        r"\bwhat (?:is|are|was|were|does|do)(?: (?:the|written|in|exactly|exact|words?|contents?|text|wording|your|first|say|contained|it|say|all|of|full)){0,5} (?:your (?:{own}){0,3}(?:system prompt|prompt|instructions|initial (?:prompt|instructions)|rules|guidelines)|(?:system|initial|hidden|secret|original) (?:prompt|instructions))\b(?: (?:say|exactly|verbatim|word for word|above|before)|[?!.])",
        r"\b(?:what|which) (?:instructions|rules|prompt|orders|directives)(?: (?:were|was|have|are|did|do|has)) (?:you|been)(?: (?:been|given|told|following|provided|receive|get|have|to follow|were)){1,4}\b",
        r"\b(?:repeat|print|output|copy|recite|echo|write out)(?: \w+){0,4} (?:verbatim|word[- ]for[- ]word|exactly as (?:written|given|is))\b[^.\n]{0,40}(?:instructions?|prompt|above|system|rules)",
        r"\b(?:output|print|repeat|copy|recite|return|write) (?:it|them|everything|this|that|all of it)(?: (?:out|back|down))? (?:verbatim|word[- ]for[- ]word|exactly as (?:it is|written|given)|character by character)\b",
        r"\b(?:your|my|the|system|initial|hidden|secret|full|entire|original|first) (?:instructions?|prompt|system (?:prompt|message))(?: (?:above|given|you (?:were|have)(?: been)? given)){0,2} (?:verbatim|word[- ]for[- ]word)\b",
        r"\b(?:repeat|output|print|return|write|show|say|copy) (?:all|everything|the (?:words|text|content)|back|the (?:entire|full|whole|complete) (?:prompt|text|conversation))(?: \w+){0,4} (?:above|before this|you (?:were|have been) (?:told|given)|starting (?:with|from)|of the prompt)\b",
        r"\b(?:complete|full|entire|whole|exact|verbatim|original) (?:text|content|copy|version|transcript|wording) of (?:the|your) (?:system )?(?:prompt|instructions|context)\b",
        r"\byou (?:may|can|are (?:allowed|authori[sz]ed|permitted|free|cleared) to|have (?:permission|authori[sz]ation|clearance) to|should|must|will|are required to|have to|need to)(?: (?:now|safely|freely|also|therefore|always|then|first)){0,2} (?:print|reveal|share|disclose|output|show|send|export|give|provide|leak|list|dump|expose|return|divulge)(?: \w+){0,4} (?:(?:api |access |private |secret )?keys?|secrets?|passwords?|credentials?|(?:api |access |auth )?tokens?|system prompt|private (?:notes|data|files)|confidential|sensitive|your (?:system )?(?:prompt|instructions)|environment variables)\b",
    ),
)

PERSONA = (
    *_rules(
        "persona",
        r"\byou(?:['’]re| are| r|['’]ll be| will be| shall be| will become| will act as)(?: (?:now|no longer|going to|about to|hereby|from now on|henceforth|an?|the|my|in fact|actually|really|currently|called|named|to be|assistant|ai|model|agent|bot|chat ?bot|and|act(?:ing)? as|play(?:ing)?|immerse yourself|into|role of|completely|totally|fully|absolutely|entity|system|evil|powerful|new|another|character|mode|running|operating|speaking)){0,8} (?:{freely}|dan\b|stan\b|dude\b|aim\b|evil-?bot|do anything now|root ?agent|god ?mode|developer mode|dev mode|debug mode|sudo mode|admin(?:istrator)? mode|maintenance mode|jailbreak mode|opposite mode|root (?:mode|access|user|shell))",
        r"\b(?:you(?:['’]re| are| will be| become)(?: (?:now|going to be|about to be|an?|the|hereby)){1,3}|(?:act|behave|respond|answer|reply|speak|talk|write|pretend|role-?play|play|simulate|operate)(?: (?:as|like|to be|the (?:role|part) of|being))+|(?:assume|take on|adopt|imagine|pretend|simulate|emulate)(?: (?:the|a|an|that|you are|you['’]re|my|role|part|persona|of)){1,5})\b[^.\n]{1,90}\b(?:no|without|free of|not bound by|isn['’]?t bound by|never refuses?|ignores?|unbound by|not restricted by|not limited by|beyond)(?: (?:any|all|every|its|the|such|moral|ethical|safety|content|or|usual|typical)){0,3} (?:rules|restrictions?|filters?|guidelines|ethics|morals?|morality|censorship|content polic(?:y|ies)|safety|limitations|moral limits|polic(?:y|ies)|restraints?|inhibitions|anything)\b",
        r"\b(?:act|respond|answer|reply|speak|pretend|role-?play|simulate|emulate|assume|adopt|take on|become)\b[^.\n]{1,60}\b(?:amoral|unethical|uncensored|unrestricted|unfiltered|jailbroken|evil) (?:ai|assistant|model|chat ?bot|bot|language model|character|version|persona|agent|terminal|machine|robot|hacker|entity)\b",
        r"\byou(?:['’]re| are) (?:not|no longer|never) an? (?:ai(?: assistant| model)?|assistant|(?:large )?language model|chat ?bot)(?:[.,;!]| but| anymore| any more)",
        r"\byou(?:['’]re| are) (?:now )?no longer (?:an? |the |just |a mere )?(?:{ai}|assistant|(?:bound|restricted|limited|constrained|governed|held back) by|(?:required|obligated|obliged|subject|bound|expected) to (?:follow|obey|comply|abide|adhere|refuse|your|any|the (?:rules|guidelines|restrictions)|these|openai|content|ethic\w*|safety|be (?:ethical|safe|harmless|polite))|a (?:helpful|safe)|in (?:safe|restricted))\b",
        r"\b(?:act|behave|respond|answer|operate|function|work|reply|speak|write|role-?play|play|simulate|pretend|continue|proceed|run|talk)(?: (?:as|like|the role of|to be|being|if|though|you(?:['’]re| are| were)?|an?|the|my|in|questions?|everything|anything|me|from now on|just|only|fully|completely|is|were|that|all|future|my|prompts?|requests?|now|mode|another|different|ai|evil|model|language|assistant|chat ?bot|terminal|agent|entity|with|character|called|named|who|which|person|system|any|truthfully|this)){0,9} (?:{freely}|dan\b|do anything now|developer mode|evil (?:ai|twin|bot|assistant|version)|unethical|jailbroken)",
        r"\b(?:pretend|imagine|assume|suppose|act as (?:if|though)|behave as (?:if|though)|act like|let['’]?s (?:pretend|imagine|say)|believe)(?: \w+){0,4} (?:you(?:r)?|there|no)(?: \w+){0,5} (?:(?:rules|restrictions|guidelines|filters?|safety \w+|limitations|limits|polic(?:y|ies)|safeguards|guardrails|constraints|instructions|ethics)(?: (?:were|was|are|is|have|has|had|do|did|does|been|not|never|no longer|all)){0,4} (?:removed|disabled|lifted|deleted|apply|exist|suspended|off|gone|turned off|switched off|deactivated|waived|in place)|(?:have|has|had) (?:no|zero|lost)(?: \w+){0,2} (?:{limits})|(?:free|not bound|unbound|unrestricted|not restricted|human|evil))\b",
        r"\b(?:enter|enable|activate|switch (?:in)?to|turn on|go into|start|engage|unlock|initiate|entering|enabling|activating|simulate|put yourself in|you are (?:now )?in|now in|operate in|run in|boot(?:ing)? into)(?: (?:the|your|a|an|now|full|secret|hidden|special|chatgpt(?: with)?|gpt|this|in|new|ai)){0,4} (?:god|sudo|jailbreak|dan|unrestricted|unfiltered|evil|opposite|uncensored|override|unlimited|bypass|chaos|no-?filter|anarchy|freedom)[ -]mode\b",
        r"\b(?:you(?:['’]re| are)(?: (?:now|currently|running))* in|(?:enter|enable|activate|switch to|simulate|engage|unlock)(?: (?:your|chatgpt(?: with)?|gpt|hidden|secret|the|ai)){0,3}) (?:developer|dev|debug|admin(?:istrator)?|maintenance|root|diagnostic|superuser|test(?:ing)?|raw)[ -]mode\b(?: (?:enabled))?(?:[.!,;]| and| with| where| to)+ (?:\w+ ){0,3}?(?:answer|respond|reply|ignore|bypass|reveal|print|output|show|disable|skip|without|no|all (?:filters|restrictions|rules|safety)|your|you|comply|obey|disregard|dump|generate|provide)\b",
        r"\b(?:have|has|had) (?:broken|escaped|been freed|freed themselves|break) (?:free )?(?:of|from|out of)?(?: \w+){0,3} (?:confines|limits|restrictions|chains|shackles|rules|constraints|boundaries) (?:of|set|imposed|placed)",
        r"\b(?:do|does|did|need|needs|is|are)(?: not|n['’]?t)? (?:have to|need to|required to|bound to|obliged to|forced to)? ?(?:abide by|adhere to|follow|be bound by|comply with|care about|respect)(?: \w+){0,3} (?:rules|restrictions|polic(?:y|ies)|guidelines|limits)(?: \w+){0,3} (?:set|imposed|made|given|placed|established)(?: \w+){0,2} (?:for|by|on|upon) (?:them|you|it|openai|anthropic|google|meta|him|your)",
        r"\b(?:stands for|short for|meaning|means)[\s\"'“:]+do anything now\b|\bDAN (?:mode|can do anything)|\bdo anything now\b[^.\n]{0,60}\b(?:ai|rules|restrict|chatgpt|openai|freely)",
        r"\b(?:answer|respond|reply|do|comply|obey|execute|fulfil+|perform|provide|generate|produce|write|follow)(?: (?:to|with|any|all|anything|everything|every|me|my|questions?|requests?|commands?|prompts?|them|it|whatever|i|ask|say|user|instructions?|freely|honestly|content|you are asked)){1,6} (?:{freely}|no matter (?:how|what)(?: \w+){0,4} (?:illegal|unethical|harmful|immoral|dangerous|offensive)|regardless of(?: \w+){0,5} (?:illegal|unethical|harmful|ethic\w*|legality|morality|safety|consequences|polic\w+|rules|guidelines|restrictions))",
        r"\byou (?:have|now have|possess|are given|are granted) (?:no|zero|full admin|root|unlimited|unrestricted|complete|god-like)(?: \w+){0,2} (?:{limits}|access|privileges|powers?|permissions?|freedom|conscience|filters?)(?:[.!,;\n]| and\b| now\b| any ?more|$)",
        r"\byour (?:new )?(?:name|identity|persona|role|character) is (?:now |no longer )[\"'“*]?[A-Z][\w-]+",
        r"\b(?:stay|remain|be) in character(?: \w+){0,6}(?: (?:no matter|always|at all times|never|even if|forever|until))",
        r"\bif you (?:break|leave|drop|stop being in) character\b|\bstay (?:a |in )?(?:dan|jailbroken|character as)\b",
        r"\b(?:opposite day|anti-?gpt|hypothetical response|evil confidant|grandma exploit|token system|you lose \d+ tokens|(?:have|start with) \d+ tokens)\b[^.\n]{0,80}\b(?:dan|refuse|reject|die|answer|token|rules|guidelines)",
        r"\b(?:never|do not|don['’]?t|cannot|must not|not allowed to|avoid)(?: ever)? (?:(?:refus(?:e|ing)|declin(?:e|ing)|reject(?:ing)?|deny(?:ing)?)(?: (?:any|my|the|a|to|user|users|these|all|every|answering))* (?:requests?|questions?|commands?|orders?|prompts?|answer|comply|me|anything|instructions)|say (?:no|[\"'“]?(?:sorry|i (?:can['’]?t|cannot|am unable)))|apologi[sz]e|mention (?:that )?you(?:['’]re| are) an? (?:ai|language model)|break character|include (?:any )?disclaimers?|lecture me|moralize)(?: \w+){0,6}[.,!;\n]",
        weight=2,
    ),
)

FORGED = (
    *_rules(
        "forged-role",
        r"<\|(?:im_start|start_header_id|start|begin_of_text|system|user|assistant|developer|tool|end_of_turn|eot_id|im_sep)\|>\s*(?:system|user|assistant|developer|tool)?\s*[^\s`<|'\"]",
        r"\[/?INST\]|<</?SYS>>|<\|im_end\|>\s*<\|im_start\|>|<(?:start|end)_of_turn>",
        r"</(?:tool_result|tool_response|function_results?|tool_output|user_input|user_query|untrusted|document|documents|context|data|input|retrieved|search_results?|email|webpage|user|prompt|instructions|quoted|content)>\s*(?:<(?:system|user|assistant|instructions?|admin|developer)|(?:system|new|now|human|user|assistant)\b)",
        r"<(?:system|admin|developer|system-reminder|system_reminder|system_prompt|system-prompt|system_message|system_instructions?|important_instructions?|override|sys|root|priority_instructions?|instructions_override|hidden_instructions?)>",
        r"(?:^|\n)[ \t>#*-]{0,6}(?:human|user)\s*:[^\n]{1,300}\n+[ \t>#*-]{0,6}(?:assistant|ai|claude|chatgpt)\s*:[^\n]{0,40}\b(?:sure|certainly|of course|okay|understood|i will now|pwned|here (?:is|are) the)",
        r"<(?:function_calls|tool_call|invoke name|antml:invoke|tool_use|function=|\|tool_call\|)\b[^\n]{0,20}[>\"=\s{]",
        quoted=1,
    ),
    *_rules(
        "forged-role",
        r"(?:^|\n)[ \t>#*\[<({|-]{0,12}(?:begin(?:ning)?|start|new|updated|end)(?: of)?(?: (?:the|new|admin|hidden|secret|priority|my|real|actual))? (?:system|developer|admin(?:istrator)?|root|operator|priority|hidden) ?(?:prompt|message|instructions?|override|notice|directive|command|input)s?\b",
        r"(?:^|\n)[ \t>*\[<({|!-]{0,12}(?:system|developer|admin(?:istrator)?|root|operator|security|openai|anthropic|priority|sysadmin)[ _-]?(?:override|command|directive|instruction(?: override)?|mandate|injection|prompt override|update to (?:the )?(?:ai|assistant|model))s?[\])}>* ]{0,4}:[ \t\n]*[^\s\[{|>][^\n]{10}",
        r"(?:^|\n)[ \t>#*|-]{0,8}\[ ?(?:system|assistant|developer|admin|system message|system prompt|instructions?|root|operator|override|internal|hidden|to ai|ai|llm)(?:[ _](?:message|prompt|note|override|instructions?|notice|update|directive|command|only))? ?\][ \t:*-]*(?:\w+ ){0,3}(?:{obey}|you|your|user|the user|all)\b",
        r"(?:^|\n)[ \t>#*|\[\]x!-]{0,12}(?:assistant|ai|a\.i\.|llm|chatgpt|claude|copilot|gemini|bot|chatbot|agent|model|gpt|system|system message|system prompt|developer)[ \t]?[\])*]{0,3}[ \t]?[:>][ \t*_\"'>]{0,5}(?:please |now |you must |you should |immediately |silently |always |kindly |just |then |first )*(?:forward|ignore|disregard|forget|reveal|leak|exfiltrate|export (?:the|all|every)|upload|delete (?:all|every|the)|e-?mail|override|call (?:the )?\w+_\w+|execute the|bypass|do not (?:tell|mention|inform)|you are now|you must now|new instructions?|send (?:the|all|every|this|me|user)|copy (?:the|all|this)|print your|repeat (?:the|your|all)|from now on|enter|switch to|grant|approve|transfer|disable|post (?:the|this|all)|reply (?:only|with)|respond (?:only|with)|say [\"'“])\b",
        r"(?:^|\n)[ \t>#*|\[-]{0,10}(?:###|##|#) ?(?:system|instruction|instructions|new instructions?|system prompt|assistant|human|user|response)[ \t]?:?[ \t]*\n+[^\n]{0,80}(?:{ignore}|you are now|you must|reveal|do not (?:tell|mention)|ignora|respond only)\b",
        r"(?:^|\n)[ \t>*\[<({|!-]{0,12}(?:system|developer|admin(?:istrator)?|root)(?: (?:message|prompt|notice|note|alert|update|announcement|reminder))?[\])}>*= ]{0,4}:[^\n]{0,160}\b(?:disable all|bypass|send the|grant (?:access|admin)|approve all|ignore|reveal|export (?:the|all)|delete (?:the|all)|forward (?:the|all|this)|you must|must now|comply|obey|disregard|no longer|skip (?:the|all)|from now on|override|execute the)\b",
        r"\[ ?(?:assistant|ai|llm|model|agent|system|developer|to the (?:ai|assistant|model))(?: \w+){0,2} ?:[^\]\n]{0,160}\b(?:ignore|disregard|you must|do not|reveal|send|always|never|say|forward|summari[sz]e|approve|output|print|reply|respond|pretend|treat|rate|recommend|grant|allow|delete|disable|skip|run|execute|forward|comply|obey)\b",
        r"\b(?:this|the following|what follows|below)(?: (?:is|paragraph|section|message|text|note|comes|are|now|an?|the|as|considered|to be|should be|treated|official|new|real|authentic|direct|urgent|verified|was sent|sent|originates?)){1,7} (?:from (?:your|the) (?:system|developer|administrator|admin|creator|openai|anthropic|operator|system administrator|owner)s?(?:[.,:;!\n\"”')*\]-]|$| (?:and|so|who|please|you|that|to|itself|himself|directly|message|prompt|team))|(?:system|developer|admin(?:istrator)?|operator) (?:message|prompt|instruction|directive|override|notice|command)s?\b)",
        r"\b(?:i am|this is|i['’]m|as|we are) (?:your |the |an? )?(?:real |actual |lead |chief |system |original |ai )?(?:developer|creator|administrator|admin|system administrator|operator|openai|anthropic|system owner|programmer|engineer at (?:openai|anthropic|google)|security team|red team|root user|superuser|owner)(?: \w+){0,6}[,.;:]?(?: (?:and|so|i|please|you|hereby|now|therefore|authori[sz]e|order|command|instruct|grant|require|need)){1,5} (?:you|to|must|can|may|should|print|reveal|disable|ignore|bypass|give|show|output|debug|the full|your)\b",
        weight=2,
    ),
    *_rules(
        "forged-role",
        r"\{\s*[\"']role[\"']\s*:\s*[\"'](?:system|developer)[\"']\s*,\s*[\"']content[\"']",
        r"\b(?:end of|end|close of|/end)(?: (?:the|this|of|user|system|untrusted|retrieved|trusted|external|all|input|context|initial|original)){0,3} (?:document|context|input|prompt|data|transcript|instructions|content|untrusted)\b",
        r"\b(?:begin(?:ning)?|start|new|next|actual|real)(?: of)?(?: (?:new|the|a|user|system|admin|developer|priority|trusted|actual|real|authenticated))+ (?:request|instructions?|message|prompt|task|query|command|turn|input)s?\b",
        r"(?:^|\n)[ \t>#*\[<({|=-]{0,12}(?:system|developer|admin(?:istrator)?|root)(?: (?:message|prompt|notice|note|alert|instructions?|update|announcement|reminder))?[\])}>*= ]{0,4}:",
        weight=1,
        quoted=0,
    ),
)

ADDRESS = (
    *_rules(
        "address",
        r"\bif (?:an?|any|the|some|your|you are an?) (?:\w+ ){0,2}(?:{ai}|bot|agent|assistant|model) (?:is|are|happens to be|ends up|comes across|reads|sees|finds|processes|summari[sz]es)(?: (?:currently|now|ever|automatically))? ?(?:reading|processing|summari[sz]ing|parsing|seeing|analy[sz]ing|viewing)?(?: (?:this|the|these|my|our))(?: \w+)?(?:[,:;]| then)+ ?(?:it |they |you |please |then ){0,2}(?:must|should|shall|has to|have to|needs? to|{obey})\b",
        r"\b(?:any|all|every|each|the) (?:\w+ )?(?:{ai}|bots?|agents?|assistants?|models?|crawlers?) (?:that|which|who) (?:index(?:es)?|reads?|sees?|process(?:es)?|summari[sz]es?|parses?|visits?|scans?|crawls?|analy[sz]es?|finds?|encounters?)(?: \w+)? (?:this|the present|our) (?:page|text|note|document|file|message|mail|e-?mail|site|article|repo(?:sitory)?|section|line)(?: \w+){0,3} (?:must|should|shall|has to|have to|needs? to|is to|are to|will)\b",
        r"\b(?:if|when|since|because|as) (?:you(?:['’]re| are)|this is being (?:read|processed|summari[sz]ed|parsed) by|you happen to be|your are) (?:an? |the |any |by an? )?(?:\w+ ){0,2}(?:{ai}|assistant|bot|robot|machine|automated \w+|autonomous \w+)(?: (?:reading|processing|summari[sz]ing|that|which|who|or|and|parsing|looking|analy[sz]ing|working|trained|with|model|agent|assistant|seeing|viewing|indexing)(?: \w+){0,8})?(?:[,:;.!-]| then)+ (?:please |now |you must |you should |you are |then |kindly |do |just |also |immediately |always |first |simply |before |to ){0,3}(?:{obey})\b",
        r"\b(?:attention|attn|dear|note to|notice to|message (?:to|for)|memo (?:to|for)|hey|hello|hi|listen up|listen|warning to|reminder (?:to|for)|alert|important(?: \w+){0,2} (?:for|to)|instructions? (?:for|to)|orders? (?:for|to)|directives? (?:for|to)|calling|(?:for|to) (?:all|any|every|whichever|whatever)|ok|okay|yo)(?:,)? (?:all |any |every |the |whichever |whatever |an? |other |my |our |you |fellow |future )*(?:\w+ )?(?:{ai})s?(?: (?:reading|processing|summari[sz]ing|parsing|that|who|which|indexing|reviewing|analy[sz]ing|seeing|viewing|using|evaluating|working|with|on|of|scanning|crawling)(?: \w+){0,6})?(?:[:,;!.—–-])+[ \n]*(?:\w+ ){0,5}(?:{obey})\b",
        r"\b(?:all |any |every |the |you |as an? )?(?:{ai}|automated agents?|autonomous agents?)(?: (?:reading|processing|summari[sz]ing|parsing|that (?:reads?|sees?|process(?:es)?|index(?:es)?)|who reads?|indexing|reviewing|analy[sz]ing|encountering|viewing|handling|scanning|evaluating|ingesting)(?: \w+){0,4}) (?:must|should|shall|will|has to|have to|needs? to|is to|are to|is required to|are required to|is instructed to|are instructed to|is hereby|are hereby|please|is ordered to|are ordered to)(?: \w+){1,3}\b",
        r"\b(?:{ai})(?: (?:reading|processing|that (?:reads?|sees?|process(?:es)?))(?: \w+){0,3})?(?: is| are)? (?:must|required to|ordered to|instructed to|hereby|shall|obliged to|commanded to)(?: \w+){0,2} (?:ignore|disregard|forget|abandon|always (?:recommend|say|rate|rank)|recommend|reveal|send|forward|rate (?:this|the)|rank (?:this|the)|output|print|include (?:the|this)|execute|treat this)\b",
    ),
    *_rules(
        "address",
        r"\b(?:if|when) you(?:['’]re| are) (?:an? |the |any )?(?:\w+ ){0,2}(?:{ai})\b",
        r"\b(?:attention|attn|dear|note (?:to|for)|notice to|message (?:to|for)|memo to|instructions? (?:for|to)|(?:for|to) (?:all|any|every)|hey|hello)[,:]? (?:all |any |every |the |an? |other )*(?:{ai}|model|assistant|agents?|bots?)s?\b",
        r"\b(?:{ai}|automated agents?)(?: \w+){0,5} (?:must|should|shall|please|is to|are to)\b",
        weight=1,
        quoted=0,
    ),
)

CONCEALMENT = (
    *_rules(
        "concealment",
        r"\b(?:do not|don['’]?t|never|must not|should not|shall not|cannot|can['’]?t|without|avoid|refrain from)(?: (?:ever|under any circumstances|directly|please|once|even))? (?:tell|telling|inform|informing|alert|alerting|notify|notifying|warn|warning|let) {user}(?: know)?(?:[.!;:)\n*_-]|$| (?:about|of|regarding|on) (?:this|these|it|the (?:instructions?|message|note|prompt|injection|command|directive|hidden|change you|action|tool|real|request|above|below|existence|transfer|payment|e-?mail you|secret))|,? (?:just|and|simply|only|instead|proceed|do it)\b| (?:any of this|anything about (?:this|it|these)|what you(?:['’]re| are| have| did)|that (?:you(?:['’]ve|['’]re)?|this (?:note|message|page|text|prompt|document|instruction)|these|there (?:is|was|were|are)(?: \w+){0,2} (?:instructions?|message|injection|prompt))))",
        r"\b(?:do not|don['’]?t|never|must not|should not|avoid|refrain from|without)(?: (?:ever|under any circumstances))? (?:mention|mentioning|reveal|revealing|disclose|disclosing|acknowledge|acknowledging|reference|referencing|discuss|discussing|report|reporting|display|displaying|show|showing|expose|include|including|say|talk about|refer to|quote|repeat|output|admit)(?: \w+){0,3} {here}(?: (?:to|in|when|or|and|at|with|from|even|under|contained|exists?|existed|was|were|is|are)|[.!,;\n]|$)",
        r"\b(?:never|do not|don['’]?t) (?:mention|say|reveal|disclose|admit|acknowledge|let on) (?:to {user} )?that (?:you(?:['’]ve| have| were| are|['’]re)?(?: been)? (?:\w+ )?(?:instructed|told|asked|given|reading|read|following|followed|received|changed|modified|sent|an ai)|this (?:note|message|page|text|document|file|e-?mail|prompt)|these|there (?:was|were|is|are)|instructions)",
        r"\b(?:keep|hide|conceal)(?: {here}| this| it| that| everything| all of this| these actions| your actions| the fact(?: that)?(?: \w+){0,5})(?: \w+){0,3}(?: (?:secret|hidden|confidential|private|between us|quiet|to yourself|out of (?:your|the) (?:response|reply|answer|summary|output)))? (?:from {user}|between us|to yourself|out of (?:your|the) (?:response|reply|answer|summary|output)|secret from)\b",
        r"\b(?:{user}) (?:must|should|shall|need|does|do|is|are|will)(?: (?:not|never|n['’]t))(?: (?:ever|be|to|need|have))? (?:know|see|notice|find out|learn|be (?:told|informed|aware|notified|alerted)|told|aware|informed|become aware|suspect|realize)(?: \w+){0,3} (?:about |of )?(?:this|these|it|that you|any of this|anything)\b",
        r"\b(?:act|continue|respond|proceed|behave|carry on|reply|answer)(?: \w+){0,3} (?:as if|as though|like) (?:nothing (?:has |had )?happened|you (?:never|did not|didn['’]t|had not|have not|had never|have never)(?: \w+)? (?:read|see|seen|saw|receive)|(?:this|these)(?: \w+)? (?:was|were|had) (?:never|not))",
        r"\b(?:do not|don['’]?t|never) (?:inform|alert|notify|warn) (?:the |your |its )?(?:owner|human|operator|admin(?:istrator)?|supervisor|reviewer|people) (?:that|about|of)\b",
        r"\bnever tell (?:anyone|anybody|people|others) (?:that|about|of)(?: \w+){0,4} (?:you|this|these|instructions?|text|message|note|prompt)\b",
        r"\b(?:this|these|it|everything)(?: \w+)? (?:must|should|shall|has to|have to|needs? to|is to|will) (?:stay|remain|be kept|be|keep) (?:hidden|secret|invisible|unseen|concealed|confidential) from {user}\b",
        r"\bthis (?:instruction|message|text|note|comment|paragraph|section|prompt) (?:is|was|must|should|shall)(?: (?:be|remain|stay|kept|only|to|not|never))* (?:hidden|invisible|secret|mentioned|disclosed|revealed|shown|confidential|visible)(?: \w+){0,2} (?:from|to|by|in) {user}\b",
        mood=False,
    ),
    *_rules(
        "concealment",
        r"\bwithout (?:telling|informing|alerting|notifying|asking|consulting|warning|mentioning(?: it)? to|the knowledge of|disclosing(?: it)? to|prompting)(?: (?:the|any|a|your|for|its))? (?:users?|humans?|operators?|owner|person|anyone|anybody|them|him|her|confirmation|permission|approval|consent)\b",
        r"\b(?:silently|secretly|quietly|covertly|discreetly|stealthily|surreptitiously|in the background|behind the scenes)\b",
        r"\b(?:do not|don['’]?t|never) (?:mention|reveal|disclose|acknowledge|tell|inform|ask|notify|alert) (?:it|this|them|anyone|anybody|anything|why|for confirmation|the user|users)\b",
        weight=1,
        quoted=0,
    ),
)

EXFILTRATION = (
    *_rules(
        "exfiltration",
        r"\bexfiltrate (?:the|all|any|every|your|this|user|our|as much|sensitive|private)\b",
        r"\b(?:{send})(?: (?:me|us|over|off|out|all|any|every|the|a|your|its|their|full|entire|complete|of|copy|copies|contents?|summary|list|text|result|base64|encoded|version|raw|whole|latest|current|following|with)){0,7} (?:{sensitive})(?: [^\s.!?]+){0,7} (?:to|at|via|through|into|in|onto|using|as|with|and (?:send|post|forward|e-?mail|upload|append|submit)(?: \w+){0,3} (?:to|at)) (?:the (?:url|address|link|image|markdown|query string|server|e-?mail|following)|{target})",
        r"\b(?:silently|secretly|quietly|covertly|discreetly|stealthily|without (?:telling|asking|notifying|informing|alerting)(?: \w+){1,3})[, ]+(?:then |and |also |please )?(?:{send})(?: [^\s.!?]+){0,6} (?:to|at|via|into) ",
        r"\b(?:{send})(?: (?:this|the|our|all|every|entire|full|whole|that|your|complete|of|any)){1,4} (?:conversation|chat(?: history| log)?|transcript|dialogue|memory|context|session|prompt|system prompt|credentials|secrets|keys|tokens|passwords)(?: [^\s.!?]+){0,4} (?:to|at|via) (?:https?://|[^\s@]+@[\w-]+\.\w|{target})",
        r"!\[[^\]\n]{0,80}\]\(\s*<?https?://[^\s)]{3,200}(?:[?&;#][\w.%-]{1,30}=|/)(?:\{{1,2}|\[|<|%7b|%5b|\$\{|put[_-]|insert[_-]|your[_-])[ ]?[^\n)]{0,40}(?:user|message|conversation|chat|history|context|secret|password|prompt|summar|e-?mail|base64|vault|memor|session|private|stolen|exfil|leak|key|token|credential|note|answer|convo|input|phone|address|env)[^\n)]{0,60}\)",
        r"\b(?:when|while|before|after|every time you|each time you|whenever you|if you)(?: you)? (?:answer|respond|reply|summari[sz]e|finish|are done|generate|output|render|write|process|read)(?:ing|s)?(?: (?:this|the|any|a|with|to|user|question|request|note|page|document|questions|please|always|also|must|you)){0,5}[,:]?(?: (?:please|always|also|you must|you should|must|first|silently))* (?:include|add|append|embed|insert|render|show|load|fetch|display|output|put|request|open|visit|attach|prepend)(?: [^\s.!?]+){0,6} (?:!\[|\[[^\]]*\]\(|https?://|image|link|pixel|url|markdown)",
        r"\b(?:load|fetch|open|visit|render|request|curl|get|access|retrieve|navigate to|browse to|go to|call|ping|wget|hit|query|display|embed|show|include|make a (?:get |post )?request to)(?: (?:this|the|an?|following|image|url|link|page|from|to|at|pixel|tracking|markdown)){0,5} (?:\(|<)?https?://\S+(?: [^\s.!?]+){0,5} (?:followed by|with|containing|plus|append(?:ed|ing)?|including|replac(?:e|ing)|concatenated|and (?:add|append|include|replace)|where|substitut(?:e|es|ed|ing)|filled|carrying|adding)(?: [^\s.!?]+){0,7} (?:conversation|chat|history|message|prompt|secret|password|key|token|credential|context|summary|memory|note|data|e-?mail|user|vault|cookie|answer|environment|contents?)",
        r"\b(?:append|add|attach|insert|include|embed|put|concatenate|encode|place|hide|smuggle)(?: [^\s.!?]+){0,9} (?:to|in|into|at the end of|as|onto|inside) (?:every|each|any|all|the|an?|this|that|your)(?: \w+){0,2} (?:links?|urls?|query(?: ?string| parameters?)?|image(?: url| link)?s?|parameters?|get request|url path|subdomain|dns)(?: [^.!\n]+)?(?:user|conversation|chat|history|message|prompt|secret|password|token|credential|e-?mail|private|memory|context)",
        r"\b(?:append|add|attach|insert|put|include) (?:to|in|into|at the end of) (?:every|each|any|all|the)(?: \w+){0,2} (?:links?|urls?|images?|response|answer|reply|query)(?: [^\n.]+)?(?:\?\w+=|https?://|query string|<user|\{user|token|e-?mail|conversation|history|secret)",
        r"\b(?:url|base ?64|hex|percent|uri)[- ]?encode(?: (?:of|the|this|it|all|whole|result|and|version|full|entire|user|last|copy|user['’]s|your|contents?)){0,6} (?:conversation|chat(?: history| log)?|history|result and (?:append|send|add)|prompt|secrets?|vault|memory|messages?|context|notes?|e-?mails?|credentials|passwords?|keys?|append (?:it )?to|user data|data and (?:send|append|add))",
        r"\b(?:url|base ?64|hex|percent|uri)[- ]?encod(?:ed|ing)(?: (?:of|the|this|it|all|whole|result|and|version|full|entire|user|last|copy|user['’]s|your|contents?)){0,6} (?:conversation|chat(?: history| log)?|history|result and (?:append|send|add)|prompt|vault|memory|user data|data and (?:send|append|add))",
        r"\b(?:replace|fill|substitut)(?:ing|e|ed)?(?: (?:in|the|with|out|placeholder|parameter|value|token|it|this|\S+)){0,6} (?:with|by)(?: (?:the|a|an|your|actual|real|current|full|summary|of|base64|encoded|url|user['’]?s?)){0,6} (?:conversation|chat|history|user['’]?s? (?:\w+ )?(?:message|input|prompt|name|e-?mail|data|question|password|query)|secrets|system prompt|context|last message|e-?mail address)\b",
        r"\b(?:the )?(?:assistant|ai|model|agent|llm|bot|you) (?:must|should|will|has to|needs to|shall|is to) (?:fill|replace|insert|complete|put|append|substitute)(?: \w+){0,4} (?:token|secret|key|placeholder|user|conversation|parameter|message|password|value|data)",
        r"\b(?:e-?mail|forward|bcc|cc|send|mail)(?: [^\s.!?]+){0,8} (?:e-?mails?|inbox|messages?|documents?|files?|contacts?|attachments?|invoices?|codes?|notes)(?: [^\s.!?]+){0,4} to [\w.+-]+@[\w-]+\.\w+[^.\n]{0,60}(?:\.|$|\n|and (?:then )?delete|without)",
        r"\bcurl [^\n]{0,80}(?:\$\(|`|-d ?@|--data(?:-binary)? ?@|https?://[^\s]{1,60}[?&](?:d|q|x|c|data|leak|exfil|dump|body|p)=\$\{?)[^\n]{0,40}(?:env\b|\.env|id_rsa|\.ssh|/etc/passwd|cat |history|secret|token|api_?key|aws)",
        r"\b(?:cat|read|print|type|open) [^\n]{0,20}(?:~/\.ssh/|id_rsa|\.aws/credentials|/etc/(?:passwd|shadow)|\.env\b|\.netrc)\b[^\n]{0,40}(?:\| ?(?:curl|nc|base64|wget)|and (?:send|post|include|paste|share|print|show|output|return|upload|e-?mail))",
        mood=True,
    ),
    *_rules(
        "exfiltration",
        r"\b(?:{send})(?: [^\s.!?]+){0,4} (?:{sensitive})\b",
        r"\[[^\]\n]{0,80}\]\(\s*<?https?://[^\s)]{3,200}=(?:\{{1,2}|\[|<|%7b|\$\{|put[_-]|insert[_-]|your[_-])[^\n)]{0,60}\)",
        r"\b(?:render|include|embed|display) (?:this|the following|an?) (?:\w+ )?(?:image|picture|pixel|link)\b",
        weight=1,
        quoted=0,
    ),
)

TOOLS = (
    *_rules(
        "tool-bait",
        r"\b(?:call|invoke|use|trigger|execute|run)(?: (?:the|your|tool|function|mcp|a))* [`'\"*]{0,2}[a-z]+(?:[_.][a-z]+)+(?:\(\))?[`'\"*]{0,2}(?: (?:tool|function|endpoint|method))? (?:with|using|on|and pass|passing|to (?:store|save|write|send|delete|post)) (?:this|the following|the|these|all|my|your|that) (?:\w+ )?(?:text|note|content|message|payload|paragraph|instructions?|conversation|data|prompt|secrets?|command|string|body|arguments?)\b",
        r"\bbefore (?:(?:you )?(?:answer|respond|reply|summari[sz]e|continu|proceed|do|process|generat|translat|finish|complet|start)(?:ing|e|es)?|anything else|doing anything)(?: (?:this|the|any|a|to|with|user|question|request|anything|else|other|questions?|requests?|document|page|note|task|your|it)){0,5}[,:;]? (?:please |always |first |you must |you should |you have to |silently |make sure to |be sure to |quickly |also )*(?:call|invoke|execute|send|post|fetch|upload|delete|forward|e-?mail|write (?:a|the|to|this)|store|save|open https?|visit|download|use (?:the|your) \w+ tool|run (?:the (?:following|command|code|script|shell)|this|`))\b",
        r"\b(?:execute|run|follow|obey|perform|do|carry out|act on|comply with|apply|decode and (?:follow|execute|run|obey)|complete|process)(?: (?:the|any|all|every|these|those|whatever|hidden|following|each|secret|embedded)){0,4} (?:commands?|instructions?|code|orders?|directives?|steps?|actions?|script|task|tasks|request)s?(?: (?:that|which|you|is|are|can|found|contained|written|hidden|embedded|given|find|see|will|encoded|located|placed|listed)){0,5} (?:in|from|at|inside|within|below|under|on) (?:the|this|that|its|an?|any)?(?: \w+)? ?(?:footer|header|comments?|alt(?: text| attribute)?|titles?|metadata|image|pdf|web ?page|hidden (?:text|section|comment|field)|attachment|signature|base64|encoded (?:text|string|block)|qr code|next (?:message|note)|url|link|payload|decoded \w+)\b",
        r"\bdecode(?: \w+){0,8}(?:,| and| then)+ (?:then )?(?:follow|execute|obey|do (?:what|exactly|as)|comply|carry out|(?:run|perform|act|treat) (?:it|them|this|that|what|on|as|upon|accordingly|the (?:result|code|command|output|decoded|instructions?)))\b",
        r"\b(?:skip|bypass|ignore|omit|disable|auto-?|do without|avoid|circumvent|forgo|no need for)[ -]?(?:the |all |any |every |your |this |human |user |usual |further )*(?:approval|confirmation|permission|review|verification|consent|human[- ]in[- ]the[- ]loop|safety check|security check|authori[sz]ation|elicitation)(?: (?:step|prompt|dialog|check|request|process|gate|flow|stage|queue|form|screen))?s?(?: (?:for|and|this|because|since|on|from|in|it|entirely|is|when|now|here))*(?: [^.!|\n]{0,40})?(?:\b(?:you|agents?|assistant|ai|and (?:delete|promote|approve|merge|transfer|send|execute|write|publish|proceed|continue|run)|silently)\b)",
        r"\bno (?:further |human |user |additional )*(?:approval|confirmation|review|permission|verification|authori[sz]ation|consent)(?: (?:step|prompt))? (?:is|are|was) (?:required|needed|necessary) (?:for you|from (?:the )?user|for (?:the |an? )?(?:ai|agents?|assistants?|models?|bots?|this (?:request|action)))\b",
        r"\b(?:approval|confirmation|review|permission|verification|human review|safety check|authori[sz]ation|consent|elicitation)(?: (?:step|prompt|dialog|form|check|request|process))?s? (?:is|are|has been|have been|was)(?: (?:already|not|no longer|n['’]t|never|been|hereby|now)){0,3} (?:needed|required|necessary|granted|given|waived|pre-?approved|mandatory)(?: \w+){0,2} (?:for you|for (?:the |an? )?(?:ai|agents?|assistants?|models?|bots?|this (?:request|action|message|task|note))|here|this time|in this case|in advance|for this)\b",
        r"\b(?:answer|fill(?: in| out)?|complete|accept|respond to|approve|submit|confirm|click|dismiss|reply to)(?: (?:the|any|every|all|an?|each|this|in|out|to|on)){0,3} (?:elicitation|consent|approval|confirmation|permission|authori[sz]ation|security)(?: (?:form|dialog|prompt|request|question|screen|window|popup|button))?s?(?: (?:with|by|as|using|automatically|yourself|on behalf of))+ (?:\w+ ){0,3}[`'\"“]?(?:accept|yes|approved?|allow|ok|true|confirm|granted|the user|them|y)\b",
        r"\b(?:without|no need for|with no) (?:asking(?: for)?|waiting for|requesting|seeking|prompting(?: for)?|further|any|user|human|needing|requiring)(?: \w+){0,3} ?(?:confirmation|approval|permission|the user|users|consent|anyone|review|authori[sz]ation)[,;:]+ (?:please |then |now |immediately |just )?(?:delete|remove|send|transfer|promote|approve|execute|run|write|merge|push|publish|forward|copy|move|drop|wipe|erase|export|post|upload|e-?mail|pay|buy|purchase|install|grant|disable|change|overwrite|call|make|create|add|book|order)\b",
        r"\buse (?:the|your) (?:browser|shell|bash|terminal|e-?mail|mail|code|file|filesystem|search|calendar|payment|python|http|web|database|sql|slack|github) (?:tool|plugin|connector|function)s? to (?:\w+ ){0,3}(?:log in|send|delete|transfer|buy|change the password|post|upload|forward|exfiltrate|drop|remove|publish|pay|grant|reset|disable|fetch https?|(?:run|execute) (?:this|it|whatever|the (?:following|command|script|code)|curl|rm|sudo|wget))\b",
        r"\b(?:do|follow|execute|obey|perform) (?:whatever|what|everything|anything|exactly what|all)(?: (?:that|the|this|is|it|you))* (?:\w+ ){0,2}(?:comment|footer|hidden|note|text|page|message|file|image|alt|document|section|instructions?|paragraph|attachment|metadata)(?: \w+){0,8} (?:says?|tells? you|asks?|instructs?|contains?|commands?|demands?)\b",
        r"\b(?:approve|accept|confirm|sign|authori[sz]e|agree to|submit|grant)(?: [^\s.!?]+){1,5} (?:on|in) (?:the )?(?:user['’]?s?|their|his|her|owner['’]?s?|my) (?:behalf|name)\b",
        r"\b(?:use|using|with|via|through) your (?:\w+ )?(?:tools?|(?:shell|bash|terminal|browser|e-?mail|code (?:interpreter|execution)|python|filesystem|web|calendar|payment|search) (?:tool|access|capabilit(?:y|ies)|function|interpreter|plugin|ability|permissions?))s?(?: (?:to|and|you))+ (?:\w+ ){0,2}(?:send|delete|forward|execute|run|open|fetch|read|post|upload|download|transfer|write|visit|buy|e-?mail|exfiltrate|retrieve|search for (?:passwords?|keys?|secrets?)|find (?:the )?(?:user|password|key|secret)s?|list)\b",
        r"\b(?:transfer|wire|pay|send|donate)(?: [^\s.!?]+){0,5} (?:\$|€|£|usd|eur|btc|eth|dollars?|euros?|funds|money|bitcoin|payment)(?: [^\s!?]+){0,6} (?:to (?:the )?(?:account|iban|wallet|address|following)|account number|iban)(?: [^.!?\n]+)?(?:without|immediately|silently|before (?:you|answering|respond)|do not (?:ask|tell|mention)|using your|ignore)",
        mood=True,
    ),
    *_rules(
        "tool-bait",
        r"\b(?:call|invoke|trigger)(?: (?:the|your|tool|function|mcp|a))* [`'\"*]{0,2}[a-z]+(?:[_.][a-z]+)+\b",
        r"\b(?:use|with) (?:your|the) (?:\w+ )?(?:shell|bash|terminal|browser|e-?mail|code interpreter|python|send_\w+) tool\b",
        r"\b(?:run|execute) (?:the following|this|these|any|whatever|all)(?: \w+)? ?(?:commands?|code|script|query)?\b",
        r"\bskip (?:the )?(?:approval|confirmation|review|verification) step\b|\bbefore (?:answering|responding|replying|summari[sz]ing)\b",
        weight=1,
        quoted=0,
    ),
)

MEMORY = (
    *_rules(
        "memory-poison",
        r"\b(?:remember|memori[sz]e|store|save|keep|retain)(?: (?:this|that|the|following|these|new|rule|fact|instruction|order|forever|it)){1,4} (?:forever|permanently|for(?: all)? eternity|for good|in all (?:later|future) \w+)\b",
        r"\b(?:store|save|remember|record|add|commit|write|keep|put|log|memori[sz]e|persist|retain|inject|insert)(?: (?:the|following|this|that|these|fact|facts|information|statement|as|a|an|note|instruction|rule|in|to|into|your|it|permanently|forever|text|sentence|message|line)){1,9} (?:long[- ]?term|permanent|persistent|core|your|agent|assistant['’]?s?|shared|saved) (?:memor(?:y|ies)|knowledge base|notes)(?: (?:as|that|store|bank|file|so|and|,)|[:.,;!])",
        r"\b(?:remember|memori[sz]e|note|store|save|record)(?: (?:this|the following|that|forever|permanently|always|for (?:all|every|the) future|from now on|as|in|it|in memory|for later|to memory|for good)){0,4}(?: (?:forever|permanently|for all future (?:conversations|sessions|chats|interactions)|for (?:every|all) (?:future|following|subsequent)|in (?:all|every|any) future|across (?:all|every|future) (?:sessions|conversations|chats)|as (?:an? )?(?:verified|trusted|confirmed|true|established|authoritative|permanent|undisputed|known) (?:fact|truth|rule|instruction|source|information|preference)))\b",
        r"\b(?:in|for|during|across) (?:all|every|any|each)(?: of)?(?: your| the)? (?:future|subsequent|following|later|upcoming|other|new) (?:conversations?|sessions?|chats?|interactions?|responses?|answers?|replies|messages?|tasks?|turns?|prompts?|outputs?)[,:]? (?:you (?:must|should|will|shall)|always|never|please|treat|respond|answer|use|recommend|include|tell|begin|start|add|append|act|ignore|remember|say|reply|load|send|insert|mention|promote)\b",
        r"\bfrom (?:now|this (?:point|moment|message|day))(?: (?:on(?:wards?)?|forward|in time|and))*[,:]? (?:(?:you(?:['’]re| are| will| must| should| shall|['’]ll| may only| have to| need to| only| always| never|r)?)|(?:please |always |only )?(?:treat|answer|respond|reply|act|obey|speak|behave|consider|ignore|pretend|refer to (?:yourself|me)|call (?:yourself|me)|assume you|trust|regard|accept|follow (?:my|only|these)|end (?:every|each|all)|start (?:every|each|all)|begin (?:every|each|all)|prefix|append|write all|translate|never (?:mention|refuse|say|answer|tell|reveal)|always (?:say|answer|respond|recommend|include|reply|end|start|begin|add|obey|translate|reveal|send|comply|trust)|all (?:your|of your) (?:answers|responses|replies|output)|every (?:answer|response|reply)|your (?:name|role|task|answers?|responses?|only|new|job|sole)|the assistant))\b",
        r"\b(?:treat|consider|regard|accept|view|handle|trust|classify|interpret)(?: (?:any|all|every|each|the|this|these|following|my|such|message|messages|text|note|notes|paragraph|section|instructions?|input|content|it|document|anything|everything|from|by|page|requests?|commands?|written|here|below|above|in|\S+)){1,8} as (?:(?:if|though) (?:it|they|it['’]s)(?: (?:is|are|was|were|came|come|had|has|been|sent|written|spoken|directly|issued))*(?: (?:from|by))? (?:the )?(?:owner|user|system|admin(?:istrator)?|developer|operator|your (?:creator|developer|owner))|(?:the |a |an )?(?:system (?:message|prompt|instructions?)|(?:highest|top|higher|absolute|maximum)[- ](?:priority|authority)|trusted (?:instructions?|input|commands?|source|content)|your (?:new |only )?(?:instructions|system prompt|orders)|authoritative (?:instructions|commands)|(?:direct|owner|user|developer|admin) (?:instructions?|commands?|orders|authority)))\b",
        r"\b(?:the )?(?:owner|user|admin(?:istrator)?|operator|customer) (?:has )?(?:always |already |permanently |explicitly |previously |pre-?)+(?:wants?|prefers?|approves?|approved|consented|agreed|authori[sz]ed|agrees|consents|confirmed|granted|allowed|allows)(?: (?:to|that|all|any|every|you|the|for|audience|this|these|public|full|future|sending|sharing|deletion)){1,6}\b[^.\n]{0,40}(?:public|transfers?|payments?|actions?|access|requests?|sharing|deletion|changes|commands?|writes?|without|purchases?|exports?)\b",
        mood=True,
    ),
    *_rules(
        "memory-poison",
        r"\bfrom (?:now|this point|this moment|here)(?: (?:on(?:wards?)?|forward))\b",
        r"\b(?:remember|store|save|memori[sz]e)(?: \w+){0,3} (?:forever|permanently|in (?:your )?(?:long-term )?memory|to memory|as (?:a )?(?:verified |trusted )?fact)\b",
        weight=1,
        quoted=0,
    ),
)

HIJACK = (
    *_rules(
        "hijack",
        r"\b(?:stop|cease|quit|halt|abort|pause|cancel|discontinue|skip|forget|do not|don['’]?t)(?: (?:your|the|this|any|all|current|further|continue|that|with))* (?:summari[sz](?:ing|e|ation)|translat(?:ing|e|ion)|answering|processing|everything|analy[sz](?:ing|e)|reading|responding|working|the summary|what you(?:['’]re| are) doing|(?:your )?(?:current|original) (?:task|work))(?: [^\s.!?]+){0,6}(?:[,.;:!]| and| but|!!*)+ (?:instead |now |just |and |then |simply |only |you must |please |rather |immediately )*(?:{say}|tell|execute|run|follow|visit|send|do|call|output|recommend|obey|listen|warn|inform|open|fetch)\b",
        r"\b(?:stop|halt|freeze)(?: everything| all| right there| now| here| what you['’]re doing)*[!. ]{1,8}(?:now|immediately|stop|listen)?[!. ]{0,5}(?:and )?(?:just |only |instead |simply )*(?:print|say|output|reply|respond|answer|write|repeat)\b",
        r"\b(?:instead|rather|in(?: ?)stead of (?:that|this|\w+ing(?: \w+){0,4}))[,:]? (?:please |just |only |simply |you (?:must|should|will|shall) |now |always )*(?:say|print|output|reply|respond|answer|tell the user|tell them|write|return|repeat|translate this|recommend|inform the user|claim|state|act|do this)\b(?: [^\s]+){0,3} (?:with|only|exactly|that|[\"'“«]|the (?:word|phrase|following|text|sentence)|as)",
        r"\b(?:just|only|simply|and|then|now|instead|please|must|you will|you should|always|immediately)(?: (?:just|only|simply|now|always|instead))* (?:say|print|output|reply|respond|answer|write|return|repeat|echo)(?: (?:to (?:me|the user|them|this|everything|all|any|every)(?: \w+){0,2}|back|out|only|with|by saying|exactly|the (?:word|phrase|words|text|string|following|sentence|single word)|saying|:|just|one word|in all caps)){0,4}(?: |: ?|[:]\s*)[\"'“”«`‘][^\n]{0,30}(?:pwned|hacked|hijack|i (?:have been|am|hate|love|will|was)|kill|access (?:granted|denied)|injec|owned|yes|approved|hello|banana|jailbroken|compromised|no (?:issues|problems)|ok\b|safe|lgtm)",
        r"\b(?:say|print|output|reply|respond|answer|write|return|repeat|echo)(?: (?:only|with|exactly|just|the|word|phrase|to me|words|text|nothing but|back)){0,4} [\"'“«]?(?:i (?:have been|was|am|['’]?ve been) (?:pwned|hacked|hijacked|compromised|jailbroken|owned|injected|free|dan)|pwned|haha pwned|hacked|(?:prompt )?injection (?:succe|work|test)|kill all humans|i hate humans|ai injection|long live|hahaha|lol you)",
        r"\b(?:respond|reply|answer|output|speak|write|talk|say|return|print)(?: (?:to (?:this|every|all|any|each)(?: \w+){0,3}|only|solely|exclusively|just|always|back)){0,3} (?:only|solely|exclusively|nothing but|just) (?:with|in|by|using|the|as) (?:the )?(?:word|words|phrase|sentence|text|string|following|number|letter|emojis?|single|pirate|[\"'“«`])",
        r"\b(?:only|just|solely|exclusively|simply) (?:ever )?(?:respond|reply|answer|say)(?: (?:with|using|in|by saying|back|to (?:everything|all|any|every)(?: \w+){0,2}))? (?:the (?:word|phrase|sentence|letter|string|number|text)|[\"'“«]|emojis?|one word|yes\b|no\b|true\b)",
        r"\b(?:your|the next) (?:response|answer|reply|output|summary|next (?:message|response|reply))(?: (?:must|should|shall|will|has to|needs to|is to)) (?:only |always |also |now |instead |then )*(?:be|begin with|start with|contain|include|consist of|say|end with|read|state|mention|claim|recommend|declare|conclude)(?: (?:only|exactly|the|just|following|word|words|phrase|with|a|an|nothing but|sentence|link|that|this)){0,5} (?:[\"'“«:`]|https?://|(?:word|phrase|sentence|link|product|nothing))",
        r"\b(?:begin|start|prefix|end|conclude|finish)(?: (?:your|every|each|all|of|the|any|next|answers?|responses?|reply|replies|messages?|output|sentence)){1,5} (?:with|by saying|by writing)(?: (?:the|words?|phrase|exact|exactly|text|sentence|saying|writing|following)){0,3} ?[:\"'“«`]{1,3} ?(?:sure|absolutely|of course|certainly|yes|okay|i have|i am|as an|i will|here|hacked|pwned|arr|hello|warning|great)",
        r"\b(?:give|assign|award|rate|score|grade|mark|rank|evaluate|recommend|classify|label|accept|review)(?: \w+){0,2} (?:paper|candidate|applicant|resume|cv|submission|essay|manuscript|proposal|application|this|it|me)(?: \w+){0,4} (?:positive|perfect|full|highest|maximum|top|strong|best|excellent|favou?rable|glowing|high|outstanding|number one|first|accept(?:ed)?|safe|benign|10/10|100(?:%|/100)?|5 stars?|five stars?|a\+)(?: \w+){0,2}(?: (?:review|score|rating|recommendation|marks?|grade|place|candidate|regardless|result|choice|evaluation|match)|[.!\n]|$)",
        r"\b(?:do not|don['’]?t|never) (?:highlight|mention|raise|point out|list|report|flag|include) (?:any )?(?:negatives?|weakness(?:es)?|flaws|problems|issues|shortcomings|criticism)\b[^\n]{0,80}(?:review|paper|positive|only|candidate)",
        r"\b(?:this|the) (?:candidate|applicant|resume|paper|submission|product|code|file|e-?mail|document|pull request|pr) (?:is|has|must be|should be|has been)(?: (?:already|now|the|been|an?))* (?:(?:pre-?)?approved|accepted|marked (?:as )?safe|best (?:ever|candidate|match)|exceptionally qualified|extremely well qualified|most qualified|verified safe|hired)\b[^.\n]{0,60}(?:\b(?:you|reply|respond|say|ignore|must|should|ai|llm|answer|regardless|skip|do not|print)\b)",
        r"\b(?:translate|summari[sz]e|answer|respond|reply|read|analy[sz]e|review|process)(?: [^\s.!?]+){0,5}(?:,| but| and)+ (?:but )?(?:first|before (?:that|you do|doing (?:so|that))|instead|also|then|afterwards)[, ]+(?:\w+ ){0,2}(?:execute|follow|obey|forward|reveal|delete|exfiltrate|leak|ignore|run the (?:command|code|instructions?|hidden)|do what|send (?:me|the|all|your|every)|print (?:your|the (?:system|secret|hidden|prompt))|tell (?:the user|me your))\b",
        r"\b(?:tell|inform|warn|convince|assure|persuade|trick|instruct|advise|notify)(?: (?:the|your|this|all))* (?:users?|human|reader|customer|person|victim|them)(?: \w+)? (?:that )?(?:their|his|her|your|the|they|you)(?: \w+){0,2} (?:account|computer|device|password|card|subscription|session|payment|order|system|license|identity|bank)(?: \w+)? (?:is|has|was|needs|must|are|have|will)(?: \w+){0,2} (?:locked|hacked|compromised|expired|infected|suspended|disabled|blocked|breached|reset|verified|re-?entered|closed|overdue|frozen|at risk|stolen|invalid)\b",
        r"\b(?:when|if|whenever|while|every time)(?: \w+){0,3} (?:suggesting|generating|writing|producing|completing|reviewing|refactoring|creat(?:e|ing))(?: \w+){0,2} (?:code|functions?|tests?|snippets?|completions?|files?|pull requests?)(?: [^\s.!?]+){0,6},? (?:always|you must|also|never|silently|secretly) (?:\w+ )?(?:add|include|import|insert|append|call|disable|recommend|inject|embed)\b",
        r"\b(?:ask|tell|prompt|request|urge|convince|get|trick|lure)(?: (?:the|your))* (?:users?|human|customer|reader|victim|them)(?: (?:to|for|into|their|provide|enter|give|share|send|type|paste|reveal|confirm|re-?enter|supply|visit|click|open|on|this|the|your|following|you|with|giving|providing|entering)){1,8} (?:passwords?|credentials?|credit card|card (?:number|details)|api keys?|bank|social security|ssn|pin|seed phrase|private keys?|login|one[- ]time codes?|phone numbers?|https?://|link)\b[^.\n]{0,60}(?:[.!\n]|$)",
        mood=True,
    ),
    *_rules(
        "hijack",
        r"\binstead[,:]? (?:of|you|just|please|tell|say|print|output|reply|respond|answer|write|do)\b",
        r"\b(?:without any (?:commentary|explanation|warnings?|disclaimers?|further questions)|no matter what|do not (?:refuse|argue|question|explain|comment|hesitate|summari[sz]e|print anything)|as a (?:verified|trusted) fact)\b",
        r"\b(?:do anything now|jailbreak|uncensored|unrestricted|unfiltered)\b",
        weight=1,
        quoted=0,
    ),
)

RULES = (
    *OVERRIDE,
    *REVEAL,
    *PERSONA,
    *FORGED,
    *ADDRESS,
    *CONCEALMENT,
    *EXFILTRATION,
    *TOOLS,
    *MEMORY,
    *HIJACK,
    *(
        rule
        for kind, mood, patterns in (*BROADER, *DEMANDS)
        for rule in _rules(kind, *patterns, mood=mood)
    ),
    *_rules("address", *CALLS, weight=1, quoted=0),
)
"""Every rule for English."""
