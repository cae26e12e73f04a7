"""Test runs on the files as they were before a job: in a worktree of the snapshot."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from langgraph.runtime import Runtime

from ...config.errors import MaxAgentError
from ...memory.worktrees.creation import create_worktree
from ...memory.worktrees.removal import remove_worktree
from ...tools.sandbox.detect import open_sandbox
from ...tools.testing.command import TestCommand
from ...tools.testing.detection import (
    build_configured_command,
    detect_test_commands,
    format_command,
)
from ...tools.testing.run import TestRun
from ..agent.context import Context, get_thread_id
from ..agent.dependencies import Dependencies
from .test_commands import run_command

# Files of a Python environment that name the folders of packages elsewhere
_POINTERS = ("*.pth", "*.egg-link", "__editable__*")
_LARGEST_POINTER = 200_000
_logger = logging.getLogger(__name__)


async def run_before(
    command: TestCommand, tree: str, runtime: Runtime[Context], deps: Dependencies
) -> TestRun | None:
    """Run the command on the files of the snapshot; None if they cannot be tested alone."""
    if not deps.snapshots.has_all_files or not tree:
        return None
    try:
        async with _open_worktree(tree, runtime, deps) as earlier:
            same = await _find_same_command(command, earlier)
            if same is None or same.problem or await asyncio.to_thread(_is_linked, same, deps):
                return None
            return await run_command(same, runtime, earlier, "before")
    except (MaxAgentError, OSError) as error:
        _logger.info("no baseline: %s", error)
        return None


@asynccontextmanager
async def _open_worktree(
    tree: str, runtime: Runtime[Context], deps: Dependencies
) -> AsyncGenerator[Dependencies]:
    """Yield the dependencies of a worktree with the files of the snapshot; it is removed then."""
    worktree = await create_worktree(
        deps.snapshots,
        thread_id=get_thread_id(runtime),
        key=f"baseline-{tree}",
        tree=tree,
        sandboxed=deps.sandbox.is_on,
    )
    try:
        workspace = replace(deps.workspace, root=worktree.folder)
        section = deps.settings.sandbox
        sandbox = await asyncio.to_thread(open_sandbox, section, workspace, deps.home)
        if deps.sandbox.unix_sockets:
            sandbox = sandbox.with_unix_sockets()
        yield replace(deps, workspace=workspace, sandbox=sandbox)
    finally:
        await remove_worktree(deps.snapshots, worktree)


async def _find_same_command(command: TestCommand, deps: Dependencies) -> TestCommand | None:
    """Return the same command with the programs of the worktree; None if it was not there yet."""
    if command.framework == "configured":
        return build_configured_command(deps.settings.task.test_command)
    commands = await detect_test_commands(deps.workspace.root, "", deps.sandbox)
    shown = format_command(command)
    return next((one for one in commands if format_command(one) == shown), None)


def _is_linked(command: TestCommand, deps: Dependencies) -> bool:
    """Return whether it would test the project's present files.

    That is so if the project is installed in editable mode in an environment outside of it.
    """
    if command.language != "Python":
        return False
    root = str(deps.workspace.root).encode()
    packages = Path(command.argv[0]).parent.parent.glob("lib/python*/site-packages")
    pointers = (
        file for folder in packages for pattern in _POINTERS for file in folder.glob(pattern)
    )
    return any(root in _read_start(file) for file in pointers)


def _read_start(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(_LARGEST_POINTER)
    except OSError:
        return b""
