"""The node that runs one allowed call exactly once; the journal records starts and results."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Literal

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.errors import MaxAgentError
from ..config.trust.decision import follow_changes
from ..memory.journal import FinishedCall, UnfinishedCall
from ..tools.builtin.notes.memory_tools import CARD
from ..tools.builtin.session.get_skill import SKILL
from ..tools.builtin.shell.run_command import BLOCKED
from ..tools.definition import get_effect, has_effect
from ..tools.mcp.tool_names import is_server_tool
from ..tools.permissions.grants import READS
from ..tools.permissions.post_edit_commands import find_all_checks
from ..tools.permissions.unasked_commands import is_confined
from ..tools.result import IMAGES, CallResult, ToolError
from ..tools.runtime.invoke import invoke, render_for_model
from ..tools.runtime.program_tools import find_code_change
from ..tools.runtime.registry import describe_unknown_tool
from ..tools.shell.named_paths import NamedPaths, find_named_paths
from ..tools.skills.access import SkillAccess
from ..tools.tool_run import ToolRun
from ..tools.tool_table import get_need
from .approval.call_origins import starts_other
from .approval.called_tools import with_server_tools
from .approval.dispatch import group_children
from .approval.evaluate import EDITED, explain_refusal, recheck_call
from .background.command_record import open_background
from .cards.card_library import open_card_access
from .conversation.bridge import IN_BACKGROUND
from .conversation.loaded_skills import mark_skills
from .events.context import CardProposed
from .events.progress import Todos
from .events.tool import ToolOutput, ToolResult
from .hooks.selection import select_hooks
from .messages.images import mark_images
from .recovery.edit_recovery import InterruptedEdit, RecoveryOutcome
from .repetition.repeated_calls import shorten_repeated_answer
from .run.agent import Agent, load_agent, with_rules
from .run.audit import begin_call, finish_call
from .run.context import Context, get_thread_id
from .run.dependencies import Dependencies
from .run.emit import emit
from .run.message_history import build_tool_message
from .run.snapshot_recorder import FileRecord
from .subagents.calls import split_calls
from .tool_task import AfterTools, PendingCall, ToolTask, get_journal_key, list_named_files

UNKNOWN = (
    "Outcome unknown: this call was started at {started} and was cut short before it finished, "
    "since the program that ran it was stopped. {advice}"
)
_LOOK_FIRST = (
    "It may have done all, some or nothing. Look at the state of things first; do not simply "
    "repeat it."
)
_REPEAT = "It only ran tests, so you may repeat it."
PRINTED = " What it had printed by then:"

ToolTransition = Command[AfterTools]


async def run_tool(state: ToolTask, runtime: Runtime[Context]) -> ToolTransition:
    """Run the call, return its recorded result, or report that its outcome is unknown."""
    agent = await load_agent(state["role"], state, runtime.context)
    agent = await asyncio.to_thread(with_rules, agent, state.get("allowed", ()))
    agent = await with_server_tools(agent, [state["call"]])
    tools, deps = agent.tools, agent.deps
    tool = tools.get(state["call"]["name"])
    if tool is None:  # removed from the configuration meanwhile
        result = CallResult(error=describe_unknown_tool(state["call"]["name"], tools))
        return _answer_call(state, runtime, result)
    if await asyncio.to_thread(starts_other, state, get_thread_id(runtime), deps, tool):
        changed: PendingCall = {**state["call"], "changed": True}
        return Command(goto="approve", update={"queue": [[changed], *state.get("rest", [])]})
    if not (hooks := select_hooks(deps, "before_tool", tool.name)):
        return await _run_allowed(state, runtime, agent, tool)
    from .hooks.tool_hooks import run_before_hooks

    decision = await run_before_hooks(hooks, state, tool, deps, runtime)
    if decision.verdict == "deny":
        return _answer_call(state, runtime, CallResult(error=decision.reason))
    if decision.verdict == "ask":
        again: PendingCall = {**state["call"], "hook": decision.reason}
        return Command(goto="approve", update={"queue": [[again], *state.get("rest", [])]})
    return await _run_allowed(state, runtime, agent, tool, decision.notes)


async def _run_allowed(
    state: ToolTask,
    runtime: Runtime[Context],
    agent: Agent,
    tool: BaseTool,
    notes: Sequence[str] = (),
) -> ToolTransition:
    """Run the call; `notes` of hooks go below its result."""
    deps = agent.deps
    if get_need(tool.name) == "children":
        return await _send_agents(state, runtime, agent, notes)
    if not has_effect(tool) or _is_read_only(state["call"], deps):
        result = await _run_once(state, runtime, deps, tool)
        return _answer_call(state, runtime, result, notes=notes)
    return await _run_with_effect(state, runtime, deps, tool, notes)


async def _send_agents(
    state: ToolTask, runtime: Runtime[Context], agent: Agent, notes: Sequence[str]
) -> ToolTransition:
    """Put a call of `subagent`, which hooks have passed, back as one call for each child."""
    call: PendingCall = {
        **state["call"],
        "notice": "\n\n".join(filter(None, [state["call"]["notice"], *notes])),
    }
    thread = get_thread_id(runtime)
    try:
        children = await split_calls([call], agent, thread)
    except ToolError as error:
        return _answer_call(state, runtime, CallResult(error=str(error)))
    queue = [*group_children(children), *state.get("rest", [])]
    return Command(goto="approve", update={"queue": queue})


def _is_read_only(call: PendingCall, deps: Dependencies) -> bool:
    """Return whether the call is a read-only command in a sandbox without write access.

    It has no side effects, so it needs no snapshots and can run again after a kill.
    """
    return bool(call.get("only_reads")) and deps.sandbox.is_on


async def _run_with_effect(
    state: ToolTask,
    runtime: Runtime[Context],
    deps: Dependencies,
    tool: BaseTool,
    notes: Sequence[str],
) -> ToolTransition:
    """Run the call between two snapshots, so that its file changes can be undone."""
    call = state["call"]
    kind, targets = await asyncio.to_thread(_find_effect, call, tool, deps)
    record = FileRecord(
        deps, runtime, get_journal_key(call), kind, call["name"], state["turn"], state["tree"]
    )
    result = await _run_once(state, runtime, deps, tool, record, targets)
    files = {**await record.build_update(), "proven": False}
    if again := _retry_outside(call, result, deps):
        rest = state.get("rest", [])
        return Command(goto="approve", update={"queue": [[again], *rest], **files})
    return _answer_call(state, runtime, result, files, notes)


def _retry_outside(call: PendingCall, result: CallResult, deps: Dependencies) -> PendingCall | None:
    """Return the call to ask about once more, outside the sandbox that made it fail; only once."""
    blocked = result.metadata.get(BLOCKED)
    if not blocked or "blocked" in call or not is_confined(deps.policy):
        return None
    args = {**call["args"], "outside_sandbox": True}
    return PendingCall(
        id=call["id"], name=call["name"], args=args, notice=call["notice"], blocked=blocked
    )


def _find_effect(
    call: PendingCall, tool: BaseTool, deps: Dependencies
) -> tuple[Literal["tool", "shell"], list[str]]:
    """Return the files that the call names, and `tool` if it writes these only.

    Commands that run after it may write others.
    """
    if get_effect(tool) != "edit":
        return "shell", []
    targets = list_named_files(call, tool, deps.workspace)
    has_commands = select_hooks(deps, "after_tool", tool.name) or find_all_checks(
        deps.policy.after_edit, targets
    )
    return "shell" if has_commands else "tool", targets


async def _run_once(
    state: ToolTask,
    runtime: Runtime[Context],
    deps: Dependencies,
    tool: BaseTool,
    record: FileRecord | None = None,
    targets: Sequence[str] = (),
) -> CallResult:
    """Run the tool unless the journal has the call; record its effect on `targets` files."""
    thread, call = get_thread_id(runtime), state["call"]
    if record:
        await record.take_snapshot(targets)
    entry = await asyncio.to_thread(_begin_call, state, runtime, deps, tool, record)
    if isinstance(entry, FinishedCall):
        return CallResult(**entry.result)
    if isinstance(entry, UnfinishedCall):
        result = await _recover_call(state, runtime, deps, tool, entry, record, targets)
    else:
        result = await _call_prepared(state, runtime, deps, tool, entry)
    if hooks := select_hooks(deps, "after_tool", tool.name):
        from .hooks.tool_hooks import run_after_hooks

        result = await run_after_hooks(hooks, state, tool, result, deps, runtime)
    if record:
        perhaps = targets if result.ok or isinstance(entry, UnfinishedCall) else ()
        await record.finish(result.metadata.get("paths", perhaps))
    await asyncio.to_thread(finish_call, deps, thread, get_journal_key(call), asdict(result))
    return result


def _begin_call(
    task: ToolTask,
    runtime: Runtime[Context],
    deps: Dependencies,
    tool: BaseTool,
    record: FileRecord | None,
) -> FinishedCall | UnfinishedCall | ToolRun | CallResult:
    """Begin the call in the journal; return what it has of an earlier run, or prepare this one."""
    call = task["call"]
    if record:
        record.named = _find_named_paths(call["args"], deps)
    repeatable = record is None or (is_server_tool(tool) and tool.is_repeatable)
    thread, key = get_thread_id(runtime), get_journal_key(call)
    entry = begin_call(deps, thread, key, tool.name, call, repeatable=repeatable)
    if isinstance(entry, FinishedCall | UnfinishedCall):
        return entry
    if record:
        record.begin()
    return _prepare_call(task, runtime, deps, tool)


async def _recover_call(
    state: ToolTask,
    runtime: Runtime[Context],
    deps: Dependencies,
    tool: BaseTool,
    unfinished_call: UnfinishedCall,
    record: FileRecord | None,
    targets: Sequence[str],
) -> CallResult:
    """Return the answer of an interrupted call: the files may show whether an edit was made."""
    from ..tools.testing.command import only_tests
    from .hooks.tool_hooks import find_kept_result

    outcome: RecoveryOutcome = "unknown"
    kept_result = await asyncio.to_thread(
        find_kept_result, deps, get_thread_id(runtime), state["call"]
    )
    if kept_result:
        if record:  # since the kill others may have made some of the changes
            await asyncio.to_thread(record.begin)
        return kept_result
    if record and get_effect(tool) == "edit":
        cut_short = InterruptedEdit(record, tool, state["call"]["args"], targets, state["seen"])
        outcome = await cut_short.find_outcome()
    if isinstance(outcome, CallResult):
        return outcome
    if outcome == "not made":
        return await _call_tool(state, runtime, deps, tool)
    if record:  # a retry: others may have made some of the changes
        await asyncio.to_thread(record.begin)
    advice = _REPEAT if only_tests(str(state["call"]["args"].get("command"))) else _LOOK_FIRST
    error = UNKNOWN.format(started=unfinished_call.started_at, advice=advice)
    error += PRINTED if unfinished_call.output else ""
    return CallResult(unfinished_call.output, error)


async def _call_tool(
    task: ToolTask, runtime: Runtime[Context], deps: Dependencies, tool: BaseTool
) -> CallResult:
    """Run the tool and return its answer; deny a call that is no longer allowed."""
    prepared = await asyncio.to_thread(_prepare_call, task, runtime, deps, tool)
    return await _call_prepared(task, runtime, deps, tool, prepared)


async def _call_prepared(
    task: ToolTask,
    runtime: Runtime[Context],
    deps: Dependencies,
    tool: BaseTool,
    prepared: ToolRun | CallResult,
) -> CallResult:
    call = task["call"]
    if isinstance(prepared, CallResult):
        return prepared
    if is_server_tool(tool):
        from .mcp.server_call import call_server_tool

        return await call_server_tool(tool, task, runtime, deps, prepared)
    result = await invoke(tool, call["args"], prepared)
    if result.ok and (seen := call.get("instructions")):
        with suppress(MaxAgentError):  # on a full disk, the folder is asked about again
            await asyncio.to_thread(follow_changes, deps.workspace.root, deps.home, seen)
    return result


def _prepare_call(
    task: ToolTask, runtime: Runtime[Context], deps: Dependencies, tool: BaseTool
) -> ToolRun | CallResult:
    """Return what the tool runs with, or the answer to a call that is no longer allowed."""
    call = task["call"]
    if "definition" in call and (refusal := find_code_change(call["definition"], tool)):
        return CallResult(error=refusal)
    decision = recheck_call(call, tool, deps)
    if refusal := explain_refusal(call, tool, decision, deps):
        return CallResult(error=refusal)
    # without snapshots the call stays in the read-only sandbox, however it would be evaluated now
    reads = decision.rule == READS or _is_read_only(call, deps)
    return _build_run(task, deps, runtime, only_reads=reads)


def _find_named_paths(args: Mapping[str, object], deps: Dependencies) -> NamedPaths:
    """Return the paths in the call's command line, if it has one."""
    command, cwd = (args.get(name) for name in ("command", "cwd"))
    if not isinstance(command, str):
        return NamedPaths()
    return find_named_paths(command, cwd if isinstance(cwd, str) else ".", deps.workspace.root)


