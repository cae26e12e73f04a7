"""Background commands of a Runner's threads, for programs and for the terminal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..config.arguments import validate_arguments
from ..config.errors import UsageError
from ..config.security.redaction import redact_json
from ..config.text import text
from ..nodes.run.dependency_pool import DependencyPool
from .events import Event, parse_event

if TYPE_CHECKING:
    from ..tools.process.background_commands import BackgroundCommands
    from ..tools.process.command_run import CommandRun


@dataclass(frozen=True)
class BackgroundJob:
    """A background command, as it is now."""

    id: str
    command: str
    state: Literal["running", "killed", "ended"]
    seconds: float
    exit_code: int | None
    """None while it runs, and if it was killed."""
    confined: bool
    """Whether it runs in the sandbox."""


class BackgroundJobs:
    """The background commands of the threads of a Runner; they end with it."""

    def __init__(self, pool: DependencyPool) -> None:
        self._pool = pool

    @validate_arguments
    def list(self, thread: str) -> tuple[BackgroundJob, ...]:
        """Return the running commands of a thread and those that have ended lately."""
        return tuple(map(_describe_command, self._list(thread)))

    def list_running(self) -> tuple[BackgroundJob, ...]:
        """Return the running commands of all threads."""
        return tuple(map(_describe_command, self._pool.background.running))

    def count_running(self) -> dict[str, int]:
        """Count the running commands of each thread that has any."""
        return self._pool.background.count_running()

    @validate_arguments
    def read_output(self, thread: str, job_id: str) -> str:
        """Return what a command has printed, the middle left out; the model's next look has it too.

        Raises UsageError if there is no such command.
        """
        return self._find(thread, job_id).recording.to_text()

    @validate_arguments
    async def kill(self, thread: str, job_id: str) -> BackgroundJob:
        """End a command with all that it has started; raise UsageError if there is none."""
        command = self._find(thread, job_id)
        await command.stop()
        return _describe_command(command)

    def has_foreground(self, thread: str) -> bool:
        """Whether a call of the thread waits for a command."""
        commands = self._find_commands(thread)
        return commands is not None and commands.has_foreground

    @validate_arguments
    def send_to_background(self, thread: str) -> bool:
        """Let the command that a call waits for go on in the background.

        Returns False if there is none. Raises UsageError if too many run there.
        """
        commands = self._find_commands(thread)
        if commands is None:
            return False
        if commands.has_foreground and not commands.has_room:
            from ..tools.process.background_commands import MAX_RUNNING

            raise UsageError(
                text("{count} commands run in the background already", count=MAX_RUNNING),
                hint="end one with `/jobs kill ID`",
            )
        return commands.send_to_background()

    def watch(self, on_change: Callable[[], None]) -> None:
        """Call a function whenever a command begins or ends."""
        self._pool.background.changed = on_change

    def _find_commands(self, thread: str) -> "BackgroundCommands | None":
        return self._pool.background.find(thread)

    def _list(self, thread: str) -> "tuple[CommandRun, ...]":
        commands = self._find_commands(thread)
        return commands.all if commands else ()

    def _find(self, thread: str, job_id: str) -> "CommandRun":
        commands = self._find_commands(thread)
        if commands and (command := commands.find(job_id)):
            return command
        matching = [run for run in self._list(thread) if job_id and job_id in run.id]
        if not matching:
            raise UsageError(
                text("no background command `{id}`", id=job_id), hint="`/jobs` lists them"
            )
        if len(matching) > 1:
            raise UsageError(
                text(
                    "`{id}` is a part of the IDs of {count} background commands",
                    id=job_id,
                    count=len(matching),
                ),
                hint="give more of the ID",
            )
        return matching[0]


def _describe_command(command: "CommandRun") -> BackgroundJob:
    code = command.find_exit_code()
    return BackgroundJob(
        command.id, command.command, command.state, command.seconds, code, command.confined
    )


def parse_background_events(pending: Sequence[Mapping[str, Any]]) -> list[Event]:
    """Return the events of commands that have begun or ended, without secrets."""
    return [parse_event(redact_json(data)) for data in pending]
