"""Resources of servers that a message mentions as `@SERVER:URI`."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...tools.result import CallResult

if TYPE_CHECKING:
    from ...tools.mcp.mcp_access import McpAccess

SHOWN = "`{path}`, a resource that the user mentioned:\n{text}"


def is_resource(path: str, access: "McpAccess | None") -> bool:
    """Return whether a mention names a resource of a usable server."""
    server, colon, uri = path.partition(":")
    return access is not None and bool(colon and uri) and server in access.servers


async def read_resource(path: str, access: "McpAccess", outputs: Path) -> CallResult:
    """Return the resource, its text marked as a stranger's; a failure is the result's error."""
    from ...tools.mcp.errors import McpError

    server, _, uri = path.partition(":")
    connection = access.get_connection(access.servers[server])
    try:
        return await connection.read_resource(uri, outputs=outputs, call_id="mention")
    except McpError as error:
        return CallResult(error=str(error))
    except OSError as error:
        return CallResult(error=f"it could not be kept: {error.strerror}")
