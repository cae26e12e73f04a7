"""The graph of `mcode task`: architect → coder → tests → tester → review, and their tools.

Or, with several attempts: attempts → adopt → review. Or, for the tests of a file: tests → tester →
tests → review.
"""

# pyright: reportUnknownMemberType=false
# LangGraph's overloads for nodes are only partly typed
from langgraph.graph import END, START
from typing_extensions import Unpack

from ..nodes.architect import run_architect
from ..nodes.coder import run_coder
from ..nodes.lazy_nodes import lazy
from ..nodes.run.program_parts import ProgramArguments, build_program_parts
from ..nodes.state import State, Task, choose_first_node
from ..nodes.tool_task import ToolTask
from .job_graph import JobGraph, label_edges
from .subagent import add_subagent_nodes

ROLES = ("architect", "coder", "tester")
MAIN_LINE = (START, "architect", "coder", "verify", "tester", "review", END)
FIRST_NODES = ["architect", "attempts", "verify"]
TURN_EDGES = {"approve": "calls tools", "compact": "too long", "review": "stopped"}


def build_graph(**program: Unpack[ProgramArguments]) -> JobGraph[State, Task]:
    """Build the task's graph, not compiled: the caller adds saver and store.

    `tools`, `model` and `hooks` are those of `Runner`.
    """
    builder = JobGraph(State, Task, main_line=MAIN_LINE, parts=build_program_parts(**program))
    architect_edges = {**TURN_EDGES, "architect": "goes on", "coder": "plan"}
    builder.add_node("architect", run_architect, destinations=architect_edges)
    coder_edges = {**TURN_EDGES, "coder": "goes on", "verify": "change"}
    builder.add_node("coder", run_coder, destinations=coder_edges)
    tester_edges = {
        **{"approve": "calls tools", "compact": "too long", "tester": "goes on"},
        **{"coder": "rejected", "verify": "wrote tests", "review": "accepted"},
    }
    builder.add_node("tester", lazy("tester:run_tester"), destinations=tester_edges)
    compact_edges = {**label_edges("next turn", ROLES), END: "compacted"}
    builder.add_node("compact", lazy("compact:compact"), destinations=compact_edges)
    approve_edges = {
        **label_edges("refused", ROLES),
        **{"tools": "allowed", "subagent": "allowed", "approve": "asks"},
    }
    builder.add_node("approve", lazy("approve:approve"), destinations=approve_edges)
    tool_edges = {**label_edges("results", ROLES), "approve": "next call"}
    builder.add_node(
        "tools", lazy("run_tool:run_tool"), input_schema=ToolTask, destinations=tool_edges
    )
    verify_edges = {"tester": "passed", "coder": "failed", "review": "proven", "verify": "asks"}
    builder.add_node("verify", lazy("verify:verify"), destinations=verify_edges)
    review_edges = {END: "decided", "verify": "files changed"}
    remark_edges = label_edges("remark", ("coder", "tester"))
    builder.add_node("review", lazy("review:review"), destinations={**review_edges, **remark_edges})
    add_subagent_nodes(builder, ROLES)
    attempts_edges = {"adopt": "ended", "attempts": "next attempt"}
    builder.add_node(
        "attempts", lazy("attempts.run_attempts:run_attempts"), destinations=attempts_edges
    )
    adopt_edges = {"review": "tested", "verify": "files changed", END: "none kept"}
    builder.add_node(
        "adopt", lazy("attempts.adopt_attempt:adopt_attempt"), destinations=adopt_edges
    )
    builder.add_conditional_edges(START, choose_first_node, FIRST_NODES)
    return builder


graph = build_graph().compile(name="task")
