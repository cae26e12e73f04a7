"""The dialect of Anthropic Messages, for Anthropic and the endpoints that copy it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, cast
from urllib.parse import urlsplit

from langchain_core.messages import BaseMessage

from ..http.dialect import RequestOptions
from ..http.json_encoding import MessageCache, ToolCache, encode_json
from ..resolver import ResolvedModel
from ..thinking import build_thinking_fields, takes_temperature
from .answer_parser import AnthropicAnswerParser
from .message_blocks import Block, EncodedMessage, Role, encode_message

MARK = b',"cache_control":{"type":"ephemeral"}}'
LOST = "No result: the call was interrupted."


@dataclass
class Turn:
    """One message as the protocol knows it: everything that one side says at once."""

    role: Role
    blocks: list[Block] = field(default_factory=list[Block])


@dataclass(frozen=True)
class TurnHistory:
    """A whole history."""

    system: list[Block]
    turns: list[Turn]


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


def build_turns(messages: Sequence[EncodedMessage], *, thinking: bool) -> TurnHistory:
    """Merge messages of one side; each call gets its result at once, and only once."""
    system, turns = list[Block](), list[Turn]()
    for message in messages:
        blocks = message.blocks if thinking else message.without_thinking
        if message.role == "system" and not turns:
            system.extend(blocks)
        elif blocks:
            role: Role = "assistant" if message.role == "assistant" else "user"
            if not turns or turns[-1].role != role:
                _answer_calls(turns)
                turns.append(Turn(role))
            turns[-1].blocks.extend(blocks)
    if turns and turns[-1].role == "assistant" and _list_calls(turns[-1]):
        turns.append(Turn("user"))
    _answer_calls(turns)
    return TurnHistory(system, [turn for turn in turns if turn.blocks])


def starts_with_thinking(turns: Sequence[Turn]) -> bool:
    """Return whether the open tool loop began with thinking; also if there is no open loop."""
    first: Turn | None = None
    for turn in reversed(turns):
        if turn.role == "assistant":
            first = turn
        elif not any(block.kind == "result" for block in turn.blocks):
            break
    return first is None or first.blocks[0].kind == "thinking"


def encode_system(conversation: TurnHistory) -> bytes:
    """Return the system blocks as JSON, with a mark at their end."""
    blocks = [block.data for block in conversation.system]
    if blocks:
        blocks[-1] = add_mark(blocks[-1])
    return b",".join(blocks)


def encode_turns(turns: Sequence[Turn]) -> bytes:
    """Return the turns as JSON.

    Two marks: at the last block, which the next request reads back to, and before the newest
    message of the user, where rewinds and forks begin. They move on, so a request repeats the one
    before it byte for byte, but for the marks; servers leave the marks out of what they compare.
    """
    marked = {len(turns) - 1, _find_last_human_turn(turns) - 1}
    return b",".join(_encode_turn(turn, mark=i in marked) for i, turn in enumerate(turns))


def add_mark(encoded: bytes) -> bytes:
    """Return the JSON object with a mark: the prefix up to here is worth keeping."""
    return encoded[:-1] + MARK


def _encode_turn(turn: Turn, *, mark: bool) -> bytes:
    blocks = [block.data for block in turn.blocks]
    # a mark at a thinking block is refused
    places = [i for i, block in enumerate(turn.blocks) if block.kind != "thinking"] if mark else []
    if places:
        blocks[places[-1]] = add_mark(blocks[places[-1]])
    return b'{"role":"%s","content":[%s]}' % (turn.role.encode(), b",".join(blocks))


def _find_last_human_turn(turns: Sequence[Turn]) -> int:
    for index in range(len(turns) - 1, -1, -1):
        if turns[index].role == "user" and turns[index].blocks[0].kind != "result":
            return index
    return 0


def _answer_calls(turns: list[Turn]) -> None:
    """Put the results of the last turn first, in the order of their calls, and add missing ones."""
    if not turns or turns[-1].role != "user":
        return
    calls = _list_calls(turns[-2]) if len(turns) > 1 else []
    blocks = turns[-1].blocks
    results = {block.call_id: block for block in blocks if block.kind == "result"}
    if calls or results:
        others = [block for block in blocks if block.kind != "result"]
        answers = [results.get(call_id) or _build_missing_result(call_id) for call_id in calls]
        turns[-1].blocks = [*answers, *others]


def _list_calls(turn: Turn) -> list[str]:
    return [block.call_id for block in turn.blocks if block.kind == "call"]


def _build_missing_result(call_id: str) -> Block:
    fields = {"type": "tool_result", "tool_use_id": call_id, "content": LOST, "is_error": True}
    return Block("result", encode_json(fields), call_id)
