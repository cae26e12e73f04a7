"""Commands in the background as people have them: over turns, over kills, at the end of a run."""

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from chat_window import ChatWindow
from program import Event, Program
from provider import Provider

AUTO = ("--mode", "auto")
WAIT = "for n in $(seq 100); do curl -sf http://127.0.0.1:{port}/page.txt && break; sleep 0.1; done"


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def run(command: str, **args: object) -> dict[str, object]:
    return {"tool_calls": [{"name": "run_command", "args": {"command": command, **args}}]}


def call(name: str, **args: object) -> dict[str, object]:
    return {"tool_calls": [{"name": name, "args": args}]}


def say(process: "subprocess.Popen[str]", line: object) -> None:
    assert process.stdin
    texts = {"type": "user", "text": line} if isinstance(line, str) else line
    process.stdin.write(json.dumps(texts) + "\n")
    process.stdin.flush()


def read_until(process: "subprocess.Popen[str]", kind: str, **fields: object) -> list[Event]:
    """The events up to the next one of a kind with these fields."""
    events: list[Event] = []
    for line in process.stdout or ():
        events.append(json.loads(line))
        last = events[-1]
        if last["type"] == kind and all(last[name] == value for name, value in fields.items()):
            return events
    raise AssertionError(f"it ended before {kind}: {events[-3:]}")


def find_job(events: list[Event]) -> str:
    return next(event["id"] for event in events if event["type"] == "background_started")


def find_processes(mark: str) -> list[int]:
    """The processes whose command line has the mark."""
    result = list[int]()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in entry.read_bytes():
                result.append(int(entry.parent.name))
        except OSError:
            continue
    return result


def wait_until_gone(mark: str, seconds: float = 5.0) -> float:
    start_time = time.monotonic()
    while find_processes(mark):
        assert time.monotonic() - start_time < seconds, find_processes(mark)
        time.sleep(0.02)
    return time.monotonic() - start_time


def test_server_runs_over_turns_and_is_killed(
    program: Program, provider: Provider, port: int
) -> None:
    (program.project / "page.txt").write_text("hello from the server\n")
    serve = f"python3 -m http.server {port} --bind 127.0.0.1"
    provider.script([run(serve, run_in_background=True), {"text": "Started."}])
    process = program.talk(*AUTO)
    say(process, "serve it")
    job = find_job(read_until(process, "completion"))

    provider.script([run(WAIT.format(port=port)), {"text": "It answers."}])
    say(process, "look at it")
    (result,) = [e for e in read_until(process, "completion") if e["type"] == "tool_result"]
    assert (result["ok"], result["output"]) == (True, "hello from the server\n")

    provider.script([call("bash_output", bash_id=job, filter="GET"), {"text": "Read."}])
    say(process, "what did it print?")
    (result,) = [e for e in read_until(process, "completion") if e["type"] == "tool_result"]
    assert "GET /page.txt" in result["output"] and result["output"].startswith("Running for")

    provider.script([call("killshell", shell_id=job), {"text": "Killed."}])
    say(process, "end it")
    events = read_until(process, "completion")
    (ended,) = [event for event in events if event["type"] == "background_finished"]
    assert (ended["id"], ended["killed"], ended["exit_code"]) == (job, True, None)
    assert find_processes(f"http.server {port}".replace(" ", "\0")) == []
    assert program.end(process).code == 0
    assert os.listdir(program.project) == ["page.txt"]


def test_running_server_leaves_the_project_as_it_is(
    program: Program, provider: Provider, port: int
) -> None:
    project = program.project

    def look() -> tuple[str, list[str]]:
        status = ["git", "status", "--porcelain", "--ignored"]
        result = subprocess.run(status, cwd=project, capture_output=True, text=True, check=True)
        return result.stdout, sorted(os.listdir(project))

    subprocess.run(["git", "init", "-q", project], check=True)
    before = look()
    provider.script([run(f"python3 -m http.server {port}", background=True), {"text": "Started."}])
    process = program.talk(*AUTO)
    say(process, "serve it")
    first = read_until(process, "completion")[-1]
    assert (look(), first["files"]) == (before, [])
    provider.script([call("write_file", path="a.txt", content="a\n"), {"text": "Written."}])
    say(process, "write a.txt")
    second = read_until(process, "completion")[-1]
    assert look() == ("?? a.txt\n", sorted([*before[1], "a.txt"]))
    assert [item["path"] for item in second["files"]] == ["a.txt"]
    undone = program.run("undo", second["thread_id"], "--yes")
    assert (undone.code, look()) == (0, before), undone.stderr
    assert program.end(process).code == 0


