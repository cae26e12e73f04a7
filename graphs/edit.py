"""The graph of `mcode edit`: an editor on named files, and its tools."""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from langgraph.graph import END, START
from typing_extensions import Unpack

from ..nodes.editor import run_editor
from ..nodes.lazy_nodes import lazy
from ..nodes.run.program_parts import ProgramArguments, build_program_parts
from ..nodes.state import State, Task
from ..nodes.tool_task import ToolTask
from .job_graph import JobGraph
from .subagent import add_subagent_nodes


def build_graph(**program: Unpack[ProgramArguments]) -> JobGraph[State, Task]:
    """Build the edit's graph, not compiled: the caller adds saver and store.

    `tools`, `model` and `hooks` are those of `Runner`.
    """
    builder = JobGraph(
        State, Task, main_line=(START, "editor", END), parts=build_program_parts(**program)
    )
    turn_edges = {"approve": "calls tools", "compact": "too long", "editor": "goes on", END: "done"}
    builder.add_node("editor", run_editor, destinations=turn_edges)
    compact_edges = {"editor": "next turn", END: "compacted"}
    builder.add_node("compact", lazy("compact:compact"), destinations=compact_edges)
    approve_edges = {
        **{"editor": "refused", "approve": "asks"},
        **{"tools": "allowed", "subagent": "allowed"},
    }
    builder.add_node("approve", lazy("approve:approve"), destinations=approve_edges)
    tool_edges = {"editor": "results", "approve": "next call"}
    builder.add_node(
        "tools", lazy("run_tool:run_tool"), input_schema=ToolTask, destinations=tool_edges
    )
    add_subagent_nodes(builder, ("editor",))
    builder.add_edge(START, "editor")
    return builder


graph = build_graph().compile(name="edit")
