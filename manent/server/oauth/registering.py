"""What a client that registers says of itself: bounded, and no more of it than is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manent.finding import inert
from manent.server.oauth.clients import LONGEST_NAME, MOST_REDIRECTS, SCOPE, Redirects
from manent.server.oauth.forms import Fault

GRANTS = ("authorization_code", "refresh_token")
"""For what there are tokens."""


def metadata_of(said: Mapping[str, Any], redirects: Redirects) -> dict[str, Any]:
    """Return what is kept of what a client says of itself. Raises Fault."""
    uris = said.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MOST_REDIRECTS:
        raise Fault("invalid_redirect_uri", f"redirect_uris lists 1 to {MOST_REDIRECTS}")
    for uri in uris:
        if not isinstance(uri, str) or not redirects.allows(uri):
            raise Fault("invalid_redirect_uri", "a redirect is not on this server's list")
    name = said.get("client_name")
    kept: dict[str, Any] = {
        "redirect_uris": uris,
        # No database of ours keeps a zero byte, and no page shows what turns its words.
        "client_name": inert(name[:LONGEST_NAME]) if isinstance(name, str) else "",
        "token_endpoint_auth_method": "none",
        "scope": SCOPE,
    }
    if said.get("application_type") in ("web", "native"):
        kept["application_type"] = said["application_type"]
    for key in ("grant_types", "response_types"):
        listed = said.get(key, [])
        if not isinstance(listed, list) or not all(isinstance(x, str) for x in listed):
            raise Fault("invalid_client_metadata", f"{key} must be a list of text")
    grants = said.get("grant_types", GRANTS)
    kept["grant_types"] = [grant for grant in GRANTS if grant in grants]
    if "response_types" in said:
        kept["response_types"] = [kind for kind in said["response_types"] if kind == "code"]
    return kept
