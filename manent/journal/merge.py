"""Merging journals: the driver git calls, its installation, and what it leaves to settle.

Git calls the driver for one file at a time, and only where both sides changed
it. So a level of TREE that one side alone changed comes through a merge as it
was, although the driver has moved the memories it summarises. What is left to
settle is settled twice over:

- The driver leaves a marker in the git directory that says how far the common
  prefix of both logs reached; the next command on the journal cuts TREE back to
  it (``settle_marked``: no process, a few stats where there is no marker).
- Hooks (``post-merge``, ``post-rewrite``) call `manent journal merge --settle
  --commit`, which compares with the logs that were merged and mends the merge
  commit at once (git ignores what a ``pre-merge-commit`` hook stages). What no
  hook has settled, the gate refuses, with the same command as the remedy.
"""

from __future__ import annotations

import hashlib
import os

from manent import record
from manent.errors import Refused, UsageError
from manent.journal import carried, gitside, gitstate
from manent.journal.gitstate import way_back
from manent.journal.store import LOG, TREE, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DRIVER = "manent-journal"

ATTRIBUTES = (
    f"journal/**/{LOG} -text merge={DRIVER}",
    f"journal/**/{TREE}/* -text merge={DRIVER}",
)
"""Lines of .gitattributes: ``journal/`` itself and any journal below it."""

_ANY = 1 << 62
"""More memories than a log holds: a marker that asks only for standing halves."""


# ---------------------------------------------------------------- driver


def drive(files: Sequence[str], path: str, top: str, environ: Mapping[str, str]) -> None:
    """Do what git asks of a merge driver: merge three files, the result into the second.

    files: the ancestor's, ours and theirs. path: where the file lies in the
    repository whose working tree has its top at ``top``. Raises Refused, which
    git reports as a conflict, when a rebase would move a memory that is already
    upstream.
    """
    sides = [_read(name) for name in files]
    ours, where = files[1], os.path.join(top, path)
    folder, name = os.path.split(path)
    if name == LOG:
        _write(ours, _merged(sides, path, where, environ))
    elif os.path.basename(folder) == TREE and record.level_size(name):
        _write(ours, _merged_level(sides, environ))
        # Its halves may have been cut where it was not: only to be seen when all are there.
        _mark(os.path.join(top, os.path.dirname(folder), LOG), _ANY, b"")
    else:
        raise UsageError(f"{path} is no file of a journal: neither {LOG} nor {TREE}/<size>")


def _merged_level(sides: Sequence[bytes], environ: Mapping[str, str]) -> bytes:
    """Merge a level: in a rebase or a pick ours stays, since none of our memories moves."""
    base, ours, theirs = sides
    if not _is_merge(environ) and theirs.startswith(base):
        return ours
    return record.merge_level(base, ours, theirs)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, raw: bytes) -> None:
    with open(path, "wb") as file:
        file.write(raw)


def _merged(sides: Sequence[bytes], path: str, where: str, environ: Mapping[str, str]) -> bytes:
    top, picked = where.removesuffix(path), not _is_merge(environ)
    if not (picked or sides[0]):
        _refuse_apart(sides[1:], path, top, environ)
    merged, common = record.merge_logs(*sides, picked=picked)
    three = (sides[0], sides[1], sides[2])
    if picked and not merged.startswith(sides[1]):
        first = record.common_records(merged, sides[1], record.LOG_BYTES)
        raise Refused(
            f"{path}: a note made earlier would go in front of #{first}, which is upstream "
            f"already; merge instead. Run: {way_back(top, path, three, environ)}"
        )
    if picked and (block := carried.moved(top, path, three, environ)):
        raise Refused(
            f"{path}: the summary of {block} would be carried onto other memories than it was "
            f"made of; merge instead. Run: {way_back(top, path, three, environ)}"
        )
    if picked and not gitstate.by_hand(top, path, three, environ):
        # What this commit alone brought was asked about above, or is settled by a hook.
        common = len(sides[1]) // record.LOG_BYTES
    _mark(where, common, merged)
    return merged


