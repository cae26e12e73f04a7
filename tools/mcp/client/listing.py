"""All that a server offers, page by page, as our definitions."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
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
# Seconds for prompts and for resources, without which a server can be used
LIST_SECONDS = 5.0


class EndlessListError(Exception):
    """A list has more pages than are read."""


class _Page(Protocol):
    next_cursor: str | None


_PageT = TypeVar("_PageT", bound=_Page)
_List = Callable[[protocol.PaginatedRequestParams | None], Awaitable[_PageT]]


async def list_all(server: str, client: Client) -> ServerDefinitions:
    """List tools, prompts and resources; raises MCPError if the tools cannot be listed."""
    discovered = client.session.discover_result
    as_json = (
        discovered.model_dump(mode="json", by_alias=True, exclude_none=True) if discovered else {}
    )
    left_out: list[str] = []
    tools = await _list_tools(server, client, left_out)
    prompts, resources = await asyncio.gather(
        _list_prompts(server, client, left_out), _list_resources(server, client, left_out)
    )
    return ServerDefinitions(
        tuple(tools),
        tuple(prompts),
        tuple(resources),
        client.instructions or "",
        "new" if client.protocol_version in MODERN_PROTOCOL_VERSIONS else "old",
        client.protocol_version,
        as_json,
        tuple(left_out),
    )


async def _list_tools(server: str, client: Client, left_out: list[str]) -> list[ToolDefinition]:
    """Return the tools; note which of them are left out."""
    can = client.server_capabilities
    if not can.tools and (can.prompts or can.resources):
        return []
    tools: dict[str, ToolDefinition] = {}
    try:
        async for page in _iter_pages(lambda params: client.session.list_tools(params=params)):
            for tool in (_tool(server, each) for each in page.tools):
                if tools.setdefault(tool.name, tool) != tool:
                    left_out.append(f"{tool.name} ({text('another tool has its name')})")
    except MCPError as error:
        if not tools and can.tools:
            raise
        if tools:
            reason = error.message.partition("\n")[0][:200]
            left_out.append(_describe_rest(len(tools), reason))
    except EndlessListError:
        left_out.append(_describe_rest(len(tools), text("the list has no end")))
    if len(tools) > MAX_ITEMS:
        left_out[:] = [text("all after the first {count}", count=MAX_ITEMS)]
    return list(tools.values())[:MAX_ITEMS]


def _describe_rest(count: int, reason: str) -> str:
    return text("all after the first {count}: {reason}", count=count, reason=reason)


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


async def _list_prompts(server: str, client: Client, left_out: list[str]) -> list[PromptDefinition]:
    pages = _iter_pages(lambda params: client.session.list_prompts(params=params))
    prompts: list[PromptDefinition] = []
    if not client.server_capabilities.prompts:
        return prompts
    async with _without_failure("prompts", left_out):
        async for page in pages:
            prompts += [_prompt(server, each) for each in page.prompts]
    return prompts[:MAX_ITEMS]


@asynccontextmanager
async def _without_failure(kind: str, left_out: list[str]) -> AsyncGenerator[None]:
    """Note that a list cannot be read: its server is used without it, and what came stays."""
    try:
        async with asyncio.timeout(LIST_SECONDS):
            yield
    except TimeoutError:
        reason = text("it did not answer within {seconds} s", seconds=f"{LIST_SECONDS:g}")
        left_out.append(f"{kind} ({reason})")
    except EndlessListError:
        left_out.append(f"{kind} ({text('the list has no end')})")
    except MCPError:  # some announce what they do not have
        pass


def _prompt(server: str, prompt: protocol.Prompt) -> PromptDefinition:
    arguments = tuple(
        PromptArgument(argument.name, argument.description or "", bool(argument.required))
        for argument in prompt.arguments or ()
    )
    return PromptDefinition(
        server, prompt.name, prompt.description or "", prompt.title or "", arguments
    )


async def _list_resources(
    server: str, client: Client, left_out: list[str]
) -> list[ResourceDefinition]:
    session = client.session
    resources: list[ResourceDefinition] = []
    if not client.server_capabilities.resources:
        return resources
    async with _without_failure("resources", left_out):
        async for page in _iter_pages(lambda params: session.list_resources(params=params)):
            resources += [
                _resource(server, str(each.uri), each, is_template=False) for each in page.resources
            ]
        async for page in _iter_pages(lambda each: session.list_resource_templates(params=each)):
            resources += [
                _resource(server, each.uri_template, each, is_template=True)
                for each in page.resource_templates
            ]
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
    """Yield the pages of a list; raises EndlessListError after the last that is read."""
    cursor: str | None = None
    seen = set[str]()
    for _ in range(MAX_PAGES):
        page = await request(protocol.PaginatedRequestParams(cursor=cursor) if cursor else None)
        yield page
        cursor = page.next_cursor
        if not cursor or cursor in seen:
            return
        seen.add(cursor)
    raise EndlessListError
