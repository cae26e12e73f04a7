import asyncio
import json
from pathlib import Path

import pytest

from maxagent import Answer, Runner, trust
from maxagent.config.errors import ThreadBusy, UsageError
from maxagent.memory.lease import hold
from maxagent.sdk.events import Completion, Failure, Interrupted, Question

BROKEN = "def double(number):\n    return number + number + 1\n"
REPAIRED = "def double(number):\n    return number + number\n"
TEST = "from numbers_ import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
SETTINGS = "[pytest]\npythonpath = .\naddopts = --disable-plugin-autoload\n"
SMALL = [{"text": "SMALL\nnumbers_.py"}]
ACCEPT = [{"text": "Accepted: the test covers it."}]
READ = {"name": "read_file", "args": {"path": "numbers_.py"}}
REPAIR = {
    "name": "edit",
    "args": {"file_path": "numbers_.py", "old_string": " + 1", "new_string": ""},
}
DONE = {"name": "attempt_completion", "args": {"result": "double doubles"}}


def calls(*turns):
    return [{"tool_calls": list(turn)} for turn in turns]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "numbers_.py").write_text(BROKEN)
    (folder / "test_numbers.py").write_text(TEST)
    (folder / "pytest.ini").write_text(SETTINGS)
    trust(folder, tmp_path / "home")
    return folder


@pytest.fixture
def play(tmp_path: Path):
    """Options that let the scripted model play these turns."""

    def options(coder, *, architect=SMALL, tester=ACCEPT, **more):
        script = tmp_path / "scenario.json"
        turns = {"architect": architect, "coder": coder, "tester": tester}
        script.write_text(json.dumps(turns))
        return {"model": f"scripted/{script}", "apply": True, **more}

    return options


@pytest.fixture
async def runner(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


async def last_of(events):
    return [event async for event in events][-1]


async def test_a_task_ends_verified_with_evidence_of_the_files_as_they_are(runner, project, play):
    events = [
        e
        async for e in runner.task(
            "repair double", folder=project, options=play(calls([READ], [REPAIR], [DONE]))
        )
    ]
    end = events[-1]
    assert isinstance(end, Completion)
    assert (end.outcome, end.summary) == ("verified", "double doubles")
    assert (end.evidence["verdict"], end.evidence["passed"]) == ("passed", 1)
    assert end.files == [{"path": "numbers_.py", "kind": "modified"}]
    assert "-    return number + number + 1" in end.diff
    assert (project / "numbers_.py").read_text() == REPAIRED
    assert runner.threads.find(end.thread_id).status == "done"


async def test_red_tests_go_back_to_the_coder_until_its_rounds_are_used_up(runner, project, play):
    (project / ".llc.yaml").write_text("task: {repair_rounds: 1}\n")
    trust(project, runner.home)
    end = await last_of(runner.task("repair", folder=project, options=play(calls([DONE], [DONE]))))
    assert (end.outcome, end.evidence["failed"]) == ("failed", 1)


async def test_a_change_repaired_after_red_tests_is_verified(runner, project, play):
    script = play(calls([READ], [DONE], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert end.outcome == "verified"


async def test_a_rejected_change_goes_back_to_the_coder(runner, project, play):
    tester = [{"text": "REJECTED\nno test for zero"}, {"text": "Accepted."}]
    script = play(calls([READ], [REPAIR], [DONE], [DONE]), tester=tester)
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert end.outcome == "verified"


async def test_tests_that_the_tester_adds_are_run_before_the_end(runner, project, play):
    new = {"path": "test_zero.py", "content": "def test_zero():\n    assert False\n"}
    tester = [*calls([{"name": "write_file", "args": new}]), {"text": "Accepted."}]
    script = play(calls([READ], [REPAIR], [DONE], [DONE]), tester=tester)
    (project / ".llc.yaml").write_text("task: {repair_rounds: 0}\n")
    trust(project, runner.home)
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert (end.outcome, end.evidence["failed"]) == ("failed", 1)


async def test_without_tests_the_end_is_unverified(runner, project, play):
    (project / "test_numbers.py").unlink()
    (project / "pytest.ini").unlink()
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert (end.outcome, end.evidence["verdict"]) == ("unverified", "unverified")


async def test_skipped_tests_end_unverified_without_evidence(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]), skip_tests=True)
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert (end.outcome, end.evidence) == ("unverified", None)


async def test_the_review_undoes_what_the_thread_changed(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]), apply=False)
    asked = await last_of(runner.task("repair", folder=project, options=script))
    assert isinstance(asked, Question) and asked.kind == "review"
    end = await last_of(runner.resume(asked.thread_id, Answer(reject="")))
    assert (end.outcome, (project / "numbers_.py").read_text()) == ("undone", BROKEN)


