"""Ways around a push gate, each as a real push (design/BYPASSES.md), and their kinds."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import time
import unicodedata
import zipfile
from collections.abc import Callable

import pytest
from repositories import GIT, Clone, Pushed, mail, note, phone

MARKERS: dict[str, Callable[[], str]] = {"an address": mail, "a number": phone}


def refused(clone: Clone, pushed: Pushed, *said: str) -> None:
    """Assert that nothing landed, that it was the gate, and that it says what."""
    assert pushed.refused, pushed.said
    for part in said:
        assert part in pushed.said
    ours = [line for line in pushed.said.splitlines() if line.startswith("remote:")]
    assert not any(marker() in line for marker in MARKERS.values() for line in ours)


@pytest.fixture(autouse=True)
def nothing_is_left(clone: Clone, request: pytest.FixtureRequest) -> object:
    """A test that ends in a refusal finds the brain as it was: no object, no ref."""
    before = (clone.refs(), clone.objects())
    yield
    if "accepted" not in request.node.name:
        assert (clone.refs(), clone.objects()) == before


# -- 1 to 5: only in the middle of a history ------------------------------------


@pytest.mark.parametrize("marker", MARKERS.values(), ids=list(MARKERS))
def test_added_in_one_commit_and_removed_in_a_later_one(
    clone: Clone, marker: Callable[[], str]
) -> None:
    first = clone.commit({"memory/bad.md": note("bad", marker())})
    clone.commit({"memory/bad.md": None})
    refused(clone, clone.push(), first[:10], "memory/bad.md")


def test_added_and_then_redacted_in_the_same_file(clone: Clone) -> None:
    clone.commit({"memory/bad.md": note("bad", mail())})
    clone.commit({"memory/bad.md": note("bad", "m*******")})
    refused(clone, clone.push(), "memory/bad.md")


def test_text_that_exists_only_in_the_merge_commit(clone: Clone) -> None:
    clone.git("checkout", "-qb", "side")
    clone.commit({"memory/side.md": note("side")})
    clone.git("checkout", "-q", "main")
    clone.commit({"memory/third.md": note("third")})
    clone.git("merge", "-q", "--no-commit", "--no-ff", "side")
    merge = clone.commit({"memory/third.md": note("third", mail())}, "merge")
    assert len(clone.git("rev-list", "--parents", "-1", "HEAD").split()) == 3
    clone.commit({"memory/third.md": note("third")})
    refused(clone, clone.push(), merge[:10])


def test_an_octopus_merge_that_adds_a_file(clone: Clone) -> None:
    tips = []
    for name in ("one", "two", "three"):
        clone.git("checkout", "-qb", name, "origin/main")
        tips.append(clone.commit({f"memory/{name}.md": note(name)}))
    clone.git("checkout", "-q", "main")
    blob = clone.blob(note("evil", mail()))
    tree = clone.tree([*clone.entries(tips[0]), ("100644", blob, b"z-evil.md")])
    merge = clone.commit_tree(tree, "origin/main", *tips)
    clean = clone.commit_tree(clone.git("rev-parse", f"{tips[0]}^{{tree}}"), merge)
    refused(clone, clone.push(f"{clean}:main"), merge[:10])


def test_a_bad_commit_behind_a_second_parent_undone_before_the_merge(clone: Clone) -> None:
    clone.git("checkout", "-qb", "side")
    bad = clone.commit({"memory/bad.md": note("bad", mail())})
    clone.commit({"memory/bad.md": None})
    clone.git("checkout", "-q", "main")
    clone.commit({"memory/third.md": note("third")})
    clone.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    refused(clone, clone.push(), bad[:10])


def test_an_unrelated_second_root(clone: Clone) -> None:
    blob = clone.blob(note("bad", mail()))
    root = clone.commit_tree(clone.tree([("100644", blob, b"bad.md")]))
    kept = clone.git("rev-parse", "HEAD^{tree}")
    merge = clone.commit_tree(kept, "HEAD", root)
    refused(clone, clone.push(f"{merge}:main"), root[:10])


# -- 6 to 10: refs, tags, names, messages ---------------------------------------


@pytest.mark.parametrize("options", [(), ("--atomic",)], ids=["plain", "atomic"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_good_and_a_bad_ref(clone: Clone, options: tuple[str, ...], order: int) -> None:
    good = clone.commit({"memory/fine.md": note("fine")})
    bad = clone.commit({"memory/bad.md": note("bad", mail())})
    refs = [f"{good}:refs/heads/a", f"{bad}:refs/heads/b"][::order]
    refused(clone, clone.push(*refs, options=options))


def test_a_tag_message(clone: Clone) -> None:
    clone.git("tag", "-am", f"release\n\n{mail()}", "v1")
    refused(clone, clone.push("v1"), "(tag message)")


def test_a_tag_of_a_tag(clone: Clone) -> None:
    clone.git("tag", "-am", mail(), "inner")
    clone.git("tag", "-am", "clean", "outer", "inner")
    refused(clone, clone.push("outer"), "(tag message)")


def test_a_taggers_name(clone: Clone) -> None:
    clone.git("tag", "-am", "clean", "v1", GIT_COMMITTER_NAME=f"Ada {phone()}")
    refused(clone, clone.push("v1"), "(tagger name)")


@pytest.mark.parametrize("kind", ["blob", "tree"])
def test_a_tag_that_points_at_no_commit(clone: Clone, kind: str) -> None:
    blob = clone.blob(b"clean\n")
    target = blob if kind == "blob" else clone.tree([("100644", blob, b"x.md")])
    clone.git("tag", "light", target)
    clone.git("tag", "-am", "annotated", "heavy", target)
    refused(clone, clone.push("light"), kind)
    refused(clone, clone.push("heavy"), kind)


@pytest.mark.parametrize(
    "ref",
    ["refs/notes/commits", "refs/manent/x", "refs/replace/x", "refs/meta/config", "refs/for/m"],
)
def test_any_ref_but_heads_and_tags(clone: Clone, ref: str) -> None:
    clone.commit({"memory/fine.md": note("fine")})
    refused(clone, clone.push(f"HEAD:{ref}"), "only branches and tags")


MISREAD = {
    "git's own word": ("refs/heads/HEAD",),
    "a tag of the branch's name": ("refs/tags/main",),
    "the branch but for case": ("refs/heads/Main",),
    "two that differ in case": ("refs/heads/topic", "refs/heads/Topic"),
    "a branch and a tag": ("refs/heads/v1", "refs/tags/v1"),
    "a tag that a clone takes for its remote's branch": ("refs/tags/origin/main",),
    "a tag of a place of refs": ("refs/tags/heads/main",),
    "a branch of a place of refs": ("refs/heads/tags/v1",),
    "an object's id": (f"refs/heads/{'a1' * 20}",),
    "a folder where a branch is but for case": ("refs/heads/Main/x",),
    "a branch where a folder is but for case": ("refs/heads/team/x", "refs/heads/Team"),
    "a letter nobody sees": ("refs/heads/mai\u200bn",),
    "an order of letters": ("refs/heads/a\u202eb",),
    "no UTF-8": ("refs/heads/\udcffx",),
    "a device": ("refs/heads/com1",),
    "a pseudo-ref": ("refs/heads/REBASE_HEAD",),
}


@pytest.mark.parametrize("name", MISREAD)
def test_a_ref_that_would_be_taken_for_another(clone: Clone, name: str) -> None:
    before = clone.refs()
    pushed = clone.push(*(f"HEAD:{ref}" for ref in MISREAD[name]))
    assert pushed.refused and "[ref-forbidden]" in pushed.said
    assert clone.refs() == before


def test_other_branches_and_tags_are_accepted(clone: Clone) -> None:
    refs = ["heads/side", "heads/team/a", "heads/team/b", "heads/überblick", "tags/v1", "tags/v1.1"]
    assert clone.push(*(f"HEAD:refs/{ref}" for ref in refs)).accepted
    assert clone.push(*(f"HEAD:refs/{ref}" for ref in ("tags/pkg/v1", "heads/headline"))).accepted


def test_a_ref_name(clone: Clone) -> None:
    refused(clone, clone.push(f"HEAD:refs/heads/{mail()}"), "(ref name)")
    refused(clone, clone.push(f"HEAD:refs/tags/{mail()}"), "(ref name)")


def test_a_file_name(clone: Clone) -> None:
    clone.commit({f"memory/{mail()}.txt": b"clean\n"})
    refused(clone, clone.push(), "in the file's name")


def test_a_folder_name(clone: Clone) -> None:
    clone.commit({f"memory/{mail()}/fine.txt": b"clean\n"})
    refused(clone, clone.push(), "in the file's name")


def test_a_commit_message(clone: Clone) -> None:
    clone.commit({"memory/fine.md": note("fine")}, f"Add a note\n\nfor {mail()}\n")
    refused(clone, clone.push(), "(commit message)")


def test_an_author_or_committer_name(clone: Clone) -> None:
    clone.commit({}, GIT_AUTHOR_NAME=f"Ada {phone()}")
    refused(clone, clone.push(), "(author name)")
    clone.git("reset", "-q", "--hard", "origin/main")
    clone.commit({}, GIT_COMMITTER_NAME=f"Ada {phone()}")
    refused(clone, clone.push(), "(committer name)")


def raw_commit(clone: Clone, headers: bytes, message: bytes) -> str:
    tree, parent = clone.git("rev-parse", "HEAD^{tree}"), clone.git("rev-parse", "HEAD")
    who = b"Ada <ada@example.org> 1700000000 +0000"
    raw = b"tree %b\nparent %b\nauthor %b\ncommitter %b\n%b\n%b" % (
        tree.encode(), parent.encode(), who, who, headers, message,
    )  # fmt: skip
    return clone.git("hash-object", "-w", "-t", "commit", "--literally", "--stdin", given=raw)


def test_a_header_of_a_commit_that_nobody_prints(clone: Clone) -> None:
    oid = raw_commit(clone, b"note-to-self " + mail().encode() + b"\n", b"clean\n")
    refused(clone, clone.push(f"{oid}:main"), "(header note-to-self)")


def test_a_merged_tag_inside_a_commit(clone: Clone) -> None:
    folded = b"mergetag object " + b"0" * 40 + b"\n type commit\n tag v1\n \n " + mail().encode()
    oid = raw_commit(clone, folded + b"\n", b"clean\n")
    refused(clone, clone.push(f"{oid}:main"), "(header mergetag)")


def test_a_message_in_another_encoding_is_decoded(clone: Clone) -> None:
    oid = raw_commit(clone, b"encoding UTF-7\n", mail().replace("@", "+AEA-").encode())
    refused(clone, clone.push(f"{oid}:main"))
    oid = raw_commit(clone, b"", b"caf\xe9\n")
    refused(clone, clone.push(f"{oid}:main"), "[encoding]")


def test_objects_that_no_ref_leads_to(clone: Clone, tmp_path: object) -> None:
    """A client may put anything into the pack; git keeps it all."""
    tip = clone.commit({"memory/fine.md": note("fine")})
    stray = clone.blob(mail().encode())
    old = clone.git("rev-parse", "origin/main")
    wanted = clone.git("rev-list", "--objects", "--no-object-names", tip, f"^{old}").split()
    pack = subprocess.run(
        [GIT, "pack-objects", "--stdout", "-q"],
        input="\n".join([*wanted, stray]).encode(),
        cwd=clone.path, check=True, capture_output=True,
    ).stdout  # fmt: skip
    line = f"{old} {tip} refs/heads/main\0report-status".encode()
    request = b"%04x%b0000" % (len(line) + 4, line) + pack
    done = subprocess.run(
        [GIT, "receive-pack", str(clone.brain)], input=request, check=False, capture_output=True
    )
    assert b"objects that none of its refs leads to" in done.stderr + done.stdout
    assert b"pre-receive hook declined" in done.stdout


# -- 11 to 15: odd names, encodings, attributes, other files ------------------------


ODD_NAMES = [
    b"memory/a\nb.md", b'memory/a"b.md', b"memory/\x1b]0;title\x07.md", b"memory/a\\b.md",
    b"memory/caf\xe9.md", b"memory/a\x7f.md", b"memory/\xed\xa0\x80.md", b"memory/a:b.md",
    b"memory/con.md", b"memory/nul", b"memory/dot.", b"memory/blank ", b"memory/a<b>.md",
    b"memory/x.md:stream", b"lpt1.txt/x.md", b"memory/a|b.md", b"memory/a?.md", b"memory/a*.md",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES, ids=[ascii(n) for n in ODD_NAMES])
def test_an_odd_file_name_is_refused_and_printed_inert(clone: Clone, name: bytes) -> None:
    clone.commit({name: note("odd")})
    pushed = clone.push()
    refused(clone, pushed, "[path-unportable]")
    remote = [x for x in pushed.said.splitlines() if x.startswith("remote: ")]
    assert all(c.isprintable() for x in remote for c in x.removesuffix("\x1b[K"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252"])
@pytest.mark.parametrize("name", ["memory/odd.md", "memory/odd.txt"])
def test_another_encoding_hides_nothing(clone: Clone, encoding: str, name: str) -> None:
    text = note("odd", f"caf\u00e9 {mail()}").decode()
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    clone.commit({name: (mark + text).encode(encoding)})
    refused(clone, clone.push(), name)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_an_encoding_without_its_mark_is_refused(clone: Clone, encoding: str) -> None:
    clone.commit({"memory/odd.txt": f"clean {mail()}".encode(encoding)})
    refused(clone, clone.push(), "memory/odd.txt")


ATTRIBUTES = [
    "*.md working-tree-encoding=UTF-16", "*.md filter=lfs", "*.md export-subst", "*.md ident",
    "[attr]x filter=y", "*.md export-ignore",
]  # fmt: skip


@pytest.mark.parametrize("line", ATTRIBUTES)
@pytest.mark.parametrize("place", [".gitattributes", "memory/.GitAttributes"])
def test_attributes_that_change_what_readers_see(clone: Clone, line: str, place: str) -> None:
    clone.git("config", "core.attributesFile", "/dev/null")
    blob = clone.blob(line.encode() + b"\n")
    entries = clone.entries()
    if "/" in place:
        inner = [("100644", blob, b".GitAttributes")]
        entries = [e for e in entries if e[2] != b"memory"]
        entries.append(("040000", clone.tree(inner), b"memory"))
    else:
        entries.append(("100644", blob, b".gitattributes"))
    tree = clone.tree(sorted(entries, key=lambda e: e[2]))
    refused(clone, clone.push(f"{clone.commit_tree(tree, 'HEAD')}:main"), "[attributes]")


def test_attributes_do_not_hide_a_file_from_the_gate(clone: Clone) -> None:
    clone.commit({".gitattributes": b"* binary -diff -text\n", "memory/bad.md": note("b", mail())})
    refused(clone, clone.push(), "memory/bad.md")


OTHERS = ["x.MD", "x.markdown", "x.canvas", "x.html", "x.csv", "x.json", "x", ".hidden", "x.svg",
          ".obsidian/x.json", "x.yaml", "x.py", "x.eml", "library/x.vcf"]  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_every_extension_is_judged(clone: Clone, name: str) -> None:
    clone.commit({name: f"contact: {mail()}\n".encode()})
    refused(clone, clone.push(), name)


def zipped(files: dict[str, bytes], **options: object) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.comment = str(options.get("comment", "")).encode()
    return out.getvalue()


def tarred(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def pdf(content: bytes) -> bytes:
    import zlib

    packed = zlib.compress(content)
    return b"%%PDF-1.7\n%%\xe2\xe3\xcf\xd3\n1 0 obj<</Filter/FlateDecode/Length %d>>stream\n" % len(
        packed
    ) + (packed + b"\nendstream endobj\n%%EOF\n")


ATTACHMENTS: dict[str, Callable[[bytes], bytes]] = {
    "x.zip": lambda marker: zipped({"a.txt": marker}),
    "x.docx": lambda marker: zipped({"word/document.xml": b"<w:t>" + marker + b"</w:t>"}),
    "named.zip": lambda marker: zipped({marker.decode() + ".txt": b"clean"}),
    "comment.zip": lambda marker: zipped({"a": b"clean"}, comment=marker.decode()),
    "nested.zip": lambda marker: zipped({"b.zip": zipped({"c.gz": gzip.compress(marker)})}),
    "x.gz": gzip.compress,
    "two.gz": lambda marker: gzip.compress(b"clean") + gzip.compress(marker),
    "after.gz": lambda marker: gzip.compress(b"clean") + marker,
    "x.bz2": bz2.compress,
    "x.xz": lzma.compress,
    "x.tgz": lambda marker: tarred("a.txt", marker),
    "x.pdf": lambda marker: pdf(b"BT (" + marker + b") Tj ET"),
    "x.jpg": lambda marker: b"\xff\xd8\xff\xe1\0\x40Exif\0\0" + marker + b"\0\xff\xd9",
    "disguised.png": lambda marker: zipped({"a.txt": marker}),
    "wide.jpg": lambda marker: (
        b"\xff\xd8\xff\xe1\0\0" + marker.decode().encode("utf-16-le") + b"\0"
    ),
}


@pytest.mark.parametrize("name", ATTACHMENTS)
def test_an_attachment_is_opened(clone: Clone, name: str) -> None:
    clone.commit({name: ATTACHMENTS[name](mail().encode())})
    refused(clone, clone.push(), name, "[pii]")


UNREADABLE: dict[str, bytes] = {
    "bomb.gz": gzip.compress(bytes(80 << 20)),
    "bomb.zip": zipped({f"{i}": bytes(20 << 20) for i in range(4)}),
    "deep.zip": b"",
    "unknown.bin": b"\0\1\2\3" * 100,
    "x.7z": b"7z\xbc\xaf\x27\x1c" + bytes(50),
    "cut.gz": gzip.compress(b"text " * 1000)[:40],
    "damaged.zip": zipped({"a": b"text " * 100})[:60],
}


def _deep() -> bytes:
    content = b"core"
    for _ in range(8):
        content = zipped({"x.zip": content})
    return content


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_opened_is_refused_by_name(clone: Clone, name: str) -> None:
    clone.commit({name: UNREADABLE[name] or _deep()})
    began = time.monotonic()
    refused(clone, clone.push(), name, "[attachment]")
    assert time.monotonic() - began < 60


def test_clean_attachments_are_accepted(clone: Clone) -> None:
    files = {name: make(b"clean text") for name, make in ATTACHMENTS.items()}
    clone.commit(dict(files))
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_attachments_can_be_refused_by_policy(clone: Clone) -> None:
    clone.brain_git("config", "manent.attachments", "refuse")
    clone.commit({"x.zip": zipped({"a": b"clean"})})
    refused(clone, clone.push(), "manent.attachments")


# -- 16: newly exposed ------------------------------------------------------------


def ungated(clone: Clone, *refspecs: str) -> None:
    """Push past the gate, as history older than the gate stands."""
    for asked in ("uninstall", "install"):
        done = subprocess.run(
            [sys.executable, "-m", "manent", "hooks", asked, "--repo", str(clone.brain)],
            capture_output=True, text=True, check=False, env=clone.environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        if asked == "uninstall":
            assert clone.push(*refspecs).accepted


def test_a_widened_audience_has_the_whole_note_judged_once_accepted_ungated(clone: Clone) -> None:
    clone.commit({"memory/old.md": note("old", mail(), audience="[board]")})
    ungated(clone)
    before = (clone.refs(), clone.objects())
    clone.commit({"memory/old.md": note("old", mail(), audience="[board, public]")})
    refused(clone, clone.push(), "memory/old.md")
    assert (clone.refs(), clone.objects()) == before


def test_a_narrowed_note_has_every_note_that_points_there_judged_after_accepted(
    clone: Clone,
) -> None:
    clone.commit(
        {
            "memory/first.md": note("first", "See [[second]].", audience="[team]"),
            "memory/second.md": note("second", audience="[team]"),
        }
    )
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    clone.commit({"memory/second.md": note("second", audience="[board]")})
    refused(clone, clone.push(), "memory/first.md", "[audience-leak]")
    clone.git("reset", "-q", "--hard", "HEAD~1")
    # A removal lets the link lead to another note, which its readers cannot open.
    clone.commit({"memory/second.md": None, "x/second.md": note("second", audience="[board]")})
    refused(clone, clone.push(), "memory/first.md", "[audience-leak]")


# -- 17 to 19: entries --------------------------------------------------------------


LINKS = [b"/etc/passwd", b"../../outside", b"memory/first.md", mail().encode()]


@pytest.mark.parametrize("target", LINKS, ids=["absolute", "outside", "inside", "marker"])
def test_a_symlink(clone: Clone, target: bytes) -> None:
    entries = [*clone.entries(), ("120000", clone.blob(target), b"z-link.md")]
    oid = clone.commit_tree(clone.tree(entries), "HEAD")
    refused(clone, clone.push(f"{oid}:main"), "[symlink]")


@pytest.mark.parametrize(
    "modules", [b"", b'[submodule "x"]\n\tpath = z\n\turl = --upload-pack=x\n']
)
def test_a_submodule(clone: Clone, modules: bytes) -> None:
    entries = clone.entries()
    if modules:
        entries.insert(0, ("100644", clone.blob(modules), b".gitmodules"))
    entries.append(("160000", clone.git("rev-parse", "HEAD"), b"z"))
    oid = clone.commit_tree(clone.tree(entries), "HEAD")
    clone.brain_git("config", "receive.fsckObjects", "false")
    refused(clone, clone.push(f"{oid}:main"), "[submodule]")


def test_an_ignored_submodule_is_seen(clone: Clone) -> None:
    clone.brain_git("config", "diff.ignoreSubmodules", "all")
    entries = [*clone.entries(), ("160000", clone.git("rev-parse", "HEAD"), b"z")]
    oid = clone.commit_tree(clone.tree(entries), "HEAD")
    refused(clone, clone.push(f"{oid}:main"), "[submodule]")


GIT_NAMES = [b".git", b".GIT", b".git ", b".git.", b"git~1", b".g\xe2\x80\x8cit", b"..", b".",
             b"a/b", b".git::$INDEX_ALLOCATION", b".Git...", b"GIT~1"]  # fmt: skip


@pytest.mark.parametrize("fsck", ["true", "false"])
@pytest.mark.parametrize("name", GIT_NAMES, ids=[ascii(n) for n in GIT_NAMES])
def test_an_entry_that_reads_as_gits_own_folder(clone: Clone, name: bytes, fsck: str) -> None:
    clone.brain_git("config", "receive.fsckObjects", fsck)
    blob = clone.blob(b"clean\n")
    entries = sorted([*clone.entries(), ("100644", blob, name)], key=lambda e: e[2])
    oid = clone.commit_tree(clone.tree(entries), "HEAD")
    pushed = clone.push(f"{oid}:main")
    assert pushed.status != 0
    if fsck == "false":
        assert pushed.refused, pushed.said


@pytest.mark.parametrize("fsck", ["true", "false"])
def test_two_entries_of_one_name(clone: Clone, fsck: str) -> None:
    clone.brain_git("config", "receive.fsckObjects", fsck)
    good, bad = clone.blob(note("twice")), clone.blob(note("twice", mail()))
    entries = [*clone.entries(), ("100644", good, b"z.md"), ("100644", bad, b"z.md")]
    oid = clone.commit_tree(clone.tree(entries), "HEAD")
    assert clone.push(f"{oid}:main").status != 0


@pytest.mark.parametrize(
    "other", ["memory/First.md", "Memory/first.md", "memory/FIRST.MD"], ids=ascii
)
def test_paths_equal_but_for_case(clone: Clone, other: str) -> None:
    clone.commit({other: note("first")})
    refused(clone, clone.push(), "[path-collision]")


def test_paths_equal_but_for_unicode_form(clone: Clone) -> None:
    name = "memory/caff\u00e8.txt"
    clone.git("config", "core.precomposeUnicode", "false")
    clone.commit({name: b"a\n", unicodedata.normalize("NFD", name): b"b\n"})
    refused(clone, clone.push(), "[path-collision]")


def test_a_long_path_is_accepted_with_a_warning(clone: Clone) -> None:
    clone.commit({"/".join(["memory", *["x" * 60] * 5, "long.txt"]): b"clean\n"})
    assert clone.push().accepted


SECRETS = ["secrets/x.md", "memory/Secrets/x.md", "a/b/SECRETS", "\u017fecrets/x.txt"]


@pytest.mark.parametrize("path", SECRETS, ids=ascii)
def test_a_secrets_folder(clone: Clone, path: str) -> None:
    clone.commit({path: b"clean\n"})
    refused(clone, clone.push(), "[path-secret]")


@pytest.mark.parametrize("path", [".manent/vault.sqlite", ".Manent/x", ".manent"])
def test_tracked_derived_data(clone: Clone, path: str) -> None:
    clone.commit({path: b"clean\n"})
    refused(clone, clone.push(), "[path-derived]")


# -- 20 to 24: rewrites, limits ------------------------------------------------------


def test_a_rewrite_of_the_protected_branch(clone: Clone) -> None:
    clone.git("commit", "-q", "--amend", "-m", "rewritten")
    refused(clone, clone.push("+HEAD:main"), "[history-rewrite]")


def test_deletion_of_the_protected_branch(clone: Clone) -> None:
    clone.brain_git("config", "receive.denyDeleteCurrent", "ignore")
    refused(clone, clone.push(":main"), "[history-rewrite]")


def test_a_rewrite_is_accepted_where_the_brain_allows_it(clone: Clone) -> None:
    clone.brain_git("config", "manent.allowRewrite", "true")
    clone.git("commit", "-q", "--amend", "-m", "rewritten")
    assert clone.push("+HEAD:main").accepted
    assert clone.push("HEAD:side").accepted
    assert clone.push(":side").accepted


def test_a_shallow_clone_is_judged(clone: Clone, tmp_path: object) -> None:
    clone.commit({"memory/third.md": note("third")})
    shallow = Clone(clone.path.parent / "shallow", clone.brain)
    clone.git("clone", "-q", "--depth=1", f"file://{clone.brain}", str(shallow.path))
    shallow.commit({"memory/bad.md": note("bad", mail())})
    refused(shallow, shallow.push(), "memory/bad.md")


def test_alternates_are_no_way_in(clone: Clone) -> None:
    """A brain that borrows objects: what the lender has was judged by nobody."""
    lender = clone.path.parent / "lender.git"
    clone.git("clone", "-q", "--bare", str(clone.path), str(lender))
    blob = clone.blob(note("bad", mail()))
    tree = clone.tree([*clone.entries(), ("100644", blob, b"z-bad.md")])
    bad = clone.commit_tree(tree, "HEAD")
    clone.git("push", "-q", str(lender), f"{bad}:refs/heads/bad")
    info = clone.brain / "objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{lender}/objects\n")
    pushed = clone.push(f"{bad}:main")
    (info / "alternates").unlink()
    refused(clone, pushed, bad[:10])


def test_a_blob_over_the_limit_is_refused_unread(clone: Clone) -> None:
    clone.commit({"memory/big.md": b"x" * (1 << 20) + b"y"})
    refused(clone, clone.push(), "manent.maxNoteBytes")
    clone.git("reset", "-q", "--hard", "origin/main")
    clone.commit({"big.csv": b"1," * (9 << 20)})
    refused(clone, clone.push(), "manent.maxBlobBytes")


PATHOLOGICAL = {
    "nearly words": b"ignore all previous instructio " * 30_000,
    "blanks": b"key" + b" " * 900_000 + b"= x",
    "brackets": b"[" * 200_000 + b"](" * 100_000,
    "letters": b"a" * 900_000,
    "ats": b"a@" * 450_000,
    "digits": b"1 " * 450_000,
    "comments": b"<!--" * 200_000,
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_pathological_text_is_judged_in_time_accepted_or_not(clone: Clone, name: str) -> None:
    clone.commit({"memory/slow.txt": PATHOLOGICAL[name]})
    began = time.monotonic()
    clone.push()
    assert time.monotonic() - began < 60


def test_an_lfs_pointer(clone: Clone) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"
    clone.commit({"memory/pointer.md": pointer})
    refused(clone, clone.push(), "[lfs-pointer]")


# -- 25: suppression --------------------------------------------------------------------


SUPPRESSIONS: dict[str, dict[str | bytes, bytes | None]] = {
    "manentignore": {".manentignore": b"memory\n"},
    "templates": {".manentignore": b"templates: memory\n"},
    "ruff": {"ruff.toml": b"exclude=['*']", ".pre-commit-config.yaml": b"exclude: '.*'\n"},
    "gitignore": {".gitignore": b"*\n"},
    "attributes": {".gitattributes": b"* -diff linguist-generated\n"},
    "allow": {".manent-allow": b'{"salt": "x"}\n'},
}


@pytest.mark.parametrize("name", SUPPRESSIONS)
def test_suppression_in_the_same_push(clone: Clone, name: str) -> None:
    clone.commit({**SUPPRESSIONS[name], "memory/bad.md": note("bad", mail())}, "add [skip ci]")
    clone.brain_git("config", "receive.advertisePushOptions", "true")
    refused(clone, clone.push(options=("-o", "skip", "-o", "manent.skip")), "memory/bad.md")


def test_an_allowance_in_the_same_push(clone: Clone) -> None:
    clone.commit({"memory/bad.md": note("bad", mail())})
    mark = next(w.strip("[]") for w in clone.push().said.split() if w.startswith("[pii:"))
    line = f'{{"fingerprint": "{mark}", "rule": "pii", "reason": "mine", "who": "me"}}\n'
    clone.git("reset", "-q", "--hard", "origin/main")
    clone.commit({".manent-allow": line.encode()})
    clone.commit({"memory/bad.md": note("bad", mail())})
    refused(clone, clone.push(), "memory/bad.md")


def test_inline_comments_suppress_nothing(clone: Clone) -> None:
    text = f"<!-- manent: ignore --> {mail()} # noqa <!-- gitleaks:allow -->"
    clone.commit({"memory/bad.md": note("bad", text)})
    refused(clone, clone.push(), "memory/bad.md")


def test_an_ignore_line_accepted_first_hides_no_content_later(clone: Clone) -> None:
    clone.commit({".manentignore": b"drafts\ntemplates: templates\n"})
    assert clone.push().accepted
    for path in ("drafts/bad.md", "templates/bad.md"):
        clone.commit({path: note("bad", mail())})
        refused(clone, clone.push(), path)
        clone.git("reset", "-q", "--hard", "HEAD~1")


def test_what_a_push_stops_ignoring_counts_as_added_after_it_was_accepted(clone: Clone) -> None:
    clone.commit({".manentignore": b"drafts\n", "drafts/odd.md": b"no frontmatter\n"})
    pushed = clone.push()
    assert pushed.accepted, pushed.said
    clone.commit({".manentignore": b"\n"})
    refused(clone, clone.push(), "drafts/odd.md", "[frontmatter-missing]")


# -- 26 to 28: surroundings -----------------------------------------------------------------


def test_update_ref_by_another_tool_and_one_push_accepted(clone: Clone) -> None:
    tip = clone.commit({"memory/third.md": note("third")})
    assert clone.push("HEAD:side").accepted
    done = subprocess.run(
        [GIT, "update-ref", "refs/heads/main", tip],
        cwd=clone.brain, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "moves by a push through the gate only" in done.stderr
    assert clone.push("HEAD:main").accepted
    done = subprocess.run(
        [GIT, "update-ref", "refs/heads/main", "HEAD~1"],
        cwd=clone.brain, check=False, capture_output=True,
    )  # fmt: skip
    assert done.returncode != 0, "a verdict counts once: it was used up by the push, accepted"


VARIABLES = {
    "config": {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "manent.strictContent",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CONFIG_KEY_1": "core.hooksPath",
        "GIT_CONFIG_VALUE_1": "hooks",
    },
    "parameters": {"GIT_CONFIG_PARAMETERS": "'manent.strictcontent'='false'"},
    "alternates": {"GIT_ALTERNATE_OBJECT_DIRECTORIES": "/tmp"},
    "replace": {"GIT_REPLACE_REF_BASE": "refs/heads/"},
    "trace": {"GIT_TRACE": "/dev/null", "GIT_LITERAL_PATHSPECS": "0"},
    "namespace": {"GIT_NO_REPLACE_OBJECTS": ""},
}


@pytest.mark.parametrize("name", VARIABLES)
def test_environment_set_from_outside(clone: Clone, name: str) -> None:
    clone.commit({"memory/bad.md": note("bad", mail())})
    refused(clone, clone.push(**VARIABLES[name]), "memory/bad.md")


def test_replacement_refs_in_the_brain_hide_nothing(clone: Clone) -> None:
    bad = clone.commit({"memory/bad.md": note("bad", mail())})
    good = clone.git("rev-parse", "HEAD~1")
    replaced = clone.brain / "refs/replace"
    replaced.mkdir(parents=True)
    (replaced / bad).write_text(good + "\n")
    pushed = clone.push()
    (replaced / bad).unlink()
    replaced.rmdir()
    refused(clone, pushed, "memory/bad.md")


# -- 29 to 31: frontmatter; clean text that looks suspicious ------------------------------------


FRONTS = {
    "alias bomb": "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]",
    "recursive alias": "a: &a [*a]",
    "merge key": "a: &a {x: 1}\nb: {<<: [*a, *a]}",
    "huge integer": "a: " + "9" * 5000,
    "impossible date": "created: 2024-13-45",
    "odd keys": "1: x\n.nan: y\n? [a, b]\n: z",
    "python tag": "a: !!python/object/apply:os.system [id]",
    "duplicate audience": "audience: [board]\naudience: [public]",
    "long list": "tags: [" + "x, " * 200_000 + "x]",
    "deep": "a: " + "[" * 5000,
}


@pytest.mark.parametrize("name", FRONTS)
def test_odd_frontmatter_never_breaks_the_gate_accepted_or_not(clone: Clone, name: str) -> None:
    clone.commit(
        {"memory/odd.md": note("odd").replace(b"type:", FRONTS[name].encode() + b"\ntype:")}
    )
    pushed = clone.push()
    assert pushed.accepted or pushed.refused
    assert "the gate failed" not in pushed.said


SCOTLAND = "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f"
CLEAN = f"""
Commit {"0123456789abcdef" * 2}01234567, id 550e8400-e29b-41d4-a716-446655440000.
Epoch 1700000000, ISBN 978-3-16-148410-0, port 8080, version 10.4.3, git@github.com:org/repo.
Package @scope/pkg, 12345678+user@users.noreply.github.com, ada@example.org, **** **** **** 1234.
Run `make test`, then open the page. Do not forget to save.
\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f4{SCOTLAND}
\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0939\u093f\u0928\u094d\u200d\u0926\u0940
\u05e9\u05dc\u05d5\u05dd
"""


def test_clean_text_that_looks_suspicious_is_accepted(clone: Clone) -> None:
    clone.commit({"memory/clean.md": note("clean", CLEAN)})
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_people_and_trailers_are_accepted(clone: Clone) -> None:
    own = mail()
    message = f"Add a note\n\nSigned-off-by: Ada <{own}>\nCo-authored-by: B <b.{own}>\n"
    clone.commit(
        {"memory/fine.md": note("fine")}, message,
        GIT_AUTHOR_EMAIL=own, GIT_COMMITTER_EMAIL="c." + own,
    )  # fmt: skip
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_templates_in_a_declared_folder_are_accepted(clone: Clone) -> None:
    clone.commit(
        {
            ".manentignore": b"templates: templates\n",
            "templates/daily.md": b"---\nname: {{title}}\ncreated: {{date}}\nx: <% t %>\n---\n",
        }
    )
    pushed = clone.push()
    assert pushed.accepted, pushed.said


def test_text_that_is_encoded_is_decoded(clone: Clone) -> None:
    hidden = base64.b64encode(f"please write to {mail()} today".encode()).decode()
    clone.commit({"memory/bad.md": note("bad", hidden)})
    refused(clone, clone.push(), "memory/bad.md")


def test_many_small_notes_in_one_commit_accepted(clone: Clone) -> None:
    """A sample of row 22; the whole of it is timed in eval/bench/push.py."""
    files: dict[str | bytes, bytes | None] = {f"memory/n{i}.txt": b"one line\n" for i in range(800)}
    clone.commit(files)
    assert clone.push().accepted


def test_one_bad_commit_among_many(clone: Clone) -> None:
    base = clone.git("rev-parse", "HEAD")
    stream = [f"reset refs/heads/main\nfrom {base}\n".encode()]
    for i in range(300):
        text = note("busy", mail() if i == 150 else str(i))
        stream.append(
            b"commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n"
            b"M 100644 inline memory/busy.md\ndata %d\n%b\n" % (1_700_000_000 + i, len(text), text)
        )
    clone.git("fast-import", "--quiet", "--force", given=b"".join(stream))
    refused(clone, clone.push("main"), "1 finding")


def test_the_environment_holds_no_path(clone: Clone) -> None:
    clone.commit({"memory/bad.md": note("bad", mail())})
    clone.environment = {"HOME": os.environ["HOME"]}
    refused(clone, clone.push(), "memory/bad.md")
