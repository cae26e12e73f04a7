"""Runs that a server begins: their events, their end, and what a crash leaves."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from maxagent import Runner, UsageError
from maxagent.config import paths
from maxagent.config.paths import locate_database
from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.threads.event_numbers import EventNumbers
from maxagent.memory.threads.thread_id import create_thread_id
from maxagent.memory.undo.history import FileHistory
from maxagent.sdk.streams.thread_streams import MAX_ENDED, ThreadStreams
from maxagent.sdk.threads.open_questions import list_open_questions


@pytest.fixture
async def streams(runner: Runner) -> AsyncGenerator[ThreadStreams]:
    async def open_runner() -> Runner:
        return runner

    opened = ThreadStreams(runner.home, open_runner)
    yield opened
    await opened.close()


def talk(project: Path, thread: str, *answers: Any) -> Any:
    script = project.parent / "script.json"
    script.write_text(json.dumps(answers))
    options: Any = {"model": f"scripted/{script}", "mode": "ask"}
    return lambda runner: runner.chat("Hello", folder=project, options=options, thread_id=thread)


async def read_to(streams: ThreadStreams, thread: str, after: int, last: str) -> list[Any]:
    """Return the messages up to the first of that type."""
    messages = list[Any]()
    async with asyncio.timeout(20):
        async for message in (await streams.open(thread)).follow(after):
            messages.append(json.loads(message.content))
            if message.type == last:
                break
    return messages


async def test_a_run_is_streamed_with_its_messages(streams: ThreadStreams, project: Path) -> None:
    thread = create_thread_id()
    await streams.begin(thread, talk(project, thread, {"text": "Good day."}), "Hello")
    await streams.wait(thread)
    [history] = await read_to(streams, thread, 0, "history")
    kinds = [(entry["kind"], entry["text"]) for entry in history["data"]["entries"]]
    assert kinds == [("human", "Hello"), ("answer", "Good day.")]
    assert history["data"]["thread"]["status"] == "idle"
    assert not EventNumbers(locate_database(streams.home)).list_running()


async def test_a_question_is_read_without_the_run(streams: ThreadStreams, project: Path) -> None:
    thread = create_thread_id()
    call = {"name": "run_command", "args": {"command": "touch made"}}
    await streams.begin(thread, talk(project, thread, {"tool_calls": [call]}, {"text": "Done."}))
    await streams.wait(thread)
    [question] = list_open_questions(streams.threads.get(thread), streams.home)
    assert question.action_requests[0]["args"] == {"command": "touch made"}
    await streams.begin(thread, lambda runner: runner.resume(thread, question.allow()))
    await streams.wait(thread)
    assert (project / "made").exists()


async def test_an_error_before_the_run_is_raised(streams: ThreadStreams, project: Path) -> None:
    thread = create_thread_id()
    with pytest.raises(UsageError):
        await streams.begin(thread, lambda runner: runner.resume("nowhere"))
    assert not streams.is_running(thread)


@pytest.mark.parametrize("is_taken", [False, True])
async def test_a_message_outlives_a_crash(
    is_taken: bool, streams: ThreadStreams, project: Path
) -> None:
    thread, numbers = create_thread_id(), EventNumbers(locate_database(streams.home))
    await streams.begin(thread, talk(project, thread, {"text": "One."}, {"text": "Two."}), "Hello")
    await streams.wait(thread)
    last = "another" if is_taken else numbers.read_last_checkpoint(thread)
    # as a server leaves it that dies once it has accepted the message
    unsent = {"text": "More.", "options": {}, "after": last}
    numbers.set_running(thread, True, unsent)
    assert await streams.resume_crashed() == ([] if is_taken else [thread])
    await streams.wait(thread)
    [history] = await read_to(streams, thread, 0, "history")
    texts = [entry["text"] for entry in history["data"]["entries"]]
    assert texts == ["Hello", "One.", *([] if is_taken else ["More.", "Two."])]
    assert bool(numbers.list_running()) == is_taken


async def test_an_unsent_message_holds_no_secret(streams: ThreadStreams, project: Path) -> None:
    thread, secret = create_thread_id(), "AKIAIOSFODNN7EXAMPLQ"
    await streams.begin(thread, talk(project, thread, {"text": "One."}, {"text": "Two."}), "Hello")
    await streams.wait(thread)
    numbers, messages = EventNumbers(locate_database(streams.home)), list[str]()

    def read_unsent() -> None:
        messages.extend(json.dumps(each) for each in numbers.list_running().values())

    saying = asyncio.ensure_future(streams.say(thread, f"The key is {secret}.", {}))
    while not saying.done():
        await asyncio.to_thread(read_unsent)
    await streams.wait(thread)
    assert "The key is" in "".join(messages) and secret not in "".join(messages)


@pytest.mark.parametrize("steps", range(8))
async def test_a_stop_at_any_step_ends_the_run(
    steps: int, streams: ThreadStreams, project: Path
) -> None:
    thread = create_thread_id()
    beginning = asyncio.ensure_future(
        streams.begin(thread, talk(project, thread, {"text": "One."}))
    )
    for _ in range(steps):
        await asyncio.sleep(0)
    while not streams.stop(thread) and not beginning.done():
        await asyncio.sleep(0)
    await asyncio.wait([beginning])
    await streams.wait(thread)
    assert not streams.is_running(thread)
    if steps < 2:
        with pytest.raises(UsageError, match="before it began"):
            beginning.result()


async def test_a_crashed_run_is_resumed_once(streams: ThreadStreams, project: Path) -> None:
    thread = create_thread_id()
    await streams.begin(thread, talk(project, thread, {"text": "One."}, {"text": "Two."}))
    await streams.wait(thread)
    # as a kill in the middle of a run leaves it
    streams.threads.set_status(thread, "running")
    EventNumbers(locate_database(streams.home)).set_running(thread, True)
    assert await streams.resume_crashed() == [thread]
    await streams.wait(thread)
    assert await streams.resume_crashed() == []


async def test_changes_of_others_reach_absent_clients(
    streams: ThreadStreams, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = create_thread_id()
    await streams.begin(thread, talk(project, thread, {"text": "Good day."}))
    last = (await read_to(streams, thread, 0, "completion"))[-1]["meta"]["seq"]
    await streams.wait(thread)
    looks = asyncio.Queue[None]()
    monkeypatch.setattr("maxagent.sdk.streams.thread_streams.WATCH_INTERVAL", 0.01)
    watch = asyncio.ensure_future(streams.watch(lambda rows: looks.put(None)))
    streams.threads.set_status(thread, "interrupted")  # as another program does
    for _ in range(3):
        await looks.get()
    [history] = await read_to(streams, thread, last, "history")
    watch.cancel()
    assert history["data"]["thread"]["status"] == "interrupted"


async def test_changes_before_the_first_look_are_seen(
    streams: ThreadStreams, project: Path
) -> None:
    thread = create_thread_id()
    await streams.begin(thread, talk(project, thread, {"text": "Good day."}))
    await streams.wait(thread)
    later = ThreadStreams(streams.home, streams.open_runner)
    [before] = await read_to(later, thread, 0, "history")
    streams.threads.set_status(thread, "interrupted")
    watch = asyncio.ensure_future(later.watch())
    [after] = await read_to(later, thread, before["meta"]["seq"], "history")
    watch.cancel()
    assert after["data"]["thread"]["status"] == "interrupted"


async def test_an_undo_elsewhere_is_seen(
    streams: ThreadStreams, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = create_thread_id()
    await streams.begin(thread, talk(project, thread, {"text": "Good day."}))
    last = (await read_to(streams, thread, 0, "completion"))[-1]["meta"]["seq"]
    await streams.wait(thread)
    looks = asyncio.Queue[None]()
    monkeypatch.setattr("maxagent.sdk.streams.thread_streams.WATCH_INTERVAL", 0.01)
    watch = asyncio.ensure_future(streams.watch(lambda rows: looks.put(None)))
    for _ in range(2):
        await looks.get()
    history = FileHistory(paths.locate_database(streams.home))
    change = PathChange("a", ABSENT, FileVersion("100644", "1" * 40))
    history.begin_entry(thread, "undo-1", "undo", before="b", turn=1, changes=[change])
    [message] = await read_to(streams, thread, last, "history")
    watch.cancel()
    assert message["data"]["thread"]["status"] == "idle"


async def test_a_run_that_has_ended_is_read_by_its_events(
    streams: ThreadStreams, project: Path
) -> None:
    thread = create_thread_id()
    after = await streams.begin(thread, talk(project, thread, {"text": "Good day."}), "Hello")
    await streams.wait(thread)
    kinds = list[str]()
    async with asyncio.timeout(20):
        async for message in (await streams.open(thread)).follow(after, from_start=False):
            kinds.append(message.type)
            if message.type == "completion":
                break
    assert (kinds[0], "output" in kinds, "history" in kinds) == ("run_started", True, False)


async def test_only_the_streams_used_last_are_kept(streams: ThreadStreams, project: Path) -> None:
    threads = [create_thread_id() for _ in range(MAX_ENDED + 1)]
    for thread in threads:
        stream = await streams.open(thread)
        async with aclosing(stream.follow(None)) as messages:
            upcoming = asyncio.ensure_future(anext(messages))
            await asyncio.sleep(0)
            await stream.publish_fact("user_message", {"text": "Hi"})
            await upcoming
    sizes = [(await streams.open(thread)).size > 0 for thread in threads]
    assert sizes == [False, *[True] * MAX_ENDED]
