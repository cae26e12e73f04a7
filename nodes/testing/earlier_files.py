"""Test runs on the files as they were before a job."""

from langgraph.runtime import Runtime

from ...tools.testing.command import TestCommand
from ..agent.context import Context
from ..agent.dependencies import Dependencies
from ..state import BaselineRun


async def run_before(
    command: TestCommand, tree: str, runtime: Runtime[Context], deps: Dependencies
) -> BaselineRun | None:
    """Run the command on the files of the snapshot; None if that is not possible."""
    return None
