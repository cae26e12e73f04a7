"""The call of a hook that is a function of the program."""

import asyncio
import inspect
from collections.abc import Mapping

from ...config.security.redaction import redact
from ...config.settings.hook_entries import HookEvent
from ...config.settings.hooks import HookFunction
from ...config.text import text
from .answer import MAX_TEXT_LENGTH, HookAnswer


async def call_hook(
    event: HookEvent, function: HookFunction, payload: Mapping[str, object]
) -> HookAnswer:
    """Return what the function answers: None passes, a text denies a call or is for the model."""
    try:
        if inspect.iscoroutinefunction(function):
            answer = await function(payload)
        else:
            answer = await asyncio.to_thread(function, payload)
    except Exception as error:
        return _fail(event, f"{type(error).__name__}: {error}")
    if answer is None:
        return HookAnswer()
    if not isinstance(answer, str):
        return _fail(event, text("it returned {value}, not a text", value=repr(answer)))
    answer = redact(answer)[:MAX_TEXT_LENGTH]
    if event in ("before_tool", "on_stop"):
        return HookAnswer("deny", answer)
    return HookAnswer(note=answer)


def _fail(event: HookEvent, reason: str) -> HookAnswer:
    """A guard that cannot answer lets nothing pass unasked."""
    return HookAnswer("ask" if event == "before_tool" else "failed", redact(reason))
