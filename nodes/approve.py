"""Decide every tool call of an answer: run, ask or refuse. Nothing with an effect happens here.

What must be asked is raised as one interrupt in the shape that Studio, agent-chat-ui and our own
command line understand. The node runs again from its top when the answer comes, perhaps under
another mode or configuration. So what is asked is checkpointed first and stays asked until it is
answered: an answer binds to exactly what was shown.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..tools.builtin.session.plan_mode import LEADS_TO
from ..tools.runtime.registry import NAMES, tool_named
from .agent.agent import Voice, voice_of, with_rules
from .agent.dependencies import thread_id
from .agent.emit import tell_result
from .agent.message_history import answer_to, last_answer
from .agent.modes import proposes_switch
from .approval.dispatch import Dispatched, dispatch, grouped
from .approval.edit_previews import previewed
from .approval.evaluate import Ruling, answered, ids_of, rule, shown
from .approval.interrupts import newest_answer
from .approval.outside_sandbox import answer_first_run, ask_outside, waiting_call
from .context import Context
from .state import Queued, RoleName, State

ALONE = "Call `{name}` alone: whether the other calls may run depends on the human's answer to it."
BROKEN_JSON = (
    "The arguments are not valid JSON ({error}). Send the call again, complete. You sent: {sent}"
)


async def approve(state: State, runtime: Runtime[Context]) -> Dispatched:
    """Rule on the last answer's calls, or start the next group of those already allowed."""
    role, options = state.get("role", "coder"), state.get("options", {})
    voice = await voice_of(role, state["folder"], options, runtime.context)
    voice = await asyncio.to_thread(with_rules, voice, state.get("allowed", ()))
    tools, workspace = voice.tools, voice.bench.workspace
    if blocked := waiting_call(state):
        return await _approve_outside(blocked, state, voice, runtime)
    if queue := state.get("queue"):
        # one taken out of the configuration since it was allowed is answered by `run_tool`
        called = {call["name"] for group in queue for call in group}
        every = {name: tool_named(name) for name in called.intersection(NAMES)} | dict(tools)
        return await asyncio.to_thread(dispatch, state, queue, every, workspace)
    answer = last_answer(state, role)
    if proposes_switch(answer, tools):
        return Command(goto="switch")
    rulings = [await asyncio.to_thread(rule, call, voice) for call in answer.tool_calls]
    rulings = [_never_beside_others(ruling) for ruling in rulings]
    rulings = _still_asked(rulings, ids_of(state.get("asked", [])))
    rulings = await previewed(rulings, state, voice)
    asked = [shown(ruling) for ruling in rulings if ruling.verdict == "ask"]
    if asked and asked != state.get("asked"):
        return Command(goto="approve", update={"asked": asked})
    rulings = await asyncio.to_thread(ask_human, rulings, voice)
    messages = [*_answers(rulings, role), *_broken_calls(answer, role)]
    _tell_results(runtime, messages, rulings)
    groups = grouped([ruling.call for ruling in rulings if ruling.verdict == "allow"], tools)
    answers = {"messages": messages} if messages else {}
    update = {**answers, **_allowed_for_thread(rulings, state), "asked": []}
    return await asyncio.to_thread(dispatch, state, groups, tools, workspace, update)


def _allowed_for_thread(rulings: Iterable[Ruling], state: State) -> dict[str, list[str]]:
    """The rules of the thread with those that the human gave for it just now, if any."""
    rules = [ruling.always for ruling in rulings if ruling.for_thread]
    allowed = list(dict.fromkeys([*state.get("allowed", ()), *rules]))
    return {"allowed": allowed} if rules else {}


async def _approve_outside(
    call: Queued, state: State, voice: Voice, runtime: Runtime[Context]
) -> Dispatched:
    """Ask whether a command that the sandbox has stopped runs outside; then go on with the rest."""
    role, rest = state.get("role", "coder"), state.get("queue", [])[1:]
    tools, workspace = voice.tools, voice.bench.workspace
    ruling = await asyncio.to_thread(ask_outside, call, tools, voice.bench)
    asked = [shown(ruling)] if ruling.verdict == "ask" else []
    if asked and asked != state.get("asked"):
        return Command(goto="approve", update={"asked": asked})
    [ruling] = await asyncio.to_thread(ask_human, [ruling], voice)
    if ruling.verdict == "allow":
        groups = [[ruling.call], *rest]
        return await asyncio.to_thread(dispatch, state, groups, tools, workspace, {"asked": []})
    thread = thread_id(runtime)
    answer = await asyncio.to_thread(answer_first_run, ruling, role, voice.bench.journal, thread)
    _tell_results(runtime, [answer], [ruling])
    update = {"messages": [answer], "asked": [], "queue": []}
    return await asyncio.to_thread(dispatch, state, rest, tools, workspace, update)


def _tell_results(
    runtime: Runtime[Context], messages: Iterable[ToolMessage], rulings: Iterable[Ruling]
) -> None:
    ruled = {ruling.call["id"]: ruling for ruling in rulings}
    for message in messages:
        ruling = ruled.get(message.tool_call_id)
        args, refused = (ruling.call["args"], ruling.refused) if ruling else ({}, None)
        tell_result(runtime, message, args, refused=refused)


def ask_human(rulings: list[Ruling], voice: Voice) -> list[Ruling]:
    """Raise one interrupt for all that must be asked; again while the answer does not fit."""
    asked = [ruling for ruling in rulings if ruling.verdict == "ask"]
    if not asked:
        return rulings
    settled = newest_answer(_request(asked), lambda answer: answered(asked, answer, voice))
    by_id = {ruling.call["id"]: ruling for ruling in settled}
    return [by_id.get(ruling.call["id"], ruling) for ruling in rulings]


def _never_beside_others(ruling: Ruling) -> Ruling:
    name = ruling.call["name"]
    if name not in LEADS_TO or ruling.verdict == "deny":
        return ruling
    return replace(ruling, verdict="deny", reason=ALONE.format(name=name))


def _still_asked(rulings: list[Ruling], asked: set[str]) -> list[Ruling]:
    """What was shown to the human waits for the answer, even where it would be allowed by now."""
    return [
        replace(ruling, verdict="ask")
        if ruling.verdict == "allow" and ruling.call["id"] in asked
        else ruling
        for ruling in rulings
    ]


def _request(asked: list[Ruling]) -> dict[str, Any]:
    return {
        "action_requests": [
            {
                "name": ruling.call["name"],
                "args": ruling.call["args"],
                "description": ruling.reason,
                "tool_call_id": ruling.call["id"],
                "sandbox": ruling.call.get("sandbox", ""),
                **({"diff": ruling.diff} if ruling.diff else {}),
                **({"always": ruling.always} if ruling.always else {}),
            }
            for ruling in asked
        ],
        "review_configs": [
            {"action_name": ruling.call["name"], "allowed_decisions": list(ruling.choices)}
            for ruling in asked
        ],
    }


def _answers(rulings: list[Ruling], role: RoleName) -> list[ToolMessage]:
    return [
        answer_to(
            ruling.call["id"],
            ruling.call["name"],
            role,
            ruling.reason,
            ok=ruling.verdict == "answered",
        )
        for ruling in rulings
        if ruling.verdict in ("deny", "answered")
    ]


def _broken_calls(answer: AIMessage, role: RoleName) -> list[ToolMessage]:
    return [
        answer_to(
            call["id"] or "",
            call["name"] or "unknown",
            role,
            BROKEN_JSON.format(error=call["error"] or "cut off", sent=(call["args"] or "")[:300]),
            ok=False,
        )
        for call in answer.invalid_tool_calls
    ]
