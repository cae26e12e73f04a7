"""The graph of `mcode edit`: an editor on named files, and its tools."""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from langgraph.graph import START, StateGraph

from ..nodes.editor import run_editor
from ..nodes.lazy_nodes import approve, compact, run_tool
from ..nodes.run.context import Context
from ..nodes.state import State, Task
from ..nodes.tool_task import ToolTask
from .subagent import add_subagent_nodes


def build_graph() -> StateGraph[State, Context, Task, State]:
    """Build the edit's graph, not compiled: the caller adds saver and store."""
    builder = StateGraph(State, Context, input_schema=Task)
    builder.add_node("editor", run_editor)
    builder.add_node("compact", compact, destinations=("editor", "__end__"))
    builder.add_node("approve", approve, destinations=("editor", "tools", "subagent", "approve"))
    builder.add_node("tools", run_tool, input_schema=ToolTask, destinations=("editor", "approve"))
    add_subagent_nodes(builder, ("editor",))
    builder.add_edge(START, "editor")
    return builder


graph = build_graph().compile(name="edit")
