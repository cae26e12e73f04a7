import json
from pathlib import Path

import pytest

from maxagent import Answer, Runner, trust
from maxagent.config import paths
from maxagent.config.errors import UsageError
from maxagent.memory.threads.lease import acquire_lease
from maxagent.memory.undo.history import FileHistory
from maxagent.nodes.recovery.cancelled_calls import ABANDONED
from maxagent.sdk.graph_registry import find_job
from maxagent.sdk.threads.file_history import open_leased_files
from maxagent.sdk.threads.steps import find_step, read_thread_branches, summarize_steps
from maxagent.sdk.threads.time_travel import copy_thread, fork, rewind_talk

LOG = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}
WRITE = {"name": "write_file", "args": {"path": "new.txt", "content": "new\n"}}
DONE = {"name": "attempt_completion", "args": {"result": "done"}}
REQUEST = "Write the lines.\nAll of them."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".llc.yaml").write_text("task: {test_command: test -f log.txt}\n")
    trust(folder, tmp_path / "home")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def runner(home: Path):
    async with Runner(home=home) as opened:
        yield opened


@pytest.fixture
def options(tmp_path: Path):
    coder = [*({"text": f"Do {call['name']}", "tool_calls": [call]} for call in (LOG, WRITE, DONE))]
    turns = {
        "architect": [{"text": "SMALL: log.txt"}] * 2,
        "coder": [*coder, *coder],
        "tester": [{"text": "Accepted."}] * 2,
    }
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    return {"model": f"scripted/{tmp_path / 'scenario.json'}", "mode": "auto", "apply": True}


@pytest.fixture
async def row(runner, project, options):
    """A thread that has ended: architect, log, write, done, tester."""
    end = await last_of(runner.task(REQUEST, folder=project, options=options))
    assert end.outcome == "verified"
    return runner.threads.get(end.thread_id)


async def last_of(events):
    return [event async for event in events][-1]


async def state_of(runner, row):
    config = {"configurable": {"thread_id": row.thread_id}}
    return await runner._graph_of(find_job(row.graph)).aget_state(config)


async def words_of(runner, row):
    state = await state_of(runner, row)
    return [str(message.text) for message in state.values["messages"] if message.type == "ai"]


def lines(project: Path) -> list[str]:
    return (project / "log.txt").read_text().splitlines()


async def test_steps_show_role_text_and_changed_files(row, home):
    message = [(s.number, s.role, s.words, s.tools, s.files) for s in summarize_steps(row, home)]
    assert message == [
        (0, "", "Write the lines.", (), ()),
        (1, "architect", "SMALL: log.txt", (), ()),
        (2, "coder", "Do run_command", ("run_command",), ("log.txt",)),
        (3, "coder", "Do write_file", ("write_file",), ("new.txt",)),
        (4, "coder", "Do attempt_completion", ("attempt_completion",), ()),
        (5, "tester", "Accepted.", (), ()),
    ]


async def test_thread_rewound_in_place_continues_from_there(runner, row, home, project):
    await rewind_talk(row, home, find_step(row, home, 2))
    assert await words_of(runner, row) == ["SMALL: log.txt", "Do run_command"]
    assert runner.threads.get(row.thread_id).status == "interrupted"
    assert not runner.threads.get(row.thread_id).evidence
    end = await last_of(runner.resume(row.thread_id))
    assert end.outcome == "verified"
    assert len(await words_of(runner, row)) == 5
    assert lines(project) == ["x"]


async def test_what_was_left_can_be_gone_to_again(runner, row, home):
    before = await words_of(runner, row)
    await rewind_talk(row, home, find_step(row, home, 1))
    assert [step.number for step in read_thread_branches(row, home).abandoned[0]] == [2, 3, 4, 5]
    await rewind_talk(row, home, find_step(row, home, 5))
    assert await words_of(runner, row) == before
    assert runner.threads.get(row.thread_id).status == "done"


async def test_a_rewound_thread_can_be_rewound_again(runner, row, home):
    for number in (4, 3, 0):
        await rewind_talk(row, home, find_step(row, home, number))
        assert len(await words_of(runner, row)) == number if number else True
    assert (await state_of(runner, row)).next == ("architect",)
    assert (await last_of(runner.resume(row.thread_id))).outcome == "verified"


