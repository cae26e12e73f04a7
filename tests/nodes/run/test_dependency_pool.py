import asyncio

import pytest
from worktree_project import WorktreeProject, write_files

from maxagent.config.errors import UsageError
from maxagent.config.trust.decision import trust
from maxagent.nodes.run.agent import open_agent
from maxagent.nodes.run.context import Context
from maxagent.nodes.run.dependency_pool import DependencyPool
from maxagent.tools.result import ToolError

OPTIONS = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}


@pytest.fixture
async def pool():
    opened = DependencyPool()
    yield opened
    await opened.close()


@pytest.fixture
def context(tmp_path):
    return Context(home=str(tmp_path / "home"))


async def test_protected_folder_for_commands_is_the_runs_home(pool, context, tmp_path):
    deps = await pool.open(str(tmp_path), OPTIONS, context)
    assert deps.workspace.own == deps.home == tmp_path / "home"


async def test_what_is_open_is_not_opened_again(pool, context, tmp_path):
    first = await pool.open(str(tmp_path), OPTIONS, context)
    planning = await pool.open(
        str(tmp_path), OPTIONS | {"plan": True, "plan_file": "p.md"}, context
    )
    assert planning is not first and planning.policy.plan
    assert await pool.open(str(tmp_path), OPTIONS, context) is first


async def test_a_closed_pool_opens_again(pool, context, tmp_path):
    before = await pool.open(str(tmp_path), OPTIONS, context)
    await pool.close()
    assert await pool.open(str(tmp_path), OPTIONS, context) is not before


async def test_a_closed_folder_leaves_others_open(pool, context, tmp_path):
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        write_files(folder, {"AGENTS.md": "Use tabs.\n"})
        trust(folder, tmp_path / "home")
    opened = [await pool.open(str(folder), OPTIONS, context) for folder in folders]
    write_files(folders[0], {"AGENTS.md": "Use spaces.\n"})
    await pool.reload_if_changed(str(folders[0]))  # a run may still have the first ones
    assert await pool.open(str(folders[0]), OPTIONS, context) is not opened[0]
    await pool.close_folder(str(folders[0]))
    assert await pool.open(str(folders[1]), OPTIONS, context) is opened[1]
    await pool.close_folder(str(folders[1]))
    assert pool.is_empty


async def test_concurrent_opens_get_the_same_dependencies(pool, context, tmp_path):
    both = [pool.open(str(tmp_path), OPTIONS, context) for _ in range(2)]
    item, other = await asyncio.gather(*both)
    assert item is other


@pytest.mark.parametrize(
    ("options", "mode"),
    [({}, "edits"), ({"files": ["a.txt"]}, "ask"), ({"agent": "build"}, "ask")],
)
async def test_task_defaults_to_edits_and_others_to_ask(pool, context, tmp_path, options, mode):
    usual = await pool.open(str(tmp_path), OPTIONS | options, context)
    names = await pool.open(str(tmp_path), OPTIONS | options | {"mode": "auto"}, context)
    assert (usual.policy.mode, names.policy.mode) == (mode, "auto")


@pytest.mark.parametrize("replaced", ["project", "project/inner"])
async def test_a_folder_replaced_by_a_link_is_refused(pool, context, tmp_path, replaced):
    folder = tmp_path / "project" / "inner"
    folder.mkdir(parents=True)
    await pool.open(str(folder), OPTIONS, context)

    (tmp_path / replaced).rename(tmp_path / "elsewhere")
    (tmp_path / replaced).symlink_to(tmp_path / "elsewhere")
    await pool.reload_if_changed(str(folder))

    with pytest.raises(UsageError, match=r"is a link now.*elsewhere"):
        await pool.open(str(folder), OPTIONS, context)


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
async def test_run_begins_with_current_user_files(pool, context, tmp_path, file, first, then):
    written = tmp_path / "home" / file
    written.parent.mkdir(parents=True)
    written.write_text(first)
    before = await pool.open(str(tmp_path), OPTIONS, context)
    await pool.reload_if_changed(str(tmp_path))
    assert await pool.open(str(tmp_path), OPTIONS, context) is before
    written.write_text(then)
    assert await pool.open(str(tmp_path), OPTIONS, context) is before  # a run goes on as it began
    await pool.reload_if_changed(str(tmp_path))
    after = await pool.open(str(tmp_path), OPTIONS, context)
    denied = [rule.text for rule in after.policy.rules if rule.kind == "deny"]
    reviewer = after.agents.profiles.get("reviewer")
    text = open_agent(after, "coder").system.text
    assert (
        denied == ["run_command(make)"]
        or (reviewer and reviewer.allowed_tools == ("glob",))
        or ("Use blanks." in text and "Use tabs." not in text)
    )


async def test_worktree_has_the_settings_of_its_project(pool, tmp_path):
    settings = "model:\n  max_iterations: 7\n"
    project = WorktreeProject(tmp_path, {".llc.yaml": settings, "a.txt": "a\n"})
    trust(project.folder, tmp_path)
    worktree = await project.branch_off()
    write_files(worktree.folder, {".llc.yaml": "model:\n  max_iterations: 99\n"})
    deps = await pool.open(str(worktree.folder), OPTIONS, Context(home=str(tmp_path)))
    assert (deps.turns, deps.trust.trusted) == (7, True)
    assert deps.workspace.resolve("a.txt") == worktree.folder / "a.txt"
    assert [origin.root for origin in deps.sandbox.origins] == [project.folder]
    with pytest.raises(ToolError, match="outside the project"):
        deps.workspace.resolve(str(project.folder / "a.txt"))
    with pytest.raises(ToolError, match="outside the project"):
        deps.workspace.resolve("../record.json")
    assert deps.workspace.is_own(str(worktree.container / "record.json"))
