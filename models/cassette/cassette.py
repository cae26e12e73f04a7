"""A cassette: a recorded log of requests, read to be played again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...config.errors import UsageError
from ...config.text import text
from .canonical_request import CanonicalMessage


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
