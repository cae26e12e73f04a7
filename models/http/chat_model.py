"""Chat model over HTTP, for every protocol that has a dialect."""

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation
from typing_extensions import override

from ...config.text import text
from ..auth.access import AccessSource
from ..error_classification import HINTS
from ..errors import ContextOverflowError, InvalidRequestError
from ..resolver import ResolvedModel
from ..streaming_model import StreamingChatModel
from .client import EndpointClient
from .dialect import Dialect, RequestOptions

_logger = logging.getLogger(__name__)


class HttpChatModel(StreamingChatModel):
    """Sends requests, streams, never retries, raises `ModelCallError`. Async only; has `aclose`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    resolved: SkipValidation[ResolvedModel]
    dialect: SkipValidation[Dialect] = Field(repr=False)
    tools: SkipValidation[bytes] = Field(default=b"", repr=False)
    """The bound tools as JSON."""
    tool_choice: str = ""
    _connection: EndpointClient = PrivateAttr()
    _refused: dict[str, int] = PrivateAttr(default_factory=dict[str, int])

    @override
    def model_post_init(self, context: Any, /) -> None:
        self._connection = EndpointClient(self.resolved, self.dialect, self._open_source())

    def _open_source(self) -> AccessSource | None:
        if self.resolved.login is None:
            return None
        from ..auth.copilot import CopilotAccess

        return CopilotAccess(self.resolved.login)

    @property
    @override
    def _llm_type(self) -> str:
        return "maxagent-http"

    @property
    @override
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.resolved.name}

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> "HttpChatModel":
        """Return a copy that offers these tools, on the same connection."""
        return self.model_copy(
            update={"tools": self.dialect.encode_tools(tools), "tool_choice": tool_choice or ""}
        )

    async def aclose(self) -> None:
        """Close the connections of this model and of its copies with tools."""
        await self._connection.close()

    @override
    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        options: RequestOptions = kwargs.get("options", RequestOptions())
        tools, choice = self.tools, self.tool_choice
        if options.tool_choice == "none":
            # with the tools in it, the request begins as the one before it, which is cached
            accepted = self.resolved.provider.accepts_choice("none")
            tools, choice = (tools, "none") if accepted else (b"", "")
        while True:
            accepted_options = replace(options, refused=self._refused)
            request = self.dialect.build_request(
                messages, tools, accepted_options, tool_choice=choice, stop=stop
            )
            try:
                async for chunk in self._connection.stream_answer(request, options):
                    self._check_window(chunk)
                    yield ChatGenerationChunk(message=chunk)
                return
            except InvalidRequestError as error:  # it comes before all chunks
                if not self._learn_refusal(error, options):
                    raise

    def _learn_refusal(self, error: InvalidRequestError, options: RequestOptions) -> bool:
        """Note the option that the error refuses; return whether another request may succeed."""
        if type(error) is not InvalidRequestError:
            return False
        from .refused_options import find_refused_option

        refusal = find_refused_option(error.reason, options.limit_tokens(self.resolved.max_tokens))
        if refusal is None:
            return False
        name, limit = refusal
        known_limit = self._refused.get(name)
        if known_limit is not None and limit >= known_limit:
            return False
        self._refused[name] = limit
        _logger.warning("%s refuses `%s`: it is left out", self.resolved.target.label, name)
        return True

    def _check_window(self, chunk: AIMessageChunk) -> None:
        """Raise ContextOverflowError if more was counted than fits: the provider has cut it."""
        read = chunk.usage_metadata["input_tokens"] if chunk.usage_metadata else 0
        if self.resolved.has_known_window and read > self.resolved.context_length:
            raise ContextOverflowError(
                text(
                    "`{name}` counted {read} tokens, and {window} fit",
                    name=self.resolved.name,
                    read=f"{read:,}",
                    window=f"{self.resolved.context_length:,}",
                ),
                hint=HINTS[ContextOverflowError],
            )
