"""What the receiving side decides: git config, section ``manent``, of its own repository.

Nothing in a push is consulted. A value that cannot be understood refuses every
push until it is mended: a gate that guesses its policy has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from manent import late
from manent.errors import EnvironmentFault
from manent.values import dataclass

_YES = {"true", "yes", "on", "1", ""}
_NO = {"false", "no", "off", "0"}
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_REGION = late.pattern(r"[A-Z]{2}\Z")
_LABEL = late.pattern(r"[a-z0-9]+(?:[_-][a-z0-9]+)*\Z")


@dataclass(frozen=True, slots=True)
class Policy:
    """The options of a brain, each as ``OPTIONS`` documents it."""

    strict_content: bool = True
    strict_links: bool = False
    audiences: frozenset[str] | None = None
    phone_regions: tuple[str, ...] = ("IT", "US", "GB", "DE", "FR", "ES")
    addressed: frozenset[str] = frozenset({"AGENTS.md", "CLAUDE.md", "MEMORY.md"})
    locations: bool = False
    max_note_bytes: int = 1 << 20
    max_blob_bytes: int = 16 << 20
    max_journal_bytes: int = 64 << 20
    max_text_bytes: int = 1 << 20
    max_unpacked_bytes: int = 64 << 20
    attachments: str = "open"
    protected_branch: str = ""
    allow_rewrite: bool = False
    timeout_seconds: int = 120
    worker_seconds: int = 30
    frontmatter: str = "required"
    links: str = "obsidian"
    agents: str = ""
    checkout: str = ""

    @property
    def frontmatter_optional(self) -> bool:
        """Notes may lack the required fields (``manent.frontmatter = optional``)."""
        return self.frontmatter == "optional"


class Option(NamedTuple):
    """One key of the section: its git spelling, how it is read, what it means."""

    key: str
    attribute: str
    read: Callable[[str, Sequence[str]], Any]
    form: str
    meaning: str


def read_policy(section: Mapping[str, Sequence[str]]) -> Policy:
    """Return the policy in ``section`` (lower-case key to values, as git lists them).

    Keys of the section that are no option here are left alone: other commands
    keep theirs beside these. Raises EnvironmentFault for a value of another form.
    """
    given: dict[str, Any] = {}
    for option in OPTIONS:
        values = section.get(option.key.lower())
        if values:
            given[option.attribute] = option.read(option.key, values)
    return Policy(**given)


OF_OTHERS = frozenset({"journalcommit"})
"""Keys of the section that another command reads."""


def unknown_keys(section: Iterable[str]) -> list[str]:
    """Return the keys of the section that nothing reads: an option spelled wrongly sets none."""
    known = {option.key.lower() for option in OPTIONS} | OF_OTHERS
    return sorted(key for key in section if key not in known)


def explain() -> str:
    """Return every option with its form, its default and its meaning, for people."""
    unset = Policy()
    parts = []
    for option in OPTIONS:
        default = _spelled(getattr(unset, option.attribute))
        parts.append(f"manent.{option.key} = {option.form}    (default: {default})")
        parts.append(f"    {option.meaning}")
    return "\n".join(parts) + "\n"


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, frozenset | tuple):
        return ",".join(sorted(value) if isinstance(value, frozenset) else value)
    return str(value) if value not in (None, "") else "none"


def _wrong(key: str, value: str, form: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"manent.{key} is {value!r}, which is not {form}", f"git config manent.{key} VALUE"
    )


def _boolean(key: str, values: Sequence[str]) -> bool:
    word = values[-1].strip().lower()
    if word in _YES or word in _NO:
        return word in _YES
    raise _wrong(key, values[-1], "true or false")


def _size(key: str, values: Sequence[str]) -> int:
    found = re.fullmatch(r"([0-9]{1,12})([kmg]?)", values[-1].strip().lower())
    if not found or int(found[1]) == 0:
        raise _wrong(key, values[-1], "a size such as 500k or 16m")
    return int(found[1]) * _UNITS[found[2]]


def _seconds(key: str, values: Sequence[str]) -> int:
    text = values[-1].strip()
    if not re.fullmatch(r"[0-9]{1,6}", text) or (int(text) == 0 and key != "worker"):
        raise _wrong(key, values[-1], "a number of seconds")
    return int(text)


def _text(key: str, values: Sequence[str]) -> str:
    return values[-1]


def _absolute(key: str, values: Sequence[str]) -> str:
    # A hook runs in the git folder, a command anywhere: a relative path means two files.
    named = values[-1]
    if named and not named.startswith("/"):
        raise _wrong(key, named, "a full path that begins with /")
    return named


def _branch(key: str, values: Sequence[str]) -> str:
    return values[-1].removeprefix("refs/heads/")


def _items(key: str, values: Sequence[str]) -> list[str]:
    items = [item.strip() for value in values for item in value.split(",") if item.strip()]
    if not items and any(value.strip() for value in values):
        raise _wrong(key, values[-1], "a list of anything")
    return items


def _labels(key: str, values: Sequence[str]) -> frozenset[str]:
    items = _items(key, values)
    for item in items:
        if not _LABEL.match(item):
            raise _wrong(key, item, "a label slug")
    return frozenset(items)


def _regions(key: str, values: Sequence[str]) -> tuple[str, ...]:
    items = _items(key, values)
    for item in items:
        if not _REGION.match(item):
            raise _wrong(key, item, "a country code of two capital letters")
    return tuple(dict.fromkeys(items))


def _names(key: str, values: Sequence[str]) -> frozenset[str]:
    return frozenset(_items(key, values))


def _one_of(*words: str) -> Callable[[str, Sequence[str]], str]:
    def read(key: str, values: Sequence[str]) -> str:
        word = values[-1].strip().lower()
        if word not in words:
            raise _wrong(key, values[-1], " or ".join(words))
        return word

    return read


OPTIONS: tuple[Option, ...] = (
    Option(
        "strictContent", "strict_content", _boolean, "true|false",
        "Personal data, secrets, text aimed at a model and audience leaks refuse a push. "
        "With false they are printed and let through.",
    ),
    Option(
        "strictLinks", "strict_links", _boolean, "true|false",
        "A new link that leads nowhere refuses a push.",
    ),
    Option(
        "audiences", "audiences", _labels, "LABEL[,LABEL…]",
        "The closed set of audience labels. Unset: any slug will do.",
    ),
    Option(
        "phoneRegions", "phone_regions", _regions, "CC[,CC…]",
        "Countries whose national phone formats count; the international form always does.",
    ),
    Option(
        "addressed", "addressed", _names, "FILE[,FILE…]",
        "Root files that speak to the vault's own agents: plain orders in them are expected.",
    ),
    Option(
        "locations", "locations", _boolean, "true|false",
        "IP addresses and coordinates count as personal data.",
    ),
    Option(
        "maxNoteBytes", "max_note_bytes", _size, "SIZE",
        "The largest note (any *.md) a push may add.",
    ),
    Option(
        "maxBlobBytes", "max_blob_bytes", _size, "SIZE",
        "The largest file of any kind a push may add, journals aside.",
    ),
    Option(
        "maxJournalBytes", "max_journal_bytes", _size, "SIZE",
        "The largest log of a journal, 320 bytes a memory; of it only what is new is scanned.",
    ),
    Option(
        "maxTextBytes", "max_text_bytes", _size, "SIZE",
        "The largest commit or tag: its message, people and headers.",
    ),
    Option(
        "maxUnpackedBytes", "max_unpacked_bytes", _size, "SIZE",
        "How much a compressed attachment may unpack to, archives in it included.",
    ),
    Option(
        "attachments", "attachments", _one_of("open", "refuse", "any"), "open|refuse|any",
        "open: compressed files are opened and judged, pictures and sound pass after their "
        "readable parts were judged, what cannot be opened is refused. refuse: only text. "
        "any: what cannot be opened passes unread.",
    ),
    Option(
        "protectedBranch", "protected_branch", _branch, "BRANCH",
        "The branch readers see; new refs are compared with it. Unset: the one HEAD names.",
    ),
    Option(
        "allowRewrite", "allow_rewrite", _boolean, "true|false",
        "An owner may rewrite or delete the protected branch.",
    ),
    Option(
        "timeout", "timeout_seconds", _seconds, "SECONDS",
        "A push that takes longer to judge is refused.",
    ),
    Option(
        "worker", "worker_seconds", _seconds, "SECONDS",
        "A process beside a push makes ready to index while the push is judged, and stays until "
        "nobody has pushed for this long. Over 10 it makes ready for further pushes too, which "
        "are then judged at once, by the same code. 0: none.",
    ),
    Option(
        "frontmatter", "frontmatter", _one_of("required", "optional"), "required|optional",
        "optional: a note that lacks required fields is a warning, named by its file and private.",
    ),
    Option(
        "links", "links", _one_of("obsidian", "dendron"), "obsidian|dendron",
        "dendron: wikilinks are written [[label|target]].",
    ),
    Option(
        "agents", "agents", _absolute, "FILE",
        "The agents file, by its full path, outside the repository. "
        "Unset: whoever the transport lets in is owner.",
    ),
    Option(
        "checkout", "checkout", _text, "FOLDER",
        "Keep a checkout of the protected branch here: readers follow FOLDER/current.",
    ),
)  # fmt: skip
