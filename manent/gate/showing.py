"""An edit as a diff that ``git apply`` takes: files added, removed, moved, changed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

Files = Mapping[str, bytes | None]
_CONTEXT = 3
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def diff(before: Files, after: Files) -> bytes:
    """Return the difference of the paths in ``after``; a moved file is shown as moved."""
    moves = _moves(before, after)
    gone = set(moves.values())
    parts: list[bytes] = []
    for path in sorted(after):
        if path in gone:
            continue
        old = moves.get(path, path)
        one, other = before.get(old), after[path]
        if one != other or old != path:
            parts.extend(_file(old, path, one, other))
    return b"".join(parts)


def _moves(before: Files, after: Files) -> dict[str, str]:
    """Return new path to old path of files that were moved: most of their lines agree."""
    removed = [p for p in sorted(after) if after[p] is None and before.get(p)]
    moves: dict[str, str] = {}
    for path in sorted(after):
        content = after[path]
        if content is None or before.get(path) is not None:
            continue
        lines = set(content.splitlines())
        for old in removed:
            held = set((before[old] or b"").splitlines())
            if 2 * len(lines & held) >= max(len(lines), len(held)):
                moves[path] = old
                removed.remove(old)
                break
    return moves


def _file(old: str, new: str, one: bytes | None, other: bytes | None) -> Iterator[bytes]:
    a, b = _named("a/", old), _named("b/", new)
    yield b"diff --git " + a + b" " + b + b"\n"
    if old != new:
        yield b"rename from " + _named("", old) + b"\nrename to " + _named("", new) + b"\n"
    if one is None:
        yield b"new file mode 100644\n"
    if other is None:
        yield b"deleted file mode 100644\n"
    lines = list(_hunks(one or b"", other or b""))
    if lines:
        yield b"--- " + (b"/dev/null" if one is None else a) + b"\n"
        yield b"+++ " + (b"/dev/null" if other is None else b) + b"\n"
        yield from lines


def _hunks(one: bytes, other: bytes) -> Iterator[bytes]:
    old, new = _lines(one), _lines(other)
    # What agrees at both ends is cut off first: comparing then costs what differs.
    head = _agreeing(old, new)
    tail = _agreeing(old[head:][::-1], new[head:][::-1])
    start, keep = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
    shown = difflib.SequenceMatcher(
        None, old[start : len(old) - keep], new[start : len(new) - keep], autojunk=False
    )
    for group in shown.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        spans = [
            _span(start + first[1], start + last[2]),
            _span(start + first[3], start + last[4]),
        ]
        yield f"@@ -{spans[0]} +{spans[1]} @@\n".encode()
        for kind, a, b, c, d in group:
            if kind == "equal":
                yield from (_line(b" ", line) for line in old[start + a : start + b])
                continue
            yield from (_line(b"-", line) for line in old[start + a : start + b])
            yield from (_line(b"+", line) for line in new[start + c : start + d])


def _agreeing(old: list[bytes], new: list[bytes]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _span(start: int, end: int) -> str:
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


def _line(mark: bytes, line: bytes) -> bytes:
    return (
        mark + line if line.endswith(b"\n") else mark + line + b"\n\\ No newline at end of file\n"
    )


def _lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    whole = [line + b"\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _named(side: str, path: str) -> bytes:
    """Return a path as git writes it in a diff: quoted where it holds odd bytes."""
    raw = (side + path).encode("utf-8", "surrogateescape")
    try:
        raw.decode("utf-8")
        odd = any(byte < 32 or byte in (34, 92, 127) for byte in raw)
    except UnicodeDecodeError:
        odd = True
    if not odd:
        return raw
    return b'"' + b"".join(_escaped(byte) for byte in raw) + b'"'


def _escaped(byte: int) -> bytes:
    if byte in _ESCAPES:
        return b"\\" + _ESCAPES[byte].encode()
    return bytes([byte]) if 32 <= byte < 127 else f"\\{byte:03o}".encode()
