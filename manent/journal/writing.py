"""The commands that change a journal: init, note, sleep, forget, config, import, merge.

Each imports what it needs when it runs: `note` must not pay for `recall`.
"""

from __future__ import annotations

import os
import stat

from manent import record
from manent.errors import EnvironmentFault, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from manent.journal.call import Call
    from manent.journal.store import Store


def init(call: Call) -> int:
    """Create the journal, and print the block for AGENTS.md."""
    from manent.journal import agents, sleep
    from manent.journal.store import Store, create

    call.refuse_gone()
    fresh = create(call.directory)
    held = sleep.counted(Store(call.directory, call.command).length(), "memory")
    call.say(
        f"Created {call.directory}: a new journal." if fresh else f"Found {call.directory}: {held}."
    )
    top = _top_of(call.directory)
    if top:
        from manent.journal.command import quoted

        call.say(
            "To merge clones that noted in parallel, run: "
            f"{call.program} hooks install --repo {quoted(top)}"
        )
        if os.path.relpath(call.directory, top).split(os.sep)[0] != "journal":
            call.say(f"A brain judges the journals in {top}/journal; here it is a file like any.")
    call.say("Paste this at the top of AGENTS.md (or CLAUDE.md):\n")
    call.say(agents.block(call.directory, call.command).rstrip())
    return 0


def _top_of(directory: str) -> str | None:
    """Return the top of the working tree that holds ``directory``, None where there is none."""
    from manent.journal.gitside import working_tree

    found = working_tree(directory)
    return found[0] if found else None


def note(call: Call) -> int:
    """Keep one memory, or each line of standard input."""
    from manent.journal import sleep
    from manent.journal.store import LOG

    store = call.store()
    items = _noted_lines(call, store)
    with store.locked():
        base, count = store.append(items)
        said = _named(base, count)
        call.say(f"Saved as {said}.")
        call.committed([LOG], f"note {said}")
    prompt = sleep.prompt(store, base + count)
    if prompt:
        call.say("\n" + prompt)
    return 0


def _named(base: int, count: int) -> str:
    return f"#{base}" if count == 1 else f"#{base} to #{base + count - 1}"


def _noted_lines(call: Call, store: Store) -> list[tuple[str, str]]:
    from manent.journal import sleep

    if "--batch" not in call.flags:
        if len(call.args) != 1:
            raise call.wrong("a note is one argument: one line, in quotes")
        return [(call.today, sleep.checked(store, call.args[0]))]
    if call.args:
        raise call.wrong("with --batch the lines come from standard input")
    items = []
    for number, raw in enumerate(call.stdin, 1):
        text = raw.decode("utf-8", "surrogateescape").strip()
        if text:
            try:
                items.append((call.today, sleep.checked(store, text)))
            except UsageError as wrong:
                raise UsageError(f"line {number}: {wrong}; nothing was saved") from None
    if not items:
        raise UsageError("standard input holds no line to note")
    return items


def sleep(call: Call) -> int:
    """Save a compression if one is given, and ask for the next."""
    from manent.journal import sleep

    store = call.store()
    if len(call.args) == 1:
        raise call.wrong("a compression is a block and its line")
    said = _settled(call, store) if call.args else ""
    if call.json:
        return _sleep_json(call, store, said)
    prompt = sleep.prompt(store, store.length())
    if said:
        call.say(said + "\n" if prompt else said)
    call.say(prompt or "Nothing left to compress.")
    return 0


def _settled(call: Call, store: Store) -> str:
    from manent.journal import blocks, sleep

    block = blocks.named(call.args[0])
    size = block[1] - block[0]
    with store.locked():
        written, said = sleep.settle(store, block, call.args[1])
        if written:
            call.committed(
                [f"TREE/{size}"],
                f"summary of #{blocks.name(block)}",
                lambda: record.summary_line(*block, store.raw(*block)),
            )
    return said


def _sleep_json(call: Call, store: Store, said: str) -> int:
    from manent.journal import sleep

    block, waiting = sleep.due(store, store.length())
    call.say_json({"said": said, "pending": waiting, "next": sleep.handed(store, block)})
    return 0


def forget(call: Call) -> int:
    """Drop a summary and all that is built on it."""
    from manent.journal import blocks, sleep

    block = blocks.named(call.only("a block, like 16-31"))
    name = blocks.name(block)
    store = call.store()
    with store.locked():
        before = store.built()
        gone = sleep.forget(store, block)
        cut = [f"TREE/{size}" for size, had in before if store.level_length(size) < had]
        call.committed(cut, f"forget #{name}, {sleep.counted(gone, 'summary')}")
    call.say(f"Forgot {sleep.counted(gone, 'summary')}, from #{name} up. Run: {call.command} sleep")
    return 0


