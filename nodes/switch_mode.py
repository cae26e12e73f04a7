"""The model proposes to change the mode: the human looks at the plan and decides."""

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
from .agent.dependencies import workbench
from .agent.emit import tell_mode, tell_result
from .agent.message_history import answer_to, last_answer
from .agent.modes import Mode, announced, as_told, mode_of, switched
from .approval.decisions import decisions_in
from .approval.interrupts import newest_answer
from .context import Context
from .state import Draft, Options, State

Switched = Command[Literal["switch", "build", "plan"]]
NO_PLAN = "There is no plan yet: write it to `{plan_file}` first, then call plan_exit again."
AGREED = "The user agrees. {announced}"
APPROVED = "The user has approved the plan. {announced} Carry the plan out:\n\n{text}"
REFUSED = "The user does not agree; the mode stays as it is. {why}"
CHANGED = "\n\nThe user has changed the plan; `{plan_file}` says now:\n\n{text}"


async def switch(state: State, runtime: Runtime[Context]) -> Switched:
    """Ask the human; the answer is the call's result, and decides who speaks next.

    What is asked is checkpointed first: a yes is to the plan that was shown, to the letter. So a
    plan that the human has changed is written at once, and what the file says then is asked.
    """
    options = state.get("options", {})
    mode = mode_of(options)
    call = last_answer(state, mode).tool_calls[0]
    workspace = (await workbench(state["folder"], options, runtime.context)).workspace
    plan_file = options.get("plan_file", "")
    leaves = call["name"] == "plan_exit"
    text = await asyncio.to_thread(read_plan, workspace, plan_file) if leaves else ""
    if leaves and not text:
        why = NO_PLAN.format(plan_file=plan_file)
        return _stay(runtime, call, mode, why)
    draft, before, asked = state.get("draft", {}), state.get("asked"), [_shown(call, text)]
    if before != asked:
        changed: Draft = {**draft, "changed": True} if before else {}
        return Command(goto="switch", update={"asked": asked, "draft": changed})
    decision = newest_answer(_question(call, options, text, draft), _fitted)
    if text and decision["type"] == "edit":
        text = _edited(decision)
        await asyncio.to_thread(write_plan, workspace, plan_file, text)
    chosen = _chosen(decision, draft)
    if decision.get("draft"):
        return Command(goto="switch", update={"draft": {**draft, "chosen": chosen}})
    if decision["type"] in ("reject", "respond"):
        said = str(decision.get("message") or "")
        rest = CHANGED.format(plan_file=plan_file, text=text) if draft.get("changed") else ""
        return _stay(runtime, call, mode, REFUSED.format(why=said).strip() + rest, refused=said)
    return _go(state, runtime, call, chosen, text)


def _stay(
    runtime: Runtime[Context], call: ToolCall, mode: Mode, why: str, *, refused: str | None = None
) -> Switched:
    answer = answer_to(call["id"] or "", call["name"], mode, why, ok=False)
    tell_result(runtime, answer, refused=refused)
    return Command(goto=mode, update={"messages": [answer], "asked": [], "draft": {}})


def _go(
    state: State,
    runtime: Runtime[Context],
    call: ToolCall,
    chosen: dict[str, str],
    text: str,
) -> Switched:
    before, mode = state.get("options", {}), LEADS_TO[call["name"]]
    if "model" in chosen:
        chosen["turn_model"] = ""
    options = switched(cast(Options, {**before, **chosen}), mode, state["request"], datetime.now())
    words = APPROVED if text else AGREED
    told = words.format(announced=announced(options), text=f"`{before.get('plan_file')}`\n\n{text}")
    answer = answer_to(call["id"] or "", call["name"], mode, told, ok=True)
    tell_result(runtime, answer)
    tell_mode(runtime, options)
    update = {
        "messages": [answer],
        "options": options,
        "role": mode,
        "asked": [],
        "draft": Draft(),
        "told": as_told(options),
    }
    return Command(goto=mode, update=update)


def _shown(call: ToolCall, text: str) -> str:
    """What the answer binds to."""
    return f"{call['id']}\n{hashlib.sha256(text.encode()).hexdigest()}"


def _chosen(decision: Mapping[str, Any], draft: Draft) -> dict[str, str]:
    """The model and approval mode that carry the plan out, as they were chosen last."""
    now = {key: str(decision[key]) for key in ("model", "mode") if decision.get(key)}
    return {**draft.get("chosen", {}), **now}


def _question(call: ToolCall, options: Options, text: str, draft: Draft) -> dict[str, Any]:
    name = call["name"]
    plan = {"plan": options.get("plan_file"), "text": text} if text else {}
    action = {"name": name, "args": {**call["args"], **plan}, "tool_call_id": call["id"]}
    if chosen := draft.get("chosen"):
        action["chosen"] = chosen
    edit = ["edit"] if text else []
    return {
        "action_requests": [{**action, "description": f"go on in {LEADS_TO[name]} mode"}],
        "review_configs": [
            {"action_name": name, "allowed_decisions": ["approve", *edit, "reject", "respond"]}
        ],
    }


def _fitted(answer: object) -> Mapping[str, Any] | None:
    decisions = decisions_in(answer) or [{}]
    decision = decisions[0]
    if decision.get("type") == "edit":
        return decision if _edited(decision) else None
    return decision if decision.get("type") in ("approve", "reject", "respond") else None


def _edited(decision: Mapping[str, Any]) -> str:
    """The plan as the human left it."""
    given = decision.get("edited_action") or decision
    args = cast("Mapping[str, object]", given.get("args") or {})
    text = args.get("text")
    return text.strip() if isinstance(text, str) else ""
