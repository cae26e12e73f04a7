"""The connection to one MCP server: started by the first use, started again when it was lost."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..result import ToolResult
from .definition import Era, ServerDefinitions
from .input_request import Elicit, InputAnswers, InputRequired, OnProgress
from .server_config import McpServer


@dataclass(frozen=True)
class ServerStatus:
    """What is known of a server by its last real exchange."""

    state: Literal["idle", "starting", "ready", "failed"] = "idle"
    reason: str = ""
    """Why it failed, in one line."""
    era: Era = ""
    last_exchange: float = 0.0
    """When it last answered, in seconds since the epoch; 0: never."""
    tools: int = 0
    """How many tools it has."""


class McpConnection:
    """The connection to one server; its methods may run at the same time."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.status = ServerStatus()

    async def list_definitions(self, *, refresh: bool = False) -> ServerDefinitions:
        """Return what the server offers, connecting first; keep it for the next process.

        Asked once a connection, and again with `refresh` or when the server said that it changed.
        Raises McpError.
        """
        raise NotImplementedError

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        outputs: Path | None = None,
        call_id: str = "",
        on_progress: OnProgress | None = None,
        elicit: Elicit | None = None,
        answers: InputAnswers | None = None,
    ) -> ToolResult | InputRequired:
        """Call a tool; raises McpError.

        `outputs` and `call_id`: where images and long text are kept, and under which id. `elicit`
        answers what a server of the old era asks meanwhile; without it, questions are declined. A
        server of the new era asks by InputRequired: the same call with `answers` goes on.
        """
        raise NotImplementedError

    async def read_resource(
        self, uri: str, *, outputs: Path | None = None, call_id: str = ""
    ) -> ToolResult:
        """Read a resource; raises McpError."""
        raise NotImplementedError

    async def get_prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """Return the text of a prompt; raises McpError."""
        raise NotImplementedError

    async def reconnect(self) -> None:
        """End the connection, if any, and connect anew; raises McpError."""
        raise NotImplementedError

    async def close(self) -> None:
        """End the connection and the server's process; a later call connects anew."""
        raise NotImplementedError
