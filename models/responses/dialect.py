"""The dialect of the Responses API, stateless: the server stores no conversation."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from ..http.dialect import RequestOptions
from ..http.json_encoding import MessageCache, ToolCache
from ..resolver import ResolvedModel
from .answer_parser import ResponsesAnswerParser
from .request_format import (
    build_body,
    build_options,
    convert_tool,
    encode_instructions,
    encode_message,
    find_instructions,
)


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
