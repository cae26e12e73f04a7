"""The thread that somebody names: by its ID, the beginning of it, or its name."""

import difflib
from collections.abc import Sequence

from ...config.errors import UsageError
from ...config.text import text
from .record import ThreadRow

MIN_PREFIX_LENGTH = 4
# Characters of an id that are shown
SHORT_ID = 8
MAX_NEAR = 3
# Threads whose names and IDs are looked at for a suggestion
MAX_SUGGESTED = 1_000


def choose_row(name: str, rows: Sequence[ThreadRow], folder: str | None) -> ThreadRow | None:
    """Return the one that is meant of the threads that fit; None if there is none.

    Raises UsageError if there are several, or one of another folder.
    """
    namesakes = [row for row in rows if row.name == name]
    local = [row for row in namesakes if folder in (None, row.folder)]
    exact = [row for row in rows if row.thread_id == name] or local
    begins = [row for row in rows if row.thread_id.startswith(name)]
    matching_rows = exact or (begins if len(name) >= MIN_PREFIX_LENGTH else [])
    if len(matching_rows) > 1:
        raise _build_ambiguous_error(name, matching_rows)
    if not matching_rows and namesakes:
        raise _build_elsewhere_error(namesakes[0])
    return matching_rows[0] if matching_rows else None


def _build_ambiguous_error(content: str, matching_rows: list[ThreadRow]) -> UsageError:
    every = [row.thread_id for row in matching_rows]
    letters = SHORT_ID
    while len({thread_id[:letters] for thread_id in every}) < len(every):
        letters += 1
    is_in_folders = len({row.name for row in matching_rows if row.name == content}) == 1
    ids = ", ".join(
        f"`{row.thread_id[:letters]}` ({row.folder if is_in_folders else row.name or row.title})"
        for row in matching_rows
    )
    return UsageError(
        text("`{content}` matches {count} threads", content=content, count=len(matching_rows)),
        hint=text("give more of the ID: {ids}", ids=ids),
    )


def _build_elsewhere_error(row: ThreadRow) -> UsageError:
    return UsageError(
        text("`{name}` is a thread of `{folder}`", name=row.name, folder=row.folder),
        hint=text(
            "run the command there, or name the thread by its ID, `{id}`",
            id=row.thread_id[:SHORT_ID],
        ),
    )


def build_not_found_error(content: str, rows: list[ThreadRow]) -> UsageError:
    names = {row.name: row.name for row in rows if row.name}
    ids = {
        row.thread_id[: max(len(content), MIN_PREFIX_LENGTH)]: row.thread_id[:SHORT_ID]
        for row in rows
    }
    matching_ids = [row.thread_id[:SHORT_ID] for row in rows if row.thread_id.startswith(content)]
    if content and matching_ids:  # too short to identify a thread
        suggestions = ", ".join(f"`{thread_id}`" for thread_id in matching_ids[:MAX_NEAR])
        return UsageError(
            text("no thread `{content}`", content=content),
            hint=text(
                "give at least 4 characters of an ID, such as {examples}", examples=suggestions
            ),
        )
    close = difflib.get_close_matches(content, [*names, *ids], n=MAX_NEAR, cutoff=0.6)
    suggestions = ", ".join(f"`{names.get(key) or ids[key]}`" for key in close)
    hint = "run `mcode threads list --all` to list all threads"
    return UsageError(
        text("no thread `{content}`", content=content)
        if content
        else "the thread's ID or name is empty",
        hint=text("did you mean {names}? {hint}", names=suggestions, hint=hint) if close else hint,
    )
