"""A pull request for a thread whose run has ended."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, Protocol

from ...config import paths
from ...memory.threads.index import ThreadIndex
from ...memory.threads.pull_requests import (
    OPEN,
    PULL_REQUEST,
    PullRequestRecord,
    PullRequestRecords,
)
from ..events import Event, Question
from ..interrupt_response import Answer
from .proposal import NEED_ANSWER


class ThreadRunner(Protocol):
    """A `Runner`, which runs the request, too."""

    home: Path
    threads: ThreadIndex

    def resume(self, thread: str, answer: Answer | None = None) -> AsyncGenerator[Event]:
        """Continue a thread where it stopped."""
        ...


async def request_pull_request(
    runner: ThreadRunner, thread: str, answer: str = "ask"
) -> AsyncGenerator[Event]:
    """Open the pull request of a thread; `yes` answers its question, unless files are mixed.

    Like every run, a stream that ends with a question can be answered later.
    """
    row = runner.threads.find(thread)
    await asyncio.to_thread(_note_wish, runner.home, row.thread_id)
    question: Question | None = None
    async with aclosing(runner.resume(row.thread_id)) as events:
        async for event in events:
            if answer == "yes" and isinstance(event, Question) and _needs_no_answer(event):
                question = event
            else:
                yield event
    if question:
        approval = Answer(approve=True, question=question.id)
        async with aclosing(runner.resume(row.thread_id, approval)) as events:
            async for event in events:
                yield event


def _note_wish(home: Path, thread_id: str) -> None:
    records = PullRequestRecords(paths.locate_database(home))
    record = records.find(thread_id)
    if record is None:
        records.save(PullRequestRecord(thread_id, "wanted"))
    elif record.state not in OPEN:
        records.save(record.advance("wanted"))


def _needs_no_answer(question: Question) -> bool:
    """Return whether `yes` answers: `Proposal.needs_answer`, seen from outside."""
    if question.kind != PULL_REQUEST:
        return False
    args: Mapping[str, Any] = question.action_requests[0]["args"]
    return not any(args.get(name) for name in NEED_ANSWER)
