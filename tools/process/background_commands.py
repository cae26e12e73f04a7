"""The background commands of one thread."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..result import ToolError
from .command_run import CommandRun
from .namespaces import Namespaces

# Commands of one thread that run at the same time
MAX_RUNNING = 8
# Ended commands of a thread whose last output can still be read as new
MAX_ENDED = 20


class CommandRecord(Protocol):
    """Where running commands are noted, so that a later process can say which are gone."""

    async def begin(self, command: CommandRun) -> None:
        """Note that it runs."""
        ...

    async def finish(self, command: CommandRun) -> None:
        """Note that the thread knows its end."""
        ...


@dataclass(eq=False)
class BackgroundCommands:
    """The commands of one thread that go on between its calls, and the one that may become one."""

    thread: str
    changed: Callable[[], None] = lambda: None
    """Called when a command begins or ends."""
    record: CommandRecord | None = None
    network: Namespaces | None = None
    """The private network of the thread's confined commands."""
    network_problem: str = ""
    network_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _commands: dict[str, CommandRun] = field(default_factory=dict[str, CommandRun])
    _foreground: CommandRun | None = None
    _events: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    _noted: set[str] = field(default_factory=set[str])
    """IDs of commands whose end has been noted."""

    @property
    def all(self) -> tuple[CommandRun, ...]:
        """The running ones and those that have ended lately, the oldest first."""
        return tuple(self._commands.values())

    @property
    def running(self) -> tuple[CommandRun, ...]:
        """Those that run."""
        return tuple(command for command in self._commands.values() if command.is_running)

    @property
    def has_foreground(self) -> bool:
        """Whether a call waits for a command that could be sent to the background."""
        return self._foreground is not None and self._foreground.is_running

    @property
    def has_room(self) -> bool:
        """Whether another one may run."""
        return len(self.running) < MAX_RUNNING

    def require_room(self) -> None:
        """Raise ToolError if too many run already."""
        if not self.has_room:
            names = "; ".join(f"{run.id}: `{shorten_command(run)}`" for run in self.running)
            raise ToolError(
                f"{MAX_RUNNING} commands run in the background already, and no more may: {names}. "
                "End one with command_kill"
            )

    def find(self, command_id: str) -> CommandRun | None:
        """Return the command with this ID."""
        return self._commands.get(command_id)

    def set_foreground(self, command: CommandRun | None) -> None:
        """Name the command that a call waits for; None: it waits no longer."""
        self._foreground = command
        self.changed()

    def send_to_background(self) -> bool:
        """Let the command that a call waits for go on in the background; False if there is none."""
        if not self.has_foreground or self._foreground is None or not self.has_room:
            return False
        self._foreground.sent_back.set()
        return True

    async def add(self, command: CommandRun) -> None:
        """Take in a command that has been started."""
        command.detach()
        self._commands[command.id] = command
        self._events.append(
            {
                "type": "background_started",
                "id": command.id,
                "command": command.command,
                "confined": command.confined,
            }
        )
        if not command.is_running:
            self.note_end(command)
        self.changed()
        if self.record:
            await self.record.begin(command)

    def note_end(self, command: CommandRun) -> None:
        """Note that a command has ended; nothing if it was not in the background."""
        if self._commands.get(command.id) is not command or command.id in self._noted:
            return
        self._noted.add(command.id)
        self._events.append(
            {
                "type": "background_finished",
                "id": command.id,
                "command": command.command,
                "exit_code": command.find_exit_code(),
                "killed": command.was_killed,
            }
        )
        ended = [run.id for run in self._commands.values() if not run.is_running]
        for command_id in ended[:-MAX_ENDED]:
            del self._commands[command_id]
        self.changed()

    async def mark_known(self, command: CommandRun) -> None:
        """Note that the model knows that the command has ended."""
        if not command.is_known_ended:
            command.is_known_ended = True
            if self.record:
                await self.record.finish(command)

    async def kill(self, command_id: str) -> CommandRun:
        """End the command and all that it started; raise ToolError if there is none."""
        command = self.find(command_id)
        if command is None:
            raise ToolError(self.describe_unknown(command_id))
        await command.stop()
        return command

    def describe_unknown(self, command_id: str) -> str:
        """Describe the error for an ID that no command has."""
        names = "; ".join(f"{run.id}: `{shorten_command(run)}`" for run in self.running)
        running = f"running are {names}" if names else "none runs"
        return f"there is no background command `{command_id}`; {running}"

    def take_events(self) -> list[Mapping[str, Any]]:
        """Return what has begun and ended since the last call."""
        events, self._events = self._events, []
        return events

    def release(self) -> None:
        """Give up the private network if no command needs it; the next one makes another."""
        if self.running or self.has_foreground:
            return
        self.network_problem = ""
        if self.network:
            self.network.close()
            self.network = None

    async def close(self) -> None:
        """End all commands."""
        running = [*self.running, *([self._foreground] if self._foreground else [])]
        await run_together([command.stop() for command in running])
        self.release()


def shorten_command(command: CommandRun) -> str:
    """Return the command in one short line."""
    line = " ".join(command.command.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


async def run_together(jobs: list[Coroutine[Any, Any, None]]) -> None:
    """Run them all; wait for the end of each even if one fails."""
    await asyncio.gather(*jobs, return_exceptions=True)
