"""A role hears of files that were put back between two of its steps."""

import json
from pathlib import Path

import pytest

from maxagent import trust
from maxagent.sdk.graph_registry import TASK
from maxagent.sdk.interrupt_response import Answer
from maxagent.sdk.runner import Runner
from maxagent.sdk.threads.file_history import open_leased_files

QUESTION = {"name": "ask_user", "args": {"question": "Go on?"}}
WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}


@pytest.fixture
def options(tmp_path: Path) -> dict:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".llc.yaml").write_text("task: {test_command: 'true'}\n")
    trust(tmp_path / "project", tmp_path / "home")
    coder = [{"tool_calls": [WRITE]}, {"tool_calls": [QUESTION]}, {"text": "done"}]
    turns = {"architect": [{"text": "SMALL"}], "coder": coder, "tester": [{"text": "Accepted."}]}
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    return {"model": f"scripted/{tmp_path / 'scenario.json'}", "mode": "auto", "apply": True}


async def told(tmp_path: Path, options: dict, *kinds: str) -> list[str]:
    """What the coder is told after its first brief, when files went back while it asked."""
    async with Runner(home=tmp_path / "home") as runner:
        events = runner.task("x", folder=tmp_path / "project", options=options)
        asked = [event async for event in events][-1]
        row = runner.threads.find(asked.thread_id)
        for kind in kinds:
            with open_leased_files(row, tmp_path / "home") as files:
                way = await files.plan_restore(kind)
                await way.apply()
        _ = [event async for event in runner.resume(row.thread_id, Answer(text="yes"))]
        config = {"configurable": {"thread_id": row.thread_id}}
        state = await runner._graph_of(TASK).aget_state(config)
    coder = [m for m in state.values["messages"] if m.additional_kwargs["role"] == "coder"]
    return [message.text for message in coder if message.type == "human"][1:]


async def test_files_that_were_undone_are_named_once(tmp_path: Path, options: dict) -> None:
    (text,) = await told(tmp_path, options, "undo")
    assert "`a.txt`" in text


async def test_unchanged_files_are_not_reported_as_stale(tmp_path: Path, options: dict) -> None:
    assert await told(tmp_path, options) == []
    (tmp_path / "project" / "a.txt").unlink()
    assert await told(tmp_path, options, "undo", "redo") == []
