"""`/mcp`, a server's prompts, resources and questions in a conversation, with a real server."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner
from maxagent.config.errors import UsageError

SERVERS = Path(__file__).parents[3] / "fixtures" / "mcp_servers"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of the old era over HTTP, for all tests: it takes a second to start."""
    script = str(SERVERS / "old_era_server.py")
    with subprocess.Popen([sys.executable, script, "http"], stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        process.kill()


@pytest.fixture
async def talk(
    spoken: Spoken, provider: Provider, address: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Spoken]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(spoken.home.parent))
    servers = {
        "old": {"type": "http", "url": address},
        "gone": {"command": "false"},
        "off": {"command": "false", "enabled": False},
        "unset": {"command": "${NOT_SET_HERE}"},
    }
    spoken.write("maxagent/mcp_servers.json", json.dumps({"servers": servers}))
    spoken.session.options = {"model": "openai/served", "base_url": provider.url, "mode": "auto"}
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        yield spoken


async def test_servers_are_listed_with_what_they_offer(talk: Spoken) -> None:
    entries = await talk("/mcp")
    for text in ("disabled", "not started", "failed: the variable `NOT_SET_HERE` is not set"):
        assert text in entries
    offered = await talk("/mcp tools old")
    for name in ("mcp_old_echo", "/old:greet", "@old:memo://one"):
        assert name in offered
    assert "ready, 15 tools · older protocol" in await talk("/mcp")
    assert "ready, 15 tools" in await talk("/mcp reconnect old")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/mcp what", "`/mcp what` is unknown or incomplete"),
        ("/mcp tools", "`/mcp tools` is unknown or incomplete"),
        ("/mcp tools oldd", "no MCP server `oldd`; did you mean `old`"),
        ("/mcp tools gone", "`gone` cannot be used: it ended with exit code 1"),
        ("/mcp reconnect gone", "`gone` cannot be used: it ended with exit code 1"),
        ("/mcp reconnect off", "no MCP server `off`"),
        ("/old:greet", "the argument `who` is missing"),
        ("/old:nothing", "`/old:nothing`"),
        ("/nobody:greet x", "no MCP server `nobody`"),
    ],
)
async def test_what_cannot_be_done_is_one_line(talk: Spoken, line: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        await talk(line)
    assert problem in caught.value.message and "\n" not in caught.value.message


async def test_without_servers_it_says_so(talk: Spoken) -> None:
    talk.write("maxagent/mcp_servers.json", "{}")
    assert "No MCP server is configured" in await talk("/mcp")


@pytest.mark.parametrize("arguments", ["Ann Lee", "'Ann Lee'", "who='Ann Lee'"])
async def test_a_prompt_is_sent_as_the_message(
    talk: Spoken, provider: Provider, arguments: str
) -> None:
    provider.script([{"text": "Hello, Ann."}])
    assert "Hello, Ann." in await talk(f"/old:greet {arguments}")
    messages = provider.requests[-1].body["messages"]
    assert "Say hello to Ann Lee." in [message["content"] for message in messages]


async def test_a_mentioned_resource_is_shown_to_the_model(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "Read."}])
    output = await talk.say("see @old:memo://one and @old:memo://none, @nobody:x")
    assert "attached: @old:memo://one" in output and "@old:memo://none, @nobody:x: not" in output
    request = str(provider.requests[-1].body["messages"])
    assert "a resource that the user mentioned" in request and "the first memo" in request
    assert "A stranger wrote it" in request


@pytest.mark.parametrize(
    ("typed", "answer"), [("yes\nAnn\n", "hello Ann"), ("no\n", "decline"), ("yes\n", "cancel")]
)
async def test_a_pushed_question_is_answered_while_the_call_runs(
    talk: Spoken, provider: Provider, typed: str, answer: str
) -> None:
    use = {"server_name": "old", "tool_name": "ask", "arguments": {}}
    calls = [{"name": "use_mcp_tool", "args": use}]
    provider.script([{"tool_calls": calls}, {"text": "Done."}])
    output = await talk.say("ask", typed=typed)
    assert "the MCP server `old` asks: What is your name?" in output
    messages = provider.requests[-1].body["messages"]  # a note about the server may be the last
    assert answer in next(message["content"] for message in messages if message["role"] == "tool")
