"""The graph of `mcode task`: architect → coder → tests → tester → review, and their tools.

Or, with several attempts: attempts → adopt → review. Or, for the tests of a file: tests → tester →
tests → review.
"""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from langgraph.graph import START, StateGraph

from ..nodes.architect import run_architect
from ..nodes.coder import run_coder
from ..nodes.lazy_nodes import (
    adopt_attempt,
    approve,
    compact,
    review,
    run_attempts,
    run_tester,
    run_tool,
    verify,
)
from ..nodes.run.context import Context
from ..nodes.state import State, Task, choose_first_node
from ..nodes.tool_task import ToolTask
from .subagent import add_subagent_nodes

ROLES = ("architect", "coder", "tester")
FIRST = ["architect", "attempts", "verify"]


def build_graph() -> StateGraph[State, Context, Task, State]:
    """Build the task's graph, not compiled: the caller adds saver and store."""
    builder = StateGraph(State, Context, input_schema=Task)
    builder.add_node("architect", run_architect)
    builder.add_node("coder", run_coder)
    builder.add_node("tester", run_tester)
    builder.add_node("compact", compact, destinations=(*ROLES, "__end__"))
    builder.add_node("approve", approve, destinations=(*ROLES, "tools", "subagent", "approve"))
    builder.add_node("tools", run_tool, input_schema=ToolTask, destinations=(*ROLES, "approve"))
    builder.add_node("verify", verify)
    builder.add_node("review", review)
    add_subagent_nodes(builder, ROLES)
    builder.add_node("attempts", run_attempts)
    builder.add_node("adopt", adopt_attempt)
    builder.add_conditional_edges(START, choose_first_node, FIRST)
    return builder


graph = build_graph().compile(name="task")