async def test_missing_step_raises_usage_error(row, home):
    with pytest.raises(UsageError) as refused:
        find_step(row, home, 6)
    assert (refused.value.message, refused.value.hint) == (
        f"thread `{row.thread_id[:8]}` has no step 6",
        "choose a number from 0 to 5",
    )


async def test_a_step_under_way_cannot_be_chosen(runner, project, options, home):
    asked = await last_of(
        runner.task(REQUEST, folder=project, options={**options, "mode": "edits"})
    )
    row = runner.threads.get(asked.thread_id)
    with pytest.raises(UsageError, match="step 2 of thread .* is not finished"):
        find_step(row, home, 2)


async def test_fork_shares_messages_and_keeps_parent_unchanged(runner, row, home, project):
    before = (await state_of(runner, row)).values
    forked = await fork(row, home, find_step(row, home, 3))
    assert (forked.parent, forked.parent_step, forked.status) == (row.thread_id, 3, "interrupted")
    assert runner.threads.get(forked.thread_id).parent == row.thread_id
    assert await words_of(runner, forked) == [
        "SMALL: log.txt",
        "Do run_command",
        "Do write_file",
    ]
    history = FileHistory(paths.locate_database(home))
    entries = history.list_entries(row.thread_id)
    assert [e.key for e in history.list_entries(forked.thread_id)] == [e.key for e in entries[:2]]
    end = await last_of(runner.resume(forked.thread_id))
    assert end.outcome == "verified" and end.thread_id == forked.thread_id
    assert (await state_of(runner, row)).values == before
    assert lines(project) == ["x"]


async def test_fork_works_while_parent_runs(row, home):
    step = find_step(row, home, 3)
    with acquire_lease(home, row.thread_id):
        assert (await fork(row, home, step)).parent_step == 3


async def test_copy_at_question_cancels_calls_without_running(runner, project, options, home):
    asked = await last_of(
        runner.task(REQUEST, folder=project, options={**options, "mode": "edits"})
    )
    row = runner.threads.get(asked.thread_id)
    forked = await copy_thread(row, home)
    state = await state_of(runner, forked)
    assert (state.next, state.values["messages"][-1].text) == (("coder",), ABANDONED)
    assert (forked.parent_step, runner.threads.get(forked.thread_id).status) == (2, "interrupted")
    again = await last_of(runner.resume(row.thread_id, Answer(approve=True)))
    assert again.outcome == "verified"
    assert lines(project) == ["x"]
    await last_of(runner.resume(forked.thread_id))
    assert lines(project) == ["x"]


async def test_copy_of_running_calls_reads_known_results(runner, row, home):
    under_way = read_thread_branches(row, home).steps[2]
    config = {"configurable": {"thread_id": row.thread_id}}
    graph = runner._graph_of(find_job(row.graph))
    busy = [
        item.config["configurable"]
        async for item in graph.aget_state_history(config)
        if item.next == ("tools",) and item.values["steps"] == under_way.number
    ]
    await graph.aupdate_state({"configurable": busy[0]}, None, as_node="__copy__")
    assert (await state_of(runner, row)).next == ("tools",)
    forked = await copy_thread(row, home)
    state = await state_of(runner, forked)
    value = state.values["messages"][-1]
    assert (state.next, value.status, value.text) == (("coder",), "success", "(no output)")
    assert FileHistory(paths.locate_database(home)).list_entries(forked.thread_id) == []


async def test_a_copy_knows_that_files_were_put_back(runner, row, home):
    with open_leased_files(row, home) as files:
        await (await files.plan_restore("undo")).apply()
    forked = await copy_thread(row, home)
    assert (forked.status, forked.parent_step) == ("done", 5)
    assert await words_of(runner, forked) == await words_of(runner, row)
    history = FileHistory(paths.locate_database(home))
    kinds = [[entry.kind for entry in history.list_entries(t.thread_id)] for t in (row, forked)]
    assert kinds[0] == kinds[1] and kinds[0][-1] == "undo"


async def test_new_input_at_step_0_replaces_request(runner, row, home):
    forked = await fork(row, home, find_step(row, home, 0), "Write something else.")
    assert (forked.title, forked.request) == ("Write something else.",) * 2
    end = await last_of(runner.resume(forked.thread_id))
    assert end.outcome == "verified"
    state = await state_of(runner, forked)
    assert state.values["request"] == "Write something else."
    assert state.values["messages"][0].text == "Write something else."


