"""The commands that read a journal: wake, recall, zoom, export, verify.

Each imports what it needs when it runs: `note` must not pay for `recall`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from manent.journal.call import Call
    from manent.journal.store import Store


def wake(call: Call) -> int:
    """Print the document, or one part of it; the last part says that one is awake."""
    from manent.journal import wake

    store = call.store()
    part = wake.number(call.args[0], "a part") if call.args else 1
    total = wake.moment(store, call.args[1] if len(call.args) > 1 else None)
    if not total:
        return _wake_empty(call, store)
    try:
        lines = wake.document(store, total)
    except wake.Unready as unready:
        if call.json:
            return _unready_json(call, store, total, unready.message)
        call.say(f"{unready.message}\n\n{unready.prompt}")
        return unready.exit_code
    found = wake.parts(store, lines)
    wake.check_part(part, len(found), store)
    if call.json:
        return _wake_json(call, store, found, part if call.args else 0, total)
    return _wake_part(call, store, found, part, total)


def _unready_json(call: Call, store: Store, total: int, message: str) -> int:
    from manent.journal import sleep

    block, waiting = sleep.due(store, total)
    call.say_json(
        {
            "memories": total,
            "awake": False,
            "pending": waiting,
            "message": message,
            "next": sleep.handed(store, block),
        }
    )
    return 1


def _wake_empty(call: Call, store: Store) -> int:
    from manent.journal import wake

    if call.json:
        _wake_json(call, store, [], 0, 0)
        return 0
    call.say(f'The journal is empty. For the first memory, run: {call.command} note "<one line>"')
    call.say(wake.AWAKE)
    return 0


def _wake_part(call: Call, store: Store, found: list[list[str]], part: int, total: int) -> int:
    from manent.journal import sleep, wake

    if len(found) > 1:
        held = sleep.counted(total, "memory")
        call.say(f"Your memory, part {part} of {len(found)}, oldest first, as of {held}.")
    call.say("\n".join(found[part - 1]))
    if part < len(found):
        call.say(f"Not awake yet. Run: {call.command} wake {part + 1} {total}")
        return 0
    call.say(wake.AWAKE)
    prompt = sleep.prompt(store, total)
    if prompt:
        call.say("\n" + prompt)
    return 0


def _wake_json(call: Call, store: Store, found: list[list[str]], part: int, total: int) -> int:
    """Print one part, or the whole document where none was named."""
    from manent.journal import sleep

    lines = found[part - 1] if part else [line for one in found for line in one]
    awake = not part or part == len(found)
    block, waiting = sleep.due(store, total)
    call.say_json(
        {
            "memories": total,
            "part": part or None,
            "parts": len(found),
            "lines": lines,
            "awake": awake,
            "pending": waiting,
            # Handed over after the read, as in the text: not before the last part.
            "next": sleep.handed(store, block) if awake else None,
        }
    )
    return 0


def recall(call: Call) -> int:
    """Print the newest memories that match a pattern, and how many did."""
    if len(call.args) != 1:
        raise call.wrong("recall takes one pattern, in quotes")
    from manent.journal import sleep
    from manent.journal.recall import Pattern, newest_fitting

    lines, count = newest_fitting(call.store(), Pattern(call.args[0]))
    if call.json:
        call.say_json({"pattern": call.args[0], "matches": count, "lines": lines})
    elif not count:
        call.say("No match.")
    else:
        held = sleep.counted(count, "match")
        lines.append(
            f"{held}."
            if len(lines) == count
            else f"The newest {len(lines)} of {held}: narrow the pattern for others."
        )
        call.say("\n".join(lines))
    return 0 if count else 1


def zoom(call: Call) -> int:
    """Print the two halves of a block."""
    from manent.journal import blocks, wake

    block = blocks.named(call.only("a block, like 16-31"))
    found = wake.halves(call.store(), block)
    if call.json:
        call.say_json(
            {
                "block": blocks.name(block),
                "halves": [
                    {"block": blocks.name((a, b)), "memories": b - a, "line": line}
                    for a, b, line in found
                ],
            }
        )
        return 0
    for a, b, line in found:
        raw = b - a == 1 and line is not None
        call.say(str(line) if raw else f"#{blocks.name((a, b))} {line or 'not compressed yet'}")
    return 0


def export(call: Call) -> int:
    """Print every memory as a line that import takes."""
    from manent.journal import bulk

    for number, date, text in bulk.exported(call.store()):
        if call.json:
            call.say_json({"number": number, "date": date, "text": text})
        else:
            call.say(f"{date} {text}")
    return 0


def verify(call: Call) -> int:
    """Print what is wrong with the journal, and how to mend it."""
    from manent.journal import sleep
    from manent.journal.verify import problems

    store = call.store()
    count, shown = 0, []
    for file, index, what, mend in problems(store):
        count += 1
        if call.json:
            # A journal shredded from end to end is told in full as text, not held in memory.
            if count <= 1000:
                shown.append(
                    {
                        "file": file,
                        "record": index if index >= 0 else None,
                        "message": what,
                        "mend": mend,
                    }
                )
        else:
            call.say(f"{file}: {what}; {mend}")
    total = store.length()
    if call.json:
        call.say_json({"memories": total, "problems": count, "found": shown})
    elif not count:
        built = sum(had for _, had in store.built())
        call.say(
            f"All is well: {sleep.counted(total, 'memory')}, {sleep.counted(built, 'summary')}."
        )
    return 1 if count else 0
