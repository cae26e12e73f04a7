"""What other agents' users reported from Zed and JetBrains, as tests of ours."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from acp_client import YES, AcpClient
from program import Program
from provider import Provider

Open = Callable[..., AcpClient]
Json = dict[str, Any]


@pytest.fixture
def connect(program: Program, provider: Provider) -> Iterator[Open]:
    clients = list[AcpClient]()

    def connect(version: int = 1, **options: Any) -> AcpClient:
        clients.append(AcpClient(program, f"{provider.url}/v1", version, **options))
        return clients[-1]

    yield connect
    for client in clients:
        client.end()


def create(client: AcpClient, program: Program) -> str:
    session: str = client.call("session/new", cwd=str(program.project), mcpServers=[])["sessionId"]
    return session


def reopen(client: AcpClient, program: Program, session: str) -> Json:
    location = {"sessionId": session, "cwd": str(program.project), "mcpServers": []}
    if client.greeting["protocolVersion"] == 1:
        return client.call("session/load", **location)
    return client.call("session/resume", replayFrom={"type": "start"}, **location)


def call(command: str) -> Json:
    return {"name": "run_command", "args": {"command": command}}


@pytest.mark.parametrize("version", [1, 2])
def test_history_is_listed_by_a_new_process(
    version: int, connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "One."}])
    client = connect()
    session = create(client, program)
    client.wait(client.prompt(session, "Say one."))
    client.close()
    [entry] = connect(version).call("session/list", cwd=str(program.project))["sessions"]
    assert (entry["sessionId"], entry["cwd"]) == (session, str(program.project))
    assert entry["title"] == "Say one." and entry["updatedAt"]


@pytest.mark.parametrize("version", [1, 2])
def test_cancel_reaches_the_turn_of_a_loaded_session(
    version: int, connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "One."}, {"tool_calls": [call("echo begun; sleep 60; touch late")]}])
    first = connect()
    session = create(first, program)
    first.wait(first.prompt(session, "Say one."))
    first.close()
    client = connect(version)
    reopen(client, program, session)
    number = client.prompt(session, "Run it.")
    client.wait_for_update("in_progress")
    client.cancel(session)
    if version == 1:
        assert client.wait(number)["stopReason"] == "cancelled"
    else:
        client.wait_for_update('"cancelled"')
    assert not (program.project / "late").exists()


@pytest.mark.parametrize("version", [1, 2])
def test_replayed_output_is_text_and_no_terminal(
    version: int, connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{"tool_calls": [call("echo shown")]}, {"text": "Done."}])
    first = connect()
    session = create(first, program)
    first.wait(first.prompt(session, "Show it."))
    client = connect(version)
    reopen(client, program, session)
    contents = [part for each in client.updates for part in each.get("content", ()) if part]
    kinds = {part["type"] for part in contents if isinstance(part, dict)}
    assert "terminal" not in json.dumps(client.updates) and "content" in kinds
    assert "shown" in json.dumps(contents)


@pytest.mark.parametrize(
    "method", ["session/load", "session/resume", "session/fork", "session/delete", "session/prompt"]
)
def test_the_id_of_a_deleted_thread_is_not_found(
    method: str, connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "One."}])
    client = connect()
    session = create(client, program)
    client.wait(client.prompt(session, "Say one."))
    client.call("session/delete", sessionId=session)
    more = {"prompt": [{"type": "text", "text": "Two."}], "cwd": str(program.project)}
    error = client.call(method, sessionId=session, mcpServers=[], **more)["error"]
    assert (error["code"], error["data"]) == (-32002, {"sessionId": session})


def test_a_message_of_five_megabytes_is_read(
    connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "Read."}])
    client = connect()
    session = create(client, program)
    attached = "the beginning " + "x" * 5_000_000 + " the end"
    resource = {"uri": "file:///big.txt", "text": attached}
    blocks = [{"type": "text", "text": "Read."}, {"type": "resource", "resource": resource}]
    ended = client.call("session/prompt", sessionId=session, prompt=blocks)
    assert ended["stopReason"] == "end_turn"
    sent = json.dumps(provider.requests[-1].whole)
    assert len(sent) < 500_000 and "its middle is left out" in sent
    assert "the beginning" in sent and "the end" in sent


@pytest.mark.parametrize("version", [1, 2])
def test_a_call_is_shown_before_it_is_asked(
    version: int, connect: Open, program: Program, provider: Provider
) -> None:
    names = ("one", "two", "three")
    provider.script([{"tool_calls": [call(f"touch {name}") for name in names]}, {"text": "Well."}])
    early = list[str]()

    def answer(method: str, params: Json) -> Json:
        subject = params if version == 1 else params["subject"]
        call_id = subject["toolCall"]["toolCallId"]
        early.extend([call_id] * (call_id not in {each.get("toolCallId") for each in shown()}))
        return YES

    def shown() -> list[Json]:
        return client.updates

    client = connect(version, answer=answer)
    session = create(client, program)
    client.prompt(session, "All.")
    client.wait_for_update("Well.")
    assert early == [] and len(client.asked) == len(names)
    assert all((program.project / name).exists() for name in names)
