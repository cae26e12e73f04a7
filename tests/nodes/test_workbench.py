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


async def test_an_agent_has_its_own_model_temperature_turns_and_rules(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    (home / "agents").mkdir(parents=True)
    (home / "agents/coder.md").write_text(
        "---\nmodel: openai/other\ntemperature: 0.1\nmax_steps: 4\n"
        "permissions: {deny: [edit]}\n---\nYou are the coder.\n"
    )
    context = Context(home=str(home))
    usual = await workbench(str(folder), {"speaker": "build"}, context)
    mine = usual.spoken_by("coder")
    named = await workbench(str(folder), {"model": "openai/any"}, context)
    assert (mine.model.model, mine.model.temperature) == ("other", 0.1)
    assert mine.settings.model.max_iterations == 4
    assert [rule.text for rule in mine.policy.rules] == ["edit"] and not usual.policy.rules
    assert named.spoken_by("coder").model.model == "any"  # what the user names is stronger
    speaking = await workbench(str(folder), {"speaker": "coder"}, context)
    assert speaking.model.model == "other"
    assert "You are the coder." in speaking.voice("coder").system.text
    await close_workbenches()
