"""`/mcp`: the MCP servers of the conversation; `/SERVER:PROMPT` sends one of their prompts."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.definition_list import format_definition_list
from ...rendering.sanitize import sanitize_line
from ..session.message import run_message
from ..session.session import Session

if TYPE_CHECKING:
    from ....nodes.run.dependencies import Dependencies
    from ....tools.mcp.definition import PromptDefinition
    from ....tools.mcp.mcp_access import McpAccess
    from ....tools.mcp.server_config import McpServer


async def manage_servers(session: Session, arguments: str) -> None:
    """List them, show what one offers, or connect one anew."""
    action, _, name = arguments.partition(" ")
    deps = await _open_dependencies(session)
    if not action:
        rows = [_describe_server(server, deps) for server in deps.sources.servers]
        session.show(format_definition_list(rows) if rows else t("slash.mcp.none"))
    elif action in ("tools", "reconnect") and name.strip():
        access, server = _find_server(deps, name.strip())
        if action == "reconnect":
            await _reconnect(access, server)
            session.show(format_definition_list([_describe_server(server, deps)]))
        else:
            session.show(format_definition_list([*await _list_offers(access, server)]))
    else:
        raise UsageError(t("slash.mcp.unknown", words=arguments), hint=t("slash.mcp.hint"))


async def _open_dependencies(session: Session) -> "Dependencies":
    runner = await session.wait_for_runner()
    return await runner.open_dependencies(str(session.folder.resolve()), session.next_options)


def _find_server(deps: "Dependencies", name: str) -> "tuple[McpAccess, McpServer]":
    from ....tools.result import ToolError

    if deps.mcp is None:
        raise UsageError(t("slash.mcp.none"))
    try:
        return deps.mcp, deps.mcp.find_server(name)
    except ToolError as error:
        raise UsageError(str(error)) from error


def _describe_server(server: "McpServer", deps: "Dependencies") -> tuple[str, str]:
    """Return the server's name, and its state by the last real exchange."""
    if not server.enabled:
        return server.name, t("slash.mcp.disabled")
    if server.problem or deps.mcp is None:
        return server.name, t("slash.mcp.failed", reason=translate(server.problem))
    status = deps.mcp.get_connection(server).status
    words = {"reason": sanitize_line(translate(status.reason)), "count": status.tools}
    parts = [t(f"slash.mcp.{status.state}", **words)]
    if status.era == "old":
        parts.append(t("slash.mcp.old"))
    if server.from_project:
        parts.append(t("slash.mcp.project"))
    return server.name, " · ".join(parts)


async def _reconnect(access: "McpAccess", server: "McpServer") -> None:
    from ....tools.mcp.errors import McpError

    try:
        await access.get_connection(server).reconnect()
    except McpError as error:
        raise UsageError(str(error)) from error


async def _list_offers(access: "McpAccess", server: "McpServer") -> "Iterator[tuple[str, str]]":
    """Return the names that a user can type or allow, each with its description."""
    from ....tools.mcp.errors import McpError
    from ....tools.mcp.tool_names import make_tool_name

    try:
        offers = await access.load_definitions(server)
    except McpError as error:
        raise UsageError(str(error)) from error
    tools = [(make_tool_name(server.name, tool.name), tool.description) for tool in offers.tools]
    prompts = [(f"/{server.name}:{prompt.name}", prompt.description) for prompt in offers.prompts]
    resources = [(f"@{server.name}:{resource.uri}", resource.name) for resource in offers.resources]
    return (
        (sanitize_line(name), sanitize_line(about.strip().partition("\n")[0]))
        for name, about in (*tools, *prompts, *resources)
    )


async def run_prompt(session: Session, name: str, arguments: str) -> None:
    """Send a server's prompt as the user's message."""
    from ....tools.mcp.errors import McpError

    deps = await _open_dependencies(session)
    server_name, _, prompt_name = name.partition(":")
    access, server = _find_server(deps, server_name)
    try:
        offers = await access.load_definitions(server)
        prompt = next((offer for offer in offers.prompts if offer.name == prompt_name), None)
        if prompt is None:
            prompt_names = ", ".join(f"`/{server.name}:{offer.name}`" for offer in offers.prompts)
            hint = t("slash.near", names=prompt_names) if prompt_names else ""
            raise UsageError(t("slash.unknown", name=name), hint=hint)
        values = _read_arguments(prompt, arguments)
        words = await access.get_connection(server).get_prompt(prompt.name, values)
    except McpError as error:
        raise UsageError(str(error)) from error
    # file names in a server's words mention no files
    await run_message(session, words, once={"mentioning": ""})


def _read_arguments(prompt: "PromptDefinition", arguments: str) -> dict[str, str]:
    """Return the arguments by name: in order, or as `NAME=VALUE`; the last takes the rest."""
    names = [argument.name for argument in prompt.arguments]
    try:
        words = shlex.split(arguments)
    except ValueError:
        words = arguments.split()
    values = dict[str, str]()
    for word in words:
        name, equals, value = word.partition("=")
        free = [argument_name for argument_name in names if argument_name not in values]
        if equals and name in names:
            values[name] = value
        elif free:
            values[free[0]] = word
        elif names:
            values[names[-1]] += f" {word}"
    missing = [
        argument.name
        for argument in prompt.arguments
        if argument.required and argument.name not in values
    ]
    if missing:
        raise UsageError(t("slash.mcp.missing", name=missing[0]))
    return values
