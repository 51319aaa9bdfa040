"""The records of a journal and the laws they obey, over bytes alone.

A journal is a folder with a log and a tree of summaries (``spec/JOURNAL.md``):

- ``LOG.txt``: record i stands at byte i * 320 and reads ``#<i> <date> <text>``;
- ``TREE/<size>``: record k stands at byte k * 288 and is one line that
  summarises the memories [k * size, (k + 1) * size).

Both are UTF-8, padded with spaces and ended by a newline. The journal writes
by these laws, the gate judges pushes by them: ``log_fault`` and ``tree_fault``
where a commit has one parent, ``merge_fault`` and ``tree_merge_fault`` where it
has several, ``shape_fault`` for the tree as a whole.

A fault is ``(record index, message)``; None means lawful. Nothing here reads a
file, a clock or the environment, and nothing raises on any bytes whatever,
except where a docstring says so.
"""

from __future__ import annotations

from manent.errors import EnvironmentFault

TYPE_CHECKING = False
# `typing` and `collections` cost more than the rest of `journal note` together.
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LOG_BYTES = 320
"""One record of LOG.txt, its newline included."""

TREE_BYTES = 288
"""One record of a level of TREE, its newline included."""

TEXT_BYTES = 280
"""The longest text, of a memory or of a summary: both records hold it."""

_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_MENDED_BY_MERGE = "merge the accepted log instead (git merge), or undo the commit"


# ---------------------------------------------------------------- one record


def log_record(number: int, date: str, text: str) -> bytes:
    """Return the 320 bytes of memory ``number``.

    date: ``YYYY-MM-DD``; text: one line, at most ``TEXT_BYTES`` in UTF-8. The
    caller has asked ``text_fault`` first: ValueError when the record overflows.
    """
    return _padded(f"#{number} {date} {text}".encode(), LOG_BYTES)


def tree_record(text: str) -> bytes:
    """Return the 288 bytes of a summary. ValueError when it overflows."""
    return _padded(text.encode(), TREE_BYTES)


def _padded(line: bytes, width: int) -> bytes:
    if len(line) >= width:
        raise ValueError(f"{len(line)} bytes do not fit a record of {width}")
    return line.ljust(width - 1) + b"\n"


def text_fault(text: str, limit: int = TEXT_BYTES) -> str | None:
    """Say why ``text`` cannot be a memory or a summary; None when it can.

    It is one line of UTF-8, not empty, without blanks at its ends, without
    control characters but the tab, and at most ``limit`` bytes long.
    """
    if not text.strip():
        return "is empty: it takes one line of text"
    if text != text.strip():
        return "begins or ends with blanks"
    if not text.isprintable():
        fault = _character_fault(text)
        if fault:
            return fault
    count = len(text.encode())
    if count > limit:
        return f"is {count} bytes long, the limit is {limit}; an accented letter costs two"
    return None


def _character_fault(text: str) -> str | None:
    lines = len(text.splitlines())
    if lines > 1:
        return f"is {lines} lines: merge them, or note them one by one"
    for character in text:
        code = ord(character)
        if 0xD800 <= code < 0xE000:
            return "is not UTF-8 text"
        if _unlawful(code):
            return f"holds the control character U+{code:04X}"
    return None


def real_date(date: bytes) -> bool:
    """Tell whether ``date`` is a day of the calendar, written ``YYYY-MM-DD``."""
    if len(date) != 10 or date[4:5] != b"-" or date[7:8] != b"-":
        return False
    year, month, day = date[:4], date[5:7], date[8:]
    if not (year.isdigit() and month.isdigit() and day.isdigit()):
        return False
    y, m, d = int(year), int(month), int(day)
    if not (y and 1 <= m <= 12 and 1 <= d <= _MONTH_DAYS[m - 1]):
        return False
    leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    return leap or (m, d) != (2, 29)


def log_record_fault(raw: bytes, number: int, after: bytes = b"") -> str | None:
    """Say what is wrong with ``raw`` as record ``number`` of a log.

    after: the date of the record before it, or nothing: dates never go back.
    """
    if len(raw) != LOG_BYTES:
        return f"is torn: {len(raw)} of {LOG_BYTES} bytes"
    if raw[-1] != 10:
        return "does not end with a newline: it, or one before it, is misaligned"
    head = b"#%d " % number
    if not raw.startswith(head):
        return f"does not begin with #{number}: it was moved, or is misaligned"
    date = raw[len(head) : len(head) + 10]
    if date != after and not real_date(date):
        return "has no real date after its number"
    if raw[len(head) + 10] != 32:
        return "has no blank after its date"
    if date < after:
        return f"is dated {_shown(date)}, before the {_shown(after)} of the record in front of it"
    return _text_of_record_fault(raw[len(head) + 11 : -1])


