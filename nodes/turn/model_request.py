"""One request to an agent's model: the streamed answer, retries, and the models that stand in."""

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from ...config.errors import UsageError
from ...config.text import text
from ...memory.journal import StartedCall
from ...models.errors import (
    ContextOverflowError,
    EmptyAnswerError,
    InputRefusedError,
    InvalidRequestError,
    ModelCallError,
    ToolsNotSupportedError,
)
from ...models.http.dialect import RequestOptions
from ...models.invoke import invoke_with_less_thinking
from ...models.retry import compute_delay
from ..events.model import Output, Retrying, Thinking
from ..events.progress import Notice
from ..messages.context_message import to_context_messages
from ..messages.images import REFUSED, has_images
from ..recovery.partial_answer import autosave_answer, forget_answer
from ..roles import RoleName
from ..run.agent import Agent, load_agent
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.message_history import build_role_message
from ..state import State
from .provider_limit import park_at_limit, record_failure, wait_before_retry
from .request_recorder import invoke_recorded

if TYPE_CHECKING:
    from .provider_limit import FailedRequest


# Whose last words nobody depends on
WORKING_ROLES = frozenset({"coder", "editor", "agent", "build", "plan"})
LEFT_OUT = "{what} cannot be sent and is left out from now on: {reason}"
TOOLS_AS_TEXT = "`{model}` does not support tools; it writes its calls as XML from now on"
_logger = logging.getLogger(__name__)

SILENT_END = "(The model ended without a word. In this turn it called: {calls}.)"


@dataclass(frozen=True)
class ModelAnswer:
    """An answer and who gave it."""

    message: AIMessage
    agent: Agent
    """The agent with the model that answered."""
    fallback: str
    """That model, if it stands in for the chosen one; else empty."""
    seconds: float
    """Time of the answered request."""
    refusals: tuple[HumanMessage, ...] = ()
    """Notes on what the provider refused and the request left out."""


async def request_answer(
    agent: Agent,
    state: State,
    role: RoleName,
    messages: Sequence[BaseMessage],
    options: RequestOptions,
    runtime: Runtime[Context],
) -> ModelAnswer:
    """Return the answer to these messages, of the agent's model or of one that stands in for it.

    A provider's limit parks the thread; any other failure raises the last model's error. What
    replaces a model is imported only if one may be replaced, or has failed.
    """
    messages = [*to_context_messages(state.get("context_message", "")), *messages]
    fallback = state.get("fallback", "")
    candidates: list[str] = []
    failures: list[FailedRequest] = []
    answers: list[object] = []
    if agent.deps.settings.model.fallback:
        from .fallback_models import list_candidates
        from .model_change import read_answers

        candidates = list_candidates(agent.deps.settings.model.fallback, fallback)
        answers = read_answers() if candidates else []
        if approved := await _load_approved(agent, candidates, answers, role, state, runtime):
            agent, fallback = approved
            candidates = list_candidates(candidates, fallback)
    while True:
        try:
            named = await name_initiator(options, state, runtime, agent.deps)
            answer = await _invoke_with_retries(agent, messages, named, runtime, role)
            return replace(answer, fallback=fallback)
        except ModelCallError as error:
            failures.append(record_failure(agent.deps.model, error))
            from ..recovery.refusals import add_rewind_hint

            add_rewind_hint(error, get_thread_id(runtime), messages, state.get("steps", 0))
        agent, fallback = await _load_next(candidates, failures, answers, role, state, runtime)


async def _load_next(
    candidates: list[str],
    failures: Sequence["FailedRequest"],
    answers: list[object],
    role: RoleName,
    state: State,
    runtime: Runtime[Context],
) -> tuple[Agent, str]:
    """Return the next model that may be asked, and take it from the candidates.

    If there is none, park at a limit or raise the last model's error.
    """
    from .fallback_models import can_fail_over
    from .model_change import confirm_change

    tried = {failed.model.name for failed in failures}
    while candidates and can_fail_over(failures[-1].error):
        spec = candidates.pop(0)
        other = await _load_candidate(role, state, runtime, spec)
        if (
            other
            and other.deps.model.name not in tried
            and confirm_change(runtime, failures, other, answers)
        ):
            return other, spec
    park_at_limit(failures)
    raise failures[-1].error


async def _load_approved(
    agent: Agent,
    candidates: Sequence[str],
    answers: Sequence[object],
    role: RoleName,
    state: State,
    runtime: Runtime[Context],
) -> tuple[Agent, str] | None:
    """Return the dearer model that the user has just approved: the one that failed is not asked."""
    from .model_change import announce_change, find_approved_change

    change = find_approved_change(answers, agent.deps.model.name)
    for spec in candidates if change else ():
        other = await _load_candidate(role, state, runtime, spec)
        if change and other and other.deps.model.name == change.model:
            announce_change(runtime, agent.deps.model, other.deps.model, change.reason)
            return other, spec
    return None


async def name_initiator(
    options: RequestOptions, state: State, runtime: Runtime[Context], deps: Dependencies
) -> RequestOptions:
    """Return the options with the initiator `user` once for each message, where that is billed.

    The journal has it before the request is sent: a repeated or resumed request is the agent's.
    """
    if deps.model.login is None:
        return options
    call_id = f"message-{state.get('message_id', '')}"
    call_record = await asyncio.to_thread(
        deps.journal.begin_call, get_thread_id(runtime), call_id, "initiator"
    )
    return replace(options, initiator="user") if isinstance(call_record, StartedCall) else options