def _build_run(
    task: ToolTask, deps: Dependencies, runtime: Runtime[Context], *, only_reads: bool
) -> ToolRun:
    call_id, thread = task["call"]["id"], get_thread_id(runtime)
    return ToolRun(
        workspace=deps.workspace,
        call_id=get_journal_key(task["call"]),
        outputs=deps.locate_outputs(thread),
        command_timeout=deps.settings.security.command_timeout,
        seen=task["seen"],
        todos=task["todos"],
        policy=deps.policy,
        checks=tuple(task["call"].get("commands", ())),
        backups=deps.locate_backups(thread),
        sandbox=deps.sandbox.for_thread(thread),
        emit=lambda text: emit(runtime, ToolOutput(id=call_id, text=text)),
        keep=partial(_keep_output, deps, thread, get_journal_key(task["call"])),
        rag_servers=deps.settings.rag.servers,
        cards=open_card_access(runtime.store, deps, task, thread),
        skills=SkillAccess(deps.skills, task.get("skills", {}), deps.workspace.ignore),
        jobs=open_background(deps, runtime),
        mcp=deps.mcp,
        only_reads=only_reads,
    )


def _keep_output(deps: Dependencies, thread: str, key: str, output: str) -> None:
    """Keep the output in case the process is killed; a full disk must not stop the command."""
    with suppress(MaxAgentError):
        deps.journal.keep_output(thread, key, output)


