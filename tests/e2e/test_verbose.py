"""`--verbose`: requests, retries and tool results on stderr, before or after the command."""

import json
from pathlib import Path

import pytest
from chat_window import ChatWindow
from program import Program
from provider import Provider

LINES = [f"line {number} of many" for number in range(30)]
READ = {"tool_calls": [{"name": "read_file", "args": {"path": "long.txt"}}]}
BUSY = {"status": 503, "body": {"error": {"message": "overloaded"}}}
QUESTION = "What is in long.txt?"


@pytest.fixture
def talker(program: Program, provider: Provider) -> Program:
    program.environ["OPENAI_BASE_URL"] = provider.url
    (program.project / "long.txt").write_text("\n".join(LINES))
    provider.script([READ, BUSY, {"text": "Thirty lines."}])
    return program


def speak(program: Program, *arguments: str, output: str = "text") -> tuple[str, str]:
    ended = program.run(*arguments, "--model", "openai/served", "--output", output)
    assert ended.code == 0, ended.stderr
    return ended.stdout, ended.stderr


@pytest.mark.parametrize(
    "arguments", [("-v", "chat", QUESTION), ("chat", QUESTION, "--verbose"), ("-v", QUESTION)]
)
def test_stderr_has_requests_retries_and_results(
    talker: Program, arguments: tuple[str, ...]
) -> None:
    stdout, stderr = speak(talker, *arguments)
    assert stdout == "Thirty lines.\n"
    assert "request 1: 0." in stderr and "request 2: 0." in stderr
    assert "10 tokens in (0 cached), 5 out" in stderr
    assert "attempt 1 failed: " in stderr
    assert [line for line in LINES if line not in stderr] == []


def test_json_on_stdout_stays_as_it_is(talker: Program) -> None:
    stdout, stderr = speak(talker, "chat", QUESTION, "-v", output="json")
    assert json.loads(stdout)["summary"] == "Thirty lines."
    assert "result of read_file" in stderr and "attempt 1 failed: " in stderr


def test_without_the_option_nothing_is_added(talker: Program) -> None:
    _, stderr = speak(talker, "chat", QUESTION)
    assert "request 1" not in stderr and LINES[20] not in stderr


def test_a_conversation_shows_it_above_the_prompt(tmp_path: Path, provider: Provider) -> None:
    window = ChatWindow(tmp_path, provider, "en")
    (window.project / "long.txt").write_text("\n".join(LINES))
    window.answers(READ, {"text": "Thirty lines."})
    with window.open("-v", rows=60):
        screen = window.say(QUESTION, until="Thirty lines.")
    assert "request 1: 0." in screen and "result of read_file" in screen
    assert LINES[20] in screen
