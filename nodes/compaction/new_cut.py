"""The next cut of a conversation: what it prunes or hides, and what stands for that."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AnyMessage

from ...config.errors import UsageError
from ...config.text import text
from ...memory.undo.undo_stack import find_active_entries
from ...models.errors import ModelCallError
from ...tools.result import ToolError
from ..background.end_notes import describe_running
from ..cards.proposals import Candidate, propose_cards
from ..conversation.boundaries import PlannedCut, choose_cut
from ..conversation.bridge import build_bridge
from ..conversation.cut import Cut, get_conversation
from ..conversation.loaded_skills import KeptSkills, choose_kept_skills, describe_omitted_skills
from ..conversation.pruning import choose_pruned
from ..conversation.token_estimate import estimate_tokens
from ..conversation.view import build_view, estimate_view
from ..events.context import CacheReset, CardProposed, CompactionFinished, CompactionStarted
from ..events.progress import Notice
from ..messages.context_message import to_context_messages
from ..recovery.partial_answer import build_interruption_notes
from ..run.agent import Agent, load_agent
from ..run.context import get_thread_id
from ..run.emit import emit
from ..run.limits import NOTHING_USED, add_usage, count_usage, emit_usage
from ..run.request_options import build_request_options
from ..state import State, Usage
from ..turn.side_request import ask_aside
from .fill_report import describe_view
from .note_parts import build_facts, build_standing_notes, list_changed_files, store_requests
from .request import THRASH_TURNS, Compaction
from .summary import WrittenSummary, build_instruction

BRIDGE, PRUNE, NO_MODEL = "bridge", "prune", "none"
# A summary must bring the request below this share of what it was
MAX_LEFT = 0.8
# The part of a short conversation that stays where the user asks for a compaction: a quarter
KEPT_PART = 4
# A summary of fewer tokens would be as long
MIN_TOKENS = 2_000
# A model's summary of fewer tokens says less than the list of what was done
MIN_SUMMARY = 100
# Tokens of the request for a summary, at the end of the conversation
INSTRUCTION = 600
NO_SUMMARY = "No summary by `{model}`: {reason}. A list of what was done takes its place"
FULL_AGAIN = (
    "The window is full again; model turns since it was compacted: {turns}. It holds: {parts}. No "
    "model is asked for a summary this time; `/context` shows more"
)


async def compact_view(compaction: Compaction) -> dict[str, Any]:
    """Return the state changes of a compaction: the new cut, and the cost of its summary."""
    state, asked = compaction.state, compaction.asked
    conversation = get_conversation(compaction.role)
    cut, usage = _prune_view(compaction), NOTHING_USED
    planned = None if cut else _plan_cut(compaction)
    if cut or planned:
        _emit_started(compaction, conversation)
    if planned:
        cut, usage = await _summarize_view(compaction, planned)
    _emit_finished(compaction, conversation, cut)
    # until the model has answered, it is known what was tried for this request
    update: dict[str, Any] = {"compaction": None if asked["reason"] == "user" else asked}
    if usage["requests"]:
        update["usage"] = add_usage(state.get("usage", NOTHING_USED), usage)
    if cut:
        update["cuts"] = {conversation: cut}
    return update


def _prune_view(compaction: Compaction) -> Cut | None:
    """Return a cut that only shortens; None if that is not enough or not worth it."""
    asked, budget = compaction.asked, compaction.budget
    settings = compaction.agent.deps.settings.context
    if not settings.prune or asked["attempt"] > 1 or asked["reason"] == "user":
        return None
    planned = choose_pruned(
        compaction.messages,
        compaction.cut,
        budget.room,
        compaction.tokens,
        budget.limit,
        compaction.count.scale,
    )
    if planned is None:
        return None
    cut = _build_cut(compaction, PRUNE)
    if compaction.cut:
        made = {"id", "made_by", "before", "after", "scale", "step"}
        previous_values = {
            name: value for name, value in compaction.cut.items() if name not in made
        }
        cut = cast(Cut, {**cut, **previous_values})
    cut["pruned"] = [*planned.pruned]
    cut["after"] = compaction.tokens - planned.freed
    return cut


def _plan_cut(compaction: Compaction) -> PlannedCut | None:
    """Return where to cut; None if there is nothing to leave out.

    The user means the conversation as it is: however short, most of it is left out.
    """
    room, scale = compaction.budget.room, compaction.count.scale
    if compaction.asked["reason"] == "user":
        used = round(estimate_tokens(compaction.messages) * scale)
        if used < MIN_TOKENS:
            return None
        room = replace(room, tail=min(room.tail, used // KEPT_PART))
    return choose_cut(compaction.messages, compaction.cut, room, scale)


async def _summarize_view(compaction: Compaction, planned: PlannedCut) -> tuple[Cut, Usage]:
    """Return a cut with a summary, and what it cost."""
    note, made_by, usage = await _write_note(compaction, planned)
    cut = await _finish_cut(compaction, planned, note, made_by)
    if made_by != BRIDGE and cut["after"] > compaction.tokens * MAX_LEFT:
        bridge = _build_bridge(compaction, planned)
        other = await _finish_cut(compaction, planned, bridge, BRIDGE)
        cut = min(cut, other, key=lambda each: each["after"])
    return cut, usage


async def _write_note(compaction: Compaction, planned: PlannedCut) -> tuple[str, str, Usage]:
    """Return the note for what is hidden, who wrote it, and what it cost."""
    if not planned.hidden:  # only references are new
        before = compaction.cut
        return (
            (before["summary"], before["made_by"], NOTHING_USED)
            if before
            else ("", BRIDGE, NOTHING_USED)
        )
    bridge = _build_bridge(compaction, planned)
    agent = await _choose_writer(compaction)
    if agent is None:
        return bridge, BRIDGE, NOTHING_USED
    asked, tokens, name = compaction.asked, compaction.budget.room.summary, agent.deps.model.name
    try:
        answer = await ask_aside(
            agent,
            [
                *to_context_messages(compaction.state.get("context_message", "")),
                *_select_summary_view(compaction, planned),
                *_build_open_end(compaction),
            ],
            build_instruction(tokens, asked["focus"], with_cards=_wants_cards(compaction)),
            build_request_options(compaction.state, compaction.role),
            tokens,
            compaction.runtime,
        )
    except ModelCallError as error:
        _emit_no_summary(compaction, name, error.message)
        return bridge, BRIDGE, NOTHING_USED
    written = WrittenSummary(answer.message, answer.seconds)
    usage = count_usage(answer.message, answer.seconds, agent.deps)
    total = add_usage(compaction.state.get("usage", NOTHING_USED), usage)
    emit_usage(compaction.runtime, answer.message, total, usage, agent.deps)
    if flaw := written.find_flaw(tokens):
        _emit_no_summary(compaction, name, flaw)
        return bridge, BRIDGE, usage
    await _propose_cards(compaction, written.candidates)
    return written.text, name, usage


def _build_open_end(compaction: Compaction) -> list[AnyMessage]:
    """Return what marks the last request as not answered, where its turn was cut short.

    The conversation itself says it only before the user's next message.
    """
    if compaction.asked["reason"] != "user":
        return []
    return build_interruption_notes(compaction.state, compaction.role)


def _wants_cards(compaction: Compaction) -> bool:
    settings = compaction.agent.deps.settings.memory
    is_on = settings.enabled and compaction.state.get("options", {}).get("memory", True)
    return is_on and settings.propose and compaction.runtime.store is not None


async def _propose_cards(compaction: Compaction, candidates: Sequence[Candidate]) -> None:
    """Keep the cards of a summary as proposals; after a kill, the same ones are no second cards."""
    if not _wants_cards(compaction):
        return
    runtime = compaction.runtime

    def report(notice: str) -> None:
        emit(runtime, Notice(notice))

    deps, thread = compaction.agent.deps, get_thread_id(runtime)
    cards = await propose_cards(runtime.store, deps, compaction.state, thread, candidates, report)
    for card in cards:
        card_fields = {"id": card.id, "type": card.type, "content": card.content}
        emit(runtime, CardProposed(card_fields))


async def _choose_writer(compaction: Compaction) -> Agent | None:
    """Return the agent whose model writes the summary; None: no model is asked."""
    asked, spec = compaction.asked, compaction.agent.deps.settings.context.model
    has_room = compaction.budget.room.summary >= MIN_SUMMARY
    if spec == NO_MODEL or asked["attempt"] > 1 or not has_room:
        return None
    if asked["reason"] == "limit" and compaction.turns_since < THRASH_TURNS:
        parts = describe_view(build_view(compaction.messages, compaction.cut), compaction.agent)
        notice = text(FULL_AGAIN, turns=compaction.turns_since, parts=parts)
        emit(compaction.runtime, Notice(notice))
        return None
    if not spec:
        return compaction.agent
    try:
        return await load_agent(compaction.role, compaction.state, compaction.runtime.context, spec)
    except UsageError as error:
        _emit_no_summary(compaction, spec, error.message)
        return None


def _select_summary_view(compaction: Compaction, planned: PlannedCut) -> list[AnyMessage]:
    """Return the messages that the model summarizes: all, or what is hidden if all do not fit."""
    messages, budget = compaction.messages, compaction.budget
    request = compaction.tokens + INSTRUCTION + 2 * budget.room.summary
    if compaction.asked["reason"] == "overflow" or request > budget.most:
        messages = _select_hidden(compaction, planned)
    return _shorten_view(compaction, messages)


def _shorten_view(compaction: Compaction, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the view of these messages; if it is too long to be summarized, only its end.

    A list of what was done stands for the beginning, as in a compaction without a model.
    """
    budget, scale, before = compaction.budget, compaction.count.scale, compaction.cut
    view = build_view(messages, before)
    fits = budget.most - INSTRUCTION - 2 * budget.room.summary - round(budget.fixed * scale)
    if estimate_tokens(view) * scale <= fits:
        return view
    room = replace(budget.room, tail=fits - budget.room.requests - budget.room.summary)
    planned = choose_cut(messages, before, room, scale)
    if planned is None:
        return view
    shorter = _build_cut(compaction, BRIDGE)
    shorter["upto"], shorter["request"] = planned.upto, planned.request
    shorter["kept"], shorter["pruned"] = [*planned.kept], [*planned.pruned]
    shorter["references"] = before["references"] if before else {}
    shorter["summary"] = _build_bridge(compaction, planned)
    return build_view(messages, shorter)


