"""What opening one attachment may cost, and why one cannot be judged."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from manent.values import dataclass

MAX_ENTRIES = 10_000
CHUNK = 1 << 16

Inner = Iterator[tuple[str, bytes]]
"""Names and contents of what is inside; an empty name for a part without one."""


class Unreadable(Exception):
    """Why an attachment, or something in it, cannot be judged."""


@dataclass(slots=True)
class Budget:
    """What one attachment may still cost."""

    left_bytes: int
    left_entries: int = MAX_ENTRIES

    def spend(self, count: int) -> None:
        """Take off ``count`` unpacked bytes. Raises Unreadable when none are left."""
        self.left_bytes -= count
        if self.left_bytes < 0:
            raise Unreadable("unpacks to more than manent.maxUnpackedBytes")

    def enter(self) -> None:
        """Take off one entry of an archive."""
        self.left_entries -= 1
        if self.left_entries < 0:
            raise Unreadable(f"holds more than {MAX_ENTRIES} files")


def inflated(content: memoryview, budget: Budget, bits: int = zlib.MAX_WBITS) -> tuple[bytes, int]:
    """Return what the deflated stream at the start of ``content`` holds, and where it ends.

    bits: as ``zlib`` takes them. The end is 0 where the stream is cut short. Raises
    zlib.error, Unreadable. Linear in what is read: never is the rest of it copied.
    """
    stream, chunks = zlib.decompressobj(bits), []
    for at in range(0, len(content), CHUNK):
        data: bytes | memoryview = content[at : at + CHUNK]
        while data and not stream.eof:
            chunk = stream.decompress(data, CHUNK)
            budget.spend(len(chunk))
            chunks.append(chunk)
            data = stream.unconsumed_tail
            if not data and len(chunk) < CHUNK:
                break
        if stream.eof:
            end = min(at + CHUNK, len(content)) - len(stream.unused_data)
            return b"".join(chunks), end
    budget.spend(len(rest := stream.flush()))
    return b"".join([*chunks, rest]), 0