async def test_the_review_goes_on_with_a_remark(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE], [DONE]), tester=ACCEPT * 2, apply=False)
    asked = await last_of(runner.task("repair", folder=project, options=script))
    again = await last_of(runner.resume(asked.thread_id, Answer(text="and say why")))
    assert isinstance(again, Question) and again.kind == "review"
    end = await last_of(runner.resume(asked.thread_id, Answer(approve=True)))
    assert end.outcome == "verified"


async def test_files_changed_while_the_review_waits_are_tested_again(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]), apply=False)
    asked = await last_of(runner.task("repair", folder=project, options=script))
    (project / "numbers_.py").write_text(BROKEN)
    events = [e async for e in runner.resume(asked.thread_id, Answer(approve=True))]
    verdicts = [event.verdict for event in events if event.type == "evidence"]
    assert verdicts[0] == "failed"


async def test_a_command_waits_for_approval_and_runs_once_when_it_comes(runner, project, play):
    command = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}
    script = play(calls([READ], [REPAIR, command], [DONE]))
    asked = await last_of(runner.task("repair", folder=project, options=script))
    assert [request["args"]["command"] for request in asked.action_requests] == [
        "echo x >> log.txt"
    ]
    assert not (project / "log.txt").exists()
    unanswered = await last_of(runner.resume(asked.thread_id))
    assert unanswered == asked
    end = await last_of(runner.resume(asked.thread_id, Answer(approve=True)))
    assert (end.outcome, (project / "log.txt").read_text()) == ("verified", "x\n")


async def test_a_refused_command_does_not_run_and_the_model_reads_why(runner, project, play):
    command = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}
    script = play(calls([READ], [REPAIR, command], [DONE]))
    asked = await last_of(runner.task("repair", folder=project, options=script))
    events = [e async for e in runner.resume(asked.thread_id, Answer(reject="not now"))]
    refused = next(event for event in events if event.type == "tool_result" and not event.ok)
    assert "not now" in refused.error and not (project / "log.txt").exists()
    assert "log.txt" in refused.args["command"]


async def test_a_question_is_answered_in_words(runner, project, play):
    ask = {"name": "ask_user", "args": {"question": "Which?", "options": ["a", "b"]}}
    script = play(calls([ask], [READ], [REPAIR], [DONE]))
    asked = await last_of(runner.task("repair", folder=project, options=script))
    assert asked.action_requests[0]["args"]["options"] == ["a", "b"]
    events = [e async for e in runner.resume(asked.thread_id, Answer(text="b"))]
    assert any(event.type == "tool_result" and event.output == "b" for event in events)
    assert events[-1].outcome == "verified"


