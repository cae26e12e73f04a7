"""What LangGraph's server lists: the threads of the terminal, also those begun after its start."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

if find_spec("langgraph_api") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError
from program import PATIENCE
from studio import LANGGRAPH_DEV, MCODE, House

from maxagent import Answer, Runner
from maxagent.graphs import chat
from maxagent.memory.threads.lease import acquire_lease
from maxagent.sdk.threads.steps import find_step
from maxagent.sdk.threads.time_travel import rewind_talk

WRITE = {"name": "write_file", "args": {"path": "log.txt", "content": "x\n"}}
ASK = {"name": "ask_user", "args": {"question": "Which colour?"}}
APPROVE = {"decisions": [{"type": "approve"}]}
SERVERS = {"mcode": (*MCODE, "studio"), "langgraph": LANGGRAPH_DEV}
NAMES = iter(range(1000))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("listing"))


@pytest.fixture(scope="module", params=SERVERS)
def address(house: House, request: pytest.FixtureRequest) -> Iterator[str]:
    with house.serve(*SERVERS[request.param]) as (address, server):
        assert server.stdout
        Thread(target=read_to_end, args=(server.stdout.fileno(),), daemon=True).start()
        yield address


def read_to_end(pipe: int) -> None:
    """Read what `langgraph dev` logs of each request: it would wait for a full pipe."""
    with suppress(OSError):
        while os.read(pipe, 65536):
            pass


@pytest.fixture
async def client(address: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=address) as client:
        yield client


@pytest.fixture
async def runner(house: House) -> AsyncIterator[Runner]:
    async with Runner(home=house.folder / "home") as opened:
        yield opened


async def begin(house: House, runner: Runner, *turns: Any, **options: Any) -> str:
    """Begin a conversation with this model at the terminal; its thread."""
    location = house.project(f"p{next(NAMES)}", [])
    script = Path(f"{location['folder']}.json")
    script.write_text(json.dumps([*turns, {"text": "Done."}]))
    chosen: Any = {"model": f"scripted/{script}", "mode": "ask", **options}
    events = [item async for item in runner.chat("go", folder=location["folder"], options=chosen)]
    return events[0].thread_id


async def wait_for(client: LangGraphClient, thread: str, status: str) -> dict[str, Any]:
    """The thread as the server lists it, once it has this status."""
    async with asyncio.timeout(PATIENCE):
        while True:
            match = await client.threads.search(status=status, limit=1000)  # type: ignore[arg-type]
            for item in match:
                if item["thread_id"] == thread and item.get("values"):
                    return dict(item)
            await asyncio.sleep(0.1)


async def wait_until_gone(client: LangGraphClient, thread: str) -> None:
    with suppress(NotFoundError):
        async with asyncio.timeout(PATIENCE):
            while True:
                await client.threads.get(thread)
                await asyncio.sleep(0.1)


def calls(*names: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": [*names]}


@pytest.mark.parametrize(
    ("turns", "status", "asked"),
    [
        ([], "idle", []),
        ([calls(WRITE)], "interrupted", ["write_file"]),
        ([calls(ASK)], "interrupted", ["ask_user"]),
        ([calls(WRITE, ASK)], "interrupted", ["write_file", "ask_user"]),
        ([calls({"name": "plan_enter", "args": {}})], "interrupted", ["plan_enter"]),
        ([calls({"name": "list_files", "args": {}})], "idle", []),
    ],
)
async def test_thread_begun_later_is_listed(
    house: House, client: LangGraphClient, runner: Runner, turns: Any, status: str, asked: Any
) -> None:
    thread = await begin(house, runner, *turns)
    entries = await wait_for(client, thread, status)
    questions = [item["value"] for each in entries["interrupts"].values() for item in each]
    names = [item["name"] for question in questions for item in question["action_requests"]]
    assert (names, entries["metadata"]["graph_id"]) == (asked, "chat")
    assert entries["values"]["request"] == "go"


async def test_listed_status_follows_the_terminal(
    house: House, client: LangGraphClient, runner: Runner
) -> None:
    thread = await begin(house, runner, calls(WRITE), calls(ASK))
    await wait_for(client, thread, "interrupted")
    _ = [item async for item in runner.resume(thread, Answer(approve=True))]
    with acquire_lease(runner.home, thread):
        runner.threads.set_status(thread, "running")
        await wait_for(client, thread, "busy")
        with pytest.raises(Exception, match="in use|runs|busy"):
            await client.threads.update_state(thread, {"todos": []})
    runner.threads.set_status(thread, "waiting")
    entries = await wait_for(client, thread, "interrupted")
    assert "ask_user" in json.dumps(entries["interrupts"])
    runner.threads.delete(thread)
    await wait_until_gone(client, thread)


async def test_edited_thread_asks_again_and_ends(
    house: House, client: LangGraphClient, runner: Runner
) -> None:
    thread = await begin(house, runner, calls(WRITE), calls(ASK))
    await wait_for(client, thread, "interrupted")
    await client.threads.update_state(thread, {"todos": []})
    assert (await client.threads.get_state(thread))["next"] == ["approve"]
    assert runner.threads.get(thread).status == "interrupted"
    asked: Any = await client.runs.wait(thread, "chat", input=None)
    assert "write_file" in json.dumps(asked["__interrupt__"])
    assert runner.threads.get(thread).status == "waiting"
    asked = await client.runs.wait(thread, "chat", command={"resume": APPROVE})
    assert "ask_user" in json.dumps(asked["__interrupt__"])
    ended: Any = await client.runs.wait(thread, "chat", command={"resume": "blue"})
    assert (ended["outcome"], ended["summary"]) == ("answered", "Done.")
    assert "blue" in json.dumps(ended["messages"])


async def test_deleted_thread_is_gone_at_the_terminal(
    house: House, client: LangGraphClient, runner: Runner
) -> None:
    thread = await begin(house, runner, calls(WRITE))
    await wait_for(client, thread, "interrupted")
    with acquire_lease(runner.home, thread), pytest.raises(ConflictError, match="in use|runs"):
        await client.threads.delete(thread)
    await client.threads.delete(thread)
    assert thread not in [row.thread_id for row in runner.threads.list()]
    await wait_until_gone(client, thread)


@pytest.mark.parametrize("turns", [[], [calls(WRITE)], [calls(ASK)]])
async def test_copied_thread_has_a_known_status(
    house: House, client: LangGraphClient, runner: Runner, turns: Any
) -> None:
    thread = await begin(house, runner, *turns)
    await wait_for(client, thread, "interrupted" if turns else "idle")
    await client.threads.copy(thread)
    (copied,) = [row for row in runner.threads.list() if row.parent == thread]
    assert copied.status == ("interrupted" if turns else "idle")
    entries = await wait_for(client, copied.thread_id, copied.status)
    assert entries["values"]["request"] == "go"
    ended: Any = await client.runs.wait(copied.thread_id, "chat", input=None)
    assert ended["outcome"] == "answered"


async def test_fork_in_the_server_keeps_the_list_true(
    house: House, client: LangGraphClient, runner: Runner
) -> None:
    thread = await begin(house, runner, calls({"name": "list_files", "args": {}}))
    row = runner.threads.get(thread)
    await rewind_talk(row, runner.home, find_step(row, runner.home, 1))
    await wait_for(client, thread, "interrupted")
    history = await client.threads.get_history(thread, limit=20)
    at = next(state for state in history if state["next"] == ["tools"])
    await client.threads.update_state(
        thread, {"todos": []}, checkpoint_id=at["checkpoint"]["checkpoint_id"]
    )
    assert runner.threads.get(thread).status == "interrupted"
    ended: Any = await client.runs.wait(thread, "chat", input=None)
    assert ended["summary"] == "Done." and runner.threads.get(thread).status == "idle"


async def test_edits_as_every_node_keep_what_comes_next(
    house: House, client: LangGraphClient, runner: Runner
) -> None:
    thread = await begin(house, runner, calls({"name": "list_files", "args": {}}), calls(ASK))
    await wait_for(client, thread, "interrupted")
    nodes = [node for node in chat.graph.nodes if node != "__start__"]
    history = await client.threads.get_history(thread, limit=50)
    states = [state for state in history if state["next"] != ["__start__"]]
    for number, state in enumerate(states):
        for node in (None, nodes[number % len(nodes)], nodes[-1 - number % len(nodes)]):
            await client.threads.update_state(
                thread,
                {"todos": []},
                as_node=node,
                checkpoint_id=state["checkpoint"]["checkpoint_id"],
            )
            assert (await client.threads.get_state(thread))["next"] == state["next"], node
    asked: Any = await client.runs.wait(thread, "chat", input=None)
    assert "ask_user" in json.dumps(asked["__interrupt__"])
    ended: Any = await client.runs.wait(thread, "chat", command={"resume": "blue"})
    assert ended["summary"] == "Done."


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        ({"messages": [{"role": "user", "content": "hi"}]}, "no `request`, `folder`"),
        ({"messages": [{"role": "user", "content": "hi"}], "folder": "/"}, "no `request`"),
        ({"request": "hi"}, "no `folder`"),
        ({"request": "hi", "folder": ""}, "no `folder`"),
        ({"folder": "/", "options": {}}, "no `request`"),
    ],
)
async def test_incomplete_input_gets_a_sentence(
    client: LangGraphClient, value: Any, missing: str
) -> None:
    thread = await client.threads.create()
    with pytest.raises(Exception, match=missing):
        await client.runs.wait(thread["thread_id"], "chat", input=value)


async def test_stale_answer_is_reported_over_the_api(
    house: House, client: LangGraphClient, runner: Runner
) -> None:
    thread = await begin(house, runner, calls(WRITE), calls(ASK))
    entries = await wait_for(client, thread, "interrupted")
    (first,) = [item["id"] for each in entries["interrupts"].values() for item in each]
    for answer in ({"0" * 32: APPROVE}, {"0" * 32: "yes"}):
        with pytest.raises(Exception, match="is not open"):
            await client.runs.wait(thread, "chat", command={"resume": answer})
    asked: Any = await client.runs.wait(thread, "chat", command={"resume": {first: APPROVE}})
    assert "ask_user" in json.dumps(asked["__interrupt__"])
    with pytest.raises(Exception, match="is not open"):
        await client.runs.wait(thread, "chat", command={"resume": {first: APPROVE}})
    ended: Any = await client.runs.wait(thread, "chat", command={"resume": "blue"})
    assert ended["summary"] == "Done." and "blue" in json.dumps(ended["messages"])
