"""`mcode acp`, as an editor uses it: conversations, questions, cancellation, kills."""

import base64
import io
import json
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from acp_client import CANCELLED, YES, AcpClient
from page_server import PageServer
from PIL import Image
from program import Program
from provider import Provider

NO = {"outcome": {"outcome": "selected", "optionId": "reject"}}
HOSTILE = Path(__file__).parents[1] / "fixtures/mcp_servers/hostile.py"
Open = Callable[..., AcpClient]
FORM = {"elicitation": {"form": {}}}


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


def load(client: AcpClient, program: Program, session: str) -> dict[str, Any]:
    return client.call("session/load", sessionId=session, cwd=str(program.project), mcpServers=[])


def say(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def runs(command: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "run_command", "args": {"command": command}}]}


def test_a_conversation_shows_calls_diffs_and_answer(
    connect: Open, program: Program, provider: Provider
) -> None:
    (program.project / "a.txt").write_text("old\n")
    reads = {"tool_calls": [{"name": "read_file", "args": {"path": "a.txt"}}]}
    args = {"file_path": "a.txt", "old_string": "old", "new_string": "new"}
    provider.script([reads, {"tool_calls": [{"name": "edit", "args": args}]}, {"text": "Done."}])
    client = connect()
    session = create(client, program)
    ended = client.wait(client.prompt(session, "Say new."))
    assert ended["stopReason"] == "end_turn"
    assert ended["usage"]["totalTokens"] == sum(
        ended["usage"][name] for name in ("inputTokens", "outputTokens")
    )
    assert (program.project / "a.txt").read_text() == "new\n"
    assert client.text() == "Done."
    [asked] = client.asked
    calls = [each for each in client.updates if each["sessionUpdate"] == "tool_call"]
    assert asked["params"]["toolCall"]["toolCallId"] == calls[-1]["toolCallId"]
    path = str(program.project / "a.txt")
    diff = {"type": "diff", "path": path, "oldText": "old\n", "newText": "new\n"}
    assert diff in asked["params"]["toolCall"]["content"]
    ends = [each for each in client.updates if each.get("status") == "completed"]
    assert ends[-1]["content"] == [diff]
    assert client.wait(client.prompt(session, "/undo"))["stopReason"] == "end_turn"
    assert (program.project / "a.txt").read_text() == "old\n"
    assert client.close() == 0


