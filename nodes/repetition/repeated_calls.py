"""Read-only calls that repeat an earlier one: one line answers them while that one still stands."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from itertools import islice

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage

from ...tools.runtime.registry import canonical
from ...tools.tool_table import select_names
from ..conversation.cut import Cut
from ..messages.images import has_images
from ..tool_task import UNCHANGED_SINCE, EarlierAnswer, PendingCall

REPEATABLE = select_names(lambda entry: entry.is_repeatable)
# Further back a model is better shown the answer again
RECENT = 200
# Characters of an answer that saves nothing worth a reference
SHORT = 300
MAX_NAMED_LENGTH = 100
MAX_KNOWN = 2_000
_known_calls: dict[str, tuple[Mapping[str, object], tuple[str, Mapping[str, object]]]] = {}
UNCHANGED = (
    "Unchanged since step {step}: `{call}` gives the same answer as there. Go on with that answer; "
    "repeat the call only if you need it in full once more."
)


def find_earlier_answer(
    newest_first: Iterable[AnyMessage], name: str, args: Mapping[str, object], cut: Cut | None
) -> EarlierAnswer | None:
    """Return the newest answer to the same call if the model was given it in full and still has it.

    `newest_first` are the messages of its role; `cut` is what it is no longer sent of them.
    """
    if name not in REPEATABLE:
        return None
    results = dict[str, ToolMessage]()
    for message in islice(newest_first, RECENT):
        if cut and message.id == cut["upto"]:
            return None
        if isinstance(message, ToolMessage) and message.name == name:
            results[message.tool_call_id] = message
        elif isinstance(message, AIMessage) and results:
            for call in message.tool_calls:
                result = results.get(call["id"] or "")
                if result and _read_call(call) == (name, args):
                    step = message.additional_kwargs.get("step", 0)
                    return _refer_to(result, step) if _is_whole(result, cut) else None
    return None


def _read_call(call: ToolCall) -> tuple[str, Mapping[str, object]]:
    """Return an earlier call under its tool's own names; each step asks for the same calls."""
    key = call["id"] or ""
    cached_call = _known_calls.get(key)
    if cached_call is None or cached_call[0] != call["args"]:
        if len(_known_calls) >= MAX_KNOWN:
            _known_calls.clear()
        cached_call = _known_calls[key] = (call["args"], canonical(call["name"], call["args"]))
    return cached_call[1]


def shorten_repeated_answer(
    message: ToolMessage, earlier: EarlierAnswer, call: PendingCall
) -> dict[str, int]:
    """Make the answer one line if it says the same as the earlier one; return what to report of it.

    Its marks stay, so the files that it would have shown count as seen.
    """
    if earlier["digest"] != _compute_digest(message):
        return {}
    named = describe_call(call["name"], call["args"])
    message.content = UNCHANGED.format(step=earlier["step"], call=named)
    message.additional_kwargs[UNCHANGED_SINCE] = earlier["call"]
    return {UNCHANGED_SINCE: earlier["step"]}


def describe_call(name: str, args: Mapping[str, object]) -> str:
    """Return the call as one line."""
    named = ", ".join(f"{key}={json.dumps(value, default=str)}" for key, value in args.items())
    short = named if len(named) <= MAX_NAMED_LENGTH else f"{named[:MAX_NAMED_LENGTH]}…"
    return f"{name}({short})"


def _is_whole(result: ToolMessage, cut: Cut | None) -> bool:
    is_hidden = bool(cut) and result.id in cut["pruned"]
    is_reference = UNCHANGED_SINCE in result.additional_kwargs
    return not (is_hidden or is_reference or has_images(result)) and result.status == "success"


def _refer_to(result: ToolMessage, step: int) -> EarlierAnswer | None:
    if len(result.text) <= SHORT:
        return None
    return EarlierAnswer(call=result.tool_call_id, step=step, digest=_compute_digest(result))


def _compute_digest(result: ToolMessage) -> str:
    seen = json.dumps(result.additional_kwargs.get("seen", {}), sort_keys=True)
    return hashlib.sha256(f"{seen}\n{result.text}".encode(errors="replace")).hexdigest()
