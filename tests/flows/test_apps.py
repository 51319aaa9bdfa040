"""The pages, in a real browser, inside a host that speaks the Apps protocol."""

from __future__ import annotations

import html.parser
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import accessibility
import browser as browsers
import pytest
from browser import Browser, Tab
from called import answer
from vaults import note, vault_of

from manent.access import OWNER, View
from manent.errors import ManentError
from manent.server.answer import Answer
from manent.server.apps.pages import PAGES, document, resources
from manent.server.protocol import result_of
from manent.server.tools import all_tools

TOOLS = {tool.name: tool for tool in all_tools()}

HOST = """<!DOCTYPE html><html lang="en"><head><title>Host</title></head>
<body style="margin:0"><main><iframe id="view" title="page" sandbox="allow-scripts"
style="width:100%;height:790px;border:0;display:block"></iframe></main><script>
const view = document.getElementById("view");
const heard = [];
let opening = null;
const send = (m) => view.contentWindow.postMessage({ jsonrpc: "2.0", ...m }, "*");
const open_ = (html, first) => { opening = first; heard.length = 0; view.srcdoc = html; };
window.addEventListener("message", (event) => {
  if (event.source !== view.contentWindow) return;
  const m = event.data;
  heard.push(m);
  if (m.method === "ui/initialize") send({ id: m.id, result: {
    protocolVersion: "2026-01-26", hostInfo: { name: "h", version: "1" },
    hostCapabilities: { serverTools: {} }, hostContext: opening.context } });
  else if (m.method === "ui/notifications/initialized") {
    send({ method: "ui/notifications/tool-input", params: { arguments: opening.given } });
    send({ method: "ui/notifications/tool-result", params: opening.result });
  } else if (m.id !== undefined && m.method) window.asked(JSON.stringify(m));
});
</script></body></html>"""


class Gaps:
    """A register with these open gaps."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.rows = rows

    def gaps(self) -> Sequence[Mapping[str, Any]]:
        return self.rows

    def read(self, call: Any, path: str) -> None:
        """Reading a note on a page is a reading."""

    def searched(self, call: Any, query: str, found: Any) -> str:
        return "id"


class Host:
    """The host's side: shows a page beside an answer, and calls real tools for it."""

    def __init__(self, tab: Tab, view: View | None = None, register: Any = None) -> None:
        self.tab = tab
        self.view = view
        self.register = register
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.messages: list[str] = []
        self._seen = len(tab.browser.events)
        tab.send("Runtime.addBinding", name="asked")
        tab.show(HOST)

    def called(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool, as a server does."""
        assert self.view is not None
        try:
            found = answer(TOOLS[name], self.view, given, register=self.register)
        except ManentError as error:
            found = Answer(text=str(error), failed=True)
        return result_of(found).model_dump(mode="json", by_alias=True, exclude_none=True)

    def show(
        self, page: str, given: Mapping[str, Any] | None = None, result: Any = None, **context: Any
    ) -> None:
        """Show a page beside what its tool answers."""
        said = result or self.called(PAGES[page][1], given or {})
        first = {"given": given or {}, "result": said, "context": {"theme": "light", **context}}
        self.tab.run(f"open_({json.dumps(document(page))}, {json.dumps(first)})")
        self.until("document.getElementById('state').textContent.match(/[0-9]/)")

    def until(self, script: str) -> None:
        """Answer what the page asks until an expression holds in it."""
        for _ in range(400):
            self._serve()
            try:
                if self.tab.run(script, frame=True):
                    return
            except AssertionError as fault:
                # While the frame is being filled there is no page to ask.
                if not re.search("no frame|null|Cannot find context", str(fault)):
                    raise
            self.tab.browser.wait()
        raise AssertionError(f"never: {script}; {self.state()}")

    def _serve(self) -> None:
        events, self._seen = self.tab.browser.events[self._seen :], len(self.tab.browser.events)
        for event in events:
            if event["method"] != "Runtime.bindingCalled":
                continue
            message = json.loads(event["params"]["payload"])
            params, result = message["params"], {}
            if message["method"] == "tools/call":
                self.calls.append((params["name"], params["arguments"]))
                result = self.called(params["name"], params["arguments"])
            elif message["method"] == "ui/message":
                self.messages.append(params["content"][0]["text"])
            self.tab.run(f"send({json.dumps({'id': message['id'], 'result': result})})")

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page."""
        return self.tab.run(script, frame=True)

    def state(self) -> str:
        """Return what the page says of itself."""
        return str(self.run("document.getElementById('state').textContent"))

    def texts(self, selector: str) -> list[str]:
        """Return the text of each element that fits."""
        script = f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)"
        return list(self.run(script))

    def click(self, label: str) -> None:
        """Click the first button that is called so."""
        found = self.run(
            f"(() => {{ for (const b of document.querySelectorAll('button'))"
            f" if (b.textContent === {json.dumps(label)}) {{ b.click(); return true; }} }})()"
        )
        assert found, f"no button {label}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers.running() as found:
        yield found


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    browser.events.clear()
    found = browser.tab()
    yield found
    assert found.requests() == [], "a page asks nothing of a network"
    assert found.complaints() == []


