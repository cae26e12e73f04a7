"""Which MCP servers an `allow` rule that the user has written names.

`mcp_github_*` is about the server `github`, not about `github_helper`, whose name begins alike. A
server that a project defines must be named in full, and by no name that a server of the user's own
file has in the rule.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ..mcp.tool_names import PREFIX, fold_name, make_tool_name

if TYPE_CHECKING:
    from ..mcp.server_config import McpServer


def names_server(pattern: str, server: "McpServer", servers: "Mapping[str, McpServer]") -> bool:
    """Return whether a rule on tools, `mcp_SERVER_TOOL` with `*`, names a server."""
    if pattern == f"{PREFIX}*":
        return True  # the tools of all servers
    if not server.from_project:
        return (
            "*" not in pattern
            or _names_in_full(pattern, server)
            or _names_by_pattern(pattern, server)
        )
    if "*" in pattern and not _names_in_full(pattern, server):
        return False
    others = (other for other in servers.values() if not other.from_project)
    return not any(_names_in_full(pattern, other) for other in others)


def _names_in_full(pattern: str, server: "McpServer") -> bool:
    beginning = fold_name(make_tool_name(server.name, ""))
    return fold_name(pattern).startswith(beginning)


def _names_by_pattern(pattern: str, server: "McpServer") -> bool:
    """Return whether the part of the pattern before some `_` matches the server's whole name."""
    name = fold_name(make_tool_name(server.name, ""))
    folded = fold_name(pattern)
    ends = [at for at, letter in enumerate(folded) if letter == "_" and at >= len(PREFIX)]
    return any(
        "*" in folded[: end + 1] and fnmatchcase(name, folded[: end + 1].replace("[", "[[]"))
        for end in ends
    ) or (folded.endswith("*") and folded.count("*") == 1 and _is_open(folded, name))


def _is_open(folded: str, name: str) -> bool:
    """Return whether the only `*` stands in the server's name: `mcp_git*`."""
    return "_" not in folded[len(PREFIX) :] and fnmatchcase(name, folded)
