"""Laws of promotion: only what is named changes, and every link leads where it led."""

from __future__ import annotations

import datetime
import posixpath
import re
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from vaults import vault_of

from manent.errors import Refused
from manent.note import read
from manent.promote.decision import Terms, promoted
from manent.promote.queue import waiting

TODAY = datetime.date(2026, 11, 30)
TERMS = Terms(TODAY, "Ada Tester <ada@example.org>")
NAMED = {"status", "audience", "updated"}

scalars = st.sampled_from(
    ["plain", "'single ''quoted'''", '"double \\u00e9"', "2026-01-01", "3", "true", "null",
     "[a, b]", "{k: v}", "|\n  block\n  text", "\n  - one\n  - 'two'  # why", "# nothing"]
)  # fmt: skip
keys = st.sampled_from(["x-own", "tags", "title", "größe", "名前", "note"])
comments = st.sampled_from(["", "  # said so", "\n# a line of its own", "\n\n"])
names = st.text("abcxyzäöü日本語éß-", min_size=1, max_size=12).filter(
    lambda n: n[0] not in "-" and n == n.strip("-")
)


@st.composite
def drafts(draw: Any) -> tuple[str, bytes]:
    """A name, and a legal note in quarantine of that name, written in any way."""
    name = draw(names)
    status = draw(st.sampled_from(["quarantine", "'quarantine'", '"quarantine"  # waits']))
    lines = [f"name: {name}", "description: 'D'", "type: reference", f"status: {status}"]
    optional = {
        "audience": draw(st.sampled_from(["", "[ops]", "\n  - ops\n  - team  # both", "[]"])),
        "updated": draw(st.sampled_from(["", "2026-01-01", "'2026-01-02'  # then"])),
    }
    lines += [f"{key}: {value}" for key, value in optional.items() if value]
    for key in draw(st.lists(keys, unique=True, max_size=4)):
        lines.append(f"{key}: {draw(scalars)}{draw(comments)}")
    lines = draw(st.permutations(lines))
    lead = draw(st.sampled_from(["", "# first\n", "\n"]))
    text = "---\n" + lead + "\n".join(lines) + draw(st.sampled_from(["", "  "])) + "\n---\n"
    text += draw(st.text("ab \n\r\t#[]()`é日", max_size=60))
    if draw(st.booleans()):
        text = text.replace("\r", "").replace("\n", "\r\n")
    data = text.encode()
    return name, (b"\xef\xbb\xbf" + data) if draw(st.booleans()) else data


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(drafts(), st.sampled_from([None, ["ops"], ["team", "ops"], ["private"]]), st.booleans())
def test_a_promotion_changes_only_the_fields_it_names(
    draft: tuple[str, bytes], audience: list[str] | None, moves: bool
) -> None:
    name, data = draft
    before = read(data)
    assume(before.state == "valid" and not before.problems)
    with tempfile.TemporaryDirectory() as folder:
        path = f"quarantine/tide/{name}.md"
        vault = vault_of(Path(folder), {path: data})
        try:
            (done,) = promoted(
                vault, waiting(vault, TODAY, lambda p: None), TERMS, audience,
                "memory" if moves else None,
            )  # fmt: skip
        except Refused as refused:
            # What cannot be edited exactly, or is no whole note, is refused: never bent.
            assert refused.hint
            return
    new = f"memory/{name}.md" if moves else path
    content = done.change.edits[new]
    assert content is not None
    after = read(content)
    assert after.body == before.body and after.state == "valid"
    kept = {k: v for k, v in before.frontmatter.items() if k not in NAMED}
    assert {k: v for k, v in after.frontmatter.items() if k not in NAMED} == kept
    assert after.frontmatter["status"] == "active"
    assert after.frontmatter["updated"] == TODAY.isoformat()
    wanted = before.frontmatter.get("audience") if audience is None else audience
    assert after.frontmatter.get("audience") == wanted
    # Every line that holds none of the named keys stands as it stood, in its order.
    untouched = [line for line in data.split(b"\n") if not _names(line)]
    lines = iter(content.split(b"\n"))
    assert all(any(line == other for other in lines) for line in untouched)


def _names(line: bytes) -> bool:
    words = line.strip().lstrip(b"\xef\xbb\xbf")
    listed = words.startswith((b"- ops", b"- team"))
    return listed or words.startswith(tuple(key.encode() for key in NAMED))


