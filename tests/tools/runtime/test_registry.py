import inspect
import json
from pathlib import Path

import pytest

from maxagent.config.agents.profile import AgentProfile
from maxagent.config.agents.registry import load_built_in_agents
from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import ToolsSection
from maxagent.tools.aliases import ARGUMENTS
from maxagent.tools.definition import get_schema
from maxagent.tools.runtime.agent_tools import select_agent_tools
from maxagent.tools.runtime.registry import (
    canonical,
    describe_unknown_tool,
    load_all_tools,
    resolve,
    select_tools,
)

NAMES = [tool.name for tool in load_all_tools()]


def names(expected: list[str] | None, **chosen: list[str]) -> list[str]:
    return [tool.name for tool in select_tools(expected, ToolsSection(**chosen))]


def test_the_order_is_always_the_same() -> None:
    assert names(None) == NAMES
    assert names(list(reversed(NAMES))) == NAMES
    assert len(set(NAMES)) == len(NAMES)


def test_tools_are_chosen_by_role_and_configuration() -> None:
    assert names(["grep", "ask_user"]) == ["grep", "ask_user"]
    assert names(None, enabled=["search_code", "glob"]) == ["glob", "grep"]
    assert names(["grep", "glob"], enabled=["grep"], disabled=["Grep"]) == []
    assert "run_command" not in names(None, disabled=["bash"])


def test_unknown_tool_in_configuration_is_an_error() -> None:
    with pytest.raises(UsageError, match="`tools.disabled` contains `grop`, which is not a tool"):
        names(None, disabled=["grop"])


@pytest.mark.parametrize("tool", load_all_tools(), ids=NAMES)
def test_every_tool_has_a_short_description(tool) -> None:
    assert (
        Path(inspect.getfile(tool.coroutine)).with_name(f"{tool.name}.md").read_text().strip()
        == tool.description
    )
    assert 100 <= len(tool.description) <= 750
    paths = tool.metadata["paths"]
    assert callable(paths) or set(paths) <= set(get_schema(tool)["properties"])
    assert "run" not in get_schema(tool)["properties"]


@pytest.mark.parametrize("profile", load_built_in_agents().values(), ids=lambda item: item.name)
def test_tools_of_agent_cost_few_tokens(profile: AgentProfile) -> None:
    tools = select_agent_tools(profile, ToolsSection())
    assert sum(len(json.dumps(get_schema(tool))) for tool in tools) < 20_000


@pytest.mark.parametrize(
    "tool",
    [tool for tool in load_all_tools() if tool.name in ARGUMENTS],
    ids=lambda tool: tool.name,
)
def test_argument_aliases_lead_to_arguments(tool) -> None:
    names = set(get_schema(tool)["properties"]) | (
        {"id", "details"} if "todo" in tool.name else set()
    )
    assert set(ARGUMENTS[tool.name].values()) <= names


def test_aliases_resolve() -> None:
    assert [resolve(name).name for name in ("ls", "Bash", "search_files", "TodoWrite")] == [
        "list_files",
        "run_command",
        "grep",
        "todowrite",
    ]
    assert resolve("nonsense") is None


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("bash", {"cmd": "ls"}, ("run_command", {"command": "ls"})),
        ("nonsense", {"a": None}, ("nonsense", {"a": None})),
        (
            "todo_write",
            {"action": "update", "task_id": "2", "status": "completed"},
            ("todowrite", {"action": "update", "todos": [{"id": "2", "status": "completed"}]}),
        ),
        ("todowrite", {"todos": ["a"]}, ("todowrite", {"todos": ["a"]})),
        ("todoread", {}, ("todoread", {})),
    ],
)
def test_a_call_gets_its_own_names(
    name: str, args: dict[str, object], expected: tuple[str, dict[str, object]]
) -> None:
    assert canonical(name, args) == expected


def test_unknown_tool_is_answered_with_available_tools() -> None:
    assert describe_unknown_tool("lst_files", ["list_files", "grep"]) == (
        "There is no tool `lst_files`; did you mean `list_files`? There are: list_files, grep"
    )
    assert describe_unknown_tool("zzz", ["grep"]) == "There is no tool `zzz`. There are: grep"
    many = ["grep", *(f"mcp_git_log_{number}" for number in range(300))]
    answer = describe_unknown_tool("mcp_git_logs_7", many)
    assert "did you mean `mcp_git_log_7`, " in answer and len(answer) < 200
    assert answer.endswith("? There are: grep; and 300 of MCP servers")
    assert "did you mean `run_command`" in describe_unknown_tool(
        "bash", ["run_commands", "run_command"]
    )
