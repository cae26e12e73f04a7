import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest
from repair_project import DONE, READ, REPAIR, REPAIRED, SMALL, calls, last_of

from maxagent import trust
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.threads.lease import acquire_lease, has_crashed
from maxagent.sdk.events import Completion, Failure, Interrupted


async def test_task_ends_verified_with_evidence_of_files(runner, project, play):
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


async def test_failing_tests_return_to_coder_until_round_limit(runner, project, play):
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


async def test_tests_added_by_tester_run_before_end(runner, project, play):
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


async def test_a_finished_thread_says_again_how_it_ended(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert await last_of(runner.resume(end.thread_id)) == end


async def test_limit_parks_thread_and_resume_renews_it(runner, project, play):
    (project / ".llc.yaml").write_text("model: {max_iterations: 2}\n")
    trust(project, runner.home)
    script = play(calls([READ], [REPAIR], [DONE]))
    parked = await last_of(runner.task("repair", folder=project, options=script))
    assert (parked.kind, runner.threads.find(parked.thread_id).status) == ("limit", "limit")
    parked = await last_of(runner.resume(parked.thread_id))
    end = await last_of(runner.resume(parked.thread_id)) if parked.type == "question" else parked
    assert end.outcome == "verified"


async def test_stop_finishes_step_and_thread_can_resume(runner, project, play):
    script = play(calls([READ], [REPAIR], [DONE]))
    events = runner.task("repair", folder=project, options=script)
    async for event in events:
        if event.type == "tool_result" and event.tool == "edit":
            runner.stop()
    assert isinstance(event, Interrupted)
    assert runner.threads.find(event.thread_id).status == "interrupted"
    end = await last_of(runner.resume(event.thread_id))
    assert end.outcome == "verified"


async def test_closed_stream_ends_run_without_loss(runner, project, play):
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
    with acquire_lease(runner.home, end.thread_id), pytest.raises(ThreadBusyError):
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
async def test_wrong_call_is_answered_and_task_continues(runner, project, play, turns):
    events = [e async for e in runner.task("repair", folder=project, options=play(turns))]
    wrong = next(event for event in events if event.type == "tool_result")
    assert not wrong.ok and wrong.error
    assert events[-1].outcome == "verified"


async def test_script_ending_early_fails_run_keeps_thread(runner, project, play):
    end = await last_of(runner.task("repair", folder=project, options=play(calls([READ]))))
    assert isinstance(end, Failure) and end.exit_code == 1
    assert runner.threads.find(end.thread_id).status == "failed"


class Busy(ThreadPoolExecutor):
    """Has no thread to spare until it is told to begin."""

    def __init__(self) -> None:
        super().__init__(1)
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn, /, *args, **kwargs):
        self.waiting.append((Future(), partial(fn, *args, **kwargs)))
        return self.waiting[-1][0]

    def begin(self) -> None:
        while self.waiting:
            future, work = self.waiting.pop(0)
            if future.set_running_or_notify_cancel():
                future.set_result(work())


async def test_run_end_is_recorded_despite_repeated_cancellation(runner, project, play):
    loop, busy = asyncio.get_running_loop(), Busy()
    process = asyncio.Queue()

    async def read() -> None:
        async with aclosing(runner.task("repair", folder=project, options=play([]))) as events:
            process.put_nowait((await anext(events)).thread_id)
            await asyncio.Event().wait()

    reading = asyncio.ensure_future(read())
    thread = await process.get()
    loop.set_default_executor(busy)
    reading.cancel()
    while not busy.waiting:
        await asyncio.sleep(0)
    reading.cancel()  # while the note waits for a thread
    while not reading.done():
        await asyncio.sleep(0)
        busy.begin()
    loop.set_default_executor(ThreadPoolExecutor())
    assert reading.cancelled() and not has_crashed(runner.home, thread)


@pytest.mark.parametrize("job", ["task", "edit", "chat"])
async def test_stop_before_first_event_takes_effect(runner, project, tmp_path, job):
    start = {"task": runner.task, "edit": partial(runner.edit, files=["new.txt"])}
    (tmp_path / "says.json").write_text(json.dumps([{"text": "Done."}]))
    script = {"model": f"scripted/{tmp_path / 'says.json'}"}
    events = start.get(job, runner.chat)("repair", folder=project, options=script)
    first = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    runner.stop()
    kinds = [(await first).type] + [event.type async for event in events]
    assert (kinds[0], kinds[-1]) == ("run_started", "interrupted")
    assert "completion" not in kinds


async def test_wrong_input_during_run_is_last_event(runner, project, tmp_path):
    script = tmp_path / "no-coder.json"
    script.write_text(json.dumps({"architect": SMALL}))
    options = {"model": f"scripted/{script}"}
    events = [e async for e in runner.task("repair", folder=project, options=options)]
    assert (events[0].type, events[-1].type) == ("run_started", "error")
    assert events[-1].exit_code == 2


async def test_tester_message_does_not_replace_coder_summary(runner, project, play):
    praise = {"name": "attempt_completion", "args": {"result": "Accepted: I looked"}}
    script = play(calls([READ], [REPAIR], [DONE]), tester=calls([praise]))
    end = await last_of(runner.task("repair", folder=project, options=script))
    assert (end.outcome, end.summary) == ("verified", "double doubles")
