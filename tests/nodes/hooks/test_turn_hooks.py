import json
from pathlib import Path
from typing import Any

from talk import Talk, says

from maxagent import Runner
from maxagent.config import paths
from maxagent.sdk.events import Completion, HookFinished, Notice, Output


def configure(home: Path, **hooks: list[dict[str, object]]) -> None:
    file = paths.locate_user_config(home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks, "security": {"mode": "auto"}}))


def find_notes(state: dict[str, Any], event: str) -> list[str]:
    messages = state["messages"]
    return [m.text for m in messages if m.additional_kwargs.get("hook") == event]


async def test_stop_hook_lets_the_model_go_on(tmp_path: Path) -> None:
    home, inputs = tmp_path / "home", tmp_path / "inputs"
    check = "test -e a.txt || { echo 'a.txt is missing' >&2; exit 2; }"
    command = f"cat >> {inputs}; echo >> {inputs}; {check}"
    configure(home, Stop=[{"hooks": [{"type": "command", "command": command}]}])
    write = says(write_file={"path": "a.txt", "content": "a"})
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says("I am done."), write, says("Now I am."))
        last = await talk.say("write it")
        state = await talk.state()
    assert isinstance(last, Completion) and last.summary == "Now I am."
    [note] = find_notes(state, "on_stop")
    assert note.startswith("Do not stop yet.") and note.endswith("a.txt is missing")
    assert [event.outcome for event in talk.heard(HookFinished)] == ["refused", "passed"]
    first, second = map(json.loads, inputs.read_text().splitlines())
    assert (first["answer"], first["stop_hook_active"]) == ("I am done.", False)
    assert (second["answer"], second["stop_hook_active"]) == ("Now I am.", True)
    assert "".join(event.text for event in talk.heard(Output)) == "I am done.Now I am."


async def test_stop_hook_asks_three_times_at_most(tmp_path: Path) -> None:
    home = tmp_path / "home"
    configure(home, on_stop=[{"command": "exit 2"}])
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, *[says(f"Answer {number}.") for number in range(8)])
        last = await talk.say("hello")
        assert last.summary == "Answer 3."
        assert any("3 times" in notice.text for notice in talk.heard(Notice))
        again = await talk.say("and now?")
    assert again.summary == "Answer 7."


async def test_completion_by_tool_is_shown_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    configure(home, on_stop=[{"command": "true"}])
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says(attempt_completion={"result": "It is done."}))
        await talk.say("do it")
    assert "".join(event.text for event in talk.heard(Output)) == "It is done."


async def test_start_hook_tells_the_model_once(tmp_path: Path) -> None:
    home, runs = tmp_path / "home", tmp_path / "runs"
    configure(home, on_session_start=[{"command": f"echo x >> {runs}; echo 'Use tabs.'"}])
    async with Runner(home=home) as runner:
        talk = Talk(tmp_path, runner, says("Hello."), says("Again."))
        await talk.say("hi")
        await talk.say("and again")
        state = await talk.state()
    [note] = find_notes(state, "on_session_start")
    assert note.endswith("Use tabs.")
    assert runs.read_text() == "x\n"


async def test_hooks_run_in_a_task_and_an_edit(tmp_path: Path) -> None:
    home, runs, project = tmp_path / "home", tmp_path / "runs", tmp_path / "project"
    project.mkdir()
    configure(
        home,
        on_session_start=[{"command": f"echo start >> {runs}"}],
        on_stop=[{"command": f"echo stop >> {runs}"}],
    )
    script = tmp_path / "script.json"
    turns = {"architect": [says("SMALL")], "coder": [says("done")], "editor": [says("done")]}
    script.write_text(json.dumps(turns))
    options: Any = {"model": f"scripted/{script}", "skip_tests": True, "apply": True}
    async with Runner(home=home) as runner:
        task = [item async for item in runner.task("do", folder=project, options=options)]
        assert task[-1].type == "completion"
        assert runs.read_text().split() == ["start", "stop"]
        events = runner.edit("do", files=["a.txt"], folder=project, options=options)
        edit = [event async for event in events]
    assert edit[-1].type == "completion"
    assert runs.read_text().split() == ["start", "stop"] * 2
