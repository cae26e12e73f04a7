"""The dialect of chat completions, for every compatible endpoint."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from ..http.dialect import RequestOptions
from ..http.json_encoding import MessageCache, ToolCache
from ..resolver import ResolvedModel
from .answer_parser import ChatAnswerParser
from .request_format import build_body, build_options, encode_message


class ChatCompletionsDialect:
    """Chat completions at one endpoint."""

    path = "/chat/completions"

    def __init__(self, resolved: ResolvedModel) -> None:
        self._resolved = resolved
        self._messages = MessageCache(lambda message: encode_message(message, resolved))
        self._tools = ToolCache(lambda schema: schema)

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
        """Return the whole body of a request."""
        fields = build_options(self._resolved, options, tools=bool(tools), tool_choice=tool_choice)
        if stop:
            fields["stop"] = list(stop)
        return build_body(fields, tools, self._messages.encode_messages(messages))

    def open_parser(self) -> ChatAnswerParser:
        """Return the parser for one answer."""
        return ChatAnswerParser(self._resolved.target, self._resolved.provider.name)
