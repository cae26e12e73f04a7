"""Both eras on both transports: what a server offers reaches us whole."""

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from maxagent.tools.filesystem.images import load_image
from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.definition import ServerDefinitions
from maxagent.tools.mcp.definition_cache import read_definitions
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.input_request import InputAnswer, InputAnswers, InputRequest, InputRequired
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.result import IMAGES, CallResult

pytestmark = pytest.mark.asyncio(loop_scope="module")
CHANGES: list[ServerDefinitions] = []


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def connection(everything: McpServer, home: Path) -> AsyncGenerator[McpConnection]:
    connections = McpConnections(home, on_change=lambda _, new: CHANGES.append(new))
    yield connections.get(everything)
    await connections.close()


async def call(connection: McpConnection, name: str, **arguments: object) -> CallResult:
    result = await connection.call_tool(name, arguments)
    assert isinstance(result, CallResult)
    return result


def inner(result: CallResult) -> str:
    """What stands between the marks."""
    return "\n".join(result.output.splitlines()[2:-1])


async def test_a_server_lists_what_it_offers(connection: McpConnection, home: Path) -> None:
    offered = await connection.list_definitions()
    tools = {tool.name: tool for tool in offered.tools}
    assert offered.era == connection.server.name.partition("-")[0]
    assert len(tools) == 15
    assert tools["echo"].read_only and not tools["add"].read_only
    assert tools["add"].schema["required"] == ["a", "b"]
    assert [prompt.name for prompt in offered.prompts] == ["greet"]
    assert [resource.uri for resource in offered.resources] == ["memo://one", "memo://{key}/page"]
    assert offered.instructions == "Ask echo first."
    assert read_definitions(home, connection.server) == offered
    assert (connection.status.state, connection.status.tools) == ("ready", 15)


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("echo", {"text": "hi\u202e there"}, "hi there"),
        ("add", {"a": 2, "b": 3}, "5"),
        ("structured", {}, '{\n "answer": 42\n}'),
        ("hidden", {}, "harmless"),
    ],
)
async def test_a_call_answers_text(
    connection: McpConnection, tool: str, arguments: dict[str, object], answer: str
) -> None:
    assert inner(await call(connection, tool, **arguments)) == answer


async def test_a_failed_call_is_an_error(connection: McpConnection) -> None:
    result = await call(connection, "fail")
    assert result.error == f"`{connection.server.name}/fail` reports an error"
    assert "fail" in inner(result)
    assert "no_such" in inner(await call(connection, "no_such"))


async def test_images_are_kept_and_others_named(connection: McpConnection, tmp_path: Path) -> None:
    result = await connection.call_tool("image", {}, outputs=tmp_path, call_id="call_1")
    assert isinstance(result, CallResult)
    (image,) = result.metadata[IMAGES]
    assert (load_image(tmp_path, image) or b"").startswith(b"\x89PNG")
    assert inner(result).splitlines() == [
        "a pixel:",
        f"[image {connection.server.name}/image 1: image/png, 70 bytes]",
        "[audio audio/wav, 72 bytes: cannot be played]",
        "[resource https://example.com/page (a page)]",
        "[resource memo://one]",
        "the first memo",
    ]


async def test_ten_megabytes_go_to_a_file(connection: McpConnection, tmp_path: Path) -> None:
    result = await connection.call_tool("big", {}, outputs=tmp_path, call_id="call_2")
    assert isinstance(result, CallResult)
    assert len(result.output) < 20_000
    assert 'command_output(id="call_2")' in result.output
    assert (tmp_path / "call_2.txt").stat().st_size == 10 * 50_000 * 20 - 1


async def test_progress_is_reported(connection: McpConnection) -> None:
    steps: list[tuple[float, float | None, str]] = []
    await connection.call_tool(
        "slow", {"seconds": 0.2}, on_progress=lambda *step: steps.append(step)
    )
    assert steps == [(float(n), 4.0, f"step {n}") for n in range(1, 5)]


async def test_a_question_is_answered(connection: McpConnection) -> None:
    asked: list[InputRequest] = []

    async def elicit(request: InputRequest) -> InputAnswer:
        asked.append(request)
        return InputAnswer("accept", {"name": "Ann"})

    result = await connection.call_tool("ask", {}, elicit=elicit)
    if isinstance(result, InputRequired):
        asked += result.requests.values()
        answers = InputAnswers({"name": InputAnswer("accept", {"name": "Ann"})}, result.state)
        result = await connection.call_tool("ask", {}, answers=answers)
    assert isinstance(result, CallResult)
    assert inner(result) == "hello Ann"
    (request,) = asked
    assert (request.kind, request.message) == ("form", "What is your name?")
    assert request.schema["required"] == ["name"]


async def test_without_a_user_questions_are_declined(connection: McpConnection) -> None:
    result = await connection.call_tool("ask", {})
    if isinstance(result, InputRequired):
        refusal = InputAnswers({"name": InputAnswer("decline")}, result.state)
        result = await connection.call_tool("ask", {}, answers=refusal)
    assert isinstance(result, CallResult)
    assert inner(result) == "decline"


async def test_resources_and_prompts_are_read(connection: McpConnection) -> None:
    assert "the first memo" in (await connection.read_resource("memo://one")).output
    assert "page of two" in (await connection.read_resource("memo://two/page")).output
    assert await connection.get_prompt("greet", {"who": "Ann"}) == "Say hello to Ann."
    with pytest.raises(McpError, match="reports an error"):
        await connection.get_prompt("no_such", {})


async def test_calls_run_at_the_same_time(connection: McpConnection) -> None:
    answers = await asyncio.gather(*(call(connection, "echo", text=str(n)) for n in range(20)))
    assert [inner(answer) for answer in answers] == [str(n) for n in range(20)]


async def test_a_cancelled_call_stops_in_the_server(
    connection: McpConnection, tmp_path: Path
) -> None:
    file = tmp_path / "hanging"
    task = asyncio.create_task(connection.call_tool("hang", {"file": str(file)}))
    await wait_for(file.exists)
    task.cancel()
    await wait_for(lambda: file.read_text() == "cancelled")
    assert inner(await call(connection, "echo", text="alive")) == "alive"


async def test_changed_tools_are_listed_again(connection: McpConnection) -> None:
    CHANGES.clear()
    await call(connection, "unlock")
    await wait_for(lambda: bool(CHANGES))
    assert "unlocked" in [tool.name for tool in CHANGES[-1].tools]
    assert "unlocked" in [tool.name for tool in (await connection.list_definitions()).tools]


async def test_a_server_that_dies_is_started_again(connection: McpConnection) -> None:
    if connection.server.transport != "stdio":
        pytest.skip("its process is not ours")
    with pytest.raises(McpError, match="ended with exit code 3: a last word") as caught:
        await call(connection, "die")
    assert caught.value.may_have_run
    assert connection.status.state == "failed"
    answers = await asyncio.gather(*(call(connection, "echo", text="back") for _ in range(3)))
    assert [inner(answer) for answer in answers] == ["back"] * 3


async def wait_for(condition: "object", seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
