"""`mcode web`: threads are begun, followed, answered and stopped over HTTP, also after a crash."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from page_server import PageServer
from program import Program
from provider import Provider

NOBODY = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as opened:
        yield opened


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    environ = {
        "OPENAI_BASE_URL": f"{provider.url}/v1",
        "LLC_MODEL__DEFAULT": "openai/served",
        "LLC_SECURITY__MODE": "ask",
    }
    return Program(tmp_path, provider.url, environ)


def run(command: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "run_command", "args": {"command": command}}]}


def answer(server: PageServer, thread: str, **choice: Any) -> None:
    [question, *_] = server.get(f"/api/threads/{thread}/questions")["questions"]
    choices = [choice for _ in question["requests"]]
    server.post(f"/api/threads/{thread}/answers", question=question["id"], choices=choices)


def list_entries(server: PageServer, thread: str) -> list[tuple[str, str]]:
    entries = server.get(f"/api/threads/{thread}")["entries"]
    return [(entry["kind"], entry.get("text") or entry.get("tool", "")) for entry in entries]


def test_a_conversation_is_asked_answered_and_followed(
    program: Program, provider: Provider
) -> None:
    provider.script([run("touch made"), {"text": "Made."}, {"text": "You are welcome."}])
    with PageServer(program) as server:
        thread = server.begin("Make it.")
        before = server.read_to(thread, ["question", "waiting"])
        [question] = server.get(f"/api/threads/{thread}/questions")["questions"]
        assert "touch made" in question["requests"][0]["title"]
        answer(server, thread, option="allow")
        messages = server.read_to(thread, ["completion"], before[-1]["meta"]["seq"])
        server.post(f"/api/threads/{thread}/messages", text="Thanks.")
        server.read_to(thread, ["completion", "idle"], messages[-1]["meta"]["seq"])
        entries = list_entries(server, thread)
    assert (program.project / "made").exists()
    numbers = [message["meta"]["seq"] for message in [*before, *messages]]
    assert numbers == sorted(set(numbers))
    assert [entry for entry in entries if entry[0] != "thinking"] == [
        ("human", "Make it."),
        ("call", "run_command"),
        ("answer", "Made."),
        ("human", "Thanks."),
        ("answer", "You are welcome."),
    ]


@pytest.mark.parametrize("choice", [{"option": "reject"}, {"option": "always"}, {}, {"option": 7}])
def test_what_was_not_offered_is_a_no(
    program: Program, provider: Provider, choice: dict[str, Any]
) -> None:
    provider.script([run("touch made; touch more"), {"text": "Then not."}])
    with PageServer(program) as server:
        thread = server.begin("Make it.")
        server.read_to(thread, ["question", "waiting"])
        [question] = server.get(f"/api/threads/{thread}/questions")["questions"]
        offered = {option["optionId"] for option in question["requests"][0]["options"]}
        if choice.get("option") in offered - {"reject"}:
            pytest.skip("this call can always be allowed")
        answer(server, thread, **choice)
        server.read_to(thread, ["completion", "idle"])
    assert not (program.project / "made").exists()


def test_an_answered_question_is_closed(program: Program, provider: Provider) -> None:
    provider.script([run("touch made"), {"text": "Made."}])
    with PageServer(program) as server:
        thread = server.begin("Make it.")
        server.read_to(thread, ["question", "waiting"])
        [question] = server.get(f"/api/threads/{thread}/questions")["questions"]
        answer(server, thread, option="allow")
        server.read_to(thread, ["completion", "idle"])
        again = {"question": question["id"], "choices": [{"option": "allow"}]}
        status, body, _ = server.ask("POST", f"/api/threads/{thread}/answers", again)
    assert (status, "answered already" in body["error"]["message"]) == (409, True)


def test_the_terminal_answers_while_the_page_looks_on(program: Program, provider: Provider) -> None:
    provider.script([run("touch made"), {"text": "Made."}, run("touch again"), {"text": "Again."}])
    with PageServer(program) as server:
        thread = server.begin("Make it.")
        last = server.read_to(thread, ["question", "waiting"])[-1]["meta"]["seq"]
        [question] = server.get(f"/api/threads/{thread}/questions")["questions"]
        resumed = program.resume(thread, "--approve", "--question", question["id"])
        assert resumed.last.get("outcome") == "answered", resumed
        history = server.read_to(thread, ["idle"], last)[-1]
        assert history["data"]["entries"][-1]["text"] == "Made."
        # and the reverse: asked in the terminal, answered on the page
        asked = program.run("chat", "--resume", thread, "-p", "More.", "--output", "stream-json")
        assert asked.last["type"] == "question", asked.stdout
        server.read_to(thread, ["waiting"], history["meta"]["seq"])
        answer(server, thread, option="allow")
        server.read_to(thread, ["completion", "idle"])
    assert (program.project / "again").exists()


def test_a_stopped_run_goes_on(program: Program, provider: Provider) -> None:
    provider.script([run("sleep 60"), {"text": "Slept."}])
    with PageServer(program, LLC_SECURITY__MODE="auto") as server:
        thread = server.begin("Sleep.", mode="auto")
        server.read_to(thread, ["tool_call"])
        assert server.post(f"/api/threads/{thread}/stop") == {"stopped": True}
        [row] = server.get("/api/threads")["threads"]
    assert row["status"] == "interrupted"


def test_a_crash_resumes_what_was_begun(program: Program, provider: Provider) -> None:
    release = threading.Event()
    provider.script([run("echo x >> log"), {"text": "Half an answer"}, {"text": "The end."}])
    with PageServer(program) as server:
        thread = server.begin("Count.", mode="auto")
        seen = server.read_to(thread, ["tool_result", "completion"])
        port = server.port
        server.end(signal.SIGKILL)
    release.set()
    with PageServer(program, port=port) as server:
        after = server.read_to(thread, ["completion", "idle"], seen[-1]["meta"]["seq"])
        entries = list_entries(server, thread)
    assert program.lines("log") == ["x"]
    assert entries[0] == ("human", "Count.")
    assert entries[-1][0] == "answer"
    numbers = [message["meta"]["seq"] for message in [*seen, *after]]
    assert numbers == sorted(set(numbers))


def test_a_step_that_a_rewind_left_is_reached(program: Program, provider: Provider) -> None:
    provider.script([{"text": f"Answer {number}."} for number in range(1, 4)])
    with PageServer(program) as server:
        thread = server.begin("Begin.")
        last = server.read_to(thread, ["completion", "idle"])[-1]["meta"]["seq"]
        for message in ("More.", "Rather this."):
            server.post(f"/api/threads/{thread}/messages", text=message)
            last = server.read_to(thread, ["completion"], last)[-1]["meta"]["seq"]
            if message == "More.":
                server.post(f"/api/threads/{thread}/rewind", step=1)
                last = server.read_to(thread, ["idle"], last)[-1]["meta"]["seq"]
        tree = server.get(f"/api/threads/{thread}/steps")
        [branch] = tree["abandoned"]
        [step] = branch["steps"]
        assert branch["origin"] == tree["steps"][1]["checkpoint_id"]
        assert (step["number"], step["words"]) == (2, "Answer 2.")
        at = {"step": 2, "checkpoint": step["checkpoint_id"]}
        forked = server.post(f"/api/threads/{thread}/fork", **at)["thread_id"]
        assert list_entries(server, forked)[-1] == ("answer", "Answer 2.")
        server.post(f"/api/threads/{thread}/rewind", **at)
        assert list_entries(server, thread)[-1] == ("answer", "Answer 2.")
        [fork] = server.get(f"/api/threads/{thread}/steps")["forks"]
        [origin] = server.get(f"/api/threads/{forked}/steps")["origin"]
        assert (fork["thread_id"], origin["thread_id"]) == (forked, thread)
        for wrong in ("nowhere", 7):
            body = {"step": 2, "checkpoint": wrong}
            assert server.ask("POST", f"/api/threads/{thread}/rewind", body)[0] == 400


def test_cards_wait_until_the_user_decides(program: Program, provider: Provider) -> None:
    contents = ["Deploys need two reviewers.", "Releases are on Fridays.", "The port is 80."]
    notes = [{"name": "record_note", "args": {"content": content}} for content in contents]
    provider.script([{"tool_calls": notes}, {"text": "Noted."}])
    with PageServer(program) as server:
        server.read_to(server.begin("Note it.", mode="auto"), ["completion", "idle"])
        cards = {card["content"]: card for card in server.get("/api/memory")["cards"]}
        assert sorted(cards) == contents
        first, second, third = (cards[content]["id"] for content in contents)
        server.post(f"/api/memory/{first}", action="keep", content=contents[0])
        server.post(f"/api/memory/{second}", action="keep", content="Releases are on Mondays.")
        server.post(f"/api/memory/{third}", action="drop")
        for body, status in (({"action": "keep"}, 404), ({"action": "x"}, 400), ({}, 400)):
            assert server.ask("POST", f"/api/memory/{first}", body)[0] == status
        assert server.get("/api/memory")["cards"] == []
    cards = program.run("memory", "list", "--json").stdout
    assert contents[0] in cards and "Releases are on Mondays." in cards and contents[2] not in cards


def test_the_token_stays_over_a_restart(program: Program) -> None:
    with PageServer(program) as server:
        first = server.token
    with PageServer(program) as server:
        second = server.token
    with PageServer(program, "--new-token") as server:
        third = server.token
    assert first == second != third


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/threads", {}, 400),
        ("/api/threads", {"text": " "}, 400),
        ("/api/threads", {"text": 7}, 400),
        ("/api/threads", {"text": "x", "folder": "relative"}, 400),
        ("/api/threads", {"text": "x", "folder": "/no/such/folder"}, 400),
        ("/api/threads", {"text": "x", "graph": "edit"}, 400),
        ("/api/threads", {"text": "x", "mode": "root"}, 400),
        ("/api/threads", ["text"], 400),
        (f"/api/threads/{NOBODY}/messages", {"text": "x"}, 404),
        (f"/api/threads/{NOBODY}/stop", {}, 404),
        (f"/api/threads/{NOBODY}/answers", {"question": "x", "choices": []}, 404),
        ("/api/threads/x/undo", {}, 404),
        ("/api/nothing", {}, 404),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(
    server: PageServer, path: str, body: Any, status: int
) -> None:
    code, answered, _ = server.ask("POST", path, body)
    assert code == status
    assert answered["error"]["message"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    program = Program(tmp_path_factory.mktemp("web"), "http://127.0.0.1:9/v1")
    with PageServer(program) as opened:
        yield opened


def test_a_sub_agent_that_is_not_there(program: Program, provider: Provider) -> None:
    provider.script([{"text": "Alone."}])
    with PageServer(program) as server:
        thread = server.begin("Go.")
        server.read_to(thread, ["completion", "idle"])
        for name in ("explore-1", "..", "%2e%2e", "<b>", "x" * 300):
            status, answered, _ = server.ask("GET", f"/api/threads/{thread}/agents/{quote(name)}")
            assert status in (400, 404) and answered["error"]["message"]


@pytest.mark.parametrize(
    ("language", "status", "begin"),
    [("zh", 404, "没有"), ("en", 404, "there is no"), ("", 404, "there is no"), ("fr", 400, "uns")],
)
def test_a_request_is_answered_in_its_language(
    server: PageServer, language: str, status: int, begin: str
) -> None:
    path = f"/api/threads/{NOBODY}"
    code, answered, _ = server.ask("GET", path, **{"Mcode-Language": language})
    assert code == status
    assert answered["error"]["message"].startswith(begin)
    headers = {"Mcode-Language": language, "Authorization": "Bearer x"}
    denied = server.ask("GET", path, **headers)[1]["error"]["message"]
    assert denied.startswith("令牌" if language == "zh" else "the token")


def test_looking_at_threads_loads_no_langgraph(server: PageServer) -> None:
    server.get("/api/threads?q=x")
    server.get("/api/server")
    maps = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert "ormsgpack" not in maps or "langgraph" not in maps


@pytest.mark.parametrize("delay", [0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3])
def test_a_run_is_stopped_at_any_moment(delay: float, program: Program, provider: Provider) -> None:
    slow = {"text": "A slow answer. " * 40, "portion": 3, "pause": 0.2}
    provider.script(lambda request: slow)
    with PageServer(program) as server:
        thread = server.begin("Begin.")
        for _ in range(6):
            server.post(f"/api/threads/{thread}/stop")
            sending = threading.Thread(
                target=server.ask, args=("POST", f"/api/threads/{thread}/messages", {"text": "Go."})
            )
            sending.start()
            sending.join(delay)  # no event says where a run is before its first one
            server.post(f"/api/threads/{thread}/stop")
            sending.join()
        server.post(f"/api/threads/{thread}/stop")
        assert server.get(f"/api/threads/{thread}")["thread"]["status"] != "running"
