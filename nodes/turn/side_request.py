"""A request beside the turns of a role: its answer is no part of the conversation.

It begins as the conversation's own request, so that the provider's cache has it.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from ...models.errors import ModelCallError
from ...models.http.dialect import RequestOptions
from ...models.invoke import invoke_with_less_thinking
from ...models.retry import compute_delay
from ..events.model import Retrying
from ..run.agent import Agent
from ..run.context import Context
from ..run.emit import emit
from .model_request import attach_images
from .provider_limit import wait_before_retry
from .request_recorder import invoke_recorded

# An answer may have this times the tokens that it was asked for
TOLERANCE = 2.0
# Requests for one answer, if the provider fails
MAX_ATTEMPTS = 2


@dataclass(frozen=True)
class SideAnswer:
    """The model's answer, and the seconds that it took."""

    message: AIMessage
    seconds: float


async def ask_aside(
    agent: Agent,
    messages: Sequence[BaseMessage],
    instruction: HumanMessage,
    options: RequestOptions,
    tokens: int,
    runtime: Runtime[Context],
) -> SideAnswer:
    """Return the answer to the instruction, of about so many tokens; raises ModelCallError.

    Nothing of it is shown or kept before it is complete.
    """
    request = [agent.system, *await attach_images(agent, messages, runtime), instruction]
    side_options = replace(
        options, tool_choice="none", max_tokens=_limit_answer(agent, options, tokens)
    )
    attempt, settings = 0, agent.deps.settings.model
    while True:
        started = time.monotonic()
        try:
            answer = await invoke_with_less_thinking(
                partial(invoke_recorded, agent, request, runtime), side_options, lambda _: None
            )
            return SideAnswer(answer, time.monotonic() - started)
        except ModelCallError as error:
            attempt += 1
            seconds = compute_delay(attempt, error, settings.retry, random=random.random)
            if seconds is None or attempt >= MAX_ATTEMPTS:
                raise
            emit(runtime, Retrying(reason=error.message, seconds=seconds, attempt=attempt))
        await wait_before_retry(runtime, seconds)


def _limit_answer(agent: Agent, options: RequestOptions, tokens: int) -> int:
    """Return the most tokens of the answer; 0, the model's own, if thinking takes of them."""
    model = agent.deps.model
    may_think = options.thinking == "on" or (model.thinking and not model.provider.thinking_off)
    return 0 if may_think else round(tokens * TOLERANCE)
