"""One thread over six makers, killed twice and forked once: strict servers accept every request."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from anthropic_provider import AnthropicProvider
from pictures import PNG
from program import KEY, Ended, Program
from provider import Answer
from responses_provider import ResponsesProvider
from strict_provider import StrictProvider
from test_kill import kill, read_until

from maxagent.models.providers import get_provider

Server = StrictProvider | ResponsesProvider | AnthropicProvider
STEPS = 40
MODELS = {
    "deepseek": "deepseek-v4-pro",
    "anthropic": "claude-sonnet-5-5",
    "openai": "gpt-5.3-codex",
    "glm": "glm-4.7",
    "kimi": "kimi-k2.7-code",
    "minimax": "MiniMax-M2",
}
BLIND = {MODELS["deepseek"], MODELS["glm"], MODELS["minimax"]}
UNTHINKING = {"kimi"}
"""Who is asked not to think."""
HALF = {"thinking": "Half a thought", "text": "Half of an answer.", "portion": 7, "hang_after": 10}
SLOW = {"command": "echo begins >> log.txt; echo begun; sleep 60; echo ends >> log.txt"}


def call(name: str, **arguments: str) -> Answer:
    return {"name": name, "args": arguments}


def build_answers(maker: str) -> list[Answer]:
    """Eight steps: calls with thinking and without, an image, broken arguments, a cut stream."""
    path = f"{maker}.txt"
    write = call("write_file", path=path, content=f"{maker}\n")
    to_log = call("run_command", command=f"echo {maker} >> log.txt")
    log = {"thinking": "Again, then.", "text": "To the log.", "tool_calls": [to_log]}
    return [
        {"thinking": "First the file.", "tool_calls": [write, call("read_file", path=path)]},
        {"tool_calls": [call("list_files")]},
        {"thinking": "How does it look?", "tool_calls": [call("read_file", path="picture.png")]},
        {"tool_calls": [{"name": "read_file", "args": '{"path": "half'}]},
        {**log, "cut_after": 6},
        log,
        {
            "text": "Is it there?",
            "tool_calls": [call("read_file", path="log.txt"), call("list_files")],
        },
        {"thinking": "All there?", "text": f"{maker} is done."},
    ]


@pytest.fixture
def servers() -> Iterator[Mapping[str, Server]]:
    with ExitStack() as stack:
        opened: dict[str, Server] = {
            "deepseek": StrictProvider("deepseek"),
            "anthropic": AnthropicProvider(),
            "openai": ResponsesProvider(),
            "glm": StrictProvider("glm"),
            "kimi": StrictProvider("kimi"),
            "minimax": AnthropicProvider(),
        }
        for server in opened.values():
            stack.enter_context(server)
            if not isinstance(server, ResponsesProvider):
                server.blind |= BLIND
        yield opened


@pytest.fixture
def program(tmp_path: Path, servers: Mapping[str, Server]) -> Program:
    """`mcode` with the address and the key of every maker."""
    program = Program(tmp_path, "")
    for maker, server in servers.items():
        row = get_provider(maker)
        program.environ[row.list_endpoint_variables()[0]] = server.url
        program.environ[row.key_variables[0]] = KEY
    (program.project / "picture.png").write_bytes(PNG)
    return program


def list_options(maker: str) -> list[str]:
    thinking = "disabled" if maker in UNTHINKING else "enabled"
    model = f"{maker}/{MODELS[maker]}"
    return ["--model", model, "--mode", "auto", "--thinking", thinking]


def say(program: Program, maker: str, *options: str) -> Ended:
    """Ask the maker's model for its file and wait for the end."""
    message = f"{maker}, write your file. @picture.png"
    output = ["--output", "stream-json"]
    ended = program.run("chat", message, *options, *list_options(maker), *output)
    assert ended.last.get("summary") == f"{maker} is done.", ended.last
    return ended


def test_strict_servers_accept_every_request(
    program: Program, servers: Mapping[str, Server]
) -> None:
    for maker, server in servers.items():
        server.script(build_answers(maker))
    thread = say(program, "deepseek").last["thread_id"]
    kill_in_answer(program, thread, servers["anthropic"])
    kill_in_command(program, thread, servers["openai"])
    say(program, "glm", "--resume", thread)
    copy = say(program, "kimi", "--resume", thread, "--fork").last["thread_id"]
    say(program, "minimax", "--resume", copy)
    servers["deepseek"].script(build_answers("deepseek"))
    say(program, "deepseek", "--resume", thread)
    assert {maker: list_refusals(server) for maker, server in servers.items()} == dict.fromkeys(
        servers, []
    )
    assert copy != thread
    for maker in servers:
        assert (program.project / f"{maker}.txt").read_text() == f"{maker}\n"
    log = ["deepseek", "anthropic", "begins", "openai", "glm", "kimi", "minimax", "deepseek"]
    assert program.lines() == log
    last = servers["minimax"].requests[-1].body["messages"]
    assert [message["role"] for message in last].count("assistant") >= STEPS
    assert b'"type":"image"' in servers["anthropic"].requests[-1].raw


def kill_in_answer(program: Program, thread: str, server: Server) -> None:
    """Kill the process when its model has said half of an answer, and resume."""
    answers = build_answers("anthropic")
    server.script([answers[0], HALF, *answers[1:]])
    options = ["--resume", thread, *list_options("anthropic")]
    process = program.start("chat", "anthropic, write your file.", *options)
    read_until(process, "output")
    kill(process, program)
    assert program.resume(thread).last["summary"] == "anthropic is done."


def kill_in_command(program: Program, thread: str, server: Server) -> None:
    """Kill the process while its command runs, and resume."""
    slow = {"thinking": "This takes time.", "tool_calls": [{"name": "run_command", "args": SLOW}]}
    answers = build_answers("openai")
    server.script([answers[0], slow, *answers[1:]])
    options = ["--resume", thread, *list_options("openai")]
    process = program.start("chat", "openai, write your file.", *options)
    read_until(process, "tool_output")
    kill(process, program)
    assert program.resume(thread).last["summary"] == "openai is done."


def list_refusals(server: Server) -> list[str]:
    """Why the server refused requests."""
    return server.refusals if isinstance(server, AnthropicProvider) else server.refused
