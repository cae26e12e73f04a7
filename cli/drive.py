"""Drive a run from the terminal: show its events, ask its questions, obey Ctrl-C."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager
from pathlib import Path

from ..config import paths
from ..config.loading import load
from ..sdk.events import Completion, Event, Failure, Interrupted, Question
from ..sdk.runner import Runner
from .approval import ask
from .choices import OutputFormat
from .i18n import use_language
from .render import Renderer, renderer_for

Start = Callable[[Runner], AsyncGenerator[Event]]


def drive(start: Start, output: OutputFormat) -> int:
    """Run to the end or to a question that nobody here can answer; returns the exit code."""
    settings = load(Path.cwd(), paths.home()).settings
    use_language(settings.language)
    renderer = renderer_for(output, show_thinking=settings.model.show_thinking)
    return asyncio.run(_drive(start, renderer, _can_ask(output)))


def _can_ask(output: OutputFormat) -> bool:
    return output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty()


async def _drive(start: Start, renderer: Renderer, can_ask: bool) -> int:
    async with Runner() as runner:
        last = await _watch(runner, start(runner), renderer)
        while isinstance(last, Question) and last.kind != "limit" and can_ask:
            if runner.is_stopping:
                break
            answer = ask(last)
            if answer is None:
                break
            last = await _watch(runner, runner.resume(last.thread_id, answer), renderer)
    renderer.end(last)
    return exit_code(last)


async def _watch(runner: Runner, events: AsyncGenerator[Event], renderer: Renderer) -> Event | None:
    """Show a stream to its end; the last event, or None when it was stopped at once."""
    watching = asyncio.ensure_future(_show(events, renderer))
    with _ctrl_c(runner, watching, renderer):
        try:
            return await watching
        except asyncio.CancelledError:
            return None


async def _show(events: AsyncGenerator[Event], renderer: Renderer) -> Event | None:
    last: Event | None = None
    async with aclosing(events):
        async for last in events:
            renderer.show(last)
    return last


@contextmanager
def _ctrl_c(
    runner: Runner, watching: "asyncio.Future[Event | None]", renderer: Renderer
) -> Generator[None]:
    """Once: finish the step and save. Twice: stop at once; the thread loses nothing."""
    loop, presses = asyncio.get_running_loop(), iter((1, 2))

    def press() -> None:
        if next(presses, 2) == 1:
            runner.stop()
            renderer.stopping()
        else:
            watching.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, press)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def exit_code(last: Event | None) -> int:
    """The process's exit code after a stream's last event."""
    match last:
        case (
            Completion(outcome="failed") | Completion(graph="edit", outcome="unverified", files=[])
        ):
            return 1
        case Completion():
            return 0
        case Question(kind="limit"):
            return 3
        case Question():
            return 4
        case Failure(exit_code=code):
            return code
        case Interrupted() | None:
            return 130
        case _:
            return 1
