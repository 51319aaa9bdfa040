"""Text to the numbers of word pieces: a unigram model, as XLM-RoBERTa's.

Written out here because reading the same vocabulary with a library takes two
seconds of every command and 150 MB; this takes a tenth, and since words come
again and again, cuts a note in well under a millisecond.

A text is normalised, cut at blanks, and each word (with the mark of its blank)
is split into the pieces whose log probabilities add up to the most. Letters no
piece has are unknown, several in a row once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

BLANK = "\u2581"
"""Stands for the blank before a word."""
_UNKNOWN_PENALTY = 10.0
_REMEMBERED_LONGEST = 32
_REMEMBERED = 200_000
"""Words kept with their pieces, some 40 MB."""


class Pieces:
    """A vocabulary and how to cut text with it.

    vocabulary: by number. scores: their log probabilities. special: numbers that no
    text may stand for. normal: what replaces a code point.
    """

    def __init__(
        self,
        vocabulary: Sequence[str],
        scores: NDArray[np.float32],
        unknown: int,
        special: Sequence[int],
        normal: Mapping[int, str],
    ) -> None:
        self._numbers = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._scores: list[float] = scores.tolist()
        self._unknown = unknown
        self._unknown_score = float(scores.min()) - _UNKNOWN_PENALTY
        for number in special:
            self._numbers.pop(vocabulary[number], None)
        self._longest = max(map(len, vocabulary))
        self._normal = normal
        self._known: dict[str, tuple[int, ...]] = {}

    def numbers(self, text: str, most: int) -> list[int]:
        """Return the first ``most`` pieces of a text, by number."""
        found: list[int] = []
        # No piece is longer than the longest, so the rest of a long text is not looked at.
        for word in self.normalised(text[: self._longest * most]).split(" "):
            if word:
                found.extend(self._word(BLANK + word))
            if len(found) >= most:
                break
        return found[:most]

    def normalised(self, text: str) -> str:
        """Return the text as the model was trained to see it."""
        replaced = text.translate(self._normal)
        if not unicodedata.is_normalized("NFC", replaced):
            replaced = unicodedata.normalize("NFC", replaced)
        return replaced

    def _word(self, word: str) -> tuple[int, ...]:
        known = self._known.get(word)
        if known is None:
            known = self._split(word)
            if len(word) <= _REMEMBERED_LONGEST:
                if len(self._known) >= _REMEMBERED:
                    self._known.clear()
                self._known[word] = known
        return known

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the likeliest pieces (Viterbi over the ends of pieces)."""
        best = [0.0] + [-1e30] * len(word)
        came: list[tuple[int, int]] = [(0, 0)] * (len(word) + 1)
        numbers, scores = self._numbers, self._scores
        for start in range(len(word)):
            so_far = best[start]
            for end in range(start + 1, min(start + self._longest, len(word)) + 1):
                number = numbers.get(word[start:end])
                if number is not None and so_far + scores[number] > best[end]:
                    best[end] = so_far + scores[number]
                    came[end] = (start, number)
            if so_far + self._unknown_score > best[start + 1]:
                best[start + 1] = so_far + self._unknown_score
                came[start + 1] = (start, self._unknown)
        return self._traced(came)

    def _traced(self, came: list[tuple[int, int]]) -> tuple[int, ...]:
        found: list[int] = []
        end = len(came) - 1
        while end > 0:
            end, number = came[end]
            if number != self._unknown or not found or found[-1] != self._unknown:
                found.append(number)
        return tuple(reversed(found))
