"""Run one allowed call, exactly once: the journal knows what has started and what it answered."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, Literal

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.errors import MaxAgentError
from ..config.trust.decision import follow
from ..memory.journal import Finished, Unfinished
from ..tools.definition import effect_of, has_effect
from ..tools.permissions.grants import READS
from ..tools.permissions.post_edit_commands import checks_for_all
from ..tools.result import ToolResult, ToolRun
from ..tools.runtime.invoke import for_model, invoke
from ..tools.runtime.registry import unknown_tool
from .agent.agent import voice_of
from .agent.dependencies import Workbench, backups_folder, outputs_folder, thread_id
from .agent.emit import tell
from .agent.message_history import answer_to
from .agent.snapshot_recorder import FileRecord
from .approval.dispatch import named_files
from .approval.evaluate import decided_now, refused_by_now
from .context import Context
from .state import AfterTools, Queued, ToolTask

UNKNOWN = (
    "Outcome unknown: this call was started at {started} and the process died before it finished. "
    "It may have done all, some or nothing. Look at the state of things first; do not simply "
    "repeat it."
)

AfterTool = Command[AfterTools]


async def run_tool(state: ToolTask, runtime: Runtime[Context]) -> AfterTool:
    """Run the call, or replay its recorded result, or say that its outcome is unknown."""
    voice = await voice_of(state["role"], state["folder"], state["options"], runtime.context)
    tools, bench = voice.tools, voice.bench
    tool = tools.get(state["call"]["name"])
    if tool is None:  # taken out of the configuration meanwhile
        result = ToolResult(error=unknown_tool(state["call"]["name"], tools))
        return _answered(state, runtime, result)
    if not has_effect(tool):
        return _answered(state, runtime, await _once(state, runtime, bench, tool))
    return await _with_effect(state, runtime, bench, tool)


async def _with_effect(
    state: ToolTask, runtime: Runtime[Context], bench: Workbench, tool: BaseTool
) -> AfterTool:
    """Run it between two snapshots, so that what it does to the files can be taken back."""
    call = state["call"]
    kind = await asyncio.to_thread(_kind, call, tool, bench)
    record = FileRecord(
        bench, runtime, call["id"], kind, call["name"], state["turn"], state["tree"]
    )
    result = await _once(state, runtime, bench, tool, record)
    return _answered(state, runtime, result, {**await record.update(), "proven": False})


def _kind(call: Queued, tool: BaseTool, bench: Workbench) -> Literal["tool", "shell"]:
    """Whether it writes the files that it names and no others; commands after an edit may."""
    if effect_of(tool) != "edit":
        return "shell"
    named = named_files(call, tool, bench.workspace)
    return "shell" if checks_for_all(bench.policy.after_edit, named) else "tool"


async def _once(
    state: ToolTask,
    runtime: Runtime[Context],
    bench: Workbench,
    tool: BaseTool,
    record: FileRecord | None = None,
) -> ToolResult:
    """Call the tool unless the journal knows the call; an effect is recorded around it."""
    thread, call = thread_id(runtime), state["call"]
    named = list[str]()
    if effect_of(tool) == "edit":
        named = await asyncio.to_thread(named_files, call, tool, bench.workspace)
    if record:
        await record.look(named)
    begun = await asyncio.to_thread(
        bench.journal.begin, thread, call["id"], tool.name, repeatable=record is None
    )
    if isinstance(begun, Finished):
        return ToolResult(**begun.result)
    if record:
        await record.begin()
    if isinstance(begun, Unfinished):
        result = ToolResult(error=UNKNOWN.format(started=begun.started_at))
    else:
        result = await _called(state, runtime, bench, tool)
    if record:
        perhaps = named if result.ok or isinstance(begun, Unfinished) else ()
        await record.finish(result.metadata.get("paths", perhaps))
    await asyncio.to_thread(bench.journal.finish, thread, call["id"], asdict(result))
    return result


async def _called(
    task: ToolTask, runtime: Runtime[Context], bench: Workbench, tool: BaseTool
) -> ToolResult:
    """Its answer; what may not run any more is refused."""
    call = task["call"]
    decision = await asyncio.to_thread(decided_now, call, tool, bench)
    if refusal := await asyncio.to_thread(refused_by_now, call, tool, decision, bench):
        return ToolResult(error=refusal)
    given = await asyncio.to_thread(_run_of, task, bench, runtime)
    given = replace(given, only_reads=decision.rule == READS)
    result = await invoke(tool, call["args"], given)
    if result.ok and (seen := call.get("instructions")):
        with suppress(MaxAgentError):  # a full disk: then the folder is asked about again
            await asyncio.to_thread(follow, bench.workspace.root, bench.home, seen)
    return result


def _run_of(task: ToolTask, bench: Workbench, runtime: Runtime[Context]) -> ToolRun:
    call_id = task["call"]["id"]
    return ToolRun(
        workspace=bench.workspace,
        call_id=call_id,
        outputs=outputs_folder(bench, runtime),
        command_timeout=bench.settings.security.command_timeout,
        seen=task["seen"],
        todos=task["todos"],
        policy=bench.policy,
        checks=tuple(task["call"].get("commands", ())),
        backups=backups_folder(bench, runtime),
        sandbox=bench.sandbox,
        emit=lambda text: tell(runtime, "tool_output", id=call_id, text=text),
    )


def _answered(
    task: ToolTask,
    runtime: Runtime[Context],
    result: ToolResult,
    files: Mapping[str, Any] | None = None,
) -> AfterTool:
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
    return Command(
        goto=task["then"], update={"messages": [message], **result.update, **(files or {})}
    )
