"""Lines that wait, and messages among them that reach the running turn."""

import asyncio
from pathlib import Path

import pytest

from maxagent import Runner
from maxagent.cli.repl.session.inbox import Inbox


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner whose thread `t` runs; the tests take its messages."""
    runner = Runner(home=tmp_path)
    runner.steering.begin_run("t")
    return runner


@pytest.fixture
def inbox() -> Inbox:
    return Inbox(
        lambda line: None if line.startswith("/") else line.upper(),
        lambda line: line == "/clear",
    )


async def test_lines_come_in_order_and_last_can_return() -> None:
    inbox = Inbox()
    for line in "abc":
        inbox.put_line(line)
    assert (inbox.waiting_lines, inbox.take_back()) == (("a", "b", "c"), "c")
    assert [await inbox.take_next(), await inbox.take_next()] == ["a", "b"]
    assert (inbox.waiting_lines, inbox.take_back(), inbox.take_all()) == ((), "", [])


async def test_who_waits_gets_the_next_line_that_stays() -> None:
    inbox = Inbox()
    waiting = asyncio.ensure_future(inbox.take_next())
    await asyncio.sleep(0)
    inbox.put_line("taken back")
    assert inbox.take_all() == ["taken back"]
    await asyncio.sleep(0)
    inbox.put_line("stays")
    assert await waiting == "stays"


@pytest.mark.parametrize(
    ("typed", "read", "waiting"),
    [
        (["then"], ["BEFORE", "THEN"], ()),
        (["/undo", "after it"], ["BEFORE", "AFTER IT"], ("/undo",)),
        (["then", "/undo", "/test", "x"], ["BEFORE", "THEN", "X"], ("/undo", "/test")),
        (["/clear", "new topic"], ["BEFORE"], ("/clear", "new topic")),
        (["/undo", "x", "/clear", "y"], ["BEFORE", "X"], ("/undo", "/clear", "y")),
    ],
)
def test_messages_reach_the_turn_past_a_command(
    inbox: Inbox, runner: Runner, typed: list[str], read: list[str], waiting: tuple[str, ...]
) -> None:
    inbox.put_line("before")
    inbox.begin_steering(runner)
    for line in typed:
        inbox.put_line(line)
    assert inbox.waiting_lines == ("before", *typed)
    messages = runner.steering.take("t")
    assert [message.text for message in messages] == read
    assert [inbox.mark_sent(message.id).upper() for message in messages] == read
    assert inbox.waiting_lines == waiting
    runner.steering.end_run("t", {message.id for message in messages})
    assert (inbox.end_steering(), inbox.waiting_lines) == ([], waiting)


async def test_unread_message_starts_the_next_turn(inbox: Inbox, runner: Runner) -> None:
    inbox.begin_steering(runner)
    inbox.put_line("too late")
    runner.steering.end_run("t", ())
    assert (inbox.end_steering(), await inbox.take_next()) == ([], "too late")
    assert runner.steering.take_unsent() == []


def test_message_is_taken_back_until_it_is_read(inbox: Inbox, runner: Runner) -> None:
    inbox.begin_steering(runner)
    inbox.put_line("read")
    [message] = runner.steering.take("t")
    inbox.put_line("changed my mind")
    assert (inbox.take_back(), inbox.take_back()) == ("changed my mind", "")
    inbox.put_line("stop")
    inbox.mark_sent(message.id)
    assert (inbox.take_all(), inbox.waiting_lines) == (["stop"], ())


def test_what_the_thread_lost_is_given_back(inbox: Inbox, runner: Runner) -> None:
    inbox.begin_steering(runner)
    inbox.put_line("read, not kept")
    [message] = runner.steering.take("t")
    inbox.mark_sent(message.id)
    runner.steering.end_run("t", ())
    assert (inbox.end_steering(), inbox.waiting_lines) == (["read, not kept"], ())


def test_line_typed_as_the_run_ends_waits(inbox: Inbox, runner: Runner) -> None:
    inbox.begin_steering(runner)
    runner.steering.end_run("t", ())
    inbox.put_line("later")
    assert (inbox.end_steering(), inbox.waiting_lines) == ([], ("later",))


@pytest.mark.parametrize(
    ("steps", "returned", "waiting"),
    [
        ("put take recall end", ["a"], ()),
        ("put take mark recall end", ["a"], ()),
        ("put take end", [], ("a",)),
        ("put recall end", [], ()),
        ("put take recall put end", ["a"], ("a",)),
        ("put take keep recall end", [], ()),
    ],
)
def test_a_stopped_line_never_runs_by_itself(
    runner: Runner, steps: str, returned: list[str], waiting: tuple[str, ...]
) -> None:
    inbox, message_ids, stored_ids = Inbox(lambda line: line), list[str](), set[str]()
    inbox.begin_steering(runner)
    for step in steps.split():
        match step:
            case "put":
                inbox.put_line("a")
            case "take":
                message_ids += [message.id for message in runner.steering.take("t")]
            case "mark":
                inbox.mark_sent(message_ids[0])
            case "keep":
                stored_ids |= {*message_ids}
            case "recall":
                inbox.take_all()
            case _:
                runner.steering.end_run("t", stored_ids)
                assert (inbox.end_steering(), inbox.waiting_lines) == (returned, waiting)
