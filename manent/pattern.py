"""Regular expressions that people and agents give: RE2's, so that none can hang a search."""

from __future__ import annotations

from typing import Any

from manent.errors import UsageError


def compiled(pattern: str, ignore_case: bool = False) -> Any:
    """Return the pattern, ready to search lines with. Raises UsageError saying what is wrong."""
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    # Where groups begin and end nobody asks; to find out costs a second a line:
    # compiled("(.*)" * 500) over 920 characters.
    options.never_capture = True
    try:
        pattern.encode()
    except UnicodeEncodeError:
        raise UsageError("the pattern is not UTF-8", "notes are read as UTF-8") from None
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        said = error.args[0] if error.args else "?"
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        hint = "RE2 syntax: no look-around, no back-references"
        raise UsageError(f"no such pattern: {reason}", hint) from error
