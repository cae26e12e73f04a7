"""The graph of `mcode chat`: receive the user's message; build or plan answers with tools."""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from langgraph.graph import START, StateGraph

from ..nodes.chat_turn import run_build_mode as build_mode
from ..nodes.chat_turn import run_plan_mode
from ..nodes.lazy_nodes import approve, compact, fit_schema, run_tool, switch_mode
from ..nodes.receive_message import receive_message
from ..nodes.run.context import Context
from ..nodes.state import State, Task
from ..nodes.tool_task import ToolTask
from .subagent import add_subagent_nodes

MODES = ("build", "plan")


def build_graph() -> StateGraph[State, Context, Task, State]:
    """Build the conversation's graph, not compiled: the caller adds saver and store."""
    builder = StateGraph(State, Context, input_schema=Task)
    builder.add_node("listen", receive_message)
    builder.add_node("compact", compact, destinations=(*MODES, "__end__"))
    builder.add_node("build", build_mode)
    builder.add_node("plan", run_plan_mode)
    steps = ("tools", "subagent", "switch", "approve")
    builder.add_node("approve", approve, destinations=(*MODES, *steps))
    builder.add_node("switch", switch_mode)
    builder.add_node("tools", run_tool, input_schema=ToolTask, destinations=(*MODES, "approve"))
    builder.add_node("fit_schema", fit_schema)
    add_subagent_nodes(builder, MODES)
    builder.add_edge(START, "listen")
    return builder


graph = build_graph().compile(name="chat")
