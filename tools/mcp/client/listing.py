"""All that a server offers, page by page, as our definitions."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol, TypeVar

from mcp import Client, MCPError
from mcp import types as protocol
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from ....config.text import text
from ..definition import (
    PromptArgument,
    PromptDefinition,
    ResourceDefinition,
    ServerDefinitions,
    ToolDefinition,
)

# A server that lists more than this is cut
MAX_PAGES, MAX_ITEMS = 100, 2_000


class _Page(Protocol):
    next_cursor: str | None


_PageT = TypeVar("_PageT", bound=_Page)
_List = Callable[[protocol.PaginatedRequestParams | None], Awaitable[_PageT]]


async def list_all(server: str, client: Client) -> ServerDefinitions:
    """List tools, prompts and resources; raises MCPError if the tools cannot be listed."""
    can = client.server_capabilities
    discovered = client.session.discover_result
    as_json = (
        discovered.model_dump(mode="json", by_alias=True, exclude_none=True) if discovered else {}
    )
    tools, problem = await _list_tools(server, client) if can.tools else ([], "")
    left_out = [text("all after the first {count}", count=MAX_ITEMS)]
    if len(tools) <= MAX_ITEMS:
        left_out = [problem] if problem else []
    return ServerDefinitions(
        tuple(tools[:MAX_ITEMS]),
        tuple(await _list_prompts(server, client) if can.prompts else ()),
        tuple(await _list_resources(server, client) if can.resources else ()),
        client.instructions or "",
        "new" if client.protocol_version in MODERN_PROTOCOL_VERSIONS else "old",
        client.protocol_version,
        as_json,
        tuple(left_out),
    )


async def _list_tools(server: str, client: Client) -> tuple[list[ToolDefinition], str]:
    """Return the tools, and why the pages after these cannot be listed."""
    tools: list[ToolDefinition] = []
    try:
        async for page in _iter_pages(lambda params: client.session.list_tools(params=params)):
            tools += [_tool(server, tool) for tool in page.tools]
    except MCPError as error:
        if not tools:
            raise
        reason = error.message.partition("\n")[0][:200]
        return tools, text("all after the first {count}: {reason}", count=len(tools), reason=reason)
    return tools, ""


def _tool(server: str, tool: protocol.Tool) -> ToolDefinition:
    notes = tool.annotations
    return ToolDefinition(
        server,
        tool.name,
        tool.description or "",
        tool.input_schema,
        tool.title or (notes and notes.title) or "",
        bool(notes and notes.read_only_hint),
    )


async def _list_prompts(server: str, client: Client) -> list[PromptDefinition]:
    pages = _iter_pages(lambda params: client.session.list_prompts(params=params))
    try:
        return [_prompt(server, each) async for page in pages for each in page.prompts][:MAX_ITEMS]
    except MCPError:  # some announce what they do not have
        return []


def _prompt(server: str, prompt: protocol.Prompt) -> PromptDefinition:
    arguments = tuple(
        PromptArgument(argument.name, argument.description or "", bool(argument.required))
        for argument in prompt.arguments or ()
    )
    return PromptDefinition(
        server, prompt.name, prompt.description or "", prompt.title or "", arguments
    )


async def _list_resources(server: str, client: Client) -> list[ResourceDefinition]:
    session = client.session
    resources: list[ResourceDefinition] = []
    try:
        async for page in _iter_pages(lambda params: session.list_resources(params=params)):
            resources += [
                _resource(server, str(each.uri), each, is_template=False) for each in page.resources
            ]
        async for page in _iter_pages(lambda each: session.list_resource_templates(params=each)):
            resources += [
                _resource(server, each.uri_template, each, is_template=True)
                for each in page.resource_templates
            ]
    except MCPError:
        pass  # what came before stays
    return resources[:MAX_ITEMS]


def _resource(
    server: str,
    uri: str,
    resource: protocol.Resource | protocol.ResourceTemplate,
    *,
    is_template: bool,
) -> ResourceDefinition:
    return ResourceDefinition(
        server,
        uri,
        resource.name,
        resource.description or "",
        resource.mime_type or "",
        is_template,
    )


async def _iter_pages(request: _List[_PageT]) -> AsyncGenerator[_PageT]:
    cursor: str | None = None
    seen = set[str]()
    for _ in range(MAX_PAGES):
        page = await request(protocol.PaginatedRequestParams(cursor=cursor) if cursor else None)
        yield page
        cursor = page.next_cursor
        if not cursor or cursor in seen:
            return
        seen.add(cursor)