def _select_hidden(compaction: Compaction, planned: PlannedCut) -> list[AnyMessage]:
    names = [message.id for message in compaction.messages]
    return compaction.messages[: names.index(planned.upto) + 1] if planned.upto in names else []


def _build_bridge(compaction: Compaction, planned: PlannedCut) -> str:
    tokens = round(compaction.budget.room.summary / compaction.count.scale)
    return build_bridge(_select_hidden(compaction, planned), tokens)


async def _finish_cut(compaction: Compaction, planned: PlannedCut, note: str, made_by: str) -> Cut:
    """Return the cut with its note and the facts of the state, and its size."""
    deps, thread = compaction.agent.deps, get_thread_id(compaction.runtime)
    cut = _build_cut(compaction, made_by)
    earlier_references = compaction.cut["references"] if compaction.cut else {}
    new = [name for name in planned.references if name not in earlier_references]
    stored = await asyncio.to_thread(
        store_requests, compaction.messages, new, deps.locate_outputs(thread)
    )
    cut["references"] = {
        name: identity
        for name, identity in {**earlier_references, **stored}.items()
        if name in planned.references
    }
    cut["upto"], cut["request"] = planned.upto, planned.request
    cut["kept"], cut["pruned"] = [*planned.kept], [*planned.pruned]
    cut["skills"] = [*_choose_skills(compaction, planned).messages]
    cut["summary"] = await _add_facts(compaction, planned, note) if planned.hidden else note
    fixed = round(compaction.budget.fixed * cut["scale"])
    cut["after"] = fixed + estimate_view(compaction.messages, cut)
    return cut


