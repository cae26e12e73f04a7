"""What a start imports: the room of a feature that a thread does not use is left out."""

import json
from pathlib import Path

import pytest
from first_turn import FirstRequest, reach_first_request

# What few of the first requests need, below `maxagent.`
UNUSED = (
    "nodes.hooks.",
    "nodes.turn.step_list",
    "nodes.turn.todo_notes",
    "nodes.mcp.server",
    "nodes.skills.",
    "nodes.background.end_notes",
    "nodes.agent_turn",
    "nodes.compaction.new_cut",
    "nodes.compaction.summary",
    "nodes.cards.card_choice",
    "nodes.subagents.budget",
    "nodes.subagents.run_subagent",
    "nodes.subagents.sent",
    "nodes.run_subagent",
    "nodes.run_tool",
    "nodes.approve",
    "sdk.compaction",
    "sdk.pull_requests.",
    "sdk.threads.rollback",
    "memory.cards.library",
    "memory.cards.search",
    "memory.snapshots.copy_backend",
    "memory.undo.restore",
    "memory.undo.three_way_merge",
    "memory.worktrees.creation",
    "memory.worktrees.merge",
    "tools.git.branch_commit",
    "tools.git.diff_paths",
    "tools.git.remotes",
    "tools.git.user_git",
    "tools.hooks.",
    "tools.hosting.",
    "tools.mcp.client",
    "tools.mcp.connection",
    "tools.mcp.definition",
    "tools.mcp.mcp_access",
    "tools.mcp.oauth",
    "tools.mcp.offer",
    "tools.mcp.server",
    "tools.mcp.tool_adapter",
    "tools.permissions.evaluate",
    "tools.process.background_commands",
    "tools.process.command_run",
    "tools.sandbox.private_network",
    "tools.shell.parsing.parser",
    "tools.editing.replace",
    "tools.editing.patch",
    "tools.definitions.",
    "tools.testing.build_tools",
    "tools.testing.javascript",
    "tools.testing.reports",
    "tools.testing.run",
    "tools.web.client",
)
# Above the aim that `make house` prints, so that they do not grow unseen
MAX_IN_TASK, MAX_IN_CONVERSATION = 234, 255


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> FirstRequest:
    scenario = tmp_path_factory.mktemp("scenario") / "scenario.json"
    scenario.write_text(json.dumps({"build": [{"text": "Hi."}]}))
    return reach_first_request("-p", "Hello.", scenario=Path(scenario))


def test_first_request_imports_no_unused_room(conversation: FirstRequest) -> None:
    names = {name.removeprefix("maxagent.") for name in conversation.imported}
    assert "nodes.turn.model_turn" in names
    assert sorted(name for name in names if name.startswith(UNUSED)) == []


def test_few_modules_are_entered_before_it(conversation: FirstRequest) -> None:
    assert conversation.entered < MAX_IN_CONVERSATION
    task = reach_first_request("task", "Repair the prices.", "--mode", "auto", "--apply")
    assert task.entered < MAX_IN_TASK
