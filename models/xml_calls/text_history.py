"""Earlier calls and results as text, for a model without native calling."""

import json
from collections.abc import Sequence
from itertools import groupby

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ..replay import without_output_parts

RESULT_END = "</tool_result>"
# Conversions kept besides those of the latest request
MAX_CACHED = 1000

_Key = tuple[int, ...]


class TextHistory:
    """Converts a conversation; the same messages always give the same object, which is cached.

    Neighbouring messages of the user and results become one: many models without native calling
    have templates that demand alternating roles.
    """

    def __init__(self) -> None:
        self._converted: dict[_Key, tuple[tuple[BaseMessage, ...], BaseMessage]] = {}

    def convert_messages(self, messages: Sequence[BaseMessage], tools: str) -> list[BaseMessage]:
        """Return the messages as text, with the description of the tools in the first."""
        groups = [
            part
            for is_user, group in groupby(messages, _is_user_text)
            for part in ([tuple(group)] if is_user else [(message,) for message in group])
        ]
        cache = self._converted
        for group in groups:
            if (key := _to_key(group)) not in cache:
                cache[key] = (group, _convert_group(group, tools))
        converted = [cache[_to_key(group)][1] for group in groups]
        if len(cache) > len(groups) + MAX_CACHED:
            self._converted = {_to_key(group): cache[_to_key(group)] for group in groups}
        if not messages or not isinstance(messages[0], SystemMessage):
            return [SystemMessage(tools), *converted]
        return converted


def format_call(name: str, args: dict[str, object]) -> str:
    """Return a call as the model would have written it."""
    lines = [f"<{name}>"]
    for argument, value in args.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        is_long = "\n" in text or text != text.strip()
        lines.append(f"<{argument}>\n{text}\n</{argument}>" if is_long else _tag(argument, text))
    return "\n".join([*lines, f"</{name}>"])


def format_result(result: ToolMessage) -> str:
    """Return a result as the user's message has it."""
    ok = "false" if result.status == "error" else "true"
    # a file must not end its own result and speak as the user after it
    content = str(result.text).replace(RESULT_END, "<\\/tool_result>")
    return f'<tool_result tool="{result.name or "?"}" ok="{ok}">\n{content}\n{RESULT_END}'


def _convert_group(group: tuple[BaseMessage, ...], tools: str) -> BaseMessage:
    first = group[0]
    if isinstance(first, SystemMessage):
        return SystemMessage(f"{first.text}\n\n{tools}", id=first.id)
    if isinstance(first, AIMessage):
        return _convert_answer(first)
    if len(group) == 1 and not isinstance(first, ToolMessage):
        return first
    texts = [
        format_result(message) if isinstance(message, ToolMessage) else str(message.text)
        for message in group
    ]
    return HumanMessage("\n\n".join(texts))


def _convert_answer(answer: AIMessage) -> AIMessage:
    if not (answer.tool_calls or answer.invalid_tool_calls):
        return answer
    calls = [format_call(call["name"], call["args"]) for call in answer.tool_calls]
    # as it was written; a broken native call is named, so that its result has an answer
    broken = [
        args
        if (args := call["args"] or "").lstrip().startswith("<")
        else format_call(call["name"] or "?", {})
        for call in answer.invalid_tool_calls
    ]
    # the parts of an answer in its provider's own form hold calls that no result belongs to
    marks = without_output_parts(answer.additional_kwargs)
    texts = [str(answer.text).strip(), *calls, *broken]
    return AIMessage(
        "\n\n".join(filter(None, texts)),
        id=answer.id,
        additional_kwargs=marks,
        response_metadata=answer.response_metadata,
    )


def _is_user_text(message: BaseMessage) -> bool:
    if isinstance(message, ToolMessage):
        return True
    return isinstance(message, HumanMessage) and isinstance(message.content, str)


def _to_key(group: tuple[BaseMessage, ...]) -> _Key:
    return tuple(map(id, group))


def _tag(name: str, text: str) -> str:
    return f"<{name}>{text}</{name}>"
