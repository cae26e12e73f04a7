"""Notes about the todo list: it was not touched for long, or has open tasks at the end."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...tools.todo_list import Todo, find_open_todos, render_todos
from ...tools.tool_table import select_names
from ..events.progress import Notice
from ..roles import CHAT_ROLES, RoleName
from ..run.context import Context
from ..run.emit import emit
from ..run.message_history import iter_newest_first
from ..run.modes import build_note
from ..state import State

# Lines at the end of an answer in which a question counts; options may follow it
MAX_LINES = 12
_MARK = re.compile(r"[?？؟⁇՞፧](?=[\s\"'”’»」』)\]*_~]|$)")
_REQUEST = re.compile(
    r"\b(?:please|pls|kindly) (?:confirm|choose|decide|pick|select|specify|answer|advise|reply|"
    r"tell me|let me know|give me|provide)\b"
    r"|\b(?:let me know|tell me|i need to know) (?:which|what|whether|how|where|when|who|your)\b"
    r"|\b(?:i need|waiting for|i await|awaiting) your "
    r"(?:answer|approval|choice|confirmation|decision|feedback|go-ahead|input|permission|reply)\b"
    r"|请(?:先|您|你)?(?:确认|告诉|告知|选择|决定|提供|指定|回答|回复)|吗[。！]?$",
    re.IGNORECASE,
)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
# Model turns without a change of the list until the model is shown it again
STALE_AFTER = 10
STALE = (
    "The todo list has not changed for {count} steps. Bring it up to date when a task is done or "
    "no longer needed:\n{todos}"
)
UNFINISHED = (
    "The todo list has open tasks:\n{todos}\n\nFinish them. If one cannot or need not be done, or "
    "waits for the user, mark it and say so in your answer."
)
ASKED = "open steps, so the model goes on: {tasks}"
# Open tasks that the notice names, and characters of each
MAX_NAMES = 3
MAX_NAME = 60
# The mark of a note about the list in `additional_kwargs`
ABOUT_TODOS = "about_todos"
_LISTS = select_names(lambda entry: entry.is_list)


def has_question(answer: str) -> bool:
    """Return whether the end of an answer asks the user; code, quotations and headings do not."""
    lines = [line for line in _iter_prose(answer) if line]
    return any(_MARK.search(line) or _REQUEST.search(line) for line in lines[-MAX_LINES:])


def _iter_prose(answer: str) -> Iterator[str]:
    """Yield the lines of an answer that are its own words, without code in them."""
    fence = ""
    for raw_line in answer.splitlines():
        line = raw_line.strip()
        mark = line[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and not line.startswith((">", "#")):
            yield _INLINE_CODE.sub("", line).strip()


def build_stale_note(state: State, role: RoleName) -> list[HumanMessage]:
    """Return the open list for the model if its last ten steps in this turn left it alone."""
    todos = state.get("todos", [])
    if not find_open_todos(todos):
        return []
    steps = 0
    for message in _iter_turn(state, role):
        if _is_about_todos(message):
            return []
        steps += isinstance(message, AIMessage)
        if steps == STALE_AFTER:
            words = STALE.format(count=STALE_AFTER, todos=render_todos(todos))
            return [_build_todo_note(role, words)]
    return []


def ask_for_open_todos(
    state: State,
    runtime: Runtime[Context],
    role: RoleName,
    update: Mapping[str, Any],
    answer: str,
) -> dict[str, Any] | None:
    """Return the state changes with which a finished role has its turn again, once a request.

    None: no task is open, or a conversation's model has not used the list in this turn, or asks the
    user in its answer. `update` are the state changes of the turn.
    """
    todos, turn = state.get("todos", []), state.get("turn", 1)
    if not find_open_todos(todos) or state.get("todos_checked") == turn:
        return None
    is_used = any(map(_is_about_todos, _iter_turn(state, role)))
    if role in CHAT_ROLES and (not is_used or has_question(answer)):
        return None
    emit(runtime, Notice(text(ASKED, tasks=_name_open_todos(todos))))
    note = _build_todo_note(role, UNFINISHED.format(todos=render_todos(todos)))
    messages = [*update.get("messages", []), note]
    return {**update, "messages": messages, "todos_checked": turn}


def _name_open_todos(todos: Sequence[Todo]) -> str:
    """Return the open tasks for a notice, cut short."""
    names = [todo["content"] for todo in find_open_todos(todos)]
    short_names = [name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…" for name in names]
    return ", ".join(
        [f"`{name}`" for name in short_names[:MAX_NAMES]] + ["…"] * (len(names) > MAX_NAMES)
    )


def _iter_turn(state: State, role: RoleName) -> Iterator[AnyMessage]:
    """Yield the messages since the user's last one, the newest first."""
    for message in iter_newest_first(state, role):
        if isinstance(message, HumanMessage) and not message.additional_kwargs.get("synthetic"):
            return
        yield message


def _is_about_todos(message: AnyMessage) -> bool:
    called = isinstance(message, ToolMessage) and message.name in _LISTS
    return called or ABOUT_TODOS in message.additional_kwargs


def _build_todo_note(role: RoleName, words: str) -> HumanMessage:
    note = build_note(role, words)
    note.additional_kwargs[ABOUT_TODOS] = True
    return note
