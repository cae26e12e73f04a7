"""The servers of a run: tools by their names, and calls whose every error is a result."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.mcp_access import McpAccess, ServerCall, suggest
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.mcp.tool_adapter import McpTool
from maxagent.tools.result import CallResult, ToolError

Open = Callable[..., McpAccess]


@pytest.fixture
async def open_access(hostile: Callable[..., McpServer], tmp_path: Path) -> AsyncGenerator[Open]:
    connections = McpConnections(tmp_path)

    def build(*modes: str, **settings: object) -> McpAccess:
        return McpAccess([hostile(mode, **settings) for mode in modes], connections, tmp_path)

    yield build
    await connections.close()


async def call(access: McpAccess, tool: McpTool, folder: Path) -> CallResult:
    result = await access.call(tool, {"text": "x"}, ServerCall("call_1", folder))
    assert isinstance(result, CallResult)
    return result


async def test_a_tool_has_the_servers_name_and_ours(open_access: Open) -> None:
    access = open_access("good")
    assert access.read_known() == {}
    for name in ("echo", "mcp_good_echo"):
        assert (await access.load_tool("good", name)).name == "mcp_good_echo"
    tool = await access.find_tool("mcp_good_where")
    assert tool and tool.definition.name == "where"
    assert await access.find_tool("mcp_good_nothing") is None
    assert [*access.find_known_tools(["mcp_good_echo", "read_file"])] == ["mcp_good_echo"]
    with pytest.raises(ToolError, match="has no tool `ecko`; did you mean `echo`"):
        await access.load_tool("good", "ecko")
    with pytest.raises(ToolError, match="no MCP server `god`; did you mean `good`"):
        await access.load_tool("god", "echo")


async def test_a_tool_of_a_server_never_asked_is_found(open_access: Open) -> None:
    tool = await open_access("good").find_tool("mcp_good_where")
    assert tool and tool.definition.name == "where"


async def test_what_was_offered_last_is_known_without_the_server(open_access: Open) -> None:
    access = open_access("good")
    offered = await access.load_definitions(access.servers["good"])
    missing = replace(access.servers["good"], command="false")
    assert missing.digest == access.servers["good"].digest
    assert (
        await McpAccess([missing], McpConnections(access.home), access.home).load_definitions(
            missing
        )
        == offered
    )


async def test_a_call_without_an_answer_is_an_unknown_outcome(
    open_access: Open, tmp_path: Path
) -> None:
    access = open_access("deaf", call_timeout=0.2)
    tool = await access.load_tool("deaf", "echo")
    missing = await call(access, tool, tmp_path)
    assert missing.error.startswith("Outcome unknown: ")
    assert "do not simply repeat the call" in missing.error
    reads = tool.model_copy(update={"is_repeatable": True})
    assert "Outcome unknown" not in (await call(access, reads, tmp_path)).error
    access.servers.clear()
    assert (await call(access, tool, tmp_path)).error == "there is no MCP server `deaf`"


async def test_the_background_asks_servers_that_are_unknown(open_access: Open) -> None:
    access = open_access("good", "broken")
    access.start_background()
    assert access._background
    await access._background
    assert [*access.read_known()] == ["good"]
    await access.close()


def test_an_unknown_name_gets_near_ones_or_a_few() -> None:
    assert suggest("ecko", ["echo", "zzz"]) == "; did you mean `echo`?"
    assert suggest("q", ["b", "a"]) == "; there are: `a`, `b`"
    assert suggest("q", []) == ""
