"""The prompts, resources and completions that the conformance suite asks for."""

from __future__ import annotations

import re
from typing import Any

import mcp_types as types
from conformance import asking
from conformance.tools import PICTURE, embedded, image, text

from manent.server.protocol import no_resource

_TEMPLATE = re.compile(r"test://template/([^/]+)/data")


def _argument(name: str) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=name, required=True)


PROMPTS = [
    types.Prompt(
        name=name, description=f"Conformance: {name}", arguments=[_argument(a) for a in arguments]
    )
    for name, arguments in (
        ("test_simple_prompt", ()),
        ("test_prompt_with_arguments", ("arg1", "arg2")),
        ("test_prompt_with_embedded_resource", ("resourceUri",)),
        ("test_prompt_with_image", ()),
        ("test_input_required_result_prompt", ()),
    )
]


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=PROMPTS)


async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> Any:
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt":
        return await asking.prompted(params)
    if params.name == "test_simple_prompt":
        return _prompt(text("This is a simple prompt for testing."))
    if params.name == "test_prompt_with_arguments":
        words = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
        return _prompt(text(words))
    if params.name == "test_prompt_with_embedded_resource":
        resource = embedded(
            given["resourceUri"], "text/plain", "Embedded resource content for testing."
        )
        return _prompt(resource, text("Please process the embedded resource above."))
    return _prompt(image(), text("Please analyze the image above."))


def _prompt(*contents: Any) -> types.GetPromptResult:
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=content) for content in contents]
    )


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    rows = (
        ("test://static-text", "text/plain"),
        ("test://static-binary", "image/png"),
        ("test://watched-resource", "text/plain"),
    )
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=uri, name=uri, description=f"Conformance: {uri}", mime_type=kind)
            for uri, kind in rows
        ]
    )


async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(
    context: Any, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    content: types.TextResourceContents | types.BlobResourceContents
    matched = _TEMPLATE.fullmatch(uri)
    if uri == "test://static-binary":
        content = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PICTURE)
    elif matched:
        words = f'{{"id":"{matched[1]}","templateTest":true,"data":"Data for ID: {matched[1]}"}}'
        content = types.TextResourceContents(uri=uri, mime_type="application/json", text=words)
    elif uri in ("test://static-text", "test://watched-resource"):
        words = "This is the content of the static text resource."
        content = types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
    else:
        raise no_resource(context, uri)
    return types.ReadResourceResult(contents=[content])


async def complete(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    words = ["paris", "park", "party", "test"]
    values = [word for word in words if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values)))


async def acknowledge(context: Any, params: Any) -> types.EmptyResult:
    """Accept what the legacy wire asks for: a level, a subscription, the end of one."""
    return types.EmptyResult()


HANDLERS: dict[str, Any] = {
    "on_list_prompts": list_prompts,
    "on_get_prompt": get_prompt,
    "on_list_resources": list_resources,
    "on_list_resource_templates": list_templates,
    "on_read_resource": read_resource,
    "on_completion": complete,
    "on_set_logging_level": acknowledge,
    "on_subscribe_resource": acknowledge,
    "on_unsubscribe_resource": acknowledge,
}
