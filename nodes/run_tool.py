"""Run one allowed call, exactly once: the journal knows what has started and what it answered."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Literal

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.errors import MaxAgentError
from ..config.trust.decision import follow
from ..memory.journal import Finished, Unfinished
from ..tools.builtin.shell.run_command import BLOCKED
from ..tools.definition import effect_of, has_effect
from ..tools.permissions.grants import READS
from ..tools.permissions.post_edit_commands import checks_for_all
from ..tools.permissions.unasked_commands import is_confined
from ..tools.result import ToolResult, ToolRun
from ..tools.runtime.invoke import for_model, invoke
from ..tools.runtime.registry import unknown_tool
from ..tools.shell.named_paths import NamedPaths, named_paths_of
from .agent.agent import voice_of, with_rules
from .agent.dependencies import Workbench, backups_folder, outputs_folder, thread_id
from .agent.edit_recovery import CutShort, Outcome
from .agent.emit import tell
from .agent.message_history import answer_to
from .agent.snapshot_recorder import FileRecord
from .approval.dispatch import named_files
from .approval.evaluate import decided_now, refused_by_now
from .approval.outside_sandbox import journal_key
from .context import Context
from .state import AfterTools, Queued, ToolTask

UNKNOWN = (
    "Outcome unknown: this call was started at {started} and was cut short before it finished. "
    "It may have done all, some or nothing. Look at the state of things first; do not simply "
    "repeat it."
)
PRINTED = " What it had printed by then:"

AfterTool = Command[AfterTools]


async def run_tool(state: ToolTask, runtime: Runtime[Context]) -> AfterTool:
    """Run the call, or replay its recorded result, or say that its outcome is unknown."""
    voice = await voice_of(state["role"], state["folder"], state["options"], runtime.context)
    voice = await asyncio.to_thread(with_rules, voice, state.get("allowed", ()))
    tools, bench = voice.tools, voice.bench
    tool = tools.get(state["call"]["name"])
    if tool is None:  # taken out of the configuration meanwhile
        result = ToolResult(error=unknown_tool(state["call"]["name"], tools))
        return _answered(state, runtime, result)
    if not has_effect(tool) or _cannot_write(state["call"], bench):
        return _answered(state, runtime, await _once(state, runtime, bench, tool))
    return await _with_effect(state, runtime, bench, tool)


def _cannot_write(call: Queued, bench: Workbench) -> bool:
    """Whether it is a command that only reads, in a sandbox where nothing can be written.

    It leaves no trace, so it needs no snapshots, and after a kill it may simply run again.
    """
    return bool(call.get("only_reads")) and bench.sandbox.is_on


async def _with_effect(
    state: ToolTask, runtime: Runtime[Context], bench: Workbench, tool: BaseTool
) -> AfterTool:
    """Run it between two snapshots, so that what it does to the files can be taken back."""
    call = state["call"]
    kind = await asyncio.to_thread(_kind, call, tool, bench)
    record = FileRecord(
        bench, runtime, journal_key(call), kind, call["name"], state["turn"], state["tree"]
    )
    result = await _once(state, runtime, bench, tool, record)
    files = {**await record.update(), "proven": False}
    if again := _outside(call, result, bench):
        rest = state.get("rest", [])
        return Command(goto="approve", update={"queue": [[again], *rest], **files})
    return _answered(state, runtime, result, files)


def _outside(call: Queued, result: ToolResult, bench: Workbench) -> Queued | None:
    """The call once more, to be asked, where the sandbox was why it failed; tried only once."""
    blocked = result.metadata.get(BLOCKED)
    if not blocked or "blocked" in call or not is_confined(bench.policy):
        return None
    args = {**call["args"], "outside_sandbox": True}
    return Queued(
        id=call["id"], name=call["name"], args=args, notice=call["notice"], blocked=blocked
    )


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
    key = journal_key(call)
    named = list[str]()
    if effect_of(tool) == "edit":
        named = await asyncio.to_thread(named_files, call, tool, bench.workspace)
    if record:
        await record.look(named)
        record.named = await asyncio.to_thread(_named_by, call["args"], bench)
    begun = await asyncio.to_thread(
        bench.journal.begin, thread, key, tool.name, repeatable=record is None
    )
    if isinstance(begun, Finished):
        return ToolResult(**begun.result)
    if isinstance(begun, Unfinished):
        result = await _cut_short(state, runtime, bench, tool, begun, record, named)
    else:
        if record:
            await record.begin()
        result = await _called(state, runtime, bench, tool)
    if record:
        perhaps = named if result.ok or isinstance(begun, Unfinished) else ()
        await record.finish(result.metadata.get("paths", perhaps))
    await asyncio.to_thread(bench.journal.finish, thread, key, asdict(result))
    return result


async def _cut_short(
    state: ToolTask,
    runtime: Runtime[Context],
    bench: Workbench,
    tool: BaseTool,
    begun: Unfinished,
    record: FileRecord | None,
    named: list[str],
) -> ToolResult:
    """What a call answers that a kill cut short: an edit's files may tell what became of it."""
    outcome: Outcome = "unknown"
    if record and effect_of(tool) == "edit":
        cut_short = CutShort(record, tool, state["call"]["args"], named, state["seen"])
        outcome = await cut_short.outcome()
    if isinstance(outcome, ToolResult):
        return outcome
    if outcome == "not made":
        return await _called(state, runtime, bench, tool)
    if record:
        await record.begin()  # a second time: others may have done some of it
    error = UNKNOWN.format(started=begun.started_at) + (PRINTED if begun.output else "")
    return ToolResult(begun.output, error)


