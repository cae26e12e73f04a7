"""The graph of one sub-agent, and the nodes by which the other graphs run sub-agents."""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from typing import Literal

from langgraph.graph import END, START
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..nodes.children.task import SubagentTask
from ..nodes.lazy_nodes import lazy
from ..nodes.run.context import Context
from ..nodes.state import State, Task
from ..nodes.subagents.child_state import ChildState
from ..nodes.tool_task import ToolTask
from .job_graph import JobGraph, label_edges


def build_graph() -> JobGraph[ChildState, ChildState]:
    """Build the graph of a child."""
    builder = JobGraph(ChildState, ChildState, main_line=(START, "agent", END))
    turn_edges = {
        **{"approve": "calls tools", "compact": "too long"},
        **{"agent": "goes on", END: "report"},
    }
    builder.add_node("agent", lazy("agent_turn:run_agent_turn"), destinations=turn_edges)
    compact_edges = {"agent": "next turn", END: "compacted"}
    builder.add_node("compact", lazy("compact:compact"), destinations=compact_edges)
    approve_edges = {"agent": "refused", "tools": "allowed", "approve": "asks"}
    builder.add_node("approve", lazy("approve:approve"), destinations=approve_edges)
    tool_edges = {"agent": "results", "approve": "next call"}
    builder.add_node(
        "tools", lazy("run_tool:run_tool"), input_schema=ToolTask, destinations=tool_edges
    )
    builder.add_edge(START, "agent")
    return builder


# without its own checkpointer: it uses the thread's, in a namespace for each child
graph = build_graph().compile(name="subagent")


async def run_child(state: SubagentTask, runtime: Runtime[Context]) -> Command[Literal["reports"]]:
    """Run a child of the thread; LangGraph and Studio find its graph by this function."""
    from ..nodes.subagents.run_subagent import run_subagent

    return await run_subagent(state, runtime, graph)


def add_subagent_nodes(builder: JobGraph[State, Task], roles: tuple[str, ...]) -> None:
    """Add the nodes that run children and collect their reports."""
    child_edges = {"reports": "report"}
    builder.add_node("subagent", run_child, input_schema=SubagentTask, destinations=child_edges)
    report_edges = {**label_edges("reports", roles), "approve": "next call"}
    builder.add_node(
        "reports", lazy("subagents.collect_reports:collect_reports"), destinations=report_edges
    )
