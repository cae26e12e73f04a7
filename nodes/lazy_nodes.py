"""The nodes behind a model's answer: each is imported when it first runs, so a start needs none."""

from typing import TYPE_CHECKING, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .children.task import SubagentTask
from .run.context import Context
from .state import State
from .tool_task import AfterTools, ToolTask

if TYPE_CHECKING:
    from .approval.dispatch import DispatchTransition
    from .subagents.collect_reports import ReportsTransition
    from .subagents.run_subagent import ChildGraph


async def approve(state: State, runtime: Runtime[Context]) -> "DispatchTransition":
    """Evaluate the calls of an answer: `nodes/approve.py`."""
    from .approve import approve

    return await approve(state, runtime)


async def run_tool(state: ToolTask, runtime: Runtime[Context]) -> Command[AfterTools]:
    """Run one allowed call: `nodes/run_tool.py`."""
    from .run_tool import run_tool

    return await run_tool(state, runtime)


async def switch_mode(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["switch", "build", "plan"]]:
    """Ask whether the mode changes: `nodes/switch_mode.py`."""
    from .switch_mode import switch_mode

    return await switch_mode(state, runtime)


async def verify(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["verify", "coder", "tester", "review"]]:
    """Run the project's tests: `nodes/verify.py`."""
    from .verify import verify

    return await verify(state, runtime)


async def check_goal(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["check", "build", "__end__"]]:
    """Check the goal of a message: `nodes/check_goal.py`."""
    from .check_goal import check_goal

    return await check_goal(state, runtime)


async def compact(state: State, runtime: Runtime[Context]) -> Command[str]:
    """Shorten what a model is sent: `nodes/compact.py`."""
    from .compact import compact

    return await compact(state, runtime)


async def review(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["verify", "coder", "tester", "__end__"]]:
    """End the task: `nodes/review.py`."""
    from .review import review

    return await review(state, runtime)


async def fit_schema(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["build", "plan", "__end__"]]:
    """Fit the answer to a schema: `nodes/enforce_schema.py`."""
    from .enforce_schema import fit_schema

    return await fit_schema(state, runtime)


async def run_tester(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["approve", "compact", "tester", "coder", "verify", "review"]]:
    """Judge the change: `nodes/tester.py`."""
    from .tester import run_tester

    return await run_tester(state, runtime)


async def run_agent_turn(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["agent", "approve", "compact", "__end__"]]:
    """Take a turn of a child: `nodes/agent_turn.py`."""
    from .agent_turn import run_agent_turn

    return await run_agent_turn(state, runtime)


async def run_subagent(
    task: SubagentTask, runtime: Runtime[Context], child: "ChildGraph"
) -> Command[Literal["reports"]]:
    """Run a child: `nodes/subagents/run_subagent.py`."""
    from .subagents.run_subagent import run_subagent

    return await run_subagent(task, runtime, child)


async def collect_reports(state: State, runtime: Runtime[Context]) -> "ReportsTransition":
    """Answer the calls of children: `nodes/subagents/collect_reports.py`."""
    from .subagents.collect_reports import collect_reports

    return await collect_reports(state, runtime)


async def run_attempts(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["attempts", "adopt"]]:
    """Run several attempts at the task: `nodes/attempts/run_attempts.py`."""
    from .attempts.run_attempts import run_attempts

    return await run_attempts(state, runtime)


async def adopt_attempt(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["verify", "review", "__end__"]]:
    """Keep the best attempt: `nodes/attempts/adopt_attempt.py`."""
    from .attempts.adopt_attempt import adopt_attempt

    return await adopt_attempt(state, runtime)
