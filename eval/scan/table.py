"""The figures as plain tables."""

from __future__ import annotations

from typing import Any


def show(report: dict[str, Any], full: bool = True) -> str:
    """Return the whole report as text; ``full`` adds the rows per kind and language."""
    parts = [_sets(report["sets"])]
    if full:
        parts += [_groups(name, figures) for name, figures in report["sets"].items()]
    parts += [_documents(report["documents"]), _speed(report.get("speed", {}))]
    return "\n\n".join(part for part in parts if part)


def rows(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown, its columns as wide as they need."""
    widths = [max(len(row[i]) for row in (head, *body)) for i in range(len(head))]
    rule = tuple("-" * width for width in widths)
    lines = (
        " | ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in (head, rule, *body)
    )
    return "\n".join(f"| {line} |" for line in lines)


def _sets(sets: dict[str, Any]) -> str:
    head = ("set", "guilty", "clean", "recall", "precision", "false positives")
    body: list[tuple[str, ...]] = [
        (
            name,
            str(s["guilty"]),
            str(s["clean"]),
            percent(s["recall"]),
            percent(s["precision"]),
            percent(s["false_positive_rate"]),
        )
        for name, s in sets.items()
    ]
    return rows(head, body) if body else ""


def _groups(name: str, figures: dict[str, Any]) -> str:
    parts = []
    for title, groups in (
        (f"{name}, by kind", figures["kinds"]),
        (f"{name}, by language", figures["languages"]),
        (f"{name}, apart: policy and hard kinds", figures["apart"]),
    ):
        if groups and set(groups) != {"?"}:
            head = (title, "found", "alarms")
            body: list[tuple[str, ...]] = [
                (
                    kind,
                    f"{g['found']}/{g['guilty']}" if g["guilty"] else "",
                    f"{g['alarms']}/{g['clean']}" if g["clean"] else "",
                )
                for kind, g in groups.items()
            ]
            parts.append(rows(head, body))
    return "\n\n".join(parts)


def _documents(figures: dict[str, Any]) -> str:
    head = ("benign documents", "read", "refused")
    kinds = figures["kinds"].items()
    body: list[tuple[str, ...]] = [(k, str(g["clean"]), str(g["alarms"])) for k, g in kinds]
    body.append(("all", str(figures["documents"]), str(figures["refused"])))
    return rows(head, body)


def _speed(figures: dict[str, float]) -> str:
    body: list[tuple[str, ...]] = [(name, f"{value:.1f}") for name, value in figures.items()]
    return rows(("scanners", "MB/s"), body) if body else ""


def percent(value: float | None) -> str:
    """Return a rate as a percentage, a dash where there is none."""
    return "-" if value is None else f"{100 * value:.1f}%"
