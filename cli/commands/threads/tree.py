"""`mcode threads tree`: forks of threads, and rewinds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ...i18n.catalogs import t
from ...rendering.output import echo
from ...rendering.text_width import shorten_text

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow


def tree(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name: show only its tree."),
    ] = None,
    all_folders: Annotated[
        bool, typer.Option("--all", help="List threads of all folders.")
    ] = False,
) -> None:
    """Show forks of threads as a tree."""
    from ...rendering.definition_list import get_terminal_width
    from ...rendering.listings.threads import find_restored_threads, open_index

    index = open_index()
    named = index.find(thread, Path.cwd()) if thread is not None else None
    rows = index.list(None if all_folders or named else Path.cwd())
    if not rows:
        echo(t("threads.none"), err=True)
    rows_by_id = {row.thread_id: row for row in rows}
    forks: dict[str, list[ThreadRow]] = defaultdict(list)
    for row in rows:
        forks[row.parent if row.parent in rows_by_id else ""].append(row)
    put_back, columns = find_restored_threads(rows), get_terminal_width()
    for root in [_find_root(named, rows_by_id)] if named else forks[""]:
        for line in _render_lines(root, forks, put_back):
            echo(shorten_text(line, columns))


def _find_root(row: "ThreadRow", rows_by_id: "Mapping[str, ThreadRow]") -> "ThreadRow":
    """Return the first of its ancestors that still exist, or the thread itself."""
    while row.parent in rows_by_id:
        row = rows_by_id[row.parent]
    return row


def _render_lines(
    row: "ThreadRow", forks: "Mapping[str, list[ThreadRow]]", put_back: set[str]
) -> Iterator[str]:
    """Yield the thread, what was rewound in it, and its forks, each line with its indent."""
    yield _format_thread(row, put_back)
    below = [
        [t("tree.left" if first < last else "tree.left.one", first=first, last=last)]
        for first, last in _read_abandoned(row)
    ]
    below += [
        list(_render_lines(fork, forks, put_back))
        for fork in reversed(forks.get(row.thread_id, []))
    ]
    for number, (first, *rest) in enumerate(below, 1):
        last = number == len(below)
        yield f"{'└─' if last else '├─'} {first}"
        yield from (f"{'   ' if last else '│  '}{line}" for line in rest)


def _format_thread(row: "ThreadRow", put_back: set[str]) -> str:
    from ...rendering.listings.threads import SHORT_ID, format_status, format_title

    forked = f"{t('tree.forked', step=row.parent_step)}  " if row.parent else ""
    return (
        f"{row.thread_id[:SHORT_ID]}  {forked}{format_status(row, put_back)}  {format_title(row)}"
    )


def _read_abandoned(row: "ThreadRow") -> list[tuple[int, int]]:
    from ....sdk.threads.steps import read_abandoned_ranges

    return read_abandoned_ranges(row, paths.locate_home())
