"""Parts of a request that a provider refuses: left out with words in their place, for good.

What is refused once stands in every later request of the thread, so each message would fail. A note
in the conversation names the messages; each later request leaves the same out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ...config.text import join_texts, text
from ...models.errors import (
    ContentRefusedError,
    ContextOverflowError,
    InputRefusedError,
    InvalidRequestError,
    ModelCallError,
)
from ...tools.result import IMAGES
from ..messages.images import REFUSED, has_images

NOTE = "(The model's provider refused {what}, so it is left out of the conversation.)"
RESULT = "the result of {tools}"
PICTURES = "pictures"
REWIND = "if every message fails, `mcode rewind {thread} --to {step}` goes back"
NO_RESULT = "[The model's provider refused this result, so it is left out. Do without it.]"
NO_PICTURE = "\n[The model's provider refused the picture, so it is left out.]"
_ABOUT_PICTURES = re.compile(
    r"image|picture|photo|media.?type|base64|图片|图像|unsupported.{0,20}format", re.IGNORECASE
)


def find_refusals(error: ModelCallError, messages: Sequence[BaseMessage]) -> dict[str, str]:
    """Return by message what its provider refuses: `image` or `result`; empty: it cannot be known.

    What is new since the last answer is to blame, unless the provider speaks of pictures and there
    is no new one.
    """
    new = messages[_find_last_answer(messages) + 1 :]
    is_about_pictures = _ABOUT_PICTURES.search(error.message)
    if isinstance(error, ContextOverflowError) and not is_about_pictures:
        return {}
    if isinstance(error, InputRefusedError):
        results = [message for message in new if isinstance(message, ToolMessage)]
        return {str(message.id): "result" for message in results}
    pictured = [message for message in new if has_images(message)]
    if not pictured and is_about_pictures:
        pictured = [message for message in messages if has_images(message)]
    return {str(message.id): "image" for message in pictured}


def describe_refusals(refusals: Mapping[str, str], messages: Sequence[BaseMessage]) -> str:
    """Return what the note says was refused."""
    if "image" in refusals.values():
        return text(PICTURES)
    refused = (message for message in messages if str(message.id) in refusals)
    names = dict.fromkeys(f"`{message.name}`" for message in refused)
    return text(RESULT, tools=", ".join(names))


def replace_refusals(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages of a request without what notes among them say was refused."""
    refusals: dict[str, str] = {}
    for message in messages:
        if marks := message.additional_kwargs.get(REFUSED):
            refusals |= cast("dict[str, str]", marks)
    if not refusals:
        return [*messages]
    return [
        _replace_content(message, refusals[str(message.id)])
        if str(message.id) in refusals
        else message
        for message in messages
    ]


def add_rewind_hint(
    error: ModelCallError, thread: str, messages: Sequence[BaseMessage], steps: int
) -> None:
    """Add to an error how to go back to before what is refused, which stays in the conversation."""
    if not steps or not isinstance(error, InvalidRequestError | ContentRefusedError):
        return
    is_result = bool(messages) and isinstance(messages[-1], ToolMessage)
    step = steps - 1 if is_result else steps
    hint = text(REWIND, thread=thread[:8], step=step)
    error.hint = join_texts("; ", [error.hint, hint]) if error.hint else hint


def _replace_content(message: BaseMessage, kind: str) -> BaseMessage:
    marks = {name: mark for name, mark in message.additional_kwargs.items() if name != IMAGES}
    content = NO_RESULT if kind == "result" else f"{message.text}{NO_PICTURE}"
    update: dict[str, Any] = {"content": content, "additional_kwargs": marks}
    return message.model_copy(update=update)


def _find_last_answer(messages: Sequence[BaseMessage]) -> int:
    for at in range(len(messages) - 1, -1, -1):
        if isinstance(messages[at], AIMessage):
            return at
    return -1


def mark_refusals(note: HumanMessage, refusals: Mapping[str, str]) -> HumanMessage:
    """Mark a note with what is left out from now on."""
    note.additional_kwargs[REFUSED] = dict(refusals)
    return note
