"""Parts of the note that stands for hidden messages: facts of the state, notes of the graph
that still hold, and long messages of the user.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from langchain_core.messages import AnyMessage

from ...config.security.private_files import make_private_folder, replace_file
from ...memory.undo.change_chains import compute_net_changes
from ...memory.undo.history import HistoryEntry
from ...tools.process.output_capture import get_output_path, make_output_id
from ...tools.todo_list import render_todos
from ..enforce_schema import build_schema_note
from ..roles import CHAT_ROLES, RoleName
from ..run.modes import format_announcement
from ..state import Evidence, State

# Files in one list, and characters of a test run's output
MAX_FILES, MAX_OUTPUT = 60, 1_500
_STEP = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[[ xX>-]\]\s+\S.*$", re.MULTILINE)
MAX_STEPS = 40
# `command_output` shows less of a longer line
MAX_LINE_LENGTH = 1_500


def build_facts(
    state: State,
    messages: Sequence[AnyMessage],
    changed: Sequence[str],
    note: str,
    plan: str = "",
) -> str:
    """Return what the state knows, as text that follows the note.

    `messages` are the hidden ones, `changed` the files that the thread has changed, `plan` the
    text of the plan's file.
    """
    sections = [
        _format_todos(state),
        _format_plan(state, plan),
        _format_evidence(state.get("evidence")),
        _format_files(
            "Files that this conversation has changed", (f for f in changed if f not in note)
        ),
        _format_files(
            "Files seen; read one again before you rely on it",
            (f for f in list_seen_files(messages) if f not in note and f not in changed),
        ),
    ]
    return "\n\n".join(filter(None, sections))


def list_changed_files(entries: Sequence[HistoryEntry]) -> list[str]:
    """Return the files that these entries leave changed, the last change first."""
    numbers = {change.path: entry.number for entry in entries for change in entry.changes}
    paths = [change.path for change in compute_net_changes(entries)]
    return sorted(paths, key=lambda path: numbers[path], reverse=True)


def list_seen_files(messages: Iterable[AnyMessage]) -> list[str]:
    """Return the files that these messages showed, the newest first."""
    seen = dict[str, None]()
    for message in messages:
        for path in message.additional_kwargs.get("seen") or ():
            seen.pop(str(path), None)
            seen[str(path)] = None
    return [*reversed(seen)]


def _format_todos(state: State) -> str:
    todos = state.get("todos")
    return f"The todo list now:\n{render_todos(todos)}" if todos else ""


def _format_plan(state: State, plan: str) -> str:
    path = state.get("options", {}).get("plan_file", "")
    if not path:
        return ""
    steps = [step.strip() for step in _STEP.findall(plan)][:MAX_STEPS]
    return "\n".join([f"The plan is in `{path}`.", *steps])


def _format_evidence(evidence: Evidence | None) -> str:
    if not evidence:
        return ""
    line = f"The last test run: `{evidence['command']}` {evidence['verdict']}: {evidence['reason']}"
    if evidence["verdict"] != "failed":
        return line
    from ...tools.testing.run import shorten_output

    tail = shorten_output(evidence["tail"], MAX_OUTPUT).strip()
    return f"{line}\n{tail}" if tail else line


def _format_files(title: str, files: Iterable[str]) -> str:
    names = [*files]
    if not names:
        return ""
    more = f", and {len(names) - MAX_FILES} more" if len(names) > MAX_FILES else ""
    return f"{title}: {', '.join(f'`{name}`' for name in names[:MAX_FILES])}{more}"


def build_standing_notes(state: State, role: RoleName) -> str:
    """Return the notes on a conversation's mode and on the form of its answer.

    The notes themselves are hidden, and the mode is announced again only when it changes.
    """
    options = state.get("options", {})
    if role not in CHAT_ROLES:
        return ""
    mode = [format_announcement(options)] if options.get("plan") else []
    schema = [str(note.text) for note in build_schema_note(options)]
    return "\n\n".join([*mode, *schema])


def store_requests(
    messages: Iterable[AnyMessage], message_ids: Iterable[str], outputs: Path
) -> Mapping[str, str]:
    """Store the wanted messages; return the ID of the output of each. Blocks on the disk."""
    by_id = {str(message.id): message for message in messages}
    stored = dict[str, str]()
    for name in message_ids:
        make_private_folder(outputs)
        identity = make_output_id(f"message-{name}")
        words = _wrap_lines(str(by_id[name].text))
        replace_file(get_output_path(outputs, identity), words.encode("utf-8", "replace"))
        stored[name] = identity
    return stored


def _wrap_lines(words: str) -> str:
    return "\n".join(
        part
        for line in words.split("\n")
        for part in (
            textwrap.wrap(line, MAX_LINE_LENGTH // 3) if len(line) > MAX_LINE_LENGTH else [line]
        )
    )
