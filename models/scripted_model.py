"""A model that plays a scenario: for the demo, for tests, and for work without a network.

A scenario is JSON: `{"architect": [TURN, …], "coder": [TURN, …]}`, or a list for any role.
A turn is `{"text": "", "thinking": "", "tool_calls": [{"name": "…", "args": {…}}]}`.

Which turn comes next is the number of answers in the messages, so a run that was killed goes on
with the right one.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import override

from ..config.errors import ModelError, UsageError
from ..config.text import text
from .streaming_model import StreamingChatModel

SHAPE = "A turn is `{text, thinking, tool_calls: [{name, args}]}`; a role has a list of turns"


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ScriptedCall(_StrictModel):
    """One tool call of a turn."""

    name: str
    args: dict[str, Any] = Field(default_factory=dict[str, Any])


class ScriptedTurn(_StrictModel):
    """One answer of the model."""

    text: str = ""
    thinking: str = ""
    tool_calls: list[ScriptedCall] = Field(default_factory=list[ScriptedCall])


Scenario = dict[str, list[ScriptedTurn]] | list[ScriptedTurn]


_BY_ROLE = TypeAdapter(dict[str, list[ScriptedTurn]])


_LIST = TypeAdapter(list[ScriptedTurn])


class ScriptedModel(StreamingChatModel):
    """Plays the turns of one role."""

    turns: list[ScriptedTurn] = Field(repr=False)
    role: str = ""
    tool_bytes: int = 0
    """What the tools add to each request."""

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted"

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> "ScriptedModel":
        """Return the model with the size of these tools: the script contains its calls."""
        size = sum(len(json.dumps(convert_to_openai_tool(tool))) for tool in tools)
        return self.model_copy(update={"tool_bytes": size})

    @override
    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        number = sum(isinstance(message, AIMessage) for message in messages)
        if number >= len(self.turns):
            role = self.role or "any role"
            raise ModelError(
                text("The script has no turn {turn} for `{role}`", turn=number + 1, role=role),
                hint=text("it has {count}; add one to the scenario", count=len(self.turns)),
            )
        turn = self.turns[number]
        for word in re.findall(r"\s*\S+\s*", turn.thinking):
            chunk = AIMessageChunk(content="", additional_kwargs={"reasoning_content": word})
            yield ChatGenerationChunk(message=chunk)
        for word in re.findall(r"\s*\S+\s*", turn.text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        yield ChatGenerationChunk(message=self._build_last_chunk(turn, number, messages))

    def _build_last_chunk(
        self, turn: ScriptedTurn, number: int, messages: Sequence[BaseMessage]
    ) -> AIMessageChunk:
        calls = [
            tool_call_chunk(
                name=call.name,
                args=json.dumps(call.args, ensure_ascii=False),
                id=f"call_{self.role or 'any'}_{number}_{index}",
                index=index,
            )
            for index, call in enumerate(turn.tool_calls)
        ]
        return AIMessageChunk(
            content="",
            tool_call_chunks=calls,
            usage_metadata=self._estimate_usage(messages, turn.model_dump_json()),
            response_metadata={
                "finish_reason": "tool_calls" if calls else "stop",
                "model_name": "scripted",
                "model_provider": "scripted",
            },
            chunk_position="last",
        )

    def _estimate_usage(self, messages: Sequence[BaseMessage], answer: str) -> UsageMetadata:
        """Estimate usage at four bytes a token."""
        read = (self.tool_bytes + sum(map(_measure_text, messages))) // 4
        written = len(answer.encode("utf-8", "replace")) // 4
        return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def open_script(path: Path, role: str) -> ScriptedModel:
    """Return the model of one role in a scenario file; raises UsageError for an invalid file."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            text("The scenario `{path}` cannot be read: {error}", path=path, error=error),
            hint="give the path as `--model scripted/PATH.json`",
        ) from None
    scenario = _parse_scenario(path, content)
    if isinstance(scenario, list):
        return ScriptedModel(turns=scenario, role=role)
    if role and role not in scenario:
        role_names = ", ".join(f"`{name}`" for name in scenario)
        raise UsageError(
            text("The scenario `{path}` has no role `{role}`", path=path, role=role),
            hint=text("it has {names}", names=role_names),
        )
    return ScriptedModel(turns=scenario.get(role, []), role=role)


def _parse_scenario(path: Path, content: str) -> Scenario:
    try:
        value: object = json.loads(content)
        return (_LIST if isinstance(value, list) else _BY_ROLE).validate_python(value)
    except json.JSONDecodeError as error:
        message = text(
            "`{path}`, line {lineno}, column {colno}: {msg}",
            path=path,
            lineno=error.lineno,
            colno=error.colno,
            msg=error.msg,
        )
        raise UsageError(message, hint="a scenario must be a JSON file") from None
    except ValidationError as error:
        raise UsageError(
            text("`{path}`: {problem}", path=path, problem=_describe_first_error(error)), hint=SHAPE
        ) from None


def _describe_first_error(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return text("{place}: {problem}", place=place or "scenario", problem=first["msg"])


def _measure_text(message: BaseMessage) -> int:
    text = message.content if isinstance(message.content, str) else str(message.text)
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
