import json
from pathlib import Path
from typing import Any, Literal

import pytest
from confinement import needs_bubblewrap

from maxagent import Runner, UsageError, collect
from maxagent.config.settings.hooks import ConfiguredHook
from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.hooks.execution import run_hook
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.workspace import Workspace

WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    (home / "secret").write_text("mine")
    return open_sandbox(SandboxSection(), Workspace(project, (), home), home)


def hook(command: str, *, from_project: bool = False) -> ConfiguredHook:
    return ConfiguredHook("after_tool", command, from_project=from_project, timeout=30)


@pytest.mark.parametrize("from_project", [False, True])
async def test_input_and_output_in_both_places(sandbox: Sandbox, from_project: bool) -> None:
    payload = {"text": "ü" * 300_000}
    answer = await run_hook(hook("cat | wc -c", from_project=from_project), payload, sandbox)
    assert answer.note == str(len(json.dumps(payload)))
    assert list((sandbox.home / "data" / "hooks").iterdir()) == []


@pytest.mark.parametrize("from_project", [False, True])
async def test_reason_is_what_it_says_on_stderr(sandbox: Sandbox, from_project: bool) -> None:
    answer = await run_hook(
        hook("echo a; echo b >&2; exit 2", from_project=from_project), {}, sandbox
    )
    assert (answer.verdict, answer.reason) == ("deny", "b")


@needs_bubblewrap
async def test_a_hook_of_a_project_is_confined(sandbox: Sandbox) -> None:
    reads = f"cat {sandbox.home}/secret; ls {sandbox.home}/data/hooks | wc -l"
    ours = await run_hook(hook(reads), {}, sandbox)
    theirs = await run_hook(hook(reads, from_project=True), {}, sandbox)
    assert ours.note.startswith("mine") and "mine" not in theirs.note


async def test_a_hook_without_reading_its_input_ends(sandbox: Sandbox) -> None:
    assert (await run_hook(hook("true"), {"text": "x" * 200_000}, sandbox)).verdict == "pass"


async def test_a_secret_is_not_passed_on(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-ant-api03-" + "a" * 90)
    answer = await run_hook(hook("env; echo sk-ant-api03-" + "b" * 90), {}, sandbox)
    assert "MY_API_KEY" not in answer.note and "b" * 90 not in answer.note


def begin(runner: Runner, folder: Path) -> Any:
    turns = [{"tool_calls": [WRITE]}, {"text": "Done."}, {"text": "Really done."}]
    (folder / "script.json").write_text(json.dumps(turns))
    options = {"model": f"scripted/{folder / 'script.json'}", "mode": "auto"}
    return runner.chat("Go.", folder=folder, options=options)


async def refuse_later(payload: Any) -> str:
    return f"no {payload['tool']} today"


def fail(payload: Any) -> str:
    raise ValueError("broken guard")


@pytest.mark.parametrize(
    ("function", "status", "text", "is_written"),
    [
        (lambda payload: None, "answered", "", True),
        (lambda payload: "no writes", "answered", "no writes", False),
        (refuse_later, "answered", "no write_file today", False),
        (fail, "question", "", False),
        (lambda payload: 4, "question", "", False),
    ],
)
async def test_a_function_guards_each_call(tmp_path, function, status, text, is_written) -> None:
    async with Runner(home=tmp_path / "home", hooks={"before_tool": [function]}) as runner:
        events = [event async for event in begin(runner, tmp_path)]
    errors = "".join(event.error for event in events if event.type == "tool_result")
    assert events[-1].type == ("completion" if status == "answered" else "question")
    assert text in errors and (tmp_path / "a.txt").exists() == is_written


async def test_each_event_calls_its_functions(tmp_path) -> None:
    called = list[Any]()

    def record(payload: Any) -> None:
        called.append(payload["event"])

    def go_on_once(payload: Any) -> str | None:
        record(payload)
        return "look again" if called.count("on_stop") == 1 else None

    hooks: Any = {
        "before_tool": [record, lambda p: record(p)],
        "after_tool": [record],
        "on_session_start": [record],
        "on_stop": [go_on_once],
    }
    async with Runner(home=tmp_path / "home", hooks=hooks) as runner:
        result = await collect(begin(runner, tmp_path))
    assert result.text == "Really done."
    assert called == [
        "on_session_start", "before_tool", "before_tool", "after_tool", "on_stop", "on_stop",
    ]  # fmt: skip


@pytest.mark.parametrize("event", ["before", "PreToolUse", "stop", "on_end", ""])
def test_an_unknown_event_is_refused(event: str) -> None:
    hooks: Any = {event: [fail]}
    with pytest.raises(UsageError, match="there is no hook"):
        Runner(hooks=hooks)


@pytest.mark.parametrize(
    ("command", "on_error", "verdict"),
    [
        ("echo 'Blocked: no force' >&2; exit 1", "allow", "ask"),
        ("echo 'this push is not allowed'; exit 1", "allow", "ask"),
        ("""echo '{"decision": "block", "reason": "no"}'; exit 1""", "allow", "ask"),
        ("""echo '{"decision": "block"}'; grep -q x /dev/null""", "allow", "ask"),
        ("""echo '{"action": "reject"}'; exit 3""", "allow", "ask"),
        ("""echo '{"permissionDecision": "deny"}' >&2; exit 255""", "allow", "ask"),
        ("echo 'denied by the team' >&2; kill -9 $$", "allow", "ask"),
        ("echo 'denied by the team' >&2; sleep 60", "allow", "ask"),
        ("echo 'denied by the team' >&2; exit 1", "deny", "deny"),
        ("""echo '{"decision": "approve"}'; exit 1""", "allow", "failed"),
        ("echo 'log: Permission denied' >&2; exit 1", "allow", "failed"),
        ("no-such-guard", "allow", "failed"),
        ("no-such-guard", "deny", "deny"),
    ],
)
async def test_failed_guard_that_objects_is_asked(
    sandbox: Sandbox, command: str, on_error: Literal["allow", "deny"], verdict: str
) -> None:
    guard = ConfiguredHook(
        "before_tool", command, on_error=on_error, timeout=2 if "sleep" in command else 30
    )
    assert (await run_hook(guard, {}, sandbox)).verdict == verdict
