"""The page that asks whoever sits before the browser, without a script and without a frame."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from urllib.parse import urlsplit

from manent.finding import inert
from manent.server.oauth.clients import LONGEST_NAME, Client

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 32rem; margin: 10vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.35rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; margin-top: 1.25rem; font-weight: 600; }
input { box-sizing: border-box; width: 100%; margin-top: .35rem; padding: .6rem; font: inherit;
  color: inherit; background: Field; border: 1px solid GrayText; border-radius: .35rem; }
p.buttons { display: flex; gap: .75rem; margin-top: 1.25rem; }
button { padding: .6rem 1.2rem; font: inherit; border: 1px solid GrayText; border-radius: .35rem;
  background: ButtonFace; color: ButtonText; cursor: pointer; }
button.allow { background: #1d4ed8; border-color: #1d4ed8; color: #fff; }
:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px; }
p.fault { border-left: .3rem solid #b91c1c; padding-left: .75rem; }
"""

_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


def policy(redirect: str = "") -> str:
    """Return the content security policy of a page: its own style, its own form, no frame.

    redirect: where the answer to the form sends the browser, which counts as its target.
    """
    target = "'none'"
    if redirect:
        parts = urlsplit(redirect)
        # A policy has no way to name an IPv6 address.
        place = "http:" if ":" in (parts.hostname or "") else f"{parts.scheme}://{parts.netloc}"
        target = f"'self' {place}"
    return (
        f"default-src 'none'; style-src 'sha256-{_DIGEST}'; form-action {target}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


def consent(
    client: Client, redirect: str, resource: str, sealed: str, csrf: str, fault: str = ""
) -> str:
    """Return the page that asks. fault: what was wrong with the last answer."""
    name = escape(shown(client.client_name or "A program without a name"))
    claim = "" if client.verified else " (so it calls itself)"
    said = f'<p class="fault" role="alert">{escape(fault)}</p>' if fault else ""
    return _document(
        "Allow access?",
        f"""<h1>{name} asks to use this memory</h1>
{said}<dl>
<dt>Program</dt><dd><bdi>{name}</bdi>{claim}</dd>
<dt>Goes back to</dt><dd><bdi>{escape(_place(redirect))}</bdi></dd>
<dt>Memory</dt><dd><bdi>{escape(resource)}</bdi></dd>
</dl>
<p>Allow this only if you have just asked that program to connect. It will be able to do
what the token that you enter can do: the vault's own token opens everything, an agent's
token what that agent may see and write. The program does not get the token itself.</p>
<form method="post" action="consent">
<input type="hidden" name="request" value="{escape(sealed)}">
<input type="hidden" name="csrf" value="{escape(csrf)}">
<label for="token">Token of the vault or of an agent</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" autofocus>
<p class="buttons"><button class="allow" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></p>
</form>""",
    )


def refusal(words: str) -> str:
    """Return a page that says why nothing is asked."""
    return _document(
        "Not possible", f'<h1>This cannot be done</h1><p class="fault">{escape(words)}</p>'
    )


def shown(name: str) -> str:
    """Return a client's name as it may stand on a page: one line, and nothing that turns it."""
    return inert(name[:LONGEST_NAME])


def _place(redirect: str) -> str:
    parts = urlsplit(redirect)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _document(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · manent</title><style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>"
    )
