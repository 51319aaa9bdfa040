"""Who pushes: an owner, an agent in its own corner, or nobody the brain knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from repositories import Clone, mail, note

AGENTS = {
    "scribe": {"read": ["team"], "write": "quarantine/scribe"},
    "clerk": {"read": ["team"], "write": "quarantine/clerk", "journal": "journal/clerk"},
    "reader": {"read": ["team"]},
    "boss": {"read": "*", "write": "*"},
}


@pytest.fixture
def guarded(clone: Clone, tmp_path: Path) -> Clone:
    """A clone whose brain has an agents file."""
    agents = tmp_path / "agents.json"
    agents.write_text(json.dumps(AGENTS))
    clone.brain_git("config", "manent.agents", str(agents))
    return clone


def draft(name: str, text: str = "Text.", author: str = "scribe", **more: str) -> bytes:
    return note(name, text, status="quarantine", author=author, **more)


def as_(name: str, **more: str) -> dict[str, str]:
    return {"MANENT_IDENTITY": name, **more}


def test_an_agent_adds_and_changes_its_own_drafts(guarded: Clone) -> None:
    guarded.commit({"quarantine/scribe/idea.md": draft("idea")})
    pushed = guarded.push(**as_("scribe"))
    assert pushed.accepted, pushed.said
    guarded.commit({"quarantine/scribe/idea.md": draft("idea", "More.")})
    assert guarded.push(**as_("scribe")).accepted


FORBIDDEN: dict[str, dict[str | bytes, bytes | None]] = {
    "another's folder": {"quarantine/clerk/x.md": draft("x")},
    "the vault": {"memory/x.md": draft("x")},
    "a change elsewhere": {"memory/first.md": note("first", "changed")},
    "a deletion": {"memory/first.md": None},
    "allowances": {".manent-allow": b'{"salt": "x"}\n'},
    "no stamp": {"quarantine/scribe/x.md": note("x")},
    "another's name": {"quarantine/scribe/x.md": draft("x", author="boss")},
    "an audience": {"quarantine/scribe/x.md": draft("x", audience="[public]")},
    "no note": {"quarantine/scribe/x.txt": b"text\n"},
    "content": {"quarantine/scribe/x.md": draft("x", mail())},
    "a name alike": {"quarantine/scribe2/x.md": draft("x")},
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_an_agent_touches_nothing_else(guarded: Clone, name: str) -> None:
    guarded.commit(FORBIDDEN[name])
    assert guarded.push(**as_("scribe")).refused


def test_an_agent_renames_nothing_not_even_its_own(guarded: Clone) -> None:
    guarded.commit({"quarantine/scribe/idea.md": draft("idea")})
    assert guarded.push(**as_("scribe")).accepted
    guarded.commit({"quarantine/scribe/idea.md": None, "quarantine/scribe/plan.md": draft("plan")})
    assert guarded.push(**as_("scribe")).refused


def test_what_an_agent_adds_and_undoes_counts_too(guarded: Clone) -> None:
    guarded.commit({"memory/x.md": draft("x")})
    guarded.commit({"memory/x.md": None, "quarantine/scribe/x.md": draft("x")})
    assert guarded.push(**as_("scribe")).refused


@pytest.mark.parametrize("ref", ["HEAD:side", "HEAD:refs/tags/v1", "+HEAD~1:main"])
def test_an_agent_moves_no_other_ref(guarded: Clone, ref: str) -> None:
    guarded.commit({"memory/third.md": note("third")})
    assert guarded.push(**as_("boss")).accepted
    guarded.commit({"quarantine/scribe/idea.md": draft("idea")})
    if ref.startswith("+"):
        guarded.git("reset", "-q", "--hard", "HEAD~1")
    assert guarded.push(ref, **as_("scribe")).refused


def test_the_name_of_a_hidden_note_tells_nothing(guarded: Clone) -> None:
    """An agent's note may have any name; the answer is the same to the letter."""
    said = []
    for name in ("first", "unheard-of"):
        text = f"See [[{name}]] and [[no-such-thing]]."
        guarded.commit({f"quarantine/scribe/{name}.md": draft(name, text)})
        pushed = guarded.push(**as_("scribe"))
        assert pushed.accepted, pushed.said
        remote = [x for x in pushed.said.splitlines() if x.startswith("remote:")]
        said.append([x.split(" in ")[0].split(",")[:1] for x in remote])
    assert said[0] == said[1]


