"""Notes that a role is sent before its request: what is left of the limits, files that no longer
match its conversation, and the instruction files of subfolders where it has seen files, each once.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from ...config.instructions.discovery import NOT_AGREED
from ...config.instructions.nested_files import find_nested_files, read_nested_instructions
from ...config.text import text
from ..messages.instruction_blocks import format_blocks
from ..roles import RoleName
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.limits import NOTHING_USED
from ..run.message_history import build_role_message
from ..run.modes import build_note
from ..state import State

# Key in a message's `additional_kwargs`: the files that it includes
INCLUDED = "instructions"
# Key: the files for which it had no room; the next note includes them
DEFERRED = "instructions_left"
# Key: the files that the user did not trust in their current version
PASSED_OVER = "instructions_passed_over"
PASSED_OVER_NOTICE = (
    "`{path}` is not loaded: {why}; review it with `mcode trust`, or `/trust` in a conversation"
)
WORDS = (
    "These instruction files stand in folders whose files you were shown. They count for what "
    "is in these folders, and there more than those of the project; the later one counts more."
)
MAX_NAMES = 20
MOVED = (
    "These files have changed since your last step, because the user changed or put back files, or "
    "went back in the conversation: {names}. Read them again before you rely on what they hold."
)
# A sub-agent works beside others
MOVED_BESIDE = (
    "These files have changed since your last step, by another agent or the user: {names}. Read "
    "them again before you rely on what they hold."
)


def build_nested_notes(
    history: Sequence[AnyMessage], deps: Dependencies, role: RoleName
) -> list[HumanMessage]:
    """Return notes for the role about instruction files it has not read; usually none.

    Notes are part of the conversation: a thread that is killed and resumed repeats none, and one
    that is rewound to an earlier point sends them again.
    """
    root, begun_with = deps.workspace.root, deps.sources.instructions
    files = find_nested_files(
        root, deps.trust, _collect_names(_select_new_messages(history), "seen", DEFERRED)
    )
    if not files:
        return []
    nested = read_nested_instructions(
        root,
        deps.trust,
        deps.settings.security.ignore_patterns,
        files=files,
        sent_before={
            *_collect_names(history, INCLUDED),
            *(instruction.name for instruction in begun_with if instruction.text),
        },
        passed_over={
            *_collect_names(history, PASSED_OVER),
            *(instruction.name for instruction in begun_with if instruction.folder_to_trust),
        },
    )
    if not nested.instructions:
        return []
    note = build_role_message(role, "\n\n".join([WORDS, *format_blocks(nested.instructions)]))
    note.additional_kwargs |= {
        "synthetic": True,
        INCLUDED: [instruction.name for instruction in nested.instructions if instruction.text],
    }
    passed_over = [
        instruction.name for instruction in nested.instructions if instruction.folder_to_trust
    ]
    more = {DEFERRED: [*nested.deferred], PASSED_OVER: passed_over}
    note.additional_kwargs |= {mark: names for mark, names in more.items() if names}
    return [note]


def build_notices(notes: Sequence[AnyMessage]) -> list[str]:
    """Return notices for the user about instruction files that none of these notes include."""
    return [
        text(PASSED_OVER_NOTICE, path=path, why=NOT_AGREED)
        for path in sorted(_collect_names(notes, PASSED_OVER))
    ]


def _select_new_messages(history: Sequence[AnyMessage]) -> Sequence[AnyMessage]:
    """Return messages since the last answer, and the note right before it; older ones were handled.

    For a new message of the user, return everything: the user may have trusted more files since, or
    interrupted an answer, whose notes were not kept.
    """
    answers = (at for at in reversed(range(len(history))) if isinstance(history[at], AIMessage))
    last = next(answers, 0)
    return history if any(map(_is_user_message, history[last:])) else history[max(last - 1, 0) :]


def _is_user_message(message: AnyMessage) -> bool:
    return isinstance(message, HumanMessage) and not message.additional_kwargs.get("synthetic")


def _collect_names(messages: Sequence[AnyMessage], *marks: str) -> set[str]:
    return {
        name
        for message in messages
        if type(message) is not AIMessage and len(message.additional_kwargs) > 1
        for mark in marks
        for name in message.additional_kwargs.get(mark, ())
    }


def report_stale_files(
    state: State, runtime: Runtime[Context], deps: Dependencies, role: RoleName
) -> list[HumanMessage]:
    """Return the notes; usually none, as each step knows its own changes. It blocks."""
    last_entry = state.get("file_entry", 0)
    entries = deps.history.list_entries(get_thread_id(runtime), last_entry)
    if not entries:
        return []
    from ...memory.undo.change_chains import compute_net_changes

    names = [f"`{change.path}`" for change in compute_net_changes(entries)]
    if not names:
        return []
    more = [f"and {len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    words = MOVED_BESIDE if role == "agent" else MOVED
    return [build_note(role, words.format(names=", ".join([*names[:MAX_NAMES], *more])))]


def build_remaining_note(
    state: State,
    context: Context,
    deps: Dependencies,
    allowed: Mapping[str, Any],
    role: RoleName,
) -> list[HumanMessage]:
    """Tell the model what is left: of a limit that the user has set, and of the last fifth of any.

    `allowed` are the totals of `enforce_limits`. The note goes to the end of the conversation and
    stays there, so that nothing before it changes.
    """
    options, parts = state.get("options", {}), list[str]()
    granted = options.get("max_turns") or deps.turns
    turns = int(allowed["steps_allowed"]) - state.get("steps", 0)
    if options.get("max_turns") or turns * 5 < granted:
        parts.append(f"{turns} of {granted} model turns")
    spent = state.get("usage", NOTHING_USED)["cost"]
    dollars = options.get("max_cost")
    if dollars and spent is not None:
        parts.append(f"${max(0.0, allowed['cost_allowed'] - spent):.2f} of ${dollars:g}")
    if context.deadline:
        parts.append(f"{max(0.0, context.deadline - time.monotonic()):.0f} seconds")
    if not parts:
        return []
    return [build_note(role, f"Left for this request: {', '.join(parts)}. Finish before they end.")]
