"""What a thread asks, what it is answered, and what comes of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from confinement import needs_bubblewrap
from repair_project import ACCEPT, BROKEN, DONE, READ, REPAIR, calls, last_of

from maxagent import Answer, trust
from maxagent.config.errors import UsageError
from maxagent.sdk.events import Question


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


async def test_files_changed_during_review_are_tested_again(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]), apply=False)
    asked = await last_of(runner.task("repair", folder=project, options=script))
    (project / "numbers_.py").write_text(BROKEN)
    events = [e async for e in runner.resume(asked.thread_id, Answer(approve=True))]
    verdicts = [event.verdict for event in events if event.type == "evidence"]
    assert verdicts[0] == "failed"


@needs_bubblewrap  # else the tests are asked about too
async def test_command_runs_once_after_approval(runner, project, play):
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


async def test_refused_command_never_runs_model_reads_reason(runner, project, play):
    command = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}
    script = play(calls([READ], [REPAIR, command], [DONE]), mode="edits")
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


async def test_answer_without_open_question_changes_nothing(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    with pytest.raises(UsageError, match="has no open question"):
        await last_of(runner.resume(end.thread_id, Answer(approve=True)))
    assert runner.threads.find(end.thread_id).status == "done"


async def test_answer_to_other_question_changes_nothing(runner, project, play):
    first, second = (
        {"name": "run_command", "args": {"command": f"echo x > {name}"}} for name in "ab"
    )
    script = play(calls([first], [second], [DONE]), skip_tests=True, mode="edits")
    read = await last_of(runner.task("write", folder=project, options=script))
    await last_of(runner.resume(read.thread_id, Answer(approve=True, question=read.id)))
    with pytest.raises(UsageError, match="asks another question"):
        await last_of(runner.resume(read.thread_id, Answer(approve=True, question=read.id)))
    assert [(project / name).exists() for name in "ab"] == [True, False]


async def test_a_limit_takes_no_refusal(runner, project, play):
    (project / ".llc.yaml").write_text("model: {max_iterations: 1}\n")
    trust(project, runner.home)
    parked = await last_of(runner.task("x", folder=project, options=play(calls([READ], [DONE]))))
    with pytest.raises(UsageError, match="a limit is extended"):
        await last_of(runner.resume(parked.thread_id, Answer(reject="stop")))
    assert runner.threads.find(parked.thread_id).status == "limit"


@needs_bubblewrap  # else the tests are asked about too
async def test_review_keeps_changes_by_others_while_waiting(runner, project, play):
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
    message = [event.text for event in events if event.type == "notice"]
    assert message == ["put back: log.txt, numbers_.py"]
    (changed,) = [event for event in events if event.type == "files_changed"]
    assert [(file["path"], file["kind"], file["by"]) for file in changed.files] == [
        ("log.txt", "deleted", "undo"),
        ("numbers_.py", "modified", "undo"),
    ]


def _rewrite(name: str, content: str) -> Callable[[Path], object]:
    return lambda project: (project / name).write_text(content)


SCRIPT = "echo one > out.txt\n"
PACKAGE = '{{"scripts": {{"build": "echo {word} > out.txt"}}}}'
RUNS_SCRIPT = ("run_command", {"command": "bash run.sh"})
EDITS = ("edit", {"file_path": "run.sh", "old_string": "one", "new_string": "two"})


@pytest.mark.parametrize(
    ("call", "change", "is_new"),
    [
        (RUNS_SCRIPT, _rewrite("run.sh", "echo two > out.txt\n"), True),
        (("run_command", {"command": "sh ./run.sh"}), _rewrite("run.sh", "#\n" + SCRIPT), True),
        (
            ("run_command", {"command": "npm run build"}),
            _rewrite("package.json", PACKAGE.format(word="two")),
            True,
        ),
        (("run_command", {"command": "make all"}), _rewrite("Makefile", "all:\n\ttrue\n"), True),
        (EDITS, _rewrite("run.sh", "# first\n" + SCRIPT), False),
        (RUNS_SCRIPT, _rewrite("other.txt", "x\n"), False),
        (("run_command", {"command": "echo x > out.txt"}), _rewrite("run.sh", "#\n"), False),
    ],
)
async def test_resumed_question_is_about_calls_as_they_are_now(
    runner, project, play, call, change, is_new
):
    files = {
        "run.sh": SCRIPT,
        "package.json": PACKAGE.format(word="one"),
        "Makefile": "all:\n\tls\n",
    }
    for name, content in files.items():
        (project / name).write_text(content)
    read = {"name": "read_file", "args": {"path": "run.sh"}}
    made = {"name": call[0], "args": call[1]}
    options = play(calls([read], [made], [DONE]), mode="ask", skip_tests=True)
    first = await last_of(runner.task("run it", folder=project, options=options))
    change(project)
    output = await last_of(runner.resume(first.thread_id))
    assert output.type == "question" and (output.id != first.id) == is_new
    assert not (project / "out.txt").exists()
    end = await last_of(runner.resume(first.thread_id, Answer(approve=True, question=output.id)))
    assert end.type == "completion"
