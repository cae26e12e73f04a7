"""A dialogue with a thread: send messages, show events, answer questions.

The prompt and the commands share it; they differ in how they show events and where they ask. What
asks is imported at the first question: most runs have none.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from ...config.errors import MaxAgentError, UnfinishedTurnError
from ...sdk.events import Event, Failure, Question, list_questions

if TYPE_CHECKING:
    from ...nodes.options import Options
    from ...sdk.interrupt_response import Answer
    from ...sdk.runner import Runner
    from .chat_session import ChatSession

Said = TypeVar("Said")
# Shows a stream to its end; returns the last event, or None if it stopped before its first
StreamConsumer = Callable[[AsyncGenerator[Event]], Awaitable[Event | None]]


class PromptRunner(Protocol):
    """Runs a function that waits for input, such as `prompts.choice.confirm`."""

    async def __call__(self, question: Callable[[], Said]) -> Said:
        """Return the function's result."""
        ...


class InteractiveRun:
    """Streams of one runner, and the user's answers between them."""

    def __init__(self, runner: "Runner", show: StreamConsumer, ask: PromptRunner | None) -> None:
        """Build it; `ask` is None if no user can answer."""
        self.runner, self._show, self._ask = runner, show, ask

    async def send_message(
        self,
        chat_session: "ChatSession",
        text: str,
        *,
        agent: str = "",
        once: "Options | None" = None,
        abandon: bool = False,
        again: Callable[[], None] = lambda: None,
    ) -> Event | None:
        """Send the message, run the turn to its end and return the last event.

        If the thread has an unfinished turn, the user first decides what happens to it; without a
        user this raises UnfinishedTurnError. If that turn was resumed first, `again` is called
        before the message is sent after it.
        """
        while True:
            turn = chat_session.send_message(
                self.runner, text, agent=agent, once=once, abandon=abandon
            )
            try:
                return await self.consume(turn)
            except UnfinishedTurnError as unfinished:
                if self._ask is None:
                    raise
                from ..prompts.choice import confirm_abandon

                abandon = await self._ask(partial(confirm_abandon, unfinished.message))
            if not abandon:
                last = await self.consume(self.runner.resume(chat_session.thread))
                if self.runner.is_stopping():
                    return last
                again()

    async def consume(self, events: AsyncGenerator[Event]) -> Event | None:
        """Show a stream, and those that follow from answers, to the end or an open question."""
        answers: list[Answer] = []
        left_open: set[str] = set()
        while True:
            last = await self._show_keeping_drafts(events, answers)
            if not isinstance(last, Question) or last.kind == "limit":
                return last
            from ..prompts.interrupts import ask_questions
            from .shown_questions import remember_shown

            remember_shown(self.runner.home, last)
            if self._ask is None or self.runner.is_stopping():
                return last
            asked = [question for question in list_questions(last) if question.kind != "limit"]
            asked = [question for question in asked if question.id not in left_open]
            answers = await self._ask(partial(ask_questions, asked)) if asked else []
            if not answers:
                return last
            left_open |= {question.id for question in asked} - {
                answer.question for answer in answers
            }
            events = self.runner.resume(last.thread_id, answers)

    async def _show_keeping_drafts(
        self, events: AsyncGenerator[Event], answers: "Sequence[Answer]"
    ) -> Event | None:
        """Show what follows from answers; if they are not accepted, show plan drafts again."""
        decisions = [decision for answer in answers for decision in answer.decisions]
        drafts = [decision for decision in decisions if decision.get("draft")]
        if self._ask is None or not drafts:
            return await self._show(events)
        from ..prompts.mode_switch import show_drafts

        try:
            last = await self._show(events)
        except MaxAgentError:
            await self._ask(partial(show_drafts, drafts))
            raise
        if isinstance(last, Failure):
            await self._ask(partial(show_drafts, drafts))
        return last
