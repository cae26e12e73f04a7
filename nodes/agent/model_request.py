"""One request to an agent's model: the streamed answer, and retries."""

import asyncio
import logging
import random
from collections.abc import Callable
from functools import partial

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...models.errors import ModelCallError, ToolsNotSupportedError
from ...models.http.dialect import RequestOptions
from ...models.retry import compute_delay
from ...models.thinking_retry import invoke_with_less_thinking
from ...models.xml_calls.leaked_calls import take_leaked_calls
from ..messages.images import has_images
from .agent import Agent
from .answer_autosave import autosave_answer
from .context import Context, get_thread_id
from .emit import emit_event
from .request_recorder import invoke_recorded

TOOLS_AS_TEXT = "`{model}` does not support tools; it writes its calls as XML from now on"
_logger = logging.getLogger(__name__)


async def request_answer(
    agent: Agent,
    messages: list[BaseMessage],
    options: RequestOptions,
    runtime: Runtime[Context],
) -> AIMessage:
    """Return the model's answer to these messages; repeat a failed request while that may help."""
    request = [agent.system, *await _attach_images(agent, messages, runtime)]
    attempt = 0
    while True:
        try:
            async with autosave_answer(agent.deps, runtime) as keep:
                invoke = partial(
                    invoke_recorded,
                    agent,
                    request,
                    runtime,
                    lambda part: _emit_text(runtime, part, keep),
                    lambda part: emit_event(runtime, "thinking", text=part),
                )
                answer = await invoke_with_less_thinking(
                    invoke,
                    options,
                    lambda error: emit_event(
                        runtime, "retry", reason=error.message, seconds=0.0, attempt=1
                    ),
                )
                return take_leaked_calls(answer, agent.known_tools)
        except ToolsNotSupportedError:
            # the model itself has remembered it, so the next request is without tools
            emit_event(runtime, "notice", text=text(TOOLS_AS_TEXT, model=agent.deps.model.name))
            continue
        except ModelCallError as error:
            attempt += 1
            seconds = compute_delay(attempt, error, random=random.random)
            if seconds is None or attempt > agent.deps.settings.model.max_retries:
                raise
            _logger.info("request is repeated in %.1f s: attempt %d", seconds, attempt)
            emit_event(runtime, "retry", reason=error.message, seconds=seconds, attempt=attempt)
        await asyncio.sleep(seconds)


async def _attach_images(
    agent: Agent, messages: list[BaseMessage], runtime: Runtime[Context]
) -> list[BaseMessage]:
    """Return the messages as the model can take them: with images, if it sees."""
    if not agent.deps.model.vision or not any(map(has_images, messages)):
        return messages
    folder = agent.deps.locate_outputs(get_thread_id(runtime))
    return await asyncio.to_thread(agent.deps.images.attach_images, messages, folder)


def _emit_text(runtime: Runtime[Context], part: str, keep: Callable[[str], None]) -> None:
    emit_event(runtime, "output", text=part)
    keep(part)