def test_kill_of_program_ends_commands_and_thread_is_reported(
    program: Program, provider: Provider
) -> None:
    mark = f"4{os.getpid()}.5"
    command = f"touch made; setsid sleep {mark} & sleep {mark}"
    provider.script([run(command, background=True), {"text": "Started."}])
    process = program.talk(*AUTO)
    say(process, "start it")
    events = read_until(process, "completion")
    assert len(find_processes(f"sleep\0{mark}")) == 2
    process.kill()
    assert program.end(process).code == -signal.SIGKILL
    wait_until_gone(f"sleep\0{mark}")

    thread = events[-1]["thread_id"]
    provider.script([{"text": "I know."}])
    again = program.chat("and now?", "--resume", thread, *AUTO)
    text = str(provider.requests[-1].whole["messages"])
    assert "do not run any more" in text and find_job(events) in text
    assert any("background commands ended" in item["text"] for item in again.told("notice"))
    provider.script([run("true"), {"text": "Still."}])
    more = program.chat("and now?", "--resume", thread, *AUTO)
    assert not any("background commands ended" in item["text"] for item in more.told("notice"))
    assert str(provider.requests[-1].whole["messages"]).count("do not run any more") == 1


def test_one_run_ends_its_commands_and_says_so(program: Program, provider: Provider) -> None:
    mark = f"5{os.getpid()}.5"
    stubborn = f"touch made; trap '' TERM; while :; do sleep {mark}; done"
    provider.script([run(stubborn, background=True), {"text": "Started."}])
    start_time = time.monotonic()
    ended = program.chat("start it", *AUTO, LANG="zh_CN.UTF-8")
    assert (ended.code, find_processes(f"sleep\0{mark}")) == (0, [])
    assert f"已停止后台命令：`{stubborn}`" in ended.stderr
    assert time.monotonic() - start_time < 30


def test_command_that_ends_by_itself_is_reported_once(program: Program, provider: Provider) -> None:
    ends = "until test -e go; do sleep 0.05; done; exit 3"
    provider.script([run(ends, background=True), {"text": "Started."}])
    process = program.talk(*AUTO)
    say(process, "start it")
    read_until(process, "completion")
    provider.script([run("touch go; sleep 1.5"), {"text": "Seen."}])
    say(process, "go")
    events = read_until(process, "completion")
    (ended,) = [event for event in events if event["type"] == "background_finished"]
    assert (ended["exit_code"], ended["killed"]) == (3, False)
    assert str(provider.requests[-1].whole["messages"]).count("has ended") == 1
    provider.script([{"text": "Yes."}])
    say(process, "and?")
    read_until(process, "completion")
    assert str(provider.requests[-1].whole["messages"]).count("has ended") == 1
    assert program.end(process).code == 0


def test_line_sends_running_command_to_background(program: Program, provider: Provider) -> None:
    provider.script([run("echo begun; touch made; sleep 300"), {"text": "It goes on."}])
    process = program.talk(*AUTO)
    say(process, "run it")
    read_until(process, "tool_output")
    say(process, {"type": "background"})
    events = read_until(process, "completion")
    (result,) = [event for event in events if event["type"] == "tool_result"]
    assert "The user sent this command to the background" in result["output"]
    ended = program.end(process)
    assert (ended.code, "Stopped the commands in the background" in ended.stderr) == (0, True)


def test_ctrl_b_and_jobs_at_the_terminal(tmp_path: Path, provider: Provider) -> None:
    window = ChatWindow(tmp_path, provider, "en", LLC_SECURITY__MODE="auto")
    mark = f"6{os.getpid()}.5"
    window.answers(run(f"echo begun; touch made; sleep {mark}"), {"text": "It goes on."})
    with window.open(columns=100):
        window.terminal.type("run it").press("enter")
        window.see("Ctrl-B")
        window.press("ctrl-b")
        window.see("It goes on.")
        window.rest()
        window.see_status(window.words("status.jobs", count=1))
        window.send("/jobs")
        window.see("running for", "call_")
        window.send("/jobs output call")
        window.see("begun")
        window.send("/jobs kill call")
        window.see("Killed:")
        wait_until_gone(f"sleep\0{mark}")
