"""The tools that the conformance suite calls. Their names and answers are fixed by it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

Result = types.CallToolResult | types.InputRequiredResult
Run = Callable[[Any, types.CallToolRequestParams], Awaitable[Result]]

NOTHING: dict[str, Any] = {"type": "object", "additionalProperties": False}
# A picture of one point, and no sound at all.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4"
    "z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Fixture:
    """One tool: what lists it, and what runs it."""

    name: str
    run: Run
    schema: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def listed(self) -> types.Tool:
        return types.Tool(
            name=self.name, description=f"Conformance: {self.name}", input_schema=dict(self.schema)
        )


def said(text: str, *, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=failed
    )


def constant(name: str, *content: Any) -> Fixture:
    async def run(context: Any, params: types.CallToolRequestParams) -> Result:
        return types.CallToolResult(content=list(content))

    return Fixture(name, run)


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PICTURE, mime_type="image/png")


def embedded(uri: str, mime_type: str, words: str) -> types.EmbeddedResource:
    resource = types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return types.EmbeddedResource(type="resource", resource=resource)


async def failing(context: Any, params: types.CallToolRequestParams) -> Result:
    return said("This tool intentionally returns an error for testing", failed=True)


async def logging_thrice(context: Any, params: types.CallToolRequestParams) -> Result:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await log(context, words)
        await anyio.sleep(_PAUSE_SECONDS)
    return said("logged")


async def log(context: Any, words: str) -> None:
    await context.session.send_log_message(
        "info", words, "conformance", related_request_id=context.request_id
    )


async def progressing(context: Any, params: types.CallToolRequestParams) -> Result:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await anyio.sleep(_PAUSE_SECONDS)
    return said("progressed")


async def reconnecting(context: Any, params: types.CallToolRequestParams) -> Result:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
        await anyio.sleep(4 * _PAUSE_SECONDS)
    return said("answered after the stream was closed")


async def sampling(context: Any, params: types.CallToolRequestParams) -> Result:
    prompt = types.TextContent(type="text", text=str((params.arguments or {})["prompt"]))
    made = await context.session.create_message(
        [types.SamplingMessage(role="user", content=prompt)],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    return said(f"LLM response: {made.content.text}")


def eliciting(name: str, schema: Mapping[str, Any], takes: Mapping[str, Any] = NOTHING) -> Fixture:
    """Make a tool that asks the client on the legacy wire, within the call."""

    async def run(context: Any, params: types.CallToolRequestParams) -> Result:
        message = str((params.arguments or {}).get("message", "Please fill in the form"))
        answer = await context.session.elicit_form(message, dict(schema), context.request_id)
        return said(f"Elicitation completed: action={answer.action}, content={answer.content}")

    return Fixture(name, run, takes)


async def without_capability(context: Any, params: types.CallToolRequestParams) -> Result:
    needed = types.ClientCapabilities(sampling=types.SamplingCapability())
    if not context.session.check_client_capability(needed):
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="Missing required client capability",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return said("the client samples")


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_TEXT = {"type": "string"}
_THREE = ["option1", "option2", "option3"]
_TITLED = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
_DEFAULTS = _object(
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
_ENUMS = _object(
    untitledSingle={"type": "string", "enum": _THREE},
    titledSingle={"type": "string", "oneOf": _TITLED},
    legacyEnum={
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti={"type": "array", "items": {"type": "string", "enum": _THREE}},
    titledMulti={"type": "array", "items": {"anyOf": _TITLED}},
)
_WIDE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": _TEXT, "city": _TEXT},
        }
    },
    "properties": {
        "name": _TEXT,
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": _TEXT,
        "email": _TEXT,
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_MIRRORED = _object(("region",), region={"type": "string", "x-mcp-header": "Region"})


async def echoed(context: Any, params: types.CallToolRequestParams) -> Result:
    return said(str(params.arguments or {}))


TOOLS: tuple[Fixture, ...] = (
    constant("test_simple_text", text("This is a simple text response for testing.")),
    constant("test_image_content", image()),
    constant(
        "test_audio_content",
        types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav"),
    ),
    constant(
        "test_embedded_resource",
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ),
    constant(
        "test_multiple_content_types",
        text("Multiple content types test:"),
        image(),
        embedded(
            "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
        ),
    ),
    Fixture("test_error_handling", failing),
    Fixture("test_tool_with_logging", logging_thrice),
    Fixture("test_logging_tool", logging_thrice),
    Fixture("test_tool_with_progress", progressing),
    Fixture("test_reconnection", reconnecting),
    Fixture("test_sampling", sampling, _object(("prompt",), prompt=_TEXT)),
    eliciting(
        "test_elicitation",
        _object(("username", "email"), username=_TEXT, email=_TEXT),
        _object(("message",), message=_TEXT),
    ),
    eliciting("test_elicitation_sep1034_defaults", _DEFAULTS),
    eliciting("test_elicitation_sep1330_enums", _ENUMS),
    Fixture("test_missing_capability", without_capability),
    Fixture("json_schema_2020_12_tool", echoed, _WIDE),
    Fixture("test_mirrored_argument", echoed, _MIRRORED),
)
