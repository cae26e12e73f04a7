import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from provider import Provider, Request
from repl_session import Spoken, Typing

from maxagent import Runner
from maxagent.cli.repl import input_loop
from maxagent.cli.repl.input_loop import Conversation
from maxagent.cli.repl.prompt.dumb_prompt import PlainPrompt
from maxagent.cli.repl.prompt.protocol import PromptAborted
from maxagent.config.errors import UsageError

ASKS = {"tool_calls": [{"name": "run_command", "args": {"command": "touch made"}}]}
REFUSES = {"status": 400, "body": {"error": {"message": "no such model"}}}


class Line(PlainPrompt):
    """A prompt with a line, to which what was not sent comes back."""

    def __init__(self) -> None:
        self.text = ""

    def give_back(self, line: str) -> None:
        self.text = "\n".join(filter(None, (line, self.text)))


@pytest.fixture
async def talk(spoken: Spoken) -> AsyncIterator[Conversation]:
    """A conversation whose runner is still being opened."""
    talk = Conversation()
    talk.session = spoken.session
    talk.session.prompt = Line()
    yield talk


async def rests(talk: Conversation) -> str:
    """What the line holds when nothing goes on any more."""
    async with asyncio.timeout(20):
        while talk.is_working:
            await asyncio.sleep(0)
    assert isinstance(talk.session.prompt, Line)
    return talk.session.prompt.text


async def began(talk: Conversation) -> "asyncio.Future[None]":
    """Let it work until it has begun with its first line."""
    running = asyncio.ensure_future(talk.run())
    async with asyncio.timeout(20):
        while not talk.is_working:
            await asyncio.sleep(0)
    return running


