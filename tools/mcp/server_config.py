"""One MCP server as the user's and the project's files define it; needs no import of `mcp`."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Transport = Literal["stdio", "http", "sse"]

# Seconds
CONNECT_TIMEOUT, CALL_TIMEOUT = 30.0, 60.0


@dataclass(frozen=True)
class McpServer:
    """A server that a file defines; its values are expanded."""

    name: str
    transport: Transport
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: str = ""
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    oauth: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """How to log in: `client_id`, `client_secret`, `client_metadata_url`, `callback_port`."""
    enabled: bool = True
    source: str = ""
    """Path of the file that defines it."""
    from_project: bool = False
    """Whether a project's file defines it: then it runs in the sandbox, with the project as its
    folder."""
    problem: str = ""
    """Why it cannot be used: such a server is listed and never started."""
    connect_timeout: float = CONNECT_TIMEOUT
    """Seconds for the connection and its first answer."""
    call_timeout: float = CALL_TIMEOUT
    """Seconds without an answer or progress after which a call ends."""
    written: "McpServer | None" = field(default=None, repr=False, compare=False)
    """The same before its variables were put in; None where nothing was."""
    entry: str = field(default="", repr=False)
    """What is written in the file, one value a line: all that decides what is started and asked."""
    digest: str = ""
    """Hash of what the server is: key of caches and of approvals. It holds no value of `env` and
    `headers`; variables are as written in the file.
    """

    def __post_init__(self) -> None:
        if not self.entry:
            object.__setattr__(self, "entry", render_entry(self))
        if not self.digest:
            object.__setattr__(self, "digest", compute_digest(self))

    @property
    def as_written(self) -> "McpServer":
        """The server with its variables by name, to be shown."""
        return self.written or self

    @property
    def is_usable(self) -> bool:
        """Whether it may be started: enabled, and without a problem."""
        return self.enabled and not self.problem


def compute_digest(server: McpServer) -> str:
    """Hash command, arguments, URL, and the names of variables and headers."""
    parts = [
        server.transport,
        server.command,
        server.args,
        server.cwd,
        server.url,
        sorted(server.env),
        sorted(name.lower() for name in server.headers),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def render_entry(server: McpServer) -> str:
    """Render the definition, one value a line."""
    lines = [f"type: {server.transport}"]
    lines += [f"command: {server.command}"] if server.command else []
    lines += [f"argument: {argument}" for argument in server.args]
    lines += [f"folder: {server.cwd}"] if server.cwd else []
    lines += [f"url: {server.url}"] if server.url else []
    for label, values in (("env", server.env), ("header", server.headers), ("login", server.oauth)):
        lines += [f"{label} {name}={value}" for name, value in sorted(values.items())]
    return "".join(f"{line}\n" for line in lines)