def tree_record_fault(raw: bytes) -> str | None:
    """Say what is wrong with ``raw`` as a summary of any level."""
    if len(raw) != TREE_BYTES:
        return f"is torn: {len(raw)} of {TREE_BYTES} bytes"
    if raw[-1] != 10:
        return "does not end with a newline: it, or one before it, is misaligned"
    return _text_of_record_fault(raw[:-1])


def _text_of_record_fault(padded: bytes) -> str | None:
    try:
        return text_fault(padded.rstrip(b" ").decode())
    except UnicodeDecodeError:
        return "is not UTF-8"


def _shown(date: bytes) -> str:
    return date.decode("ascii", "replace")


def log_line(raw: bytes, number: int) -> str:
    """Return ``#<i> <date> <text>`` as record ``number`` says it.

    Reads what any writer of the format stored, laws or not, but always as one
    line that is safe to print, see ``one_line``. Raises EnvironmentFault where
    the record is no text or not in its place.
    """
    fault = None
    if not raw.startswith(b"#%d " % number):
        fault = f"does not begin with #{number}"
    try:
        line = raw.decode().rstrip()
    except UnicodeDecodeError:
        fault = "is not UTF-8"
    if fault or len(raw) != LOG_BYTES:
        raise EnvironmentFault(f"record #{number} is damaged: it {fault or 'is torn'}")
    return one_line(line)


def one_line(text: str) -> str:
    """Return ``text`` with U+FFFD for what would break the line or steer a terminal.

    No lawful record holds such a character; a hostile or foreign one may, and
    must not forge a second line of a document that agents obey.
    """
    if text.isprintable():
        return text
    return "".join("\ufffd" if _unlawful(ord(c)) else c for c in text)


def _unlawful(code: int) -> bool:
    """Tell whether no text may hold this character: a control but the tab, a line break."""
    return (code < 32 and code != 9) or 127 <= code < 160 or code in (0x2028, 0x2029)


def split_line(line: str) -> tuple[int, str, str]:
    """Return number, date and text of a line that ``log_line`` returned."""
    head, _, rest = line.partition(" ")
    date, _, text = rest.partition(" ")
    return int(head[1:]), date, text


# ---------------------------------------------------------------- one parent


def common_records(one: bytes, other: bytes, width: int) -> int:
    """Return how many records of ``width`` bytes both begin with."""
    low, high = 0, min(len(one), len(other)) // width
    while low < high:
        middle = (low + high + 1) // 2
        if one[low * width : middle * width] == other[low * width : middle * width]:
            low = middle
        else:
            high = middle - 1
    return low


