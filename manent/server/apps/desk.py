"""The pages for people without an Apps host: at ``/ui/``, for an owner who signed in.

The server is its own host here. A page runs in a frame that has no origin, no cookie and
no network; around it stands a document that calls tools for it, and only those that read.
"""

from __future__ import annotations

import asyncio
import html
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.types import Receive, Scope, Send

from manent.access import OWNER_NAME, Identity
from manent.errors import ManentError
from manent.server.answer import Answer, Question
from manent.server.apps.pages import PAGES, document, filled
from manent.server.apps.sessions import Sessions
from manent.server.dispatch import UnknownTool
from manent.server.door import Response, client_of, header_of
from manent.server.identities import Identities, digest_of
from manent.server.json_text import loads
from manent.server.throttle import Throttle
from manent.server.tool import Tool
from manent.values import dataclass, field

PREFIX = "/ui"
LARGEST_BODY = 64 << 10
BODY_SECONDS = 10.0
_HERE = Path(__file__).parent
_FILES = {"desk.js": "text/javascript", "page.css": "text/css"}

_OUTER = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_INNER = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
_PLAIN = {"Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin"}

Run = Callable[[Tool, Identity, Mapping[str, Any]], Awaitable[Answer | Question]]


@dataclass(slots=True)
class Desk:
    """Answers what is below ``/ui``.

    tool: finds a tool that an identity may call, as ``Dispatcher.tool`` does. run: calls
    one. sessions: of who signed in.
    """

    identities: Identities
    tool: Callable[[Identity, str], Tool]
    run: Run
    sessions: Sessions
    throttle: Throttle = field(default_factory=Throttle)

    def answers(self, path: str) -> bool:
        """Tell whether a path is one of the desk's."""
        return path == PREFIX or path.startswith(PREFIX + "/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that came through the door's checks of host and origin."""
        try:
            answer = await self._answer(scope, receive)
        except ManentError:
            answer = _away(scope)
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        name = scope["path"].removeprefix(PREFIX)
        if not name:
            return _moved("ui/")
        name = name[1:]
        if scope["method"] == "POST":
            return await self._post(name, scope, receive)
        if scope["method"] not in ("GET", "HEAD"):
            return Response(405, headers={"Allow": "GET, HEAD, POST"})
        if name in _FILES:
            return Response(200, (_HERE / name).read_bytes(), _FILES[name], _PLAIN)
        return await self._get(name, scope)

    # -- looking -----------------------------------------------------------------------

    async def _get(self, name: str, scope: Scope) -> Response:
        page, _, rest = name.partition("/")
        if name and (page not in PAGES or rest not in ("", "page")):
            return _shown(404, "Nothing here", "<p>There is no such page.</p>")
        if await self.sessions.who(scope) is None:
            return _shown(200 if not name else 401, "Sign in", _SIGN_IN)
        if rest == "page":
            headers = {**_PLAIN, "Content-Security-Policy": _INNER, "X-Frame-Options": "SAMEORIGIN"}
            return Response(200, document(page).encode(), "text/html; charset=utf-8", headers)
        return _framed(page, _query(scope)) if page else _shown(200, "Pages", _index())

    # -- doing -------------------------------------------------------------------------

    async def _post(self, name: str, scope: Scope, receive: Receive) -> Response:
        # The door let no strange origin in; a browser that names none is no browser.
        site = header_of(scope, b"sec-fetch-site")
        if header_of(scope, b"origin") in (None, "null") or site not in (None, "same-origin"):
            return Response(403, b"not from a page of this server", "text/plain")
        body = await _body(receive)
        if body is None:
            return Response(413, b"too long, or too slow", "text/plain")
        if name == "enter":
            return await self._enter(scope, body)
        if name == "leave":
            return _moved("./", {"Set-Cookie": await self.sessions.end(scope)})
        if name == "call":
            return await self._call(scope, body)
        return Response(404, headers=_PLAIN)

    async def _enter(self, scope: Scope, body: bytes) -> Response:
        token = _fields(body.decode("utf-8", "replace")).get("token", [""])[0].strip()
        address, digest = client_of(scope), digest_of(token)
        if wait := self.throttle.wait(address, digest):
            said = f"<p role='alert'>Too many wrong tokens: wait {wait} seconds.</p>"
            return _shown(429, "Sign in", said + _SIGN_IN, {"Retry-After": str(wait)})
        found = self.identities.of_digest(digest)
        if found is None or not found.is_whole_owner or found.name != OWNER_NAME:
            self.throttle.failed(address)
            said = "<p role='alert'>That is not the vault's token.</p>"
            return _shown(403, "Sign in", said + _SIGN_IN)
        self.throttle.passed(address, digest)
        return _moved("./", {"Set-Cookie": await self.sessions.begin()})

    async def _call(self, scope: Scope, body: bytes) -> Response:
        identity = await self.sessions.who(scope)
        if identity is None:
            return _said(401, {"error": "sign in again"})
        kind = (header_of(scope, b"content-type") or "").partition(";")[0].strip().lower()
        name, given = _asked(body) if kind == "application/json" else ("", None)
        if given is None:
            return _said(400, {"error": "no call"})
        try:
            tool = self.tool(identity, name)
        except UnknownTool:
            return _said(404, {"error": "no such tool"})
        if tool.writes or tool.name == "brain_feedback":
            return _said(403, {"error": "pages only read"})
        answer = await self.run(tool, identity, given)
        return _said(200, _result(answer))


async def _body(receive: Receive) -> bytes | None:
    """Return the body of a request; None where it is too long or comes too slowly."""
    parts: list[bytes] = []

    async def read() -> None:
        while True:
            message = await receive()
            parts.append(message.get("body", b""))
            if sum(map(len, parts)) > LARGEST_BODY or not message.get("more_body"):
                return

    try:
        await asyncio.wait_for(read(), BODY_SECONDS)
    except TimeoutError:
        return None
    whole = b"".join(parts)
    return whole if len(whole) <= LARGEST_BODY else None


def _asked(body: bytes) -> tuple[str, Mapping[str, Any] | None]:
    """Return the tool and the arguments of a call; None for what is no call."""
    try:
        found = loads(body.decode())
    except (ValueError, RecursionError):
        return "", None
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return "", None
    given = found.get("arguments", {})
    return found["name"], given if isinstance(given, dict) else None


def _result(answer: Answer | Question) -> dict[str, Any]:
    """Return an answer as a host hands it to a page."""
    if isinstance(answer, Question):
        text: dict[str, Any] = {"type": "text", "text": "a page cannot answer that"}
        return {"content": [text], "isError": True}
    result: dict[str, Any] = {"content": [{"type": "text", "text": answer.said()}]}
    if answer.structured:
        result["structuredContent"] = dict(answer.document)
    return result | ({"isError": True} if answer.failed else {})


# -- documents -----------------------------------------------------------------------------

_SIGN_IN = """<form method="post" action="enter">
<p><label for="token">The vault's token
<input id="token" name="token" type="password" autocomplete="current-password" required></label></p>
<p><button type="submit">Sign in</button></p>
</form>"""


def _index() -> str:
    rows = "".join(f'<li><a href="{name}">{page[0]}</a></li>' for name, page in PAGES.items())
    leave = '<form method="post" action="leave"><button type="submit">Sign out</button></form>'
    return f"<ul>{rows}</ul>{leave}"


def _framed(page: str, given: Mapping[str, Any]) -> Response:
    title, tool, _, _ = PAGES[page]
    ask = ""
    if page == "graph":
        name = html.escape(str(given.get("name", "")), quote=True)
        ask = (
            '<form method="get" action="graph"><p><label for="name">Around the note '
            f'<input id="name" name="name" value="{name}" required></label> '
            '<button type="submit">Draw</button></p></form>'
        )
        if not given.get("name"):
            return _shown(200, title, ask)
    frame = f'<iframe id="view" title="{title}" sandbox="allow-scripts" data-page="{page}/page">'
    content = (
        f'{ask}{frame}</iframe><section id="asked" hidden><p><label for="question">A question '
        'for your assistant<textarea id="question" rows="4" readonly></textarea></label></p>'
        '</section><script src="desk.js"></script>'
    )
    shown = json.dumps(given, ensure_ascii=True)
    data = f'data-tool="{tool}" data-given="{html.escape(shown, quote=True)}"'
    return _shown(200, title, content, data=data)


def _query(scope: Scope) -> dict[str, Any]:
    """Return the arguments that the address of a page names."""
    text = scope.get("query_string", b"").decode("ascii", "replace")
    name = _fields(text).get("name", [""])[0][:1_000]
    return {"name": name} if name else {}


def _fields(text: str) -> dict[str, list[str]]:
    """Return the fields of a form or an address; none of one that has more than any of ours."""
    try:
        return parse_qs(text, max_num_fields=8)
    except ValueError:
        return {}


def _away(scope: Scope) -> Response:
    """Return what is said while the database does not answer."""
    words, later = (
        "The server cannot look that up now. Please try again soon.",
        {"Retry-After": "10"},
    )
    if scope["path"] == f"{PREFIX}/call":
        return _said(503, {"error": words})
    return _shown(503, "Not now", f"<p role='alert'>{words}</p>", later)


def _shown(
    status: int, title: str, content: str, headers: Mapping[str, str] | None = None, data: str = ""
) -> Response:
    shell = (_HERE / "desk.html").read_text(encoding="utf-8")
    link = '<a href="./">All pages</a>'
    # The page in a frame has its title within.
    head = f'<h1 class="facts">{link}</h1>' if "<iframe" in content else f"<h1>{title}</h1>"
    if "<iframe" not in content and title not in ("Sign in", "Pages"):
        head = f"<p>{link}</p>{head}"
    whole = f"<main>{head}{content}</main>"
    made = filled(shell, {"title": title, "data": data, "content": whole})
    policy = {"Content-Security-Policy": _OUTER, "X-Frame-Options": "DENY"}
    return Response(
        status, made.encode(), "text/html; charset=utf-8", {**_PLAIN, **policy, **(headers or {})}
    )


def _moved(to: str, headers: Mapping[str, str] | None = None) -> Response:
    return Response(303, headers={**_PLAIN, "Location": to, **(headers or {})})


def _said(status: int, document_: Mapping[str, Any]) -> Response:
    body = json.dumps(document_, ensure_ascii=True, separators=(",", ":")).encode()
    return Response(status, body, "application/json", _PLAIN)
