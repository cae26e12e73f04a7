import json

from maxagent.nodes.context import Context
from maxagent.nodes.workbench import close_workbenches, workbench


async def test_all_roles_ask_over_the_connections_of_one_model(tmp_path):
    home = Context(home=str(tmp_path / "home"))
    options = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}
    bench = await workbench(str(tmp_path), options, home)
    architect, coder = bench.voice("architect"), bench.voice("coder")
    assert architect.chat_model is coder.chat_model
    assert architect.model.tools != coder.model.tools
    await close_workbenches()


async def test_a_script_has_a_model_for_each_role(tmp_path):
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"architect": [{"text": "a"}], "coder": [{"text": "c"}]}))
    home = Context(home=str(tmp_path / "home"))
    bench = await workbench(str(tmp_path), {"model": f"scripted/{scenario}"}, home)
    answers = [await bench.voice(role).model.ainvoke("go") for role in ("architect", "coder")]
    assert [answer.text for answer in answers] == ["a", "c"]
    await close_workbenches()


async def test_the_folder_that_commands_may_not_name_is_the_runs_own_home(tmp_path):
    options = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}
    bench = await workbench(str(tmp_path), options, Context(home=str(tmp_path / "home")))
    assert bench.workspace.own == bench.home == tmp_path / "home"
    await close_workbenches()
