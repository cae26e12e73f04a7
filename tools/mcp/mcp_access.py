"""The MCP servers of a project as a run uses them: what they offer, and calls of their tools."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..result import CallResult, ToolError
from ..sandbox.sandbox import Sandbox
from .connection import McpConnection
from .connections import McpConnections
from .definition import ServerDefinitions, ToolDefinition
from .definition_cache import read_definitions
from .errors import McpError
from .input_request import Elicit, InputAnswers, InputRequired, OnProgress
from .server_config import McpServer
from .tool_adapter import McpTool, build_tool
from .tool_names import make_tool_name, name_tools
from .tool_text import remove_hidden, restore_hidden

MAY_HAVE_RUN = (
    "Outcome unknown: {reason}. Look at the state of things first; do not simply repeat the call"
)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServerCall:
    """How one call of a server's tool is made."""

    call_id: str
    outputs: Path
    """Folder for images and long answers."""
    on_progress: OnProgress | None = None
    elicit: Elicit | None = None
    """Answers what a server of the old era asks meanwhile; None: it is declined."""
    answers: InputAnswers | None = None
    """The user's answers to what the server asked instead of a result."""


class McpAccess:
    """The usable servers of one project, over the connections that its runs share."""

    def __init__(
        self,
        servers: Sequence[McpServer],
        connections: McpConnections,
        home: Path,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.servers = {server.name: server for server in servers if server.is_usable}
        self.home = home
        self._connections, self._sandbox = connections, sandbox
        self._background: asyncio.Task[None] | None = None

    def find_server(self, name: str) -> McpServer:
        """Return the server of this name; raises ToolError that names near ones."""
        if name in self.servers:
            return self.servers[name]
        raise ToolError(f"there is no MCP server `{name}`{suggest(name, self.servers)}")

    def get_connection(self, server: McpServer) -> McpConnection:
        """Return the server's connection; nothing is started yet."""
        return self._connections.get(server, self._sandbox if server.from_project else None)

    def read_definitions(self, name: str) -> ServerDefinitions | None:
        """Return what is known of a server without asking it; blocks."""
        return read_definitions(self.home, self.servers[name])

    def read_known(self) -> dict[str, ServerDefinitions]:
        """Return what is known of the servers without asking them; blocks."""
        by_server = {
            name: read_definitions(self.home, server) for name, server in self.servers.items()
        }
        return {
            name: definitions for name, definitions in by_server.items() if definitions is not None
        }

    def find_known_tools(self, names: Collection[str]) -> dict[str, McpTool]:
        """Return the tools of these names without asking a server; blocks."""
        named = _name_all(self.read_known())
        return {name: self._build_tool(name, named[name]) for name in names if name in named}

    async def load_definitions(self, server: McpServer) -> ServerDefinitions:
        """Return what the server offers now; what it offered last if it cannot be asked.

        Raises McpError if it was never asked.
        """
        try:
            return await self.get_connection(server).list_definitions()
        except McpError:
            cached = await asyncio.to_thread(read_definitions, self.home, server)
            if cached is None:
                raise
            return cached

    async def load_tool(self, server_name: str, tool_name: str) -> McpTool:
        """Return a tool by the server's own names; raises ToolError that names near ones."""
        server = self.find_server(server_name)
        definitions = await asyncio.to_thread(self.read_known)
        definitions[server.name] = await self.load_definitions(server)
        for name, definition in _name_all(definitions).items():
            if definition.server == server.name and tool_name in (
                definition.name,
                remove_hidden(definition.name),
                name,
            ):
                return self._build_tool(name, definition)
        names = [tool.name for tool in definitions[server.name].tools]
        raise ToolError(f"`{server.name}` has no tool `{tool_name}`{suggest(tool_name, names)}")

    async def find_tool(self, name: str) -> McpTool | None:
        """Return the tool that models call by this name; None if no known server has it."""
        definitions = await asyncio.to_thread(self.read_known)
        if definition := _name_all(definitions).get(name):
            return await self.load_tool(definition.server, definition.name)
        # a server whose tools are not known yet
        for server in self.servers.values():
            if server.name not in definitions and name.startswith(make_tool_name(server.name, "")):
                for definition in (await self.load_definitions(server)).tools:
                    if make_tool_name(server.name, definition.name) == name:
                        return await self.load_tool(server.name, definition.name)
        return None

    def _build_tool(self, name: str, definition: ToolDefinition) -> McpTool:
        server = self.servers[definition.server]
        return build_tool(name, definition, from_project=server.from_project)

    async def call(
        self, tool: McpTool, args: Mapping[str, Any], call: ServerCall
    ) -> CallResult | InputRequired:
        """Call a tool; every error is a result."""
        definition = tool.definition
        try:
            server = self.find_server(definition.server)
            answer = await self.get_connection(server).call_tool(
                definition.name,
                restore_hidden(definition.schema, args),
                outputs=call.outputs,
                call_id=call.call_id,
                on_progress=call.on_progress,
                elicit=call.elicit,
                answers=call.answers,
            )
        except McpError as error:
            if call.answers and not error.may_have_run:
                # it has forgotten what it asked, as after its restart: every round is the same call
                return await self.call(tool, args, replace(call, answers=None))
            reason = remove_hidden(str(error))
            unknown = error.may_have_run and not tool.is_repeatable
            return CallResult(error=MAY_HAVE_RUN.format(reason=reason) if unknown else reason)
        except ToolError as error:
            return CallResult(error=remove_hidden(str(error)))
        return answer

    def start_background(self) -> None:
        """Ask the servers that were never asked what they offer, for the next thread."""
        if self.servers and self._background is None:
            self._background = asyncio.create_task(self._ask_unknown())

    async def _ask_unknown(self) -> None:
        definitions = await asyncio.to_thread(self.read_known)
        unknown = [server for name, server in self.servers.items() if name not in definitions]
        await asyncio.gather(*map(self._ask_quietly, unknown))

    async def _ask_quietly(self, server: McpServer) -> None:
        try:
            await self.get_connection(server).list_definitions()
        except McpError as error:  # its status says so, and the thread's next note
            _logger.info("MCP server %s: %s", server.name, error)

    async def close(self) -> None:
        """Stop asking; the connections belong to who opened them."""
        if self._background:
            self._background.cancel()
            await asyncio.gather(self._background, return_exceptions=True)
            self._background = None


def _name_all(by_server: Mapping[str, ServerDefinitions]) -> dict[str, ToolDefinition]:
    return name_tools(tool for definitions in by_server.values() for tool in definitions.tools)


def suggest(name: str, existing_names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: near ones, or all of a few."""
    names = sorted(existing_names)
    close = get_close_matches(name, names, n=3, cutoff=0.4)
    quoted_names = ", ".join(f"`{candidate}`" for candidate in close or names[:20])
    if not quoted_names:
        return ""
    return f"; did you mean {quoted_names}?" if close else f"; there are: {quoted_names}"
