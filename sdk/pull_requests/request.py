"""A pull request for a thread whose run is over."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from ...config import paths
from ...memory.threads.pull_requests import OPEN, PullRequestRecord, PullRequestRecords
from ..events import Event, Question
from ..interrupt_response import Answer
from .proposal import PULL_REQUEST

if TYPE_CHECKING:
    from ..runner import Runner


async def request_pull_request(
    runner: "Runner", thread: str, answer: str = "ask"
) -> AsyncGenerator[Event]:
    """Open the pull request of a thread; `yes` answers its question, unless files are mixed.

    Like every run, a stream that ends with a question can be answered later.
    """
    row = runner.threads.find(thread)
    await asyncio.to_thread(_note_wish, runner, row.thread_id)
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


def _note_wish(runner: "Runner", thread_id: str) -> None:
    records = PullRequestRecords(paths.locate_database(runner.home))
    record = records.find(thread_id)
    if record is None:
        records.save(PullRequestRecord(thread_id, "wanted"))
    elif record.state not in OPEN:
        records.save(record.advance("wanted"))


def _needs_no_answer(question: Question) -> bool:
    return question.kind == PULL_REQUEST and not question.action_requests[0]["args"].get("mixed")
