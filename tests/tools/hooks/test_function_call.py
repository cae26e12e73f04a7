"""A program's functions as hooks, in real runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from maxagent import Runner, UsageError, collect

WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}


def begin(runner: Runner, folder: Path) -> Any:
    turns = [{"tool_calls": [WRITE]}, {"text": "Done."}, {"text": "Really done."}]
    (folder / "script.json").write_text(json.dumps(turns))
    options = {"model": f"scripted/{folder / 'script.json'}", "mode": "auto"}
    return runner.chat("Go.", folder=folder, options=options)


async def refuse_later(payload: Any) -> str:
    return f"no {payload['tool']} today"


def fail(payload: Any) -> str:
    raise ValueError("broken guard")


@pytest.mark.parametrize(
    ("function", "status", "text", "is_written"),
    [
        (lambda payload: None, "answered", "", True),
        (lambda payload: "no writes", "answered", "no writes", False),
        (refuse_later, "answered", "no write_file today", False),
        (fail, "question", "", False),
        (lambda payload: 4, "question", "", False),
    ],
)
async def test_a_function_guards_each_call(tmp_path, function, status, text, is_written) -> None:
    async with Runner(home=tmp_path / "home", hooks={"before_tool": [function]}) as runner:
        events = [event async for event in begin(runner, tmp_path)]
    errors = "".join(event.error for event in events if event.type == "tool_result")
    assert events[-1].type == ("completion" if status == "answered" else "question")
    assert text in errors and (tmp_path / "a.txt").exists() == is_written


async def test_each_event_calls_its_functions(tmp_path) -> None:
    called = list[Any]()

    def record(payload: Any) -> None:
        called.append(payload["event"])

    def go_on_once(payload: Any) -> str | None:
        record(payload)
        return "look again" if called.count("on_stop") == 1 else None

    hooks: Any = {
        "before_tool": [record, lambda p: record(p)],
        "after_tool": [record],
        "on_session_start": [record],
        "on_stop": [go_on_once],
    }
    async with Runner(home=tmp_path / "home", hooks=hooks) as runner:
        result = await collect(begin(runner, tmp_path))
    assert result.text == "Really done."
    assert called == [
        "on_session_start", "before_tool", "before_tool", "after_tool", "on_stop", "on_stop",
    ]  # fmt: skip


@pytest.mark.parametrize("event", ["before", "PreToolUse", "stop", "on_end", ""])
def test_an_unknown_event_is_refused(event: str) -> None:
    hooks: Any = {event: [fail]}
    with pytest.raises(UsageError, match="there is no hook"):
        Runner(hooks=hooks)
