"""The connections of one Runner or command to MCP servers."""

import asyncio
from pathlib import Path

from ..sandbox.sandbox import Sandbox
from .connection import McpConnection, OnChange
from .server_config import McpServer


class McpConnections:
    """Opens and keeps one connection a server.

    `on_change` is called when a server offers something else than before, with what it now offers.
    """

    def __init__(self, home: Path, *, on_change: OnChange = lambda server, definitions: None):
        self._home, self._on_change = home, on_change
        self._connections: dict[tuple[str, Path | None], McpConnection] = {}
        self._replaced: list[McpConnection] = []

    def get(self, server: McpServer, sandbox: Sandbox | None = None) -> McpConnection:
        """Return the server's connection; nothing is started yet.

        `sandbox` is the project's: a server that the project defines runs in it, in its folder.
        """
        root = sandbox.workspace.root if sandbox and server.from_project else None
        connection = self._connections.get((server.name, root))
        if connection and connection.server == server:
            return connection
        if connection:
            self._replaced.append(connection)  # a call may still use it
        new = McpConnection(server, self._home, sandbox, self._on_change)
        self._connections[server.name, root] = new
        return new

    async def close(self) -> None:
        """End all connections and the processes of their servers."""
        connections = [*self._connections.values(), *self._replaced]
        self._connections, self._replaced = {}, []
        await asyncio.gather(*(connection.close() for connection in connections))
