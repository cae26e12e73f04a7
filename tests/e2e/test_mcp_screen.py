"""What MCP servers are in a conversation, on real keys and a real screen."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_window import ChatWindow
from provider import Provider

SERVERS = Path(__file__).parents[1] / "fixtures" / "mcp_servers"


@pytest.fixture
def window(tmp_path: Path, provider: Provider) -> Iterator[ChatWindow]:
    window = ChatWindow(tmp_path, provider, "en")
    file = tmp_path / ".config" / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(parents=True)
    servers = {
        era: {"command": sys.executable, "args": [str(SERVERS / f"{era}_era_server.py")]}
        for era in ("old", "new")
    }
    file.write_text(json.dumps({"servers": servers}))
    with window.open(rows=40):
        yield window


def test_servers_ask_and_are_asked(window: ChatWindow) -> None:
    window.say("/mcp tools old", until="/old:greet")
    window.say("/mcp reconnect new", until="ready, 15 tools")
    window.answers({"text": "Hello, Ann."})
    window.say("/old:greet Ann", until="Hello, Ann.")
    for era in ("old", "new"):  # asked while the call runs, and instead of its answer
        window.answers(
            {"tool_calls": [{"name": f"mcp_{era}_ask", "args": {}}]}, {"text": f"{era} is done."}
        )
        window.type("Ask me").press("enter")
        window.asked(f"mcp_{era}_ask")
        window.type("y")
        window.asked(f"the MCP server `{era}` asks: What is your name?", "Fill in the form?")
        window.type("1")
        window.terminal.wait_for(lambda screen: screen.rstrip().endswith("\nName:"))
        window.type("Ann").press("enter")
        window.see(f"{era} is done.")
        window.rest()
        assert "hello Ann" in window.told()
