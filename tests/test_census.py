"""Every place of the server at which text of notes can be got at, and why none of it leaks.

A use of a View, a vault, a tree, an index, a store or a repository that is not listed
fails: whoever adds one says first by whose leave it reads. What is listed and gone fails
too. The law itself, that what is hidden changes no byte of what an agent is told, is
tried in ``tests/properties/test_serve_leak.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SERVER = Path(__file__).resolve().parent.parent / "manent" / "server"

NOUNS = {"view", "vault", "tree", "index", "store", "repository", "git", "db"}
"""What things from which notes can be read are called in this room, see the last test."""

APART = ("task", "oauth/", "apps/sessions")
"""Modules whose store is another one: of tasks, each its maker's, and of who signed in."""

OTHER_NAMES = {"views", "held"}
"""Views by identity; a repository that is opened anew at once."""

KINDS = {
    "View": "view",
    "Vault": "vault",
    "SearchIndex": "index",
    "Store": "store",
    "Repository": "repository",
    "Tree": "tree",
    "GitTree": "tree",
    "WorkTree": "tree",
    "Glimpse": "tree",
    "Git": "git",
}

OWN_VIEW = "of the caller's View alone"

CENSUS: dict[str, tuple[str, str]] = {
    # -- what an answer is made of -----------------------------------------------------
    "dispatch": (
        "fixes the caller's View before a tool runs, and ranks over that View; whether a task "
        "may still be told is asked of the View of now",
        "Call(view) gives(view) lane.view(view) lines(view) ranking.rank(view) "
        "self._search(view) vault.notes_at view.shows",
    ),
    "owners": ("whether an identity may use a git transport: no repository", "gives(git)"),
    "tool": (
        "paths of hits of the caller's View become notes of that View",
        "vault.notes_at view.shows",
    ),
    "tools/curate": (
        "reports over the caller's View; of the vault its id and its stamp, as keys alone; "
        "of the tree the file that says which pairs of shown notes are settled",
        "_known(view) acknowledged.read(tree) alike_notes(view) edges_of(view) store.stamp "
        "vault.id view.identity view.of_the_past",
    ),
    "tools/feedback": (OWN_VIEW, "view.find"),
    "tools/graph": (
        OWN_VIEW,
        "Walk(view) _entrance(view) view.edges_from view.find view.notes view.notes_of",
    ),
    "tools/grep": (OWN_VIEW, "view.content view.notes"),
    "tools/list_notes": (OWN_VIEW, "view.notes"),
    "tools/neighbors": (OWN_VIEW, "Walk(view) view.find view.notes_of"),
    "tools/quarantine": (
        "drafts of the caller's View, kept for its next page by vault, stamp and identity",
        "drafts(view) store.stamp vault.id view.identity waiting_in(view)",
    ),
    "tools/read": (OWN_VIEW, "view.content view.find"),
    "tools/read_raw": (OWN_VIEW, "view.content view.find"),
    "asked": (
        "the register keeps what was asked and the paths of the asker's own hits; its "
        "stamp of the tree is an owner's to read",
        "Search(tree) vault.stamp view.of_the_past",
    ),
    "journals": (
        "lines of journals by their own rule: the caller's own journal",
        "repository.peel repository.ref repository=repository tree=tree vault.stamp "
        "view.identity view.of_the_past",
    ),
    "touched": (
        "days and commits of notes that a tool names; an agent is given the day alone",
        "db.execute db.executemany git.attempt git.run gives(store) last_touch(repository) "
        "repository.ref store.close store.path store.set_stamp store.stamp store.tables "
        "store.transaction touches(repository)",
    ),
    # -- what a write is made of -------------------------------------------------------
    "drafting": (
        "looks for what stands where a draft would: an agent's in its own folder alone",
        "_folder(vault) destination(vault) vault.conventions vault.file vault.files_folded "
        "vault.ignore vault.lookup vault.note",
    ),
    "ground": (
        "judges and lays down the one note that was sent, over what stands at its path",
        "GitTree(repository) InFolder(git) admit(repository) carrying.Folder(repository) "
        "catch_up(repository) check_out(repository) drop_left(repository) "
        "judge_change(repository) judge_note(vault) person(git) repository.forget_settings "
        "repository.path repository.ref state_folder(repository) tree.get tree.read",
    ),
    "pending": ("the server's own list of writes that no commit has yet", "file.read_bytes"),
    "pushing": (
        "pushes on; says of the remote to the owner alone",
        "git.attempt git.program git.run repository.path repository.workdir",
    ),
    "writing": (
        "plans over the writer's View; the gate judges over the vault",
        "Pushing(repository) lane.view(view) self._ground.judge(vault) self._ground.keep(vault)",
    ),
    # -- what answers nobody -----------------------------------------------------------
    "brain": (
        "brings the stores along; its counts, of what may not be read too, are for operators",
        "GitTree(repository) GitTree(tree) Glimpse(vault) _tell(tree) differences_to(repository) "
        "differences_to(vault) gives(vault) gives(view) index.update look(tree) look(vault) "
        "make_ranker(index) repository.peel repository.ref store.is_gone store.stamp sync(tree) "
        "sync(vault) tree.unread "
        "vault.conventions vault.counts vault.files_below vault.is_empty vault.known "
        "vault.since vault.stamp",
    ),
    "lane": (
        "opens the stores and fixes Views over them, of now and of the past",
        "GitTree(repository) GitTree(tree) Glimpse(vault) SearchIndex(vault) View(vault) "
        "by_default(index) db.execute db.in_transaction differences_to(repository) "
        "differences_to(vault) git.attempt git.run gives(view) index.open index.stamp "
        "make(index) make_ranker(index) prefetch(vault) repository.close repository.peel "
        "self._laid(tree) "
        "store.close store.stamp store.transaction sync(vault) vault.id vault.stamp",
    ),
    "served": (
        "the repository's settings",
        "repository.section",
    ),
    "apps/desk": ("files of the pages", "_index(index) file.read_bytes file.read_text"),
    "apps/pages": ("files of the pages", "file.read_text"),
    "layout": ("where git keeps its refs", "git.resolve gives(git)"),
    "watch": ("which files changed, by name", "Layout(git) Refs(git)"),
    "polling": ("the system's list of mounts", "file.read_text"),
    "approval": (
        "the server's own key, and the list of states that were used",
        "file.read_bytes file.read_text",
    ),
    # -- what servers hand to each other ------------------------------------------------
    "bundle/contents": (
        "numbers of documents, paths and blob ids, as one digest",
        "vault.id vault.notes",
    ),
    "bundle/making": (
        "makes a file for other servers of the brain, which only they can open as one; it "
        "answers nobody",
        "SearchIndex(vault) Vault(store) _Embedded(store) _by_document(vault) _carried(store) "
        "_carried(vault) _documents(vault) _facts(vault) _parts(store) _rows(vault) "
        "contents.listing(vault) contents.text_keys(vault) db.executemany file.read_bytes "
        "index.rebuild index.segments self._embedded(vault) self._fill(tree) self._make(tree) "
        "self._make(vault) store.dimensions "
        "store.find store.model store.rows store.transaction sync(tree) sync(vault) tree.id "
        "vault.conventions vault.counts vault.facts_key vault.facts_of vault.notes",
    ),
    "bundle/taking": (
        "fills empty stores; readers come from the repository's blobs, whatever a bundle says",
        "GitTree(repository) SearchIndex(vault) Vault(store) _Intake(tree) _Intake(vault) "
        "_checked(tree) _trees(repository) contents.listing(vault) contents.text_keys(vault) "
        "contextlib.closing(repository) db.executemany git.run gives(tree) index.adopt "
        "repository.ref self._add_rows(store) self._learn(store) self._taken(repository) "
        "self._taken(vault) store.add store.folder store.transaction store.writing sync(tree) "
        "sync(vault) tree.entries tree.get tree.id tree.read vault.conventions vault.counts "
        "vault.docs vault.facts_key vault.is_empty",
    ),
}
"""Module to why it is in order, and its uses: ``noun.attribute`` or ``function(noun)``."""


