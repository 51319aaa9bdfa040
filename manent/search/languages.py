"""Which language a text is in, which of its words carry nothing, and their stems.

The word lists are our own and short: words of grammar only, so that a list
never removes what a note is about. A text's language is the one whose list it
hits most; a text that hits none is taken for English, the language of names,
code and commands. Every word here is spelled as the tokenizer leaves it, after
folding (``perché`` is ``perche``).
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

_LISTS: dict[str, tuple[str, str]] = {
    "e": (
        "english",
        """a about across after again all along also although am among an and another any anyone
        anything are around as at away be because been before being between both but by can
        cannot could did do does doing don done down during each else enough even ever every
        everyone everything few for from further get had has have having he her here hers him
        himself his how however i if in instead into is it its itself just let ll many may maybe
        me might more most much must my myself neither never no nobody none nor not nothing now
        of off often on once only onto or other our ours out over own per perhaps quite rather
        re really s same several shall she should since so some somebody someone something
        sometimes still such t than that the their theirs them themselves then there these they
        this those though through to too toward towards under unless until up upon us ve very
        via was we were what when where whether which while who whom whose why will with within
        without would yes yet you your yours yourself""",
    ),
    "i": (
        "italian",
        """a ad agli ai al all alla alle allo altra altre altri altro anche ancora aveva avevano c
        che chi ci cio come con cosa cosi cui d da dagli dai dal dall dalla dalle dallo degli
        dei del dell della delle dello di dopo dove durante e ed eppure era erano essa esse
        essere essi fino fra fu gia gli ha hai hanno ho i il in invece io l la le lei li lo loro
        lui ma mentre mi ne negli nei nel nell nella nelle nello noi non o od ogni oppure per
        perche piu po poi pure qual quale quali quando quanta quante quanti quanto quell quella
        quelle quelli quello quest questa queste questi questo qui quindi sarebbe se sei si sia
        sono stata stati stato stessa stesse stessi stesso su sua sue sugli sui sul sull sulla sulle
        suo suoi tale tali tra tu tutta tutte tutti tutto un una uno vengono vi viene voi""",
    ),
    "s": (
        "spanish",
        """a al algo ante como con cual cuales cuando de del desde donde dos el ella ellas ellos en
        entre era eran eres es esa esas ese eso esos esta estaba estan estas este esto estos fue
        fueron ha han hasta hay la las le les lo los mas me mi mis muy no nos o os para pero por
        porque que quien quienes se ser si sin sobre son su sus tambien te tiene tienen tu un
        una unas uno unos y ya yo""",
    ),
    "f": (
        "french",
        """a ai au aux avec avez avons c ce ces cet cette d dans de des du elle elles en est et
        etait ete etre eux il ils j je l la le les leur leurs lui m ma mais me mes moi n ne nos
        notre nous on ont ou par pas plus pour qu que quel quelle quelles quels qui s sa sans se
        ses si son sont sous sur t ta te tes toi ton tu un une vos votre vous y comme etaient
        aussi""",
    ),
    "d": (
        "german",
        """aber als am an auch auf aus bei beim bin bis bist da damit das dass dem den der des dich
        die dir doch du durch ein eine einem einen einer eines er es euch fur hat hatte habe
        haben ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja kann kein keine man
        mein meine mich mir mit nach nicht noch nur ob oder ohne sein seine seinem seinen seiner
        sich sie sind so uber um und uns unser unter vom von vor war waren was weil wenn werden
        wer wie wir wird wo zu zum zur zwischen""",
    ),
    "p": (
        "portuguese",
        """a ao aos as ate com como da das de dela dele deles do dos e ela elas ele eles em entre
        era eram essa essas esse esses esta estao estas este estes eu foi foram ha isso isto ja
        la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o os
        ou para pela pelas pelo pelos por porque qual quais quando que quem se sem ser seu seus
        sao so sua suas tambem te tem um uma umas uns voce""",
    ),
    "n": (
        "dutch",
        """aan al als bij daar dan dat de den der deze die dit doch door dus een en er ge geen had
        heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon maar me meer men met
        mij mijn moet na naar niet nog nu of om omdat ons ook op over te tegen toch toen tot u
        uit uw van veel voor want waren was wat we wel werd wij wordt worden ze zei zich zij
        zijn zo zou""",
    ),
    "r": (
        "russian",
        """а без бы был была были было быть в вам вас весь во вот все всего вы где да для до его ее
        если есть еще же за здесь и из или им их к как ко когда кто ли либо мне может мы на над
        надо наш не него нее нет ни них но ну о об однако он она они оно от очень по под при с
        со так также такой там те тем то того тоже той только том ты у уже чего чей чем что
        чтобы эта эти это этот я""",
    ),
}

CODES = tuple(_LISTS)
"""One letter a language, in the order that breaks a tie. The first is the default."""

STOPWORDS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split()) for _, words in _LISTS.values()
)
"""The words that carry nothing, a set for each of ``CODES``."""

_UNIT = 840
"""What one hit weighs: divisible by every possible number of lists up to eight."""

MINIMUM = 2 * _UNIT
"""Evidence below two unshared words leaves a text with the default language."""


def _stop_bits() -> dict[str, int]:
    bits: dict[str, int] = {}
    for place, words in enumerate(STOPWORDS):
        for word in words:
            bits[word] = bits.get(word, 0) | 1 << place
    return bits


STOP_BITS = _stop_bits()
"""A word of any list to the bits of the languages that list it."""

EVIDENCE: tuple[int, ...] = tuple(
    _UNIT // bits.bit_count() if bits else 0 for bits in range(1 << len(CODES))
)
"""What a hit is worth to each language in a set of bits: less where several claim the word."""


class Stems(Protocol):
    """What PyStemmer offers."""

    def stemWord(self, word: str) -> str:  # noqa: N802
        """Return the stem of one word."""

    def stemWords(self, words: list[str]) -> list[str]:  # noqa: N802
        """Return the stems of many."""


@cache
def stemmer(place: int) -> Stems:
    """Return the stemmer of the language at ``place`` of ``CODES``.

    Imported here, so that a process that never searches never loads it. The
    stemmer's own cache is off: words come once each, and ours holds them.
    """
    import Stemmer

    made: Stems = Stemmer.Stemmer(_LISTS[CODES[place]][0], 0)
    return made
