"""A plan as people and programs read it."""

from __future__ import annotations

from typing import Any

from manent.finding import counted
from manent.memfile.bounds import Bounds
from manent.memfile.compiling import Job, left
from manent.memfile.manifest import ORIGINAL, WORKSPACE
from manent.memfile.plan import Unit


def writes(job: Job) -> list[str]:
    """Return the paths that carrying a plan out writes, relative to the file's folder."""
    paths = [job.path.name, *(f"{WORKSPACE}/{path}" for path in job.plan.files)]
    if not job.asked.update:
        paths.append(f"{WORKSPACE}/{ORIGINAL}/{job.path.name}")
    return paths


def plan_json(job: Job, wrote: bool, refused: str) -> dict[str, Any]:
    """Return the plan as one document. written: whether it was carried out."""
    plan, manifest = job.plan, job.plan.manifest
    always = [unit for unit in plan.split.units if unit.always]
    return {
        "path": str(job.path),
        "update": job.asked.update,
        "written": wrote,
        "changed": job.changed,
        "verdict": plan.verdict,
        "reason": plan.reason,
        "refused": refused or None,
        "tokenizer": manifest.tokenizer,
        "budget": manifest.budget,
        "profile": manifest.profile,
        "tokens": {
            "original": manifest.source.tokens,
            "stub": manifest.stub_tokens,
            "always": manifest.always.tokens,
            "saved": manifest.source.tokens - manifest.stub_tokens,
            "guidance": plan.guidance_tokens,
            "guidanceShare": round(plan.guidance_tokens / max(1, manifest.stub_tokens), 4),
        },
        "grows": plan.grows,
        "bounds": bounds_json(plan.bounds),
        "always": [_unit_json(unit) for unit in always],
        "didNotFit": [_unit_json(unit) for unit in plan.split.gave_way],
        "files": [
            {
                "path": f"{WORKSPACE}/{entry.path}",
                "title": entry.title,
                "kind": entry.kind,
                "tokens": entry.tokens,
                "lines": None if entry.source is None else list(entry.source),
                "triggers": list(entry.triggers),
            }
            for entry in manifest.files
        ],
        "leftAsIs": [{"line": found.line, "what": found.what} for found in left(plan)],
        "writes": writes(job),
        "remarks": list(job.remarks),
    }


def bounds_json(found: Bounds) -> dict[str, Any]:
    """Return the session bounds as they are printed."""
    return {
        "turns": found.turns,
        "original": found.original,
        "best": found.best,
        "worst": found.worst,
        "breakEvenTokens": found.break_even_tokens,
        "breakEvenTurn": found.break_even_turn,
        "costsMore": found.costs_more,
    }


def _unit_json(unit: Unit) -> dict[str, Any]:
    return {
        "title": unit.title,
        "lines": [unit.start, unit.end],
        "tokens": unit.tokens,
        "kind": unit.kind,
        "reason": unit.placement.reason,
    }


def plan_text(job: Job, wrote: bool, refused: str) -> list[str]:
    """Return the plan in lines for people."""
    plan, manifest = job.plan, job.plan.manifest
    kept = sum(1 for unit in plan.split.units if unit.always)
    share = 100 * plan.guidance_tokens / max(1, manifest.stub_tokens)
    lines = [
        f"{job.path.name}: {manifest.source.tokens} tokens on every turn now, "
        f"{manifest.stub_tokens} compiled (budget {manifest.budget}, {manifest.tokenizer})",
        f"verdict: {plan.verdict}: {plan.reason}",
        f"always loaded: {counted(kept, 'section')}; guidance `{manifest.profile}` "
        f"{plan.guidance_tokens} tokens, {share:.0f}% of it",
        *bounds_text(plan.bounds),
    ]
    if wrote:
        lines.extend(f"warning: {remark}" for remark in job.remarks)
        return [*lines, *_outcome(job, wrote, refused)]
    lines.append(f"on demand, {counted(len(manifest.files), 'file')}:")
    for entry in manifest.files:
        lines.append(
            f"  {entry.tokens:6} {entry.kind:10} {entry.path}: {', '.join(entry.triggers)}"
        )
    if plan.split.gave_way:
        lines.append("always sections that did not fit, so on demand:")
        lines.extend(
            f"  {unit.tokens:6} line {unit.start}: {unit.title or '(no heading)'}"
            for unit in plan.split.gave_way
        )
    if found := left(plan):
        lines.append("found, and left as it is (`manent memory doctor` says more):")
        lines.extend(f"  line {entry.line}: {entry.what}" for entry in found)
    lines.extend(f"warning: {remark}" for remark in job.remarks)
    return [*lines, *_outcome(job, wrote, refused)]


def bounds_text(found: Bounds) -> list[str]:
    """Return the session bounds in lines for people."""
    spent = f"over {found.turns} turns: {found.original} tokens as it is; compiled, "
    lines = [f"{spent}{found.best} if no file is opened, {found.worst} if all are on turn 1"]
    if found.costs_more:
        return [*lines, "compiling costs more than it saves, whatever is opened"]
    even = f"it breaks even while at most {found.break_even_tokens} tokens of files are carried"
    if found.break_even_turn is not None:
        even += f", or if all are opened from turn {found.break_even_turn} on"
    return [*lines, even]


def _outcome(job: Job, wrote: bool, refused: str) -> list[str]:
    if refused:
        return [f"refused: {refused}", "nothing was written"]
    if not job.changed:
        return ["nothing to re-apply"]
    if wrote:
        return [f"written: {job.path.name} and {WORKSPACE}/"]
    return ["would write (add --write):", *(f"  {path}" for path in writes(job))]
