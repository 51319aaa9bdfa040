"""``python -m eval.memory tokens|sections|speed|routing``: the memory tools, measured."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from eval.memory import routing, sections, speed, tokens


def main() -> int:
    """Print the figures; with ``--check`` fail where they fell below the baseline."""
    parser = argparse.ArgumentParser(prog="python -m eval.memory", description=__doc__)
    parser.add_argument("what", choices=["tokens", "sections", "speed", "routing"])
    parser.add_argument("--data", default=os.environ.get("MANENT_DATA", ""), help="shared inputs")
    parser.add_argument("--fit", metavar="VAULTS", help="fit the table anew, with these vaults")
    parser.add_argument("--check", action="store_true", help="fail on a drop")
    parser.add_argument("--save", action="store_true", help="make today's figures the baseline")
    parser.add_argument("-v", action="store_true", help="print what was judged otherwise")
    chosen = parser.parse_args()
    what = {"tokens": _tokens, "sections": _sections, "speed": _speed, "routing": _routing}
    return what[chosen.what](chosen)


def _routing(chosen: argparse.Namespace) -> int:
    if not chosen.data:
        print("MANENT_DATA is unset: the memories are not here")
        return 2
    memories = list(routing.libraries(Path(chosen.data)))
    print(f"{len(memories)} memories")
    for words in routing.by_triggers(memories):
        print(
            f"{words.number:3} trigger words: {words.right:.1%} lead to the right file,"
            f" {words.none:.1%} to none; {words.cost:.1f} tokens a file"
        )
    for hits in routing.by_share(memories):
        print(
            f"least share {hits.share:.1f}: {hits.one:.1%} of single questions answered,"
            f" {hits.two:.1%} of double ones; {hits.tokens:.0f} tokens,"
            f" {hits.passages:.1f} passages"
        )
    return 0


def _speed(chosen: argparse.Namespace) -> int:
    data = Path(chosen.data) if chosen.data else None
    slow = False
    for found in speed.timed(data, ("doctor", "compile", "recall")):
        print(
            f"{found.text:15} {found.command:8} {found.seconds:5.2f} s,"
            f" about {found.at_rest:.2f} s at rest"
        )
        slow = slow or found.at_rest > speed.LIMIT_SECONDS
    return 1 if chosen.check and slow else 0


def _sections(chosen: argparse.Namespace) -> int:
    found = sections.answers(sections.load())
    figures = sections.figures(found)
    for name, value in figures.items():
        print(f"{name:18} {value:.4g}")
    if chosen.v:
        for a in found:
            if (a.kind, a.volatile) != (a.labelled.kind, a.labelled.volatile):
                said = f"{a.kind} {'volatile' if a.volatile else 'stable'}"
                wanted = f"{a.labelled.kind} {'volatile' if a.labelled.volatile else 'stable'}"
                print(f"  {a.labelled.text.splitlines()[0]}: {said}, labelled {wanted}")
    if chosen.save:
        sections.BASELINE.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    worse = sections.dropped(figures) if chosen.check else []
    for line in worse:
        print(line)
    return 1 if worse else 0


def _tokens(chosen: argparse.Namespace) -> int:
    if not chosen.data:
        print("MANENT_DATA is unset: the agent files are not here")
        return 0 if chosen.check else 2
    if chosen.fit:
        table = tokens.fit_from(Path(chosen.data), Path(chosen.fit))
        rows = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in table.items())
        tokens.TABLE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    found = tokens.errors(Path(chosen.data))
    figures = tokens.figures(found)
    print(f"estimate against o200k over {len(found)} agent files:")
    print(f"median error {figures['median']:.1%}, worst {figures['worst']:.1%}")
    for error in found[-3:]:
        print(f"  {error.error:+.1%}  {error.exact:6} tokens  {error.file}")
    return 1 if chosen.check and (figures["median"] > 0.03 or figures["worst"] > 0.10) else 0


if __name__ == "__main__":
    raise SystemExit(main())
