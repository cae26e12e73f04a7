"""Threads go from the command line to LangGraph's server and back."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

if find_spec("langgraph_api") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from studio import LANGGRAPH_DEV, MCODE, House, free_port

WRITE = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}
DONE = {"name": "attempt_completion", "args": {"result": "log.txt is written"}}
APPROVE = {"decisions": [{"type": "approve"}]}
EVERY_TOOL = [
    [{"name": "write_file", "args": {"path": "log.txt", "content": "one\n"}}],
    [
        {"name": "read_file", "args": {"path": "log.txt"}},
        {"name": "list_files", "args": {}},
        {"name": "glob", "args": {"pattern": "*.txt"}},
        {"name": "grep", "args": {"pattern": "one"}},
        {"name": "git_status", "args": {}},
        {"name": "git_diff", "args": {}},
        {"name": "git_log", "args": {}},
        {"name": "git_branch", "args": {}},
        {"name": "todoread", "args": {}},
    ],
    [{"name": "edit", "args": {"file_path": "log.txt", "old_string": "one", "new_string": "two"}}],
    [{"name": "run_command", "args": {"command": "seq 100000"}}],
    [{"name": "command_output", "args": {"file": "no-such-file"}}],
    [{"name": "todowrite", "args": {"action": "create", "todos": []}}],
    [{"name": "todoclear", "args": {}}],
    [{"name": "ask_user", "args": {"question": "Is it right?"}}],
]


def turns(*calls: Any) -> list[dict[str, Any]]:
    return [{"tool_calls": call if isinstance(call, list) else [call]} for call in (*calls, DONE)]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="module")
def address(house: House) -> Iterator[str]:
    """`mcode studio`, for the whole module: it takes some seconds to start."""
    with house.serve(*MCODE, "studio") as (address, _):
        yield address


@pytest.fixture
def client(address: str) -> LangGraphClient:
    return get_client(url=address)


async def outcome_of(client: LangGraphClient, thread: str) -> Any:
    state = await client.threads.get_state(thread)
    return None if state["next"] else state["values"]["outcome"]


async def test_a_run_paused_in_the_command_line_is_finished_in_studio(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("paused-here", turns(WRITE))
    code, asked = house.begin(task)
    thread, log = asked["thread_id"], Path(task["folder"], "log.txt")
    assert (code, log.exists()) == (4, False)

    await client.threads.create(thread_id=thread, graph_id="task", if_exists="do_nothing")
    state = await client.threads.get_state(thread)
    assert state["next"] == ["approve"]
    (question,) = state["interrupts"]
    assert question["value"]["action_requests"] == asked["action_requests"]
    ended = await client.runs.wait(thread, "task", command={"resume": APPROVE})

    assert (ended["outcome"], log.read_text()) == ("verified", "x\n")
    assert (ended["evidence"]["verdict"], ended["completion"]) == ("passed", "log.txt is written")
    assert [m["name"] for m in ended["messages"] if m["type"] == "tool"] == [
        "run_command",
        "attempt_completion",
    ]
    code, (seen,), _ = house.mcode("resume", thread, "--output", "json")
    assert (code, seen["outcome"], seen["evidence"]) == (0, "verified", ended["evidence"])
    listed = house.mcode("threads", "show", thread)
    assert listed[0] == 0


async def test_a_thread_begun_in_studio_is_finished_in_the_command_line(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("begun-there", turns(WRITE))
    thread = (await client.threads.create())["thread_id"]
    asked = await client.runs.wait(thread, "task", input=task)
    assert asked["__interrupt__"][0]["value"]["action_requests"][0]["args"] == WRITE["args"]

    code, (ended,), _ = house.mcode("resume", thread, "--approve", "--output", "json")

    log = Path(task["folder"], "log.txt").read_text()
    assert (code, ended["outcome"], log) == (0, "verified", "x\n")
    assert await outcome_of(client, thread) == "verified"
