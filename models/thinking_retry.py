"""Repeat of a request whose answer was used up by thinking: once, without thinking."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from langchain_core.messages import AIMessage

from .errors import OnlyThinkingError
from .http.dialect import RequestOptions


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
