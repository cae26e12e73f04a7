"""Drive a run from the terminal: show its events, ask its questions, obey Ctrl-C."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from ..config import paths
from ..config.loading import load
from ..sdk.events import Completion, Event, Failure, Interrupted, Question
from ..sdk.runner import Runner
from .approval import ask
from .choices import AnswerStyle, OutputFormat
from .render import Renderer, renderer_for
from .watching import Watch

Start = Callable[[Runner], AsyncGenerator[Event]]


def drive(start: Start, output: OutputFormat, answer: AnswerStyle | None = None) -> int:
    """Run to the end or to a question that nobody here can answer; returns the exit code.

    `answer` is for a conversation.
    """
    return drive_to_end(start, open_renderer(output, answer), output)


def open_renderer(output: OutputFormat, answer: AnswerStyle | None = None) -> Renderer:
    """What shows events as the user's configuration has it.

    `answer` is for a conversation.
    """
    settings = load(Path.cwd(), paths.home()).settings
    return renderer_for(output, show_thinking=settings.model.show_thinking, answer=answer)


def drive_to_end(
    start: Start, renderer: Renderer, output: OutputFormat, seconds: float = 0.0
) -> int:
    """The same with a renderer, and a time limit in seconds if there is one."""
    can_ask = output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty()
    return asyncio.run(_drive(start, renderer, can_ask, seconds))


async def _drive(start: Start, renderer: Renderer, can_ask: bool, seconds: float) -> int:
    async with Runner() as runner:
        watch = Watch(runner, renderer, seconds)
        last = await watch.show(start(runner))
        while isinstance(last, Question) and last.kind != "limit" and can_ask:
            if runner.is_stopping:
                break
            answer = ask(last)
            if answer is None:
                break
            last = await watch.show(runner.resume(last.thread_id, answer))
    renderer.end(last)
    return exit_code(last)


def exit_code(last: Event | None) -> int:
    """The process's exit code after a stream's last event."""
    match last:
        case (
            Completion(outcome="failed") | Completion(graph="edit", outcome="unverified", files=[])
        ):
            return 1
        case Completion():
            return 0
        case Question(kind="limit") | Interrupted(reason="timeout"):
            return 3
        case Question():
            return 4
        case Failure(exit_code=code):
            return code
        case Interrupted() | None:
            return 130
        case _:
            return 1
