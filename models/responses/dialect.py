"""The dialect of the Responses API, stateless: the server stores no conversation."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage

from ..http.dialect import RequestOptions
from ..http.json_encoding import MessageCache, ToolCache, encode_json
from ..replay import replay_reasoning
from ..resolver import ResolvedModel
from ..thinking import choose_effort
from ..tool_arguments import make_valid_name
from .answer_parser import ResponsesAnswerParser

ROLES = {"system": "system", "human": "user"}
# What every model that thinks accepts
EFFORTS = ("low", "medium", "high")
LOWEST_EFFORT, USUAL_EFFORT = "low", "medium"


class ResponsesDialect:
    """The Responses API at one endpoint."""

    path = "/responses"

    def __init__(self, resolved: ResolvedModel) -> None:
        self._resolved = resolved
        self._messages = MessageCache(lambda message: encode_message(message, resolved))
        self._instructions = MessageCache(encode_instructions)
        self._tools = ToolCache(convert_tool)

    def build_headers(self) -> dict[str, str]:
        """Return the headers of every request."""
        key = self._resolved.api_key
        return {"Authorization": f"Bearer {key}"} if key else {}

    def encode_tools(self, tools: Sequence[Any]) -> bytes:
        """Return the tools as a JSON list, in the given order."""
        return self._tools.encode_tools(tools)

    def build_request(
        self,
        messages: Sequence[BaseMessage],
        tools: bytes,
        options: RequestOptions,
        *,
        tool_choice: str = "",
        stop: Sequence[str] | None = None,
    ) -> bytes:
        """Return the whole body of a request; the API has no stop words."""
        fields = build_options(self._resolved, options, tools=bool(tools), tool_choice=tool_choice)
        system = find_instructions(messages)
        instructions = self._instructions.encode_messages([system])[0] if system else b""
        items = self._messages.encode_messages(messages[1:] if system else messages)
        return build_body(fields, instructions, tools, items)

    def open_parser(self) -> ResponsesAnswerParser:
        """Return the parser for one answer."""
        return ResponsesAnswerParser(self._resolved.target, self._resolved.provider.name)


def build_options(
    resolved: ResolvedModel,
    options: RequestOptions,
    *,
    tools: bool,
    tool_choice: str = "",
) -> dict[str, Any]:
    """Build the fields of a request other than instructions, tools and input."""
    fields: dict[str, Any] = {"model": resolved.model, "stream": True, "store": False}
    if can_think(resolved):
        fields["include"] = ["reasoning.encrypted_content"]
        fields |= _build_reasoning(resolved, options)
    elif resolved.temperature is not None:
        fields["temperature"] = resolved.temperature
    fields["max_output_tokens"] = options.limit_tokens(resolved.max_tokens)
    if tools:
        fields["parallel_tool_calls"] = resolved.parallel_tool_calls
        if tool_choice:
            fields["tool_choice"] = "required" if tool_choice == "any" else tool_choice
    return options.remove_refused(fields)


def can_think(resolved: ResolvedModel) -> bool:
    """Return whether the model thinks; an unknown one does if it has no temperature."""
    return resolved.temperature is None if resolved.thinking is None else resolved.thinking


def build_body(
    fields: Mapping[str, Any], instructions: bytes, tools: bytes, items: Iterable[bytes]
) -> bytes:
    """Join the parts of a request; `instructions` is a JSON string, `tools` a list, or empty."""
    # The input comes last: a request repeats the one before it byte for byte up to its new items,
    # which is what providers cache.
    instructions_field = b',"instructions":' + instructions if instructions else b""
    tools_field = b',"tools":' + tools if tools else b""
    input_items = b",".join(item for item in items if item)
    first = encode_json(fields)[:-1]
    return b"".join((first, instructions_field, tools_field, b',"input":[', input_items, b"]}"))


def convert_tool(schema: dict[str, Any]) -> dict[str, Any]:
    """Convert a tool of chat completions; strict mode, the default here, allows few schemas."""
    return {"type": "function", **cast("dict[str, Any]", schema["function"]), "strict": False}


def encode_instructions(message: BaseMessage) -> bytes:
    """Encode the system prompt as a JSON string."""
    return encode_json(str(message.text))


def encode_message(message: BaseMessage, target: ResolvedModel) -> bytes:
    """Encode one message as the items of the input, joined by commas."""
    return encode_json(convert_message(message, target))[1:-1]


def convert_message(message: BaseMessage, target: ResolvedModel) -> list[dict[str, Any]]:
    """Convert one message to the items of the input."""
    if isinstance(message, AIMessage):
        return _convert_answer(message, target)
    if isinstance(message, ToolMessage):
        output = _convert_content(message.content)
        called = {"type": "function_call_output", "call_id": message.tool_call_id}
        return [{**called, "output": output}]
    role = ROLES.get(message.type) or str(getattr(message, "role", "user"))
    return [{"role": role, "content": _convert_content(message.content)}]


def find_instructions(messages: Sequence[BaseMessage]) -> BaseMessage | None:
    """Return the system prompt: a system message at the very beginning."""
    return messages[0] if messages and isinstance(messages[0], SystemMessage) else None


def _build_reasoning(resolved: ResolvedModel, options: RequestOptions) -> dict[str, Any]:
    efforts = resolved.provider.efforts
    if options.thinking == "off":
        return {"reasoning": {"effort": efforts[0] if efforts else LOWEST_EFFORT}}
    if options.thinking == "on":
        requested_effort = options.effort or USUAL_EFFORT
        effort = choose_effort(efforts or EFFORTS, requested_effort) or USUAL_EFFORT
        return {"reasoning": {"effort": effort, "summary": "auto"}}
    return {}


def _convert_answer(answer: AIMessage, target: ResolvedModel) -> list[dict[str, Any]]:
    """Convert an earlier answer: its thinking where it was, each text and each call once."""
    calls: list[dict[str, Any]] = [
        _build_call(call["id"], call["name"], encode_json(call["args"]).decode())
        for call in answer.tool_calls
    ] + [_build_call(call["id"], call["name"], "{}") for call in answer.invalid_tool_calls]
    text = str(answer.text)
    parts = replay_reasoning(answer, target).parts
    if not parts or not _fit_parts(parts, text, len(calls)):
        return [*([_build_text(text)] if text else []), *calls]
    items: list[dict[str, Any]] = []
    for part in parts:
        if part["type"] == "text":
            items.append(_build_text(text[: part["length"]], part.get("phase")))
            text = text[part["length"] :]
        else:
            items.append(calls[int(part["index"])] if part["type"] == "tool_call" else part)
    return _drop_trailing_reasoning(items)


def _fit_parts(parts: Sequence[Mapping[str, Any]], text: str, calls: int) -> bool:
    """Return whether the parts name all of the text and each call once."""
    named = sorted(part["index"] for part in parts if part["type"] == "tool_call")
    lengths = sum(part["length"] for part in parts if part["type"] == "text")
    return lengths == len(text) and named == list(range(calls))


def _drop_trailing_reasoning(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop thinking that nothing follows, as in a cut answer: the API refuses it."""
    while items and items[-1].get("type") == "reasoning":
        items = items[:-1]
    return items


