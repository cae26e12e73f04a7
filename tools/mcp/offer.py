"""What a thread is offered of MCP servers: decided at its first model turn, then frozen in a file.

The tool list of a thread never changes, since it is the beginning of every request: the provider's
cache answers those bytes. So few tools are offered directly, and many through a pair of tools.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...config.security.private_files import make_private_folder, replace_file
from .definition import ServerDefinitions, ToolDefinition
from .definition_cache import get_data_folder
from .server_config import McpServer
from .tool_names import name_tools
from .tool_text import MAX_DESCRIPTION_LENGTH, remove_hidden

# The most that is offered directly; a token is about four bytes
MAX_TOOLS, MAX_TOKENS, BYTES_PER_TOKEN = 40, 8_000, 4
# Characters of a server's line in the context message, and of all lines
MAX_LINE_LENGTH, MAX_LIST_LENGTH = 200, 1_500
_DIGEST_LENGTH = 32


@dataclass(frozen=True)
class OfferedServer:
    """A server as it was when the thread began."""

    name: str
    from_project: bool
    tools: tuple[str, ...] | None
    """The server's own names of its tools; None: not known then."""


@dataclass(frozen=True)
class Offer:
    """The servers of a thread, and the tools that its models are offered directly."""

    servers: tuple[OfferedServer, ...] = ()
    tools: Mapping[str, ToolDefinition] = field(default_factory=dict[str, ToolDefinition])
    """By the names that models call."""

    @property
    def is_bridged(self) -> bool:
        """Whether `find_tools` and `use_mcp_tool` are offered."""
        has_unknown = any(server.tools is None for server in self.servers)
        return has_unknown or (not self.tools and any(server.tools for server in self.servers))

    def is_from_project(self, server: str) -> bool:
        """Return whether a project defines this server."""
        return any(offered.from_project for offered in self.servers if offered.name == server)


def build_offer(
    servers: Sequence[McpServer], definitions: Mapping[str, ServerDefinitions]
) -> Offer:
    """Decide what a new thread is offered, by what is known of the servers' tools."""
    offered = [
        OfferedServer(
            server.name,
            server.from_project,
            tuple(tool.name for tool in definitions[server.name].tools)
            if server.name in definitions
            else None,
        )
        for server in sorted(servers, key=lambda server: server.name)
    ]
    names = {server.name for server in servers}
    tools = name_tools(
        tool for name in names & set(definitions) for tool in definitions[name].tools
    )
    return Offer(tuple(offered), tools if _are_few(tools.values()) else {})


def _are_few(tools: Collection[ToolDefinition]) -> bool:
    size = sum(
        len(json.dumps(tool.schema))
        + len(tool.name)
        + min(len(tool.description), MAX_DESCRIPTION_LENGTH)
        for tool in tools
    )
    return len(tools) <= MAX_TOOLS and size <= MAX_TOKENS * BYTES_PER_TOKEN


def describe_offer(offer: Offer) -> str:
    """Return one line a server, for the context message; empty without servers."""
    description = "\n".join(map(_describe_server, offer.servers))
    if len(description) > MAX_LIST_LENGTH:
        description = ", ".join(server.name for server in offer.servers)[:MAX_LIST_LENGTH]
    return remove_hidden(description)


def _describe_server(server: OfferedServer) -> str:
    if server.tools is None:
        return f"- {server.name}: its tools are not known yet; `find_tools` asks it"
    line = f"- {server.name} ({len(server.tools)} tools): {', '.join(server.tools)}"
    return (
        line if len(line) <= MAX_LINE_LENGTH else line[:MAX_LINE_LENGTH].rpartition(",")[0] + ", …"
    )


def keep_offer(home: Path, offer: Offer) -> str:
    """Write the offer, unless it is there; return its hash. Raises OSError."""
    data = {
        "servers": [asdict(server) for server in offer.servers],
        "tools": {name: asdict(tool) for name, tool in offer.tools.items()},
    }
    content = json.dumps(data, ensure_ascii=True).encode()
    digest = hashlib.sha256(content).hexdigest()[:_DIGEST_LENGTH]
    file = _locate_offer(home, digest)
    if not file.exists():
        make_private_folder(file.parent)
        replace_file(file, content)
    return digest


def read_offer(home: Path, digest: str) -> Offer | None:
    """Return a kept offer; None if its file is gone or was changed."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        content = _locate_offer(home, digest).read_bytes()
        if hashlib.sha256(content).hexdigest()[:_DIGEST_LENGTH] == digest:
            return _offer_from_json(json.loads(content))
    return None


def _offer_from_json(data: Mapping[str, Any]) -> Offer:
    servers = tuple(
        OfferedServer(
            server["name"],
            server["from_project"],
            None if server["tools"] is None else tuple(server["tools"]),
        )
        for server in data["servers"]
    )
    return Offer(servers, {name: ToolDefinition(**tool) for name, tool in data["tools"].items()})


def _locate_offer(home: Path, digest: str) -> Path:
    return get_data_folder(home) / "offers" / f"{Path(digest).name}.json"
