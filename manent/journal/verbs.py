"""The table of the journal's commands: where to start reading.

A command is named, not imported: it is looked up in its module when it runs.
"""

from __future__ import annotations

from manent.journal.call import Verb

VERBS = {
    "init": Verb("writing.init", "", "create the journal, print the block for AGENTS.md", "init"),
    "wake": Verb(
        "reading.wake",
        "[PART [T]]",
        "read what is remembered, first thing in every session",
        "wake",
        "--json",
        2,
    ),
    "note": Verb(
        "writing.note",
        '"ONE LINE"',
        "keep one memory; --batch keeps each line of standard input",
        'note "chose tea over coffee"',
        "--commit --batch",
        1,
    ),
    "sleep": Verb(
        "writing.sleep",
        '[BLOCK "ONE LINE"]',
        "do the compressions that are due (also: nap)",
        'sleep 0-1 "what both say"',
        "--commit --json",
        2,
    ),
    "recall": Verb(
        "reading.recall",
        "PATTERN",
        "search every memory, word for word (RE2, letter case aside)",
        'recall "tea|coffee"',
        "--json",
        1,
    ),
    "zoom": Verb(
        "reading.zoom", "BLOCK", "open a block into its two halves", "zoom 0-1", "--json", 1
    ),
    "forget": Verb(
        "writing.forget",
        "BLOCK",
        "drop a bad summary and all built on it; the log stays",
        "forget 0-1",
        "--commit",
        1,
    ),
    "config": Verb(
        "writing.config",
        "[NAME=VALUE ...]",
        "show the sizes, or set some; NAME= restores one",
        "config WAKE_LINES=64",
        "--json",
        99,
    ),
    "import": Verb(
        "writing.import_lines",
        "FILE",
        "append memories from lines 'YYYY-MM-DD text'",
        "import life.txt",
        "--commit",
        1,
    ),
    "export": Verb(
        "reading.export",
        "",
        "print every memory as a line that import takes; --json: an object a line",
        "export",
        "--json",
    ),
    "verify": Verb(
        "reading.verify",
        "",
        "check every invariant, say what is wrong and how to mend it",
        "verify",
        "--json",
    ),
    "merge": Verb(
        "writing.merge",
        "[%O %A %B %P]",
        "the merge driver; --install it, or --settle what a merge left",
        "merge --install",
        "--commit --install --settle",
        4,
    ),
}
