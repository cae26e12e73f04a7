"""Request to any chat model, with one complete and safe message as its result."""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, cast

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, InvalidToolCall
from langchain_core.messages.tool import ToolCall, ToolCallChunk, invalid_tool_call, tool_call
from langchain_core.prompt_values import ChatPromptValue
from langchain_core.runnables import Runnable

from ..config.text import text
from .error_classification import HINTS
from .errors import BrokenStreamError, EmptyAnswerError, OnlyThinkingError, ProviderFaultError
from .http.dialect import RequestOptions
from .text_cleanup import repair_text
from .tool_arguments import clean_value, parse_arguments, restore_original_arguments

PAUSED = "pause_turn"
CUT = ("length", "max_tokens", "max_output_tokens", "incomplete", "model_length")
# The mark in `additional_kwargs` of a chunk: error messages of broken calls, by their ID
CALL_ERRORS = "call_errors"
# Characters of an answer with its thinking and calls: some 500,000 tokens
MAX_ANSWER_LENGTH = 2_000_000
# Chunks that are held before they are joined: each takes some 2 kB
MAX_CHUNKS = 4_096
FILTERED = ("content_filter", "sensitive")
_logger = logging.getLogger(__name__)


def show_nothing(_: str) -> None:
    """Drop text as it arrives: only the complete answer counts."""


async def invoke_model(
    model: Runnable[LanguageModelInput, AIMessage],
    messages: list[BaseMessage],
    on_text: Callable[[str], None] = show_nothing,
    on_thinking: Callable[[str], None] = show_nothing,
    options: RequestOptions | None = None,
) -> AIMessage:
    """Return the model's answer; stream its text and thinking as they arrive.

    Tool calls are parsed strictly: broken or truncated arguments make an `invalid_tool_call` with
    the reason in `error`. Integers beyond 64 bit become strings; NUL is dropped. Raises
    EmptyAnswerError and any `ModelCallError` of the model; nothing is retried here.
    """
    chunks: list[AIMessageChunk] = []
    length = 0
    started = time.monotonic()
    _logger.info("request started: %d messages", len(messages))
    # pass the prompt unchanged: LangChain would check each of thousands of messages again
    prompt = ChatPromptValue.model_construct(messages=messages)
    try:
        async for message in model.astream(prompt, options=options or RequestOptions()):
            chunk = cast(AIMessageChunk, message)
            length += _measure_chunk(chunk)
            if length > MAX_ANSWER_LENGTH:
                raise _build_length_error()
            _emit_chunk(chunk, on_text, on_thinking)
            chunks.append(chunk)
            if len(chunks) >= MAX_CHUNKS:
                chunks = [chunks[0] + chunks[1:]]
    except BaseException as error:
        # log the type only: a provider may quote the prompt in its message
        seconds = time.monotonic() - started
        _logger.info("request failed after %.1f s: %s", seconds, type(error).__name__)
        raise
    whole = chunks[0] + chunks[1:]
    _log_answer(whole, time.monotonic() - started)
    return _ensure_not_empty(_build_message(whole))


async def invoke_with_less_thinking(
    invoke: Callable[[RequestOptions], Awaitable[AIMessage]],
    options: RequestOptions,
    on_retry: Callable[[OnlyThinkingError], None],
) -> AIMessage:
    """Return the answer of `invoke`; one of thinking only is asked for again without thinking."""
    try:
        return await invoke(options)
    except OnlyThinkingError as error:
        if options.thinking == "off":
            raise
        on_retry(error)
        return await invoke(replace(options, thinking="off", initiator="agent"))


def is_cut(message: AIMessage) -> bool:
    """Return whether the answer stopped at its token limit, not at its end."""
    return _get_finish_reason(message) in CUT


def is_paused(message: AIMessage) -> bool:
    """Return whether the provider has paused a long answer, which the model is to continue."""
    return _get_finish_reason(message) == PAUSED


def _log_answer(whole: AIMessageChunk, seconds: float) -> None:
    usage = whole.usage_metadata
    _logger.info(
        "request finished in %.1f s: model %s, %s tokens in, %s out, %d tool calls, reason %s",
        seconds,
        whole.response_metadata.get("model_name", "unknown"),
        usage["input_tokens"] if usage else "unknown",
        usage["output_tokens"] if usage else "unknown",
        len(whole.tool_call_chunks),
        _get_finish_reason(whole) or "unknown",
    )