FOLDERS = ["", "memory", "memory/deep", "quarantine/a", "quarantine/b", "a b"]
STEMS = ["x", "y", "moon", "Mond (neu)", "größe"]
spellings = st.sampled_from(
    ["[[{name}]]", "[[{path}]]", "[[{path}.md#H|label]]", "![[{name}#^b]]", "[t]({rel}.md)",
     "[t](<{raw}.md> 'title')", "![t]({rel}.md#H)", "[t](./{rel}.md)",
     "[t][ref]\n\n[ref]: {rel}.md",
     "| a |\n|---|\n| [[{name}\\|b]] |", "`[[{name}]]`", "[l]([[{name}]])",
     "[![i](i.png)]({rel}.md)", "> - [a](  {rel}.md  'x](y)' )",
     "[a](<{raw}.md#H>) and [b]({rel}.md#H)",
     "<!-- [t]({rel}.md) --> [t]({rel})", "[A  b][]\n\n> [a B]: <{raw}.md>",
     "$[[{name}]]$ ![[{path}|100]]",
     "%%[[{name}]]%% [[#H]] [h](#H) [w](https://example.org/{rel}.md)",
     "\\[[{name}]] [t](/{rel}.md)"]
)  # fmt: skip


@st.composite
def linked_vaults(draw: Any) -> dict[str, str | bytes]:
    """Notes in and out of quarantine that link to each other in every way of writing."""
    import posixpath
    from urllib.parse import quote

    paths = draw(
        st.lists(
            st.tuples(st.sampled_from(FOLDERS), st.sampled_from(STEMS)).map(
                lambda pair: posixpath.join(*pair) + ".md"
            ),
            unique=True, min_size=2, max_size=6,
        )
    )  # fmt: skip
    files: dict[str, str | bytes] = {}
    for path in paths:
        stem = posixpath.basename(path)[:-3]
        body = ["# H", ""]
        edges = []
        for _ in range(draw(st.integers(0, 4))):
            target = draw(st.sampled_from(paths))[:-3]
            relative = posixpath.relpath(target, posixpath.dirname(path) or ".")
            body += [
                draw(spellings).format(
                    name=posixpath.basename(target), path=target, rel=quote(relative), raw=relative
                ),
                "",
            ]
            edges.append(draw(st.sampled_from([f'"[[{target}]]"', f'"{target}"'])))
        head = [f'name: "{stem}"', "description: d", "type: reference"]
        if path.startswith("quarantine/") or draw(st.booleans()):
            head.append("status: quarantine")
        if edges and draw(st.booleans()):
            head.append(f"provenance: [{', '.join(edges)}]")
        files[path] = "\n".join(["---", *head, "---", *body, "text ^b", ""])
    return files


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    linked_vaults(), st.sampled_from(["memory", "memory/deep", "new place", ".", None]), st.data()
)
def test_every_link_leads_where_it_led(
    files: dict[str, str | bytes], folder: str | None, data: Any
) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        vault = vault_of(Path(one), files)
        queue = waiting(vault, TODAY, lambda path: None)
        assume(queue)
        chosen = data.draw(
            st.lists(st.sampled_from(queue), unique_by=lambda r: r.note.id, min_size=1)
        )
        before = _edges(vault)
        try:
            done = promoted(vault, chosen, TERMS, None, folder)
        except Refused:
            return
        after: dict[str, Any] = dict(files)
        moved = {}
        for step in done:
            for path, content in step.change.edits.items():
                after.pop(path, None)
                if content is not None:
                    after[path] = content
            old, new = step.row["path"]
            moved[old] = new
        now = _edges(vault_of(Path(other), after))
    for (source, n), target in before.items():
        assert now[moved.get(source, source), n] == moved.get(target, target)


def _edges(vault: Any) -> dict[tuple[str, int], str]:
    paths = {note.id: note.path for note in vault.notes()}
    return {
        (paths[edge.source], edge.n): paths[edge.target]
        for note in vault.notes()
        for edge in vault.edges_from(note.id)
    }


