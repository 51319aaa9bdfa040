"""The files in ``words/``, written from the rules: ``python -m manent.scan.injection.written``."""

from __future__ import annotations

import json

from manent.scan.injection.matching import LANGUAGES, needs_of
from manent.scan.injection.vocabulary import FOLDER, described


def text_of(code: str) -> str:
    """Return what the file of a language should hold, from its rules."""
    return json.dumps(described(*needs_of(code)), ensure_ascii=False, indent=0) + "\n"


def codes() -> list[str]:
    """Return the codes of all languages, English first."""
    return ["en", *(language.code for language in LANGUAGES)]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in codes():
        (FOLDER / f"{name}.json").write_text(text_of(name), "utf-8")
