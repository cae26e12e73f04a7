"""Chat model for the chat-completions protocol, for every compatible endpoint."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel, agenerate_from_stream
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation
from typing_extensions import override

from ..resolver import ResolvedModel
from .http_client import EndpointClient
from .request_format import RequestWriter

# The longest pause in an answer; keep-alives do not reset it
READ_SECONDS = 120.0


class ChatCompletions(BaseChatModel):
    """Sends requests, streams, never retries, raises `ModelCallError`. Async only; has `aclose`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    resolved: SkipValidation[ResolvedModel]
    read_seconds: float = READ_SECONDS
    tools: SkipValidation[bytes] = Field(default=b"", repr=False)
    """The bound tools as JSON."""
    tool_choice: str = ""
    _connection: EndpointClient = PrivateAttr()
    _writer: RequestWriter = PrivateAttr()

    @override
    def model_post_init(self, context: Any, /) -> None:
        self._connection = EndpointClient(self.resolved, self.read_seconds)
        self._writer = RequestWriter(self.resolved)

    @property
    @override
    def _llm_type(self) -> str:
        return "chat-completions"

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
    ) -> "ChatCompletions":
        """Return a copy that offers these tools, on the same connection."""
        return self.model_copy(
            update={"tools": self._writer.encode_tools(tools), "tool_choice": tool_choice or ""}
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
        request = self._writer.build_request(
            messages, self.tools, tool_choice=self.tool_choice, stop=stop
        )
        async for chunk in self._connection.stream_answer(request):
            yield ChatGenerationChunk(message=chunk)

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("This model is async only: use `ainvoke` or `astream`")
