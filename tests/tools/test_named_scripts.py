"""A script that a hook, check or server runs: its change is asked, and runs only if confirmed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rule_texts import ruled

from maxagent.config.settings.hooks import ConfiguredHook
from maxagent.config.settings.schema import ApprovalMode, SandboxSection
from maxagent.config.trust.decision import check_trust, follow_changes, trust
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.hooks.execution import run_hook
from maxagent.tools.mcp.client.server_log import ServerLog
from maxagent.tools.mcp.client.stdio_transport import open_stdio
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.named_scripts import explain_unconfirmed_command, find_named_scripts
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.runtime.edit_preview import CHANGED, PreviewCall, preview_calls
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.profile_builder import build_profile
from maxagent.tools.sandbox.project_scan import GuardedFiles
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

SCRIPTS = {
    "hook.sh": "a hook of .llc.yaml",
    "tools/check.py": "a check of .llc.yaml",
    "Makefile": "make of a hook",
    "package.json": "npm run of a check",
    "scripts/lint.js": "what package.json names",
    "server.js": "a server of .mcp.json",
    "mine.sh": "a hook of the user's own",
    "status.sh": "the user's status line",
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    root, home = tmp_path / "project", tmp_path / "home"
    for name in (*SCRIPTS, "other.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("echo one\n")
    (root / "package.json").write_text('{"scripts": {"lint": "node scripts/lint.js"}}')
    settings = {
        "hooks": {"before_tool": [{"command": "sh hook.sh"}], "on_stop": [{"command": "make x"}]},
        "after_edit": {"*.txt": ["sh -c 'sh tools/check.py'", "npm run lint"]},
    }
    (root / ".llc.yaml").write_text(json.dumps(settings))
    server = {"command": "sh", "args": ["server.js"]}
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": server}}))
    home.mkdir()
    user = {"hooks": {"on_stop": [{"command": "./mine.sh"}]}, "ui": {"status_line": "sh status.sh"}}
    (home / "config.yaml").write_text(json.dumps(user))
    return Workspace(root, (), home)


def test_every_named_script_is_found(workspace: Workspace) -> None:
    result = {str(path.relative_to(workspace.root)) for path in find_named_scripts(workspace)}
    assert result == {*SCRIPTS}


@pytest.mark.parametrize("mode", ["ask", "edits", "auto"])
@pytest.mark.parametrize("path", [*SCRIPTS, "other.py"])
def test_editing_a_named_script_is_asked_in_every_mode(
    workspace: Workspace, mode: ApprovalMode, path: str
) -> None:
    policy = ruled(mode, "allow edit")
    command = {"command": f"sed -i s/one/two/ {path}"}
    calls = (("edit", {"path": path}, [path]), ("run_command", command, []))
    for tool, args, paths in calls:
        effect = "edit" if tool == "edit" else "execute"
        decision = evaluate_call(tool, effect, args, paths, workspace, policy)
        if path in SCRIPTS:
            assert decision.verdict == "ask", (tool, decision)
        elif tool == "edit":
            assert decision.verdict == "allow"


def test_a_command_in_the_sandbox_cannot_write_them(workspace: Workspace) -> None:
    profile = build_profile(workspace, GuardedFiles(), home=workspace.own or Path())
    assert {workspace.root / path for path in SCRIPTS} <= set(profile.frozen)


COMMANDS = ["sh hook.sh", "sh -c 'sh tools/check.py'", "make x", "npm run lint", "sh ./server.js"]
FILES = ["hook.sh", "tools/check.py", "Makefile", "scripts/lint.js", "server.js"]


@pytest.mark.parametrize(("command", "file"), [*zip(COMMANDS, FILES, strict=True)])
def test_a_changed_script_is_not_confirmed(workspace: Workspace, command: str, file: str) -> None:
    root, home = workspace.root, workspace.own or Path()
    trust(root, home)
    assert explain_unconfirmed_command(command, workspace) == ""
    (root / file).write_text("echo two\n")
    assert f"`{file}` changed since you trusted it" in explain_unconfirmed_command(
        command, workspace
    )
    trust(root, home)
    assert explain_unconfirmed_command(command, workspace) == ""


def test_a_script_that_appears_later_is_not_confirmed(workspace: Workspace) -> None:
    (workspace.root / "hook.sh").unlink()
    trust(workspace.root, workspace.own)
    (workspace.root / "hook.sh").write_text("echo planted\n")
    assert "hook.sh" in explain_unconfirmed_command("sh hook.sh", workspace)


def test_the_users_own_command_needs_no_trust(workspace: Workspace) -> None:
    assert explain_unconfirmed_command("./mine.sh", workspace) == ""
    trust(workspace.root, workspace.own)
    (workspace.root / "mine.sh").write_text("echo two\n")
    assert explain_unconfirmed_command("./mine.sh", workspace) == ""


@pytest.mark.parametrize(("event", "verdict"), [("before_tool", "ask"), ("on_stop", "failed")])
async def test_a_hook_with_changed_script_does_not_run(
    workspace: Workspace, event: str, verdict: str
) -> None:
    home = workspace.own or Path()
    trust(workspace.root, home)
    (workspace.root / "hook.sh").write_text("touch ran\n")
    sandbox = open_sandbox(SandboxSection(mode="off"), workspace, home)
    hook = ConfiguredHook(event, "sh hook.sh", from_project=True, timeout=30)  # pyright: ignore[reportArgumentType]
    answer = await run_hook(hook, {}, sandbox)
    assert (answer.verdict, "changed since" in answer.reason) == (verdict, True)
    trust(workspace.root, home)
    assert (await run_hook(hook, {}, sandbox)).verdict == "pass"
    assert (workspace.root / "ran").exists()


async def test_a_check_with_changed_script_does_not_run(
    workspace: Workspace, tmp_path: Path
) -> None:
    trust(workspace.root, workspace.own)
    (workspace.root / "tools/check.py").write_text("touch ran\n")
    (workspace.root / "a.txt").write_text("one\n")
    policy = replace(ruled("auto"), after_edit={"*.txt": ["sh tools/check.py"]})
    seen = {"a.txt": hash_content(b"one\n")}
    run = ToolRun(workspace, "c1", tmp_path / "outputs", policy=policy, seen=seen)
    args = {"file_path": "a.txt", "old_string": "one", "new_string": "two"}
    result = await invoke(edit, args, run)
    assert "`sh tools/check.py` was not run: `tools/check.py` changed" in result.output
    assert not (workspace.root / "ran").exists()


async def test_a_server_with_changed_script_does_not_start(workspace: Workspace) -> None:
    home = workspace.own or Path()
    trust(workspace.root, home)
    (workspace.root / "server.js").write_text("touch ran\n")
    sandbox = open_sandbox(SandboxSection(mode="off"), workspace, home)
    server = McpServer("s", "stdio", command="sh", args=("server.js",), from_project=True)
    with pytest.raises(McpError, match="changed since you trusted it"):
        async with open_stdio(server, sandbox, ServerLog(home / "log")):
            pass
    assert not (workspace.root / "ran").exists()


async def test_an_approved_change_that_was_shown_runs(workspace: Workspace) -> None:
    root, home = workspace.root, workspace.own or Path()
    trust(root, home)
    args = {"file_path": "hook.sh", "old_string": "one", "new_string": "two"}
    seen = {"hook.sh": hash_content(b"echo one\n")}
    (previewed,) = await preview_calls([PreviewCall(edit, args, seen)], workspace)
    changes = previewed.metadata[CHANGED]
    assert list(changes) == ["hook.sh"]
    (root / "hook.sh").write_text("echo two\n")
    assert explain_unconfirmed_command("sh hook.sh", workspace)
    follow_changes(root, home, changes)
    assert explain_unconfirmed_command("sh hook.sh", workspace) == ""
    assert check_trust(root, home).trusted


LATER = {
    "test ! -x scripts/check.sh || scripts/check.sh": "scripts/check.sh",
    "if [ -x tools/go ]; then tools/go; fi": "tools/go",
    "sh -c 'cd . && ./late.sh'": "late.sh",
    "make -s guard": "GNUmakefile",
    "just guard": "justfile",
    "npm run --silent guard --if-present": "web/package.json",
    "python tools/late.py --fix": "tools/late.py",
    "bash guard": "guard",
    "env A=1 ruby -r./late.rb x.rb": "x.rb",
}


@pytest.mark.parametrize(("command", "name"), LATER.items())
def test_a_script_counts_before_it_exists(tmp_path: Path, command: str, name: str) -> None:
    root, home = tmp_path / "project", tmp_path / "home"
    (root / "web").mkdir(parents=True)
    home.mkdir()
    command = f"cd web; {command}" if name.startswith("web/") else command
    (home / "config.yaml").write_text(json.dumps({"hooks": {"on_stop": [{"command": command}]}}))
    workspace = Workspace(root, (), home)
    args = {"path": name, "content": "x"}
    decision = evaluate_call("write_file", "edit", args, [name], workspace, ruled("edits"))
    assert decision.verdict == "ask", decision
    profile = build_profile(workspace, GuardedFiles(), home=home)
    assert root / name in profile.reserved
    other = evaluate_call("write_file", "edit", args, ["late.txt"], workspace, ruled("edits"))
    assert other.verdict == "allow"


def test_a_damaged_record_is_said_as_that(workspace: Workspace) -> None:
    trust(workspace.root, workspace.own)
    assert workspace.own
    (workspace.own / "data" / "trust.json").write_text("{")
    reason = explain_unconfirmed_command("sh hook.sh", workspace)
    assert "cannot read the list of trusted folders" in reason and "changed" not in reason
