"""A model that plays a recorded log of requests through the real graph.

A request that was not recorded fails with the first difference: the code, the prompt or the result
of a tool has changed since.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict, Field, SkipValidation, ValidationError
from typing_extensions import override

from ...config.errors import ModelError, UsageError
from ...config.text import text
from ..streaming_model import StreamingChatModel
from .canonical_request import (
    CanonicalMessage,
    canonicalize_messages,
    describe_difference,
    hash_message,
    hash_request,
)
from .request_log import hash_tools


class RecordedCall(BaseModel):
    """One tool call of a recorded answer."""

    name: str = ""
    args: dict[str, Any] | str = Field(default_factory=dict[str, Any])


class RecordedAnswer(BaseModel):
    """A recorded answer."""

    model_config = ConfigDict(extra="ignore")

    number: int
    text: str = ""
    thinking: str = ""
    tool_calls: list[RecordedCall] = Field(default_factory=list[RecordedCall])
    usage: dict[str, Any] = Field(default_factory=dict[str, Any])
    finish_reason: str = ""
    seconds: float = 0.0


class RecordedRequest(BaseModel):
    """A recorded request, as its line says it."""

    model_config = ConfigDict(extra="ignore")

    number: int
    pid: int = 0
    agent: str = ""
    hash: str
    kept: int = Field(default=0, alias="from")
    messages: list[CanonicalMessage]


@dataclass(frozen=True)
class Recording:
    """A request and its answer."""

    request: RecordedRequest
    answer: RecordedAnswer
    messages: Sequence[CanonicalMessage]
    """All messages of the request."""


def read_cassette(path: Path) -> list[Recording]:
    """Return the answered requests in their order; raises UsageError for an invalid file."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            text("the recording `{path}` cannot be read: {error}", path=path, error=error),
            hint="give the path as `--model replay/PATH.jsonl`",
        ) from None
    recordings = list(_read_recordings(path, content))
    if not recordings:
        raise UsageError(
            text("the recording `{path}` has no answered request", path=path),
            hint="record one with `mcode --log`",
        )
    return recordings


def _read_recordings(path: Path, content: str) -> Iterator[Recording]:
    """Yield answered requests; an agent's request repeats the start of its last one."""
    asked = dict[tuple[int, int], tuple[RecordedRequest, list[CanonicalMessage]]]()
    latest = dict[tuple[int, str], list[CanonicalMessage]]()
    for number, line in enumerate(content.splitlines(), start=1):
        fields = _parse_line(line)
        try:
            if fields.get("type") == "request":
                request = RecordedRequest.model_validate(fields)
                chain = (request.pid, request.agent)
                whole = [*latest.get(chain, [])[: request.kept], *request.messages]
                latest[chain] = whole
                asked[request.pid, request.number] = (request, whole)
            elif fields.get("type") == "answer":
                answer = RecordedAnswer.model_validate(fields)
                request, whole = asked[fields.get("pid", 0), answer.number]
                yield Recording(request, answer, whole)
        except (ValidationError, KeyError) as error:
            raise _build_error(path, number, str(error).splitlines()[0]) from None


def _parse_line(line: str) -> Mapping[str, Any]:
    """Return the line's fields; none for half a line, as a kill leaves it."""
    try:
        fields: object = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}


def _build_error(path: Path, number: int, error: str) -> UsageError:
    return UsageError(
        text("`{path}`, line {number}: {error}", path=path, number=number, error=error),
        hint="a recording is a log that `mcode --log` has written",
    )


class ReplayModel(StreamingChatModel):
    """Answers each request as it was answered when it was recorded."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    recordings: SkipValidation[Sequence[Recording]] = Field(repr=False)
    tools_digest: str = ""

    @property
    @override
    def _llm_type(self) -> str:
        return "replay"

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> "ReplayModel":
        """Return a model whose requests offer these tools."""
        schemas = [convert_to_openai_tool(tool) for tool in tools]
        return self.model_copy(update={"tools_digest": hash_tools(schemas)})

    @override
    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        answer = self._find_answer(messages)
        for word in re.findall(r"\s*\S+\s*", answer.thinking):
            chunk = AIMessageChunk(content="", additional_kwargs={"reasoning_content": word})
            yield ChatGenerationChunk(message=chunk)
        for word in re.findall(r"\s*\S+\s*", answer.text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        yield ChatGenerationChunk(message=_build_last_chunk(answer))

    def _find_answer(self, messages: Sequence[BaseMessage]) -> RecordedAnswer:
        """Return the recorded answer; raises ModelError with the first difference."""
        canonical = canonicalize_messages(messages)
        request_hash = hash_request(
            [hash_message(message) for message in canonical], self.tools_digest
        )
        for recording in self.recordings:
            if recording.request.hash == request_hash:
                return recording.answer
        nearest = self._find_nearest(messages)
        difference = describe_difference(nearest.messages, canonical)
        raise ModelError(
            text(
                "the recording has no such request; nearest is request {number} of `{agent}`: "
                "{difference}",
                number=nearest.request.number,
                agent=nearest.request.agent,
                difference=difference or "the tools differ",
            ),
            hint="start from the same files, or record again with `mcode --log`",
        )

    def _find_nearest(self, messages: Sequence[BaseMessage]) -> Recording:
        """Return the recording with as many answers whose start agrees the longest."""
        canonical = canonicalize_messages(messages)
        answers = sum(isinstance(message, AIMessage) for message in messages)

        def rate(recording: Recording) -> tuple[int, int]:
            pairs = zip(recording.messages, canonical, strict=False)
            same = next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), len(canonical))
            count = sum(message["type"] == "ai" for message in recording.messages)
            return -abs(count - answers), same

        return max(self.recordings, key=rate)


def open_cassette(path: Path) -> ReplayModel:
    """Return the model that plays the file; raises UsageError for an invalid one."""
    return ReplayModel(recordings=read_cassette(path))


def _build_last_chunk(answer: RecordedAnswer) -> AIMessageChunk:
    calls = [
        tool_call_chunk(
            name=call.name,
            args=call.args if isinstance(call.args, str) else json.dumps(call.args),
            id=f"call_{answer.number}_{index}",
            index=index,
        )
        for index, call in enumerate(answer.tool_calls)
    ]
    return AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        usage_metadata=cast("UsageMetadata", answer.usage) if answer.usage else None,
        response_metadata={
            "finish_reason": answer.finish_reason or ("tool_calls" if calls else "stop"),
            "model_name": "replay",
            "model_provider": "replay",
        },
        chunk_position="last",
    )
