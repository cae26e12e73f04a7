"""Background commands that may change files; plan mode and read-only mode end them."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from langgraph.runtime import Runtime

from ...config.text import text
from ...tools.permissions.policy import Policy
from ..events.progress import Notice
from ..run.context import Context, get_thread_id
from ..run.emit import emit

if TYPE_CHECKING:
    from ...tools.process.command_run import CommandRun

ENDED = "{mode} mode changes no files, so these background commands were ended: {names}"


def find_changing_commands(runtime: Runtime[Context]) -> "Sequence[CommandRun]":
    """Return the thread's running commands that are not known to only read."""
    commands = runtime.context.pool.background.find(get_thread_id(runtime))
    return [run for run in commands.running if not run.only_reads] if commands else []


async def end_changing_commands(runtime: Runtime[Context], policy: Policy) -> None:
    """End them, with a notice, if the mode lets nothing change."""
    mode = "plan" if policy.plan else policy.mode
    if mode not in ("plan", "read-only"):
        return
    if changing := find_changing_commands(runtime):
        await asyncio.gather(*(run.stop() for run in changing))
        emit(runtime, Notice(text(ENDED, mode=mode, names=_join_commands(changing))))


def _join_commands(runs: "Sequence[CommandRun]") -> str:
    """Return the commands in one line, each short."""
    from ...tools.process.background_commands import shorten_command

    return ", ".join(f"`{shorten_command(run)}`" for run in runs)
