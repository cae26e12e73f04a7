"""What was sent once is sent again byte for byte, or the provider's cache is lost."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from provider import Answer, Provider

from maxagent import Runner, trust

SERVERS = Path(__file__).parents[1] / "fixtures" / "mcp_servers"


def call(name: str, **args: object) -> Answer:
    return {"tool_calls": [{"name": name, "args": args}]}


async def test_no_byte_of_the_prefix_changes(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    trust(project, home)
    thread = ""

    async def say(text: str, *answers: Answer, **chosen: Any) -> None:
        nonlocal thread
        provider.script([*answers, {"text": "Yes."}])
        async with Runner(home=home) as runner:  # each turn is a resume
            options: Any = {"model": "openai/served", "base_url": provider.url, **chosen}
            begun = runner.chat(text, folder=project, options=options)
            turn = runner.say(thread, text, options=options) if thread else begun
            async for event in turn:
                thread = thread or event.thread_id

    def configure(server: str) -> None:
        file = tmp_path / "maxagent/mcp_servers.json"
        file.parent.mkdir(exist_ok=True)
        command = {"command": sys.executable, "args": ["-S", str(SERVERS / "hostile.py")]}
        file.write_text(json.dumps({"servers": {server: command}}))

    await say("Begin.", mode="ask")
    await say("Note it.", call("record_note", title="Name", text="It is MaxAgent."), mode="auto")
    await say("Read it.", call("search_memory", query="name"))
    await say("Build it.", mode="edits")
    configure("first")
    await say("Look at the server.")
    configure("second")
    (project / "AGENTS.md").write_text("Be brief.\n")
    await say("Look again.", mode="ask")
    requests = [request.raw for request in provider.requests]
    assert len(requests) == 8
    for earlier, later in zip(requests, requests[1:], strict=False):
        assert later.startswith(earlier.removesuffix(b"]}"))