def test_an_allowance_never_applies_to_an_agents_change(guarded: Clone) -> None:
    guarded.commit({"quarantine/scribe/x.md": draft("x", mail())})
    refused = guarded.push(**as_("scribe"))
    mark = next(w.strip("[]") for w in refused.said.split() if w.startswith("[pii:"))
    guarded.git("reset", "-q", "--hard", "origin/main")
    line = {"fingerprint": mark, "rule": "pii", "reason": "x", "who": "boss"}
    guarded.commit({".manent-allow": json.dumps(line).encode() + b"\n"})
    assert guarded.push(**as_("boss")).accepted
    guarded.commit({"quarantine/scribe/x.md": draft("x", mail())})
    assert guarded.push(**as_("scribe")).refused
    pushed = guarded.push(**as_("boss"))
    assert pushed.accepted, pushed.said


def test_an_owner_by_name(guarded: Clone) -> None:
    guarded.commit({"memory/third.md": note("third")})
    for variables in ({"REMOTE_USER": "boss"}, {"GL_USERNAME": "boss"}):
        pushed = guarded.push(**variables)
        assert pushed.accepted, pushed.said


@pytest.mark.parametrize(
    "variables",
    [
        {"MANENT_IDENTITY": "stranger"},
        {"MANENT_IDENTITY": "reader"},
        {"REMOTE_USER": "reader"},
        {"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"},
        {"GATEWAY_INTERFACE": "CGI/1.1"},
        {"REMOTE_ADDR": "192.0.2.1"},
        {"GL_ID": "key-1"},
    ],
    ids=lambda v: "-".join(v.values()),
)
def test_nobody_the_brain_knows(guarded: Clone, variables: dict[str, str]) -> None:
    guarded.commit({"quarantine/reader/x.md": draft("x", author="reader")})
    assert guarded.push(**variables).refused


def test_a_local_push_by_the_repositorys_user_is_the_owners(guarded: Clone) -> None:
    guarded.commit({"memory/third.md": note("third")})
    pushed = guarded.push()
    assert pushed.accepted, pushed.said


def test_a_named_identity_without_an_agents_file_is_refused(clone: Clone) -> None:
    clone.commit({"memory/third.md": note("third")})
    pushed = clone.push(**as_("scribe"))
    assert pushed.refused
    assert "manent.agents" in pushed.said


def test_an_unreadable_agents_file_refuses(guarded: Clone, tmp_path: Path) -> None:
    (tmp_path / "agents.json").write_text("{")
    guarded.commit({"memory/third.md": note("third")})
    assert guarded.push().refused


@pytest.mark.parametrize("place", ["brain.git", "site", "site/current"])
def test_an_agents_file_where_pushes_lead_refuses(
    guarded: Clone, tmp_path: Path, place: str
) -> None:
    guarded.brain_git("config", "manent.checkout", str(tmp_path / "site"))
    folder = guarded.brain if place == "brain.git" else tmp_path / place
    folder.mkdir(parents=True, exist_ok=True)
    inside = folder / "agents.json"
    inside.write_text(json.dumps(AGENTS))
    guarded.brain_git("config", "manent.agents", str(inside))
    guarded.commit({"memory/second.md": note("second")})
    pushed = guarded.push(**as_("boss"))
    assert pushed.refused and "where pushes lead" in pushed.said


def test_an_agent_appends_to_its_journal(guarded: Clone) -> None:
    guarded.commit({"journal/clerk/log.txt": b"one\n"})
    pushed = guarded.push(**as_("clerk"))
    assert pushed.accepted, pushed.said
    guarded.commit({"journal/clerk/log.txt": b"one\ntwo\n"})
    assert guarded.push(**as_("clerk")).accepted
    guarded.commit({"journal/clerk/log.txt": b"two\n"})
    assert guarded.push(**as_("clerk")).refused


IN_A_JOURNAL: dict[str, tuple[str, bytes]] = {
    "a note for others": ("port-map.md", draft("port-map", author="clerk", audience="[team]")),
    "an active note": ("port-map.md", note("port-map", author="clerk")),
    "a note of another's": ("port-map.md", draft("port-map", author="boss")),
    "an index": ("MEMORY.md", b"# Read me first\n"),
    "attributes": (".gitattributes", b"*.md -diff\n"),
    "what is ignored": (".manentignore", b"memory\n"),
    "a page": ("run.html", b"<p>Text.</p>\n"),
}


@pytest.mark.parametrize("name", IN_A_JOURNAL)
def test_an_agents_journal_publishes_nothing(guarded: Clone, name: str) -> None:
    path, content = IN_A_JOURNAL[name]
    guarded.commit({f"journal/clerk/{path}": content})
    pushed = guarded.push(**as_("clerk"))
    assert pushed.refused and "[identity]" in pushed.said, pushed.said


def test_a_draft_in_a_journal_is_one(guarded: Clone) -> None:
    guarded.commit({"journal/clerk/idea.md": draft("idea", author="clerk")})
    pushed = guarded.push(**as_("clerk"))
    assert pushed.accepted, pushed.said


