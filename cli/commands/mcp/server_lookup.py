"""The servers of this folder, and one of them by its name."""

from pathlib import Path
from typing import TYPE_CHECKING

from ....config import paths
from ....config.errors import UsageError
from ....config.text import text

if TYPE_CHECKING:
    from ....tools.mcp.config_files import McpConfiguration
    from ....tools.mcp.server_config import McpServer


def load_here() -> "McpConfiguration":
    """Return the servers of the user and of the current folder."""
    from ....tools.mcp.config_files import load_configuration

    return load_configuration(Path.cwd(), paths.locate_home())


def find_server(name: str) -> "McpServer":
    """Return the server of this name; raises UsageError with names like it."""
    from ....tools.mcp.config_writer import suggest_names

    servers = {server.name: server for server in load_here().servers}
    if name not in servers:
        raise UsageError(
            text("there is no server `{name}`", name=name), hint=suggest_names(name, [*servers])
        )
    return servers[name]
