"""A rule's docstring as its page: why, what is flagged, what is accepted.

The examples are what the rule's test runs. A fence that names a path begins a
file; files that follow each other with no heading between them, up to the next
repeated path, are one vault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import ModuleType

from manent import late

_FENCE = late.pattern(r"^(`{3,})markdown (\S.*?)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_AUDIENCES = late.pattern(r"\(audiences: ([a-z0-9, _-]+)\)")


@dataclass(frozen=True, slots=True)
class Example:
    """One vault: texts by path. audiences: the closed set it is judged under, or None."""

    files: dict[str, str]
    audiences: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What a rule's docstring says."""

    id: str
    severity: str
    since: str
    title: str
    why: str
    flagged: list[Example] = field(default_factory=list)
    accepted: list[Example] = field(default_factory=list)
    text: str = ""


def page_of(rule: ModuleType) -> Page:
    """Take a rule's docstring apart. Raises ValueError when a part is missing."""
    text = (rule.__doc__ or "").strip()
    title, _, rest = text.partition("\n\n")
    match = re.match(
        r"\*\*Why\*\*: (.*?)\n\n\*\*Flagged\*\*(.*?)\n\*\*Accepted\*\*(.*)", rest, re.S
    )
    if match is None:
        raise ValueError(f"the page of {rule.ID} lacks Why, Flagged or Accepted")
    why, flagged, accepted = match.groups()
    return Page(
        rule.ID,
        rule.SEVERITY.label,
        rule.SINCE,
        " ".join(title.split()),
        " ".join(why.split()),
        _examples(flagged),
        _examples(accepted),
        text,
    )


def _examples(text: str) -> list[Example]:
    audiences = _AUDIENCES.search(text)
    labels = None
    if audiences:
        labels = frozenset(audiences.group(1).replace(",", " ").split())
    examples: list[Example] = []
    for _, path, content in _FENCE.findall(text):
        if not examples or path in examples[-1].files:
            examples.append(Example({}, labels))
        examples[-1].files[path] = content
    return examples


def render(page: Page) -> str:
    """Return the page as Markdown, as ``spec/rules/`` keeps it and ``--explain`` shows it."""
    body = page.text.partition("\n\n")[2]
    return f"# {page.id}\n\n{page.title}\n\n*{page.severity}, since {page.since}*\n\n{body}\n"