def _refuse_apart(sides: Sequence[bytes], path: str, top: str, environ: Mapping[str, str]) -> None:
    """Raise Refused where two logs were begun in histories that have nothing in common."""
    apart = record.apart_fault(sides)
    merged = [name[8:] for name in environ if name.startswith("GITHEAD_")] if apart else []
    if any(not gitside.succeeds(top, ["merge-base", "HEAD", one], environ) for one in merged):
        raise Refused(f"{path}: {apart}. Run: git merge --abort")


def _is_merge(environ: Mapping[str, str]) -> bool:
    """Tell a merge, whose commit has both sides as parents, from a rebase or a pick.

    `git merge` and `git pull` name the commits they merge in the environment;
    the merges that find a common ancestor run under the same name.
    """
    return any(name.startswith("GITHEAD_") for name in environ)


# ---------------------------------------------------------------- marker


def _mark(log: str, common: int, merged: bytes) -> None:
    """Remember that TREE is good for ``common`` memories once the log begins with ``merged``."""
    found = gitside.git_dir(os.path.dirname(log))
    if found is None:
        return
    marker = os.path.join(found, gitside.MARKER)
    os.makedirs(os.path.dirname(marker), mode=0o700, exist_ok=True)
    digest = hashlib.sha256(merged).hexdigest()
    line = f"{common} {len(merged)} {digest} {log}\n"
    with open(marker, "a", encoding="utf-8", errors="surrogateescape") as out:
        out.write(line)