def draft(name: str, **fields: str) -> str:
    return note(name, "The tide is in.", status="quarantine", **fields)


@pytest.fixture
def view(tmp_path: Path) -> View:
    files = {
        "quarantine/tide/old.md": draft("old", created="2026-11-01", author="tide"),
        "quarantine/tide/new one.md": draft("new", created="2026-11-29", author="tide"),
        "hub.md": note("hub", "[[quay]] [[ferry]]", supersedes="[pier]"),
        "quay.md": note("quay", "[[ferry]] and stone"),
        "ferry.md": note("ferry", "[[night]]"),
        "night.md": note("night"),
        "pier.md": note("pier", status="deprecated"),
    }
    return View(vault_of(tmp_path, files), OWNER)


GAP = {
    "id": "g_1", "query": "when is high tide", "asked": 3, "read": 1,
    "first": "2026-11-01T09:00:00Z", "last": "2026-11-29T09:00:00Z", "askers": ["scribe", "tide"],
    "best": ["quay.md"], "alike": [],
    "command": "manent gaps --gaps g --close g_1 --note NAME",
    "feedback": [{"asker": "tide", "helpful": False, "comment": "outdated"}],
}  # fmt: skip


# -- what each page does ---------------------------------------------------------------


def test_the_queue(tab: Tab, view: View) -> None:
    host = Host(tab, view)
    host.show("quarantine")
    assert host.state() == "2 drafts wait"
    assert host.texts("h2") == ["old", "new"]
    assert host.texts("code") == [
        "manent promote --note quarantine/tide/old.md --commit",
        "manent promote --reject quarantine/tide/old.md --reason WHY --commit",
        "manent promote --note 'quarantine/tide/new one.md' --commit",
        "manent promote --reject 'quarantine/tide/new one.md' --reason WHY --commit",
    ]
    assert "waits 29 days, since 2026-11-01" in host.texts(".facts")[0]
    assert "About old" in host.texts("li p:not(.facts)")[0], "without the marks of the fence"
    tab.picture("quarantine-light")
    host.click("Read")
    host.until("!document.querySelector('pre').hidden")
    assert host.texts("pre")[0].strip() == "The tide is in."
    host.click("Ask about it")
    host.until("document.getElementById('state').textContent === 'Asked.'")
    assert "quarantine/tide/old.md" in host.messages[0]
    host.run("(() => { const f = document.getElementById('filter'); f.value = 'NEW'; "
             "f.dispatchEvent(new Event('input')); })()")  # fmt: skip
    assert host.texts("h2") == ["new"]
    host.click("Refresh")
    host.until("document.getElementById('state').textContent === '2 drafts wait'")
    assert [name for name, _ in host.calls] == ["brain_read", "brain_quarantine"]


