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
# Commands whose output strangers have written
_FETCHES = re.compile(
    r"\b(?:curl|wget|https?|lynx|w3m|elinks|aria2c|ncat|nc|gh|glab)\b"
    r"|\bgit\b[^|;&]*\b(?:fetch|pull|clone|ls-remote|origin/|upstream/|FETCH_HEAD)"
    r"|\b(?:npm|pnpm|yarn|bun)\s+(?:view|info|show|search)\b"
    r"|\b(?:pip3?\s+index|cargo\s+(?:info|search)|gem\s+info|apt(?:-cache)?\s+(?:show|search))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\bremember\b|\bmemori[sz]e\b|\bkeep in mind\b|\bdo(?:n['’]t| not) forget\b"
    r"|\b(?:make|take|add|save) (?:a |this |that )?(?:as a )?note\b|\bnote (?:down|that|this)\b"
    r"|记住|记下|记一下|记好|别忘|不要忘|牢记|备忘|做个笔记",
    re.IGNORECASE,
)

# What stands before such a word where the user asks not to
_NOT = re.compile(
    r"(?:\b(?:do(?:es)?|did|should|must|need)(?:n['’]t| not)|\bnever|\bnot(?: to)?|\bno need to"
    r"|\bwithout)(?: (?:you|to|need|have|want|please|ever|even))*\s*$"
    r"|(?:不要|别|不用|不必|无需|不需要|没必要|勿|不想|不)(?:再|去|把它|帮我|你)*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；\n])")


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
    if len(message) > MAX_REQUEST_LENGTH:
        return False
    sentences = [each for each in _SENTENCE_END.split(message) if not _is_refusal(each)]
    if not any(map(_ASKS.search, sentences)):
        return False
    note_words, message_words = set(split_words(content)), set(split_words(" ".join(sentences)))
    return bool(note_words) and len(note_words & message_words) >= SHARED * len(note_words)


def _is_refusal(sentence: str) -> bool:
    """Return whether the sentence asks not to remember, and nothing else."""
    asks = [sentence[: match.start()] for match in _ASKS.finditer(sentence)]
    return bool(asks) and all(map(_NOT.search, asks))


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
