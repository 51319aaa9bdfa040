"""``manent gate``: what git's hooks, CI and scripts ask of the gate."""

from __future__ import annotations

import datetime
import json
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Any

import click

from manent.errors import UsageError


class _Gate(click.Group):
    """The commands of this module, and ``transport``, which is imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, ``transport`` among them."""
        return sorted([*super().list_commands(ctx), "transport"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command."""
        if cmd_name == "transport":
            from manent.cli.lazy import refusing_blanks
            from manent.cli.transport import transport

            return refusing_blanks(transport)
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Gate, invoke_without_command=True)
@click.option("--explain-policy", is_flag=True, help="Print every option of a brain.")
@click.pass_context
def gate(ctx: click.Context, explain_policy: bool) -> None:
    """Judge what is about to enter a history.

    Example: manent gate range origin/main..HEAD
    """
    if explain_policy:
        from manent.gate.policy import explain

        click.echo(explain(), nl=False)
    elif ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        ctx.exit(2)


@gate.command("pre-receive")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one JSON document.")
@click.pass_context
def pre_receive(ctx: click.Context, as_json: bool) -> None:
    """Judge a push, as git's pre-receive hook is called: lines on stdin.

    Example: echo "$OLD $NEW refs/heads/main" | GIT_DIR=brain.git manent gate pre-receive
    """
    from manent.cli.hooking import guarded_pre_receive

    ctx.exit(guarded_pre_receive(sys.stdin.buffer.read(), as_json))


@gate.command("post-receive")
@click.pass_context
def post_receive(ctx: click.Context) -> None:
    """Index what was accepted, as git's post-receive hook is called.

    Example: GIT_DIR=brain.git manent gate post-receive < lines
    """
    from manent.cli.hooking import post_receive as received

    ctx.exit(received(sys.stdin.buffer.read()))


_REPO = click.option("--repo", default=".", type=click.Path(), help="The repository [default: .].")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    help="How to print the findings.",
)


@gate.command()
@_REPO
@_JSON
@click.pass_context
def staged(ctx: click.Context, repo: str, as_json: bool) -> None:
    """Judge what the next commit would add: git's index against HEAD.

    Example: manent gate staged
    """
    from manent.gate.staged import staged as judged

    index = os.environ.get("GIT_INDEX_FILE", "")
    began = time.monotonic()
    verdict = judged(Path(repo), os.environ, _today(), index)
    ctx.exit(_show(verdict, began, "json" if as_json else "text"))


@gate.command("range")
@click.argument("revisions", metavar="BASE..HEAD")
@_REPO
@_JSON
@_FORMAT
@click.pass_context
def judge_range(ctx: click.Context, revisions: str, repo: str, as_json: bool, form: str) -> None:
    """Judge every commit of BASE..HEAD, with the allowances of BASE: for CI.

    Example: manent gate range origin/main..HEAD --format sarif > gate.sarif
    """
    from manent.gate.staged import judge_range as judged

    base, dots, head = revisions.partition("..")
    if not dots or not base:
        raise UsageError("name a range as BASE..HEAD")
    began = time.monotonic()
    verdict = judged(Path(repo), os.environ, base, head.lstrip(".") or "HEAD", _today())
    ctx.exit(_show(verdict, began, "json" if as_json else form))


@gate.command()
@click.argument("file", default="-", type=click.Path())
@click.option("--path", default="", help="Judge it as if it were the note of this path.")
@click.option("--batch", is_flag=True, help="JSON lines in and out, in order.")
@_JSON
@click.pass_context
def text(ctx: click.Context, file: str, path: str, batch: bool, as_json: bool) -> None:
    """Judge any text by the default, strict policy.

    With --batch: one JSON object a line ({"id", "text", "path"?}) in, one a line
    out ({"id", "accepted", "findings"}), in order.

    Example: echo "call me" | manent gate text --path memory/calls.md
    """
    with _source(file) as stream:
        if batch:
            ctx.exit(_batch(stream))
        content = stream.read()
    ctx.exit(_one(content, path, as_json))


@gate.command()
@click.argument("fingerprints", metavar="FINGERPRINT…", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why this may stand.")
@click.option("--until", default="", help="The last day it counts, YYYY-MM-DD.")
@_REPO
def allow(fingerprints: tuple[str, ...], reason: str, until: str, repo: str) -> None:
    """Let findings pass from now on: a line each in .manent-allow, as one commit.

    Example: manent gate allow pii:0f3a… --reason "a published address" --until 2027-12-31
    """
    from manent.gate.allowing import add_allowances, not_taken_below

    try:
        day = datetime.date.fromisoformat(until) if until else None
    except ValueError:
        raise UsageError(f"--until {until} is no date", "write it as YYYY-MM-DD") from None
    salt, now = secrets.token_hex(16), datetime.datetime.now(datetime.UTC)
    commit = add_allowances(Path(repo), os.environ, fingerprints, reason, day, salt, now)
    what = fingerprints[0] if len(fingerprints) == 1 else f"{len(fingerprints)} findings"
    click.echo(f"allowed {what} in commit {commit[:10]}")
    below = not_taken_below(Path(repo), os.environ, commit)
    if below:
        several = "commits below it are" if below > 1 else "commit below it is"
        click.echo(
            f"it counts once the brain has it, and {below} {several} not there yet; to push it "
            "first:\n"
            "  git branch later HEAD~1\n"
            "  git rebase --onto @{upstream} HEAD~1 && git push\n"
            "  git cherry-pick ..later && git push",
            err=True,
        )


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _show(verdict: Any, began: float, form: str) -> int:
    verdict.seconds = time.monotonic() - began
    if form == "json":
        click.echo(json.dumps(verdict.as_json(), ensure_ascii=False))
    elif form == "text":
        for line in verdict.lines():
            click.echo(line, err=True)
    else:
        from manent.lint.report import Report, as_github, as_sarif

        report = Report(verdict.findings, verdict.read.blobs, None, verdict.salt, verdict.allowed)
        click.echo(as_sarif(report) if form == "sarif" else "\n".join(as_github(report.findings)))
    return 0 if verdict.accepted else 1


def _source(file: str) -> Any:
    if file == "-":
        return sys.stdin.buffer
    try:
        return open(file, "rb")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error


def _one(content: bytes, path: str, as_json: bool) -> int:
    from manent.finding import Severity
    from manent.gate.policy import Policy
    from manent.gate.staged import judge_content

    findings = judge_content(Policy(), content, path or "note.md")
    accepted = not any(f.severity is Severity.ERROR for f in findings)
    if as_json:
        rows = [f.as_json() for f in findings]
        document = {"version": 1, "accepted": accepted, "refs": [], "findings": rows}
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        for finding in findings:
            click.echo(finding.as_text(), err=True)
    return 0 if accepted else 1


def _batch(stream: Any) -> int:
    """Answer each line; the exit status is 0 when every line could be read."""
    from manent.gate.policy import Policy
    from manent.gate.staged import TextJudge

    judge, status = TextJudge(Policy()), 0
    out = sys.stdout.buffer
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        answer = judge.answer(line)
        wrong = answer.pop("error", "")
        if wrong:
            click.echo(f"manent: line {number}: {wrong}", err=True)
            status = 2
        out.write(json.dumps(answer, ensure_ascii=True).encode() + b"\n")
        out.flush()
    return status