def noun_of(node: ast.AST) -> str | None:
    named = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    word = str(named).lstrip("_")
    return word if isinstance(node, ast.Name | ast.Attribute) and word in NOUNS else None


def uses(path: Path) -> set[str]:
    """Return every use of a noun in a module, without where it stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Attribute) and child.attr in ("read_bytes", "read_text"):
                found.add(f"file.{child.attr}")
            noun = noun_of(child)
            if noun is None or not isinstance(getattr(child, "ctx", None), ast.Load):
                continue
            if isinstance(node, ast.Attribute) and not noun_of(node):
                found.add(f"{noun}.{node.attr}")
            elif isinstance(node, ast.Call):
                found.add(f"{ast.unparse(node.func)}({noun})")
            elif isinstance(node, ast.keyword):
                found.add(f"{node.arg}={noun}")
            elif isinstance(node, ast.Yield | ast.Return | ast.Tuple | ast.List | ast.Dict):
                found.add(f"gives({noun})")
    return found


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SERVER.rglob("*.py")):
        name = path.relative_to(SERVER).with_suffix("").as_posix()
        if not name.startswith(APART):
            yield name, path


def bindings(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield (line, name, noun) of what is declared to be, or made from, one of KINDS."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.arg | ast.AnnAssign):
            called = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
            named = {n.id for n in ast.walk(node.annotation or node) if isinstance(n, ast.Name)}
            yield from ((node.lineno, called, KINDS[kind]) for kind in named & set(KINDS))
        elif isinstance(node, ast.Assign) and (noun := noun_of(node.value)):
            yield from ((node.lineno, ast.unparse(target), noun) for target in node.targets)


def test_every_use_is_listed() -> None:
    faults = []
    for name, path in modules():
        listed = set(CENSUS.get(name, ("", ""))[1].split())
        found = uses(path)
        faults += [f"{name}: {use} is not in the census" for use in sorted(found - listed)]
        faults += [f"{name}: {use} is in the census alone" for use in sorted(listed - found)]
    faults += sorted(f"{name} is no module" for name in set(CENSUS) - {n for n, _ in modules()})
    assert not faults, "\n".join(faults)


def test_things_are_called_what_they_are() -> None:
    """The census goes by names: a vault that is called otherwise would not be seen."""
    faults = [
        f"{name}:{line}: {called} is a {noun}"
        for name, path in modules()
        for line, called, noun in bindings(path)
        if called.rpartition(".")[2].strip("_") not in NOUNS | OTHER_NAMES
    ]
    assert not faults, "\n".join(faults)


def test_only_the_dispatcher_calls_a_tool() -> None:
    callers = {
        name
        for name, path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(("tool.call", "TOOL.call"))
    }
    assert callers == {"dispatch"}
