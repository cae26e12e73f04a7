"""What is sent of a pruned message: one line for a result, short arguments for calls."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ...models.replay import without_output_parts

RESULT = "[Left out to save room: {count:,} lines of {call}{outcome}. {again}]"
AGAIN = "Call it again if you need it, for a smaller part if it is long."
STORED = 'The whole output: command_output(id="{id}").'
ARGUMENT = "{start}[… {count:,} characters of this argument are left out to save room …]"
# Characters of a call and of an error's first line that a stub shows
MAX_CALL_LENGTH, MAX_ERROR_LENGTH = 160, 200
# Characters of an argument that stay, and from which on it is shortened
ARGUMENT_START, MAX_ARGUMENT_LENGTH = 80, 400
_OUTPUT_ID = re.compile(r'command_output\(id="([\w-]+)"\)')


def build_stubs(messages: Sequence[AnyMessage], pruned: Collection[str]) -> dict[str, AnyMessage]:
    """Return the stubs of the pruned ones of these messages, by ID; the same for the same ones."""
    stubs, calls = dict[str, AnyMessage](), dict[str, Mapping[str, Any]]()
    for message in messages if pruned else ():
        if isinstance(message, AIMessage):
            calls = {
                str(call["id"]): cast("Mapping[str, Any]", call) for call in message.tool_calls
            }
            if message.id in pruned:
                stubs[str(message.id)] = shorten_arguments(message)
        elif isinstance(message, ToolMessage) and message.id in pruned:
            call = calls.get(message.tool_call_id, {"name": message.name or "?", "args": {}})
            stubs[str(message.id)] = _build_result_stub(message, call)
    return stubs


def shorten_arguments(answer: AIMessage) -> AIMessage:
    """Return the answer with the same calls, their long arguments cut to the beginning."""
    calls = [{**call, "args": _shorten_value(call["args"])} for call in answer.tool_calls]
    return answer.model_copy(
        update={
            "tool_calls": calls,
            "additional_kwargs": without_output_parts(answer.additional_kwargs),
        }
    )


def format_call(call: Mapping[str, Any]) -> str:
    """Return a call on one line: its name and the beginning of its arguments."""
    arguments = call["args"]
    values = [*arguments.values()]
    if len(values) == 1 and isinstance(values[0], str):
        words = values[0]
    else:
        words = json.dumps(arguments, ensure_ascii=False) if arguments else ""
    line = " ".join(words.split())
    short = line if len(line) <= MAX_CALL_LENGTH else f"{line[:MAX_CALL_LENGTH]}…"
    return f"{call['name']} `{short}`" if short else str(call["name"])


def _build_result_stub(result: ToolMessage, call: Mapping[str, Any]) -> ToolMessage:
    words = str(result.text)
    first = words.split("\n", 1)[0][:MAX_ERROR_LENGTH]
    stored = _OUTPUT_ID.search(words)
    text = RESULT.format(
        count=words.count("\n") + 1,
        call=format_call(call),
        outcome=f", which failed: {first}" if result.status == "error" else "",
        again=STORED.format(id=stored[1]) if stored else AGAIN,
    )
    role = {"role": result.additional_kwargs.get("role")}
    return result.model_copy(update={"content": text, "additional_kwargs": role})


def _shorten_value(value: Any) -> Any:
    if isinstance(value, str):
        if len(value) <= MAX_ARGUMENT_LENGTH:
            return value
        left = len(value) - ARGUMENT_START
        return ARGUMENT.format(start=value[:ARGUMENT_START], count=left)
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: _shorten_value(each) for name, each in fields.items()}
    if isinstance(value, list):
        return [_shorten_value(each) for each in cast("list[Any]", value)]
    return value
