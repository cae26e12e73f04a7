import pytest

from maxagent.tools.builtin.session.plan_mode import plan_enter, plan_exit, plan_mode_respond
from maxagent.tools.definition import get_effect, get_schema
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

TOOLS = [(plan_enter, {"reason": "large"}), (plan_exit, {}), (plan_mode_respond, {"response": "x"})]


@pytest.mark.parametrize(("tool", "args"), TOOLS, ids=lambda item: getattr(item, "name", ""))
async def test_without_a_human_nothing_is_decided(tool, args, tmp_path) -> None:
    run = ToolRun(Workspace(tmp_path), "call", tmp_path, 1.0)
    assert "nobody is here" in (await invoke(tool, args, run)).error
    assert get_effect(tool) == "talk"


def test_only_the_necessary_fields_are_required() -> None:
    assert [get_schema(tool).get("required", []) for tool, _ in TOOLS] == [[], [], ["response"]]
