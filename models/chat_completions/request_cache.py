"""Writes requests; each message and each tool becomes JSON only once."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from ..resolver import ResolvedModel
from .request_format import build_body, build_options, encode_json, encode_message

FORGET_ABOVE = 1000
"""Messages kept beside those of the latest request, so that roles may take turns."""


class RequestWriter:
    """Keeps what is already JSON, by object: a message is never changed in place."""

    def __init__(self, resolved: ResolvedModel) -> None:
        self._resolved = resolved
        self._messages: dict[int, tuple[BaseMessage, bytes]] = {}
        self._tools: dict[int, tuple[object, bytes]] = {}

    def encode_tools(self, tools: Sequence[Any]) -> bytes:
        """The tools as a JSON list, in the order given."""
        for tool in tools:
            if id(tool) not in self._tools:
                self._tools[id(tool)] = (tool, encode_json(convert_to_openai_tool(tool)))
        return b"[" + b",".join(self._tools[id(tool)][1] for tool in tools) + b"]"

    def build_request(
        self,
        messages: Sequence[BaseMessage],
        tools: bytes,
        *,
        tool_choice: str = "",
        stop: Sequence[str] | None = None,
    ) -> bytes:
        """The whole body of a request."""
        fields = build_options(self._resolved, tools=bool(tools), tool_choice=tool_choice)
        if stop:
            fields["stop"] = list(stop)
        return build_body(fields, tools, self._encode_messages(messages))

    def _encode_messages(self, messages: Sequence[BaseMessage]) -> list[bytes]:
        known, asked = self._messages, {id(message): message for message in messages}
        for key, message in asked.items():
            if key not in known:
                known[key] = (message, encode_message(message, self._resolved.provider))
        if len(known) > len(asked) + FORGET_ABOVE:
            self._messages = {key: known[key] for key in asked}
        return [known[id(message)][1] for message in messages]
