"""Facts about where a thread runs, gathered once when it begins."""

import asyncio
import platform
from collections.abc import Coroutine
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from ...tools.filesystem.text_codec import to_one_line
from ...tools.git.hardened_git import open_repository
from ...tools.process.launcher import SHELL
from ...tools.result import ToolError
from ...tools.testing.detection import detect_active_commands, format_command
from ...tools.workspace import Workspace

if TYPE_CHECKING:
    from .context_message import ContextSources

# Seconds for each fact that a program has to find
MAX_SECONDS = 2.0


async def describe_environment(sources: "ContextSources", now: datetime) -> str:
    """Return one fact a line; of a folder that is not trusted only what the user's machine says."""
    facts = [
        ("started", f"{now:%Y-%m-%d, %A}"),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("shell of commands", SHELL),
    ]
    if sources.trust.trusted:
        git, tests = await asyncio.gather(
            _within_time(_describe_git(sources.workspace)), _within_time(_describe_tests(sources))
        )
        facts += [("git", git), ("test command", tests)]
    return "\n".join(f"{name}: {to_one_line(value)}" for name, value in facts if value)


async def _within_time(fact: Coroutine[None, None, str]) -> str:
    """Return the fact; empty if it takes too long or cannot be found."""
    with suppress(TimeoutError, ToolError, OSError):
        return await asyncio.wait_for(fact, MAX_SECONDS)
    return ""


async def _describe_git(workspace: Workspace) -> str:
    repository = await open_repository(workspace)
    status = await repository.run_git(
        "status", "--porcelain", "--branch", "--ignore-submodules=dirty", "--", "."
    )
    head, *changed = status.text.splitlines() or [""]
    branch = head.removeprefix("## ").partition("...")[0]
    state = f"{len(changed)} files changed since the last commit" if changed else "nothing changed"
    return f"{branch}, {state}"


async def _describe_tests(sources: "ContextSources") -> str:
    commands = await detect_active_commands(
        sources.workspace.root, sources.settings.task.test_command, sources.sandbox
    )
    return "; ".join(format_command(command) for command in commands if not command.problem)
