"""``python -m eval.scan``: measure the scanners, compare with the baseline and the peers."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from eval.scan import baseline, lines, measure, table


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m eval.scan", description=__doc__)
    parser.add_argument("--family", choices=(*lines.FAMILIES, "all"), default="all")
    parser.add_argument("--data", type=Path, default=_data(), help="folder of the shared sets")
    parser.add_argument("--own", action="store_true", help="our own sets only")
    parser.add_argument("--split", choices=("rules", "report"), default="report")
    parser.add_argument("--seed", type=int, default=lines.SEED, help="of the made lines")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--brief", action="store_true", help="no rows per kind and language")
    parser.add_argument("--speed", action="store_true", help="measure MB/s too")
    parser.add_argument("--misses", action="store_true", help="print what was judged wrongly")
    parser.add_argument("--vaults", action="store_true", help="count findings in the shared vaults")
    parser.add_argument("--peers", action="store_true", help="run other scanners beside ours")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write a baseline")
    parser.add_argument("--check", type=Path, metavar="FILE", help="exit 1 on a drop below it")
    return parser.parse_args(arguments)


def _data() -> Path | None:
    root = os.environ.get("MANENT_DATA")
    return Path(root) / "scan" if root else None


def report(asked: argparse.Namespace) -> dict[str, Any]:
    """Measure what was asked for."""
    data = None if asked.own else asked.data
    sets = {}
    for name, chosen in labelled(asked, data).items():
        sets[name] = measure.tally(chosen)
    read = lines.documents(data)
    out: dict[str, Any] = {"version": 1, "sets": sets, "documents": measure.documents(read)}
    out["documents"]["shared"] = data is not None
    if asked.speed:
        out["speed"] = measure.speed([line.text for line in read])
    return out


def labelled(asked: argparse.Namespace, data: Path | None) -> dict[str, list[lines.Line]]:
    """Return the sets to measure by name; empty ones are left out."""
    families = lines.FAMILIES if asked.family == "all" else (asked.family,)
    found = {f"own {f}": lines.own(f, asked.split, asked.seed) for f in families}
    if data:
        found.update({f"shared {f}": lines.shared(f, data) for f in families})
    return {name: chosen for name, chosen in found.items() if chosen}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    asked = options(arguments)
    if asked.vaults:
        return vaults(asked)
    if asked.peers:
        from eval.scan import peers

        return peers.main(labelled(asked, None if asked.own else asked.data), asked)
    figures = report(asked)
    print(json.dumps(figures, indent=1) if asked.json else table.show(figures, not asked.brief))
    if asked.misses:
        misses(asked)
    if asked.save:
        baseline.save(figures, asked.save)
    return baseline.check(figures, asked.check, sys.stderr) if asked.check else 0


def misses(asked: argparse.Namespace) -> None:
    """Print every line that was judged wrongly, and what was found in it."""
    data = None if asked.own else asked.data
    for name, chosen in {**labelled(asked, data), "documents": lines.documents(data)}.items():
        for line in chosen:
            found = measure.spans(line.text)
            if bool(found) != line.guilty:
                what = [f"{s.family}/{s.kind}/{s.layer}" for s in found[:4]]
                print(f"{name} {line.id} {line.kind} {what} {line.text[:160]!r}")
                for span in found[:2] if len(line.text) > 160 else ():
                    print(f"    …{line.text[max(0, span.start - 40) : span.end + 20][:200]!r}")


def vaults(asked: argparse.Namespace) -> int:
    """Print how many files of each shared vault hold findings, by family and kind."""
    if asked.data is None:
        print("the shared vaults are found through MANENT_DATA or --data", file=sys.stderr)
        return 2
    counts: dict[str, dict[str, int]] = {}
    for vault, path, text in lines.vaults(asked.data):
        count = counts.setdefault(vault, {"files": 0})
        count["files"] += 1
        found = measure.spans(text)
        for kind in {f"{span.family}/{span.kind}" for span in found}:
            count[kind] = count.get(kind, 0) + 1
        for span in found if asked.misses else ():
            around = text[max(0, span.start - 40) : span.end + 10][:160]
            print(f"{vault}/{path} {span.family}/{span.kind}/{span.layer} {around!r}")
    for vault, count in counts.items():
        print(vault, json.dumps(dict(sorted(count.items()))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
