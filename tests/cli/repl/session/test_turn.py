"""Turns of a real runner at a terminal that can only be written to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from provider import Provider
from repl_session import Spoken, Typing

from maxagent import Answer, Runner, UsageError
from maxagent.cli.rendering.transcript import show_transcript
from maxagent.cli.repl.prompt.dumb_prompt import PlainPrompt
from maxagent.cli.repl.prompt.protocol import PromptAborted
from maxagent.cli.repl.session.message import run_message
from maxagent.cli.repl.session.session import show_error
from maxagent.cli.repl.session.turn import ask_again
from maxagent.memory.threads.index import ThreadIndex
from maxagent.nodes.recovery.partial_answer import INTERRUPTED, UNANSWERED
from maxagent.sdk.threads.transcript import read_transcript

ANSWER = ["build  step 1", "  Better."]
ASKS = {"tool_calls": [{"name": "run_command", "args": {"command": "touch made"}}]}


@pytest.fixture
async def talk(spoken: Spoken, provider: Provider) -> AsyncIterator[Spoken]:
    """A session that speaks with the model server."""
    spoken.session.titles = False
    spoken.session.options = {"model": "openai/served", "base_url": provider.url}
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        yield spoken


def told(provider: Provider) -> list[str]:
    """The human's words in the last request."""
    messages = provider.requests[-1].body["messages"]
    return [message["content"] for message in messages if message["role"] == "user"]


async def test_what_happened_aside_is_reported_once(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "**Heard.**"}, {"text": "Again."}])
    talk.session.side_context.append("The user notes: tabs")
    output = await talk.say("hello")
    thread = talk.session.thread
    assert "Heard." in output and "of the context" in output
    assert told(provider) == ["The user notes: tabs", "hello"]
    assert (
        talk.session.titled_thread_id == "" and ThreadIndex(talk.home).get(thread).title == "hello"
    )
    await talk.say("more")
    assert (talk.session.thread, told(provider)[-1]) == (thread, "more")
    assert talk.session.usage and talk.session.usage.requests == 2


async def test_question_is_answered_or_skipped_by_next_message(
    talk: Spoken, provider: Provider
) -> None:
    provider.script([ASKS, {"text": "Made."}, ASKS, {"text": "Left."}])
    assert "Made." in await talk.say("make it", typed="yes\n")
    assert (talk.project / "made").exists()
    output = await talk.say("again", typed="")
    assert "The question waits" in output and "Made." not in output
    assert "Left." in await talk.say("something else")
    assert told(provider)[-1] == "something else"


async def test_question_left_open_elsewhere_asks_what_to_do(
    talk: Spoken, provider: Provider
) -> None:
    provider.script([ASKS, {"text": "Left."}])
    await talk.say("make it", typed="")
    talk.session.left_by_hand = False
    with pytest.raises(PromptAborted):
        await talk.say("something else", typed="")
    assert "Left." in await talk.say("something else", typed="a\nabandon\n")
    assert told(provider)[-1] == "something else"


async def test_interrupted_turn_can_be_resumed_first(talk: Spoken, provider: Provider) -> None:
    provider.script([ASKS, {"text": "Made after all."}, {"text": "And this."}])
    await talk.say("make it", typed="")
    talk.session.left_by_hand = False
    output = await talk.say("then this", typed="resume\nyes\n")
    places = [output.index(text) for text in ("Made after all.", "› then this", "And this.")]
    assert places == sorted(places)


async def test_after_a_failure_the_next_message_goes_on(talk: Spoken, provider: Provider) -> None:
    provider.script([{"status": 400, "body": {"error": {"message": "no such model"}}}])
    output = await talk.say("hello")
    assert "no such model" in output and "retry" in output and "mcode resume" not in output
    assert talk.session.cut_short and not talk.session.is_unsent
    index, thread = ThreadIndex(talk.home), talk.session.thread
    story = read_transcript(index.get(thread), talk.home)
    assert [(item.kind, item.text) for item in story] == [("human", "hello"), ("interrupted", "")]
    provider.script([{"text": "Better."}])
    assert "Better." in await talk.say("and now?") and not talk.session.cut_short
    assert told(provider) == ["hello", UNANSWERED, "and now?"]
    show_transcript(read_transcript(index.get(thread), talk.home), diffs=False)
    first, second = talk.seen.split("\n(interrupted before an answer)\n")
    assert first.endswith("  hello\n") and second.splitlines()[2:] == ["  and now?", "", *ANSWER]


