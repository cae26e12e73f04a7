"""The `apply_patch` tool: changes several files, or none."""

from collections.abc import Mapping

from ...cancellable_thread import run_in_worker
from ...definition import tool
from ...result import CallResult
from ...tool_run import Run


def _find_paths(args: Mapping[str, object]) -> list[str]:
    from ...editing.patch.parser import find_patched_names

    return find_patched_names(args)


@tool("edit", paths=_find_paths)
async def apply_patch(patch: str, *, run: Run) -> CallResult:
    """Apply a patch to files."""
    from .patch_application import apply_to_files  # brings the engine for patches

    return await run_in_worker(apply_to_files, run, patch)
