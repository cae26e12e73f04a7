"""`--input stream-json`: one turn after another on one thread, until stdin ends."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from ...config.errors import UsageError
from ...sdk.events import Event, Failure, Interrupted
from ...sdk.runner import Runner
from ..rendering.renderer import Renderer
from .cancellation import CancellableStream
from .chat_session import ChatSession
from .run import to_exit_code
from .stop_signal import StopSignal, run_stoppable
from .stream_json_schema import AnswerLine, InterruptLine, JsonLine, UserLine, parse_line

CHUNK_SIZE = 1 << 16


class StdinLines:
    """The lines as they come, while a turn goes on, too: an interrupt waits for nothing."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._waiting: asyncio.Queue[JsonLine | UsageError | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._number = 0
        # whoever waits for stdin cannot be stopped, so the process ends without waiting for it
        threading.Thread(target=self._read_stdin, daemon=True).start()

    async def read_next(self) -> JsonLine | None:
        """The next line in its turn; None at the end. Raises UsageError for a wrong one."""
        line = await self._waiting.get()
        if isinstance(line, UsageError):
            raise line
        return line

    def _read_stdin(self) -> None:
        rest = b""
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            while piece := os.read(sys.stdin.fileno(), CHUNK_SIZE):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    self._loop.call_soon_threadsafe(self._enqueue_line, line)
            self._loop.call_soon_threadsafe(self._enqueue_line, rest)
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, None)

    def _enqueue_line(self, raw: bytes) -> None:
        self._number += 1
        try:
            line = parse_line(raw, self._number)
        except UsageError as error:
            self._waiting.put_nowait(error)
            return
        if isinstance(line, InterruptLine):
            self._interrupt()
        elif line:
            self._waiting.put_nowait(line)


class TurnLoop:
    """Turns as the lines ask for them."""

    def __init__(self, speaker: ChatSession, runner: Runner, watch: CancellableStream) -> None:
        self._speaker, self._runner, self._watch = speaker, runner, watch
        self._interrupted = False

    async def run(self) -> Event | None:
        """To the end of stdin, or to what ends it earlier; the last event."""
        lines, last, begun = StdinLines(self._interrupt_turn), None, False
        while (line := await lines.read_next()) is not None:
            begun, events = True, self._start_turn(line)
            self._interrupted = False
            last = await self._watch.show_events(events)
            is_over = isinstance(last, Failure | Interrupted | None) and not self._interrupted
            if is_over or self._watch.was_stopped:  # which the turn's last step may have ended
                return last
        if not begun:
            raise UsageError("no message given", hint="write a line to stdin")
        return last

    def _interrupt_turn(self) -> None:
        self._interrupted = True
        self._watch.stop_at_once()

    def _start_turn(self, line: JsonLine) -> AsyncGenerator[Event]:
        if isinstance(line, UserLine):
            # who has just interrupted a turn does not wait for it
            abandon = line.abandon or self._interrupted
            return self._speaker.send_message(self._runner, line.text, abandon=abandon)
        if not self._speaker.thread:
            raise UsageError("there is nothing to continue yet", hint="send a message first")
        answer = line.answer if isinstance(line, AnswerLine) else None
        return self._runner.resume(self._speaker.thread, answer)


def run_stream_json(speaker: ChatSession, renderer: Renderer, seconds: float = 0.0) -> int:
    """Speak as the lines of stdin say; the exit code is that of the last turn, or of a signal."""
    return run_stoppable(lambda stop: _run_stream_json(speaker, renderer, seconds, stop))


async def _run_stream_json(
    speaker: ChatSession, renderer: Renderer, seconds: float, stop: StopSignal
) -> int:
    async with Runner() as runner:
        last = await TurnLoop(
            speaker, runner, CancellableStream(runner, renderer, seconds, stop)
        ).run()
    renderer.show_end(last)
    return to_exit_code(last)