async def test_lines_run_in_order_and_errors_are_shown(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    for line in ("  ", "/nope", "# a note", "/exit", "never reached"):
        talk.submit_line(line)
    await talk.run()
    shown = capfd.readouterr().out
    assert shown.index("`/nope`") < shown.index("Remembered")
    assert talk.inbox.waiting_lines == ("never reached",)


async def test_an_unforeseen_error_ends_nothing(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    talk.session.opened.set_exception(RuntimeError("nobody foresaw it"))
    talk.submit_line("hello")
    talk.submit_line("/exit")
    running = await began(talk)
    assert await rests(talk) == "hello"
    assert "error: " in (shown := capfd.readouterr().out) and "Traceback" not in shown
    assert "Not run: `/exit`" in shown
    assert (talk.inbox.waiting_lines, running.done()) == ((), False), (
        "what waited is not sent behind it"
    )
    talk.submit_line("/exit")
    await running


async def test_interrupt_stops_turn_and_keeps_waiting_lines_unsent(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    talk.submit_line("waits for the runner")
    running = await began(talk)
    talk.submit_line("later")
    assert re.search(r"\d s\b", talk.busy_text)
    assert not talk.confirm_exit()
    talk.interrupt()
    talk.interrupt()
    assert await rests(talk) == "waits for the runner\nlater"
    assert (talk.confirm_exit(), talk.confirm_exit()) == (False, True), (
        "the Ctrl-C before has stopped it"
    )
    assert (talk.busy_text, talk.inbox.waiting_lines, running.done()) == ("", (), False)
    assert "Interrupted" in capfd.readouterr().out
    talk.request_exit()
    await running


@pytest.mark.parametrize(
    ("worked", "earlier", "asked", "shown"),
    [(0, 0, 0, 0), (90, 0, 0, 90), (90, 0, 85, 5), (90, 300, 0, 90), (3600, 40, 3590, 10)],
)
async def test_busy_text_leaves_out_waiting_questions(
    talk: Conversation, worked: int, earlier: int, asked: int, shown: int
) -> None:
    talk.session.question_seconds = earlier
    talk.submit_line("waits for the runner")
    running = await began(talk)
    talk._since -= worked
    talk.session.question_seconds += asked
    assert talk.busy_text.startswith(f"⋯ working {shown} s")
    talk.interrupt()
    await rests(talk)
    talk.request_exit()
    await running


async def test_waiting_question_is_measured_even_unanswered(talk: Conversation) -> None:
    def wait() -> None:
        time.sleep(0.05)
        raise PromptAborted

    with pytest.raises(PromptAborted):
        await talk.session.ask_question(wait)
    assert talk.session.question_seconds >= 0.05


@pytest.mark.parametrize(
    ("lines", "returned", "named"),
    [
        (("one", "two", "# note", "three"), "one\ntwo", "`# note`, `three`"),
        (("# note", "!echo bang", "/status"), "# note", "`!echo bang`, `/status`"),
        (("/status",), "/status", ""),
    ],
)
def test_returned_commands_never_become_a_message(
    talk: Conversation,
    capfd: pytest.CaptureFixture[str],
    lines: tuple[str, ...],
    returned: str,
    named: str,
) -> None:
    talk.session.unread_lines += lines
    talk._give_back()  # pyright: ignore[reportPrivateUsage]
    assert isinstance(talk.session.prompt, Line)
    assert talk.session.prompt.text == returned
    shown = capfd.readouterr().out
    assert ("Not run" in shown) == bool(named) and named in shown


@pytest.mark.parametrize("answer", [ASKS, REFUSES], ids=["a question is left", "it fails"])
async def test_lines_behind_interrupted_turn_are_given_back(
    talk: Conversation, provider: Provider, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    monkeypatch.setattr("sys.stdin", Typing(""))
    provider.script([answer, {"text": "Gone on."}])
    talk.session.options = {"model": "openai/served", "base_url": provider.url}
    async with Runner(home=talk.session.home) as runner:
        talk.session.opened.set_result(runner)
        for line in ("make it", "one", "two"):
            talk.submit_line(line)
        running = await began(talk)
        assert await rests(talk) == "one\ntwo"
        talk.submit_line("/nope")
        talk.submit_line("go on")
        talk.submit_line("/exit")  # what is sent from here on is meant
        await running
    assert len(provider.requests) == 2 and talk.inbox.waiting_lines == ()


async def test_exit_finishes_current_line_and_starts_no_other(
    talk: Conversation, provider: Provider, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(input_loop, "ENDS_BY_ITSELF", 60)
    provider.script([{"text": "One."}])
    talk.session.options = {"model": "openai/served", "base_url": provider.url}
    async with Runner(home=talk.session.home) as runner:
        talk.session.opened.set_result(runner)
        talk.submit_line("one")
        talk.submit_line("# a note")
        running = await began(talk)
        talk.request_exit()
        await running
    shown = capfd.readouterr().out
    assert ("One." in shown, "Stopped" in shown) == (True, False)
    assert (talk.inbox.waiting_lines, talk.is_working) == (("# a note",), False)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("/btw which flag?", "It is -x."),
        ("/mode edits", "edits"),
        ("/status", "openai/served"),
        ("/todos", "list of tasks"),
        ("/nothing-like-it", ""),
        ("/copy 9", "error"),
    ],
)
async def test_command_acts_while_a_turn_runs(
    talk: Conversation, provider: Provider, capfd: pytest.CaptureFixture[str], line: str, text: str
) -> None:
    talk.session.options = {"model": "openai/served", "base_url": provider.url}

    def answer(request: Request) -> Mapping[str, Any]:
        if "on the side" in str(request.body["messages"][-1]):
            return {"text": "It is -x."}
        return {"text": "So far " + "so good " * 40, "hang_after": 4}

    provider.script(answer)
    async with Runner(home=talk.session.home) as runner, asyncio.timeout(60):
        talk.session.opened.set_result(runner)
        talk.submit_line("hello")
        running = await began(talk)
        while not provider.requests or not talk.session.mode:
            await asyncio.sleep(0.01)
        talk.submit_line(line)
        seen = ""
        while text and text not in seen:
            await asyncio.sleep(0.01)
            seen += capfd.readouterr().out
        assert talk.is_working
        assert talk.inbox.waiting_lines == (() if text else (line,))
        side = [request.body["messages"] for request in provider.requests[1:]]
        first = provider.requests[0].body["messages"]
        assert all(messages[: len(first)] == first for messages in side)
        talk.exit_at_once()
        await running
    assert (talk.session.mode == "edits") == line.startswith("/mode")


async def test_line_between_two_ctrl_c_prevents_exit(talk: Conversation) -> None:
    assert not talk.confirm_exit()
    talk.submit_line("later")
    assert (talk.confirm_exit(), talk.confirm_exit()) == (False, True)


async def test_error_that_stops_the_loop_is_raised(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(talk, "inbox")
    with pytest.raises(AttributeError):
        await talk.run()


async def test_whoever_leaves_stops_what_goes_on(talk: Conversation) -> None:
    talk.submit_line("waits for the runner")
    running = await began(talk)
    talk.request_exit()
    async with asyncio.timeout(20):
        await running


async def test_whoever_leaves_behind_an_answer_stops_nothing(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    talk.submit_line("waits for the runner")
    running = await began(talk)
    talk.request_exit()
    talk.session.opened.set_exception(UsageError("it ended"))
    async with asyncio.timeout(20):
        await running
    assert "it ended" in (shown := capfd.readouterr().out) and "Stopped" not in shown


def test_a_second_ctrl_c_leaves(talk: Conversation, capfd: pytest.CaptureFixture[str]) -> None:
    assert (talk.confirm_exit(), talk.confirm_exit()) == (False, True)
    assert capfd.readouterr().out.count("Ctrl-C") == 1


@pytest.mark.parametrize(
    ("mode", "cycle"),
    [
        ("", ["plan", "ask", "edits", "plan"]),
        ("ask", ["edits", "plan", "ask", "edits"]),
        ("edits", ["plan", "ask", "edits"]),
        ("auto", ["plan", "ask", "edits", "auto", "plan"]),
        ("read-only", ["plan", "ask", "edits", "read-only"]),
    ],
)
def test_modes_take_turns(talk: Conversation, mode: str, cycle: list[str]) -> None:
    session = talk.session
    session.mode, session.agent = mode, "plan"
    for chosen in cycle:
        talk.switch_mode()
        assert (session.plan, "plan" if session.plan else session.mode) == (
            chosen == "plan",
            chosen,
        )
    session.plan = False
    assert session.agent == "build"
