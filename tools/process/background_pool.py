"""The background commands of all threads of a Runner; a thread without any imports nothing."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .background_commands import BackgroundCommands
    from .command_run import CommandRun


class BackgroundPool:
    """The background commands of a Runner's threads; they end with it."""

    def __init__(self) -> None:
        self._threads: dict[str, BackgroundCommands] = {}
        self._checked: set[str] = set()
        self.changed: Callable[[], None] = lambda: None
        """Called when a command begins or ends."""

    def open(self, thread: str) -> "BackgroundCommands":
        """Return the commands of a thread."""
        if thread not in self._threads:
            from .background_commands import BackgroundCommands

            self._threads[thread] = BackgroundCommands(thread, lambda: self.changed())
        return self._threads[thread]

    def find(self, thread: str) -> "BackgroundCommands | None":
        """Return the commands of a thread; None if it has had none in this run."""
        return self._threads.get(thread)

    @property
    def running(self) -> "tuple[CommandRun, ...]":
        """The running commands of all threads."""
        return tuple(run for thread in self._threads.values() for run in thread.running)

    def is_checked(self, thread: str) -> bool:
        """Whether nothing is left of the thread's commands in former runs."""
        return thread in self._checked

    def mark_checked(self, thread: str) -> None:
        """Note that nothing is left of former runs, until this run ends."""
        self._checked.add(thread)

    def count_running(self) -> dict[str, int]:
        """Count the running commands of each thread that has any."""
        counts = {thread: len(commands.running) for thread, commands in self._threads.items()}
        return {thread: count for thread, count in counts.items() if count}

    def release(self, thread: str) -> None:
        """Forget a thread whose run has ended, unless a command of it is known."""
        self._checked.discard(thread)
        if commands := self._threads.get(thread):
            commands.release()
            if commands.network is None and not commands.all:
                del self._threads[thread]

    async def close(self) -> None:
        """End all commands; the pool can be used again."""
        threads, self._threads = [*self._threads.values()], {}
        # each is waited for, even if one fails
        await asyncio.gather(*(thread.close() for thread in threads), return_exceptions=True)
