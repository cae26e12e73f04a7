"""Calls of servers' tools in threads: what has changed or is forgotten since they were allowed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from talk import Talk, says

from maxagent import Runner
from maxagent.nodes.mcp.server_call import CHANGED
from maxagent.sdk.events import Question, ToolResult
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.tool_adapter import build_tool

SERVERS = Path(__file__).parents[2] / "fixtures" / "mcp_servers"
HOSTILE = {"command": sys.executable, "args": ["-S", str(SERVERS / "hostile.py")]}


@pytest.fixture(autouse=True)
def _own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def configure(folder: Path, **servers: Any) -> None:
    file = folder / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"servers": servers}))


def use(tool: str, **args: object) -> dict[str, Any]:
    return says(use_mcp_tool={"server_name": "s", "tool_name": tool, "arguments": args})


@contextmanager
def serve(port: int = 0) -> Iterator[int]:
    """A server of the new era by HTTP; its port."""
    command = [sys.executable, "new_era_server.py", "http", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=SERVERS) as process:
        assert process.stdout
        yield int(process.stdout.readline())
        process.kill()


async def test_a_server_that_forgot_its_question_gets_the_answer(tmp_path: Path) -> None:
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, use("ask"), says("Done."))
        with serve() as port:
            configure(tmp_path, s={"type": "http", "url": f"http://127.0.0.1:{port}/mcp"})
            asked = await talk.say("ask", mode="auto")
        assert isinstance(asked, Question) and asked.action_requests[0]["name"] == "mcp_s_ask"
        with serve(port):  # another process: it cannot read the state of the first
            await talk.decide(type="respond", message="Ann")
    [result] = talk.heard(ToolResult)
    assert result.ok and "\nhello Ann\n" in result.output


async def test_a_tool_that_changed_since_it_was_allowed_is_not_run(tmp_path: Path) -> None:
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "good"}})
    first, second = use("echo", text="hi"), use("write", text=str(tmp_path / "x"))
    both = {"tool_calls": [*first["tool_calls"], *second["tool_calls"]]}
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, both, says("Well."))
        options: Any = {**talk.options, "mode": "auto"}
        async for event in runner.chat("write", folder=talk.folder, options=options):
            if isinstance(event, ToolResult):
                runner.stop()
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "changed"}})
    async with Runner(home=tmp_path / "home") as runner:
        events = [item async for item in runner.resume(event.thread_id)]
    [result] = [item for item in events if isinstance(item, ToolResult)]
    assert (result.tool, result.ok, result.error) == ("mcp_s_write", False, CHANGED)
    assert not (tmp_path / "x").exists()


async def test_an_answer_allows_only_the_tool_that_was_shown(tmp_path: Path) -> None:
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "good"}})
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, use("write", text=str(tmp_path / "x")), says("Well."))
        await talk.say("write")
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "changed"}})
    async with Runner(home=tmp_path / "home") as runner:
        talk.runner = runner
        assert isinstance(await talk.answer(approve=True), Question)
        assert not (tmp_path / "x").exists()
        await talk.answer(approve=True)
    assert (tmp_path / "x").exists()


async def test_a_server_that_was_removed_is_named(tmp_path: Path) -> None:
    configure(tmp_path, s=HOSTILE, other=HOSTILE)
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, use("echo", text="x"), says("Well."))
        await talk.say("say x")
        configure(tmp_path, other=HOSTILE)
        await talk.answer(approve=True)
    [result] = talk.heard(ToolResult)
    assert (result.ok, result.error) == (False, "there is no MCP server `s`; there are: `other`")


def test_only_what_a_users_server_calls_read_only_runs_again() -> None:
    reads = ToolDefinition("s", "t", "", read_only=True)
    assert build_tool("mcp_s_t", reads, from_project=False).is_repeatable
    assert not build_tool("mcp_s_t", reads, from_project=True).is_repeatable
    writes = ToolDefinition("s", "t", "")
    assert not build_tool("mcp_s_t", writes, from_project=False).is_repeatable
