"""Drive a run from the terminal: show its events, ask its questions, obey Ctrl-C."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from ...config import paths
from ...config.settings.loader import load
from ...sdk.events import Completion, Event, Failure, Interrupted, Question
from ...sdk.runner import Runner
from ..enums import AnswerStyle, OutputFormat
from ..rendering.renderer import Renderer, renderer_for
from .cancellation import Watch
from .interactive_run import Ask, Dialogue

Said = TypeVar("Said")
Start = Callable[[Runner], AsyncGenerator[Event]]
Talk = Callable[[Dialogue], Awaitable[Event | None]]


def drive(start: Start, output: OutputFormat, answer: AnswerStyle | None = None) -> int:
    """Run to the end or to a question that nobody here can answer; returns the exit code.

    `answer` is for a conversation.
    """

    def follow(dialogue: Dialogue) -> Awaitable[Event | None]:
        return dialogue.follow(start(dialogue.runner))

    return drive_dialogue(follow, open_renderer(output, answer), output)


def open_renderer(output: OutputFormat, answer: AnswerStyle | None = None) -> Renderer:
    """What shows events as the user's configuration has it.

    `answer` is for a conversation.
    """
    settings = load(Path.cwd(), paths.home()).settings
    return renderer_for(output, show_thinking=settings.model.show_thinking, answer=answer)


def drive_dialogue(
    talk: Talk, renderer: Renderer, output: OutputFormat, seconds: float = 0.0
) -> int:
    """The same for whatever is said; with a time limit in seconds if there is one."""
    can_ask = output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty()
    return asyncio.run(_drive(talk, renderer, _ask if can_ask else None, seconds))


async def _drive(talk: Talk, renderer: Renderer, ask: Ask | None, seconds: float) -> int:
    async with Runner() as runner:
        last = await talk(Dialogue(runner, Watch(runner, renderer, seconds).show, ask))
    renderer.end(last)
    return exit_code(last)


async def _ask(question: Callable[[], Said]) -> Said:
    """At once: nothing goes on meanwhile."""
    return question()


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
