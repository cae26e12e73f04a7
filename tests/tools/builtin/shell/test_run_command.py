import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from confinement import FOUND
from passing_time import pass_time

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.builtin.shell.command_output import command_output
from maxagent.tools.builtin.shell.run_command import run_command
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


class Desk:
    """A project with its tool runs."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.outputs = folder / "outputs"
        self.shown: list[str] = []
        self.show: Callable[[str], None] = self.shown.append
        self.sandbox: Sandbox | None = None

    async def run(self, command: str, **args: object) -> CallResult:
        run = ToolRun(
            workspace=Workspace(self.root),
            call_id="call/1",
            outputs=self.outputs,
            command_timeout=100,
            emit=self.show,
            sandbox=self.sandbox,
        )
        return await invoke(run_command, {"command": command, **args}, run)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def confined(desk: Desk, tmp_path: Path) -> Desk:
    if not FOUND.is_on:
        pytest.skip(f"no sandbox works here: {FOUND.why_none}")
    desk.sandbox = open_sandbox(SandboxSection(), Workspace(desk.root), tmp_path / "home")
    return desk


async def test_output_and_errors_come_back_together_and_live(desk: Desk) -> None:
    result = await desk.run("echo out; echo err >&2")
    assert (result.output, result.error) == ("out\nerr\n", "")
    assert "".join(desk.shown) == "out\nerr\n"
    assert {**result.metadata, "duration_s": 0} == {
        "exit_code": 0,
        "duration_s": 0,
        "timed_out": False,
        "output_file": "",
        "bytes": 8,
    }


async def test_failed_command_is_error_with_output(desk: Desk) -> None:
    result = await desk.run("echo why; exit 3")
    assert (result.output, result.error) == ("why\n", "exit code 3")


async def test_silence_is_reported(desk: Desk) -> None:
    assert (await desk.run("true")).output == "(no output)"


async def test_it_runs_in_the_folder_asked_for(desk: Desk) -> None:
    (desk.root / "sub").mkdir()
    assert (await desk.run("pwd")).output == f"{desk.root}\n"
    assert (await desk.run("pwd", cwd="sub")).output == f"{desk.root}/sub\n"


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({"cwd": ".."}, "outside the project"),
        ({"cwd": "missing"}, "`missing` is not a folder"),
        ({"cwd": "file"}, "`file` is not a folder"),
        ({"timeout": 0}, "`timeout` must be more than 0 seconds"),
        ({"command": " "}, "`command` is empty"),
        ({"command": "echo \0"}, "a character that no command can have"),
        ({"command": "echo \ud800"}, "a character that no command can have"),
        ({"command": "x" * 200_000}, "over 100,000 bytes"),
    ],
)
async def test_what_cannot_run_is_refused(
    args: dict[str, object], problem: str, desk: Desk
) -> None:
    (desk.root / "file").touch()
    result = await desk.run(**{"command": "touch made", **args})
    assert problem in result.error
    assert not (desk.root / "made").exists()


async def test_a_time_out_keeps_the_answer_so_far(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.show = lambda _: pass_time(monkeypatch, 60)
    result = await desk.run("echo begun; sleep 1000", timeout=60)
    assert result.output == "begun\n"
    assert result.error.startswith("stopped after 60 seconds, with all it had started")
    assert result.metadata["timed_out"]


async def test_long_output_is_cut_but_stored_whole(desk: Desk) -> None:
    result = await desk.run("seq 100000")
    assert result.output.startswith("1\n2\n") and result.output.endswith("99999\n100000\n")
    assert 'command_output(id="call_1")' in result.output
    assert (len(result.output) < 17_000, result.metadata["output_file"]) == (True, "call_1")
    run = ToolRun(workspace=Workspace(desk.root), call_id="c2", outputs=desk.outputs)
    args = {"id": "call_1", "start_line": 50_000, "end_line": 50_001}
    assert (await invoke(command_output, args, run)).output == "50000\n50001\n"


@pytest.mark.slow
async def test_gigabyte_of_output_is_bounded_without_blocking(desk: Desk) -> None:
    turns = 0

    async def other_work() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    other = asyncio.ensure_future(other_work())
    result = await desk.run("yes 0123456789 | head -c 1000000000")
    other.cancel()
    assert turns > 1000
    assert (result.ok, result.metadata["bytes"]) == (True, 1_000_000_000)
    assert (len(result.output) < 17_000, sum(map(len, desk.shown)) < 70_000) == (True, True)
    assert (desk.outputs / "call_1.txt").stat().st_size == 50_000_000


async def test_the_command_sees_no_secret(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "sk-secret" not in (await desk.run("env")).output


async def test_the_event_loop_is_not_blocked(desk: Desk) -> None:
    blockbuster = pytest.importorskip("blockbuster").BlockBuster()
    # as LangGraph's development server has it, which lets the cheap ones pass
    for name in list(blockbuster.functions):
        if name.startswith(("os.path.", "io.")) or name == "os.stat":
            del blockbuster.functions[name]
    blockbuster.activate()
    try:
        result = await desk.run("seq 100000")
    finally:
        blockbuster.deactivate()
    assert result.ok, result.error


async def test_in_the_sandbox_only_the_project_is_written(confined: Desk, tmp_path: Path) -> None:
    (confined.root / "sub").mkdir()
    result = await confined.run(f"echo 1 > new; echo 2 > {tmp_path}/out; pwd", cwd="sub")
    assert result.output == f"{confined.root.resolve()}/sub\n"
    assert (confined.root / "sub" / "new").read_text() == "1\n"
    assert not (tmp_path / "out").exists()


async def test_every_command_sees_the_project_as_it_is(confined: Desk) -> None:
    (confined.root / "kept.txt").write_text("")
    for command in ("ls -A", "ls -A; touch new"):
        assert (await confined.run(command)).output == "kept.txt\n"


async def test_sandbox_failure_explains_how_to_ask(confined: Desk) -> None:
    result = await confined.run("echo x > .mcp.json; touch /usr/x")
    assert result.error.startswith("exit code 1; the sandbox may be the cause: ")
    assert "`outside_sandbox: true`" in result.error
    assert (await confined.run("exit 4")).error == "exit code 4"


async def test_outside_of_it_a_command_can_do_all(confined: Desk, tmp_path: Path) -> None:
    result = await confined.run(f"echo 2 > {tmp_path}/out; touch .idea", outside_sandbox=True)
    assert result.ok
    assert (tmp_path / "out").exists() and (confined.root / ".idea").is_file()


async def test_where_there_is_none_the_wish_changes_nothing(desk: Desk) -> None:
    assert (await desk.run("echo x", outside_sandbox=True)).output == "x\n"
    assert (await desk.run("touch /proc/x", outside_sandbox=False)).error == "exit code 1"


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("touch .gitattributes", ".gitattributes"),
        ("echo x > .yarnrc", ".yarnrc"),
        ("cp AGENTS.md CLAUDE.md", "CLAUDE.md"),
        ("mv AGENTS.md GEMINI.md", "GEMINI.md"),
        ("echo more >> AGENTS.md", "AGENTS.md"),
        ("mkdir -p .vscode", ".vscode"),
    ],
)
async def test_approved_protected_file_is_written(command: str, file: str, confined: Desk) -> None:
    (confined.root / "AGENTS.md").write_text("the rules\n")
    before = (confined.root / "AGENTS.md").stat().st_mtime_ns
    result = await confined.run(command)
    written = confined.root / file
    assert result.ok, result.error
    assert written.exists() and (file != "AGENTS.md" or written.stat().st_mtime_ns > before)


@pytest.mark.parametrize(
    "command",
    [
        'echo 1 > .npmrc; python3 -c \'open(".yarnrc", "w")\'',
        "touch .gitattributes && sh -c 'n=.env; echo x > ${n}rc'",
        'python3 -c \'open(".mcp.json", "w")\'',
        "echo x >> .git/config",
        "touch .git/hooks/pre-commit",
    ],
)
async def test_other_protected_files_stay_closed(command: str, confined: Desk) -> None:
    subprocess.run(["git", "init", "-q", confined.root], check=True)
    result = await confined.run(command)
    assert not result.ok and "Read-only" in result.output + str(result.error)


async def test_a_time_limit_ends_all_in_the_sandbox(confined: Desk) -> None:
    result = await confined.run("(setsid sleep 60 &); sleep 60", timeout=0.5)
    assert result.metadata["timed_out"]
    assert os.listdir(confined.root) == []


SECRET_ONCE = """
git init -q && git config user.name A && git config user.email a@example.org
echo c4nary > .env.production && git add . && git commit -qm With
git rm -q .env.production && git commit -qm Without
"""


@pytest.mark.parametrize("which", ["desk", "confined"])
async def test_unasked_git_is_guarded_and_hides_secret_history(
    which: str, request: pytest.FixtureRequest
) -> None:
    desk: Desk = request.getfixturevalue(which)
    git = await desk.run(SECRET_ONCE, outside_sandbox=True)
    assert git.ok, git.error
    unasked = await desk.run("git log -p | cat")
    assert "Binary files" in unasked.output and "c4nary" not in unasked.output
    asked = await desk.run("git log -p; touch x")
    assert "Binary files" in asked.output and "c4nary" not in asked.output


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".gitconfig", "[core]\n attributesFile = ~/mine\n"),
        (".gitconfig", "[include]\n path = more\n"),
        (".config/git/attributes", "*.bin binary\n"),
    ],
)
async def test_own_global_attributes_stay_in_force(
    file: str, text: str, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / file).parent.mkdir(parents=True)
    (home / file).write_text(text)
    (home / "more").write_text("[core]\n attributesFile = ~/mine\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    result = await desk.run("git config core.attributesFile; touch x")
    assert "secret.gitattributes" not in result.output


async def test_unreadable_git_configuration_stops_no_command(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / ".gitconfig").write_text("[core]\n")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert (await desk.run("echo made; touch x")).ok


@pytest.mark.parametrize(
    ("command", "may_write"),
    [
        (".venv/bin/pip install x", True),
        ("cp file .venv/bin/x # pip install", False),
        (".venv/bin/pip list", False),
        ("cp file .venv/bin/x; .venv/bin/pip install x", False),
    ],
)
async def test_only_an_install_writes_programs(
    confined: Desk, command: str, may_write: bool
) -> None:
    if FOUND.why_unguarded:
        pytest.skip(FOUND.why_unguarded)
    (confined.root / ".venv" / "bin").mkdir(parents=True)
    (confined.root / "file").touch()
    pip = confined.root / ".venv" / "bin" / "pip"
    pip.write_text("#!/bin/sh\necho > .venv/bin/x\n")
    pip.chmod(0o755)
    result = await confined.run(command)
    assert (pip.parent / "x").exists() == may_write, result
    assert may_write or "Read-only file system" in result.output


EDITOR_COMMANDS = [
    "git commit --allow-empty",
    "git commit --amend --allow-empty",
    "git tag -a v1",
    "git rebase -i HEAD~1",
    "git -c core.editor=vi commit --allow-empty",
    "${EDITOR:-vi} notes.txt",
    "git notes add",
]


@pytest.mark.parametrize("command", EDITOR_COMMANDS)
async def test_editor_ends_at_once_with_a_sentence(command: str, confined: Desk) -> None:
    commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m"
    result = await confined.run(f"git init -q; {commit} one; {commit} two", outside_sandbox=True)
    assert result.ok, result.error
    result = await confined.run(
        f"export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
        f"GIT_COMMITTER_EMAIL=a@b; {command}"
    )
    assert not result.ok and "cannot open an editor" in result.output
    assert not (confined.root / ".git" / "rebase-merge").exists()


@pytest.mark.parametrize("is_outside", [False, True])
async def test_user_variables_arrive_and_secrets_are_explained(
    is_outside: bool, confined: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_MODE", "open")
    monkeypatch.setenv("SHOP_TOKEN", "Wq8fXr2kLm")
    python = "import os; print(os.environ['SHOP_MODE']); os.environ['SHOP_TOKEN']"
    result = await confined.run(f'python3 -c "{python}"', outside_sandbox=is_outside)
    assert result.output.startswith("open\n")
    assert "`SHOP_TOKEN` of your shell is held back" in result.error
