"""Dialect: how one protocol writes requests and reads answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from langchain_core.messages import AIMessageChunk, BaseMessage


@dataclass(frozen=True)
class RequestOptions:
    """Choices for one request; empty means the provider's default."""

    thinking: Literal["", "on", "off"] = ""
    effort: str = ""
    """How much to think: `low`, `medium`, `high` or `max`."""
    initiator: Literal["user", "agent"] = "agent"
    """`user`: the first request of a human's message, which Copilot bills."""
    tool_choice: Literal["", "none"] = ""
    """`none`: the answer calls no tool; where a provider has no such choice, none is offered."""
    max_tokens: int = 0
    """Most tokens of the answer, if fewer than the model's; 0: the model's."""
    refused: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """By the name of a field that the endpoint has refused the highest number it accepts, or 0."""

    def limit_tokens(self, usual: int) -> int:
        """Return the most tokens of the answer."""
        return min(self.max_tokens or usual, usual)

    def remove_refused(self, fields: dict[str, Any], *, required: str = "") -> dict[str, Any]:
        """Return the fields of a request as the endpoint accepts them."""
        if not self.refused:
            return fields
        from .refused_options import remove_refused

        refused = {name: limit for name, limit in self.refused.items() if name != required or limit}
        return remove_refused(fields, refused)


class AnswerParser(Protocol):
    """One answer: JSON objects in, chunks out; raises the error reported in the stream."""

    @property
    def is_finished(self) -> bool:
        """Return whether the model has marked its answer as complete."""
        ...

    @property
    def can_end(self) -> bool:
        """Return whether a formal end without a finish reason may be the end of the answer."""
        ...

    @property
    def progress(self) -> int:
        """Grow with each piece of the answer; a keep-alive and an empty delta do not count."""
        ...

    @property
    def characters(self) -> int:
        """Return the characters of text and thinking so far."""
        ...

    def feed(self, values: Sequence[Mapping[str, Any]]) -> list[AIMessageChunk]:
        """Return the chunks of these objects."""
        ...

    def close(self) -> list[AIMessageChunk]:
        """Return the last chunks, at the end of the stream; raises ModelCallError if it is cut."""
        ...


class Dialect(Protocol):
    """One protocol at one endpoint."""

    @property
    def path(self) -> str:
        """Return what follows the base URL, such as `/chat/completions`."""
        ...

    def build_headers(self) -> dict[str, str]:
        """Return the headers of every request, the key among them."""
        ...

    def encode_tools(self, tools: Sequence[Any]) -> bytes:
        """Return the tools as a JSON list, in the given order."""
        ...

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
        ...

    def open_parser(self) -> AnswerParser:
        """Return the parser for one answer."""
        ...
