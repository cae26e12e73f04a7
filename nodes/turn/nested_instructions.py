"""Instruction files of subfolders, sent to a role once it has seen files there, each once."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ...config.instructions.discovery import NOT_AGREED
from ...config.instructions.nested_files import find_nested_files, read_nested_instructions
from ...config.text import text
from ..messages.instruction_blocks import format_blocks
from ..roles import RoleName
from ..run.dependencies import Dependencies
from ..run.message_history import build_role_message

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
