"""Chat models with tool calls as XML in the text, around a model of any protocol."""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.prompt_values import ChatPromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from typing_extensions import override

from ..errors import ModelCallError, ToolsNotSupportedError
from ..invoke import CALL_ERRORS
from ..replay import without_output_parts
from ..resolver import ResolvedModel
from .call_parser import OPENING, FenceTracker, ParsedText, parse_calls
from .known_tools import KnownTool, KnownTools
from .refusals import ToolRefusals, is_tools_refusal
from .text_history import TextHistory

if TYPE_CHECKING:
    from .call_parser import TextCall


_PARTIAL = re.compile(r" {0,3}(?:<(?P<name>[A-Za-z][\w-]{0,63})?[ \t]*/?)?")
# Indexes of native calls are below this, should the endpoint parse calls itself
FIRST_INDEX = 10_000
_Model = Runnable[LanguageModelInput, AIMessage]


class CallStreamParser:
    """Accepts one answer's text in any portions."""

    def __init__(self, tools: KnownTools) -> None:
        self._tools = tools
        self._fences = FenceTracker()
        self._pending = ""
        self._line = ""
        """What was passed on of the current line."""
        self._is_holding = False

    def feed(self, portion: str) -> str:
        """Return the text that can be shown after this portion."""
        self._pending += portion
        parts = list[str]()
        while self._pending and not self._is_holding:
            if not self._line and not self._is_text():
                break
            line, newline, self._pending = self._pending.partition("\n")
            self._line += line
            parts.append(line + newline)
            if newline:
                self._fences.add_line(self._line)
                self._line = ""
        return "".join(parts)

    def close(self) -> ParsedText:
        """Return the rest of the text and the calls, at the end of the answer."""
        rest, self._pending = self._pending, ""
        return parse_calls(rest, self._tools) if self._is_holding else ParsedText(rest)

    def _is_text(self) -> bool:
        """Return whether the line that begins here is text; holds the rest at a known tool."""
        if self._fences.is_open:
            return True
        opening = OPENING.match(self._pending)
        if opening:
            self._is_holding = self._tools.find(opening[1]) is not None
            return not self._is_holding
        partial = _PARTIAL.fullmatch(self._pending)
        return partial is None or not self._tools.has_prefix(partial["name"] or "")


class _StreamingModel(_Model):
    """A model that has only `astream` of its own. Async only, as the models inside."""

    @override
    def invoke(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AIMessage:
        raise NotImplementedError("This model is async only: use `ainvoke` or `astream`")

    @override
    async def ainvoke(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AIMessage:
        stream = self.astream(input, config, **kwargs)
        chunks = [cast(AIMessageChunk, message) async for message in stream]
        return chunks[0] + chunks[1:]


class XmlCallsModel(_StreamingModel):
    """Sends no tools: describes them in the system prompt and reads calls from the text."""

    def __init__(
        self, chat_model: BaseChatModel, tools: KnownTools, offered: Sequence[str]
    ) -> None:
        self._chat_model = chat_model
        self._tools = tools
        self._offered = tuple(offered)
        self._history = TextHistory()

    @override
    async def astream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessage]:

        described = describe_tools([self._tools.tools[name] for name in self._offered])
        messages = self._history.convert_messages(_list_messages(input), described)
        prompt = ChatPromptValue.model_construct(messages=messages)
        parser = CallStreamParser(self._tools)
        async for message in self._chat_model.astream(prompt, config, **kwargs):
            yield _replace_text(message, parser.feed(str(message.text)))
        parsed = parser.close()
        yield _build_last_chunk(parsed.text, parsed.calls)


class AutoCallsModel(_StreamingModel):
    """Asks with native tools until the endpoint denies them, then as XML."""

    def __init__(
        self, native: _Model, xml: XmlCallsModel, resolved: ResolvedModel, refusals: ToolRefusals
    ) -> None:
        self._native = native
        self._xml = xml
        self._resolved = resolved
        self._refusals = refusals

    @override
    async def astream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessage]:
        """Stream the answer; raises ToolsNotSupportedError once: the next request is as XML."""
        denies_tools = self._refusals.has_model(self._resolved)
        chosen = self._xml if denies_tools else self._native
        try:
            async for message in chosen.astream(input, config, **kwargs):
                yield message
        except ModelCallError as error:
            if denies_tools or not is_tools_refusal(error.message):
                raise
            await self._refusals.add_model(self._resolved)
            raise ToolsNotSupportedError(
                error.message, hint="continue; calls are written as XML from now on"
            ) from error