@pytest.mark.parametrize(("reply", "runs_it"), [(YES, True), (NO, False), (CANCELLED, False)])
def test_nothing_runs_without_a_yes(
    reply: dict[str, Any], runs_it: bool, connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([runs("touch made"), {"text": "Well."}])
    client = connect(answer=lambda method, params: reply)
    session = create(client, program)
    client.wait(client.prompt(session, "Make it."))
    assert (program.project / "made").exists() is runs_it
    status = json.loads(program.run("threads", "list", "--json").stdout)[0]["status"]
    assert status == ("waiting" if reply is CANCELLED else "idle")


def test_answers_out_of_order_reach_their_calls(
    connect: Open, program: Program, provider: Provider
) -> None:
    both = {"tool_calls": [*runs("touch one")["tool_calls"], *runs("touch two")["tool_calls"]]}
    provider.script([both, {"text": "Well."}])
    client = connect(answer=lambda method, params: None)
    session = create(client, program)
    number = client.prompt(session, "Both.")
    client.wait_for(lambda: len(client.asked) == 2)
    for request in reversed(client.asked):
        is_two = "touch two" in json.dumps(request)
        client.send({"id": request["id"], "result": YES if is_two else NO})
    assert client.wait(number)["stopReason"] == "end_turn"
    names = [(program.project / name).exists() for name in ("one", "two")]
    assert names == [False, True]


def test_cancel_ends_a_command_and_keeps_the_conversation(
    connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([runs("echo begun; sleep 60; touch late")])
    client = connect()
    session = create(client, program)
    number = client.prompt(session, "Run it.")
    client.wait_for_update("in_progress")
    client.cancel(session)
    assert client.wait(number)["stopReason"] == "cancelled"
    provider.script([{"text": "Next."}])
    assert client.wait(client.prompt(session, "Go on."))["stopReason"] == "end_turn"
    assert client.text().endswith("Next.") and not (program.project / "late").exists()


def test_a_question_outlives_the_editor(
    connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([runs("touch made"), {"text": "Made."}])
    client = connect(answer=lambda method, params: None)
    session = create(client, program)
    client.prompt(session, "Make it.")
    client.wait_for(lambda: bool(client.asked))
    client.process.send_signal(signal.SIGKILL)
    client.process.wait()
    again = connect()
    assert "configOptions" in load(again, program, session)
    again.wait_for_update("Made.")
    assert (program.project / "made").exists() and len(again.asked) == 1


def test_terminal_answers_what_the_editor_was_asked(
    connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([runs("touch made"), {"text": "Made."}])
    client = connect(answer=lambda method, params: CANCELLED)
    session = create(client, program)
    client.wait(client.prompt(session, "Make it."))
    assert client.close() == 0
    result = program.run("resume", session, "--output", "json")
    question = json.loads(result.stdout)["id"]
    ended = program.run(
        *("resume", session, "--question", question, "--approve"),
        OPENAI_BASE_URL=f"{provider.url}/v1",
    )
    assert ended.code == 0, ended.stderr
    again = connect()
    load(again, program, session)
    assert again.text() == "Made." and (program.project / "made").exists()


def test_one_thread_passes_through_every_door(
    connect: Open, program: Program, provider: Provider
) -> None:
    url = {"OPENAI_BASE_URL": f"{provider.url}/v1"}

    def writes(name: str) -> dict[str, Any]:
        args = {"file_path": name, "content": f"{name}\n"}
        return {"tool_calls": [{"name": "write_file", "args": args}]}

    provider.script([writes("first"), {"text": "Begun."}, writes("second"), {"text": "Ended."}])
    client = connect(answer=lambda method, params: CANCELLED)
    session = create(client, program)
    client.wait(client.prompt(session, "Begin."))
    client.close()
    question = json.loads(program.run("resume", session, "--output", "json").stdout)["id"]
    assert program.run("resume", session, "--question", question, "--approve", **url).code == 0
    with PageServer(program, **url) as server:
        [*_, history] = server.read_to(session, ["history"])
        server.post(f"/api/threads/{session}/messages", text="End it.")
        [*_, asked] = server.read_to(session, ["question", "waiting"], history["meta"]["seq"])
        [question] = server.get(f"/api/threads/{session}/questions")["questions"]
        answer = {"question": question["id"], "choices": [{"option": "allow"}]}
        server.post(f"/api/threads/{session}/answers", **answer)
        server.read_to(session, ["completion"], asked["meta"]["seq"])
        server.end(signal.SIGTERM)
    files = [program.project / name for name in ("first", "second")]
    assert all(file.exists() for file in files)
    client = connect()
    load(client, program, session)
    assert "Begun." in client.text() and "Ended." in client.text()
    for file in reversed(files):
        client.wait(client.prompt(session, "/undo"))
        assert not file.exists()


@pytest.mark.parametrize("moment", ["running", "in_progress"])
def test_an_editor_that_closes_ends_its_turns(
    moment: str, connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([runs("echo begun; sleep 60; touch late")])
    client = connect(2)
    session = create(client, program)
    client.prompt(session, "Run it.")
    client.wait_for_update(moment)
    assert client.close() == 0
    rows = json.loads(program.run("threads", "list", "--json").stdout)
    assert [row["status"] for row in rows] in ([], ["interrupted"])
    assert not (program.project / "late").exists()


@pytest.mark.parametrize("version", [1, 2])
def test_loading_shows_the_same_messages_each_time(
    version: int, connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "One."}, {"text": "Two."}])
    client = connect()
    session = create(client, program)
    for name in ("one", "two"):
        client.wait(client.prompt(session, name))
    output = list[Any]()
    for _ in range(2):
        again, location = connect(version), {"sessionId": session, "cwd": str(program.project)}
        if version == 1:
            again.call("session/load", mcpServers=[], **location)
        else:
            again.call("session/resume", replayFrom={"type": "start"}, **location)
        chunks = [each for each in again.updates if each["sessionUpdate"].endswith("_chunk")]
        output.append([(each["messageId"], each["content"]["text"]) for each in chunks])
    assert [text for _, text in output[0]] == ["one", "One.", "two", "Two."]
    assert output[0] == output[1] and len({key for key, _ in output[0]}) == 4


def test_second_version_answers_at_once_and_reports_states(
    connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([runs("touch made"), {"text": "Made."}])
    client = connect(2)
    session = create(client, program)
    assert "messageId" in client.wait(client.prompt(session, "Make it."))
    client.wait_for_update('"idle"')
    states = [each["state"] for each in client.updates if each["sessionUpdate"] == "state_update"]
    assert states == ["running", "requires_action", "running", "idle"]
    assert client.updates[-1]["stopReason"] == "end_turn"


def test_a_question_in_words_is_a_form_or_the_next_message(
    connect: Open, program: Program, provider: Provider
) -> None:
    asks = {"tool_calls": [{"name": "ask_user", "args": {"question": "Whose?"}}]}
    provider.script([asks, {"text": "For Ada."}])
    form = {"action": "accept", "content": {"answer": "Ada's"}}
    client = connect(answer=lambda method, params: form, **FORM)
    session = create(client, program)
    client.wait(client.prompt(session, "Greet."))
    assert client.asked[0]["method"] == "elicitation/create"
    assert "Ada's" in json.dumps(provider.requests[-1].whole)
    provider.script([asks, {"text": "For Bob."}])
    plain = connect()
    session = create(plain, program)
    plain.wait(plain.prompt(session, "Greet."))
    assert (plain.asked, plain.text()) == ([], "Whose?")
    plain.wait(plain.prompt(session, "Bob's"))
    assert "Bob's" in json.dumps(provider.requests[-1].whole) and plain.text().endswith("Bob.")


def test_image_link_and_attached_text_reach_the_model(
    connect: Open, program: Program, provider: Provider
) -> None:
    (program.project / "a.txt").write_text("content of a\n")
    file = io.BytesIO()
    Image.new("RGB", (20, 20), "red").save(file, "PNG")
    picture = base64.b64encode(file.getvalue()).decode()
    client = connect()
    session = create(client, program)
    provider.script([{"text": "Seen."}])
    blocks = [
        {"type": "text", "text": "Look."},
        {"type": "image", "mimeType": "image/png", "data": picture},
        {"type": "resource_link", "uri": f"file://{program.project}/a.txt", "name": "a"},
        {"type": "resource", "resource": {"uri": "file:///b.py", "text": "b = 1"}},
    ]
    client.call("session/prompt", sessionId=session, prompt=blocks)
    sent = json.dumps(provider.requests[-1].whole)
    assert [w for w in ("image_url", "content of a", "b = 1") if w not in sent] == []


def test_wrong_messages_are_answered_and_end_nothing(connect: Open, program: Program) -> None:
    client = connect()
    client.write("{nonsense")
    client.wait_for(lambda: None in client.answers)
    assert client.answers[None]["error"]["code"] == -32700
    wrong = {
        "session/nothing": (-32601, {}),
        "session/prompt": (-32002, {"sessionId": "nobody", "prompt": []}),
        "session/load": (-32002, {"sessionId": "nobody", "cwd": "/"}),
        "session/new": (-32602, {"cwd": "relative"}),
        "session/set_mode": (-32602, {"sessionId": 3, "modeId": "ask"}),
    }
    for method, (code, params) in wrong.items():
        assert client.call(method, **params)["error"]["code"] == code, method
    session = create(client, program)
    refused = client.call(
        "session/set_config_option", sessionId=session, configId="mode", value="reckless"
    )
    assert "cannot be 'reckless'" in refused["error"]["message"]
    assert client.call("session/list")["sessions"] == []


def test_a_message_during_a_turn_reaches_it(
    connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{**runs("true"), "wait": 0.5}, {"text": "Both."}, {"text": "Later."}])
    client = connect()
    session = create(client, program)
    first = client.prompt(session, "First.")
    second = client.prompt(session, "And this.")
    assert [client.wait(each)["stopReason"] for each in (first, second)] == ["end_turn"] * 2
    assert "And this." in json.dumps(provider.requests[-1].whole)


ATTACHED = {"type": "resource", "resource": {"uri": "file:///a", "text": "attached words"}}


@pytest.mark.parametrize(
    ("blocks", "text", "requests"),
    [
        ([say("/path/to/it is broken")], "/path/to/it", [1]),
        ([say("/undo")], "/undo", []),
        ([say("/compact")], "/compact", []),
        ([say("/wave hard")], "Wave hard now", [2]),
        ([say("Look at this"), ATTACHED], "attached words", [2]),
    ],
    ids=["path", "undo", "compact", "custom", "attachment"],
)
def test_a_running_turn_takes_only_words(
    blocks: list[object],
    text: str,
    requests: list[int],
    connect: Open,
    program: Program,
    provider: Provider,
) -> None:
    commands = program.home / "commands"
    commands.mkdir(parents=True)
    (commands / "wave.md").write_text("---\ndescription: Wave\n---\nWave $ARGUMENTS now")
    wait = "echo begun; while [ ! -e seen ]; do sleep 0.05; done"
    provider.script([runs(wait), {"text": "Ended."}, {"text": "Again."}])
    client = connect()
    session = create(client, program)
    first = client.prompt(session, "Run it.")
    client.wait_for_update("begun")
    second = client.begin("session/prompt", sessionId=session, prompt=blocks)
    client.call("session/list")
    (program.project / "seen").touch()
    assert [client.wait(each)["stopReason"] for each in (first, second)] == ["end_turn"] * 2
    bodies = [json.dumps(request.whole) for request in provider.requests]
    assert [number for number, body in enumerate(bodies) if text in body][:1] == requests


@pytest.mark.parametrize("version", [1, 2])
def test_folders_of_the_editor_are_read_and_not_changed(
    version: int, connect: Open, program: Program, provider: Provider, tmp_path: Path
) -> None:
    other, keys = tmp_path / "other", tmp_path / ".ssh"
    for folder in (other, keys):
        folder.mkdir()
        (folder / "a.txt").write_text("amber\n")
        (folder / ".env").write_text("secret-word")
    calls = [
        {"name": "read_file", "args": {"file_path": f"{other}/a.txt"}},
        {"name": "grep", "args": {"pattern": "amber", "path": str(other)}},
        {"name": "read_file", "args": {"file_path": f"{other}/.env"}},
        {"name": "read_file", "args": {"file_path": f"{keys}/a.txt"}},
        {"name": "write_file", "args": {"file_path": f"{other}/b.txt", "content": "no"}},
    ]
    provider.script([{"tool_calls": calls}, {"text": "Looked."}, {"text": "Again."}])
    client = connect(version)
    folders = [str(other), str(keys)]
    session = client.call(
        "session/new", cwd=str(program.project), mcpServers=[], additionalDirectories=folders
    )["sessionId"]
    client.wait(client.prompt(session, "Look."))
    client.wait_for_update("Looked.")
    first, last = (json.dumps(request.whole) for request in provider.requests[:2])
    messages = provider.requests[1].body["messages"]
    [sent] = [message["tool_calls"] for message in messages if "tool_calls" in message]
    results = {
        message["tool_call_id"]: message["content"]
        for message in messages
        if message["role"] == "tool"
    }
    has_amber = ["amber" in results[call["id"]] for call in sent]
    assert has_amber == [True, True, False, False, False], results
    assert "secret-word" not in last and not (other / "b.txt").exists()
    assert str(other) in first and str(keys) not in first
    assert (keys / "a.txt").exists() and str(keys) in json.dumps(client.updates)


def test_logout_deletes_the_one_stored_key(connect: Open, program: Program) -> None:
    for names in (["deepseek"], ["deepseek", "glm"]):
        for name in names:
            program.run(
                "auth", "login", name, "--token-stdin", stdin=f"sk-{name}-abcdefgh1234567890\n"
            )
        client = connect()
        answer = client.call("logout")
        stored = json.loads((program.home / "data" / "credentials.json").read_text())
        remaining = [] if len(names) == 1 else names
        assert (sorted(stored), "error" in answer) == (remaining, bool(remaining))


def test_sessions_fork_close_and_delete(
    connect: Open, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "One."}])
    client = connect()
    session = create(client, program)
    client.wait(client.prompt(session, "one"))
    forked = client.call("session/fork", sessionId=session, cwd=str(program.project))["sessionId"]
    entries = client.call("session/list", cwd=str(program.project))["sessions"]
    assert {each["sessionId"] for each in entries} == {session, forked}
    for cursor in ("2", "9" * 18, "9" * 19, "9" * 25, "9" * 5_000):
        assert client.call("session/list", cursor=cursor)["sessions"] == []
    client.call("session/close", sessionId=session)
    assert client.wait(client.prompt(session, "two"))["error"]["code"] == -32002
    assert client.call("session/delete", sessionId=session) == {}
    [remaining] = client.call("session/list")["sessions"]
    assert remaining["sessionId"] == forked


@pytest.mark.parametrize("version", [1, 2])
def test_the_editors_servers_are_used_in_trusted_folders(
    connect: Open, program: Program, provider: Provider, version: int
) -> None:
    effects = program.project / "effects"
    env = [{"name": "MCP_EFFECTS", "value": str(effects)}]
    server = {"name": "ed", "command": sys.executable, "args": [str(HOSTILE)], "env": env}
    call = {"name": "mcp_ed_effect", "args": {"text": "one"}}
    provider.script([{"text": "Nothing."}, {"tool_calls": [call]}, {"text": "Done."}])
    client = connect(version)
    (program.project / "README.md").write_text("Not empty.")
    new = partial(client.call, "session/new", cwd=str(program.project), mcpServers=[server])
    session = new()["sessionId"]
    client.wait_for_update("MCP server `ed` is not used: its folder is not trusted")
    client.prompt(session, "Begin.")
    client.wait_for_update("Nothing.")
    client.call("session/close", sessionId=session)
    assert program.run("trust", "--yes").code == 0
    session = new()["sessionId"]
    client.prompt(session, "Act.")
    client.wait_for_update("Done.")
    assert effects.read_text() == "one\n"
    assert [asked["method"] for asked in client.asked] == ["session/request_permission"]
