"""The summary that a model writes of its conversation, and the check of it."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...models.errors import ModelCallError
from ...models.http.dialect import RequestOptions
from ...models.invoke import invoke_with_less_thinking, is_cut
from ...models.retry import compute_delay
from ..agent.agent import Agent
from ..agent.context import Context
from ..agent.emit import emit_event
from ..agent.failover.wait import wait_before_retry
from ..agent.model_request import attach_images
from ..agent.request_recorder import invoke_recorded
from ..conversation.token_estimate import estimate_text
from ..memory.proposals import Candidate
from .card_candidates import load_card_request, split_candidates

FOCUS = "\n\nThe user asks you to keep this above all: {focus}"
# A summary may have this times the tokens that it was asked for
TOLERANCE = 2.0
# Words that a token makes, roughly, in the languages with more tokens
WORDS_PER_TOKEN = 0.6
# Requests for one summary, if the provider fails
MAX_ATTEMPTS = 2


@dataclass(frozen=True)
class WrittenSummary:
    """A model's answer to the request for a summary."""

    message: AIMessage
    seconds: float

    @property
    def text(self) -> str:
        """Return the note."""
        return split_candidates(str(self.message.text))[0]

    @property
    def candidates(self) -> list[Candidate]:
        """Return the cards that it proposes."""
        return split_candidates(str(self.message.text))[1]

    def find_flaw(self, tokens: int) -> str:
        """Return why it is no summary of about so many tokens; empty if it is one."""
        answer = self.message
        if answer.tool_calls or answer.invalid_tool_calls:
            return text("it calls a tool")
        if not self.text:
            return text("it is empty")
        if is_cut(answer):
            return text("it was cut")
        if estimate_text(self.text) > tokens * TOLERANCE:
            return text("it is too long")
        return ""


def build_instruction(tokens: int, focus: str = "", *, with_cards: bool = False) -> HumanMessage:
    """Return the last message of the request for a summary, and for cards in the same answer."""
    words = _load_prompt().replace("{words}", str(round(tokens * WORDS_PER_TOKEN)))
    if focus:
        words += FOCUS.replace("{focus}", focus)
    if with_cards:
        words += f"\n\n{load_card_request()}"
    return HumanMessage(words, additional_kwargs={"synthetic": True})


async def write_summary(
    agent: Agent,
    messages: Sequence[BaseMessage],
    instruction: HumanMessage,
    options: RequestOptions,
    tokens: int,
    runtime: Runtime[Context],
) -> WrittenSummary:
    """Return the model's answer; nothing of it is shown or kept before it is complete.

    The request begins as the conversation's own, so that the provider's cache has it. Raises
    ModelCallError.
    """
    request = [agent.system, *await attach_images(agent, messages, runtime), instruction]
    summary_options = replace(
        options, tool_choice="none", max_tokens=_limit_answer(agent, options, tokens)
    )
    attempt, settings = 0, agent.deps.settings.model
    while True:
        started = time.monotonic()
        try:
            answer = await invoke_with_less_thinking(
                partial(_invoke, agent, request, runtime), summary_options, lambda _: None
            )
            return WrittenSummary(answer, time.monotonic() - started)
        except ModelCallError as error:
            attempt += 1
            seconds = compute_delay(attempt, error, settings.retry, random=random.random)
            if seconds is None or attempt >= MAX_ATTEMPTS:
                raise
            emit_event(runtime, "retry", reason=error.message, seconds=seconds, attempt=attempt)
        await wait_before_retry(runtime, seconds)


async def _invoke(
    agent: Agent, request: list[BaseMessage], runtime: Runtime[Context], options: RequestOptions
) -> AIMessage:
    return await invoke_recorded(agent, request, runtime, _ignore, _ignore, options)


def _ignore(_: str) -> None:
    """Show nothing: a summary is no answer."""


def _limit_answer(agent: Agent, options: RequestOptions, tokens: int) -> int:
    """Return the most tokens of the answer; 0, the model's own, if thinking takes of them."""
    model = agent.deps.model
    may_think = options.thinking == "on" or (model.thinking and not model.provider.thinking_off)
    return 0 if may_think else round(tokens * TOLERANCE)


@cache
def _load_prompt() -> str:
    return Path(__file__).with_name("summary.md").read_text(encoding="utf-8").strip()