def _list_messages(prompt: LanguageModelInput) -> Sequence[BaseMessage]:
    if isinstance(prompt, ChatPromptValue):
        return prompt.messages
    if isinstance(prompt, str):
        return [HumanMessage(prompt)]
    return cast("Sequence[BaseMessage]", prompt)


def _replace_text(message: AIMessage, text: str) -> AIMessageChunk:
    chunk = cast(AIMessageChunk, message)
    content: str | list[str | dict[Any, Any]] = text
    if not isinstance(chunk.content, str):
        blocks = [
            each for each in chunk.content if isinstance(each, dict) and each.get("type") != "text"
        ]
        content = [*blocks, *([{"type": "text", "text": text}] if text else [])]
    # a provider's own form of the answer holds the calls as text
    marks = without_output_parts(chunk.additional_kwargs)
    return chunk.model_copy(update={"content": content, "additional_kwargs": marks})


def _build_last_chunk(text: str, calls: "Sequence[TextCall]") -> AIMessageChunk:
    chunks = [_to_call_chunk(FIRST_INDEX + number, call) for number, call in enumerate(calls)]
    errors = {
        str(chunk["id"]): call.error
        for chunk, call in zip(chunks, calls, strict=True)
        if call.error
    }
    return AIMessageChunk(
        content=text,
        tool_call_chunks=chunks,
        additional_kwargs={CALL_ERRORS: errors} if errors else {},
        chunk_position="last",
    )


def _to_call_chunk(index: int, call: "TextCall") -> ToolCallChunk:
    # a JSON string is a call that cannot be run: see `to_valid_json`
    arguments = json.dumps(call.raw if call.error else call.args)
    return tool_call_chunk(
        name=call.name, args=arguments, id=f"call_{uuid4().hex[:24]}", index=index
    )


def describe_tools(tools: Sequence[KnownTool]) -> str:
    """Return how to call the tools, and each tool; the same bytes each time."""
    return "\n\n".join([_read_introduction(), *map(_describe_tool, tools)])


@cache
def _read_introduction() -> str:
    path = Path(__file__).with_name("tool_descriptions.md")
    return path.read_text(encoding="utf-8").strip()


def _describe_tool(tool: KnownTool) -> str:
    arguments = [
        _describe_argument(name, schema, is_required=name in tool.required)
        for name, schema in tool.arguments.items()
    ]
    return "\n".join([f"## {tool.name}", tool.description, "", *(arguments or ["No arguments."])])


def _describe_argument(name: str, schema: Mapping[str, Any], *, is_required: bool) -> str:
    description = str(schema.get("description", "")).strip()
    default = "" if schema.get("default") in (None, "", []) else json.dumps(schema["default"])
    notes = [
        _describe_type(schema),
        "required" if is_required else "",
        f"default {default}" if default else "",
    ]
    return (
        f"- `<{name}>` ({', '.join(filter(None, notes))}){': ' if description else ''}{description}"
    )


def _describe_type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        values = cast("list[object]", schema["enum"])
        return "one of " + ", ".join(map(str, values))
    choices = cast("list[Mapping[str, Any]]", schema.get("anyOf") or schema.get("oneOf") or [])
    if choices:
        names = [_describe_type(choice) for choice in choices if choice.get("type") != "null"]
        return " or ".join(dict.fromkeys(names))
    kind = schema.get("type", "text")
    if kind == "array":
        items = cast("Mapping[str, Any]", schema.get("items", {}))
        return f"list of {_describe_type(items)}" if items else "list"
    if kind == "object":
        return _describe_object(schema)
    return {"string": "text"}.get(str(kind), str(kind))


def _describe_object(schema: Mapping[str, Any]) -> str:
    fields = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    names = [
        f'"{name}"{"" if name in required else "?"}: {_describe_type(each)}'
        for name, each in fields.items()
    ]
    return "object {" + ", ".join(names) + "}" if names else "object"


def bind_tools(
    chat_model: BaseChatModel,
    offered: Sequence[BaseTool],
    known_tools: KnownTools,
    resolved: ResolvedModel,
    refusals: ToolRefusals,
) -> Runnable[LanguageModelInput, AIMessage]:
    """Return the model with these tools, in the form that it understands."""
    xml = XmlCallsModel(chat_model, known_tools, [tool.name for tool in offered])
    if resolved.tool_calls == "xml":
        return xml
    native = chat_model.bind_tools(offered)
    if resolved.tool_calls == "native":
        return native
    return AutoCallsModel(native, xml, resolved, refusals)
