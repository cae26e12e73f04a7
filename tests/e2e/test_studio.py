"""Threads go from the command line to LangGraph's server and back."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx2
import pytest

if find_spec("langgraph_api") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from program import PATIENCE
from studio import LANGGRAPH_DEV, MCODE, ROOT, House
from warm_start import run_python, start_python

from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease
from maxagent.sdk.threads.file_history import open_thread_files
from maxagent.tools.runtime.registry import load_all_tools

WRITE = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}
DONE = {"name": "attempt_completion", "args": {"result": "log.txt is written"}}
SERVERS = Path(__file__).parents[1] / "fixtures" / "mcp_servers"
APPROVE = {"decisions": [{"type": "approve"}]}
EDIT = {
    "name": "edit",
    "args": {"file_path": "log.txt", "old_string": "one", "new_string": "two"},
}
BLOCK = "<<<<<<< SEARCH\ntwo\n=======\nthree\n>>>>>>> REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: log.txt\n-three\n+four\n*** End Patch\n"
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
        {"name": "record_note", "args": {"content": "The numbers are in n.txt"}},
        {"name": "search_memory", "args": {"query": "numbers"}},
        {"name": "recall_notes", "args": {}},
        {"name": "list_code_definitions", "args": {"path": "."}},
    ],
    [{"name": "module_doc_write", "args": {"path": ".", "content": "# Here\n"}}],
    [{"name": "module_doc_read", "args": {"path": "."}}],
    [EDIT],
    [{"name": "replace_in_file", "args": {"path": "log.txt", "diff": BLOCK}}],
    [{"name": "apply_patch", "args": {"patch": PATCH}}],
    [{"name": "run_command", "args": {"command": "seq 100000"}}],
    [{"name": "run_command", "args": {"command": "touch t; sleep 99", "background": True}}],
    [{"name": "command_output", "args": {"id": "of-no-call"}}],
    [{"name": "command_kill", "args": {"id": "of-no-job"}}],
    [{"name": "webfetch", "args": {"url": "http://localhost/"}}],
    [{"name": "todowrite", "args": {"action": "create", "todos": "<task>Look</task>"}}],
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
    with house.serve(*MCODE, "studio", "--mode", "auto") as (address, _):
        yield address


@pytest.fixture
async def client(address: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=address) as client:
        yield client


async def outcome(client: LangGraphClient, thread: str) -> str:
    state = await client.threads.get_state(thread)
    return state["values"]["outcome"] if not state["next"] else f"at {state['next']}"


def written(task: dict[str, Any]) -> str:
    return Path(task["folder"], "log.txt").read_text()


async def test_run_paused_in_cli_is_finished_in_studio(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("paused-here", turns(WRITE))
    asked = house.begin(task)
    thread = asked.last["thread_id"]
    assert (asked.code, Path(task["folder"], "log.txt").exists()) == (4, False)

    await client.threads.create(thread_id=thread, graph_id="task", if_exists="do_nothing")
    state = await client.threads.get_state(thread)
    (question,) = state["interrupts"]
    assert state["next"] == ["approve"]
    assert question["value"]["action_requests"] == asked.last["action_requests"]
    ended = await client.runs.wait(thread, "task", command={"resume": APPROVE})

    assert (ended["outcome"], written(task)) == ("verified", "x\n")
    assert (ended["evidence"]["verdict"], ended["completion"]) == ("passed", "log.txt is written")
    answered = [message["name"] for message in ended["messages"] if message["type"] == "tool"]
    assert answered == ["run_command", "attempt_completion"]
    assert house.status(thread) == "done"
    seen = house.mcode("resume", thread, "--output", "json")
    assert (seen.code, seen.outcome) == (0, "verified")
    assert seen.last["evidence"] == ended["evidence"]


async def test_thread_started_in_studio_is_finished_in_cli(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("begun-there", turns(WRITE))
    thread = (await client.threads.create())["thread_id"]
    asked = await client.runs.wait(thread, "task", input=task)
    (question,) = asked["__interrupt__"]
    assert question["value"]["action_requests"][0]["args"] == WRITE["args"]
    assert house.status(thread) == "waiting"

    yes = ["--approve", "--question", question["id"]]
    ended = house.mcode("resume", thread, *yes, "--output", "json")

    assert (ended.code, ended.outcome, written(task)) == (0, "verified", "x\n")
    assert house.status(thread) == "done"
    assert await outcome(client, thread) == "verified"


async def test_every_tool_runs_without_blocking_the_server(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("every-tool", turns(*EVERY_TOOL))
    subprocess.run(["git", "init", "-q", task["folder"]], check=True)
    task["options"]["mode"] = "auto"
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "task", input=task)
    answer = {"decisions": [{"type": "respond", "message": "It is."}]}
    ended = await client.runs.wait(thread, "task", command={"resume": answer})
    answered = [message for message in ended["messages"] if message["type"] == "tool"]
    names = {tool.name for tool in load_all_tools() if not tool.name.startswith("plan_")}
    names -= {"use_rag_tool", "use_mcp_tool", "find_tools", "get_skill"}  # nothing offers them
    names -= {"subagent"}  # nodes run it: test_subagent_questions.py
    assert {message["name"] for message in answered} == names
    failed = [message["content"] for message in answered if message["status"] == "error"]
    sentence = ("of-no-call", "of-no-job", "public internet")
    assert [word in text for word, text in zip(sentence, failed, strict=True)] == [True] * 3
    assert any("Runs in the background" in message["content"] for message in answered)
    assert (ended["outcome"], written(task)) == ("verified", "four\n")


@pytest.fixture
def effects(house: House) -> Iterator[Path]:
    """What a server of the user did, which asks them before it does something."""
    effects = house.folder / "effects"
    server = {
        "command": sys.executable,
        "args": ["-S", str(SERVERS / "hostile.py"), "new"],
        "env": {"MCP_EFFECTS": str(effects)},
    }
    file = house.folder / ".config" / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"servers": {"asking": server}}))
    yield effects
    file.unlink()


async def test_a_servers_question_is_answered_in_studio(
    house: House, client: LangGraphClient, effects: Path
) -> None:
    texts = {"server_name": "asking", "tool_name": "asked_effect", "arguments": {"text": "x"}}
    task = house.project("asked", turns({"name": "use_mcp_tool", "args": texts}, WRITE))
    task["options"]["mode"] = "auto"
    thread = (await client.threads.create())["thread_id"]
    asked = await client.runs.wait(thread, "task", input=task)
    (question,) = asked["__interrupt__"]
    [request], [config] = (question["value"][key] for key in ("action_requests", "review_configs"))
    assert (request["name"], request["args"]) == ("mcp_asking_asked_effect", {})
    assert "the MCP server `asking` asks: Who?" in request["description"]
    assert config["form"]["properties"] == {"name": {"type": "string"}}
    filled = {"name": request["name"], "args": {"name": "Ann"}}
    answer = {"decisions": [{"type": "edit", "edited_action": filled}]}
    ended = await client.runs.wait(thread, "task", command={"resume": answer})
    assert (ended["outcome"], effects.read_text()) == ("verified", "x\n")


async def test_files_behind_links_do_not_block_server(
    house: House, client: LangGraphClient
) -> None:
    calls = [
        {"name": "write_file", "args": {"path": "here/log.txt", "content": "one\n"}},
        {"name": "git_diff", "args": {"path": "here/log.txt"}},
        {"name": "run_command", "args": {"command": "cat here/log.txt", "cwd": "here"}},
        {"name": "run_command", "args": {"command": "make everything"}},
    ]
    task = house.project("linked", turns(calls))
    subprocess.run(["git", "init", "-q", task["folder"]], check=True)
    Path(task["folder"], "here").symlink_to(".")
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "task", input=task)
    changed = {"name": "run_command", "args": {"command": "cat .ssh/*", "cwd": "here"}}
    answer = {"decisions": [{"type": "edit", "edited_action": changed}]}
    ended = await client.runs.wait(thread, "task", command={"resume": answer})
    output = {m["tool_call_id"]: m["content"] for m in ended["messages"] if m["type"] == "tool"}
    assert not [item for item in output.values() if "Blocking" in item or "internal error" in item]
    assert any("may hold secrets" in item for item in output.values())
    assert written(task) == "one\n"


async def test_running_thread_is_reported_as_busy_elsewhere(
    house: House, client: LangGraphClient
) -> None:
    waits = {"name": "run_command", "args": {"command": "cat gate > log.txt"}}
    task = house.project("held", turns(waits))
    task["options"]["mode"] = "auto"
    gate = Path(task["folder"], "gate")
    os.mkfifo(gate)
    thread = (await client.threads.create())["thread_id"]
    running = asyncio.create_task(client.runs.wait(thread, "task", input=task))
    with await asyncio.to_thread(gate.open, "w") as opened:  # returns when `cat` reads
        refused = await asyncio.to_thread(house.mcode, "resume", thread)
        opened.write("through\n")
    assert (refused.code, "is in use by process" in refused.stderr) == (1, True)
    assert (await running)["outcome"] == "verified"

    with (
        acquire_lease(house.folder / "home", thread),
        pytest.raises(Exception, match="ThreadBusyError: .*in use by"),
    ):
        await client.runs.wait(thread, "task", input=task)
    assert house.status(thread) == "done"


async def test_run_crashed_in_cli_continues_in_studio(
    house: House, client: LangGraphClient
) -> None:
    begins = {"name": "run_command", "args": {"command": "echo x >> log.txt; cat gate"}}
    task = house.project("killed", turns(begins))
    gate = Path(task["folder"], "gate")
    os.mkfifo(gate)
    options = ["--model", task["options"]["model"], "--mode", "auto", "--apply"]
    run = start_python(["-m", "maxagent", "task", "x", *options], gate.parent, house.environ)
    with run, await asyncio.to_thread(gate.open, "w"):
        run.kill()
    (row,) = ThreadIndex(house.folder / "home").list(gate.parent)
    await client.threads.create(thread_id=row.thread_id, graph_id="task", if_exists="do_nothing")
    ended = await client.runs.wait(row.thread_id, "task", input=None)
    (answer,) = [message for message in ended["messages"] if message.get("name") == "run_command"]
    assert answer["content"].startswith("Error: Outcome unknown")
    assert (ended["outcome"], written(task)) == ("verified", "x\n")


async def test_crashed_undo_is_finished_before_studio_run(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("undone", turns(EVERY_TOOL[0], WRITE))
    thread, home = house.begin(task).last["thread_id"], house.folder / "home"
    files = open_thread_files(ThreadIndex(home).get(thread), home)
    way = await files.plan_restore("undo")
    assert way and (way.plan.reverted, written(task)) == ((1,), "one\n")
    files.history.begin_entry(
        thread, "undo-0123456789abcdef", "undo", before=way.plan.tree, turn=1,
        changes=way.plan.changes, reverted=way.plan.reverted,
    )  # fmt: skip
    await client.threads.create(thread_id=thread, graph_id="task", if_exists="do_nothing")
    ended = await client.runs.wait(thread, "task", command={"resume": APPROVE})
    assert (ended["outcome"], written(task)) == ("verified", "x\n")
    assert [entry.kind for entry in files.read_entries()] == ["tool", "undo", "shell"]


async def test_edit_parked_in_cli_runs_unblocked_in_studio(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("an-edit", [])
    folder, script = Path(task["folder"]), house.folder / "an-edit.json"
    (folder / "log.txt").write_text("one\n")
    (folder / ".llc.yaml").write_text("after_edit: {'*.txt': ['echo checked >> {file}']}\n")
    calls = [{"name": "read_file", "args": {"path": "log.txt"}}], [EDIT]
    script.write_text(json.dumps([{"tool_calls": item} for item in calls] + [{"text": "Done."}]))
    model = ["--model", f"scripted/{script}", "--folder", str(folder), "--trust"]
    asked = house.mcode("edit", "log.txt", "Say two", *model, "--output", "json")
    thread = asked.last["thread_id"]
    assert asked.code == 4 and "+two" in asked.last["action_requests"][0]["diff"]

    await client.threads.create(thread_id=thread, graph_id="edit", if_exists="do_nothing")
    ended = await client.runs.wait(thread, "edit", command={"resume": APPROVE})
    assert (ended["outcome"], written(task)) == ("unverified", "two\nchecked\n")
    assert house.status(thread) == "unverified"
    seen = house.mcode("resume", thread, "--output", "json")
    assert (seen.code, seen.last["graph"]) == (0, "edit")


async def test_plan_from_cli_is_approved_and_run_studio(
    house: House, client: LangGraphClient
) -> None:
    task = house.project("a-plan", [])
    folder, script = Path(task["folder"]), house.folder / "a-plan.json"
    names = ["--folder", str(folder), "--model", f"scripted/{script}", "--output", "stream-json"]
    script.write_text(json.dumps([{"text": "Which way?"}]))
    result = house.mcode("chat", "--plan", "Write x.", *names)
    [mode], thread = result.told("mode"), result.last["thread_id"]
    plan = {"name": "write_file", "args": {"path": mode["plan"], "content": "1. write x\n"}}
    calls = [[plan], [{"name": "plan_exit", "args": {}}], [WRITE]]
    turns = [{"text": "Which way?"}, *({"tool_calls": item} for item in calls), {"text": "Done."}]
    script.write_text(json.dumps(turns))
    asked = house.mcode("chat", "--resume", thread, "The short way.", *names)
    assert (asked.code, asked.last["kind"]) == (4, "switch")

    await client.threads.create(thread_id=thread, graph_id="chat", if_exists="do_nothing")
    again = await client.runs.wait(thread, "chat", command={"resume": APPROVE})
    (question,) = again["__interrupt__"]  # commands are still asked
    assert question["value"]["action_requests"][0]["args"] == WRITE["args"]
    ended = await client.runs.wait(thread, "chat", command={"resume": APPROVE})
    assert (ended["outcome"], written(task)) == ("answered", "x\n")
    received = [item["content"] for item in ended["messages"] if item.get("name") == "plan_exit"]
    assert "1. write x" in received[0]
    assert house.status(thread) == "idle"


async def test_a_wrong_form_is_answered_in_words(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    with pytest.raises(Exception, match="UsageError: `/nowhere` is not a folder"):
        await client.runs.wait(thread, "task", input={"request": "x", "folder": "/nowhere"})


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("task", {"architect", "coder", "tester"}),
        ("edit", {"editor"}),
        ("chat", {"build", "plan", "switch"}),
    ],
)
async def test_server_draws_roles_and_offers_forms(
    client: LangGraphClient, name: str, roles: set[str]
) -> None:
    (assistant,) = await client.assistants.search(graph_id=name)
    graph = await client.assistants.get_graph(assistant["assistant_id"])
    inner = {node["id"] for node in graph["nodes"]} - {"__start__", "__end__"}
    assert roles < inner
    assert inner <= {edge["source"] for edge in graph["edges"]}
    assert inner <= {edge["target"] for edge in graph["edges"]}
    schemas = await client.assistants.get_schemas(assistant["assistant_id"])
    assert set(schemas["input_schema"]["properties"]) == {"request", "folder", "options"}
    assert {"messages", "evidence", "outcome"} < set(schemas["output_schema"]["properties"])
    assert set(schemas["context_schema"]["properties"]) == {"mode", "model"}


def test_only_studio_page_may_send_a_task(address: str) -> None:
    def posted(origin: str) -> int:
        headers = {"Origin": origin, "Content-Type": "text/plain"}
        return httpx2.post(f"{address}/threads", content="{}", headers=headers).status_code

    assert posted("https://evil.example") == 403
    assert posted("https://smith.langchain.com") == 200


async def test_langgraph_dev_serves_the_same_threads(house: House) -> None:
    task = house.project("langgraph-dev", turns(WRITE))
    thread = house.begin(task).last["thread_id"]
    with house.serve(*LANGGRAPH_DEV) as (address, _):
        async with get_client(url=address) as client:
            (entries,) = await client.threads.search(status="interrupted", ids=[thread])
            assert entries["interrupts"]
            ended = await client.runs.wait(thread, "task", command={"resume": APPROVE})
    assert (ended["outcome"], written(task)) == ("verified", "x\n")
    assert house.status(thread) == "done"


async def test_own_graph_of_the_page_is_served(house: House) -> None:
    page = (ROOT / "docs/langgraph.md").read_text(encoding="utf-8")
    for name, language in (("tickets.py", "python"), ("langgraph.json", "json")):
        content = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)[-1]
        (house.folder / name).write_text(content)
    task = house.project("ticket", turns(WRITE))
    script = Path(task["options"].pop("model").removeprefix("scripted/"))
    script.write_text(json.dumps([{"tool_calls": [WRITE]}, {"text": "Written."}]))
    (house.folder / "home/config.yaml").write_text(f"{{model: {{default: scripted/{script}}}}}\n")
    ticket = {"request": task["request"], "folder": task["folder"]}
    command = [
        str(house.folder / "langgraph.json") if "json" in word else word for word in LANGGRAPH_DEV
    ]
    with house.serve(*command, has_secret=False) as (address, _):
        async with get_client(url=address) as client:
            thread = (await client.threads.create())["thread_id"]
            await client.runs.wait(thread, "tickets", input=ticket)
            (waiting,) = await client.threads.search(status="interrupted", ids=[thread])
            assert waiting["thread_id"] == thread and not Path(task["folder"], "log.txt").exists()
            ended = await client.runs.wait(thread, "tickets", command={"resume": "yes"})
    assert (ended["summary"], written(task)) == ("Written.", "x\n")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
async def test_signal_ends_server_and_its_running_command(
    tmp_path: Path, sign: signal.Signals
) -> None:
    house = House(tmp_path)
    waits = {"name": "run_command", "args": {"command": "echo began > gate; exec cat gate"}}
    task = house.project("stopped", turns(waits))
    task["options"]["mode"] = "auto"
    gate = Path(task["folder"], "gate")
    os.mkfifo(gate)
    with house.serve(*MCODE, "studio", "--mode", "auto") as (address, server):
        async with get_client(url=address) as client:
            thread = (await client.threads.create())["thread_id"]
            await client.runs.create(thread, "task", input=task)
            await asyncio.to_thread(gate.read_text)
        server.send_signal(sign)
        server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
    with pytest.raises(OSError, match="No such device or address"):  # nobody reads it
        os.open(gate, os.O_WRONLY | os.O_NONBLOCK)
    assert house.status(thread) == "interrupted"
    assert [path.name for path in (house.folder / "home/data").glob("studio-*")] == []


def test_port_in_use_is_a_two_line_error(house: House) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = house.mcode("studio", "--port", str(port))
    error, hint = refused.stderr.splitlines()
    assert (refused.code, refused.stdout) == (2, "")
    assert error == f"error: cannot listen on port {port}: Address already in use"
    assert hint.endswith("choose another with `--port`")


def test_without_the_extra_it_says_what_to_install(house: House) -> None:
    missing = (
        "import sys; sys.modules['langgraph_api'] = None; sys.argv = ['mcode', 'studio'];"
        "from maxagent.cli.app import main; main()"
    )
    refused = run_python(["-c", missing], house.folder, house.environ)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        'error: LangGraph\'s dev server is not installed\nhint: pip install "maxagent[studio]"\n'
    )
