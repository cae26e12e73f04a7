"""A user's message: added to the conversation after unfinished work is settled."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.text import text
from ..tools.aliases import resolve_tool_name
from .cards.card_library import SHOWN, load_fitting_cards
from .conversation.loaded_skills import find_loaded_skills
from .enforce_schema import build_schema_note
from .events.progress import Notice
from .recovery.cancelled_calls import answer_cancelled_calls
from .recovery.partial_answer import build_interruption_notes
from .roles import RoleName
from .run.agent import load_agent
from .run.context import Context, get_thread_id
from .run.dependencies import Dependencies
from .run.emit import emit, emit_cards, emit_mode
from .run.message_history import build_role_message, iter_newest_first, select_view
from .run.modes import (
    build_mode_notes,
    build_side_context,
    get_mode,
    read_announced_mode,
    settle_options,
    to_announced_mode,
)
from .run.request_options import settle_thinking
from .state import State, select_changes
from .turn.file_mentions import read_mentioned_files
from .turn.new_request import announce_mentions


async def receive_message(state: State, runtime: Runtime[Context]) -> Command[Literal["compact"]]:
    """Add the user's message and start a new turn."""
    before = read_announced_mode(state)
    options = settle_options(state.get("options", {}), state["request"], datetime.now())
    role = get_mode(options)
    deps = (await load_agent(role, {**state, "options": options}, runtime.context)).deps
    thread = get_thread_id(runtime)
    cancelled_calls = await _cancel_calls(state, runtime, role, deps)
    words = build_role_message(role, state["request"])
    typed = options.pop("mentioning", state["request"])
    thinking = settle_thinking(state["request"], typed, options, deps.settings)
    mentioned = await read_mentioned_files(typed, role, deps, thread)
    mode_notes = build_mode_notes(options, before, role)
    beside = [build_side_context(role, words) for words in options.pop("aside", ())]
    beside += await _build_side_notes(state, runtime, role, deps, typed)
    interruption_messages = [*cancelled_calls, *build_interruption_notes(state, role)]
    if mode_notes:
        emit_mode(runtime, options)
    announce_mentions(runtime, mentioned, deps)
    update: dict[str, object] = {
        "messages": [
            *interruption_messages,
            *mode_notes,
            *build_schema_note(options),
            *beside,
            *mentioned.notes,
            words,
        ],
        "role": role,
        "told": to_announced_mode(options),
        "options": options,
        "steps_allowed": 0,
        "cost_allowed": 0.0,
        "turn": state.get("turn", 0) + 1,
        "thinking": thinking,
        "message_id": words.id,
        "since": state.get("file_entry", 0),
        "queue": [],
        "asked": [],
        "draft": {},
        "summary": "",
        "completion": "",
        "rounds": 0,
        "outcome": None,
        **_clear_leftovers(state),
        **({"skills": loaded} if (loaded := find_loaded_skills(beside)) else {}),
    }
    return Command(goto="compact", update=select_changes(state, update))


def _sends_agents(answer: ToolMessage) -> bool:
    return resolve_tool_name(answer.name or "", ("subagent",)) == "subagent"


async def _cancel_calls(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies
) -> list[ToolMessage]:
    """Answer the calls that are open; the worktrees of their sub-agents go."""
    earlier_messages, thread = iter_newest_first(state, role), get_thread_id(runtime)
    answers = await asyncio.to_thread(_answer_open_calls, earlier_messages, role, deps, thread)
    if any(map(_sends_agents, answers)):
        from .subagents.abandoned_worktrees import remove_abandoned_worktrees

        await remove_abandoned_worktrees(deps, runtime)
    return answers


def _answer_open_calls(
    newest_first: Iterable[AnyMessage], role: RoleName, deps: Dependencies, thread: str
) -> list[ToolMessage]:
    """Answer the calls that are open, those of sub-agents with the reports that are there."""
    messages = answer_cancelled_calls(newest_first, role, deps.journal, thread)
    if not any(map(_sends_agents, messages)):
        return messages
    from .subagents.abandoned_children import answer_with_reports, end_abandoned
    from .subagents.calls import open_sub_runs

    sub_runs = open_sub_runs(deps)
    end_abandoned(sub_runs, thread)
    return answer_with_reports(messages, sub_runs, thread)


def _clear_leftovers(state: State) -> dict[str, object]:
    """Return the state changes that end what held for the last turn only."""
    return {
        **({"reports": dict.fromkeys(left)} if (left := state.get("reports")) else {}),
        **({"fallback": ""} if state.get("fallback") else {}),
        **({"compaction": None} if state.get("compaction") else {}),
    }


async def _load_invoked_skill(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies
) -> list[HumanMessage]:
    """Build the note with the skill that the message names, as `/name`, and tell the user."""
    if not state["request"].startswith("/"):
        return []
    from .skills.activation import build_activation_note, find_invoked_skill

    skill = find_invoked_skill(state["request"], deps.skills)
    if skill is None:
        return []
    emit(runtime, Notice(text("loaded the skill `{name}`", name=skill.name)))
    view, ignore = select_view(state, role), deps.workspace.ignore
    return [await asyncio.to_thread(build_activation_note, skill, view, role, ignore)]


async def _build_side_notes(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies, typed: str
) -> list[HumanMessage]:
    """Build the notes with cards that fit the message, and with the skill that it names."""
    cards = await _recall_cards(state, runtime, role, deps, typed)
    return [*cards, *await _load_invoked_skill(state, runtime, role, deps)]


async def _recall_cards(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies, typed: str
) -> list[HumanMessage]:
    """Build the note with cards that fit the message; a first message has them at its start."""
    if not state.get("steps", 0):
        return []
    cards = await load_fitting_cards(runtime.store, deps, state, typed)
    if not cards:
        return []
    from .cards.card_choice import WITH_MESSAGE, format_cards, shorten_id

    emit_cards(runtime, cards)
    note = build_side_context(role, WITH_MESSAGE.format(lines=format_cards(cards)))
    note.additional_kwargs[SHOWN] = [shorten_id(card.id) for card in cards]
    return [note]
