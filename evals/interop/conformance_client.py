"""The client that MCP's conformance suite runs: MaxAgent's own, which uses all that is offered.

    python evals/interop/conformance_client.py URL

The suite says what it wants in `MCP_CONFORMANCE_SCENARIO` and `MCP_CONFORMANCE_CONTEXT`. A server
that wants a login gets one, as `mcode mcp login` makes it, by a browser that consents at once.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from consenting_browser import ConsentingBrowser
from sample_arguments import build_arguments, build_form_answer

from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.definition import ServerDefinitions, ToolDefinition
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.input_request import InputAnswer, InputAnswers, InputRequest, InputRequired
from maxagent.tools.mcp.oauth.login import log_in
from maxagent.tools.mcp.server_config import McpServer

# The document that the suite's authorization servers know
CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"
MAX_LOGINS = 3
Result = TypeVar("Result")


class ConformanceClient:
    """One server of the suite, and the user before it."""

    def __init__(self, url: str, home: Path, context: Mapping[str, Any]) -> None:
        oauth = {"client_metadata_url": CLIENT_DOCUMENT}
        for key in ("client_id", "client_secret"):
            if key in context:
                oauth[key] = context[key]
        self.server = McpServer("conformance", "http", url=url, oauth=oauth)
        self.home, self.context = home, context
        self.connections = McpConnections(home)
        self.logins = 0

    async def use_everything(self) -> None:
        """List what there is, call each tool, read each resource, get each prompt."""
        connection = self.connections.get(self.server)
        try:
            definitions = await self.with_login(connection, connection.list_definitions)
            calls = self.context.get("toolCalls") or list_calls(definitions)
            await asyncio.gather(*[self.call(connection, one) for one in calls])
            for resource in definitions.resources:
                if not resource.is_template:
                    await connection.read_resource(resource.uri)
            for prompt in definitions.prompts:
                arguments = {each.name: "x" for each in prompt.arguments}
                await connection.get_prompt(prompt.name, arguments)
        finally:
            await self.connections.close()

    async def call(self, connection: McpConnection, call: Mapping[str, Any]) -> None:
        """Call a tool, and answer what it asks; an error is for the model, and ends nothing."""
        try:
            await self.call_and_answer(connection, call)
        except McpError as error:
            print(f"{call['name']}: {error}")

    async def call_and_answer(self, connection: McpConnection, call: Mapping[str, Any]) -> None:
        """Call a tool, once for each round of questions; raises McpError."""
        name, arguments = str(call["name"]), dict(call["arguments"])
        answers: InputAnswers | None = None
        while True:
            result = await self.with_login(
                connection,
                partial(connection.call_tool, name, arguments, elicit=answer, answers=answers),
            )
            if not isinstance(result, InputRequired):
                print(f"{name}: {result.output or result.error}")
                return
            given = {key: await answer(request) for key, request in result.requests.items()}
            answers = InputAnswers(given, result.state, result.round)

    async def with_login(
        self, connection: McpConnection, action: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Do it, and again after a login if the server wants one."""
        has_logged_in = False
        while True:
            try:
                if has_logged_in:  # without it the next call would come too early
                    await connection.reconnect()
                return await action()
            except McpError as error:
                print(f"refused: {error}", file=sys.stderr)
                if "mcode mcp login" not in str(error) or self.logins == MAX_LOGINS:
                    raise
                self.logins += 1
                await log_in(self.server, self.home, ConsentingBrowser())
                has_logged_in = True


def list_calls(definitions: ServerDefinitions) -> list[Mapping[str, Any]]:
    """Return a call of each tool; an echo of schemas gets the schema of another tool."""
    return [
        {"name": tool.name, "arguments": find_arguments(tool, definitions)}
        for tool in definitions.tools
    ]


def find_arguments(tool: ToolDefinition, definitions: ServerDefinitions) -> dict[str, Any]:
    """Return arguments that fit the tool's schema."""
    others = [each for each in definitions.tools if each.name != tool.name]
    if others and list(tool.schema.get("properties", {})) == ["schema"]:
        return {"schema": others[0].schema}
    return build_arguments(tool.schema)


async def answer(request: InputRequest) -> InputAnswer:
    """Return what a user answers who presses Enter at every field."""
    return InputAnswer("accept", build_form_answer(request.schema))


def main() -> None:
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    with tempfile.TemporaryDirectory() as home:
        client = ConformanceClient(sys.argv[-1], Path(home), context)
        asyncio.run(client.use_everything())


if __name__ == "__main__":
    main()
