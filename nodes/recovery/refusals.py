"""Parts of a request that a provider refuses: left out with words in their place, for good.

What is refused once stands in every later request of the thread, so each message would fail. A note
in the conversation names the messages; each later request leaves the same out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from ...config.text import join_texts, text
from ...models.errors import (
    ContentRefusedError,
    ContextOverflowError,
    InputRefusedError,
    InvalidRequestError,
    ModelCallError,
)
from ...models.resolver import ResolvedModel
from ...tools.result import IMAGES
from ..conversation.token_estimate import estimate_tokens
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
NOTICE = (
    "`{model}` was sent about {sent} tokens and read {read}: its server cuts the prompt. Give it a "
    "larger context: `OLLAMA_CONTEXT_LENGTH` or `num_ctx` of Ollama, `-c` of llama.cpp, the "
    "model's settings in LM Studio"
)
# A server that counts less does not count prompts
MIN_READ = 1_000
# A count below this share of the estimate is no error of the estimate
MIN_SHARE = 0.4
# The same count twice, of this kind, is a window; the estimate is above it by this factor
ROUND, ABOVE = 1_024, 1.15
_read_last: dict[str, int] = {}
_noticed: set[str] = set()


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


def find_cut_prompt(
    thread: str,
    model: ResolvedModel,
    fixed: int,
    request: Sequence[AnyMessage],
    answer: AIMessage,
    tool_tokens: int = 0,
) -> str:
    """Return a notice, once a thread, if the server has read far less than it was sent; else empty.

    `fixed` are the estimated tokens of system prompt and tools, `tool_tokens` those of the tools
    alone: some servers do not count them. A multiple of 1,024 is a window all the same.
    """
    read = answer.usage_metadata["input_tokens"] if answer.usage_metadata else 0
    if read < MIN_READ or thread in _noticed or not _is_of_user(model):
        return ""
    sent, last = fixed + estimate_tokens(request), _read_last.get(thread)
    _read_last[thread] = read
    is_window = last == read and read % ROUND == 0 and sent > read * ABOVE
    counted = sent - tool_tokens if read % ROUND else sent
    if read >= counted * MIN_SHARE and not is_window:
        return ""
    _noticed.add(thread)
    return text(NOTICE, model=model.name, sent=f"{sent:,}", read=f"{read:,}")


def _is_of_user(model: ResolvedModel) -> bool:
    """Return whether the server is the user's own: at another address than the provider's."""
    host = urlsplit(model.base_url).hostname or ""
    is_near = host in ("localhost", "::1", "host.docker.internal") or host.startswith(
        ("127.", "10.", "192.168.", "172.")
    )
    return model.provider.local or is_near or host.endswith((".local", ".internal", ".lan"))
