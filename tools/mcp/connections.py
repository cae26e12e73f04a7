"""The connections of one Runner or command to MCP servers."""

from collections.abc import Callable
from pathlib import Path

from ..sandbox.sandbox import Sandbox
from .connection import McpConnection
from .definition import ServerDefinitions
from .server_config import McpServer

OnChange = Callable[[McpServer, ServerDefinitions], None]


class McpConnections:
    """Opens and keeps one connection a server.

    `on_change` is called when a server says that its tools, prompts or resources have changed, with
    what it now offers.
    """

    def __init__(self, home: Path, *, on_change: OnChange = lambda server, definitions: None):
        self._home, self._on_change = home, on_change
        self._connections: dict[tuple[str, str], McpConnection] = {}

    def get(self, server: McpServer, sandbox: Sandbox | None = None) -> McpConnection:
        """Return the server's connection; nothing is started yet.

        `sandbox` is the project's: a server that the project defines runs in it, in its folder.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """End all connections and the processes of their servers."""
        raise NotImplementedError