async def _called(
    task: ToolTask, runtime: Runtime[Context], bench: Workbench, tool: BaseTool
) -> ToolResult:
    """Its answer; what may not run any more is refused."""
    call = task["call"]
    decision = await asyncio.to_thread(decided_now, call, tool, bench)
    if refusal := await asyncio.to_thread(refused_by_now, call, tool, decision, bench):
        return ToolResult(error=refusal)
    given = await asyncio.to_thread(_run_of, task, bench, runtime)
    # without snapshots it stays in the read-only sandbox, however it would be decided by now
    reads = decision.rule == READS or _cannot_write(call, bench)
    given = replace(given, only_reads=reads)
    result = await invoke(tool, call["args"], given)
    if result.ok and (seen := call.get("instructions")):
        with suppress(MaxAgentError):  # a full disk: then the folder is asked about again
            await asyncio.to_thread(follow, bench.workspace.root, bench.home, seen)
    return result


def _named_by(args: Mapping[str, object], bench: Workbench) -> NamedPaths:
    """The paths that the call's command line names, if it has one."""
    command, cwd = (args.get(name) for name in ("command", "cwd"))
    if not isinstance(command, str):
        return NamedPaths()
    return named_paths_of(command, cwd if isinstance(cwd, str) else ".", bench.workspace.root)


def _run_of(task: ToolTask, bench: Workbench, runtime: Runtime[Context]) -> ToolRun:
    call_id = task["call"]["id"]
    return ToolRun(
        workspace=bench.workspace,
        call_id=journal_key(task["call"]),
        outputs=outputs_folder(bench, runtime),
        command_timeout=bench.settings.security.command_timeout,
        seen=task["seen"],
        todos=task["todos"],
        policy=bench.policy,
        checks=tuple(task["call"].get("commands", ())),
        backups=backups_folder(bench, runtime),
        sandbox=bench.sandbox,
        emit=lambda text: tell(runtime, "tool_output", id=call_id, text=text),
        keep=partial(_keep_output, bench, thread_id(runtime), journal_key(task["call"])),
    )


def _keep_output(bench: Workbench, thread: str, key: str, output: str) -> None:
    """Should the process be killed; a disk that is full keeps nothing, and stops no command."""
    with suppress(MaxAgentError):
        bench.journal.keep_output(thread, key, output)


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
