from pathlib import Path

import pytest

from maxagent.cli.execution.tool_session import ToolSession
from maxagent.config.settings.loader import LoadedSettings, load_settings


async def nobody(*_: object) -> None:
    """Who asks without a terminal gets no answer."""


@pytest.fixture
def loaded(tmp_path: Path) -> LoadedSettings:
    home = tmp_path / "home"
    home.mkdir()
    rules = "permissions: {ask: ['run_command(ls:*)', 'read_file(a.txt)', edit(b.txt)]}\n"
    (home / "config.yaml").write_text(rules)
    return load_settings(tmp_path, home, environ={}, flags={"security.mode": "auto"})


@pytest.mark.parametrize(
    ("tool", "args", "rule"),
    [
        ("run_command", {"command": "ls"}, "ask run_command(ls:*)"),
        ("read_file", {"path": "a.txt"}, "ask read_file(a.txt)"),
        ("grep", {"regex": "x", "path": "a.txt"}, "ask read_file(a.txt)"),
        ("write_file", {"path": "b.txt", "content": ""}, "ask edit(b.txt)"),
        ("write_file", {"path": "AGENTS.md", "content": ""}, "protected"),
        ("run_command", {"command": "touch .git/x"}, "protected"),
        ("run_command", {"command": "touch 'x"}, "unparsed"),
        ("run_command", {"command": "touch x", "outside_sandbox": True}, "sandbox"),
        ("ask_user", {"question": "?"}, "effect"),
    ],
)
async def test_call_needing_approval_fails_without_human(
    tool: str, args: dict[str, object], rule: str, loaded: LoadedSettings, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("x")
    session = ToolSession(project, loaded, tmp_path / "outputs")
    reply = await session.call_tool(tool, args, nobody)
    assert (reply.exit_code, reply.output, reply.decision and reply.decision.verdict) == (
        4,
        "",
        "ask",
    )
    assert reply.decision and reply.decision.rule.partition(" (/")[0] == rule
    assert [path.name for path in project.iterdir()] == ["a.txt"]