async def test_stopped_turn_keeps_its_text_and_continues(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "Said so far.\n\n" + "word " * 40, "hang_after": 4}])
    saying, seen = asyncio.ensure_future(run_message(talk.session, "hello")), ""
    async with asyncio.timeout(60):
        while "Said so far." not in seen:
            await asyncio.sleep(0.01)
            seen += talk.seen
    saying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saying
    row = ThreadIndex(talk.home).get(talk.session.thread)
    [_, half] = read_transcript(row, talk.home)
    assert half.kind == "interrupted" and half.text.startswith("Said so far.\n\nword")
    assert "Forked thread" in await talk("/fork")
    provider.script([{"text": "Going on."}])
    assert "Going on." in await talk.say("go on") and row.thread_id != talk.session.thread
    assert told(provider) == ["hello", INTERRUPTED, "go on"]
    answer = provider.requests[-1].body["messages"][-3]
    assert answer["role"] == "assistant" and answer["content"].strip() == half.text


async def test_thread_keeps_options_and_mode_of_approved_plan(
    talk: Spoken, provider: Provider
) -> None:
    session = talk.session
    session.options = {**session.options, "mode": "ask", "plan": True}
    provider.script([{"text": "Thought."}, {"text": "And on."}])
    assert "plan mode, plan file" in await talk.say("think")
    assert "plan mode" not in await talk.say("on")
    assert session.options == {} and session.plan and session.thread_options.get("mode") == "ask"
    talk.write(f"project/{session.thread_options.get('plan_file')}", "1. all\n")
    leave = {"tool_calls": [{"name": "plan_exit", "args": {}}]}
    provider.script([leave, {"text": "Built."}, {"text": "More."}, {"text": "Anew."}])
    await talk.say("plan", typed="model\n\nedits\nyes\n")
    assert (session.plan, session.mode) == (False, "edits")
    await talk.say("and more")
    assert (session.plan, session.mode) == (False, "edits")
    session.start_new_thread()
    assert session.options.get("mode") == "edits" and "plan_file" not in session.options
    await talk.say("anew")
    assert provider.requests[-1].body["model"] == "served"


async def test_trust_state_is_shown_once_and_on_change(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "Hello."}] * 3)
    talk.write("project/AGENTS.md", "Use tabs.")
    output = await talk.say("hello")
    assert "`AGENTS.md` (instructions); use `/trust`" in " ".join(output.split())
    assert "mcode trust" not in output and "--trust" not in output
    assert "not trusted: project files are ignored" in await talk("/trust", typed="no\n")
    assert "not trusted" not in await talk.say("hello")
    talk.write("project/.mcp.json", "{}")
    assert "`.mcp.json` (mcp)" in " ".join((await talk.say("hello")).split())


class AnsweredElsewhere(PlainPrompt):
    """Somebody else is quicker than whoever sits here."""

    def __init__(self, talk: Spoken) -> None:
        self._talk = talk

    async def ask_question(self, question: Callable[[], Any]) -> Any:
        output, runner = (
            await super().ask_question(question),
            await self._talk.session.wait_for_runner(),
        )
        async for _ in runner.resume(self._talk.session.thread, Answer(approve=True)):
            pass
        return output


async def test_question_answered_elsewhere_is_reported_with_resume_hint(
    talk: Spoken, provider: Provider
) -> None:
    session = talk.session
    session.options = {**session.options, "plan": True}
    provider.script([{"text": "Thought."}])
    await talk.say("think")
    talk.write(f"project/{session.thread_options.get('plan_file')}", "1. all\n")
    leave = {"tool_calls": [{"name": "plan_exit", "args": {}}]}
    provider.script([leave, {"text": "Built."}])
    session.prompt = AnsweredElsewhere(talk)
    with pytest.raises(UsageError, match="has no open question") as error:
        await talk.say("plan", typed="yes\n")
    assert not session.plan and session.cut_short
    show_error(session, error.value)
    assert f"`/resume {session.thread[:8]}`" in talk.seen


async def test_options_chosen_at_question_apply_to_next_message(
    talk: Spoken, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.script([ASKS, {"text": "Made."}, {"text": "And this."}])
    await talk.say("make it", typed="")
    talk.session.options, talk.session.side_context = {"mode": "auto", "max_turns": 5}, ["a note"]
    monkeypatch.setattr("sys.stdin", Typing("yes\n"))
    await ask_again(talk.session)
    assert talk.session.options.get("mode") == "auto" and talk.session.side_context == ["a note"]
    await talk.say("then this")
    assert talk.session.options == {"max_turns": 5}  # that is of each message
    *_, note, message, remaining = told(provider)
    assert (talk.session.mode, note, message) == ("auto", "a note", "then this")
    assert remaining.startswith("Left for this request: 5 of 5 model turns")
