"""Verifying: every invariant of a journal, in one pass and constant memory."""

from __future__ import annotations

import os

from manent import record, sizes
from manent.errors import EnvironmentFault
from manent.journal import staged
from manent.journal.store import CONFIG, LOG, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from manent.journal.store import Store

_RUN = 4096

Problem = tuple[str, int, str, str]
"""File within the journal, record index (-1: the whole file), what is wrong, how to mend it."""


def problems(store: Store) -> Iterator[Problem]:
    """Yield what is wrong with the journal; nothing, when all is well."""
    yield from _log(store)
    yield from _tree(store)
    yield from _config(store)
    for name in staged.strays(store.directory):
        what = "looks like what an import left, and is of no import here: it is not used"
        yield name, -1, what, f"remove {name}"


def _log(store: Store) -> Iterator[Problem]:
    width, number, after, whole = record.LOG_BYTES, 0, b"", store.length()
    restore = f"put back the {LOG} of a clone or a backup: a log is never edited"
    torn = "the next note drops it: it was never acknowledged"
    if not store.ends_whole():
        torn = f"somebody edited the file, no note is taken; {restore}"
    for raw in store.chunks(_RUN):
        for i in range(0, len(raw), width):
            one = raw[i : i + width]
            fault = record.log_record_fault(one, number, after)
            if fault:
                mend = "it reads well, but no brain accepts it" if " dated " in fault else restore
                if number >= whole:
                    mend = torn
                yield LOG, number, f"record #{number} {fault}", mend
            else:
                after = one[len(b"#%d " % number) :][:10]
            number += 1


def _tree(store: Store) -> Iterator[Problem]:
    total, levels = store.length(), {}
    for name in _names(store):
        size = record.level_size(name)
        path = f"{TREE}/{name}"
        if size is None:
            yield path, -1, "is no level: a level is named for a power of two", f"remove {path}"
            continue
        try:
            levels[size] = store.level_length(size)
        except EnvironmentFault as wrong:
            yield path, -1, wrong.message, f"remove {path}: it is a cache"
            continue
        yield from _level(store, size)
    unsupported = record.shape_fault(levels, total)
    if unsupported:
        k, fault = unsupported
        # The smallest level that stands on nothing is the one the law names.
        size = next(s for s in sorted(levels) if _below(levels, s, total) // 2 < levels[s])
        yield f"{TREE}/{size}", k, fault, _forgetting(store, size, k)


def _below(levels: dict[int, int], size: int, total: int) -> int:
    return total if size == 2 else levels.get(size // 2, 0)


def _names(store: Store) -> list[str]:
    try:
        found = os.listdir(store.path(TREE))
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda name: (record.level_size(name) or 0, name))


def _level(store: Store, size: int) -> Iterator[Problem]:
    width, k, whole = record.TREE_BYTES, 0, store.whole_summaries(size)
    for raw in store.chunks(_RUN, width, size):
        for i in range(0, len(raw), width):
            fault = record.tree_record_fault(raw[i : i + width])
            if fault:
                torn = k >= whole
                mend = "the next sleep drops it" if torn else _forgetting(store, size, k)
                block = f"#{k * size}-{(k + 1) * size - 1}"
                yield f"{TREE}/{size}", k, f"the summary of {block} {fault}", mend
            k += 1


def _forgetting(store: Store, size: int, k: int) -> str:
    return f"build it again; run: {store.command} forget {k * size}-{(k + 1) * size - 1}"


def _config(store: Store) -> Iterator[Problem]:
    text = store.config_bytes().decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), 1):
        setting = line.partition("#")[0].strip()
        if setting and "=" not in setting:
            known = ", ".join(sizes.DEFAULTS)
            what = f"line {number} sets nothing: a size is set by NAME = VALUE"
            yield CONFIG, -1, what, f"delete the line, or name one of {known}"
