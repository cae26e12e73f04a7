import asyncio

import pytest

from maxagent.config.errors import UsageError
from maxagent.nodes.agent.agent import open_agent
from maxagent.nodes.agent.dependencies import (
    add_session_rules,
    close_dependencies,
    open_dependencies,
    reload_if_changed,
)
from maxagent.nodes.context import Context

OPTIONS = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}


async def test_protected_folder_for_commands_is_the_runs_home(tmp_path):
    bench = await open_dependencies(str(tmp_path), OPTIONS, Context(home=str(tmp_path / "home")))
    assert bench.workspace.own == bench.home == tmp_path / "home"
    await close_dependencies()


async def test_concurrent_opens_get_the_same_dependencies(tmp_path):
    context = Context(home=str(tmp_path / "home"))
    both = [open_dependencies(str(tmp_path), OPTIONS, context) for _ in range(2)]
    one, other = await asyncio.gather(*both)
    assert one is other
    await close_dependencies()


@pytest.mark.parametrize(
    ("options", "mode"),
    [({}, "edits"), ({"files": ["a.txt"]}, "ask"), ({"agent": "build"}, "ask")],
)
async def test_task_defaults_to_edits_and_others_to_ask(tmp_path, options, mode):
    context = Context(home=str(tmp_path / "home"))
    usual = await open_dependencies(str(tmp_path), OPTIONS | options, context)
    named = await open_dependencies(str(tmp_path), OPTIONS | options | {"mode": "auto"}, context)
    assert (usual.policy.mode, named.policy.mode) == (mode, "auto")
    await close_dependencies()


async def test_session_rules_are_added_to_loaded_rules(tmp_path):
    context = Context(home=str(tmp_path / "home"))
    before = await open_dependencies(str(tmp_path), OPTIONS, context)
    add_session_rules(["run_command(make)"])
    after = await open_dependencies(str(tmp_path), OPTIONS, context)
    assert [rule.text for rule in after.policy.rules] == ["run_command(make)"]
    assert after.journal is before.journal and not before.policy.rules
    await close_dependencies()


@pytest.mark.parametrize("replaced", ["project", "project/inner"])
async def test_a_folder_replaced_by_a_link_is_refused(tmp_path, replaced):
    folder, context = tmp_path / "project" / "inner", Context(home=str(tmp_path / "home"))
    folder.mkdir(parents=True)
    await open_dependencies(str(folder), OPTIONS, context)

    (tmp_path / replaced).rename(tmp_path / "elsewhere")
    (tmp_path / replaced).symlink_to(tmp_path / "elsewhere")
    await reload_if_changed(str(folder))

    with pytest.raises(UsageError, match=r"is a link now.*elsewhere"):
        await open_dependencies(str(folder), OPTIONS, context)
    await close_dependencies()


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
async def test_run_begins_with_current_user_files(tmp_path, file, first, then):
    written, context = tmp_path / "home" / file, Context(home=str(tmp_path / "home"))
    written.parent.mkdir(parents=True)
    written.write_text(first)
    before = await open_dependencies(str(tmp_path), OPTIONS, context)
    await reload_if_changed(str(tmp_path))
    assert await open_dependencies(str(tmp_path), OPTIONS, context) is before
    written.write_text(then)
    assert (
        await open_dependencies(str(tmp_path), OPTIONS, context) is before
    )  # a run goes on as it began
    await reload_if_changed(str(tmp_path))
    after = await open_dependencies(str(tmp_path), OPTIONS, context)
    denied = [rule.text for rule in after.policy.rules if rule.kind == "deny"]
    reviewer = after.agents.profiles.get("reviewer")
    told = open_agent(after, "coder").system.text
    assert (
        denied == ["run_command(make)"]
        or (reviewer and reviewer.tools == ("glob",))
        or ("Use blanks." in told and "Use tabs." not in told)
    )
    await close_dependencies()
