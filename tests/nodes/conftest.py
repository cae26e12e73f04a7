"""Servers for the tests of the nodes."""

import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.mcp_access import McpAccess
from maxagent.tools.mcp.server_config import McpServer

SERVERS = Path(__file__).parents[1] / "fixtures" / "mcp_servers"


@pytest.fixture
async def open_access(tmp_path: Path) -> AsyncGenerator[Callable[..., McpAccess]]:
    """Return access to servers that behave as their names say: see `hostile.py`."""
    connections = McpConnections(tmp_path)

    def build(*modes: str) -> McpAccess:
        args = ("-S", "-I", str(SERVERS / "hostile.py"))
        servers = [
            McpServer(mode, "stdio", command=sys.executable, args=(*args, mode)) for mode in modes
        ]
        return McpAccess(servers, connections, tmp_path)

    yield build
    await connections.close()