async def _load_candidate(
    role: RoleName, state: State, runtime: Runtime[Context], spec: str
) -> Agent | None:
    """Return the agent with this model; None if the model cannot be asked here."""
    try:
        return await load_agent(role, state, runtime.context, spec)
    except UsageError as error:
        notice = text(
            "`{model}` cannot be used as a fallback: {reason}", model=spec, reason=error.message
        )
        emit(runtime, Notice(notice))
        return None


async def _invoke_with_retries(
    agent: Agent,
    messages: Sequence[BaseMessage],
    options: RequestOptions,
    runtime: Runtime[Context],
    role: RoleName,
) -> ModelAnswer:
    """Return the answer of this model; repeat the request while that may help."""
    attempt, settings = 0, agent.deps.settings.model
    refusals: tuple[HumanMessage, ...] = ()
    request = [agent.system, *await attach_images(agent, messages, runtime)]
    while True:
        started = time.monotonic()
        # the same message is billed once
        sent, options = options, replace(options, initiator="agent")
        try:
            answer = await _invoke_once(agent, request, sent, runtime)
            return ModelAnswer(answer, agent, "", time.monotonic() - started, refusals)
        except ToolsNotSupportedError:
            # the model itself has remembered it, so the next request is without tools
            emit(runtime, Notice(text(TOOLS_AS_TEXT, model=agent.deps.model.name)))
            continue
        except ModelCallError as error:
            # a kill during the wait must not bring back what the failed attempt streamed
            await forget_answer(agent.deps, runtime)
            if attempt and role in WORKING_ROLES and ends_in_silence(error, messages):
                ended = AIMessage(describe_silent_end(messages))
                return ModelAnswer(ended, agent, "", time.monotonic() - started, refusals)
            if not refusals and (note := _build_refusal_note(error, messages, runtime, role)):
                refusals = (note,)
                left = [*messages, note]
                request = [agent.system, *await attach_images(agent, left, runtime)]
                continue
            attempt += 1
            seconds = compute_delay(attempt, error, settings.retry, random=random.random)
            if seconds is None or attempt > settings.retries:
                raise
            _logger.info("request is repeated in %.1f s: attempt %d", seconds, attempt)
            emit(runtime, Retrying(reason=error.message, seconds=seconds, attempt=attempt))
        await wait_before_retry(runtime, seconds)


def _build_refusal_note(
    error: ModelCallError,
    messages: Sequence[BaseMessage],
    runtime: Runtime[Context],
    role: RoleName,
) -> HumanMessage | None:
    """Return a note on what the provider refuses; None if they cannot be known."""
    if not isinstance(error, InvalidRequestError | InputRefusedError | ContextOverflowError):
        return None
    from ..recovery.refusals import NOTE, describe_refusals, find_refusals, mark_refusals

    refusals = find_refusals(error, messages)
    if not refusals:
        return None
    what = describe_refusals(refusals, messages)
    emit(runtime, Notice(text(LEFT_OUT, what=what, reason=error.message)))
    return mark_refusals(build_role_message(role, NOTE.format(what=what)), refusals)


async def _invoke_once(
    agent: Agent,
    request: list[BaseMessage],
    options: RequestOptions,
    runtime: Runtime[Context],
) -> AIMessage:
    async with autosave_answer(agent.deps, runtime) as keep:
        invoke = partial(
            invoke_recorded,
            agent,
            request,
            runtime,
            on_text=lambda part: _emit_text(runtime, part, keep),
            on_thinking=lambda part: emit(runtime, Thinking(part)),
        )
        answer = await invoke_with_less_thinking(
            invoke,
            options,
            lambda error: emit(runtime, Retrying(reason=error.message, seconds=0.0, attempt=1)),
        )
        from ...models.chat_completions.think_tags import take_lone_thinking
        from ...models.xml_calls.leaked_calls import take_leaked_calls  # brings the parser

        return take_leaked_calls(take_lone_thinking(answer), agent.known_tools)


async def attach_images(
    agent: Agent, messages: Sequence[BaseMessage], runtime: Runtime[Context]
) -> Sequence[BaseMessage]:
    """Return the messages as the model and its provider take them: with images, if it sees."""
    if any(REFUSED in message.additional_kwargs for message in messages):
        from ..recovery.refusals import replace_refusals

        messages = replace_refusals(messages)
    if not any(map(has_images, messages)):
        return messages
    if not agent.deps.model.vision:
        return agent.deps.images.describe_images(messages, agent.deps.model.name)
    folder = agent.deps.locate_outputs(get_thread_id(runtime))
    return await asyncio.to_thread(agent.deps.images.attach_images, list(messages), folder)


def _emit_text(runtime: Runtime[Context], part: str, keep: Callable[[str], None]) -> None:
    emit(runtime, Output(part))
    keep(part)


def ends_in_silence(error: ModelCallError, messages: Sequence[BaseMessage]) -> bool:
    """Return whether the model has said nothing about the results of its calls."""
    is_silent = isinstance(error, EmptyAnswerError) and error.retryable
    return is_silent and bool(messages) and isinstance(messages[-1], ToolMessage)


def describe_silent_end(messages: Sequence[BaseMessage]) -> str:
    """Return the answer in place of the model's: what was called since the last message."""
    calls = Counter[str]()
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            calls.update(call["name"] for call in reversed(message.tool_calls))
        elif not isinstance(message, ToolMessage):
            break
    names = [f"`{name}`" + (f" x {count}" if count > 1 else "") for name, count in calls.items()]
    return SILENT_END.format(calls=", ".join(reversed(names)))