def log_fault(old: bytes | None, new: bytes) -> tuple[int, str] | None:
    """Say why a commit may not turn the log ``old`` into ``new``.

    Lawful is one thing: every record of ``old`` stands as it stood, and whole,
    well-formed records follow, numbered on and dated on. old: None where there
    was no log; new: ``b""`` where the commit removes it. Linear in what is new.
    """
    had = _whole(old or b"", LOG_BYTES)
    kept = common_records(had, new, LOG_BYTES)
    if kept * LOG_BYTES < len(had):
        return kept, f"record #{kept} {_deed(had, new, kept)}; {_MENDED_BY_MERGE}"
    after = _date(new, kept - 1) if kept else b""
    for number in range(kept, -(-len(new) // LOG_BYTES)):
        raw = new[number * LOG_BYTES : (number + 1) * LOG_BYTES]
        fault = log_record_fault(raw, number, after)
        if fault:
            return number, f"record #{number} {fault}"
        after = _date(new, number)
    return None


def _deed(had: bytes, new: bytes, kept: int) -> str:
    """Name what was done to record ``kept`` of ``had``, which ``new`` no longer holds there."""
    before, now = _contents(had, kept), _contents(new, kept)
    if not now or before[0] not in (present := set(now)):
        dropped = not now or (len(before) > 1 and now[0] == before[1])
        return "was dropped: a log only grows" if dropped else "was edited: a memory never changes"
    if now[0] == before[0]:
        return "was renumbered: its place is its identity"
    if set(before) <= present and now[0] not in set(before):
        return "was moved back: a new memory goes to the end"
    return "was moved: the order of a log never changes"


def tree_fault(old: bytes | None, new: bytes, size: int, memories: int) -> tuple[int, str] | None:
    """Say why a commit may not turn the level ``TREE/<size>`` from ``old`` into ``new``.

    Lawful is to append whole, well-formed summaries of memories that the log
    holds, or to cut some off the end (forget); not both at once.
    size: of the level, see ``level_size``. memories: records of the log in the
    same commit.
    """
    had = _whole(old or b"", TREE_BYTES)
    kept = common_records(had, new, TREE_BYTES)
    if kept * TREE_BYTES < min(len(had), len(new)):
        return kept, (
            f"{_named(kept, size)} was edited: a level grows at its end or is cut back; "
            "commit what `forget` cut before what `sleep` adds"
        )
    for k in range(kept, -(-len(new) // TREE_BYTES)):
        fault = tree_record_fault(new[k * TREE_BYTES : (k + 1) * TREE_BYTES])
        if not fault and (k + 1) * size > memories:
            fault = f"summarises memories that the log of {memories} does not hold"
        if fault:
            return k, f"{_named(k, size)} {fault}"
    return None


def _named(k: int, size: int) -> str:
    return f"the summary of #{k * size}-{(k + 1) * size - 1}"


def level_size(name: str) -> int | None:
    """Return the size a file of TREE is named for: a power of two from 2; else None."""
    if not (name.isascii() and name.isdigit()) or name[0] == "0" or len(name) > 18:
        return None
    size = int(name)
    return size if size >= 2 and size & (size - 1) == 0 else None


def journal_file(path: str, roots: Iterable[str] = ("journal",)) -> tuple[str, int] | None:
    """Return (folder, size) of a file that these laws judge, None for any other path.

    path: relative to the vault. size: of the level of TREE, 0 for the log.
    roots: journals are these folders, and folders below them.
    """
    folder, _, name = path.rpartition("/")
    size = 0 if name == "LOG.txt" else level_size(name)
    if size:
        folder, _, tree = folder.rpartition("/")
        size = size if tree == "TREE" else None
    within = any(folder == root or folder.startswith(f"{root}/") for root in roots)
    return (folder, size) if size is not None and within else None


def beside_levels(path: str, roots: Iterable[str] = ("journal",)) -> str | None:
    """Return what of a path in a journal's TREE is no level, None for any other path.

    Names that begin with a dot are nobody's: git's own may stand there.
    """
    folder, _, inside = f"/{path}".rpartition("/TREE/")
    folder = folder.removeprefix("/")
    within = any(folder == root or folder.startswith(f"{root}/") for root in roots)
    if not (within and inside) or inside.startswith(".") or level_size(inside):
        return None
    return inside


def shape_fault(levels: Mapping[int, int], memories: int) -> tuple[int, str] | None:
    """Say where a tree stands on nothing: the index is the first unsupported record.

    levels: how many summaries each size has. A block of 2 stands on memories,
    a larger one on its two halves.
    """
    for size in sorted(levels):
        below = memories if size == 2 else levels.get(size // 2, 0)
        if levels[size] > below // 2:
            what = "memories it summarises are" if size == 2 else "halves it stands on are"
            return below // 2, f"{_named(below // 2, size)} is there, but the {what} not"
    return None


# ---------------------------------------------------------------- what a summary was made of

SUMMARY_KEY = "Journal-Summary"
"""Of a line in a commit's message: which block was summarised, and what stood in it."""


def summary_line(lo: int, hi: int, memories: bytes) -> str:
    """Return the line a commit of one summary ends with. memories: the records [lo, hi).

    A rebase or a pick carries summary and line along, and may put other memories
    beneath them: neither the file nor its history tells that, this line does.
    """
    return f"{SUMMARY_KEY}: {lo}-{hi - 1} {_fingerprint(memories)}"


def summaries_told(message: bytes) -> list[tuple[int, int, str]]:
    """Return (lo, hi, fingerprint) of each block that a commit's message tells of."""
    found = []
    key = f"{SUMMARY_KEY}: ".encode()
    for line in message.splitlines() if key in message else ():
        block, _, print_ = line.removeprefix(key).decode("ascii", "replace").strip().partition(" ")
        first, dash, last = block.partition("-")
        if line.startswith(key) and dash and first.isdigit() and last.isdigit():
            lo, hi = int(first[:18]), int(last[:18]) + 1
            if level_size(str(hi - lo)) and lo % (hi - lo) == 0:
                found.append((lo, hi, print_))
    return found


def stands_on(log: bytes, lo: int, hi: int, fingerprint: str) -> bool:
    """Tell whether the memories [lo, hi) of ``log`` are those a summary was made of."""
    return _fingerprint(log[lo * LOG_BYTES : hi * LOG_BYTES]) == fingerprint


def _fingerprint(memories: bytes) -> str:
    # Loaded here: a note that is not committed needs none of it.
    from hashlib import sha256

    return sha256(memories).hexdigest()[:32]


def _whole(raw: bytes, width: int) -> bytes:
    return raw[: len(raw) - len(raw) % width]


def _contents(log: bytes, first: int) -> list[bytes]:
    """Return ``<date> <text>`` of each whole record from ``first`` on: all but the number."""
    starts = range(first * LOG_BYTES, len(log) - LOG_BYTES + 1, LOG_BYTES)
    return [log[i : i + LOG_BYTES - 1].rstrip(b" ").partition(b" ")[2] for i in starts]


def _date(log: bytes, number: int) -> bytes:
    raw = log[number * LOG_BYTES : (number + 1) * LOG_BYTES]
    return raw.partition(b" ")[2][:10]


# ---------------------------------------------------------------- several parents


def merge_logs(
    base: bytes | None, ours: bytes, theirs: bytes, *, picked: bool = False
) -> tuple[bytes, int]:
    """Merge two logs; return the merged log and how many records both began with.

    The common prefix, then what either side has beyond it, by date: a date of
    theirs goes before ours only when it is earlier, and all are numbered anew.
    What the ancestor ``base`` already held is on both sides and is taken once,
    in our order, wherever a merge or a rebase has put it since. So the result
    holds base + what ours added + what theirs added, each exactly as often, and
    what a side added keeps its order. A side that added nothing has no say: the
    result is the other, as git itself has it where a file changed on one side.
    Raises EnvironmentFault when a side is no log, or lacks a record of the
    ancestor: somebody edited it.

    picked: ours + what theirs added, as a rebase or a pick wants it; there the
    "ancestor" is the parent of the commit picked, and ours need not hold it.
    """
    for side, log in (("our", ours), ("their", theirs), ("the ancestor's", base or b"")):
        _must_be_log(side, log)
    common = common_records(ours, theirs, LOG_BYTES)
    mine, other = _contents(ours, common), _contents(theirs, common)
    old = _beyond(base or b"", ours[: common * LOG_BYTES])
    if not picked:
        _must_hold("our", mine, old)
    _must_hold("their", other, old)
    fresh = _less(other, old)
    if fresh and not picked and len(mine) == sum(old.values()):
        return theirs, common
    tail = _by_date(mine, fresh)
    records = [_numbered(common + i, content) for i, content in enumerate(tail)]
    return ours[: common * LOG_BYTES] + b"".join(records), common


def _must_be_log(side: str, log: bytes) -> None:
    if len(log) % LOG_BYTES:
        raise EnvironmentFault(f"{side} side of the merge is no whole number of records")
    for number in range(len(log) // LOG_BYTES):
        raw = log[number * LOG_BYTES : (number + 1) * LOG_BYTES]
        if not raw.startswith(b"#%d " % number) or raw[-1] != 10:
            raise EnvironmentFault(f"record #{number} on {side} side of the merge is damaged")


def _beyond(base: bytes, prefix: bytes) -> dict[bytes, int]:
    """Count the records of ``base`` that ``prefix`` does not hold."""
    same = common_records(base, prefix, LOG_BYTES)
    left = _counted(_contents(base, same))
    for content in _contents(prefix, same):
        if left.get(content, 0):
            left[content] -= 1
    return left


def _counted(contents: Iterable[bytes]) -> dict[bytes, int]:
    counts: dict[bytes, int] = {}
    for content in contents:
        counts[content] = counts.get(content, 0) + 1
    return counts


def _less(contents: list[bytes], old: dict[bytes, int]) -> list[bytes]:
    """Return ``contents`` without the first so many of each that ``old`` counts."""
    left, fresh = dict(old), []
    for content in contents:
        if left.get(content, 0):
            left[content] -= 1
        else:
            fresh.append(content)
    return fresh


def _must_hold(side: str, contents: list[bytes], old: dict[bytes, int]) -> None:
    counts = _counted(contents)
    for content, times in old.items():
        if times > counts.get(content, 0):
            raise EnvironmentFault(
                f"{side} side of the merge has lost a record of {_shown(content[:10])} "
                "that both sides began with: it was edited or dropped"
            )


def _by_date(ours: list[bytes], theirs: list[bytes]) -> list[bytes]:
    merged, j = [], 0
    for content in ours:
        while j < len(theirs) and theirs[j][:10] < content[:10]:
            merged.append(theirs[j])
            j += 1
        merged.append(content)
    return merged + theirs[j:]


def _numbered(number: int, content: bytes) -> bytes:
    line = b"#%d %s" % (number, content)
    if len(line) >= LOG_BYTES:
        raise EnvironmentFault(f"record #{number} of the merge does not fit {LOG_BYTES} bytes")
    return line.ljust(LOG_BYTES - 1) + b"\n"


def merge_bases(bases: Sequence[bytes]) -> bytes:
    """Return one ancestor that stands for several (a criss-cross history).

    It holds each memory as often as the base that holds it most often; its
    order does not matter to ``merge_logs``.
    """
    if not bases:
        return b""
    merged = _whole(bases[0], LOG_BYTES)
    for base in bases[1:]:
        missing = _beyond(_whole(base, LOG_BYTES), merged)
        extra = [content for content, times in missing.items() for _ in range(times)]
        start = len(merged) // LOG_BYTES
        merged += b"".join(_numbered(start + i, content) for i, content in enumerate(extra))
    return merged


def merge_fault(
    bases: Sequence[bytes], parents: Sequence[bytes], new: bytes
) -> tuple[int, str] | None:
    """Say why ``new`` is not the log that merging ``parents`` makes.

    parents: the log in each parent, first parent first, ``b""`` where it has
    none. bases: the log in each merge base of the parents (``git merge-base
    --all``; for more than two parents ``--octopus``); none where the parents have
    no common ancestor, see ``apart_fault``. Only one log is lawful: what
    ``merge_logs`` makes of them. The records' own form is judged too: no parent
    may bring in a damaged one.
    """
    apart = None if bases else apart_fault(parents)
    if apart:
        return 0, apart
    expected = parents[0] if parents else b""
    try:
        for other in parents[1:]:
            expected, _ = merge_logs(merge_bases(bases), expected, other)
    except EnvironmentFault as broken:
        return 0, str(broken)
    if new == expected or (new in parents and _same_memories(new, expected)):
        return None
    at = common_records(expected, new, LOG_BYTES)
    if new.startswith(expected):
        return at, (
            f"record #{at} was noted in the merge itself, which adds none of its own: keep its "
            "text, merge again, and note it after the merge"
        )
    return at, (
        f"record #{at} is not what merging the parents makes of it; let the merge driver "
        "write the log: manent journal merge --install, then merge again"
    )


def apart_fault(logs: Iterable[bytes]) -> str | None:
    """Say why the logs of histories without a common ancestor may not be merged.

    None where each continues another: that is one life. Else two lives were
    begun apart, and merging them would renumber one from its first memory on,
    though somebody may have read it as it was.
    """
    longest = b""
    for log in sorted((log for log in logs if log), key=len):
        if not log.startswith(longest):
            return (
                "the two logs began apart, in histories without a common ancestor: give one a "
                "folder of its own, as journal/NAME"
            )
        longest = log
    return None


def _same_memories(one: bytes, other: bytes) -> bool:
    return _counted(_contents(one, 0)) == _counted(_contents(other, 0))


def merge_level(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Merge one level of TREE, not knowing the logs: keep what all three agree on.

    A summary that only one side has may be of memories the merge has moved.
    """
    kept = common_records(ours, theirs, TREE_BYTES)
    return ours[: min(kept, len(base or b"") // TREE_BYTES) * TREE_BYTES]


def supported_summaries(
    size: int, log: bytes, parents: Sequence[tuple[bytes, bytes]], level: bytes
) -> int:
    """Return how many summaries at the front of ``level`` are of the memories now in ``log``.

    parents: (log, level) of each commit the level was made from. A summary is
    right where one of them has it in the same place, and ``log`` begins with all
    memories of that one up to the end of the block.
    """
    reach = [common_records(log, its_log, LOG_BYTES) // size for its_log, _ in parents]
    k = 0
    while (raw := level[k * TREE_BYTES : (k + 1) * TREE_BYTES]) and len(raw) == TREE_BYTES:
        if not any(
            k < most and its_level[k * TREE_BYTES : (k + 1) * TREE_BYTES] == raw
            for most, (_, its_level) in zip(reach, parents, strict=True)
        ):
            break
        k += 1
    return k


def tree_merge_fault(
    size: int, log: bytes, parents: Sequence[tuple[bytes, bytes]], new: bytes
) -> tuple[int, str] | None:
    """Say why ``new`` may not be the level ``TREE/<size>`` of a merge commit.

    log: the merged log. parents: (log, level) of each parent. Every summary must
    be one that ``supported_summaries`` knows. Fewer are always lawful: a level
    is a cache.
    """
    k = supported_summaries(size, log, parents, new)
    if k * TREE_BYTES == len(new):
        return None
    return k, (
        f"{_named(k, size)} is of memories that the merge has moved; cut it back with: "
        "manent journal merge --settle, then: git commit --amend --no-edit"
    )
