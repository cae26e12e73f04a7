import pytest

from maxagent.nodes.context import Context
from maxagent.nodes.workbench import close_workbenches, learn, workbench

OPTIONS = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}


async def test_the_folder_that_commands_may_not_name_is_the_runs_own_home(tmp_path):
    bench = await workbench(str(tmp_path), OPTIONS, Context(home=str(tmp_path / "home")))
    assert bench.workspace.own == bench.home == tmp_path / "home"
    await close_workbenches()


@pytest.mark.parametrize(
    ("options", "mode"),
    [({}, "edits"), ({"files": ["a.txt"]}, "ask"), ({"agent": "build"}, "ask")],
)
async def test_a_task_edits_unasked_and_all_else_asks_where_nobody_names_a_mode(
    tmp_path, options, mode
):
    context = Context(home=str(tmp_path / "home"))
    usual = await workbench(str(tmp_path), OPTIONS | options, context)
    named = await workbench(str(tmp_path), OPTIONS | options | {"mode": "auto"}, context)
    assert (usual.policy.mode, named.policy.mode) == (mode, "auto")
    await close_workbenches()


async def test_what_is_allowed_from_now_on_holds_beside_the_rules_that_were_loaded(tmp_path):
    context = Context(home=str(tmp_path / "home"))
    before = await workbench(str(tmp_path), OPTIONS, context)
    learn(["run_command(make)"])
    after = await workbench(str(tmp_path), OPTIONS, context)
    assert [rule.text for rule in after.policy.rules] == ["run_command(make)"]
    assert after.journal is before.journal and not before.policy.rules
    await close_workbenches()
