"""The event `plan_response`: once for each question of the model about its plan."""

import json
from pathlib import Path
from typing import Any

import pytest

from maxagent import Answer, Event, Runner


def reply(**args: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": "plan_mode_respond", "args": args}]}


async def begin(home: Path, *turns: Any, plan: bool = True) -> list[Event]:
    (home / "project").mkdir()
    (home / "script.json").write_text(json.dumps(turns))
    options: Any = {"model": f"scripted/{home / 'script.json'}", "plan": plan}
    async with Runner(home=home / "home") as runner:
        return [
            event async for event in runner.chat("Go", folder=home / "project", options=options)
        ]


def read_responses(events: list[Event]) -> list[tuple[str, list[str]]]:
    return [(event.response, event.options) for event in events if event.type == "plan_response"]


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (
            reply(response="Two steps?", options=["two", "three"]),
            [("Two steps?", ["two", "three"])],
        ),
        (reply(response="Which file?"), [("Which file?", [])]),
        (reply(response="Empty?", options=[]), [("Empty?", [])]),
        (reply(options=["a"]), []),
        (reply(response="x", choices=["a"]), [("x", [])]),
        (reply(response="x", options="yes"), [("x", ["yes"])]),
        (reply(response="x", options=[1, 2]), [("x", ["1", "2"])]),
        (reply(response=3), [("3", [])]),
        ({"text": "I have a plan."}, []),
        ({"tool_calls": [{"name": "ask_user", "args": {"question": "Which?"}}]}, []),
    ],
)
async def test_response_comes_right_before_its_question(
    tmp_path: Path, turn: Any, expected: Any
) -> None:
    events = await begin(tmp_path, turn, {"text": "Done."})
    assert read_responses(events) == expected
    if expected:
        assert [event.type for event in events[-2:]] == ["plan_response", "question"]


async def test_build_mode_has_no_response(tmp_path: Path) -> None:
    assert (
        read_responses(await begin(tmp_path, reply(response="x"), {"text": "."}, plan=False)) == []
    )


async def test_each_response_comes_once(tmp_path: Path) -> None:
    turns = [reply(response="First?"), reply(response="Second?"), {"text": "Done."}]
    first = await begin(tmp_path, *turns)
    thread = first[-1].thread_id if first[-1].type == "question" else ""
    async with Runner(home=tmp_path / "home") as runner:
        shown = [event async for event in runner.resume(thread)]
        second = [event async for event in runner.resume(thread, Answer(text="yes"))]
        third = [event async for event in runner.resume(thread, Answer(text="yes"))]
    responses = [[each[0] for each in read_responses(run)] for run in (first, shown, second, third)]
    assert responses == [["First?"], [], ["Second?"], []]


async def test_callback_answers_after_each_response(tmp_path: Path) -> None:
    first = await begin(
        tmp_path, reply(response="First?"), reply(response="Second?"), {"text": "."}
    )
    thread = first[-1].thread_id if first[-1].type == "question" else ""
    async with Runner(home=tmp_path / "home", on_question=lambda q: q.answer("yes")) as runner:
        events = [event async for event in runner.resume(thread)]
    assert [each[0] for each in read_responses(events)] == ["Second?"]
    assert events[-1].type == "completion"
