"""The dialect of Anthropic Messages, for Anthropic and the endpoints that copy it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Any, cast
from urllib.parse import urlsplit

from langchain_core.messages import BaseMessage

from ..http.dialect import RequestOptions
from ..http.json_encoding import MessageCache, ToolCache, encode_json
from ..resolver import ResolvedModel
from ..thinking import build_thinking_fields, takes_temperature
from .answer_parser import AnthropicAnswerParser
from .conversation import (
    TurnHistory,
    add_mark,
    build_turns,
    encode_system,
    encode_turns,
    starts_with_thinking,
)
from .message_blocks import encode_message

VERSION = "2023-06-01"
# Tokens of thinking by effort, for models that think by a budget
BUDGETS = {"low": 4_000, "medium": 10_000, "high": 24_000, "max": 60_000}
MIN_BUDGET = 1024


class AnthropicDialect:
    """Anthropic Messages at one endpoint."""

    def __init__(self, resolved: ResolvedModel) -> None:
        self._resolved = resolved
        self._messages = MessageCache(lambda message: encode_message(message, resolved))
        self._tools = ToolCache(convert_tool)

    @property
    def path(self) -> str:
        """Return what follows the base URL; users of other protocols write its `/v1`."""
        path = urlsplit(self._resolved.base_url).path
        return "/messages" if path.endswith("/v1") else "/v1/messages"

    def build_headers(self) -> dict[str, str]:
        """Return the headers of every request."""
        provider, key = self._resolved.provider, self._resolved.api_key
        headers = {"anthropic-version": VERSION}
        if key:
            headers["x-api-key"] = key
        # Anthropic takes a bearer for the token of a login
        if key and provider.maker_name != "anthropic":
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def encode_tools(self, tools: Sequence[Any]) -> bytes:
        """Return the tools as a JSON list, in the given order."""
        return mark_last_tool(self._tools.encode_tools(tools))

    def build_request(
        self,
        messages: Sequence[BaseMessage],
        tools: bytes,
        options: RequestOptions,
        *,
        tool_choice: str = "",
        stop: Sequence[str] | None = None,
    ) -> bytes:
        """Return the whole body of a request."""
        encoded = self._messages.encode_messages(messages)
        fields = build_options(self._resolved, options, tools=bool(tools), tool_choice=tool_choice)
        thinking = get_thinking_state(fields, self._resolved)
        conversation = build_turns(encoded, thinking=thinking is not ThinkingState.OFF)
        if thinking is ThinkingState.MANUAL and not starts_with_thinking(conversation.turns):
            # refused: thinking cannot begin in the middle of a tool loop
            calm = replace(options, thinking="off")
            fields = build_options(self._resolved, calm, tools=bool(tools), tool_choice=tool_choice)
            conversation = build_turns(encoded, thinking=False)
        if stop:
            fields["stop_sequences"] = list(stop)
        return build_body(fields, tools, conversation)

    def open_parser(self) -> AnthropicAnswerParser:
        """Return the parser for one answer."""
        return AnthropicAnswerParser(self._resolved.target, self._resolved.provider.name)


class ThinkingState(Enum):
    """Whether a request thinks."""

    OFF = auto()
    ON = auto()
    MANUAL = auto()
    """With a budget and signed blocks: a tool loop must then begin with thinking."""


def build_options(
    resolved: ResolvedModel,
    options: RequestOptions,
    *,
    tools: bool,
    tool_choice: str = "",
) -> dict[str, Any]:
    """Build the fields of a request other than tools, system and messages."""
    fields: dict[str, Any] = {
        "model": resolved.model,
        "stream": True,
        "max_tokens": options.limit_tokens(resolved.max_tokens),
        **_build_thinking(resolved, options),
    }
    thinks = get_thinking_state(fields, resolved) is not ThinkingState.OFF
    explicit = "thinking" in fields and thinks
    allowed = takes_temperature(resolved, options) and not explicit
    if resolved.temperature is not None and allowed:
        fields["temperature"] = resolved.temperature
    choice = _build_tool_choice(resolved, tool_choice, thinks=explicit) if tools else {}
    fields |= {"tool_choice": choice} if choice else {}
    return options.remove_refused(fields, required="max_tokens")


def get_thinking_state(fields: Mapping[str, Any], resolved: ResolvedModel) -> ThinkingState:
    """Return whether a request with these fields thinks; endpoints may do so unasked."""
    echo = resolved.provider.reasoning_echo
    echoes = echo is not None and echo.field == "thinking_block"
    kind = fields.get("thinking", {}).get("type")
    if kind == "disabled" or (kind is None and not echoes):
        return ThinkingState.OFF
    return ThinkingState.MANUAL if kind == "enabled" and not echoes else ThinkingState.ON


def convert_tool(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the tool as this protocol describes it."""
    function = schema["function"]
    return {
        "name": function["name"],
        "description": function.get("description", ""),
        "input_schema": function.get("parameters") or {"type": "object", "properties": {}},
    }


def mark_last_tool(tools: bytes) -> bytes:
    """Return the JSON list of tools with a mark for the cache at its end."""
    return tools if tools == b"[]" else add_mark(tools[:-1]) + b"]"


def build_body(fields: Mapping[str, Any], tools: bytes, conversation: TurnHistory) -> bytes:
    """Join the parts of a request; `tools` is a JSON list or empty.

    Messages come last: a request repeats the one before it up to its new messages.
    """
    system = encode_system(conversation)
    return b"".join(
        (
            encode_json(fields)[:-1],
            b',"tools":' + tools if tools not in (b"", b"[]") else b"",
            b',"system":[' + system + b"]" if system else b"",
            b',"messages":[',
            encode_turns(conversation.turns),
            b"]}",
        )
    )


def _build_thinking(resolved: ResolvedModel, options: RequestOptions) -> dict[str, Any]:
    fields = build_thinking_fields(resolved, options)
    thinking = cast("dict[str, Any]", fields.get("thinking", {}))
    if thinking.get("type") != "enabled":
        return fields
    usual = int(thinking.get("budget_tokens", BUDGETS["medium"]))
    # the answer needs room too
    budget = min(BUDGETS.get(options.effort, usual), options.limit_tokens(resolved.max_tokens) // 2)
    if budget < MIN_BUDGET:
        return dict(resolved.provider.thinking_off)
    return {**fields, "thinking": {**thinking, "budget_tokens": budget}}


def _build_tool_choice(
    resolved: ResolvedModel, tool_choice: str, *, thinks: bool
) -> dict[str, Any]:
    # forcing a tool while thinking is refused
    forced = tool_choice not in ("", "auto", "none")
    if (thinks and forced) or not resolved.provider.accepts_choice(tool_choice):
        tool_choice = ""
    choice: dict[str, Any] = {}
    if tool_choice in ("required", "any"):
        choice = {"type": "any"}
    elif tool_choice in ("auto", "none"):
        choice = {"type": tool_choice}
    elif tool_choice:
        choice = {"type": "tool", "name": tool_choice}
    if not resolved.parallel_tool_calls and tool_choice != "none":
        choice = {"type": "auto", **choice, "disable_parallel_tool_use": True}
    return choice