def _answer_call(
    task: ToolTask,
    runtime: Runtime[Context],
    result: CallResult,
    files: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> ToolTransition:
    call = task["call"]
    result = replace(result, output="\n\n".join([result.output, *notes])) if notes else result
    text = "\n\n".join(filter(None, (call["notice"], render_for_model(result))))
    message = build_tool_message(
        call["id"], call["name"], task["role"], text, ok=result.ok, seen=result.seen
    )
    if call["notice"].startswith(EDITED.partition("{")[0]):  # a result could say so, too
        message.additional_kwargs["edited"] = call["args"]
    if running := result.metadata.get("background"):
        message.additional_kwargs[IN_BACKGROUND] = running
    mark_images(message, result.metadata.get(IMAGES, ()))
    mark_skills(message, result.metadata.get(SKILL))
    metadata = result.metadata
    if earlier := task.get("earlier"):
        metadata = {**metadata, **shorten_repeated_answer(message, earlier, call)}
    emit(
        runtime,
        ToolResult(
            id=call["id"],
            tool=call["name"],
            ok=result.ok,
            output=result.output,
            error=result.error,
            metadata=metadata,
            args=call["args"],
        ),
    )
    if (card := result.metadata.get(CARD)) and card["state"] == "proposed":
        card_fields = {key: card[key] for key in ("id", "type", "content")}
        emit(runtime, CardProposed(card_fields))
    if "todos" in result.update:
        emit(runtime, Todos(result.update["todos"]))
    return Command(
        goto=task["then"], update={"messages": [message], **result.update, **(files or {})}
    )
