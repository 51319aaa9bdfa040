"""The tools and the prompt that ask before they answer (2026-07-28, multi round trip)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types
from conformance.tools import Fixture, Result, said
from mcp.shared.exceptions import MCPError

_KEY = secrets.token_bytes(32)
Requests = dict[str, Any]


def form(message: str, **properties: str) -> types.ElicitRequest:
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def sample(prompt: str, most: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(
        role="user", content=types.TextContent(type="text", text=prompt)
    )
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=most)
    )


def ask(requests: Requests, state: str | None = None) -> types.InputRequiredResult:
    sealed = None if state is None else f"{state}.{_seal(state)}"
    return types.InputRequiredResult(input_requests=requests, request_state=sealed)


def _seal(state: str) -> str:
    return hmac.new(_KEY, state.encode(), hashlib.sha256).hexdigest()


def opened(sealed: str | None) -> str:
    """Return the state that was sealed. Raises MCPError for one that was not."""
    state, _, seal = (sealed or "").rpartition(".")
    if not hmac.compare_digest(seal.encode(), _seal(state).encode()):
        raise MCPError(code=types.INVALID_PARAMS, message="The state is not ours")
    return state


def filled(answers: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    """Return what a form was filled in with, None where it was not."""
    answer = answers.get(key)
    if isinstance(answer, types.ElicitResult) and answer.action == "accept":
        return dict(answer.content or {})
    return None


def asking(name: str, requests: Callable[[], Requests], state: str | None = None) -> Fixture:
    """Make a tool that answers once each of its requests has been answered."""

    async def run(context: Any, params: types.CallToolRequestParams) -> Result:
        answers = params.input_responses or {}
        wanted = requests()
        if any(key not in answers or not _sound(wanted[key], answers[key]) for key in wanted):
            return ask(wanted, state)
        if state is not None and opened(params.request_state) != state:
            return ask(wanted, state)
        return said(f"state-ok {sorted(wanted)}" if state else _answered(answers, wanted))

    return Fixture(name, run)


def _sound(request: Any, answer: Any) -> bool:
    if isinstance(request, types.ElicitRequest) and request.params.mode == "form":
        needed = request.params.requested_schema.get("required", ())
        given = answer.content if isinstance(answer, types.ElicitResult) else None
        return given is not None and all(name in given for name in needed)
    if isinstance(request, types.ListRootsRequest):
        return isinstance(answer, types.ListRootsResult)
    return isinstance(answer, types.CreateMessageResult | types.CreateMessageResultWithTools)


def _answered(answers: Mapping[str, Any], wanted: Requests) -> str:
    name = (filled(answers, "user_name") or {}).get("name")
    if name is not None:
        return f"Hello, {name}!"
    rows = [answers[key].model_dump(mode="json", exclude_none=True) for key in wanted]
    return f"Answered: {rows}"


async def in_two_steps(context: Any, params: types.CallToolRequestParams) -> Result:
    answers = params.input_responses or {}
    state = opened(params.request_state) if params.request_state else ""
    first, second = filled(answers, "step1"), filled(answers, "step2")
    if state.startswith("second:") and second:
        return said(f"{state.removeprefix('second:')} likes {second.get('color')}")
    if state == "first" and first:
        question = form("Step 2: What is your favorite color?", color="string")
        return ask({"step2": question}, f"second:{first.get('name')}")
    return ask({"step1": form("Step 1: What is your name?", name="string")}, "first")


async def as_able(context: Any, params: types.CallToolRequestParams) -> Result:
    """Ask nothing that the client did not declare for this very call."""
    if params.input_responses:
        return said("thank you")
    able = context.session.client_capabilities or types.ClientCapabilities()
    requests: Requests = {}
    if able.elicitation is not None:
        requests["form"] = form("Please confirm", ok="boolean")
    if able.sampling is not None:
        requests["words"] = sample("Say something", 20)
    return ask(requests) if requests else said("there is nothing to ask with")


def _name() -> Requests:
    return {"user_name": form("What is your name?", name="string")}


def _capital() -> Requests:
    return {"capital_question": sample("What is the capital of France?", 100)}


def _roots() -> Requests:
    return {"client_roots": types.ListRootsRequest()}


def _confirm() -> Requests:
    return {"confirm": form("Please confirm", ok="boolean")}


def _three() -> Requests:
    return {**_name(), "greeting": sample("Generate a greeting", 50), **_roots()}


_ROUND = "test_input_required_result_"
TOOLS: tuple[Fixture, ...] = (
    asking(f"{_ROUND}elicitation", _name),
    asking(f"{_ROUND}sampling", _capital),
    asking(f"{_ROUND}list_roots", _roots),
    asking(f"{_ROUND}request_state", _confirm, "confirm"),
    asking(f"{_ROUND}tampered_state", _confirm, "tampered"),
    asking(f"{_ROUND}multiple_inputs", _three, "three"),
    asking("test_streaming_elicitation", _confirm),
    Fixture(f"{_ROUND}multi_round", in_two_steps),
    Fixture(f"{_ROUND}capabilities", as_able),
)


async def prompted(
    params: types.GetPromptRequestParams,
) -> types.GetPromptResult | types.InputRequiredResult:
    """Answer the prompt that asks for its context first."""
    given = filled(params.input_responses or {}, "user_context")
    if given is None or "context" not in given:
        return ask({"user_context": form("What context should the prompt use?", context="string")})
    words = types.TextContent(type="text", text=f"Prompt with context: {given['context']}")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=words)])
