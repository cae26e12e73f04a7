"""AG-UI at `/agui`: every kind of run, in the order of the protocol. Its client: `evals/interop`.

Where the package `ag-ui-protocol` is installed, each event is checked by its models.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from page_server import PageServer
from program import Program
from provider import Provider

from maxagent.memory.threads.thread_id import create_thread_id

Json = dict[str, Any]
OPENERS = {
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "REASONING_START": ("REASONING_END", "messageId"),
    "REASONING_MESSAGE_START": ("REASONING_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
    "SUBAGENT_STARTED": ("SUBAGENT_FINISHED", "subagentRunId"),
}
TASKS = [{"agent_type": "explore", "task": f"look at {name}"} for name in ("one", "two", "three")]
HOSTILE = Path(__file__).parents[1] / "fixtures" / "mcp_servers" / "hostile.py"
ASKS: Json = {"tool_name": "asked_effect", "arguments": {"text": "x"}}
SCRIPTS: Mapping[str, Any] = {
    "talk": [{"thinking": "Hm.", "text": "Hello."}, {"text": "Again."}],
    "calls": [
        {
            "text": "I write.",
            "tool_calls": [{"name": "run_command", "args": {"command": "touch made; echo x"}}],
        },
        {"text": "Written."},
    ],
    "children": {
        "build": [
            {"tool_calls": [{"name": "subagent", "args": {"tasks": TASKS}}]},
            {"text": "So."},
        ],
        "explore": [
            {"tool_calls": [{"name": "webfetch", "args": {"url": "https://page.example"}}]},
            {"text": "I was told."},
        ],
    },
    "waits": [
        {"tool_calls": [{"name": "run_command", "args": {"command": "sleep 3; echo x >> log"}}]},
        {"text": "Waited."},
    ],
    "form": [
        {"tool_calls": [{"name": "use_mcp_tool", "args": {"server_name": "asks", **ASKS}}]},
        {"text": "Filled in."},
    ],
    "over": [],
}
YES, NO = {"approved": True}, {"approved": False, "reason": "no"}


class Client:
    """A client of the protocol: it keeps the thread, and checks what it is sent."""

    def __init__(self, server: PageServer, folder: Path, script: str, mode: str = "auto") -> None:
        file = folder / f"{script}.json"
        file.write_text(json.dumps(SCRIPTS[script]))
        self.server, self.thread = server, create_thread_id()
        self.props = {"mcode": {"model": f"scripted/{file}", "mode": mode}}

    def run(self, text: str = "", **fields: Any) -> list[Json]:
        messages = [{"id": create_thread_id(), "role": "user", "content": text}] if text else []
        body = {"threadId": self.thread, "runId": "r", "messages": messages, "tools": []}
        events = list(read_events(self.server, {**body, "forwardedProps": self.props, **fields}))
        check_events(events)
        return events

    def answer(self, end: Json, *payloads: Json | None) -> list[Json]:
        asked = end["outcome"]["interrupts"]
        return self.run(resume=[build_entry(*each) for each in zip(asked, payloads, strict=True)])


def build_entry(interrupt: Json, payload: Json | None) -> Json:
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}
    return entry if payload is not None else {**entry, "status": "cancelled"}


def read_events(server: PageServer, body: Json) -> Iterator[Json]:
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    with closing(server.connect()) as connection:
        connection.request("POST", "/agui", json.dumps(body), headers)
        for line in connection.getresponse():
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def check_events(events: list[Json]) -> None:
    """Check the shape of each event, and that what is opened is closed before the run ends."""
    opened = set[tuple[str, str]]()
    for event in events:
        if event["type"] in OPENERS:
            end, name = OPENERS[event["type"]]
            assert (end, event[name]) not in opened
            opened.add((end, event[name]))
        for end, name in OPENERS.values():
            if event["type"] == end:
                opened.remove((end, event[name]))
    assert events[0]["type"] == "RUN_STARTED"
    assert events[-1]["type"] == "RUN_ERROR" or (
        events[-1]["type"] == "RUN_FINISHED" and not opened
    )
    if find_spec("ag_ui"):
        adapter = import_module("pydantic").TypeAdapter(import_module("ag_ui.core").Event)
        for event in events:
            read = adapter.validate_python(event)
            assert not (read.model_extra or {}), event


def pick(events: list[Json], kind: str, name: str) -> list[Any]:
    return [event[name] for event in events if event["type"] == kind]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    with PageServer(Program(tmp_path_factory.mktemp("agui"), "http://127.0.0.1:9/v1")) as opened:
        yield opened


def test_a_conversation_goes_on(server: PageServer, tmp_path: Path) -> None:
    client = Client(server, tmp_path, "talk")
    events = client.run("Hi")
    assert "".join(pick(events, "TEXT_MESSAGE_CONTENT", "delta")) == "Hello."
    assert "".join(pick(events, "REASONING_MESSAGE_CONTENT", "delta")) == "Hm."
    assert events[-1]["outcome"] == {"type": "success"}
    again = client.run("More")
    assert "".join(pick(again, "TEXT_MESSAGE_CONTENT", "delta")) == "Again."
    [snapshot] = pick(client.run(), "MESSAGES_SNAPSHOT", "messages")
    roles = [message["role"] for message in snapshot if message["role"] != "reasoning"]
    assert roles == ["user", "assistant", "user", "assistant"]


def test_a_message_that_comes_twice_is_one(server: PageServer, tmp_path: Path) -> None:
    client = Client(server, tmp_path, "talk")
    sent = [{"id": "m", "role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    client.run(messages=sent)
    [snapshot] = pick(client.run(messages=sent), "MESSAGES_SNAPSHOT", "messages")
    assert [each["content"] for each in snapshot if each["role"] == "user"] == ["Hi"]


@pytest.mark.parametrize(
    ("payload", "ok", "content"),
    [
        (YES, True, "x"),
        ({"approved": True, "option": "thread"}, True, "x"),
        ({"approved": True, "editedArgs": {"command": "echo edited"}}, True, "edited"),
        (NO, False, "no"),
        (None, False, ""),
    ],
)
def test_a_call_waits_for_its_answer(
    server: PageServer, tmp_path: Path, payload: Json | None, ok: bool, content: str
) -> None:
    client = Client(server, tmp_path, "calls", "ask")
    asked = client.run("Go")
    [interrupt] = asked[-1]["outcome"]["interrupts"]
    assert interrupt["toolCallId"] == pick(asked, "TOOL_CALL_START", "toolCallId")[0]
    answered = client.answer(asked[-1], payload)
    assert pick(answered, "TOOL_CALL_START", "toolCallId") == []
    [result] = [event for event in answered if event["type"] == "TOOL_CALL_RESULT"]
    assert (result["metadata"]["mcode"]["ok"], content in result["content"]) == (ok, True)


def test_all_children_are_answered_at_once(server: PageServer, tmp_path: Path) -> None:
    client = Client(server, tmp_path, "children", "ask")
    asked = client.run("Go")
    interrupts = asked[-1]["outcome"]["interrupts"]
    children = ["explore-1", "explore-2", "explore-3"]
    assert sorted(each["subagentRunId"] for each in interrupts) == children
    entry = build_entry(interrupts[0], NO)
    for resume in ([entry], [*(build_entry(each, {"aproved": True}) for each in interrupts)]):
        assert client.run(resume=resume)[-1]["type"] == "RUN_ERROR"
    assert client.run("And now?")[-1]["type"] == "RUN_ERROR"
    end = client.answer(asked[-1], NO, None, NO)
    assert end[-1]["outcome"] == {"type": "success"}
    assert client.answer(asked[-1], NO, None, NO)[-1]["type"] == "RUN_ERROR"


def test_a_failed_run_ends_with_its_reason(server: PageServer, tmp_path: Path) -> None:
    end = Client(server, tmp_path, "over").run("Go")[-1]
    assert (end["type"], end["code"]) == ("RUN_ERROR", "mcode:failed")


def test_an_answer_begun_again_replaces_the_first(tmp_path: Path, provider: Provider) -> None:
    answer = "This is the whole answer, from its begin to its end."
    provider.script([{"text": answer, "portion": 5, "cut_after": 5}, {"text": answer}])
    environ = {"OPENAI_BASE_URL": f"{provider.url}/v1", "LLC_MODEL__DEFAULT": "openai/served"}
    with PageServer(Program(tmp_path, provider.url, environ)) as server:
        client = Client(server, tmp_path, "talk")
        client.props = {"mcode": {"mode": "auto"}}
        events = client.run("Go")
    [snapshot] = pick(events, "MESSAGES_SNAPSHOT", "messages")
    assert [message["role"] for message in snapshot] == ["user"]
    at = [event["type"] for event in events].index("MESSAGES_SNAPSHOT")
    assert "".join(pick(events[at:], "TEXT_MESSAGE_CONTENT", "delta")) == answer


def test_a_client_comes_back_after_a_crash(tmp_path: Path) -> None:
    program = Program(tmp_path, "http://127.0.0.1:9/v1")
    with PageServer(program) as server:
        client = Client(server, tmp_path, "waits")
        body = {"threadId": client.thread, "runId": "r", "forwardedProps": client.props}
        sent = [{"id": "m", "role": "user", "content": "Wait."}]
        events = read_events(server, {**body, "messages": sent})
        while next(events)["type"] != "TOOL_CALL_END":
            pass
        server.end()
    with PageServer(program, port=server.port) as server:
        client.server = server
        goes_on, later = client.run(), client.run()
    assert "".join(pick(goes_on, "TEXT_MESSAGE_CONTENT", "delta")) == "Waited."
    texts = [each.get("content") for each in pick(later, "MESSAGES_SNAPSHOT", "messages")[0]]
    assert (texts[0], texts[-1]) == ("Wait.", "Waited.")
    assert program.lines("log") == ["x"]


def test_a_form_of_a_server_is_filled_in(tmp_path: Path) -> None:
    program = Program(tmp_path, "http://127.0.0.1:9/v1")
    asks = {"type": "stdio", "command": sys.executable, "args": [str(HOSTILE), "new"]}
    asks["env"] = {"MCP_EFFECTS": str(tmp_path / "effects")}
    file = Path(program.environ["HOME"]) / ".config" / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"servers": {"asks": asks}}))
    with PageServer(program) as server:
        for payload in ({"name": "Ada"}, None):
            client = Client(server, tmp_path, "form")
            asked = client.run("Go")
            [interrupt] = asked[-1]["outcome"]["interrupts"]
            assert interrupt["reason"] == "input_required" and "Who?" in interrupt["message"]
            assert list(interrupt["responseSchema"]["properties"]) == ["name"]
            assert client.answer(asked[-1], {"age": 7})[-1]["type"] == "RUN_ERROR"
            end = client.answer(asked[-1], payload)
            [result] = pick(end, "TOOL_CALL_RESULT", "metadata")
            assert (result["mcode"]["ok"], end[-1]["outcome"]["type"]) == (True, "success")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"threadId": "thread-1"}, "UUID"),
        ({"threadId": 7}, "texts"),
        ({"runId": ""}, "texts"),
        ({"messages": "x"}, "list"),
        ({"messages": [{"role": "user"}]}, "`id`"),
        ({"messages": [{"id": "x", "role": "user", "toolCalls": [1]}]}, "list"),
        ({"resume": ["x"]}, "list"),
        ({"forwardedProps": {"mcode": {"root": True}}}, "root"),
        ({"forwardedProps": {"mcode": 7}}, "mcode"),
    ],
)
def test_what_is_no_input_is_refused(server: PageServer, change: Json, word: str) -> None:
    body = {"threadId": create_thread_id(), "runId": "r", "messages": [], **change}
    status, answer, _ = server.ask("POST", "/agui", body)
    assert (status, word in json.dumps(answer)) == (400, True)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"id": "x", "role": "assistant", "content": "x"}],
        [{"id": "x", "role": "user", "content": " "}],
        [{"id": "x", "role": "user", "content": [{"type": "image", "source": {}}]}],
        [{"id": "x", "role": "user"}],
    ],
)
def test_a_run_without_words_begins_nothing(server: PageServer, messages: list[Json]) -> None:
    body = {"threadId": create_thread_id(), "runId": "r", "messages": messages}
    *_, end = read_events(server, body)
    assert end["type"] == "RUN_ERROR" and end["message"]


def test_tools_of_the_client_are_declined_aloud(server: PageServer, tmp_path: Path) -> None:
    tools = [{"name": "paint", "description": "x", "parameters": {}}]
    events = Client(server, tmp_path, "talk").run("Hi", tools=tools)
    assert "not offered" in pick(events, "CUSTOM", "value")[0]["text"]
