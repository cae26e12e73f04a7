"""The graph of `mcode chat`: receive the user's message; build or plan answers with tools."""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from langgraph.graph import END, START
from typing_extensions import Unpack

from ..nodes.chat_turn import run_build_mode as build_mode
from ..nodes.chat_turn import run_plan_mode
from ..nodes.lazy_nodes import lazy
from ..nodes.receive_message import receive_message
from ..nodes.run.program_parts import ProgramArguments, build_program_parts
from ..nodes.state import State, Task
from ..nodes.tool_task import ToolTask
from .job_graph import JobGraph, label_edges
from .subagent import add_subagent_nodes

MODES = ("build", "plan")
TURN_EDGES = {
    **{"approve": "calls tools", "compact": "too long", "fit_schema": "JSON answer"},
    **{"check": "goal", END: "answer", **label_edges("goes on", MODES)},
}


def build_graph(**program: Unpack[ProgramArguments]) -> JobGraph[State, Task]:
    """Build the conversation's graph, not compiled: the caller adds saver and store.

    `tools`, `model` and `hooks` are those of `Runner`.
    """
    builder = JobGraph(
        State,
        Task,
        main_line=(START, "listen", "compact", "build", END),
        parts=build_program_parts(**program),
    )
    builder.add_node("listen", receive_message, destinations={"compact": "message"})
    compact_edges = {**label_edges("next turn", MODES), END: "compacted"}
    builder.add_node("compact", lazy("compact:compact"), destinations=compact_edges)
    builder.add_node("build", build_mode, destinations=TURN_EDGES)
    builder.add_node("plan", run_plan_mode, destinations=TURN_EDGES)
    approve_edges = {
        **label_edges("refused", MODES),
        **{"tools": "allowed", "subagent": "allowed", "switch": "new mode", "approve": "asks"},
    }
    builder.add_node("approve", lazy("approve:approve"), destinations=approve_edges)
    switch_edges = {**label_edges("decided", MODES), "switch": "asks"}
    builder.add_node("switch", lazy("switch_mode:switch_mode"), destinations=switch_edges)
    tool_edges = {**label_edges("results", MODES), "approve": "next call"}
    builder.add_node(
        "tools", lazy("run_tool:run_tool"), input_schema=ToolTask, destinations=tool_edges
    )
    check_edges = {END: "reached", "build": "not reached", "check": "asks"}
    builder.add_node("check", lazy("check_goal:check_goal"), destinations=check_edges)
    fit_edges = {END: "fits", **label_edges("does not fit", MODES)}
    builder.add_node("fit_schema", lazy("enforce_schema:fit_schema"), destinations=fit_edges)
    add_subagent_nodes(builder, MODES)
    builder.add_edge(START, "listen")
    return builder


graph = build_graph().compile(name="chat")