async def test_an_answer_to_a_thread_that_asks_nothing_changes_nothing(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    with pytest.raises(UsageError, match="asks nothing"):
        await last_of(runner.resume(end.thread_id, Answer(approve=True)))
    assert runner.threads.find(end.thread_id).status == "done"


async def test_a_finished_thread_says_again_how_it_ended(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert await last_of(runner.resume(end.thread_id)) == end


async def test_a_limit_parks_the_thread_and_a_resume_grants_as_much_again(runner, project, play):
    (project / ".llc.yaml").write_text("model: {max_iterations: 2}\n")
    trust(project, runner.home)
    script = play(calls([READ], [REPAIR], [DONE]))
    parked = await last_of(runner.task("repair", folder=project, options=script))
    assert (parked.kind, runner.threads.find(parked.thread_id).status) == ("limit", "limit")
    parked = await last_of(runner.resume(parked.thread_id))
    end = await last_of(runner.resume(parked.thread_id)) if parked.type == "question" else parked
    assert end.outcome == "verified"


async def test_stopping_finishes_the_step_and_the_thread_goes_on(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    events = runner.task("repair", folder=project, options=script)
    async for event in events:
        if event.type == "tool_result" and event.tool == "edit":
            runner.stop()
    assert isinstance(event, Interrupted)
    assert runner.threads.find(event.thread_id).status == "interrupted"
    end = await last_of(runner.resume(event.thread_id))
    assert end.outcome == "verified"


async def test_a_closed_stream_stops_the_run_and_loses_nothing(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    events = runner.task("repair", folder=project, options=script)
    async for event in events:
        if event.type == "run_started":
            thread = event.thread_id
        if event.type == "tool_result":
            break
    await events.aclose()
    assert (await last_of(runner.resume(thread))).outcome == "verified"


async def test_a_thread_held_elsewhere_is_not_run(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    with hold(runner.home, end.thread_id), pytest.raises(ThreadBusy):
        await last_of(runner.resume(end.thread_id))


@pytest.mark.parametrize(
    "turns",
    [
        calls([{"name": "no_such_tool", "args": {}}], [READ], [REPAIR], [DONE]),
        calls([{"name": "edit", "args": {"nonsense": 1}}], [READ], [REPAIR], [DONE]),
        calls([{"name": "read_file", "args": {"path": "../outside"}}], [READ], [REPAIR], [DONE]),
    ],
    ids=["unknown tool", "wrong arguments", "outside the project"],
)
async def test_a_wrong_call_is_answered_and_the_task_goes_on(runner, project, play, turns):
    events = [e async for e in runner.task("repair", folder=project, options=play(turns))]
    wrong = next(event for event in events if event.type == "tool_result")
    assert not wrong.ok and wrong.error
    assert events[-1].outcome == "verified"


async def test_a_script_that_ends_early_fails_the_run_and_keeps_the_thread(runner, project, play):
    end = await last_of(runner.task("repair", folder=project, options=play(calls([READ]))))
    assert isinstance(end, Failure) and end.exit_code == 1
    assert runner.threads.find(end.thread_id).status == "failed"


@pytest.mark.parametrize("request_", ["", "  \n"])
async def test_an_empty_task_is_refused_before_a_thread_exists(runner, project, request_):
    with pytest.raises(UsageError):
        await last_of(runner.task(request_, folder=project))
    assert runner.threads.list() == []


@pytest.mark.parametrize("folder", ["\udcff", "loop", "a" * 5000])
async def test_a_folder_that_cannot_be_used_is_refused_before_a_thread_exists(
    runner, tmp_path, folder
):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError):
        await last_of(runner.task("repair", folder=tmp_path / folder))
    assert runner.threads.list() == []


async def test_a_request_that_is_no_text_is_refused_before_a_thread_exists(runner, project):
    with pytest.raises(UsageError, match="UTF-8"):
        await last_of(runner.task("\udcff", folder=project))
    assert runner.threads.list() == []


async def test_an_answer_to_another_question_than_the_one_asked_changes_nothing(
    runner, project, play
):
    first, second = (
        {"name": "run_command", "args": {"command": f"echo x > {name}"}} for name in "ab"
    )
    script = play(calls([first], [second], [DONE]), skip_tests=True)
    read = await last_of(runner.task("write", folder=project, options=script))
    await last_of(runner.resume(read.thread_id, Answer(approve=True, question=read.id)))
    with pytest.raises(UsageError, match="asks something else"):
        await last_of(runner.resume(read.thread_id, Answer(approve=True, question=read.id)))
    assert [(project / name).exists() for name in "ab"] == [True, False]


async def test_a_limit_takes_no_answer(runner, project, play):
    (project / ".llc.yaml").write_text("model: {max_iterations: 1}\n")
    trust(project, runner.home)
    parked = await last_of(runner.task("x", folder=project, options=play(calls([READ], [DONE]))))
    with pytest.raises(UsageError, match="asks nothing"):
        await last_of(runner.resume(parked.thread_id, Answer(reject="stop")))
    assert runner.threads.find(parked.thread_id).status == "limit"


async def test_a_stop_that_comes_before_the_first_event_is_heard(runner, project, play):
    events = runner.task("repair", folder=project, options=play(calls([READ], [DONE])))
    first = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    runner.stop()
    kinds = [(await first).type] + [event.type async for event in events]
    assert (kinds[0], kinds[-1]) == ("run_started", "interrupted")
    assert "completion" not in kinds


async def test_wrong_input_that_shows_while_the_thread_runs_is_the_last_event(
    runner, project, tmp_path
):
    script = tmp_path / "no-coder.json"
    script.write_text(json.dumps({"architect": SMALL}))
    options = {"model": f"scripted/{script}"}
    events = [e async for e in runner.task("repair", folder=project, options=options)]
    assert (events[0].type, events[-1].type) == ("run_started", "error")
    assert events[-1].exit_code == 2


async def test_the_review_leaves_what_others_changed_while_a_question_waited(runner, project, play):
    command = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}
    script = play(calls([READ], [REPAIR], [command], [DONE]), apply=False)
    asked = await last_of(runner.task("repair", folder=project, options=script))
    (project / "mine.txt").write_text("the user's own\n")
    review = await last_of(runner.resume(asked.thread_id, Answer(approve=True)))
    events = [e async for e in runner.resume(review.thread_id, Answer(reject=""))]
    assert events[-1].outcome == "undone"
    assert (project / "mine.txt").read_text() == "the user's own\n"
    assert not (project / "log.txt").exists()
    assert (project / "numbers_.py").read_text() == BROKEN
    told = [event.text for event in events if event.type == "notice"]
    assert told == ["put back: log.txt, numbers_.py"]
    (changed,) = [event for event in events if event.type == "files_changed"]
    assert [(file["path"], file["kind"], file["by"]) for file in changed.files] == [
        ("log.txt", "deleted", "undo"),
        ("numbers_.py", "modified", "undo"),
    ]


async def test_the_testers_words_do_not_replace_the_coders_summary(runner, project, play):
    praise = {"name": "attempt_completion", "args": {"result": "Accepted: I looked"}}
    script = play(calls([READ], [REPAIR], [DONE]), tester=calls([praise]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert (end.outcome, end.summary) == ("verified", "double doubles")


async def test_a_task_begins_by_naming_what_the_projects_configuration_decides(
    runner, project, play
):
    (project / ".llc.yaml").write_text("security: {mode: auto}\nlanguage: en\n")
    trust(project, runner.home)
    script = play(calls([READ], [REPAIR], [DONE]))
    events = [e async for e in runner.task("repair", folder=project, options=script)]
    told = [event.text for event in events if event.type == "notice"]
    assert "this project's `.llc.yaml` sets security.mode" in told


async def test_the_folder_may_be_given_as_text(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=str(project), options=script))
    assert end.outcome == "verified"


async def test_an_empty_folder_is_trusted_at_once_and_another_is_not(tmp_path, runner, play):
    for name in ("empty", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / "file").write_text("")
    script = play(calls([DONE]))
    ends = {}
    for name in ("empty", "other"):
        events = [e async for e in runner.task("x", folder=tmp_path / name, options=script)]
        told = [e.text for e in events if e.type == "notice" and "not trusted" in e.text]
        ends[name] = (events[-1].evidence["reason"][:13], len(told))
    assert ends == {"empty": ("no tests were", 0), "other": ("the folder is", 1)}


async def test_a_yes_counts_from_the_next_run_on_and_a_change_takes_it_back(
    tmp_path, runner, project, play
):
    (project / "AGENTS.md").write_text("x")
    script, outcomes = play(calls([READ], [REPAIR], [DONE])), []
    for number in range(3):
        (project / "numbers_.py").write_text(BROKEN)
        end = await last_of(runner.task("repair", folder=project, options=script))
        outcomes.append(end.outcome)
        if number == 0:
            trust(project, tmp_path / "home")
        else:
            (project / "AGENTS.md").write_text("y")
    assert outcomes == ["unverified", "verified", "unverified"]


async def test_a_run_that_has_begun_goes_on_with_what_it_has_loaded(runner, project, play):
    ask = {"name": "ask_user", "args": {"question": "Which?"}}
    script = play(calls([READ], [REPAIR], [ask], [DONE]))
    asked = await last_of(runner.task("repair", folder=project, options=script))
    (project / "AGENTS.md").write_text("written meanwhile")
    answer = Answer(text="a", question=asked.id)
    end = await last_of(runner.resume(asked.thread_id, answer))
    assert end.outcome == "verified"


async def test_a_thread_resumed_after_a_change_is_not_trusted_and_the_change_is_named(
    runner, project, play
):
    ask = {"name": "ask_user", "args": {"question": "Which?"}}
    script = play(calls([READ], [REPAIR], [ask], [DONE]))
    asked = await last_of(runner.task("repair", folder=project, options=script))
    (project / "AGENTS.md").write_text("from elsewhere")
    events = [e async for e in runner.resume(asked.thread_id, Answer(text="a"))]
    told = [event.text for event in events if event.type == "notice"]
    assert any("`AGENTS.md` appeared" in text for text in told)
    assert events[-1].outcome == "unverified"


@pytest.mark.parametrize(("mode", "told"), [("auto", 1), ("off", 0)])
async def test_a_run_without_a_sandbox_says_so_once(
    runner, project, play, tmp_path, monkeypatch, mode, told
):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.yaml").write_text(f"sandbox: {mode}\n")
    monkeypatch.delenv("MAXAGENT_SANDBOX__MODE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    run = runner.task("repair double", folder=project, options=play(calls([REPAIR], [DONE])))
    events = [event async for event in run]
    assert events[0].sandbox.startswith("none: ")
    notices = [event.text for event in events if event.type == "notice"]
    assert sum("no sandbox: bubblewrap is not installed" in text for text in notices) == told


async def test_a_sandbox_that_is_required_and_missing_is_told_before_a_thread_exists(
    runner, project, play, tmp_path, monkeypatch
):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.yaml").write_text("sandbox: require\n")
    monkeypatch.delenv("MAXAGENT_SANDBOX__MODE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="a sandbox is required"):
        await last_of(runner.task("repair", folder=project, options=play(calls([DONE]))))
    assert runner.threads.list() == []


async def test_what_keeps_an_agent_from_speaking_is_told_before_the_words_are_taken(
    runner, project, tmp_path
):
    script = tmp_path / "talk.json"
    script.write_text(json.dumps({"build": [{"text": "First."}, {"text": "Third."}]}))
    options = {"model": f"scripted/{script}"}
    begun = await last_of(runner.chat("one", folder=project, options=options))
    config = runner.home / "config.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("tools: {disabled: [nonsense]}\n")
    with pytest.raises(UsageError, match="nonsense"):
        await last_of(runner.say(begun.thread_id, "two"))
    config.write_text("")
    end = await last_of(runner.say(begun.thread_id, "three"))
    assert end.outcome == "answered" and runner.threads.get(begun.thread_id).status == "idle"