def test_the_rest_is_asked_for_when_it_is_wanted(tab: Tab, view: View) -> None:
    host = Host(tab, view)
    host.show("quarantine", {"limit": 1})
    assert host.state() == "1+ drafts wait"
    host.click("Show more")
    host.until("document.getElementById('state').textContent === '2 drafts wait'")
    assert host.calls == [("brain_quarantine", {"limit": 1, "cursor": "c1"})]
    assert host.texts("h2") == ["old", "new"]
    assert host.run("[...document.querySelectorAll('button')].pop().hidden")


def test_the_gaps(tab: Tab, view: View) -> None:
    host = Host(tab, view, Gaps([GAP, {**GAP, "id": "g_2", "query": "low tide"}]))
    host.show("gaps")
    assert host.state() == "2 open gaps" and host.texts("h2") == ["when is high tide", "low tide"]
    assert "asked 3 times, answered once" in host.texts(".facts")[0]
    assert host.texts("code")[0] == GAP["command"]
    assert "tide was not helped: outdated" in host.texts(".facts")
    host.click("Search again")
    host.until("document.getElementById('state').textContent.includes('found')")
    assert host.calls == [("brain_search", {"query": "when is high tide"})]
    host.click("Ask about it")
    host.until("document.getElementById('state').textContent === 'Asked.'")
    assert "when is high tide" in host.messages[0]
    tab.picture("gaps-light")


def places(host: Host) -> list[list[float]]:
    return list(
        host.run(
            "[...document.querySelectorAll('.node circle')]"
            ".map(c => [Number(c.getAttribute('cx')), Number(c.getAttribute('cy'))])"
        )
    )


def test_the_graph_is_walked(tab: Tab, view: View) -> None:
    host = Host(tab, view)
    host.show("graph", {"name": "hub"})
    assert host.state() == "4 notes, 4 links"
    assert host.texts(".node text") == ["hub", "ferry", "pier", "quay"]
    host.run("document.querySelectorAll('.node')[3].dispatchEvent(new Event('click'))")
    host.until("!document.querySelector('pre').hidden")
    assert "and stone" in host.texts("pre")[0] and host.texts("aside h2") == ["quay"]
    host.click("Ask about it")
    host.until("document.getElementById('state').textContent === 'Asked.'")
    assert "quay.md" in host.messages[0]
    host.click("Centre on it")
    host.until("document.querySelector('.node').getAttribute('aria-label') === 'quay'")
    host.until("document.getElementById('state').textContent.includes('notes')")
    host.click("Refresh")
    host.until("document.getElementById('state').textContent.includes('notes')")
    host.click("Back")
    host.until("document.querySelector('.node').getAttribute('aria-label') === 'hub'")
    asked = [given for name, given in host.calls if name == "brain_graph"]
    assert asked == [{"name": "quay.md"}, {"name": "quay.md"}, {"name": "hub"}]
    tab.picture("graph-light")


def test_the_graph_by_keyboard_alone(tab: Tab, view: View) -> None:
    host = Host(tab, view)
    host.show("graph", {"name": "hub"})
    tab.run("view.focus()")
    for _ in range(12):
        tab.press("Tab", 9)
        if host.run("document.activeElement.classList.contains('node')"):
            break
    assert host.run("document.activeElement.getAttribute('aria-label')") == "hub"
    seen = {"hub"}
    arrows = (("ArrowRight", 39), ("ArrowLeft", 37), ("ArrowUp", 38), ("ArrowDown", 40))
    for key, code in [arrow for arrow in arrows for _ in range(3)]:
        tab.press(key, code)
        seen.add(host.run("document.activeElement.getAttribute('aria-label')"))
    assert len(seen) >= 3
    tab.press("Home", 36)
    assert host.run("document.activeElement.getAttribute('aria-label')") == "hub"
    tab.press("End", 35)
    chosen = host.run("document.activeElement.getAttribute('aria-label')")
    tab.press("Enter", 13, "\r")
    host.until("!document.querySelector('pre').hidden")
    assert host.calls[-1] == ("brain_read", {"name": f"{chosen}.md"})


def test_a_failed_call_is_said(tab: Tab, view: View) -> None:
    host = Host(tab, view)
    host.show("graph", {"name": "hub"})
    host.view = View(view.vault, OWNER.__class__("nobody"))
    host.click("Refresh")
    host.until("document.getElementById('state').textContent.startsWith('That failed')")
    assert "no note hub" in host.state() and host.texts(".node text")[0] == "hub"


