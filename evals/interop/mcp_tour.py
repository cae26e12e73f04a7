"""One public server, used once by MaxAgent's client with all that it offers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcp_calls import SampleCall
from mcp_servers import PublicServer
from sample_arguments import build_form_answer

from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.definition import ServerDefinitions
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.input_request import InputAnswer, InputRequest, InputRequired
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.result import IMAGES


@dataclass
class Tour:
    """What a server showed."""

    server: str
    transport: str
    version: str = ""
    tools: int = 0
    called: int = 0
    images: int = 0
    reports: int = 0
    """Reports of progress."""
    questions: int = 0
    resources: int = 0
    prompts: int = 0
    faults: list[str] = field(default_factory=list[str])
    refusals: list[str] = field(default_factory=list[str])
    """Tools that the server refuses to call so, as it must."""


async def tour_server(
    public: PublicServer, calls: Sequence[SampleCall], home: Path, outputs: Path
) -> Tour:
    """Call each tool, read each resource, get each prompt."""
    tour = Tour(public.name, "HTTP" if public.url else "stdio")
    connections = McpConnections(home)
    connection = connections.get(to_server(public))
    try:
        definitions = await connection.list_definitions()
        tour.version, tour.tools = definitions.version, len(definitions.tools)
        await _call_tools(connection, definitions, calls, outputs, tour)
        await _read_resources(connection, definitions, outputs, tour)
        await _get_prompts(connection, definitions, tour)
    except McpError as error:
        tour.faults.append(str(error))
    finally:
        await connections.close()
    return tour


def to_server(public: PublicServer) -> McpServer:
    """Return the server as a file would define it."""
    if public.url:
        return McpServer(public.name, "http", url=public.url)
    command, *arguments = public.command
    return McpServer(
        public.name, "stdio", command=command, args=tuple(arguments), env=dict(public.env)
    )


async def _call_tools(
    connection: McpConnection,
    definitions: ServerDefinitions,
    calls: Sequence[SampleCall],
    outputs: Path,
    tour: Tour,
) -> None:
    offered = {tool.name for tool in definitions.tools}
    missing = offered - {call.tool for call in calls}
    tour.faults += [f"`{name}` was not called" for name in sorted(missing)]
    called: set[str] = set()
    for number, call in enumerate(calls):
        if call.tool in offered:
            called.add(call.tool)
            await _call_tool(connection, call, outputs, f"call-{number}", tour)
    tour.called = len(called)


async def _call_tool(
    connection: McpConnection, call: SampleCall, outputs: Path, call_id: str, tour: Tour
) -> None:
    async def answer(request: InputRequest) -> InputAnswer:
        tour.questions += 1
        return InputAnswer("accept", build_form_answer(request.schema))

    def count_report(progress: float, total: float | None, message: str) -> None:
        tour.reports += 1

    try:
        result = await connection.call_tool(
            call.tool,
            call.arguments,
            outputs=outputs,
            call_id=call_id,
            on_progress=count_report,
            elicit=answer,
        )
    except McpError as error:
        result = None
        shown = str(error)
        failed = True
    else:
        if isinstance(result, InputRequired):
            tour.faults.append(f"`{call.tool}` asks, in the old era")
            return
        shown, failed = result.output + result.error, bool(result.error)
        tour.images += len(result.metadata.get(IMAGES, ()))
    if failed != call.fails or call.shows not in shown:
        tour.faults.append(f"`{call.tool}`: {' '.join(shown.split())[:160]}")
    elif failed:
        tour.refusals.append(call.tool)


async def _read_resources(
    connection: McpConnection, definitions: ServerDefinitions, outputs: Path, tour: Tour
) -> None:
    for number, resource in enumerate(definitions.resources):
        uri = resource.uri.replace("{resourceId}", "1")
        result = await connection.read_resource(uri, outputs=outputs, call_id=f"read-{number}")
        if result.error or not result.output:
            tour.faults.append(f"{uri}: {result.error or 'it is empty'}")
        tour.resources += 1


async def _get_prompts(
    connection: McpConnection, definitions: ServerDefinitions, tour: Tour
) -> None:
    for prompt in definitions.prompts:
        arguments: Mapping[str, str] = {
            each.name: PROMPT_VALUES.get(each.name, "x") for each in prompt.arguments
        }
        if not await connection.get_prompt(prompt.name, arguments):
            tour.faults.append(f"the prompt `{prompt.name}` is empty")
        tour.prompts += 1


PROMPT_VALUES: dict[str, str] = {
    "department": "Engineering",
    "name": "Alice",
    "resourceType": "Text",
    "resourceId": "1",
}
