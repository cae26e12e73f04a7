"""docs/subagents.md: what its example shows is shown, and its agent file is one."""

import re
from pathlib import Path

import pytest
from crew import Crew, sends
from program import Program
from provider import Provider

from maxagent.config.agents.parser import read_agent
from maxagent.config.agents.registry import AgentRegistry, load_built_in_agents
from maxagent.config.settings.schema import AgentsSection
from maxagent.nodes.run.agent import CHILD_TURNS
from maxagent.nodes.subagents.run_subagent import MAX_SENT_REPORT
from maxagent.tools.builtin.session.subagent import MAX_TASKS
from maxagent.tools.runtime.sendable_agents import list_sendable_agents

PAGE = (Path(__file__).parents[2] / "docs" / "subagents.md").read_text(encoding="utf-8")
(SHOWN,) = re.findall(r"```\n(›.*?)```", PAGE, re.DOTALL)
(FILE,) = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    return Program(tmp_path, provider.url)


def test_the_example_is_shown_as_it_is_written(program: Program, provider: Provider) -> None:
    output, *lines = SHOWN.splitlines()
    tasks = re.findall(r"explore-\d works: (.*)", SHOWN)
    children = {task.partition(" ")[0]: [{"text": "found"}] for task in tasks}
    crew = Crew(sends(*[("explore", task) for task in tasks]), {"text": "Both."}, **children)
    provider.script(crew)
    ended = program.chat(output.removeprefix("› "), output="text")
    assert (ended.code, ended.stdout) == (0, "Both.\n")
    assert {*lines} <= {*ended.stderr.splitlines()}


def test_its_agent_file_works_in_a_worktree() -> None:
    agent = read_agent(Path("x.md"), FILE, own=True)
    assert (agent.isolation, agent.mode, agent.notes) == ("worktree", "subagent", ())


def test_its_agents_and_numbers_are_right() -> None:
    agents = load_built_in_agents()
    sendable = list_sendable_agents(AgentRegistry(agents), agents["build"])
    table = PAGE.partition("| agent |")[2].partition("| yours |")[0]
    assert {*re.findall(r"`(\w+)`", table)} == {*sendable}
    assert f"{CHILD_TURNS} model turns each" in PAGE and f"at most {MAX_TASKS}" in PAGE
    assert f"more than {MAX_SENT_REPORT:,} characters" in PAGE
    assert AgentsSection().max_parallel == 4 and "four at once" in PAGE
