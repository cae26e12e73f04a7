"""The graph of one sub-agent, and the nodes by which the other graphs run sub-agents."""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from typing import Literal

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..nodes.children.task import SubagentTask
from ..nodes.lazy_nodes import (
    approve,
    collect_reports,
    compact,
    run_agent_turn,
    run_subagent,
    run_tool,
)
from ..nodes.run.context import Context
from ..nodes.state import State, Task
from ..nodes.subagents.child_state import ChildState
from ..nodes.tool_task import ToolTask


def build_graph() -> StateGraph[ChildState, Context, ChildState, ChildState]:
    """Build the graph of a child."""
    builder = StateGraph(ChildState, Context)
    builder.add_node("agent", run_agent_turn)
    builder.add_node("compact", compact, destinations=("agent", "__end__"))
    builder.add_node("approve", approve, destinations=("agent", "tools", "approve"))
    builder.add_node("tools", run_tool, input_schema=ToolTask, destinations=("agent", "approve"))
    builder.add_edge(START, "agent")
    return builder


# without its own checkpointer: it uses the thread's, in a namespace for each child
graph = build_graph().compile(name="subagent")


async def run_child(state: SubagentTask, runtime: Runtime[Context]) -> Command[Literal["reports"]]:
    """Run a child of the thread; LangGraph and Studio find its graph by this function."""
    return await run_subagent(state, runtime, graph)


def add_subagent_nodes(
    builder: StateGraph[State, Context, Task, State], roles: tuple[str, ...]
) -> None:
    """Add the nodes that run children and collect their reports."""
    builder.add_node("subagent", run_child, input_schema=SubagentTask, destinations=("reports",))
    builder.add_node("reports", collect_reports, destinations=(*roles, "approve"))
