"""Hint for an edit of a name that the sandbox keeps free while a command runs in the background."""

from collections.abc import Sequence

from ..result import ToolError
from ..sandbox.profile_builder import RESERVED
from ..tool_run import ToolRun
from ..workspace import Workspace

_HELD = (
    "`{name}` cannot be created while a command runs in the sandbox in the background: an empty "
    "folder takes its place, so that the command cannot create it. End it first with "
    "command_kill: {ids}"
)


def find_placeholder_hint(paths: Sequence[str], run: ToolRun) -> str:
    """Return why one of these paths is an empty folder now; empty if that is not the sandbox's."""
    confined = [job.id for job in (run.jobs.running if run.jobs else ()) if job.confined]
    if not confined:
        return ""
    held = (name for path in paths if (name := _find_held_name(path, run.workspace)))
    name = next(held, "")
    return _HELD.format(name=name, ids=", ".join(confined)) if name else ""


def _find_held_name(path: str, workspace: Workspace) -> str:
    try:
        name = workspace.to_relative(workspace.resolve(path))
    except ToolError:
        return ""
    place = workspace.root / name
    is_empty = place.is_dir() and not any(place.iterdir())
    return name if name in RESERVED and is_empty else ""