def test_a_collision_names_nothing_of_somebody_elses(guarded: Clone) -> None:
    guarded.commit({"quarantine/Scribe/case.md": draft("case", author="boss")})
    assert guarded.push(**as_("boss")).accepted
    guarded.commit({"quarantine/scribe/case.md": draft("case")})
    pushed = guarded.push(**as_("scribe"))
    assert pushed.refused and "[path-collision]" in pushed.said, pushed.said
    assert "quarantine/Scribe" not in pushed.said


def test_an_agent_takes_nothing_back_by_a_merge(guarded: Clone) -> None:
    """The old version of a note is in the history already: no commit adds it."""
    old = guarded.git("rev-parse", "HEAD")
    guarded.commit({"memory/first.md": note("first", "Changed by an owner.")})
    assert guarded.push(**as_("boss")).accepted
    guarded.git("checkout", "-q", "-b", "side", old)
    guarded.commit({"quarantine/scribe/x.md": draft("x")})
    guarded.git("merge", "-q", "-s", "ours", "-m", "mine", "main")
    pushed = guarded.push("HEAD:main", **as_("scribe"))
    assert pushed.refused and "memory/first.md" in pushed.said
    guarded.git("reset", "-q", "--hard", "HEAD~1")
    guarded.git("merge", "-q", "-m", "both", "main")
    pushed = guarded.push("HEAD:main", **as_("scribe"))
    assert pushed.accepted, pushed.said


def test_an_agent_deletes_nothing_in_a_commit_that_a_merge_leaves_behind(guarded: Clone) -> None:
    tip = guarded.git("rev-parse", "HEAD").strip()
    guarded.commit({"memory/first.md": None})
    aside = guarded.git("rev-parse", "HEAD").strip()
    guarded.git("reset", "-q", "--hard", tip)
    guarded.commit({"quarantine/scribe/idea.md": draft("idea")})
    guarded.git("merge", "-q", "-s", "ours", "-m", "Take it in", aside)
    assert guarded.git("diff", "--name-only", tip).split() == ["quarantine/scribe/idea.md"]
    pushed = guarded.push(**as_("scribe"))
    assert pushed.refused and "memory/first.md" in pushed.said
    assert "deletes and renames nothing" in pushed.said


def test_an_agents_own_draft_may_come_and_go_within_a_push(guarded: Clone) -> None:
    guarded.commit({"quarantine/scribe/idea.md": draft("idea")})
    guarded.commit({"quarantine/scribe/idea.md": None, "quarantine/scribe/b.md": draft("b")})
    pushed = guarded.push(**as_("scribe"))
    assert pushed.accepted, pushed.said


def merge(clone: Clone, tree: str, *parents: str) -> str:
    """Make a merge of a tree as it is."""
    named = [word for parent in parents for word in ("-p", parent)]
    return clone.git("commit-tree", tree, *named, "-m", "Merge")


def test_an_agent_takes_nothing_back_in_a_merge_that_it_leaves_behind(guarded: Clone) -> None:
    old = guarded.git("rev-parse", "HEAD")
    guarded.commit({"memory/first.md": note("first", "Newer.")})
    assert guarded.push(**as_("boss")).accepted
    tip = guarded.git("rev-parse", "HEAD")
    guarded.git("checkout", "-q", old)
    guarded.commit({"quarantine/scribe/idea.md": draft("idea")})
    side = guarded.git("rev-parse", "HEAD")
    orphan = guarded.git("commit-tree", f"{side}^{{tree}}", "-m", "Alone")
    guarded.git("checkout", "-q", tip)
    guarded.commit({"quarantine/scribe/idea.md": draft("idea")})
    whole = guarded.git("rev-parse", "HEAD^{tree}")
    for other in (side, orphan):
        left = merge(guarded, f"{side}^{{tree}}", tip, other)
        last = merge(guarded, whole, left, tip)
        pushed = guarded.push(f"{last}:main", **as_("scribe"))
        assert pushed.refused and "memory/first.md" in pushed.said, pushed.said
    # As git merges them, they are its own to push.
    pushed = guarded.push(f"{merge(guarded, whole, side, tip)}:main", **as_("scribe"))
    assert pushed.accepted, pushed.said


def test_an_agents_folder_may_come_and_go_with_its_only_draft(guarded: Clone) -> None:
    guarded.commit({"quarantine/scribe/one.md": draft("one")})
    guarded.commit({"quarantine/scribe/one.md": None})
    guarded.commit({"quarantine/scribe/two.md": draft("two")})
    pushed = guarded.push(**as_("scribe"))
    assert pushed.accepted, pushed.said
