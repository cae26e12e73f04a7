from typing import Any

import pytest

from maxagent.tools.builtin.session.subagent import MAX_TASKS, describe_agents, read_tasks, subagent
from maxagent.tools.result import ToolError
from maxagent.tools.runtime.registry import canonical

ONE = {"agent_type": "explore", "task": "look"}


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("subagent", ONE),
        ("subagent", {"tasks": [ONE]}),
        ("task", {"description": "Look", "prompt": "look", "subagent_type": "explore"}),
        ("Task", {"tasks": [{"prompt": " look ", "subagent_type": "explore", "extra": 1}]}),
    ],
)
def test_one_task_is_read_from_any_form(name: str, args: dict[str, Any]) -> None:
    tool, value = canonical(name, args)
    assert (tool, read_tasks(value)) == ("subagent", [ONE])


def test_resumed_agent_needs_no_type() -> None:
    texts = {"resume": "explore-1", "task": "and then?"}
    assert read_tasks(texts) == [texts]


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({}, "`task` is empty"),
        ({"task": "look"}, "`agent_type` is missing"),
        ({"tasks": []}, f"1 to {MAX_TASKS} tasks, not 0"),
        ({"tasks": [ONE] * 17}, f"1 to {MAX_TASKS} tasks, not 17"),
        ({"tasks": ["look"]}, "each of `tasks` is an object"),
        ({"tasks": [{"agent_type": "explore", "task": " "}]}, "`task` is empty"),
    ],
)
def test_wrong_tasks_are_refused(args: dict[str, Any], error: str) -> None:
    with pytest.raises(ToolError, match=error):
        read_tasks(args)


def test_description_lists_agents_by_name_each_on_a_line() -> None:
    described = describe_agents(subagent, {"b": "x" * 200, "a": "two\nlines"})
    *_, first, second = described.description.splitlines()
    assert first == "- a: two lines"
    assert second.startswith("- b: xxx") and second.endswith("…") and len(second) < 150