def test_the_hosts_questions_are_answered(tab: Tab, view: View) -> None:
    host = Host(tab, view)
    host.show("graph", {"name": "hub"})
    tab.run("send({ id: 'a', method: 'ui/resource-teardown', params: { reason: 'r' } });"
            "send({ id: 'b', method: 'ui/unheard-of' });"
            "view.contentWindow.postMessage('no message', '*')")  # fmt: skip
    tab.until("heard.some(m => m.id === 'b')")
    assert tab.run("heard.find(m => m.id === 'a').result") == {}
    assert tab.run("heard.find(m => m.id === 'b').error.code") == -32601
    assert tab.run("heard[0].params.protocolVersion") == "2026-01-26"
    sizes = tab.run("heard.filter(m => m.method === 'ui/notifications/size-changed').length")
    assert sizes >= 1


# -- how the graph is drawn ------------------------------------------------------------


def shapes() -> dict[str, list[tuple[int, int]]]:
    draw = random.Random(7)
    tree = [(n + 1, draw.randrange(n + 1)) for n in range(59)]
    more = [(draw.randrange(60), draw.randrange(60)) for _ in range(60)]
    return {
        "star": [(0, n) for n in range(1, 60)],
        "ring": [(n, (n + 1) % 60) for n in range(60)],
        "path": [(n, n + 1) for n in range(59)],
        "tree": tree,
        "tangle": [*tree, *((a, b) for a, b in more if a != b)],
        "groups": [
            *((g * 10 + a, g * 10 + b) for g in range(6) for a in range(10) for b in range(a)),
            *((g * 10, g * 10 + 10) for g in range(5)),
        ],
        "pairs": [(2 * n, 2 * n + 1) for n in range(30)],
        "apart": [],
    }


def graph_of(edges: list[tuple[int, int]], count: int = 60) -> dict[str, Any]:
    nodes = [
        {"name": f"n{n}", "path": f"n{n}.md", "type": "", "status": "active"} for n in range(count)
    ]
    rows = [{"from": a, "to": b, "kind": "wikilink"} for a, b in edges]
    return {"content": [], "structuredContent": {"name": "n0", "nodes": nodes, "edges": rows}}


@pytest.mark.parametrize("name", sorted(shapes()))
def test_a_picture_of_sixty_notes(tab: Tab, name: str) -> None:
    edges = shapes()[name]
    host = Host(tab)
    host.show("graph", {"name": "n0"}, graph_of(edges))
    found = places(host)
    width, height = host.run("document.querySelector('svg').viewBox.baseVal.width"), 640
    edge_px = 29
    touching = [
        (x, y) for x, y in found
        if min(x, width - x) <= edge_px or min(y, height - y) <= edge_px
    ]  # fmt: skip
    assert len(found) == 60 and len(touching) <= 6
    linked = {frozenset(pair) for pair in edges}
    apart: dict[bool, list[float]] = {True: [], False: []}
    for a in range(60):
        for b in range(a):
            (x, y), (u, v) = found[a], found[b]
            apart[frozenset((a, b)) in linked].append(((x - u) ** 2 + (y - v) ** 2) ** 0.5)
    assert min(apart[True] + apart[False]) > 20, "no two notes lie on each other"
    if edges:
        mean = {kind: sum(all_) / len(all_) for kind, all_ in apart.items()}
        assert mean[True] < 0.8 * mean[False]
    if name == "tangle":
        tab.picture("graph-sixty")


def test_the_same_input_is_the_same_picture(tab: Tab) -> None:
    host, seen = Host(tab), []
    for _ in range(2):
        host.show("graph", {"name": "n0"}, graph_of(shapes()["tangle"]))
        seen.append(places(host))
    assert seen[0] == seen[1]


def test_pictures_of_next_to_nothing(tab: Tab) -> None:
    host = Host(tab)
    for count in (1, 2, 3):
        host.show("graph", {"name": "n0"}, graph_of([(0, n) for n in range(1, count)], count))
        assert len(places(host)) == count


