"""Numbers set aside for films, books and manuals: nobody's, so no finding.

Sources: NANPA (555-0100 to 555-0199; no other 555 line was ever given to a person),
Ofcom (numbers for drama), ACMA (numbers for use in radio, film and television),
Bundesnetzagentur (Drehbuchnummern), Arcep (décision 2018-0881), PTS (nummer för
böcker och filmer), ComReg (020 91).
"""

from __future__ import annotations

from manent import late

_SET_ASIDE = late.pattern(
    r"1[2-9]\d\d555\d{4}"
    r"|44(?:(?:11[3-8]|121|131|141|151|161)4960|2079460|1914980|2890180|28964960|2920180)\d{3}"
    r"|44(?:1632960|7700900|8081570|9098790|3069990)\d{3}|4428964\d{5}"
    r"|61(?:[2378](?:5550|7010)\d{4}|49157\d{4}|1800160401|180097570\d|180097571\d|130097570\d)"
    r"|49(?:3023125|6990009|4066969|2214710|8999998)\d{3}"
    r"|49(?:15228817386|15228895456|15254599371|17139200\d\d|1729925904|1729968532|1729973185"
    r"|1729973186|1729980752|1749091317|1749464308|17604069\d{3})"
    r"|33(?:19900|26191|35301|46571|53649|63998)\d{4}"
    r"|46(?:313900(?:6)\d\d|406280(?:4)\d\d|846500(?:4)\d\d|980319(?:2)\d\d|701740(?:6)\d\d)"
    r"|3532091\d{5}"
)
_NATIONAL = late.pattern(
    r"(?:1?[2-9]\d\d)?555\d{4}|1?(?:[2-9]\d\d)?1234567|1?1234567890"
    r"|0(?:(?:11[3-8]|121|131|141|151|161)4960|2079460|1914980|2890180|2920180|1632960|7700900"
    r"|8081570|9098790|3069990)\d{3}|028964\d{5}"
    r"|0[2378](?:5550|7010)\d{4}|049157\d{4}"
    r"|0(?:3023125|6990009|4066969|2214710|8999998)\d{3}|017139200\d\d|017604069\d{3}"
    r"|0(?:19900|26191|35301|46571|53649|63998)\d{4}"
    r"|02091\d{5}|0(?:3139006|4062804|84650040?|9803192|7017406)\d\d"
)


def set_aside(digits: str, *, international: bool) -> bool:
    """Whether a number is reserved for fiction.

    digits: with the country code and no prefix when ``international``, else as
    dialled at home.
    """
    pattern = _SET_ASIDE if international else _NATIONAL
    return pattern.fullmatch(digits) is not None
