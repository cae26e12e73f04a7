"""`--input stream-json`: one turn after another on one thread, until stdin ends."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ...config.errors import UsageError
from ...config.text import text
from ...sdk.events import Event, Failure, Interrupted, Question
from ...sdk.interrupt_response import Answer
from ...sdk.runner import Runner
from ...tools.process.own_memory import close_memory
from ..rendering.renderer import Renderer
from .background_end import collect_running, show_stopped
from .cancellation import CancellableStream
from .chat_session import ChatSession
from .run import to_exit_code
from .stop_signal import StopSignal, run_stoppable

# Characters of a question's whole id; nothing shorter says that the question was read
FULL_ID = 32


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class UserLine(_Line):
    """Send a message to the conversation, or create one."""

    type: Literal["user"]
    text: str
    abandon: bool = False
    """Abandon an unfinished turn."""


class SteerLine(_Line):
    """Send a message to the running turn, between two tool calls; if none runs, start one."""

    type: Literal["steer"]
    text: str


class AnswerLine(_Line):
    """Answer the question that ended the previous turn, as `mcode resume` does."""

    type: Literal["answer"]
    approve: bool = False
    reject: str | None = None
    """Reason; may be empty."""
    text: str | None = None
    """An answer in text."""
    decisions: list[Mapping[str, Any]] = []
    """One decision for each request, in its order."""
    question: str = ""
    """Id of the question that was read, or its first 8 characters or more; empty: the thread's
    first open question."""

    @property
    def answer(self) -> Answer:
        """Convert it to the SDK's type."""
        answer_fields = (self.approve, self.reject, self.text, self.decisions)
        if len(self.question) < FULL_ID:
            return Answer(*answer_fields, parked=self.question or None)
        return Answer(*answer_fields, self.question)


class ResumeLine(_Line):
    """Continue after a limit or an interruption."""

    type: Literal["resume"]


class InterruptLine(_Line):
    """Interrupt the current turn; finished work is kept."""

    type: Literal["interrupt"]


class BackgroundLine(_Line):
    """Let the command that the current turn waits for go on in the background."""

    type: Literal["background"]


JsonLine = UserLine | SteerLine | AnswerLine | ResumeLine | InterruptLine | BackgroundLine
LINE: TypeAdapter[JsonLine] = TypeAdapter(Annotated[JsonLine, Field(discriminator="type")])
HINT = 'see `docs/headless.md`; a line is a JSON object such as {"type": "user", "text": "…"}'


def parse_line(line: bytes, number: int) -> JsonLine | None:
    """Parse the line; return None for an empty one. Raise UsageError with its number."""
    if not line.strip():
        return None
    try:
        return LINE.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "".join(f"`{part}`: " for part in first["loc"] if isinstance(part, str))
        message = text(
            "line {number} of stdin: {place}{problem}",
            number=number,
            place=place,
            problem=first["msg"],
        )
        raise UsageError(message, hint=HINT) from None


CHUNK_SIZE = 1 << 16


class StdinLines:
    """Lines as they arrive, also during a turn: an interrupt takes effect at once."""

    def __init__(
        self,
        interrupt: Callable[[], None],
        steer: Callable[[str], bool],
        send_to_background: Callable[[], None],
    ) -> None:
        """Read them; `steer` returns whether it has sent the message to a running turn."""
        self._interrupt, self._steer = interrupt, steer
        self._send_to_background = send_to_background
        self._waiting: asyncio.Queue[JsonLine | UsageError | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._number = 0
        # a thread that waits for stdin cannot be stopped, so the process exits without joining it
        threading.Thread(target=self._read_stdin, daemon=True).start()

    async def read_next(self) -> JsonLine | None:
        """Return the next line, None at the end; raise UsageError for an invalid one."""
        line = await self._waiting.get()
        if isinstance(line, UsageError):
            raise line
        return line

    def _read_stdin(self) -> None:
        rest = b""
        with suppress(RuntimeError):  # the loop is closed: nobody reads the lines
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
        elif isinstance(line, BackgroundLine):
            self._send_to_background()
        elif isinstance(line, SteerLine) and self._steer(line.text):
            pass
        elif line:
            self._waiting.put_nowait(line)


class TurnLoop:
    """Turns as the lines ask for them."""

    def __init__(self, speaker: ChatSession, runner: Runner, watch: CancellableStream) -> None:
        self._speaker, self._runner, self._watch = speaker, runner, watch
        self._interrupted = False
        self._unsent: list[JsonLine] = []
        """Messages to a turn that ended before it could read them."""

    async def run(self) -> Event | None:
        """Run to the end of stdin, or until something ends it earlier; return the last event."""
        lines = StdinLines(self._interrupt_turn, self._steer, self._send_to_background)
        last, has_begun = None, False
        while line := self._unsent.pop(0) if self._unsent else await lines.read_next():
            has_begun, events = True, self._start_turn(line)
            self._interrupted = False
            last = await self._watch.show_events(events)
            is_over = isinstance(last, Failure | Interrupted | None) and not self._interrupted
            if not isinstance(last, Question):  # the turn continues after the answer
                unsent = self._runner.steering.take_unsent()
                self._unsent += [SteerLine(type="steer", text=message.text) for message in unsent]
            if is_over or self._watch.was_stopped:  # also by a signal during the turn's last step
                return last
        if not has_begun:
            raise UsageError("no message given", hint="write a line to stdin")
        return last

    def _interrupt_turn(self) -> None:
        self._interrupted = True
        self._watch.stop_at_once()

    def _send_to_background(self) -> None:
        with suppress(UsageError):  # too many run there
            self._runner.background.send_to_background(self._speaker.thread)

    def _steer(self, message: str) -> bool:
        try:
            self._runner.steer(message)
        except UsageError:  # no turn runs
            return False
        return True

    def _start_turn(self, line: JsonLine) -> AsyncGenerator[Event]:
        if isinstance(line, UserLine | SteerLine):
            # an interrupted turn is abandoned without a question
            abandon = self._interrupted or (isinstance(line, UserLine) and line.abandon)
            return self._speaker.send_message(self._runner, line.text, abandon=abandon)
        if not self._speaker.thread:
            raise UsageError("there is nothing to continue yet", hint="send a message first")
        answer = line.answer if isinstance(line, AnswerLine) else None
        return self._runner.resume(self._speaker.thread, answer)


def run_stream_json(chat_session: ChatSession, renderer: Renderer, seconds: float = 0.0) -> int:
    """Run the turns that stdin asks for; return the exit code of the last one, or of a signal."""
    return run_stoppable(lambda stop: _run_stream_json(chat_session, renderer, seconds, stop))


async def _run_stream_json(
    chat_session: ChatSession, renderer: Renderer, seconds: float, stop: StopSignal
) -> int:
    close_memory()
    async with Runner() as runner:
        last = await TurnLoop(
            chat_session, runner, CancellableStream(runner, renderer, seconds, stop)
        ).run()
        running = collect_running(runner)
    renderer.show_end(last)
    show_stopped(running)
    return to_exit_code(last)
