import json
from pathlib import Path
from typing import Any

import pytest
from sent_children import run_thread

from maxagent import Runner, trust
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.transfer.trajectory import export_trajectory

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"
SECRET = "Zq8-became-a-secret-later"


def shorten(trajectory: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Return source, first words and calls of each step; what the graph adds is left out."""
    return [
        (
            step["source"],
            step["message"][:20],
            [call["function_name"] for call in step.get("tool_calls", ())],
        )
        for step in trajectory["steps"]
        if step["source"] != "system"
    ]


async def test_a_conversation_is_steps_with_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    trust(folder, home)
    call = {"name": "run_command", "args": {"command": f"echo {SECRET}; exit 3"}}
    turns = [{"text": "I look.", "thinking": "Hm.", "tool_calls": [call]}, {"text": "Done."}]
    (tmp_path / "scenario.json").write_text(json.dumps({"build": turns}))
    options: Any = {"model": f"scripted/{tmp_path}/scenario.json", "mode": "auto"}
    async with Runner(home=home) as runner:
        async for _ in runner.chat("Look.", folder=folder, options=options):
            pass
    monkeypatch.setenv("MY_API_KEY", SECRET)
    [row] = ThreadIndex(home).list()
    trajectory = export_trajectory(row, home)
    assert shorten(trajectory) == [
        ("user", "Look.", []),
        ("agent", "I look.", ["run_command"]),
        ("agent", "Done.", []),
    ]
    steps = {step["message"]: step for step in trajectory["steps"]}
    first = steps["I look."]
    [result] = first["observation"]["results"]
    assert result["source_call_id"] == first["tool_calls"][0]["tool_call_id"]
    assert result["extra"] == {"is_error": True} and "exit code 3" in result["content"]
    assert first["reasoning_content"] == "Hm." and first["metrics"]["prompt_tokens"] > 0
    assert first["model_name"] == trajectory["agent"]["model_name"] == options["model"]
    assert trajectory["final_metrics"]["total_steps"] == len(trajectory["steps"])
    assert [step["step_id"] for step in trajectory["steps"]] == [
        *range(1, len(trajectory["steps"]) + 1)
    ]
    assert SECRET not in json.dumps(trajectory)


async def test_each_child_is_a_trajectory(tmp_path: Path) -> None:
    ThreadIndex(tmp_path).record_thread(
        thread_id=THREAD, title="look", folder="/p", graph="chat", request="look", options={}
    )
    await run_thread(tmp_path, THREAD)
    trajectory = export_trajectory(ThreadIndex(tmp_path).get(THREAD), tmp_path)
    results = [
        result
        for step in trajectory["steps"]
        for result in step.get("observation", {"results": []})["results"]
    ]
    ids = [ref["trajectory_id"] for each in results for ref in each["subagent_trajectory_ref"]]
    children = {each["trajectory_id"]: each for each in trajectory["subagent_trajectories"]}
    assert set(ids) == set(children) == {"explore-1", "shell-1"}
    assert [call for _, _, calls in shorten(children["explore-1"]) for call in calls] == [
        "read_file"
    ]


def test_a_thread_that_has_not_begun_is_its_request(tmp_path: Path) -> None:
    index = ThreadIndex(tmp_path)
    index.record_thread(
        thread_id=THREAD, title="look", folder="/p", graph="chat", request="look", options={}
    )
    [step] = export_trajectory(index.get(THREAD), tmp_path)["steps"]
    assert (step["step_id"], step["source"], step["message"]) == (1, "user", "look")
