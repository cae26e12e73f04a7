"""A process killed while a model writes the summary: nothing of it is kept."""

import threading
from typing import Any

from program import Program
from provider import Provider, Request

FILES = 14


def is_summary(body: dict[str, Any]) -> bool:
    return "is about to be shortened" in str(body["messages"][-1]["content"])


def test_kill_in_a_summary_repeats_only_the_summary(program: Program, provider: Provider) -> None:
    for number in range(1, FILES + 1):
        lines = (f"line {number}.{line} of a file that says nothing\n" for line in range(120))
        (program.project / f"f{number}.txt").write_text("".join(lines))
    environ = {
        "LLC_MODEL__CONTEXT_LENGTH": "21000",
        "LLC_CONTEXT__PRUNE": "false",
    }
    asked, bodies = threading.Event(), list[dict[str, Any]]()
    read = 0

    def answer(request: Request) -> dict[str, Any]:
        nonlocal read
        body, size = request.body, len(request.raw) // 4
        bodies.append(body)
        usage = {"prompt_tokens": size, "completion_tokens": 9, "total_tokens": size + 9}
        if is_summary(body):
            is_first = not asked.is_set()
            asked.set()
            hang = {"hang_after": 2} if is_first else {}
            return {"text": "I read one file after another.", "usage": usage, **hang}
        read += 1
        if read > FILES:
            return {"text": "It is 42.", "usage": usage}
        call = {"name": "read_file", "args": {"path": f"f{read}.txt"}}
        return {"tool_calls": [call], "usage": usage}

    provider.script(answer)
    model = ("--model", "openai/served", "--base-url", provider.url)
    process = program.start("chat", "Find the number", *model, **environ)
    assert asked.wait(60)
    process.kill()
    killed = program.end(process)
    thread = killed.events[0]["thread_id"]
    turns = sum(not is_summary(body) for body in bodies)
    resumed = program.resume(thread, **environ)
    assert resumed.last["summary"] == "It is 42."
    again = bodies[turns + 1]
    assert is_summary(again) and again == bodies[turns]
    assert [event["by"] for event in resumed.told("compaction_finished")] == ["openai/served"]
    assert "I read one" not in str(again)
    assert len(bodies) == FILES + 1 + 2