async def _add_facts(compaction: Compaction, planned: PlannedCut, note: str) -> str:
    state, deps = compaction.state, compaction.agent.deps
    entries = await asyncio.to_thread(deps.history.list_entries, get_thread_id(compaction.runtime))
    changed = list_changed_files(find_active_entries(entries))
    plan = await asyncio.to_thread(_read_plan, state, compaction.agent)
    facts = build_facts(state, _select_hidden(compaction, planned), changed, note, plan)
    standing = build_standing_notes(state, compaction.role)
    skills = describe_omitted_skills(_choose_skills(compaction, planned))
    running = describe_running(compaction.runtime)
    return "\n\n".join(filter(None, (note, facts, running, standing, skills)))


def _choose_skills(compaction: Compaction, planned: PlannedCut) -> KeptSkills:
    return choose_kept_skills(
        compaction.messages, planned.upto, compaction.budget.window, compaction.count.scale
    )


def _read_plan(state: State, agent: Agent) -> str:
    path = state.get("options", {}).get("plan_file", "")
    try:
        return agent.deps.workspace.resolve(path).read_text("utf-8", "replace") if path else ""
    except (OSError, ToolError):
        return ""


def _build_cut(compaction: Compaction, made_by: str) -> Cut:
    return Cut(
        id=uuid4().hex,
        upto="",
        summary="",
        kept=[],
        request="",
        references={},
        pruned=[],
        made_by=made_by,
        before=compaction.tokens,
        after=0,
        scale=compaction.count.scale,
        step=compaction.state.get("steps", 0),
    )


def _emit_no_summary(compaction: Compaction, model: str, reason: str) -> None:
    notice = text(NO_SUMMARY, model=model, reason=reason.rstrip("."))
    emit(compaction.runtime, Notice(notice))


def _emit_started(compaction: Compaction, conversation: str) -> None:
    emit(
        compaction.runtime,
        CompactionStarted(
            conversation=conversation,
            reason=compaction.asked["reason"],
            tokens=compaction.tokens,
            limit=compaction.budget.limit,
        ),
    )


def _emit_finished(compaction: Compaction, conversation: str, cut: Cut | None) -> None:
    before = {*(compaction.cut["pruned"] if compaction.cut else ())}
    emit(
        compaction.runtime,
        CompactionFinished(
            conversation=conversation,
            reason=compaction.asked["reason"],
            before=compaction.tokens,
            after=cut["after"] if cut else compaction.tokens,
            pruned=len({*cut["pruned"]} - before) if cut else 0,
            by=cut["made_by"] if cut else "",
            summary=cut["summary"] if cut and cut["made_by"] != PRUNE else "",
        ),
    )
    if cut:
        emit(compaction.runtime, CacheReset("compaction"))
