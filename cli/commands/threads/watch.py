"""`mcode threads watch`: the inbox of all threads, live; a question is answered from it."""

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....config import paths
from ....memory.threads.record import OPEN_STATUSES
from ...i18n.catalogs import get_language, t
from ...rendering.humanize import format_age
from ...rendering.listings.threads import (
    SHORT_ID,
    format_status,
    format_title,
    open_index,
    to_mappings,
)
from ...rendering.output import echo, echo_json
from ...rendering.sanitize import sanitize_line
from .listing import AsJson

if TYPE_CHECKING:
    from ....memory.threads.changes import ThreadWatch
    from ....memory.threads.index import ThreadIndex
    from ....memory.threads.record import ThreadRow

# What opens a thread in each state, as docs/threads.md has it; `threads show` for all others
_COMMANDS = {
    "idle": ("chat", "--resume"),
    **dict.fromkeys(
        ("waiting", "limit", "interrupted", "queued", "failed", "unknown"), ("resume",)
    ),
}


def watch(as_json: AsJson = False) -> None:
    """Show the threads of all folders as they change; Enter opens one, or answers its question.

    Without a terminal it prints a line for each thread that is not over, and for each change.
    """
    from ....memory.threads.changes import ThreadWatch
    from ...prompts.picker import can_draw_picker

    index = open_index()  # which says where a damaged database was replaced
    with ThreadWatch(paths.locate_home()) as changes:
        is_drawn = sys.stdin.isatty() and sys.stderr.isatty() and can_draw_picker()
        if is_drawn and not as_json:
            _watch_at_terminal(changes, index)
        else:
            _print_changes(changes, as_json=as_json)


def choose_arguments(row: "ThreadRow") -> list[str]:
    """Return the arguments of `mcode` that open a thread."""
    return [*_COMMANDS.get(row.status, ("threads", "show")), row.thread_id]


def _watch_at_terminal(changes: "ThreadWatch", index: "ThreadIndex") -> None:
    from ...prompts.thread_watch import pick_live

    rows: Sequence[ThreadRow] = changes.read() or []
    if not rows:
        echo(t("threads.none"), err=True)
        return
    while (row := pick_live(changes, rows)) is not None:
        echo(f"› {row.thread_id[:SHORT_ID]}  {format_title(row)}", err=True)
        # a list has as waiting also what ended with a question
        _run_mcode(choose_arguments(index.find_row(row.thread_id) or row), Path(row.folder))
        rows = changes.read() or rows


def _run_mcode(arguments: Sequence[str], folder: Path) -> None:
    """Run `mcode` in a thread's folder; Ctrl-C stops that run only."""
    command = [sys.executable, "-P", "-m", "maxagent", "--lang", get_language(), *arguments]
    handler = signal.signal(signal.SIGINT, _stay)
    try:
        subprocess.run(command, cwd=folder if folder.is_dir() else None, check=False)
    finally:
        signal.signal(signal.SIGINT, handler)


def _stay(number: int, frame: object) -> None:
    """Do nothing: the program in the foreground gets the signal, too."""


def _print_changes(changes: "ThreadWatch", *, as_json: bool) -> None:
    """Print each thread that is not over, then each whose status has changed, until Ctrl-C."""
    from ...prompts.thread_watch import SECONDS, read_threads, sort_threads

    seen: dict[str, tuple[str, str]] = {}
    is_first = True
    while True:
        rows = sort_threads(changes.read() or []) if as_json else read_threads(changes) or []
        changed = [row for row in rows if seen.get(row.thread_id) != _read_state(row)]
        seen |= {row.thread_id: _read_state(row) for row in changed}
        _print_rows(
            [row for row in changed if row.status in OPEN_STATUSES or not is_first], as_json=as_json
        )
        is_first = False
        time.sleep(SECONDS)


def _read_state(row: "ThreadRow") -> tuple[str, str]:
    """Return the status, who runs it, and when a question was asked: the next one differs."""
    return row.status, row.updated_at if row.status == "waiting" else row.holder


def _print_rows(rows: "list[ThreadRow]", *, as_json: bool) -> None:
    if as_json:
        for mapping in to_mappings(rows, None) if rows else ():
            echo_json(mapping, indent=None)
        return
    for row in rows:
        status, age = format_status(row, set()), format_age(row.updated_at)
        folder = sanitize_line(Path(row.folder).name)
        echo(f"{row.thread_id[:SHORT_ID]}  {status}  {age}  {folder}  {format_title(row)}")
