import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import StructuredTool

from maxagent import AgentProfile, Runner, UsageError, agents, collect
from maxagent.config.agents import registry


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    registered = dict(registry._registered)
    yield tmp_path / "home"
    registry._registered.clear()
    registry._registered.update(registered)


REVIEWER = AgentProfile(
    "reviewer",
    "Reviews.",
    "You review code.",
    allowed_tools=("read_file", "grep"),
    denied_tools=("grep",),
)


def test_a_registered_agent_is_the_users_own(home: Path) -> None:
    own = home / "agents" / "reviewer.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\ndescription: mine\n---\nFrom a file.")
    assert agents.get("reviewer").system_prompt == "From a file."
    agents.register(REVIEWER)
    assert agents.get("reviewer").system_prompt == "You review code."
    assert "reviewer" in [item.name for item in agents.list()]
    assert agents.get("reviewer").origin == "program"


def test_its_tools_are_those_it_is_offered() -> None:
    assert [tool.name for tool in agents.filter_tools(REVIEWER)] == ["read_file"]


@pytest.mark.parametrize(
    ("tools", "denied", "allowed"),
    [
        (("read_file", "query_*"), (), ["read_file", "query_orders"]),
        (("*",), ("query_*", "grep"), ["read_file", "send_mail"]),
        (("*",), (), ["read_file", "grep", "query_orders", "send_mail"]),
    ],
)
def test_tools_of_a_program_are_filtered(
    tools: tuple[str, ...], denied: tuple[str, ...], allowed: list[str]
) -> None:
    profile = AgentProfile("own", "Works.", "Work.", allowed_tools=tools, denied_tools=denied)
    names = ("read_file", "grep", "query_orders", "send_mail", "attempt_completion")
    value = [
        StructuredTool.from_function(lambda text: text, name=name, description="It works.")
        for name in names
    ]
    assert [tool.name for tool in agents.filter_tools(profile, value)] == allowed


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        (AgentProfile("Two words", "x", "x"), "not a valid agent name"),
        (AgentProfile("empty", "x", " "), "no prompt"),
        (AgentProfile("wrong", "x", "x", allowed_tools=("reed_file",)), "not a tool"),
    ],
)
def test_a_wrong_agent_is_not_registered(profile: AgentProfile, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        agents.register(profile)


def test_an_unknown_agent_names_the_others() -> None:
    with pytest.raises(UsageError, match="no agent `reviwer`") as refused:
        agents.get("reviwer")
    assert "There are:" in refused.value.hint


async def test_a_registered_agent_speaks(tmp_path: Path) -> None:
    agents.register(REVIEWER)
    (tmp_path / "script.json").write_text(json.dumps({"reviewer": [{"text": "Reviewed."}]}))
    options: Any = {"model": f"scripted/{tmp_path / 'script.json'}"}
    (tmp_path / "project").mkdir()
    async with Runner() as runner:
        process = runner.chat("Go.", folder=tmp_path / "project", options=options, agent="reviewer")
        events = [event async for event in process]
    assert events[-1].summary == "Reviewed."


@pytest.mark.parametrize(
    ("table", "path", "is_written"),
    [
        ({"docs/**": "allow", "*": "read-only"}, "docs/a.md", True),
        ({"docs/**": "allow", "*": "read-only"}, "a.txt", False),
        ({"secret/**": "deny"}, "secret/a.txt", False),
        ({"secret/**": "deny"}, "open/a.txt", True),
        ({"*": "read-only"}, "a.txt", False),
        ({}, "a.txt", True),
    ],
)
async def test_file_permissions_hold_for_a_program_agent(
    tmp_path: Path, table: Any, path: str, is_written: bool
) -> None:
    agents.register(
        AgentProfile(
            name="own",
            description="Writes.",
            system_prompt="You write.",
            allowed_tools=["*"],
            denied_tools=["run_command"],
            file_permissions=table,
        )
    )
    folder = tmp_path / "project"
    folder.mkdir()
    write = {"name": "write_file", "args": {"path": path, "content": "x\n"}}
    turns = [{"tool_calls": [write]}, {"text": "Done."}]
    (tmp_path / "script.json").write_text(json.dumps(turns))
    options: Any = {"model": f"scripted/{tmp_path / 'script.json'}", "mode": "auto"}
    async with Runner(home=tmp_path / "home") as runner:
        result = await collect(runner.chat("Go.", folder=folder, options=options, agent="own"))
    assert result.text == "Done." and (folder / path).exists() == is_written


@pytest.mark.parametrize("table", [{"a": "write"}, {"*": "deny"}, {"a/**": "deny", "a/b": "allow"}])
def test_wrong_file_permissions_are_refused(table: Any) -> None:
    with pytest.raises(UsageError):
        agents.register(AgentProfile("own", "x", "You.", file_permissions=table))
