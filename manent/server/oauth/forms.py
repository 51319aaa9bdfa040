"""Reading the requests of signing in: bounded, each parameter once, as handlers see them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.types import Message

LARGEST_BODY = 64 << 10
"""Bytes of a form or a registration."""

Fields = Mapping[str, str]


class Fault(Exception):
    """A request that is refused; the words are for whoever wrote the client."""

    def __init__(self, error: str, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.error = error
        self.words = words
        self.status = status


async def body_of(request: Request) -> bytes:
    """Return the body of a request. Raises Fault for one that is too large."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_BODY:
            raise Fault("invalid_request", f"more than {LARGEST_BODY} bytes", 413)
    return bytes(body)


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a posted form. Raises Fault."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Fault("invalid_request", "send a form: application/x-www-form-urlencoded")
    body = await body_of(request)
    try:
        return fields_of(body.decode("ascii"))
    except UnicodeDecodeError:
        raise Fault("invalid_request", "a form is ASCII") from None


def fields_of(text: str) -> dict[str, str]:
    """Return the fields of a form; one that stands twice says two things, and is refused."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=40, errors="strict")
    except ValueError:
        raise Fault("invalid_request", "the parameters cannot be read") from None
    fields = {name: value for name, value in pairs if value}
    if len({name for name, _ in pairs}) != len(pairs):
        raise Fault("invalid_request", "a parameter stands twice")
    if any("\0" in value for value in fields.values()):
        raise Fault("invalid_request", "the parameters cannot be read")
    return fields


def again(request: Request, body: bytes, kind: str = "application/json") -> Request:
    """Return a request as an SDK handler is to see it: what was looked at, and no more."""
    scope = {
        **request.scope,
        "method": "POST",
        "query_string": b"",
        "headers": [(b"content-type", kind.encode())],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(scope, receive)


def posting(request: Request, fields: Fields) -> Request:
    """Return a request that posts these fields and no others."""
    return again(request, urlencode(fields).encode(), "application/x-www-form-urlencoded")


def asking(request: Request, fields: Fields) -> Request:
    """Return a request that asks with these fields and no others."""
    scope = {**request.scope, "method": "GET", "query_string": urlencode(fields).encode()}
    return Request(scope)
