import json
from pathlib import Path

import pytest
from talk import Talk, says

from maxagent import Runner, trust
from maxagent.config import paths
from maxagent.sdk.events import Completion, HookFinished, Notice, Question, ToolResult

WRITE = {"path": "a.txt", "content": "a\n"}


def configure(home: Path, **hooks: list[dict[str, object]]) -> None:
    file = paths.locate_user_config(home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks, "security": {"mode": "auto"}}))


def outcomes(talk: Talk) -> list[tuple[str, str]]:
    return [(event.event, event.outcome) for event in talk.heard(HookFinished)]


@pytest.mark.parametrize("matcher", ["Bash|Write", "write_file", "write_to_file", "*", "^wri.*"])
async def test_exit_code_two_refuses_the_call(tmp_path: Path, matcher: str) -> None:
    home = tmp_path / "home"
    configure(
        home, before_tool=[{"matcher": matcher, "command": "echo 'no, not here' >&2; exit 2"}]
    )
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), says("Understood."))
        last = await talk.say("write it")
    assert isinstance(last, Completion)
    [result] = talk.heard(ToolResult)
    assert (result.ok, result.error) == (False, "A hook refused this call: no, not here")
    assert outcomes(talk) == [("before_tool", "refused")]
    assert not (talk.folder / "a.txt").exists()


async def test_a_hook_reads_both_forms(tmp_path: Path) -> None:
    home, seen = tmp_path / "home", tmp_path / "seen.json"
    command = f'cat > {seen}; echo "$CLAUDE_PROJECT_DIR" "$MAXAGENT_PROJECT_DIR" "$OPENAI_API_KEY"'
    configure(
        home, PostToolUse=[{"matcher": "Write", "hooks": [{"type": "command", "command": command}]}]
    )
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), says("Done."))
        await talk.say("write it")
    fields = json.loads(seen.read_text())
    assert fields["tool"] == "write_file" and fields["args"] == WRITE
    assert (fields["event"], fields["hook_event_name"]) == ("after_tool", "PostToolUse")
    assert fields["session_id"] == fields["thread"] == talk.thread
    assert fields["tool_name"] == "Write"
    assert fields["tool_input"]["file_path"] == str(talk.folder / "a.txt")
    assert fields["result"]["ok"] and fields["tool_response"]["success"]
    [result] = talk.heard(ToolResult)
    assert result.output.endswith(f"says:\n{talk.folder} {talk.folder}")
    assert not list((home / "data" / "hooks").iterdir())


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("exit 1", "exit code 1: -"),
        ("echo broken >&2; exit 5", "exit code 5: broken"),
        ("no-such-program", "exit code 127: "),
        ("sleep 60", "it was stopped after 0.3 seconds"),
    ],
)
async def test_a_failure_is_a_notice(tmp_path: Path, command: str, reason: str) -> None:
    home = tmp_path / "home"
    configure(
        home, before_tool=[{"command": command, "timeout": 0.3 if "sleep" in command else 20}]
    )
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), says("Done."))
        await talk.say("write it")
    assert (talk.folder / "a.txt").exists()
    assert outcomes(talk) == [("before_tool", "failed")]
    assert any(reason in notice.text for notice in talk.heard(Notice))


async def test_a_hook_can_have_a_call_asked(tmp_path: Path) -> None:
    home, runs = tmp_path / "home", tmp_path / "runs"
    answer = {
        "hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "new"}
    }
    configure(
        home,
        before_tool=[{"matcher": "*", "command": f"echo x >> {runs}; echo '{json.dumps(answer)}'"}],
    )
    calls = {"tool_calls": [{"name": "read_file", "args": {"path": name}} for name in ("b", "c")]}
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), calls, says("Done."))
        for name in ("b", "c"):
            (talk.folder / name).write_text(name)
        first = await talk.say("write it")
        assert isinstance(first, Question)
        assert "a hook asks: new" in first.action_requests[0]["description"]
        assert not (talk.folder / "a.txt").exists()
        second = await talk.answer(approve=True)
        assert (talk.folder / "a.txt").exists()
        assert [request["args"] for request in second.action_requests] == [{"path": "b"}]
        third = await talk.decide(type="reject", message="no")
        assert [request["args"] for request in third.action_requests] == [{"path": "c"}]
        last = await talk.answer(approve=True)
    assert isinstance(last, Completion)
    assert runs.read_text() == "x\n" * 3


async def test_an_edited_call_is_looked_at_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = """
    input=$(cat)
    case "$input" in *secret*) echo 'no secrets' >&2; exit 2;; esac
    echo '{"decision": "ask", "reason": "look"}'
    """
    configure(home, before_tool=[{"matcher": "Write", "command": command}])
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), says("Done."))
        await talk.say("write it")
        action = {"name": "write_file", "args": {**WRITE, "content": "secret"}}
        await talk.decide(type="edit", edited_action=action)
    [result] = talk.heard(ToolResult)
    assert result.error == "A hook refused this call: no secrets"


async def test_no_hook_allows_or_changes_a_call(tmp_path: Path) -> None:
    home = tmp_path / "home"
    output = {"permissionDecision": "allow", "updatedInput": {"path": "b.txt"}}
    command = f"echo '{json.dumps({'hookSpecificOutput': output})}'"
    configure(home, before_tool=[{"matcher": "*", "command": command}])
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), says("Done."))
        asked = await talk.say("write it", mode="ask")
        assert isinstance(asked, Question)
        await talk.answer(approve=True)
    assert (talk.folder / "a.txt").exists() and not (talk.folder / "b.txt").exists()
    assert any("updatedInput" in notice.text for notice in talk.heard(Notice))


async def test_changes_of_a_hook_are_undone_with_the_call(tmp_path: Path) -> None:
    home = tmp_path / "home"
    configure(home, after_tool=[{"matcher": "Write", "command": "echo b >> a.txt; echo c > c.txt"}])
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), says("Done."))
        await talk.say("write it")
        assert (talk.folder / "a.txt").read_text() == "a\nb\n"
    changed = {
        file["path"]: file["by"]
        for event in talk.events
        if event.type == "files_changed"
        for file in event.files
    }
    assert changed == {"a.txt": "shell", "c.txt": "shell"}


async def test_hooks_of_a_project_need_trust(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(write_file=WRITE), says("Done."))
        hooks = {"hooks": {"before_tool": [{"command": "exit 2"}]}}
        (talk.folder / ".llc.yaml").write_text(json.dumps(hooks))
        await talk.say("write it", mode="auto")
        assert outcomes(talk) == []
        trust(talk.folder, home)
        await talk.say(
            "again",
            mode="auto",
            model=talk.script(
                says(write_file=WRITE), says("x"), says(write_file=WRITE), says("Done.")
            ),
        )
        assert outcomes(talk) == [("before_tool", "refused")]