def _build_text(text: str, phase: object = None) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    message = {"type": "message", "role": "assistant", "content": content}
    return {**message, "phase": phase} if phase else message


def _build_call(identity: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    name = make_valid_name(name)
    call = {"type": "function_call", "call_id": identity or "", "name": name}
    return {**call, "arguments": arguments}


def _convert_content(
    content: str | Sequence[str | dict[Any, Any]],
) -> str | list[dict[str, Any]]:
    """Return content as one text, or with images as parts; unknown parts are dropped."""
    blocks = [content] if isinstance(content, str) else content
    parts = [part for block in blocks if (part := _convert_block(block))]
    if all(part["type"] == "input_text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _convert_block(block: str | dict[Any, Any]) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": "input_text", "text": block}
    fields = cast("dict[str, Any]", block)
    kind = fields.get("type")
    if kind == "text":
        return {"type": "input_text", "text": str(fields.get("text", ""))}
    if kind == "image":
        data = f"data:{fields.get('mime_type')};base64,{fields.get('base64')}"
        return {"type": "input_image", "image_url": fields.get("url") or data}
    if kind == "image_url":
        image = fields.get("image_url")
        details = cast("dict[str, Any]", image) if isinstance(image, dict) else {"url": image}
        return {"type": "input_image", "image_url": details.get("url")}
    return fields if kind in ("input_image", "input_file") else {}
