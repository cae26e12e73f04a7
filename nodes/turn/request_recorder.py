"""Requests with a line in the thread's log, where it is enabled."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime

from ...config import paths
from ...config.settings.policy_file import load_managed_policy
from ...models.catalog import compute_cost
from ...models.errors import ModelCallError
from ...models.http.dialect import RequestOptions
from ...models.invoke import invoke_model, show_nothing
from ...models.policy.limits import check_request, record_request
from ..run.agent import Agent
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies

if TYPE_CHECKING:
    from ...models.cassette.request_log import RequestLog


def find_request_log(deps: Dependencies, thread_id: str) -> "RequestLog | None":
    """Return the thread's log; None if logs are not enabled."""
    if not deps.settings.log.enabled:
        return None
    from ...models.cassette.request_log import open_request_log

    return open_request_log(paths.locate_request_log(deps.home, thread_id))


async def invoke_recorded(
    agent: Agent,
    messages: list[BaseMessage],
    runtime: Runtime[Context],
    options: RequestOptions,
    *,
    on_text: Callable[[str], None] = show_nothing,
    on_thinking: Callable[[str], None] = show_nothing,
) -> AIMessage:
    """Return the model's answer as `invoke_model` does, and record the request and its answer.

    Raises UsageError for a request that the administrator's policy does not allow.
    """
    if load_managed_policy():  # a thread hop costs more than to look whether there is one
        await asyncio.to_thread(check_request, agent.deps.model)
    answer = await _invoke_logged(agent, messages, runtime, on_text, on_thinking, options)
    if load_managed_policy():
        await asyncio.to_thread(record_request, agent.deps.model, answer, runtime.context.meter)
    return answer


async def _invoke_logged(
    agent: Agent,
    messages: list[BaseMessage],
    runtime: Runtime[Context],
    on_text: Callable[[str], None],
    on_thinking: Callable[[str], None],
    options: RequestOptions,
) -> AIMessage:
    log = find_request_log(agent.deps, get_thread_id(runtime))
    if log is None:
        return await invoke_model(agent.model, messages, on_text, on_thinking, options)
    name = runtime.context.sub_id or (agent.system.id or "").removeprefix("system-")
    number = await asyncio.to_thread(_log_request, log, name, agent, messages)
    started = time.monotonic()
    try:
        answer = await invoke_model(agent.model, messages, on_text, on_thinking, options)
    except ModelCallError as error:
        log.log_error(number, error.message, time.monotonic() - started)
        raise
    seconds, usage = time.monotonic() - started, answer.usage_metadata
    cost = compute_cost(agent.deps.model.price, usage) if usage else None
    log.log_answer(number, answer, seconds, cost)
    return answer


def _log_request(log: "RequestLog", name: str, agent: Agent, messages: list[BaseMessage]) -> int:
    from ...models.cassette.request_log import hash_tools

    names = [tool.name for tool in agent.offered]
    digest = hash_tools([convert_to_openai_tool(tool) for tool in agent.offered])
    return log.log_request(name, agent.deps.model, messages, names, digest)