async def test_new_input_mid_thread_reaches_next_role(runner, row, home):
    forked = await fork(row, home, find_step(row, home, 3), "And say why.")
    state = await state_of(runner, forked)
    last = state.values["messages"][-1]
    assert (last.text, last.additional_kwargs["role"]) == ("And say why.", "coder")
    assert (state.next, state.values["turn"]) == (("coder",), 2)
    assert runner.threads.get(forked.thread_id).status == "interrupted"
    assert (await last_of(runner.resume(forked.thread_id))).outcome == "verified"
    assert len(await words_of(runner, forked)) == 5


async def test_new_input_at_end_starts_new_job(runner, row, home, project):
    forked = await fork(row, home, find_step(row, home, 5), "Once more.")
    end = await last_of(runner.resume(forked.thread_id))
    assert end.outcome == "verified"
    state = await state_of(runner, forked)
    assert (state.values["request"], state.values["turn"]) == ("Once more.", 2)
    assert "Once more." in [message.text for message in state.values["messages"]]
    assert lines(project) == ["x", "x"]


async def test_fork_at_end_without_input_is_finished(runner, row, home):
    forked = await fork(row, home, find_step(row, home, 5))
    assert runner.threads.get(forked.thread_id).status == "done"
    end = await last_of(runner.resume(forked.thread_id))
    assert end.outcome == "verified"


async def test_new_input_during_review_goes_to_coder(runner, project, options, home):
    script = {**options, "apply": False}
    asked = await last_of(runner.task(REQUEST, folder=project, options=script))
    row = runner.threads.get(asked.thread_id)
    forked = await fork(row, home, find_step(row, home, 5), "Not like this.")
    assert (await state_of(runner, forked)).next == ("coder",)
    again = await last_of(runner.resume(forked.thread_id))
    assert again.kind == "review"
    assert (await last_of(runner.resume(row.thread_id, Answer(approve=True)))).outcome == "verified"


async def test_fork_of_fork_has_steps_of_both(runner, row, home):
    first = await fork(row, home, find_step(row, home, 4))
    second = await fork(first, home, find_step(first, home, 2))
    assert [step.number for step in read_thread_branches(second, home).steps] == [0, 1, 2]
    assert (await last_of(runner.resume(second.thread_id))).outcome == "verified"
    runner.threads.delete(row.thread_id)
    runner.threads.delete(first.thread_id)
    assert len(await words_of(runner, second)) == 5


async def test_the_outputs_of_commands_are_shared(row, home):
    outputs = paths.locate_outputs(home, row.thread_id)
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "whole.txt").write_text("long")
    forked = await fork(row, home, find_step(row, home, 2))
    shared = paths.locate_outputs(home, forked.thread_id) / "whole.txt"
    assert shared.samefile(outputs / "whole.txt")


async def test_empty_input_is_refused(row, home):
    with pytest.raises(UsageError, match="the new input is empty"):
        await fork(row, home, find_step(row, home, 0), " \n")


async def test_edit_thread_can_fork_with_new_input(runner, project, home, tmp_path):
    edit = {"file_path": "a.txt", "old_string": "one", "new_string": "two"}
    read = {"name": "read_file", "args": {"path": "a.txt"}}
    turns = [{"tool_calls": [read]}, {"tool_calls": [{"name": "edit", "args": edit}]}]
    (tmp_path / "edit.json").write_text(json.dumps([*turns, {"text": "It says two."}]))
    (project / "a.txt").write_text("one\n")
    script = {"model": f"scripted/{tmp_path / 'edit.json'}", "mode": "edits"}
    process = runner.edit("Say two.", files=["a.txt"], folder=project, options=script)
    row = runner.threads.get((await last_of(process)).thread_id)
    forked = await fork(row, home, find_step(row, home, 2), "Say why.")
    state = await state_of(runner, forked)
    assert (state.next, state.values["messages"][-1].text) == (("editor",), "Say why.")
    end = await last_of(runner.resume(forked.thread_id))
    assert (end.graph, end.summary) == ("edit", "It says two.")
    await rewind_talk(row, home, find_step(row, home, 1))
    assert (await state_of(runner, row)).next == ("editor",)
