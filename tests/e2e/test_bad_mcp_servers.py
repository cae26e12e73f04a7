"""MCP servers that hang, flood, end or do not exist: no request waits for them, no run fails."""

import json
from pathlib import Path

import pytest
from program import Program
from provider import Provider

BAD = {
    "hanging": ["sleep", "600"],
    "flooding": ["/bin/sh", "-c", "yes 'not a message'"],
    "ending": ["/bin/sh", "-c", "echo no license >&2; exit 3"],
    "missing": ["/nonexistent/server"],
}


@pytest.fixture
def servers(program: Program) -> None:
    """The user's file with all of them; to start may take ten minutes."""
    file = Path(program.environ["HOME"]) / ".config" / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    definitions = {
        name: {"type": "stdio", "command": command, "args": args, "connect_timeout": 600}
        for name, (command, *args) in BAD.items()
    }
    file.write_text(json.dumps({"servers": definitions}))


@pytest.mark.usefixtures("servers")
def test_the_first_request_waits_for_no_server(program: Program, provider: Provider) -> None:
    provider.script([{"text": "Done."}])
    ended = program.chat("Hello.")
    assert ended.code == 0, ended.stderr
    assert len(provider.requests) == 1
    names = [tool["function"]["name"] for tool in provider.requests[0].body["tools"]]
    assert names[-2:] == ["find_tools", "use_mcp_tool"]


@pytest.mark.usefixtures("servers")
def test_a_call_of_a_bad_server_answers_with_its_reason(
    program: Program, provider: Provider
) -> None:
    calls = [
        {"name": "use_mcp_tool", "args": {"server_name": name, "tool_name": "add", "arguments": {}}}
        for name in ("ending", "missing")
    ]
    provider.script([{"tool_calls": calls}, {"text": "Done."}])
    ended = program.chat("Add.", "--mode", "auto")
    assert ended.code == 0, ended.stderr
    answers = [item["output"] + item["error"] for item in ended.told("tool_result")]
    assert len(answers) == 2
    assert "no license" in "".join(answers) or "exit code 3" in "".join(answers)
