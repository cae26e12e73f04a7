"""The node `reports`: answers the calls whose sub-agents have all reported."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ...tools.builtin.session.subagent import SUBAGENT
from ..children.task import Report, make_report_key
from ..events.tool import ToolResult
from ..roles import RoleName
from ..run.context import Context
from ..run.emit import emit
from ..run.limits import NOTHING_USED, add_usage
from ..run.message_history import build_tool_message
from ..state import State

ReportsTransition = Command[
    Literal["approve", "architect", "coder", "tester", "editor", "build", "plan"]
]


async def collect_reports(state: State, runtime: Runtime[Context]) -> ReportsTransition:
    """Answer each complete call, and continue with the next group of calls or with the role."""
    role = state.get("role", "coder")
    complete = [reports for reports in _group_reports(state) if len(reports) == reports[0]["count"]]
    messages = [_build_answer(reports, role) for reports in complete]
    for message in messages:
        _emit_answer(runtime, message)
    update: dict[str, Any] = {}
    if complete:
        merged = _merge_states(state, [report for reports in complete for report in reports])
        update = {"messages": messages, **merged}
    goto = "approve" if state.get("queue") else role
    return Command(goto=goto, update=update)  # pyright: ignore[reportReturnType]


def _group_reports(state: State) -> list[list[Report]]:
    """Group the reports by their calls, in the order of their tasks."""
    by_call = defaultdict[str, list[Report]](list)
    for report in state.get("reports", {}).values():
        if report:
            by_call[report["call_id"]].append(report)
    return [sorted(reports, key=lambda report: report["position"]) for reports in by_call.values()]


def _build_answer(reports: Sequence[Report], role: RoleName) -> ToolMessage:
    texts = [reports[0]["notice"], *(report["text"] for report in reports)]
    return build_tool_message(
        reports[0]["call_id"],
        SUBAGENT,
        role,
        "\n\n".join(filter(None, texts)),
        ok=any(report["status"] != "failed" for report in reports),
    )


def _merge_states(state: State, reports: Sequence[Report]) -> dict[str, Any]:
    """Return the update of the thread: rules, files and usage of the reports, and their removal."""
    keys = [make_report_key(report["call_id"], report["position"]) for report in reports]
    usage, allowed = state.get("usage", NOTHING_USED), dict.fromkeys(state.get("allowed", []))
    for report in reports:
        usage = add_usage(usage, report["usage"])
        allowed |= dict.fromkeys(report["allowed"])
    update: dict[str, Any] = {"reports": dict.fromkeys(keys), "usage": usage}
    if [*allowed] != state.get("allowed", []):
        update["allowed"] = [*allowed]
    newest = max(reports, key=lambda report: report["file_entry"])
    if newest["file_entry"] > state.get("file_entry", 0):
        update |= {"file_entry": newest["file_entry"], "tree": newest["tree"]}
    if not all(report["proven"] for report in reports):
        update["proven"] = False
    return update


def _emit_answer(runtime: Runtime[Context], message: ToolMessage) -> None:
    ok, text = message.status == "success", str(message.text)
    emit(
        runtime,
        ToolResult(
            id=message.tool_call_id,
            tool=SUBAGENT,
            ok=ok,
            output=text if ok else "",
            error="" if ok else text,
            metadata={},
            args={},
        ),
    )
