"""The tools of plan mode: two propose another mode, one shows options.

The user's answer takes the place of their result, so one runs only if no user is there.
"""

from collections.abc import Mapping
from typing import Literal

from ...definition import tool
from ...result import CallResult, ToolError
from ...tool_run import Run

# the tools that propose a mode, and which
LEADS_TO: Mapping[str, Literal["build", "plan"]] = {"plan_enter": "plan", "plan_exit": "build"}
NOBODY = "nobody is here to answer; stay in this mode and say what you would do"


@tool("talk")
async def plan_enter(reason: str = "", *, run: Run) -> CallResult:
    """Propose plan mode; nobody has decided."""
    raise ToolError(NOBODY)


@tool("talk")
async def plan_exit(*, run: Run) -> CallResult:
    """Show the plan; nobody has looked at it."""
    raise ToolError(NOBODY)


@tool("talk")
async def plan_mode_respond(
    response: str, options: tuple[str, ...] = (), *, run: Run
) -> CallResult:
    """Say where the plan stands; nobody has answered."""
    raise ToolError(NOBODY)
