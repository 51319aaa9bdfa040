"""The files in ``words/``, written from the rules: ``python -m manent.scan.injection.written``."""

from __future__ import annotations

import json

from manent.scan.injection.matching import LANGUAGES, needs_of
from manent.scan.injection.vocabulary import FOLDER, described


def text_of(code: str) -> str:
    """Return what the file of a language should hold, from its rules: a line a way or set."""
    parts = []
    for name, value in described(*needs_of(code)).items():
        rows = value if isinstance(value, list) else [value]
        lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
        text = "[\n" + ",\n".join(lines) + "\n]" if isinstance(value, list) else lines[0]
        parts.append(f'"{name}":{text}')
    return "{" + ",\n".join(parts) + "}\n"


def codes() -> list[str]:
    """Return the codes of all languages, English first."""
    return ["en", *(language.code for language in LANGUAGES)]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in codes():
        (FOLDER / f"{name}.json").write_text(text_of(name), "utf-8")
