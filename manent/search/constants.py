"""The numbers of ranking, apart from the arrays that use them.

Importing this loads nothing heavy: a prompt hook ranks without numpy.
"""

from __future__ import annotations

from manent.values import dataclass


@dataclass(frozen=True, slots=True)
class Constants:
    """What a sweep chooses. Weights and b are per field: name, description, headings, body.

    compound_weight: what a whole of several words keeps (``node.js``, ``roll-back``), whose
    words count too; one with digits (a version, a date) keeps all, for its parts say little.
    lone_weight: what a lone character of Chinese and its like keeps, beside its pairs.
    prefix_weight, fuzzy_weight: what a term keeps that was only nearly asked for.
    expansions: how many such terms stand in for one word at most.
    coverage: what the first fifty gain that hold all of the question (``coverage.py``).

    Chosen by ``manent eval sweep`` on half of the queries of SciFact and Italian
    SQuAD, the table of which is eval/sweep.md: k1 and b lie on a plateau.
    """

    k1: float = 1.4
    weights: tuple[float, float, float, float] = (3.0, 2.0, 1.5, 1.0)
    b: tuple[float, float, float, float] = (0.5, 0.5, 0.5, 0.75)
    compound_weight: float = 0.15
    lone_weight: float = 0.6
    prefix_weight: float = 0.5
    fuzzy_weight: float = 0.4
    prefix_shortest: int = 5
    fuzzy_shortest: int = 6
    expansions: int = 8
    coverage: float = 0.2


DEFAULTS = Constants()

LIFTED = 50
"""How many of the best are lifted for how much of the question they hold (``coverage.py``)."""

COUNT_BITS = (4, 6, 7, 15)
"""Bits of a field's count: name, description, headings, body share 32 of a posting."""

LIMITS = tuple((1 << bits) - 1 for bits in COUNT_BITS)
"""How often a term counts in a field at most."""

FUZZY_SHORTEST_STEM = 5
"""Letters of the shortest stem that may be found misspelled (of a word of six or more)."""

CUT_OFF = 5
"""Letters a stem may be shorter than the beginning of its word that was typed."""
