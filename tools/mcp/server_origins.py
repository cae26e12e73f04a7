"""What a consent to a tool of an MCP server covers: its entry, and the scripts that this names."""

from dataclasses import replace
from pathlib import Path

from ...config.security.masked_values import (
    mask_arguments,
    mask_literals,
    mask_named,
    mask_secrets,
    mask_url,
)
from ..consent.command_origins import find_program_origins
from ..consent.origin import Origin, build_origin
from .server_config import McpServer, render_entry


def find_server_origins(server: McpServer, root: Path) -> tuple[Origin, ...]:
    """Return the server's entry in its file, and the files that its command runs."""
    entry = build_origin(f"server {server.name}", server.source, server.entry)
    shown = Origin(entry.provenance, render_entry(_mask(server.as_written)))
    if server.transport != "stdio":
        return (shown,)
    folder = root / server.cwd if server.cwd else root
    return (shown, *find_program_origins(server.command, server.args, folder, root))


def _mask(server: McpServer) -> McpServer:
    """Return the server as it is shown: variables by name, and no literal secret."""
    return replace(
        server,
        command=mask_secrets(server.command),
        args=tuple(mask_arguments(server.args)),
        url=mask_url(server.url) if server.url else "",
        env={name: mask_named(name, value) for name, value in server.env.items()},
        headers={name: mask_literals(value) for name, value in server.headers.items()},
        oauth={name: mask_named(name, value) for name, value in server.oauth.items()},
    )