addresses = st.sampled_from(
    ["../../assets/", "./", "../", "img/", "../../assets/i.png", "i.png", "img/a%20b.png",
     "../../../outside/x.html", "../tide/self.md#H", "../../assets/i.png?raw#top",
     "gone/way.pdf", "../../no/such", "self.md", "../../a%20b/c.html", "é/ü.png"]
)  # fmt: skip
elsewhere = st.sampled_from(
    ["https://example.org/a/", "/assets/", "#part", "mailto:ada@example.org", "//host/x/",
     "data:image/png;base64,AA/", "{{site}}/x/"]
)  # fmt: skip
forms = st.sampled_from(
    ["[d]({})", "[d](<{}> 'title')", "![i]({})", "[d][r{n}]\n\n[r{n}]: {}",
     '<a href="{}">x</a>', "text <img alt='>' src='{}'> text", "<img\n  src={}\n  width=1>",
     '<div>\n<video poster="{}"></video>\n</div>', '> <a class="b" HREF = "{}">x</a>',
     '- é 日 <source srcset="{} 2x">', '<a href="{}"><img src="{}"></a>']
)  # fmt: skip
inert = st.sampled_from(
    ['`<a href="{}">`', "```\n[d]({})\n<img src='{}'>\n```", '    <a href="{}">', "\\[d]({})",
     '<!-- <a href="{}"> -->', "%%[d]({})%%", "href={} src='{}'", '<a title="href={}">x</a>']
)  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(forms, addresses), max_size=4),
    st.lists(st.one_of(st.tuples(forms, elsewhere), st.tuples(inert, addresses)), max_size=3),
    st.sampled_from(["", "memory", "memory/de ep/er"]),
    st.booleans(),
)
def test_every_way_out_of_a_moved_note_leads_where_it_led(
    ways: list[tuple[str, str]], kept: list[tuple[str, str]], folder: str, crlf: bool
) -> None:
    pieces = [form.replace("{n}", f"{n}") for n, (form, _) in enumerate([*ways, *kept])]
    texts = [address for _, address in [*ways, *kept]]
    body = "\n\n".join(f"¶{p.replace('{}', t)}" if p[0] != " " else p.replace("{}", t)
                       for p, t in zip(pieces, texts, strict=True))  # fmt: skip
    body = body.replace("¶<div>", "<div>").replace("¶```", "```").replace("¶>", ">")
    body = body.replace("¶-", "-").replace("¶<!--", "<!--")
    data = note_of("self", body.replace("\n", "\r\n") if crlf else body)
    with tempfile.TemporaryDirectory() as root:
        files: dict[str, str | bytes] = {"quarantine/tide/self.md": data}
        files |= {"assets/i.png": b"", "quarantine/tide/i.png": b"", "a b/c.html": b""}
        vault = vault_of(Path(root), files)
        (done,) = promoted(
            vault, waiting(vault, TODAY, lambda path: None), TERMS, None, folder or "."
        )
    new = f"{folder}/self.md" if folder else "self.md"
    content = done.change.edits[new]
    assert content is not None
    after = read(content).body.replace("\r\n", "\n")
    # Each way is found at its place, and everything between is as it was.
    parts = [re.escape(piece) for form, (_, _) in zip(pieces, [*ways, *kept], strict=True)
             for piece in [form]]  # fmt: skip
    pattern = r"\s+".join(f"¶?{part}".replace(re.escape("{}"), r"(\S*?)") for part in parts)
    found = re.fullmatch(pattern + r"\s*", after.strip("\n"))
    assert found, after
    groups = iter(found.groups())
    for n, (piece, text) in enumerate(zip(pieces, texts, strict=True)):
        for _ in range(piece.count("{}")):
            now = next(groups)
            if n >= len(ways):
                assert now == text
                continue
            assert _meant(new, now) == _meant("quarantine/tide/self.md", text).replace(
                "quarantine/tide/self.md", new
            )
            assert now.endswith("/") == text.endswith("/")


def _meant(path: str, address: str) -> str:
    from urllib.parse import unquote

    end = min((at for at in map(address.find, "?#") if at >= 0), default=len(address))
    place = posixpath.join("/r/r/r", posixpath.dirname(path), unquote(address[:end]))
    return posixpath.normpath(place).removeprefix("/r/r/r/") + address[end:]


def note_of(name: str, body: str) -> str:
    return f"---\nname: {name}\ndescription: d\ntype: reference\nstatus: quarantine\n---\n{body}\n"