def config(call: Call) -> int:
    """Show the sizes, or set some."""
    from manent import sizes

    store = call.store()
    changes: dict[str, int | None] = {}
    for argument in call.args:
        name, equals, text = argument.partition("=")
        name = name.strip().upper()
        known = (*sizes.DEFAULTS, sizes.BYTE_BUDGET)
        if not equals or name not in known:
            raise call.wrong(f"{argument!r} is not NAME=VALUE, NAME one of {', '.join(known[:4])}")
        changes[name] = sizes.value(name, text.strip()) if text.strip() else None
    if changes:
        with store.locked():
            text = store.config_bytes().decode("utf-8-sig") or sizes.fresh()
            store.replace_config(sizes.changed(text, changes))
        store = call.store()
    return _show_config(call, store)


def _show_config(call: Call, store: Store) -> int:
    from manent import sizes

    own = store.set_sizes
    if call.json:
        values = {name: store.size(name) for name in sizes.DEFAULTS}
        call.say_json({"sizes": values | own, "set": sorted(own)})
        return 0
    for name, (default, meaning) in sizes.DEFAULTS.items():
        note = f" (default {default})" if name in own else ""
        call.say(f"{name:<12} {store.size(name):<7} {meaning}{note}")
    if sizes.BYTE_BUDGET in own:
        call.say(
            f"{sizes.BYTE_BUDGET:<12} {own[sizes.BYTE_BUDGET]:<7} bytes in all that wake prints"
        )
    return 0


def import_lines(call: Call) -> int:
    """Append memories from a file, all or none."""
    from manent.journal import bulk, sleep
    from manent.journal.store import LOG

    name = call.only("a file of lines 'YYYY-MM-DD text'; - is standard input")
    store = call.store()
    limit = store.size("ENTRY_CHARS")
    with _source(call, name) as source, store.locked():
        store.mend()
        base, count = store.append(bulk.dated_lines(source, name, limit, store.last_date()))
        if not count:
            raise UsageError(f"{name} holds no memory")
        said = _named(base, count)
        call.say(f"Imported {sleep.counted(count, 'memory')}, {said}.")
        call.committed([LOG], f"import {said}")
    _, waiting = sleep.due(store, store.length())
    if waiting:
        held = sleep.counted(waiting, "compression")
        call.say(f"{held} pending. Run: {call.command} sleep")
    return 0


def _source(call: Call, name: str) -> BinaryIO:
    """Open what is imported; what comes through a pipe is read to its end first.

    A writer on its other side may take its time: nobody waits for the lock meanwhile.
    """
    if name == "-":
        return _spooled(call.stdin)
    found = open(os.path.join(call.cwd, name), "rb")  # noqa: SIM115  (the caller closes it)
    if stat.S_ISREG(os.fstat(found.fileno()).st_mode):
        return found
    with found:
        return _spooled(found)


def _spooled(stream: BinaryIO) -> BinaryIO:
    import shutil
    import tempfile

    held = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
    shutil.copyfileobj(stream, held)
    held.seek(0)
    return held


def merge(call: Call) -> int:
    """Merge three files as git asks, install the driver, or settle a merge."""
    from manent.journal import merge

    if "--install" in call.flags:
        done = merge.install(_top(call), call.driver, call.environ, call.directory)
        call.say("Installed: " + ", ".join(done) + "." if done else "Installed already.")
    elif "--settle" in call.flags:
        _settle(call)
    elif len(call.args) != 4:
        raise call.wrong("git calls this with %O %A %B %P")
    else:
        merge.drive(call.args[:3], call.args[3], call.cwd, call.environ)
    return 0


def _settle(call: Call) -> None:
    from manent.journal import merge

    top = _top(call)
    cut = merge.settle(top, call.command, call.environ, call.args)
    if cut or "--commit" not in call.flags:
        call.say("Cut back: " + ", ".join(cut) + "." if cut else "Nothing to cut back.")
    if cut and call.commits and not merge.under_way(top, call.environ):
        failed = merge.commit_settled(top, cut, call.environ)
        if failed:
            raise EnvironmentFault(f"cut back, but not committed: {failed}")


def _top(call: Call) -> str:
    from manent.journal.gitside import output

    # A printed command names the journal and must run from wherever the reader
    # stands; a hook names none, and means the repository it runs in.
    there = call.directory if call.named else call.cwd
    found = output(there, ["rev-parse", "--show-toplevel"], call.environ)
    return os.fsdecode(found.rstrip(b"\n"))
