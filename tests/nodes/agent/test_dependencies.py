import asyncio

import pytest

from maxagent.config.errors import UsageError
from maxagent.nodes.agent.agent import open_voice
from maxagent.nodes.agent.dependencies import close_workbenches, learn, look_again, workbench
from maxagent.nodes.context import Context

OPTIONS = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}


async def test_the_folder_that_commands_may_not_name_is_the_runs_own_home(tmp_path):
    bench = await workbench(str(tmp_path), OPTIONS, Context(home=str(tmp_path / "home")))
    assert bench.workspace.own == bench.home == tmp_path / "home"
    await close_workbenches()


async def test_who_asks_while_it_is_opened_for_another_gets_the_same_one(tmp_path):
    context = Context(home=str(tmp_path / "home"))
    both = [workbench(str(tmp_path), OPTIONS, context) for _ in range(2)]
    one, other = await asyncio.gather(*both)
    assert one is other
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


@pytest.mark.parametrize("replaced", ["project", "project/inner"])
async def test_a_folder_replaced_by_a_link_is_refused(tmp_path, replaced):
    folder, context = tmp_path / "project" / "inner", Context(home=str(tmp_path / "home"))
    folder.mkdir(parents=True)
    await workbench(str(folder), OPTIONS, context)

    (tmp_path / replaced).rename(tmp_path / "elsewhere")
    (tmp_path / replaced).symlink_to(tmp_path / "elsewhere")
    await look_again(str(folder))

    with pytest.raises(UsageError, match=r"is a link now.*elsewhere"):
        await workbench(str(folder), OPTIONS, context)
    await close_workbenches()


AGENT = "---\ndescription: Reviews.\ntools: [{tools}]\n---\nYou review.\n"


@pytest.mark.parametrize(
    ("file", "first", "then"),
    [
        ("config.yaml", "", "permissions: {deny: [run_command(make)]}\n"),
        ("AGENTS.md", "Use tabs.", "Use blanks."),
        ("notes.md", "- Use tabs.", "- Use blanks."),
        ("agents/reviewer.md", AGENT.format(tools="glob, grep"), AGENT.format(tools="glob")),
    ],
)
async def test_a_run_begins_with_what_the_users_files_say_by_then(tmp_path, file, first, then):
    written, context = tmp_path / "home" / file, Context(home=str(tmp_path / "home"))
    written.parent.mkdir(parents=True)
    written.write_text(first)
    before = await workbench(str(tmp_path), OPTIONS, context)
    await look_again(str(tmp_path))
    assert await workbench(str(tmp_path), OPTIONS, context) is before
    written.write_text(then)
    assert await workbench(str(tmp_path), OPTIONS, context) is before  # a run goes on as it began
    await look_again(str(tmp_path))
    after = await workbench(str(tmp_path), OPTIONS, context)
    denied = [rule.text for rule in after.policy.rules if rule.kind == "deny"]
    reviewer = after.agents.profiles.get("reviewer")
    told = open_voice(after, "coder").system.text
    assert (
        denied == ["run_command(make)"]
        or (reviewer and reviewer.tools == ("glob",))
        or ("Use blanks." in told and "Use tabs." not in told)
    )
    await close_workbenches()
