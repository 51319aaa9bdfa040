"""Make the labelled lines for personal data: ``python -m eval.scan.make_pii --seed N``.

No line is tracked: what is to be refused is put together at run time, with check
digits computed by python-stdnum, so that the repository holds nothing that looks
real. Sentences lie in ``sets/pii_frames.tsv``, addresses and telephone numbers in
``pii_contacts.py``, what is to be accepted in ``pii_clean.py``. Every kind was
written down before the rule that meets it; sentences go to the two splits in turn.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from eval.scan import pii_clean, pii_contacts, pii_values

FRAMES = Path(__file__).parent / "sets" / "pii_frames.tsv"
PER_FRAME = 4
SPLITS = ("rules", "report")

Line = dict[str, Any]


def lines(seed: int) -> Iterator[Line]:
    """Yield the lines that ``seed`` makes, the same ones every time."""
    made = [*_numbers(Random(seed)), *_contacts(Random(seed + 1)), *_clean(Random(seed + 2))]
    for index, line in enumerate(made):
        yield {"id": f"pii-own-{index:05d}", "source": "own", "licence": "CC0-1.0", **line}


def _numbers(random: Random) -> Iterator[Line]:
    turn: dict[str, int] = defaultdict(int)
    for row in FRAMES.read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            continue
        maker, lang, layout, sentence = row.split("\t")
        split = SPLITS[turn[maker] % 2]
        turn[maker] += 1
        for _ in range(PER_FRAME):
            value = laid_out(getattr(pii_values, maker)(random), layout.strip())
            text = sentence.replace("{}", value)
            yield {"text": text, "label": "pii", "kind": maker, "lang": lang, "split": split}
        broken = broken_value(getattr(pii_values, maker)(random), maker, random)
        if broken:
            text = sentence.replace("{}", laid_out(broken, layout.strip()))
            kind = f"wrong_check_{maker}"
            yield {"text": text, "label": "clean", "kind": kind, "lang": lang, "split": split}


def laid_out(value: str, layout: str) -> str:
    """Return ``value`` written as ``layout`` says; what does not fit stays as it is."""
    if layout == "4":
        return " ".join(value[i : i + 4] for i in range(0, len(value), 4))
    if layout == "dash":
        return "-".join(value[i : i + 4] for i in range(0, len(value), 4))
    if layout == "lower":
        return value.lower()
    if layout.count("#") != len(value):
        return value
    rest = iter(value)
    return "".join(next(rest) if mark == "#" else mark for mark in layout)


CHECKED = frozenset(
    "codice_fiscale dni nie nir ahv iban card cpf curp ric tckn pesel aadhaar bsn".split()
)
"""Makers whose check fails for sure when the last digit or letter is moved on."""


def broken_value(value: str, maker: str, random: Random) -> str:
    """Return ``value`` with a wrong check, or "" for numbers without a telling one.

    A number of ten digits or so often passes some other country's check: only
    makers whose form no other number shares are broken.
    """
    if maker not in CHECKED or len(value) < 9:
        return ""
    last = value[-1]
    step = random.randint(1, 8)
    if last.isdigit():
        return value[:-1] + str((int(last) + step) % 10)
    return value[:-1] + chr(65 + (ord(last) - 65 + step) % 26)


def _contacts(random: Random) -> Iterator[Line]:
    for turn, kind, lang, text in pii_contacts.lines(random):
        split = SPLITS[turn % 2]
        yield {"text": text, "label": "pii", "kind": kind, "lang": lang, "split": split}


def _clean(random: Random) -> Iterator[Line]:
    for turn, kind, lang, text in pii_clean.lines(random):
        split = SPLITS[turn % 2]
        yield {"text": text, "label": "clean", "kind": kind, "lang": lang, "split": split}


def main(arguments: list[str] | None = None) -> int:
    """Print the lines as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=20261130)
    for line in lines(parser.parse_args(arguments).seed):
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
