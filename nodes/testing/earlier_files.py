"""Test runs on the files before a job, in a worktree of the snapshot."""

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
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from .test_commands import run_command

# Files of a Python environment that name the folders of packages elsewhere
_POINTERS = ("*.pth", "*.egg-link", "__editable__*")
_MAX_POINTER_BYTES = 200_000
_logger = logging.getLogger(__name__)


async def run_on_earlier_files(
    command: TestCommand, tree: str, runtime: Runtime[Context], deps: Dependencies
) -> TestRun | None:
    """Run the command on the files of the snapshot; None if that is not possible."""
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
    """Yield dependencies for a worktree of the snapshot; it is removed at the end."""
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
    """Return the same command in the worktree; None if it did not exist then."""
    if command.framework == "configured":
        return build_configured_command(deps.settings.task.test_command)
    commands = await detect_test_commands(deps.workspace.root, "", deps.sandbox)
    command_line = format_command(command)
    return next(
        (candidate for candidate in commands if format_command(candidate) == command_line), None
    )


def _is_linked(command: TestCommand, deps: Dependencies) -> bool:
    """Return whether the command would test the project's current files instead.

    It would if the project is installed in editable mode in an environment outside of it.
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
        with file.open("rb") as stream:
            return stream.read(_MAX_POINTER_BYTES)
    except OSError:
        return b""
