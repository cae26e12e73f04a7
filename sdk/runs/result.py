"""What a run has led to, for programs that do not follow its events."""

import json
from collections.abc import AsyncIterable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from ...config.arguments import validate_arguments
from ...config.errors import MaxAgentError, UsageError
from ...config.exit_codes import USAGE
from ..events import Completion, Event, Failure, Interrupted, Question, RunStarted

ResultStatus = Literal[
    "verified", "unverified", "failed", "undone", "answered", "question", "interrupted"
]


@dataclass(frozen=True)
class RunResult:
    """How a run ended: with the outcome of its job, with a question, or interrupted."""

    thread_id: str
    status: ResultStatus
    text: str = ""
    """The answer, or the summary of what was done."""
    parsed: Any = None
    """The answer as data, where the option `schema` asked for it; None: it is no JSON."""
    files: tuple[Mapping[str, str], ...] = ()
    """`path` and `kind` of each file that the thread has changed."""
    diff: str = ""
    evidence: Mapping[str, Any] | None = None
    """The result of the tests, as in the event `evidence`."""
    usage: Mapping[str, Any] | None = None
    """Totals of the thread, as in `completion`."""
    question: Question | None = None
    """The question that the thread waits with."""


@validate_arguments
async def collect(events: AsyncIterable[Event]) -> RunResult:
    """Read a stream to its end; raises MaxAgentError if the run failed."""
    return build_result([event async for event in events if _is_telling(event)])


@validate_arguments
def build_result(events: Iterable[Event]) -> RunResult:
    """Return what these events of one run have led to; raises MaxAgentError if it failed."""
    thread = ""
    for event in [event for event in events if _is_telling(event)]:  # the stream runs to its end
        match event:
            case RunStarted():
                thread = event.thread_id
            case Completion():
                return _describe_completion(event)
            case Question():
                return RunResult(event.thread_id, "question", usage=event.usage, question=event)
            case Interrupted():
                return RunResult(event.thread_id, "interrupted", usage=event.usage)
            case Failure():
                kind = UsageError if event.exit_code == USAGE else MaxAgentError
                raise kind(event.message, hint=event.hint)
            case _:
                pass
    return RunResult(thread, "interrupted")


def _is_telling(event: Event) -> bool:
    return isinstance(event, RunStarted | Completion | Question | Interrupted | Failure)


def _describe_completion(event: Completion) -> RunResult:
    parsed = None
    with suppress(ValueError):
        parsed = json.loads(event.summary)
    return RunResult(
        event.thread_id,
        event.outcome,
        text=event.summary,
        parsed=parsed,
        files=tuple(event.files),
        diff=event.diff,
        evidence=event.evidence,
        usage=event.usage,
    )
