"""Connections to servers, made to see whether they answer and what they offer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ....config import paths
from ....config.text import text
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...lazy_imports import without_collector
from ...prompts.sync_bridge import run_sync
from ...rendering.output import echo

if TYPE_CHECKING:
    from ....tools.mcp.connections import McpConnections
    from ....tools.mcp.definition import ServerDefinitions
    from ....tools.mcp.server_config import McpServer
    from ....tools.sandbox.sandbox import Sandbox

# Seconds for each server of a list; they are asked at the same time
LIST_TIMEOUT = 10.0


@dataclass(frozen=True)
class ConnectionCheck:
    """What a server answered."""

    definitions: "ServerDefinitions | None"
    error: str = ""


# By name of the server
ConnectionChecks = Mapping[str, ConnectionCheck]


def check_connections(
    servers: Sequence["McpServer"], seconds: float | None = None
) -> ConnectionChecks:
    """Ask each usable server, all at the same time, what it offers; it is kept for later threads.

    Without `seconds`, each has its own time to start. A server with a problem is not started.
    """
    checks = {
        server.name: ConnectionCheck(None, translate(server.problem))
        for server in servers
        if server.problem
    }
    usable = [server for server in servers if server.is_usable]
    return {**checks, **run_sync(_check_all(usable, seconds))} if usable else checks


def describe_connection(check: ConnectionCheck) -> str:
    """Return `OK (2 tools)`, or why there is no connection."""
    if check.definitions is None:
        return t("mcp.failed", reason=check.error)
    summary = t("mcp.ok", count=len(check.definitions.tools))
    if not check.definitions.left_out:
        return summary
    names = ", ".join(map(translate, check.definitions.left_out))
    return t("mcp.left_out", summary=summary, names=names)


def warn_of_sandbox(servers: Sequence["McpServer"], checks: ConnectionChecks) -> None:
    """Say where a server of the project may have failed only for lack of something outside."""
    for server in servers:
        check = checks.get(server.name)
        is_confined = server.from_project and server.transport == "stdio" and not server.problem
        if is_confined and check and not check.definitions:
            echo(t("mcp.sandboxed", name=server.name), err=True)


async def _check_all(servers: Sequence["McpServer"], seconds: float | None) -> ConnectionChecks:
    import asyncio

    with without_collector():
        from ....tools.mcp.connections import McpConnections

    needs_sandbox = any(server.from_project for server in servers)
    sandbox = await asyncio.to_thread(_open_sandbox) if needs_sandbox else None
    connections = McpConnections(paths.locate_home())
    try:
        checks = await asyncio.gather(
            *(_check_one(connections, server, sandbox, seconds) for server in servers)
        )
    finally:
        await connections.close()
    return {server.name: check for server, check in zip(servers, checks, strict=True)}


async def _check_one(
    connections: "McpConnections",
    server: "McpServer",
    sandbox: "Sandbox | None",
    seconds: float | None,
) -> ConnectionCheck:
    import asyncio

    from ....tools.mcp.errors import McpError

    limit = min(seconds or server.connect_timeout, server.connect_timeout)
    connection = connections.get(server, sandbox if server.from_project else None)
    try:
        async with asyncio.timeout(limit):
            return ConnectionCheck(await connection.list_definitions(refresh=True))
    except McpError as error:
        return ConnectionCheck(None, translate(error.reason))
    except TimeoutError:
        return ConnectionCheck(
            None, translate(text("no answer within {seconds} s", seconds=f"{limit:g}"))
        )


def _open_sandbox() -> "Sandbox":
    """Open the sandbox of the current folder, in which servers of the project run."""
    from ....config.settings.loader import load_settings
    from ....tools.sandbox.detect import open_sandbox
    from ....tools.workspace import Workspace

    folder, home = Path.cwd(), paths.locate_home()
    settings = load_settings(folder, home).settings
    workspace = Workspace(folder, tuple(settings.security.ignore_patterns), home)
    return open_sandbox(settings.sandbox, workspace, home)