def _measure_chunk(chunk: AIMessageChunk) -> int:
    """Return the characters that a chunk adds, also those that nobody is shown."""
    content = chunk.content
    length = len(content) if isinstance(content, str) else len(str(content))
    length += sum(len(str(value)) for value in chunk.additional_kwargs.values())
    return length + sum(len(call["args"] or "") for call in chunk.tool_call_chunks)


def _build_length_error() -> BrokenStreamError:
    return BrokenStreamError(
        text("the model sent an answer of over {limit} characters", limit=f"{MAX_ANSWER_LENGTH:,}"),
        hint=HINTS[ProviderFaultError],
        retryable=False,
    )


def _emit_chunk(
    chunk: AIMessageChunk, on_text: Callable[[str], None], on_thinking: Callable[[str], None]
) -> None:
    if thinking := _extract_thinking(chunk):
        on_thinking(thinking)
    if text := str(chunk.text):
        on_text(text)


def _extract_thinking(chunk: AIMessageChunk) -> str:
    if isinstance(chunk.content, str):
        return str(chunk.additional_kwargs.get("reasoning_content", ""))
    blocks = [block for block in chunk.content_blocks if block["type"] == "reasoning"]
    return "".join(block.get("reasoning", "") for block in blocks)


def _build_message(whole: AIMessageChunk) -> AIMessage:
    calls: list[ToolCall] = []
    invalid: list[InvalidToolCall] = []
    known_errors = cast("dict[str, str]", whole.additional_kwargs.pop(CALL_ERRORS, {}))
    for piece in whole.tool_call_chunks:
        try:
            calls.append(_parse_call(piece))
        except ValueError as error:
            reason = known_errors.get(piece["id"] or "") or str(error)
            invalid.append(_build_invalid_call(piece, f"{reason}{_explain_cut(whole)}"))
    return AIMessage(
        content=cast("str | list[str | dict[Any, Any]]", clean_value(whole.content)),
        additional_kwargs=cast("dict[str, Any]", clean_value(whole.additional_kwargs)),
        response_metadata=whole.response_metadata,
        usage_metadata=whole.usage_metadata,
        tool_calls=calls,
        invalid_tool_calls=invalid,
        id=whole.id,
    )


def _parse_call(piece: ToolCallChunk) -> ToolCall:
    arguments = parse_arguments(piece["args"] or "")
    return tool_call(name=repair_text(piece["name"] or ""), args=arguments, id=piece["id"])


def _build_invalid_call(piece: ToolCallChunk, error: str) -> InvalidToolCall:
    return invalid_tool_call(
        name=repair_text(piece["name"] or ""),
        args=repair_text(restore_original_arguments(piece["args"] or "")),
        id=piece["id"],
        error=error,
    )


def _explain_cut(whole: AIMessage) -> str:
    if not is_cut(whole):
        return ""
    return "; the answer was cut at its token limit: write less in one call"


def _get_finish_reason(message: AIMessage) -> str:
    """Return why the answer ended, by the protocol's own name for it."""
    facts = message.response_metadata
    return str(facts.get("finish_reason") or facts.get("stop_reason") or facts.get("status") or "")


def _ensure_not_empty(message: AIMessage) -> AIMessage:
    if message.tool_calls or message.invalid_tool_calls or message.text.strip():
        return message
    name, ended = (
        message.response_metadata.get("model_name", "the model"),
        _get_finish_reason(message),
    )
    if is_cut(message):
        raise OnlyThinkingError(
            text("`{name}` used up its answer's tokens before it said anything", name=name),
            hint="raise `max_tokens` of this model in the configuration",
        )
    if ended in FILTERED:
        raise EmptyAnswerError(
            text(
                "the provider's content filter blocked `{name}` ({reason})", name=name, reason=ended
            ),
            hint="rephrase the request",
            retryable=False,
        )
    raise EmptyAnswerError(
        text("`{name}` sent an empty answer", name=name), hint="try again in a while"
    )
