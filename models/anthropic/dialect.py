"""The dialect of Anthropic Messages, for Anthropic and the endpoints that copy it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from langchain_core.messages import BaseMessage

from ..http.dialect import RequestOptions
from ..http.json_encoding import MessageCache, ToolCache
from ..resolver import ResolvedModel
from .answer_parser import AnthropicAnswerParser
from .conversation import build_turns, starts_with_thinking
from .message_blocks import encode_message
from .request_format import (
    ThinkingState,
    build_body,
    build_options,
    convert_tool,
    get_thinking_state,
    mark_last_tool,
)

VERSION = "2023-06-01"


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