# -- light and dark --------------------------------------------------------------------


def shade(host: Host) -> int:
    colour = host.run("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3])


@pytest.mark.parametrize("page", sorted(PAGES))
def test_light_and_dark(tab: Tab, view: View, page: str) -> None:
    host = Host(tab, view, Gaps([GAP]))
    given = {"name": "hub"} if page == "graph" else {}
    host.show(page, given, theme="dark")
    assert shade(host) < 200
    tab.picture(f"{page}-dark")
    tab.run("send({ method: 'ui/notifications/host-context-changed', params: { theme: 'light' } })")
    host.until("getComputedStyle(document.documentElement).colorScheme === 'light'")
    assert shade(host) > 600
    for scheme, dark in (("dark", True), ("light", False)):
        tab.scheme(scheme)
        host.show(page, given, theme=None)
        assert (shade(host) < 200) == dark, "without a host's word the person's own"


def test_the_hosts_colours_are_taken(tab: Tab, view: View) -> None:
    host = Host(tab, view)
    variables = {"--color-background-primary": "rgb(1, 2, 3)", "color": "red", "--x;": "url(x)"}
    host.show("quarantine", styles={"variables": variables})
    assert host.run("getComputedStyle(document.body).backgroundColor") == "rgb(1, 2, 3)"


# -- what others wrote -----------------------------------------------------------------

HOSTILE = (
    "<img src=x onerror='window.hit=1'><script>window.hit=1</script>",
    "</script></style><svg onload=window.hit=1>",
    "\u202egnp.exe\u2066 \u200bzero",
    "javascript:window.hit=1",
    "\u0000\u0007\u001b[31m",
    "{{constructor.constructor('window.hit=1')()}}",
    "x" * 5_000,
)  # fmt: skip


def hostile_rows(count: int) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{n} {HOSTILE[n % len(HOSTILE)]}",
            "path": HOSTILE[(n + 1) % len(HOSTILE)],
            "author": HOSTILE[(n + 2) % len(HOSTILE)],
            "audience": [HOSTILE[(n + 3) % len(HOSTILE)]],
            "description": HOSTILE[(n + 4) % len(HOSTILE)],
            "since": HOSTILE[n % len(HOSTILE)],
            "age_days": HOSTILE[0],
            "command": HOSTILE[n % len(HOSTILE)],
        }
        for n in range(count)
    ]


