"""Record of background commands in the journal: what a later process knows of them."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from langgraph.runtime import Runtime

from ...config.errors import MaxAgentError
from ...memory.journal import Journal
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies

if TYPE_CHECKING:
    from ...tools.process.background_commands import BackgroundCommands
    from ...tools.process.command_run import CommandRun

# The journal's name of such a record, and how its ID begins
TOOL = "background"
_PREFIX = f"{TOOL}-"


@dataclass(frozen=True)
class JournalRecord:
    """The journal's rows of one thread: begun with the command, finished once its end is known."""

    journal: Journal
    thread: str

    async def begin(self, command: "CommandRun") -> None:
        """Record a command that runs; a full disk must not stop it."""
        with suppress(MaxAgentError):
            await asyncio.to_thread(self._begin, command)

    def _begin(self, command: "CommandRun") -> None:
        key = _PREFIX + command.id
        self.journal.begin_call(self.thread, key, TOOL, repeatable=True)
        self.journal.keep_output(self.thread, key, command.command)

    async def finish(self, command: "CommandRun") -> None:
        """Record that the thread knows its end."""
        await self.finish_ids([command.id])

    async def finish_ids(self, ids: list[str]) -> None:
        """Record that the thread knows the end of these."""
        for command_id in ids:
            with suppress(MaxAgentError, LookupError):
                await asyncio.to_thread(
                    self.journal.finish_call, self.thread, _PREFIX + command_id, {}
                )

    async def load_open(self) -> Mapping[str, str]:
        """Return the commands whose end the thread does not know, by ID."""
        rows = await asyncio.to_thread(self.journal.list_unfinished, self.thread, TOOL)
        return {key.removeprefix(_PREFIX): command for key, command in rows.items()}


def open_background(deps: Dependencies, runtime: Runtime[Context]) -> "BackgroundCommands":
    """Return the background commands of the running thread."""
    thread = get_thread_id(runtime)
    commands = runtime.context.pool.background.open(thread)
    commands.record = JournalRecord(deps.journal, thread)
    return commands


async def has_news(deps: Dependencies, runtime: Runtime[Context]) -> bool:
    """Return whether a note about background commands can be due.

    Until the thread has commands in this run, the journal is read once, for those of former runs.
    """
    pool, thread = runtime.context.pool.background, get_thread_id(runtime)
    if (commands := pool.find(thread)) and commands.all:
        return True
    if pool.is_checked(thread):
        return False
    if await JournalRecord(deps.journal, thread).load_open():
        return True
    pool.mark_checked(thread)
    return False
