"""What a thread is offered of MCP servers: settled by its first request, then never changed."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from provider import Provider

from maxagent import Runner, trust
from maxagent.sdk.events import ToolResult
from maxagent.tools.mcp.config_files import load_servers
from maxagent.tools.mcp.connection import McpConnection

SERVER = Path(__file__).parents[2] / "fixtures" / "mcp_servers" / "hostile.py"
TURNS = 30


def configure(folder: Path, mode: str) -> None:
    file = folder / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(exist_ok=True)
    server = {"command": sys.executable, "args": ["-S", str(SERVER)], "env": {"MCP_MODE": mode}}
    file.write_text(json.dumps({"servers": {"s": server}}))


def take_tools(raw: bytes) -> str:
    """The tools of a request, byte by byte."""
    text = raw.decode()
    start = text.index('"tools":') + len('"tools":')
    _, end = json.JSONDecoder().raw_decode(text, start + text[start:].index("["))
    return text[start:end]


async def ask_server(home: Path) -> None:
    """Ask the server once what it offers, as `mcode mcp add` does."""
    [server] = load_servers(None, home)
    connection = McpConnection(server, home)
    assert len((await connection.list_definitions()).tools) > 300
    await connection.close()


async def test_tool_bytes_are_equal_over_thirty_turns(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    trust(project, home)
    options: Any = {"model": "openai/served", "base_url": provider.url, "mode": "auto"}
    use = {"server_name": "s", "tool_name": "tool_007", "arguments": {"text": "x"}}
    calls = {"tool_calls": [{"name": "use_mcp_tool", "args": use}]}
    configure(tmp_path, "many")
    await ask_server(home)
    results, thread = [], ""
    for _ in range(2):
        async with Runner(home=home) as runner:
            for turn in range(TURNS // 2):
                provider.script([calls, {"text": "Done."}] if turn % 5 == 0 else [{"text": "Yes."}])
                events = (
                    runner.say(thread, "Go on.")
                    if thread
                    else runner.chat("Begin.", folder=project, options=options)
                )
                async for event in events:
                    thread = thread or event.thread_id
                    results += [event.ok] if isinstance(event, ToolResult) else []
        configure(tmp_path, "good")  # the same server after an update: it has lost 300 tools
    assert results == [True] * 3 + [False] * 3
    assert len(provider.requests) == TURNS + 6
    [tools] = {take_tools(request.raw) for request in provider.requests}
    assert "s (305 tools): " in provider.requests[0].raw.decode()
    names = [tool["function"]["name"] for tool in json.loads(tools)]
    assert names[-2:] == ["find_tools", "use_mcp_tool"] and "tool_007" not in tools