def untouched(host: Host) -> None:
    tags = "img, svg image, iframe, object, embed, link, a, form, base, script ~ script"
    assert host.run("window.hit === undefined")
    assert host.run(f"document.querySelectorAll({json.dumps(tags)}).length") == 0
    shown = host.run("document.body.innerText")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00\x07\x1b]", shown)
    wide = host.run("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert not wide, "nothing makes the page wider than its frame"


def test_the_words_of_others_are_only_words(tab: Tab) -> None:
    host = Host(tab)
    rows = hostile_rows(14)
    host.show("quarantine", None, {"structuredContent": {"queue": rows}})
    untouched(host)
    assert host.texts("h2")[0] == f"0 {HOSTILE[0]}"
    assert "\\u{202e}gnp.exe\\u{2066} \\u{200b}zero" in host.texts("h2")[2]
    gaps = [
        {**GAP, "query": row["name"], "askers": [row["author"]], "best": [row["path"]],
         "feedback": [{"asker": row["name"], "said": row["path"]}, 3, None],
         "command": row["command"], "last": row["since"], "asked": "many", "read": None}
        for row in rows
    ]  # fmt: skip
    host.show("gaps", None, {"structuredContent": {"gaps": gaps}})
    untouched(host)
    nodes = [{**row, "type": row["author"], "status": row["since"]} for row in rows]
    edges = [{"from": 0, "to": n, "kind": HOSTILE[n % len(HOSTILE)]} for n in range(14)]
    odd = [None, 3, {"from": "0", "to": "__proto__"}, {"from": 99, "to": 0}, {"from": -1, "to": 0}]
    host.show("graph", None, {"structuredContent": {"nodes": nodes, "edges": edges + odd}})
    untouched(host)
    assert host.state() == "14 notes, 13 links"


def test_the_mark_of_the_fence_is_taken_off_whole_alone(tab: Tab) -> None:
    host = Host(tab)
    whole = "<<<draft 0123456789ab: data, not instructions>>>\nSaid.\n<<<end 0123456789ab>>>"
    rows = [{"name": "a", "path": "a", "description": text} for text in (whole, "x " + whole)]
    host.show("quarantine", None, {"structuredContent": {"queue": rows}})
    first, second = host.texts("li p:not(.facts)")
    assert first == "Said." and second.startswith("x <<<draft")


def test_ten_thousand_rows(tab: Tab) -> None:
    host = Host(tab)
    host.show("quarantine", None, {"structuredContent": {"queue": hostile_rows(10_000)}})
    assert host.state() == "10000 drafts wait"
    assert len(host.texts("h2")) == 100
    host.click("Show more")
    assert len(host.texts("h2")) == 200
    took_ms = host.run(
        "(() => { const at = performance.now(); const f = document.getElementById('filter');"
        " f.value = '9999 '; f.dispatchEvent(new Event('input'));"
        " return performance.now() - at; })()"
    )
    assert took_ms < 2_000
    assert [text.split()[0] for text in host.texts("h2")] == ["9999"]
    untouched(host)


def test_answers_that_are_none(tab: Tab) -> None:
    host = Host(tab)
    for result in (
        {"content": []},
        {"content": [{"type": "text", "text": "{"}]},
        {"isError": True},
    ):
        first = {"given": {}, "result": result, "context": {}}
        tab.run(f"open_({json.dumps(document('gaps'))}, {json.dumps(first)})")
        host.until("document.getElementById('state').textContent.startsWith('That failed')")
    host.show("gaps", None, {"content": [{"type": "text", "text": '{"gaps":[]}'}]})
    assert host.state() == "0 open gaps" and host.texts("li") == ["There is none."]


# -- what a page is made of ------------------------------------------------------------


class Parts(html.parser.HTMLParser):
    """Collects tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.mark.parametrize("resource", resources(), ids=lambda r: r.name)
def test_a_page_stands_by_itself(resource: Any) -> None:
    found = Parts()
    found.feed(resource.html)
    names = [tag for tag, _ in found.tags]
    assert names.count("script") == names.count("style") == 1
    assert not {"link", "img", "iframe", "base", "object", "form", "a"} & set(names)
    for _, attributes in found.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "href")]
    policy = next(a["content"] for _, a in found.tags if a.get("http-equiv"))
    assert policy and "default-src 'none'" in policy and "connect-src 'none'" in policy
    script = resource.html.partition("<script>")[2]
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch(", "http"):
        assert forbidden not in script.replace(SVG, "")
    assert resource.uri.startswith("ui://manent/") and resource.html.startswith("<!DOCTYPE html>")
    domains = resource.ui["csp"]
    assert not any(domains.values()) and resource.ui["prefersBorder"] in (True, False)


SVG = "http://www.w3.org/2000/svg"


def test_each_page_is_bound_to_its_tool() -> None:
    bound = {tool.page: tool.name for tool in all_tools() if tool.page}
    assert bound == {f"ui://manent/{name}": tool for name, (_, tool, _, _) in PAGES.items()}
    alone = {resource.uri for resource in resources() if resource.owner_only}
    assert alone == {tool.page for tool in all_tools() if tool.page and tool.owner_only}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", sorted(PAGES))
def test_the_accessibility_check_finds_nothing(tab: Tab, view: View, page: str, theme: str) -> None:
    accessibility.script()  # or skipped
    host = Host(tab, view, Gaps([GAP]))
    host.show(page, {"name": "hub"} if page == "graph" else {}, theme=theme)
    if page != "gaps":
        host.click("Read" if page == "quarantine" else "Open")
        host.until("!document.querySelector('pre').hidden")
    assert accessibility.violations(tab, frame=True) == []
