"""A stream of numbered events: what a client that comes, goes, or is slow, is sent."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from maxagent.memory.threads.event_numbers import BLOCK
from maxagent.sdk.events import Notice, Output, ToolCall, ToolOutput, ToolResult
from maxagent.sdk.streams import event_stream
from maxagent.sdk.streams.event_stream import StoredMessage, ThreadStream, join_texts

THREAD = "11111111-1111-4111-8111-111111111111"


class Database:
    """What a stream reads: the numbers that are in use, and the entries of the thread."""

    def __init__(self) -> None:
        self.used, self.entries = 0, list[str]()

    async def reserve(self) -> int:
        self.used += BLOCK
        return self.used - BLOCK

    async def read_history(self) -> Mapping[str, Any]:
        return {"entries": list(self.entries)}

    async def open(self) -> ThreadStream:
        stream = ThreadStream(THREAD, self.reserve, self.read_history)
        await stream.open()
        return stream


@pytest.fixture
def database() -> Database:
    return Database()


async def take(stream: ThreadStream, after: int | None, count: int) -> list[StoredMessage]:
    """Return the next messages of a client."""
    messages = list[StoredMessage]()
    async with asyncio.timeout(5):
        async for message in stream.follow(after):
            messages.append(message)
            if len(messages) == count:
                break
    return messages


def read(messages: list[StoredMessage]) -> list[tuple[int, Any]]:
    """Return the number of each message with its text, or the entries of a history."""
    parsed = [(each.number, json.loads(each.content)["data"]) for each in messages]
    return [
        (number, data["text"] if "text" in data else data["entries"]) for number, data in parsed
    ]


async def test_numbers_begin_at_one_and_go_on_over_runs(database: Database) -> None:
    stream = await database.open()
    for run in range(2):
        await stream.begin_run()
        await stream.publish(Notice(f"{run}"))
        stream.end_run()
    assert json.loads((await take(stream, 0, 1))[0].content)["meta"]["seq"] == 2


async def test_a_client_goes_on_after_its_last_number(database: Database) -> None:
    stream = await database.open()
    await stream.begin_run()
    for text in "abcd":
        await stream.publish(Output(text))
    assert read(await take(stream, 2, 2)) == [(3, "c"), (4, "d")]


async def test_from_zero_comes_the_history_then_the_run(database: Database) -> None:
    database.entries = ["before"]
    stream = await database.open()
    await stream.begin_run()
    await stream.publish(Output("a"))
    database.entries.append("a checkpoint of the run")
    assert read(await take(stream, 0, 2)) == [(0, ["before"]), (1, "a")]


async def test_without_a_number_it_begins_now(database: Database) -> None:
    stream = await database.open()
    await stream.begin_run()
    await stream.publish(Output("before"))
    taking = asyncio.ensure_future(take(stream, None, 1))
    await asyncio.sleep(0)
    await stream.publish(Output("now"))
    assert read(await taking) == [(2, "now")]


@pytest.mark.parametrize("last", [1, 7, BLOCK - 1, BLOCK])
async def test_a_crash_never_uses_a_number_twice(database: Database, last: int) -> None:
    before = await database.open()
    await before.begin_run()
    for _ in range(last):
        await before.publish(Output("x"))
    database.entries = ["all of it"]
    after = await database.open()
    history = await take(after, last, 1)
    await after.begin_run()
    await after.publish(Output("y"))
    [again] = await take(after, history[0].number, 1)
    assert read(history)[0][1] == ["all of it"]
    assert last < history[0].number < again.number


@pytest.mark.parametrize("after", [-1, 99, BLOCK * 5])
async def test_a_number_of_no_event_gets_the_history(database: Database, after: int) -> None:
    database.entries = ["all"]
    assert read(await take(await database.open(), after, 1)) == [(0, ["all"])]


async def test_numbers_of_many_blocks_have_no_gap(database: Database) -> None:
    stream = await database.open()
    await stream.begin_run()
    for _ in range(2 * BLOCK + 5):
        await stream.publish(Output("x"))
    numbers = [message.number for message in await take(stream, 1, 2 * BLOCK + 4)]
    assert numbers == list(range(2, 2 * BLOCK + 6))


async def test_a_change_by_others_sends_the_history(database: Database) -> None:
    stream = await database.open()
    taking = asyncio.ensure_future(take(stream, None, 1))
    await asyncio.sleep(0)
    database.entries = ["of another program"]
    await stream.replace()
    assert read(await taking) == [(1, ["of another program"])]


async def test_a_slow_client_misses_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "MAX_KEPT", 20_000)
    stream = await database.open()
    await stream.begin_run()
    slow = stream.follow(0)
    await anext(slow)
    for number in range(1000):
        await stream.publish(Output(f"{number} "))
    assert stream.size <= 20_000
    [history, *outputs] = await take(stream, 0, 40)
    text = "".join(json.loads(each.content)["data"]["text"] for each in outputs)
    assert json.loads(history.content)["data"]["is_cut"] is False
    assert text.startswith("0 1 2 3 ")
    assert json.loads((await anext(slow)).content)["type"] in ("history", "output")
    await slow.aclose()


async def test_what_nobody_reads_is_not_kept(database: Database) -> None:
    stream = await database.open()
    await stream.begin_run()
    await stream.publish(Output("x" * 1000))
    stream.end_run()
    assert stream.size == 0


@pytest.mark.parametrize(
    ("events", "texts"),
    [
        ([Output("a"), Output("b")], ["ab"]),
        ([Output("a"), Output("b", agent="explore-1")], ["a", "b"]),
        ([Output("a"), Notice("n"), Output("b")], ["a", "n", "b"]),
        ([ToolOutput("1", "a"), ToolOutput("1", "b"), ToolOutput("2", "c")], ["ab", "c"]),
        ([Notice("a"), Notice("b")], ["a", "b"]),
        ([], []),
    ],
)
async def test_pieces_of_one_text_are_joined(
    database: Database, events: list[Any], texts: list[str]
) -> None:
    stream = await database.open()
    await stream.begin_run()
    for event in events:
        await stream.publish(event)
    messages = await take(stream, 0, len(events) + 1)
    assert [text for _, text in read(join_texts(messages[1:]))] == texts


async def test_the_running_call_is_known(database: Database) -> None:
    stream = await database.open()
    await stream.begin_run()
    calls = [ToolCall(id, "run_command", {}, "build") for id in ("a", "b")]
    calls += [ToolCall("c", "grep", {}, "build", agent="explore-1")]
    ended = [ToolResult(id, "run_command", True, "", "", {}) for id in ("a", "b")]
    running = list[str]()
    for event in (*calls, *ended):
        await stream.publish(event)
        running.append(stream.running_call.id if stream.running_call else "")
    assert running == ["a", "b", "b", "b", ""]
    await stream.publish(calls[0])
    stream.end_run()
    assert stream.running_call is None
