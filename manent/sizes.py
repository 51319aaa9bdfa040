"""The sizes of a journal: its ``config`` file, one ``NAME = VALUE`` a line.

A size that is not set, or commented out, follows the default. Sizes only
choose what is printed: changing one recomputes nothing.
"""

from __future__ import annotations

from manent.errors import EnvironmentFault, UsageError
from manent.record import TEXT_BYTES

DEFAULTS = {
    "WAKE_LINES": (96, "lines in the document that wake prints"),
    "ENTRY_CHARS": (280, "bytes in one memory, at most 280"),
    "PART_CHARS": (20000, "bytes in one part of what wake or recall prints"),
    "PART_LINES": (500, "lines in one part of what wake prints"),
}
"""Name, default and meaning. 96 lines of 280 bytes are near 8,000 tokens; a part
of 20,000 bytes passes the output limits of every agent host known."""

BYTE_BUDGET = "WAKE_CHARS"
"""A size that newer OptMem stores may set: bytes of the whole wake. Read and kept
here, never written first: an older OptMem refuses a name it does not know."""

_WIDEST = 10**12


def value(name: str, text: str, where: str = "") -> int:
    """Return the size ``text`` says. Raises UsageError, which says where it stands."""
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:20]) <= _WIDEST:
        raise UsageError(f"{where}{name} must be a whole number from 1, not {text!r}")
    if name == "ENTRY_CHARS" and int(text) > TEXT_BYTES:
        raise UsageError(f"{where}ENTRY_CHARS is at most {TEXT_BYTES}: a record holds no more")
    return int(text)


def parse(raw: bytes, path: str) -> dict[str, int]:
    """Return the sizes that a ``config`` file sets. Raises EnvironmentFault with file and line."""
    found: dict[str, int] = {}
    for number, line in enumerate(_text(raw, path).splitlines(), 1):
        setting, equals, text = line.partition("#")[0].partition("=")
        where = f"{path}, line {number}: "
        if not equals:
            _refuse_unset(setting, where)
            continue
        name = setting.strip().upper()
        if name not in DEFAULTS and name != BYTE_BUDGET:
            known = ", ".join(DEFAULTS)
            raise EnvironmentFault(f"{where}{name!r} is no size; delete the line, or use {known}")
        try:
            found[name] = value(name, text.strip())
        except UsageError as wrong:
            raise EnvironmentFault(f"{where}{wrong}") from None
    return found


def _refuse_unset(setting: str, where: str) -> None:
    """Raise EnvironmentFault where a line names a size and sets none: it meant to."""
    name, _, said = setting.replace(":", " ").strip().partition(" ")
    name = name.upper()
    if name in DEFAULTS or name == BYTE_BUDGET:
        raise EnvironmentFault(
            f"{where}it names {name} and sets nothing; write {name} = {said.strip() or 'VALUE'}"
        )


def _text(raw: bytes, path: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EnvironmentFault(
            f"{path} is not UTF-8 text; delete it to return to defaults"
        ) from None


def fresh() -> str:
    """Return the ``config`` of a new journal: every size named, none set.

    It names no path: clones that began a journal each have the same file.
    """
    lines = [
        "# Sizes of this journal. A line that is commented out follows the default.",
        "# Set one, or restore it with an empty value: manent journal config NAME=VALUE",
        "",
    ]
    return "\n".join(lines + [_line(name, None) for name in DEFAULTS]) + "\n"


def changed(text: str, changes: dict[str, int | None]) -> str:
    """Return a ``config`` with some sizes set, or with None back to their default.

    Other lines, comments among them, stay as they are.
    """
    lines = text.splitlines()
    for name, size in changes.items():
        at = [i for i, line in enumerate(lines) if _names(line, name)]
        if not at:
            lines.append("")
        lines[at[0] if at else -1] = _line(name, size)
        # A size that was set twice would go on following its second line.
        for i in reversed(at[1:]):
            if not lines[i].lstrip().startswith("#"):
                del lines[i]
    return "\n".join(lines) + "\n"


def _names(line: str, name: str) -> bool:
    return line.lstrip("# ").partition("=")[0].strip().upper() == name and "=" in line


def _line(name: str, size: int | None) -> str:
    default, meaning = DEFAULTS.get(name, (1000000, "bytes in the whole of what wake prints"))
    return f"{'# ' if size is None else ''}{name:<12} = {size or default:<6} # {meaning}"
