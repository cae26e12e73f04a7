"""The tools of plan mode: two propose to change the mode, one shows options to choose from.

The human's answer comes before any of them would run, so running one means that nobody is there.
"""

from .result import ToolRefusal, ToolResult
from .tool import Run, tool

NOBODY = "nobody is here to answer; stay in this mode and say what you would do"


@tool("talk")
async def plan_enter(reason: str = "", *, run: Run) -> ToolResult:
    """Propose plan mode, in which nothing changes but a plan; for work that should be agreed first.

    `reason` tells the user why. Call it alone.
    """
    raise ToolRefusal(NOBODY)


@tool("talk")
async def plan_exit(*, run: Run) -> ToolResult:
    """Show the complete plan to the user, who approves it, changes it or says what is wrong.

    Write the plan to its file first. Call this alone. After a yes you carry the plan out.
    """
    raise ToolRefusal(NOBODY)


@tool("talk")
async def plan_mode_respond(
    response: str, options: tuple[str, ...] = (), *, run: Run
) -> ToolResult:
    """Tell the user where the plan stands; they choose one of `options` or answer freely."""
    raise ToolRefusal(NOBODY)
