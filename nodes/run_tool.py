"""Run one allowed call, exactly once: the journal knows what has started and what it answered."""

import asyncio
from dataclasses import asdict

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..memory.journal import Finished, Unfinished
from ..tools.invoke import for_model, invoke
from ..tools.result import ToolResult, ToolRun
from ..tools.tool import has_effect
from ..tools.toolset import unknown_tool
from .context import Context
from .conversation import answer_to
from .state import AfterTools, ToolTask
from .tell import tell
from .workbench import Workbench, outputs_folder, thread_id, workbench

UNKNOWN = (
    "Outcome unknown: this call was started at {started} and the process died before it finished. "
    "It may have done all, some or nothing. Look at the state of things first; do not simply "
    "repeat it."
)

AfterTool = Command[AfterTools]


async def run_tool(state: ToolTask, runtime: Runtime[Context]) -> AfterTool:
    """Run the call, or replay its recorded result, or say that its outcome is unknown."""
    bench = await workbench(state["folder"], state["options"], runtime.context)
    thread, call = thread_id(runtime), state["call"]
    tools = (await asyncio.to_thread(bench.voice, state["role"])).tools
    tool = tools.get(call["name"])  # none: taken out of the configuration meanwhile
    repeatable = tool is not None and not has_effect(tool)
    begun = await asyncio.to_thread(
        bench.journal.begin, thread, call["id"], call["name"], repeatable=repeatable
    )
    if isinstance(begun, Finished):
        return _answered(state, runtime, ToolResult(**begun.result))
    if isinstance(begun, Unfinished):
        result = ToolResult(error=UNKNOWN.format(started=begun.started_at))
    elif tool is None:
        result = ToolResult(error=unknown_tool(call["name"], tools))
    else:
        given = await asyncio.to_thread(_run_of, state, bench, runtime)
        result = await invoke(tool, call["args"], given)
    await asyncio.to_thread(bench.journal.finish, thread, call["id"], asdict(result))
    return _answered(state, runtime, result)


def _run_of(task: ToolTask, bench: Workbench, runtime: Runtime[Context]) -> ToolRun:
    call_id = task["call"]["id"]
    return ToolRun(
        workspace=bench.workspace,
        call_id=call_id,
        outputs=outputs_folder(bench, runtime),
        command_timeout=bench.settings.security.command_timeout,
        seen=task["seen"],
        todos=task["todos"],
        emit=lambda text: tell(runtime, "tool_output", id=call_id, text=text),
    )


def _answered(task: ToolTask, runtime: Runtime[Context], result: ToolResult) -> AfterTool:
    call = task["call"]
    tell(
        runtime,
        "tool_result",
        id=call["id"],
        tool=call["name"],
        ok=result.ok,
        output=result.output,
        error=result.error,
        metadata=result.metadata,
        args=call["args"],
    )
    if "todos" in result.update:
        tell(runtime, "todos", items=result.update["todos"])
    text = "\n\n".join(filter(None, (call["notice"], for_model(result))))
    message = answer_to(
        call["id"], call["name"], task["role"], text, ok=result.ok, seen=result.seen
    )
    return Command(goto=task["then"], update={"messages": [message], **result.update})
