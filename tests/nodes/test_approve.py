import json
from pathlib import Path

import pytest

from maxagent import Answer, Runner, trust
from maxagent.config.errors import UsageError
from maxagent.nodes import approve
from maxagent.nodes.run.context import Context

WRITE = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}


@pytest.fixture
async def runner(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
async def asked(runner, project, tmp_path):
    """The question of a thread that waits for leave to run a command."""
    script = tmp_path / "scenario.json"
    coder = [{"tool_calls": [WRITE]}, {"text": "done"}]
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{script}", "mode": "ask", "skip_tests": True, "apply": True}
    return await last_of(runner.task("write", folder=project, options=options))


async def last_of(events):
    return [event async for event in events][-1]


async def test_refusal_holds_under_mode_that_allows_the_call(runner, project, asked):
    refusal, auto = Answer(reject="no"), Context(mode="auto")
    end = await last_of(runner.resume(asked.thread_id, refusal, context=auto))
    assert end.type == "completion" and not (project / "log.txt").exists()


async def test_refusal_holds_after_approval_lost_in_crash(runner, project, asked, monkeypatch):
    def full(*_: object):
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(approve, "dispatch", full)
        assert (await last_of(runner.resume(asked.thread_id, Answer(approve=True)))).type == "error"
    assert (await last_of(runner.resume(asked.thread_id))).type == "question"
    end = await last_of(runner.resume(asked.thread_id, Answer(reject="no")))
    assert end.type == "completion" and not (project / "log.txt").exists()


@pytest.mark.parametrize("action", ["ls", ["ls"], {"args": "ls"}, {}])
async def test_thread_survives_edit_of_wrong_shape(runner, project, asked, action):
    wrong = Answer(decisions=[{"type": "edit", "edited_action": action}])
    with pytest.raises(UsageError, match="does not fit the question"):
        await last_of(runner.resume(asked.thread_id, wrong))
    await last_of(runner.resume(asked.thread_id, Answer(approve=True)))
    assert (project / "log.txt").read_text() == "x\n"


@pytest.fixture
async def asked_edit(runner, project, tmp_path):
    """The question of a thread that waits for leave to write, and to run a command after it."""
    (project / ".llc.yaml").write_text("after_edit: {'*.txt': ['echo one >> log']}\n")
    trust(project, tmp_path / "home")
    script = tmp_path / "scenario.json"
    writes = {"name": "write_file", "args": {"path": "a.txt", "content": "x\n"}}
    coder = [{"tool_calls": [writes]}, {"text": "done"}]
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{script}", "skip_tests": True, "apply": True}
    return await last_of(runner.task("write", folder=project, options=options))


async def test_changed_post_edit_commands_are_asked_again(runner, project, asked_edit):
    assert "`echo one >> log`" in asked_edit.action_requests[0]["description"]
    (project / ".llc.yaml").write_text("after_edit: {'*.txt': ['echo two >> log']}\n")
    trust(project, runner.home)
    await runner.pool.close()  # as another process would, the next run reads the configuration
    again = await last_of(runner.resume(asked_edit.thread_id, Answer(approve=True)))
    assert "`echo two >> log`" in again.action_requests[0]["description"]
    assert not (project / "a.txt").exists()
    end = await last_of(runner.resume(again.thread_id, Answer(approve=True)))
    assert end.type == "completion" and (project / "log").read_text() == "two\n"


@pytest.mark.parametrize(
    ("answer", "made"), [(Answer(reject="no"), False), (Answer(approve=True), True)]
)
async def test_answer_to_edit_with_commands_holds_across_modes(
    runner, project, asked_edit, answer, made
):
    events = runner.resume(asked_edit.thread_id, answer, context=Context(mode="auto"))
    assert (await last_of(events)).type == "completion"
    assert (project / "a.txt").exists() == (project / "log").exists() == made


async def test_yes_for_thread_asks_its_like_no_more(runner, project, tmp_path):
    script = tmp_path / "scenario.json"
    calls = [{"name": "run_command", "args": {"command": f"make {name}"}} for name in "aab"]
    coder = [*({"tool_calls": [call]} for call in calls), {"text": "done"}]
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{script}", "mode": "ask", "skip_tests": True, "apply": True}
    first = await last_of(runner.task("make", folder=project, options=options))
    assert first.action_requests[0]["always"] == "run_command(make a)"

    yes = Answer(decisions=[{"type": "approve", "for_thread": True}])
    second = await last_of(runner.resume(first.thread_id, yes))
    assert second.action_requests[0]["args"]["command"] == "make b"

    other = await last_of(runner.task("make", folder=project, options=options))
    assert other.action_requests[0]["args"]["command"] == "make a"
    assert not (tmp_path / "home/config.yaml").exists()


@pytest.mark.parametrize(("name", "made"), [("write_file", True), ("run_command", False)])
async def test_yes_to_all_edits_asks_none_more(runner, project, tmp_path, name, made):
    script = tmp_path / "scenario.json"
    first = WRITE if name == "run_command" else write("a.txt")
    coder = [{"tool_calls": [first]}, {"tool_calls": [write("b.txt")]}, {"text": "done"}]
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{script}", "mode": "ask", "skip_tests": True, "apply": True}
    asked = await last_of(runner.task("write", folder=project, options=options))

    yes = Answer(decisions=[{"type": "approve", "mode": "edits"}])
    last = await last_of(runner.resume(asked.thread_id, yes))
    assert (last.type == "completion") == (project / "b.txt").exists() == made
    mode = (await runner.options_of(asked.thread_id))["mode"]
    assert mode == ("edits" if made else "ask")  # a yes to a command is one to no edit


def write(path):
    return {"name": "write_file", "args": {"path": path, "content": "new\n"}}


async def test_yes_for_thread_holds_under_another_mode(runner, project, tmp_path):
    script = tmp_path / "scenario.json"
    install = {"name": "run_command", "args": {"command": "pip install ./none"}}
    coder = [{"tool_calls": [install]}, {"tool_calls": [install]}, {"text": "done"}]
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{script}", "mode": "ask", "skip_tests": True, "apply": True}
    first = await last_of(runner.task("install", folder=project, options=options))

    yes = Answer(decisions=[{"type": "approve", "for_thread": True}])
    answered = runner.resume(first.thread_id, yes, context=Context(mode="edits"))
    events = [event async for event in answered]
    errors = [event.error for event in events if event.type == "tool_result"]
    assert events[-1].type == "completion"
    assert len(errors) == 2 and not any("was allowed" in error for error in errors), errors


async def test_no_option_allows_calls(runner, project, tmp_path, asked):
    script = tmp_path / "scenario.json"
    options = {"model": f"scripted/{script}", "mode": "ask", "allowed": ["run_command"]}
    with pytest.raises(UsageError, match="unknown option `allowed`"):
        await last_of(runner.task("write", folder=project, options=options))


async def test_answer_instead_of_approval_is_marked(runner, project, asked):
    answer = Answer(text="use the other log")
    events = [event async for event in runner.resume(asked.thread_id, answer)]
    (result,) = [event for event in events if event.type == "tool_result"]
    assert (result.output, result.metadata) == ("use the other log", {"answered": True})
    assert not (project / "log.txt").exists()


@pytest.mark.parametrize(
    ("before", "chosen", "name", "end"),
    [
        ("ask", "edits", "write_file", "completion"),
        ("edits", "ask", "write_file", "question"),
        ("auto", "ask", "run_command", "question"),
        ("ask", "edits", "run_command", "question"),
        ("auto", "read-only", "write_file", "completion"),
        ("ask", "ask", "write_file", "question"),
    ],
)
async def test_mode_chosen_during_turn_holds_at_once(
    runner, project, tmp_path, before, chosen, name, end
):
    trust(project, runner.home)
    args = {
        "write_file": {"path": "a.txt", "content": "x"},
        "run_command": {"command": "touch a.txt"},
    }
    calls = [{"name": "list_files", "args": {}}], [{"name": name, "args": args[name]}]
    script = tmp_path / "scenario.json"
    script.write_text(json.dumps([*({"tool_calls": one} for one in calls), {"text": "done"}]))
    last, thread = None, ""
    options = {"model": f"scripted/{script}", "mode": before}
    async for last in runner.chat("go", folder=project, options=options):
        if last.type == "run_started":
            thread = last.thread_id
        elif last.type == "tool_call" and last.tool == "list_files":
            runner.steering.choose_mode(thread, chosen)
    assert last.type == end
    assert (project / "a.txt").exists() == (end == "completion" and chosen != "read-only")
    assert (await runner.options_of(thread))["mode"] == chosen
