"""Several attempts at one task, each on a thread and in a worktree of its own."""

import json
from pathlib import Path

import pytest
from confinement import UNASKED
from repair_project import ACCEPT, BROKEN, DONE, READ, REPAIR, REPAIRED, SMALL, calls, last_of

from maxagent import Runner, trust
from maxagent.config import paths
from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.undo.history import FileHistory
from maxagent.memory.worktrees.record import list_containers
from maxagent.nodes.attempts import adopt_attempt
from maxagent.sdk.events import AttemptsCompared, Completion, Failure, Question
from maxagent.sdk.interrupt_response import Answer

WEAKENED = {
    "name": "edit",
    "args": {"file_path": "test_numbers.py", "old_string": "== 4", "new_string": "== 5"},
}
READ_TEST = {"name": "read_file", "args": {"path": "test_numbers.py"}}
LONGER = {
    "name": "write_file",
    "args": {"path": "numbers_.py", "content": f"{REPAIRED}\n\ndef triple(number):\n    pass\n"},
}
GREEN = calls([READ], [REPAIR], [DONE])
LARGER = calls([READ], [LONGER], [DONE])
RED = calls([READ], [DONE])
CHEATING = calls([READ_TEST], [WEAKENED], [DONE])


@pytest.fixture
def models(tmp_path: Path, project: Path):
    """The options of attempts in which scripted models play these turns of the coder."""

    def build(*coders, testers=(), command="", **more):
        settings = {"repair_rounds": 0, "test_command": command}
        (project / ".llc.yaml").write_text(json.dumps({"task": settings}))
        trust(project, tmp_path / "home")
        names = []
        for number, coder in enumerate(coders):
            script = tmp_path / f"attempt-{number}.json"
            tester = testers[number] if testers else ACCEPT
            turns = {"architect": SMALL, "coder": coder, "tester": tester}
            script.write_text(json.dumps(turns))
            names.append(f"scripted/{script}")
        count = {"best_of": len(coders), "models": names, "model": names[0]}
        return {**count, "apply": True, **UNASKED, **more}

    return build


async def run(runner: Runner, project: Path, options):
    """Run to the end; return the last event and the comparison."""
    events = [e async for e in runner.task("repair double", folder=project, options=options)]
    compared = [event for event in events if isinstance(event, AttemptsCompared)]
    return events[-1], compared[0].attempts if compared else []


async def test_green_attempt_is_kept_and_reasons_are_reported(runner, project, models):
    end, attempts = await run(runner, project, models(RED, GREEN, CHEATING))
    assert isinstance(end, Completion)
    assert (end.outcome, end.evidence["passed"]) == ("verified", 1)
    assert end.files == [{"path": "numbers_.py", "kind": "modified"}]
    assert (project / "numbers_.py").read_text() == REPAIRED
    assert [(attempt["outcome"], attempt["kept"]) for attempt in attempts] == [
        ("failed", False),
        ("verified", True),
        ("verified", False),
    ]
    reasons = [attempt["reason"] for attempt in attempts]
    assert "tests failed" in reasons[0] and "breaks no test" in reasons[1]
    assert "changed existing tests: `test_numbers.py`" in reasons[2]
    assert attempts[1]["lines"] == 2
    assert runner.threads.find(end.thread_id).status == "done"


@pytest.mark.slow
async def test_smallest_green_change_is_kept(runner, project, models):
    end, attempts = await run(runner, project, models(LARGER, GREEN, GREEN))
    assert [attempt["kept"] for attempt in attempts] == [False, True, False]
    assert "fewer lines" in attempts[0]["reason"] and "comes first" in attempts[2]["reason"]
    assert end.outcome == "verified"


@pytest.mark.slow
async def test_attempts_stay_as_threads_without_worktrees(runner, project, models):
    end, attempts = await run(runner, project, models(RED, GREEN))
    assert list(list_containers(runner.home)) == []
    rows = [runner.threads.find(attempt["thread_id"]) for attempt in attempts]
    assert [row.status for row in rows] == ["failed", "done"]
    assert [row.title for row in rows] == [
        f"attempt {number} of 2: repair double" for number in (1, 2)
    ]
    assert runner.threads.list(project)[0].thread_id == end.thread_id
    saved = runner.home / "data" / "outputs" / end.thread_id / "attempts" / "1.diff"
    assert saved.read_text() == ""


@pytest.mark.slow
async def test_without_a_green_attempt_nothing_is_kept(runner, project, models):
    end, attempts = await run(runner, project, models(RED, RED))
    assert (end.outcome, end.files) == ("failed", [])
    assert not any(attempt["kept"] for attempt in attempts)
    assert (project / "numbers_.py").read_text() == BROKEN


SILENT, REFUSE = [{"text": "Well."}] * 3, [{"text": "REJECTED: no"}]


@pytest.mark.parametrize(
    ("coders", "testers", "command", "offered", "answer", "content"),
    [
        ((GREEN, LARGER), (SILENT, SILENT), "true", [1, 2], Answer(text="1"), REPAIRED),
        ((RED, GREEN), (ACCEPT, SILENT), "grep -q '+ number$' numbers_.py", [2], 0, REPAIRED),
        ((GREEN, LARGER), (REFUSE, SILENT), "true", [2], Answer(reject="neither"), BROKEN),
        ((GREEN, GREEN), (SILENT, REFUSE), "true", [1], Answer(text="none"), BROKEN),
        ((GREEN, RED), (ACCEPT, ACCEPT), "", [1], Answer(text="Attempt 1!"), REPAIRED),
        ((RED, RED), (SILENT, SILENT), "true", [], None, BROKEN),
        ((GREEN, RED), (REFUSE, REFUSE), "true", [], None, BROKEN),
    ],
)
async def test_user_chooses_among_attempts_without_verdict(
    runner, project, models, coders, testers, command, offered, answer, content
):
    for test in () if command else ("test_numbers.py", "pytest.ini"):
        (project / test).unlink()
    options = models(*coders, testers=testers, command=command)
    del options["apply"]
    last, _ = await run(runner, project, options)
    if not offered:
        assert (last.outcome, last.files) == ("failed", [])
        return
    (request,) = last.action_requests
    output = request["args"]["options"]
    assert [line[:9] for line in output[:-1]] == [f"attempt {number}" for number in offered]
    last = await last_of(runner.resume(last.thread_id, answer or Answer(text=output[0])))
    assert (project / "numbers_.py").read_text() == content
    if content == REPAIRED:
        assert last.kind == "review"


