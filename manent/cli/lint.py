"""``manent lint``: what is wrong with a vault, and mend what is safe to mend."""

from __future__ import annotations

import sys
from typing import Any

import click

from manent.cli.asking import print_json
from manent.cli.opening import (
    Opened,
    locate,
    opened,
    policy,
    processes,
    say,
    vault_options,
)
from manent.errors import UsageError


@click.command()
@click.argument("vault", required=False)
@vault_options
@click.option("--strict-content", is_flag=True, help="Content and audience findings are errors.")
@click.option("--strict-links", is_flag=True, help="Unresolved links are errors.")
@click.option("--audiences", metavar="A,B", help="The labels there are; others are findings.")
@click.option("--only", metavar="IDS", help="Run these rules alone.")
@click.option("--ignore", metavar="IDS", help="Leave these rules out.")
@click.option("--fix", is_flag=True, help="Mend what is safe to mend, then lint.")
@click.option("--diff", is_flag=True, help="With --fix: show the change and write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    help="How to print the findings.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--explain", metavar="RULE", help="Print a rule's page and stop.")
@click.option("--list-rules", is_flag=True, help="List the rules and stop.")
@click.pass_context
def lint(ctx: click.Context, /, vault: str | None, **options: Any) -> None:
    """Check the notes of VAULT: structure, links, audiences, and what they contain.

    Exits 1 when there are errors; warnings and remarks do not fail a run.

    Example: manent lint my-vault --strict-content --audiences team,ops
    """
    form = "json" if options["as_json"] else options["form"]
    if options["list_rules"]:
        _list_rules(form)
    elif options["explain"]:
        _explain(options["explain"], form)
    else:
        ctx.exit(_run(vault, options | {"form": form}, bool(ctx.obj["quiet"])))


def _run(vault: str | None, options: dict[str, Any], quiet: bool) -> int:
    chosen = _chosen(options["only"], options["ignore"])
    if options["diff"] and not options["fix"]:
        raise UsageError("--diff goes with --fix")
    if options["diff"] and options["form"] in ("sarif", "github"):
        raise UsageError(f"a diff has no form {options['form']}", "leave --diff or --format out")
    place = locate(vault, options["rev"])
    rules = policy(place, options["audiences"])
    if options["fix"]:
        if place.from_commit:
            raise UsageError("--fix needs a folder", "check the branch out and run it there")
        if options["diff"]:
            return _show_fixes(place, options["frontmatter"], options["form"])
        _write_fixes(place, options["frontmatter"], quiet)

    def structure(vault: Any) -> None:
        from manent.lint.engine import Lint

        Lint(vault, rules).update_structure()

    # A commit is read whole or not at all; of a folder the rest is judged, and not passed.
    left = not place.from_commit
    with opened(place, options["frontmatter"], rules.context, quiet, structure, left) as found:
        say(found.remarks, quiet)
        return _report(found, rules, chosen, options, quiet)


def _report(
    found: Opened, rules: Any, chosen: frozenset[str], options: dict[str, Any], quiet: bool
) -> int:
    from manent.cli.allowing import allowances, idle
    from manent.finding import Severity
    from manent.lint import report as reports
    from manent.lint.engine import Lint, Strictness

    run = Lint(found.vault, rules)
    run.update(processes())
    strict = Strictness(options["strict_content"], options["strict_links"])
    allowed = allowances(found)
    judged = [strict.grade(f) for f in run.findings()]
    sifted, unused = allowed.sift(judged)
    kept = [f for f in sifted if f.rule in chosen]
    spared = sum(f.rule in chosen for f in judged) - len(kept)
    kept = [*_unread(found), *kept]
    report = reports.Report(kept, found.vault.counts()[0], found.tree, allowed.salt, spared)
    _print(report, options["form"], quiet)
    say(idle(found, unused, _known()), quiet)
    return int(any(f.severity is Severity.ERROR for f in kept))


def _unread(found: Opened) -> list[Any]:
    """Return a finding for each file or folder that could not be judged, whatever was chosen."""
    from manent.finding import Finding, Severity

    hint = "let the user who runs this read it, or take it out of the vault"
    return [
        Finding("encoding", Severity.ERROR, path, 0, 0, f"cannot be read: {why}", hint)
        for path, why in sorted(found.unread.items())
    ]


def _print(report: Any, form: str, quiet: bool) -> None:
    from manent.lint import report as reports

    if form == "json":
        click.echo(reports.as_json(report))
    elif form == "sarif":
        click.echo(reports.as_sarif(report))
    elif form == "github":
        for line in reports.as_github(report.findings):
            click.echo(line)
    else:
        _print_text(report, quiet)


_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def _print_text(report: Any, quiet: bool) -> None:
    from manent.lint import report as reports

    for finding in report.findings:
        line = finding.as_text()
        word = f": {finding.severity.label}: "
        painted = click.style(finding.severity.label, fg=_COLOURS[finding.severity.label])
        click.echo(line.replace(word, f": {painted}: ", 1))
    if not quiet:
        click.echo(reports.summary(report))


def _chosen(only: str | None, ignore: str | None) -> frozenset[str]:
    known = _known()
    picked = _ids(only, known) if only is not None else known
    left = picked - (_ids(ignore, known) if ignore is not None else set())
    if not left:
        raise UsageError("no rule is left to run", "name fewer in --ignore, or others in --only")
    return frozenset(left)


def _known() -> set[str]:
    from manent.lint.rules import RULES

    return {rule.ID for rule in RULES}


def _ids(text: str, known: set[str]) -> set[str]:
    ids = {word for word in text.replace(",", " ").split() if word}
    for unknown in sorted(ids - known):
        raise UsageError(f"no rule {unknown}", "manent lint --list-rules lists them")
    return ids


def _list_rules(form: str) -> None:
    from manent.lint.page import page_of
    from manent.lint.rules import RULES

    pages = [page_of(rule) for rule in RULES]
    if form == "json":
        rows = [{"id": p.id, "severity": p.severity, "title": p.title} for p in pages]
        print_json({"rules": rows})
        return
    for page in pages:
        click.echo(f"{page.id:20} {page.severity:8} {page.title}")


def _explain(wanted: str, form: str) -> None:
    from manent.lint.page import page_of, render
    from manent.lint.rules import RULES

    for rule in RULES:
        if wanted == rule.ID:
            page = page_of(rule)
            if form == "json":
                print_json({"id": page.id, "severity": page.severity, "page": render(page)})
            else:
                click.echo(render(page), nl=False)
            return
    raise UsageError(f"no rule {wanted}", "manent lint --list-rules lists them")


def _show_fixes(place: Any, frontmatter: str | None, form: str) -> int:
    from manent.lint.fix import diff, fixes

    with opened(place, frontmatter) as found:
        changed = fixes(found.vault)
        notes = found.vault.counts()[0]
    shown = b"".join(diff(path, old, new) for path, (old, new) in changed.items())
    if form == "json":
        text = shown.decode("utf-8", "surrogateescape")
        print_json({"tree": None, "notes": notes, "fixed": list(changed), "diff": text})
    else:
        sys.stdout.buffer.write(shown)
        sys.stdout.flush()
    return int(bool(changed))


def _write_fixes(place: Any, frontmatter: str | None, quiet: bool) -> None:
    from manent.lint.fix import fixes, write

    with opened(place, frontmatter) as found:
        changed = fixes(found.vault)
    for path, (old, new) in changed.items():
        write(place.root, path, old, new)
        say([f"mended {path}"], quiet)
