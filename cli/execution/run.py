"""Drive a run from the terminal: show its events, ask its questions, obey signals."""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from ...config import paths
from ...config.settings.loader import load
from ...sdk.events import Completion, Event, Failure, Interrupted, Question
from ...sdk.runner import Runner
from ..enums import AnswerStyle, OutputFormat
from ..prompts.text_input import forget_typed
from ..rendering.chat_renderer import AnswerRenderer
from ..rendering.console import open_console
from ..rendering.progress import ProgressRenderer
from ..rendering.renderer import JsonRenderer, Renderer
from ..rendering.text_renderer import TextRenderer
from .cancellation import Watch
from .interactive_run import Ask, Dialogue
from .stop_signal import StopSignal, run_stoppable

Said = TypeVar("Said")
Start = Callable[[Runner], AsyncGenerator[Event]]
Talk = Callable[[Dialogue], Awaitable[Event | None]]


def drive(
    start: Start, output: OutputFormat, answer: AnswerStyle | None = None, *, seconds: float = 0.0
) -> int:
    """Run to the end or to a question that nobody here can answer; returns the exit code.

    `answer` is for a conversation; with `seconds` it may take so long.
    """

    def follow(dialogue: Dialogue) -> Awaitable[Event | None]:
        return dialogue.follow(start(dialogue.runner))

    return drive_dialogue(follow, open_renderer(output, answer), output, seconds)


def open_renderer(output: OutputFormat, answer: AnswerStyle | None = None) -> Renderer:
    """What shows events as the user's configuration has it.

    `answer` is for a conversation.
    """
    if output is not OutputFormat.text:
        return JsonRenderer(every_event=output is OutputFormat.stream_json)
    show_thinking = load(Path.cwd(), paths.home()).settings.model.show_thinking
    renderer = (
        TextRenderer(show_thinking=show_thinking)
        if answer is None
        else AnswerRenderer(answer, show_thinking=show_thinking)
    )
    console = open_console()
    is_live = console.file.isatty() and not console.is_dumb_terminal
    return ProgressRenderer(renderer, console) if is_live else renderer


def drive_dialogue(
    talk: Talk, renderer: Renderer, output: OutputFormat, seconds: float = 0.0
) -> int:
    """The same for whatever is said; with a time limit in seconds if there is one."""
    can_ask = output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty()
    ask = _ask if can_ask else None
    return run_stoppable(lambda stop: _drive(talk, renderer, ask, seconds, stop))


async def _drive(
    talk: Talk, renderer: Renderer, ask: Ask | None, seconds: float, stop: StopSignal
) -> int:
    async with Runner() as runner:
        watch = Watch(runner, renderer, seconds, stop)
        last = await talk(Dialogue(runner, watch.show, ask))
    renderer.end(last)
    return exit_code(last)


async def _ask(question: Callable[[], Said]) -> Said:
    """Ask at once: nothing goes on meanwhile."""
    forget_typed()
    return question()


def exit_code(last: Event | None) -> int:
    """The process's exit code after a stream's last event, where no signal ended it."""
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
