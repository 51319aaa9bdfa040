"""The ways one text can be read: as it stands, and through what hides words in it.

A scanner looks at each Reading as if it were a text of its own and asks the
Reading where a match stands in the original. The decoders live in
``manent.scan.layers``; this module holds the map back and the order of reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from manent.scan.layers import HIDING, Layer, present
from manent.scan.quoting import Quoting
from manent.scan.trace import Trace
from manent.values import dataclass, field

PLAIN = "plain"
"""The layer of a text read as it stands."""


@dataclass(slots=True)
class _Bytes:
    """The UTF-8 form of a reading, made once for all the scanners."""

    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text.

    text: the text as read through ``layer``; it may be a part of the original.
    layer: ``plain``, or the decodings from the outside in joined by ``+``
    (``normalised``, ``html-comment``, ``base64+rot13``).
    """

    text: str
    layer: str = PLAIN
    _quoting: Quoting = field(default_factory=Quoting, repr=False, compare=False)
    _trace: Trace | None = field(default=None, repr=False, compare=False)
    _parent: Reading | None = field(default=None, repr=False, compare=False)
    _bytes: _Bytes = field(default_factory=_Bytes, repr=False, compare=False)

    @property
    def raw(self) -> bytes:
        """The text as UTF-8, for the engine; lone surrogates stay as they are."""
        if self._bytes.raw is None:
            self._bytes.raw = self.text.encode("utf-8", "surrogatepass")
        return self._bytes.raw

    @property
    def plain(self) -> bool:
        """Whether this is the text as it stands."""
        return self._parent is None

    @property
    def hidden(self) -> bool:
        """Whether a person who reads the rendered note would not see this text."""
        return any(layer in HIDING for layer in self.layer.split("+"))

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``text[start:end]`` stands in the original, in code points."""
        if self._parent is None or self._trace is None:
            return start, end
        return self._parent.origin(*self._trace.back(start, end))

    def verbatim(self, start: int, end: int) -> bool:
        """Whether the original holds ``text[start:end]`` as it stands, nothing decoded."""
        first, last = self.origin(start, end)
        return self._quoting.text[first:last] == self.text[start:end]

    def in_code(self, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` stands in a code block or inline code of the original."""
        return self._quoting.in_code(*self.origin(start, end))

    def mention(self, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` is quoted: in quotation marks or in code.

        Quotation marks count in the text as read (those around an attribute's
        value or a header's value are syntax), code in the original.
        """
        return self.in_code(start, end) or Quoting.in_marks(self.text, start, end)


def readings(text: str) -> Iterator[Reading]:
    """Yield the ways to read ``text``: plain first, then those that differ from it.

    One reading a layer, two layers deep at most: a layer joins all it decodes,
    so the number of readings is bounded and their total size is linear in the
    input. Which layers are worth trying is decided in one pass over the text.
    """
    plain = Reading(text, _quoting=Quoting(text))
    yield plain
    for layer in present(plain.raw):
        outer = _through(plain, layer)
        if outer is None:
            continue
        yield outer
        for inner_layer in present(outer.raw):
            if inner_layer is not layer or layer.repeats:
                inner = _through(outer, inner_layer)
                if inner is not None:
                    yield inner


def _through(outer: Reading, layer: Layer) -> Reading | None:
    decoded = layer.read(outer.text)
    if decoded is None:
        return None
    name = layer.name if outer.plain else f"{outer.layer}+{layer.name}"
    return Reading(decoded.text, name, outer._quoting, decoded.trace, outer)
