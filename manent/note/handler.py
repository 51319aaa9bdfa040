"""The strict reader behind python-frontmatter's handler interface.

``frontmatter.loads(text, handler=StrictYAMLHandler())`` then reads as Manent
does. The library asks a handler for five methods and no base class, so nothing
of it is imported here.
"""

from __future__ import annotations

from typing import Any

from manent.note import fence, strict, writing


class StrictYAMLHandler:
    """Splits, loads and exports headers strictly. Loading raises ValueError on a bad header."""

    FM_BOUNDARY = None
    START_DELIMITER = END_DELIMITER = "---"

    def detect(self, text: str) -> bool:
        """Return whether ``text`` begins with a header."""
        return fence.split(text).found

    def split(self, text: str) -> tuple[str, str]:
        """Return header and body; the header is empty where there is none."""
        fences = fence.split(text)
        header = text[fences.header : fences.closing] if fences.found else ""
        return header, text[fences.body :]

    def load(self, fm: str) -> dict[str, Any]:
        """Return the data of a header. Raises ValueError with line and cause."""
        try:
            return strict.load(fm).data
        except strict.Fault as fault:
            raise ValueError(f"line {fault.line + 1}: {fault.message}") from fault

    def export(self, metadata: dict[str, Any], **_: object) -> str:
        """Return a new header for ``metadata``, without fences."""
        return "\n".join(line for key in metadata for line in writing.lines(key, metadata[key]))

    def format(self, post: Any, **_: object) -> str:
        """Return a whole document for a ``frontmatter.Post``."""
        return f"---\n{self.export(post.metadata)}\n---\n{post.content}"
