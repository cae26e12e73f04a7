"""Facts of the thread's state, for the note that stands for hidden messages (pure)."""

import re
from collections.abc import Iterable, Sequence

from langchain_core.messages import AnyMessage

from ...memory.undo.change_chains import compute_net_changes
from ...memory.undo.history import HistoryEntry
from ...tools.todo_list import render_todos
from ..state import Evidence, State

# Files in one list, and characters of a test run's output
MAX_FILES, MAX_OUTPUT = 60, 1_500
_STEP = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[[ xX>-]\]\s+\S.*$", re.MULTILINE)
MAX_STEPS = 40


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
    tail = evidence["tail"].strip()[-MAX_OUTPUT:] if evidence["verdict"] == "failed" else ""
    return f"{line}\n{tail}" if tail else line


def _format_files(title: str, files: Iterable[str]) -> str:
    names = [*files]
    if not names:
        return ""
    more = f", and {len(names) - MAX_FILES} more" if len(names) > MAX_FILES else ""
    return f"{title}: {', '.join(f'`{name}`' for name in names[:MAX_FILES])}{more}"
