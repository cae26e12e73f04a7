import inspect
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import maxagent
from maxagent import Runner, SyncRunner, UsageError
from maxagent.config.trust.decision import check_trust

WRITE = {"tool_calls": [{"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}]}


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[SyncRunner]:
    (tmp_path / "project").mkdir()
    with SyncRunner(home=tmp_path / "home") as runner:
        yield runner


def script(folder: Path, *turns: Any) -> Any:
    (folder / "script.json").write_text(json.dumps(turns))
    return {"model": f"scripted/{folder / 'script.json'}", "mode": "auto"}


def test_events_come_without_a_loop(runner: SyncRunner, tmp_path: Path) -> None:
    options = script(tmp_path, WRITE, {"text": "Done."}, {"text": "Welcome."})
    events = list(runner.chat("Go.", folder=tmp_path / "project", options=options))
    assert events[-1].type == "completion"
    more = list(runner.say(events[0].thread_id, "Thanks."))
    assert more[-1].summary == "Welcome."
    changes = runner.call(lambda inner: inner.changes(events[0].thread_id))
    assert [item.path for item in changes.files] == ["a.txt"]


def test_a_run_left_early_can_be_resumed(runner: SyncRunner, tmp_path: Path) -> None:
    options = script(tmp_path, WRITE, {"text": "Done."})
    for event in runner.chat("Go.", folder=tmp_path / "project", options=options):
        if event.type == "tool_result":
            break
    [row] = runner.call(read_threads)
    events = list(runner.resume(row.thread_id))
    assert events[-1].summary == "Done."


async def read_threads(inner: Any) -> Any:
    return inner.threads.list()


def test_run_left_early_has_ended(runner: SyncRunner, tmp_path: Path) -> None:
    options = script(tmp_path, WRITE, WRITE, {"text": "Done."})
    stream = runner.chat("Go.", folder=tmp_path / "project", options=options)
    assert "tool_result" in (event.type for event in stream)
    stream.close()
    assert last_status(runner) == "interrupted"


def test_wrong_input_is_raised(runner: SyncRunner, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="empty"):
        list(runner.task(" ", folder=tmp_path / "project"))


MOMENTS = ["run_started", "tool_call", "tool_result", "output", "completion"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_stream_left_open_ends_with_runner(tmp_path: Path, moment: str) -> None:
    (tmp_path / "project").mkdir()
    options = script(tmp_path, WRITE, {"text": "Done."})
    with SyncRunner(home=tmp_path / "home") as runner:
        stream = runner.chat("Go.", folder=tmp_path / "project", options=options)
        assert moment in (event.type for event in stream)
    with pytest.raises(UsageError, match="not open"):
        next(stream)
    with runner:
        assert last_status(runner) == ("idle" if moment == "completion" else "interrupted")
        if moment != "completion":
            assert list(runner.resume(last_thread(runner)))[-1].type == "completion"


def last_status(runner: SyncRunner) -> str:
    return runner.threads.list()[0].status


def test_reader_in_another_thread_is_reported(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    hang = {"tool_calls": [{"name": "run_command", "args": {"command": "sleep 60"}}]}
    options, begun = script(tmp_path, hang, {"text": "Done."}), Event()

    def read() -> None:
        with pytest.raises(UsageError, match="not open"):
            for event in runner.chat("Go.", folder=tmp_path / "project", options=options):
                if event.type == "tool_call":
                    begun.set()

    with ThreadPoolExecutor() as readers:
        with SyncRunner(home=tmp_path / "home") as runner:
            reader = readers.submit(read)
            assert begun.wait(60)
        reader.result(60)
    with runner:
        assert last_status(runner) == "interrupted"


def test_open_runner_is_not_opened_again(runner: SyncRunner) -> None:
    with pytest.raises(UsageError, match="open already"), runner:
        pass
    assert runner.threads.list() == []


async def test_other_form_of_with_is_reported(tmp_path: Path) -> None:
    use: Any = Runner(home=tmp_path)
    with pytest.raises(UsageError, match="`async with`"), use:
        pass
    use = SyncRunner(home=tmp_path)
    with pytest.raises(UsageError, match="opened by `with`"):
        async with use:
            pass


def test_a_closed_runner_says_so(tmp_path: Path) -> None:
    with SyncRunner(home=tmp_path / "home") as runner:
        pass
    with pytest.raises(UsageError, match="not open"):
        list(runner.resume("x"))


INTERNAL = {"open_dependencies", "read_state"}
PUBLIC = sorted(
    name
    for name, member in inspect.getmembers(Runner, callable)
    if not name.startswith("_") and name not in INTERNAL
)


@pytest.mark.parametrize("name", PUBLIC)
def test_each_method_of_runner_is_there(name: str) -> None:
    theirs, ours = (inspect.signature(getattr(kind, name)) for kind in (Runner, SyncRunner))
    assert ours.parameters.keys() == theirs.parameters.keys()
    for parameter in ours.parameters.values():
        other = theirs.parameters[parameter.name]
        assert (parameter.kind, parameter.default) == (other.kind, other.default)


def test_both_runners_take_the_same_arguments() -> None:
    assert inspect.signature(SyncRunner).parameters.keys() == (
        inspect.signature(Runner).parameters.keys()
    )


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (lambda r, t: len(r.checkpoints(t)) > 1, True),
        (lambda r, t: r.uncompact(t), False),
        (lambda r, t: r.stop(t), False),
        (lambda r, t: r.is_stopping(t), False),
        (lambda r, t: r.threads.find(t).thread_id == t, True),
        (lambda r, t: r.background.list(t), ()),
    ],
)
def test_call_runs_plain_and_async_methods(
    runner: SyncRunner, tmp_path: Path, method: Any, expected: Any
) -> None:
    options = script(tmp_path, WRITE, {"text": "Done."})
    chat = runner.chat("Go.", folder=tmp_path / "project", options=options)
    thread = runner.collect(chat).thread_id
    assert runner.call(lambda inner: method(inner, thread)) == expected


@pytest.mark.parametrize(
    "method",
    [
        lambda r: r.resume("x"),
        lambda r: r.compact("x"),
        lambda r: r.task("Go", folder="."),
        lambda r: r.say("x", "Go"),
    ],
)
def test_call_refuses_a_stream_with_sentence(runner: SyncRunner, method: Any) -> None:
    with pytest.raises(UsageError, match="stream of events"):
        runner.call(method)


def test_a_rollback_is_planned_and_applied(runner: SyncRunner, tmp_path: Path) -> None:
    options = script(tmp_path, WRITE, {"text": "Done."})
    chat = runner.chat("Go.", folder=tmp_path / "project", options=options)
    thread = runner.collect(chat).thread_id
    first = runner.checkpoints(thread)[0]
    with pytest.raises(UsageError, match="must be closed"):
        runner.call(lambda inner: inner.rollback(thread, first.number))
    with runner.rollback(thread, first.number) as plan:
        assert plan.paths == ("a.txt",) and (tmp_path / "project/a.txt").exists()
        plan.apply()
    assert not (tmp_path / "project/a.txt").exists()


def test_steer_and_stop_come_from_elsewhere(runner: SyncRunner, tmp_path: Path) -> None:
    options = script(tmp_path, WRITE, WRITE, {"text": "Done."})
    steered, last = list[str](), None
    for last in runner.chat("Go.", folder=tmp_path / "project", options=options):
        if last.type == "tool_call" and not steered:
            steered.append(runner.steer(last_thread(runner), "use tabs"))
        if last.type == "steered":
            assert last.id == steered[0] and runner.stop(last_thread(runner))
    assert last and last.type == "interrupted"


def last_thread(runner: SyncRunner) -> str:
    return runner.threads.list()[0].thread_id


def test_home_holds_for_trust_and_agents(runner: SyncRunner, tmp_path: Path) -> None:
    agent = tmp_path / "home" / "agents" / "mine.md"
    agent.parent.mkdir(parents=True)
    agent.write_text("---\ndescription: Mine.\n---\nYou are mine.\n")
    assert runner.agents.get("mine").description == "Mine."
    with pytest.raises(UsageError, match="mine"):
        maxagent.agents.get("mine")
    project = tmp_path / "project"
    (project / "AGENTS.md").write_text("Be kind.\n")
    runner.trust(project)
    assert check_trust(project, tmp_path / "home").trusted
