"""A conversation over Anthropic Messages, against a server as strict as the real one."""

from pathlib import Path
from typing import Any

from anthropic_provider import AnthropicProvider
from program import KEY, Program

COUNT = 10
"""Calls of the loop."""


def write_line(number: int) -> dict[str, Any]:
    """Think, say so at times, and write a line."""
    command = {"name": "run_command", "args": {"command": f"echo {number} >> log.txt"}}
    return {
        "thinking": f"Line {number} 😀.",
        "text": "" if number % 2 else f"Now line {number}.",
        "tool_calls": [{**command, "id": f"c{number}"}],
    }


def test_tool_loop_with_thinking_and_cut_stream(
    tmp_path: Path, anthropic_provider: AnthropicProvider
) -> None:
    turns = [write_line(number) for number in range(COUNT)]
    cut = {**turns[4], "cut_after": 6}
    done = {"thinking": "All there?", "text": "Ten lines."}
    anthropic_provider.script([*turns[:4], cut, *turns[4:], done, {"text": "Again: ten."}])
    url = anthropic_provider.url
    program = Program(tmp_path, url, {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY})
    del program.environ["OPENAI_API_KEY"]
    common = ("--mode", "auto", "--thinking", "enabled", "--output", "stream-json")
    ended = program.run("chat", "Write ten lines.", *common)
    assert anthropic_provider.refusals == []
    assert (ended.code, ended.stderr, ended.last["summary"]) == (0, "", "Ten lines.")
    assert program.lines() == [str(number) for number in range(COUNT)]
    assert len(ended.told("retry")) == 1
    thinking = "".join(event["text"] for event in ended.told("thinking"))
    assert "Line 9 😀." in thinking and "All there?" in thinking
    last = anthropic_provider.requests[-1]
    assert last.body["model"] == "claude-sonnet-5-5" and last.body["stream"]
    answers = [message for message in last.body["messages"] if message["role"] == "assistant"]
    assert [answer["content"][0]["type"] for answer in answers] == ["thinking"] * COUNT

    again = program.run("chat", "--continue", "And again?", *common)
    assert anthropic_provider.refusals == []
    assert (again.code, again.last["summary"]) == (0, "Again: ten.")
    assert again.last["usage"]["requests"] == COUNT + 2
