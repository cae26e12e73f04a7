"""Tokens of messages, without a tokenizer: bytes by their kind, corrected by what was reported."""

import json
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import cast

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage

from ...tools.result import IMAGES
from .cut import Cut

# tokens per byte of a kind, for what two real tokenizers counted: `evals/token_counts`. Words are
# long tokens, digits and marks short ones; the rest are the bytes of other scripts.
_KINDS = (
    (string.ascii_lowercase.encode(), 0.231),
    (string.ascii_uppercase.encode(), 0.74),
    (string.digits.encode(), 0.69),
    (b" ", 0.093),
    (b"\n\r\t", 0.57),
    (string.punctuation.encode(), 0.455),
)
OTHER_BYTES = 0.222
# for the role, the marks around a message, the names of its fields
MESSAGE_OVERHEAD = 4
CALL_OVERHEAD = 12
IMAGE = 1_500
# beyond these a report is about something else than what was sent
MIN_SCALE, MAX_SCALE = 0.5, 2.0
MAX_ESTIMATES = 4096
# by object, since a message is never changed in place; each is held so that its `id` stays its own
_estimates: dict[int, tuple[BaseMessage, int]] = {}
# sums up to a message, by the message, its place and the cut of its view: see `_estimate_before`
_sums: dict[tuple[int, int, str], tuple[BaseMessage, int]] = {}


@dataclass(frozen=True)
class TokenCount:
    """The size of a view."""

    used: int
    """Tokens of the next request, with system prompt and tools."""
    scale: float
    """Reported tokens per estimated token; 1.0 where none were reported."""
    is_reported: bool
    """Whether most of it is a provider's own count."""


def count_used(view: Sequence[AnyMessage], cut: Cut | None, fixed: int) -> TokenCount:
    """Return the size of the next request with this view.

    `fixed` is the estimate of what precedes it: system prompt, tools, context message. The newest
    answer's report counts, unless the answer is older than the cut: it was about the old view.
    """
    at = find_reported(view, cut, fixed)
    if at is None:
        scale = cut["scale"] if cut else 1.0
        estimated = fixed + _estimate_before(view, len(view), cut)
        return TokenCount(round(estimated * scale), scale, False)
    usage = cast(AIMessage, view[at]).usage_metadata
    assert usage is not None
    scale = compute_scale(usage["input_tokens"], fixed + _estimate_before(view, at, cut))
    reported = usage["input_tokens"] + usage["output_tokens"]
    return TokenCount(round(reported + estimate_tokens(view[at + 1 :]) * scale), scale, True)


def compute_scale(reported: int, estimated: int) -> float:
    """Return the factor from estimated to real tokens."""
    if not reported or not estimated:
        return 1.0
    return min(max(reported / estimated, MIN_SCALE), MAX_SCALE)


def estimate_tokens(messages: Iterable[BaseMessage]) -> int:
    """Return the estimated tokens of messages."""
    return sum(map(estimate_message, messages))


def _estimate_before(view: Sequence[BaseMessage], end: int, cut: Cut | None) -> int:
    """Return the estimated tokens of the messages before `end`.

    A step adds to the sum of the step before it, so that its cost does not grow with the thread.
    """
    name = cut["id"] if cut else ""
    cached_sum, tokens, at = None, 0, end
    while at and not (cached_sum := _sums.get((id(view[at - 1]), at, name))):
        tokens += estimate_message(view[at - 1])
        at -= 1
    total = tokens + (cached_sum[1] if cached_sum else 0)
    if end > at:
        if len(_sums) >= MAX_ESTIMATES:
            _sums.clear()
        _sums[id(view[end - 1]), end, name] = (view[end - 1], total)
    return total


def estimate_message(message: BaseMessage) -> int:
    """Return the estimated tokens of one message, with its calls and its thinking."""
    cached_estimate = _estimates.get(id(message))
    if cached_estimate is None:
        if len(_estimates) >= MAX_ESTIMATES:
            _estimates.clear()
        cached_estimate = _estimates[id(message)] = (message, _measure_message(message))
    return cached_estimate[1]


def _measure_message(message: BaseMessage) -> int:
    content = message.content
    tokens = MESSAGE_OVERHEAD
    if isinstance(content, str):
        tokens += estimate_text(content)
    else:
        for part in content:
            tokens += _estimate_part(part)
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            arguments = json.dumps(call["args"], ensure_ascii=False)
            tokens += CALL_OVERHEAD + estimate_text(call["name"]) + estimate_text(arguments)
        tokens += estimate_text(str(message.additional_kwargs.get("reasoning_content", "")))
    return tokens + IMAGE * len(message.additional_kwargs.get(IMAGES, ()))


def estimate_text(text: str) -> int:
    """Return the estimated tokens of a text."""
    data = text.encode("utf-8", "surrogatepass")
    tokens = 0.0
    for kind, share in _KINDS:
        if not data:
            break
        others = data.translate(None, kind)
        tokens += (len(data) - len(others)) * share
        data = others
    return ceil(tokens + len(data) * OTHER_BYTES)


def _estimate_part(part: object) -> int:
    if isinstance(part, str):
        return estimate_text(part)
    block = cast("dict[str, object]", part)
    if "image" in str(block.get("type")):
        return IMAGE
    return estimate_text(json.dumps(block, ensure_ascii=False, default=str))


def find_reported(view: Sequence[AnyMessage], cut: Cut | None, fixed: int) -> int | None:
    """Return the index of the newest answer that reports the size of this view.

    A report of much less is about a smaller view, from before a cut was dropped; or the server has
    cut the request without saying so.
    """
    made_at = cut["step"] if cut else 0
    for at in reversed(range(len(view))):
        message = view[at]
        if isinstance(message, AIMessage) and message.usage_metadata:
            is_newer = message.additional_kwargs.get("step", 0) > made_at
            least = MIN_SCALE * (fixed + _estimate_before(view, at, cut))
            is_whole = message.usage_metadata["input_tokens"] >= least
            return at if is_whole and (is_newer or not cut) else None
    return None
