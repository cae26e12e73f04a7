"""A chat model object of the program, as the agents ask it."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.prompt_values import ChatPromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from typing_extensions import override

from ...config.errors import MaxAgentError, UsageError
from ...config.text import text
from ..errors import ModelCallError

PROVIDER = "program"


class ProgramModel(Runnable[LanguageModelInput, AIMessage]):
    """Asks the program's model; our own options of a request are not for it."""

    def __init__(self, model: Runnable[LanguageModelInput, AIMessage], name: str) -> None:
        """Ask this model, with or without bound tools."""
        self._model, self._name = model, name

    def bind_tools(self, tools: Sequence[BaseTool]) -> "ProgramModel":
        """Return the model with these tools; one that takes none is told them as XML."""
        try:
            return ProgramModel(cast(BaseChatModel, self._model).bind_tools(tools), self._name)
        except NotImplementedError:
            return self

    @override
    def invoke(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AIMessage:
        """Answer at once."""
        return self._model.invoke(input, config)

    @override
    async def astream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any | None
    ) -> AsyncIterator[AIMessageChunk]:
        """Yield the answer in pieces, or as one."""
        messages = input.messages if isinstance(input, ChatPromptValue) else input
        try:
            async for message in self._model.astream(cast(LanguageModelInput, messages), config):
                yield _to_chunk(message)
        except MaxAgentError:
            raise
        except Exception as error:
            raise ModelCallError(
                text(
                    "the program's model `{name}` failed: {error}",
                    name=self._name,
                    error=f"{type(error).__name__}: {error}",
                ),
                hint="see the model's own documentation",
            ) from error


def name_program_model(model: BaseChatModel) -> str:
    """Return the name of the program's model, as threads record it: `program/NAME`."""
    if not isinstance(model, BaseChatModel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(
            text("{value} is no chat model", value=repr(model)),
            hint="give an object of LangChain, such as `ChatOpenAI(…)`, or the option `model`",
        )
    named = getattr(model, "model_name", "") or getattr(model, "model", "") or type(model).__name__
    return f"{PROVIDER}/{re.sub(r'[^A-Za-z0-9._-]', '-', str(named))}"


def can_bind_tools(model: BaseChatModel) -> bool:
    """Return whether the model's class takes tools."""
    return type(model).bind_tools is not BaseChatModel.bind_tools


def build_absent_error(name: str) -> UsageError:
    """Return the error of a thread whose model is an object that is not there."""
    return UsageError(
        text("the model `{name}` of the thread is an object of a program", name=name),
        hint="give it to `Runner(model=…)` or `build_graph(model=…)`, or name another model",
    )


def _to_chunk(message: AIMessage) -> AIMessageChunk:
    """Return the whole answer of a model that does not stream as one piece."""
    if isinstance(message, AIMessageChunk):
        return message
    return AIMessageChunk(
        content=message.content,
        additional_kwargs=message.additional_kwargs,
        response_metadata=message.response_metadata,
        usage_metadata=message.usage_metadata,
        id=message.id,
        tool_call_chunks=[
            tool_call_chunk(
                name=call["name"], args=_dump(call["args"]), id=call["id"], index=number
            )
            for number, call in enumerate(message.tool_calls)
        ],
    )


def _dump(args: dict[str, Any]) -> str:
    return json.dumps(args, ensure_ascii=False)