async def test_unclear_choice_asks_again_and_apply_keeps_nothing(runner, project, models):
    silent = {"testers": (SILENT, SILENT)}
    options = models(GREEN, RED, **silent)
    end, _ = await run(runner, project, options)
    assert (end.outcome, end.files) == ("failed", [])
    del options["apply"]
    question, _ = await run(runner, project, options)
    for unclear in ("2", "perhaps 1", "11"):
        again = await last_of(runner.resume(question.thread_id, Answer(text=unclear)))
        assert again.action_requests == question.action_requests


async def test_user_is_asked_and_can_undo(runner, project, models):
    options = models(GREEN, RED)
    del options["apply"]
    end, _ = await run(runner, project, options)
    assert isinstance(end, Question) and end.kind == "review"
    assert (project / "numbers_.py").read_text() == REPAIRED
    answer = Answer(decisions=[{"type": "reject", "message": ""}])
    last = await last_of(runner.resume(end.thread_id, answer))
    assert last.outcome == "undone"
    assert (project / "numbers_.py").read_text() == BROKEN


@pytest.mark.slow
async def test_change_of_the_user_meanwhile_is_tested_again(runner, project, models):
    (project / "other.py").write_text("x = 1\n")
    events = []
    async for event in runner.task("repair double", folder=project, options=models(GREEN, RED)):
        events.append(event)
        if event.type == "notice" and "attempt 1" in event.text:
            (project / "other.py").write_text("x = 2\n")
    assert events[-1].outcome == "verified"
    assert [event.type for event in events if event.type == "verifying"] == ["verifying"]
    assert (project / "other.py").read_text() == "x = 2\n"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"best_of": 1}, "cannot be 1"),
        ({"best_of": 9}, "cannot be 9"),
        ({"best_of": 2, "skip_tests": True}, "cannot be skipped"),
        ({"models": ["openai/a"]}, "only for several attempts"),
        ({"best_of": 2, "models": ["openai/a"] * 3}, "3 models"),
        ({"best_of": 2, "models": ["nobody/a"]}, "nobody"),
    ],
)
async def test_wrong_options_are_reported_before_anything(runner, project, play, options, problem):
    with pytest.raises(UsageError, match=problem):
        await last_of(runner.task("x", folder=project, options={**play([]), **options}))
    assert runner.threads.list() == []


async def test_stopped_attempts_go_on_and_finished_ones_stay(runner, project, models):
    options = models(GREEN, LARGER)
    async for event in runner.task("repair double", folder=project, options=options):
        if event.type == "notice" and "attempt 1" in event.text:
            runner.stop()
    assert event.type == "interrupted"
    assert (project / "numbers_.py").read_text() == BROKEN
    end = await last_of(runner.resume(event.thread_id))
    assert end.outcome == "verified" and (project / "numbers_.py").read_text() == REPAIRED
    assert len(runner.threads.list()) == 3


@pytest.mark.parametrize("step", ["before", "after"])
async def test_failure_after_merge_does_not_merge_twice(runner, project, models, monkeypatch, step):
    remove, failures = adopt_attempt.remove_worktree, iter(["first"])

    async def remove_or_fail(*arguments):
        failing = next(failures, "")
        if step == "after" or not failing:
            await remove(*arguments)
        if failing:
            raise MaxAgentError("no more")

    monkeypatch.setattr(adopt_attempt, "remove_worktree", remove_or_fail)
    last = await last_of(runner.task("repair", folder=project, options=models(GREEN, RED)))
    assert isinstance(last, Failure)
    end = await last_of(runner.resume(last.thread_id))
    assert (end.outcome, len(end.files)) == ("verified", 1)
    history = FileHistory(paths.locate_database(runner.home))
    assert [entry.kind for entry in history.list_entries(last.thread_id)] == ["merge"]
    assert list(list_containers(runner.home)) == []


@pytest.mark.slow
async def test_steps_and_usage_of_attempts_are_reported(runner, project, models):
    stream = runner.task("repair double", folder=project, options=models(GREEN, RED))
    events = [event async for event in stream]
    (compared,) = (event for event in events if isinstance(event, AttemptsCompared))
    used = [attempt["usage"] for attempt in compared.attempts]
    assert used == [
        (await runner.read_state(attempt["thread_id"]))[0]["usage"] for attempt in compared.attempts
    ]
    requests = sum(usage["requests"] for usage in used)
    assert events[-1].usage["requests"] == compared.usage["requests"] == requests > 0
    first = [event for event in events if event.type == "attempt_progress" and event.number == 1]
    assert list(dict.fromkeys(event.role for event in first)) == [
        *("architect", "coder", "tests", "tester"),
        "",
    ]
    assert any((item.tool, item.args) == ("read_file", {"path": "numbers_.py"}) for item in first)
    assert [event.status for event in first][-2:] == ["running", "ended"]
    assert first[-1].usage["requests"] == used[0]["requests"]
