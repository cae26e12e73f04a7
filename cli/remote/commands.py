"""`mcode --remote URL`: what starts, continues and stops runs of a server."""

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ...config.errors import UsageError
from ...config.text import text
from ..commands.resume import (
    AnswerText,
    Now,
    QuestionId,
    Reject,
    read_answer,
    resume_or_ask,
    validate_flags,
)
from ..commands.task import BestOf, Models, SkipTests
from ..execution.stdin import read_piped_text, take_terminal
from ..options import (
    AnswerStyle,
    MaxCost,
    MaxTurns,
    Mode,
    Model,
    Output,
    OutputFormat,
    PullRequest,
    PullRequestCommand,
    Thinking,
    Timeout,
    Verbose,
)
from ..stdin_block import wrap_stdin
from .address import get_server
from .threads import app as threads_app
from .threads import find_thread

if TYPE_CHECKING:
    from ...sdk.events import Event
    from ...sdk.runner import Runner
    from .runner import RemoteRunner

Start = Callable[["RemoteRunner"], "AsyncGenerator[Event]"]

Folder = Annotated[
    str,
    typer.Option(
        "--folder",
        "-C",
        metavar="PATH",
        help="Project folder on the server; default: the server's own.",
    ),
]
Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="ID|NAME", help="Continue a conversation by ID or name."),
]
Message = Annotated[str, typer.Argument(help="Message; default: piped input.")]
task_app = typer.Typer(add_completion=False, rich_markup_mode=None)
chat_app = typer.Typer(add_completion=False, rich_markup_mode=None)


@task_app.command(cls=PullRequestCommand)
def task(
    description: Annotated[str, typer.Argument(help="Description of the task.")],
    folder: Folder = "",
    model: Model = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Approval mode; default: edits.", show_default=False)
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", "-a", help="Keep the result without asking.")
    ] = False,
    skip_tests: SkipTests = False,
    best_of: BestOf = None,
    models: Models = "",
    thinking: Thinking = None,
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
    pr: PullRequest = None,
) -> None:
    """Plan a change, make it, and verify it with tests, on the server."""
    names = [name for name in models.split(",") if name]
    options = {"apply": apply, "skip_tests": skip_tests, "best_of": best_of, "models": names}
    options |= {"thinking": thinking, "max_turns": max_turns, "max_cost": max_cost, "pr": pr}
    if not description.strip():
        raise UsageError("the request is empty", hint="describe the task")
    body = _drop_empty({"graph": "task", "folder": folder, "model": model, "mode": mode})
    body |= {"text": description, "options": _drop_empty(options)}
    raise typer.Exit(_run(lambda runner: runner.begin(body), output, None, timeout))


@chat_app.command(cls=PullRequestCommand)
def chat(
    message: Message = "",
    resume: Resume = None,
    folder: Folder = "",
    model: Model = "",
    mode: Annotated[Mode | None, typer.Option(help="Approval mode.", show_default=False)] = None,
    thinking: Thinking = None,
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
    pr: PullRequest = None,
) -> None:
    """Answer one message, on the server. Input from a pipe is added to it, or is the message."""
    prompt, context = _read_message(message)
    options: dict[str, Any] = {"thinking": thinking, "max_turns": max_turns, "max_cost": max_cost}
    options |= {"pr": pr, "aside": context}
    body = _drop_empty({"text": prompt, "model": model, "mode": mode})
    body["options"] = _drop_empty(options)
    style = AnswerStyle.streamed
    if resume is None:
        new = {**body, **_drop_empty({"folder": folder})}
        raise typer.Exit(_run(lambda runner: runner.begin(new), output, style, timeout))
    if folder:
        raise UsageError(
            "a conversation keeps its folder", hint="leave out `--folder` with `--resume`"
        )
    thread = find_thread(resume)["thread_id"]
    raise typer.Exit(_run(lambda runner: runner.say(thread, body), output, style, timeout))


def resume(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name; default: the latest one."),
    ] = None,
    approve: Annotated[bool, typer.Option("--approve", help="Approve the open question.")] = False,
    reject: Reject = None,
    answer: AnswerText = None,
    question: QuestionId = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Use another model from now on.")
    ] = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Use another approval mode.", show_default=False)
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="If the provider's limit is reached, wait until it resets."),
    ] = False,
    now: Now = False,
    timeout: Timeout = None,
    verbose: Verbose = False,
    output: Output = OutputFormat.text,
) -> None:
    """Continue a thread of the server, answer its question, or show its run."""
    validate_flags(approve, reject, answer, question, both_times=wait and now)
    row = find_thread(thread)
    thread_id = row["thread_id"]
    chosen_answer = read_answer(thread_id, approve, reject, answer, question)
    choices = _drop_empty({"model": model, "mode": mode, "wait": wait, "now": now})
    if chosen_answer and choices:
        raise UsageError(
            "an answer to a thread of a server cannot choose anything else",
            hint=text(
                "leave out `--{option}`, or give the answer first", option=next(iter(choices))
            ),
        )
    style = AnswerStyle.streamed if row["graph"] == "chat" else None

    def start(runner: "RemoteRunner") -> "AsyncGenerator[Event]":
        resume_thread = partial(runner.resume, thread_id, **choices)
        return resume_or_ask(resume_thread, thread_id, chosen_answer, asks_instead=question is None)

    raise typer.Exit(_run(start, output, style, timeout))


threads_app.command("answer")(resume)


def _run(
    start: Start, output: OutputFormat, style: AnswerStyle | None, timeout: float | None
) -> int:
    from ..execution.run import run_in_terminal
    from .runner import RemoteRunner

    def open_runner() -> "AbstractAsyncContextManager[Runner]":
        # it does what the terminal asks of a runner
        return cast("AbstractAsyncContextManager[Runner]", RemoteRunner(get_server()))

    async def begin(runner: "Runner") -> "AsyncGenerator[Event]":
        async with aclosing(start(cast("RemoteRunner", runner))) as events:
            async for event in events:
                yield event

    return run_in_terminal(begin, output, style, seconds=timeout or 0.0, elsewhere=open_runner)


def _read_message(message: str) -> tuple[str, list[str]]:
    """Return the message, and what was piped to it."""
    piped = read_piped_text()
    if piped.strip():
        take_terminal()
    if message.strip():
        return message, [wrap_stdin(piped)] if piped.strip() else []
    if piped.strip():
        return piped, []
    if sys.stdin.isatty() and sys.stdout.isatty():
        raise UsageError(
            "a conversation at the prompt is for threads of this machine",
            hint='give one message, such as `mcode --remote URL "Which tests are red?"`',
        )
    raise UsageError("no message given", hint="give a message, or pipe one in")


def _drop_empty(values: dict[str, Any]) -> dict[str, Any]:
    plain = {
        name: value.value if isinstance(value, StrEnum) else value for name, value in values.items()
    }
    return {name: value for name, value in plain.items() if value}
