"""Origin of a note: whether the user asked for it, and whether it repeats a foreign text."""

import json
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ...memory.cards.admission import has_copied_words
from ...memory.cards.words import split_words
from ...tools.tool_table import select_names
from ..state import State
from ..tool_task import NoteOrigin

# In `additional_kwargs` of a note: its text is a stranger's
FOREIGN = "foreign"
# In a long message, such as a piped file, the words need not be the user's
MAX_REQUEST_LENGTH = 2_000
# Share of a note's words that the user's own message must have
SHARED = 0.5
_FOREIGN_TOOLS = select_names(lambda entry: entry.is_foreign)
_FETCHES = re.compile(r"\b(?:curl|wget|https?)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\bremember\b|\bmemori[sz]e\b|\bkeep in mind\b|\bdo(?:n't| not) forget\b"
    r"|\b(?:make|take|add|save) (?:a |this |that )?(?:as a )?note\b|\bnote (?:down|that|this)\b"
    r"|记住|记下|记一下|记好|别忘|不要忘|牢记|备忘|做个笔记",
    re.IGNORECASE,
)


def find_origin(state: State, content: str) -> NoteOrigin:
    """Return where a note with this text would come from."""
    messages = state.get("messages", [])
    foreign = collect_foreign_texts(messages)
    return NoteOrigin(
        message=state.get("message_id", ""),
        step=state.get("steps", 0),
        asked=is_asked(content, _find_user_text(state)),
        foreign=has_copied_words(content, foreign),
    )


def is_asked(content: str, message: str) -> bool:
    """Return whether the user's message asks to remember this."""
    if len(message) > MAX_REQUEST_LENGTH or not _ASKS.search(message):
        return False
    note_words, message_words = set(split_words(content)), set(split_words(message))
    return bool(note_words) and len(note_words & message_words) >= SHARED * len(note_words)


def collect_foreign_texts(messages: Sequence[AnyMessage]) -> list[str]:
    """Return what web pages and servers have answered in the thread, also by commands."""
    fetching = {
        call["id"]
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
        if call["name"] == "run_command" and _FETCHES.search(json.dumps(call["args"]))
    }
    return [
        str(message.text)
        for message in messages
        if message.additional_kwargs.get(FOREIGN)
        or isinstance(message, ToolMessage)
        and (
            message.name in _FOREIGN_TOOLS
            or (message.name or "").startswith("mcp_")
            or message.tool_call_id in fetching
        )
    ]


def _find_user_text(state: State) -> str:
    message_id = state.get("message_id", "")
    for message in reversed(state.get("messages", [])):
        if isinstance(message, HumanMessage) and message.id == message_id:
            return str(message.text)
    return "" if message_id else state["request"]
