"""A command that runs as a task of its own, so that it can go on after the call that started it."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from .launcher import ProcessExit, Sink, TimeLimit
from .output_capture import OutputRecorder

# Bytes of output that wait to be read; older ones are only in the stored output
MAX_UNREAD = 1_000_000

Start = Callable[[TimeLimit, Sink], Coroutine[Any, Any, ProcessExit]]


class CommandRun:
    """One command: its process, its output, and what of that was not read yet."""

    def __init__(
        self,
        command_id: str,
        command: str,
        recording: OutputRecorder,
        *,
        seconds: float | None = None,
        confined: bool = False,
        only_reads: bool = False,
    ) -> None:
        """Build it; `seconds` is its time limit, None: it has none."""
        self.id = command_id
        self.command = command
        self.recording = recording
        self.confined = confined
        """Whether it runs in the sandbox."""
        self.only_reads = only_reads
        """Whether it is known to change no file."""
        self.is_known_ended = False
        """Whether the model knows that it has ended."""
        self.was_killed = False
        self.watch: Sink = lambda piece: None
        """Gets its output as it comes, until it is detached."""
        self.sent_back = asyncio.Event()
        """Set once it is to go on in the background."""
        self._limit = TimeLimit(seconds)
        self._unread = bytearray()
        self._dropped = 0
        self._began = time.monotonic()
        self._task: asyncio.Task[ProcessExit] | None = None

    def start(self, start: Start, on_end: Callable[["CommandRun"], None] | None = None) -> None:
        """Start it; `on_end` is called once when it has ended, however that was."""
        self._began = time.monotonic()
        self._task = asyncio.ensure_future(start(self._limit, self.add_output))

        def finish(_: object) -> None:
            self.recording.close()
            if on_end:
                on_end(self)

        self._task.add_done_callback(finish)

    def add_output(self, piece: bytes) -> None:
        """Record the next piece of its output."""
        self.recording.add(piece)
        self._unread += piece
        excess = len(self._unread) - MAX_UNREAD
        if excess > 0:
            del self._unread[:excess]
            self._dropped += excess
        self.watch(piece)

    def detach(self) -> None:
        """Let it go on without a time limit; what came so far counts as read."""
        self._limit.lift()
        self.watch = lambda piece: None
        self.read_new_output()
        self.recording.store_from_start()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._task is not None and not self._task.done()

    @property
    def seconds(self) -> float:
        """Seconds since it was started, or that it ran."""
        ended = self.get_exit()
        return ended.duration if ended else time.monotonic() - self._began

    @property
    def state(self) -> Literal["running", "killed", "ended"]:
        """What has become of it."""
        if self.is_running:
            return "running"
        return "killed" if self.was_killed else "ended"

    def get_exit(self) -> ProcessExit | None:
        """Return how it ended; None while it runs and if it was stopped.

        Raises what kept it from running, such as ToolError and OSError.
        """
        if self._task is None or not self._task.done() or self._task.cancelled():
            return None
        return self._task.result()

    def find_exit_code(self) -> int | None:
        """Return its exit code; None if it has none."""
        if self._task and self._task.done() and not self._task.cancelled():
            return None if self._task.exception() else self._task.result().exit_code
        return None

    def read_new_output(self) -> tuple[bytes, int]:
        """Return the output since the last look, and how many bytes before it were dropped."""
        data, dropped = bytes(self._unread), self._dropped
        self._unread.clear()
        self._dropped = 0
        return data, dropped

    async def wait(self, seconds: float | None = None, *, or_sent_back: bool = False) -> None:
        """Wait until it has ended, the time is over, or it is sent to the background."""
        if self._task is None:
            return
        waiting = {self._task}
        moved = asyncio.ensure_future(self.sent_back.wait()) if or_sent_back else None
        try:
            await asyncio.wait(
                waiting | ({moved} if moved else set()),
                timeout=seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            if moved:
                moved.cancel()

    async def stop(self) -> None:
        """End it with all processes that it started."""
        if self._task and not self._task.done():
            self.was_killed = True
            self._task.cancel()
            await asyncio.shield(asyncio.wait((self._task,)))
            self.find_exit_code()  # an error of a command that nobody waits for is not reported