def settle_marked(store: Store, cuts: bool = True) -> list[str]:
    """Cut TREE back as the last merge asks; return the levels cut, as names in the journal.

    cuts: with False the marker only goes, since something better settles.
    Nothing to do costs a few stats. A merge that was given up leaves no trace.
    """
    found, marker = gitside.git_dir(store.directory), gitside.marked(store.directory)
    if found is None or marker is None:
        return []
    with store.locked():
        mine, others = _marks(marker, store.log)
        common = [reach for reach, length, digest in mine if _holds(store, length, digest)]
        if not common and gitstate.under_way(found):
            return []
        good = {s: min(common) // s for s, _ in store.built()} if common and cuts else {}
        cut = _cut(store, good) if good else []
        _rewrite(marker, others)
    return cut


def _cut(store: Store, good: Mapping[int, int]) -> list[str]:
    """Cut each level to its good summaries, and to those whose halves are left standing."""
    keep: dict[int, int] = {}
    below = store.length()
    for size, have in store.built():
        standing = below if size == 2 else keep.get(size // 2, 0)
        keep[size] = min(have, good.get(size, have), standing // 2)
    return [f"{TREE}/{size}" for size, _ in store.cut(keep)]


def _marks(marker: str, log: str) -> tuple[list[tuple[int, int, str]], list[str]]:
    mine, others = [], []
    with open(marker, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(" ", 3)
            if len(fields) == 4 and os.path.realpath(fields[3]) == os.path.realpath(log):
                mine.append((int(fields[0]), int(fields[1]), fields[2]))
            else:
                others.append(line)
    return mine, others


def _rewrite(marker: str, lines: Sequence[str]) -> None:
    if not lines:
        os.unlink(marker)
        return
    with open(marker, "w", encoding="utf-8", errors="surrogateescape") as out:
        out.writelines(lines)


def _holds(store: Store, length: int, digest: str) -> bool:
    """Tell whether the log begins with the merged log of that length and digest."""
    so_far, left = hashlib.sha256(), length
    for raw in store.memories(4096):
        so_far.update(raw[:left])
        left -= len(raw[:left])
        if not left:
            break
    return not left and so_far.hexdigest() == digest


# ---------------------------------------------------------------- settling with git


def settle(
    top: str, command: str, environ: Mapping[str, str], onto: Sequence[str] = ()
) -> list[str]:
    """Cut TREE of every journal to what is right after a merge or a rebase; stage what was cut.

    Compares with the commits that were brought together. onto: what a rebase
    that has just ended was made onto. Returns the paths cut, by this or before.
    """
    sources = _sources(top, environ, onto)
    done = []
    for folder in _journals(top, environ):
        store = Store(os.path.join(top, folder), command, environ)
        if sources:
            # Exact, where the marker knows only how far all is certain.
            settle_marked(store, cuts=False)
            names = _settle_by(sources, store, top, folder, environ)
            names += _cut_before(store, top, folder, environ)
        else:
            names = settle_marked(store)
        if names:
            paths = sorted({os.path.join(folder, name) for name in names})
            gitside.output(top, ["--literal-pathspecs", "add", "--", *paths], environ)
            done += paths
    return done


def _cut_before(store: Store, top: str, folder: str, environ: Mapping[str, str]) -> list[str]:
    """Return the levels that a command has cut since HEAD was made, and nobody has staged."""
    found = []
    for size in store.level_sizes():
        name = f"{TREE}/{size}"
        had = gitside.blob(top, f":{os.path.join(folder, name)}", environ)
        if had is not None and len(had) > store.level_length(size) * record.TREE_BYTES:
            found.append(name)
    return found


def _journals(top: str, environ: Mapping[str, str]) -> list[str]:
    listed = gitside.output(top, ["ls-files", "-z", "--", f":(glob)**/{LOG}"], environ)
    paths = [os.fsdecode(path) for path in listed.split(b"\0") if path]
    there = (path for path in paths if os.path.isfile(os.path.join(top, path)))
    return sorted({os.path.dirname(path) for path in there})


def under_way(top: str, environ: Mapping[str, str]) -> list[str]:
    """Return the commits that a merge now brings into HEAD; none when there is no merge."""
    merging = [name[8:] for name in environ if name.startswith("GITHEAD_")]
    if not merging and _is_commit(top, "MERGE_HEAD", environ):
        merging = ["MERGE_HEAD"]
    # In a post-merge hook the environment still names them, but HEAD has them.
    return [name for name in merging if not _contains(top, "HEAD", name, environ)]


def commit_settled(top: str, paths: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Commit what was settled: into HEAD where HEAD is the merge, else on top of it.

    Returns what went wrong, or None.
    """
    parents = gitside.output(top, ["rev-list", "--parents", "-n1", "HEAD"], environ).split()
    how = ["--amend", "--no-edit"] if len(parents) > 2 else []
    found = gitside.git_dir(top)
    if how and found and not under_way(top, environ):
        # A post-merge hook runs just before git removes this, and git would take
        # the merge for unfinished and refuse to amend it.
        for name in ("MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"):
            if os.path.exists(os.path.join(found, name)):
                os.unlink(os.path.join(found, name))
    return gitside.commit(top, paths, "journal: cut back what a merge has moved", environ, how)


def amended(directory: str, cut: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Take what was cut into HEAD, where HEAD is a merge that nobody else has; tell whether.

    No brain would accept that merge as it is, whether commits are asked for or not.
    """
    asked = ["rev-list", "--parents", "-n1", "HEAD", "--not", "--remotes"]
    found = gitside.output(directory, asked, environ).split()
    if len(found) < 3 or under_way(directory, environ):
        return False
    return commit_settled(directory, cut, environ) is None


def _sources(top: str, environ: Mapping[str, str], onto: Sequence[str] = ()) -> list[str]:
    """Return the commits that the tree at hand was made from, if it was made from several."""
    merging = under_way(top, environ)
    if merging:
        return ["HEAD", *merging]
    parents = gitside.output(top, ["rev-list", "--parents", "-n1", "HEAD"], environ).split()[1:]
    if len(parents) > 1:
        return [os.fsdecode(parent) for parent in parents]
    if onto and _is_commit(top, "ORIG_HEAD", environ):
        return ["ORIG_HEAD", *onto]
    return _rebased_from(top, environ)


def _rebased_from(top: str, environ: Mapping[str, str]) -> list[str]:
    """Return what was rebased and what it was rebased onto, where that has just happened."""
    was = "ORIG_HEAD"
    if not _is_commit(top, was, environ) or _contains(top, "HEAD", was, environ):
        return []
    onto = "@{upstream}"
    if not _is_commit(top, onto, environ) or not _contains(top, "HEAD", onto, environ):
        onto = os.fsdecode(gitside.output(top, ["merge-base", was, "HEAD"], environ).strip())
    return [was, onto]


def _is_commit(top: str, name: str, environ: Mapping[str, str]) -> bool:
    asked = ["rev-parse", "--quiet", "--verify", f"{name}^{{commit}}"]
    return gitside.succeeds(top, asked, environ)


def _contains(top: str, commit: str, other: str, environ: Mapping[str, str]) -> bool:
    return gitside.succeeds(top, ["merge-base", "--is-ancestor", other, commit], environ)


def _settle_by(
    sources: Sequence[str], store: Store, top: str, folder: str, environ: Mapping[str, str]
) -> list[str]:
    logs = [
        gitside.blob(top, f"{source}:{os.path.join(folder, LOG)}", environ) or b""
        for source in sources
    ]
    with store.locked():
        log, good = _read(store.log), {}
        for size, _ in store.built():
            path = os.path.join(folder, TREE, str(size))
            levels = [gitside.blob(top, f"{source}:{path}", environ) or b"" for source in sources]
            pairs = list(zip(logs, levels, strict=True))
            good[size] = record.supported_summaries(size, log, pairs, _read(store.level(size)))
        return _cut(store, good)


# ---------------------------------------------------------------- installation


def install(top: str, program: str, environ: Mapping[str, str], folder: str = "") -> list[str]:
    """Install the merge driver for the repository at ``top``; return what was changed.

    program: how git's shell calls manent, quoted already. folder: a journal that
    may stand elsewhere than ATTRIBUTES say. Writes the driver into the
    repository's git config and its lines into ``.gitattributes``. Safe to repeat.
    Raises EnvironmentFault.
    """
    settings = {
        f"merge.{DRIVER}.name": "journals merge by date, nothing lost",
        f"merge.{DRIVER}.driver": f"{program} journal merge %O %A %B %P",
    }
    done = []
    for key, value in settings.items():
        if not _configured(top, key, value, environ):
            gitside.output(top, ["config", "--local", key, value], environ)
            done.append(f"git config {key}")
    lines = (*ATTRIBUTES, *_lines_of(top, folder))
    if _add_lines(os.path.join(top, ".gitattributes"), lines):
        done.append(".gitattributes")
    return done


def _lines_of(top: str, folder: str) -> tuple[str, ...]:
    """Return the attributes of a journal that stands outside ``journal/``."""
    if not folder:
        return ()
    inside = os.path.relpath(os.path.realpath(folder), os.path.realpath(top))
    parts = inside.split(os.sep)
    if parts[0] in ("journal", os.pardir):
        return ()
    # A pattern: what git would take for a wildcard stands for itself.
    plain = "".join(f"\\{c}" if c in "\\*?[" else c for c in "/".join(parts))
    where = "" if inside == os.curdir else f"{plain}/"
    return tuple(
        f"{_quoted(f'/{where}{name}')} -text merge={DRIVER}" for name in (LOG, f"{TREE}/*")
    )


def _quoted(pattern: str) -> str:
    """Return a pattern as .gitattributes takes it, in quotation marks where it has blanks."""
    if not any(c in pattern for c in ' "\t'):
        return pattern
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'


def _configured(top: str, key: str, value: str, environ: Mapping[str, str]) -> bool:
    if not gitside.succeeds(top, ["config", "--local", "--get", key], environ):
        return False
    return gitside.output(top, ["config", "--local", "--get", key], environ).strip() == os.fsencode(
        value
    )


def _add_lines(path: str, lines: Sequence[str]) -> bool:
    raw = _read(path) if os.path.exists(path) else b""
    missing = [line for line in lines if line.encode() not in raw.splitlines()]
    if not missing:
        return False
    gap = b"" if not raw or raw.endswith(b"\n") else b"\n"
    with open(path, "ab") as out:
        out.write(gap + "".join(f"{line}\n" for line in missing).encode())
    return True


def uninstall(top: str, environ: Mapping[str, str]) -> list[str]:
    """Take the driver out of git config; the attributes stay, git ignores an unknown driver."""
    if not gitside.succeeds(top, ["config", "--local", "--get", f"merge.{DRIVER}.driver"], environ):
        return []
    gitside.output(top, ["config", "--local", "--remove-section", f"merge.{DRIVER}"], environ)
    return [f"git config merge.{DRIVER}"]


def installed(top: str, environ: Mapping[str, str]) -> bool:
    """Tell whether git config names the driver and attributes give it this journal's files."""
    if not gitside.succeeds(top, ["config", "--get", f"merge.{DRIVER}.driver"], environ):
        return False
    asked = gitside.output(top, ["check-attr", "merge", "--", f"journal/{LOG}"], environ)
    return asked.strip().endswith(DRIVER.encode())
