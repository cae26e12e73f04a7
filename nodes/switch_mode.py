"""The model proposes to change the mode: the user reads the plan and decides."""

import asyncio
import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, cast

from langchain_core.messages.tool import ToolCall
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..tools.builtin.session.plan_mode import LEADS_TO
from ..tools.filesystem.plan_file import read_plan, write_plan
from .approval.decisions import parse_decisions
from .options import Options
from .run.context import Context, get_thread_id
from .run.emit import emit_mode, emit_result
from .run.interrupts import request_answer
from .run.message_history import build_tool_message, find_last_answer
from .run.modes import ChatMode, format_announcement, get_mode, switch_options, to_announced_mode
from .state import Draft, State

SwitchTransition = Command[Literal["switch", "build", "plan"]]
NO_PLAN = "There is no plan yet: write it to `{plan_file}` first, then call plan_exit again."
AGREED = "The user agrees. {announced}"
APPROVED = "The user has approved the plan. {announced} Carry the plan out:\n\n{text}"
REFUSED = "The user does not agree; the mode stays as it is. {why}"
CHANGED = "\n\nThe user has changed the plan; `{plan_file}` says now:\n\n{text}"


async def switch_mode(state: State, runtime: Runtime[Context]) -> SwitchTransition:
    """Ask the user; the answer is the call's result and selects the next node.

    The question is checkpointed first: a yes applies to exactly the plan that was shown. So a plan
    that the user has edited is written at once, and the new content of the file is asked about.
    """
    options = state.get("options", {})
    mode = get_mode(options)
    call = find_last_answer(state, mode).tool_calls[0]
    workspace = (await runtime.context.open_dependencies(state)).workspace
    plan_file = options.get("plan_file", "")
    leaves = call["name"] == "plan_exit"
    plan_text = await asyncio.to_thread(read_plan, workspace, plan_file) if leaves else ""
    if leaves and not plan_text:
        reason = NO_PLAN.format(plan_file=plan_file)
        return _keep_mode(runtime, call, mode, reason)
    draft, before, asked = (
        state.get("draft", {}),
        state.get("asked"),
        [_compute_binding(call, plan_text)],
    )
    if before != asked:
        changed: Draft = {**draft, "changed": True} if before else {}
        return Command(goto="switch", update={"asked": asked, "draft": changed})
    ends = [] if leaves else _list_ended_commands(runtime)
    question = _build_question(call, options, plan_text, draft, ends)
    decision = await asyncio.to_thread(request_answer, question, _parse_decision)
    if plan_text and decision["type"] == "edit":
        plan_text = _get_edited_plan(decision)
        await asyncio.to_thread(write_plan, workspace, plan_file, plan_text)
    chosen = _merge_choices(decision, draft)
    if decision.get("draft"):
        return Command(goto="switch", update={"draft": {**draft, "chosen": chosen}})
    if decision["type"] in ("reject", "respond"):
        remark = str(decision.get("message") or "")
        rest = CHANGED.format(plan_file=plan_file, text=plan_text) if draft.get("changed") else ""
        return _keep_mode(
            runtime, call, mode, REFUSED.format(why=remark).strip() + rest, refused=remark
        )
    return _change_mode(state, runtime, call, chosen, plan_text)


def _keep_mode(
    runtime: Runtime[Context],
    call: ToolCall,
    mode: ChatMode,
    why: str,
    *,
    refused: str | None = None,
) -> SwitchTransition:
    answer = build_tool_message(call["id"] or "", call["name"], mode, why, ok=False)
    emit_result(runtime, answer, refused=refused)
    return Command(goto=mode, update={"messages": [answer], "asked": [], "draft": {}})


def _change_mode(
    state: State,
    runtime: Runtime[Context],
    call: ToolCall,
    chosen: dict[str, str],
    text: str,
) -> SwitchTransition:
    before, mode = state.get("options", {}), LEADS_TO[call["name"]]
    if "model" in chosen:
        chosen["turn_model"] = ""
    options = switch_options(
        cast(Options, {**before, **chosen}), mode, state["request"], datetime.now()
    )
    words = APPROVED if text else AGREED
    answer_text = words.format(
        announced=format_announcement(options), text=f"`{before.get('plan_file')}`\n\n{text}"
    )
    answer = build_tool_message(call["id"] or "", call["name"], mode, answer_text, ok=True)
    emit_result(runtime, answer)
    emit_mode(runtime, options)
    update = {
        "messages": [answer],
        "options": options,
        "role": mode,
        "asked": [],
        "draft": Draft(),
        "told": to_announced_mode(options),
    }
    return Command(goto=mode, update=update)


def _list_ended_commands(runtime: Runtime[Context]) -> list[str]:
    """List the background commands that plan mode would end; mostly none."""
    if not runtime.context.pool.background.find(get_thread_id(runtime)):
        return []
    from .background.changing_commands import find_changing_commands

    return [run.command for run in find_changing_commands(runtime)]


def _compute_binding(call: ToolCall, text: str) -> str:
    """Compute the digest that the answer binds to."""
    return f"{call['id']}\n{hashlib.sha256(text.encode()).hexdigest()}"


def _merge_choices(decision: Mapping[str, Any], draft: Draft) -> dict[str, str]:
    """Return the last chosen model and approval mode for carrying out the plan."""
    now = {key: str(decision[key]) for key in ("model", "mode") if decision.get(key)}
    return {**draft.get("chosen", {}), **now}


def _build_question(
    call: ToolCall, options: Options, plan_text: str, draft: Draft, ends: list[str]
) -> dict[str, Any]:
    name = call["name"]
    plan = {"plan": options.get("plan_file"), "text": plan_text} if plan_text else {}
    added = {**plan, "ends": ends} if ends else plan
    action = {"name": name, "args": {**call["args"], **added}, "tool_call_id": call["id"]}
    if chosen := draft.get("chosen"):
        action["chosen"] = chosen
    edit = ["edit"] if plan_text else []
    return {
        "action_requests": [{**action, "description": f"go on in {LEADS_TO[name]} mode"}],
        "review_configs": [
            {"action_name": name, "allowed_decisions": ["approve", *edit, "reject", "respond"]}
        ],
    }


def _parse_decision(answer: object) -> Mapping[str, Any] | None:
    decisions = parse_decisions(answer) or [{}]
    decision = decisions[0]
    if decision.get("type") == "edit":
        return decision if _get_edited_plan(decision) else None
    return decision if decision.get("type") in ("approve", "reject", "respond") else None


def _get_edited_plan(decision: Mapping[str, Any]) -> str:
    """Return the plan as the user edited it."""
    edited_action = decision.get("edited_action") or decision
    args = cast("Mapping[str, object]", edited_action.get("args") or {})
    text = args.get("text")
    return text.strip() if isinstance(text, str) else ""
