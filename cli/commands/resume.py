"""`mcode resume`: continue a thread where it stopped, or answer its question."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import MaxAgentError, UsageError
from ...config.text import text
from ..i18n.catalogs import t
from ..lazy_imports import without_collector
from ..options import AnswerStyle, Mode, Output, OutputFormat, Timeout, Verbose
from ..prompts.memory_claim import settle_memory
from ..prompts.trust import TrustFlag, settle_trust
from ..rendering.listings.threads import open_index
from ..rendering.output import echo
from .team.queue import IntoQueue, open_queue, show_queued

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow
    from ...sdk.events import Event
    from ...sdk.interrupt_response import Answer
    from ...sdk.runner import Runner

Reject = Annotated[
    str | None, typer.Option("--reject", metavar="WHY", help="Reject, with the reason.")
]
AnswerText = Annotated[
    str | None, typer.Option("--answer", metavar="TEXT", help="Answer with text.")
]
Now = Annotated[
    bool, typer.Option("--now", help="Ask the provider at once, before the time that it named.")
]
QuestionId = Annotated[
    str | None,
    typer.Option(
        "--question",
        metavar="ID",
        help="Answer only this question; a run that waits prints its ID.",
    ),
]


def resume(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name; default: the folder's latest."),
    ] = None,
    approve: Annotated[bool, typer.Option("--approve", help="Approve the open question.")] = False,
    reject: Reject = None,
    answer: AnswerText = None,
    question: QuestionId = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Use another model from now on.")
    ] = "",
    base_url: Annotated[str, typer.Option(help="Use another endpoint.")] = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Use another approval mode.", show_default=False)
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="If the provider's limit is reached, wait until it resets."),
    ] = False,
    now: Now = False,
    timeout: Timeout = None,
    trust: TrustFlag = False,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
    queue: IntoQueue = False,
) -> None:
    """Resume a thread where it stopped. Finished work is not repeated."""
    validate_flags(approve, reject, answer, question, both_times=wait and now)
    row = _resolve_free_thread(thread)
    given_answer = read_answer(row.thread_id, approve, reject, answer, question)
    if queue:
        return _queue_run(row, given_answer, output)
    is_chat = row.graph == "chat"
    tests = not is_chat and row.graph != "edit" and not row.options.get("skip_tests")
    settle_trust(Path(row.folder), yes=trust, output=output, tests=tests)
    settle_memory(Path(row.folder), output=output)
    with without_collector():
        from ...nodes.run.context import Context
        from ..execution.run import run_in_terminal

    context = Context(mode=mode.value if mode else "", model=model, base_url=base_url)
    style = AnswerStyle.streamed if is_chat else None
    thread_id, asks_instead = row.thread_id, question is None

    def start_run(runner: "Runner") -> "AsyncGenerator[Event]":
        resume_thread = partial(runner.resume, thread_id, context=context, wait=wait, now=now)
        return resume_or_ask(resume_thread, thread_id, given_answer, asks_instead=asks_instead)

    raise typer.Exit(run_in_terminal(start_run, output, style, seconds=timeout or 0.0))


def _queue_run(row: "ThreadRow", answer: "Answer | None", output: OutputFormat) -> None:
    """Leave the next run to a worker, with the answer."""
    from dataclasses import asdict

    if answer and not answer.parked:
        raise UsageError(
            text("the question of thread `{thread}` was not shown here", thread=row.thread_id[:8]),
            hint="show it with `mcode resume`, or name it with `--question ID`",
        )
    queue, index = open_queue(), open_index()
    if answer or not row.questions:  # first: a worker may have ended it soon
        index.set_status(row.thread_id, "queued")
    try:
        queue.wake(row, answer=asdict(answer) if answer else None)
    except MaxAgentError:
        index.set_status(row.thread_id, row.status)
        raise
    show_queued(row.thread_id, output)


def validate_flags(
    approve: bool,
    reject: str | None,
    answer: str | None,
    question: str | None,
    *,
    both_times: bool,
) -> None:
    """Raise UsageError for options that exclude each other."""
    if both_times:
        raise UsageError("`--wait` and `--now` cannot be used together", hint="choose one")
    if approve and reject is not None:
        raise UsageError("`--approve` and `--reject` cannot be used together", hint="choose one")
    if question is not None and not approve and reject is None and answer is None:
        raise UsageError(
            "`--question` needs an answer: `--approve`, `--reject WHY` or `--answer TEXT`",
            hint="add `--approve`, `--reject WHY` or `--answer TEXT`",
        )


def read_answer(
    thread: str, approve: bool, reject: str | None, answer: str | None, question: str | None
) -> "Answer | None":
    """Return the answer of the options; None if they have none."""
    from ...sdk.interrupt_response import Answer
    from ..execution.shown_questions import find_shown_question

    if not approve and reject is None and answer is None:
        return None
    parked = question if question is not None else find_shown_question(paths.locate_home(), thread)
    return Answer(approve, reject, answer, parked=parked)


async def resume_or_ask(
    resume_thread: "Callable[[Answer | None], AsyncGenerator[Event]]",
    thread: str,
    answer: "Answer | None",
    *,
    asks_instead: bool,
) -> "AsyncGenerator[Event]":
    """Resume; if the answer is for a question that is no longer open, ask the open one instead."""
    from ...sdk.interrupt_response import OtherQuestionError

    try:
        async with aclosing(resume_thread(answer)) as events:
            async for event in events:
                yield event
    except OtherQuestionError:
        if not asks_instead:
            raise
        echo(t("resume.unseen", thread=thread[:8]), err=True)
        async with aclosing(resume_thread(None)) as events:
            async for event in events:
                yield event


def _resolve_free_thread(text: str | None) -> "ThreadRow":
    """Return the thread; report one that is in use before LangGraph is imported."""
    from ...memory.threads.lease import ensure_not_held
    from ..execution.thread_argument import resolve_thread

    row = resolve_thread(text)
    ensure_not_held(paths.locate_home(), row.thread_id)
    return row
