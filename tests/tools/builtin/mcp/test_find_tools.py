"""The search in what servers offer, with servers that answer, end and are late."""

import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from maxagent.tools.builtin.mcp import find_tools as module
from maxagent.tools.builtin.mcp.find_tools import find_tools, search_tools
from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.mcp_access import McpAccess
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

SERVER = Path(__file__).parents[3] / "fixtures" / "mcp_servers" / "hostile.py"

TOOLS = [
    ToolDefinition("github", "search_repos", "Search for repositories."),
    ToolDefinition("github", "createIssue", "Open an issue in a repository."),
    ToolDefinition("db", "query", "Run SQL.", {"properties": {"sql": {}}}),
    ToolDefinition("weather", "forecast", "天气 of tomorrow"),
]


@pytest.fixture
async def connections(tmp_path: Path) -> AsyncGenerator[McpConnections]:
    connections = McpConnections(tmp_path)
    yield connections
    await connections.close()


async def search(connections: McpConnections, folder: Path, *modes: str) -> list[str]:
    """The lines that a search answers, with servers that behave so."""
    servers = [
        McpServer(mode, "stdio", command=sys.executable, args=("-S", "-I", str(SERVER), mode))
        for mode in modes
    ]
    access = McpAccess(servers, connections, folder)
    run = ToolRun(Workspace(folder), "call_1", folder, mcp=access)
    result = await invoke(find_tools, {"query": "echo"}, run)
    assert result.ok
    return result.output.splitlines()


async def test_a_server_without_answer_is_named_once(
    connections: McpConnections, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await search(connections, tmp_path, "good", "broken")
    assert "server_name: good, tool_name: echo" in answer
    assert answer[-1].startswith(">>>>") and answer[-3].startswith("<<<<")
    assert answer[-2] == (
        "the MCP server `broken` cannot be used: it ended with exit code 7: "
        "ModuleNotFoundError: no module"
    )
    monkeypatch.setattr(module, "MAX_WAIT_SECONDS", 0.01)
    answer = await search(connections, tmp_path, "good", "hang")
    assert "server_name: good, tool_name: echo" in answer, "it is known by now"
    assert answer[-1] == "The server `hang` does not answer yet."


def find(query: str) -> list[str]:
    return [tool.name for tool in search_tools(TOOLS, query, 5)]


def test_words_of_names_descriptions_and_arguments_are_found() -> None:
    assert find("open an issue")[0] == "createIssue"
    assert find("searching repository repos")[0] == "search_repos"
    assert find("sql") == ["query"]
    assert find("天气") == ["forecast"]
    assert find("forecast") == ["forecast"] and find("github")[0] in ("search_repos", "createIssue")
    assert find("nothing like it") == find("") == []


@pytest.mark.parametrize(
    ("description", "query", "is_found"),
    [
        ("Найти погоду в городе", "погода", True),
        ("Найти погоду в городе", "Города", True),
        ("Удалить все файлы навсегда", "погода", False),
        ("Βρες τον καιρό", "καιρό", True),
        ("Βρες τον καιρό", "και", False),
        ("Prévision météo à l'heure", "météo", True),
        ("明天的天气", "天气", True),
        ("HTTPServer of createIssue", "http issue", True),
    ],
)
def test_words_of_every_script_are_found(description: str, query: str, is_found: bool) -> None:
    tool = ToolDefinition("s", "x1", description, {"properties": None})
    assert bool(search_tools([tool], query, 5)) == is_found
