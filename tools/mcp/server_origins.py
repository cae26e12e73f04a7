"""What a consent to a tool of an MCP server covers: its entry, and the scripts that this names."""

import re
from pathlib import Path

from ..consent.command_origins import find_program_origins
from ..consent.origin import Origin, build_origin
from .server_config import McpServer

_VALUE = re.compile(r"^(header|login) ([^=\n]+)=(.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"\$\{[^}]*\}")


def find_server_origins(server: McpServer, root: Path) -> tuple[Origin, ...]:
    """Return the server's entry in its file, and the files that its command runs."""
    entry = build_origin(f"server {server.name}", server.source, server.entry)
    shown = Origin(entry.provenance, _VALUE.sub(_hide_value, server.entry))
    if server.transport != "stdio":
        return (shown,)
    folder = root / server.cwd if server.cwd else root
    return (shown, *find_program_origins(server.command, server.args, folder, root))


def _hide_value(match: re.Match[str]) -> str:
    """Show a value only as far as it names variables: it may be a key."""
    names = " ".join(_VARIABLE.findall(match[3]))
    return f"{match[1]} {match[2]}={names or '…'}"
